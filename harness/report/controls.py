"""What single overrides change: the experiment within the experiment, that tells which option makes a difference."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ..experiment import OUTCOME
from .lexicon import Lexicon
from .participants import Participant, base_of
from .quantity import quantity
from .verdicts import Judged

NEARER = 10  # times smaller: an override that brings an engine that much nearer explains the difference
CHANGED = 0.3  # relative change of a metric from which it is told
SMALL = 1e-6  # [SI unit] a metric below this is rounding


def proof(judged: Judged, who: Participant, others: Sequence[Participant], ok: Sequence[Participant]) -> str:
    """The override with which `who` agrees with all of the others, that it differs from without it; "" if none does."""
    for variation in ok:
        if base_of(variation, ok) != who:
            continue
        cells = [judged.cell(variation, other) for other in others]
        if cells and all(cell is not None and cell.agrees for cell in cells):
            return f"{_options(variation, who)} removes it"
    return ""


def controls(judged: Judged, words: Lexicon, ok: Sequence[Participant], reference: Participant | None) -> list[str]:
    """A clause for every participant with overrides that moves what it is a variation of."""
    clauses = []
    for who in ok:
        base = base_of(who, ok)
        if base is not None:
            held = reference if reference != base and reference in ok else None
            clauses += list(_clauses(judged, words, who, base, held))[:1]
    return clauses


def _clauses(
    judged: Judged, words: Lexicon, who: Participant, base: Participant, reference: Participant | None
) -> Iterator[str]:
    """What the override does, the most telling first."""
    name, options = words.names[base], _options(who, base)
    if reference is not None:
        before, after = judged.cell(base, reference), judged.cell(who, reference)
        if before and after and before.apart and after.apart and not before.agrees:
            if after.agrees:
                return  # said as a cause
            if after.apart.motion * NEARER < before.apart.motion:
                yield f"{options} brings {name} to {after.amount} from {words.names[reference]}"
    cell = judged.cell(who, base)
    if cell is None or cell.agrees or not cell.amount:
        return
    yield from _metric(judged, words, who, base, reference, options)
    yield f"{options} moves {name} by {cell.amount}"


def _options(who: Participant, base: Participant) -> str:
    return " ".join(f"{n}={value}" for n, value in who.overrides if (n, value) not in base.overrides)


def _metric(
    judged: Judged, words: Lexicon, who: Participant, base: Participant, reference: Participant | None, options: str
) -> Iterator[str]:
    """The metric that the override changes most, if it changes much and tells the base from the reference."""
    before, after, held = (
        judged.comparison.standing(one).run.record.metrics if one is not None else None
        for one in (base, who, reference)
    )
    found: list[tuple[float, str]] = []
    for metric in words.metrics:
        if metric == OUTCOME:
            continue
        x, y = (before or {}).get(metric, math.nan), (after or {}).get(metric, math.nan)
        z = held.get(metric, math.nan) if held is not None else math.nan
        if not (math.isfinite(x) and math.isfinite(y)) or max(abs(x), abs(y)) < SMALL:
            continue
        change = abs(y - x) / max(abs(x), abs(y))
        telling = held is None or abs(z - x) > CHANGED * max(abs(z), abs(x))
        if change > CHANGED and telling:
            found.append((change, metric))
    if found:
        change, metric = max(found, key=lambda item: item[0])
        unit = words.metrics[metric].unit
        first, last = (quantity((table or {})[metric], unit) for table in (before, after))
        beside = f" ({words.names[reference]}: {quantity(held[metric], unit)})" if reference and held else ""
        yield f"{options} takes the {metric} of {words.names[base]} from {first} to {last}{beside}"
