"""p-values against SciPy, by hand, and by what they promise."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from scipy.stats import fisher_exact

from simparity.harness.significance import (
    MOST_TABLES,
    fisher,
    holm,
    kolmogorov_smirnov,
    least_p,
    members_needed,
    pooled,
)


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
    assert kolmogorov_smirnov(low, high) == pytest.approx(least_p("Kolmogorov-Smirnov", n, n))
    assert fisher([n, 0], [0, n]) == pytest.approx(least_p("Fisher", n, n))
    assert fisher([n, 0], [0, n + 1]) == pytest.approx(least_p("Fisher", n, n + 1))
    assert kolmogorov_smirnov(low, [*high, 2 * n]) == pytest.approx(least_p("Kolmogorov-Smirnov", n, n + 1))


def test_members_needed() -> None:
    assert members_needed(1) == 4  # 2 / C(8, 4) = 0.029, while 2 / C(6, 3) = 0.1
    assert members_needed(6) == 5  # 6 * 2 / C(10, 5) = 0.048


def test_many_outcomes_do_not_hang() -> None:
    """128 ways to end, each once, are a single table up to their order; thirty that are all different are pooled."""
    start = time.perf_counter()
    assert fisher([1] * 64 + [0] * 64, [0] * 64 + [1] * 64) == pytest.approx(1.0)
    apart = [count for k in range(1, 31) for count in ((k, 0) if k % 2 else (0, k))]
    assert fisher(apart[::2], apart[1::2]) < 1e-12
    assert time.perf_counter() - start < 10


def test_rare_outcomes_are_put_together_by_their_sums_alone() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 20, (2, 30))
    x, y = pooled(a.tolist(), b.tolist())
    assert 2 <= len(x) == len(y) < 30 and (sum(x), sum(y)) == (a.sum(), b.sum())
    swapped = pooled(b.tolist(), a.tolist())
    assert sorted(map(sum, zip(*swapped, strict=True))) == sorted(map(sum, zip(x, y, strict=True)))
    assert pooled([3, 0, 5], [1, 1, 6]) == ((3, 0, 5), (1, 1, 6))
    kept = sorted(v + w for v, w in zip(x, y, strict=True))
    assert math.prod(column + 1 for column in kept[:-1]) <= MOST_TABLES
    assert kept[:-1] == sorted((a + b).tolist())[-len(kept[:-1]) :], "the commonest stand alone"
