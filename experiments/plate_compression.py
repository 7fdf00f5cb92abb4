"""A soft ball between two plates: force against displacement, and whether the coupling conserves momentum."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..harness.experiment import Check, Context, Experiment, Metric, NotApplicable, Series, require
from ..harness.robot_model import model_of
from ..harness.rollout import Controller
from ..harness.scene import Array, Material, Robot, Scene
from ..harness.schedule import Schedule
from ..harness.soft_state import SoftTrace
from ..harness.trace import Trace
from .ball_mesh import RADIUS
from .pads import PlatePress, plates
from .soft_ball import (
    BALANCE,
    GRAVITY,
    hertz_force,
    momentum_rate,
    own_forces,
    reference_of,
    residual,
    soft_ball,
    strain_energy,
)

SETTLE = 0.1  # [s] that the ball has to come to rest on the lower plate
GAP = 5e-4  # [m] between the ball and the upper plate at the start
LOWER, UPPER = slice(0, 3), slice(3, 6)
UNSAID = "the engine does not say what its coupling force is"


@dataclass(slots=True, kw_only=True)
class PlateCompression(Experiment):
    """Parameters of the compression.

    Attributes:
        depth: by which the upper plate is moved down past touching the round ball [m].
        speed: at which it moves [m/s]; `hold`: how long it stays there [s].
        friction: Coulomb coefficient of ball and plates [1].
        mass: of the ball [kg]; `young` [Pa], `poisson` [1], `damping`: Rayleigh's on its stiffness [s], none given: the
            engine's own.
    """

    NAME: ClassVar[str] = "plate_compression"
    TEXT: ClassVar[str] = "a soft ball is compressed between two plates on slides"
    DT: ClassVar[float] = 5e-4
    DURATION: ClassVar[float] = 0.5
    TOLERANCE: ClassVar[tuple[float, float, float]] = (1e-3, 1e-2, 1e-2)
    MAIN_METRICS: ClassVar[tuple[str, ...]] = ("force_upper", "momentum_residual", "volume_change")
    SMOKE: ClassVar[Mapping[str, Any]] = {"depth": 0.004, "speed": 0.1, "hold": 0.04, "duration": 0.19, "dt": 1e-3}

    depth: float = 0.012
    speed: float = 0.05
    hold: float = 0.15
    friction: float = 0.5
    mass: float = 0.105
    young: float = 2e4
    poisson: float = 0.3
    damping: float | None = None

    def __post_init__(self) -> None:
        require("depth", self.depth, least=0, above=True, below=RADIUS)
        for name in ("speed", "hold", "mass", "young"):
            require(name, getattr(self, name), least=0, above=True)
        require("friction", self.friction, least=0)

    @property
    def down_at(self) -> float:
        """When the upper plate is down [s]."""
        return SETTLE + (self.depth + GAP) / self.speed

    def _robot(self) -> Robot:
        text = plates(GAP)
        return Robot(name="plates", description=text, contacts=True, material=Material(friction=self.friction))

    def scene(self, dt: float) -> Scene:
        ball = soft_ball(
            mass=self.mass,
            young=self.young,
            poisson=self.poisson,
            damping=self.damping,
            friction=self.friction,
            height=RADIUS,
        )
        return Scene(name=self.NAME, robots=(self._robot(),), soft_bodies=(ball,), gravity=(0.0, 0.0, -GRAVITY))

    def controller(self, schedule: Schedule) -> Controller | None:
        down = [(0.0, 0.0), (SETTLE, 0.0), (self.down_at, -self.depth - GAP)]
        return PlatePress(reference_of(model_of(self._robot())), down, GRAVITY)

    def series(self, trace: Trace, context: Context) -> Sequence[Series]:
        if not context.soft:
            return ()
        joints, ball = residual(trace, context), self._ball(context)
        off = self.balance(trace, context)[:, 2]
        upper = "upward force on the upper plate, derived from its motion"
        kept = "vertical force on the plates plus on the ball: zero if momentum is kept"
        own = own_forces(ball, "upper")[:, 2]
        return (
            Series(name="force_upper", unit="N", values=joints[:, 5], text=upper),
            Series(name="own_force_upper", unit="N", values=own, text="the same as the engine counts it"),
            Series(name="momentum_off", unit="N", values=off, text=kept),
        )

    def metrics(self) -> Sequence[Metric]:
        return (
            Metric("force_upper", "N", "upward force on the upper plate while it holds, M vdot + bias - tau", self._up),
            Metric("force_lower", "N", "downward force on the lower plate while it holds, likewise", self._down),
            Metric("held_weight", "N", "the difference of the two: the ball's weight", self._difference),
            Metric("compression", "m", "by which the ball is flatter than round while it holds", self._compression),
            Metric("hertz_force", "N", "Hertz's force for half of that at each plate, for small strain", self._hertz),
            Metric("momentum_residual", "N", "largest |force on plates + force on ball|, any component", self._worst),
            Metric("momentum_residual_mean", "N", "its mean over the run, largest component", self._mean),
            Metric(
                "own_force",
                "N",
                "upward force on the upper plate that the engine itself counts",
                self._own,
                absent=UNSAID,
            ),
            Metric(
                "own_difference",
                "N",
                "largest difference between that count and the force that the plate feels, in a single step",
                self._own_off,
                absent=UNSAID,
            ),
            Metric("volume_change", "1", "largest relative change of the ball's volume", self._volume),
            Metric("least_element", "1", "smallest volume of an element over that at rest", self._least),
            Metric("inverted_elements", "1", "most elements that were inverted at once", self._inverted),
            Metric("valid_until", "s", "when the first element was inverted, else the end", self._valid),
            Metric("elastic_energy", "J", "elastic energy at the end, co-rotated linear law", self._elastic),
        )

    def checks(self) -> Sequence[Check]:
        return (
            Check("inverted_elements", lambda t, c: 0.0, lambda c, _: 0.5, "no element may turn inside out"),
            Check(
                "held_weight",
                self._weight,
                lambda c, _: BALANCE,
                "statics: the plates carry the ball; a hundredth of its weight is allowed",
            ),
            Check(
                "momentum_residual",
                lambda t, c: 0.0,
                lambda c, _: BALANCE,
                "action and reaction: impulse on the plates = - change of the ball's momentum + m g dt, per component; "
                "a hundredth of its weight is allowed",
            ),
        )

    # ---------------------------------------------------------------- what is measured on a trace

    def _ball(self, context: Context) -> SoftTrace:
        return context.soft[0]

    def balance(self, trace: Trace, context: Context) -> Array:
        """Force on both plates plus force on the ball, gravity left out, over the step that ended (T, 3) [N]."""
        joints = residual(trace, context)
        return np.asarray(joints[:, LOWER] + joints[:, UPPER] + momentum_rate(self._ball(context)))

    def _rows(self, trace: Trace) -> slice:
        """The second half of the hold."""
        start = int(np.searchsorted(trace.time, self.down_at + self.hold / 2))
        return slice(start, None)

    def _up(self, trace: Trace, context: Context) -> float:
        rows = residual(trace, context)[self._rows(trace), 5]
        return float(rows.mean()) if len(rows) else math.nan

    def _down(self, trace: Trace, context: Context) -> float:
        rows = residual(trace, context)[self._rows(trace), 2]
        return float(-rows.mean()) if len(rows) else math.nan

    def _difference(self, trace: Trace, context: Context) -> float:
        return self._down(trace, context) - self._up(trace, context)

    def _weight(self, trace: Trace, context: Context) -> float | NotApplicable:
        if math.isnan(self._up(trace, context)):
            return NotApplicable("the run ends before the plates hold")
        momentum, before = self._ball(context).momentum[:, 2], self._rows(trace).start - 1
        over = float(trace.time[-1] - trace.time[before])
        return self.mass * GRAVITY + float(momentum[-1] - momentum[before]) / over  # what still moves is no weight

    def _compression(self, trace: Trace, context: Context) -> float:
        q = trace.joint("q")[self._rows(trace)]
        return float((q[:, 2] - q[:, 5]).mean() - GAP) if len(q) else math.nan

    def _hertz(self, trace: Trace, context: Context) -> float:
        half = np.array([self._compression(trace, context) / 2])
        return float(hertz_force(half, self.young, self.poisson)[0])

    def _worst(self, trace: Trace, context: Context) -> float:
        return float(np.abs(self.balance(trace, context)[1:]).max())

    def _mean(self, trace: Trace, context: Context) -> float:
        return float(np.abs(self.balance(trace, context)[1:].mean(axis=0)).max())

    def _own(self, trace: Trace, context: Context) -> float:
        rows = own_forces(self._ball(context), "upper")[self._rows(trace), 2]
        return float(rows.mean()) if len(rows) else math.nan

    def _own_off(self, trace: Trace, context: Context) -> float:
        return float(np.abs(own_forces(self._ball(context), "upper")[:, 2] - residual(trace, context)[:, 5])[1:].max())

    def _volume(self, trace: Trace, context: Context) -> float:
        volume = self._ball(context).volume
        return float(np.abs(volume / volume[0] - 1).max())

    def _least(self, trace: Trace, context: Context) -> float:
        return float(self._ball(context).least.min())

    def _inverted(self, trace: Trace, context: Context) -> float:
        return float(self._ball(context).inverted.max())

    def _valid(self, trace: Trace, context: Context) -> float:
        return self._ball(context).valid_until

    def _elastic(self, trace: Trace, context: Context) -> float:
        ball = self._ball(context)
        return strain_energy(ball.rest, ball.shapes[-1], ball.elements, self.young, self.poisson)
