"""What is measured of an arm: energy with springs, and the stability of its law along the whole motion."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from simparity.experiments.single_arm import SingleArm
from simparity.harness.channels import Sample
from simparity.harness.checks import measure
from simparity.harness.controller import configurations, gains, sinusoids, stability
from simparity.harness.engine import Simulation
from simparity.harness.errors import Unsupported, UsageError
from simparity.harness.experiment import Context
from simparity.harness.reference import Reference
from simparity.harness.robot_model import model_of
from simparity.harness.rollout import Timing, rollout
from simparity.harness.scene import Robot
from simparity.harness.schedule import Schedule

GRAVITY = (0.0, 0.0, -9.81)
# a pendulum whose spring, at rest at 0.2 rad, outweighs gravity
SPRUNG = """<mujoco><compiler angle="radian" autolimits="true"/><worldbody><body name="arm">
<joint name="hinge" axis="0 1 0" stiffness="20" springref="0.2"/>
<inertial mass="1" pos="0 0 -0.3" diaginertia="0.01 0.01 0.01"/></body></worldbody></mujoco>"""
ELBOW = """<mujoco><compiler angle="radian" autolimits="true"/><worldbody><body name="upper">
<joint name="shoulder" axis="0 1 0"/><inertial mass="0.1" pos="0.1 0 0" diaginertia="0.001 0.001 0.001"/>
<body name="lower" pos="0.5 0 0"><joint name="elbow" axis="0 1 0"/>
<inertial mass="2" pos="0.48 0 0" diaginertia="0.01 0.01 0.01"/></body></body></worldbody></mujoco>"""


def test_the_reference_energy_holds_springs() -> None:
    """0.5 k (q - rest)^2 on top of m g h, and its slope is gravity and spring together."""
    reference = Reference(model_of(Robot(name="arm", description=SPRUNG)), GRAVITY)
    still, h = np.zeros(1), 1e-6
    energies = [reference.energy(np.array([q]), still) for q in (0.5 - h, 0.5 + h)]
    slope = (energies[1] - energies[0]) / (2 * h)
    assert slope == pytest.approx(9.81 * 0.3 * np.sin(0.5) + 20 * (0.5 - 0.2), rel=1e-8)


def measured(simulate: Callable[..., Simulation], path: Path, dt: float) -> dict[str, float]:
    case = SingleArm(robot=str(path), motion="minimum_jerk", amplitude=0.9)
    simulation = simulate(case.scene(dt), dt=dt)
    schedule = Schedule(dt=dt, duration=1.0)
    law = case.controller(schedule)
    trace, diverged = rollout(simulation, Sample((), ("hinge",)), schedule, (), Timing(), law)
    assert diverged is None
    return measure(case, trace, Context(schedule, simulation.resolved(), law))


@pytest.mark.parametrize("rest", ["0.2", "0"])
def test_a_spring_takes_its_part_of_the_energy(rest: str, simulate: Callable[..., Simulation], tmp_path: Path) -> None:
    """What a step of first order leaves of the balance halves with dt; without the spring's energy it would not."""
    path = tmp_path / "sprung.xml"
    path.write_text(SPRUNG.replace('springref="0.2"', f'springref="{rest}"'))
    try:
        coarse, fine = (measured(simulate, path, dt) for dt in (1e-3, 5e-4))
    except Unsupported as error:
        assert rest != "0" and "springref" in str(error)
        return
    assert coarse["energy_exchanged"] > 0.1
    assert coarse["energy_residual"] < 2 * 60.0 * 1e-3 * coarse["energy_exchanged"], "2 w dt of what is exchanged"
    assert fine["energy_residual"] < 0.6 * coarse["energy_residual"]


def test_a_law_that_becomes_unstable_on_its_way_is_refused() -> None:
    """Bent at the start, and almost stretched by the motion, where the two joints' inertias work against each other."""
    reference, q0 = Reference(model_of(Robot(name="arm", description=ELBOW)), GRAVITY), np.array([0.0, 2.0])
    target = sinusoids(q0, np.array([0.0, 1.5]), np.array([0.5, 0.5]), 1.0)
    along = configurations(target, 2.0)
    numbers = [stability(reference.mass_matrix(q), gains(reference, q0, 1.0, 1.0, 1e-3).kd, 1e-3) for q in along]
    assert len(along) == 50 and max(numbers) > 4 * numbers[0]
    bandwidth = 2 * 1.5 / max(numbers)  # the numbers grow in proportion to it
    gains(reference, q0, bandwidth, 1.0, 1e-3)
    with pytest.raises(UsageError, match=r"would be unstable: lambda_max\(M\^-1 Kd\) dt is 3, above 1\.5; lower"):
        gains(reference, q0, bandwidth, 1.0, 1e-3, along)
