"""One wrong value in a live model: drawn with a seed, from what the engine itself says that it has."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np

from simparity.harness.imported import WORLD, ImportedModel, Key, Reading
from simparity.harness.scene import Array

SIZES = (1e-3, 1e-2, 0.1)
# kind of defect -> items of which one must have a finding that the sound model has not
FOUND_BY: dict[str, tuple[str, ...]] = {
    "mass": ("RB-MASS",),
    "inertia": ("RB-INERTIA",),
    "com": ("RB-COM",),
    "axis": ("RB-AXIS",),
    "frame": ("RB-FRAME",),
    "limit": ("RB-LIMIT",),
    "armature": ("RB-ARMATURE",),
    "damping": ("RB-DAMPING",),
    "dry friction": ("RB-FRICTION",),
    "surface friction": ("DF-SURFACE",),
    "filter": ("CF-PAIRS",),
    "order": ("CF-ORDER", "RB-JOINTS"),
    "gravity": ("DF-SET", "DF-DEFAULT", "RB-GRAVITY"),
    "dt": ("DF-SET", "DF-DEFAULT"),
}
LENGTH = 0.05  # offsets are moved by a share of themselves, at least of this [m]


@dataclass(frozen=True, slots=True)
class Mutation:
    """`element` of the engine gets `value` for the quantity that `kind` names.

    Attributes:
        how: scale, shift or turn (by `size`: relative, or rad), flip (a sign), swap (with `other`, or of two axes).
        value: the new value; a 3 x 3 tensor, a vector, a quaternion, a number, or None where names are swapped.
    """

    kind: str
    element: str
    how: str
    size: float
    value: tuple[float, ...] | float | None = None
    other: str = ""

    def __str__(self) -> str:
        amount = f" by {self.size:g}" if self.size else ""
        return f"{self.kind} of {self.element}: {self.how}{amount}" + (f" with {self.other}" if self.other else "")


class Planting(Protocol):
    """A robot file in one engine, into which one defect at a time is planted.

    `able` says which kinds the engine lets one change, `names` which elements of its own it can find by name.
    """

    able: tuple[str, ...]

    def sound(self) -> ImportedModel: ...

    def names(self, reading: Reading) -> set[str]: ...

    def plant(self, mutation: Mutation) -> ImportedModel: ...

    def remove(self) -> None:
        """Put the sound values back, or throw the changed model away."""
        ...


def candidates(reading: Reading, known: set[str], random: np.random.Generator) -> list[Mutation]:
    """Every mutation that a reading allows, each kind, element and size once."""
    drawn: list[Mutation] = []

    def value(kind: str, name: str, quantity: str) -> Array | None:
        row = reading.table.get(Key(kind, name, quantity))
        numeric = row is not None and not isinstance(row.value, (str, bool)) and row.value is not None
        return np.atleast_1d(np.array(row.value, float)) if numeric and row is not None else None

    def scaled(kind: str, of: str, name: str, quantity: str) -> None:
        now = value(of, name, quantity)
        if now is not None and np.isfinite(now).all() and now.any():
            drawn.extend(Mutation(kind, name, "scale", s, _plain(now * (1 + s))) for s in SIZES)

    def moved(kind: str, name: str, quantity: str) -> None:
        now = value("link", name, quantity)
        if now is None:
            return
        away = random.normal(size=3)
        for s in SIZES:
            step = s * max(float(np.linalg.norm(now)), LENGTH) * away / np.linalg.norm(away)
            drawn.append(Mutation(kind, name, "shift", s, _plain(now + step)))
        if np.linalg.norm(now) > 1e-3:
            drawn.append(Mutation(kind, name, "flip", 0, _plain(-now)))

    links = [link for link in reading.links if link in known and link in set(reading.moved.values())]
    for link in links:
        mass = value("link", link, "mass")
        if mass is None or mass[0] <= 1e-6:
            continue
        scaled("mass", "link", link, "mass")
        scaled("inertia", "link", link, "inertia")
        inertia = value("link", link, "inertia")
        assert inertia is not None
        swapped = inertia.reshape(3, 3)[np.ix_([1, 0, 2], [1, 0, 2])]
        if np.abs(swapped.ravel() - inertia).max() > 0.01 * np.abs(inertia).max():
            drawn.append(Mutation("inertia", link, "swap", 0, _plain(swapped.ravel()), "its x and y axes"))
        moved("com", link, "com")
        if reading.parents[link] != WORLD:
            moved("frame", link, "position")
    for joint in [j for j in reading.scalar_joints if j in known]:
        for kind, quantity in (("armature", "armature"), ("damping", "damping"), ("dry friction", "friction")):
            scaled(kind, "joint", joint, quantity)
        lower, upper = value("joint", joint, "lower"), value("joint", joint, "upper")
        if lower is not None and upper is not None and np.isfinite([lower[0], upper[0]]).all():
            wide = float(upper[0] - lower[0])
            if 0 < wide < 100:
                drawn.extend(
                    Mutation("limit", joint, "scale", s, (float(lower[0]), float(upper[0] + s * wide))) for s in SIZES
                )
                if abs(lower[0] + upper[0]) > 0.01 * wide:
                    drawn.append(Mutation("limit", joint, "flip", 0, (float(-upper[0]), float(-lower[0]))))
        axis = value("joint", joint, "axis")
        if axis is not None:
            side = np.cross(axis, random.normal(size=3))
            side /= np.linalg.norm(side)
            for s in SIZES:
                drawn.append(Mutation("axis", joint, "turn", s, _plain(axis * np.cos(s) + side * np.sin(s))))
            drawn.append(Mutation("axis", joint, "flip", 0, _plain(-axis)))
    for geom in reading.geoms:
        if geom.rpartition("/")[0] in links:
            scaled("surface friction", "geom", geom, "friction")
    for a, b in pairwise([j for j in reading.scalar_joints if j in known]):
        drawn.append(Mutation("order", a, "swap", 0, None, b))
    touching = [pair for pair in reading.pairs or () if set(pair) <= set(links)]
    drawn.extend(Mutation("filter", a, "swap", 0, None, b) for a, b in touching if a != b)
    gravity = value("option", "", "gravity")
    if gravity is not None:
        scaled("gravity", "option", "", "gravity")
        drawn.append(Mutation("gravity", "", "flip", 0, _plain(-gravity)))
    scaled("dt", "option", "", "dt")
    return drawn


def choose(
    all_of_them: list[Mutation], count: int, random: np.random.Generator, able: tuple[str, ...]
) -> list[Mutation]:
    """`count` of the mutations: kinds in turn, within a kind at random; a quarter of them of 1e-3."""
    large = [m for m in all_of_them if m.kind in able and (m.size >= 1e-2 or not m.size)]
    small = [m for m in all_of_them if m.kind in able and 0 < m.size < 1e-2]
    return [*_in_turn(large, count - count // 4, random), *_in_turn(small, count // 4, random)]


def _in_turn(mutations: list[Mutation], count: int, random: np.random.Generator) -> list[Mutation]:
    piles: dict[str, list[Mutation]] = {}
    for index in random.permutation(len(mutations)):
        piles.setdefault(mutations[int(index)].kind, []).append(mutations[int(index)])
    kinds = [list(FOUND_BY)[int(k)] for k in random.permutation(len(FOUND_BY))]
    chosen: list[Mutation] = []
    while len(chosen) < count and any(piles.values()):
        for kind in [k for k in kinds if piles.get(k)]:
            if len(chosen) < count:
                chosen.append(piles[kind].pop())
    return chosen


def _plain(value: Array) -> tuple[float, ...] | float:
    return float(value[0]) if len(value) == 1 else tuple(float(x) for x in value)
