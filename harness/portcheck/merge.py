"""Links of the source that an engine merged into their parents, merged the same way."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..engine import Resolved
from ..imported import WORLD, Key, Reading
from ..resolution import floats
from ..scene import Array, rotation
from .reference import parents_first
from .rotations import quaternion


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
                table[Key("link", child, "orientation")], value=quaternion(R @ S)
            )
        del parents[link]
        table = {key: row for key, row in table.items() if not (key.kind == "link" and key.name == link)}
    kept = tuple(link for link in reading.links if link not in gone)
    return replace(reading, links=kept, parents=parents, table=table)


def _pose(table: Mapping[Key, Resolved], link: str) -> tuple[Array, Array]:
    return _array(table, link, "position"), rotation(_array(table, link, "orientation"))


def _array(table: Mapping[Key, Resolved], link: str, quantity: str) -> Array:
    value: Any = table[Key("link", link, quantity)].value
    return np.atleast_1d(np.array(value, dtype=np.float64))


def _add(table: dict[Key, Resolved], parent: str, link: str, p: Array, R: Array) -> None:
    """Add the mass of `link`, which stands at p, R in `parent`, to it."""
    parts: list[tuple[float, Array, Array]] = []
    for name, at, turn in ((parent, np.zeros(3), np.eye(3)), (link, p, R)):
        mass, com, inertia = (_array(table, name, q) for q in ("mass", "com", "inertia"))
        if mass[0] > 0 or inertia.any():
            parts.append((float(mass[0]), at + turn @ com, turn @ inertia.reshape(3, 3) @ turn.T))
    total = sum(m for m, _, _ in parts)
    if not parts:
        return
    centre = np.sum([m * c for m, c, _ in parts], axis=0) / total if total else parts[0][1]
    whole = np.zeros((3, 3))
    for m, c, about in parts:
        d = c - centre
        whole += about + m * (d @ d * np.eye(3) - np.outer(d, d))
    for quantity, value in (("mass", total), ("com", floats(centre)), ("inertia", floats(whole.ravel()))):
        key = Key("link", parent, quantity)
        table[key] = replace(table[key], value=value)
