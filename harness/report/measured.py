"""Metrics of a comparison with their closed forms, and their bands over the arrival phases."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..checks import Verdict
from ..experiment import OUTCOME, Metric, outcome_word
from .measure import Comparison
from .participants import Participant
from .quantity import quantity
from .runs import Series

MOVED = 1e-6  # relative range over the phases from which a metric has a band
SMALL = 1e-9  # [SI unit] below which a range is rounding


@dataclass(frozen=True, kw_only=True)
class Reading:
    """A metric of one run [unit of its row], with the check on it, if there is one."""

    value: float
    verdict: Verdict | None

    @property
    def outcome(self) -> str:
        """pass, fail, not applicable, or "" without a check."""
        return self.verdict.outcome if self.verdict else ""


@dataclass(frozen=True, kw_only=True)
class MetricRow:
    """One metric over all participants.

    Attributes:
        expected: the closed form when it is the same for all [unit], else None.
        words: of the outcomes, for the metric that holds one of them.
    """

    name: str
    unit: str
    text: str
    readings: tuple[Reading | None, ...]
    expected: float | None
    words: tuple[str, ...] = ()

    def said(self, value: float | None, digits: int = 5) -> str:
        """A value with its unit, or the word for it."""
        if self.words and value is not None:
            return outcome_word(self.words, value)
        return quantity(value, self.unit, digits)


@dataclass(frozen=True, kw_only=True)
class Band:
    """A metric of one participant over the phases [unit], in order of phase."""

    label: str
    values: tuple[float, ...]

    @property
    def low(self) -> float:
        """Smallest value."""
        return min(self.values)

    @property
    def high(self) -> float:
        """Largest value."""
        return max(self.values)

    @property
    def moves(self) -> bool:
        """Whether the phase changes it by more than rounding."""
        return self.high - self.low > max(MOVED * max(abs(self.low), abs(self.high)), SMALL)


@dataclass(frozen=True, kw_only=True)
class BandRow:
    """A metric whose value depends on the phase."""

    name: str
    unit: str
    text: str
    bands: tuple[Band, ...]


@dataclass(frozen=True, kw_only=True)
class Phases:
    """Bands over `count` phases at step dt [s]."""

    count: int
    dt: float
    rows: tuple[BandRow, ...]


def metric_rows(
    comparison: Comparison, known: Mapping[str, Metric], outcomes: tuple[str, ...] = ()
) -> tuple[MetricRow, ...]:
    """The metrics of everyone who ended well, in the order of the experiment.

    Args:
        comparison: whose runs.
        known: name -> unit and text; a metric that is not among them is shown as a bare number.
        outcomes: words for the metric `outcome`.
    """
    records = [standing.run.record for standing in comparison.ok]
    rows = []
    for name in _ordered([record.metrics for record in records], known):
        readings = []
        for record in records:
            verdict = next((v for v in record.checks if v.metric == name), None)
            readings.append(Reading(value=record.metrics[name], verdict=verdict) if name in record.metrics else None)
        expected = {r.verdict.expected for r in readings if r and r.verdict and r.verdict.expected is not None}
        unit, text = _described(name, known)
        common = next(iter(expected)) if expected and _same(expected) else None
        words = outcomes if name == OUTCOME else ()
        rows.append(MetricRow(name=name, unit=unit, text=text, readings=tuple(readings), expected=common, words=words))
    return tuple(rows)


def phases_of(
    series: Series, dt: float, names: Mapping[Participant, str], known: Mapping[str, Metric]
) -> Phases | None:
    """Bands of all metrics that depend on the phase; None when fewer than two phases were run."""
    runs = {names[who]: found for (who, step), found in series.phases.items() if step == dt and len(found) > 1}
    if not runs:
        return None
    rows = []
    for name in _ordered([run.record.metrics for found in runs.values() for run in found], known):
        bands = []
        for label, found in runs.items():
            values = tuple(run.record.metrics.get(name, math.nan) for run in found)
            if all(math.isfinite(value) for value in values):
                bands.append(Band(label=label, values=values))
        if name != OUTCOME and any(band.moves for band in bands):
            unit, text = _described(name, known)
            rows.append(BandRow(name=name, unit=unit, text=text, bands=tuple(bands)))
    return Phases(count=max(len(found) for found in runs.values()), dt=dt, rows=tuple(rows))


def _ordered(metrics: Sequence[Mapping[str, float]], known: Mapping[str, Metric]) -> list[str]:
    found = {name for one in metrics for name in one}
    return [name for name in known if name in found] + sorted(found - known.keys())


def _described(name: str, known: Mapping[str, Metric]) -> tuple[str, str]:
    return (known[name].unit, known[name].text) if name in known else ("", "")


def _same(values: set[float]) -> bool:
    low, high = min(values), max(values)
    return high - low <= 1e-9 * max(abs(low), abs(high))
