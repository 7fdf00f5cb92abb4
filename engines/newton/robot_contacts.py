"""What a robot's shapes may touch in Newton: the scene's bodies and never each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import newton

from ...harness.engine import Settings
from ...harness.scene import Robot
from . import mapping

# Newton's collision groups: shapes of one negative group never meet, but meet those of every other group except 0;
# bodies are in the builder's default group, 1.
NOTHING, ROBOTS = 0, -1
MASKS = ("mujoco:contype", "mujoco:conaffinity")


def let_touch(
    builder: Any, robot: Robot, shapes: Iterable[int], attributes: Mapping[str, Any], settings: Settings
) -> tuple[int, ...]:
    """Set who the imported `shapes` of `robot` meet, and how; returns those that can touch.

    `attributes` are the shape attributes that the settings give to bodies as well. The world's own shapes in a
    description belong to no link and touch nothing.
    """
    collides, touching = int(newton.ShapeFlags.COLLIDE_SHAPES), []
    if robot.contacts:
        mapping.check(robot.name, robot.material)
    masks = [builder.custom_attributes[name].values for name in MASKS if name in builder.custom_attributes]
    for shape in shapes:
        # of the file's masks: taken out, or SolverMuJoCo would use them where no body of the scene has a shape
        given = [values.pop(shape) for values in masks if shape in values]
        seen_only = builder.shape_collision_group[shape] == NOTHING or (len(given) == len(MASKS) and not any(given))
        if not robot.contacts or seen_only or builder.shape_body[shape] < 0:
            builder.shape_flags[shape] &= ~collides
        if not builder.shape_flags[shape] & collides:
            continue
        touching.append(shape)
        builder.shape_collision_group[shape] = ROBOTS
        mu, gap = mapping.friction(robot.material), settings.options.get("gap")
        if mu is not None:
            builder.shape_material_mu[shape] = mu
        if gap is not None:
            builder.shape_gap[shape] = gap
        for name, value in attributes.items():
            builder.custom_attributes[name].values[shape] = value
    return tuple(touching)
