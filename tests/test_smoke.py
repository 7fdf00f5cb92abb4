"""The short variant of every experiment, on every chosen engine, on the path that a worker takes."""

from __future__ import annotations

import math

import pytest

from simparity.experiments import EXPERIMENTS
from simparity.harness.checks import metrics_of
from simparity.harness.configure import plan
from simparity.harness.job import Job
from simparity.harness.registry import experiment_class
from simparity.harness.smoke import SCHEDULED

from .conftest import Run

LONGEST = 1.0  # [s] simulated
SOFT = ("soft_ball_grasp", "plate_compression")


def job(experiment: str, *words: str) -> Job:
    (one,) = plan([f"experiment={experiment}", *words], multirun=False).jobs
    return one


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_every_experiment_runs(experiment: str, engine: str, run: Run) -> None:
    """It ends ok; a metric that is not a number is explained, by its own words or by the check of the same name."""
    fewer = ["+option.soft_iterations=5"] if engine == "genesis" and experiment in SOFT else []  # 50 take 1 s a step
    record, trace = run(experiment, "settings=matched", "smoke=true", *fewer)
    assert record.job.duration <= LONGEST
    chosen = experiment_class(experiment)(**record.job.params)
    explained = {metric.name for metric in metrics_of(chosen) if metric.absent}
    explained |= {verdict.metric for verdict in record.checks if verdict.outcome == "not applicable" and verdict.reason}
    unexplained = {name for name, value in record.metrics.items() if not math.isfinite(value)} - explained
    assert record.metrics
    assert not unexplained
    assert not [found for found in record.detections if found.kind == "explosion"]
    if trace is not None:
        assert trace.time[-1] == pytest.approx(record.job.duration)


@pytest.mark.parametrize("experiment", SOFT)
@pytest.mark.parametrize("settings", ["default", "published"])
def test_explicit_elasticity_is_stable_in_it(experiment: str, settings: str, engine: str, run: Run) -> None:
    if engine != "mujoco":
        pytest.skip("the other engines integrate elasticity implicitly under every profile")
    run(experiment, f"settings={settings}", "smoke=true")


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_the_variant_is_known_by_its_values_alone(experiment: str) -> None:
    variant = experiment_class(experiment).SMOKE
    assert variant, "every experiment has a short variant"
    words = [f"{'' if key in SCHEDULED else 'experiment.'}{key}={value}" for key, value in variant.items()]
    assert job(experiment, "smoke=true").digest == job(experiment, *words).digest != job(experiment).digest
    assert job(experiment, "smoke=false").digest == job(experiment).digest


def test_what_the_user_sets_stays() -> None:
    one = job("throw", "smoke=true", "dt=0.001")
    assert (one.dt, one.duration) == (1e-3, experiment_class("throw").SMOKE["duration"])
