"""Peg insertion: its geometry against closed forms, and what the two strategies do in the engines under test."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from simparity.experiments import peg
from simparity.experiments.peg_insertion import PegInsertion
from simparity.experiments.peg_measures import depth, wrench
from simparity.harness.channels import Sample
from simparity.harness.checks import judge, measure
from simparity.harness.contacts import ContactLog, contact_parties
from simparity.harness.engine import Contacts, Simulation
from simparity.harness.errors import UsageError
from simparity.harness.experiment import Context
from simparity.harness.robot_model import model_of
from simparity.harness.rollout import Timing, rollout
from simparity.harness.schedule import Schedule
from simparity.harness.trace import Trace

Simulate = Callable[..., Simulation]


def insert(simulate: Simulate, duration: float, **parameters: Any) -> tuple[PegInsertion, Trace, Context]:
    experiment = PegInsertion(**parameters)
    scene, schedule = experiment.scene(1e-3), Schedule(dt=1e-3, duration=duration)
    simulation, controller = simulate(scene, profile="published"), experiment.controller(schedule)
    log = ContactLog(contact_parties(scene))
    sample = Sample((), model_of(scene.robots[0]).joint_names)
    trace, diverged = rollout(simulation, sample, schedule, (), Timing(), controller, log)
    assert diverged is None
    contacts = log.trace(len(trace.time)) if isinstance(simulation, Contacts) else None
    return experiment, trace, Context(schedule, simulation.resolved(), controller, scene, contacts)


def outcome(experiment: PegInsertion, metrics: dict[str, float]) -> str:
    return experiment.OUTCOMES[int(metrics["outcome"])]


def failed(experiment: PegInsertion, trace: Trace, context: Context, metrics: dict[str, float]) -> list[str]:
    return [v.metric for v in judge(experiment, trace, context, metrics) if v.outcome == "fail"]


@pytest.mark.parametrize(("clearance", "tilt"), [(1e-4, 0.75), (5e-5, 0.2), (5e-4, 3.0)])
def test_a_peg_at_the_jam_depth_touches_lip_and_wall(clearance: float, tilt: float) -> None:
    """The lower edge on one side and the peg's side at the lip on the other are both on the bore's walls."""
    t = math.radians(tilt)
    depth = peg.jam_depth(clearance, t)
    pose = peg.tilted(np.zeros(3), depth, t, 0.0)
    up, across = peg.axis_of(pose), np.array([math.cos(t), 0.0, -math.sin(t)])
    bottom = pose[:3] - peg.LENGTH * up
    wall = peg.WIDTH / 2 + clearance
    high = bottom - peg.WIDTH / 2 * across  # the edge that is not the lowest point
    low = bottom + peg.WIDTH / 2 * across
    at_lip = low + up * (-low[2] / up[2])
    assert peg.depth_of(pose, np.zeros(3)) == pytest.approx(depth, abs=1e-12) == pytest.approx(-low[2], abs=1e-12)
    assert at_lip[0] == pytest.approx(wall, abs=1e-7)
    assert high[0] == pytest.approx(-wall, abs=1e-7)
    assert not peg.touches(clearance, t, 0.0, depth * 0.999) and peg.touches(clearance, t, 0.0, depth * 1.001)


def test_published_jam_depth() -> None:
    assert peg.jam_depth(1e-4, math.radians(0.75)) == pytest.approx(15.4e-3, abs=0.05e-3)
    assert peg.jam_depth(1e-4, 0.0) == math.inf


@pytest.mark.parametrize("shape", peg.SHAPES)
def test_the_bore_is_as_wide_as_it_says(shape: str) -> None:
    body = peg.bore(shape, 1e-4, np.zeros(3), PegInsertion().scene(1e-3).bodies[0].material)
    inner = [math.hypot(*piece.pose.p[:2]) - piece.size[0] / 2 for piece in body.shapes]  # type: ignore[union-attr]
    np.testing.assert_allclose(inner, peg.WIDTH / 2 + 1e-4, atol=1e-12)


@pytest.mark.parametrize("carrier", peg.CARRIERS)
def test_the_carrier_starts_tilted_above_the_lip(carrier: str) -> None:
    case = PegInsertion(carrier=carrier, tilt=0.75, offset=5e-5)
    scene = case.scene(1e-3)
    pose = case.reference().link_pose(np.array(scene.robots[0].q0), "peg")
    np.testing.assert_allclose(peg.axis_of(pose), [math.sin(case.radians), 0, math.cos(case.radians)], atol=1e-9)
    assert peg.depth_of(pose, case.lip()) == pytest.approx(-3e-3, abs=1e-9)


def test_members_move_the_bore_and_nothing_else() -> None:
    poses = [PegInsertion(member=k).scene(1e-3).bodies[0].pose.p for k in (0, 1, 1, 2)]
    assert poses[1] == poses[2] and len(set(poses)) == 3
    assert max(abs(a - b) for pose in poses for a, b in zip(pose, poses[0], strict=True)) <= 1e-5


@pytest.mark.parametrize("shape", peg.SHAPES)
def test_a_peg_that_cannot_touch_does_not(simulate: Simulate, shape: str) -> None:
    case, trace, context = insert(simulate, 0.9, clearance=5e-4, speed=0.06, peg=shape)
    metrics = measure(case, trace, context)
    assert not failed(case, trace, context, metrics)
    assert outcome(case, metrics) == "inserted" and metrics["contact_samples"] == 0
    assert metrics["final_depth"] == pytest.approx(case.target, abs=1e-5)


def test_a_tilted_peg_does_not_pass_the_jam_depth_freely(simulate: Simulate) -> None:
    """At a radial clearance of 0.1 mm it touches from the jam depth on, whatever follows."""
    case, trace, context = insert(simulate, 0.9)
    metrics, depths = measure(case, trace, context), depth(case.reference(), case.lip(), trace)
    assert not failed(case, trace, context, metrics)
    # within 0.9 s it has not come through; where contact is soft it may still be on its way down
    assert outcome(case, metrics) in ("stalled", "overload", "unfinished")
    assert metrics["contact_work"] < 0 < metrics["contact_samples"]
    assert depths.max() > 0.75 * metrics["jam_depth"]


def test_the_first_touch_is_at_the_jam_depth(simulate: Simulate) -> None:
    """What the law leaves of tilt and place, some 3 um, is 0.2 mm of depth."""
    case, trace, _ = insert(simulate, 0.8)
    touched = np.linalg.norm(wrench(case.reference(), trace)[:, :3], axis=1) > 0.1
    jam = peg.jam_depth(case.clearance, case.radians)
    assert depth(case.reference(), case.lip(), trace)[np.argmax(touched)] == pytest.approx(jam, abs=0.2e-3)


def test_a_run_that_is_too_short_is_no_stall(simulate: Simulate) -> None:
    case, trace, context = insert(simulate, 0.3, clearance=5e-4)
    metrics = measure(case, trace, context)
    assert outcome(case, metrics) == "unfinished" and math.isnan(metrics["stall_depth"])


def test_overload_ends_the_run(simulate: Simulate) -> None:
    case, trace, context = insert(simulate, 0.9, force_limit=2.0)
    metrics = measure(case, trace, context)
    assert outcome(case, metrics) == "overload" and trace.time[-1] < 0.9
    assert context.controller is not None and context.controller.ended.startswith("overload:")


@pytest.mark.parametrize(
    ("parameters", "named"),
    [
        ({"peg": "oval"}, "known pegs: round, square"),
        ({"carrier": "hand"}, "known carriers: carriage, fr3"),
        ({"target": 0.05}, "experiment.target"),
        ({"clearance": 0.0}, "experiment.clearance"),
    ],
)
def test_what_cannot_be_is_refused(parameters: dict[str, Any], named: str) -> None:
    with pytest.raises(UsageError, match=named):
        PegInsertion(**parameters)


def test_a_law_that_would_be_unstable_is_refused() -> None:
    with pytest.raises(UsageError, match="unstable"):
        PegInsertion(turning_damping=60.0).controller(Schedule(dt=1e-3, duration=0.1))
