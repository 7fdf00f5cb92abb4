"""Many worlds in Newton: each ends where the simulation of one ends, again and again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from simparity.experiments.throughput import Throughput
from simparity.harness.channels import Sample
from simparity.harness.engine import Batched
from simparity.harness.errors import SimparityError
from simparity.harness.registry import engine_adapter, engine_mapping
from simparity.harness.robot_model import model_of
from simparity.harness.scene import Body, Box, Pose, box_inertia
from simparity.harness.settings import settle

from .conftest import chosen

DT, WORLDS, STEPS = 1e-3, 4, 20
EXPERIMENT = Throughput(worlds=WORLDS, steps=STEPS)
SIZE = (0.1, 0.1, 0.1)
FLOOR = Body(name="floor", shapes=(Box((1.0, 1.0, 0.1)),), pose=Pose((3.0, 0.0, -0.05)))
CUBE = Body(name="cube", shapes=(Box(SIZE),), mass=0.1, inertia=box_inertia(0.1, SIZE), pose=Pose((3.0, 0.0, 0.05)))


@pytest.fixture(autouse=True)
def _needs_newton(request: pytest.FixtureRequest) -> None:
    if "newton" not in chosen(request.config):
        pytest.skip("--engines leaves newton out")


@pytest.mark.parametrize("bodies", [(), (FLOOR, CUBE)], ids=["robot", "robot and cube"])
def test_every_world_is_the_single_simulation(bodies: tuple[Body, ...]) -> None:
    """Bit for bit, whatever was run before; a free body before the robot shifts its coordinates."""
    scene = replace(EXPERIMENT.scene(DT), bodies=bodies)
    simulation = engine_adapter("newton").build(
        scene, DT, settle("newton", engine_mapping("newton"), "matched", {}), "cpu", 32
    )
    assert isinstance(simulation, Batched)
    tau = EXPERIMENT.torques(DT)
    sample = Sample(tuple(body.name for body in scene.moving), model_of(scene.robots[0]).joint_names)
    ends = []
    for row in tau:
        simulation.command(row, None)
        simulation.advance(1)
        simulation.sample(sample)
        ends.append(sample.q.copy())
    batch = simulation.batch(WORLDS)
    for steps in (STEPS, 7, STEPS):
        q = batch.run(tau[:steps])
        assert (q.shape, q.dtype) == ((WORLDS, 7), np.float64)
        assert np.array_equal(q, np.tile(ends[steps - 1], (WORLDS, 1)))
    assert np.abs(ends[-1] - scene.robots[0].q0).max() > 1e-5
    batch.close()
    simulation.close()


def test_lost_contacts_are_an_error() -> None:
    scene = replace(EXPERIMENT.scene(DT), bodies=(FLOOR, CUBE))
    simulation = engine_adapter("newton").build(
        scene, DT, settle("newton", engine_mapping("newton"), "matched", {"nconmax": 2}), "cpu", 32
    )
    assert isinstance(simulation, Batched)
    batch = simulation.batch(WORLDS)
    with pytest.raises(SimparityError, match="option.nconmax"):
        batch.run(EXPERIMENT.torques(DT))
    batch.close()
    simulation.close()
