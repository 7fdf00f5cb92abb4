"""Physical parameters to Drake's parameters, without Drake."""

import pytest

from simparity.engines.drake import mapping
from simparity.harness.engine import Compliant, Unknown
from simparity.harness.errors import Unsupported, UsageError
from simparity.harness.scene import Box, Capsule, Cylinder, HalfSpace, Material, Sphere

BOX, PATCHES, CORNERS = Box((0.1, 0.1, 0.1)), {"face_contact": "hydroelastic"}, {"face_contact": "corners"}


def test_matched_contains_published():
    assert mapping.PROFILES["published"].items() <= mapping.PROFILES["matched"].items()


def test_every_option_has_exactly_one_place():
    translated = ("face_contact", "facets", "joint_friction", "complete_joints", "soft_modulus")
    assert sorted([*mapping.IN_PLANT_CONFIG, *mapping.IN_PROXIMITY_DEFAULTS, *translated]) == sorted(mapping.OPTIONS)


@pytest.mark.parametrize(
    "options",
    [
        {"stiction_tolerance": 0.0},
        {"penetration_allowance": -1e-3},
        {"point_stiffness": 0.0},
        {"hydroelastic_modulus": float("nan")},
        {"soft_modulus": 0.0},
        {"sap_near_rigid_threshold": -1.0},
        {"dissipation": -1.0},
        {"relaxation_time": -0.1},
        {"facets": 2},
        {"contact_model": "hydroelastic", "face_contact": "corners"},
        {"penetration_allowance": 1e-3, "point_stiffness": 1e6},
        {"penetration_allowance": 1e-3, "dissipation": 10.0},
    ],
)
def test_values_that_drake_cannot_take_are_refused(options):
    with pytest.raises(UsageError, match=next(iter(options))):
        mapping.check_options(options)


def test_two_springs_in_series_have_the_stiffness_that_was_asked_for():
    material = Material(stiffness=3e4, damping=12.0)
    k, tau = mapping.point_stiffness(material), mapping.relaxation_time(material, {})
    pair, _ = mapping.combined(k, k, 0.0, 0.0)
    assert pair == pytest.approx(3e4)
    assert pair * (tau + tau) == pytest.approx(12.0), "relaxation times of two bodies add up"
    softer = mapping.relaxation_time(Material(damping=12.0), {"point_stiffness": 2e5})
    assert 1e5 * 2 * softer == pytest.approx(12.0), "without a stiffness, that of the option"
    assert mapping.point_stiffness(Material()) is None and mapping.relaxation_time(Material(), {}) is None


def test_dissipation_is_mixed_by_the_share_of_the_overlap():
    assert mapping.combined(1e6, 1e6, 50.0, 150.0) == (5e5, 100.0)
    assert mapping.combined(1e6, 3e6, 40.0, 80.0) == (7.5e5, 50.0)


def test_what_contact_cannot_say_is_unsupported():
    mapping.check("body 'cube'", Material(restitution=0.0, stiffness=1e4), {})
    mapping.check("body 'cube'", Material(damping=1.0), {"discrete_contact_approximation": "sap"})
    for material in (Material(restitution=0.5), Material(damping=1.0), Material(stiffness=0.0)):
        with pytest.raises(Unsupported, match="'cube'"):
            mapping.check("body 'cube'", material, {})


def test_what_is_fixed_is_rigid_and_what_moves_gives_way():
    assert mapping.hydroelastic(BOX, False, Material(), PATCHES) == "rigid"
    assert mapping.hydroelastic(BOX, True, Material(), CORNERS) == "compliant"
    for options in ({}, {"face_contact": "shape"}):
        assert mapping.hydroelastic(BOX, True, Material(), options) == ""
    assert mapping.hydroelastic(Sphere(0.1), True, Material(), PATCHES) == "", "a ball touches at one point"
    assert mapping.hydroelastic(BOX, True, Material(), {**PATCHES, "contact_model": "point"}) == ""
    only = {**PATCHES, "contact_model": "hydroelastic"}
    assert mapping.hydroelastic(Sphere(0.1), True, Material(), only) == "compliant"
    with pytest.raises(Unsupported, match="N/m"):
        mapping.check("body 'cube'", Material(stiffness=1e4), only)
    assert mapping.hydroelastic(BOX, True, Material(stiffness=1e4), PATCHES) == "", "a spring in N/m is of a point"


def test_corners_are_for_shapes_with_flat_sides_only():
    assert mapping.corners_on_half_spaces(BOX, CORNERS)
    assert mapping.corners_on_half_spaces(Cylinder(0.1, 0.2), CORNERS)
    assert not mapping.corners_on_half_spaces(BOX, PATCHES)
    assert not mapping.corners_on_half_spaces(BOX, {})
    assert not mapping.corners_on_half_spaces(Sphere(0.1), CORNERS)


def test_facets_are_those_of_drakes_mesh():
    hint = mapping.resolution_hint(Cylinder(0.01, 0.1), {"facets": 64})
    assert 2 * 3.141592653589793 * 0.01 / hint == pytest.approx(64, rel=1e-8)
    assert 2 * 3.141592653589793 * 0.01 / hint < 64, "rounded up to 64 by Drake, not to 65"
    assert mapping.resolution_hint(Capsule(0.01, 0.1), {}) is None
    assert mapping.resolution_hint(HalfSpace(), {"facets": 64}) is None
    assert (mapping.facets_of(0.01, {"facets": 64}), mapping.facets_of(0.01, {})) == (64, 4)


def test_contact_law_is_stated_where_it_holds():
    points = (5e5, 100.0, 0.2)
    assert mapping.contact_law([points, points], "lagged", 1.0) == Compliant(
        stiffness=5e5, damping=0.0, dissipation=100.0
    )
    assert mapping.contact_law([points], "sap", 0.0) == Compliant(stiffness=5e5, damping=1e5)
    for pairs, approximation, threshold in (
        ([points], "sap", 1.0),
        ([points, (5e5, 50.0, 0.2)], "lagged", 1.0),
        ([None], "lagged", 1.0),
    ):
        assert isinstance(mapping.contact_law(pairs, approximation, threshold), Unknown)


def test_dry_friction_is_refused_only_where_it_was_asked_for():
    mapping.check_joint_friction("arm", {"elbow": 0.2}, {})
    mapping.check_joint_friction("arm", {"elbow": 0.2}, {"joint_friction": False})
    mapping.check_joint_friction("arm", {"elbow": 0.0}, {"joint_friction": True})
    with pytest.raises(Unsupported, match="elbow"):
        mapping.check_joint_friction("arm", {"elbow": 0.2, "wrist": 0.0}, {"joint_friction": True})
