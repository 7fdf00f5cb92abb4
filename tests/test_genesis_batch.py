"""Many worlds in Genesis: each ends where the simulation of one ends, again and again."""

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

DT, STEPS = 1e-3, 20
EXPERIMENT = Throughput(steps=STEPS)
ROUNDING = 1e-15  # [rad | m]; the solve with M sums in another order where there is one world
SIZE = (0.1, 0.1, 0.1)
FLOOR = Body(name="floor", shapes=(Box((1.0, 1.0, 0.1)),), pose=Pose((3.0, 0.0, -0.05)))
# turned and spinning, and lands within the steps
CUBE = Body(
    name="cube",
    shapes=(Box(SIZE),),
    mass=0.1,
    inertia=box_inertia(0.1, SIZE),
    pose=Pose((3.0, 0.0, 0.08), (0.8, 0.6, 0.0, 0.0)),
    velocity=(0.1, 0.2, -1.0, 1.0, 2.0, 3.0),
)


@pytest.fixture
def build(request: pytest.FixtureRequest) -> Iterator[Callable[..., Any]]:
    if "genesis" not in chosen(request.config):
        pytest.skip("--engines leaves genesis out")
    built: list[Any] = []

    def pair(bodies: tuple[Body, ...], worlds: int, **options: Any) -> Any:
        """The simulation and its batch."""
        settings = settle("genesis", engine_mapping("genesis"), "matched", options)
        scene = replace(EXPERIMENT.scene(DT), bodies=bodies)
        built.append(engine_adapter("genesis").build(scene, DT, settings, "cpu", 64))
        assert isinstance(built[0], Batched)
        built.append(built[0].batch(worlds))
        return built

    yield pair
    for one in built:
        one.close()


@pytest.mark.parametrize("worlds", [1, 4])
@pytest.mark.parametrize("bodies", [(), (FLOOR, CUBE)], ids=["robot", "robot and cube"])
def test_every_world_is_the_single_simulation(build: Callable[..., Any], bodies: tuple[Body, ...], worlds: int) -> None:
    """Bit for bit where there is one world; whatever was run before; the cube's coordinates come first."""
    simulation, batch = build(bodies, worlds)
    robot = simulation.scene.robots[0]
    tau = EXPERIMENT.torques(DT)
    sample = Sample(tuple(body.name for body in simulation.scene.moving), model_of(robot).joint_names)
    ends, velocities = [], []
    for row in tau:
        simulation.command(row, None)
        simulation.advance(1)
        simulation.sample(sample)
        ends.append(np.hstack([np.hstack([sample.p_WB, sample.q_WB]).ravel(), sample.q]))
        velocities.append(sample.v.copy())
    assert np.abs(sample.q - robot.q0).max() > 1e-3
    assert not bodies or sample.contact_count.any()
    found = []
    for steps in (STEPS, 7, STEPS):
        states = batch.run(tau[:steps], (3, steps))
        assert (states.shape, states.dtype) == ((2, 2, worlds, len(robot.q0)), np.float64)
        earlier, (q, v) = states
        assert np.abs(v[0] - velocities[steps - 1]).max() <= (0.0 if worlds == 1 else ROUNDING / DT)
        assert np.abs(earlier[0, 0] - ends[2][-len(robot.q0) :]).max() <= (0.0 if worlds == 1 else ROUNDING)
        everything = batch.q.numpy()
        assert np.array_equal(everything[:, -len(robot.q0) :], q)
        assert np.array_equal(everything, np.tile(everything[0], (worlds, 1)))
        assert np.abs(everything[0] - ends[steps - 1]).max() <= (0.0 if worlds == 1 else ROUNDING)
        found.append(q)
    assert np.array_equal(found[0], found[-1])


def test_lost_contacts_are_an_error(build: Callable[..., Any]) -> None:
    _, batch = build((FLOOR, replace(CUBE, pose=Pose((3.0, 0.0, 0.0499)))), 4, max_contacts=1)
    with pytest.raises(SimparityError, match=r"option\.max_contacts"):
        batch.run(EXPERIMENT.torques(DT)[:3], (3,))
