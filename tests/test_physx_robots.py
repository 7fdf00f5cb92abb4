"""What the PhysX adapter does with robots beyond what every engine must: links it merges, caps, contacts, refusals."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import simparity
from simparity.harness.channels import Sample
from simparity.harness.errors import Unsupported, UsageError
from simparity.harness.reference import Reference
from simparity.harness.registry import engine_adapter, engine_mapping
from simparity.harness.robot_model import model_of
from simparity.harness.scene import Body, Box, HalfSpace, Pose, Robot, Scene
from simparity.harness.settings import settle
from simparity.harness.solids import box_inertia

from .conftest import chosen

ASSETS = Path(simparity.__file__).parent / "experiments" / "assets"
TILTED = Pose((0.3, -0.2, 0.5), (0.8, 0.0, 0.36, 0.48))
WEIGHTLESS = (0.0, 0.0, 0.0)
EPS = 2.0**-20  # sixteen roundings of 32 bit
URDF = """<robot name="two"><link name="base"/>
<link name="arm"><inertial><origin xyz="0.1 0.02 -0.03" rpy="0.3 -0.4 1.1"/><mass value="1.5"/>
<inertia ixx="0.02" iyy="0.03" izz="0.015" ixy="0.001" ixz="-0.002" iyz="0.0005"/></inertial></link>
<link name="slider"><inertial><origin xyz="0 0 0.1" rpy="0.7 0.1 0"/><mass value="0.4"/>
<inertia ixx="0.004" iyy="0.003" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="wheel"><inertial><mass value="0.3"/>
<inertia ixx="0.001" iyy="0.0012" izz="0.0009" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="turn" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0 0.1 0.2" rpy="0.2 0.5 0.1"/>
<axis xyz="0 1 0"/><limit lower="-1.5" upper="2" effort="12" velocity="3"/><dynamics damping="0.7"/></joint>
<joint name="push" type="prismatic"><parent link="arm"/><child link="slider"/><origin xyz="0.3 0 0" rpy="0 0.3 0"/>
<axis xyz="0.6 0 0.8"/><limit lower="-0.1" upper="0.4" effort="50" velocity="3"/></joint>
<joint name="spin" type="continuous"><parent link="slider"/><child link="wheel"/><origin xyz="0 0 0.2"/>
<axis xyz="-1 0 0"/></joint></robot>"""
# "hinged" moves and has no mass of its own; "heavy" is fixed to it through a massless frame
MASSLESS = """<mujoco><worldbody><body name="base"><body name="hinged" pos="0 0 1">
<joint name="first" axis="0 1 0" damping="0.1"/>
<body name="frame" pos="0.1 0 0" euler="0 0 30"><body name="heavy" pos="0.1 0.05 0" euler="20 0 0">
<inertial mass="1" pos="0.1 0 0" diaginertia="0.01 0.02 0.03"/></body></body>
<body name="bob" pos="0.3 0 0" euler="0 40 0"><joint name="second" axis="1 1 0" pos="0.02 0.01 0" stiffness="3"/>
<inertial mass="0.5" pos="0 0 -0.2" diaginertia="0.01 0.01 0.01"/></body></body></body></worldbody></mujoco>"""
HINGE = """<mujoco><worldbody><body name="bar"><joint name="hinge" axis="0 1 0" frictionloss="0.2"/>
<inertial mass="1" pos="0 0 0" diaginertia="0.1 0.1 0.1"/>{extra}</body></worldbody></mujoco>"""
CUBE = Body(
    name="cube",
    shapes=(Box((0.1, 0.1, 0.1)),),
    mass=0.1,
    inertia=box_inertia(0.1, (0.1, 0.1, 0.1)),
    pose=Pose((0.0, 0.0, 0.5)),
)
DESCRIPTIONS = [*(str(ASSETS / f"{name}.xml") for name in ("fr3", "fr3_hand", "mobile_duo")), URDF, MASSLESS]


@pytest.fixture(autouse=True)
def _physx_is_chosen(request: pytest.FixtureRequest) -> None:
    if "physx" not in chosen(request.config):
        pytest.skip("physx is left out by --engines")


def build(scene: Scene, profile: str = "matched", **options: Any) -> Any:
    settings = settle("physx", engine_mapping("physx"), profile, options)
    return engine_adapter("physx").build(scene, 1e-3, settings, "cpu", 32)


def scene_of(description: str, bodies: tuple[Body, ...] = (), **of_robot: Any) -> Scene:
    return Scene(name="robot", bodies=bodies, robots=(Robot(name="robot", description=description, **of_robot),))


def sampled(simulation: Any, scene: Scene, steps: int) -> Sample:
    sample = Sample([body.name for body in scene.moving], model_of(scene.robots[0]).joint_names)
    simulation.advance(steps)
    simulation.sample(sample)
    return sample


@pytest.mark.parametrize("description", DESCRIPTIONS)
def test_everything_read_from_the_articulation_is_what_the_file_says(description: str) -> None:
    table = build(scene_of(description)).resolved().table
    read = {name: row for name, row in table.items() if row.origin == "file"}
    assert len(read) > 10
    for name, row in read.items():
        scale = np.abs(row.authored).max() if np.isfinite(row.authored).all() else 1.0
        np.testing.assert_allclose(row.value, row.authored, rtol=0, atol=EPS * max(scale, 1e-9), err_msg=name)


@pytest.mark.parametrize("description", DESCRIPTIONS)
def test_dynamics_of_a_tilted_robot_agree_with_pinocchio(description: str) -> None:
    scene = scene_of(description, pose=TILTED)
    source, simulation = model_of(scene.robots[0]), build(scene)
    reference, random = Reference(source, scene.gravity, TILTED), np.random.default_rng(3)
    link = source.links[-1].name
    for _ in range(8):
        q, v = random.uniform(-1, 1, (2, len(source.joints)))
        found, bias, M = simulation.dynamics(q, v, link), reference.bias(q, v), reference.mass_matrix(q)
        np.testing.assert_allclose(found.X_WL[:, :3], reference.link_poses(q)[:, :3], atol=2 * EPS)
        np.testing.assert_allclose(found.jacobian, reference.jacobian(q, link), atol=3 * EPS)
        np.testing.assert_allclose(found.bias, bias, atol=4 * EPS * max(1.0, np.abs(bias).max()))
        np.testing.assert_allclose(found.mass_matrix, M, atol=EPS * max(1.0, np.abs(M).max()))


def test_a_massless_moving_link_is_moved_by_what_is_fixed_to_it() -> None:
    table = build(scene_of(MASSLESS)).resolved().table
    assert table["link.heavy.mass"].value == 1.0
    for merged, into in (("base", "robot/root"), ("hinged", "heavy"), ("frame", "heavy")):
        row = table[f"link.{merged}.mass"]
        assert (row.value, row.origin) == (None, "absent") and into in row.native


def test_a_contact_free_robot_leaves_bodies_bit_identical() -> None:
    floor = Body(name="floor", shapes=(HalfSpace(),))
    alone = Scene(name="cube", bodies=(floor, CUBE))
    beside = scene_of(DESCRIPTIONS[0], bodies=(floor, CUBE))
    rows = []
    for scene in (alone, beside):
        simulation = build(scene)
        sample = Sample(("cube",), model_of(scene.robots[0]).joint_names if scene.robots else ())
        for _ in range(400):
            simulation.advance(1)
            simulation.sample(sample)
            rows.append(sample.data.copy())
    assert np.array_equal(rows[:400], rows[400:])


@pytest.mark.parametrize("contacts", [True, False])
def test_a_robot_touches_only_where_it_should(contacts: bool) -> None:
    """A plate on a vertical slide, its 2 kg and the cube's 0.1 kg held up, catches the cube or lets it through."""
    plate = """<mujoco><worldbody><body name="plate" pos="0 0 0.3"><joint name="lift" type="slide" axis="0 0 1"/>
    <inertial mass="2" pos="0 0 0" diaginertia="0.1 0.1 0.1"/><geom type="box" size="0.2 0.2 0.02"/></body>
    </worldbody></mujoco>"""
    scene = scene_of(plate, bodies=(CUBE,), contacts=contacts)
    simulation = build(scene)
    simulation.command(np.array([(2 + 0.1) * 9.81]), None)
    sample = sampled(simulation, scene, 2000)
    if contacts:
        assert sample.p_WB[0, 2] - (0.3 + sample.q[0]) == pytest.approx(0.02 + 0.05, abs=1e-4)
        assert sample.f_B_W[0, 2] == pytest.approx(0.981, rel=1e-3)
    else:
        assert sample.p_WB[0, 2] < -10


def test_matched_lifts_the_caps_of_default() -> None:
    """20 N m on 0.1 kg m^2 for 1 s: 200 rad/s, and 50 where SAPIEN's cap of a link's spin is left."""
    scene = replace(scene_of(HINGE.format(extra="")), gravity=WEIGHTLESS)
    speeds = []
    for profile in ("matched", "default"):
        simulation = build(scene, profile)
        simulation.command(np.array([20.0]), None)
        speeds.append(sampled(simulation, scene, 1000).v[0])
    assert speeds == pytest.approx([200.0, 50.0], rel=1e-2)


def test_more_substeps_of_a_lone_robot_only_add_rounding() -> None:
    """Why `matched` gives it one: at finer steps the other counts go away from the one, instead of towards it."""
    scene = scene_of(DESCRIPTIONS[0], q0=(0.0, 0.3, 0.0, -1.2, 0.0, 1.57, 0.0))
    q = {n: sampled(build(scene, robot_iterations=n), scene, 300).q.copy() for n in (1, 10, 100)}
    assert np.abs(q[1] - q[10]).max() < 3e-5 < np.abs(q[1] - q[100]).max()


SHAPES = '<visual><geometry><box size="1 1 1"/></geometry></visual>'


def test_sapiens_urdf_loader_agrees_with_the_source_but_for_what_the_notes_say() -> None:
    """Masses, frames, limits and damping arrive; a link without mass gets 1e-6 kg, an endless joint wraps its angle."""
    description = URDF.replace('<link name="arm">', f'<link name="arm">{SHAPES}')
    scene = scene_of(description, pose=TILTED)
    table = build(scene, importer="urdf_loader").resolved().table
    assert table["importer"].value == "urdf_loader" and build(scene).resolved().table["importer"].value == "source"
    for name in ("arm", "slider", "wheel"):
        for quantity in ("mass", "com", "inertia"):
            row = table[f"link.{name}.{quantity}"]
            np.testing.assert_allclose(row.value, row.authored, rtol=0, atol=EPS * np.abs(row.authored).max())
    for joint in ("turn", "push", "spin"):
        for quantity in ("lower", "upper", "damping", "armature"):
            row = table[f"joint.{joint}.{quantity}"]
            np.testing.assert_allclose(row.value, row.authored, rtol=EPS)
    assert (table["link.base.mass"].value, table["link.base.mass"].authored) == (pytest.approx(1e-6), 0.0)
    assert [table[f"joint.{name}.type"].value for name in ("turn", "push", "spin")] == [
        "revolute_unwrapped",
        "prismatic",
        "revolute",
    ]
    reference, random = Reference(model_of(scene.robots[0]), scene.gravity, TILTED), np.random.default_rng(3)
    simulation = build(scene, importer="urdf_loader")
    for _ in range(8):
        q, v = random.uniform(-1, 1, (2, 3))
        found = simulation.dynamics(q, v, "wheel")
        np.testing.assert_allclose(found.X_WL[:, :3], reference.link_poses(q)[:, :3], atol=2 * EPS)
        np.testing.assert_allclose(found.bias, reference.bias(q, v), atol=40 * EPS)


def test_an_endless_joint_of_sapiens_loader_wraps_its_angle() -> None:
    """0.01 N m on a wheel of 0.001 kg m^2 for 2 s: 20 rad, of which SAPIEN's "revolute" leaves less than a turn."""
    spin = """<robot name="spin"><link name="base"/><link name="wheel"><inertial><mass value="0.3"/>
    <inertia ixx="0.001" iyy="0.001" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="spin" type="continuous"><parent link="base"/><child link="wheel"/><axis xyz="0 0 1"/></joint>
    </robot>"""
    scene = replace(scene_of(spin), gravity=WEIGHTLESS)
    angles = []
    for importer in ("source", "urdf_loader"):
        simulation = build(scene, importer=importer)
        simulation.command(np.array([0.01]), None)
        angles.append(float(sampled(simulation, scene, 2000).q[0]))
    assert angles[0] == pytest.approx(20.0, rel=1e-3)
    assert abs(angles[1]) < 2 * np.pi
    assert (angles[0] - angles[1]) / (2 * np.pi) == pytest.approx(
        round((angles[0] - angles[1]) / (2 * np.pi)), abs=1e-3
    )


def test_what_sapiens_urdf_loader_does_not_take_is_unsupported() -> None:
    with pytest.raises(Unsupported, match="reads URDF only"):
        build(scene_of(DESCRIPTIONS[0]), importer="urdf_loader")
    with pytest.raises(Unsupported, match="takes no part in contacts"):
        build(scene_of(URDF, contacts=True), importer="urdf_loader")
    with pytest.raises(UsageError, match="urdf_loader"):
        build(scene_of(URDF), importer="loader")


def test_what_physx_cannot_represent_is_refused() -> None:
    hinge = scene_of(HINGE.format(extra=""))
    with pytest.raises(Unsupported, match="dry friction on hinge"):
        build(hinge, joint_friction=True)
    with pytest.raises(Unsupported, match="one robot"):
        build(replace(hinge, robots=(hinge.robots[0], replace(hinge.robots[0], name="other"))))
    with pytest.raises(UsageError, match="give 1 finite numbers"):
        build(scene_of(HINGE.format(extra=""), q0=(0.0, 0.0)))
    point = '<body name="point"><inertial mass="1" pos="0 0 0" diaginertia="0 0 0"/></body>'
    with pytest.raises(Unsupported, match=r"'point'.*inertia of 0"):
        build(scene_of(HINGE.format(extra=point)))
    mesh = '<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset><worldbody>'
    meshed = HINGE.format(extra='<geom type="mesh" mesh="m"/>').replace("<worldbody>", mesh)
    with pytest.raises(Unsupported, match="mesh"):
        build(scene_of(meshed, contacts=True))
    build(scene_of(meshed))
