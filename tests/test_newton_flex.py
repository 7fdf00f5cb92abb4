"""Soft bodies by MuJoCo Warp's flex: the second method of the Newton adapter, beside that of the conformance suite."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from simparity.experiments.pads import FINGER_MASS
from simparity.experiments.soft_ball_grasp import SoftBallGrasp
from simparity.harness.channels import Sample
from simparity.harness.errors import Unsupported
from simparity.harness.registry import engine_adapter, engine_mapping
from simparity.harness.robot_model import model_of
from simparity.harness.settings import settle

from .conftest import chosen

DT, STEPS, EFFORT = 1e-3, 80, 1.0


@pytest.fixture
def build(request: pytest.FixtureRequest) -> Iterator[Callable[..., Any]]:
    if "newton" not in chosen(request.config):
        pytest.skip("--engines leaves newton out")
    built: list[Any] = []

    def simulation(**options: Any) -> Any:
        settings = settle("newton", engine_mapping("newton"), "matched", {"soft_method": "flex", **options})
        built.append(engine_adapter("newton").build(SoftBallGrasp().scene(DT), DT, settings, "cpu", 32))
        return built[-1]

    yield simulation
    for one in built:
        one.close()


def test_pads_meet_the_force_of_the_same_step_and_all_is_replayed(build: Callable[..., Any]) -> None:
    """m a = effort + own force on each finger; the ball is as asked for, and the pads squeeze it."""
    simulation = build()
    robot, (part,) = model_of(simulation.scene.robots[0]), simulation.soft_parts
    fingers = [robot.joint_names.index(name) for name in robot.joint_names[1:]]
    sample = Sample((), robot.joint_names, (len(part.mass),), len(robot.links))
    tau = np.zeros(len(robot.joints))
    tau[fingers] = EFFORT
    v, f = np.zeros((STEPS + 1, 2)), np.zeros((STEPS + 1, 2))
    simulation.command(tau, None)
    for k in range(1, STEPS + 1):
        simulation.advance(1)
        simulation.sample(sample)
        v[k] = sample.v[fingers]
        f[k] = [np.dot(robot.joints[j].axis, sample.f_links[1 + i]) for i, j in enumerate(fingers)]
    momentum = FINGER_MASS * np.diff(v, axis=0) / DT - EFFORT
    now, late = (float(np.sqrt(((momentum - force) ** 2).mean())) for force in (f[1:], f[:-1]))
    assert now < 1e-3 * EFFORT, "a solver that stops at 1e-6 in 32 bit leaves a thousandth at most"
    assert late > 50 * now and np.abs(f).max() > EFFORT / 2, "a force one step late would show"
    p = sample.soft[0][0].copy()
    assert np.ptp(p[:, 0]) < np.ptp(part.rest[:, 0])

    table = simulation.resolved().table
    (ball,) = simulation.scene.soft_bodies
    for quantity, asked in (("young", ball.young), ("poisson", ball.poisson), ("density", ball.density)):
        assert table[f"soft.ball.{quantity}"].value == pytest.approx(asked, rel=1e-3), quantity
    assert table["pair.ball+gripper.friction"].value == 0.5
    assert (table["soft_method"].value, table["integrator"].value) == ("flex", "discrete")

    simulation.reset()
    simulation.sample(sample)
    np.testing.assert_array_equal(sample.soft[0][0], part.rest)
    assert not sample.f_links.any() and not sample.v.any()
    simulation.command(tau, None)
    simulation.advance(STEPS)
    simulation.sample(sample)
    np.testing.assert_array_equal(sample.soft[0][0], p)


def test_on_the_ground_it_is_the_c_engine(build: Callable[..., Any]) -> None:
    """The ball settles on a plane, untouched by pads: the same contacts, in 32 bit."""
    warp = build()
    settings = settle("mujoco", engine_mapping("mujoco"), "matched", {"soft_solver": "Newton"})
    c = engine_adapter("mujoco").build(warp.scene, DT, settings, "cpu", 64)
    (part,) = warp.soft_parts
    found = []
    for simulation in (warp, c):
        sample = Sample((), model_of(warp.scene.robots[0]).joint_names, (len(part.mass),), len(warp.link_names))
        simulation.advance(20)
        simulation.advance(30)
        simulation.sample(sample)
        found.append(sample.soft[0][0].copy())
    c.close()
    assert np.abs(found[1] - part.rest).max() > 1e-5, "it sags"
    np.testing.assert_allclose(found[0], found[1], atol=1e-6)


def test_lambda_counts_twice_unless_halved(build: Callable[..., Any]) -> None:
    """For Poisson's ratio 0.3 lambda is 1.5 mu; with 3 mu the ratio is 3/8 and Young's modulus 11/4 mu."""
    table = build(soft_half_lambda=False).resolved().table
    assert table["soft.ball.poisson"].value == pytest.approx(3 / 8, rel=1e-3)
    assert table["soft.ball.young"].value == pytest.approx(11 / 4 * 2e4 / 2.6, rel=1e-3)


def test_a_scene_that_the_flex_cannot_have_is_refused_with_the_reason(build: Callable[..., Any]) -> None:
    with pytest.raises(Unsupported, match="soft_passes"):
        build(soft_passes=3)
