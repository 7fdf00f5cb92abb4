"""Newton's mapping: pure, importable without the engine, and right about the contact law."""

import numpy as np
import pytest

from simparity.engines.newton import mapping
from simparity.harness import soft_contact
from simparity.harness.contact_law import MAX_IMPEDANCE, MIN_IMPEDANCE
from simparity.harness.errors import Unsupported, UsageError
from simparity.harness.scene import Material
from simparity.harness.settings import settle
from simparity.harness.soft_contact import Surface

STUDY_SOLIMP = (0.99, 0.999, 0.001, 0.5, 2.0)


def contact_law(solref, solimp, dt, cone, mu, impratio, refsafe=True):
    return soft_contact.contact_law(Surface(solref=solref, solimp=solimp, friction=mu), dt, cone, impratio, refsafe)


def test_matched_closes_the_gap_and_uses_mujocos_integrator():
    options = settle("newton", mapping, "matched", {}).options
    assert (options["gap"], options["integrator"], options["multi_contact"]) == (0.0, "Euler", True)


def test_an_override_wins_over_the_profile():
    assert settle("newton", mapping, "matched", {"gap": 0.01}).options["gap"] == 0.01


def test_the_flex_has_options_of_its_own_in_every_profile_and_leaves_the_others_alone():
    """What a run without it was called and did stays; overrides win."""
    flex = {
        profile: settle("newton", mapping, profile, {"soft_method": "flex"}).options for profile in mapping.PROFILES
    }
    assert flex["default"] == {"soft_method": "flex"}
    matched, plain = flex["matched"], settle("newton", mapping, "matched", {}).options
    assert matched["soft_integrator"] == "discrete" and matched["soft_half_lambda"] is True
    assert not set(plain) & {*mapping.OF_FLEX, "soft_method"} and not set(matched) & {*mapping.OF_VBD}
    assert plain.items() - matched.items() == {(name, plain[name]) for name in mapping.OF_VBD if name in plain}
    own = settle("newton", mapping, "matched", {"soft_method": "flex", "soft_solver": "CG"}).options
    assert own["soft_solver"] == "CG"
    assert settle("newton", mapping, "matched", {"soft_method": "vbd"}).options == {**plain, "soft_method": "vbd"}
    for name in mapping.OF_VBD:
        asked = {"soft_method": "flex", name: 3 if mapping.OPTIONS[name].kind is int else 3.0}
        with pytest.raises(Unsupported, match=name):
            mapping.check_options(settle("newton", mapping, "published", asked).options)


def test_an_option_that_was_asked_for_is_not_replaced_by_the_one_of_soft_scenes():
    asked = {"soft_method": "flex", "impratio": 100.0, "solver": "CG", "integrator": "implicitfast"}
    options = settle("newton", mapping, "matched", asked).options
    assert not {"soft_impratio", "soft_solver", "soft_integrator"} & set(options)
    both = settle("newton", mapping, "matched", {**asked, "soft_impratio": 3.0}).options
    assert (both["soft_impratio"], both["impratio"]) == (3.0, 100.0)


@pytest.mark.parametrize(
    ("options", "named"),
    [({"soft_integrator": "discrete"}, "flex"), ({"soft_method": "flex", "soft_passes": 3}, "vbd")],
)
def test_an_option_of_the_other_method_for_soft_bodies_is_refused(options, named):
    with pytest.raises(Unsupported, match=f"ask for option.soft_method={named}"):
        mapping.check_options(options)


def test_pgs_is_refused_because_mujoco_warp_lacks_it():
    with pytest.raises(UsageError, match="PGS"):
        settle("newton", mapping, "default", {"solver": "PGS"})


@pytest.mark.parametrize("material", [Material(restitution=0.5), Material(stiffness=1e4), Material(damping=10.0)])
def test_materials_that_the_contact_cannot_express_are_unsupported(material):
    with pytest.raises(Unsupported, match="'cube'"):
        mapping.check("cube", material)


def test_zero_restitution_is_what_the_contact_has():
    mapping.check("cube", Material(friction=0.5, restitution=0.0))


def test_law_of_the_published_settings():
    law = contact_law((0.01, 1.0), STUDY_SOLIMP, 0.001, "elliptic", 0.5, 1.0)
    assert pytest.approx(1 / (0.999 * 0.01) ** 2) == law.K
    assert pytest.approx(2 / (0.999 * 0.01)) == law.B
    assert law.impedance == STUDY_SOLIMP
    assert law.regularizer == 1.0


def test_pyramidal_cone_scales_the_regularizer():
    law = contact_law((0.01, 1.0), STUDY_SOLIMP, 0.001, "pyramidal", 1.0, 1.0)
    assert law.regularizer == pytest.approx(1.0)
    law = contact_law((0.01, 1.0), STUDY_SOLIMP, 0.001, "pyramidal", 0.5, 1.0)
    assert law.regularizer == pytest.approx(0.25 * 1.25 / 2)


def test_short_time_constants_are_raised_to_two_steps_unless_refsafe_is_off():
    floored = contact_law((0.001, 1.0), STUDY_SOLIMP, 0.001, "elliptic", 0.5, 1.0)
    assert floored == contact_law((0.002, 1.0), STUDY_SOLIMP, 0.001, "elliptic", 0.5, 1.0)
    free = contact_law((0.001, 1.0), STUDY_SOLIMP, 0.001, "elliptic", 0.5, 1.0, refsafe=False)
    assert pytest.approx(4 * floored.K) == free.K


def test_negative_solref_is_stiffness_and_damping():
    law = contact_law((-5000.0, -50.0), STUDY_SOLIMP, 0.001, "elliptic", 0.5, 1.0)
    assert (pytest.approx(5000 / 0.999**2), pytest.approx(50 / 0.999)) == (law.K, law.B)


def test_impedance_is_clipped():
    law = contact_law((0.01, 1.0), (0.0, 1.0, 0.001, 0.5, 2.0), 0.001, "elliptic", 0.5, 1.0)
    assert law.impedance[:2] == (MIN_IMPEDANCE, MAX_IMPEDANCE)


@pytest.mark.parametrize(
    ("cone", "condim", "rows"), [("elliptic", 3, 3), ("elliptic", 1, 1), ("pyramidal", 3, 4), ("pyramidal", 1, 1)]
)
def test_rows_per_contact(cone, condim, rows):
    assert mapping.rows_per_contact(cone, condim) == rows


def test_inertia_of_a_solid_body_is_left_alone():
    assert mapping.inertia((0.01, 0.02, 0.015)) == (0.01, 0.02, 0.015)


@pytest.mark.parametrize("moments", [(1.0, 2.0, 3.0), (3e-5, 1e-5, 2e-5), (0.1 / 3, 0.1, 0.2 / 3), (1e-9, 1e-3, 1e-3)])
def test_inertia_satisfies_the_triangle_inequality_in_32_bit(moments):
    a, b, c = sorted(float(np.float32(moment)) for moment in mapping.inertia(moments))
    assert a + b >= c
    assert mapping.inertia(moments) == pytest.approx(moments, rel=2e-6)


def test_rayleigh_damping_of_shear() -> None:
    """S = k_damp dC/dt with C = 1 + 2 E must be Rayleigh's 2 mu damping dE/dt."""
    damping, mu, rate = 5e-4, 7692.0, 0.3
    assert mapping.shear_viscosity(damping, mu) * 2 * rate == pytest.approx(2 * mu * damping * rate)
