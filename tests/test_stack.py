"""The stack of cubes: what stands on an interface is what it carries, and what an unfinished solver does to it."""

from __future__ import annotations

import numpy as np
import pytest

from simparity.experiments.stack import Stack
from simparity.harness.record import Record
from simparity.harness.scene import Array
from simparity.harness.trace import Trace

from .conftest import Run

WEIGHT = 0.1 * 9.81


def outcome(record: Record, metric: str) -> str:
    return next(verdict.outcome for verdict in record.checks if verdict.metric == metric)


def trace_of(net: Array, names: tuple[str, ...]) -> Trace:
    """A trace with the net vertical normal force [N] of each cube, (T, n)."""
    forces = np.zeros((*net.shape, 3))
    forces[..., 2] = net
    return Trace(np.arange(len(net)) * 1e-3, names, {"f_normal_B_W": forces})


def test_every_interface_carries_what_is_above_it(run: Run) -> None:
    record, trace = run("stack", "settings=matched")
    assert trace is not None
    assert outcome(record, "standing") == outcome(record, "force_error") == "pass"
    loads = Stack().interface_forces(trace)[-500:].mean(axis=0)
    np.testing.assert_allclose(loads, WEIGHT * np.arange(1, 11), rtol=3e-3)
    assert record.metrics["sideways_drift"] < 1e-3 * Stack().size


def test_the_stated_law_predicts_the_sink(run: Run) -> None:
    record, _ = run("stack", "settings=matched", "experiment.cubes=3", "duration=2")
    assert outcome(record, "top_sink") in ("pass", "not applicable")
    assert record.metrics["top_sink"] < 1e-3


def test_forces_add_up_from_the_top() -> None:
    """Each cube's net force is the force from below less the one from above, its own weight at rest."""
    stack = Stack(cubes=3)
    assert stack.names == ("cube_1", "cube_2", "cube_3")
    assert [body.pose.p[2] for body in stack.scene(1e-3).moving] == pytest.approx([0.25, 0.15, 0.05])
    net = np.full((10, 3), WEIGHT)
    np.testing.assert_allclose(stack.interface_forces(trace_of(net, stack.names))[0], WEIGHT * np.array([1, 2, 3]))


def test_chatter_is_shown_and_not_averaged_away() -> None:
    """A force that alternates by 10 % has the right mean and a deviation of 10 %."""
    stack = Stack(cubes=2)
    net = np.full((1000, 2), WEIGHT)
    net[::2, 0] *= 1.1
    net[1::2, 0] *= 0.9
    metrics = {metric.name: metric for metric in stack.metrics()}
    trace = trace_of(net, stack.names)
    measured = {name: metrics[name].measure(trace, None) for name in ("force_error", "force_deviation")}  # type: ignore[arg-type]
    assert measured["force_error"] == pytest.approx(0.0, abs=1e-9)
    assert measured["force_deviation"] == pytest.approx(0.1, rel=1e-9)
