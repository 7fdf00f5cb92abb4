"""A paddle sweeps a crowd of objects over a table into a tray: chaos, compared as an ensemble.

Each contact magnifies what went before, so that a single outcome says nothing about an engine. Three questions have an
answer: whether a repeat in a fresh process is bit-identical, how far a start moved by 1 nm leads, and how the number of
objects in the tray is distributed over starts that differ by 1 um.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..harness.controller import minimum_jerk
from ..harness.experiment import Check, Context, Experiment, Metric, NotApplicable, by_precision, require
from ..harness.rollout import Controller
from ..harness.scene import Array, Material, Robot, Scene
from ..harness.schedule import Schedule
from ..harness.solids import box_inertia
from ..harness.trace import Trace
from .crowd import EDGE, TRAY, crowd, furniture, in_tray, middle, on_table, places

GRAVITY = 9.81  # [m/s^2]
SETTLING = 0.2  # [s] before the paddle moves
PADDLE = (0.02, 0.36, 0.05)  # edges of the paddle [m]; it is 2 mm above the table
PADDLE_MASS, PADDLE_START = 0.5, -0.02  # [kg], x of its front at the start [m]
LIMIT = 20.0  # [N]: force of the paddle's drive
BANDWIDTH = 40.0  # [rad/s] of the paddle alone under its law
JITTER = 1e-6  # [m]: largest shift of a start along x and y in a member of the ensemble


class Sweep:
    """A paddle's force [N] towards a minimum-jerk path, within LIMIT; counts the calls in which it cut."""

    ended = ""

    def __init__(self, way: float, duration: float) -> None:
        self.path = minimum_jerk(np.zeros(1), np.array([way]), duration)
        self.reset()

    def torque(self, time: float, q: Array, v: Array) -> Array:
        """Force (1,) [N] along x."""
        at, rate = self.path(max(0.0, time - SETTLING))
        force = PADDLE_MASS * (BANDWIDTH**2 * (at - q) + 2 * BANDWIDTH * (rate - v))
        limited = np.clip(force, -LIMIT, LIMIT)
        self.saturated += bool((limited != force).any())
        return limited

    def reset(self) -> None:
        """Count from zero again."""
        self.saturated = 0


@dataclass(slots=True, kw_only=True)
class CrowdedSweep(Experiment):
    """Parameters of the sweep.

    Attributes:
        each: boxes, balls and capsules, this many of each.
        mass: of every object [kg].
        friction: Coulomb coefficient mu of everything [1].
        way: of the paddle along +x [m], minimum-jerk in `time` [s]; the objects that it leaves on the table count as
            not collected, so that a way which ends close before the edge separates outcomes.
        seed: of the places and turns of the objects.
        nudge: shift along y [m] of the start of the object nearest to the middle: 1e-9 shows how sensitive the outcome
            is (a state in 32 bit resolves that only while |y| is below 8 mm).
        member: of the ensemble: 0 leaves the starts, another is the seed of a shift of all of them by up to 1 um.
    """

    NAME: ClassVar[str] = "crowded_sweep"
    TEXT: ClassVar[str] = "a paddle sweeps five boxes, balls and capsules each into a tray"
    DT: ClassVar[float] = 2e-3
    DURATION: ClassVar[float] = 4.0
    CONTACTS: ClassVar[bool] = True
    ENSEMBLE: ClassVar[str] = "member"
    TOLERANCE: ClassVar[tuple[float, float, float]] = (1e-4, 1e-2, 1e-3)
    SMOKE: ClassVar[Mapping[str, Any]] = {"each": 1, "time": 0.8, "duration": 1.0, "dt": 4e-3}

    each: int = 5
    mass: float = 0.05
    friction: float = 0.4
    way: float = 0.37
    time: float = 3.0
    seed: int = 1
    nudge: float = 0.0
    member: int = 0

    def __post_init__(self) -> None:
        for name in ("each", "seed", "member", "nudge"):
            require(name, getattr(self, name), least=1 if name == "each" else 0)
        for name in ("mass", "friction", "time"):
            require(name, getattr(self, name), least=0, above=True)
        require("nudge", self.nudge, least=0, below=1e-3)
        require("way", self.way, least=0, below=EDGE - PADDLE_START + TRAY, above=True)

    def scene(self, dt: float) -> Scene:
        surface = Material(friction=self.friction)
        bodies = (furniture(surface), *crowd(self._starts(), self.mass, surface))
        robot = Robot(name="paddle", description=_paddle(), contacts=True, material=surface)
        return Scene(name=self.NAME, bodies=bodies, robots=(robot,), gravity=(0.0, 0.0, -GRAVITY))

    def _starts(self) -> Array:
        found = places(self.each, self.seed)
        found[middle(found), 1] += self.nudge
        if self.member:
            found[:, :2] += np.random.default_rng([self.seed, self.member]).uniform(-JITTER, JITTER, (len(found), 2))
        return found

    def controller(self, schedule: Schedule) -> Controller | None:
        return Sweep(self.way, self.time)

    def metrics(self) -> Sequence[Metric]:
        return (
            Metric("collected", "1", "objects whose centre is in the tray at the end", self._collected),
            Metric("left", "1", "objects that are still on the table", self._left),
            Metric("lost", "1", "objects that are neither on the table nor in the tray", self._lost),
            Metric("mean_x", "m", "mean position of the objects along x at the end", lambda t, _: self._mean(t, 0)),
            Metric("mean_y", "m", "mean position of the objects along y at the end", lambda t, _: self._mean(t, 1)),
            Metric("nudged_y", "m", "position along y at the end of the object that `nudge` shifts", self._nudged),
            Metric("paddle_lag", "m", "largest distance of the paddle from its path", self._lag),
            Metric("saturated_samples", "1", "control samples in which the drive's limit cut", self._saturated),
            Metric("vertical_impulse", "N s", "upward impulse of the contacts on all objects", self._impulse),
        )

    def checks(self) -> Sequence[Check]:
        return (
            Check(
                "lost",
                lambda trace, context: 0.0,
                lambda context, _: 0.5,
                "walls stand around table and tray: nothing gets out",
            ),
            Check(
                "vertical_impulse",
                self._expected_impulse,
                by_precision(1e-6, 1e-3),
                "m g t + m v at the end over all objects, momentum balance; what an iterative solver leaves, 6e-8 "
                "at a tolerance of 1e-8 and 1e-11 at 1e-18, more in 32 bit",
            ),
        )

    def _end(self, trace: Trace) -> Array:
        """Positions of the objects at the end [m], shape (n, 3)."""
        return np.array([trace.of("p_WB", name)[-1] for name in trace.names])

    def _collected(self, trace: Trace, context: Context) -> float:
        return float(np.count_nonzero(in_tray(self._end(trace))))

    def _left(self, trace: Trace, context: Context) -> float:
        return float(np.count_nonzero(on_table(self._end(trace))))

    def _lost(self, trace: Trace, context: Context) -> float:
        return len(trace.names) - self._collected(trace, context) - self._left(trace, context)

    def _mean(self, trace: Trace, axis: int) -> float:
        return float(self._end(trace)[:, axis].mean())

    def _nudged(self, trace: Trace, context: Context) -> float:
        return float(self._end(trace)[middle(places(self.each, self.seed)), 1])

    def _lag(self, trace: Trace, context: Context) -> float:
        assert isinstance(context.controller, Sweep)
        path = [context.controller.path(max(0.0, time - SETTLING))[0][0] for time in trace.time]
        return float(np.abs(trace.joint("q")[:, 0] - path).max())

    def _saturated(self, trace: Trace, context: Context) -> float:
        assert isinstance(context.controller, Sweep)
        return float(context.controller.saturated)

    def _impulse(self, trace: Trace, context: Context) -> float:
        return float(sum(trace.of("f_B_W", name)[1:, 2].sum() for name in trace.names)) * trace.sample_interval

    def _expected_impulse(self, trace: Trace, context: Context) -> float | NotApplicable:
        note = context.resolution.channel_notes.get("f_B_W")
        if note is not None:
            return NotApplicable(note.reason)
        if any(trace.of("asleep", name).any() for name in trace.names):
            return NotApplicable("the engine has put objects to sleep and shows the force of their last waking step")
        gained = sum(float(trace.of("v_WB", name)[-1, 2] - trace.of("v_WB", name)[0, 2]) for name in trace.names)
        return self.mass * (GRAVITY * float(trace.time[-1]) * len(trace.names) + gained)


def _paddle() -> str:
    x, y, z = PADDLE
    moments = " ".join(repr(m) for m in box_inertia(PADDLE_MASS, PADDLE))
    return f"""<mujoco model="paddle">
  <compiler angle="radian" autolimits="true"/>
  <worldbody>
    <body name="blade" pos="{PADDLE_START - x / 2!r} 0 {z / 2 + 0.002!r}">
      <inertial mass="{PADDLE_MASS!r}" pos="0 0 0" diaginertia="{moments}"/>
      <joint name="sweep" type="slide" axis="1 0 0"/>
      <geom type="box" size="{x / 2!r} {y / 2!r} {z / 2!r}"/>
    </body>
  </worldbody>
</mujoco>"""
