"""One panel: its finding, what its repeats show, which curves coincide, refinement set against difference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..compare import UNITS, Difference
from .chart import Chart, ChartGroup
from .defaults import DefaultsTable, side_by_side
from .ensemble_view import view_of
from .ensemble_words import ensemble_finding
from .lexicon import Lexicon
from .measure import Comparison, Standing
from .measured import MetricRow, metric_rows, phases_of
from .participants import Participant
from .quality import NAMES
from .quantity import quantity
from .summary import ConvergenceRow, Panel
from .verdicts import Judged
from .wording import finding


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What the traces of one series gave, kept when the traces themselves are dropped."""

    anchor: str
    comparisons: tuple[Comparison, ...]
    main: Comparison
    charts: tuple[Chart, ...] | None
    joint_charts: tuple[ChartGroup, ...]
    convergence_charts: tuple[Chart, ...]


def panel_of(measured: Measured, judged: Judged, words: Lexicon, reference: Participant | None, *, main: bool) -> Panel:
    """The panel of a series: what was measured of it, with the verdicts of its main comparison."""
    comparison = measured.main
    variant = comparison.series.variant
    ensemble = view_of(comparison, words) if words.ensemble else None
    said = ensemble_finding(judged, words, reference) if ensemble else finding(judged, words, reference)
    there = [standing.who for standing in comparison.ok]
    return Panel(
        anchor=measured.anchor,
        main=main,
        settings=variant.settings,
        variant=words.variants[variant],
        dt=comparison.dt,
        duration=variant.duration,
        finding=said[:1].upper() + said[1:] + "." if said else _alone(comparison, words),
        repeats=repeats_sentence(comparison, words.names),
        styles=tuple(words.styles[words.names[who]] for who in there),
        coincides={} if ensemble else coinciding(judged, words.names),
        charts=measured.charts or (),
        joint_charts=measured.joint_charts,
        left_out=measured.charts is None,
        metrics=()
        if ensemble and ensemble.rows
        else _without_quality(metric_rows(comparison, words.metrics, words.outcomes)),
        reference=words.names[reference] if reference in there and reference is not None else "",
        convergence=() if ensemble else convergence_rows(judged, words.names, reference),
        convergence_charts=measured.convergence_charts,
        phases=phases_of(comparison.series, comparison.dt, words.names, words.metrics),
        ensemble=ensemble,
    )


def _without_quality(rows: tuple[MetricRow, ...]) -> tuple[MetricRow, ...]:
    """All rows but those that the table of contact quality has; one with a check stays."""
    return tuple(row for row in rows if row.name not in NAMES or any(r and r.verdict for r in row.readings))


def _alone(comparison: Comparison, words: Lexicon) -> str:
    """What stands in the place of a finding where only one engine was asked."""
    (standing,) = comparison.standings
    how = "ran" if standing.ok else "was asked"
    return f"Only {words.names[standing.who]} {how} here, so there is nothing to compare."


def defaults_of(comparison: Comparison, words: Lexicon) -> DefaultsTable:
    """The resolved values of everyone that ended well."""
    found = {
        words.names[standing.who]: standing.run.record.resolution
        for standing in comparison.ok
        if standing.run.record.resolution is not None
    }
    return side_by_side(comparison.series.variant.settings, comparison.dt, found)


def repeats_sentence(comparison: Comparison, names: Mapping[Participant, str]) -> str:
    """How many repeats there are and whether they are equal."""
    identical: dict[int, list[str]] = {}
    clauses = []
    for standing in comparison.ok:
        if standing.identical:
            identical.setdefault(standing.repeats, []).append(names[standing.who])
        elif standing.spread is not None:
            apart = quantity(standing.spread.motion, UNITS[standing.spread.motion_kind])
            clauses.append(f"{names[standing.who]}: {standing.repeats} repeats spread by {apart}")
    same = [f"{count} repeats bit-identical for {', '.join(who)}" for count, who in sorted(identical.items())]
    single = [names[standing.who] for standing in comparison.ok if standing.repeats < 2]
    alone = [f"one run only of {', '.join(single)}"] if single else []
    text = "; ".join([*clauses, *same, *alone])
    return text[:1].upper() + text[1:] + "." if text else ""


def coinciding(judged: Judged, names: Mapping[Participant, str]) -> dict[str, str]:
    """Label -> label of the first participant that it agrees with: their curves cannot be told apart."""
    found: dict[str, str] = {}
    there = [standing.who for standing in judged.comparison.ok]
    for k, who in enumerate(there):
        for earlier in there[:k]:
            cell = judged.cell(who, earlier)
            if cell is not None and cell.agrees:
                found[names[who]] = names[earlier]
                break
    return found


def convergence_rows(
    judged: Judged, names: Mapping[Participant, str], reference: Participant | None
) -> tuple[ConvergenceRow, ...]:
    """Rows for every participant that ended well: how far it moved, and what decided where that is something else."""
    return tuple(row for standing in judged.comparison.ok for row in _rows(judged, standing, names, reference))


def _rows(
    judged: Judged, standing: Standing, names: Mapping[Participant, str], reference: Participant | None
) -> Iterator[ConvergenceRow]:
    cell = judged.cell(standing.who, reference) if reference else None
    spread = judged.spreads[standing.who]
    kinds = [_moving(judged)]
    if cell is not None and cell.kind and cell.kind not in kinds and not cell.identical:
        kinds.append(cell.kind)
    for kind in kinds:
        yield ConvergenceRow(
            label=names[standing.who],
            kind=kind,
            unit=UNITS[kind],
            difference=_of(cell.apart if cell else None, kind),
            halved=_of(standing.halved, kind),
            doubled={name: _of(part, kind) for name, part in standing.doubled.items()},
            spread=_of(spread, kind),
            repeats=standing.repeats,
            verdict=(cell.each.get(kind, cell.word) if cell else ""),
        )


def _moving(judged: Judged) -> str:
    """Position, or joint or slide where joints move apart more than bodies."""
    kinds = {one.motion_kind for one in judged.comparison.apart.values() if one is not None and one.motion > 0}
    return next((kind for kind in ("position", "joint", "slide") if kind in kinds), "position")


def _of(difference: Difference | None, kind: str) -> float | None:
    return None if difference is None else float(getattr(difference, kind))
