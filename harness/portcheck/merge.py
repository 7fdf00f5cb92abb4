"""Links of the source that an engine merged into their parents, merged the same way."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from ..imported import WORLD, Key, Reading
from ..resolution import floats
from ..scene import Array, rotation
from .reference import parents_first


def mergeable(reading: Reading, gone: Collection[str]) -> set[str]:
    """Those of the links `gone` that are fixed to their parents, so that merging them changes nothing."""
    moving = set(reading.moved.values())
    return {link for link in gone if link not in moving}


def merged(reading: Reading, gone: Collection[str]) -> Reading:
    """`reading` without the fixed links `gone`, whose masses and children go to the nearest link that stays."""
    table, parents = dict(reading.table), dict(reading.parents)
    for link in reversed([x for x in parents_first(reading) if x in gone]):
        parent = parents[link]
        p, R = _pose(table, link)
        if parent != WORLD:
            _add(table, parent, link, p, R)
        for child in [x for x, of in parents.items() if of == link]:
            q, S = _pose(table, child)
            parents[child] = parent
            table[Key("link", child, "position")] = replace(
                table[Key("link", child, "position")], value=floats(p + R @ q)
            )
            table[Key("link", child, "orientation")] = replace(
                table[Key("link", child, "orientation")], value=_quaternion(R @ S)
            )
        del parents[link]
        table = {key: row for key, row in table.items() if not (key.kind == "link" and key.name == link)}
    kept = tuple(link for link in reading.links if link not in gone)
    return replace(reading, links=kept, parents=parents, table=table)


def _pose(table: dict[Key, object], link: str) -> tuple[Array, Array]:
    position, orientation = (np.array(table[Key("link", link, q)].value, float) for q in ("position", "orientation"))  # type: ignore[attr-defined]
    return position, rotation(orientation)


def _add(table: dict, parent: str, link: str, p: Array, R: Array) -> None:  # type: ignore[type-arg]
    """Add the mass of `link`, which stands at p, R in `parent`, to it."""
    parts = []
    for name, at, turn in ((parent, np.zeros(3), np.eye(3)), (link, p, R)):
        m, c, I = (np.array(table[Key("link", name, q)].value, float) for q in ("mass", "com", "inertia"))
        if m > 0:
            parts.append((float(m), at + turn @ c, turn @ I.reshape(3, 3) @ turn.T))
    mass = sum(m for m, _, _ in parts)
    if not mass:
        return
    com = sum((m * c for m, c, _ in parts), np.zeros(3)) / mass
    inertia = np.zeros((3, 3))
    for m, c, I in parts:
        d = c - com
        inertia += I + m * (d @ d * np.eye(3) - np.outer(d, d))
    for quantity, value in (("mass", mass), ("com", floats(com)), ("inertia", floats(inertia.ravel()))):
        key = Key("link", parent, quantity)
        table[key] = replace(table[key], value=value)


def _quaternion(R: Array) -> tuple[float, ...]:
    from .urdf_source import quaternion

    return quaternion(R)
