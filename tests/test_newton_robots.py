"""What the Newton adapter does with robots beyond what every engine must: stripping, names, files, refusals."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
from simparity.harness.scene import Body, Box, Pose, Robot, Scene
from simparity.harness.settings import settle
from simparity.harness.solids import box_inertia

from .conftest import chosen

ASSETS = Path(simparity.__file__).parent / "experiments" / "assets"
TILTED = Pose((0.3, -0.2, 0.5), (0.8, 0.0, 0.36, 0.48))
WEIGHTLESS = (0.0, 0.0, 0.0)
EPS = 2.0**-20  # sixteen roundings of 32 bit
HINGE = """<mujoco><worldbody><body name="bar"><joint name="hinge" axis="0 1 0" frictionloss="0.2" {extra}/>
<inertial mass="1" pos="0 0 0" diaginertia="0.1 0.1 0.1"/></body></worldbody>
<actuator><position joint="hinge" kp="100"/></actuator></mujoco>"""
LIFT = """<mujoco><worldbody><body name="plate" pos="0 0 0.4"><joint name="lift" type="slide" axis="0 0 1" damping="1"/>
<geom type="box" size="0.2 0.2 0.05" mass="2"/></body></worldbody></mujoco>"""
# the branches come in another order than the joints in the file; a name holds a "-", which Newton writes as "_"
URDF = """<robot name="two-part">
<link name="base"><inertial><origin xyz="0.1 0 0.05" rpy="0.1 0.2 0.3"/><mass value="2"/>
<inertia ixx="0.02" iyy="0.03" izz="0.025" ixy="0.001" ixz="0.002" iyz="-0.001"/></inertial></link>
<link name="up-per"><inertial><origin xyz="0.1 0.02 -0.05" rpy="0.5 -0.4 0.3"/><mass value="1.5"/>
<inertia ixx="0.01" iyy="0.012" izz="0.015" ixy="0.001" ixz="0" iyz="0.0005"/></inertial></link>
<link name="slider"><inertial><origin xyz="0 0.05 0.1" rpy="0 0.7 0"/><mass value="0.7"/>
<inertia ixx="0.003" iyy="0.004" izz="0.005" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="wheel"><inertial><mass value="0.3"/>
<inertia ixx="0.001" iyy="0.001" izz="0.0015" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="turn" type="revolute"><parent link="base"/><child link="up-per"/><origin xyz="0 0.1 0.3" rpy="0.3 0 0.2"/>
<axis xyz="0 1 0"/><limit lower="-1.5" upper="1.2" effort="20" velocity="3"/>
<dynamics damping="0.4" friction="0.1"/></joint>
<joint name="roll" type="continuous"><parent link="base"/><child link="wheel"/><origin xyz="0.3 0 0" rpy="0 1.57 0"/>
<axis xyz="0 0 1"/><dynamics damping="0.05"/></joint>
<joint name="slide" type="prismatic"><parent link="up-per"/><child link="slider"/><origin xyz="0.2 0 0" rpy="0 0.5 0"/>
<axis xyz="0.6 0 0.8"/><limit lower="-0.1" upper="0.3" effort="50" velocity="1"/></joint></robot>"""
# two roots, and a joint whose anchor is off the link's origin
ROOTS = """<mujoco><worldbody><body name="a" pos="0 0 1"><joint name="j1" axis="0 1 0" pos="0.02 0.01 0" stiffness="3"/>
<inertial mass="1" pos=".1 0 0" diaginertia=".1 .1 .1"/></body>
<body name="b" pos="1 0 1"><joint name="j2" axis="1 0 0"/><inertial mass="1" pos=".2 0 0" diaginertia=".1 .1 .1"/>
<body name="c" pos="0 1 0" euler="20 0 30"><joint name="j3" axis="1 0 0"/>
<inertial mass=".5" pos="0 .1 0" diaginertia=".01 .01 .01"/></body></body></worldbody></mujoco>"""
CUBE = Body(
    name="cube",
    shapes=(Box((0.1, 0.1, 0.1)),),
    mass=0.1,
    inertia=box_inertia(0.1, (0.1, 0.1, 0.1)),
    pose=Pose((0.0, 0.0, 0.51)),
)
DESCRIPTIONS = [*(str(ASSETS / f"{name}.xml") for name in ("fr3", "fr3_hand", "mobile_duo")), URDF, ROOTS]


@pytest.fixture
def build(request: pytest.FixtureRequest) -> Iterator[Callable[..., Any]]:
    if "newton" not in chosen(request.config):
        pytest.skip("--engines leaves newton out")
    built: list[Any] = []

    def simulation(description: str, *, profile: str = "matched", options: Any = None, **scene: Any) -> Any:
        given = {name: scene.pop(name) for name in ("pose", "q0", "contacts") if name in scene}
        robot = Robot(name="robot", description=description, **given)
        settings = settle("newton", engine_mapping("newton"), profile, options or {})
        whole = Scene(name="robot", robots=(robot,), **scene)
        built.append(engine_adapter("newton").build(whole, 1e-3, settings, "cpu", 32))
        return built[-1]

    yield simulation
    for one in built:
        one.close()


@pytest.mark.parametrize("description", DESCRIPTIONS, ids=["fr3", "fr3_hand", "mobile_duo", "urdf", "roots"])
def test_import_is_the_source(build: Callable[..., Any], description: str) -> None:
    """The table equals the source, and poses, Jacobian, mass matrix and bias equal the reference at another pose."""
    simulation = build(description, pose=TILTED)
    source = model_of(simulation.scene.robots[0])
    for name, row in simulation.resolved().table.items():
        if not name.startswith(("link.", "joint.")) or row.authored is None or not np.isfinite(row.authored).all():
            continue
        massless = name.startswith("link.") and not source.link(name.split(".")[1]).mass
        if not massless:  # the centre of mass of nothing: MuJoCo says the link's place in its parent, Newton zero
            np.testing.assert_allclose(row.value, row.authored, rtol=EPS, atol=EPS * np.abs(row.authored).max())
    reference = Reference(source, simulation.scene.gravity, TILTED)
    flange = source.links[-1].name
    generator = np.random.default_rng(0)
    for _ in range(8):
        q, v = generator.uniform(-0.5, 0.5, (2, len(source.joints)))
        found = simulation.dynamics(q, v, flange)
        M = reference.mass_matrix(q) + np.diag(reference.armature)
        X_WL, bias = reference.link_poses(q), reference.bias(q, v)
        scale = 2 * max(1.0, np.abs(X_WL[:, :3]).max())
        np.testing.assert_allclose(found.X_WL[:, :3], X_WL[:, :3], atol=scale * EPS)
        assert np.abs(np.abs((found.X_WL[:, 3:] * X_WL[:, 3:]).sum(axis=1)) - 1).max() < EPS
        np.testing.assert_allclose(found.jacobian, reference.jacobian(q, flange), atol=scale * EPS)
        np.testing.assert_allclose(found.mass_matrix, M, atol=8 * EPS * np.abs(M).max())
        np.testing.assert_allclose(found.bias, bias, atol=8 * EPS * max(1.0, np.abs(bias).max()))


def test_dynamics_leaves_the_simulation_alone(build: Callable[..., Any]) -> None:
    simulation = build(DESCRIPTIONS[0], q0=(0.1, 0.2, 0.3, -1.0, 0.4, 1.5, 0.6))
    seen = []
    for look in (False, True):
        simulation.reset()
        sample = Sample((), model_of(simulation.scene.robots[0]).joint_names)
        for _ in range(20):
            simulation.advance(1)
            if look:
                simulation.dynamics(np.ones(7), np.ones(7), "flange")
        simulation.sample(sample)
        seen.append(sample.joints.copy())
    assert np.array_equal(*seen)


@pytest.mark.parametrize(("profile", "speeds"), [("default", (0.0, 1.0)), ("matched", (1.0, 3.0))])
def test_actuators_are_out_and_dry_friction_follows_the_option(
    build: Callable[..., Any], profile: str, speeds: tuple[float, float]
) -> None:
    """I dv/dt = tau - 0.2 N m where the friction stays; MuJoCo's is soft and creeps at 1.06e-3 rad/s in its hold."""
    simulation = build(HINGE.format(extra=""), profile=profile, gravity=WEIGHTLESS)
    sample = Sample((), ("hinge",))
    for torque, speed in zip((0.1, 0.3), speeds, strict=True):
        simulation.reset()
        simulation.command(np.array([torque]), None)
        simulation.advance(1000)
        simulation.sample(sample)
        np.testing.assert_allclose(sample.v, speed, atol=2e-3)
    assert simulation.solver.mj_model.nu == 0


def test_torque_and_wrench_are_held_apart(build: Callable[..., Any]) -> None:
    simulation = build(HINGE.format(extra=""), bodies=(CUBE,), gravity=WEIGHTLESS)
    sample = Sample(("cube",), ("hinge",))
    simulation.command(np.array([0.1]), None)
    simulation.command(None, np.array([[0.1, 0.0, 0.0, 0.0, 0.0, 0.0]]))
    simulation.advance(500)
    simulation.sample(sample)
    np.testing.assert_allclose((sample.v[0], sample.v_WB[0, 0]), (0.5, 0.5), rtol=1e-4)
    simulation.set_velocity(np.ones((1, 6)))
    before = sample.joints.copy()
    simulation.sample(sample)
    assert np.array_equal(sample.joints, before)
    np.testing.assert_allclose(sample.v_WB[0], 1, rtol=EPS)


@pytest.mark.parametrize("contacts", [True, False])
def test_contacts_only_where_asked_for(build: Callable[..., Any], contacts: bool) -> None:
    """The mean force holds the cube's weight; single steps do not, since the convex collider loses thin overlaps."""
    simulation, sample, steps = build(LIFT, bodies=(CUBE,), contacts=contacts), Sample(("cube",), ("lift",)), 300
    simulation.command(np.array([2.1 * 9.81]), None)
    simulation.advance(200)
    simulation.sample(sample)
    before, impulse = sample.v_WB[0, 2], 0.0
    for _ in range(steps):
        simulation.advance(1)
        simulation.sample(sample)
        impulse += sample.f_B_W[0, 2] * 1e-3
    momentum = 0.1 * (sample.v_WB[0, 2] - before)
    weight = 0.981 * steps * 1e-3
    np.testing.assert_allclose(impulse, momentum + weight, atol=1e-4 * weight)
    assert bool(impulse > 0) is contacts
    assert simulation.resolved().table["contacts"].value is contacts


def test_files_are_found_beside_the_description(build: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "part.obj").write_text(
        "v 0 0 0\nv .1 0 0\nv 0 .1 0\nv 0 0 .1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    )
    bar = HINGE.format(extra="").replace("</body>", '<geom type="mesh" mesh="part"/></body>')
    (tmp_path / "bar.xml").write_text(bar)
    main = tmp_path / "main.xml"
    assets = '<compiler meshdir="meshes"/><asset><mesh name="part" file="part.obj"/></asset>'
    main.write_text(f'<mujoco>{assets}<include file="bar.xml"/></mujoco>')
    solver = build(str(main), contacts=True).solver
    assert (solver.mj_model.ngeom, solver.mj_model.nu) == (1, 0)


@pytest.mark.parametrize(
    ("description", "message"),
    [
        (HINGE.format(extra='ref="10"'), "'hinge' has a ref"),
        (HINGE.format(extra="").replace('<body name="bar">', "<body>"), "a body has no name"),
    ],
    ids=["ref", "no name"],
)
def test_what_cannot_be_mapped_is_named(build: Callable[..., Any], description: str, message: str) -> None:
    with pytest.raises((Unsupported, UsageError), match=message):
        build(description)


def test_one_robot_only(build: Callable[..., Any]) -> None:
    two = tuple(Robot(name=name, description=LIFT) for name in "ab")
    settings = settle("newton", engine_mapping("newton"), "default", {})
    with pytest.raises((Unsupported, UsageError), match="one robot"):
        engine_adapter("newton").build(Scene(name="two", robots=two), 1e-3, settings, "cpu", 32)
