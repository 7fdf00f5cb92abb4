"""Exact tests of two samples, of outcome counts and of numbers, and the correction for several tests at once."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Literal, TypeAlias

ALPHA = 0.05  # a difference that chance makes less often than this counts
MOST_TABLES = 200_000  # of counts that Fisher's test may have to tell apart: some tenths of a second

Kind: TypeAlias = Literal["Fisher", "Kolmogorov-Smirnov"]


def fisher(a: Sequence[int], b: Sequence[int]) -> float:
    """Exact p-value of two rows of outcome counts: the chance of all tables with these sums that are no likelier.

    Tables that are equally likely are counted together. SciPy's `fisher_exact` is exact for two outcomes only, and
    draws random tables for more. Outcomes that would make too many tables are first put together by `pooled`.
    """
    a, b = pooled(a, b)
    columns = sorted(x + y for x, y in zip(a, b, strict=True))
    total, left = sum(a), sum(columns)
    found: Counter[tuple[int, int]] = Counter({(0, 1): 1})  # counts drawn so far, ways to draw them -> how many rows
    for column in columns:
        left -= column
        further: Counter[tuple[int, int]] = Counter()
        for (drawn, ways), rows in found.items():
            for count in range(max(0, total - drawn - left), min(column, total - drawn) + 1):
                further[drawn + count, ways * math.comb(column, count)] += rows
        found = further
    observed = math.prod(math.comb(x + y, x) for x, y in zip(a, b, strict=True))
    return sum(ways * rows for (_, ways), rows in found.items() if ways <= observed) / math.comb(sum(columns), total)


def pooled(a: Sequence[int], b: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The two rows of counts with as many of the rarest outcomes put together as leave at most MOST_TABLES tables.

    What is rare is decided by the sums over both rows, which the test takes as given, so that its level stays.
    """
    order = sorted(range(len(a)), key=lambda k: -(a[k] + b[k]))
    kept = (*a,), (*b,)
    for common in range(len(order) - 2, 0, -1):
        if _tables([x + y for x, y in zip(*kept, strict=True)]) <= MOST_TABLES:
            break
        first, second = ((*(row[k] for k in order[:common]), sum(row[k] for k in order[common:])) for row in (a, b))
        kept = first, second
    return kept


def _tables(columns: Sequence[int]) -> int:
    """At most so many rows have to be told apart: of equal columns the order does not matter, the largest follows."""
    free = Counter(sorted(columns)[:-1])
    return math.prod(math.comb(number + column, column) for column, number in free.items())


def kolmogorov_smirnov(a: Sequence[float], b: Sequence[float]) -> float:
    """Exact p-value of the two-sample test; with ties, which continuous numbers do not have, it is on the safe side."""
    from scipy.stats import ks_2samp  # takes half a second to import

    return float(ks_2samp(a, b, method="exact").pvalue)


def holm(p: Sequence[float]) -> tuple[float, ...]:
    """p-values after Holm's correction: the smallest times the number of tests, the next times one less, and so on."""
    order = sorted(range(len(p)), key=lambda k: p[k])
    corrected, largest = [1.0] * len(p), 0.0
    for rank, k in enumerate(order):
        largest = max(largest, min(1.0, (len(p) - rank) * p[k]))
        corrected[k] = largest
    return tuple(corrected)


def least_p(kind: Kind, n: int, m: int) -> float:
    """The smallest p-value that a test of that kind can give with n and m numbers or counts.

    It is that of samples that do not mix. Of the C(n+m, n) ways to draw them two do not, one with the first sample
    below and one with it above, and Kolmogorov-Smirnov counts both. In Fisher's test the sums of the outcomes are
    given, and the second has the same only when n = m.
    """
    if not (n and m):
        return 1.0
    return (1.0 if kind == "Fisher" and n != m else 2.0) / math.comb(n + m, n)


def members_needed(tests: int) -> int:
    """Members of each of two ensembles with which one of so many tests can reach ALPHA."""
    return next(n for n in range(1, 100) if least_p("Fisher", n, n) * tests < ALPHA)
