"""Throughput: worlds are compared in position and velocity on the way, for any robot, with a derived tolerance."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simparity.experiments.throughput import INSTANTS, Throughput
from simparity.harness.checks import judge
from simparity.harness.engine import Batched, Resolution, Resolved, Simulation, Unknown
from simparity.harness.errors import Unsupported
from simparity.harness.experiment import Context
from simparity.harness.scene import Array
from simparity.harness.schedule import Schedule
from simparity.harness.trace import Trace

URDF = """<robot name="two"><link name="base"/><link name="arm">
<visual><geometry><mesh filename="missing.stl"/></geometry></visual>
<inertial><origin xyz="0.1 0.02 -0.03"/><mass value="1.5"/>
<inertia ixx="0.02" iyy="0.03" izz="0.015" ixy="0.001" ixz="-0.002" iyz="0.0005"/></inertial></link>
<link name="slider"><inertial><mass value="0.4"/>
<inertia ixx="0.004" iyy="0.003" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="turn" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint>
<joint name="push" type="prismatic"><parent link="arm"/><child link="slider"/><axis xyz="0 0 1"/>
<limit lower="-0.1" upper="0.4" effort="50" velocity="3"/></joint></robot>"""


class Straying:
    """A batch in which, with several worlds, one leaves the others between two instants and comes back."""

    def __init__(self, worlds: int, position: float, velocity: float) -> None:
        self.worlds, self.position, self.velocity = worlds, position, velocity

    def run(self, tau: Array, stops: Sequence[int]) -> Array:
        states = np.zeros((len(stops), 2, self.worlds, tau.shape[1]))
        if self.worlds > 1 and len(stops) > 1:
            states[3, 0, 1, 0], states[5, 1, 1, 2] = self.position, self.velocity
        return states

    def close(self) -> None:
        """Nothing is held."""


class Engine:
    def __init__(self, position: float, velocity: float) -> None:
        self.position, self.velocity = position, velocity

    def batch(self, worlds: int) -> Straying:
        return Straying(worlds, self.position, self.velocity)


def context_of(bits: int) -> Context:
    precision = Resolved(value=bits, unit="bit", origin="default", native="dtype")
    table = {"precision": precision}
    return Context(Schedule(dt=1e-3, duration=1e-3), Resolution(table=table, contact_law=Unknown(reason="none")))


def judged(engine: Any, bits: int) -> tuple[dict[str, float], dict[str, str]]:
    case, context = Throughput(worlds=4), context_of(bits)
    metrics = dict(case.evaluate(engine, context))
    verdicts = judge(case, Trace(np.zeros(0), (), {}), context, metrics)
    return metrics, {verdict.metric.partition("_")[0]: verdict.outcome for verdict in verdicts}


def test_a_world_that_strays_on_the_way_is_seen() -> None:
    metrics, outcome = judged(Engine(1e-3, 0.0), 32)
    assert metrics["position_difference_to_single_world"] == 1e-3 and metrics["worlds_identical"] == 3
    assert outcome == {"position": "fail", "velocity": "pass"}
    metrics, outcome = judged(Engine(0.0, 1e-2), 32)
    assert metrics["velocity_difference_to_single_world"] == 1e-2 and outcome["velocity"] == "fail"
    assert judged(Engine(0.0, 0.0), 64)[1] == {"position": "pass", "velocity": "pass"}


def test_the_tolerance_is_the_rounding_of_the_precision() -> None:
    """Of 200 steps; in 64 bit by 2^-29 of that in 32 bit, and far below what a wrong torque would do."""
    in_32, in_64 = (Throughput().checks()[1].tolerance(context_of(bits), 0.0) for bits in (32, 64))
    assert in_64 == pytest.approx(in_32 * 2.0**-29)
    assert 200 * 2.0**-23 < in_32 < 1e-3
    assert judged(Engine(0.0, 2 * in_64), 64)[1]["velocity"] == "fail"


def test_there_are_ten_instants_and_the_last_is_the_end() -> None:
    assert Throughput(steps=200).stops == tuple(range(20, 201, 20)) and len(Throughput().stops) == INSTANTS
    assert Throughput(steps=3).stops == (1, 2, 3) and Throughput(steps=1).stops == (1,)
    assert Throughput(worlds=8192).worlds == 8192


def test_a_joint_without_a_limit_is_pushed_by_its_inertia(tmp_path: Path) -> None:
    (tmp_path / "two.urdf").write_text(URDF)
    tau = Throughput(robot=str(tmp_path / "two.urdf"), steps=1000).torques(1e-3)
    assert np.isfinite(tau).all() and np.ptp(tau[:, 1]) == pytest.approx(2 * 0.05 * 50, rel=1e-3)
    inertia = 0.03 + 1.5 * (0.1**2 + 0.03**2) + 0.003 + 0.4 * 0.15**2
    assert np.ptp(tau[:, 0]) == pytest.approx(2 * inertia, rel=1e-3)


@pytest.mark.parametrize("robot", ["fr3", "URDF"])
def test_worlds_are_the_single_world(robot: str, tmp_path: Path, simulate: Callable[..., Simulation]) -> None:
    (tmp_path / "two.urdf").write_text(URDF)
    case = Throughput(robot=robot if robot == "fr3" else str(tmp_path / "two.urdf"), worlds=3, steps=20)
    simulation = simulate(case.scene(1e-3))
    context = Context(Schedule(dt=1e-3, duration=1e-3), simulation.resolved())
    if not isinstance(simulation, Batched):
        with pytest.raises(Unsupported, match="one world at a time"):
            case.evaluate(simulation, context)
        return
    metrics = dict(case.evaluate(simulation, context))
    assert math.isfinite(metrics["steps_per_second"])
    verdicts = judge(case, Trace(np.zeros(0), (), {}), context, metrics)
    assert [verdict.outcome for verdict in verdicts] == ["pass", "pass"]
