"""What is printed when runs have ended: how many ended well, failed checks, notes, and what broke and why."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .checks import Verdict
from .experiment import OUTCOME
from .progress import describe
from .record import Record


def conclude(records: Sequence[Record], results: Path, *, quiet: bool) -> bool:
    """Print it; returns whether any run broke. `quiet` leaves out what went well."""
    broken = [record for record in records if record.status in ("failed", "timeout", "diverged")]
    unsupported = [record for record in records if record.status == "unsupported"]
    if not quiet:
        print(
            f"{len(records) - len(broken) - len(unsupported)} ok, {len(unsupported)} unsupported, "
            f"{len(broken)} broken; records are in {results}"
        )
    for record in records:
        for failed in (verdict for verdict in record.checks if verdict.outcome == "fail"):
            print(f"check failed: {describe(record.job)}: {_failure(record, failed)}")
    for record in unsupported:
        print(f"unsupported: {describe(record.job)}: {record.reason}")
    noted: dict[str, list[Record]] = {}
    for record in records:
        for note in record.notes:
            noted.setdefault(note, []).append(record)
    for note, those in noted.items():  # a line for all runs that say the same
        more = f" and {len(those) - 1} more" if len(those) > 1 else ""
        print(f"warning: {describe(those[0].job)}{more}: {note}")
    for record in broken:
        print(f"{record.status}: {describe(record.job)} ({record.job.run_id}): {record.reason}")
    return bool(broken)


def _failure(record: Record, failed: Verdict) -> str:
    """What a check measured, what it expected and how near it should be, with units."""
    from .listing import said

    measured, expected, tolerance = (
        said(record, failed.metric, value) for value in (failed.measured, failed.expected, failed.tolerance)
    )
    near = "" if failed.metric == OUTCOME else f", tolerance {tolerance}"
    return f"{failed.metric} is {measured} where {expected} is expected{near} ({failed.reason})"
