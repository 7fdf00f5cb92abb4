"""A soft ball is squeezed between two pads and lifted: who holds it, at which effort, and does the coupler say why?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..harness.controller import TorqueLaw, cartesian_line, gains
from ..harness.errors import UnknownName
from ..harness.experiment import Check, Context, Experiment, Metric, NotApplicable, require
from ..harness.robot_model import model_of
from ..harness.rollout import Controller, Schedule
from ..harness.scene import Array, Body, HalfSpace, Material, Pose, Robot, Scene
from ..harness.soft_state import SoftTrace
from ..harness.trace import Trace
from . import pads
from .ball_mesh import RADIUS
from .soft_ball import (
    BALANCE,
    GRAVITY,
    friction_of,
    momentum_rate,
    own_forces,
    reference_of,
    residual,
    soft_ball,
    strain_energy,
)

CARRIERS = ("slides", "fr3")
FOLLOWED, LOST = 0.85, 0.25  # part of the pads' rise by which a lifted ball follows, and a dropped one at most
LIFTED, SLIPPED, DROPPED, INVALID = range(4)
OPEN = RADIUS + pads.GAP  # [m] from the middle of the hand to each pad at the start


@dataclass(slots=True, kw_only=True)
class SoftBallGrasp(Experiment):
    """Parameters of the grasp.

    Attributes:
        effort: force limit of each pad's drive [N], which is what presses in the end.
        friction: Coulomb coefficient of ball, pads and ground [1].
        mass: of the ball [kg]; `young` [Pa], `poisson` [1], `damping`: Rayleigh's on its stiffness [s], none given: the
            engine's own.
        carrier: "slides", or "fr3" with its hand.
        close, lift, hold, lower: durations [s], one after the other.
        height: of the lift [m].
    """

    NAME: ClassVar[str] = "soft_ball_grasp"
    TEXT: ClassVar[str] = "a soft ball of 1.03 N is squeezed between two pads, lifted, held and lowered"
    DT: ClassVar[float] = 5e-4
    DURATION: ClassVar[float] = 1.4
    TOLERANCE: ClassVar[tuple[float, float, float]] = (1e-3, 1e-2, 1e-2)
    OUTCOMES: ClassVar[tuple[str, ...]] = ("lifted", "slipped", "dropped", "invalid")
    SMOKE: ClassVar[dict[str, object]] = {"duration": 0.05}

    effort: float = 2.0
    friction: float = 0.5
    mass: float = 0.105
    young: float = 2e4
    poisson: float = 0.3
    damping: float | None = None
    carrier: str = "slides"
    close: float = 0.25
    lift: float = 0.6
    hold: float = 0.2
    lower: float = 0.35
    height: float = 0.05

    def __post_init__(self) -> None:
        if self.carrier not in CARRIERS:
            raise UnknownName("carrier", self.carrier, CARRIERS)
        for name in ("effort", "mass", "young", "close", "lift", "hold", "lower", "height"):
            require(name, getattr(self, name), least=0, above=True)
        require("friction", self.friction, least=0)
        require("height", self.height, least=0, below=0.2)

    @property
    def phases(self) -> pads.Phases:
        """When it closes, lifts, holds and lowers."""
        return pads.Phases(close=self.close, lift=self.lift, hold=self.hold, lower=self.lower, height=self.height)

    @property
    def weight(self) -> float:
        """Of the ball [N]."""
        return self.mass * GRAVITY

    def _robot(self) -> Robot:
        material = Material(friction=self.friction)
        if self.carrier == "slides":
            return Robot(name="gripper", description=pads.gripper(), contacts=True, material=material)
        text = pads.hand_on_arm()
        reference = reference_of(model_of(Robot(name="gripper", description=text)))
        q0 = np.array([*pads.ARM_HOME, OPEN, OPEN])
        x, y, z = reference.link_pose(q0, "tool")[:3]
        pose = Pose((-float(x), -float(y), RADIUS - float(z)))  # the pads' middle at the ball's centre
        q = tuple(float(a) for a in q0)
        return Robot(name="gripper", description=text, pose=pose, q0=q, contacts=True, material=material)

    def scene(self, dt: float) -> Scene:
        ball = soft_ball(
            mass=self.mass,
            young=self.young,
            poisson=self.poisson,
            damping=self.damping,
            friction=self.friction,
            height=RADIUS,
        )
        ground = Body(name="ground", shapes=(HalfSpace(),), material=Material(friction=self.friction))
        gravity = (0.0, 0.0, -GRAVITY)
        return Scene(name=self.NAME, bodies=(ground,), robots=(self._robot(),), soft_bodies=(ball,), gravity=gravity)

    def controller(self, schedule: Schedule) -> Controller | None:
        squeeze = pads.Squeeze(effort=self.effort, start=OPEN)
        if self.carrier == "slides":
            return pads.SlideGrip(self.phases, squeeze, GRAVITY)
        reference, period = reference_of(model_of(self._robot())), schedule.control_period * schedule.dt
        phases, start = self.phases, np.array([*pads.ARM_HOME, OPEN, OPEN])
        up = cartesian_line(reference, "hand", start, (0.0, 0.0, self.height), self.lift, period)
        top = up(self.lift)[0]
        down = cartesian_line(reference, "hand", top, (0.0, 0.0, -self.height), self.lower, period)

        def target(time: float) -> tuple[Array, Array]:
            return down(time - phases.lower_at) if time > phases.lower_at else up(max(0.0, time - phases.lift_at))

        law = TorqueLaw(reference, gains(reference, start, 20.0, 1.0, period), target)
        return pads.ArmGrip(reference, law, squeeze)

    def metrics(self) -> Sequence[Metric]:
        return (
            Metric(
                "outcome",
                "",
                "0 lifted, 1 slipped, 2 dropped, 3 invalid: an element was inverted by then",
                self._outcome,
            ),
            Metric("lift_achieved", "m", "rise of the ball's centre of mass, lift to end of the hold", self._rise),
            Metric("pad_rise", "m", "rise of the pads over the same time", self._pad_rise),
            Metric("hold_slip", "m", "how far the ball sinks against the pads over the hold", self._slip),
            Metric("mu_used", "1", "friction between ball and pads that the coupler uses", lambda t, c: friction_of(c)),
            Metric("effort_needed", "N", "weight / (2 mu_used): what holds the ball by friction", self._needed),
            Metric("expected_held", "1", "1 where the effort exceeds that, lifting included, 0 below", self._expected),
            Metric("held", "1", "1 where the ball followed the pads, 0 where it slipped or dropped", self._held),
            Metric("force_left", "N", "normal force on the left pad over the hold, M vdot + bias - tau", self._left),
            Metric("force_right", "N", "normal force on the right pad over the hold, likewise", self._right),
            Metric("own_force", "N", "mean normal force on the pads that the engine itself counts", self._own),
            Metric("pad_width", "m", "distance between the pads over the hold", self._width),
            Metric("volume_change", "1", "largest relative change of the ball's volume", self._volume),
            Metric("least_element", "1", "smallest volume of an element over that at rest", self._least),
            Metric("inverted_elements", "1", "most elements that were inverted at once", self._inverted),
            Metric("valid_until", "s", "when the first element was inverted, else the end", self._valid),
            Metric(
                "momentum_residual", "N", "largest |force on pads + force on ball| in the air, mean of 10 ms", self._off
            ),
            Metric(
                "elastic_energy", "J", "elastic energy at the end of the hold, co-rotated linear law", self._elastic
            ),
            Metric(
                "dissipated",
                "J",
                "work of the drives less what pads and ball gained, to the end of the hold",
                self._lost,
            ),
        )

    def checks(self) -> Sequence[Check]:
        return (
            Check("inverted_elements", lambda t, c: 0.0, lambda c, _: 0.5, "no element may turn inside out"),
            Check(
                "held",
                self._prediction,
                lambda c, _: 0.5,
                "Coulomb: two pads hold weight/(2 mu) each, with (1 + a/g) while lifting; mu as the coupler uses it",
            ),
            Check(
                "own_force",
                self._expected_own,
                lambda c, _: BALANCE,
                "a pad at rest is pressed by the effort of its drive; a hundredth of the ball's weight is allowed",
            ),
            Check(
                "momentum_residual",
                self._balanced,
                lambda c, _: BALANCE,
                "action and reaction: pads and ball feel opposite forces; a hundredth of the ball's weight is allowed",
            ),
        )

    # ---------------------------------------------------------------- what is measured on a trace

    def _rows(self, trace: Trace, start: float, stop: float) -> slice:
        a, b = np.searchsorted(trace.time, [start - 1e-9, stop + 1e-9])
        return slice(int(a), int(b))

    def _at(self, trace: Trace, time: float) -> int:
        return min(int(np.searchsorted(trace.time, time - 1e-9)), len(trace.time) - 1)

    def _ball(self, context: Context) -> SoftTrace:
        return context.soft[0]

    def _heights(self, trace: Trace, context: Context) -> Array:
        """Height of the pads above their start [m], (T,)."""
        q = trace.joint("q")
        if self.carrier == "slides":
            return np.asarray(q[:, 0] - q[0, 0])
        robot = context.scene.robots[0]
        reference = reference_of(model_of(robot))
        z = np.array([reference.link_pose(row, "hand")[2] for row in q])
        return np.asarray(z - z[0])

    def _rise(self, trace: Trace, context: Context) -> float:
        z = self._ball(context).com[:, 2]
        return float(z[self._at(trace, self.phases.lower_at)] - z[self._at(trace, self.phases.lift_at)])

    def _pad_rise(self, trace: Trace, context: Context) -> float:
        z = self._heights(trace, context)
        return float(z[self._at(trace, self.phases.lower_at)] - z[self._at(trace, self.phases.lift_at)])

    def _slip(self, trace: Trace, context: Context) -> float:
        apart = self._ball(context).com[:, 2] - self._heights(trace, context)
        return float(apart[self._at(trace, self.phases.hold_at)] - apart[self._at(trace, self.phases.lower_at)])

    def _outcome(self, trace: Trace, context: Context) -> float:
        if self._ball(context).inverted[: self._at(trace, self.phases.lower_at) + 1].any():
            return INVALID
        if trace.time[-1] < self.phases.lower_at - 1e-9:
            return math.nan
        part = self._rise(trace, context) / self._pad_rise(trace, context)
        return LIFTED if part >= FOLLOWED else DROPPED if part <= LOST else SLIPPED

    def _needed(self, trace: Trace, context: Context) -> float:
        mu = friction_of(context)
        return self.weight / (2 * mu) if mu > 0 else math.inf if mu == 0 else math.nan

    def _prediction(self, trace: Trace, context: Context) -> float | NotApplicable:
        needed = self._needed(trace, context)
        if math.isnan(needed):
            return NotApplicable("the engine does not say which friction its coupler uses")
        if math.isnan(self._held(trace, context)):
            return NotApplicable("the run is invalid, or too short")
        if needed < self.effort < needed * (1 + self.phases.peak_acceleration / GRAVITY):
            return NotApplicable("the effort holds the ball at rest and not while it is accelerated")
        return float(self.effort >= needed)

    def _expected(self, trace: Trace, context: Context) -> float:
        expected = self._prediction(trace, context)
        return math.nan if isinstance(expected, NotApplicable) else expected

    def _held(self, trace: Trace, context: Context) -> float:
        outcome = self._outcome(trace, context)
        return math.nan if math.isnan(outcome) or outcome == INVALID else float(outcome == LIFTED)

    def _hold(self, trace: Trace) -> slice:
        return self._rows(trace, self.phases.hold_at + self.hold / 2, self.phases.lower_at)

    def _force(self, trace: Trace, context: Context, pad: int) -> float:
        """Normal force that opens a pad: its slide closes when positive, a finger of the hand opens."""
        rows = residual(trace, context)[self._hold(trace), pad - 2]
        return float(np.mean(rows) * (-1 if self.carrier == "slides" else 1)) if len(rows) else math.nan

    def _left(self, trace: Trace, context: Context) -> float:
        return self._force(trace, context, 0)

    def _right(self, trace: Trace, context: Context) -> float:
        return self._force(trace, context, 1)

    def _own(self, trace: Trace, context: Context) -> float:
        names = ("left", "right") if self.carrier == "slides" else ("left_finger", "right_finger")
        axis = 0 if self.carrier == "slides" else 1
        rows = [own_forces(self._ball(context), name)[self._hold(trace), axis] for name in names]
        return float(np.mean(np.abs(rows))) if len(rows[0]) else math.nan

    def _width(self, trace: Trace, context: Context) -> float:
        q = trace.joint("q")[self._hold(trace), -2:]
        closed = q if self.carrier == "slides" else OPEN - q
        return float(2 * OPEN - closed.sum(axis=1).mean()) if len(q) else math.nan

    def _volume(self, trace: Trace, context: Context) -> float:
        volume = self._ball(context).volume
        return float(np.abs(volume / volume[0] - 1).max())

    def _least(self, trace: Trace, context: Context) -> float:
        return float(self._ball(context).least.min())

    def _inverted(self, trace: Trace, context: Context) -> float:
        return float(self._ball(context).inverted.max())

    def _valid(self, trace: Trace, context: Context) -> float:
        return self._ball(context).valid_until

    def _off(self, trace: Trace, context: Context) -> float:
        """Along x and z, which the slides can tell, while the whole ball is above the ground, in means of 10 ms."""
        ball = self._ball(context)
        flying = [k for k, shape in zip(ball.shape_time, ball.shapes, strict=True) if shape[:, 2].min() > 1e-3]
        if self.carrier != "slides" or len(flying) < 2:
            return math.nan
        rows = self._rows(trace, flying[0], min(flying[-1], self.phases.lower_at))
        joints, rate = residual(trace, context)[rows], momentum_rate(ball)[rows]
        on_pads = np.column_stack([joints[:, 1] - joints[:, 2], joints[:, 0]])
        off = on_pads + rate[:, [0, 2]]
        per = max(1, round(0.01 / trace.sample_interval))
        blocks = off[: len(off) // per * per].reshape(-1, per, 2).mean(axis=1)
        return float(np.abs(blocks).max()) if len(blocks) else math.nan

    def _elastic(self, trace: Trace, context: Context) -> float:
        ball = self._ball(context)
        at = min(int(np.searchsorted(ball.shape_time, self.phases.lower_at - 1e-9)), len(ball.shapes) - 1)
        return strain_energy(ball.rest, ball.shapes[at], ball.elements, self.young, self.poisson)

    def _lost(self, trace: Trace, context: Context) -> float:
        ball, last = self._ball(context), self._at(trace, self.phases.lower_at)
        reference = reference_of(model_of(context.scene.robots[0]))
        q, v, tau = (trace.joint(name) for name in ("q", "v", "tau"))
        middle = (v[: last + 1][1:] + v[: last + 1][:-1]) / 2
        work = float(np.einsum("tk,tk->", tau[1 : last + 1], middle) * trace.sample_interval)
        robot = reference.energy(q[last], v[last]) - reference.energy(q[0], v[0])
        raised = self.weight * float(ball.com[last, 2] - ball.com[0, 2])
        return work - robot - raised - float(ball.kinetic[last]) - self._elastic(trace, context)

    def _expected_own(self, trace: Trace, context: Context) -> float | NotApplicable:
        if math.isnan(self._own(trace, context)):
            return NotApplicable("the engine does not say what its coupling force is, or the run is too short")
        if self._outcome(trace, context) != LIFTED:
            return NotApplicable("the pads do not rest")
        return self.effort

    def _balanced(self, trace: Trace, context: Context) -> float | NotApplicable:
        if math.isnan(self._off(trace, context)):
            return NotApplicable("the ball was never in the air")
        return 0.0
