"""Speed, as ratios of loops that run in turn in one process; absolute times belong to the machine that printed them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from statistics import median
from time import perf_counter

import numpy as np

from ..experiments import BENCHED
from .channels import COLUMNS, Sample
from .engine import Simulation
from .job import PACKAGE
from .live import LiveRobot
from .registry import engine_adapter, engine_entry, engine_mapping, experiment_class
from .robot_model import model_of
from .rollout import Timing, rollout, time_bare_loop
from .scene import Array
from .schedule import Schedule
from .settings import settle

PAIRS = 7  # alternating pairs; the median ratio is quoted
WARM_UP = 200  # steps before anything is timed


def bench_engine(engine: str, experiment: str, settings: str) -> None:
    """Print what logging every channel at every step costs beside the bare loop of the same engine.

    The bare loop only steps, or samples, computes torques, commands and steps where the experiment has a controller.
    """
    case = experiment_class(experiment)()
    schedule = Schedule(dt=case.DT, duration=case.DURATION)
    scene = case.scene(schedule.dt)
    chosen = settle(engine, engine_mapping(engine), settings, {})
    simulation = engine_adapter(engine).build(scene, schedule.dt, chosen, "cpu", engine_entry(engine).precisions[0])
    joints = tuple(name for robot in scene.robots for name in model_of(robot).joint_names)
    sample = Sample(tuple(body.name for body in scene.moving), joints)
    controller = case.controller(schedule)
    simulation.advance(WARM_UP)
    logged, bare, parts = [], [], Timing()
    for _ in range(PAIRS):
        timing = Timing()
        time_bare_loop(simulation, sample, schedule, (), timing, controller)
        bare.append(timing.bare_loops[0])
        simulation.reset()
        start = perf_counter()
        rollout(simulation, sample, schedule, (), parts, controller)
        logged.append(perf_counter() - start)
    n, per = schedule.steps, 1e6 / schedule.steps
    ratio = median(a / b for a, b in zip(logged, bare, strict=True))
    print(f"{engine} {experiment} {settings}: bare {median(bare) * per:.2f} us/step, ", end="")
    print(f"logged {median(logged) * per:.2f} us/step, ratio {ratio:.2f} ({PAIRS} pairs of {n} steps)")
    spent = {name: wall * per / PAIRS for name, wall in parts.parts.items() if wall and name != "first_step"}
    print("  " + ", ".join(f"{name} {wall:.2f} us" for name, wall in spent.items()))
    if scene.moving:
        each = ", ".join(f"{name} {wall:.2f}" for name, wall in _channel_costs(sample).items())
        print(f"  read fills all channels in batches; storing one channel alone [us]: {each}")
    eager = _eager_ratio(simulation)
    if eager is not None:
        print(f"  the recorded step is {eager:.0f} times as fast as the eager one")
    simulation.close()


def _channel_costs(sample: Sample) -> dict[str, float]:
    """Wall time of storing each channel alone [us], median of many copies of its columns into a log."""
    log, costs = np.empty((1000, *sample.data.shape)), {}
    for name, columns in COLUMNS.items():
        source, target = sample.data[:, columns], log[:, :, columns]

        def store(source: Array = source, target: Array = target) -> None:
            for row in target:
                row[...] = source

        costs[name] = median(_wall(store) for _ in range(PAIRS)) / len(log) * 1e6
    return costs


def _eager_ratio(simulation: Simulation) -> float | None:
    """Eager over recorded time of a step, for engines that can do both; None for the others."""
    if not hasattr(simulation, "eager"):
        return None
    steps, ratios = 50, []
    for _ in range(PAIRS):
        walls = []
        for eager in (True, False):
            simulation.eager = eager
            walls.append(_wall(lambda: simulation.advance(steps)))
        ratios.append(walls[0] / walls[1])
    return median(ratios)


def _wall(work: Callable[[], object]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start


def bench_state(engine: str) -> None:
    """Print what a robot's whole state costs beside the joint state alone."""
    robot = LiveRobot(description=str(PACKAGE / "experiments" / "assets" / "fr3.xml"), engine=engine)
    robot.state()
    robot.state_minimal()
    whole, minimal = (median(_wall(read) for _ in range(WARM_UP)) * 1e6 for read in (robot.state, robot.state_minimal))
    print(
        f"{engine} fr3: state() {whole:.1f} us, state_minimal() {minimal:.1f} us, {whole / minimal:.1f} times as fast"
    )
    robot.close()


def main(engines: Sequence[str]) -> None:
    """Bench each engine in turn."""
    for engine in engines:
        for experiment, settings in BENCHED:
            bench_engine(engine, experiment, settings)
        bench_state(engine)
        sys.stdout.flush()
