"""What is simulated, in SI units and in no engine's vocabulary.

World W is right-handed with z up. Quaternions are scalar-first. A scene is data: an adapter reads it, nobody writes
into it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from .errors import UsageError

Vec3: TypeAlias = tuple[float, float, float]
Array: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Pose:
    """Pose of a frame in its parent: position `p` [m], unit quaternion `q_wxyz` [1], scalar first."""

    p: Vec3 = (0.0, 0.0, 0.0)
    q_wxyz: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        if not math.isclose(sum(x * x for x in self.q_wxyz), 1.0, abs_tol=1e-9):
            raise UsageError(f"quaternion {self.q_wxyz} is not of unit length; give w, x, y, z with norm 1")


@dataclass(frozen=True, slots=True)
class Sphere:
    """Ball of `radius` [m] about the origin of `pose`, which is given in the body frame."""

    radius: float
    pose: Pose = Pose()


@dataclass(frozen=True, slots=True)
class Box:
    """Cuboid with edge lengths `size` [m] along the axes of `pose`, centred on it."""

    size: Vec3
    pose: Pose = Pose()


@dataclass(frozen=True, slots=True)
class Capsule:
    """Capsule along z of `pose`: `length` [m] of the straight part, `radius` [m] of the caps."""

    radius: float
    length: float
    pose: Pose = Pose()


@dataclass(frozen=True, slots=True)
class Cylinder:
    """Cylinder along z of `pose`: `length` [m], `radius` [m]."""

    radius: float
    length: float
    pose: Pose = Pose()


@dataclass(frozen=True, slots=True)
class HalfSpace:
    """All points with z <= 0 in `pose`; only for bodies fixed to the world."""

    pose: Pose = Pose()


@dataclass(frozen=True, slots=True)
class Mesh:
    """Surface mesh read from `path`, scaled by `scale` [1]; collides as its convex hull."""

    path: str
    scale: float = 1.0
    pose: Pose = Pose()


Shape: TypeAlias = Sphere | Box | Capsule | Cylinder | HalfSpace | Mesh


def _check_shape(body: str, shape: Shape) -> None:
    match shape:
        case Sphere():
            lengths: tuple[float, ...] = (shape.radius,)
        case Box():
            lengths = shape.size
        case Capsule() | Cylinder():
            lengths = (shape.radius, shape.length)
        case Mesh():
            lengths = (shape.scale,)
        case _:
            lengths = ()
    if not all(math.isfinite(length) and length > 0 for length in lengths):
        raise UsageError(f"body {body!r} has a {type(shape).__name__.lower()} of {lengths} m; give positive lengths")


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """Surface of a body. None means: the engine's own default, which the run records.

    Attributes:
        friction: Coulomb coefficient mu of the body against an equal body [1], >= 0.
        restitution: ratio of separation to approach speed e [1], 0 to 1.
        stiffness: contact stiffness k [N/m]. Turning it into an acceleration law takes the contact's effective mass.
        damping: contact damping d [N s/m].
    """

    friction: float | None = None
    restitution: float | None = None
    stiffness: float | None = None
    damping: float | None = None

    def __post_init__(self) -> None:
        for name, value, limit in (
            ("friction", self.friction, math.inf),
            ("restitution", self.restitution, 1.0),
            ("stiffness", self.stiffness, math.inf),
            ("damping", self.damping, math.inf),
        ):
            if value is not None and not 0 <= value <= limit:
                raise UsageError(f"{name} is {value}; give a number from 0 to {limit:g}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """One rigid body B.

    Attributes:
        mass: [kg]; None fixes the body to the world.
        inertia: rotational inertia about the centre of mass, diagonal in the axes of B [kg m^2].
        com: centre of mass in B [m].
        pose: X_WB at time zero.
        velocity: V_WB at time zero: velocity of B's origin in W [m/s], then angular velocity in W [rad/s].
    """

    name: str
    shapes: tuple[Shape, ...] = ()
    mass: float | None = None
    inertia: Vec3 | None = None
    com: Vec3 = (0.0, 0.0, 0.0)
    pose: Pose = Pose()
    velocity: tuple[float, float, float, float, float, float] = (0.0,) * 6
    material: Material = Material()

    def __post_init__(self) -> None:
        for shape in self.shapes:
            _check_shape(self.name, shape)
        if self.mass is None:
            return
        if not (math.isfinite(self.mass) and self.mass > 0):
            raise UsageError(f"body {self.name!r} has mass {self.mass} kg; give a positive number, or None to fix it")
        if self.inertia is None or not all(math.isfinite(i) and i > 0 for i in self.inertia):
            raise UsageError(f"body {self.name!r} has inertia {self.inertia} kg m^2; give three positive numbers")
        a, b, c = sorted(self.inertia)
        if a + b < c * (1 - 1e-9):
            raise UsageError(f"body {self.name!r} has inertia {self.inertia} kg m^2, which no real body can have")
        if any(isinstance(shape, HalfSpace) for shape in self.shapes):
            raise UsageError(f"body {self.name!r} moves and has a half-space; only fixed bodies can have one")


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftBody:
    """An elastic solid, isotropic, described by a tetrahedral mesh.

    Attributes:
        mesh: path of the mesh, see `soft_mesh.read`; its vertices are given in S [m].
        young: Young's modulus [Pa]; `poisson`: Poisson's ratio [1], -1 to 0.5.
        density: [kg/m^3] of the mesh's own volume.
        damping: Rayleigh's factor on the stiffness matrix [s]; None: the engine's own default, which the run records.
        pose: X_WS at time zero.
        material: its surface, as of a body.
    """

    name: str
    mesh: str
    young: float
    poisson: float
    density: float
    damping: float | None = None
    pose: Pose = Pose()
    material: Material = Material()

    def __post_init__(self) -> None:
        for name, value in (("young", self.young), ("density", self.density)):
            if not (math.isfinite(value) and value > 0):
                raise UsageError(f"soft body {self.name!r} has {name} {value}; give a positive number")
        if not -1 < self.poisson < 0.5:
            raise UsageError(f"soft body {self.name!r} has poisson {self.poisson}; give a number above -1, below 0.5")
        if self.damping is not None and not (math.isfinite(self.damping) and self.damping >= 0):
            raise UsageError(f"soft body {self.name!r} has damping {self.damping} s; give a number from 0")


@dataclass(frozen=True, slots=True, kw_only=True)
class Robot:
    """A mechanism with a fixed base, described by a file that every engine imports in its own way.

    Attributes:
        description: path of an MJCF or URDF file, or the XML text itself.
        pose: X_WR of the description's world or root link.
        q0: joint positions at time zero [rad | m], in the order of the description; empty means zeros.
        contacts: whether the robot's shapes may touch the scene's bodies; among themselves they never do.
        material: surface of its shapes; what is None comes from the description, else from the engine.
    """

    name: str
    description: str
    pose: Pose = Pose()
    q0: tuple[float, ...] = ()
    contacts: bool = False
    material: Material = Material()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Everything that is simulated, and gravity [m/s^2] in W."""

    name: str
    bodies: tuple[Body, ...] = ()
    robots: tuple[Robot, ...] = ()
    soft_bodies: tuple[SoftBody, ...] = ()
    gravity: Vec3 = (0.0, 0.0, -9.81)
    collision_pairs_off: tuple[tuple[str, str], ...] = ()
    _index: dict[str, Body] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        for body in self.bodies:
            if body.name in self._index:
                raise UsageError(f"scene {self.name!r} has two bodies named {body.name!r}; give each its own name")
            self._index[body.name] = body
        for soft in self.soft_bodies:
            if soft.name in self._index or sum(other.name == soft.name for other in self.soft_bodies) > 1:
                raise UsageError(f"scene {self.name!r} has two bodies named {soft.name!r}; give each its own name")
        for pair in self.collision_pairs_off:
            for name in pair:
                if name not in self._index:
                    raise UsageError(f"scene {self.name!r} switches off contact with {name!r}, which it does not have")

    @property
    def moving(self) -> tuple[Body, ...]:
        """The bodies with mass, in scene order: the order of rows in every channel."""
        return tuple(body for body in self.bodies if body.mass is not None)

    def body(self, name: str) -> Body:
        """The body of that name."""
        return self._index[name]

    @property
    def touching_robots(self) -> tuple[Robot, ...]:
        """The robots whose shapes may touch the bodies."""
        return tuple(robot for robot in self.robots if robot.contacts)

    def may_collide(self, a: str, b: str) -> bool:
        """Whether the bodies `a` and `b` are allowed to touch."""
        return (a, b) not in self.collision_pairs_off and (b, a) not in self.collision_pairs_off

    def colliding_pairs(self) -> tuple[tuple[str, str], ...]:
        """Names of all pairs of bodies with shapes that may touch, at least one of them moving."""
        solid = [body for body in self.bodies if body.shapes]
        return tuple(
            (a.name, b.name)
            for i, a in enumerate(solid)
            for b in solid[i + 1 :]
            if (a.mass is not None or b.mass is not None) and self.may_collide(a.name, b.name)
        )


def rotation(q_wxyz: Sequence[float] | Array) -> Array:
    """Rotation matrices (..., 3, 3) of unit quaternions (..., 4), scalar first: their columns are the turned axes."""
    w, x, y, z = np.moveaxis(np.asarray(q_wxyz, dtype=float), -1, 0)
    rows = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
