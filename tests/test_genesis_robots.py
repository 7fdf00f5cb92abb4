"""Robots in Genesis: what its importers make of a description, and the dynamics that it gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simparity.engines.genesis import mapping
from simparity.harness.channels import Sample
from simparity.harness.engine import Dynamics, Simulation
from simparity.harness.errors import SimparityError, Unsupported
from simparity.harness.reference import Reference
from simparity.harness.robot_model import model_of
from simparity.harness.scene import Body, Box, Pose, Robot, Scene
from simparity.harness.settings import settle
from simparity.harness.solids import box_inertia

from .conftest import chosen

ASSETS = Path(__file__).parent.parent / "experiments" / "assets"
DT = 1e-3
POSE = Pose((0.3, -0.2, 0.1), (np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0))
HINGE = """<mujoco><compiler angle="radian"/><worldbody><body name="arm">
  <inertial mass="1" pos="0 0 0" diaginertia="0.1 0.1 0.1"/>
  <joint name="pivot" type="hinge" axis="0 0 1" frictionloss="0.2"/></body></worldbody></mujoco>"""
URDF = """<robot name="small">
  <link name="base"><inertial><origin xyz="0 0 0.1"/><mass value="2"/>
    <inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="upper"><inertial><origin xyz="0.1 0.02 0.03" rpy="0.3 -0.2 0.5"/><mass value="1.5"/>
    <inertia ixx="0.01" iyy="0.02" izz="0.025" ixy="0.001" ixz="-0.002" iyz="0.0005"/></inertial></link>
  <link name="slider"><inertial><origin xyz="0 0 0.05" rpy="0 0.4 0"/><mass value="0.7"/>
    <inertia ixx="0.004" iyy="0.005" izz="0.006" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="wheel"><inertial><origin xyz="0.01 0 0"/><mass value="0.3"/>
    <inertia ixx="0.001" iyy="0.0012" izz="0.0015" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="tool"><inertial><origin xyz="0 0.01 0"/><mass value="0.1"/>
    <inertia ixx="0.0001" iyy="0.0001" izz="0.0001" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
    <origin xyz="0 0 0.3" rpy="0.1 0.2 0.3"/><axis xyz="0 1 0"/>
    <limit lower="-1.5" upper="1.2" effort="40" velocity="3"/><dynamics damping="0.4" friction="0.3"/></joint>
  <joint name="slide" type="prismatic"><parent link="upper"/><child link="slider"/>
    <origin xyz="0.2 0 0"/><axis xyz="1 0 0"/>
    <limit lower="-0.1" upper="0.4" effort="25" velocity="1"/><dynamics damping="1.5"/></joint>
  <joint name="spin" type="continuous"><parent link="slider"/><child link="wheel"/>
    <origin xyz="0 0 0.1" rpy="1.2 0 0"/><axis xyz="0 0 1"/><dynamics damping="0.01"/></joint>
  <joint name="mount" type="fixed"><parent link="wheel"/><child link="tool"/>
    <origin xyz="0 0 0.07" rpy="0 0.2 0"/></joint>
</robot>"""
HOME = (0.0, 0.0, 0.0, -1.57079, 0.0, 1.57079, -0.7853)
ROBOTS = {
    "fr3": (str(ASSETS / "fr3.xml"), HOME, "flange"),
    "fr3_hand": (str(ASSETS / "fr3_hand.xml"), (*HOME, 0.02, 0.02), "tool"),
    "mobile_duo": (str(ASSETS / "mobile_duo.xml"), (), "right_flange"),
    "urdf": (URDF, (0.1, 0.2, 0.3), "tool"),
}
Built = Callable[..., Simulation]


@pytest.fixture
def built(request: pytest.FixtureRequest) -> Iterator[Built]:
    """Build scenes in Genesis; everything is closed afterwards."""
    if "genesis" not in chosen(request.config):
        pytest.skip("--engines leaves out genesis")
    from simparity.engines.genesis.adapter import build

    made: list[Simulation] = []

    def one(scene: Scene, profile: str = "matched", **options: Any) -> Simulation:
        made.append(build(scene, DT, settle("genesis", mapping, profile, options), "cpu", 64))
        return made[-1]

    yield one
    for simulation in made:
        simulation.close()


def scene(name: str, **fields: Any) -> Scene:
    description, q0, _ = ROBOTS[name]
    return Scene(name=name, robots=(Robot(name=name, description=description, q0=q0, pose=POSE),), **fields)


@pytest.mark.parametrize("name", ROBOTS)
def test_matched_reads_back_what_the_description_says(built: Built, name: str) -> None:
    table = built(scene(name), joint_friction=True).resolved().table
    rows = {key: row for key, row in table.items() if key.startswith(("link.", "joint."))}
    model = model_of(scene(name).robots[0])
    assert len(rows) == 3 * len(model.links) + 6 * len(model.joints)
    massless = [f"link.{link.name}.com" for link in model.links if not link.mass]  # anywhere: it has no meaning
    for key, row in rows.items():
        if key in massless:
            continue
        # a link without mass gets gs.EPS
        np.testing.assert_allclose(row.value, row.authored, rtol=1e-12, atol=2e-15, err_msg=key)  # type: ignore[arg-type]
        assert row.origin == "file"


@pytest.mark.parametrize("name", ROBOTS)
def test_dynamics_agree_with_the_reference_and_leave_the_state(built: Built, name: str) -> None:
    the_scene, flange = scene(name), ROBOTS[name][2]
    simulation, model = built(the_scene), model_of(the_scene.robots[0])
    assert isinstance(simulation, Dynamics)
    reference, sample = Reference(model, the_scene.gravity, POSE), Sample((), model.joint_names)
    simulation.sample(sample)
    before, random = sample.joints.copy(), np.random.default_rng(1)
    np.testing.assert_array_equal(sample.q, the_scene.robots[0].q0 or np.zeros(len(model.joints)))
    for _ in range(16):
        q, v = random.uniform(-1, 1, (2, len(model.joints)))
        found = simulation.dynamics(q, v, flange)
        X_WL = reference.link_poses(q)
        np.testing.assert_allclose(found.X_WL[:, :3], X_WL[:, :3], atol=1e-12)
        np.testing.assert_allclose(np.abs(np.vecdot(found.X_WL[:, 3:], X_WL[:, 3:])), 1, atol=1e-12)
        np.testing.assert_allclose(found.jacobian, reference.jacobian(q, flange), atol=1e-12)
        M = reference.mass_matrix(q) + np.diag(reference.armature)
        np.testing.assert_allclose(found.mass_matrix, M, atol=1e-11)
        np.testing.assert_allclose(found.bias, reference.bias(q, v), atol=1e-10)
    simulation.sample(sample)
    assert np.array_equal(sample.joints, before)


def test_default_adds_armature_and_merges_fixed_links_of_a_urdf(built: Built) -> None:
    simulation = built(scene("urdf"), "default")
    assert isinstance(simulation, Dynamics)
    resolution = simulation.resolved()
    armature = resolution.table["joint.slide.armature"]
    assert (armature.value, armature.authored) == (0.1, 0.0)
    tool = resolution.table["link.tool.mass"]
    assert (tool.value, tool.origin, tool.authored) == (None, "absent", 0.1)
    assert "merged" in tool.native
    assert resolution.table["link.wheel.mass"].value == pytest.approx(0.4)
    found = simulation.dynamics(np.zeros(3), np.zeros(3), "tool")
    assert np.isnan(found.jacobian).all()
    assert np.isnan(found.X_WL).all(axis=1).sum() == 1
    assert {"jacobian", "link_poses"} == set(resolution.channel_notes)


def test_default_armature_halves_what_a_torque_does(built: Built) -> None:
    hinge = Scene(name="hinge", gravity=(0.0, 0.0, 0.0), robots=(Robot(name="hinge", description=HINGE),))
    simulation, sample = built(hinge, "default", joint_friction=False), Sample((), ("pivot",))
    simulation.command(np.array([0.3]), None)
    simulation.advance(1000)
    simulation.sample(sample)
    assert sample.v[0] == pytest.approx(0.3 / (0.1 + 0.1))


def test_effort_zero_of_a_urdf_clamps_every_torque(built: Built) -> None:
    weak = Robot(name="weak", description=URDF.replace('effort="40"', 'effort="0"'))
    row = built(Scene(name="weak", robots=(weak,))).resolved().table["joint.shoulder.effort"]
    assert (row.value, row.authored) == (0.0, np.inf)


@pytest.mark.parametrize("tau, v", [(0.1, 0.0), (0.3, 1.0), (-0.3, -1.0)])
def test_dry_friction_is_a_torque(built: Built, tau: float, v: float) -> None:
    hinge = Scene(name="hinge", gravity=(0.0, 0.0, 0.0), robots=(Robot(name="hinge", description=HINGE),))
    simulation, sample = built(hinge, joint_friction=True), Sample((), ("pivot",))
    simulation.command(np.array([tau]), None)
    simulation.advance(1000)
    simulation.sample(sample)
    assert sample.v[0] == pytest.approx(v, abs=2e-3)  # a soft constraint creeps while it holds


def test_torques_and_wrenches_are_held_apart_and_forgotten_by_reset(built: Built) -> None:
    size = (0.1, 0.1, 0.1)
    cube = Body(name="cube", shapes=(Box(size),), mass=0.1, inertia=box_inertia(0.1, size), pose=Pose((2.0, 0.0, 0.0)))
    both = scene("urdf", bodies=(cube,))
    still = Scene(name="both", bodies=both.bodies, robots=both.robots, gravity=(0.0, 0.0, 0.0))
    simulation, sample = built(still), Sample(("cube",), model_of(both.robots[0]).joint_names)
    wrench = np.array([[0.2, 0.0, 0.0, 0.0, 0.0, 0.0]])

    def run() -> np.ndarray:
        simulation.command(np.array([0.5, 0.1, 0.01]), None)
        simulation.advance(50)
        simulation.command(None, wrench)
        simulation.advance(50)
        simulation.command(np.zeros(3), None)
        simulation.advance(50)
        simulation.sample(sample)
        return np.concatenate([sample.joints.ravel(), sample.data.ravel()])

    first = run()
    np.testing.assert_allclose(sample.v_WB[0], (0.2 / 0.1 * 0.1, 0, 0), atol=1e-12)
    assert np.abs(sample.v).max() > 1e-3
    simulation.reset()
    assert np.array_equal(run(), first)
    simulation.reset()
    simulation.advance(20)
    simulation.sample(sample)
    assert not sample.v.any(), "a reset sets torques to zero"
    assert not sample.v_WB.any(), "a reset sets wrenches to zero"


def test_what_cannot_be_mapped_is_named(built: Built) -> None:
    nameless = Robot(name="hinge", description=HINGE.replace(' name="pivot"', ""))
    with pytest.raises(SimparityError, match="the joint of body 'arm' has no name"):
        built(Scene(name="hinge", robots=(nameless,)))
    with pytest.raises(Unsupported, match="one robot"):
        built(Scene(name="two", robots=(nameless, nameless)))
