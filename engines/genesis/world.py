"""A Genesis world of ours before it is built: its options, and the bodies of a scene as one entity."""

from __future__ import annotations

from typing import Any

import genesis as gs

from ...harness.engine import Settings
from ...harness.scene import Scene
from . import mapping
from .model import mjcf

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


def _rigid_options(scene: Scene, settings: Settings) -> Any:
    keywords: dict[str, Any] = dict(mapping.rigid_options(settings.options))
    for name, (keyword, enum) in mapping.ENUMS.items():
        if name in settings.options:
            keywords[keyword] = getattr(getattr(gs, enum), str(settings.options[name]))
    if scene.robots and not scene.colliding_pairs() and not any(robot.contacts for robot in scene.robots):
        keywords["enable_collision"] = False  # nothing can touch; without this the detection is launched all the same
    return gs.options.RigidOptions(**keywords)
