"""What a finished run leaves behind, as data and as JSON."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from .channels import ChannelNote
from .checks import Verdict
from .engine import Compliant, ContactLaw, Impulse, Resolution, Resolved, Soft, Unknown
from .errors import SimparityError
from .job import Job, from_plain

SCHEMA = 1
Status: TypeAlias = Literal["ok", "unsupported", "diverged", "failed", "timeout"]
FINISHED: frozenset[str] = frozenset({"ok", "unsupported", "diverged"})
_LAWS = {law.__name__: law for law in (Soft, Impulse, Compliant, Unknown)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Detection:
    """A failure seen in a trace: `kind`, the body, and the time of onset [s]."""

    kind: str
    body: str
    onset: float
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TimingRecord:
    """Wall times of a run.

    Attributes:
        parts: wall time [s] of import, build, first_step, step, read, command, controller and log.
        bare_loops: wall time [s] of each bare stepping loop.
        real_time_factors: simulated over wall time of each bare loop [1].
        steps: steps in each loop.
        pace: outcome of the paced loop, None where there was none.
        process: "fresh" for the first run of its process, "warm" after another one.
        compilation: "cold" when the engine wrote compiled code during this run, "warm" when it did not.
    """

    parts: Mapping[str, float] = field(default_factory=dict)
    bare_loops: tuple[float, ...] = ()
    real_time_factors: tuple[float, ...] = ()
    steps: int = 0
    pace: Mapping[str, float] | None = None
    process: str = ""
    compilation: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One run: its job, how it ended, and what was found; `notes` are sentences that a reader must not miss."""

    job: Job
    status: Status
    reason: str = ""
    diverged_at: float | None = None
    resolution: Resolution | None = None
    metrics: Mapping[str, float] = field(default_factory=dict)
    checks: tuple[Verdict, ...] = ()
    detections: tuple[Detection, ...] = ()
    notes: tuple[str, ...] = ()
    timing: TimingRecord = TimingRecord()
    provenance: Mapping[str, Any] = field(default_factory=dict)

    @property
    def finished(self) -> bool:
        """Whether running the job again could not tell more."""
        return self.status in FINISHED


def to_plain(record: Record) -> dict[str, Any]:
    """`record` without its job as JSON values; what is not a number becomes null."""
    plain = {
        "schema": SCHEMA,
        "run_id": record.job.run_id,
        "status": record.status,
        "reason": record.reason,
        "diverged_at": record.diverged_at,
        "engine": {"name": record.job.engine, "version": record.job.engine_version},
        "resolved": None,
        "metrics": dict(record.metrics),
        "checks": [dataclasses.asdict(verdict) for verdict in record.checks],
        "detections": [dataclasses.asdict(detection) for detection in record.detections],
        "notes": list(record.notes),
        "timing": dataclasses.asdict(record.timing),
        "provenance": dict(record.provenance),
    }
    if record.resolution is not None:
        law = record.resolution.contact_law
        plain["resolved"] = {
            "table": {name: dataclasses.asdict(row) for name, row in record.resolution.table.items()},
            "contact_law": {"law": type(law).__name__} | dataclasses.asdict(law),
            "channel_notes": {name: dataclasses.asdict(n) for name, n in record.resolution.channel_notes.items()},
            "refined_by": list(record.resolution.refined_by),
            "residual": record.resolution.residual,
        }
    return _finite(plain)  # type: ignore[no-any-return]


def from_plain_record(job: Mapping[str, Any], run: Mapping[str, Any]) -> Record:
    """The record of a job.json and a run.json.

    Raises:
        SimparityError: another schema, or a field is missing.
    """
    if run.get("schema") != SCHEMA:
        raise SimparityError(f"schema {run.get('schema')} where this version of simparity reads {SCHEMA}")
    try:
        timing = run["timing"] | {
            "bare_loops": tuple(run["timing"]["bare_loops"]),
            "real_time_factors": tuple(run["timing"]["real_time_factors"]),
        }
        return Record(
            job=from_plain(job),
            status=run["status"],
            reason=run["reason"],
            diverged_at=run["diverged_at"],
            resolution=_resolution(run["resolved"]),
            metrics={name: math.nan if value is None else value for name, value in run["metrics"].items()},
            checks=tuple(Verdict(**verdict) for verdict in run["checks"]),
            detections=tuple(Detection(**detection) for detection in run["detections"]),
            notes=tuple(run["notes"]),
            timing=TimingRecord(**timing),
            provenance=run["provenance"],
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise SimparityError(f"not a run record of this version of simparity: {error!r}") from error


def _resolution(plain: Mapping[str, Any] | None) -> Resolution | None:
    if plain is None:
        return None
    law = dict(plain["contact_law"])
    kind = _LAWS[law.pop("law")]
    contact_law: ContactLaw = kind(**{name: _frozen(value) for name, value in law.items()})
    return Resolution(
        table={
            name: Resolved(**{key: _frozen(value) for key, value in row.items()})
            for name, row in plain["table"].items()
        },
        contact_law=contact_law,
        channel_notes={name: ChannelNote(**note) for name, note in plain["channel_notes"].items()},
        refined_by=tuple(plain["refined_by"]),
        residual=plain.get("residual", 0.0),
    )


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
