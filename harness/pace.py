"""The real-time factor that a client at a fixed rate sees: the loop sleeps up to the length of each control period."""

from __future__ import annotations

from time import perf_counter, sleep

import numpy as np

from .channels import Sample
from .engine import Simulation
from .rollout import Controller, Pace, targets_of
from .schedule import Schedule

WINDOW = 0.1  # [s] of simulated time over which a shortfall counts
ENOUGH = 0.95  # [1] real-time factor below which a window is reported


def warning(pace: Pace) -> str:
    """One line when a client would have noticed, else empty."""
    if min(pace.worst, pace.real_time_factor) >= ENOUGH:
        return ""
    return (
        f"paced real-time factor fell to {pace.worst:.2f} over {WINDOW:g} s at {pace.worst_at:.2f} s "
        f"({pace.real_time_factor:.2f} over the whole run, {100 * pace.late:.0f} % of the control periods late)"
    )


def paced_loop(simulation: Simulation, sample: Sample, schedule: Schedule, controller: Controller) -> Pace:
    """Run the controlled loop in real time: sample, torque, command, advance, then sleep up to the control period."""
    simulation.reset()
    controller.reset()
    period = schedule.control_period
    budget = period * schedule.dt
    ticks = schedule.steps // period
    walls: list[float] = []
    set_targets = targets_of(simulation, controller)
    start = due = perf_counter()
    for tick in range(ticks):
        began = perf_counter()
        simulation.sample(sample)
        tau = controller.torque(tick * budget, sample.q, sample.v)
        if controller.ended and walls:
            ticks = tick
            break
        simulation.command(tau, None)
        if set_targets is not None:
            set_targets(tick * budget)
        simulation.advance(period)
        due += budget
        now = perf_counter()
        if now < due:
            sleep(due - now)
        else:
            due = now  # what is late is lost; the next period starts afresh
        walls.append(perf_counter() - began)
    total = perf_counter() - start
    width = min(ticks, max(1, round(WINDOW / budget)))
    ends = np.concatenate([[0.0], np.cumsum(walls)])
    windows = ends[width:] - ends[:-width]
    slowest = int(np.argmax(windows))
    return Pace(
        real_time_factor=ticks * budget / total,
        worst=float(width * budget / windows[slowest]),
        worst_at=slowest * budget,
        late=sum(wall > budget * 1.05 for wall in walls) / ticks,
    )
