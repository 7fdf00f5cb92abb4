"""The closed forms against published figures and against each other."""

from __future__ import annotations

import numpy as np
import pytest

from simparity.harness import soft_contact
from simparity.harness.contact_law import impedance, land, rest_overlap, velocity_after
from simparity.harness.engine import Compliant, Soft
from simparity.harness.soft_contact import Surface, mixed

DEFAULT = (0.9, 0.95, 0.001, 0.5, 2.0)


def contact_law(
    solref: tuple[float, float],
    solimp: tuple[float, ...],
    dt: float,
    cone: str,
    mu: float,
    impratio: float,
    refsafe: bool = True,
) -> Soft:
    return soft_contact.contact_law(Surface(solref=solref, solimp=solimp, friction=mu), dt, cone, impratio, refsafe)


def test_impedance_is_continuous_and_hits_its_ends() -> None:
    law = contact_law((0.02, 1.0), DEFAULT, 1e-3, "elliptic", 0.5, 1.0)
    assert impedance(law, 0.0) == pytest.approx(0.9)
    assert impedance(law, -0.0005) == pytest.approx(0.925)
    assert impedance(law, -0.001) == pytest.approx(0.95)
    assert impedance(law, -1.0) == pytest.approx(0.95)
    assert impedance(law, -0.00049999) == pytest.approx(impedance(law, -0.00050001), abs=1e-5)


@pytest.mark.parametrize(
    ("solimp", "n", "published"),
    [
        ((0.9, 0.9, 0.001, 0.5, 2.0), 1, 392.4e-6),
        (DEFAULT, 1, 367.2e-6),
        (DEFAULT, 4, 107.8e-6),
    ],
)
def test_rest_overlap_is_the_published_one(solimp: tuple[float, ...], n: int, published: float) -> None:
    """DESIGN: -392.4 um with d constant, -367.2 um for a sphere and -107.8 um for a box at MuJoCo's defaults."""
    law = contact_law((0.02, 1.0), solimp, 1e-3, "elliptic", 0.5, 1.0)
    assert rest_overlap(law, n, 0.1, 9.81) == pytest.approx(published, abs=0.06e-6)


def test_landing_comes_to_rest_where_the_statics_say() -> None:
    law = contact_law((0.01, 1.0), (0.99, 0.999, 0.001, 0.5, 2.0), 1e-3, "elliptic", 0.5, 1.0)
    landing = land(law, np.full(3000, 4.0), 0.1, 9.81, 1e-3, -1e-4, -0.1)
    assert landing.overlap[-1] == pytest.approx(rest_overlap(law, 4, 0.1, 9.81), rel=1e-6)
    assert landing.force[-1] == pytest.approx(0.981, rel=1e-6)


def test_a_time_constant_below_two_steps_is_raised() -> None:
    floored = contact_law((0.001, 1.0), DEFAULT, 1e-3, "elliptic", 0.5, 1.0)
    assert floored == contact_law((0.002, 1.0), DEFAULT, 1e-3, "elliptic", 0.5, 1.0)
    free = contact_law((0.001, 1.0), DEFAULT, 1e-3, "elliptic", 0.5, 1.0, refsafe=False)
    assert pytest.approx(4 * floored.K) == free.K


def test_negative_solref_is_stiffness_and_damping() -> None:
    law = contact_law((-5000.0, -50.0), DEFAULT, 1e-3, "elliptic", 0.5, 1.0)
    assert pytest.approx(5000 / 0.95**2) == law.K
    assert pytest.approx(50 / 0.95) == law.B


def test_surfaces_mix_by_the_rules() -> None:
    soft = Surface(solref=(0.02, 1.0), solimp=DEFAULT, friction=0.3)
    hard = Surface(solref=(0.01, 0.5), solimp=(0.99, 0.999, 0.001, 0.5, 2.0), friction=0.7, solmix=3.0)
    both = mixed(soft, hard)
    assert both.friction == 0.7
    assert both.solref == pytest.approx((0.0125, 0.625))
    assert both.solimp[0] == pytest.approx(0.25 * 0.9 + 0.75 * 0.99)
    first = Surface(solref=(0.02, 1.0), solimp=DEFAULT, friction=0.3, priority=1)
    assert mixed(first, hard).friction == 0.3
    direct = Surface(solref=(-5000.0, -50.0), solimp=DEFAULT, friction=0.0)
    assert mixed(direct, soft).solref == (-5000.0, -50.0)
    slippery = Surface(solref=(0.02, 1.0), solimp=DEFAULT, friction=0.0)
    assert mixed(slippery, slippery).friction == 1e-5, "no contact has less"


def test_compliant_landing_obeys_momentum_and_comes_to_rest_where_the_spring_carries_the_weight() -> None:
    law, m, g, dt = Compliant(stiffness=5e5, damping=0.0, dissipation=100.0), 0.1, 9.81, 1e-3
    landing = land(law, np.full(2000, 4.0), m, g, dt, -1e-3, -2.5)
    assert landing.overlap[-1] == pytest.approx(rest_overlap(law, 4, m, g), rel=1e-9) == pytest.approx(m * g / 2e6)
    v = np.diff(-landing.overlap) / dt
    assert v[:300].max() < 1 / law.dissipation, "it leaves no faster than 1/c"
    np.testing.assert_allclose(m * np.diff(v) / dt + m * g, landing.force[2:], atol=1e-9 * landing.force.max())


def test_a_spring_and_damper_without_dissipation_is_the_implicit_linear_step() -> None:
    law, m, g, dt, x, v = Compliant(stiffness=1e4, damping=20.0), 0.5, 9.81, 2e-3, 1e-3, -0.3
    after = velocity_after(law, 2, m, g, dt, x, v)
    force = 2 * (law.stiffness * (x - dt * after) - law.damping * after)
    assert m * (after - v + g * dt) == pytest.approx(dt * force, rel=1e-12)
    assert velocity_after(law, 2, m, g, dt, 1e-9, 1.0) == pytest.approx(1.0 - g * dt), "no pull when it parts"
