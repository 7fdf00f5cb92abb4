"""A ball flies and touches nothing: the integrator alone, against the parabola."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..harness.experiment import Check, Context, Experiment, Metric, require
from ..harness.scene import Array, Body, Pose, Scene, Sphere
from ..harness.trace import Trace

NAME = "ball"
GRAVITY = 9.81  # [m/s^2]


@dataclass(slots=True, kw_only=True)
class Throw(Experiment):
    """Parameters of the throw.

    Attributes:
        mass: [kg].
        radius: [m].
        speed: along +x and along +z at the start [m/s].
    """

    NAME: ClassVar[str] = "throw"
    TEXT: ClassVar[str] = "a ball of 0.1 kg is thrown and touches nothing"
    DT: ClassVar[float] = 1e-3
    DURATION: ClassVar[float] = 1.0
    TOLERANCE: ClassVar[tuple[float, float, float]] = (1e-5, 1e-3, 1e-6)
    SMOKE: ClassVar[Mapping[str, Any]] = {"duration": 0.1, "dt": 2e-3}

    mass: float = 0.1
    radius: float = 0.05
    speed: float = 2.0

    def __post_init__(self) -> None:
        require("mass", self.mass, least=0, above=True)
        require("radius", self.radius, least=0, above=True)
        require("speed", self.speed, least=0, above=True)

    def scene(self, dt: float) -> Scene:
        inertia = 0.4 * self.mass * self.radius**2
        ball = Body(
            name=NAME,
            shapes=(Sphere(self.radius),),
            mass=self.mass,
            inertia=(inertia, inertia, inertia),
            pose=Pose((0.0, 0.0, 1.0)),
            velocity=(self.speed, 0.0, self.speed, 0.0, 0.0, 0.0),
        )
        return Scene(name=self.NAME, bodies=(ball,), gravity=(0.0, 0.0, -GRAVITY))

    def metrics(self) -> Sequence[Metric]:
        return (
            Metric("range", "m", "way along x at the end", lambda trace, _: float(trace.of("p_WB", NAME)[-1, 0])),
            Metric(
                "flight_error",
                "m",
                "largest distance from the parabola",
                self._error,
                converges=True,
                scale=lambda duration: 1.0 + self.speed * duration + GRAVITY * duration**2 / 2,
            ),
        )

    def checks(self) -> Sequence[Check]:
        return (
            Check(
                "flight_error",
                lambda trace, context: 0.0,
                lambda context, _: GRAVITY * context.schedule.dt * context.schedule.duration * 0.5 * (1 + 1e-3),
                "p + v t - g t^2/2; a semi-implicit Euler step is off by g dt t / 2",
            ),
            Check(
                "range",
                lambda trace, context: self.speed * float(trace.time[-1]),
                lambda context, expected: expected * (1e-12 if context.precision == 64 else 1e-4),
                "v t; the precision of the state adds up over the steps",
            ),
        )

    def _parabola(self, trace: Trace) -> Array:
        t = trace.time
        return np.stack([self.speed * t, 0 * t, 1.0 + self.speed * t - GRAVITY * t * t / 2], axis=1)

    def _error(self, trace: Trace, context: Context) -> float:
        return float(np.linalg.norm(trace.of("p_WB", NAME) - self._parabola(trace), axis=1).max())
