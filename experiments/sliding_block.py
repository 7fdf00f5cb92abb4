"""A cube slides to a stop, is pushed, or rests on an incline: what friction does in each engine."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..harness.errors import UnknownName
from ..harness.experiment import Check, Context, Experiment, Metric, NotApplicable, by_precision, require
from ..harness.rollout import Event
from ..harness.scene import Array, Material, Scene
from ..harness.trace import Trace
from .cube import GRAVITY, NAME, cube, ground, last, lowest_corner, vertical_force

STARTS = ("speed", "push", "rest")
SETTLING = 0.5  # [s] before the start
PUSHING = 0.3  # [s] that the push lasts
PUSH = 1.5  # push force over the friction force mu m g
SLIDING = 0.5  # part of the release speed: below, a tipping edge may be slow enough for regularised friction
SLOW = 1e-2  # [m/s]: a block that is slower at the end of the run has stopped
CREEP_WINDOW = 0.5  # [s] at the end of the run over which creep is measured


@dataclass(slots=True, kw_only=True)
class SlidingBlock(Experiment):
    """Parameters of the sliding block.

    Attributes:
        mass: [kg].
        size: edge of the cube [m].
        friction: Coulomb coefficient mu of cube and ground [1].
        restitution: coefficient of cube and ground [1]; None leaves it to the engine.
        start: "speed" sets `speed` at once after 0.5 s of settling, "push" applies 1.5 mu m g to the centre for 0.3 s
            instead, "rest" does neither.
        speed: of "speed" [m/s], along +x.
        phase: moves the stop later by this part of one step [1], 0 to 1, by adding phase mu g dt to the speed.
        incline: slope of the ground along +x [rad], as a tilt of gravity; below atan(mu) the cube should stay.
    """

    NAME: ClassVar[str] = "sliding_block"
    CONTACTS: ClassVar[bool] = True
    TEXT: ClassVar[str] = "a cube of 0.1 kg slides on the ground with friction 0.5"
    DT: ClassVar[float] = 1e-3
    DURATION: ClassVar[float] = 1.5
    TOLERANCE: ClassVar[tuple[float, float, float]] = (1e-5, 1e-3, 1e-4)
    SMOKE: ClassVar[Mapping[str, Any]] = {"duration": 0.2, "dt": 2e-3, "start": "rest", "incline": 0.3}

    mass: float = 0.1
    size: float = 0.1
    friction: float = 0.5
    restitution: float | None = None
    start: str = "speed"
    speed: float = 1.0
    phase: float = 0.0
    incline: float = 0.0

    def __post_init__(self) -> None:
        if self.start not in STARTS:
            raise UnknownName("start", self.start, STARTS)
        require("mass", self.mass, least=0, above=True)
        require("size", self.size, least=0, above=True)
        require("friction", self.friction, least=0, above=True)
        require("speed", self.speed, least=0, above=True)
        require("phase", self.phase, least=0, below=1)
        require("incline", self.incline, least=0, below=math.pi / 2)

    def scene(self, dt: float) -> Scene:
        material = Material(friction=self.friction, restitution=self.restitution)
        body = cube(mass=self.mass, size=self.size, height=0.0, material=material)
        tilted = (GRAVITY * math.sin(self.incline), 0.0, -GRAVITY * math.cos(self.incline))
        return Scene(name=self.NAME, bodies=(ground(material), body), gravity=tilted)

    def events(self, dt: float) -> Sequence[Event]:
        if self.start == "speed":
            speed = self.speed + self.phase * self.friction * GRAVITY * dt
            return (Event(time=SETTLING, velocity=np.array([[speed, 0.0, 0.0, 0.0, 0.0, 0.0]])),)
        if self.start == "push":
            push = np.array([[PUSH * self.friction * self.mass * GRAVITY, 0.0, 0.0, 0.0, 0.0, 0.0]])
            return (Event(time=SETTLING, wrench=push), Event(time=SETTLING + PUSHING, wrench=np.zeros((1, 6))))
        return ()

    @property
    def released(self) -> float:
        """When the cube slides freely [s]."""
        return SETTLING + (PUSHING if self.start == "push" else 0.0)

    @property
    def deceleration(self) -> float:
        """Of the free block [m/s^2]: g (mu cos(incline) - sin(incline)); not positive when it cannot stop."""
        return GRAVITY * (self.friction * math.cos(self.incline) - math.sin(self.incline))

    def release_speed(self, dt: float) -> float:
        """Speed at the release [m/s]: the one that was set, or that of 0.3 s under the push less the deceleration."""
        if self.start == "push":
            return (PUSH * self.friction * GRAVITY - self.deceleration) * PUSHING
        return self.speed + self.phase * self.friction * GRAVITY * dt

    def metrics(self) -> Sequence[Metric]:
        common = (
            Metric("max_lift", "m", "highest rise of the lowest corner over its settled height", self._lift),
            Metric("sideways_drift", "m", "largest |y| of the centre", self._drift),
        )
        if self.start == "rest":
            return (
                *common,
                Metric("creep_speed", "m/s", "mean speed along x over the last 0.5 s", self._creep),
            )
        return (
            Metric(
                "stopping_distance",
                "m",
                "way from the release to the end of the run, when it has stopped by then",
                self._distance,
            ),
            Metric("stopping_error", "m", "stopping_distance - v^2/(2 a), a = g (mu cos - sin)", self._distance_error),
            Metric("integrator_error", "m", "-v dt/2, the part of it that semi-implicit Euler makes", self._integrator),
            Metric("remaining_error", "m", "stopping_error - integrator_error", self._remaining),
            Metric(
                "friction_ratio",
                "1",
                "friction over normal impulse while faster than half the release speed",
                self._ratio,
            ),
            *common,
        )

    def checks(self) -> Sequence[Check]:
        stays = "no force acts sideways; one rounding of the position at every step"
        drift = Check(
            "sideways_drift",
            lambda trace, context: 0.0,
            lambda context, _: self.size * context.schedule.steps * (2.2e-16 if context.precision == 64 else 1.2e-7),
            stays,
        )
        if self.start == "rest":
            return (
                drift,
                Check(
                    "creep_speed",
                    self._expected_creep,
                    lambda context, _: 1e-6,
                    "Coulomb friction holds below atan(mu); 1 um/s would take 12 days for a metre",
                ),
            )
        return (
            drift,
            Check(
                "stopping_distance",
                self._expected_distance,
                lambda context, expected: self.release_speed(context.schedule.dt) * context.schedule.dt,
                "v^2/(2 a) with a = g (mu cos - sin) of the incline; a first-order integrator is off by up to v dt",
            ),
            Check(
                "friction_ratio",
                self._expected_ratio,
                by_precision(1e-6, 1e-3),
                "mu while sliding; what float32 contact forces leave over some hundred steps",
            ),
        )

    def _closed_form(self, context: Context) -> float:
        if self.deceleration <= 0:
            return math.nan
        return self.release_speed(context.schedule.dt) ** 2 / (2 * self.deceleration)

    def _expected_distance(self, trace: Trace, context: Context) -> float | NotApplicable:
        if self.deceleration <= 0:
            return NotApplicable("the incline is steeper than the friction cone: the block cannot stop")
        if not self._stopped(trace):
            return NotApplicable("the block still moves at the end; ask for a longer duration")
        return self._closed_form(context)

    def _stopped(self, trace: Trace) -> bool:
        return abs(float(trace.of("v_WB", NAME)[-1, 0])) < SLOW

    def _from(self, trace: Trace, time: float) -> int:
        """Index of the sample at `time`, or of the last one."""
        return min(round(time / trace.sample_interval), len(trace.time) - 1)

    def _lift(self, trace: Trace, context: Context) -> float:
        low, start = lowest_corner(trace, self.size), self._from(trace, SETTLING)
        return float(low[start:].max() - low[start])

    def _drift(self, trace: Trace, context: Context) -> float:
        return float(np.abs(trace.of("p_WB", NAME)[:, 1]).max())

    def _creep(self, trace: Trace, context: Context) -> float:
        x = trace.of("p_WB", NAME)[last(trace, CREEP_WINDOW), 0]
        return float((x[-1] - x[0]) / ((len(x) - 1) * trace.sample_interval))

    def _distance(self, trace: Trace, context: Context) -> float:
        if trace.time[-1] < self.released or not self._stopped(trace):
            return math.nan
        x = trace.of("p_WB", NAME)[:, 0]
        return float(x[-1] - x[self._from(trace, self.released)])

    def _distance_error(self, trace: Trace, context: Context) -> float:
        return self._distance(trace, context) - self._closed_form(context)

    def _integrator(self, trace: Trace, context: Context) -> float:
        return -self.release_speed(context.schedule.dt) * context.schedule.dt / 2

    def _remaining(self, trace: Trace, context: Context) -> float:
        return self._distance_error(trace, context) - self._integrator(trace, context)

    def _sliding(self, trace: Trace, context: Context) -> Array:
        """Samples that end a step in which the cube slid freely, as a mask (T,)."""
        fast = trace.of("v_WB", NAME)[:, 0] > SLIDING * self.release_speed(context.schedule.dt)
        return np.asarray(fast & (trace.time > self.released + trace.sample_interval / 2))

    def _ratio(self, trace: Trace, context: Context) -> float:
        sliding = self._sliding(trace, context)
        normal = float(vertical_force(trace)[sliding].sum())
        friction = -float(trace.of("f_friction_B_W", NAME)[sliding, 0].sum())
        return friction / normal if normal > 0 else math.nan

    def _expected_ratio(self, trace: Trace, context: Context) -> float | NotApplicable:
        if "f_B_W" in context.resolution.channel_notes:
            note = context.resolution.channel_notes["f_B_W"]
            if note.kind == "unsupported":
                return NotApplicable(note.reason)
        return self.friction

    def _expected_creep(self, trace: Trace, context: Context) -> float | NotApplicable:
        if math.tan(self.incline) >= self.friction:
            return NotApplicable("the incline is steeper than the friction cone")
        return 0.0
