"""The members of a chaotic experiment, by participant, and a verdict for every pair from their tests."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from ..compare import KINDS
from ..ensemble import Ensemble, MetricTest, Told, gathered, tell_apart
from ..significance import ALPHA
from .lexicon import Lexicon
from .measure import Comparison
from .participants import Participant
from .quantity import plain
from .runs import Run
from .verdicts import Cell, Judged, broken_cell

_UNIT_OF = {
    "m": "position",
    "rad": "angle",
    "N s": "impulse",
}  # which of the experiment's tolerances holds for a metric


@dataclass(frozen=True, kw_only=True)
class Group:
    """One participant's members at one step.

    Attributes:
        ensemble: what they gave.
        asked: how many members were run, those without a result included.
        missing: status -> how many gave none.
        repeats: how many members were run more than once.
        spread: metric -> largest difference over the repeats of one member [unit], None without repeats.
        checks: metric -> how many members fail its check, and how many it holds for.
    """

    who: Participant
    ensemble: Ensemble
    asked: int
    missing: Mapping[str, int]
    repeats: int
    spread: Mapping[str, float] | None
    checks: Mapping[str, tuple[int, int]]


def groups_of(comparison: Comparison, words: Lexicon) -> dict[Participant, Group]:
    """The members of everyone that has a result."""
    groups = {}
    for standing in comparison.standings:
        members = comparison.series.members.get((standing.who, comparison.dt), {})
        group = _group(standing.who, members, words)
        if group.ensemble.members:
            groups[standing.who] = group
    return groups


def judge_ensembles(comparisons: Sequence[Comparison], words: Lexicon) -> tuple[Judged, ...]:
    """Verdicts of all comparisons of one experiment, pair by pair, from the tests of their ensembles."""
    return tuple(_judged(comparison, words) for comparison in comparisons)


def told_of(comparison: Comparison, words: Lexicon) -> dict[tuple[Participant, Participant], Told]:
    """What the tests of every pair show."""
    groups = groups_of(comparison, words)
    tolerances = _tolerances(words)
    return {
        (a, b): tell_apart(groups[a].ensemble, groups[b].ensemble, words.main_metrics, tolerances)
        for a, b in combinations(groups, 2)
    }


def halved(comparison: Comparison, words: Lexicon) -> dict[Participant, Told]:
    """What halving dt changes in the ensemble of everyone who has run it."""
    fine = next((dt for dt in comparison.series.steps if math.isclose(dt, comparison.dt / 2, rel_tol=1e-9)), None)
    found = {}
    for who, group in groups_of(comparison, words).items():
        members = comparison.series.members.get((who, fine), {}) if fine is not None else {}
        finer = _group(who, members, words)
        if finer.ensemble.members:
            found[who] = tell_apart(group.ensemble, finer.ensemble, words.main_metrics, _tolerances(words))
    return found


def _group(who: Participant, members: Mapping[str, tuple[Run, ...]], words: Lexicon) -> Group:
    firsts = [repeats[0] for repeats in members.values()]
    statuses = Counter(run.status for run in firsts)
    diverged = statuses.pop("diverged", 0)
    repeated = [ok for repeats in members.values() if len(ok := [run for run in repeats if run.ok]) > 1]
    return Group(
        who=who,
        ensemble=gathered([run.record.metrics for run in firsts if run.ok], words.outcomes, diverged),
        asked=len(firsts),
        missing={status: count for status, count in sorted(statuses.items()) if status != "ok"},
        repeats=len(repeated),
        spread=_spread(repeated) if repeated else None,
        checks=_checks([run for run in firsts if run.ok]),
    )


def _checks(runs: Sequence[Run]) -> dict[str, tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    for run in runs:
        for verdict in run.record.checks:
            if verdict.outcome != "not applicable":
                failed, held = found.get(verdict.metric, (0, 0))
                found[verdict.metric] = (failed + (verdict.outcome == "fail"), held + 1)
    return found


def _spread(repeated: Sequence[Sequence[Run]]) -> dict[str, float]:
    """Metric -> largest difference over the repeats of any member [unit]."""
    found: dict[str, float] = {}
    for runs in repeated:
        for name in runs[0].record.metrics:
            values = [run.record.metrics.get(name, math.nan) for run in runs]
            finite = [value for value in values if math.isfinite(value)]
            apart = max(finite) - min(finite) if len(finite) == len(values) else 0.0 if not finite else math.inf
            found[name] = max(found.get(name, 0.0), apart)
    return found


def _tolerances(words: Lexicon) -> dict[str, float]:
    """Metric -> what the experiment calls agreement in its unit; of other units none."""
    limits = dict(zip(KINDS, words.tolerance or (0.0, 0.0, 0.0), strict=False))
    return {name: limits[_UNIT_OF[metric.unit]] for name, metric in words.metrics.items() if metric.unit in _UNIT_OF}


def _judged(comparison: Comparison, words: Lexicon) -> Judged:
    told = told_of(comparison, words)
    cells = {}
    for a, b in combinations(comparison.standings, 2):
        pair = (a.who, b.who)
        cells[pair] = cell_of(told[pair]) if pair in told else broken_cell([a, b], words.names)
    return Judged(comparison=comparison, cells=cells, spreads={})


def cell_of(told: Told) -> Cell:
    """The verdict of two ensembles, with what the surest test gave."""
    n, m = told.members
    many = f"{n} member{'s' if n != 1 else ''} each" if n == m else f"{n} and {m} members"
    short = f"needs {told.needed} members" if told.word == "unresolved" else ""
    if told.telling:
        test = told.telling[0]
        short = f"{test.what}, p\N{NO-BREAK SPACE}{p_text(test.corrected)}"
    notes = [_sentence(test) for test in told.tests]
    notes += [f"{name}: only one of the two gives it, so they cannot be compared in it" for name in told.one_sided]
    if told.word == "unresolved":
        notes.append(f"with fewer than {told.needed} members each no test can reach {plain(ALPHA)}")
    return Cell(word=told.word, said="; ".join(part for part in (short, many) if part), notes=(many, *notes))


def _sentence(test: MetricTest) -> str:
    small = ", nearer than the tolerance" if test.small else ""
    return f"{test.what}: {test.name} p {p_text(test.p)}, corrected {p_text(test.corrected)}{small}"


def p_text(value: float) -> str:
    """A p-value in two digits."""
    return plain(value, 2)
