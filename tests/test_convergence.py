"""The fit of an order of convergence, on errors whose order is known."""

from __future__ import annotations

import math

import pytest

from simparity.harness.convergence import fitted_order, rounding_floor
from simparity.harness.errors import UsageError

DTS = (8e-3, 4e-3, 2e-3, 1e-3)


@pytest.mark.parametrize("order", [1, 2, 4])
def test_a_power_law_gives_its_power(order: int) -> None:
    fit = fitted_order(DTS, [3.0 * dt**order for dt in DTS])
    assert fit is not None
    assert fit.order == pytest.approx(order, rel=1e-9)
    assert fit.constant == pytest.approx(3.0, rel=1e-9)
    assert fit.residual < 1e-9
    assert fit.points == 4


def test_errors_near_the_floor_are_left_out() -> None:
    """A fourth-order error that ends in rounding looks like a lower order, unless the floor is named."""
    errors = [max(dt**4, 2e-11) for dt in DTS]
    lower, fit = fitted_order(DTS, errors), fitted_order(DTS, errors, floor=1e-11)
    assert lower is not None
    assert fit is not None
    assert lower.order < 3.5
    assert fit.order == pytest.approx(4.0)
    assert fit.points == 2


def test_each_step_has_its_own_floor() -> None:
    """Rounding grows with the number of steps: at 2 ms half as much is lost as at 1 ms, and the error there counts."""
    errors = [dt**4 for dt in DTS]
    floors = [2e-14 / dt for dt in DTS]  # 1e-11 at 2 ms, where the error is 1.6e-11, and 2e-11 at 1 ms
    each, one = fitted_order(DTS, errors, floors, margin=1.0), fitted_order(DTS, errors, floors[-1], margin=1.0)
    assert each is not None and (each.points, each.order) == (3, pytest.approx(4.0))
    assert one is not None and one.points == 2
    with pytest.raises(UsageError, match="4 steps and 2 floors"):
        fitted_order(DTS, errors, (0.0, 0.0))


def test_an_infinite_error_is_left_out() -> None:
    fit = fitted_order(DTS, [math.inf, *(3.0 * dt**2 for dt in DTS[1:])])
    assert fit is not None and (fit.points, fit.order) == (3, pytest.approx(2.0))
    with pytest.raises(UsageError, match="give positive numbers"):
        fitted_order((math.inf, 1e-3), (1.0, 1.0))


def test_nothing_to_fit() -> None:
    assert fitted_order(DTS, [1e-16] * 4, floor=1e-16) is None
    assert fitted_order(DTS, [math.nan, math.nan, math.nan, 1.0]) is None
    assert fitted_order((1e-3, 1e-3), (1.0, 1.1)) is None
    assert fitted_order((), ()) is None


def test_what_is_no_law() -> None:
    with pytest.raises(UsageError, match="an error for each step, not 1 for 4"):
        fitted_order(DTS, [1.0])
    with pytest.raises(UsageError, match="give positive numbers"):
        fitted_order((0.0, 1e-3), (1.0, 1.0))


def test_the_rounding_of_many_steps() -> None:
    assert rounding_floor(64, 1000) == pytest.approx(1.1e-13, rel=0.01)
    assert rounding_floor(32, 1000, 2.0) == pytest.approx(1.2e-4, rel=0.01)
