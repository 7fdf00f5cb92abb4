"""A scene written as the one MJCF entity that Genesis loads, and its place among Genesis's links, dofs and geoms.

One entity for all bodies, because Genesis honours contact exclusions only within an entity.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

import numpy as np

from ...harness.engine import Settings
from ...harness.errors import SimparityError, Unsupported
from ...harness.mjcf import numbers, write_body, write_shape
from ...harness.scene import Scene
from . import mapping

GEOM_NAMES = ("solref", "solimp")


def mjcf(scene: Scene, settings: Settings) -> str:
    """The MJCF of `scene`; Genesis ignores the `option` element, so it holds bodies and shapes only.

    Raises:
        Unsupported: a material that Genesis's contact cannot express.
    """
    root = Element("mujoco", model=scene.name)
    SubElement(root, "compiler", angle="radian", autolimits="true")
    asset, world, contact = (SubElement(root, tag) for tag in ("asset", "worldbody", "contact"))
    for body in scene.bodies:
        mapping.check(body.name, body.material)
        parent = write_body(world, body)
        for index, shape in enumerate(body.shapes):
            geom = SubElement(parent, "geom", name=f"{body.name}/{index}")
            write_shape(geom, shape, asset)
            mu = mapping.friction(body.material)
            if mu is not None:
                geom.set("friction", numbers(mu))
            for name in GEOM_NAMES:
                value = settings.options.get(name)
                if isinstance(value, tuple):
                    geom.set(name, numbers(value))
    for a, b in scene.collision_pairs_off:
        SubElement(contact, "exclude", body1=a, body2=b)
    return tostring(root, encoding="unicode")


@dataclass(frozen=True, slots=True)
class Places:
    """Where the scene's bodies and shapes lie in Genesis's flat arrays.

    Attributes:
        links: index of every body's link, by name.
        geoms: index of every shape's collision geom, by (body, number of the shape).
        moving: link indices of the moving bodies (n,); their coordinates are the blocks of 7 and 6, in this order.
    """

    links: dict[str, int]
    geoms: dict[tuple[str, int], int]
    moving: np.ndarray


def places(scene: Scene, entity: Any) -> Places:
    """Find the bodies of `scene` in the built `entity`, which is None when there are none.

    Raises:
        SimparityError: Genesis split or merged a shape, or ordered the coordinates differently.
    """
    links, geoms, offset = {}, {}, 0
    for body in scene.bodies:
        link = entity.get_link(body.name)
        links[body.name] = int(link.idx)
        if len(link.geoms) != len(body.shapes):
            raise SimparityError(
                f"Genesis made {len(link.geoms)} geoms of the {len(body.shapes)} of body {body.name!r}"
            )
        for index, geom in enumerate(link.geoms):
            geoms[body.name, index] = int(geom.idx)
        if body.mass is not None:
            if (link.q_start, link.dof_start) != (7 * offset, 6 * offset):
                raise SimparityError(f"Genesis does not keep the coordinates of body {body.name!r} in scene order")
            offset += 1
    return Places(links, geoms, np.array([links[body.name] for body in scene.moving], dtype=np.int64))


def check_pairs(scene: Scene, place: Places, pair_table: np.ndarray) -> None:
    """Raise Unsupported unless Genesis tests exactly the scene's pairs for contact, and of a robot those with bodies.

    Genesis turns exclusions into bit masks and falls back to all pairs when none fit, with a warning only.
    `pair_table` is `collider._collision_pair_idx` (n_geoms, n_geoms): the number of a pair, or -1.
    """
    owner = {geom: name for (name, _), geom in place.geoms.items()}
    robot = scene.robots[0].name if scene.robots else ""  # whose geoms all others are
    pairs = [(int(i), int(j)) for i, j in np.argwhere(pair_table >= 0)]
    made = {frozenset((owner.get(i, robot), owner.get(j, robot))) for i, j in pairs}
    wanted = {frozenset(pair) for pair in scene.colliding_pairs()}
    allowed = {frozenset((body.name, other.name)) for body in scene.bodies for other in scene.touching_robots}
    wrong = (wanted - made) | (made - wanted - allowed)
    if wrong:
        off = ", ".join(sorted("+".join(sorted(pair)) for pair in wrong))
        raise Unsupported(f"Genesis cannot switch contact on and off as asked; these pairs differ: {off}")
