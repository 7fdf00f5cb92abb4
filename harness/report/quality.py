"""Contact quality side by side: every participant and variant, in the metrics that the harness takes of contacts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ..contact_quality import quality
from .lexicon import Lexicon
from .measure import Comparison
from .participants import Participant
from .quantity import NOTHING, quantity

NAMES = tuple(metric.name for metric in quality())


@dataclass(frozen=True, kw_only=True)
class QualityRow:
    """One participant under one variant; `values` follow the columns, `largest` marks the worst of each column."""

    label: str
    where: str
    anchor: str
    values: tuple[str, ...]
    largest: tuple[bool, ...]


@dataclass(frozen=True, kw_only=True)
class QualityTable:
    """Contact quality of an experiment; `columns` are name and text of a metric."""

    columns: tuple[tuple[str, str], ...]
    rows: tuple[QualityRow, ...]


def quality_table(panels: Sequence[tuple[str, Comparison]], words: Lexicon) -> QualityTable | None:
    """The table over the main comparison of every panel; of an ensemble the worst member counts.

    Args:
        panels: anchor and comparison of each.
        words: what participants and variants are called.
    """
    found: list[tuple[str, str, str, list[float]]] = []
    for anchor, comparison in panels:
        variant = comparison.series.variant
        where = ", ".join(text for text in (variant.settings, words.variants[variant]) if text)
        for standing in comparison.ok:
            values = [_worst(comparison, standing.who, name) for name in NAMES]
            if any(math.isfinite(value) for value in values):
                found.append((words.names[standing.who], where, anchor, values))
    if not found:
        return None
    tops = [max((row[3][k] for row in found if math.isfinite(row[3][k])), default=math.nan) for k in range(len(NAMES))]
    least = [min((row[3][k] for row in found if math.isfinite(row[3][k])), default=math.nan) for k in range(len(NAMES))]
    rows = tuple(
        QualityRow(
            label=label,
            where=where,
            anchor=anchor,
            values=tuple(_text(value, metric.unit) for value, metric in zip(values, quality(), strict=True)),
            largest=tuple(
                value == top and top > max(low, 0.0) for value, top, low in zip(values, tops, least, strict=True)
            ),
        )
        for label, where, anchor, values in found
    )
    return QualityTable(columns=tuple((metric.name, metric.text) for metric in quality()), rows=rows)


def _worst(comparison: Comparison, who: Participant, name: str) -> float:
    members = comparison.series.members.get((who, comparison.dt), {})
    values = [run.record.metrics.get(name, math.nan) for repeats in members.values() for run in repeats[:1] if run.ok]
    return max((value for value in values if math.isfinite(value)), default=math.nan)


def _text(value: float, unit: str) -> str:
    return quantity(value, unit) if math.isfinite(value) else NOTHING
