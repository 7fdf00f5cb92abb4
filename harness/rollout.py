"""The one loop over time: applies events, advances, samples, logs, detects divergence, and times it all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from time import perf_counter
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from .channels import Log, Sample
from .contacts import ContactLog
from .engine import Contacts, PositionDrive, Simulation
from .errors import Diverged, Unsupported, UsageError
from .scene import Array
from .schedule import Schedule
from .soft_state import SoftLog
from .trace import Trace, completed

RUNAWAY_SPEED = 1e4  # [m/s] or [rad/s]: no experiment of ours comes near it; a faster body is a failure
CHECK_EVERY = 64  # steps between looks for divergence; the time of onset is found exactly afterwards


class Controller(Protocol):
    """A joint-torque law that the rollout calls at every control period.

    `ended` says why the run is over, once it is; the rollout then makes no further step.
    """

    ended: str

    def torque(self, time: float, q: Array, v: Array) -> Array:
        """Torques (n_joints,) [N m | N] for the state at `time` [s], limits applied."""
        ...

    def reset(self) -> None:
        """Forget what was counted, and that it had ended."""
        ...


@runtime_checkable
class Driving(Controller, Protocol):
    """A controller that leaves tracking to the engine's own drives: its torques are what is fed forward."""

    def drive_gains(self) -> tuple[Array, Array]:
        """kp and kd of every joint's drive."""
        ...

    def aim(self, time: float) -> tuple[Array, Array]:
        """Targets q_ref, v_ref of the drives from `time` [s] on."""
        ...


def engage(simulation: Simulation, controller: Controller | None) -> None:
    """Give the simulation the drives that the controller wants, if it wants any.

    Raises:
        Unsupported: the engine has none.
    """
    if not isinstance(controller, Driving):
        return
    if not isinstance(simulation, PositionDrive):
        raise Unsupported(
            "this engine's adapter has no position drive of the engine's own; use experiment.drive=torque"
        )
    simulation.drive(*controller.drive_gains())


def targets_of(simulation: Simulation, controller: Controller | None) -> Callable[[float], None] | None:
    """What sets the drives' targets at a time [s]; None where nothing is driven."""
    if not (isinstance(controller, Driving) and isinstance(simulation, PositionDrive)):
        return None
    hold, aim = simulation.target, controller.aim
    return lambda time: hold(*aim(time))


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """Outcome of a loop in real time.

    Attributes:
        real_time_factor: simulated over wall time of the whole loop [1]; 1 when the engine keeps up.
        worst: smallest real-time factor of any window of 0.1 s [1], and `worst_at`, when that window began [s].
        late: part of the control periods that took longer than they may [1].
    """

    real_time_factor: float
    worst: float
    worst_at: float
    late: float


@dataclass(slots=True, kw_only=True)
class Timing:
    """Wall time of a rollout [s] by part, and of the bare loops."""

    parts: dict[str, float] = field(default_factory=dict)
    bare_loops: list[float] = field(default_factory=list)
    simulated: float = 0.0
    pace: Pace | None = None

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
    simulation: Simulation,
    sample: Sample,
    schedule: Schedule,
    events: Sequence[Event],
    timing: Timing,
    controller: Controller | None = None,
    contacts: ContactLog | None = None,
    soft: Sequence[SoftLog] = (),
) -> tuple[Trace, Diverged | None]:
    """Run the schedule once, logging every channel at every step, contact points and soft bodies into their logs.

    Returns:
        The trace of every step, whatever the stride, and the divergence that cut it short, if any.
    """
    steps, due, period = schedule.steps, _by_step(events, schedule), schedule.control_period
    log = Log(sample, steps + 1)
    spent = dict.fromkeys(("first_step", "step", "read", "command", "controller", "log"), 0.0)
    diverged, done = None, 0
    touching = simulation if contacts is not None and isinstance(simulation, Contacts) else None
    if touching is not None:
        touching.watch_contacts(True)
    set_targets = targets_of(simulation, controller)
    simulation.sample(sample)
    log.keep(0)
    for body in soft:
        body.keep(0, sample)
    try:
        for k in range(steps):
            start = perf_counter()
            if controller is not None and not k % period:
                tau = controller.torque(k * schedule.dt, sample.q, sample.v)
                decided = perf_counter()
                if controller.ended:
                    break
                simulation.command(tau, None)
                if set_targets is not None:
                    set_targets(k * schedule.dt)
                sample.tau[:] = tau
                commanded = perf_counter()
                spent["controller"] += decided - start
                spent["command"] += commanded - decided
                start = commanded
            if k in due:
                _apply(due[k], simulation)
                commanded = perf_counter()
                spent["command"] += commanded - start
                start = commanded
            simulation.advance(1)
            stepped = perf_counter()
            simulation.sample(sample)
            read = perf_counter()
            log.keep(k + 1)
            if touching is not None and contacts is not None:
                contacts.keep(k + 1, touching.contacts())
            for body in soft:
                body.keep(k + 1, sample)
            logged = perf_counter()
            spent["step" if k else "first_step"] += stepped - start
            spent["read"] += read - stepped
            spent["log"] += logged - read
            done = k + 1
            if not done % CHECK_EVERY:
                _raise_if_diverged(log, soft, slice(done - CHECK_EVERY + 1, done + 1))
        _raise_if_diverged(log, soft, slice(0, done + 1))
    except Diverged as error:
        done = min(done, _onset(log, soft, slice(0, done + 1)))
        diverged = Diverged(f"{error} at {done * schedule.dt:g} s", done * schedule.dt)
    if touching is not None:
        touching.watch_contacts(False)
    for part, wall in spent.items():
        timing.parts[part] = timing.parts.get(part, 0.0) + wall
    time = np.arange(done + 1, dtype=np.float64) * schedule.dt
    return completed(time, sample.names, log.channels(done + 1), schedule.dt, sample.joint_names), diverged


def time_bare_loop(
    simulation: Simulation,
    sample: Sample,
    schedule: Schedule,
    events: Sequence[Event],
    timing: Timing,
    controller: Controller | None = None,
) -> None:
    """Run the schedule again from the start without logging and add its wall time to `timing`.

    Nothing is read either, except by a controller, which is part of the loop.
    """
    simulation.reset()
    if controller is not None:
        controller.reset()
    due, period, steps = _by_step(events, schedule), schedule.control_period, schedule.steps
    ticks = range(0, steps, period) if controller is not None else ()
    stops = sorted({0, *due, *ticks, steps})
    set_targets = targets_of(simulation, controller)
    start = perf_counter()
    for k, stop in pairwise(stops):
        if controller is not None and not k % period:
            simulation.sample(sample)
            tau = controller.torque(k * schedule.dt, sample.q, sample.v)
            if controller.ended:
                steps = k
                break
            simulation.command(tau, None)
            if set_targets is not None:
                set_targets(k * schedule.dt)
        if k in due:
            _apply(due[k], simulation)
        simulation.advance(stop - k)
    timing.bare_loops.append(perf_counter() - start)
    timing.simulated = steps * schedule.dt


def _bad_rows(log: Log, soft: Sequence[SoftLog], rows: slice) -> npt.NDArray[np.bool_]:
    positions, velocities = log.states(rows)
    with np.errstate(invalid="ignore"):
        good = np.isfinite(positions).all(axis=1) & (np.abs(velocities) < RUNAWAY_SPEED).all(axis=1)
        for body in soft:
            good &= np.isfinite(body.com(rows)).all(axis=1) & (body.speed(rows) < RUNAWAY_SPEED)
    return np.asarray(~good)


def _raise_if_diverged(log: Log, soft: Sequence[SoftLog], rows: slice) -> None:
    if _bad_rows(log, soft, rows).any():
        raise Diverged(f"the state became non-finite or faster than {RUNAWAY_SPEED:g} m/s or rad/s")


def _onset(log: Log, soft: Sequence[SoftLog], rows: slice) -> int:
    bad = np.flatnonzero(_bad_rows(log, soft, rows))
    return int(bad[0]) if len(bad) else rows.stop - 1
