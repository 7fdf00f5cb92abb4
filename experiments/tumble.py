"""A box tumbles freely about its intermediate axis: what the integrator does to momentum and energy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from ..harness.convergence import rounding_floor
from ..harness.experiment import Check, Context, Experiment, Metric, NotApplicable, require
from ..harness.free_rotation import SCHEMES, momentum
from ..harness.free_rotation import tumble as stepped
from ..harness.momentum import angular_momentum, rotational_energy
from ..harness.scene import Array, Body, Box, Pose, Scene, Vec3
from ..harness.solids import box_inertia
from ..harness.trace import Trace

NAME = "box"
HEIGHT = 1.0  # of the centre at the start [m]
SEMI_IMPLICIT = ("Euler", "implicit", "implicitfast", "approximate_implicitfast")  # under a constant force the same
EXACT = ("RK4", "closed form")  # for a parabola
# of w and q in a step; one grows along the separatrix by up to spin / smallest spin and shrinks again, but their signs
# are random, so that together they stay below the sum of all
ROUNDINGS = 10


@dataclass(slots=True, kw_only=True)
class Tumble(Experiment):
    """Parameters of the tumbling box; the published case has edges 1 : 4 : 9, spun about the middle one.

    Attributes:
        mass: [kg].
        size: edges along x, y, z of the box [m].
        spin: angular velocity at the start, in the axes of the box, which are those of W then [rad/s].
        gravity: downward acceleration [m/s^2]; with it the box also falls.
    """

    NAME: ClassVar[str] = "tumble"
    TEXT: ClassVar[str] = "a free box with edges 1:4:9 tumbles about its intermediate axis"
    DT: ClassVar[float] = 1e-3
    DURATION: ClassVar[float] = 10.0
    TOLERANCE: ClassVar[tuple[float, float, float]] = (1e-5, 1e-3, 1e-6)
    SMOKE: ClassVar[Mapping[str, Any]] = {"duration": 0.2, "dt": 2e-3, "gravity": 9.81}

    mass: float = 3.6
    size: tuple[float, float, float] = (0.1, 0.4, 0.9)
    spin: tuple[float, float, float] = (0.1, 5.0, 0.1)
    gravity: float = 0.0

    def __post_init__(self) -> None:
        require("mass", self.mass, least=0, above=True)
        for edge in self.size:
            require("size", edge, least=0, above=True)
        require("gravity", self.gravity, least=0)
        require("spin", float(np.linalg.norm(self.spin)), least=0, above=True)

    def body(self) -> Body:
        """The box."""
        size, spin = _vec(self.size), _vec(self.spin)
        return Body(
            name=NAME,
            shapes=(Box(size),),
            mass=self.mass,
            inertia=box_inertia(self.mass, size),
            pose=Pose((0.0, 0.0, HEIGHT)),
            velocity=(0.0, 0.0, 0.0, *spin),
        )

    def scene(self, dt: float) -> Scene:
        return Scene(name=self.NAME, bodies=(self.body(),), gravity=(0.0, 0.0, -self.gravity))

    def metrics(self) -> Sequence[Metric]:
        return (
            Metric(
                "momentum_error",
                "1",
                "largest |L(t) - L(0)| / |L(0)|, L the angular momentum about the centre of mass in W",
                self._momentum,
                converges=True,
            ),
            Metric(
                "momentum_size_error",
                "1",
                "largest | |L(t)| / |L(0)| - 1 |, whatever its direction",
                self._size,
                converges=True,
            ),
            Metric(
                "energy_error",
                "1",
                "largest |E(t) / E(0) - 1|, E the energy of the turning",
                self._energy,
                converges=True,
            ),
            Metric(
                "position_error",
                "m",
                "largest distance of the centre from the parabola",
                self._position,
                converges=True,
                scale=self._way,
            ),
        )

    def checks(self) -> Sequence[Check]:
        source = "Euler's equation stepped by the integrator that the engine names; roundings of each step add up"
        return (
            Check("momentum_error", self._expected_momentum, self._tolerance, source),
            Check("energy_error", self._expected_energy, self._tolerance, source),
            Check(
                "position_error",
                self._expected_position,
                lambda context, _: self._rounding(context),
                "g dt T/2 by semi-implicit Euler, nothing by RK4; the position is rounded at every step",
            ),
        )

    def _momentum(self, trace: Trace, context: Context) -> float:
        return _apart(angular_momentum(trace, self.body()))

    def _size(self, trace: Trace, context: Context) -> float:
        return _off(np.linalg.norm(angular_momentum(trace, self.body()), axis=1))

    def _energy(self, trace: Trace, context: Context) -> float:
        return _off(rotational_energy(trace, self.body()))

    def _position(self, trace: Trace, context: Context) -> float:
        fallen = np.zeros((len(trace.time), 3))
        fallen[:, 2] = HEIGHT - self.gravity * trace.time**2 / 2
        return float(np.linalg.norm(trace.of("p_WB", NAME) - fallen, axis=1).max())

    def _scheme(self, context: Context) -> str | NotApplicable:
        table = context.resolution.table
        scheme = table["integrator"].value
        if not isinstance(scheme, str) or scheme not in SCHEMES:
            return NotApplicable(
                f"free turning is predicted for {' and '.join(SCHEMES)}; this engine's integrator: "
                f"{scheme or table['integrator'].native}"
            )
        return scheme

    def _expected_momentum(self, trace: Trace, context: Context) -> float | NotApplicable:
        scheme = self._scheme(context)
        return scheme if isinstance(scheme, NotApplicable) else self._predicted(scheme, trace)[0]

    def _expected_energy(self, trace: Trace, context: Context) -> float | NotApplicable:
        scheme = self._scheme(context)
        return scheme if isinstance(scheme, NotApplicable) else self._predicted(scheme, trace)[1]

    def _predicted(self, scheme: str, trace: Trace) -> tuple[float, float]:
        """The errors of momentum and energy that stepping makes at the trace's own dt."""
        inertia = box_inertia(self.mass, _vec(self.size))
        return _errors(scheme, inertia, _vec(self.spin), trace.sample_interval, len(trace.time) - 1)

    def _tolerance(self, context: Context, expected: float) -> float:
        return ROUNDINGS * rounding_floor(context.precision, context.schedule.steps)

    def _rounding(self, context: Context) -> float:
        """Largest sum of the roundings of the position [m]."""
        return rounding_floor(context.precision, context.schedule.steps, self._way(context.schedule.duration))

    def _way(self, duration: float) -> float:
        """Size of the position by the end [m]."""
        return HEIGHT + self.gravity * duration**2 / 2

    def _expected_position(self, trace: Trace, context: Context) -> float | NotApplicable:
        integrator = context.resolution.table["integrator"]
        if self.gravity == 0 or integrator.value in EXACT:
            return 0.0
        if integrator.value not in SEMI_IMPLICIT:
            return NotApplicable(
                f"no closed form for this engine's integrator: {integrator.value or integrator.native}"
            )
        substeps = context.resolution.table["substeps"].value
        dt = context.schedule.dt / (substeps if isinstance(substeps, int) else 1)
        error = self.gravity * dt * context.schedule.duration / 2
        if self._rounding(context) > error:
            return NotApplicable("roundings may be larger than g dt T/2; ask for a shorter duration or a longer dt")
        return error


@lru_cache(maxsize=4)
def _errors(scheme: str, inertia: Vec3, spin: Vec3, dt: float, steps: int) -> tuple[float, float]:
    w, q = stepped(scheme, inertia, spin, dt, steps)
    return _apart(momentum(inertia, w, q)), _off(w**2 @ np.array(inertia))


def _vec(values: Sequence[float]) -> Vec3:
    x, y, z = values  # the command line hands over a list
    return (float(x), float(y), float(z))


def _apart(L: Array) -> float:
    """Largest change of a vector over time, relative to its first length."""
    return float(np.linalg.norm(L - L[0], axis=1).max() / np.linalg.norm(L[0]))


def _off(sizes: Array) -> float:
    """Largest change of a number over time, relative to the first."""
    return float(np.abs(sizes / sizes[0] - 1).max())
