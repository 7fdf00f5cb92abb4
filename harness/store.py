"""Where records live: results/MACHINE/EXPERIMENT/ENGINE/HASH-rREPEAT/, written whole or not at all."""

from __future__ import annotations

import contextlib
import glob
import json
import shlex
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from . import contacts as contact_rows
from . import soft_state as soft_files
from . import trace as traces
from .contacts import ContactTrace
from .errors import SimparityError, UsageError
from .job import Job
from .provenance import machine_name
from .record import Record, from_plain_record, to_plain
from .soft_state import SoftTrace
from .trace import Trace

JOB, RUN, TRACE, CONTACTS, LOG = "job.json", "run.json", "trace.npz", "contacts.npz", "stderr.txt"


@dataclass(frozen=True, slots=True)
class Damage:
    """A folder or file that is no readable run, and why."""

    path: Path
    reason: str


def prepare(results: Path) -> None:
    """Make sure that runs can be written below `results`.

    Raises:
        UsageError: the folder cannot be made or written.
    """
    try:
        results.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=results):
            pass
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(
            f"results folder {results} cannot be written ({reason}); choose another with results=PATH"
        ) from error


def folder_of(job: Job, results: Path) -> Path:
    """Folder of the job's run on this machine."""
    return results / machine_name() / job.folder


def finished(job: Job, results: Path) -> Record | None:
    """The record of `job` if it has been run to an end.

    Raises:
        SimparityError: the folder of the job holds another job.
    """
    folder = folder_of(job, results)
    if not (folder / RUN).exists():
        return None
    try:
        stored = json.loads((folder / JOB).read_text())
        same = stored == job.canonical()
        record = read(folder)
        if record.status == "ok" and record.timing.steps:
            read_trace(folder)
    except (SimparityError, OSError, ValueError):
        return None  # damaged: run it again
    if not same:
        raise SimparityError(f"{folder} holds another job than the one asked for; move it away and run again")
    return record if record.finished else None


def read(folder: Path) -> Record:
    """The record in `folder`.

    Raises:
        SimparityError: it is not a readable run.
    """
    return from_plain_record(_read_json(folder / JOB), _read_json(folder / RUN))


def read_trace(folder: Path) -> Trace:
    """The trace of the run in `folder`, with the paths of its soft bodies."""
    trace = traces.load(folder / TRACE)
    return replace(trace, soft={body.name: (body.com, body.impulse) for body in read_all_soft(folder)})


def read_contacts(folder: Path, samples: int | None = None) -> ContactTrace:
    """The contact points of the run in `folder`, whose trace has so many samples where that is known.

    Raises:
        SimparityError: the run has none, or they cannot be read.
    """
    if not (folder / CONTACTS).is_file():
        raise SimparityError(f"{folder} holds no {CONTACTS}: its experiment or its engine gives no contact points")
    return contact_rows.load(folder / CONTACTS, samples)


def soft_file(folder: Path, name: str) -> Path:
    """File of the soft body `name` in a run's folder."""
    return folder / f"soft.{name}.npz"


def read_all_soft(folder: Path) -> tuple[SoftTrace, ...]:
    """Every soft body of the run in `folder`."""
    return tuple(soft_files.load(path) for path in sorted(folder.glob("soft.*.npz")))


def write(
    record: Record,
    trace: Trace | None,
    draft: Path,
    folder: Path,
    contacts: ContactTrace | None = None,
    soft: Sequence[SoftTrace] = (),
) -> None:
    """Complete the folder `draft` and move it to `folder`; run.json comes last, so a reader sees all or nothing."""
    draft.mkdir(parents=True, exist_ok=True)
    (draft / JOB).write_text(_json(record.job.canonical()))
    if trace is not None:
        traces.save(trace, draft / TRACE)
    if contacts is not None:
        contact_rows.save(contacts, draft / CONTACTS)
    for body in soft:
        soft_files.save(body, soft_file(draft, body.name))
    (draft / RUN).write_text(_json(to_plain(record)))
    folder.parent.mkdir(parents=True, exist_ok=True)
    for _ in range(10):  # another sweep may put the same run there at the same time: the last one stays
        shutil.rmtree(folder, ignore_errors=True)
        with contextlib.suppress(OSError):
            draft.replace(folder)
            return
    raise SimparityError(f"{folder} could not be written; something else keeps writing there")


def runs(results: Path) -> Iterator[tuple[Path, Record] | Damage]:
    """Every run below `results`, of any machine, and everything in the place of a run that is none."""
    for path in sorted(results.glob("*/*/*/*")):
        if path.name.startswith(".") or path.parent.name.startswith("."):
            continue
        if not path.is_dir():
            yield Damage(path, "a file where a run's folder is expected")
            continue
        try:
            yield path, read(path)
        except SimparityError as error:
            yield Damage(path, str(error))


def records(results: Path) -> list[Record]:
    """Every record below `results` that can be read.

    Raises:
        UsageError: the folder does not exist.
    """
    if not results.is_dir():
        raise UsageError(f"results folder {results} does not exist; `simparity run` makes it")
    return [item[1] for item in runs(results) if isinstance(item, tuple)]


def newest_code(found: Iterable[tuple[Path, Record]]) -> tuple[list[tuple[Path, Record]], list[tuple[Path, Record]]]:
    """Runs of the code of simparity that ran last, of each experiment and engine on each machine, and the earlier ones.

    Numbers of two states of the code must not be mixed: what changed could be the code.
    """
    everything = list(found)
    youngest: dict[tuple[str, ...], tuple[str, str]] = {}
    for folder, record in everything:
        stamp = (str(record.provenance.get("finished", "")), record.job.code)
        youngest[_ran_by(folder, record)] = max(stamp, youngest.get(_ran_by(folder, record), ("", "")))
    newest = [(f, r) for f, r in everything if r.job.code == youngest[_ran_by(f, r)][1]]
    return newest, [(f, r) for f, r in everything if r.job.code != youngest[_ran_by(f, r)][1]]


def _ran_by(folder: Path, record: Record) -> tuple[str, ...]:
    return (folder.parents[2].name, record.job.experiment, record.job.engine, record.job.engine_version)


def find(run_id: str, results: Path) -> Path:
    """Folder of the run with that id, with an id that begins so, or MACHINE/id.

    Raises:
        UsageError: there is none, or several.
    """
    if not isinstance(run_id, str):
        raise UsageError(
            f"a run is named by text such as {_example(results)!r}, not by {run_id!r}; "
            f"simparity.load({str(results)!r}).run_id lists the names"
        )
    machine, _, part = run_id.rpartition("/")
    ids = {path.name for path in results.glob(f"{machine or '*'}/*/*/*") if path.is_dir()}
    alike = [one for one in sorted(ids) if part and one.startswith(part)]
    name = part if part in ids or len(alike) != 1 else alike[0]
    if len(alike) > 1 and part not in ids:
        few = ", ".join(alike[:4]) + (" and more" if len(alike) > 4 else "")
        raise UsageError(f"run {run_id!r} may be any of {len(alike)} in {results}: {few}; give more of its id")
    found = sorted(results.glob(f"{machine or '*'}/*/*/{glob.escape(name)}")) if name in ids else []
    if len(found) > 1:
        machines = ", ".join(path.parents[2].name for path in found)
        raise UsageError(f"run {run_id!r} was made on several machines: {machines}; give MACHINE/{run_id}")
    if found:
        return found[0]
    raise UsageError(
        f"run {run_id!r} is not in {results}; `simparity show {shlex.quote(str(results))}`, in Python simparity.load, "
        "lists those that are"
    )


def _example(results: Path) -> str:
    """A run id in that folder, or one that could be."""
    return next((path.name for path in sorted(results.glob("*/*/*/*-r*"))), "0123456789abcdef-r0")


def _json(plain: dict[str, Any]) -> str:
    return json.dumps(plain, indent=1, sort_keys=True, allow_nan=False) + "\n"


def _read_json(path: Path) -> dict[str, Any]:
    try:
        plain = json.loads(path.read_text())
    except OSError as error:
        raise SimparityError(f"{path.name} cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise SimparityError(f"{path.name} is not JSON: {error}") from error
    if not isinstance(plain, dict):
        raise SimparityError(f"{path.name} is not a JSON object")
    return plain
