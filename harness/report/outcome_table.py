"""How every run ended against the number that an experiment is about, and the metrics that say why."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from ..experiment import OUTCOME
from .answers import PROFILE_ORDER
from .lexicon import Lexicon
from .participants import Participant
from .quantity import NOTHING, quantity
from .runs import Run, Variant

UNDECIDED = "undecided"


@dataclass(frozen=True, kw_only=True)
class OutcomeCell:
    """All runs of one row at one value: the words for how they ended, and the leading metric of the first."""

    word: str
    amount: str


@dataclass(frozen=True, kw_only=True)
class OutcomeRow:
    """One participant under one variant and step; `why` and `cells` follow the columns of the table."""

    label: str
    settings: str
    where: str
    dt: float
    why: tuple[str, ...]
    cells: tuple[OutcomeCell | None, ...]

    @property
    def swept(self) -> bool:
        """Whether there is more than one value."""
        return sum(cell is not None for cell in self.cells) > 1


@dataclass(frozen=True, kw_only=True)
class OutcomeTable:
    """`why` are name and text of the metrics that decide, `values` the swept numbers as words."""

    name: str
    metric: str
    why: tuple[tuple[str, str], ...]
    values: tuple[str, ...]
    rows: tuple[OutcomeRow, ...]

    @property
    def parts(self) -> tuple[tuple[str, tuple[OutcomeRow, ...]], ...]:
        """The rows of several values, then those of one, each with a title."""
        several = tuple(row for row in self.rows if row.swept)
        single = tuple(row for row in self.rows if not row.swept)
        titled = (("", several), (f"At one value of {self.name} only", single))
        return tuple((title if several else "", rows) for title, rows in titled if rows)


def outcome_sentences(table: OutcomeTable, outcomes: Sequence[str]) -> tuple[str, ...]:
    """For each settings profile, how every participant with several values ended along them, and what decides."""
    told = [row for row in table.rows if row.swept and any(cell and cell.word in outcomes for cell in row.cells)]
    found = []
    for settings in sorted({row.settings for row in told}, key=_profile):
        usual = Counter(row.where for row in told if row.settings == settings).most_common(1)[0][0]
        rows = [_along(row, table) for row in told if (row.settings, row.where) == (settings, usual)]
        found.append(f"Outcome against {table.name}, {settings} settings: {'; '.join(rows)}.")
    return tuple(found)


def _profile(settings: str) -> tuple[int, str]:
    return (PROFILE_ORDER.index(settings) if settings in PROFILE_ORDER else len(PROFILE_ORDER), settings)


def _along(row: OutcomeRow, table: OutcomeTable) -> str:
    """One row in words: "alpha dropped at 1, lifted from 1.25 to 2 (mu used 0.5)"."""
    ends = [(value, cell.word) for value, cell in zip(table.values, row.cells, strict=True) if cell is not None]
    parts = []
    for word, group in groupby(ends, key=lambda end: end[1]):
        at = [value for value, _ in group]
        parts.append(f"{word} at {at[0]}" if len(at) == 1 else f"{word} from {at[0]} to {at[-1]}")
    why = [f"{name.replace('_', ' ')} {value}" for (name, _), value in zip(table.why, row.why, strict=True)]
    return f"{row.label} {', '.join(parts)}" + (f" ({', '.join(why)})" if why else "")


_Row = tuple[Participant, Variant, float]


def outcome_table(runs: Sequence[Run], words: Lexicon) -> OutcomeTable | None:
    """The table over all runs of an experiment with outcomes and a swept number; None without them."""
    kind = words.kind
    if kind is None or not (kind.OUTCOMES and kind.SWEPT) or words.ensemble:
        return None
    found: dict[_Row, dict[float, list[Run]]] = defaultdict(lambda: defaultdict(list))
    for run in runs:
        value = run.record.job.params.get(kind.SWEPT)
        if run.status != "unsupported" and isinstance(value, (int, float)):
            params = tuple(item for item in run.variant.params if item[0] != kind.SWEPT)
            key = (run.participant, replace(run.variant, params=params), run.record.job.dt)
            found[key][float(value)].append(run)
    values = sorted({value for cells in found.values() for value in cells})
    if len(values) < 2:
        return None
    metric = next(name for name in words.main_metrics if name != OUTCOME)
    rows = [_row(key, found[key], values, metric, words) for key in sorted(found, key=lambda key: _order(key, words))]
    return OutcomeTable(
        name=kind.SWEPT,
        metric=metric.replace("_", " "),
        why=tuple((name, words.metrics[name].text) for name in kind.DECIDE if name in words.metrics),
        values=tuple(f"{value:g}" for value in values),
        rows=tuple(rows),
    )


def _order(key: _Row, words: Lexicon) -> tuple[str, str, str, float]:
    who, variant, dt = key
    return (words.names[who], variant.settings, str(variant.params), -dt)


def _row(
    key: _Row, found: Mapping[float, Sequence[Run]], values: Sequence[float], metric: str, words: Lexicon
) -> OutcomeRow:
    who, variant, dt = key
    some = next(iter(found.values()))[0].variant
    text = " ".join(part for part in words.variants[some].split(" ") if not part.startswith(f"{words.kind.SWEPT}="))  # type: ignore[union-attr]
    every = [run for group in found.values() for run in group if run.ok]
    return OutcomeRow(
        label=words.names[who],
        settings=variant.settings,
        where=", ".join(part for part in (variant.settings, text) if part),
        dt=dt,
        why=tuple(_same(every, name, words) for name in words.kind.DECIDE if name in words.metrics),  # type: ignore[union-attr]
        cells=tuple(_cell(found[value], metric, words) if value in found else None for value in values),
    )


def _same(runs: Sequence[Run], name: str, words: Lexicon) -> str:
    """The value of a metric that does not depend on the swept number; every one where it does."""
    numbers = [run.record.metrics.get(name, math.nan) for run in runs]
    said = dict.fromkeys(words.said(name, number) for number in numbers if math.isfinite(number))
    return ", ".join(said) or NOTHING


def _cell(runs: Sequence[Run], metric: str, words: Lexicon) -> OutcomeCell:
    ended = dict.fromkeys(_word(run, words) for run in runs)
    first = next((run for run in runs if run.ok), None)
    value = first.record.metrics.get(metric, math.nan) if first is not None else math.nan
    known = math.isfinite(value) and UNDECIDED not in ended
    unit = words.metrics[metric].unit if metric in words.metrics else ""
    return OutcomeCell(word=", ".join(ended), amount=quantity(value, unit) if known else "")


def _word(run: Run, words: Lexicon) -> str:
    if not run.ok:
        return run.status
    value = run.record.metrics.get(OUTCOME, math.nan)
    return words.said(OUTCOME, value) if math.isfinite(value) else UNDECIDED
