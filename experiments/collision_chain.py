"""A row of bodies is hit by one more: momentum must stay, energy need not, and who flies off is the engine's choice."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..harness.convergence import rounding_floor
from ..harness.engine import Impulse, Resolved
from ..harness.errors import UnknownName
from ..harness.experiment import Check, Context, Experiment, Metric, NotApplicable, require
from ..harness.momentum import kinetic_energy, linear_momentum
from ..harness.scene import Array, Body, Box, Material, Pose, Scene, Shape, Sphere, Vec3
from ..harness.solids import box_inertia
from ..harness.trace import Trace

SHAPES = ("sphere", "cube")
APPROACH = 0.05  # way of the striker before it hits, over its diameter
HEIGHT = 1.0  # of all centres [m]; nothing is below
ROUNDINGS = 4  # of a velocity in a step: force, impulse, sum, and the frame it is kept in


@dataclass(slots=True, kw_only=True)
class CollisionChain(Experiment):
    """Parameters of the chain: Newton's cradle without strings and gravity, along x.

    Attributes:
        bodies: in the row at rest; one more strikes it.
        shape: "sphere", or "cube" that meets with its faces.
        mass: of each [kg].
        size: diameter of a sphere, edge of a cube [m].
        speed: of the striker [m/s], along +x.
        gap: between neighbours in the row [m]; 0 lets them touch. The default size is a power of two, so that they do
            to the last bit: a pair that is one rounding apart pushes one step later.
        friction: Coulomb coefficient [1]; nothing slides in a central impact, and every engine can be told 0.01.
        restitution: coefficient of all bodies [1]; None leaves it to the engine.
    """

    NAME: ClassVar[str] = "collision_chain"
    TEXT: ClassVar[str] = "a ball strikes a row of five that touch, without gravity"
    DT: ClassVar[float] = 1e-3
    DURATION: ClassVar[float] = 1.0
    TOLERANCE: ClassVar[tuple[float, float, float]] = (1e-5, 1e-3, 1e-4)
    SMOKE: ClassVar[Mapping[str, Any]] = {"duration": 0.1, "dt": 2e-3, "bodies": 2}

    bodies: int = 5
    shape: str = "sphere"
    mass: float = 0.1
    size: float = 0.125
    speed: float = 1.0
    gap: float = 0.0
    friction: float = 0.01
    restitution: float | None = None

    def __post_init__(self) -> None:
        if self.shape not in SHAPES:
            raise UnknownName("shape", self.shape, SHAPES)
        require("bodies", self.bodies, least=1)
        require("mass", self.mass, least=0, above=True)
        require("size", self.size, least=0, above=True)
        require("speed", self.speed, least=0, above=True)
        require("gap", self.gap, least=0)
        require("friction", self.friction, least=0)

    @property
    def names(self) -> tuple[str, ...]:
        """The striker, then the row."""
        return ("striker", *(f"body_{k}" for k in range(1, self.bodies + 1)))

    def scene(self, dt: float) -> Scene:
        material = Material(friction=self.friction, restitution=self.restitution)
        shape, inertia = self._solid()
        pitch = self.size + self.gap
        places = [-self.size * (1 + APPROACH), *(k * pitch for k in range(self.bodies))]
        bodies = [
            Body(
                name=name,
                shapes=(shape,),
                mass=self.mass,
                inertia=inertia,
                pose=Pose((x, 0.0, HEIGHT)),
                velocity=(self.speed if k == 0 else 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
                material=material,
            )
            for k, (name, x) in enumerate(zip(self.names, places, strict=True))
        ]
        return Scene(name=self.NAME, bodies=tuple(bodies), gravity=(0.0, 0.0, 0.0))

    def _solid(self) -> tuple[Shape, Vec3]:
        if self.shape == "cube":
            edges = (self.size, self.size, self.size)
            return Box(edges), box_inertia(self.mass, edges)
        moment = 0.4 * self.mass * (self.size / 2) ** 2
        return Sphere(self.size / 2), (moment, moment, moment)

    def metrics(self) -> Sequence[Metric]:
        return (
            Metric(
                "momentum_error", "1", "largest |P(t) - P(0)| / |P(0)|, P the momentum of all bodies", self._momentum
            ),
            Metric("energy_ratio", "1", "kinetic energy at the end over that at the start", self._energy),
            Metric("energy_peak", "1", "largest kinetic energy at any time over that at the start", self._peak),
            Metric("striker_speed", "m/s", "of the striker along x at the end", lambda trace, _: self._ends(trace)[0]),
            Metric("last_speed", "m/s", "of the last body along x at the end", lambda trace, _: self._ends(trace)[-1]),
            Metric(
                "speed_spread",
                "m/s",
                "standard deviation over all bodies of their speed along x at the end",
                lambda trace, _: float(self._ends(trace).std()),
            ),
            Metric("sideways_speed", "m/s", "largest speed across x at the end", self._sideways),
        )

    def checks(self) -> Sequence[Check]:
        return (
            Check(
                "momentum_error",
                lambda trace, context: 0.0,
                lambda context, _: self._rounding(context) + self._residual(context),
                "contact forces come in pairs; velocities are rounded at every step, and a solver leaves a residual as "
                "large as its tolerance lets it",
            ),
            Check(
                "energy_peak",
                lambda trace, context: 1.0,
                lambda context, _: 2 * self._rounding(context),
                "no force but contact acts, and contact gives no energy; a speed's rounding counts twice",
            ),
            Check(
                "energy_ratio",
                self._expected_energy,
                self._energy_tolerance,
                "1/N after a perfectly inelastic impact of N equal bodies, 1 after elastic ones",
            ),
            Check(
                "last_speed",
                self._expected_last,
                lambda context, expected: self.speed * self._unsolved(context) + self._rounding(context),
                "v/N after a perfectly inelastic impact of N equal bodies, v after elastic ones in a row with gaps",
            ),
        )

    def _rounding(self, context: Context) -> float:
        """Roundings of all velocities over the run, over the striker's speed [1]."""
        return ROUNDINGS * len(self.names) * rounding_floor(context.precision, context.schedule.steps)

    def _residual(self, context: Context) -> float:
        """Momentum that solvers of MuJoCo's family may leave over the run, over that of the striker [1].

        They iterate on accelerations until |M a - f| < tolerance n_v (mean diagonal of M), n_v = 6 a body.
        """
        held = context.resolution.table["tolerance"].value
        tolerance = float(held) if isinstance(held, (int, float)) else 0.0
        return tolerance * 6 * len(self.names) * context.schedule.duration / self.speed

    def _moving(self, context: Context) -> tuple[Body, ...]:
        return self.scene(context.schedule.dt).moving

    def _momentum(self, trace: Trace, context: Context) -> float:
        P = linear_momentum(trace, self._moving(context))
        return float(np.linalg.norm(P - P[0], axis=1).max() / np.linalg.norm(P[0]))

    def _energies(self, trace: Trace, context: Context) -> Array:
        """Kinetic energy of all bodies over that at the start [1], shape (T,)."""
        total = np.sum([kinetic_energy(trace, body) for body in self._moving(context)], axis=0)
        return np.asarray(total / total[0])

    def _energy(self, trace: Trace, context: Context) -> float:
        return float(self._energies(trace, context)[-1])

    def _peak(self, trace: Trace, context: Context) -> float:
        return float(self._energies(trace, context).max())

    def _ends(self, trace: Trace) -> Array:
        return np.array([trace.of("v_WB", name)[-1, 0] for name in self.names])

    def _sideways(self, trace: Trace, context: Context) -> float:
        return float(max(np.linalg.norm(trace.of("v_WB", name)[-1, 1:]) for name in self.names))

    def _restitution(self, trace: Trace, context: Context) -> float | NotApplicable:
        """The coefficient that acted, for contact laws that have one."""
        law = context.resolution.contact_law
        if not isinstance(law, Impulse):
            return NotApplicable("the engine states no law of impact, which a rigid row needs")
        if not any(trace.of("contact_count", name).any() for name in self.names):
            return NotApplicable("nothing has touched; ask for a longer duration")
        e = law.restitution if self.speed > law.bounce_threshold else 0.0
        if e not in (0.0, 1.0):
            return NotApplicable("with a restitution between 0 and 1 the bodies meet again and again")
        if e == 1.0 and self.gap == 0:
            return NotApplicable("an elastic impact on bodies that touch has no unique outcome for rigid bodies")
        return e

    def _expected_energy(self, trace: Trace, context: Context) -> float | NotApplicable:
        e = self._restitution(trace, context)
        return e if isinstance(e, NotApplicable) else (1.0 if e else 1 / len(self.names))

    def _expected_last(self, trace: Trace, context: Context) -> float | NotApplicable:
        e = self._restitution(trace, context)
        return e if isinstance(e, NotApplicable) else (self.speed if e else self.speed / len(self.names))

    def _unsolved(self, context: Context) -> float:
        """What Gauss-Seidel leaves of an impact through the row [1]: cos^2(pi/N) per iteration for N bodies."""
        iterations = context.resolution.table.get("iterations")
        count = iterations.value if isinstance(iterations, Resolved) else None
        rate = math.cos(math.pi / len(self.names)) ** 2
        return rate**count if isinstance(count, int) else 0.0

    def _energy_tolerance(self, context: Context, expected: float) -> float:
        return 2 * (self._unsolved(context) + self._rounding(context))
