"""Soft bodies: every engine takes them as they are described, or says why it does not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from simparity.experiments.soft_ball_grasp import SoftBallGrasp
from simparity.harness.channels import Sample
from simparity.harness.engine import Simulation
from simparity.harness.errors import Unsupported
from simparity.harness.robot_model import model_of
from simparity.harness.scene import Body, Box, Pose, Scene
from simparity.harness.soft_mesh import placed, volumes
from simparity.harness.soft_state import Deformable
from simparity.harness.solids import box_inertia

Simulate = Callable[..., Simulation]
DT, STEPS, ABOVE = 1e-3, 10, 5e-3  # it falls half a millimetre
ROWS = ("young", "poisson", "density", "damping", "friction", "coupling.stiffness", "coupling.damping")


def falling() -> Scene:
    """The grasp with the ball above the ground and between open pads."""
    scene = SoftBallGrasp().scene(DT)
    (ball,) = scene.soft_bodies
    x, y, z = ball.pose.p
    return replace(scene, soft_bodies=(replace(ball, pose=Pose((x, y, z + ABOVE))),))


def test_a_soft_body_falls_as_it_is_described(simulate: Simulate, eps: float) -> None:
    """Mesh, mass, material, and a fall: p = -m g t; z of first or second order in dt; replayed."""
    scene = falling()
    try:
        simulation = simulate(scene, dt=DT)
    except Unsupported as error:
        assert len(str(error)) > 20, "a refusal has a reason"
        return
    assert isinstance(simulation, Deformable)
    (ball,), (part,) = scene.soft_bodies, simulation.soft_parts
    mesh = placed(ball)
    mass = ball.density * volumes(mesh.vertices, mesh.elements).sum()
    np.testing.assert_allclose(part.rest, mesh.vertices, atol=1e-7)
    assert part.mass.sum() == pytest.approx(mass, rel=1e-5) and (part.mass > 0).all()
    assert (volumes(part.rest, part.elements) > 0).all()
    assert {frozenset(e) for e in part.elements.tolist()} == {frozenset(e) for e in mesh.elements.tolist()}

    table = simulation.resolved().table
    for quantity in ROWS:
        row = table[f"soft.ball.{quantity}"]
        assert row.value is not None or row.native, quantity
    for name, row in table.items():
        if name.startswith("soft.") and row.origin == "settings":
            assert row.value == pytest.approx(row.authored, rel=1e-6), f"{name} was set and did not reach the solver"
    for quantity, asked in (("young", ball.young), ("poisson", ball.poisson), ("density", ball.density)):
        assert table[f"soft.ball.{quantity}"].value == pytest.approx(asked, rel=1e-3), quantity
    assert table["pair.ball+gripper.friction"].value == pytest.approx(0.5, rel=1e-6)

    robot = model_of(scene.robots[0])
    sample = Sample((), robot.joint_names, (len(part.mass),), len(robot.links))
    simulation.sample(sample)
    start = sample.soft[0].copy()
    np.testing.assert_allclose(start[0], part.rest, atol=1e-7)
    simulation.advance(STEPS)
    simulation.sample(sample)
    p, v = sample.soft[0]
    first, second = 9.81 * DT**2 * STEPS * (STEPS + 1) / 2, 9.81 * (DT * STEPS) ** 2 / 2
    # an implicit solver stops at its own tolerance, which is above the rounding of 64 bit
    slack = max(eps, 1e-5)
    assert float(part.mass @ v[:, 2]) == pytest.approx(-mass * 9.81 * DT * STEPS, rel=slack * 10)
    fallen = float(part.mass @ (part.rest - p)[:, 2]) / mass
    assert min(abs(fallen - first), abs(fallen - second)) < max(slack * first, 2e-8), "of neither order"
    assert not np.nan_to_num(sample.f_links).any(), "nothing was touched"

    once = sample.soft[0].copy()
    simulation.reset()
    simulation.sample(sample)
    np.testing.assert_array_equal(sample.soft[0], start)
    for _ in range(STEPS):
        simulation.advance(1)
    simulation.sample(sample)
    np.testing.assert_array_equal(sample.soft[0], once)


def test_a_soft_body_beside_a_moving_one_is_refused(simulate: Simulate) -> None:
    """Its contact force would leave out what the soft body does to it."""
    cube = Body(name="cube", shapes=(Box((0.1,) * 3),), mass=1.0, inertia=box_inertia(1.0, (0.1,) * 3))
    scene = falling()
    with pytest.raises(Unsupported):
        simulate(replace(scene, bodies=(*scene.bodies, cube)))
