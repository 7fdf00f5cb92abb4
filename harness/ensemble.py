"""Runs of a chaotic experiment as distributions over the members of an ensemble, and what tells two of them apart."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np

from .experiment import OUTCOME, outcome_word

ALPHA = 0.05  # a difference that chance makes less often than this counts
SAME = 1e-6  # relative: what 32 bit leave of a number
DIVERGED = "diverged"  # an outcome besides those that the experiment names

EnsembleWord: TypeAlias = Literal["agree", "not told apart", "differ", "unresolved"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """A metric over the members [its unit], sorted; members in which it is not a number are left out."""

    values: tuple[float, ...]

    @classmethod
    def of(cls, values: Sequence[float]) -> Distribution:
        """The finite ones of `values`."""
        return cls(values=tuple(sorted(float(value) for value in values if math.isfinite(value))))

    def quantile(self, share: float) -> float:
        """The value below which that share of the members lies [unit], NaN of none; 0.5 is the median."""
        return float(np.quantile(self.values, share)) if self.values else math.nan


@dataclass(frozen=True, slots=True, kw_only=True)
class Ensemble:
    """The members of one participant that were run.

    Attributes:
        members: how many of them gave a result; one that diverged is a result.
        outcomes: word -> how many members ended so, in the experiment's order; "diverged" is added where it happened.
        metrics: name -> its distribution.
    """

    members: int
    outcomes: Mapping[str, int]
    metrics: Mapping[str, Distribution]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricTest:
    """A metric of two ensembles.

    Attributes:
        p: how often chance alone makes them differ at least as much [1].
        corrected: the same after Holm's correction over all metrics of the pair.
        exact: "Fisher" for outcome counts, "Kolmogorov-Smirnov" for other metrics.
        small: the distributions lie nearer than the tolerance everywhere, whatever p says.
    """

    metric: str
    p: float
    corrected: float
    exact: str
    small: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What two ensembles show.

    Attributes:
        word: "agree" when outcomes are equal and every metric lies within its tolerance; "differ" when a corrected p is
            below ALPHA; "not told apart" otherwise; "unresolved" when so few members could never reach ALPHA.
        members: of the one and of the other.
        needed: members of each with which the tests can reach ALPHA at all.
        tests: one for each metric that varies, in their order.
    """

    word: EnsembleWord
    members: tuple[int, int]
    needed: int
    tests: tuple[MetricTest, ...] = field(default=())

    @property
    def telling(self) -> tuple[MetricTest, ...]:
        """The tests that tell the two apart, the surest first."""
        found = [test for test in self.tests if test.corrected < ALPHA and not test.small]
        return tuple(sorted(found, key=lambda test: test.corrected))


def gathered(metrics: Sequence[Mapping[str, float]], words: Sequence[str], diverged: int = 0) -> Ensemble:
    """The ensemble of members with these metrics, and of `diverged` ones; `words` are the experiment's outcomes."""
    names = list(dict.fromkeys(name for one in metrics for name in one if name != OUTCOME))
    ended = [outcome_word(words, one[OUTCOME]) for one in metrics if OUTCOME in one]
    outcomes = {word: ended.count(word) for word in dict.fromkeys([*words, *ended])} if words else {}
    if diverged:
        outcomes[DIVERGED] = diverged
    return Ensemble(
        members=len(metrics) + diverged,
        outcomes=outcomes,
        metrics={name: Distribution.of([one.get(name, math.nan) for one in metrics]) for name in names},
    )


def tell_apart(a: Ensemble, b: Ensemble, metrics: Sequence[str], tolerances: Mapping[str, float]) -> Told:
    """What the outcomes and these metrics of two ensembles show.

    Args:
        a, b: the two.
        metrics: the family of tests, over which p is corrected; the outcome comes first where there are outcomes.
        tolerances: metric -> difference that does not matter [its unit]; SAME is always allowed for.
    """
    found: list[tuple[str, float, str, bool]] = []
    equal = True
    if a.outcomes or b.outcomes:
        words = [word for word in {**a.outcomes, **b.outcomes} if a.outcomes.get(word) or b.outcomes.get(word)]
        counts = [[one.outcomes.get(word, 0) for word in words] for one in (a, b)]
        equal = len(words) == 1
        if not equal:
            found.append((OUTCOME, fisher(*counts), "Fisher", False))
    for name in metrics:
        x, y = (one.metrics.get(name, Distribution(values=())) for one in (a, b))
        if name == OUTCOME or not (x.values and y.values):
            continue
        small = _farthest(x, y) <= tolerances.get(name, 0.0) + SAME * max(map(abs, (*x.values, *y.values)))
        equal = equal and small
        if len({*x.values, *y.values}) > 1:
            found.append((name, kolmogorov_smirnov(x.values, y.values), "Kolmogorov-Smirnov", small))
    corrected = holm([p for _, p, _, _ in found])
    tests = tuple(
        MetricTest(metric=name, p=p, corrected=after, exact=exact, small=small)
        for (name, p, exact, small), after in zip(found, corrected, strict=True)
    )
    told = Told(
        word="not told apart", members=(a.members, b.members), needed=members_needed(max(len(found), 1)), tests=tests
    )
    word: EnsembleWord = "not told apart"
    if equal and a.members and b.members:
        word = "agree"
    elif told.telling:
        word = "differ"
    elif least_p(a.members, b.members) * max(len(found), 1) >= ALPHA:
        word = "unresolved"
    return Told(word=word, members=told.members, needed=told.needed, tests=tests)


def fisher(a: Sequence[int], b: Sequence[int]) -> float:
    """Exact p-value of two rows of outcome counts: the chance of all tables with these sums that are no likelier.

    Every table is enumerated. SciPy's `fisher_exact` is exact for two outcomes only, and draws random tables for more.
    """
    columns = [x + y for x, y in zip(a, b, strict=True)]
    observed = _ways(a, columns)
    ways = [_ways(row, columns) for row in _rows(columns, sum(a))]
    return sum(way for way in ways if way <= observed) / sum(ways)


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


def least_p(n: int, m: int) -> float:
    """The smallest p-value that either test can give with n and m members: no value of one lies among the other's."""
    return (2.0 if n == m else 1.0) / math.comb(n + m, n) if n and m else 1.0


def members_needed(tests: int) -> int:
    """Members of each of two ensembles with which one of so many tests can reach ALPHA."""
    return next(n for n in range(1, 100) if least_p(n, n) * tests < ALPHA)


def _farthest(x: Distribution, y: Distribution) -> float:
    """Largest distance between two distributions at the same share of their members [unit]."""
    shares = np.linspace(0.0, 1.0, 2 * max(len(x.values), len(y.values)) + 1)
    return float(np.max(np.abs(np.quantile(x.values, shares) - np.quantile(y.values, shares))))


def _ways(row: Sequence[int], columns: Sequence[int]) -> int:
    """In how many ways that row can be drawn from the columns."""
    return math.prod(math.comb(column, count) for column, count in zip(columns, row, strict=True))


def _rows(columns: Sequence[int], total: int) -> Iterator[tuple[int, ...]]:
    """Every row of counts that adds up to `total` and takes from no column more than it has."""
    if not columns:
        if total == 0:
            yield ()
        return
    for first in range(max(0, total - sum(columns[1:])), min(columns[0], total) + 1):
        for rest in _rows(columns[1:], total - first):
            yield (first, *rest)
