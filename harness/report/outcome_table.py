"""How every run ended against the number that an experiment is about, and the metrics that say why."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ..experiment import OUTCOME
from .answers import PROFILE_ORDER
from .lexicon import Lexicon, facts, unusual
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
    """One participant under one variant and step dt [s]; `why` and `cells` follow the columns of the table.

    Attributes:
        apart: name -> value of what differs from the table's `usual`.
    """

    label: str
    settings: str
    apart: Mapping[str, str]
    dt: float
    why: tuple[str, ...]
    cells: tuple[OutcomeCell | None, ...]

    @property
    def where(self) -> str:
        """Settings, and what is not as usual."""
        return ", ".join((self.settings, *phrases(self.apart)))

    @property
    def swept(self) -> bool:
        """Whether there is more than one value."""
        return len(self.ends) > 1

    @property
    def ends(self) -> tuple[tuple[int, OutcomeCell], ...]:
        """Every cell that there is, with its column."""
        return tuple((column, cell) for column, cell in enumerate(self.cells) if cell is not None)


@dataclass(frozen=True, kw_only=True)
class OutcomeTable:
    """How runs ended.

    Attributes:
        name: of the swept number; `values` its values as words.
        metric: what stands below each outcome.
        texts: name and text of the outcome and of that metric.
        why: name and text of the metrics that decide.
        usual: name -> value of the parameters that most engines share, those at the experiment's defaults left out.
        dt: step that most engines share [s].
    """

    name: str
    metric: str
    texts: tuple[tuple[str, str], ...]
    why: tuple[tuple[str, str], ...]
    values: tuple[str, ...]
    usual: Mapping[str, str]
    dt: float
    rows: tuple[OutcomeRow, ...]

    @property
    def parts(self) -> tuple[tuple[str, tuple[OutcomeRow, ...]], ...]:
        """The rows of several values, then those of one, each with a title."""
        several = tuple(row for row in self.rows if row.swept)
        single = tuple(row for row in self.rows if not row.swept)
        titled = (("", several), (f"At one value of {self.name} only", single))
        return tuple((title if several else "", rows) for title, rows in titled if rows)

    @property
    def note(self) -> str:
        """What the words and columns mean, and what the rows share where they do not say otherwise."""
        usual = ", ".join(phrases(self.usual))
        return " ".join(
            [
                f"How each run ended, and its {self.metric}.",
                *([f"Where a row does not say otherwise: {usual}."] if usual else []),
                *(f"{name.replace('_', ' ').capitalize()}: {text}." for name, text in (*self.texts, *self.why)),
                f"{UNDECIDED.capitalize()}: the run does not tell, as a rule because it is too short.",
            ]
        )


def phrases(facts: Mapping[str, str]) -> list[str]:
    """Parameters as words: "duration 1.05 s"."""
    return [f"{name.replace('_', ' ')} {value}" for name, value in facts.items()]


def profile_rank(settings: str) -> tuple[int, str]:
    """A key that sorts settings profiles as the answers do."""
    return (PROFILE_ORDER.index(settings) if settings in PROFILE_ORDER else len(PROFILE_ORDER), settings)


_Row = tuple[Participant, Variant, float]
_Found = Mapping[_Row, Mapping[float, Sequence[Run]]]


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
            # how often a run is logged is no part of how it ends
            key = (run.participant, replace(run.variant, params=params, stride=1), run.record.job.dt)
            found[key][float(value)].append(run)
    values = sorted({value for cells in found.values() for value in cells})
    if len(values) < 2:
        return None
    metric = next(name for name in words.main_metrics if name != OUTCOME)
    told = unusual([variant for _, variant, _ in found], kind)
    several = [key for key, cells in found.items() if len(cells) > 1 and _known(cells, words)]
    variant, dt = _usual(several or list(found), {one: len(own) for one, own in told.items()}, kind.DT)
    rows = [_row(key, found[key], values, metric, variant, words) for key in found]
    return OutcomeTable(
        name=kind.SWEPT,
        metric=metric.replace("_", " "),
        texts=_texts((OUTCOME, metric), words),
        why=_texts(kind.DECIDE, words),
        values=tuple(quantity(value, kind.SWEPT_UNIT, 4) if kind.SWEPT_UNIT else f"{value:g}" for value in values),
        usual=told[variant],
        dt=dt,
        rows=tuple(sorted(rows, key=_order)),
    )


def _texts(names: Sequence[str], words: Lexicon) -> tuple[tuple[str, str], ...]:
    return tuple((name, words.metrics[name].text) for name in names if name in words.metrics)


def _order(row: OutcomeRow) -> tuple[object, ...]:
    """By profile and variant, so that what can be compared stands together."""
    return (profile_rank(row.settings), len(row.apart), tuple(row.apart.items()), row.label, -row.dt)


def _usual(keys: Sequence[_Row], unusual: Mapping[Variant, int], usual_dt: float) -> tuple[Variant, float]:
    """Variant and step that most engines share under any settings, then most participants; then the experiment's own.

    That one of them has many rows does not count, nor that it has many options.

    Args:
        keys: of the rows that are to be described.
        unusual: variant -> how much of it is not at the experiment's default.
        usual_dt: the experiment's own step [s].
    """
    variants: dict[Variant, set[Participant]] = defaultdict(set)
    steps: dict[Variant, dict[float, set[Participant]]] = defaultdict(lambda: defaultdict(set))
    for who, variant, dt in keys:
        variants[replace(variant, settings="")].add(who)
        steps[replace(variant, settings="")][dt].add(who)

    some = {replace(variant, settings=""): variant for _, variant, _ in keys}
    usual = max(variants, key=lambda one: (_entrants(variants[one]), -unusual[some[one]], one.duration, one))
    return some[usual], max(steps[usual], key=lambda dt: (_entrants(steps[usual][dt]), dt == usual_dt, -dt))


def _entrants(participants: Iterable[Participant]) -> tuple[int, int]:
    """How many engines, and how many participants."""
    those = set(participants)
    return len({who.engine for who in those}), len(those)


def _known(cells: Mapping[float, Sequence[Run]], words: Lexicon) -> bool:
    return any(_word(run, words) != UNDECIDED for group in cells.values() for run in group)


def _row(
    key: _Row,
    found: Mapping[float, Sequence[Run]],
    values: Sequence[float],
    metric: str,
    usual: Variant,
    words: Lexicon,
) -> OutcomeRow:
    who, variant, dt = key
    shared = facts(usual)
    every = [run for group in found.values() for run in group if run.ok]
    return OutcomeRow(
        label=words.names[who],
        settings=variant.settings,
        apart={name: value for name, value in facts(variant).items() if value != shared.get(name)},
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
