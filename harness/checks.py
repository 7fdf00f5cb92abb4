"""Measure the metrics of a finished run and hold them against the experiment's closed forms."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from .contact_quality import quality
from .experiment import Context, Experiment, Metric, NotApplicable
from .trace import Trace

Outcome = Literal["pass", "fail", "not applicable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Outcome of one check: `error` is measured - expected, in the metric's unit."""

    metric: str
    outcome: Outcome
    measured: float | None
    expected: float | None
    error: float | None
    tolerance: float | None
    reason: str


def metrics_of(experiment: Experiment) -> tuple[Metric, ...]:
    """The metrics that these parameters ask for, those of contact quality included where contacts are logged."""
    return (*experiment.metrics(), *(quality() if experiment.CONTACTS else ()))


def measure(experiment: Experiment, trace: Trace, context: Context) -> dict[str, float]:
    """All metrics of the run, name -> value in SI units; NaN where the run does not show it."""
    return {metric.name: float(metric.measure(trace, context)) for metric in metrics_of(experiment)}


def judge(experiment: Experiment, trace: Trace, context: Context, measured: dict[str, float]) -> list[Verdict]:
    """The verdict of every check of the experiment."""
    verdicts = []
    for check in experiment.checks():
        expected = check.expected(trace, context)
        value = measured[check.metric]
        if isinstance(expected, NotApplicable):
            verdict = Verdict(
                metric=check.metric,
                outcome="not applicable",
                measured=value if math.isfinite(value) else None,
                expected=None,
                error=None,
                tolerance=None,
                reason=expected.reason,
            )
        else:
            tolerance = check.tolerance(context, expected)
            error = value - expected
            verdict = Verdict(
                metric=check.metric,
                outcome="pass" if abs(error) <= tolerance else "fail",
                measured=value if math.isfinite(value) else None,
                expected=expected,
                error=error if math.isfinite(error) else None,
                tolerance=tolerance,
                reason=check.source,
            )
        verdicts.append(verdict)
    return verdicts
