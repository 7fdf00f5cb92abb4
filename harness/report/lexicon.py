"""What the runs of one experiment are called and how they are drawn: participants, variants, metrics."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..checks import metrics_of
from ..contact_quality import quality
from ..errors import SimparityError
from ..experiment import OUTCOME, Experiment, Metric, outcome_word
from ..registry import experiment_class
from ..schedule import Schedule
from .chart import Style
from .participants import Participant
from .quantity import quantity
from .runs import PHASE, Run, Variant, labels, word


@dataclass(frozen=True, kw_only=True)
class Lexicon:
    """Words for the runs of one experiment.

    Attributes:
        kind: the experiment's class; None when this version of simparity does not have it.
        experiment: with the parameters of one of the runs; None when this version knows no such parameters.
        recorded: names of all metrics in the records, those of contact quality left out.
        names: label of every participant.
        variants: what sets every variant apart, "" for the experiment's defaults.
        metrics: name -> unit and text, in the order of the experiment.
        styles: label -> how it is drawn.
    """

    kind: type[Experiment] | None
    experiment: Experiment | None
    recorded: tuple[str, ...]
    names: Mapping[Participant, str]
    variants: Mapping[Variant, str]
    metrics: Mapping[str, Metric]
    styles: Mapping[str, Style]

    @property
    def tolerance(self) -> tuple[float, float, float] | None:
        """What the experiment calls agreement [m], [rad], [N s]."""
        return self.kind.TOLERANCE if self.kind else None

    @property
    def ensemble(self) -> str:
        """The parameter that numbers the members of an ensemble, "" where there is none."""
        return self.kind.ENSEMBLE if self.kind else ""

    @property
    def outcomes(self) -> tuple[str, ...]:
        """Words for the metric `outcome`."""
        return tuple(self.kind.OUTCOMES) if self.kind else ()

    @property
    def main_metrics(self) -> tuple[str, ...]:
        """Metrics that stand for the experiment: those that it names, or all its own; else those of the records."""
        if self.kind is None:
            return ()
        own = [metric.name for metric in self.experiment.metrics()] if self.experiment else self.recorded
        return tuple(self.kind.MAIN_METRICS) or tuple(own)

    def said(self, metric: str, value: float | None, digits: int = 3) -> str:
        """A value of a metric with its unit, or the word for it where it is the outcome."""
        if metric == OUTCOME and self.outcomes and value is not None:
            return outcome_word(self.outcomes, value)
        return quantity(value, self.metrics[metric].unit if metric in self.metrics else "", digits)

    @property
    def text(self) -> str:
        """What is simulated, as a sentence without a full stop."""
        text = self.kind.TEXT if self.kind else "an experiment that this version of simparity does not have"
        return text[:1].upper() + text[1:]


def lexicon(runs: Sequence[Run], colours: Mapping[str, int]) -> Lexicon:
    """The words for `runs`, all of one experiment; `colours` numbers the engines."""
    experiments = [found for found in {run.variant: experiment_of(run) for run in runs}.values() if found is not None]
    metrics: dict[str, Metric] = {}
    for experiment in experiments:
        for metric in metrics_of(experiment):
            metrics.setdefault(metric.name, metric)
    names = labels(runs)
    first = experiments[0] if experiments else None
    kind = _kind(runs[0].record.job.experiment)
    quality_names = {metric.name for metric in quality()}
    return Lexicon(
        kind=kind,
        experiment=first,
        recorded=tuple(sorted({name for run in runs for name in run.record.metrics} - quality_names)),
        names=names,
        variants=variant_texts([run.variant for run in runs], kind),
        metrics=metrics,
        styles={label: _style(who, label, names, colours) for who, label in names.items()},
    )


def variant_texts(variants: Sequence[Variant], experiment: type[Experiment] | None) -> dict[Variant, str]:
    """What sets each variant apart: "start=push incline=0.2", "smoke", nothing for the experiment's defaults."""
    return {
        variant: " ".join([*(["smoke"] if variant.smoke else []), *(f"{name}={value}" for name, value in own.items())])
        for variant, own in unusual(variants, experiment).items()
    }


def unusual(variants: Sequence[Variant], experiment: type[Experiment] | None) -> dict[Variant, dict[str, str]]:
    """What is not at its default in each variant, name -> value; what has no default only where it varies."""
    usual: dict[str, str] = {}
    if experiment is not None:
        fields: Any = dataclasses.fields(experiment)  # type: ignore[arg-type]  # every experiment is a dataclass
        usual = {field.name: word(field.default) for field in fields if field.name != PHASE}
        usual["duration"] = quantity(experiment.DURATION, "s")
    own: Any = {field.name: field.default for field in dataclasses.fields(Schedule)}
    schedule = {"stride": str(own["stride"]), "control_dt": quantity(own["control_dt"], "s")}
    rows = {variant: facts(variant) for variant in variants}
    everything = list(rows.values())
    varying = {name for row in everything for name in row if len({other.get(name) for other in everything}) > 1}

    def shown(variant: Variant, name: str, value: str) -> bool:
        if variant.smoke and experiment is not None and name in experiment.SMOKE:
            return False
        return value != usual[name] if name in usual else name in varying and value != schedule.get(name)

    return {
        variant: {name: value for name, value in row.items() if shown(variant, name, value)}
        for variant, row in rows.items()
    }


def facts(variant: Variant) -> dict[str, str]:
    """Parameters and schedule of a variant, name -> value in words."""
    return dict(variant.params) | {
        "duration": quantity(variant.duration, "s"),
        "stride": str(variant.stride),
        "control_dt": quantity(variant.control_dt, "s"),
    }


def _kind(name: str) -> type[Experiment] | None:
    try:
        kind: type[Experiment] = experiment_class(name)
    except SimparityError:
        return None
    return kind


def experiment_of(run: Run) -> Experiment | None:
    """The experiment with the parameters of a run; None when this version of simparity knows no such parameters."""
    job = run.record.job
    try:
        experiment: Experiment = experiment_class(job.experiment)(**job.params)
    except (SimparityError, TypeError):
        return None
    return experiment


def _style(who: Participant, label: str, names: Mapping[Participant, str], colours: Mapping[str, int]) -> Style:
    order = sorted((one for one in names if one.engine == who.engine), key=lambda one: (len(one.overrides), one))
    return Style(label=label, colour=colours[who.engine], dash=order.index(who))
