"""The short, coarse variant of an experiment, as overrides of a run, and which jobs are of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..experiments import EXPERIMENTS
from .job import Job
from .registry import experiment_class

SCHEDULED = ("dt", "duration")  # keys of SMOKE that belong to the run; the others are the experiment's parameters


def smoke_words(experiment: Any, words: Iterable[str]) -> list[str]:
    """`words`, overrides of a run of this experiment class, after those of its SMOKE that they do not set."""
    said = list(words)
    given = {word.partition("=")[0].lstrip("+~") for word in said}
    keys = {key: key if key in SCHEDULED else f"experiment.{key}" for key in experiment.SMOKE}
    return [f"{keys[key]}={value}" for key, value in experiment.SMOKE.items() if keys[key] not in given] + said


def smoke_of(job: Job) -> dict[str, Any]:
    """What SMOKE sets for a job of that variant; nothing for any other job.

    The step does not count, where SMOKE sets more than that: a smoke run with another step is one still.
    """
    if job.experiment not in EXPERIMENTS:
        return {}
    smoke = dict(experiment_class(job.experiment).SMOKE)
    asked = [name for name in smoke if name != "dt"] or list(smoke)
    given = dict(job.params) | {name: getattr(job, name) for name in SCHEDULED}
    same = all(name in given and _plain(given[name]) == _plain(smoke[name]) for name in asked)
    return smoke if asked and same else {}


def _plain(value: Any) -> Any:
    """A tuple and the list that JSON makes of it are the same."""
    return list(value) if isinstance(value, tuple) else value
