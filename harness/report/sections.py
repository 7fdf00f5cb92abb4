"""The part of the report about one experiment: measure all its series, judge them together, then write it down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .. import store
from ..settings import PROFILES
from .answers import answer, finding
from .defaults import DefaultsTable, side_by_side
from .figures import Chart, charts_of, convergence_charts
from .findings import findings_of, run_rows
from .lexicon import Lexicon, lexicon
from .measure import Comparison, Traces, main_of, measure, reference_of
from .measured import metric_rows, phases_of
from .panels import convergence_rows, repeats_sentence
from .runs import Participant, Run, Series, series_of
from .speed import speed_table
from .summary import Panel, Section
from .verdicts import Judged, judge

MOST_CHARTED = 8  # panels of an experiment that get charts


@dataclass(frozen=True, kw_only=True)
class Told:
    """A section, the rows that it adds to the matrix, and the traces that could not be read.

    Attributes:
        rows: variant, anchor of its panel, and the judged comparison.
        reference: the participant that the others are held against.
    """

    section: Section
    rows: tuple[tuple[str, str, Judged], ...]
    names: Mapping[Participant, str]
    reference: Participant | None
    damage: tuple[store.Damage, ...]


@dataclass(frozen=True, kw_only=True)
class _Measured:
    """What the traces of one series gave, kept when the traces themselves are dropped."""

    anchor: str
    comparisons: tuple[Comparison, ...]
    main: Comparison
    charts: tuple[Chart, ...] | None
    convergence_charts: tuple[Chart, ...]


def tell(name: str, runs: Sequence[Run], colours: Mapping[str, int]) -> Told:
    """Everything about the experiment `name`.

    Args:
        name: of the experiment.
        runs: all runs of it.
        colours: engine -> number of its colour.
    """
    words = lexicon(runs, colours)
    order = sorted(series_of(runs), key=lambda series: _rank(series, words))
    first = max(order, key=lambda series: (_entrants(series), -order.index(series)))
    measured: dict[int, _Measured] = {}
    damage: list[store.Damage] = []
    reference: Participant | None = None
    for series in [first, *(other for other in order if other is not first)]:
        traces = Traces()
        comparisons = measure(series, traces)
        if comparisons:
            main = main_of(comparisons, words.experiment.DT if words.experiment else None)
            if series is first:
                reference = reference_of(main, words.tolerance[0] if words.tolerance else 0.0)
            present = reference if reference in [standing.who for standing in main.ok] else None
            charted = len(measured) < MOST_CHARTED
            measured[order.index(series)] = _Measured(
                anchor=f"{name}-{order.index(series) + 1}",
                comparisons=comparisons,
                main=main,
                charts=charts_of(main, traces, words.names, present) if charted else None,
                convergence_charts=convergence_charts(comparisons, words.names, present) if charted else (),
            )
        damage += traces.damage
    everything = [measured[k] for k in sorted(measured)]
    judged = {
        id(one.comparison): one
        for one in judge([c for m in everything for c in m.comparisons], words.tolerance, words.names)
    }
    leading = measured.get(order.index(first))
    alike = [m for m in everything if m is not leading and m.main.series.variant.params == first.variant.params]
    answered = [judged[id(m.main)] for m in ([leading, *alike] if leading else alike)]
    section = Section(
        name=name,
        text=words.text,
        clauses=answer(answered, runs, words, reference),
        tolerance=words.tolerance,
        styles=words.styles,
        panels=tuple(_panel(m, judged[id(m.main)], words, reference, main=m is leading) for m in everything),
        defaults=tuple(_defaults(one.comparison, words) for one in answered if one.comparison.ok),
        speeds=tuple(
            table
            for one in answered
            if (table := speed_table(one.comparison, words.variants[one.comparison.series.variant], words.names))
        ),
        findings=findings_of(runs, words),
        runs=run_rows(runs, words),
    )
    rows = tuple(
        (words.variants[c.series.variant], m.anchor, judged[id(c)])
        for m in everything
        for c in m.comparisons
        if not c.refines and len(c.standings) > 1
    )
    return Told(section=section, rows=rows, names=words.names, reference=reference, damage=tuple(damage))


def _rank(series: Series, words: Lexicon) -> tuple[bool, str, int, str]:
    """Variants at the experiment's defaults first, then by settings profile."""
    text, settings = words.variants[series.variant], series.variant.settings
    return (text != "", text, PROFILES.index(settings) if settings in PROFILES else len(PROFILES), settings)


def _entrants(series: Series) -> int:
    """How many participants have a run that ended well."""
    return len({who for who, dt in series.runs if series.ok(who, dt)})


def _panel(measured: _Measured, judged: Judged, words: Lexicon, reference: Participant | None, *, main: bool) -> Panel:
    comparison = measured.main
    variant = comparison.series.variant
    said = finding(judged, words, reference)
    there = [standing.who for standing in comparison.ok]
    return Panel(
        anchor=measured.anchor,
        main=main,
        settings=variant.settings,
        variant=words.variants[variant],
        dt=comparison.dt,
        duration=variant.duration,
        finding=said[:1].upper() + said[1:] + ".",
        repeats=repeats_sentence(comparison, words.names),
        styles=tuple(words.styles[words.names[who]] for who in there),
        charts=measured.charts or (),
        left_out=measured.charts is None,
        metrics=metric_rows(comparison, words.metrics),
        reference=words.names[reference] if reference in there and reference is not None else "",
        convergence=convergence_rows(judged, words.names, reference),
        convergence_charts=measured.convergence_charts,
        phases=phases_of(comparison.series, comparison.dt, words.names, words.metrics),
    )


def _defaults(comparison: Comparison, words: Lexicon) -> DefaultsTable:
    found = {
        words.names[standing.who]: standing.run.record.resolution
        for standing in comparison.ok
        if standing.run.record.resolution is not None
    }
    return side_by_side(comparison.series.variant.settings, comparison.dt, found)
