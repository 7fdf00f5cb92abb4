"""What the arm experiments share: a robot under one explicit torque law, followed through sinusoids on all joints."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

import numpy as np

from ..harness.controller import Gains, TorqueLaw, cartesian_line, gains, minimum_jerk, sinusoids, stability
from ..harness.description import files_of
from ..harness.engine import Resolved
from ..harness.errors import UnknownName, UsageError
from ..harness.experiment import Check, Context, Experiment, Metric, require
from ..harness.geometry import without_geometry
from ..harness.payload import Load, loaded
from ..harness.reference import Reference
from ..harness.robot_model import RobotModel, model_of
from ..harness.rollout import Controller, Schedule
from ..harness.scene import Array, Robot, Scene
from ..harness.trace import Trace

ASSETS = Path(__file__).parent / "assets"
GRAVITY = (0.0, 0.0, -9.81)  # [m/s^2]
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


@lru_cache(maxsize=8)
def _reference(model: RobotModel) -> Reference:
    return Reference(model, GRAVITY)


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
        load: mass on the flange [kg], a solid ball of steel at `load_offset` [m] along the flange's z.
    """

    DT: ClassVar[float] = 1e-3
    DURATION: ClassVar[float] = 3.0
    TOLERANCE: ClassVar[tuple[float, float, float]] = (1e-5, 1e-4, 1e-4)
    HOME: ClassVar[dict[str, tuple[float, ...]]] = {}

    robot: str = "fr3"
    flange: str = ""
    bandwidth: float = 60.0
    soften: float = 1.0
    motion: str = "sinusoids"
    amplitude: float = 0.5
    line: tuple[float, float, float] = (0.0, 0.0, -0.1)
    load: float = 0.0
    load_offset: float = 0.05

    def __post_init__(self) -> None:
        if self.motion not in MOTIONS:
            raise UnknownName("motion", self.motion, MOTIONS)
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

    def law(self, schedule: Schedule) -> tuple[Gains, Reference]:
        """Gains by the rule for any robot, and the reference that gives the gravity torque."""
        robot = self._robot()
        reference = _reference(model_of(robot))
        period = schedule.control_period * schedule.dt
        return gains(reference, np.array(robot.q0), self.bandwidth, self.soften, period), reference

    def controller(self, schedule: Schedule) -> Controller | None:
        chosen, reference = self.law(schedule)
        amplitude, frequency = self._motion(reference.robot)
        centre = self._centre(reference.robot)
        if self.motion == "line":
            x, y, z = self.line
            flange = self._flange(reference.robot)
            spacing = schedule.control_period * schedule.dt
            return TorqueLaw(reference, chosen, cartesian_line(reference, flange, centre, (x, y, z), MOVE, spacing))
        if self.motion == "minimum_jerk":
            return TorqueLaw(reference, chosen, minimum_jerk(centre, centre + amplitude, MOVE))
        return TorqueLaw(reference, chosen, sinusoids(centre, amplitude, frequency, RAMP))

    def metrics(self) -> Sequence[Metric]:
        return (
            Metric("joint_error_rms", "rad", "root mean square of q - q_ref over joints and time", self._joint_rms),
            Metric("joint_error_max", "rad", "largest |q - q_ref|", self._joint_max),
            Metric(
                "flange_error_rms", "m", "root mean square distance of the flange from its reference", self._flange_rms
            ),
            Metric(
                "flange_error_max",
                "m",
                "largest distance of the flange from its reference, by the source model, every tenth sample",
                self._flange_max,
            ),
            Metric("torque_rms", "N m", "root mean square torque over joints and time", self._torque_rms),
            Metric("saturated_samples", "1", "control samples in which a torque limit cut", self._saturated),
            Metric(
                "energy_residual", "J", "largest |E(t) - E(0) - work of torque, damping and friction|", self._energy
            ),
            Metric("energy_exchanged", "J", "largest E(t) less the smallest, to hold it against", self._exchanged),
            Metric("stability_number", "1", "lambda_max(M^-1 Kd) dt at the start", self._stability),
        )

    def checks(self) -> Sequence[Check]:
        return (
            Check(
                "saturated_samples",
                lambda trace, context: 0.0,
                lambda context, _: 0.5,
                "no limit may cut a torque, or engines are compared on a law that was not applied",
            ),
        )

    def _law(self, context: Context) -> TorqueLaw:
        assert isinstance(context.controller, TorqueLaw)
        return context.controller

    def _targets(self, trace: Trace, context: Context) -> Array:
        target = self._law(context).target
        return np.array([target(time)[0] for time in trace.time])

    def _joint_rms(self, trace: Trace, context: Context) -> float:
        return float(np.sqrt(np.mean((trace.joint("q") - self._targets(trace, context)) ** 2)))

    def _joint_max(self, trace: Trace, context: Context) -> float:
        return float(np.abs(trace.joint("q") - self._targets(trace, context)).max())

    def _flange_distance(self, trace: Trace, context: Context) -> Array:
        """Distance of the flange from where the reference puts it [m], every tenth sample, by the source model."""
        reference = self._law(context).reference
        link = reference.link_names.index(self._flange(reference.robot))
        pairs = zip(trace.joint("q")[::10], self._targets(trace, context)[::10], strict=True)
        apart = [reference.link_poses(q)[link, :3] - reference.link_poses(r)[link, :3] for q, r in pairs]
        return np.asarray(np.linalg.norm(apart, axis=1))

    def _flange_rms(self, trace: Trace, context: Context) -> float:
        return float(np.sqrt(np.mean(self._flange_distance(trace, context) ** 2)))

    def _flange_max(self, trace: Trace, context: Context) -> float:
        return float(self._flange_distance(trace, context).max())

    def _torque_rms(self, trace: Trace, context: Context) -> float:
        return float(np.sqrt(np.mean(trace.joint("tau")[1:] ** 2)))  # nothing is commanded before the first step

    def _saturated(self, trace: Trace, context: Context) -> float:
        return float(self._law(context).saturated)

    def _stability(self, trace: Trace, context: Context) -> float:
        law = self._law(context)
        M = law.reference.mass_matrix(trace.joint("q")[0]) + np.diag(law.reference.armature)
        return stability(M, law.gains.kd, context.schedule.control_period * context.schedule.dt)

    def _energy(self, trace: Trace, context: Context) -> float:
        """Work by the mid-point speed; damping and dry friction as the engine says that it has them."""
        reference = self._law(context).reference
        v, tau = trace.joint("v"), trace.joint("tau")
        rows = context.resolution.table
        names = reference.robot.joint_names
        damping, friction = (
            np.array([_held(rows, f"joint.{name}.{quantity}") for name in names])
            for quantity in ("damping", "friction")
        )
        middle = (v[1:] + v[:-1]) / 2
        power = ((tau[1:] - damping * middle - friction * np.sign(middle)) * middle).sum(axis=1)
        work = np.concatenate([[0.0], np.cumsum(power) * trace.sample_interval])
        energy = self._energies(trace, context)
        return float(np.abs(energy - energy[0] - work[::10]).max())

    def _exchanged(self, trace: Trace, context: Context) -> float:
        return float(np.ptp(self._energies(trace, context)))

    def _energies(self, trace: Trace, context: Context) -> Array:
        """Energy of the source model [J] at every tenth sample."""
        reference, q, v = self._law(context).reference, trace.joint("q"), trace.joint("v")
        return np.array([reference.energy(q[k], v[k]) for k in range(0, len(trace.time), 10)])


def _held(rows: Mapping[str, Resolved], name: str) -> float:
    """A joint's value in use, 0 where the engine has no such thing."""
    value = rows[name].value
    return float(value) if isinstance(value, (int, float)) else 0.0
