"""The one loop over time: applies events, advances, samples, logs, detects divergence, and times it all."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter

import numpy as np
import numpy.typing as npt

from .channels import STATE_WIDTH, Sample, split
from .engine import Simulation
from .errors import Diverged, UsageError
from .scene import Array
from .trace import Trace, reduce

RUNAWAY_SPEED = 1e4  # [m/s] or [rad/s]: no experiment of ours comes near it; beyond it the state is a failure
CHECK_EVERY = 64  # steps between looks for divergence; the time of onset is found exactly afterwards


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """Step `dt`, simulated `duration` [s], `stride` steps per stored sample, and `control_dt` [s] of controllers."""

    dt: float
    duration: float
    stride: int = 1
    control_dt: float = 1e-3

    def __post_init__(self) -> None:
        for name, value in (("dt", self.dt), ("duration", self.duration), ("control_dt", self.control_dt)):
            if not (math.isfinite(value) and value > 0):
                raise UsageError(f"{name} is {value} s; give a positive number of seconds")
        if self.stride < 1:
            raise UsageError(f"stride is {self.stride}; give a whole number of steps, at least 1")
        if self.duration < self.dt * self.stride:
            raise UsageError(f"duration {self.duration} s is shorter than one sample of {self.dt * self.stride} s")

    @property
    def steps(self) -> int:
        """Number of steps, a whole number of strides."""
        return round(self.duration / self.dt) // self.stride * self.stride


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What happens to the bodies at `time` [s], before the step that begins there; None leaves it as it is.

    Attributes:
        velocity: V_WB of all moving bodies (n, 6), set at once.
        wrench: force [N] and torque [N m] about each centre of mass in W (n, 6), held from now on.
    """

    time: float
    velocity: Array | None = None
    wrench: Array | None = None


@dataclass(slots=True, kw_only=True)
class Timing:
    """Wall time of a rollout [s] by part, and of the bare loops."""

    parts: dict[str, float] = field(default_factory=dict)
    bare_loops: list[float] = field(default_factory=list)
    simulated: float = 0.0

    @property
    def real_time_factors(self) -> list[float]:
        """Simulated over wall time of each bare loop [1]."""
        return [self.simulated / wall for wall in self.bare_loops]


def _by_step(events: Sequence[Event], schedule: Schedule) -> dict[int, Event]:
    steps: dict[int, Event] = {}
    for event in events:
        step = round(event.time / schedule.dt)
        if step in steps:
            raise UsageError(f"two events fall into the step at {event.time} s with dt {schedule.dt} s; use a finer dt")
        if step < schedule.steps:
            steps[step] = event
    return steps


def _apply(event: Event, simulation: Simulation) -> None:
    if event.wrench is not None:
        simulation.command(None, event.wrench)
    if event.velocity is not None:
        simulation.set_velocity(event.velocity)


def rollout(
    simulation: Simulation, names: tuple[str, ...], schedule: Schedule, events: Sequence[Event], timing: Timing
) -> tuple[Trace, Diverged | None]:
    """Run the schedule once, logging every channel at every step.

    Returns:
        The trace, stored every `stride` steps, and the divergence that cut it short, if any.
    """
    sample, steps, due = Sample(names), schedule.steps, _by_step(events, schedule)
    data, log = sample.data, np.empty((steps + 1, *sample.data.shape))
    states = log[:, :, :STATE_WIDTH]
    spent = {"first_step": 0.0, "step": 0.0, "read": 0.0, "command": 0.0, "log": 0.0}
    diverged, done = None, 0
    simulation.sample(sample)
    log[0] = data
    try:
        for k in range(steps):
            start = perf_counter()
            if k in due:
                _apply(due[k], simulation)
                commanded = perf_counter()
                spent["command"] += commanded - start
                start = commanded
            simulation.advance(1)
            stepped = perf_counter()
            simulation.sample(sample)
            read = perf_counter()
            log[k + 1] = data
            logged = perf_counter()
            spent["step" if k else "first_step"] += stepped - start
            spent["read"] += read - stepped
            spent["log"] += logged - read
            done = k + 1
            if not done % CHECK_EVERY:
                _raise_if_diverged(states[done - CHECK_EVERY + 1 : done + 1])
        _raise_if_diverged(states[: done + 1])
    except Diverged as error:
        onset = _onset(states[: done + 1])
        done = min(done, onset)
        diverged = Diverged(f"{error} at {done * schedule.dt:g} s", done * schedule.dt)
    for part, wall in spent.items():
        timing.parts[part] = timing.parts.get(part, 0.0) + wall
    time = np.arange(done + 1, dtype=np.float64) * schedule.dt
    return reduce(time, sample.names, split(log[: done + 1]), schedule.stride, schedule.dt), diverged


def time_bare_loop(simulation: Simulation, schedule: Schedule, events: Sequence[Event], timing: Timing) -> None:
    """Run the schedule again from the start without sampling and add its wall time to `timing`."""
    simulation.reset()
    due = _by_step(events, schedule)
    stops = sorted({*due, schedule.steps} - {0})
    k = 0
    start = perf_counter()
    if 0 in due:
        _apply(due[0], simulation)
    for stop in stops:
        simulation.advance(stop - k)
        k = stop
        if k in due:
            _apply(due[k], simulation)
    timing.bare_loops.append(perf_counter() - start)
    timing.simulated = schedule.steps * schedule.dt


def _bad_rows(states: Array) -> npt.NDArray[np.bool_]:
    with np.errstate(invalid="ignore"):
        return np.asarray(~(np.isfinite(states) & (np.abs(states) < RUNAWAY_SPEED)).all(axis=(1, 2)))


def _raise_if_diverged(states: Array) -> None:
    if _bad_rows(states).any():
        raise Diverged(f"the state became non-finite or passed {RUNAWAY_SPEED:g} in SI units")


def _onset(states: Array) -> int:
    bad = np.flatnonzero(_bad_rows(states))
    return int(bad[0]) if len(bad) else len(states) - 1
