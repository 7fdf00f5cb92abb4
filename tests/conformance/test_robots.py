"""Robots: every engine imports the same description and means the same by it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import simparity
from simparity.experiments.hinge import Hinge
from simparity.harness.channels import Sample
from simparity.harness.engine import Dynamics, Simulation
from simparity.harness.errors import Unsupported
from simparity.harness.payload import Load, loaded
from simparity.harness.reference import Reference
from simparity.harness.registry import engine_mapping
from simparity.harness.required import REQUIRED_PER_JOINT, REQUIRED_PER_LINK
from simparity.harness.robot_model import model_of
from simparity.harness.scene import Array, Robot, Scene

Simulate = Callable[..., Simulation]
FR3 = Robot(
    name="fr3",
    description=str(Path(simparity.__file__).parent / "experiments" / "assets" / "fr3.xml"),
    q0=(0.1, -0.2, 0.3, -1.5, 0.2, 1.6, -0.4),
)
SCENE = Scene(name="arm", robots=(FR3,))
MODEL = model_of(FR3)
NV = len(MODEL.joints)
DT = 1e-3


def joints_after(simulation: Simulation, steps: int) -> tuple[Array, Array]:
    sample = Sample((), MODEL.joint_names)
    simulation.advance(steps)
    simulation.sample(sample)
    return sample.q.copy(), sample.v.copy()


@pytest.fixture
def arm(simulate: Simulate) -> Simulation:
    return simulate(SCENE)


def test_robot_starts_at_q0_and_resets_to_it(arm: Simulation, eps: float) -> None:
    np.testing.assert_allclose(joints_after(arm, 0)[0], FR3.q0, atol=eps)
    first = joints_after(arm, 50)
    arm.reset()
    np.testing.assert_allclose(joints_after(arm, 0)[0], FR3.q0, atol=eps)
    again = joints_after(arm, 50)
    assert np.array_equal(first, again), "a replay is not bit-identical"


def test_gravity_torque_holds_the_arm(arm: Simulation) -> None:
    """The source model's g(q0) keeps every engine's arm where it is: masses, frames and the sign of torque agree."""
    arm.command(Reference(MODEL, SCENE.gravity).gravity_torque(np.array(FR3.q0)), None)
    q, v = joints_after(arm, 50)
    np.testing.assert_allclose(q, FR3.q0, atol=2e-6)
    np.testing.assert_allclose(v, 0, atol=1e-4)


@pytest.mark.parametrize("joint", range(NV))
def test_a_torque_moves_its_own_joint_first(arm: Simulation, joint: int) -> None:
    """Joint order and sign: with gravity held, 1 N m on one joint accelerates it as M^-1 says."""
    reference, q0 = Reference(MODEL, SCENE.gravity), np.array(FR3.q0)
    tau = reference.gravity_torque(q0)
    tau[joint] += 1.0
    arm.command(tau, None)
    _, v = joints_after(arm, 10)
    M = reference.mass_matrix(q0) + np.diag(reference.armature)
    expected = np.linalg.solve(M, np.eye(NV)[joint]) * 10 * DT
    np.testing.assert_allclose(v, expected, atol=0.03 * expected[joint])


def test_torques_are_held(arm: Simulation) -> None:
    tau = Reference(MODEL, SCENE.gravity).gravity_torque(np.array(FR3.q0))
    arm.command(tau, None)
    _, v = joints_after(arm, 30)
    arm.command(None, None)
    _, later = joints_after(arm, 30)
    np.testing.assert_allclose(later, v, atol=1e-4)


def test_a_joint_stops_at_its_limit(arm: Simulation) -> None:
    """Pushed up with 20 N m on top of gravity, joint 4 must not pass its range by more than a soft limit gives."""
    tau = Reference(MODEL, SCENE.gravity).gravity_torque(np.array(FR3.q0))
    tau[3] += 20.0
    arm.command(tau, None)
    highest = max(joints_after(arm, 10)[0][3] for _ in range(100))
    upper = MODEL.joints[3].upper
    assert upper - 0.05 < highest < upper + 0.1


def test_robot_is_read_back(simulate: Simulate, eps: float) -> None:
    table = simulate(SCENE, profile="matched").resolved().table
    missing = [f"link.{link.name}.{name}" for link in MODEL.links for name in REQUIRED_PER_LINK]
    missing += [f"joint.{joint.name}.{name}" for joint in MODEL.joints for name in REQUIRED_PER_JOINT]
    assert not [name for name in missing if name not in table]
    for link in MODEL.links:
        row = table[f"link.{link.name}.mass"]
        if row.value is None:
            assert row.origin == "absent" and row.native, f"{link.name} has no mass and no reason"
        else:
            np.testing.assert_allclose(float(row.value), link.mass, rtol=eps, atol=eps)  # type: ignore[arg-type]
    for joint in MODEL.joints:
        np.testing.assert_allclose(table[f"joint.{joint.name}.armature"].value, joint.armature, rtol=eps)  # type: ignore[arg-type]
        np.testing.assert_allclose(table[f"joint.{joint.name}.damping"].value, joint.damping, rtol=eps)  # type: ignore[arg-type]
        np.testing.assert_allclose(table[f"joint.{joint.name}.lower"].value, joint.lower, rtol=eps)  # type: ignore[arg-type]


def test_a_slide_has_units_of_force_and_length(simulate: Simulate) -> None:
    """The FR3 with its hand: hinges in N m and rad, the fingers' slides in N and m."""
    hand = Robot(name="hand", description=str(Path(FR3.description).with_name("fr3_hand.xml")))
    table = simulate(Scene(name="hand", robots=(hand,))).resolved().table
    hinge = {"armature": "kg m^2", "damping": "N m s/rad", "friction": "N m", "lower": "rad", "upper": "rad"}
    slide = {"armature": "kg", "damping": "N s/m", "friction": "N", "lower": "m", "upper": "m"}
    for joint in model_of(hand).joints:
        for quantity, unit in (hinge if joint.kind == "hinge" else slide).items():
            assert table[f"joint.{joint.name}.{quantity}"].unit == unit
        assert table[f"joint.{joint.name}.effort"].unit == ("N m" if joint.kind == "hinge" else "N")
    assert {joint.kind for joint in model_of(hand).joints} == {"hinge", "slide"}


def test_dynamics_agree_with_pinocchio(arm: Simulation, eps: float) -> None:
    assert isinstance(arm, Dynamics), "the adapter gives no dynamics"
    reference, random = Reference(MODEL, SCENE.gravity), np.random.default_rng(7)
    notes = arm.resolved().channel_notes
    order = [arm.link_names.index(name) for name in reference.link_names]
    before = joints_after(arm, 0)
    tolerance = max(eps, 1e-11) if eps < 1e-6 else 2e-5
    for _ in range(8):
        q, v = random.uniform(-1, 1, NV), random.uniform(-1, 1, NV)
        found = arm.dynamics(q, v, "flange")
        np.testing.assert_allclose(found.X_WL[order, :3], reference.link_poses(q)[:, :3], atol=tolerance)
        np.testing.assert_allclose(found.jacobian, reference.jacobian(q, "flange"), atol=tolerance)
        np.testing.assert_allclose(found.bias, reference.bias(q, v), atol=50 * tolerance)
        M = reference.mass_matrix(q) + (0 if "mass_matrix" in notes else np.diag(reference.armature))
        np.testing.assert_allclose(found.mass_matrix, M, atol=10 * tolerance)
    assert np.array_equal(joints_after(arm, 0), before), "asking for dynamics moved the robot"


def test_mass_matrix_is_linear_in_the_load(simulate: Simulate, eps: float) -> None:
    """Mass and inertia of the load doubled about a fixed centre double M - M(0), in the engine itself."""
    q, matrices = np.array(FR3.q0), []
    for factor in (0, 1, 2):
        inertia = tuple(factor * x for x in (2e-3, 3e-3, 4e-3, 0, 0, 0))
        load = Load(mass=factor * 1.5, com=(0.01, 0.02, 0.05), inertia=inertia)
        arm = simulate(Scene(name="loaded", robots=(loaded(FR3, "flange", load),)))
        assert isinstance(arm, Dynamics)
        matrices.append(arm.dynamics(q, 0 * q, "flange").mass_matrix)
    once = matrices[1] - matrices[0]
    assert np.abs(once).max() > 0.1, "the load did not arrive"
    np.testing.assert_allclose(matrices[2] - matrices[0], 2 * once, atol=1e-11 if eps < 1e-6 else 5e-5)


@pytest.mark.parametrize(("torque", "speed"), [(0.1, 0.0), (0.3, 1.0)])
def test_dry_friction_is_a_torque(engine: str, simulate: Simulate, torque: float, speed: float) -> None:
    """0.2 N m hold 0.1 N m and leave 1.0 rad/s after 1 s of 0.3 N m, or the table says that it is not there."""
    case = Hinge(mode="hold", friction=0.2, torque=torque)
    asked = {"joint_friction": True} if "joint_friction" in engine_mapping(engine).OPTIONS else {}
    try:
        simulation = simulate(case.scene(DT), **asked)
    except Unsupported:
        simulation = simulate(case.scene(DT), profile="default")
    row = simulation.resolved().table["joint.hinge.friction"]
    if row.value is None:
        assert row.origin == "absent" and "friction" in row.native and row.authored == 0.2
        return
    assert row.value == pytest.approx(0.2, rel=1e-6)
    simulation.command(np.array([torque]), None)
    sample = Sample((), ("hinge",))
    simulation.advance(1000)
    simulation.sample(sample)
    assert sample.v[0] == pytest.approx(speed, abs=0.01)


def test_damping_is_a_torque(simulate: Simulate) -> None:
    """0.2 N m s/rad on 0.1 kg m^2: 1 N m leads to 5 (1 - exp(-2 t)) rad/s."""
    case = Hinge(mode="decay", damping=0.2)
    simulation = simulate(case.scene(DT))
    simulation.command(np.array([1.0]), None)
    sample = Sample((), ("hinge",))
    simulation.advance(500)
    simulation.sample(sample)
    assert sample.v[0] == pytest.approx(5 * (1 - np.exp(-1.0)), rel=2e-3)


def test_armature_is_inertia(simulate: Simulate) -> None:
    """0.1 kg m^2 of armature on a hinge of 0.1 kg m^2 halves what a torque does, and nothing else is added."""
    for armature in (0.0, 0.1):
        case = Hinge(mode="hold", armature=armature)
        simulation = simulate(case.scene(DT))
        simulation.command(np.array([0.1]), None)
        sample = Sample((), ("hinge",))
        simulation.advance(1000)
        simulation.sample(sample)
        assert sample.v[0] == pytest.approx(0.1 / (0.1 + armature), rel=1e-3)
