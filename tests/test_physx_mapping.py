"""Physical parameters to PhysX's parameters, without PhysX."""

import math

import pytest

from simparity.engines.physx import mapping
from simparity.harness.engine import Impulse, Unknown
from simparity.harness.errors import Unsupported, UsageError
from simparity.harness.scene import Material


def test_matched_contains_published():
    assert mapping.PROFILES["published"].items() <= mapping.PROFILES["matched"].items()


def test_every_option_has_exactly_one_place():
    translated = ("solver", "restitution", "joint_friction", "robot_iterations", "importer")
    places = [
        *mapping.IN_SCENE_CONFIG,
        *mapping.IN_BODY_CONFIG,
        *mapping.IN_SHAPE_CONFIG,
        *mapping.ON_BODY,
        *mapping.ON_LINK,
        *mapping.ON_JOINT,
        *translated,
    ]
    assert sorted(places) == sorted(mapping.OPTIONS)


def test_quaternion_turns_x_onto_z():
    w, x, y, z = mapping.Q_X_ONTO_Z
    image = (1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y))
    assert image == pytest.approx((0.0, 0.0, 1.0), abs=1e-15)


def test_restitution_of_the_body_wins_over_the_option_over_the_default():
    assert mapping.restitution(Material(restitution=0.3), {"restitution": 0.9}) == 0.3
    assert mapping.restitution(Material(restitution=0.0), {"restitution": 0.9}) == 0.0
    assert mapping.restitution(Material(), {"restitution": 0.9}) == 0.9
    assert mapping.restitution(Material(), {}) is None


@pytest.mark.parametrize("material", [Material(stiffness=1e4), Material(damping=10.0)])
def test_contact_stiffness_and_damping_are_unsupported(material):
    with pytest.raises(Unsupported, match="'cube'"):
        mapping.check("cube", material)


@pytest.mark.parametrize("e", [-1.0, 1.5])
def test_restitution_out_of_range_is_refused(e):
    with pytest.raises(UsageError, match="restitution"):
        mapping.check("cube", Material(restitution=e))
    with pytest.raises(UsageError, match="restitution"):
        mapping.check_options({"restitution": e})


@pytest.mark.parametrize(
    "options",
    [
        {"iterations": 0},
        {"iterations": 256},
        {"robot_iterations": 0},
        {"velocity_iterations": 256},
        {"velocity_iterations": -1},
        {"linear_damping": -0.1},
        {"link_angular_damping": -0.1},
        {"joint_load_friction": -0.1},
        {"max_depenetration_velocity": -1.0},
        {"sleep_threshold": -1.0},
        {"contact_offset": 0.0},
        {"contact_offset": 1e-3, "rest_offset": 2e-3},
        {"rest_offset": 0.02},
    ],
)
def test_values_that_physx_would_silently_change_are_refused(options):
    with pytest.raises(UsageError, match=next(iter(options))):
        mapping.check_options(options)


def test_contact_law_states_the_common_restitution():
    assert mapping.contact_law([0.1, 0.1], 2.0) == Impulse(restitution=0.1, bounce_threshold=2.0)
    assert isinstance(mapping.contact_law([0.1, 0.2], 2.0), Unknown)
    assert isinstance(mapping.contact_law([], 2.0), Unknown)
    assert isinstance(mapping.contact_law([0.1], 2.0, tgs=False), Unknown)


def test_combined_is_the_average():
    assert mapping.combined(0.2, 0.8) == pytest.approx(0.5)


def test_velocity_kept_by_damping():
    assert mapping.velocity_kept(0.0, 1e-3) == 1.0
    assert math.isclose(mapping.velocity_kept(3.0, 1e-3), 0.997)
    assert mapping.velocity_kept(2000.0, 1e-3) == 0.0


@pytest.mark.parametrize("axis", [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, 0, -1), (0.6, 0.0, 0.8), (-0.48, 0.6, 0.64)])
def test_quaternion_turns_x_onto_an_axis(axis):
    w, x, y, z = mapping.q_x_onto(axis)
    assert w * w + x * x + y * y + z * z == pytest.approx(1.0, abs=1e-15)
    image = (1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y))
    assert image == pytest.approx(axis, abs=1e-15)


def test_dry_friction_is_refused_only_where_it_was_asked_for():
    mapping.check_joint_friction("arm", {"elbow": 0.2}, {})
    mapping.check_joint_friction("arm", {"elbow": 0.2}, {"joint_friction": False})
    mapping.check_joint_friction("arm", {"elbow": 0.0}, {"joint_friction": True})
    with pytest.raises(Unsupported, match="elbow"):
        mapping.check_joint_friction("arm", {"elbow": 0.2, "wrist": 0.0}, {"joint_friction": True})


def test_a_robot_has_iterations_of_its_own_only_where_it_moves_alone():
    assert mapping.iterations_option(True, {"robot_iterations": 1}) == "robot_iterations"
    assert mapping.iterations_option(True, {"iterations": 100}) == "iterations"
    assert mapping.iterations_option(False, {"robot_iterations": 1}) == "iterations"
