"""What a robot's shapes may touch in Genesis: the scene's bodies and never each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import genesis as gs
import numpy as np

from ...harness.engine import Settings, Value
from ...harness.errors import Unsupported
from ...harness.resolution import Row, robot_friction
from ...harness.robot_model import model_of
from ...harness.scene import Robot, Scene
from . import mapping
from .model import Places
from .readback import numbers


def surface(robot: Robot) -> Any:
    """The material of the robot's entity: what it does not say comes from the description."""
    if not robot.contacts:
        return None
    mapping.check(robot.name, robot.material)
    return gs.materials.Rigid(friction=mapping.friction(robot.material))


def let_touch(entity: Any, robot: Robot, settings: Settings) -> None:
    """Set who the shapes of the robot's `entity` meet, and how, before the world is built.

    Masks count within an entity of a file only, the bodies' among them: no shape of the robot fits another, and all fit
    the bodies.
    """
    if not robot.contacts:
        return
    links = {link.name for link in model_of(robot).links}
    for link in entity.links:
        if link.geoms and link.name not in links:
            raise Unsupported(
                f"robot {robot.name!r} has shapes outside its links, which would touch the scene's bodies in Genesis; "
                "make them a body of the scene, or give them contype and conaffinity 0"
            )
        for geom in link.geoms:
            geom.desc.contype, geom.desc.conaffinity = 1, 0
            geom.desc.sol_params = sol_params(geom.desc.sol_params, settings.options)


def sol_params(described: Any, options: Mapping[str, Value]) -> np.ndarray:
    """Contact parameters of a shape (7,): time constant, damping ratio and solimp, as the settings or the file say."""
    merged = np.array(described, dtype=np.float64)
    for name, place in (("solref", slice(0, 2)), ("solimp", slice(2, 7))):
        value = options.get(name)
        if isinstance(value, tuple):
            merged[place] = value
    return merged


def robot_pairs(solver: Any, scene: Scene, places: Places, entity: Any) -> Iterator[Row]:
    """Friction of every body against the robot's shapes: one number, or all that occur."""
    frictions = numbers(solver.get_geoms_friction())
    for body, robot in product(scene.bodies, scene.touching_robots):
        if not body.shapes:
            continue
        mine = float(frictions[places.geoms[body.name, 0]])
        mus = (mapping.pair_friction(mine, float(frictions[int(geom.idx)])) for geom in entity.geoms)
        native = "max of get_geoms_friction(), at least 0.01, over the robot's shapes"
        yield f"pair.{body.name}+{robot.name}.friction", robot_friction(mus, native)
