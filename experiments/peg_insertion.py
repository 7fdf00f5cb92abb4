"""A peg is pushed into a bore: does it go in, jam, or break what holds it?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np

from ..harness.errors import UnknownName
from ..harness.experiment import Check, Context, Experiment, Metric, NotApplicable, Series, require
from ..harness.impedance import Impedance, check_stability
from ..harness.reference import Reference, reference_of
from ..harness.robot_model import model_of
from ..harness.rollout import Controller
from ..harness.scene import Array, Material, Robot, Scene
from ..harness.schedule import Schedule
from ..harness.trace import Trace
from . import peg
from . import peg_measures as measures
from .peg_law import LINK, PegLaw, Push, ReactiveLaw

GRAVITY = (0.0, 0.0, -9.81)  # [m/s^2]
STRATEGIES = ("rigid", "reactive")
APPROACH = 0.003  # [m] between the peg and the lip at the start
DONE = 0.001  # [m]: an inserted peg is nearer to its target than this, a missed one has not entered by as much
WRENCH = 0.2  # [N]: four times what a 32-bit solver leaves here, a fraction of what a missed contact would make
NO_STALL = "the peg did not stall"
INSERTED, STALLED, OVERLOAD, MISSED, UNFINISHED = range(5)


@dataclass(slots=True, kw_only=True)
class PegInsertion(Experiment):
    """Parameters of the peg insertion.

    Attributes:
        peg: "round" in a bore of 16 flat pieces, or "square" in one of 4; 20 mm across, 60 mm long, 0.15 kg.
        clearance: radial [m].
        tilt: of the peg about y [degree], held about the middle of its inserted length.
        offset: of that point along x [m].
        friction: Coulomb coefficient of peg and bore [1].
        controller: "rigid" pushes down, "reactive" complies, searches and inserts once it is stuck.
        carrier: "carriage" of three slides and three hinges, or "fr3" with the peg on its flange.
        stiffness [N/m], damping [N s/m]: of the impedance sideways and along the bore.
        turning_stiffness [N m/rad], turning_damping [N m s/rad]: against rotation.
        joint_damping: of the law on every joint [N m s/rad | N s/m]; for the arm's seventh degree of freedom.
        push: largest force along the bore [N].
        speed: of the reference along the bore [m/s].
        target: depth aimed at [m]; the bore is 0.04 m deep and open below.
        force_limit [N], moment_limit [N m]: of the contact wrench about the peg's top centre; beyond them the run ends.
        member: number of an ensemble over small offsets: the bore is moved along x and y by up to `scatter` [m],
            seeded by it; 0 moves nothing.
    """

    NAME: ClassVar[str] = "peg_insertion"
    TEXT: ClassVar[str] = "a peg of 20 mm is pushed into a bore under an explicit impedance law"
    DT: ClassVar[float] = 1e-3
    DURATION: ClassVar[float] = 3.0
    TOLERANCE: ClassVar[tuple[float, float, float]] = (1e-5, 1e-4, 1e-3)
    CONTACTS: ClassVar[bool] = True
    ENSEMBLE: ClassVar[str] = "member"
    OUTCOMES: ClassVar[tuple[str, ...]] = ("inserted", "stalled", "overload", "missed", "unfinished")
    MAIN_METRICS: ClassVar[tuple[str, ...]] = ("outcome", "stall_depth", "peak_force", "peak_moment")
    FORCES_ON: ClassVar[tuple[str, ...]] = ("carrier/peg",)
    SMOKE: ClassVar[dict[str, object]] = {"clearance": 5e-4, "speed": 0.1, "target": 0.01, "duration": 0.3}

    peg: str = "round"
    clearance: float = 1e-4
    tilt: float = 0.75
    offset: float = 0.0
    friction: float = 0.3
    strategy: str = "rigid"
    carrier: str = "carriage"
    stiffness: float = 5000.0
    damping: float = 150.0
    turning_stiffness: float = 1000.0
    turning_damping: float = 6.0
    joint_damping: float = 0.0
    push: float = 10.0
    speed: float = 0.025
    target: float = 0.038
    force_limit: float = 40.0
    moment_limit: float = 4.0
    member: int = 0
    scatter: float = 1e-5

    def __post_init__(self) -> None:
        for kind, name, known in (
            ("peg", self.peg, peg.SHAPES),
            ("strategy", self.strategy, STRATEGIES),
            ("carrier", self.carrier, peg.CARRIERS),
        ):
            if name not in known:
                raise UnknownName(kind, name, known)
        require("clearance", self.clearance, least=0, above=True, below=0.005)
        require("tilt", self.tilt, least=0, below=5)
        require("offset", self.offset, least=-0.002, below=0.002)
        require("friction", self.friction, least=0)
        require("target", self.target, least=0, above=True, below=peg.BORE_DEPTH)
        for name in ("stiffness", "turning_stiffness", "push", "speed", "force_limit", "moment_limit"):
            require(name, getattr(self, name), least=0, above=True)
        for name in ("damping", "turning_damping", "joint_damping", "member", "scatter"):
            require(name, getattr(self, name), least=0)

    @property
    def radians(self) -> float:
        """The tilt [rad]."""
        return math.radians(self.tilt)

    def _bare(self) -> Robot:
        return Robot(name="carrier", description=peg.description(self.peg, self.carrier))

    def reference(self) -> Reference:
        """Dynamics of carrier and peg."""
        return reference_of(model_of(self._bare()), GRAVITY)

    def _home(self) -> Array:
        return np.array(peg.ARM_HOME) if self.carrier == "fr3" else np.zeros(6)

    def lip(self) -> Array:
        """Centre of the bore's upper end in W (3,) [m], under the peg of a carrier at home."""
        pose = self.reference().link_pose(self._home(), LINK)
        return np.array(pose[:3] - [0.0, 0.0, peg.LENGTH + APPROACH])

    def _placed(self) -> Array:
        """Where the bore is put: off the reference's axis by what the member adds."""
        moved = self.lip()
        if self.member:
            moved[:2] += np.random.default_rng(self.member).uniform(-self.scatter, self.scatter, 2)
        return moved

    def scene(self, dt: float) -> Scene:
        material = Material(friction=self.friction)
        start = peg.tilted(self.lip(), -APPROACH, self.radians, self.offset)
        q0 = peg.reach(self.reference(), LINK, start, self._home())
        bare = self._bare()
        robot = Robot(
            name=bare.name,
            description=bare.description,
            q0=tuple(float(q) for q in q0),
            contacts=True,
            material=material,
        )
        hole = peg.bore(self.peg, self.clearance, self._placed(), material)
        return Scene(name=self.NAME, bodies=(hole,), robots=(robot,), gravity=GRAVITY)

    def controller(self, schedule: Schedule) -> Controller | None:
        reference, period = self.reference(), schedule.control_period * schedule.dt
        damping = np.array([self.damping] * 3 + [self.turning_damping] * 3)
        law = Impedance(stiffness=0 * damping, damping=damping, joint_damping=self.joint_damping)
        check_stability(reference, LINK, law, self._home(), period)
        own = {"force": self.push, "start": -APPROACH, "tilt": self.radians}
        same = (field.name for field in fields(Push) if field.name not in own)
        push = Push(**own, **{name: getattr(self, name) for name in same})
        kind = ReactiveLaw if self.strategy == "reactive" else PegLaw
        return kind(reference, self.lip(), push, period)

    def series(self, trace: Trace, context: Context) -> Sequence[Series]:
        return measures.series(*self._measured().of(trace))

    def metrics(self) -> Sequence[Metric]:
        seen = self._measured()

        def stalled(trace: Trace, context: Context) -> bool:
            return self._outcome(seen, trace, context) == STALLED

        return (
            Metric(
                "outcome",
                "",
                "how it ended; unfinished is a run that was too short",
                lambda t, c: self._outcome(seen, t, c),
            ),
            Metric(
                "final_depth",
                "m",
                "depth of the peg's lowest point below the lip at the end",
                lambda t, c: float(seen.of(t)[0][-1]),
            ),
            Metric(
                "stall_depth",
                "m",
                "that depth where the peg stalled",
                lambda t, c: float(seen.of(t)[0][-1]) if stalled(t, c) else math.nan,
                absent=NO_STALL,
            ),
            Metric(
                "creep_speed",
                "m/s",
                "speed of a stalled peg over the last 0.1 s",
                lambda t, c: measures.late_speed(seen.of(t)[0], t) if stalled(t, c) else math.nan,
                absent=NO_STALL,
            ),
            Metric(
                "jam_depth",
                "m",
                "(D - d cos t)/tan t: where a peg held at its tilt touches both sides",
                self._jam,
                absent="the tilt lets the peg pass to its target",
            ),
            Metric(
                "peak_force",
                "N",
                "largest derived force at the peg's top",
                lambda t, c: measures.peak(seen.of(t)[1][:, measures.FORCE]),
            ),
            Metric(
                "peak_moment",
                "N m",
                "largest derived moment about it",
                lambda t, c: measures.peak(seen.of(t)[1][:, measures.MOMENT]),
            ),
            Metric(
                "wrench_difference",
                "N",
                "largest |derived contact force - the engine's own sum|",
                lambda t, c: measures.difference(seen.of(t)[1], c.contacts),
                absent="the engine gives no friction force per contact point",
            ),
            Metric(
                "contact_work",
                "J",
                "work of the derived wrench",
                lambda t, c: measures.work(self.reference(), t, seen.of(t)[1]),
            ),
            Metric(
                "contact_samples",
                "1",
                "samples in which the engine reports a contact with force",
                lambda trace, context: measures.touched(context.contacts),
                absent="the engine gives no contact points",
            ),
            Metric(
                "reacted_at",
                "s",
                "when the reactive strategy found the peg stuck",
                lambda trace, context: getattr(context.controller, "since", None) or math.nan,
                absent="nothing reacted",
            ),
            Metric("saturated_samples", "1", "control samples in which a torque limit cut", self._saturated),
        )

    def checks(self) -> Sequence[Check]:
        return (
            Check(
                "contact_samples",
                self._expected_contacts,
                lambda context, _: 0.5,
                "geometry: the tilted peg's ends stay within the bore, so that it touches nothing on its way",
            ),
            Check(
                "wrench_difference",
                self._expected_difference,
                lambda context, _: WRENCH,
                "M vdot + bias - tau is the contact wrench of a semi-implicit step; the solver's own residual remains",
            ),
            Check("saturated_samples", lambda t, c: 0.0, lambda c, _: 0.5, "no torque limit may cut"),
        )

    def _measured(self) -> measures.Measured:
        return measures.Measured(self.reference(), self.lip())

    def _outcome(self, seen: measures.Measured, trace: Trace, context: Context) -> float:
        if context.controller is not None and context.controller.ended:
            return OVERLOAD
        depths, _ = seen.of(trace)
        if depths[-1] > self.target - DONE:
            return INSERTED
        if measures.late_speed(depths, trace) > self.speed / 2:
            return UNFINISHED  # it still goes down as it was told to: the run was too short
        return MISSED if depths[-1] < DONE else STALLED

    def _jam(self, trace: Trace, context: Context) -> float:
        depth = peg.jam_depth(self.clearance, self.radians)
        return depth if depth < self.target else math.nan

    def _saturated(self, trace: Trace, context: Context) -> float:
        assert isinstance(context.controller, PegLaw)
        return float(context.controller.saturated)

    def _expected_contacts(self, trace: Trace, context: Context) -> float | NotApplicable:
        if context.contacts is None:
            return NotApplicable("the engine gives no contact points")
        # what the law leaves: it holds the tilt and the offset to a small part of the clearance
        if peg.touches(self.clearance * 0.9, self.radians, self.offset, self.target):
            return NotApplicable("geometry lets the peg touch")
        return 0.0

    def _expected_difference(self, trace: Trace, context: Context) -> float | NotApplicable:
        if context.contacts is None or not np.isfinite(context.contacts.rows.f_friction).all():
            return NotApplicable("the engine gives no friction force per contact point")
        if not len(context.contacts.sample):
            return NotApplicable("nothing touched")
        return 0.0
