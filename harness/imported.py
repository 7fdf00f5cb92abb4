"""What an engine's importer made of a robot file: the contract of `simparity.engines.NAME.importer`.

The module has one function `load(path)`, which does what a user of the engine would do with the file and nothing more,
and `CAUSES`, which says for "ITEM:quantity" or "ITEM" of the checklist why this engine is known to deviate (`cause`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

from .engine import Resolved
from .scene import Array

Kind = Literal["model", "option", "link", "joint", "actuator", "constraint", "tendon", "geom", "count", "keyframe"]
WORLD = "world"
SCALAR = ("hinge", "slide")


class Key(NamedTuple):
    """Names one value: of which kind of element, which element, which quantity."""

    kind: str
    name: str
    quantity: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A model as plain values, read from a source file or from a live engine, under that side's own names.

    Quantities. A link: mass [kg], com [m] and inertia [kg m^2] (3 x 3 about the com) in its frame, position [m] and
    orientation (quaternion, scalar first) in the parent's frame with every joint at zero displacement. A joint: type,
    axis and anchor [m] in the link's frame, lower, upper, effort_lower, effort_upper, armature, damping, friction,
    stiffness, rest, home (its coordinate at zero displacement), all in rad or m and N m or N. A geom (a shape that can
    collide, named LINK/INDEX): type, size [m], friction, position and orientation in the link's frame, and the surface;
    of MuJoCo's own models also the masks contype and conaffinity.

    Attributes:
        links: in this side's order, the world left out; `parents`: link -> parent, or `WORLD`.
        joints: in this side's order; `moved`: joint -> link that it moves; `kinds`: joint -> type.
        actuators, geoms: names; `driven`: actuator -> joint.
        pairs: unordered pairs of links -> number of pairs of geoms that may touch; None where it cannot be read.
        lacks: quantity ("KIND.quantity", or "KIND") -> why the engine has no place for it.
        hidden: the same for what the engine may have and does not let one read.
        precision: of the engine's numbers [bit].
        rounded: quantity ("KIND.quantity") -> what the importer's own steps, coarser than `precision`, may move it: an
            angle [rad] for orientations and directions, a part of the largest entry for an inertia, else in its unit.
        about_origin: whether inertia is kept about the frame's origin, so that the one about the com is a difference.
        notes: what the importer said.
        translated: why this is not the engine's own importer, empty where it is.
    """

    links: tuple[str, ...]
    parents: Mapping[str, str]
    joints: tuple[str, ...]
    moved: Mapping[str, str]
    kinds: Mapping[str, str]
    table: Mapping[Key, Resolved]
    actuators: tuple[str, ...] = ()
    driven: Mapping[str, str] = field(default_factory=dict)
    geoms: tuple[str, ...] = ()
    pairs: Mapping[tuple[str, str], int] | None = None
    lacks: Mapping[str, str] = field(default_factory=dict)
    hidden: Mapping[str, str] = field(default_factory=dict)
    precision: int = 64
    rounded: Mapping[str, float] = field(default_factory=dict)
    about_origin: bool = False
    notes: tuple[str, ...] = ()
    translated: str = ""

    @property
    def scalar_joints(self) -> tuple[str, ...]:
        """The joints with one coordinate."""
        return tuple(joint for joint in self.joints if self.kinds[joint] in SCALAR)

    def unit(self, key: Key, unit: str) -> str:
        """The unit of a joint's value, where `unit` is that of a hinge | that of a slide."""
        kind = self.kinds.get(key.name, "") if key.kind == "joint" else ""
        return unit.split(" | ")[SCALAR.index(kind)] if kind in SCALAR and " | " in unit else unit


@dataclass(frozen=True, slots=True, kw_only=True)
class Motion:
    """Kinematics and dynamics at n states of k joints, every other coordinate at home.

    Attributes:
        X_WL: link -> pose of its frame in W: position [m], quaternion scalar first (n, 7).
        mass_matrix: rows and columns of the k joints (n, k, k) [kg m^2 | kg]; `armature`: whether it is in it.
        gravity_torque: the torque that holds the k joints at rest (n, k) [N m | N].
    """

    X_WL: Mapping[str, Array]
    mass_matrix: Array | None = None
    gravity_torque: Array | None = None
    armature: bool = True
    why: str = ""


class ImportedModel(Protocol):
    """A robot file in one engine."""

    def reading(self) -> Reading:
        """Everything that the live objects let one read; called again it reads again."""
        ...

    def motion(self, joints: Sequence[str], q: Array) -> Motion:
        """At the coordinates `q` (n, k) of the named joints, each with one degree of freedom."""
        ...

    def close(self) -> None:
        """Free the engine's objects."""
        ...


class Load(Protocol):
    """Type of an importer's `load`.

    Raises:
        Unsupported: the engine cannot take such a file; any other exception is the importer's own refusal.
    """

    def __call__(self, path: str) -> ImportedModel: ...


def unordered(a: str, b: str) -> tuple[str, str]:
    """A pair of names whatever their order."""
    return (a, b) if a <= b else (b, a)
