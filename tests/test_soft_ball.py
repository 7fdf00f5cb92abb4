"""The soft ball between pads and plates: laws and predictions, and short runs in the engines under test."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from simparity.experiments.pads import FINGER_MASS, Phases, Squeeze
from simparity.experiments.plate_compression import PlateCompression
from simparity.experiments.soft_ball import hertz_force
from simparity.experiments.soft_ball_grasp import SoftBallGrasp
from simparity.harness.checks import judge, measure
from simparity.harness.engine import Simulation
from simparity.harness.errors import Unsupported, UsageError
from simparity.harness.experiment import Context, Experiment
from simparity.harness.mujoco_flex import elasticity
from simparity.harness.rollout import Timing, rollout
from simparity.harness.schedule import Schedule
from simparity.harness.soft_mesh import lame
from simparity.harness.trace import Trace
from simparity.harness.worker import _logged

Simulate = Callable[..., Simulation]


def run(simulate: Simulate, case: Experiment, duration: float, dt: float, **options: Any) -> tuple[Trace, Context]:
    scene, schedule = case.scene(dt), Schedule(dt=dt, duration=duration)
    simulation, controller = simulate(scene, dt=dt, **options), case.controller(schedule)
    sample, bodies = _logged(scene, simulation, schedule)
    trace, diverged = rollout(simulation, sample, schedule, (), Timing(), controller, None, bodies)
    assert diverged is None
    soft = tuple(body.trace(trace.time) for body in bodies)
    return trace, Context(schedule, simulation.resolved(), controller, scene, None, soft)


def test_the_lift_starts_and_ends_at_rest() -> None:
    phases = Phases(close=0.2, lift=0.6, hold=0.2, lower=0.3, height=0.05)
    time = np.linspace(0, 1.5, 15001)
    z, rate = np.array([phases.way(float(t)) for t in time]).T
    assert z[0] == z[-1] == 0 and z.max() == pytest.approx(0.05)
    np.testing.assert_allclose(np.gradient(z, time)[1:-1], rate[1:-1], atol=1e-5)
    lifting = (time > phases.lift_at) & (time < phases.hold_at)
    acceleration = np.gradient(rate, time)
    assert np.abs(acceleration[lifting]).max() == pytest.approx(phases.peak_acceleration, rel=1e-3)


def test_a_pad_presses_with_its_effort_and_drags_beside_it() -> None:
    squeeze = Squeeze(effort=1.5)
    assert squeeze.force(10.0, 0.0, 0.0) == 1.5, "at its limit it is pressed by the effort"
    assert squeeze.force(0.0, 0.01, 0.0) == -1.5
    assert squeeze.force(10.0, 0.0, 0.1) == pytest.approx(1.5 - squeeze.drag * 0.1)
    # the explicit law is stable on a free finger for the longest step of the study
    assert (squeeze.damping + squeeze.drag) * 2e-3 / FINGER_MASS < 1.5


def test_a_doubled_lambda_is_halved_before() -> None:
    """mu stays, lambda is half: an engine that takes lambda twice then has what was asked for."""
    assert elasticity(2e4, 0.3, half_lambda=False) == (2e4, 0.3)
    (mu, lam), (mu2, lam2) = lame(2e4, 0.3), lame(*elasticity(2e4, 0.3, half_lambda=True))
    assert mu2 == pytest.approx(mu) and 2 * lam2 == pytest.approx(lam)


def of_mujoco(profile: str, **options: Any) -> Simulate:
    from simparity.engines.mujoco import mapping
    from simparity.engines.mujoco.adapter import build
    from simparity.harness.settings import settle

    settings = settle("mujoco", mapping, profile, options)
    return lambda scene, dt: build(scene, dt, settings, "cpu", 64)


def test_an_integrator_without_soft_bodies_is_unsupported() -> None:
    simulate = of_mujoco("published", integrator="implicit")
    with pytest.raises(Unsupported, match=r"integrator implicit; set option\.integrator to discrete"):
        simulate(PlateCompression().scene(1e-4), dt=1e-4)


def table_of(profile: str, dt: float = 1e-3, **options: Any) -> Any:
    simulation = of_mujoco(profile, **options)(SoftBallGrasp().scene(dt), dt)
    try:
        return simulation.resolved()
    finally:
        simulation.close()


def test_options_that_were_asked_for_hold_in_a_soft_scene() -> None:
    table = table_of("matched", solver="CG", impratio=100.0).table
    for name, asked in (("solver", "CG"), ("impratio", 100.0)):
        assert (table[name].value, table[name].authored, table[name].origin) == (asked, asked, "settings")
    assert table["integrator"].value == "discrete", "nobody asked for another"
    assert table_of("published", solver="Newton").table["solver"].value == "Newton", "the profile has CG"
    with pytest.raises(Unsupported, match="PGS"):
        table_of("matched", solver="PGS")
    with pytest.raises(Unsupported, match="implicitfast"):
        table_of("matched", integrator="implicitfast")


def test_rows_of_the_coupling_say_what_is_used() -> None:
    floored = table_of("matched", dt=2e-3, solref=(0.002, 1.0), iterations=7).table
    assert floored["soft.ball.coupling.time_constant"].value == floored["shape.ground.0.time_constant"].value == 0.004
    assert (
        floored["soft.ball.coupling.time_constant"].authored,
        floored["soft.ball.coupling.iterations"].authored,
    ) == (
        0.002,
        7,
    )
    loose = table_of("matched", dt=2e-3, solref=(0.008, 1.0)).table
    ratio = floored["soft.ball.coupling.stiffness"].value / loose["soft.ball.coupling.stiffness"].value
    assert ratio == pytest.approx(4.0)
    direct = table_of("matched", solref=(-1000.0, -10.0)).table
    for name in ("soft.ball.coupling.time_constant", "soft.ball.coupling.stiffness", "shape.ground.0.time_constant"):
        assert (direct[name].value, direct[name].origin) == (None, "absent")


def test_forces_of_runge_kutta_are_noted_on_links_too() -> None:
    assert {"f_links", "f_B_W"} <= set(table_of("published", 1e-4, integrator="RK4").channel_notes)
    assert "f_links" not in table_of("published", 1e-4).channel_notes


def test_runge_kutta_keeps_momentum_too() -> None:
    """What its stages take from the plates they give to the ball, whatever the stage."""
    case = PlateCompression(depth=0.006, hold=0.02, speed=0.1)
    simulate = of_mujoco("published", integrator="RK4", soft_solver="Newton")
    metrics = measure(case, *run(simulate, case, 0.185, 1e-4))
    assert metrics["force_upper"] > 0.05
    assert metrics["momentum_residual"] < 1e-6


def test_hertz() -> None:
    assert hertz_force(np.array([0.0, -1.0]), 2e4, 0.3).tolist() == [0, 0]
    (force,) = hertz_force(np.array([1e-3]), 2e4, 0.3)
    assert force == pytest.approx(4 / 3 * 2e4 / 0.91 * math.sqrt(0.03) * 1e-3**1.5)


@pytest.mark.parametrize(
    ("case", "parameters", "named"),
    [
        (SoftBallGrasp, {"carrier": "crane"}, "known carriers: fr3, slides"),
        (SoftBallGrasp, {"effort": 0.0}, "experiment.effort"),
        (SoftBallGrasp, {"height": 0.5}, "experiment.height"),
        (PlateCompression, {"depth": 0.05}, "experiment.depth"),
        (PlateCompression, {"speed": 0.0}, "experiment.speed"),
    ],
)
def test_what_cannot_be_is_refused(case: type[Any], parameters: dict[str, Any], named: str) -> None:
    with pytest.raises(UsageError, match=named):
        case(**parameters)


def test_the_hand_holds_the_ball_between_its_pads() -> None:
    scene = SoftBallGrasp(carrier="fr3").scene(1e-3)
    case, robot = SoftBallGrasp(carrier="fr3"), scene.robots[0]
    law = case.controller(Schedule(dt=1e-3, duration=0.1))
    assert law is not None
    tau = law.torque(0.0, np.array(robot.q0), np.zeros(9))
    assert tau.shape == (9,) and np.isfinite(tau).all()


def test_a_lift_that_is_too_low_tells_nothing(simulate: Simulate) -> None:
    """The ball sags by millimetres as the ground lets it go, which a lift of 5 mm cannot tell from slipping."""
    case = SoftBallGrasp(close=0.01, lift=0.01, hold=0.01, lower=0.01, height=0.005)
    try:
        trace, context = run(simulate, case, 0.04, 2e-3)
    except Unsupported:
        return
    metrics = measure(case, trace, context)
    assert math.isnan(metrics["outcome"]) and math.isnan(metrics["held"]) and metrics["pad_rise"] > 0
    (held,) = (verdict for verdict in judge(case, trace, context, metrics) if verdict.metric == "held")
    assert held.outcome == "not applicable" and "too low" in held.reason


@pytest.fixture(scope="module")
def plates() -> dict[str, float]:
    """Plates in the reference engine, with a solver that converges."""
    case = PlateCompression(depth=0.004, hold=0.05)
    trace, context = run(of_mujoco("matched", soft_solver="Newton"), case, 0.25, 1e-3)
    metrics = measure(case, trace, context)
    failed = [v.metric for v in judge(case, trace, context, metrics) if v.outcome == "fail"]
    assert not failed, failed
    return metrics


def test_plates_carry_the_ball_and_conserve_momentum(plates: dict[str, float]) -> None:
    """With a converged solver impulse and change of momentum agree in every step and component."""
    assert plates["momentum_residual"] < 1e-6
    assert plates["own_force"] == pytest.approx(plates["force_upper"], abs=1e-6)
    assert plates["inverted_elements"] == 0 and plates["elastic_energy"] > 0
    assert 0 < plates["force_upper"] < 2 * plates["hertz_force"]


def test_a_short_squeeze_says_what_it_can(simulate: Simulate) -> None:
    """What the run is too short for is no number; the rest is."""
    case = SoftBallGrasp()
    try:
        trace, context = run(simulate, case, 0.02, 1e-3)
    except Unsupported:
        return
    metrics = measure(case, trace, context)
    assert math.isnan(metrics["outcome"]) and math.isnan(metrics["own_force"])
    assert metrics["inverted_elements"] == 0 and metrics["valid_until"] == pytest.approx(0.02)
    assert metrics["mu_used"] == pytest.approx(0.5, rel=1e-6)
    assert metrics["effort_needed"] == pytest.approx(0.105 * 9.81 / (2 * 0.5), rel=1e-6)
