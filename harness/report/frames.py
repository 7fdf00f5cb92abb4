"""Runs, traces and resolved tables as pandas frames."""

from __future__ import annotations

import dataclasses
import warnings
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pandas as pd

from .. import store
from ..channels import BY_NAME, JOINT, REDUCED, SAMPLED
from ..errors import UsageError
from ..experiment import OUTCOME, outcome_word
from ..record import Record
from ..registry import outcomes_of
from ..smoke import smoke_of

_COMPONENTS = {1: ("",), 3: ("_x", "_y", "_z"), 4: ("_w", "_x", "_y", "_z")}
COLUMNS = (
    "experiment",
    "engine",
    "engine_version",
    "settings",
    "overrides",
    "dt",
    "duration",
    "stride",
    "control_dt",
    "repeat",
    "smoke",
    "device",
    "precision",
    "status",
    "reason",
    "rtf",
    "paced_rtf",
    "run_id",
    "checks_failed",
    "detections",
    "process",
    "machine",
)


def row_of(record: Record, machine: str) -> dict[str, Any]:
    """One run as a row: the columns of COLUMNS, parameters, metrics, and `outcome_word` where there are outcomes."""
    job, factors = record.job, record.timing.real_time_factors
    row: dict[str, Any] = {
        "experiment": job.experiment,
        "engine": job.engine,
        "engine_version": job.engine_version,
        "settings": job.settings,
        "overrides": " ".join(f"{name}={value}" for name, value in job.overrides.items()),
        "dt": job.dt,
        "duration": job.duration,
        "stride": job.stride,
        "control_dt": job.control_dt,
        "repeat": job.repeat,
        "smoke": bool(smoke_of(job)),
        "device": job.device,
        "precision": job.precision,
        "status": record.status,
        "reason": record.reason,
        "rtf": median(factors) if factors else float("nan"),
        "paced_rtf": record.timing.pace["real_time_factor"] if record.timing.pace else float("nan"),
        "run_id": job.run_id,
        "checks_failed": " ".join(verdict.metric for verdict in record.checks if verdict.outcome == "fail"),
        "detections": " ".join(dict.fromkeys(detection.kind for detection in record.detections)),
        "process": record.timing.process,
        "machine": machine,
    }
    words = outcomes_of(job.experiment)
    ended = words and OUTCOME in record.metrics
    named = {f"{OUTCOME}_word": outcome_word(words, record.metrics[OUTCOME])} if ended else {}
    return row | dict(job.params) | dict(record.metrics) | named


def load_runs(results: Path) -> pd.DataFrame:
    """The readable runs of the newest code below `results`; damaged ones are named in a warning.

    Raises:
        UsageError: the folder does not exist.
    """
    if not results.is_dir():
        raise UsageError(f"results folder {results} does not exist; `simparity run` makes it")
    found = []
    for item in store.runs(results):
        if isinstance(item, store.Damage):
            warnings.warn(f"skipped {item.path}: {item.reason}", stacklevel=3)
        else:
            found.append(item)
    rows = [row_of(record, folder.parents[2].name) for folder, record in store.newest_code(found)[0]]
    return pd.DataFrame(rows, columns=None if rows else list(COLUMNS))


def load_trace(run_id: str, results: Path) -> pd.DataFrame:
    """Samples of one run in long form: time, body, then `p_WB_x` and so on; time, joint, q, v, tau for a robot.

    Raises:
        UsageError: there is no such run, or it is of an experiment that does not step.
    """
    folder = store.find(run_id, results)
    record = store.read(folder)
    if record.status == "ok" and not record.timing.steps:
        raise UsageError(f"run {run_id!r} has no samples: experiment {record.job.experiment!r} does not step")
    trace = store.read_trace(folder)
    frames = []
    for index, joint in enumerate(trace.joints):
        values = {channel.name: trace.joint(channel.name)[:, index] for channel in JOINT}
        frames.append(pd.DataFrame({"time": trace.time, "joint": joint} | values))
    for body in trace.names:
        columns: dict[str, Any] = {"time": trace.time, "body": body}
        for name in (channel.name for channel in (*SAMPLED, *REDUCED)):
            data = trace.of(name, body)
            for k, suffix in enumerate(_COMPONENTS[BY_NAME[name].width]):
                columns[name + suffix] = data[:, k]
        frames.append(pd.DataFrame(columns))
    return pd.concat(frames, ignore_index=True)


def load_contacts(run_id: str, results: Path) -> pd.DataFrame:
    """Contact points of one run: time, the parties a and b, point, normal from a to b, gap, forces on b; SI, in W.

    Raises:
        UsageError: there is no such run, or it has no contact points.
    """
    folder = store.find(run_id, results)
    if not (folder / store.CONTACTS).is_file():
        raise UsageError(f"run {run_id!r} has no contact points: its experiment or its engine logs none")
    time = store.read_trace(folder).time
    found = store.read_contacts(folder, len(time))
    names = np.array(found.parties, dtype=object)
    columns: dict[str, Any] = {"time": time[found.sample], "a": names[found.rows.a], "b": names[found.rows.b]}
    for field in dataclasses.fields(found.rows)[2:]:
        data = getattr(found.rows, field.name)
        if data.ndim == 1:
            columns[field.name] = data
        else:
            columns |= {field.name + suffix: data[:, k] for k, suffix in enumerate(_COMPONENTS[3])}
    return pd.DataFrame(columns)


def load_resolved(run_id: str, results: Path) -> pd.DataFrame:
    """Resolved values of one run, indexed by canonical name."""
    record = store.read(store.find(run_id, results))
    if record.resolution is None:
        raise UsageError(f"run {run_id!r} has no resolved values: it ended as {record.status} ({record.reason})")
    rows = [
        {
            "name": name,
            "value": row.value,
            "unit": row.unit,
            "authored": row.authored,
            "origin": row.origin,
            "native": row.native,
        }
        for name, row in record.resolution.table.items()
    ]
    return pd.DataFrame(rows).set_index("name")
