"""A Genesis world of ours before it is built: its options, and the bodies of a scene as one entity."""

from __future__ import annotations

from typing import Any

import genesis as gs
import numpy as np
import torch
from genesis.utils.array_class import ErrorCode

from ...harness.engine import Settings
from ...harness.errors import Diverged, SimparityError
from ...harness.scene import Array, Scene
from . import mapping
from .model import mjcf
from .soft import scene_options

_NOT_FINITE = ErrorCode.INVALID_CONTACT_NAN | ErrorCode.INVALID_FORCE_NAN | ErrorCode.INVALID_ACC_NAN

# A mesh collides as its one convex hull, with all its faces.
HULLS: dict[str, Any] = {
    "convexify": True,
    "decompose_object_error_threshold": float("inf"),
    "decimate": False,
}


def empty_world(scene: Scene, dt: float, settings: Settings) -> Any:
    """A `gs.Scene` with the time step, gravity and solver options of `scene`, without any entity."""
    return gs.Scene(
        sim_options=gs.options.SimOptions(dt=dt, gravity=scene.gravity),
        rigid_options=_rigid_options(scene, settings),
        profiling_options=gs.options.ProfilingOptions(show_FPS=False),
        show_viewer=False,
        **(scene_options(scene, settings) if scene.soft_bodies else {}),
    )


def add_bodies(world: Any, scene: Scene, settings: Settings) -> Any:
    """Add all bodies of `scene` to `world`; returns their entity."""
    return world.add_entity(
        gs.morphs.MJCF(
            file=mjcf(scene, settings),
            align=False,  # the default moves the frame of a free body to its centre of mass
            visualization=False,
            **HULLS,
        )
    )


def set_velocity(solver: Any, poses: Array, V_WB: Array) -> None:
    """Set V_WB (n_bodies, 6) of the moving bodies, which are at `poses` (n_bodies, 7), in every copy of the world."""
    velocity = np.array(V_WB, dtype=np.float64)
    w, xyz = poses[:, 3:4], -poses[:, 4:7]  # of the inverse orientation
    w_W = velocity[:, 3:]
    t = 2 * np.cross(xyz, w_W)
    velocity[:, 3:] = w_W + w * t + np.cross(xyz, t)  # a free joint holds its angular velocity in the body frame
    dofs = slice(0, velocity.size)  # the bodies' come first
    solver.set_dofs_velocity(torch.as_tensor(velocity.ravel(), dtype=gs.tc_float, device=gs.device), dofs)


def failure(solver: Any, error: gs.GenesisException | None = None) -> SimparityError:
    """What the solver's error flags say, or else `error`."""
    flags = int(np.bitwise_or.reduce(solver._errno.to_numpy().astype(np.int64)))
    message = "Genesis's error flag is set" if error is None else str(error)
    try:
        solver.check_errno()
    except gs.GenesisException as found:
        message = str(found)
    if flags & _NOT_FINITE:
        return Diverged(message)
    return SimparityError(f"{message} Here: option.max_collision_pairs, option.max_contacts")


def _rigid_options(scene: Scene, settings: Settings) -> Any:
    keywords: dict[str, Any] = dict(mapping.rigid_options(settings.options))
    for name, (keyword, enum) in mapping.ENUMS.items():
        if name in settings.options:
            keywords[keyword] = getattr(getattr(gs, enum), str(settings.options[name]))
    if scene.robots and not scene.colliding_pairs() and not any(robot.contacts for robot in scene.robots):
        keywords["enable_collision"] = False  # nothing can touch; without this the detection is launched all the same
    return gs.options.RigidOptions(**keywords)
