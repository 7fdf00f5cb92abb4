"""Experiments that evaluate states instead of stepping: how far each engine is from an independent reference."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from statistics import median

from ..channels import BY_NAME
from ..engine import Resolution
from ..experiment import Experiment
from .lexicon import Lexicon
from .measured import MetricRow, Reading
from .participants import Participant
from .quantity import quantity
from .runs import Run, Variant
from .summary import DeviationGroup, DeviationTable
from .wording import in_words

COST = "_cost"  # end of the name of a metric that is a wall time: repeats give its median, else the largest counts


def evaluates(runs: Sequence[Run], words: Lexicon) -> bool:
    """Whether these runs evaluate states and leave no trace."""
    if any(run.ok for run in runs):
        return all(not run.stepped for run in runs if run.ok)
    return words.kind is not None and words.kind.evaluate is not Experiment.evaluate


def deviation_tables(runs: Sequence[Run], words: Lexicon) -> tuple[DeviationTable, ...]:
    """A table for each settings profile, with a group of rows for each set of parameters."""
    by_settings: dict[str, list[Run]] = defaultdict(list)
    for run in runs:
        if run.ok:
            by_settings[run.record.job.settings].append(run)
    return tuple(_table(settings, group, words) for settings, group in sorted(by_settings.items()))


def deviation_answers(runs: Sequence[Run], words: Lexicon) -> tuple[str, ...]:
    """The largest deviation of each engine, measured by what its check allows."""
    worst: dict[str, tuple[float, str]] = {}
    for run in runs:
        name = words.names[run.participant]
        for verdict in run.record.checks:
            if run.ok and verdict.error is not None and verdict.tolerance:
                unit = words.metrics[verdict.metric].unit if verdict.metric in words.metrics else ""
                amount, allowed = (quantity(x, unit, 2) for x in (abs(verdict.error), verdict.tolerance))
                said = f"{verdict.metric} {amount} of {allowed} allowed"
                worst[name] = max(worst.get(name, (-1.0, "")), (abs(verdict.error) / verdict.tolerance, said))
    ordered = sorted(worst.items(), key=lambda item: item[1][0])
    clauses = [f"{name} in {said}" for name, (_, said) in ordered]
    sentences = [f"Largest deviation from {_against(words)}: {'; '.join(clauses)}."] if clauses else []
    broken = {(words.names[run.participant], run.status) for run in runs if not run.ok}
    sentences += [f"{name}: {status}." for name, status in sorted(broken)]
    return tuple(text[:1].upper() + text[1:] for text in sentences)


def _against(words: Lexicon) -> str:
    """What these experiments are held against, in the experiment's word."""
    return words.kind.AGAINST if words.kind is not None else Experiment.AGAINST


def _table(settings: str, runs: Sequence[Run], words: Lexicon) -> DeviationTable:
    everyone = sorted({run.participant for run in runs})
    groups: dict[Variant, list[Run]] = defaultdict(list)
    for run in runs:
        groups[run.variant].append(run)
    notes = {words.names[who]: _notes([run for run in runs if run.participant == who]) for who in everyone}
    return DeviationTable(
        settings=settings,
        against=_against(words),
        participants=tuple(words.names[who] for who in everyone),
        groups=tuple(
            DeviationGroup(name=_name(variant, list(groups), words), rows=_rows(group, everyone, words))
            for variant, group in sorted(groups.items())
        ),
        notes={name: said for name, said in notes.items() if said},
    )


def _name(variant: Variant, variants: Sequence[Variant], words: Lexicon) -> str:
    """The parameters in which the groups differ, in words, or what sets the only group apart."""
    rows = [dict(one.params) for one in variants]
    varying = [name for name, _ in variant.params if len({row.get(name) for row in rows}) > 1]
    named = " ".join(f"{name}={value}" for name, value in variant.params if name in varying)
    return in_words(named or words.variants[variant]) or "all parameters at their defaults"


def _rows(runs: Sequence[Run], everyone: Sequence[Participant], words: Lexicon) -> tuple[MetricRow, ...]:
    by_who = {who: [run for run in runs if run.participant == who] for who in everyone}
    found = {name for run in runs for name in run.record.metrics}
    order = [name for name in words.metrics if name in found] + sorted(found - words.metrics.keys())
    rows = []
    for name in order:
        unit, text = (words.metrics[name].unit, words.metrics[name].text) if name in words.metrics else ("", "")
        readings = tuple(_reading(by_who[who], name) for who in everyone)
        rows.append(MetricRow(name=name, unit=unit, text=text, readings=readings, expected=None))
    return tuple(rows)


def _reading(runs: Sequence[Run], name: str) -> Reading | None:
    """The worst of the repeats, or the median of a wall time."""
    having = [run for run in runs if name in run.record.metrics]
    if not having:
        return None
    values = [run.record.metrics[name] for run in having]
    if name.endswith(COST):
        return Reading(value=median(values), verdict=None)
    run = max(having, key=lambda one: abs(one.record.metrics[name]) if math.isfinite(one.record.metrics[name]) else -1)
    verdict = next((v for v in run.record.checks if v.metric == name), None)
    return Reading(value=run.record.metrics[name], verdict=verdict)


def _notes(runs: Sequence[Run]) -> tuple[str, ...]:
    """What the engine says of its quantities."""
    found: dict[str, None] = {}
    for run in runs:
        resolution: Resolution | None = run.record.resolution
        for name, note in (resolution.channel_notes if resolution else {}).items():
            if name in BY_NAME:
                continue  # of a trace, which there is none of
            found[f"{name.replace('_', ' ')} ({note.kind}): {note.reason}"] = None
    return tuple(found)
