"""A capsule held by friction between two pads: how fast it creeps down where Coulomb friction would hold it.

Friction that an engine regularises has no stiction: a load below the cone slips, steadily, at a speed that the contact
law fixes. See `harness.contact_law.creep_speed`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..harness.contact_law import creep_speed
from ..harness.engine import Impulse, Soft
from ..harness.errors import UnknownName
from ..harness.experiment import Check, Context, Experiment, Metric, NotApplicable, by_precision, require
from ..harness.rollout import Controller, Event
from ..harness.scene import Array, Body, Capsule, Material, Pose, Robot, Scene
from ..harness.schedule import Schedule
from ..harness.solids import capsule_inertia
from ..harness.trace import Trace

NAME, GRIPPER, PADS = "capsule", "gripper", ("left_pad", "right_pad")
GRAVITY = 9.81  # [m/s^2]
AXES = ("horizontal", "vertical")
PAD = (0.01, 0.14, 0.14)  # edges of a pad [m]: thin along the squeeze, its face wider than any line of contact
RELEASE = 0.3  # [s] for which a force m g bears the capsule while the pads close
WINDOW = 0.5  # [s] at the end over which the creep is measured
TURNING = 1e-3  # speed of the capsule's ends about its centre, over its own, below which contacts share the load evenly
CENTRING, CENTRING_DAMPING = 200.0, 10.0  # [N/m], [N s/m] against a common travel of both pads


class Squeeze:
    """The same force [N] on both pads, less a spring and a damper that act on their common travel alone."""

    ended = ""

    def __init__(self, force: float) -> None:
        self.force = force

    def torque(self, time: float, q: Array, v: Array) -> Array:
        """Forces (2,) [N] that close; opposite travels of the pads leave them at `force`."""
        common = CENTRING * (q[0] - q[1]) / 2 + CENTRING_DAMPING * (v[0] - v[1]) / 2
        return np.array([self.force - common, self.force + common])

    def reset(self) -> None:
        """Nothing is counted."""


@dataclass(slots=True, kw_only=True)
class PinchCreep(Experiment):
    """Parameters of the pinch.

    Attributes:
        mass: of the capsule [kg]; `radius` [m]; `length` of its straight part [m].
        axis: "horizontal" lays the capsule level, "vertical" upright, both along the pads' faces: a line of contact.
        friction: Coulomb coefficient mu of capsule and pads [1].
        squeeze: force on each pad [N]; 2 mu squeeze must exceed m g.
        pad_mass: of each pad [kg].
    """

    NAME: ClassVar[str] = "pinch_creep"
    TEXT: ClassVar[str] = "a capsule of 0.1 kg is held between two pads by friction 0.5"
    DT: ClassVar[float] = 1e-3
    DURATION: ClassVar[float] = 1.5
    CONTACTS: ClassVar[bool] = True
    TOLERANCE: ClassVar[tuple[float, float, float]] = (1e-5, 1e-3, 1e-4)
    SMOKE: ClassVar[Mapping[str, Any]] = {"duration": 0.9, "dt": 2e-3}

    mass: float = 0.1
    radius: float = 0.015
    length: float = 0.06
    axis: str = "horizontal"
    friction: float = 0.5
    squeeze: float = 5.0
    pad_mass: float = 0.2

    def __post_init__(self) -> None:
        if self.axis not in AXES:
            raise UnknownName("axis", self.axis, AXES)
        for name in ("mass", "radius", "friction", "pad_mass"):
            require(name, getattr(self, name), least=0, above=True)
        require("length", self.length, least=0, below=PAD[1] - 0.02, above=True)
        require("squeeze", self.squeeze, least=self.mass * GRAVITY / (2 * self.friction), above=True)

    def scene(self, dt: float) -> Scene:
        surface = Material(friction=self.friction)
        half = math.sqrt(0.5)
        turn = (half, half, 0.0, 0.0) if self.axis == "horizontal" else (1.0, 0.0, 0.0, 0.0)
        body = Body(
            name=NAME,
            shapes=(Capsule(self.radius, self.length),),
            mass=self.mass,
            inertia=capsule_inertia(self.mass, self.radius, self.length),
            pose=Pose((0.0, 0.0, 0.0), turn),
            material=surface,
        )
        robot = Robot(name=GRIPPER, description=self._gripper(), contacts=True, material=surface)
        return Scene(name=self.NAME, bodies=(body,), robots=(robot,), gravity=(0.0, 0.0, -GRAVITY))

    def _gripper(self) -> str:
        """Two pads on slides that close along x, each touching the capsule at zero travel, its mass 10 mm further out.

        With the mass at the origin of its frame MuJoCo takes 1/m of a body on one slide along an axis for its inverse
        inertia, elsewhere the mean 1/(3 m) over three directions, and the creep differs by as much.
        """
        x, y, z = PAD
        apart = self.radius + x / 2
        moments = " ".join(repr(self.pad_mass * s / 12) for s in (y * y + z * z, x * x + z * z, x * x + y * y))
        pads = "".join(
            f"""
      <body name="{name}" pos="{-side * apart!r} 0 0">
        <inertial mass="{self.pad_mass!r}" pos="{-side * x!r} 0 0" diaginertia="{moments}"/>
        <joint name="{name}_slide" type="slide" axis="{side} 0 0"/>
        <geom type="box" size="{x / 2!r} {y / 2!r} {z / 2!r}"/>
      </body>"""
            for name, side in zip(PADS, (1, -1), strict=True)
        )
        return f"""<mujoco model="gripper">
  <compiler angle="radian" autolimits="true"/>
  <worldbody>
    <body name="stand">{pads}
    </body>
  </worldbody>
</mujoco>"""

    def events(self, dt: float) -> Sequence[Event]:
        bear = np.array([[0.0, 0.0, self.mass * GRAVITY, 0.0, 0.0, 0.0]])
        return (Event(time=0.0, wrench=bear), Event(time=RELEASE, wrench=np.zeros((1, 6))))

    def controller(self, schedule: Schedule) -> Controller | None:
        return Squeeze(self.squeeze)

    @property
    def use(self) -> float:
        """Part of the friction capacity that the weight takes [1]: m g / (2 mu squeeze)."""
        return self.mass * GRAVITY / (2 * self.friction * self.squeeze)

    def metrics(self) -> Sequence[Metric]:
        return (
            Metric("creep_speed", "m/s", "downward speed against the pads, mean over the last 0.5 s", self._creep),
            Metric("slip", "m", "way down from the release to the end of the run", self._slip),
            Metric("holding_force", "N", "vertical contact force on the capsule, mean over the last 0.5 s", self._held),
            Metric("pad_force", "N", "normal force on the left pad, mean over the last 0.5 s", self._pressed),
            Metric("sideways", "m", "largest |x| of the capsule's centre", self._sideways),
            Metric("tilt", "rad", "angle of the capsule's axis to its direction at the start, at the end", self._tilt),
        )

    def checks(self) -> Sequence[Check]:
        return (
            Check("creep_speed", self._expected_creep, self._creep_tolerance, _CREEP),
            Check(
                "holding_force",
                self._expected_hold,
                self._hold_tolerance,
                "m (g + dv/dt), momentum balance over the window; the precision of the state, or the part of all "
                "forces on the capsule that a solver leaves",
            ),
            Check(
                "pad_force",
                self._expected_press,
                by_precision(1e-6, 1e-3),
                "the pad rests along its slide, so the contact bears the squeeze; what motion is left, and precision",
            ),
        )

    def _window(self, trace: Trace) -> slice:
        return slice(len(trace.time) - 1 - self._steps(trace, WINDOW), None)

    def _steps(self, trace: Trace, seconds: float) -> int:
        return min(round(seconds / trace.sample_interval), len(trace.time) - 1)

    def _creep(self, trace: Trace, context: Context) -> float:
        z = trace.of("p_WB", NAME)[self._window(trace), 2]
        return -float((z[-1] - z[0]) / ((len(z) - 1) * trace.sample_interval))

    def _slip(self, trace: Trace, context: Context) -> float:
        z = trace.of("p_WB", NAME)[:, 2]
        return float(z[self._steps(trace, RELEASE)] - z[-1])

    def _held(self, trace: Trace, context: Context) -> float:
        return float(trace.of("f_B_W", NAME)[self._window(trace), 2][1:].mean())

    def _pressed(self, trace: Trace, context: Context) -> float:
        if context.contacts is None:
            return math.nan
        normal, _ = context.contacts.force_on(f"{GRIPPER}/{PADS[0]}", len(trace.time))
        return -float(normal[self._window(trace), 0][1:].mean())

    def _sideways(self, trace: Trace, context: Context) -> float:
        return float(np.abs(trace.of("p_WB", NAME)[:, 0]).max())

    def _tilt(self, trace: Trace, context: Context) -> float:
        q = trace.of("q_WB", NAME)
        start, end = (_axis(q[k]) for k in (0, -1))
        return float(math.atan2(float(np.linalg.norm(np.cross(start, end))), float(start @ end)))

    def _expected_hold(self, trace: Trace, context: Context) -> float | NotApplicable:
        note = context.resolution.channel_notes.get("f_B_W")
        if note is not None:
            return NotApplicable(note.reason)
        v = trace.of("v_WB", NAME)[self._window(trace), 2]
        return self.mass * (GRAVITY + float(v[-1] - v[0]) / ((len(v) - 1) * trace.sample_interval))

    def _hold_tolerance(self, context: Context, expected: float) -> float:
        weight = self.mass * GRAVITY
        precision = weight * (1e-9 if context.precision == 64 else 1e-4)
        return max(precision, context.resolution.residual * (weight + 2 * self.squeeze))

    def _expected_press(self, trace: Trace, context: Context) -> float | NotApplicable:
        if context.contacts is None:
            return NotApplicable("the engine gives no contact points")
        return self.squeeze

    def _expected_creep(self, trace: Trace, context: Context) -> float | NotApplicable:
        law = context.resolution.contact_law
        if isinstance(law, Impulse):
            return 0.0
        if not isinstance(law, Soft):
            return NotApplicable("the engine states no contact law from which the creep follows")
        table = context.resolution.table
        held = {name: row.value for name in ("cone", "impratio", "noslip_iterations") if (row := table.get(name))}
        cone, impratio = held.get("cone"), held.get("impratio")
        if cone not in ("elliptic", "pyramidal") or not isinstance(impratio, (int, float)):
            return NotApplicable("the engine does not say its friction cone and impratio")
        if held.get("noslip_iterations"):
            return NotApplicable("a second solver takes the creep out (noslip_iterations)")
        pyramid = cone == "pyramidal"
        if pyramid and self.use > 0.5:
            return NotApplicable("above half of its capacity an edge of the pyramid lets go: which, is the engine's")
        counts = trace.of("contact_count", NAME)[self._window(trace), 0]
        if counts.min() != counts.max() or counts[0] < 2:
            return NotApplicable(f"the number of contacts varies from {counts.min():g} to {counts.max():g}")
        turning = self._turning(trace)
        if turning > TURNING:
            return NotApplicable(f"the capsule turns: its ends move at {turning:.2g} of the speed of its centre")
        armature = table[f"joint.{PADS[0]}_slide.armature"].value
        pad = self.pad_mass + (armature if isinstance(armature, (int, float)) else 0.0)
        return creep_speed(
            law,
            contacts=float(counts[0]),
            inverse_mass=1 / self.mass + 1 / (3 * pad),
            press=2 * self.squeeze,
            load=self.mass * GRAVITY,
            softness=2 * law.regularizer / self.friction**2 if pyramid else 1.0 / impratio,
        )

    def _turning(self, trace: Trace) -> float:
        """Mean speed of an end of the capsule about its centre over the mean speed of that, in the window [1]."""
        v, w = trace.of("v_WB", NAME)[self._window(trace), 2], trace.of("w_WB", NAME)[self._window(trace)]
        about = float(np.linalg.norm(w.mean(axis=0))) * (self.length / 2 + self.radius)
        return about / abs(float(v.mean())) if v.any() else math.inf

    def _creep_tolerance(self, context: Context, expected: float) -> float:
        return expected * (1e-5 if context.precision == 64 else 1e-3) if expected else 1e-6


_CREEP = (
    "v = R_t f_t / B with R_t = R_n / impratio, or 2 r R_n / mu^2 for a pyramid, to 1e-5, what solvers leave, or "
    "the precision of the state; 0 for impulses, where 1 um/s would take 12 days for a metre"
)


def _axis(q: Array) -> Array:
    """The body's z axis in W, for a quaternion, scalar first."""
    w, x, y, z = q
    return np.array([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)])
