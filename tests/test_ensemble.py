from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import fisher_exact

from simparity.harness.ensemble import (
    Distribution,
    fisher,
    gathered,
    holm,
    kolmogorov_smirnov,
    least_p,
    members_needed,
    tell_apart,
)
from simparity.harness.experiment import outcome_word

WORDS = ("inserted", "stalled", "overload")


def members(outcomes: list[int], depths: list[float] | None = None, diverged: int = 0):  # type: ignore[no-untyped-def]
    depths = depths or [0.04] * len(outcomes)
    rows = [{"outcome": float(o), "depth": d} for o, d in zip(outcomes, depths, strict=True)]
    return gathered(rows, WORDS, diverged)


@pytest.mark.parametrize("table", [([8, 0], [0, 8]), ([6, 2], [1, 7]), ([3, 5], [2, 9]), ([4, 0], [4, 0])])
def test_two_outcomes_are_fishers_exact_test(table: tuple[list[int], list[int]]) -> None:
    assert fisher(*table) == pytest.approx(fisher_exact(table).pvalue, rel=1e-9)


def test_three_outcomes_by_hand() -> None:
    # 4!4!/(8!) times 1 for the table as it is, and the only other as unlikely is the one with rows exchanged
    assert fisher([4, 0, 0], [0, 2, 2]) == pytest.approx(2 / math.comb(8, 4))
    assert fisher([1, 1, 1], [1, 1, 1]) == pytest.approx(1.0)


def test_fisher_keeps_its_level() -> None:
    """Two samples of one law are told apart at 5 % in at most 5 % of cases: p is the chance of what it stands for."""
    columns, rejected = (5, 3, 8), 0.0
    ways = math.comb(16, 8)
    for x in range(6):
        for y in range(4):
            z = 8 - x - y
            if 0 <= z <= 8 and fisher([x, y, z], [5 - x, 3 - y, 8 - z]) < 0.05:
                rejected += math.comb(5, x) * math.comb(3, y) * math.comb(8, z) / ways
    assert sum(columns) == 16 and 0 < rejected < 0.05


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx((0.03, 0.06, 0.06))
    assert holm([0.5, 0.9]) == (1.0, 1.0)
    assert holm([]) == ()


@pytest.mark.parametrize("n", [3, 4, 6])
def test_the_smallest_p_is_that_of_samples_that_do_not_mix(n: int) -> None:
    low, high = list(range(n)), list(range(n, 2 * n))
    assert kolmogorov_smirnov(low, high) == pytest.approx(least_p(n, n))
    assert fisher([n, 0], [0, n]) == pytest.approx(least_p(n, n))
    assert least_p(n, n + 1) == pytest.approx(fisher([n, 0], [0, n + 1]))


def test_members_needed() -> None:
    assert members_needed(1) == 4  # 2 / C(8, 4) = 0.029, while 2 / C(6, 3) = 0.1
    assert members_needed(6) == 5  # 6 * 2 / C(10, 5) = 0.048


def test_outcomes_that_differ_are_told() -> None:
    told = tell_apart(members([2] * 6 + [0] * 2), members([1] * 8), ["outcome", "depth"], {})
    assert told.word == "differ"
    (test,) = told.telling
    assert (test.metric, test.exact) == ("outcome", "Fisher")
    assert test.p == pytest.approx(fisher([2, 0, 6], [0, 8, 0]))
    assert told.members == (8, 8)


def test_a_metric_that_differs_is_told_and_corrected() -> None:
    rng = np.random.default_rng(1)
    here, there = rng.normal(15.4e-3, 1e-4, 8), rng.normal(16.4e-3, 1e-4, 8)
    a, b = members([1] * 7 + [0], list(here)), members([1] * 8, list(there))
    told = tell_apart(a, b, ["outcome", "depth"], {"depth": 1e-5})
    assert told.word == "differ"
    assert [test.metric for test in told.tests] == ["outcome", "depth"]
    assert told.telling[0].p == pytest.approx(2 / math.comb(16, 8))
    assert told.telling[0].corrected == pytest.approx(2 * told.telling[0].p)


def test_samples_of_one_law_are_not_told_apart() -> None:
    rng = np.random.default_rng(2)
    a, b = (members([1] * 8, list(rng.normal(0.0154, 1e-4, 8))) for _ in range(2))
    assert tell_apart(a, b, ["outcome", "depth"], {}).word == "not told apart"


def test_too_few_members_cannot_tell_and_say_how_many_could() -> None:
    told = tell_apart(members([2] * 3), members([1] * 3), ["outcome"], {})
    assert (told.word, told.needed) == ("unresolved", 4)
    assert tell_apart(members([2] * 4), members([1] * 4), ["outcome"], {}).word == "differ"


def test_a_difference_below_the_tolerance_does_not_count() -> None:
    """All depths are larger in one of them, by a micrometre: certain, and it does not matter."""
    a = members([0] * 8, [0.04 + 1e-9 * k for k in range(8)])
    b = members([0] * 8, [0.040001 + 1e-9 * k for k in range(8)])
    assert tell_apart(a, b, ["outcome", "depth"], {"depth": 1e-5}).word == "agree"
    assert tell_apart(a, b, ["outcome", "depth"], {"depth": 1e-7}).word == "differ"
    assert tell_apart(members([0]), members([0]), ["outcome", "depth"], {}).word == "agree"


def test_members_that_diverged_are_an_outcome() -> None:
    a = members([0] * 5, diverged=3)
    assert (a.members, a.outcomes) == (8, {"inserted": 5, "stalled": 0, "overload": 0, "diverged": 3})
    assert tell_apart(a, members([0] * 8), ["outcome"], {}).tests[0].p == pytest.approx(fisher([5, 3], [8, 0]))


def test_a_distribution_leaves_out_what_is_no_number() -> None:
    found = Distribution.of([3.0, math.nan, 1.0, 2.0])
    assert found.values == (1.0, 2.0, 3.0)
    assert (found.quantile(0.5), found.quantile(0.25)) == (2.0, 1.5)
    assert math.isnan(Distribution.of([]).quantile(0.5))


def test_words_of_outcomes() -> None:
    assert [outcome_word(WORDS, value) for value in (0.0, 2.0, 3.0, 0.5, math.nan)] == [
        "inserted",
        "overload",
        "3",
        "0.5",
        "–",
    ]
