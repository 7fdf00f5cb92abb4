"""Collision shapes of a robot that takes part in contacts: they meet the bodies of the scene and never each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...harness.engine import Value
from ...harness.errors import Unsupported
from ...harness.robot_model import RobotModel
from ...harness.scene import Robot
from . import mapping
from .shapes import collision_shape, surface


def attach_shapes(
    robot: Robot, source: RobotModel, links: Sequence[Any], in_link: Sequence[Any], options: Mapping[str, Value]
) -> tuple[tuple[int, Any], ...]:
    """Attach the source's shapes to the articulation's `links`; `in_link`: pose of the source's links in them.

    Returns:
        Every collision shape, with the index of the source's link that it belongs to.
    """
    mapping.check(robot.name, robot.material)
    made: list[tuple[int, Any]] = []
    for index, (link, native, X) in enumerate(zip(source.links, links, in_link, strict=True)):
        if link.meshes:
            raise Unsupported(
                f"link {link.name!r} has {link.meshes} mesh shapes, and robots are built of primitive shapes here; "
                "give it primitive shapes or leave the robot's contacts off"
            )
        for shape in link.shapes:
            collision = collision_shape(shape, surface(robot.material, options), list(mapping.ROBOT_GROUPS))
            collision.local_pose = X * collision.local_pose
            native.attach(collision)
            made.append((index, collision))
    return tuple(made)
