"""What the Drake adapter makes of shapes and surfaces: corners, patches, springs in N/m, and contact by contact."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simparity.harness.channels import Sample
from simparity.harness.contacts import contact_parties
from simparity.harness.engine import Compliant, Unknown
from simparity.harness.errors import Unsupported, UsageError
from simparity.harness.registry import engine_adapter, engine_mapping
from simparity.harness.scene import (
    Body,
    Box,
    Capsule,
    Cylinder,
    HalfSpace,
    Material,
    Mesh,
    Pose,
    Robot,
    Scene,
    Shape,
    Sphere,
)
from simparity.harness.settings import settle
from simparity.harness.solids import box_inertia

from .conftest import chosen

EDGE = 0.1
CUBE = (EDGE, EDGE, EDGE)
WEIGHT = 0.1 * 9.81
LYING = Pose(q_wxyz=(0.5**0.5, 0.0, 0.5**0.5, 0.0))  # z of the shape along x of the body
OBJ = "\n".join(f"v {x} {y} {z}" for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)) + (
    "\nf 1 2 4 3\nf 5 7 8 6\nf 1 5 6 2\nf 3 4 8 7\nf 1 3 7 5\nf 2 6 8 4\n"
)


@pytest.fixture(autouse=True)
def _drake_is_chosen(request: pytest.FixtureRequest) -> None:
    if "drake" not in chosen(request.config):
        pytest.skip("drake is left out by --engines")


def build(scene: Scene, profile: str = "matched", dt: float = 1e-3, **options: Any) -> Any:
    settings = settle("drake", engine_mapping("drake"), profile, options)
    return engine_adapter("drake").build(scene, dt, settings, "cpu", 64)


def moving(shape: Shape, height: float, name: str = "body", material: Material | None = None, **more: Any) -> Body:
    return Body(
        name=name,
        shapes=(shape,),
        mass=0.1,
        inertia=box_inertia(0.1, CUBE),
        pose=more.pop("pose", Pose((0.0, 0.0, height))),
        material=material or Material(friction=0.5),
        **more,
    )


def on(support: Shape, *bodies: Body) -> Scene:
    floor = Body(name="floor", shapes=(support,), material=bodies[0].material)
    return Scene(name="rest", bodies=(floor, *bodies))


def sampled(simulation: Any, steps: int, *names: str) -> Sample:
    sample = Sample(names)
    simulation.advance(steps)
    simulation.sample(sample)
    return sample


PLATE = Box((0.5, 0.5, 0.1), Pose((0.0, 0.0, -0.05)))


@pytest.fixture
def mesh(tmp_path: Path) -> Mesh:
    (tmp_path / "cube.obj").write_text(OBJ)
    return Mesh(str(tmp_path / "cube.obj"), scale=EDGE / 2)


@pytest.mark.parametrize("support", [HalfSpace(), PLATE], ids=["half-space", "plate"])
@pytest.mark.parametrize("kind", ["sphere", "box", "capsule", "cylinder", "lying", "mesh"])
def test_every_shape_rests_on_its_face(kind: str, support: Shape, mesh: Mesh) -> None:
    shape: Shape = {
        "sphere": Sphere(EDGE / 2),
        "box": Box(CUBE),
        "capsule": Capsule(EDGE / 2, EDGE, LYING),
        "cylinder": Cylinder(EDGE / 2, EDGE),
        "lying": Cylinder(EDGE / 2, EDGE, LYING),
        "mesh": mesh,
    }[kind]
    simulation = build(on(support, moving(shape, EDGE / 2)), facets=16)
    sample = sampled(simulation, 300, "body")
    assert sample.p_WB[0, 2] == pytest.approx(EDGE / 2, abs=5e-4 if kind in ("lying", "capsule") else 2e-5)
    np.testing.assert_allclose(sample.f_B_W[0], (0, 0, WEIGHT), atol=2e-3 * WEIGHT)
    np.testing.assert_allclose(sample.f_normal_B_W[0], (0, 0, WEIGHT), atol=2e-3 * WEIGHT)
    turned = 1 - abs(float(sample.q_WB[0, 0]))
    assert turned < 1e-6, "it did not stay on its face"


@pytest.mark.parametrize(("kind", "count"), [("box", 4), ("mesh", 4), ("capsule", 2), ("cylinder", 16), ("sphere", 1)])
def test_half_spaces_are_touched_at_corners_only(kind: str, count: int, mesh: Mesh) -> None:
    shapes: dict[str, Shape] = {
        "box": Box(CUBE),
        "mesh": mesh,
        "capsule": Capsule(EDGE / 2, EDGE, LYING),
        "cylinder": Cylinder(EDGE / 2, EDGE),
        "sphere": Sphere(EDGE / 2),
    }
    simulation = build(on(HalfSpace(), moving(shapes[kind], EDGE / 2 - 1e-6)), facets=16)
    assert sampled(simulation, 1, "body").contact_count[0, 0] == count
    assert isinstance(simulation.resolved().contact_law, Compliant)


def test_a_bare_box_touches_at_one_point_and_the_table_says_so() -> None:
    simulation = build(on(HalfSpace(), moving(Box(CUBE), EDGE / 2 - 1e-6)), profile="default")
    assert sampled(simulation, 1, "body").contact_count[0, 0] == 1
    table = simulation.resolved().table
    assert table["multi_contact"].value is False
    assert table["shape.body.0.representation"].value == "points only"


def test_edges_meet_edges_by_a_patch() -> None:
    """Two long boxes crossed, each standing on an edge: no corner is inside the other, so only a patch can catch it."""
    rolled = (math.cos(math.pi / 8), math.sin(math.pi / 8), 0.0, 0.0)  # an edge down
    long = (0.4, 0.04, 0.04)
    edge = 0.02 * 2**0.5
    rail = Body(name="rail", shapes=(Box(long, Pose((0, 0, -edge), rolled)),), material=Material(friction=0.5))
    c, s = (0.5**0.5 * part for part in rolled[:2])
    turned = Pose((0, 0, edge - 1e-3), (c, s, s, c))  # a quarter turn about z, then rolled
    scene = Scene(name="edges", bodies=(rail, moving(Box(long), 0.0, pose=turned)), gravity=(0.0, 0.0, 0.0))
    simulation = build(scene)
    sample = sampled(simulation, 1, "body")
    assert sample.f_B_W[0, 2] > 0.1
    np.testing.assert_allclose(sample.f_B_W[0, :2], 0, atol=1e-3 * sample.f_B_W[0, 2])
    assert "f_normal_B_W" in simulation.resolved().channel_notes


def test_a_spring_and_damper_in_newtons_is_what_lands() -> None:
    """K = 1e4 N/m and c = 20 N s/m per contact: at rest on four corners it is m g/(4 K) deep."""
    material = Material(friction=0.5, stiffness=1e4, damping=20.0)
    options = {"discrete_contact_approximation": "sap", "sap_near_rigid_threshold": 0.0}
    simulation = build(on(HalfSpace(), moving(Box(CUBE), EDGE / 2, material=material)), **options)
    assert simulation.resolved().contact_law == Compliant(stiffness=pytest.approx(1e4), damping=pytest.approx(20.0))
    sample = sampled(simulation, 2000, "body")
    assert EDGE / 2 - sample.p_WB[0, 2] == pytest.approx(WEIGHT / 4e4, rel=1e-3)


def test_what_drake_cannot_represent_is_refused(tmp_path: Path) -> None:
    (tmp_path / "cube.stl").write_text("solid cube\nendsolid cube\n")
    (tmp_path / "flat.obj").write_text("v 0 0 0\nv 1 0 0\nf 1 2\n")
    for body, words in (
        (moving(Box(CUBE), 1.0, material=Material(restitution=0.5)), "restitution"),
        (moving(Box(CUBE), 1.0, material=Material(stiffness=1e4, damping=1.0)), "=sap"),
        (moving(Mesh(str(tmp_path / "cube.stl")), 1.0), "obj"),
        (moving(Mesh(str(tmp_path / "flat.obj")), 1.0), "convex hull"),
        (moving(Mesh(str(tmp_path / "none.obj")), 1.0), "does not exist"),
    ):
        with pytest.raises(Unsupported, match=words):
            build(on(HalfSpace(), body))


@pytest.mark.parametrize("contact_model", ["point", "hydroelastic", "hydroelastic_with_fallback"])
@pytest.mark.parametrize("face_contact", ["shape", "hydroelastic", "corners"])
def test_every_combination_of_models_carries_a_ball_and_a_box_or_says_why_not(
    contact_model: str, face_contact: str
) -> None:
    scene = on(
        HalfSpace(), moving(Sphere(EDGE / 2), EDGE / 2), moving(Box(CUBE), 0, "box", pose=Pose((1, 0, EDGE / 2)))
    )
    words = {"contact_model": contact_model, "face_contact": face_contact}
    if contact_model == "hydroelastic" and face_contact != "hydroelastic":
        with pytest.raises(UsageError, match="face_contact=hydroelastic"):
            build(scene, **words)
        return
    simulation = build(scene, **words)
    sample = sampled(simulation, 300, "body", "box")
    np.testing.assert_allclose(sample.f_B_W[:, 2], WEIGHT, rtol=2e-3)
    points = {"corners": 4, "shape": 1}.get(face_contact) if contact_model != "hydroelastic" else None
    points = 1 if contact_model == "point" and face_contact == "hydroelastic" else points
    assert sample.contact_count[1, 0] == points if points else sample.contact_count[1, 0] > 4


@pytest.mark.parametrize("approximation", ["lagged", "similar", "sap", "tamsi"])
def test_every_approximation_keeps_the_momentum(approximation: str) -> None:
    """m dv/dt = f + m g at every step of a landing, to the part of the momentum at which the solver stops."""
    simulation = build(
        on(HalfSpace(), moving(Box(CUBE), EDGE / 2 + 1e-3)), discrete_contact_approximation=approximation
    )
    sample, speeds, forces = Sample(("body",)), [0.0], []
    for _ in range(60):
        simulation.advance(1)
        simulation.sample(sample)
        speeds.append(float(sample.v_WB[0, 2]))
        forces.append(float(sample.f_B_W[0, 2]))
    balance = 0.1 * np.diff(speeds) / 1e-3 + WEIGHT
    assert max(forces) > 5.0
    np.testing.assert_allclose(forces, balance, atol=max(1e-9, simulation.resolved().residual * max(forces)))


def test_a_law_that_would_not_hold_is_not_stated() -> None:
    scene = on(HalfSpace(), moving(Box(CUBE), 1.0))
    for options in (
        {"discrete_contact_approximation": "sap"},
        {"face_contact": "hydroelastic"},
    ):
        assert isinstance(build(scene, **options).resolved().contact_law, Unknown)
    allowance = build(scene, "default", penetration_allowance=1e-4).resolved()
    assert isinstance(allowance.contact_law, Unknown)
    assert allowance.table["shape.body.0.point_stiffness"].origin == "unreadable"


def test_contact_by_contact_adds_up_to_the_sample() -> None:
    """A cube on a plate on the ground: rows name their parties, and their forces add up to each body's."""
    plate = moving(Box((0.3, 0.3, 0.02)), 0.01, name="plate")
    scene = on(HalfSpace(), plate, moving(Box(CUBE), 0.02 + EDGE / 2))
    simulation = build(scene)
    simulation.command(None, np.array([[0.0] * 6, [0.2, 0.0, 0.0, 0.0, 0.0, 0.0]]))
    sample = sampled(simulation, 400, "plate", "body")
    rows, (floor, plated, body) = simulation.contacts(), range(3)
    assert contact_parties(scene) == ("floor", "plate", "body")
    assert {(a, b) for a, b in zip(rows.a, rows.b, strict=True)} == {(floor, plated), (plated, body)}
    assert (rows.f_normal >= 0).all() and (rows.gap < 0).all()
    np.testing.assert_allclose(np.vecdot(rows.normal, rows.f_friction), 0, atol=1e-12)
    np.testing.assert_allclose(rows.normal[:, 2], 1.0, atol=1e-6)
    np.testing.assert_allclose(rows.point[:, 2], np.where(rows.b == body, 0.02, 0.0), atol=1e-4)
    force = rows.f_normal[:, None] * rows.normal + rows.f_friction
    for k, party in enumerate((plated, body)):
        sign = (rows.b == party).astype(float) - (rows.a == party)
        np.testing.assert_allclose(sign @ force, sample.f_B_W[k], atol=1e-12)


def test_a_patch_presses_at_its_centre_of_pressure() -> None:
    """0.2 N m on a cube of 20 kg that lies on a plate: the normal force moves by m / (M g) to hold it."""
    moment, weight = 0.2, 20 * 9.81
    heavy = replace(moving(Box(CUBE), EDGE / 2), mass=20.0, inertia=box_inertia(20.0, CUBE))
    simulation = build(on(PLATE, heavy))
    simulation.command(None, np.array([[0.0, 0.0, 0.0, moment, -2 * moment, 0.0]]))
    simulation.advance(1000)
    rows = simulation.contacts()
    centre = (rows.f_normal @ rows.point) / rows.f_normal.sum()
    assert len(rows.a) == 1, "one patch"
    # r x f of the force at the centre of pressure balances the moment about the centre of mass
    np.testing.assert_allclose(centre[:2], (-2 * moment / weight, -moment / weight), rtol=2e-2)


@pytest.mark.parametrize("contacts", [True, False])
def test_a_robot_touches_bodies_and_not_itself(contacts: bool) -> None:
    """A plate on a vertical slide with a second one inside it; the weight held up, it catches the cube or does not."""
    plate = """<mujoco><worldbody><body name="plate" pos="0 0 0.3"><joint name="lift" type="slide" axis="0 0 1"/>
    <inertial mass="2" pos="0 0 0" diaginertia="0.1 0.1 0.1"/><geom type="box" size="0.2 0.2 0.02"/>
    <body name="inside"><joint name="turn" axis="0 0 1"/><inertial mass="0.1" pos="0 0 0" diaginertia="0.1 0.1 0.1"/>
    <geom type="box" size="0.1 0.1 0.01"/></body></body></worldbody></mujoco>"""
    robot = Robot(name="lift", description=plate, contacts=contacts)
    floor = Body(name="floor", shapes=(HalfSpace(),))
    scene = Scene(name="catch", bodies=(floor, moving(Box(CUBE), 0.38)), robots=(robot,))
    simulation = build(scene)
    simulation.command(np.array([(2 + 0.1 + 0.1) * 9.81, 0.0]), None)
    sample = Sample(("body",), ("lift", "turn"))
    simulation.advance(1000)
    simulation.sample(sample)
    if contacts:
        assert sample.p_WB[0, 2] - (0.3 + sample.q[0]) == pytest.approx(0.02 + 0.05, abs=1e-4)
        assert sample.f_B_W[0, 2] == pytest.approx(WEIGHT, rel=1e-3)
        rows, parties = simulation.contacts(), contact_parties(scene)
        touched = {(parties[a], parties[b]) for a, b in zip(rows.a, rows.b, strict=True)}
        assert touched == {("body", "lift/plate")}
    else:
        assert sample.p_WB[0, 2] == pytest.approx(EDGE / 2, abs=1e-4)


def test_rigid_shapes_make_contact_with_what_is_soft_stiff() -> None:
    """Their hydroelastic modulus is the coupler's; the option of soft scenes goes before the one of all scenes."""
    from simparity.experiments.soft_ball_grasp import SoftBallGrasp

    scene = SoftBallGrasp().scene(1e-3)

    def modulus(profile: str, **options: Any) -> tuple[Any, Any]:
        row = build(scene, profile, **options).resolved().table["soft.ball.coupling.modulus"]
        return row.value, row.authored

    assert modulus("default") == (1e7, None)
    assert modulus("default", hydroelastic_modulus=1e8) == (1e8, 1e8)
    assert modulus("matched") == (1e6, 1e6)
    assert modulus("matched", soft_modulus=1e5) == (1e5, 1e5)
