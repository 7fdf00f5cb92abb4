"""One arm many times: the steps a second of all worlds together, and whether each world is the run of a single one."""

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
from ..harness.reference import Reference
from ..harness.robot_model import model_of
from ..harness.scene import Array, Robot, Scene
from .arm import GRAVITY, description_of
from .single_arm import HOME

TIMINGS = 3  # the median counts
SWING, RATE = 0.05, 1.0  # torque that is added: part of each limit, and its frequency [Hz]


@dataclass(slots=True, kw_only=True)
class Throughput(Experiment):
    """Parameters of the throughput.

    Attributes:
        worlds: copies of the arm.
        steps: steps of each.
    """

    NAME: ClassVar[str] = "throughput"
    TEXT: ClassVar[str] = "many copies of a contact-free Franka FR3 under the same open-loop torques"
    DT: ClassVar[float] = 1e-3
    DURATION: ClassVar[float] = 1e-3
    AGAINST: ClassVar[str] = "a single world"
    TOLERANCE: ClassVar[tuple[float, float, float]] = (1e-5, 1e-4, 1e-4)
    SMOKE: ClassVar[Mapping[str, Any]] = {"worlds": 2, "steps": 10}

    worlds: int = 64
    steps: int = 200

    def __post_init__(self) -> None:
        require("worlds", self.worlds, least=1)
        require("steps", self.steps, least=1)

    def inputs(self) -> Sequence[str]:
        return files_of(description_of("fr3"))

    def scene(self, dt: float) -> Scene:
        robot = Robot(name="robot", description=description_of("fr3"), q0=HOME)
        return Scene(name=self.NAME, robots=(robot,), gravity=GRAVITY)

    def torques(self, dt: float) -> Array:
        """Gravity at the start and a slow swing on every joint [N m], shape (steps, nv)."""
        model = model_of(self.scene(dt).robots[0])
        hold = Reference(model, GRAVITY).gravity_torque(np.array(HOME))
        limit = np.array([joint.effort for joint in model.joints])
        phase = np.linspace(0, math.pi, len(limit))
        time = np.arange(self.steps)[:, None] * dt
        return np.asarray(hold + SWING * limit * np.sin(2 * math.pi * RATE * time + phase))

    def evaluate(self, simulation: Simulation, context: Context) -> Mapping[str, float]:
        """Time the batch and a single world, and compare where they end."""
        if not isinstance(simulation, Batched):
            raise Unsupported("this engine's adapter steps one world at a time")
        tau = self.torques(context.schedule.dt)
        one, alone = self._timed(simulation, 1, tau)
        many, together = self._timed(simulation, self.worlds, tau)
        apart = np.abs(many - one).max(axis=1)
        return {
            "steps_per_second": self.worlds * self.steps / together,
            "steps_per_second_alone": self.steps / alone,
            "speedup": self.worlds * alone / together,
            "world_difference": float(apart.max()),
            "worlds_identical": float(np.count_nonzero(apart == 0)),
        }

    def _timed(self, simulation: Batched, worlds: int, tau: Array) -> tuple[Array, float]:
        """Final joint positions (worlds, nv) and the median wall time [s], after a warm-up."""
        batch = simulation.batch(worlds)
        batch.run(tau)
        walls = []
        for _ in range(TIMINGS):
            start = perf_counter()
            q = batch.run(tau)
            walls.append(perf_counter() - start)
        batch.close()
        return q, median(walls)

    def metrics(self) -> Sequence[Metric]:
        texts = {
            "steps_per_second": ("1/s", "steps of all worlds together, per second of wall time"),
            "steps_per_second_alone": ("1/s", "the same for a single world through the same code"),
            "speedup": ("1", "the one over the other"),
            "world_difference": (
                "rad",
                "largest difference of a world's final joint positions from the single world's",
            ),
            "worlds_identical": ("1", "worlds that end bit for bit where the single world ends"),
        }
        return tuple(Metric(name, unit, text, lambda trace, context: math.nan) for name, (unit, text) in texts.items())

    def checks(self) -> Sequence[Check]:
        return (
            Check(
                "world_difference",
                lambda trace, context: 0.0,
                lambda context, _: 1e-9 if context.precision == 64 else 1e-4,
                "all worlds get the same torques; what another order of summation leaves",
            ),
        )
