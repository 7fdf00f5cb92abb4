"""Collision shapes of a robot that takes part in contacts, and which of its links may touch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...harness.engine import Value
from ...harness.errors import Unsupported
from ...harness.robot_model import RobotModel
from ...harness.scene import Material
from . import mapping
from .shapes import collision_shape, surface


def attach_shapes(
    source: RobotModel, links: Sequence[Any], in_link: Sequence[Any], options: Mapping[str, Value], bits_taken: int
) -> None:
    """Attach the source's shapes to the articulation's `links`; `in_link`: pose of the source's links in them."""
    material = surface(Material(), options)
    for link, native, X, groups in zip(source.links, links, in_link, _groups(source, bits_taken), strict=True):
        if link.meshes:
            raise Unsupported(
                f"link {link.name!r} has {link.meshes} mesh shapes, and robots are built of primitive shapes here; "
                "give it primitive shapes or leave the robot's contacts off"
            )
        for shape in link.shapes:
            collision = collision_shape(shape, material, groups)
            collision.local_pose = X * collision.local_pose
            native.attach(collision)


def _groups(source: RobotModel, bits_taken: int) -> list[list[int]]:
    """Words of the collision filter: links fixed to each other do not collide, nor with those across one joint."""
    moving = [i for i, link in enumerate(source.links) if link.joint is not None]
    if bits_taken + len(moving) > mapping.PAIRS_OFF_AT_MOST:
        raise Unsupported(
            f"SAPIEN's collision groups have {mapping.PAIRS_OFF_AT_MOST} bits: too few for {len(moving)} joints and "
            f"{bits_taken} pairs of bodies that do not collide"
        )
    rigid: list[int] = []  # per link, the moving link that it is fixed to, -1 for the world
    for i, link in enumerate(source.links):
        rigid.append(i if link.joint is not None else rigid[link.parent] if link.parent >= 0 else -1)
    words = [[1, 1, 0, 0] for _ in source.links]
    for bit, i in enumerate(moving, start=bits_taken):
        parent = source.links[i].parent
        beside = rigid[parent] if parent >= 0 else -1
        for k, group in enumerate(words):
            if rigid[k] in (i, beside):
                group[2] |= 1 << bit
    return words
