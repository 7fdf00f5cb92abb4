"""Sentences and rows of one panel: what its repeats show, and refinement set against difference."""

from __future__ import annotations

from collections.abc import Mapping

from .measure import Comparison
from .quantity import quantity
from .runs import Participant
from .summary import ConvergenceRow
from .verdicts import Judged


def repeats_sentence(comparison: Comparison, names: Mapping[Participant, str]) -> str:
    """How many repeats there are and whether they are equal."""
    identical: dict[int, list[str]] = {}
    clauses = []
    for standing in comparison.ok:
        if standing.identical:
            identical.setdefault(standing.repeats, []).append(names[standing.who])
        elif standing.spread is not None:
            apart = quantity(standing.spread.position, "m")
            clauses.append(f"{names[standing.who]}: {standing.repeats} repeats spread by {apart}")
    same = [f"{count} repeats bit-identical for {', '.join(who)}" for count, who in sorted(identical.items())]
    single = [names[standing.who] for standing in comparison.ok if standing.repeats < 2]
    alone = [f"one run only of {', '.join(single)}"] if single else []
    text = "; ".join([*clauses, *same, *alone])
    return text[:1].upper() + text[1:] + "." if text else ""


def convergence_rows(
    judged: Judged, names: Mapping[Participant, str], reference: Participant | None
) -> tuple[ConvergenceRow, ...]:
    """A row for every participant that ended well."""
    rows = []
    for standing in judged.comparison.ok:
        cell = judged.cell(standing.who, reference) if reference else None
        spread = judged.spreads[standing.who]
        rows.append(
            ConvergenceRow(
                label=names[standing.who],
                difference=cell.apart.position if cell and cell.apart else None,
                halved=standing.halved.position if standing.halved else None,
                doubled={name: part.position if part else None for name, part in standing.doubled.items()},
                spread=spread.position if spread else None,
                repeats=standing.repeats,
                word=cell.word if cell else "",
                notes=cell.details if cell else "",
            )
        )
    return tuple(rows)
