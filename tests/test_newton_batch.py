"""Many worlds in Newton: each ends where the simulation of one ends, again and again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from simparity.experiments.throughput import Throughput
from simparity.harness.channels import Sample
from simparity.harness.engine import Batched
from simparity.harness.errors import SimparityError
from simparity.harness.registry import engine_adapter, engine_mapping
from simparity.harness.robot_model import model_of
from simparity.harness.scene import Body, Box, Pose
from simparity.harness.settings import settle
from simparity.harness.solids import box_inertia

from .conftest import chosen

DT, WORLDS, STEPS = 1e-3, 4, 20
EXPERIMENT = Throughput(worlds=WORLDS, steps=STEPS)
SIZE = (0.1, 0.1, 0.1)
FLOOR = Body(name="floor", shapes=(Box((1.0, 1.0, 0.1)),), pose=Pose((3.0, 0.0, -0.05)))
# 1 mm above the floor, so it lands after 14 steps
CUBE = Body(name="cube", shapes=(Box(SIZE),), mass=0.1, inertia=box_inertia(0.1, SIZE), pose=Pose((3.0, 0.0, 0.051)))


@pytest.fixture
def build(request: pytest.FixtureRequest) -> Iterator[Callable[..., Any]]:
    if "newton" not in chosen(request.config):
        pytest.skip("--engines leaves newton out")
    built: list[Any] = []

    def pair(bodies: tuple[Body, ...], **options: Any) -> Any:
        """The simulation and its batch."""
        settings = settle("newton", engine_mapping("newton"), "matched", options)
        scene = replace(EXPERIMENT.scene(DT), bodies=bodies)
        built.append(engine_adapter("newton").build(scene, DT, settings, "cpu", 32))
        assert isinstance(built[0], Batched)
        built.append(built[0].batch(WORLDS))
        return built

    yield pair
    for one in built:
        one.close()


@pytest.mark.parametrize("bodies", [(), (FLOOR, CUBE)], ids=["robot", "robot and cube"])
def test_every_world_is_the_single_simulation(build: Callable[..., Any], bodies: tuple[Body, ...]) -> None:
    """Bit for bit, whatever was run before; the cube's free joint comes before the robot's coordinates."""
    simulation, batch = build(bodies)
    robot = simulation.scene.robots[0]
    tau = EXPERIMENT.torques(DT)
    sample = Sample(tuple(body.name for body in simulation.scene.moving), model_of(robot).joint_names)
    ends = []
    for row in tau:
        simulation.command(row, None)
        simulation.advance(1)
        simulation.sample(sample)
        ends.append(sample.joints[:2].copy())
    assert np.abs(ends[-1][0] - robot.q0).max() > 1e-5
    for steps in (STEPS, 7, STEPS):
        stops = (3, steps)
        found = batch.run(tau[:steps], stops)
        assert (found.shape, found.dtype) == ((2, 2, WORLDS, len(robot.q0)), np.float64)
        for stop, state in zip(stops, found, strict=True):
            assert np.array_equal(state, np.tile(ends[stop - 1][:, None], (1, WORLDS, 1)))


def test_lost_constraint_rows_are_an_error(build: Callable[..., Any]) -> None:
    _, batch = build((FLOOR, CUBE), njmax=8)  # four points of contact need twelve
    with pytest.raises(SimparityError, match=r"option\.njmax, now 8"):
        batch.run(EXPERIMENT.torques(DT), (STEPS,))
