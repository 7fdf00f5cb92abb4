"""Runs of a chaotic experiment as distributions over the members of an ensemble, and what tells two of them apart."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from .experiment import OUTCOME, outcome_word
from .significance import ALPHA, Kind, fisher, holm, kolmogorov_smirnov, least_p, members_needed, pooled

SAME = 1e-6  # relative: what 32 bit leave of a number
RAN, DIVERGED = "ran", "diverged"  # outcomes besides those that the experiment names

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
        outcomes: word -> how many members ended so, in the experiment's order; they add up to `members`. "diverged" is
            added where it happened, and "ran" for members that ended well and have no outcome to name.
        metrics: name -> its distribution.
    """

    members: int
    outcomes: Mapping[str, int]
    metrics: Mapping[str, Distribution]

    @property
    def ends(self) -> dict[str, int]:
        """The outcomes that happened, none where there is no more to say than that all members ran."""
        found = {word: count for word, count in self.outcomes.items() if count}
        return {} if set(found) <= {RAN} else found

    @property
    def measured(self) -> int:
        """How many members have metrics: all that did not diverge."""
        return self.members - self.outcomes.get(DIVERGED, 0)

    def given(self, metric: str) -> int:
        """In how many members that metric is a number."""
        return len(self.values(metric))

    def values(self, metric: str) -> tuple[float, ...]:
        """That metric of the members in which it is a number [its unit], sorted."""
        return self.metrics[metric].values if metric in self.metrics else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricTest:
    """A metric of two ensembles.

    Attributes:
        p: how often chance alone makes them differ at least as much [1].
        corrected: the same after Holm's correction over all tests of the pair.
        kind: "Fisher" for counts, of outcomes or of members in which the metric is a number; "Kolmogorov-Smirnov" for
            the numbers themselves.
        least: the smallest p that this test can give with so many [1], see `least_p`.
        small: the distributions lie nearer than the tolerance everywhere, whatever p says.
        rare: the counts of the rarest outcomes were put together.
    """

    metric: str
    p: float
    corrected: float
    kind: Kind
    least: float
    small: bool = False
    rare: bool = False

    @property
    def what(self) -> str:
        """What is tested: the metric, or whether it is given at all."""
        return f"{self.metric} given" if self.kind == "Fisher" and self.metric != OUTCOME else self.metric

    @property
    def name(self) -> str:
        """Name of the test."""
        return f"{self.kind}, rarest outcomes together" if self.rare else self.kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What two ensembles show.

    Attributes:
        word: "agree" when every outcome has the same share of both, every metric is given in the same share of both and
            lies within its tolerance; so a deterministic engine agrees with its twin, whatever its outcomes are.
            "differ" when a corrected p is below ALPHA; "unresolved" when none of the tests could ever reach ALPHA with
            so few numbers; "not told apart" otherwise.
        members: of the one and of the other.
        needed: members of each with which the tests can reach ALPHA at all.
        tests: of what varies, in the order of the metrics.
        one_sided: metrics that only one of the two gives. An engine may be unable to, so they are not tested; but the
            two do not agree.
    """

    word: EnsembleWord
    members: tuple[int, int]
    needed: int
    tests: tuple[MetricTest, ...] = ()
    one_sided: tuple[str, ...] = ()

    @property
    def telling(self) -> tuple[MetricTest, ...]:
        """The tests that tell the two apart, the surest first."""
        found = [test for test in self.tests if test.corrected < ALPHA and not test.small]
        return tuple(sorted(found, key=lambda test: test.corrected))


def gathered(metrics: Sequence[Mapping[str, float]], words: Sequence[str], diverged: int = 0) -> Ensemble:
    """The ensemble of members with these metrics, and of `diverged` ones; `words` are the experiment's outcomes."""
    names = list(dict.fromkeys(name for one in metrics for name in one if name != OUTCOME))
    ended = [outcome_word(words, one[OUTCOME]) if words and OUTCOME in one else RAN for one in metrics]
    outcomes = {word: ended.count(word) for word in dict.fromkeys([*words, *ended])}
    if diverged:
        outcomes[DIVERGED] = diverged
    return Ensemble(
        members=len(metrics) + diverged,
        outcomes=outcomes,
        metrics={name: Distribution.of([one.get(name, math.nan) for one in metrics]) for name in names},
    )


def tell_apart(a: Ensemble, b: Ensemble, metrics: Sequence[str], tolerances: Mapping[str, float]) -> Told:
    """What the outcomes and these metrics of two ensembles show.

    A metric that is a number in some members only is tested twice: in how many it is one, and which one.

    Args:
        a, b: the two.
        metrics: the family of tests, over which p is corrected; the outcome comes first where it varies.
        tolerances: metric -> difference that does not matter [its unit]; SAME is always allowed for.
    """
    names = [name for name in metrics if name != OUTCOME and (a.given(name) or b.given(name))]
    one_sided = tuple(name for name in names if not (a.given(name) and b.given(name)))
    both = [name for name in names if name not in one_sided]
    words = list(dict.fromkeys([*a.outcomes, *b.outcomes]))
    counts = [[one.outcomes.get(word, 0) for word in words] for one in (a, b)]
    equal = bool(a.ends or b.ends or both) and not one_sided and _same_shares(*counts)
    tests = _of_counts(OUTCOME, *counts)
    for name in both:
        given = [[one.given(name), one.measured - one.given(name)] for one in (a, b)]
        x, y = a.values(name), b.values(name)
        small = _farthest(x, y) <= tolerances.get(name, 0.0) + SAME * max(map(abs, (*x, *y)))
        equal = equal and small and _same_shares(*given)
        tests += _of_counts(name, *given)
        if len({*x, *y}) > 1:
            p, least = kolmogorov_smirnov(x, y), least_p("Kolmogorov-Smirnov", len(x), len(y))
            tests.append(MetricTest(metric=name, p=p, corrected=p, kind="Kolmogorov-Smirnov", least=least, small=small))
    corrected = holm([test.p for test in tests])
    told = Told(
        word="not told apart",
        members=(a.members, b.members),
        needed=members_needed(max(len(tests), 1)),
        tests=tuple(replace(test, corrected=p) for test, p in zip(tests, corrected, strict=True)),
        one_sided=one_sided,
    )
    least = min((test.least for test in tests), default=least_p("Fisher", a.members, b.members))
    word: EnsembleWord = "not told apart"
    if equal and a.members and b.members:
        word = "agree"
    elif told.telling:
        word = "differ"
    elif least * max(len(tests), 1) >= ALPHA:
        word = "unresolved"
    return replace(told, word=word)


def _of_counts(metric: str, a: Sequence[int], b: Sequence[int]) -> list[MetricTest]:
    """Fisher's test of two rows of counts; none where all fall on one outcome."""
    x, y = pooled(a, b)
    if sum(1 for one, other in zip(x, y, strict=True) if one or other) < 2:
        return []
    p, least = fisher(x, y), least_p("Fisher", sum(x), sum(y))
    return [MetricTest(metric=metric, p=p, corrected=p, kind="Fisher", least=least, rare=len(x) < len(a))]


def _same_shares(a: Sequence[int], b: Sequence[int]) -> bool:
    """Whether every outcome has the same share of both."""
    return all(x * sum(b) == y * sum(a) for x, y in zip(a, b, strict=True))


def _farthest(x: Sequence[float], y: Sequence[float]) -> float:
    """Largest distance between the quantiles of two samples at the same share [unit].

    Quantiles are linear in the share between the members, so that the distance is largest at a member of either.
    """
    shares = np.union1d(np.linspace(0.0, 1.0, len(x)), np.linspace(0.0, 1.0, len(y)))
    return float(np.max(np.abs(np.quantile(x, shares) - np.quantile(y, shares))))
