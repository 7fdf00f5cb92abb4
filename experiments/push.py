"""An arm pushes a cube over a table under an explicit Cartesian impedance law: what contact does to a robot's path.

The robot is `fr3_pads` and no parameter: where its pads touch the cube is part of the experiment.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np

from ..harness.controller import minimum_jerk
from ..harness.description import files_of
from ..harness.experiment import Check, Context, Experiment, Metric, NotApplicable, require
from ..harness.impedance import Goal, Impedance, ImpedanceLaw, check_stability
from ..harness.reference import Reference
from ..harness.robot_model import model_of
from ..harness.rollout import Controller
from ..harness.scene import Array, Body, Box, Material, Pose, Robot, Scene
from ..harness.schedule import Schedule
from ..harness.solids import box_inertia
from ..harness.trace import Trace
from .arm import GRAVITY, description_of

NAME, ROBOT, HAND, TOOL = "cube", "robot", "hand", "tool"
HOME = (0.0, 0.3, 0.0, -2.3, 0.0, 2.6, math.pi / 4)  # [rad]: the hand points down, its pads face along x
CLEARANCE = 0.01  # [m] from the table to the pads' tips
PAD_DEPTH = 0.01  # [m] from the tool's origin to the pads' front
TABLE = (0.8, 0.8, 0.05)  # edges [m]
STIFFNESS = (600.0, 600.0, 600.0, 30.0, 30.0, 30.0)  # [N/m, N m/rad]
DAMPING = (80.0, 80.0, 80.0, 4.0, 4.0, 4.0)  # [N s/m, N m s/rad]: 0.5 to 1.1 of critical at HOME
JOINT_DAMPING = 0.2  # [N m s/rad], against the motion that the tool does not feel
LEAN = 0.01  # [rad]: the cube's face stays nearer than this to upright
STEADY = (0.4, 0.6)  # part of the motion's time in which its speed is nearly constant


@cache
def _reference() -> Reference:
    return Reference(model_of(Robot(name=ROBOT, description=description_of("fr3_pads"))), GRAVITY)


@dataclass(slots=True, kw_only=True)
class Push(Experiment):
    """Parameters of the push.

    Attributes:
        gain: scales the stiffness of the law by s and its damping by sqrt(s) [1].
        size: edge of the cube [m]; `mass` [kg].
        friction: Coulomb coefficient mu of cube, table and pads [1].
        gap: between pads and cube at the start [m].
        way: of the tool along +x [m], minimum-jerk in `time` [s]; then it holds.
    """

    NAME: ClassVar[str] = "push"
    TEXT: ClassVar[str] = "a Franka FR3 pushes a cube of 0.2 kg over a table under a Cartesian impedance law"
    DT: ClassVar[float] = 1e-3
    DURATION: ClassVar[float] = 3.5
    CONTACTS: ClassVar[bool] = True
    TOLERANCE: ClassVar[tuple[float, float, float]] = (1e-4, 1e-3, 1e-3)
    SMOKE: ClassVar[Mapping[str, Any]] = {"way": 0.06, "time": 0.8, "duration": 1.0, "dt": 2e-3}

    gain: float = 1.0
    size: float = 0.06
    mass: float = 0.2
    friction: float = 0.4
    gap: float = 0.005
    way: float = 0.15
    time: float = 3.0

    def __post_init__(self) -> None:
        for name in ("gain", "mass", "friction", "time"):
            require(name, getattr(self, name), least=0, above=True)
        require("size", self.size, least=CLEARANCE, below=0.1, above=True)
        require("gap", self.gap, least=0, below=0.05)
        require("way", self.way, least=0, below=0.2, above=True)

    def inputs(self) -> Sequence[str]:
        return files_of(description_of("fr3_pads"))

    def scene(self, dt: float) -> Scene:
        surface = Material(friction=self.friction)
        tool = self._start()
        top = tool[2] - CLEARANCE
        edges = (self.size, self.size, self.size)
        x, y = tool[0] + PAD_DEPTH + self.gap + self.size / 2, tool[1]
        table = Body(name="table", shapes=(Box(TABLE),), pose=Pose((x, y, top - TABLE[2] / 2)), material=surface)
        cube = Body(
            name=NAME,
            shapes=(Box(edges),),
            mass=self.mass,
            inertia=box_inertia(self.mass, edges),
            pose=Pose((x, y, top + self.size / 2)),
            material=surface,
        )
        robot = Robot(name=ROBOT, description=description_of("fr3_pads"), q0=HOME, contacts=True, material=surface)
        return Scene(name=self.NAME, bodies=(table, cube), robots=(robot,), gravity=GRAVITY)

    def _start(self) -> tuple[float, ...]:
        """X_WF of the tool at the start: position [m], quaternion scalar first."""
        return tuple(float(x) for x in _reference().link_pose(np.array(HOME), TOOL))

    def controller(self, schedule: Schedule) -> Controller | None:
        reference, start = _reference(), np.array(self._start())
        law = Impedance(
            stiffness=self.gain * np.array(STIFFNESS),
            damping=math.sqrt(self.gain) * np.array(DAMPING),
            joint_damping=JOINT_DAMPING,
        )
        check_stability(reference, TOOL, law, np.array(HOME), schedule.control_period * schedule.dt)
        along = minimum_jerk(np.zeros(3), np.array([self.way, 0.0, 0.0]), self.time)

        def goal(time: float) -> Goal:
            moved, rate = along(time)
            pose = np.concatenate([start[:3] + moved, start[3:]])
            return Goal(pose, np.concatenate([rate, np.zeros(3)]), np.zeros(6))

        return ImpedanceLaw(reference, TOOL, law, goal)

    def metrics(self) -> Sequence[Metric]:
        return (
            Metric("cube_path", "m", "length of the way of the cube's centre over the table", self._path),
            Metric("final_x", "m", "way of the cube along x at the end", lambda trace, _: self._moved(trace, 0)),
            Metric("final_y", "m", "way of the cube along y at the end", lambda trace, _: self._moved(trace, 1)),
            Metric("final_yaw", "rad", "yaw of the cube at the end", self._yaw),
            Metric("height_error_max", "m", "largest |height of the tool - its reference|", self._height_max),
            Metric("height_error_mean", "m", "mean |height of the tool - its reference|", self._height_mean),
            Metric("lag_max", "m", "largest distance of the tool behind its reference along x", self._lag),
            Metric("push_force", "N", "normal force of the pads along x, mean over the steady part", self._force),
            Metric("push_force_peak", "N", "its largest value in any step", self._peak),
            Metric("pad_slip", "m", "largest way of the cube across the pads' faces since it was touched", self._slip),
            Metric("impulse_x", "N s", "impulse along x of all contacts on the cube", self._impulse),
            Metric("saturated_samples", "1", "control samples in which a torque limit cut", self._saturated),
        )

    def checks(self) -> Sequence[Check]:
        return (
            Check(
                "saturated_samples",
                lambda trace, context: 0.0,
                lambda context, _: 0.5,
                "no limit may cut a torque, or engines are compared on a law that was not applied",
            ),
            Check(
                "push_force",
                self._expected_force,
                self._force_band,
                "m a_x + mu (m g + m a_z) by the speeds gained; the pads' own friction changes the cube's load on the "
                "table by up to mu F, so F lies within that / (1 -+ mu^2), by mu 0.01 F more where its face leans",
            ),
            Check(
                "impulse_x",
                self._expected_impulse,
                self._impulse_tolerance,
                "m (v_end - v_0), momentum balance, to 1e-6 of mu m g time, or 5e-3 in 32 bit, where a solver that "
                "stops at 1e-6 was seen to leave 1e-3; and the part of the momentum that a solver leaves at every step",
            ),
        )

    def _law(self, context: Context) -> ImpedanceLaw:
        assert isinstance(context.controller, ImpedanceLaw)
        return context.controller

    def _tool(self, trace: Trace) -> Array:
        """X_WF of the tool at every sample by the source model, shape (T, 7)."""
        return np.array([_reference().link_pose(q, TOOL) for q in trace.joint("q")])

    def _goals(self, trace: Trace, context: Context) -> Array:
        goal = self._law(context).goal
        return np.array([goal(time).pose[:3] for time in trace.time])

    def _path(self, trace: Trace, context: Context) -> float:
        return float(np.linalg.norm(np.diff(trace.of("p_WB", NAME)[:, :2], axis=0), axis=1).sum())

    def _moved(self, trace: Trace, axis: int) -> float:
        p = trace.of("p_WB", NAME)[:, axis]
        return float(p[-1] - p[0])

    def _yaw(self, trace: Trace, context: Context) -> float:
        w, x, y, z = trace.of("q_WB", NAME)[-1]
        return math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))

    def _height(self, trace: Trace, context: Context) -> Array:
        return np.abs(self._tool(trace)[:, 2] - self._goals(trace, context)[:, 2])

    def _height_max(self, trace: Trace, context: Context) -> float:
        return float(self._height(trace, context).max())

    def _height_mean(self, trace: Trace, context: Context) -> float:
        return float(self._height(trace, context).mean())

    def _lag(self, trace: Trace, context: Context) -> float:
        return float((self._goals(trace, context)[:, 0] - self._tool(trace)[:, 0]).max())

    def _pushes(self, trace: Trace, context: Context) -> Array | None:
        """Normal force of the hand on the cube along x at every sample [N], shape (T,)."""
        contacts = context.contacts
        if contacts is None:
            return None
        rows, force = contacts.rows, np.zeros(len(trace.time))
        pair = (rows.a == contacts.parties.index(NAME)) & (rows.b == contacts.parties.index(f"{ROBOT}/{HAND}"))
        np.add.at(force, contacts.sample[pair], -rows.f_normal[pair] * rows.normal[pair, 0])
        return force

    def _steady(self, trace: Trace) -> slice:
        start, stop = (min(round(part * self.time / trace.sample_interval), len(trace.time) - 1) for part in STEADY)
        return slice(start + 1, stop + 1)

    def _force(self, trace: Trace, context: Context) -> float:
        pushes = self._pushes(trace, context)
        return math.nan if pushes is None else float(pushes[self._steady(trace)].mean())

    def _peak(self, trace: Trace, context: Context) -> float:
        pushes = self._pushes(trace, context)
        return math.nan if pushes is None else float(pushes.max())

    def _slip(self, trace: Trace, context: Context) -> float:
        """In the pads' plane, their y and z; NaN when they never touch."""
        pushes = self._pushes(trace, context)
        touched = np.flatnonzero(pushes > 0) if pushes is not None else np.zeros(0, int)
        if not len(touched):
            return math.nan
        way = trace.of("p_WB", NAME) - self._tool(trace)[:, :3]
        since = way[touched[0] :, 1:] - way[touched[0], 1:]
        return float(np.linalg.norm(since, axis=1).max())

    def _impulse(self, trace: Trace, context: Context) -> float:
        return float(trace.of("f_B_W", NAME)[1:, 0].sum()) * trace.sample_interval

    def _saturated(self, trace: Trace, context: Context) -> float:
        return float(self._law(context).saturated)

    def _expected_force(self, trace: Trace, context: Context) -> float | NotApplicable:
        if context.contacts is None:
            return NotApplicable("the engine gives no contact points")
        steady = self._steady(trace)
        v = trace.of("v_WB", NAME)[steady.start - 1 : steady.stop]
        if v[:, 0].min() < 0.5 * self.way / self.time:
            return NotApplicable("the cube does not slide throughout the steady part")
        a = (v[-1] - v[0]) / ((len(v) - 1) * trace.sample_interval)
        return self.mass * float(a[0] + self.friction * (9.81 + a[2]))

    def _force_band(self, context: Context, expected: float) -> float:
        across = self.friction**2
        return expected * (across / (1 - across) + self.friction * LEAN) if across < 1 else math.inf

    def _impulse_tolerance(self, context: Context, expected: float) -> float:
        fastest = 1.875 * self.way / self.time
        left = context.resolution.residual * self.mass * fastest * context.schedule.steps
        return self.friction * self.mass * 9.81 * self.time * _relative(context) + left

    def _expected_impulse(self, trace: Trace, context: Context) -> float | NotApplicable:
        note = context.resolution.channel_notes.get("f_B_W")
        if note is not None:
            return NotApplicable(note.reason)
        v = trace.of("v_WB", NAME)[:, 0]
        return self.mass * float(v[-1] - v[0])


def _relative(context: Context) -> float:
    return 1e-6 if context.precision == 64 else 5e-3
