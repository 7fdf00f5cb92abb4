"""What the arm experiments share: a robot under one explicit torque law, followed through sinusoids on all joints."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ..harness.controller import (
    DrivenLaw,
    Target,
    TorqueLaw,
    cartesian_line,
    configurations,
    gains,
    minimum_jerk,
    sinusoids,
)
from ..harness.description import files_of
from ..harness.errors import UnknownName, UsageError
from ..harness.experiment import Check, Experiment, Metric, require
from ..harness.geometry import without_geometry
from ..harness.payload import Load, loaded
from ..harness.reference import Reference, reference_of
from ..harness.robot_model import RobotModel, model_of
from ..harness.rollout import Controller
from ..harness.scene import Array, Robot, Scene
from ..harness.schedule import Schedule
from .arm_measures import arm_metrics

ASSETS = Path(__file__).parent / "assets"
GRAVITY = (0.0, 0.0, -9.81)  # [m/s^2]
DRIVES = ("torque", "native")
MOTIONS = ("sinusoids", "minimum_jerk", "line")
MOVE = 2.0  # [s] that the minimum-jerk motion takes
RAMP = 1.0  # [s] over which the motion fades in
FREQUENCIES = (0.25, 0.55)  # [Hz] from the first joint to the last


def description_of(robot: str) -> str:
    """Path of one of our robots by name, or the user's own path."""
    if robot.endswith((".xml", ".urdf", ".mjcf")):
        return robot
    path = ASSETS / f"{robot}.xml"
    if not path.is_file():
        known = ", ".join(sorted(p.stem for p in ASSETS.glob("*.xml")))
        raise UsageError(
            f"robot {robot!r} does not exist; known robots: {known}, or give a path that ends in .xml or .urdf"
        )
    return str(path)


def centre_of(robot: str, model: RobotModel, homes: Mapping[str, tuple[float, ...]]) -> Array:
    """Where the motion is centred: the robot's home, or the middle of each range (0 where there is none)."""
    if robot in homes:
        return np.array(homes[robot])
    middle = [(j.lower + j.upper) / 2 if math.isfinite(j.lower + j.upper) else 0.0 for j in model.joints]
    return np.array(middle)


@dataclass(slots=True, kw_only=True)
class Arm(Experiment):
    """Parameters of an arm experiment; see `SingleArm` and `Duo`.

    Attributes:
        robot: name of one of our robots, or path of an MJCF (.xml) or URDF (.urdf) file.
        flange: name of the link whose pose is followed; empty takes the last link.
        bandwidth: natural frequency w of every joint under the law [rad/s].
        soften: scales kp by s and kd by sqrt(s) [1].
        motion: "sinusoids" swings all joints about the centre, "minimum_jerk" moves all of them there and stops,
            "line" moves the flange by `line` [m] in W with its orientation kept.
        amplitude: of the motion, as a part of the way from the centre to the nearer limit, or of 0.4 rad or 0.1 m where
            that is less.
        drive: "torque" is one explicit law for all engines; "native" puts its kp and kd into the engine's own position
            drives, with the same targets at every control period, and commands only the gravity torque.
        load: mass on the flange [kg], a solid ball of steel at `load_offset` [m] along the flange's z.
    """

    DT: ClassVar[float] = 1e-3
    DURATION: ClassVar[float] = 3.0
    TOLERANCE: ClassVar[tuple[float, float, float]] = (1e-5, 1e-4, 1e-4)
    SMOKE: ClassVar[Mapping[str, Any]] = {"duration": 0.02}
    HOME: ClassVar[dict[str, tuple[float, ...]]] = {}

    robot: str = "fr3"
    flange: str = ""
    bandwidth: float = 60.0
    soften: float = 1.0
    motion: str = "sinusoids"
    amplitude: float = 0.5
    line: tuple[float, float, float] = (0.0, 0.0, -0.1)
    drive: str = "torque"
    load: float = 0.0
    load_offset: float = 0.05

    def __post_init__(self) -> None:
        if self.motion not in MOTIONS:
            raise UnknownName("motion", self.motion, MOTIONS)
        if self.drive not in DRIVES:
            raise UnknownName("drive", self.drive, DRIVES)
        require("bandwidth", self.bandwidth, least=0, above=True)
        require("soften", self.soften, least=0, above=True)
        require("amplitude", self.amplitude, least=0, below=1)
        require("load", self.load, least=0)

    def inputs(self) -> Sequence[str]:
        return files_of(description_of(self.robot))

    def model(self) -> RobotModel:
        """The source model of the loaded robot."""
        return model_of(self._robot())

    def _robot(self) -> Robot:
        bare = without_geometry(Robot(name="robot", description=description_of(self.robot)))
        model = model_of(bare)
        radius = (3 * self.load / (4 * math.pi * 7800.0)) ** (1 / 3)  # a ball of steel
        moment = 0.4 * self.load * radius**2
        load = Load(mass=self.load, com=(0.0, 0.0, self.load_offset), inertia=(moment, moment, moment, 0.0, 0.0, 0.0))
        carrying = loaded(bare, self._flange(model), load)
        centre = tuple(float(x) for x in self._centre(model))
        return Robot(name=bare.name, description=carrying.description, q0=centre)

    def _flange(self, model: RobotModel) -> str:
        return model.link(self.flange).name if self.flange else model.links[-1].name

    def _centre(self, model: RobotModel) -> Array:
        return centre_of(self.robot, model, self.HOME)

    def _motion(self, model: RobotModel) -> tuple[Array, Array]:
        """Amplitude [rad | m] and frequency [Hz] of each joint."""
        centre = self._centre(model)
        most = [0.4 if joint.kind == "hinge" else 0.1 for joint in model.joints]
        room = [min(j.upper - c, c - j.lower) for j, c in zip(model.joints, centre, strict=True)]
        amplitude = self.amplitude * np.minimum(most, np.maximum(room, 0.0))
        return amplitude, np.linspace(*FREQUENCIES, len(centre))

    def scene(self, dt: float) -> Scene:
        return Scene(name=self.NAME, robots=(self._robot(),), gravity=GRAVITY)

    def _target(self, reference: Reference, period: float) -> Target:
        amplitude, frequency = self._motion(reference.robot)
        centre = self._centre(reference.robot)
        if self.motion == "line":
            x, y, z = self.line
            return cartesian_line(reference, self._flange(reference.robot), centre, (x, y, z), MOVE, period)
        if self.motion == "minimum_jerk":
            return minimum_jerk(centre, centre + amplitude, MOVE)
        return sinusoids(centre, amplitude, frequency, RAMP)

    def controller(self, schedule: Schedule) -> Controller | None:
        """The law with gains by the rule for any robot.

        Raises:
            UsageError: it would be unstable at the start or at a configuration of the motion.
        """
        robot = self._robot()
        reference = reference_of(model_of(robot), GRAVITY)
        period = schedule.control_period * schedule.dt
        target = self._target(reference, period)
        along = configurations(target, schedule.duration)
        chosen = gains(reference, np.array(robot.q0), self.bandwidth, self.soften, period, along)
        return (DrivenLaw if self.drive == "native" else TorqueLaw)(reference, chosen, target)

    def metrics(self) -> Sequence[Metric]:
        return arm_metrics(self._flange(self.model()), driven=self.drive == "native")

    def checks(self) -> Sequence[Check]:
        return (
            Check(
                "saturated_samples",
                lambda trace, context: 0.0,
                lambda context, _: 0.5,
                "no limit may cut the law's torque, or engines are compared on a law that was not applied",
            ),
        )
