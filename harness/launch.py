"""Runs a list of jobs in worker processes: resumes, contains failures, and leaves a record for every job."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from . import store
from .errors import SimparityError
from .job import Job
from .machine_lock import WAITING
from .provenance import provenance
from .record import Record, Status
from .registry import engine_entry
from .versions import command, environment_of
from .worker import draft_of

Isolation: TypeAlias = Literal["fresh", "warm"]
POLL = 0.05  # [s] between looks at the workers


class Progress(Protocol):
    """Who is told about runs as they start and end."""

    def start(self, total: int, cached: int) -> None:
        """The sweep begins: `total` jobs, `cached` of them finished before."""
        ...

    def began(self, job: Job) -> None:
        """A worker took up a job."""
        ...

    def ended(self, record: Record, wall: float) -> None:
        """A job has its record, after `wall` seconds."""
        ...

    def stop(self) -> None:
        """The sweep is over."""
        ...


@dataclass(slots=True)
class _Group:
    """Jobs that one worker process does in order."""

    jobs: list[Job]
    process: subprocess.Popen[bytes] | None = None
    since: float = 0.0
    looked: float = 0.0
    earlier: dict[str, int] = field(default_factory=dict)  # run id -> stamp of a record that is tried again


@dataclass(slots=True, kw_only=True)
class Launch:
    """How a sweep is run.

    Attributes:
        isolation: "fresh" gives every run its own process; "warm" lets runs of an engine that are no repeats of each
            other share one.
        workers: worker processes side by side; real-time factors are timed with the others paused.
        timeout: wall time [s] that a run may take.
    """

    results: Path
    isolation: Isolation = "fresh"
    workers: int = 1
    timeout: float = 900.0
    python: str = sys.executable
    _scratch: Path = field(init=False)
    _running: list[_Group] = field(init=False, default_factory=list)

    def run(self, jobs: Sequence[Job], progress: Progress) -> list[Record]:
        """Run what is not finished yet; returns a record for every job, in order."""
        store.prepare(self.results)
        unique = {job.run_id: job for job in jobs}
        records = {job.run_id: record for job in unique.values() if (record := store.finished(job, self.results))}
        waiting = self._groups(job for job in unique.values() if job.run_id not in records)
        progress.start(len(unique), len(records))
        with tempfile.TemporaryDirectory(prefix="simparity-") as scratch:
            self._scratch = Path(scratch)
            try:
                while waiting or self._running:
                    while waiting and len(self._running) < self.workers:
                        self._begin(waiting.pop(0), progress)
                    time.sleep(POLL)
                    for group in list(self._running):
                        self._look(group, records, waiting, progress)
            finally:
                for group in self._running:  # interrupted: what was being written is no run
                    _kill(group.process)
                    if group.jobs:
                        shutil.rmtree(self._draft(group), ignore_errors=True)
                progress.stop()
        return [records[job.run_id] for job in unique.values()]

    def _groups(self, jobs: Iterable[Job]) -> list[_Group]:
        if self.isolation == "fresh":
            groups = [_Group([job]) for job in jobs]
        else:
            shared: dict[tuple[str, str, str, int, int], _Group] = {}
            for job in jobs:
                key = (job.engine, job.engine_version, job.device, job.precision, job.repeat)
                shared.setdefault(key, _Group([])).jobs.append(job)
            groups = list(shared.values())
        if self.workers > 1:  # engines that compile take longest: let them start first
            groups.sort(key=lambda group: not engine_entry(group.jobs[0].engine).compiles)
        return groups

    def _begin(self, group: _Group, progress: Progress) -> None:
        pairs: list[str] = []
        for job in group.jobs:
            path = self._scratch / f"{job.run_id}.json"
            path.write_text(json.dumps(job.canonical()))
            folder = store.folder_of(job, self.results).absolute()
            if (folder / store.RUN).exists():
                group.earlier[job.run_id] = (folder / store.RUN).stat().st_mtime_ns
            pairs += [str(path), str(folder)]
        lock = ["--lock", str(self._scratch / "machine.lock")] if self.workers > 1 else []
        said = (self._scratch / f"{group.jobs[0].run_id}.err").open("wb")
        first = group.jobs[0]
        environment = environment_of(first.engine, first.engine_version)
        group.process = subprocess.Popen(
            [*command(environment, "simparity.harness.worker", self.python), *lock, *pairs],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
            start_new_session=True,  # Ctrl-C reaches the launcher alone, which then ends its workers
        )
        said.close()
        group.since = group.looked = time.monotonic()
        self._running.append(group)
        progress.began(group.jobs[0])

    def _look(self, group: _Group, records: dict[str, Record], waiting: list[_Group], progress: Progress) -> None:
        assert group.process is not None
        ended = group.process.poll() is not None  # asked before looking for records, so that none is missed
        now = time.monotonic()
        if group.jobs and (self._draft(group) / WAITING).exists():
            group.since += now - group.looked  # it waits for another run's timing
        group.looked = now
        while group.jobs and (record := self._written(group, group.jobs[0])):
            self._ended(group, record, records, progress)
        if not group.jobs:
            if ended:
                self._running.remove(group)
            return
        if ended:
            reason = _how_it_died(group.process.returncode)
            self._abandon(group, "failed", reason, records, waiting, progress)
        elif time.monotonic() - group.since > self.timeout:
            _kill(group.process)
            reason = f"took longer than timeout={self.timeout:g} s"
            self._abandon(group, "timeout", reason, records, waiting, progress)

    def _ended(self, group: _Group, record: Record, records: dict[str, Record], progress: Progress) -> None:
        now = time.monotonic()
        records[record.job.run_id] = record
        progress.ended(record, now - group.since)
        group.jobs.pop(0)
        group.since = now
        if group.jobs and group in self._running:
            progress.began(group.jobs[0])

    def _abandon(
        self,
        group: _Group,
        status: Status,
        reason: str,
        records: dict[str, Record],
        waiting: list[_Group],
        progress: Progress,
    ) -> None:
        """Write the record that the worker could not, and give its other jobs to a new worker."""
        self._running.remove(group)
        job = group.jobs[0]
        folder = store.folder_of(job, self.results)
        record = Record(job=job, status=status, reason=reason, provenance=provenance())
        draft = self._draft(group)
        if not draft.is_dir():  # it died before it took up the job: what it said is in its own output
            draft.mkdir(parents=True)
            said = self._scratch / f"{job.run_id}.err"
            (draft / store.LOG).write_bytes(said.read_bytes() if said.exists() else b"")
        store.write(record, None, draft, folder)
        self._ended(group, record, records, progress)
        if group.jobs:
            waiting.insert(0, _Group(group.jobs))

    def _draft(self, group: _Group) -> Path:
        assert group.process is not None
        return draft_of(store.folder_of(group.jobs[0], self.results), group.process.pid)

    def _written(self, group: _Group, job: Job) -> Record | None:
        folder = store.folder_of(job, self.results)
        try:
            if (folder / store.RUN).stat().st_mtime_ns == group.earlier.get(job.run_id):
                return None
            return store.read(folder)
        except (OSError, SimparityError):
            return None


def _how_it_died(code: int) -> str:
    if code < 0:
        return f"the worker was ended by signal {signal.Signals(-code).name}"
    return f"the worker ended with exit code {code} before it wrote a record"


def _kill(process: subprocess.Popen[bytes] | None) -> None:
    if process is None or process.poll() is not None:
        return
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
