"""MuJoCo's contact rows where a step has no two halves, and its drives when they are set twice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import simparity
from simparity.harness.channels import Sample
from simparity.harness.engine import Contacts, PositionDrive, Simulation
from simparity.harness.scene import Body, HalfSpace, Material, Pose, Robot, Scene, Sphere

Simulate = Callable[..., Simulation]
ROUGH = Material(friction=0.5)
BALL = Body(
    name="ball",
    shapes=(Sphere(0.05),),
    mass=0.5,
    inertia=(5e-4, 5e-4, 5e-4),
    pose=Pose((0.0, 0.0, 0.052)),
    velocity=(0.3, 0.0, 0.0, 0.0, 0.0, 0.0),
    material=ROUGH,
)
SCENE = Scene(name="landing", bodies=(Body(name="ground", shapes=(HalfSpace(),), material=ROUGH), BALL))


@pytest.fixture(autouse=True)
def _only_here(engine: str) -> None:
    if engine != "mujoco":
        pytest.skip(f"{engine} has its own")


def test_rk4_rows_are_those_of_the_channel(simulate: Simulate) -> None:
    """Both are of the first of a step's four evaluations, and looking changes nothing."""
    ends = []
    for watched in (False, True):
        simulation, sample = simulate(SCENE, integrator="RK4"), Sample(("ball",), ())
        assert isinstance(simulation, Contacts)
        simulation.watch_contacts(watched)
        touched = 0
        for _ in range(100):
            simulation.advance(1)
            simulation.sample(sample)
            rows = simulation.contacts()
            if watched and len(rows.a):
                touched += 1
                total = rows.f_normal @ rows.normal + rows.f_friction.sum(axis=0)
                np.testing.assert_allclose(total, sample.f_B_W[0], atol=1e-9)
        ends.append(sample.data.copy())
        assert not watched or touched > 10
    assert np.array_equal(ends[0], ends[1])


def test_drives_can_be_set_again(simulate: Simulate) -> None:
    fr3 = str(Path(simparity.__file__).parent / "experiments" / "assets" / "fr3.xml")
    simulation = simulate(Scene(name="arm", robots=(Robot(name="fr3", description=fr3),)))
    assert isinstance(simulation, PositionDrive)
    for gain in (100.0, 200.0):
        simulation.drive(np.full(7, gain), np.full(7, 10.0))
    assert simulation.resolved().table["joint.joint1.drive_stiffness"].value == 200.0
