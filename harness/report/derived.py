"""Series that an experiment derives from its stored samples, over time: depth, push force, whatever tells its story."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..contacts import ContactTrace
from ..experiment import Context, Experiment, Series
from ..registry import experiment_class
from ..schedule import Schedule
from ..soft_state import SoftTrace
from ..trace import Trace
from .chart import Chart, Curve
from .runs import Run


def derives(experiment: Experiment | None) -> bool:
    """Whether the experiment has any series."""
    return experiment is not None and type(experiment).series is not Experiment.series


def series_of_run(
    run: Run, trace: Trace, contacts: ContactTrace | None, soft: tuple[SoftTrace, ...] = ()
) -> tuple[Series, ...]:
    """The series of a run as this version's experiment derives them.

    Raises:
        LookupError, TypeError, ValueError: the experiment cannot read what another version of it has left.
    """
    job, resolution = run.record.job, run.record.resolution
    if resolution is None:
        return ()
    experiment: Experiment = experiment_class(job.experiment)(**job.params)
    schedule = Schedule(dt=job.dt, duration=job.duration, stride=job.stride, control_dt=job.control_dt)
    context = Context(schedule, resolution, None, experiment.scene(job.dt), contacts, soft)
    return tuple(experiment.series(trace, context))


def series_charts(found: Sequence[tuple[str, Trace, Sequence[Series]]]) -> tuple[Chart, ...]:
    """A diagram for each series, with a curve for each run (label of its participant, trace, series)."""
    names = dict.fromkeys((one.name, one.unit) for _, _, series in found for one in series)
    charts = []
    for name, unit in names:
        texts: list[str] = []
        curves = []
        for label, trace, series in found:
            for one in series:
                if (one.name, one.unit) == (name, unit) and np.isfinite(one.values).any():
                    curves.append(Curve(label=label, x=trace.time, y=one.values))
                    texts.append(one.text)
        if curves:
            several = ", every member" if len(curves) > len({curve.label for curve in curves}) else ""
            words = name.replace("_", " ")
            title = f"{words[:1].upper()}{words[1:]}{several}: {texts[0]}"
            charts.append(
                Chart(title=title, alt=f"{title}, over time", x=("time", "s"), y=(words, unit), curves=tuple(curves))
            )
    return tuple(charts)
