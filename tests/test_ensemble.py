from __future__ import annotations

import math

import numpy as np
import pytest

from simparity.harness.ensemble import Distribution, gathered, tell_apart
from simparity.harness.experiment import outcome_word
from simparity.harness.significance import fisher

WORDS = ("inserted", "stalled", "overload")


def members(outcomes: list[int], depths: list[float] | None = None, diverged: int = 0):  # type: ignore[no-untyped-def]
    depths = depths or [0.04] * len(outcomes)
    rows = [{"outcome": float(o), "depth": d} for o, d in zip(outcomes, depths, strict=True)]
    return gathered(rows, WORDS, diverged)


def test_outcomes_that_differ_are_told() -> None:
    told = tell_apart(members([2] * 6 + [0] * 2), members([1] * 8), ["outcome", "depth"], {})
    assert told.word == "differ"
    (test,) = told.telling
    assert (test.metric, test.kind) == ("outcome", "Fisher")
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


def test_members_that_diverged_tell_where_no_outcome_is_named() -> None:
    rows = [{"depth": 0.04}] * 8
    well, broken = gathered(rows, ()), gathered([], (), diverged=8)
    assert (well.outcomes, well.ends, broken.ends) == ({"ran": 8}, {}, {"diverged": 8})
    told = tell_apart(well, broken, ["depth"], {})
    assert told.word == "differ" and told.telling[0].what == "outcome"
    assert told.telling[0].p == pytest.approx(fisher([8, 0], [0, 8]))
    assert tell_apart(well, gathered(rows[:7], (), diverged=1), ["depth"], {}).word == "not told apart"
    assert tell_apart(broken, broken, ["depth"], {}).word == "agree"
    assert tell_apart(gathered([{}] * 8, ()), gathered([{}] * 8, ()), ["depth"], {}).word == "not told apart"


def test_a_metric_that_fewer_members_give_is_no_agreement() -> None:
    """In 7 of 8 members it is no number, with 0.04 in the one that is left: not the same as eight times 0.04."""
    a, b = members([1] * 8), members([1] * 8, [math.nan] * 7 + [0.04])
    told = tell_apart(a, b, ["outcome", "depth"], {})
    assert told.word == "differ" and [test.what for test in told.tests] == ["depth given"]
    assert told.tests[0].p == pytest.approx(fisher([8, 0], [1, 7]))
    few = members([1] * 8, [0.04] * 7 + [math.nan])
    assert tell_apart(a, few, ["outcome", "depth"], {}).word == "not told apart"
    assert tell_apart(few, few, ["outcome", "depth"], {}).word == "agree"


def test_a_metric_that_only_one_side_gives_is_not_tested_and_no_agreement() -> None:
    a, b = members([1] * 8), members([1] * 8, [math.nan] * 8)
    told = tell_apart(a, b, ["outcome", "depth"], {})
    assert (told.word, told.tests, told.one_sided) == ("not told apart", (), ("depth",))
    assert tell_apart(b, b, ["outcome", "depth"], {}).word == "agree"
    assert tell_apart(members([1]), members([1], [math.nan]), ["depth"], {}).word == "unresolved"


def test_a_deterministic_engine_agrees_with_its_twin() -> None:
    mixed = members([0, 0, 1, 1, 2, 2, 2, 2], [0.01 * k for k in range(8)])
    assert tell_apart(mixed, mixed, ["outcome", "depth"], {}).word == "agree"
    assert tell_apart(members([0, 1] * 4), members([0, 1] * 2), ["outcome", "depth"], {}).word == "agree"
    assert tell_apart(members([0, 1] * 4), members([0] * 5 + [1] * 3), ["outcome"], {}).word == "not told apart"


@pytest.mark.parametrize("m", [3, 4, 6, 8])
def test_the_largest_distance_of_quantiles_is_found_between_the_members(m: int) -> None:
    """A line from 0 to 1 m and a sample that is 0 but for its last: farthest apart at its last but one."""
    a, b = members([1, 1], [0.0, 1.0]), members([1] * m, [0.0] * (m - 1) + [1.0])
    farthest = (m - 2) / (m - 1)
    for one, other in ((a, b), (b, a)):
        assert tell_apart(one, other, ["depth"], {"depth": farthest - 1e-5}).word != "agree"
        assert tell_apart(one, other, ["depth"], {"depth": farthest}).word == "agree"


def test_the_smallest_p_is_that_of_each_test_and_its_own_counts() -> None:
    """With 3 and 5 numbers Kolmogorov-Smirnov reaches 2/56, Fisher's test 1/56; with two tests only Fisher's can."""
    a, b = members([1] * 3, [0.0, 0.1, 0.2]), members([1] * 5, [1.0, 1.1, 1.2, 1.3, 1.4])
    (test,) = tell_apart(a, b, ["depth"], {}).tests
    assert test.p == pytest.approx(2 / 56) and test.least == pytest.approx(test.p)
    short = members([1] * 3 + [2] * 5, [0.0, 0.1, 0.2] + [math.nan] * 5)
    tests = tell_apart(short, b, ["outcome", "depth"], {}).tests
    assert [test.what for test in tests] == ["outcome", "depth given", "depth"]
    assert [test.least for test in tests] == pytest.approx([1 / math.comb(13, 5)] * 2 + [2 / 56])
    x, y = members([1] * 2, [0.0, 0.1]), members([1] * 7, [1.0 + k for k in range(7)])
    assert tell_apart(x, y, ["depth"], {}).word == "unresolved"  # 2/36 = 0.056, though 1/36 would do


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
