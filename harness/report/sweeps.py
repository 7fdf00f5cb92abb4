"""Metrics against a number that was swept: the step, an option of the engine, or a parameter of the experiment."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Literal, TypeAlias

import numpy as np

from ..checks import metrics_of
from ..convergence import fitted_order, rounding_floor
from ..experiment import OUTCOME, Metric
from ..scene import Array
from .chart import Chart, Curve, Style
from .lexicon import Lexicon, experiment_of
from .measure import Comparison
from .participants import Participant
from .quantity import plain, quantity
from .runs import PHASE, Run, Variant, in_order
from .verdicts import LEAST

LEAST_VALUES = 3  # of the swept number, for a diagram
MOST_CHARTS = 6  # of one sweep
MOST_SWEEPS = 8  # of one experiment and kind, lest many parameters leave the options undrawn
CHANGES = 1e-3  # relative change of a metric along the swept number, from which it is drawn
DECADE = 8  # times: a number swept over more has a logarithmic axis

Kind: TypeAlias = Literal["dt", "option", "parameter"]


@dataclass(frozen=True, kw_only=True)
class SweptChart:
    """A metric against the swept number; `note` tells fitted orders of convergence, "" where none is asked for."""

    chart: Chart
    note: str


@dataclass(frozen=True, order=True)
class Shared:
    """What the runs of one sweep have in common; dt is 0 where it is swept."""

    kind: str
    name: str
    variant: Variant
    dt: float


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """Runs that differ in one number only.

    Attributes:
        name: of the number.
        where: the settings, parameters and step that they share.
        styles: of the participants.
        shared: what its runs have in common.
        drawn: participants with a point in a chart, their option included where that is the number.
    """

    anchor: str
    name: str
    where: str
    styles: tuple[Style, ...]
    charts: tuple[SweptChart, ...]
    shared: Shared
    drawn: frozenset[Participant]

    def covers(self, comparison: Comparison) -> bool:
        """Whether it draws all of a comparison of many values of one option of one engine: it says more than pairs."""
        everyone = {standing.who for standing in comparison.standings}
        return (
            self.shared == Shared("option", self.name, comparison.series.variant, comparison.dt)
            and len(everyone) > LEAST_VALUES
            and everyone <= self.drawn
            and len({who.without([self.name]) for who in everyone}) == 1
        )


Points = dict[float, list[Run]]  # swept number -> the runs at it


def sweeps_of(runs: Sequence[Run], words: Lexicon, section: str) -> tuple[Sweep, ...]:
    """A sweep for every number of which some participant has at least three values, all else being equal.

    Args:
        runs: of one experiment.
        words: what participants, variants and metrics are called.
        section: name of the experiment, for the anchors.
    """
    found: list[Sweep] = []
    for shared, lines in sorted(_lines(runs, words).items(), key=lambda item: _rank(item[0], words)):
        told = {who: points for who, points in sorted(lines.items()) if len(points) >= LEAST_VALUES}
        if told and sum(sweep.shared.kind == shared.kind for sweep in found) < MOST_SWEEPS:
            sweep = _told(f"{section}-sweep-{len(found)}", shared, told, words)
            if sweep.charts:
                found.append(sweep)
    return tuple(found)


def _rank(shared: Shared, words: Lexicon) -> tuple[bool, int, str, bool, Any]:
    variant = shared.variant
    usual = words.variants.get(variant, "") == ""
    first = words.kind is not None and shared.name == words.kind.SWEPT
    kind = ("dt", "option", "parameter").index(shared.kind)
    return (not first, kind, shared.name, not usual, (variant, -shared.dt))


def _lines(runs: Sequence[Run], words: Lexicon) -> dict[Shared, dict[Participant, Points]]:
    """Every number that could have been swept -> participant without it -> its points."""
    lines: dict[Shared, dict[Participant, Points]] = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    well = [run for run in runs if run.ok and run.phase == 0]
    options = {name for run in well for name, value in run.record.job.overrides.items() if _number(value)}
    for run in well:
        for kind, name, x in _numbers(run, options, words):
            variant, who = run.variant, run.participant
            if kind == "option":
                who = who.without([name])
            if kind == "parameter":
                variant = replace(variant, params=tuple(item for item in variant.params if item[0] != name))
            lines[Shared(kind, name, variant, 0.0 if kind == "dt" else run.record.job.dt)][who][x].append(run)
    return lines


def _numbers(run: Run, options: set[str], words: Lexicon) -> Iterator[tuple[Kind, str, float]]:
    """The numbers of a run that may be swept; an option that was not set has the value that the engine resolved."""
    job, resolution = run.record.job, run.record.resolution
    yield "dt", "dt", job.dt
    for name in sorted(options):
        row = resolution.table.get(name) if resolution is not None else None
        value = job.overrides.get(name, row.value if row is not None else None)
        if _number(value):
            yield "option", name, float(value)
    for name, value in sorted(job.params.items()):
        if _number(value) and name not in (PHASE, words.ensemble):
            yield "parameter", name, float(value)


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _told(anchor: str, shared: Shared, lines: Mapping[Participant, Points], words: Lexicon) -> Sweep:
    labels = {who: _label(who, points, shared, words) for who, points in lines.items()}
    dashes: dict[int, int] = defaultdict(int)
    styles = []
    for who, label in labels.items():
        colour = words.styles[words.names[_any(lines[who]).participant]].colour
        styles.append(Style(label=label, colour=colour, dash=dashes[colour]))
        dashes[colour] += 1
    metrics = [name for name in words.main_metrics if name != OUTCOME and name in words.metrics]
    if shared.kind == "dt":
        metrics.sort(key=lambda name: not words.metrics[name].converges)
    labelled = {labels[who]: points for who, points in lines.items()}
    every = ((name, _chart(name, shared, labelled, words)) for name in metrics)
    charts = dict(islice(((name, chart) for name, chart in every if chart is not None), MOST_CHARTS))
    runs = [run for points in lines.values() for group in points.values() for run in group]
    return Sweep(
        anchor=anchor,
        name=shared.name,
        where=_where(shared, lines, words),
        styles=tuple(styles),
        charts=tuple(charts.values()),
        shared=shared,
        drawn=frozenset(run.participant for run in runs if any(math.isfinite(_value(run, name)) for name in charts)),
    )


def _any(points: Points) -> Run:
    return next(iter(points.values()))[0]


def _label(who: Participant, points: Points, shared: Shared, words: Lexicon) -> str:
    """Name of the participant without the swept option."""
    if who in words.names:
        return words.names[who]
    run = _any(points)
    value = dict(run.participant.overrides).get(shared.name, "")
    return words.names[run.participant].replace(f" {shared.name}={value}", "")


def _where(shared: Shared, lines: Mapping[Participant, Points], words: Lexicon) -> str:
    run = _any(next(iter(lines.values())))
    text = words.variants[run.variant]
    if shared.kind == "parameter":
        text = " ".join(part for part in text.split(" ") if not part.startswith(f"{shared.name}="))
    step = "" if shared.kind == "dt" else f"step {quantity(shared.dt, 's')}"
    return ", ".join(part for part in (f"{shared.variant.settings} settings", text, step) if part)


def _chart(name: str, shared: Shared, lines: Mapping[str, Points], words: Lexicon) -> SweptChart | None:
    """The diagram of one metric; None where it does not change, or nobody has three values of it."""
    curves = [curve for label, points in lines.items() if (curve := _curve(label, name, points)) is not None]
    if not any(len(curve.x) >= LEAST_VALUES and _changes(curve) for curve in curves):
        return None
    metric = words.metrics[name]
    every_x, every_y = (np.concatenate([getattr(curve, axis) for curve in curves]) for axis in "xy")
    orders = _orders(lines, curves, metric) if shared.kind == "dt" and metric.converges else []
    chart = Chart(
        title=f"{name.replace('_', ' ')} against {shared.name}",
        alt=f"{name} of each participant against {shared.name}",
        x=(shared.name, "s" if shared.kind == "dt" else ""),
        y=(name.replace("_", " "), metric.unit),
        curves=tuple(curves),
        log_x=shared.kind == "dt" or _wide(every_x),
        log_y=_wide(every_y, 1.0 if shared.kind == "dt" and metric.converges else 30.0),
        points=True,
    )
    return SweptChart(chart=chart, note=f"order of convergence: {', '.join(orders)}" if orders else "")


def _curve(label: str, name: str, points: Points) -> Curve | None:
    """Median over members and repeats at each value; of several, the middle half is a band."""
    kept = []
    for x, runs in sorted(points.items()):
        values = [_value(run, name) for run in sorted(runs, key=_repeat)]
        finite = [value for value in values if math.isfinite(value)]
        if finite:
            kept.append((x, *np.quantile(finite, (0.5, 0.25, 0.75))))
    if not kept:
        return None
    x, y, low, high = np.array(kept, dtype=float).T
    banded = bool((high > low).any())
    return Curve(label=label, x=x, y=y, low=low if banded else None, high=high if banded else None)


def _value(run: Run, metric: str) -> float:
    return run.record.metrics.get(metric, math.nan)


def _repeat(run: Run) -> tuple[tuple[int, str], int]:
    return in_order(run.member), run.record.job.repeat


def _changes(curve: Curve) -> bool:
    return float(np.ptp(curve.y)) > max(CHANGES * float(np.abs(curve.y).max()), LEAST)


def _wide(values: Array, factor: float = DECADE) -> bool:
    return bool((values > 0).all() and values.max() > factor * values.min())


def _orders(lines: Mapping[str, Points], curves: Sequence[Curve], metric: Metric) -> list[str]:
    """Participant and the order that fits its errors above what the roundings of each run leave."""
    said = []
    for curve in curves:
        run = _any(lines[curve.label])
        experiment, job = experiment_of(run), run.record.job
        own = {one.name: one for one in metrics_of(experiment)} if experiment is not None else {}
        size = own.get(metric.name, metric).scale(job.duration)
        floors = [rounding_floor(job.precision, round(job.duration / dt), size) for dt in curve.x]
        found = fitted_order(curve.x.tolist(), np.abs(curve.y).tolist(), floors)
        if found is not None:
            said.append(f"{curve.label} {plain(found.order)}")
    return said
