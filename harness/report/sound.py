"""Whether a parsed record holds what the report computes with: a foreign file may have the right keys only."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ..record import Record


def unsound(record: Record) -> str:
    """Why the record cannot be used, "" when it can."""
    job, timing = record.job, record.timing
    # typed as anything: what the files of others hold is not what the types promise
    words: list[Any] = [job.experiment, job.engine, job.engine_version, job.settings, job.device, job.code]
    schedule: list[Any] = [job.dt, job.duration, job.stride, job.control_dt]
    tables: list[Any] = [job.params, job.options, job.overrides, job.inputs, job.libraries, record.provenance]
    counts: list[Any] = [job.repeat, job.precision, timing.steps]
    if not all(isinstance(word, str) for word in [*words, record.status, record.reason]):
        return "a name in it is not text"
    if not all(_number(x) and x > 0 for x in schedule):
        return "its schedule is not made of positive numbers"
    if not all(isinstance(table, Mapping) for table in tables):
        return "its parameters, options or libraries are not tables"
    named = [*job.libraries.items(), *job.inputs.items()]
    if not all(isinstance(word, str) for item in named for word in item):
        return "a library or an input in it is not text"
    if not all(isinstance(count, int) for count in counts):
        return "its repeat, precision or number of steps is not a whole number"
    numbers = [*record.metrics.values(), *timing.parts.values(), *timing.real_time_factors]
    numbers += [seen.onset for seen in record.detections]
    pace: Any = timing.pace
    if not (pace is None or isinstance(pace, Mapping)) or not all(isinstance(note, str) for note in record.notes):
        return "its pace is no table or a note is not text"
    numbers += list((pace or {}).values())
    optional = [x for check in record.checks for x in (check.measured, check.expected, check.error, check.tolerance)]
    if not all(_number(x) for x in [*numbers, *(x for x in (*optional, record.diverged_at) if x is not None)]):
        return "a metric, check or time in it is not a number"
    if record.resolution is not None:
        for name, row in record.resolution.table.items():
            if not (_value(row.value) and _value(row.authored) and isinstance(row.unit, str)):
                return f"its resolved value {name!r} is neither a number, a word nor a list of numbers"
    return ""


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _value(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(_number(x) and math.isfinite(x) for x in value)
    return value is None or isinstance(value, (bool, int, float, str))
