"""The short, coarse variant of an experiment, as overrides of a run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

SCHEDULED = ("dt", "duration")  # keys of SMOKE that belong to the run; the others are the experiment's parameters


def smoke_words(experiment: Any, words: Iterable[str]) -> list[str]:
    """`words`, overrides of a run of this experiment class, after those of its SMOKE that they do not set."""
    said = list(words)
    given = {word.partition("=")[0].lstrip("+~") for word in said}
    keys = {key: key if key in SCHEDULED else f"experiment.{key}" for key in experiment.SMOKE}
    return [f"{keys[key]}={value}" for key, value in experiment.SMOKE.items() if keys[key] not in given] + said
