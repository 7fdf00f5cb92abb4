"""The source model, its reference dynamics, loads and the torque law: no engine under test."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import simparity
from simparity.experiments.single_arm import HOME
from simparity.harness.controller import cartesian_line, gains, minimum_jerk, sinusoids, stability
from simparity.harness.errors import UsageError
from simparity.harness.inertia import is_real, tensor
from simparity.harness.payload import Load, loaded, merged
from simparity.harness.reference import Reference
from simparity.harness.robot_model import model_of
from simparity.harness.scene import Array, Robot

ASSETS = Path(simparity.__file__).parent / "experiments" / "assets"
GRAVITY = (0.0, 0.0, -9.81)
FR3 = Robot(name="fr3", description=str(ASSETS / "fr3.xml"))
URDF = """<robot name="two">
  <link name="base"/>
  <link name="upper">
    <inertial><origin xyz="0.1 0 0.2" rpy="0.3 -0.2 0.5"/><mass value="2"/>
      <inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0.001" ixz="-0.002" iyz="0.003"/></inertial>
  </link>
  <link name="lower">
    <inertial><origin xyz="0 0 0.1"/><mass value="1"/>
      <inertia ixx="0.01" iyy="0.01" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <link name="tip"/>
  <joint name="turn" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.5" rpy="0.1 0 0"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="2" effort="30" velocity="1"/><dynamics damping="0.5"/></joint>
  <joint name="reach" type="prismatic"><parent link="upper"/><child link="lower"/><origin xyz="0 0 0.4" rpy="0 0.2 0"/>
    <axis xyz="0 0 1"/><limit lower="0" upper="0.3" effort="50" velocity="1"/></joint>
  <joint name="end" type="fixed"><parent link="lower"/><child link="tip"/><origin xyz="0 0 0.2"/></joint>
</robot>"""


def test_the_fr3_has_the_published_figures() -> None:
    """Model A without armature at q = 0: diagonal of M and second gravity torque."""
    reference = Reference(model_of(FR3), GRAVITY)
    diagonal = np.diag(reference.mass_matrix(np.zeros(7)))
    np.testing.assert_allclose(diagonal, (0.0739, 2.7155, 0.0606, 0.6080, 0.0258, 0.0227, 0.000749), rtol=2e-3)
    assert reference.gravity_torque(np.zeros(7))[1] == pytest.approx(-3.857, abs=1e-3)
    np.testing.assert_allclose(reference.armature, 0.195)
    assert sum(link.mass for link in model_of(FR3).links) == pytest.approx(17.312176)
    flange = reference.link_poses(np.zeros(7))[-1]
    np.testing.assert_allclose(flange[:3], (0.088, 0, 0.926), atol=1e-12)


def test_robots_have_their_joints() -> None:
    duo = model_of(Robot(name="duo", description=str(ASSETS / "mobile_duo.xml")))
    assert len(duo.joints) == 18
    assert sum(link.mass for link in duo.links) == pytest.approx(100 + 20 + 2 * 17.312176)
    hand = model_of(Robot(name="hand", description=str(ASSETS / "fr3_hand.xml")))
    assert [joint.kind for joint in hand.joints[-2:]] == ["slide", "slide"]


def test_reference_dynamics_are_consistent() -> None:
    """Energy, Jacobian and bias against finite differences of the poses and of the energy."""
    reference, random = Reference(model_of(FR3), GRAVITY), np.random.default_rng(3)
    q, v, h = random.uniform(-1, 1, 7), random.uniform(-1, 1, 7), 1e-6
    ahead, behind = (reference.link_poses(q + s * h * v)[-1, :3] for s in (1, -1))
    np.testing.assert_allclose(reference.jacobian(q, "flange")[:3] @ v, (ahead - behind) / (2 * h), atol=1e-8)
    for k in range(7):
        step = h * np.eye(7)[k]
        slope = (reference.energy(q + step, 0 * v) - reference.energy(q - step, 0 * v)) / (2 * h)
        assert reference.gravity_torque(q)[k] == pytest.approx(slope, abs=1e-7)
    M = reference.mass_matrix(q) + np.diag(reference.armature)
    assert reference.energy(q, v) - reference.energy(q, 0 * v) == pytest.approx(0.5 * v @ M @ v)


def test_a_urdf_is_read_as_pinocchio_reads_it() -> None:
    import pinocchio as pin

    ours = Reference(model_of(Robot(name="two", description=URDF)), GRAVITY)
    theirs = pin.buildModelFromXML(URDF)
    data, random = theirs.createData(), np.random.default_rng(5)
    order = [theirs.joints[theirs.getJointId(name)].idx_v for name in ours.robot.joint_names]
    for _ in range(10):
        q, v = random.uniform(-0.5, 0.5, 2), random.uniform(-1, 1, 2)
        x, y = np.zeros(2), np.zeros(2)
        x[order], y[order] = q, v
        np.testing.assert_allclose(ours.bias(q, v), pin.nonLinearEffects(theirs, data, x, y)[order], atol=1e-12)
        M = pin.crba(theirs, data, x)
        M = np.triu(M) + np.triu(M, 1).T
        np.testing.assert_allclose(ours.mass_matrix(q), M[np.ix_(order, order)], atol=1e-12)
    turn, reach = ours.robot.joints
    assert (turn.lower, turn.upper, turn.effort, turn.damping) == (-1, 2, 30, 0.5)
    assert (reach.kind, reach.effort) == ("slide", 50)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("<mujoco><worldbody>", "is not well-formed XML"),
        ("<scene/>", r"an MJCF starts with <mujoco>, a URDF with <robot>"),
        ("<robot name='x'><link name='a'/></robot>", "has no joints"),
        (URDF.replace('value="2"', 'value="-2"'), "<mass> of 'inertial' has value=-2|has value=-2"),
        (URDF.replace('ixx="0.02"', 'ixx="nan"'), "has ixx=nan; give a finite number"),
        (
            "<mujoco><asset><mesh name='m' file='gone.stl'/></asset><worldbody><body name='b'><joint name='j'/>"
            "<geom type='mesh' mesh='m'/></body></worldbody></mujoco>",
            "gone.stl",
        ),
        (
            "<mujoco><worldbody><body name='b'><joint type='ball'/><geom size='.1'/></body></worldbody></mujoco>",
            "is no hinge and no slide",
        ),
    ],
)
def test_bad_descriptions_are_refused_in_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        model_of(Robot(name="bad", description=text))


def box(mass: float, at: Array, size: Array) -> tuple[float, Array, Array]:
    squares = size**2
    return mass, at, np.diag(mass * (squares.sum() - squares) / 12)


def test_merging_two_halves_makes_the_whole() -> None:
    """Two half boxes side by side are one box: the parallel-axis theorem against the closed form."""
    mass, com, inertia = box(1.0, np.array([-0.1, 0, 0]), np.array([0.2, 0.1, 0.3]))
    _, _, half = box(1.0, np.zeros(3), np.array([0.2, 0.1, 0.3]))
    load = Load(mass=1.0, com=(0.1, 0, 0), inertia=(*np.diag(half), 0, 0, 0))
    total, centre, result = merged(mass, com, inertia, load)
    _, _, whole = box(2.0, np.zeros(3), np.array([0.4, 0.1, 0.3]))
    assert total == 2.0
    np.testing.assert_allclose(centre, 0, atol=1e-15)
    np.testing.assert_allclose(result, whole, atol=1e-15)


@pytest.mark.parametrize("robot", [(FR3, "flange"), (Robot(name="two", description=URDF), "lower")])
def test_a_load_enters_the_description_and_leaves_it(robot: tuple[Robot, str]) -> None:
    bare, link = robot
    load = Load(mass=1.5, com=(0.01, -0.02, 0.05), inertia=(0.002, 0.003, 0.004, 1e-4, 0, -2e-4))
    before, after = model_of(bare).link(link), model_of(loaded(bare, link, load)).link(link)
    mass, com, inertia = merged(before.mass, np.array(before.com), np.array(before.inertia), load)
    assert after.mass == pytest.approx(mass)
    np.testing.assert_allclose(after.com, com, atol=1e-12)
    np.testing.assert_allclose(after.inertia, inertia, atol=1e-12)
    assert loaded(bare, link, Load()) is bare


def test_mass_matrix_is_linear_in_the_load() -> None:
    """Mass and inertia doubled about a fixed centre double M - M(0)."""
    q, matrices = np.array(HOME), []
    for factor in (0, 1, 2):
        inertia = tuple(factor * x for x in (0.002, 0.003, 0.004, 0, 0, 0))
        load = Load(mass=factor * 1.5, com=(0.01, 0.02, 0.05), inertia=inertia)
        matrices.append(Reference(model_of(loaded(FR3, "flange", load)), GRAVITY).mass_matrix(q))
    np.testing.assert_allclose(matrices[2] - matrices[0], 2 * (matrices[1] - matrices[0]), atol=1e-12)


def test_loads_that_cannot_be() -> None:
    with pytest.raises(UsageError, match="no real body can have"):
        Load(mass=1.0)
    with pytest.raises(UsageError, match="no real body can have"):
        Load(mass=1.0, inertia=(1, 1, 3, 0, 0, 0))
    with pytest.raises(UsageError, match="mass -1"):
        Load(mass=-1.0)
    assert is_real(tensor((1, 1, 2, 0, 0, 0)))


def test_gains_follow_the_rule_and_refuse_what_is_unstable() -> None:
    reference, q = Reference(model_of(FR3), GRAVITY), np.array(HOME)
    M = reference.mass_matrix(q) + np.diag(reference.armature)
    chosen = gains(reference, q, 60.0, 1.0, 1e-3)
    np.testing.assert_allclose(chosen.kp, 3600 * np.diag(M))
    np.testing.assert_allclose(chosen.kd, 120 * np.diag(M))
    soft = gains(reference, q, 60.0, 0.25, 1e-3)
    np.testing.assert_allclose(soft.kp, chosen.kp / 4)
    np.testing.assert_allclose(soft.kd, chosen.kd / 2)
    with pytest.raises(UsageError, match=r"would be unstable: lambda_max\(M\^-1 Kd\) dt is 2\.\d+"):
        gains(reference, q, 200.0, 1.0, 1e-3)
    assert stability(np.eye(2), np.array([3.0, 5.0]), 0.1) == pytest.approx(0.5)


@pytest.mark.parametrize("time", [0.0, 0.3, 0.99, 1.0, 2.5])
def test_targets_have_their_own_derivative(time: float) -> None:
    start, end, h = np.array([0.0, 1.0]), np.array([1.0, -1.0]), 1e-6
    for target in (minimum_jerk(start, end, 1.0), sinusoids(start, end, np.array([0.3, 0.5]), 1.0)):
        ahead, behind = target(time + h)[0], target(max(time - h, 0.0))[0]
        np.testing.assert_allclose(target(time)[1], (ahead - behind) / (h + min(h, time)), atol=1e-5)


def test_a_line_is_straight_and_its_velocity_is_its_own() -> None:
    reference, q0, way = Reference(model_of(FR3), GRAVITY), np.array(HOME), (0.05, -0.1, -0.1)
    target = cartesian_line(reference, "flange", q0, way, 1.0, 1e-3)
    start = reference.link_poses(q0)[-1]
    for time in (0.2, 0.5, 0.9, 1.5):
        q, v = target(time)
        pose = reference.link_poses(q)[-1]
        part = (pose[:3] - start[:3]) @ np.array(way) / np.dot(way, way)
        np.testing.assert_allclose(pose[:3] - start[:3], part * np.array(way), atol=1e-5)
        np.testing.assert_allclose(np.abs(pose[3:] @ start[3:]), 1, atol=1e-8)
        slope = (target(time + 2e-3)[0] - target(time - 2e-3)[0]) / 4e-3
        np.testing.assert_allclose(v, slope, atol=2e-3)
    np.testing.assert_allclose(reference.link_poses(target(1.0)[0])[-1, :3] - start[:3], way, atol=1e-6)
    with pytest.raises(UsageError, match="'flange' cannot follow the line"):
        cartesian_line(reference, "flange", q0, (3.0, 0.0, 0.0), 1.0, 1e-3)
