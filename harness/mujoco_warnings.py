"""Where MuJoCo's warnings go, in whatever engine's process it reads a file."""

from __future__ import annotations

import sys


def warnings_to_stderr() -> None:
    """Print MuJoCo's warnings in this process; it writes them into MUJOCO_LOG.TXT of the working folder otherwise."""
    import mujoco

    mujoco.set_mju_user_warning(lambda message: print(f"MuJoCo: {message}", file=sys.stderr))
