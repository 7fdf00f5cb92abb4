"""One robot many times: the steps a second of all worlds, and whether each world is the run of a single one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any, ClassVar

import numpy as np

from ..harness.description import files_of
from ..harness.engine import Batched, Simulation
from ..harness.errors import Unsupported
from ..harness.experiment import Check, Context, Experiment, Metric, require
from ..harness.geometry import without_geometry
from ..harness.reference import Reference
from ..harness.robot_model import model_of
from ..harness.scene import Array, Robot, Scene
from ..harness.trace import Trace
from .arm import GRAVITY, centre_of, description_of
from .duo import Duo
from .single_arm import SingleArm

TIMINGS = 3  # the median counts
INSTANTS = 10  # at which worlds are compared, evenly over the run
SWING, RATE = 0.05, 1.0  # torque that is added: part of each limit, and its frequency [Hz]
UNLIMITED = 1.0  # [rad/s^2 | m/s^2] that the added torque gives a joint without a limit, were it alone
HOMES = {**SingleArm.HOME, **Duo.HOME}


@dataclass(slots=True, kw_only=True)
class Throughput(Experiment):
    """Parameters of the throughput.

    Attributes:
        robot: name of one of our robots, or path of an MJCF (.xml) or URDF (.urdf) file.
        worlds: copies of the robot.
        steps: steps of each.
    """

    NAME: ClassVar[str] = "throughput"
    TEXT: ClassVar[str] = "many copies of a contact-free robot under the same open-loop torques"
    DT: ClassVar[float] = 1e-3
    DURATION: ClassVar[float] = 1e-3
    AGAINST: ClassVar[str] = "a single world"
    TOLERANCE: ClassVar[tuple[float, float, float]] = (1e-5, 1e-4, 1e-4)
    SMOKE: ClassVar[Mapping[str, Any]] = {"worlds": 2, "steps": 10}

    robot: str = "fr3"
    worlds: int = 64
    steps: int = 200

    def __post_init__(self) -> None:
        require("worlds", self.worlds, least=1)
        require("steps", self.steps, least=1)

    def inputs(self) -> Sequence[str]:
        return files_of(description_of(self.robot))

    def scene(self, dt: float) -> Scene:
        bare = without_geometry(Robot(name="robot", description=description_of(self.robot)))
        centre = tuple(float(x) for x in centre_of(self.robot, model_of(bare), HOMES))
        robot = Robot(name=bare.name, description=bare.description, q0=centre)
        return Scene(name=self.NAME, robots=(robot,), gravity=GRAVITY)

    def _at_start(self, dt: float) -> tuple[Array, Array, Array]:
        """M with armature, the gravity torque, and the amplitude of the added torque, at the start."""
        robot = self.scene(dt).robots[0]
        reference, q0 = Reference(model_of(robot), GRAVITY), np.array(robot.q0)
        M = reference.mass_matrix(q0) + np.diag(reference.armature)
        limit = np.array([joint.effort for joint in reference.robot.joints])
        amplitude = np.where(np.isfinite(limit), SWING * limit, UNLIMITED * np.diag(M))
        return M, reference.gravity_torque(q0), amplitude

    def torques(self, dt: float) -> Array:
        """Gravity at the start and a slow swing on every joint [N m | N], shape (steps, nv)."""
        _, hold, amplitude = self._at_start(dt)
        phase = np.linspace(0, math.pi, len(hold))
        time = np.arange(self.steps)[:, None] * dt
        return np.asarray(hold + amplitude * np.sin(2 * math.pi * RATE * time + phase))

    @property
    def stops(self) -> tuple[int, ...]:
        """Numbers of steps after which worlds are compared; the last is all of them."""
        return tuple(sorted({math.ceil(self.steps * k / INSTANTS) for k in range(1, INSTANTS + 1)}))

    def evaluate(self, simulation: Simulation, context: Context) -> Mapping[str, float]:
        """Time the batch and a single world, and compare them at several instants."""
        if not isinstance(simulation, Batched):
            raise Unsupported("this engine's adapter steps one world at a time")
        tau = self.torques(context.schedule.dt)
        one, alone = self._timed(simulation, 1, tau)
        many, together = self._timed(simulation, self.worlds, tau)
        apart = np.abs(many - one)  # (instants, 2, worlds, nv)
        position, velocity = apart.max(axis=(0, 2, 3))
        return {
            "steps_per_second": self.worlds * self.steps / together,
            "steps_per_second_alone": self.steps / alone,
            "speedup": self.worlds * alone / together,
            "position_difference_to_single_world": float(position),
            "velocity_difference_to_single_world": float(velocity),
            "worlds_identical": float(np.count_nonzero((apart == 0).all(axis=(0, 1, 3)))),
        }

    def _timed(self, simulation: Batched, worlds: int, tau: Array) -> tuple[Array, float]:
        """Joint states at all instants (instants, 2, worlds, nv) of one run, and the median wall time [s] of others.

        The timed runs are read at their end only; the run before them is the warm-up.
        """
        batch = simulation.batch(worlds)
        states = batch.run(tau, self.stops)
        walls = []
        for _ in range(TIMINGS):
            start = perf_counter()
            batch.run(tau, (self.steps,))
            walls.append(perf_counter() - start)
        batch.close()
        return states, median(walls)

    def metrics(self) -> Sequence[Metric]:
        among = f"largest difference of a world from the single world at any of {len(self.stops)} instants"
        texts = {
            "steps_per_second": ("1/s", "steps of all worlds together, per second of wall time"),
            "steps_per_second_alone": ("1/s", "the same for a single world through the same code"),
            "speedup": ("1", "the one over the other"),
            "position_difference_to_single_world": ("rad", f"{among}, joint positions (m for slides)"),
            "velocity_difference_to_single_world": ("rad/s", f"{among}, joint velocities (m/s for slides)"),
            "worlds_identical": ("1", "worlds that are bit for bit the single world at all of these instants"),
        }
        return tuple(Metric(name, unit, text, lambda trace, context: math.nan) for name, (unit, text) in texts.items())

    def checks(self) -> Sequence[Check]:
        source = (
            "all worlds get the same torques; another order of summation rounds each step's acceleration by eps times "
            "the largest force over the least eigenvalue of M, and the velocity by eps; both summed over the steps"
        )
        return (
            Check("position_difference_to_single_world", _nothing, self._rounding_of_positions, source),
            Check("velocity_difference_to_single_world", _nothing, self._rounding_of_velocities, source),
        )

    def _rounding_of_velocities(self, context: Context, expected: float) -> float:
        dt, eps = context.schedule.dt, np.finfo(np.float64 if context.precision == 64 else np.float32).eps
        M, hold, amplitude = self._at_start(dt)
        least = float(np.linalg.eigvalsh(M)[0])
        force, fastest = float(np.abs(hold).max() + amplitude.max()), float(amplitude.max()) / least * self.steps * dt
        return float(self.steps * eps * (dt * force / least + fastest))

    def _rounding_of_positions(self, context: Context, expected: float) -> float:
        return self._rounding_of_velocities(context, expected) * self.steps * context.schedule.dt


def _nothing(trace: Trace, context: Context) -> float:
    return 0.0
