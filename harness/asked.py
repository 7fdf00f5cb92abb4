"""What was asked for in a run: its differences from the defaults, and the words of `simparity run` that give it."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import Any

from .job import Job
from .registry import engine_entry, engine_version, experiment_class
from .smoke import smoke_of

_BARE = re.compile(r"[A-Za-z_][\w.+/-]*")  # text that Hydra takes without quotes


def changed(job: Job) -> dict[str, Any]:
    """Parameters, and settings of the run itself, that are not their defaults; `smoke` for those of that variant."""
    experiment, smoke = experiment_class(job.experiment), smoke_of(job)
    usual = {field.name: field.default for field in dataclasses.fields(experiment)} | {
        "duration": experiment.DURATION,
        "stride": 1,
        "control_dt": 1e-3,
        "device": "cpu",
        "precision": engine_entry(job.engine).precisions[0],
    }
    given = dict(job.params) | {name: getattr(job, name) for name in usual if name not in job.params}
    found = {
        name: value
        for name, value in given.items()
        if name not in smoke and _plain(value) != _plain(usual.get(name, dataclasses.MISSING))
    }
    return found | ({"smoke": "true"} if smoke else {})


def engine_word(job: Job) -> str:
    """The engine, with its version where another one is installed here."""
    version = job.engine_version.partition(" ")[0]
    return job.engine if engine_version(job.engine) == job.engine_version else f"{job.engine}@{version}"


def run_words(job: Job, **instead: str) -> list[str]:
    """The words of `simparity run` that ask for this job, with values of `instead` in the place of its own.

    Args:
        instead: such as engine="mujoco,physx", dt="0.001,0.0005", repeat="0,1".
    """
    usual_dt = smoke_of(job).get("dt", experiment_class(job.experiment).DT)
    words: dict[str, str] = {"experiment": job.experiment, "engine": engine_word(job)}
    if job.settings != "default":
        words["settings"] = job.settings
    if job.dt != usual_dt:
        words["dt"] = _word(job.dt)
    words |= {
        f"experiment.{name}" if name in job.params else name: value if name == "smoke" else _word(value)
        for name, value in changed(job).items()
    }
    words |= {f"+option.{name}": _word(value) for name, value in job.overrides.items()}
    if job.timings != 3:
        words["timings"] = str(job.timings)
    if job.paced:
        words["paced"] = "true"
    if job.repeat:
        words["repeat"] = str(job.repeat)
    asked = {name: value for name, value in (words | instead).items() if (name, value) != ("repeat", "0")}
    return [f"{name}={value}" for name, value in asked.items()]


def _word(value: Any) -> str:
    """A value as Hydra reads it back."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return f"[{','.join(map(_word, value))}]"
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{key}:{_word(one)}" for key, one in value.items()) + "}"
    if isinstance(value, str) and not _BARE.fullmatch(value):
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return str(value)


def _plain(value: object) -> object:
    """A tuple and the list that JSON makes of it are the same."""
    return list(value) if isinstance(value, tuple) else value
