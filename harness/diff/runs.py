"""Two runs, or two sets of runs that pair up by everything but the engine's version, its libraries and the code."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from .. import store
from ..checks import metrics_of
from ..errors import SimparityError, UsageError
from ..experiment import OUTCOME, Metric, outcome_word
from ..job import Job
from ..progress import describe
from ..record import Record
from ..registry import experiment_class, outcomes_of
from .moved import ROUNDING, Diff, Moved, PairDiff, rounding_bound, tables_moved

# what does not decide whether two runs are of the same work
_APART = ("engine_version", "code", "libraries", "options", "timings", "paced")


def records_below(folder: Path) -> list[Record]:
    """The runs of a results folder, of the code that ran last.

    Raises:
        UsageError: there is none.
    """
    items = list(store.runs(folder))
    found, _ = store.newest_code(item for item in items if isinstance(item, tuple))
    if not found:
        raise UsageError(f"results folder {folder} holds no readable run; `simparity run` makes some")
    return [record for _, record in found]


def of_version(records: Iterable[Record], engine: str, version: str) -> list[Record]:
    """Those of one version of an engine; the library inside may stand behind it in brackets."""
    return [r for r in records if r.job.engine == engine and r.job.engine_version.partition(" ")[0] == version]


def diff_sets(a: Iterable[Record], b: Iterable[Record], names: tuple[str, str], rtol: float | None = None) -> Diff:
    """Every pair of two sets of runs; `names` is what the sides are called."""
    left, right = _latest(a), _latest(b)
    both = sorted(left.keys() & right.keys(), key=lambda key: _subject(left[key].job))
    pairs = [diff_records(left[key], right[key], rtol) for key in both]
    return Diff(
        a=names[0],
        b=names[1],
        compared=len(both),
        pairs=tuple(pair for pair in pairs if pair.moved),
        only_a=tuple(sorted(describe(left[key].job) for key in left.keys() - right.keys())),
        only_b=tuple(sorted(describe(right[key].job) for key in right.keys() - left.keys())),
        context=_context([(left[key].job, right[key].job) for key in both]),
    )


def diff_records(a: Record, b: Record, rtol: float | None = None) -> PairDiff:
    """What moved between two runs. `rtol` is what counts as the same, by default the rounding of the states.

    By default a metric also says whether rounding alone can have moved it (`rounding_bound`).
    """
    judged = rtol is None
    if rtol is None:
        rtol = max(ROUNDING[record.job.precision] for record in (a, b))
    moved = tables_moved("asked", _asked(a.job), _asked(b.job), {}, 0.0)
    rows = [_rows(record) for record in (a, b)]
    units = {name: row.unit for record in (b, a) for name, row in _table(record).items()}
    for kind, dotted in (("option", False), ("value", True)):
        one, two = ({k: v for k, v in table.items() if ("." in k) == dotted} for table in rows)
        moved += tables_moved(kind, one, two, units, rtol)  # type: ignore[arg-type]
    metrics = {metric.name: metric for metric in _metrics(a)}
    units = {name: metric.unit for name, metric in metrics.items()}
    measured = tables_moved("metric", _outcome(a), _outcome(b), units, rtol)
    if judged:
        precision = min(record.job.precision for record in (a, b))
        measured = [
            replace(row, rounding=_is_rounding(row, metrics.get(row.name), a.job, precision)) for row in measured
        ]
    moved += measured
    return PairDiff(subject=_subject(a.job), a=_side(a), b=_side(b), moved=tuple(map(_with_origin(a, b), moved)))


def _latest(records: Iterable[Record]) -> dict[str, Record]:
    """By what they are of, the run that finished last."""
    found: dict[str, Record] = {}
    for record in sorted(records, key=lambda r: str(r.provenance.get("finished", ""))):
        plain = {name: value for name, value in record.job.canonical().items() if name not in _APART}
        found[json.dumps(plain, sort_keys=True)] = record
    return found


def _subject(job: Job) -> str:
    words = describe(job).split()
    return " ".join([job.engine, words[0], *words[2:]])


def _side(record: Record) -> str:
    return f"{record.job.engine} {record.job.engine_version}"


def _asked(job: Job) -> dict[str, Any]:
    names = ("experiment", "engine", "settings", "dt", "duration", "stride", "control_dt", "device", "precision")
    asked: dict[str, Any] = {name: getattr(job, name) for name in names}
    asked |= {f"experiment.{name}": value for name, value in job.params.items()}
    asked |= {f"option.{name}": value for name, value in job.options.items()}
    return asked | {f"input {name}": digest[:12] for name, digest in job.inputs.items()}


def _table(record: Record) -> Mapping[str, Any]:
    return record.resolution.table if record.resolution is not None else {}


def _rows(record: Record) -> dict[str, Any]:
    rows: dict[str, Any] = {name: _shown(row) for name, row in _table(record).items()}
    if record.resolution is not None:
        law = record.resolution.contact_law
        rows |= {f"contact law.{name}": value for name, value in asdict(law).items() if name != "reason"}
        rows["contact law.kind"] = type(law).__name__
    return rows


def _shown(row: Any) -> Any:
    """The value, or that there is none."""
    return row.value if row.value is not None or row.origin not in ("absent", "unreadable") else row.origin


def _outcome(record: Record) -> dict[str, Any]:
    found: dict[str, Any] = {"status": record.status}
    if record.reason:
        found["reason"] = record.reason
    clocks = _wall_times(record)
    found |= {name: _worded(record, name, value) for name, value in record.metrics.items() if name not in clocks}
    found |= {f"check {verdict.metric}": verdict.outcome for verdict in record.checks}
    return found | {f"{detection.kind} of {detection.body} at [s]": detection.onset for detection in record.detections}


def _worded(record: Record, metric: str, value: float) -> float | str:
    """The value of a metric, of the outcome the word for it."""
    words = outcomes_of(record.job.experiment) if metric == OUTCOME else ()
    return outcome_word(words, value) if words else value


def _is_rounding(row: Moved, metric: Metric | None, job: Job, precision: int) -> bool:
    """Whether rounding alone can have moved a metric; never one that counts, or a time by half a step or more."""
    if metric is None or row.absolute is None:
        return False
    if metric.unit == "1" and float(row.a).is_integer() and float(row.b).is_integer():
        return False
    if metric.unit == "s" and row.absolute >= job.dt / 2:
        return False
    size = max(abs(row.a), abs(row.b), metric.scale(job.duration) if metric.scaled else 0.0)
    return bool(row.absolute <= rounding_bound(precision, job.duration / job.dt, size))


def _metrics(record: Record) -> list[Metric]:
    try:
        return list(metrics_of(experiment_class(record.job.experiment)(**record.job.params)))
    except (SimparityError, TypeError):
        return []


def _wall_times(record: Record) -> set[str]:
    """Metrics that a clock measures: they are never the same twice."""
    return {metric.name for metric in _metrics(record) if metric.text.startswith("wall time")}


def _with_origin(a: Record, b: Record) -> Any:
    """Adds to a moved row where the engine says it comes from."""

    def add(moved: Moved) -> Moved:
        if moved.kind not in ("option", "value"):
            return moved
        said = [_table(record).get(moved.name) for record in (a, b)]
        origins = list(dict.fromkeys(row.origin for row in said if row is not None))
        return replace(moved, why=", then ".join(origins))

    return add


def _context(pairs: list[tuple[Job, Job]]) -> tuple[str, ...]:
    """The libraries that are not the same, and whether the code of simparity is."""
    said: dict[str, None] = {}
    for a, b in pairs:
        engine = f"{a.engine} {a.engine_version} and {b.engine_version}"
        if a.engine_version != b.engine_version:
            said[f"compared: {engine}"] = None
        moved = tables_moved("asked", a.libraries, b.libraries, {}, 0.0)
        changes = [f"{row.name} {row.a or 'none'} and {row.b or 'none'}" for row in moved]
        if changes:
            said[f"libraries of {engine}: {', '.join(changes)}"] = None
        if a.code != b.code:
            said[f"the code of simparity for {a.experiment} in {a.engine} is not the same on both sides"] = None
    return tuple(said)
