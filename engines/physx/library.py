"""SAPIEN's PhysX module, imported and set up without noise; a rigid-body run needs no renderer and no Vulkan."""

from __future__ import annotations

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # SAPIEN looks for Vulkan while it is imported and warns where there is none
    import sapien
    from sapien import physx

sapien.set_log_level("error")

__all__ = ["physx", "sapien"]
