"""A soft ball is squeezed between two pads and lifted: who holds it, at which effort, and does the coupler say why?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..harness.controller import TorqueLaw, cartesian_line, gains
from ..harness.errors import UnknownName
from ..harness.experiment import Check, Context, Experiment, Metric, NotApplicable, Series, require
from ..harness.robot_model import model_of
from ..harness.rollout import Controller
from ..harness.scene import Array, Body, HalfSpace, Material, Pose, Robot, Scene
from ..harness.schedule import Schedule
from ..harness.trace import Trace
from .ball_mesh import RADIUS
from .grasp_measures import ABSENT, METRICS, OPEN, OUTCOMES, PAD_SPEED, GraspMeasures, GraspSetup
from .pads import ARM_HOME, PAD_ABOVE_TOOL, ArmGrip, Phases, SlideGrip, Squeeze, gripper, hand_on_arm
from .soft_ball import BALANCE, GRAVITY, reference_of, soft_ball

CARRIERS = ("slides", "fr3")


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
    OUTCOMES: ClassVar[tuple[str, ...]] = OUTCOMES
    SWEPT: ClassVar[str] = "effort"
    SWEPT_UNIT: ClassVar[str] = "N"
    DECIDE: ClassVar[tuple[str, ...]] = ("mu_used", "effort_needed")
    MAIN_METRICS: ClassVar[tuple[str, ...]] = ("lift_achieved", "hold_slip", "own_force", "momentum_residual")
    SMOKE: ClassVar[Mapping[str, Any]] = {
        "close": 0.1,
        "lift": 0.1,
        "hold": 0.04,
        "lower": 0.06,
        "height": 0.005,
        "duration": 0.3,
        "dt": 1e-3,  # explicit elasticity is stable to 1.1 ms
    }

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
    def phases(self) -> Phases:
        """When it closes, lifts, holds and lowers."""
        return Phases(close=self.close, lift=self.lift, hold=self.hold, lower=self.lower, height=self.height)

    @property
    def weight(self) -> float:
        """Of the ball [N]."""
        return self.mass * GRAVITY

    def _robot(self) -> Robot:
        material = Material(friction=self.friction)
        if self.carrier == "slides":
            return Robot(name="gripper", description=gripper(), contacts=True, material=material)
        text = hand_on_arm()
        reference = reference_of(model_of(Robot(name="gripper", description=text)))
        q0 = np.array([*ARM_HOME, OPEN, OPEN])
        x, y, z = reference.link_pose(q0, "tool")[:3]
        pose = Pose((-float(x), -float(y), RADIUS - PAD_ABOVE_TOOL - float(z)))  # the pads' middle at the ball's centre
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
        squeeze = Squeeze(effort=self.effort, start=OPEN)
        if self.carrier == "slides":
            return SlideGrip(self.phases, squeeze, GRAVITY)
        reference, period = reference_of(model_of(self._robot())), schedule.control_period * schedule.dt
        phases, start = self.phases, np.array([*ARM_HOME, OPEN, OPEN])
        up = cartesian_line(reference, "hand", start, (0.0, 0.0, self.height), self.lift, period)
        top = up(self.lift)[0]
        down = cartesian_line(reference, "hand", top, (0.0, 0.0, -self.height), self.lower, period)

        def target(time: float) -> tuple[Array, Array]:
            return down(time - phases.lower_at) if time > phases.lower_at else up(max(0.0, time - phases.lift_at))

        law = TorqueLaw(reference, gains(reference, start, 20.0, 1.0, period), target)
        return ArmGrip(reference, law, squeeze)

    def _setup(self) -> GraspSetup:
        return GraspSetup(
            phases=self.phases,
            slides=self.carrier == "slides",
            effort=self.effort,
            weight=self.weight,
            young=self.young,
            poisson=self.poisson,
        )

    def series(self, trace: Trace, context: Context) -> Sequence[Series]:
        if not context.soft:
            return ()
        measures = GraspMeasures(self._setup(), trace, context)
        return tuple(
            Series(name=name, unit=unit, values=values, text=text) for name, unit, text, values in measures.over_time()
        )

    def metrics(self) -> Sequence[Metric]:
        setup = self._setup()

        def measured(name: str) -> Callable[[Trace, Context], float]:
            return lambda trace, context: float(getattr(GraspMeasures(setup, trace, context), name)())

        return tuple(
            Metric(name, unit, text, measured(name), absent=ABSENT.get(name, "")) for name, unit, text in METRICS
        )

    def checks(self) -> Sequence[Check]:
        setup = self._setup()

        def expected(name: str) -> Callable[[Trace, Context], float | NotApplicable]:
            return lambda trace, context: getattr(GraspMeasures(setup, trace, context), name)()

        return (
            Check("pad_speed", lambda t, c: 0.0, lambda c, _: PAD_SPEED, "drag and the ball's energy bound it"),
            Check("inverted_elements", lambda t, c: 0.0, lambda c, _: 0.5, "no element may turn inside out"),
            Check(
                "held",
                expected("prediction"),
                lambda c, _: 0.5,
                "Coulomb: two pads hold weight/(2 mu) each, with (1 + a/g) while lifting; mu as the coupler uses it",
            ),
            Check(
                "own_force",
                expected("expected_own"),
                lambda c, _: BALANCE,
                "a pad at rest is pressed by the effort of its drive; a hundredth of the ball's weight is allowed",
            ),
            Check(
                "momentum_residual",
                expected("balanced"),
                lambda c, _: BALANCE,
                "action and reaction: pads and ball feel opposite forces; a hundredth of the ball's weight is allowed",
            ),
        )
