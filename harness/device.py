"""Whether there is a GPU, asked of the CUDA driver itself so that no engine has to be imported for it."""

from __future__ import annotations

import ctypes

from .errors import UsageError

DEVICES = ("cpu", "cuda")


def cuda_device_count() -> int:
    """Number of CUDA devices that the driver shows; 0 without a driver."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return 0
    count = ctypes.c_int(0)
    if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return 0
    return count.value


def require_cuda(engine: str) -> None:
    """Raise UsageError unless a CUDA device is there for `engine`."""
    if cuda_device_count() == 0:
        raise UsageError(
            f"engine {engine!r} was asked for device=cuda and this machine shows no CUDA device; use device=cpu"
        )
