"""Contact points one by one: names, places, signs, and that they add up to what the body channels say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from simparity.harness.channels import Sample
from simparity.harness.contacts import ContactRows, contact_parties
from simparity.harness.engine import Contacts, Simulation
from simparity.harness.errors import Unsupported
from simparity.harness.robot_model import model_of
from simparity.harness.scene import Array, Body, Box, HalfSpace, Material, Pose, Robot, Scene
from simparity.harness.solids import box_inertia

Simulate = Callable[..., Simulation]
G, SIZE, MASS = 9.81, (0.1, 0.1, 0.1), 0.5
ROUGH = Material(friction=0.5)
GROUND = Body(name="ground", shapes=(HalfSpace(),), material=ROUGH)


def block(name: str, height: float, speed: float = 0.0) -> Body:
    """A cube with its lower face at `height` [m], moving along x."""
    return Body(
        name=name,
        shapes=(Box(SIZE),),
        mass=MASS,
        inertia=box_inertia(MASS, SIZE),
        pose=Pose((0.0, 0.0, SIZE[2] / 2 + height)),
        velocity=(speed, 0.0, 0.0, 0.0, 0.0, 0.0),
        material=ROUGH,
    )


# a sphere of 0.2 kg on a slide along z, whose lowest point is 1 mm above the plate at q = 0; the arm overlaps with it
PRESS = """
<mujoco model="press">
  <compiler angle="radian"/>
  <worldbody>
    <body name="stand" pos="0 0 0.121">
      <body name="arm">
        <inertial mass="0.3" pos="0 0 0" diaginertia="1e-3 1e-3 1e-3"/>
        <joint name="swing" type="slide" axis="1 0 0"/>
        <geom name="arm_geom" type="box" size="0.03 0.03 0.005" pos="0 0 0.02"/>
        <body name="pad">
          <inertial mass="0.2" pos="0 0 0" diaginertia="1e-4 1e-4 1e-4"/>
          <joint name="press" type="slide" axis="0 0 1"/>
          <geom name="pad_geom" type="sphere" size="0.02"/>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""
# two balls side by side that overlap by half, each with a box for the eye only that reaches into the plate
TWINS = """
<mujoco model="twins">
  <worldbody>
    <body name="stand" pos="0 0 0.2">
      <body name="left" pos="-0.01 0 0">
        <inertial mass="0.2" pos="0 0 0" diaginertia="1e-4 1e-4 1e-4"/>
        <joint name="slide_left" type="slide" axis="1 0 0"/>
        <geom type="sphere" size="0.02"/>
        <geom type="box" size="0.01 0.01 0.15" contype="0" conaffinity="0"/>
      </body>
      <body name="right" pos="0.01 0 0">
        <inertial mass="0.2" pos="0 0 0" diaginertia="1e-4 1e-4 1e-4"/>
        <joint name="slide_right" type="slide" axis="0 0 1"/>
        <geom type="sphere" size="0.02"/>
        <geom type="box" size="0.01 0.01 0.15" contype="0" conaffinity="0"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""
PLATE = Body(name="plate", shapes=(Box((0.4, 0.4, 0.1)),), pose=Pose((0.0, 0.0, 0.05)), material=ROUGH)


def pressed(contacts: bool = True) -> Scene:
    robot = Robot(name="tool", description=PRESS, contacts=contacts, material=ROUGH)
    return Scene(name="pressed", bodies=(GROUND, PLATE), robots=(robot,), collision_pairs_off=(("ground", "plate"),))


def watched(simulation: Simulation) -> Contacts:
    assert isinstance(simulation, Contacts), "the adapter gives no contact points"
    simulation.watch_contacts(True)
    return simulation


def on(rows: ContactRows, party: int) -> Array:
    """Normal forces on a party as vectors, summed."""
    sign = (rows.b == party).astype(float) - (rows.a == party)
    return np.asarray((sign * rows.f_normal) @ rows.normal)


def test_a_resting_block_is_held_by_the_points_under_it(simulate: Simulate, eps: float) -> None:
    scene = Scene(name="resting", bodies=(GROUND, block("block", 0.0)))
    simulation = simulate(scene)
    watched(simulation)
    assert isinstance(simulation, Contacts)
    assert not len(simulation.contacts().a), "no step was made, so nothing has touched yet"
    simulation.advance(1000)
    rows = simulation.contacts()
    assert contact_parties(scene) == ("ground", "block")
    assert len(rows.a) and set(rows.a) == {0} and set(rows.b) == {1}
    np.testing.assert_allclose(rows.normal, np.tile([0.0, 0.0, 1.0], (len(rows.a), 1)), atol=1e-3)
    np.testing.assert_allclose(rows.f_normal.sum(), MASS * G, rtol=1e-3)
    assert np.abs(rows.point[:, :2]).max() <= SIZE[0] / 2 * 1.01 and np.abs(rows.point[:, 2]).max() < 5e-3
    assert np.abs(rows.gap).max() < 5e-3
    centre = (rows.f_normal @ rows.point) / rows.f_normal.sum()
    np.testing.assert_allclose(centre[:2], 0, atol=1e-3)


def test_points_add_up_to_the_channels(simulate: Simulate, eps: float) -> None:
    """A block lands on another that slides on the ground: the points of each pair act on both, with opposite signs."""
    scene = Scene(name="pile", bodies=(GROUND, block("lower", 0.0, 0.5), block("upper", 0.102)))
    simulation = simulate(scene)
    touching, sample, seen = watched(simulation), Sample(("lower", "upper"), ()), 0
    for _ in range(100):
        simulation.advance(1)
        simulation.sample(sample)
        rows = touching.contacts()
        seen += len(rows.a)
        scale = max(1.0, float(np.abs(sample.f_B_W).max()))
        for index, name in ((1, 0), (2, 1)):
            np.testing.assert_allclose(on(rows, index), sample.f_normal_B_W[name], atol=eps * scale)
            if np.isfinite(rows.f_friction).all():
                sign = (rows.b == index).astype(float) - (rows.a == index)
                friction = sign @ rows.f_friction if len(rows.a) else np.zeros(3)
                np.testing.assert_allclose(on(rows, index) + friction, sample.f_B_W[name], atol=eps * scale)
        assert np.abs(np.einsum("ck,ck->c", np.nan_to_num(rows.f_friction), rows.normal)).max(initial=0) < eps * scale
        assert (rows.a < rows.b).all() and (rows.f_normal >= -eps * scale).all()
    assert seen > 100, "nothing has touched"
    if np.isnan(rows.f_friction).any():
        note = simulation.resolved().channel_notes.get("f_friction")
        assert note is not None and note.kind == "unsupported" and note.reason


def test_watching_changes_nothing(simulate: Simulate) -> None:
    scene = Scene(name="pile", bodies=(GROUND, block("lower", 0.0, 0.5), block("upper", 0.102)))
    simulation, ends = simulate(scene), []
    for asked in (False, True):
        simulation.reset()
        watched(simulation).watch_contacts(asked)
        sample = Sample(("lower", "upper"), ())
        for steps in (1, 30, 2):
            simulation.advance(steps)
        simulation.sample(sample)
        ends.append(sample.data.copy())
    assert np.array_equal(ends[0], ends[1])


def test_a_robot_presses_on_a_body_and_not_on_itself(simulate: Simulate, eps: float) -> None:
    """5 N and the sphere's weight end in the plate; the arm that overlaps with the sphere is not pushed away."""
    scene = pressed()
    simulation = simulate(scene)
    touching = watched(simulation)
    simulation.command(np.array([0.0, -5.0]), None)
    simulation.advance(1500)
    rows, parties = touching.contacts(), contact_parties(scene)
    assert parties == ("ground", "plate", "tool/stand", "tool/arm", "tool/pad")
    assert {(parties[a], parties[b]) for a, b in zip(rows.a, rows.b, strict=True)} == {("plate", "tool/pad")}
    np.testing.assert_allclose(on(rows, 4), [0, 0, 5 + 0.2 * G], rtol=2e-3, atol=1e-3)
    np.testing.assert_allclose(rows.point, [[0, 0, 0.1]], atol=2e-3)
    sample = Sample((), model_of(scene.robots[0]).joint_names)
    simulation.sample(sample)
    np.testing.assert_allclose(sample.v, 0, atol=1e-4)
    np.testing.assert_allclose(sample.q, [0, -1e-3], atol=1e-3)
    friction = simulation.resolved().table["pair.plate+tool.friction"].value
    assert friction == pytest.approx(0.5, rel=1e-5)


def test_a_robot_without_contacts_passes_through(simulate: Simulate) -> None:
    simulation = simulate(pressed(contacts=False))
    sample = Sample((), ("swing", "press"))
    simulation.advance(500)
    simulation.sample(sample)
    assert sample.q[1] == pytest.approx(-0.5 * G * 0.5**2, rel=0.02)


def test_a_robot_presses_a_moving_body_on_the_ground(simulate: Simulate, eps: float) -> None:
    """The block's net force holds its weight: the ground bears the robot's load as well, and both are in it."""
    robot = Robot(name="tool", description=PRESS, contacts=True, material=ROUGH)
    scene = Scene(name="clamped", bodies=(GROUND, block("block", 0.0)), robots=(robot,))
    simulation, load = simulate(scene), 5 + 0.2 * G
    touching, sample = watched(simulation), Sample(("block",), model_of(robot).joint_names)
    simulation.command(np.array([0.0, -5.0]), None)
    simulation.advance(1500)
    simulation.sample(sample)
    rows, parties = touching.contacts(), contact_parties(scene)
    touched = {(parties[a], parties[b]) for a, b in zip(rows.a, rows.b, strict=True)}
    assert touched == {("ground", "block"), ("block", "tool/pad")}
    np.testing.assert_allclose(on(rows, parties.index("tool/pad")), [0, 0, load], rtol=5e-3, atol=1e-2)
    np.testing.assert_allclose(on(rows, 0), [0, 0, -load - MASS * G], rtol=5e-3, atol=1e-2)
    np.testing.assert_allclose(on(rows, 1), sample.f_normal_B_W[0], atol=10 * eps)
    np.testing.assert_allclose(sample.f_B_W[0], [0, 0, MASS * G], atol=2e-2)


def test_a_robot_does_not_touch_itself_and_what_is_only_seen_touches_nothing(simulate: Simulate) -> None:
    robot = Robot(name="twins", description=TWINS, contacts=True)
    simulation = simulate(Scene(name="twins", bodies=(PLATE,), robots=(robot,), gravity=(0.0, 0.0, 0.0)))
    touching, sample = watched(simulation), Sample((), ("slide_left", "slide_right"))
    simulation.advance(100)
    simulation.sample(sample)
    assert not len(touching.contacts().a)
    np.testing.assert_array_equal(sample.q, 0)


def test_a_surface_that_a_robot_cannot_have_is_refused_or_resolved(simulate: Simulate) -> None:
    """What the engine refuses of a body it refuses of a robot."""
    bouncy = Material(friction=0.5, restitution=0.5)
    ball = replace(block("ball", 0.01), material=bouncy)
    robot = Robot(name="tool", description=PRESS, contacts=True, material=bouncy)
    refused = []
    for scene in (Scene(name="body", bodies=(GROUND, ball)), Scene(name="robot", bodies=(GROUND,), robots=(robot,))):
        try:
            simulate(scene)
            refused.append(False)
        except Unsupported:
            refused.append(True)
    assert refused[0] == refused[1]


def test_a_shape_of_no_link_touches_nothing_or_is_refused(simulate: Simulate) -> None:
    """A shelf in the description's worldbody is no part of the robot; the block falls through it."""
    shelf = PRESS.replace("<worldbody>", '<worldbody><geom type="box" size="0.3 0.3 0.01" pos="1 0 0.5"/>')
    robot = Robot(name="tool", description=shelf, contacts=True)
    falling = replace(block("block", 0.0), pose=Pose((1.0, 0.0, 0.57)))
    try:
        simulation = simulate(Scene(name="shelf", bodies=(falling,), robots=(robot,)))
    except Unsupported as refused:
        assert "tool" in str(refused)
        return
    sample = Sample(("block",), model_of(robot).joint_names)
    simulation.advance(300)
    simulation.sample(sample)
    assert sample.p_WB[0, 2] == pytest.approx(0.57 - 0.5 * G * 0.3**2, abs=5e-3)
