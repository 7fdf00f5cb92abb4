"""How runs ended against the swept number, in a sentence for each settings profile."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from itertools import groupby

from .outcome_table import UNDECIDED, OutcomeRow, OutcomeTable, phrases, profile_rank
from .quantity import NOTHING, quantity
from .wording import listed


def outcome_sentences(table: OutcomeTable) -> tuple[str, ...]:
    """For each settings profile, how every participant with several values ended along them, and what decides."""
    told = [row for row in table.rows if row.swept and any(cell.word != UNDECIDED for _, cell in row.ends)]
    return tuple(
        _sentence(settings, [row for row in told if row.settings == settings], table)
        for settings in sorted({row.settings for row in told}, key=profile_rank)
    )


def _sentence(settings: str, own: Sequence[OutcomeRow], table: OutcomeTable) -> str:
    """One row of each participant, those that ended alike together; what all of them share comes first."""
    names = sorted({row.label for row in own})
    rows = [min((row for row in own if row.label == name), key=lambda row: _off(row, table)) for name in names]
    one_variant = all(row.apart == rows[0].apart for row in rows)
    one_step = len({row.dt for row in rows}) == 1
    lead = phrases({**table.usual, **rows[0].apart} if one_variant else table.usual)
    lead += [_step(rows[0].dt)] if one_step and rows[0].dt != table.dt else []
    alike: dict[tuple[str, str], list[str]] = defaultdict(list)
    for row in rows:
        marks = [*([] if one_variant else phrases(row.apart)), *([] if one_step else [_step(row.dt)])]
        marks += _otherwise(row, table)
        alike[_along(row, table), _why(row, table)].append(f"{row.label} ({', '.join(marks)})" if marks else row.label)
    whys = {why for _, why in alike}
    same = whys.pop() if len(alike) > 1 and len(whys) == 1 else ""
    said = [f"{listed(who)} {along}{f' ({why})' if why and not same else ''}" for (along, why), who in alike.items()]
    said += [f"each with {same}"] if same else []
    where = f"{settings} settings" + (f" ({', '.join(lead)})" if lead else "")
    return f"Outcome against {table.name}, {where}: {'; '.join(said)}."


def _off(row: OutcomeRow, table: OutcomeTable) -> tuple[int, float]:
    """How far a row is from what most engines share."""
    return len(row.apart), abs(math.log(row.dt / table.dt))


def _step(dt: float) -> str:
    return f"step {quantity(dt, 's')}"


def _otherwise(row: OutcomeRow, table: OutcomeTable) -> list[str]:
    """The other steps with which the same runs end otherwise."""
    who = (row.label, row.settings, row.apart)
    others = [one for one in table.rows if (one.label, one.settings, one.apart) == who and _contradict(one, row)]
    return [f"otherwise with {listed([_step(one.dt) for one in others])}"] if others else []


def _contradict(one: OutcomeRow, other: OutcomeRow) -> bool:
    pairs = [(a.word, b.word) for a, b in zip(one.cells, other.cells, strict=True) if a and b]
    return any(a != b and UNDECIDED not in (a, b) for a, b in pairs)


def _along(row: OutcomeRow, table: OutcomeTable) -> str:
    """One row in words: "dropped at 1, lifted at 1.25 to 2"; a range has no value that was not run."""
    parts = []
    for word, group in groupby(row.ends, key=lambda end: end[1].word):
        spans = [
            [table.values[column] for _, column in span]
            for _, span in groupby(enumerate(column for column, _ in group), key=lambda pair: pair[1] - pair[0])
        ]
        at = listed([span[0] if len(span) == 1 else f"{span[0]} to {span[-1]}" for span in spans])
        parts.append(f"{word.replace(', ', ' or ')} at {at}")
    return ", ".join(parts)


def _why(row: OutcomeRow, table: OutcomeTable) -> str:
    said = zip(table.why, row.why, strict=True)
    return ", ".join(f"{name.replace('_', ' ')} {value}" for (name, _), value in said if value != NOTHING)
