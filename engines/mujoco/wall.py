"""MuJoCo's importer for the import wall."""

from __future__ import annotations

import mujoco

from ...harness.wall.mjmodel import MjModelReader
from ...harness.wall.row import Imported


def load(text: str, kind: str) -> Imported:
    """See `Load`."""
    return MjModelReader(mujoco.MjModel.from_xml_string(text))
