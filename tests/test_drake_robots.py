"""What the Drake adapter does with robots beyond what every engine must: its importer's gaps and what fills them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import simparity
from simparity.harness.channels import Sample
from simparity.harness.errors import Unsupported
from simparity.harness.reference import Reference
from simparity.harness.registry import engine_adapter, engine_mapping
from simparity.harness.robot_model import model_of
from simparity.harness.scene import Body, Box, HalfSpace, Pose, Robot, Scene
from simparity.harness.settings import settle
from simparity.harness.solids import box_inertia

from .conftest import chosen

ASSETS = Path(simparity.__file__).parent / "experiments" / "assets"
TILTED = Pose((0.3, -0.2, 0.5), (0.8, 0.0, 0.36, 0.48))
URDF = """<robot name="two"><link name="{root}"/>
<link name="arm"><inertial><origin xyz="0.1 0.02 -0.03" rpy="0.3 -0.4 1.1"/><mass value="1.5"/>
<inertia ixx="0.02" iyy="0.03" izz="0.015" ixy="0.001" ixz="-0.002" iyz="0.0005"/></inertial>
</link>
<link name="slider"><inertial><origin xyz="0 0 0.1" rpy="0.7 0.1 0"/><mass value="0.4"/>
<inertia ixx="0.004" iyy="0.003" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="turn" type="revolute"><parent link="{root}"/><child link="arm"/><origin xyz="0 0.1 0.2" rpy="0.2 0.5 0.1"/>
<axis xyz="0 1 0"/><limit lower="-1.5" upper="2" effort="12" velocity="3"/><dynamics damping="0.7"/></joint>
<joint name="push" type="prismatic"><parent link="arm"/><child link="slider"/><origin xyz="0.3 0 0" rpy="0 0.3 0"/>
<axis xyz="0.6 0 0.8"/><limit lower="-0.1" upper="0.4" effort="50" velocity="3"/></joint></robot>"""
MASSLESS = """<mujoco><worldbody><body name="base"><body name="hinged" pos="0 0 1">
<joint name="first" axis="0 1 0" damping="0.1"/>
<body name="frame" pos="0.1 0 0" euler="0 0 30"><body name="heavy" pos="0.1 0.05 0" euler="20 0 0">
<inertial mass="1" pos="0.1 0 0" diaginertia="0.01 0.02 0.03"/></body></body>
<body name="bob" pos="0.3 0 0" euler="0 40 0"><joint name="second" axis="1 1 0" pos="0.02 0.01 0" stiffness="3"/>
<inertial mass="0.5" pos="0 0 -0.2" diaginertia="0.01 0.01 0.01"/></body></body></body></worldbody></mujoco>"""
HINGE = """<mujoco><worldbody><body name="bar"><joint name="hinge" axis="0 1 0" frictionloss="0.2" {of_joint}/>
<inertial mass="1" pos="0 0 0" diaginertia="0.1 0.1 0.1"/>{extra}</body></worldbody>{actuator}</mujoco>"""
GEOMS = """<mujoco><worldbody><body name="bar"><joint name="hinge" axis="0 1 0"/>
<geom type="box" size="0.2 0.1 0.05" pos="0.1 0 0" mass="2"/><geom type="sphere" size="0.1" density="500"/></body>
</worldbody></mujoco>"""
MESHED = """<mujoco><asset><mesh name="wedge" vertex="0 0 0 0.3 0 0 0 0.2 0 0 0 0.1"/></asset><worldbody>
<body name="bar"><joint name="hinge" axis="0 1 0"/><geom type="mesh" mesh="wedge" pos="0.1 0 0" euler="10 20 0"/></body>
</worldbody></mujoco>"""
DESCRIPTIONS = [
    *(str(ASSETS / f"{name}.xml") for name in ("fr3", "fr3_hand", "mobile_duo")),
    URDF.format(root="base"),
    MASSLESS,
    GEOMS,
    MESHED,
]


@pytest.fixture(autouse=True)
def _drake_is_chosen(request: pytest.FixtureRequest) -> None:
    if "drake" not in chosen(request.config):
        pytest.skip("drake is left out by --engines")


def build(scene: Scene, profile: str = "matched", **options: Any) -> Any:
    settings = settle("drake", engine_mapping("drake"), profile, options)
    return engine_adapter("drake").build(scene, 1e-3, settings, "cpu", 64)


def scene_of(description: str, bodies: tuple[Body, ...] = (), **of_robot: Any) -> Scene:
    return Scene(name="robot", bodies=bodies, robots=(Robot(name="robot", description=description, **of_robot),))


def hinge(of_joint: str = "", extra: str = "", actuator: str = "") -> Scene:
    return replace(scene_of(HINGE.format(of_joint=of_joint, extra=extra, actuator=actuator)), gravity=(0.0, 0.0, 0.0))


def speed_after(simulation: Any, torque: float, steps: int = 1000) -> float:
    simulation.command(np.array([torque]), None)
    sample = Sample((), ("hinge",))
    simulation.advance(steps)
    simulation.sample(sample)
    return float(sample.v[0])


@pytest.mark.parametrize("description", DESCRIPTIONS)
def test_everything_read_from_the_plant_is_what_the_file_says(description: str) -> None:
    table = build(scene_of(description)).resolved().table
    read = {name: row for name, row in table.items() if row.origin == "file"}
    assert len(read) > 5
    for name, row in read.items():
        scale = np.abs(row.authored).max() if np.isfinite(row.authored).all() else 1.0
        np.testing.assert_allclose(row.value, row.authored, rtol=0, atol=1e-12 * max(scale, 1e-3), err_msg=name)


@pytest.mark.parametrize("description", DESCRIPTIONS)
def test_dynamics_of_a_tilted_robot_agree_with_pinocchio(description: str) -> None:
    floor = Body(name="floor", shapes=(HalfSpace(),))
    cube = Body(name="cube", shapes=(Box((0.1, 0.1, 0.1)),), mass=0.1, inertia=box_inertia(0.1, (0.1, 0.1, 0.1)))
    scene = scene_of(description, bodies=(floor, cube), pose=TILTED)  # with a body beside it, whose joints come first
    source, simulation = model_of(scene.robots[0]), build(scene)
    reference, random = Reference(source, scene.gravity, TILTED), np.random.default_rng(3)
    link = source.links[-1].name
    for _ in range(8):
        q, v = random.uniform(-1, 1, (2, len(source.joints)))
        found, bias = simulation.dynamics(q, v, link), reference.bias(q, v)
        M = reference.mass_matrix(q) + np.diag(reference.armature)
        np.testing.assert_allclose(found.X_WL[:, :3], reference.link_poses(q)[:, :3], atol=1e-13)
        np.testing.assert_allclose(found.jacobian, reference.jacobian(q, link), atol=1e-13)
        np.testing.assert_allclose(found.bias, bias, atol=1e-13 * max(1.0, np.abs(bias).max()))
        np.testing.assert_allclose(found.mass_matrix, M, atol=1e-13 * max(1.0, np.abs(M).max()))


@pytest.mark.parametrize("root", ["base", "world"])
def test_a_urdf_is_placed_by_its_root_whatever_that_is_called(root: str) -> None:
    scene = scene_of(URDF.format(root=root), pose=TILTED)
    source, simulation = model_of(scene.robots[0]), build(scene)
    reference = Reference(source, scene.gravity, TILTED)
    found = simulation.dynamics(np.array((0.3, 0.2)), np.zeros(2), "slider")
    np.testing.assert_allclose(found.X_WL[:, :3], reference.link_poses(np.array((0.3, 0.2)))[:, :3], atol=1e-13)


def test_the_importer_drops_armature_without_an_actuator_and_matched_brings_it_back() -> None:
    scene = hinge('armature="0.1"')
    assert speed_after(build(scene, "default"), 0.1) == pytest.approx(1.0, rel=1e-9)
    assert speed_after(build(scene), 0.1) == pytest.approx(0.5, rel=1e-9)
    row = build(scene, "default").resolved().table["joint.hinge.armature"]
    assert (row.value, row.authored) == (0.0, 0.1) and "actuator" in row.native
    motor = hinge('armature="0.1"', actuator='<actuator><motor joint="hinge" gear="3"/></actuator>')
    assert speed_after(build(motor), 0.1) == pytest.approx(0.5, rel=1e-9)


def test_a_position_actuator_does_not_hold_its_joint() -> None:
    servo = hinge('armature="0.1"', actuator='<actuator><position joint="hinge" kp="100"/></actuator>')
    for profile in ("default", "matched"):
        assert speed_after(build(servo, profile), 0.1) == pytest.approx(0.5, rel=1e-9), profile


def test_the_importer_drops_springs_and_matched_brings_them_back() -> None:
    scene = hinge('stiffness="3" springref="0"')
    assert speed_after(build(scene, "default"), 0.1) == pytest.approx(1.0, rel=1e-9)
    table = build(scene, "default").resolved().table
    assert (table["joint.hinge.stiffness"].value, table["joint.hinge.stiffness"].authored) == (0.0, 3.0)
    w = (3.0 / 0.1) ** 0.5
    assert speed_after(build(scene), 0.1, 200) == pytest.approx(0.1 / 0.1 / w * np.sin(0.2 * w), rel=1e-2)


def test_includes_and_missing_model_names_are_written_out(tmp_path: Path) -> None:
    (tmp_path / "bar.xml").write_text(
        '<mujoco><worldbody><body name="bar"><joint name="hinge" axis="0 1 0"/>'
        '<inertial mass="1" pos="0 0 0" diaginertia="0.1 0.1 0.1"/></body></worldbody></mujoco>'
    )
    (tmp_path / "robot.xml").write_text('<mujoco><include file="bar.xml"/></mujoco>')
    scene = replace(scene_of(str(tmp_path / "robot.xml")), gravity=(0.0, 0.0, 0.0))
    assert speed_after(build(scene), 0.1) == pytest.approx(1.0, rel=1e-9)


def test_what_the_importer_leaves_out_is_refused() -> None:
    framed = HINGE.replace("<worldbody>", '<worldbody><frame pos="0 0 1">').replace(
        "</worldbody>", "</frame></worldbody>"
    )
    with pytest.raises(Unsupported, match=r"leaves out link 'bar'.*<frame>"):
        build(scene_of(framed.format(of_joint="", extra="", actuator="")))
    with pytest.raises(Unsupported, match="dry friction on hinge"):
        build(hinge(), joint_friction=True)
    two = hinge()
    with pytest.raises(Unsupported, match="one robot"):
        build(replace(two, robots=(two.robots[0], replace(two.robots[0], name="other"))))
    mesh = '<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset><worldbody>'
    meshed = HINGE.format(of_joint="", extra='<geom type="mesh" mesh="m"/>', actuator="").replace("<worldbody>", mesh)
    with pytest.raises(Unsupported, match="mesh"):
        build(scene_of(meshed, contacts=True))
    build(scene_of(meshed))


def test_a_limit_stops_the_joint() -> None:
    """20 N m against a stop at 30 degrees: Drake's limits are constraints, so it stands within a step's way of it."""
    scene = hinge('range="-30 30" limited="true"')  # MJCF's degrees
    simulation, upper = build(scene), model_of(scene.robots[0]).joints[0].upper
    simulation.command(np.array([20.0]), None)
    sample, highest = Sample((), ("hinge",)), 0.0
    for _ in range(1000):
        simulation.advance(1)
        simulation.sample(sample)
        highest = max(highest, float(sample.q[0]))
    assert abs(sample.q[0] - upper) < 1e-3
    assert highest < upper + 0.02


def test_a_contact_free_robot_leaves_bodies_alone() -> None:
    floor = Body(name="floor", shapes=(HalfSpace(),))
    cube = Body(
        name="cube",
        shapes=(Box((0.1, 0.1, 0.1)),),
        mass=0.1,
        inertia=box_inertia(0.1, (0.1, 0.1, 0.1)),
        pose=Pose((0.0, 0.0, 0.5)),
    )
    rows = []
    for scene in (Scene(name="cube", bodies=(floor, cube)), scene_of(DESCRIPTIONS[0], bodies=(floor, cube))):
        simulation = build(scene)
        sample = Sample(("cube",), model_of(scene.robots[0]).joint_names if scene.robots else ())
        simulation.advance(400)
        simulation.sample(sample)
        rows.append(sample.data.copy())
    # the solver stops at a part of all momentum, the robot's included
    np.testing.assert_allclose(rows[0], rows[1], atol=1e-5)
