"""The part of the report about one experiment: measure all its series, judge them together, then write it down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from .. import store
from ..settings import PROFILES
from .answers import PROFILE_ORDER, answer, failed_checks, full_runs, with_smoke
from .defaults import side_by_side
from .deviations import deviation_answers, deviation_tables, evaluates
from .ensembles import judge_ensembles
from .figures import convergence_charts
from .findings import findings_of, run_rows
from .joint_charts import joint_charts
from .lexicon import Lexicon, lexicon
from .matrix import Entered
from .measure import Comparison, Traces, main_of, measure, reference_of
from .outcome_table import outcome_table
from .outcome_words import outcome_sentences
from .over_time import over_time
from .panels import Measured, defaults_of, panel_of
from .participants import Participant
from .quality import quality_table
from .runs import Run, Series, series_of
from .softening import covers, softenings
from .speed import speed_table
from .summary import Section
from .sweeps import sweeps_of
from .verdicts import judge

MOST_CHARTED = 8  # panels of an experiment that get charts
MOST_JOINT_CHARTED = 3  # of these, panels that get the many small ones of joints


@dataclass(frozen=True, kw_only=True)
class Told:
    """A section, what it adds to the matrix, and the traces that could not be read."""

    section: Section
    entered: Entered
    damage: tuple[store.Damage, ...]


def tell(name: str, runs: Sequence[Run], colours: Mapping[str, int]) -> Told:
    """Everything about the experiment `name`.

    Args:
        name: of the experiment.
        runs: all runs of it.
        colours: engine -> number of its colour.
    """
    words = lexicon(runs, colours)
    told = _tell_states(name, runs, words) if evaluates(runs, words) else _tell_traces(name, runs, words)
    return replace(told, section=replace(told.section, answers=with_smoke(told.section.answers, runs)))


def _tell_states(name: str, runs: Sequence[Run], words: Lexicon) -> Told:
    """An experiment without traces: deviations from an independent reference, and no verdicts."""
    order = sorted(series_of(runs), key=lambda series: _rank(series, words))
    first = order[0].variant
    resolutions = {
        run.record.job.settings: {
            words.names[one.participant]: one.record.resolution
            for one in runs
            if one.ok and one.record.resolution and one.variant.params == first.params
            if one.record.job.settings == run.record.job.settings
        }
        for run in runs
    }
    full = full_runs(runs)
    checks = failed_checks(full, words)
    section = Section(
        name=name,
        text=words.text,
        answers=(
            *deviation_answers(full, words),
            *((checks[:1].upper() + checks[1:] + ".",) if checks else ()),
        ),
        tolerance=None,
        styles=words.styles,
        panels=(),
        softenings=(),
        deviations=deviation_tables(runs, words),
        defaults=tuple(
            side_by_side(settings, runs[0].record.job.dt, found)
            for settings, found in sorted(resolutions.items())
            if found
        ),
        speeds=(),
        findings=findings_of(runs, words),
        runs=run_rows(runs, words),
    )
    entered = Entered(experiment=name, rows=(), refining=(), doubled=(), words=words, reference=None)
    return Told(section=section, entered=entered, damage=())


def _tell_traces(name: str, runs: Sequence[Run], words: Lexicon) -> Told:
    order = sorted(series_of(runs), key=lambda series: _rank(series, words))
    first = max(order, key=lambda series: (not series.variant.smoke, _entrants(series), -order.index(series)))
    measured: dict[int, Measured] = {}
    damage: list[store.Damage] = []
    reference: Participant | None = None
    tolerance = words.tolerance or (0.0, 0.0, 0.0)
    for series in [first, *(other for other in order if other is not first)]:
        traces = Traces()
        comparisons = measure(series, traces)
        if comparisons:
            main = main_of(comparisons, words.kind.DT if words.kind else None)
            if series is first:
                reference = None if words.ensemble else reference_of(main, tolerance)
            present = reference if reference in [standing.who for standing in main.ok] else None
            number = len(measured)
            measured[order.index(series)] = Measured(
                anchor=f"{name}-{order.index(series) + 1}",
                comparisons=comparisons,
                main=main,
                charts=over_time(main, traces, words, present) if number < MOST_CHARTED else None,
                joint_charts=joint_charts(main, traces, words.names, present) if number < MOST_JOINT_CHARTED else (),
                convergence_charts=convergence_charts(comparisons, main, words.names, present)
                if number < MOST_CHARTED and not words.ensemble
                else (),
            )
        damage += traces.damage
    everything = [measured[k] for k in sorted(measured)]
    every = [c for m in everything for c in m.comparisons]
    verdicts = judge_ensembles(every, words) if words.ensemble else judge(every, words.tolerance, words.names)
    judged = {id(one.comparison): one for one in verdicts}
    leading = measured.get(order.index(first))
    aside = [m for m in everything if m.main.series.variant.smoke and not first.variant.smoke]
    alike = [m for m in everything if m.main.series.variant.params == first.variant.params and m not in aside]
    sweeps = sweeps_of(runs, words, name)
    drawn = {
        id(c)
        for m in everything
        for c in m.comparisons
        if not (m is leading and c is m.main) and any(sweep.covers(c) for sweep in sweeps)
    }
    answered = [judged[id(m.main)] for m in sorted(alike, key=lambda m: m is not leading) if id(m.main) not in drawn]
    softer = softenings(every, words, name)
    others = [
        m.main
        for m in everything
        if m not in [*alike, *aside] and not (softer and covers(m.main)) and id(m.main) not in drawn
    ]
    rows = tuple(
        (words.variants[c.series.variant], m.anchor, judged[id(c)])
        for m in everything
        for c in m.comparisons
        if len(c.standings) > 1 and (words.ensemble or not c.refines) and id(c) not in drawn
    )
    covered = [m.main for m in everything if m not in [*alike, *aside] and m.main not in others]
    covered += [c for m in aside for c in m.comparisons if words.ensemble or not c.refines]
    untold = len(rows) - sum(len(one.standings) > 1 and id(one) not in drawn for one in covered)
    outcomes = outcome_table(full_runs(runs), words)
    section = Section(
        name=name,
        text=words.text,
        answers=(
            *(outcome_sentences(outcomes) if outcomes is not None else ()),
            *answer(
                answered,
                [judged[id(one)] for one in others],
                [s.sentence for s in softer],
                full_runs(runs),
                words,
                reference,
                untold,
            ),
        ),
        tolerance=words.tolerance,
        styles=words.styles,
        panels=tuple(panel_of(m, judged[id(m.main)], words, reference, main=m is leading) for m in everything),
        softenings=softer,
        deviations=(),
        defaults=tuple(defaults_of(one.comparison, words) for one in answered if one.comparison.ok),
        speeds=tuple(
            table
            for one in answered
            if (table := speed_table(one.comparison, words.variants[one.comparison.series.variant], words.names))
        ),
        findings=findings_of(runs, words),
        runs=run_rows(runs, words),
        quality=quality_table([(m.anchor, m.main) for m in everything if m not in aside], words),
        sweeps=sweeps,
        outcomes=outcomes,
    )
    entered = Entered(
        experiment=name,
        rows=rows,
        refining=tuple(c for c in every if c.refines and not words.ensemble),
        doubled=_doubled(every, words),
        words=words,
        reference=reference,
    )
    return Told(section=section, entered=entered, damage=tuple(damage))


def _doubled(comparisons: Sequence[Comparison], words: Lexicon) -> tuple[tuple[str, str], ...]:
    """Participants with options that other runs have doubled."""
    found = {
        (words.names[standing.who], option)
        for comparison in comparisons
        for standing in comparison.ok
        for option, part in standing.doubled.items()
        if part is not None
    }
    return tuple(sorted(found))


def _rank(series: Series, words: Lexicon) -> tuple[bool, bool, str, int, str]:
    """Variants at the experiment's defaults first, then by settings profile; smoke runs at the end."""
    text, settings = words.variants[series.variant], series.variant.settings
    order = (*PROFILE_ORDER, *PROFILES)
    place = order.index(settings) if settings in order else len(order)
    return (series.variant.smoke, text != "", text, place, settings)


def _entrants(series: Series) -> tuple[int, int]:
    """How many engines, and then how many participants, have a run that ended well."""
    told = {who for who, dt in series.runs if series.ok(who, dt)}
    return len({who.engine for who in told}), len(told)
