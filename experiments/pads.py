"""What presses the soft ball: a gripper of two pads on slides, an arm with its hand, or two plates; and their laws."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from ..harness.controller import Gains, TorqueLaw, minimum_jerk
from ..harness.mjcf import numbers
from ..harness.reference import Reference
from ..harness.scene import Array
from .ball_mesh import RADIUS

FINGER_MASS, CARRIAGE_MASS = 0.015, 0.5  # [kg]
PAD = (0.008, 0.04, 0.04)  # thickness along the closing direction and the edges of the face [m]
GAP = 0.002  # [m] between each pad and the ball at the start
PLATE = (0.1, 0.1, 0.01)  # [m]
PLATE_LINK = 0.2  # [kg] of each of the three slides of a plate
PAD_ABOVE_TOOL = 0.01  # [m] of the middle of the hand's pads
HAND = Path(__file__).parent / "assets" / "fr3_hand.xml"
# the tool points down and its closing direction lies along y
ARM_HOME = (0.0, -math.pi / 4, 0.0, -3 * math.pi / 4, 0.0, math.pi / 2, math.pi / 4)


def gripper() -> str:
    """MJCF text: slide "lift" along z carries the pads "left" and "right", whose slides close when positive."""
    far = RADIUS + GAP + PAD[0] / 2
    half = numbers(size / 2 for size in PAD)
    inertia = numbers(FINGER_MASS * (a * a + b * b) / 12 for a, b in ((PAD[1], PAD[2]), (PAD[0], PAD[2]), PAD[:2]))
    fingers = "".join(
        f"""
      <body name="{name}" pos="{sign * far!r} 0 0">
        <inertial pos="0 0 0" mass="{FINGER_MASS!r}" diaginertia="{inertia}"/>
        <joint name="{name}" type="slide" axis="{-sign} 0 0"/>
        <geom name="{name}" type="box" size="{half}"/>
      </body>"""
        for name, sign in (("left", -1), ("right", 1))
    )
    return f"""<mujoco model="gripper">
  <compiler angle="radian"/>
  <worldbody>
    <body name="carriage" pos="0 0 {RADIUS!r}">
      <inertial pos="0 0 0" mass="{CARRIAGE_MASS!r}" diaginertia="1e-3 1e-3 1e-3"/>
      <joint name="lift" type="slide" axis="0 0 1"/>{fingers}
    </body>
  </worldbody>
</mujoco>"""


def hand_on_arm() -> str:
    """MJCF text of the FR3 with its hand, of which only the pads can touch, without joint losses."""
    root = ElementTree.fromstring(HAND.read_text())
    world = next(root.iter("worldbody"))  # not the defaults
    for geom in world.iter("geom"):
        if geom.get("name") not in ("left_pad", "right_pad"):
            geom.set("contype", "0")
            geom.set("conaffinity", "0")
    for joint in world.iter("joint"):
        joint.set("damping", "0")
        joint.set("frictionloss", "0")
    return ElementTree.tostring(root, encoding="unicode")


def plates(gap: float) -> str:
    """MJCF text of two horizontal plates, each on slides along x, y and z, the faces 2 R + `gap` [m] apart.

    The upper face of "lower" is at z = 0; joints are "lower_x" ... "upper_z".
    """
    half = numbers(size / 2 for size in PLATE)
    parts = []
    for name, z in (("lower", -PLATE[2] / 2), ("upper", 2 * RADIUS + gap + PLATE[2] / 2)):
        opened = ""
        for axis, vector in (("x", "1 0 0"), ("y", "0 1 0"), ("z", "0 0 1")):
            link = name if axis == "z" else f"{name}_{axis}_slide"
            at = f' pos="0 0 {z!r}"' if axis == "x" else ""
            opened += f"""<body name="{link}"{at}>
      <inertial pos="0 0 0" mass="{PLATE_LINK!r}" diaginertia="1e-3 1e-3 1e-3"/>
      <joint name="{name}_{axis}" type="slide" axis="{vector}"/>"""
        parts.append(f'{opened}<geom name="{name}" type="box" size="{half}"/></body></body></body>')
    return f"""<mujoco model="plates">
  <compiler angle="radian"/>
  <worldbody>{"".join(parts)}</worldbody>
</mujoco>"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Squeeze:
    """How a pad closes: a reference that moves at `speed` [m/s] from `start` [m] by at most `travel` [m].

    `stiffness` [N/m] and `damping` [N s/m] of the law; `effort` [N] is its limit, which is what presses in the end.
    `drag` [N s/m] of the drive acts beside the limit: two pads at their limit leave the ball free to drift sideways,
    and without drag whatever momentum a coupler makes builds up there.
    """

    effort: float
    start: float = 0.0
    speed: float = 0.06
    travel: float = 0.02
    stiffness: float = 1000.0
    damping: float = 3.0
    drag: float = 3.0

    def force(self, time: float, closed: float, rate: float) -> float:
        """Closing force [N] of a pad that is `closed` by [m] since the start and closes at `rate` [m/s]."""
        wanted = min(self.speed * time, self.travel)
        moving = self.speed if wanted < self.travel else 0.0
        wish = self.stiffness * (wanted - closed) + self.damping * (moving - rate)
        return float(np.clip(wish, -self.effort, self.effort)) - self.drag * rate


@dataclass(frozen=True, slots=True, kw_only=True)
class Phases:
    """When the grasp closes, lifts by `height` [m], holds and lowers; durations [s]."""

    close: float
    lift: float
    hold: float
    lower: float
    height: float

    @property
    def lift_at(self) -> float:
        """When lifting begins [s]."""
        return self.close

    @property
    def hold_at(self) -> float:
        """When the pads are up [s]."""
        return self.close + self.lift

    @property
    def lower_at(self) -> float:
        """When lowering begins [s]."""
        return self.hold_at + self.hold

    def way(self, time: float) -> tuple[float, float]:
        """Height above the start [m] and its rate [m/s], minimum-jerk up and down."""
        up = minimum_jerk(np.zeros(1), np.array([self.height]), self.lift)(time - self.lift_at)
        down = minimum_jerk(np.zeros(1), np.array([self.height]), self.lower)(time - self.lower_at)
        return float(up[0][0] - down[0][0]), float(up[1][0] - down[1][0])

    @property
    def peak_acceleration(self) -> float:
        """Largest acceleration of the lift [m/s^2]: 10/sqrt(3) h / T^2 of a minimum-jerk motion."""
        return 10 / math.sqrt(3) * self.height / self.lift**2


class SlideGrip:
    """Two pads pressed by `squeeze`, carried along `phases` by a lift that is 60 rad/s stiff and critically damped."""

    ended = ""
    BANDWIDTH = 60.0  # [rad/s]

    def __init__(self, phases: Phases, squeeze: Squeeze, gravity: float) -> None:
        self.phases, self.squeeze = phases, squeeze
        self.mass = CARRIAGE_MASS + 2 * FINGER_MASS
        self.weight = self.mass * gravity

    def reset(self) -> None:
        """Nothing is counted."""

    def torque(self, time: float, q: Array, v: Array) -> Array:
        """Forces on lift, left and right [N]."""
        z, rate = self.phases.way(time)
        w = self.BANDWIDTH
        lift = self.weight + self.mass * (w * w * (z - q[0]) + 2 * w * (rate - v[0]))
        pads = [self.squeeze.force(time, q[k], v[k]) for k in (1, 2)]
        return np.array([lift, *pads])


class ArmGrip:
    """The arm's joints under the torque law `arm`, the two finger joints, which come last, pressed by `squeeze`.

    The hand's slides open when positive.
    """

    ended = ""

    def __init__(self, reference: Reference, arm: TorqueLaw, squeeze: Squeeze) -> None:
        self.reference, self.arm, self.squeeze = reference, arm, squeeze

    def reset(self) -> None:
        """Count from zero again."""
        self.arm.reset()

    def torque(self, time: float, q: Array, v: Array) -> Array:
        """Torques of the arm [N m], then forces of the fingers [N]."""
        tau = self.arm.torque(time, q, v)
        gravity = self.reference.gravity_torque(q)
        for k in (-2, -1):
            tau[k] = gravity[k] - self.squeeze.force(time, self.squeeze.start - q[k], -v[k])
        return tau


class PlatePress:
    """Holds both plates, of `PLATE_LINK` times 1, 2, 3 kg along z, y, x, and moves the upper one down along `ways`."""

    ended = ""
    BANDWIDTH = 150.0  # [rad/s]

    def __init__(self, reference: Reference, down: Sequence[tuple[float, float]], gravity: float) -> None:
        M = np.diag(reference.mass_matrix(np.zeros(6)))
        self.gains = Gains(self.BANDWIDTH**2 * M, 2 * self.BANDWIDTH * M)
        self.bias = reference.bias(np.zeros(6), np.zeros(6))
        self.down = down

    def reset(self) -> None:
        """Nothing is counted."""

    def target(self, time: float) -> tuple[float, float]:
        """Height of the upper plate against its start [m] and its rate [m/s]: linear between the points of `down`."""
        (t0, z0), *later = self.down
        for t1, z1 in later:
            if time < t1:
                rate = (z1 - z0) / (t1 - t0)
                return z0 + rate * (time - t0), rate
            t0, z0 = t1, z1
        return z0, 0.0

    def torque(self, time: float, q: Array, v: Array) -> Array:
        """Forces on lower x, y, z and upper x, y, z [N]."""
        z, rate = self.target(time)
        wanted, moving = np.zeros(6), np.zeros(6)
        wanted[5], moving[5] = z, rate
        return self.bias + self.gains.kp * (wanted - q) + self.gains.kd * (moving - v)
