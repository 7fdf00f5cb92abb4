"""Cubes stand on each other: the force in every interface, its chatter, and how the stack settles and drifts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..harness.contact_law import rest_overlap
from ..harness.engine import Soft
from ..harness.experiment import Check, Context, Experiment, Metric, NotApplicable, require
from ..harness.scene import Array, Body, Box, Material, Pose, Scene
from ..harness.solids import box_inertia
from ..harness.trace import Trace
from .cube import GRAVITY, ground, last

REST_WINDOW = 0.5  # [s] at the end of the run over which rest is measured
AT_REST = 7e-3  # [m/s]: a stack whose cubes are all slower than this in the window rests
STILL = 1e-9  # [m/s]: one whose cubes are slower has reached its overlap
MOVES = "the stack has not come to rest; ask for a longer duration"


@dataclass(slots=True, kw_only=True)
class Stack(Experiment):
    """Parameters of the stack. It starts with faces that touch and do not overlap, and settles from there.

    Interface k, counted from the top, carries k cubes: its force at rest is k m g. Engines say the net force on a body,
    which is the force from below less the one from above; summed over the k uppermost cubes only the force from below
    is left.

    Attributes:
        cubes: how many.
        mass: of each [kg].
        size: edge of each [m].
        friction: Coulomb coefficient of cubes and ground [1].
        restitution: coefficient of cubes and ground [1]; None leaves it to the engine.
    """

    NAME: ClassVar[str] = "stack"
    TEXT: ClassVar[str] = "ten cubes of 0.1 kg stand on each other"
    DT: ClassVar[float] = 1e-3
    DURATION: ClassVar[float] = 3.0
    TOLERANCE: ClassVar[tuple[float, float, float]] = (1e-5, 1e-3, 1e-4)
    SMOKE: ClassVar[Mapping[str, Any]] = {"duration": 0.2, "dt": 2e-3, "cubes": 2}

    cubes: int = 10
    mass: float = 0.1
    size: float = 0.1
    friction: float = 0.5
    restitution: float | None = None

    def __post_init__(self) -> None:
        require("cubes", self.cubes, least=1)
        require("mass", self.mass, least=0, above=True)
        require("size", self.size, least=0, above=True)
        require("friction", self.friction, least=0)

    @property
    def names(self) -> tuple[str, ...]:
        """The cubes from the top: the k-th stands on interface k."""
        return tuple(f"cube_{k}" for k in range(1, self.cubes + 1))

    def scene(self, dt: float) -> Scene:
        material = Material(friction=self.friction, restitution=self.restitution)
        edges = (self.size, self.size, self.size)
        cubes = [
            Body(
                name=name,
                shapes=(Box(edges),),
                mass=self.mass,
                inertia=box_inertia(self.mass, edges),
                pose=Pose((0.0, 0.0, self.size * (self.cubes - k - 0.5))),
                material=material,
            )
            for k, name in enumerate(self.names)
        ]
        return Scene(name=self.NAME, bodies=(ground(material), *cubes), gravity=(0.0, 0.0, -GRAVITY))

    def metrics(self) -> Sequence[Metric]:
        return (
            Metric(
                "force_error",
                "1",
                "largest |N_k / (k m g) - 1| over the interfaces, N_k its mean over the last 0.5 s",
                self._force_error,
            ),
            Metric(
                "force_deviation",
                "1",
                "largest standard deviation of N_k from step to step over k m g, in the last 0.5 s",
                self._deviation,
            ),
            Metric("standing", "1", "cubes within a quarter of their size of their place at the end", self._standing),
            Metric("top_sink", "m", "how far the top cube is below its place without overlap, at the end", self._sink),
            Metric("settling_speed", "m/s", "downward speed of the top cube, mean over the last 0.5 s", self._settling),
            Metric("sideways_drift", "m", "largest way of a cube sideways over the run", self._drift),
            Metric("drift_speed", "m/s", "largest sideways speed of a cube, mean over the last 0.5 s", self._drifting),
        )

    def checks(self) -> Sequence[Check]:
        return (
            Check(
                "standing",
                lambda trace, context: float(self.cubes),
                lambda context, _: 0.5,
                "level faces with their centres above each other are a stable equilibrium; a whole number",
            ),
            Check(
                "force_error",
                self._expected_force_error,
                lambda context, _: 2 * AT_REST / (GRAVITY * REST_WINDOW),
                "k m g by momentum balance; a change of speed of 2 x 7 mm/s over 0.5 s is 0.29 % of g",
            ),
            Check(
                "top_sink",
                self._expected_sink,
                lambda context, _: self.cubes * self.size * (1e-9 if context.precision == 64 else 1e-6),
                "sum over the interfaces of r with r K d = (k g a/n)(1 - d)/d, a = 2 between cubes and 1 on the ground "
                "for the effective mass; the precision of the position",
            ),
        )

    def _standing(self, trace: Trace, context: Context) -> float:
        ends = np.array([trace.of("p_WB", name)[-1] for name in self.names])
        off = np.linalg.norm(ends - [body.pose.p for body in self.scene(context.schedule.dt).moving], axis=1)
        return float(np.count_nonzero(off < self.size / 4))

    def interface_forces(self, trace: Trace) -> Array:
        """N_k [N], shape (T, cubes): vertical force on what stands on interface k, counted from the top."""
        forces = [trace.of("f_normal_B_W", name)[:, 2] for name in self.names]
        return np.asarray(np.cumsum(forces, axis=0).T)

    def _loads(self) -> Array:
        return np.asarray(self.mass * GRAVITY * np.arange(1.0, self.cubes + 1))

    def _force_error(self, trace: Trace, context: Context) -> float:
        means = self.interface_forces(trace)[last(trace, REST_WINDOW)].mean(axis=0)
        return float(np.abs(means / self._loads() - 1).max())

    def _deviation(self, trace: Trace, context: Context) -> float:
        spreads = self.interface_forces(trace)[last(trace, REST_WINDOW)].std(axis=0)
        return float((spreads / self._loads()).max())

    def _sink(self, trace: Trace, context: Context) -> float:
        return float(self.size * (self.cubes - 0.5) - trace.of("p_WB", self.names[0])[-1, 2])

    def _travel(self, trace: Trace) -> Array:
        """Mean velocity of each cube over the window [m/s], shape (cubes, 3)."""
        window = last(trace, REST_WINDOW)
        time = trace.time[window]
        if len(time) < 2:
            return np.full((self.cubes, 3), math.nan)
        ways = [trace.of("p_WB", name)[window] for name in self.names]
        return np.array([(p[-1] - p[0]) / (time[-1] - time[0]) for p in ways])

    def _settling(self, trace: Trace, context: Context) -> float:
        return 0.0 - float(self._travel(trace)[0, 2])

    def _drifting(self, trace: Trace, context: Context) -> float:
        return float(np.linalg.norm(self._travel(trace)[:, :2], axis=1).max())

    def _drift(self, trace: Trace, context: Context) -> float:
        return float(max(np.linalg.norm(trace.of("p_WB", name)[:, :2], axis=1).max() for name in self.names))

    def _fastest(self, trace: Trace) -> float:
        """Largest speed of any cube in the window [m/s]."""
        window = last(trace, REST_WINDOW)
        return float(max(np.linalg.norm(trace.of("v_WB", name)[window], axis=1).max() for name in self.names))

    def _expected_force_error(self, trace: Trace, context: Context) -> float | NotApplicable:
        window = last(trace, REST_WINDOW)
        if any(trace.of("asleep", name)[window].any() for name in self.names):
            return NotApplicable("the engine has put a cube to sleep and shows the force of its last waking step")
        if self._standing(trace, context) < self.cubes:
            return NotApplicable("the stack has fallen")
        return 0.0 if self._fastest(trace) < AT_REST else NotApplicable(MOVES)

    def _expected_sink(self, trace: Trace, context: Context) -> float | NotApplicable:
        law = context.resolution.contact_law
        if not isinstance(law, Soft):
            return NotApplicable("the engine does not state a soft contact law")
        if self._fastest(trace) > (STILL if context.precision == 64 else STILL * 1e3):
            return NotApplicable("the stack still moves, so that its overlap is not the one at rest")
        counts = np.array([trace.of("contact_count", name)[-1, 0] for name in self.names])
        points = np.zeros(self.cubes)  # of interface k: those of cube k that are not those of interface k - 1
        for k in range(self.cubes):
            points[k] = counts[k] - (points[k - 1] if k else 0.0)
        if (points < 1).any():
            return NotApplicable("a cube has no contact below it at the end")
        shared = [2.0] * (self.cubes - 1) + [1.0]
        loads = zip(range(1, self.cubes + 1), points, shared, strict=True)
        return sum(rest_overlap(law, float(n), self.mass, a * k * GRAVITY) for k, n, a in loads)
