"""What is measured of a grasp of the soft ball, and what statics expects of it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..harness.experiment import Context, NotApplicable
from ..harness.robot_model import model_of
from ..harness.scene import Array
from ..harness.trace import Trace
from .ball_mesh import RADIUS
from .pads import FINGER_MASS, GAP, Phases
from .soft_ball import (
    GRAVITY,
    NAME,
    friction_of,
    momentum_rate,
    own_forces,
    reference_of,
    residual,
    stable_step,
    strain_energy,
)

OUTCOMES = ("lifted", "slipped", "dropped", "invalid", "unstable")
LIFTED, SLIPPED, DROPPED, INVALID, UNSTABLE = range(5)
FOLLOWED, LOST = 0.85, 0.25  # part of the pads' rise by which a lifted ball follows at least, a dropped one at most
SAG = RADIUS / 10  # [m] that a held ball rises less than the pads, as its weight passes from the ground to them
OPEN = RADIUS + GAP  # [m] from the middle of the pads to each of them at the start
CLEAR = 1e-3  # [m] above the ground from which on nothing but the pads holds the ball
PAD_SPEED = 2.0  # [m/s]: drag holds a drive to effort/drag = 0.7, and all elastic energy of the ball would give 1.2
MEAN = 0.01  # [s] over which the balance of momentum is averaged

# name, unit, text; each is a method of GraspMeasures
METRICS = (
    (
        "outcome",
        "",
        f"0 lifted: the ball rose by {FOLLOWED:.0%} of the pads' way or more, 1 slipped: by less, "
        f"2 dropped: by {LOST:.0%} or less, 3 invalid: an element inverted before, 4 unstable: a pad ran away",
    ),
    ("lift_achieved", "m", "rise of the ball's centre of mass, from the lift's start to the end of the hold"),
    ("pad_rise", "m", "rise of the pads over the same time"),
    ("hold_slip", "m", "how far the ball sinks against the pads over the hold"),
    ("mu_used", "1", "friction between ball and pads that the coupler uses"),
    ("effort_needed", "N", "weight / (2 mu_used): what holds the ball by friction"),
    ("expected_held", "1", "1 where the effort exceeds that, with the lift's acceleration; 0 below"),
    ("held", "1", "1 where the ball followed the pads, 0 where it slipped or dropped"),
    ("force_left", "N", "normal force on the left pad over the hold, M vdot + bias - tau"),
    ("force_right", "N", "normal force on the right pad over the hold, likewise"),
    ("own_force", "N", "mean normal force on the pads over the hold that the engine itself counts"),
    ("own_difference", "N", "rms of pad force derived - counted by the engine, same step, to the end of the hold"),
    ("own_difference_late", "N", "the same against the engine's count one step earlier"),
    ("lag_number", "1", "coupling damping of one vertex x dt / finger mass: a force one step late is unstable above 1"),
    ("stable_dt", "s", "2 / largest frequency of the mesh: an explicit step diverges above it"),
    ("pad_speed", "m/s", "largest speed of a pad, to the end of the hold; beyond 2 m/s the coupling is unstable"),
    ("pad_width", "m", "distance between the pads over the hold"),
    ("volume_change", "1", "largest relative change of the ball's volume, to the end of the hold"),
    ("least_element", "1", "smallest volume of an element over that at rest, to the end of the hold"),
    ("inverted_elements", "1", "most elements that were inverted at once, to the end of the hold"),
    ("valid_until", "s", "when the first element was inverted, else the end"),
    ("momentum_residual", "N", "largest |force on pads + force on ball| in the air, x and z, means of 10 ms"),
    ("elastic_energy", "J", "elastic energy at the end of the hold, co-rotated linear law"),
    ("dissipated", "J", "work of the drives less what pads and ball gained, to the end of the hold"),
)

_OWN = "the engine does not say what its coupling force is, or the run ends before the hold does"
# what it means that a metric is not a number
ABSENT = {
    "outcome": "the run ends before the hold does, or its lift is too low to tell: 20 mm tell",
    "mu_used": "the engine does not say which friction its coupler uses",
    "effort_needed": "the engine does not say which friction its coupler uses",
    "expected_held": "statics does not decide: invalid, unstable, too short, or at the limit while it is lifted",
    "held": "the run is invalid, unstable, or too short, or its lift is too low to tell",
    "own_force": _OWN,
    "own_difference": _OWN,
    "own_difference_late": _OWN,
    "lag_number": "the coupling has no damping in N s/m",
    "momentum_residual": "the ball was never in the air, or the arm hides its forces",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class GraspSetup:
    """Parameters that the measures need; `slides` is false for the hand on the arm. SI units."""

    phases: Phases
    slides: bool
    effort: float
    weight: float
    young: float
    poisson: float


class GraspMeasures:
    """One run of the grasp; every method named in METRICS gives a number, NaN where the run does not show it."""

    def __init__(self, setup: GraspSetup, trace: Trace, context: Context) -> None:
        self.setup, self.trace, self.context = setup, trace, context
        self.phases, self.ball = setup.phases, context.soft[0]
        self.end = self._at(self.phases.lower_at)  # the last sample of the hold
        self.complete = trace.time[-1] > self.phases.lower_at - 1e-9

    def _at(self, time: float) -> int:
        return min(int(np.searchsorted(self.trace.time, time - 1e-9)), len(self.trace.time) - 1)

    def _hold(self) -> slice:
        """The second half of the hold."""
        start = self.phases.hold_at + self.phases.hold / 2
        return slice(self._at(start), self.end + 1) if self.complete else slice(0, 0)

    def _heights(self) -> Array:
        """Height of the pads above their start [m], (T,)."""
        q = self.trace.joint("q")
        if self.setup.slides:
            return np.asarray(q[:, 0] - q[0, 0])
        reference = reference_of(model_of(self.context.scene.robots[0]))
        z = np.array([reference.link_pose(row, "hand")[2] for row in q])
        return np.asarray(z - z[0])

    def _risen(self, z: Array) -> float:
        return float(z[self.end] - z[self._at(self.phases.lift_at)])

    def lift_achieved(self) -> float:
        return self._risen(self.ball.com[:, 2])

    def pad_rise(self) -> float:
        return self._risen(self._heights())

    def hold_slip(self) -> float:
        apart = self.ball.com[:, 2] - self._heights()
        return float(apart[self._at(self.phases.hold_at)] - apart[self.end])

    def outcome(self) -> float:
        if self.pad_speed() > PAD_SPEED:
            return UNSTABLE
        if self.inverted_elements():
            return INVALID
        if not self.complete or self.phases.height * (1 - FOLLOWED) < SAG:
            return math.nan
        part = self.lift_achieved() / self.pad_rise()
        return LIFTED if part >= FOLLOWED else DROPPED if part <= LOST else SLIPPED

    def held(self) -> float:
        outcome = self.outcome()
        return math.nan if math.isnan(outcome) or outcome in (INVALID, UNSTABLE) else float(outcome == LIFTED)

    def mu_used(self) -> float:
        return friction_of(self.context)

    def effort_needed(self) -> float:
        mu = self.mu_used()
        return self.setup.weight / (2 * mu) if mu > 0 else math.inf if mu == 0 else math.nan

    def prediction(self) -> float | NotApplicable:
        """1 where the ball is held by Coulomb friction, 0 where it cannot be."""
        needed = self.effort_needed()
        if math.isnan(needed):
            return NotApplicable("the engine does not say which friction its coupler uses")
        if math.isnan(self.held()):
            return NotApplicable(ABSENT["held"])
        if needed < self.setup.effort < needed * (1 + self.phases.peak_acceleration / GRAVITY):
            return NotApplicable("the effort holds the ball at rest and not while it is accelerated")
        return float(self.setup.effort >= needed)

    def expected_held(self) -> float:
        expected = self.prediction()
        return math.nan if isinstance(expected, NotApplicable) else expected

    def _pad_forces(self) -> Array:
        """Force that opens each pad (T, 2) [N]: a slide closes when positive, a finger of the hand opens."""
        return residual(self.trace, self.context)[:, -2:] * (-1.0 if self.setup.slides else 1.0)

    def _own(self) -> Array:
        """The same as the engine counts it (T, 2) [N]."""
        names = ("left", "right") if self.setup.slides else ("left_finger", "right_finger")
        rows = np.column_stack([own_forces(self.ball, name)[:, 0 if self.setup.slides else 1] for name in names])
        return rows * [
            -1.0,
            1.0,
        ]  # the left pad is on the side of negative x, or of negative y: the hand is turned about

    def force_left(self) -> float:
        return _mean(self._pad_forces()[self._hold(), 0])

    def force_right(self) -> float:
        return _mean(self._pad_forces()[self._hold(), 1])

    def own_force(self) -> float:
        return _mean(self._own()[self._hold()])

    def own_difference(self) -> float:
        return _rms(self._pad_forces()[2 : self.end + 1] - self._own()[2 : self.end + 1])

    def own_difference_late(self) -> float:
        return _rms(self._pad_forces()[2 : self.end + 1] - self._own()[1 : self.end])

    def lag_number(self) -> float:
        row = self.context.resolution.table.get(f"soft.{NAME}.coupling.damping")
        if row is None or row.unit != "N s/m" or not isinstance(row.value, (int, float)):
            return math.nan
        return float(row.value) * self.context.schedule.dt / FINGER_MASS

    def stable_dt(self) -> float:
        ball, used = self.ball, []
        for name in ("young", "poisson"):  # as the engine has them, which need not be what was asked for
            row = self.context.resolution.table.get(f"soft.{NAME}.{name}")
            value = row.value if row is not None else None
            used.append(float(value) if isinstance(value, (int, float)) else getattr(self.setup, name))
        return stable_step(ball.rest, ball.elements, ball.mass, *used)

    def pad_speed(self) -> float:
        return float(np.abs(self.trace.joint("v")[: self.end + 1, -2:]).max())

    def pad_width(self) -> float:
        q = self.trace.joint("q")[self._hold(), -2:]
        closed = q if self.setup.slides else OPEN - q
        return 2 * OPEN - _mean(closed.sum(axis=1))

    def over_time(self) -> tuple[tuple[str, str, str, Array], ...]:
        """Name, unit, text and values (T,) of what tells the story of the grasp."""
        ball, forces = self.ball, self._pad_forces()
        return (
            ("ball_height", "m", "rise of the ball's centre of mass", ball.com[:, 2] - ball.com[0, 2]),
            ("pad_height", "m", "rise of the pads", self._heights()),
            ("pad_force", "N", "normal force on the left pad, derived from its motion", forces[:, 0]),
            ("own_pad_force", "N", "the same as the engine counts it", self._own()[:, 0]),
            ("least_element", "1", "smallest element over its volume at rest; the run is valid above 0", ball.least),
        )

    def volume_change(self) -> float:
        volume = self.ball.volume[: self.end + 1]
        return float(np.abs(volume / volume[0] - 1).max())

    def least_element(self) -> float:
        return float(self.ball.least[: self.end + 1].min())

    def inverted_elements(self) -> float:
        return float(self.ball.inverted[: self.end + 1].max())

    def valid_until(self) -> float:
        return self.ball.valid_until

    def momentum_residual(self) -> float:
        ball = self.ball
        clear = np.array([shape[:, 2].min() > CLEAR for shape in ball.shapes]) & (
            ball.shape_time < self.phases.lower_at
        )
        if not self.setup.slides or np.count_nonzero(clear) < 2:
            return math.nan
        first = int(np.argmax(clear))
        last = first + int(np.argmin(np.append(clear[first:], False))) - 1  # of the first flight
        rows = slice(self._at(ball.shape_time[first]) + 1, self._at(ball.shape_time[last]) + 1)
        joints = residual(self.trace, self.context)[rows]
        off = np.column_stack([joints[:, 1] - joints[:, 2], joints[:, 0]]) + momentum_rate(ball)[rows][:, [0, 2]]
        per = max(1, round(MEAN / self.trace.sample_interval))
        blocks = off[: len(off) // per * per].reshape(-1, per, 2).mean(axis=1)
        return float(np.abs(blocks).max()) if len(blocks) else math.nan

    def elastic_energy(self) -> float:
        ball = self.ball
        at = min(int(np.searchsorted(ball.shape_time, self.trace.time[self.end] - 1e-9)), len(ball.shapes) - 1)
        return strain_energy(ball.rest, ball.shapes[at], ball.elements, self.setup.young, self.setup.poisson)

    def dissipated(self) -> float:
        ball, last = self.ball, self.end
        reference = reference_of(model_of(self.context.scene.robots[0]))
        q, v, tau = (self.trace.joint(name)[: last + 1] for name in ("q", "v", "tau"))
        work = float(np.einsum("tk,tk->", tau[1:], (v[1:] + v[:-1]) / 2) * self.trace.sample_interval)
        robot = reference.energy(q[last], v[last]) - reference.energy(q[0], v[0])
        raised = self.setup.weight * float(ball.com[last, 2] - ball.com[0, 2])
        return work - robot - raised - float(ball.kinetic[last]) - self.elastic_energy()

    def expected_own(self) -> float | NotApplicable:
        """The effort, where the pads rest on the ball."""
        if math.isnan(self.own_force()):
            return NotApplicable("the engine does not say what its coupling force is, or the run is too short")
        if self.outcome() != LIFTED:
            return NotApplicable("the pads do not rest")
        return self.setup.effort

    def balanced(self) -> float | NotApplicable:
        """Nothing, where the ball was in the air between two pads on slides."""
        if math.isnan(self.momentum_residual()):
            return NotApplicable("the ball was never in the air, or the arm hides its forces")
        return 0.0


def _mean(values: Array) -> float:
    return float(np.mean(values)) if values.size else math.nan


def _rms(values: Array) -> float:
    return float(np.sqrt(np.mean(values**2))) if values.size else math.nan
