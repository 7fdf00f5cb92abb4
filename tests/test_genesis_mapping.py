"""The mapping to Genesis's parameters, without Genesis."""

import pytest

from simparity.engines.genesis import mapping
from simparity.harness.errors import Unsupported, UsageError
from simparity.harness.scene import Material
from simparity.harness.settings import settle


def test_published_leaves_contact_resolution_impratio_and_solimp_to_genesis():
    published = mapping.PROFILES["published"]
    assert published["cone"] == "elliptic"
    assert not {"contact_resolution", "impratio", "solimp"} & set(published)


def test_published_and_matched_import_a_robot_as_it_is_described():
    for profile in ("published", "matched"):
        assert mapping.PROFILES[profile]["default_armature"] == 0.0
        assert mapping.PROFILES[profile]["merge_fixed_links"] is False
    assert mapping.PROFILES["matched"]["joint_friction"] is False


def test_the_control_experiment_overrides_the_published_profile():
    settings = settle("genesis", mapping, "published", {"contact_resolution": "convex", "impratio": 1})
    assert settings.options["contact_resolution"] == "convex"
    assert settings.options["impratio"] == 1.0
    assert "solimp" not in settings.options


def test_every_option_but_those_of_geoms_and_robots_reaches_the_rigid_options():
    numbers = {
        name: option.kind(1) for name, option in mapping.OPTIONS.items() if option.kind is not str and not option.length
    }
    reached = len(mapping.rigid_options(numbers)) + len(mapping.ENUMS)
    elsewhere = ("solref", "solimp", "joint_friction", "default_armature", "merge_fixed_links")
    soft = ["soft_same_friction", *mapping.SAP_OPTIONS, *mapping.FEM_OPTIONS]
    assert reached + len(elsewhere) + len(soft) == len(mapping.OPTIONS)


def test_no_pruning_is_none_in_genesis():
    assert mapping.rigid_options({"contact_pruning_tolerance": 0.0}) == {"contact_pruning_tolerance": None}
    assert mapping.rigid_options({"contact_pruning_tolerance": 0.02}) == {"contact_pruning_tolerance": 0.02}
    assert mapping.rigid_options({"multi_contact": False}) == {"enable_multi_contact": False}


@pytest.mark.parametrize(
    "options",
    [
        {"contact_resolution": "signorini"},
        {"contact_resolution": "signorini", "cone": "elliptic", "solver": "CG"},
        {"cone": "elliptic", "noslip_iterations": 5},
        {"solref": (-1000.0, -50.0)},
        {"solref": (0.01, 0.0)},
    ],
)
def test_combinations_that_genesis_refuses_or_replaces_are_unsupported(options):
    with pytest.raises(Unsupported, match="Genesis"):
        mapping.check_options(options)


@pytest.mark.parametrize(
    "material", [Material(restitution=0.5), Material(stiffness=1e4), Material(damping=10.0), Material(friction=0.001)]
)
def test_materials_that_genesis_cannot_express_are_unsupported(material):
    with pytest.raises(Unsupported, match="'cube'"):
        mapping.check("cube", material)


def test_materials_that_genesis_can_express_pass():
    mapping.check("cube", Material())
    mapping.check("cube", Material(friction=0.5, restitution=0.0))


def test_a_misspelt_choice_is_a_usage_error():
    with pytest.raises(UsageError, match="convex"):
        settle("genesis", mapping, "default", {"contact_resolution": "soft"})


def test_pair_friction_is_the_larger_and_at_least_the_floor():
    assert mapping.pair_friction(0.2, 0.5) == 0.5
    assert mapping.pair_friction(0.0, 0.0) == 0.01


def test_pair_parameters_are_the_plain_mean():
    assert mapping.mixed((0.01, 1.0, 0.9), (0.03, 2.0, 1.0)) == pytest.approx((0.02, 1.5, 0.95))


def test_contact_law_of_the_published_drop():
    """K = 1/(d_max tc zeta)^2 and B = 2/(d_max tc) with tc 0.01 s and Genesis's d_max 0.95."""
    law = mapping.contact_law((0.01, 1.0, 0.9, 0.95, 0.001, 0.5, 2.0), 1e-3, "elliptic", 0.5, 100.0)
    published = (11080.332409972299, 210.52631578947370)
    assert pytest.approx(published, rel=1e-14) == (law.K, law.B)
    assert law.impedance == (0.9, 0.95, 0.001, 0.5, 2.0)
    assert law.regularizer == 1.0


def test_a_time_constant_below_two_substeps_is_raised():
    raised = mapping.contact_law((0.001, 1.0, 0.9, 0.95, 0.001, 0.5, 2.0), 1e-3, "elliptic", 0.5, 1.0)
    asked = mapping.contact_law((0.002, 1.0, 0.9, 0.95, 0.001, 0.5, 2.0), 1e-3, "elliptic", 0.5, 1.0)
    assert raised == asked
    assert mapping.floored_time_constant(0.01, 1e-3) == 0.01


def test_the_pyramid_weakens_the_regularizer():
    sol_params = (0.01, 1.0, 0.9, 0.95, 0.001, 0.5, 2.0)
    assert mapping.contact_law(sol_params, 1e-3, "pyramidal", 0.5, 1.0).regularizer == pytest.approx(0.15625)
    assert mapping.contact_law(sol_params, 1e-3, "pyramidal", 0.5, 2.0).regularizer == pytest.approx(0.0703125)
