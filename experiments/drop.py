"""A cube falls flat on the ground: arrival, impact force, overlap and rest against closed forms."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..harness.contact_law import land, rest_overlap
from ..harness.engine import Compliant, Impulse, Soft
from ..harness.experiment import Check, Context, Experiment, Metric, NotApplicable, by_precision, require
from ..harness.scene import Material, Scene
from ..harness.trace import Trace
from .cube import GRAVITY, NAME, cube, ground, last, lowest_corner, vertical_force

CORNERS = 4  # contacts of a flat face
AT_REST = 1e-2  # [m/s]: a cube that is slower than this throughout the window rests
ASLEEP = "the engine has put the cube to sleep and shows the force of its last waking step"
NO_REST = "the cube has not come to rest; ask for a longer duration"
NO_LAW = "the engine states neither a soft nor a compliant contact law"
NO_LANDING = "the cube did not reach the ground; ask for a longer duration"
REST_WINDOW = 0.2  # [s] at the end of the run over which rest is measured


@dataclass(slots=True, kw_only=True)
class Drop(Experiment):
    """Parameters of the drop.

    Attributes:
        mass: [kg].
        size: edge of the cube [m].
        gap: fall height of the lower face [m].
        phase: moves the arrival later by this part of one step [1], 0 to 1, by raising the cube by phase v dt.
        friction: Coulomb coefficient of cube and ground [1].
        restitution: coefficient of cube and ground [1]; None leaves it to the engine.
    """

    NAME: ClassVar[str] = "drop"
    CONTACTS: ClassVar[bool] = True
    TEXT: ClassVar[str] = "a cube of 0.1 kg falls flat on the ground"
    DT: ClassVar[float] = 1e-3
    DURATION: ClassVar[float] = 1.0
    TOLERANCE: ClassVar[tuple[float, float, float]] = (1e-5, 1e-3, 1e-4)
    SMOKE: ClassVar[Mapping[str, Any]] = {"duration": 0.2, "dt": 2e-3, "gap": 0.01}

    mass: float = 0.1
    size: float = 0.1
    gap: float = 0.326
    phase: float = 0.0
    friction: float = 0.5
    restitution: float | None = None

    def __post_init__(self) -> None:
        require("mass", self.mass, least=0, above=True)
        require("size", self.size, least=0, above=True)
        require("gap", self.gap, least=0, above=True)
        require("phase", self.phase, least=0, below=1)

    def scene(self, dt: float) -> Scene:
        material = Material(friction=self.friction, restitution=self.restitution)
        height = self.gap + self.phase * self.speed * dt
        body = cube(mass=self.mass, size=self.size, height=height, material=material)
        return Scene(name=self.NAME, bodies=(ground(material), body), gravity=(0.0, 0.0, -GRAVITY))

    @property
    def speed(self) -> float:
        """Closed-form impact speed [m/s]: sqrt(2 g gap)."""
        return math.sqrt(2 * GRAVITY * self.gap)

    def _time(self, dt: float) -> float:
        return math.sqrt(2 * (self.gap + self.phase * self.speed * dt) / GRAVITY)

    def metrics(self) -> Sequence[Metric]:
        return (
            Metric("impact_time", "s", "middle of the first step with a contact force", self._impact_time),
            Metric("impact_speed", "m/s", "downward speed at the start of that step", self._impact_speed),
            Metric("peak_normal_force", "N", "largest normal force in any step", self._peak),
            Metric("impulse", "N s", "vertical impulse of the normal force over the run", self._impulse),
            Metric("max_overlap", "m", "deepest corner below the ground", self._overlap),
            Metric("rest_height", "m", "height of the centre, mean over the last 0.2 s", self._rest_height),
            Metric("rest_force", "N", "normal force, mean over the last 0.2 s", self._rest_force),
            Metric("rest_force_deviation", "N", "its standard deviation from step to step", self._rest_deviation),
            Metric("rebound_speed", "m/s", "largest upward speed after impact", self._rebound),
        )

    def checks(self) -> Sequence[Check]:
        return (
            Check(
                "impact_time",
                lambda trace, context: self._landed(trace, self._time(context.schedule.dt)),
                lambda context, _: context.schedule.dt * (1 + 1e-6),
                "sqrt(2 gap / g); a step resolves time to dt",
            ),
            Check(
                "impact_speed",
                lambda trace, context: self._landed(trace, GRAVITY * self._time(context.schedule.dt)),
                lambda context, _: 2 * GRAVITY * context.schedule.dt,
                "sqrt(2 g gap); a step resolves it to g dt, and an engine may act one step early",
            ),
            Check(
                "rest_force",
                self._expected_rest_force,
                by_precision(1e-6, 1e-4),
                "m g; what motion is left at rest and the precision of the state",
            ),
            Check(
                "impulse",
                self._expected_impulse,
                lambda context, expected: (
                    abs(expected) * max(1e-9 if context.precision == 64 else 1e-4, context.resolution.residual)
                ),
                "m (v_after + v_before) + m g t, momentum balance; the precision of the state, or of the solver",
            ),
            Check(
                "max_overlap",
                self._predicted_overlap,
                by_precision(1e-9, 1e-4),
                "the scalar contact law stepped with the parameters read back; the precision of the state",
            ),
            Check(
                "peak_normal_force",
                self._predicted_peak,
                self._peak_tolerance,
                "the contact law that the engine states",
            ),
            Check(
                "rest_height",
                self._predicted_rest_height,
                lambda context, _: self.size * (1e-9 if context.precision == 64 else 1e-6),
                "size / 2 - r with r = -(g/n)(1 - d)/(K d^2) or m g/(n k); the precision of the position",
            ),
        )

    def _landed(self, trace: Trace, expected: float) -> float | NotApplicable:
        return NotApplicable(NO_LANDING) if self._first_contact(trace) is None else expected

    def _expected_rest_force(self, trace: Trace, context: Context) -> float | NotApplicable:
        landed = self._landed(trace, self.mass * GRAVITY)
        if trace.of("asleep", NAME)[last(trace, REST_WINDOW)].any():
            return NotApplicable(ASLEEP)
        return landed if self._rests(trace) else NotApplicable(NO_REST)

    def _rests(self, trace: Trace) -> bool:
        return float(np.abs(trace.of("v_WB", NAME)[last(trace, REST_WINDOW), 2]).max()) < AT_REST

    def _first_contact(self, trace: Trace) -> int | None:
        """Index of the sample that ends the first step with a contact force."""
        touching = np.flatnonzero(vertical_force(trace) > 0)
        return int(touching[0]) if len(touching) else None

    def _impact_time(self, trace: Trace, context: Context) -> float:
        k = self._first_contact(trace)
        return math.nan if k is None else float(trace.time[k]) - trace.sample_interval / 2

    def _impact_speed(self, trace: Trace, context: Context) -> float:
        k = self._first_contact(trace)
        return math.nan if k is None else -float(trace.of("v_WB", NAME)[max(k - 1, 0), 2])

    def _peak(self, trace: Trace, context: Context) -> float:
        return float(trace.of("peak_normal_force", NAME).max())

    def _impulse(self, trace: Trace, context: Context) -> float:
        return float(vertical_force(trace).sum()) * trace.sample_interval

    def _overlap(self, trace: Trace, context: Context) -> float:
        return max(0.0, -float(lowest_corner(trace, self.size).min()))

    def _rest_height(self, trace: Trace, context: Context) -> float:
        return float(trace.of("p_WB", NAME)[last(trace, REST_WINDOW), 2].mean())

    def _rest_force(self, trace: Trace, context: Context) -> float:
        return float(vertical_force(trace)[last(trace, REST_WINDOW)].mean())

    def _rest_deviation(self, trace: Trace, context: Context) -> float:
        return float(vertical_force(trace)[last(trace, REST_WINDOW)].std())

    def _rebound(self, trace: Trace, context: Context) -> float:
        k = self._first_contact(trace)
        return math.nan if k is None else max(0.0, float(trace.of("v_WB", NAME)[k:, 2].max()))

    def _expected_impulse(self, trace: Trace, context: Context) -> float | NotApplicable:
        k = self._first_contact(trace)
        if k is None:
            return NotApplicable(NO_LANDING)
        note = context.resolution.channel_notes.get("f_normal_B_W")
        if note is not None:
            return NotApplicable(note.reason)
        if trace.of("asleep", NAME).any():
            return NotApplicable(ASLEEP)
        v = trace.of("v_WB", NAME)[:, 2]
        start = max(k - 1, 0)
        falling = GRAVITY * float(trace.time[-1] - trace.time[start])
        return self.mass * (float(v[-1] - v[start]) + falling)

    def _landing(self, trace: Trace, context: Context) -> tuple[float, float] | NotApplicable:
        """Overlap [m] and peak force [N] that the soft law predicts from the trace's last sample before contact."""
        law = context.resolution.contact_law
        if not isinstance(law, (Soft, Compliant)):
            return NotApplicable(NO_LAW)
        if context.resolution.table["integrator"].value == "RK4":
            return NotApplicable("the law is stepped by semi-implicit Euler, and this run by RK4")
        k = self._first_contact(trace)
        if k is None or k == 0:
            return NotApplicable(NO_LANDING)
        contacts = trace.of("contact_count", NAME)[k:, 0]
        height = float(lowest_corner(trace, self.size)[k - 1])
        velocity = float(trace.of("v_WB", NAME)[k - 1, 2])
        landing = land(law, contacts, self.mass, GRAVITY, context.schedule.dt, height, velocity)
        return float(landing.overlap.max()), float(landing.force.max())

    def _predicted_overlap(self, trace: Trace, context: Context) -> float | NotApplicable:
        landing = self._landing(trace, context)
        return landing if isinstance(landing, NotApplicable) else landing[0]

    def _predicted_peak(self, trace: Trace, context: Context) -> float | NotApplicable:
        law = context.resolution.contact_law
        if isinstance(law, Impulse):
            speed = self._impact_speed(trace, context)
            if math.isnan(speed):
                return NotApplicable(NO_LANDING)
            e = law.restitution if speed > law.bounce_threshold else 0.0
            return self.mass * speed * (1 + e) / context.schedule.dt + self.mass * GRAVITY
        landing = self._landing(trace, context)
        return landing if isinstance(landing, NotApplicable) else landing[1]

    def _peak_tolerance(self, context: Context, expected: float) -> float:
        law = context.resolution.contact_law
        if isinstance(law, Impulse):
            # a solver that substeps with its iterations resolves the arrival to one part in `iterations` of a step; the
            # engine states this law only for such a solver
            iterations = context.resolution.table["iterations"].value
            return expected / (iterations if isinstance(iterations, int) else 1)
        if isinstance(law, Soft) and context.precision == 32:
            # the solver forms the force as (a - a_ref)/R, a small difference that 1/R = n d/(1 - d) m blows up
            d = law.impedance[1]
            return expected * max(1e-4, float(np.finfo(np.float32).eps) * CORNERS * d / (1 - d))
        return expected * max(1e-9, context.resolution.residual)

    def _predicted_rest_height(self, trace: Trace, context: Context) -> float | NotApplicable:
        law = context.resolution.contact_law
        if isinstance(law, (Soft, Compliant)):
            n = float(trace.of("contact_count", NAME)[-1, 0])
            if n == 0:
                return NotApplicable("the cube is not in contact at the end")
            if not self._rests(trace):
                return NotApplicable(NO_REST)
            return self.size / 2 - rest_overlap(law, n, self.mass, GRAVITY)
        return NotApplicable(NO_LAW)
