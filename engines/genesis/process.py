"""Genesis's state of the whole process: one backend and one precision at a time, shared by every scene in it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import genesis as gs
import quadrants as qd

_running: tuple[str, int] | None = None


def start(device: str, precision: int) -> None:
    """Initialise Genesis for `device` ("cpu" or "cuda") and `precision` [bit]; another pair ends every open scene."""
    global _running
    if _running == (device, precision) and gs._initialized:
        return
    gs.destroy()  # nothing to do the first time
    gs.init(
        backend=gs.cuda if device == "cuda" else gs.cpu,
        precision=str(precision),
        logging_level="error",
    )
    _running = (device, precision)


def device() -> str:
    """Where the kernels run, as Genesis says."""
    return str(gs.backend.name)


def precision() -> int:
    """Size of a float in the kernels [bit]."""
    return int(gs.np_float().itemsize * 8)


def threads() -> int:
    """Threads of the kernels on the CPU, from the compile configuration of Quadrants."""
    return int(qd.lang.impl.current_cfg().cpu_max_num_threads)


def view(field: Any) -> Any:
    """A torch tensor that shares the memory of a field, batch dimension first (qd_to_torch, copy=False)."""
    from genesis.utils.misc import qd_to_torch

    return qd_to_torch(field, transpose=True, copy=False)


def cache_folders() -> list[Path]:
    """Folders of compiled kernels and of prepared geometry; known before Genesis is initialised."""
    try:
        from genesis.utils.cache import get_cache_dir
    except ImportError:  # up to 1.4.1
        from genesis.utils.misc import get_cache_dir

    kernels = os.environ.get("QD_OFFLINE_CACHE_FILE_PATH") or str(qd.lang.impl.default_cfg().offline_cache_file_path)
    return [Path(kernels), Path(get_cache_dir())]
