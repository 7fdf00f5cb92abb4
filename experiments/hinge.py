"""One hinge: a pendulum's period, its decay, and whether dry friction holds it, against closed forms.

An importer that adds armature, drops damping or reads dry friction as something else shows here first.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..harness.errors import UnknownName
from ..harness.experiment import Check, Context, Experiment, Metric, NotApplicable, require
from ..harness.rollout import Controller
from ..harness.scene import Array, Robot, Scene
from ..harness.schedule import Schedule
from ..harness.trace import Trace

GRAVITY = 9.81  # [m/s^2]
MODES = ("swing", "decay", "hold")
KICK, KICK_TIME = 1.0, 0.1  # torque [N m] that starts the decay, and how long it lasts [s]
DECAY_WINDOW = (0.2, 1.0)  # [s] over which the decay is measured


class Torque:
    """A constant torque [N m], or one for a while only."""

    ended = ""

    def __init__(self, torque: float, until: float = math.inf) -> None:
        self.value, self.until = np.array([torque]), until
        self.none = np.zeros(1)

    def torque(self, time: float, q: Array, v: Array) -> Array:
        """The torque at `time` [s]."""
        return self.value if time < self.until - 1e-9 else self.none

    def reset(self) -> None:
        """Nothing is counted."""


@dataclass(slots=True, kw_only=True)
class Hinge(Experiment):
    """Parameters of the hinge.

    Attributes:
        mode: "swing" lets it swing under gravity from `angle`; "decay" kicks it without gravity and lets it slow down
            by its damping; "hold" pushes it with `torque` against its dry friction, without gravity.
        mass: [kg], at `length` [m] below the axis.
        inertia: about the axis [kg m^2], the mass included.
        armature: rotor inertia [kg m^2], on top.
        damping: [N m s/rad]; `friction`: dry friction [N m].
        angle: at the start of "swing" [rad].
        torque: of "hold" [N m].
    """

    NAME: ClassVar[str] = "hinge"
    TEXT: ClassVar[str] = "a pendulum with armature, damping or dry friction"
    DT: ClassVar[float] = 1e-3
    DURATION: ClassVar[float] = 3.0
    TOLERANCE: ClassVar[tuple[float, float, float]] = (1e-5, 1e-4, 1e-4)
    SMOKE: ClassVar[Mapping[str, Any]] = {"duration": 0.3, "dt": 2e-3, "length": 0.01, "inertia": 1.1e-4}

    mode: str = "swing"
    mass: float = 1.0
    length: float = 0.3
    inertia: float = 0.1
    armature: float = 0.0
    damping: float = 0.0
    friction: float = 0.0
    angle: float = 0.5
    torque: float = 0.1

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise UnknownName("mode", self.mode, MODES)
        for name in ("mass", "length"):
            require(name, getattr(self, name), least=0, above=True)
        require("inertia", self.inertia, least=self.mass * self.length**2, above=True)
        for name in ("armature", "damping", "friction"):
            require(name, getattr(self, name), least=0)
        require("angle", self.angle, least=0, below=math.pi, above=True)

    @property
    def total(self) -> float:
        """Inertia that the torque feels [kg m^2]."""
        return self.inertia + self.armature

    def scene(self, dt: float) -> Scene:
        own = self.inertia - self.mass * self.length**2
        description = f"""<mujoco model="pendulum">
  <compiler angle="radian" autolimits="true"/>
  <worldbody>
    <body name="bob">
      <inertial mass="{self.mass!r}" pos="0 0 {-self.length!r}" diaginertia="{own!r} {own!r} {own!r}"/>
      <joint name="hinge" type="hinge" axis="0 1 0" armature="{self.armature!r}" damping="{self.damping!r}"
             frictionloss="{self.friction!r}"/>
    </body>
  </worldbody>
</mujoco>"""
        robot = Robot(name="pendulum", description=description, q0=(self.angle if self.mode == "swing" else 0.0,))
        down = -GRAVITY if self.mode == "swing" else 0.0
        return Scene(name=self.NAME, robots=(robot,), gravity=(0.0, 0.0, down))

    def controller(self, schedule: Schedule) -> Controller | None:
        if self.mode == "decay":
            return Torque(KICK, KICK_TIME)
        return Torque(self.torque if self.mode == "hold" else 0.0)

    def metrics(self) -> Sequence[Metric]:
        if self.mode == "swing":
            return (
                Metric("period", "s", "mean time between downward passes through the lowest point", self._period),
                Metric(
                    "period_error",
                    "1",
                    "period over its closed form, less 1",
                    self._period_error,
                    converges=True,
                    absent="the pendulum is damped, or has not swung twice",
                ),
                Metric("amplitude_loss", "1", "part of the amplitude that is lost by the last swing", self._loss),
            )
        if self.mode == "decay":
            return (Metric("decay_rate", "1/s", "-d ln(v)/dt over 0.2 to 1 s", self._rate),)
        return (
            Metric("final_speed", "rad/s", "speed after 1 s of torque", self._speed),
            Metric("final_angle", "rad", "angle after 1 s of torque", self._angle),
        )

    def checks(self) -> Sequence[Check]:
        if self.mode == "swing":
            return (
                Check(
                    "period",
                    lambda trace, context: self.period if self.undamped else NotApplicable("the pendulum is damped"),
                    self._period_tolerance,
                    "4 sqrt(I/(m g l)) K(sin^2(angle/2)), I with the armature; a symplectic step is off by (w dt)^2",
                ),
            )
        if self.mode == "decay":
            return (
                Check(
                    "decay_rate",
                    lambda trace, context: self.damping / self.total,
                    lambda context, rate: rate**2 * context.schedule.dt + 1e-4 * rate + 1e-6,
                    "damping/(inertia + armature); an implicit step is off by half the rate squared times dt",
                ),
            )
        return (
            Check(
                "final_speed", self._expected_speed, self._speed_tolerance, "(torque - friction)/I t, or held at rest"
            ),
        )

    @property
    def undamped(self) -> bool:
        """Whether nothing slows the pendulum down."""
        return self.damping == 0 and self.friction == 0

    @property
    def period(self) -> float:
        """Period of the undamped pendulum [s], by the arithmetic-geometric mean."""
        a, g = 1.0, math.cos(self.angle / 2)
        while abs(a - g) > 1e-15:
            a, g = (a + g) / 2, math.sqrt(a * g)
        return 2 * math.pi * math.sqrt(self.total / (self.mass * GRAVITY * self.length)) / a

    def _period_tolerance(self, context: Context, expected: float) -> float:
        return expected * (
            (2 * math.pi / expected * context.schedule.dt) ** 2 + (1e-8 if context.precision == 64 else 1e-4)
        )

    def _passes(self, trace: Trace) -> Array:
        """Instants of downward passes through zero [s], on the cubic through angle and speed at both samples.

        A straight line would be off by the third order in dt, which is more than a fourth-order step.
        """
        q, way = trace.joint("q")[:, 0], trace.joint("v")[:, 0] * trace.sample_interval
        k = np.flatnonzero((q[:-1] > 0) & (q[1:] <= 0))
        a, b, u, v = q[k], q[k + 1], way[k], way[k + 1]
        s = a / (a - b)
        for _ in range(4):  # Newton's steps, each of which doubles the digits
            angle = a + s * (u + s * (3 * (b - a) - 2 * u - v + s * (2 * (a - b) + u + v)))
            s = s - angle / (u + s * (2 * (3 * (b - a) - 2 * u - v) + s * 3 * (2 * (a - b) + u + v)))
        return np.asarray(trace.time[k] + s * trace.sample_interval)

    def _period_error(self, trace: Trace, context: Context) -> float:
        return self._period(trace, context) / self.period - 1 if self.undamped else math.nan

    def _period(self, trace: Trace, context: Context) -> float:
        passes = self._passes(trace)
        return float((passes[-1] - passes[0]) / (len(passes) - 1)) if len(passes) > 1 else math.nan

    def _loss(self, trace: Trace, context: Context) -> float:
        passes = self._passes(trace)
        if len(passes) < 2:
            return math.nan
        last = trace.joint("q")[trace.time >= passes[-2], 0]
        return float(1 - np.abs(last).max() / self.angle)

    def _rate(self, trace: Trace, context: Context) -> float:
        v = trace.joint("v")[:, 0]
        start, stop = (int(np.searchsorted(trace.time, t - 1e-9)) for t in DECAY_WINDOW)
        if stop >= len(v) or v[start] <= 0 or v[stop] <= 0:
            return math.nan
        return float(-math.log(v[stop] / v[start]) / (trace.time[stop] - trace.time[start]))

    def _at_one_second(self, trace: Trace, channel: str) -> float:
        k = int(np.searchsorted(trace.time, 1.0 - 1e-9))
        return float(trace.joint(channel)[k, 0]) if k < len(trace.time) else math.nan

    def _speed(self, trace: Trace, context: Context) -> float:
        return self._at_one_second(trace, "v")

    def _angle(self, trace: Trace, context: Context) -> float:
        return self._at_one_second(trace, "q")

    def _expected_speed(self, trace: Trace, context: Context) -> float | NotApplicable:
        friction = context.resolution.table.get("joint.hinge.friction")
        if self.friction and (friction is None or friction.value is None):
            return NotApplicable(friction.native if friction else "the engine does not report dry friction")
        if self.friction and friction is not None and friction.value == 0:
            return NotApplicable("these settings leave dry friction out")
        if self.damping:
            return NotApplicable("the hinge is damped")
        return math.copysign(max(0.0, abs(self.torque) - self.friction), self.torque) / self.total

    def _speed_tolerance(self, context: Context, expected: float) -> float:
        return 0.01 * max(abs(self.torque), self.friction) / self.total
