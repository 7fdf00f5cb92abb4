"""What a panel shows of a chaotic experiment: outcomes, metrics over the members, and the tests behind the verdicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..ensemble import MetricTest, Told
from ..experiment import OUTCOME
from ..significance import ALPHA
from .chart import Bars, Strip
from .ensembles import Group, groups_of, p_text, told_of
from .lexicon import Lexicon
from .measure import Comparison
from .participants import Participant
from .quality import NAMES
from .quantity import quantity, span

MOST_STRIPS = 4  # metrics that are drawn over the members


@dataclass(frozen=True, kw_only=True)
class EnsembleCell:
    """A metric over the members of one participant, in words; its check fails for `failed` of the `held` members."""

    median: str
    quartiles: str
    whole: str
    spread: str
    failed: int = 0
    held: int = 0


@dataclass(frozen=True, kw_only=True)
class EnsembleRow:
    """A metric over all participants."""

    name: str
    text: str
    cells: tuple[EnsembleCell | None, ...]


@dataclass(frozen=True, kw_only=True)
class TestRow:
    """One test of one pair; `verdict` says what it tells."""

    pair: tuple[str, str]
    metric: str
    test: str
    p: str
    corrected: str
    verdict: str


@dataclass(frozen=True, kw_only=True)
class EnsembleView:
    """The members of all participants of a panel.

    Attributes:
        parameter: of the experiment, that numbers the members.
        labels: the participants; `members` says how many each has, in words.
        bars: outcomes, None where there is no more to say than that all members ran.
        rows: metrics over the members; none where everyone has one member, whose metrics the panel then shows.
        tests: what stands behind the verdicts.
        shown: the member that is drawn over time.
    """

    parameter: str
    labels: tuple[str, ...]
    members: tuple[str, ...]
    bars: Bars | None
    strips: tuple[Strip, ...]
    rows: tuple[EnsembleRow, ...]
    tests: tuple[TestRow, ...]
    shown: str


def view_of(comparison: Comparison, words: Lexicon) -> EnsembleView:
    """Everything that a panel shows of its ensembles."""
    groups = groups_of(comparison, words)
    labels = tuple(words.names[who] for who in groups)
    names = [name for name in words.main_metrics if name != OUTCOME]
    others = [name for name in words.metrics if name not in (*names, *NAMES, OUTCOME)]
    several = any(group.asked > 1 for group in groups.values())
    rows = [_row(name, list(groups.values()), words) for name in (*names, *others)] if several else []
    first = next(iter(comparison.ok), None)
    return EnsembleView(
        parameter=words.ensemble,
        labels=labels,
        members=tuple(_members(group) for group in groups.values()),
        bars=_bars(groups, words) if several else None,
        strips=tuple(_strips(groups, names, words))[:MOST_STRIPS],
        rows=tuple(row for row in rows if any(row.cells)),
        tests=tuple(
            _test_row((words.names[a], words.names[b]), test, told)
            for (a, b), told in told_of(comparison, words).items()
            for test in told.tests
        ),
        shown=first.run.member if first else "",
    )


def _test_row(pair: tuple[str, str], test: MetricTest, told: Told) -> TestRow:
    tells = test in told.telling
    verdict = "differ" if tells else "nearer than the tolerance" if test.small else "not told apart"
    if test.least * len(told.tests) >= ALPHA and not test.small:
        verdict = "unresolved"
    return TestRow(
        pair=pair,
        metric=test.what,
        test=test.name,
        p=p_text(test.p),
        corrected=p_text(test.corrected),
        verdict=verdict,
    )


def _members(group: Group) -> str:
    lost = ", ".join(f"{count} {status}" for status, count in group.missing.items())
    return f"{group.asked} member{'s' if group.asked != 1 else ''}{f' ({lost})' if lost else ''}"


def _bars(groups: Mapping[Participant, Group], words: Lexicon) -> Bars | None:
    everything = [group.ensemble.outcomes for group in groups.values()]
    present = list(dict.fromkeys(word for one in everything for word in one))
    present = [word for word in present if any(one.get(word) for one in everything)]
    if not any(group.ensemble.ends for group in groups.values()):
        return None
    rows = tuple(
        (words.names[who], tuple(group.ensemble.outcomes.get(word, 0) for word in present))
        for who, group in groups.items()
    )
    said = "; ".join(
        f"{label}: " + ", ".join(f"{word} {count}" for word, count in zip(present, counts, strict=True) if count)
        for label, counts in rows
    )
    return Bars(title="Outcomes", alt=f"How the members ended. {said}", words=tuple(present), rows=rows)


def _strips(groups: Mapping[Participant, Group], names: Sequence[str], words: Lexicon) -> list[Strip]:
    strips = []
    for name in names:
        found = [(words.names[who], group.ensemble.metrics.get(name)) for who, group in groups.items()]
        rows = tuple((label, one.values) for label, one in found if one is not None and one.values)
        if len({value for _, values in rows for value in values}) > 1 and max(len(v) for _, v in rows) > 1:
            unit = words.metrics[name].unit if name in words.metrics else ""
            title = f"{name} of every member"
            strips.append(Strip(title=title, alt=f"{title}, with quartiles", x=(name, unit), rows=rows))
    return strips


def _row(name: str, groups: Sequence[Group], words: Lexicon) -> EnsembleRow:
    unit = words.metrics[name].unit if name in words.metrics else ""
    text = words.metrics[name].text if name in words.metrics else ""
    return EnsembleRow(name=name, text=text, cells=tuple(_metric_cell(group, name, unit) for group in groups))


def _whole(values: Sequence[float], unit: str) -> str:
    if len(values) < 2:
        return ""
    low, high = values[0], values[-1]
    if quantity(low, unit, 4) == quantity(high, unit, 4):
        return "all equal" if low == high else f"all within {quantity(high - low, unit, 2)}"
    return f"all: {span(low, high, unit, 4)}"


def _metric_cell(group: Group, name: str, unit: str) -> EnsembleCell | None:
    found = group.ensemble.metrics.get(name)
    if found is None:
        return None
    low, median, high = (found.quantile(share) for share in (0.25, 0.5, 0.75))
    spread = "" if group.spread is None else quantity(group.spread.get(name), unit, 2)
    if group.spread is not None and group.spread.get(name) == 0:
        spread = "repeats identical"
    elif spread:
        spread = f"repeats spread by {spread}"
    values = found.values
    return EnsembleCell(
        median=quantity(median, unit, 4),
        quartiles=span(low, high, unit, 4) if quantity(low, unit, 4) != quantity(high, unit, 4) else "",
        whole=_whole(values, unit),
        spread=spread,
        failed=group.checks.get(name, (0, 0))[0],
        held=group.checks.get(name, (0, 0))[1],
    )
