"""Runs jobs in this process: `python -m simparity.harness.worker [--lock FILE] JOB.json OUT [JOB.json OUT ...]`.

Each job ends in a whole folder OUT, whatever happens inside; only a killed process leaves none. Everything that is
printed on the way goes to OUT/stderr.txt.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from . import store
from .channels import Sample
from .checks import judge, measure
from .contacts import ContactLog, ContactTrace, contact_parties
from .detectors import detect, inversions
from .engine import Contacts, Settings, Simulation
from .errors import Diverged, Unsupported
from .experiment import Context, Experiment
from .ignored import ignored
from .job import Job, from_plain
from .machine_lock import WAITING, MachineLock
from .pace import paced_loop, warning
from .provenance import provenance
from .record import Record, TimingRecord
from .registry import engine_adapter, experiment_class
from .robot_model import model_of
from .rollout import Controller, Event, Timing, engage, rollout, time_bare_loop
from .scene import Scene
from .schedule import Schedule
from .soft_state import Deformable, SoftLog, SoftTrace
from .trace import Trace, thinned


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a job left: its record, and where it got that far its samples and contact points."""

    record: Record
    trace: Trace | None = None
    contacts: ContactTrace | None = None
    soft: tuple[SoftTrace, ...] = ()


def run_job(job: Job, lock: MachineLock, process: str) -> Outcome:
    """Run one job to its record; exceptions become records, `KeyboardInterrupt` does not."""
    timing, cache = Timing(), _Cache()
    simulation: Simulation | None = None
    trace: Trace | None = None
    contacts: ContactTrace | None = None
    soft: tuple[SoftTrace, ...] = ()
    steps = 0
    impossible: tuple[str, ...] = ()
    try:
        start = perf_counter()
        experiment = experiment_class(job.experiment)(**job.params)
        adapter = engine_adapter(job.engine)
        timing.parts["import"] = perf_counter() - start
        cache.watch(adapter)
        start = perf_counter()
        scene = experiment.scene(job.dt)
        impossible = tuple(note for robot in scene.robots for note in model_of(robot).impossible)
        settings = Settings(profile=job.settings, options=_tuples(job.options))
        simulation = adapter.build(scene, job.dt, settings, job.device, job.precision)
        timing.parts["build"] = perf_counter() - start
        schedule = Schedule(dt=job.dt, duration=job.duration, stride=job.stride, control_dt=job.control_dt)
        controller = experiment.controller(schedule)
        engage(simulation, controller)
        context = Context(schedule, simulation.resolved(), controller, scene)
        evaluated = experiment.evaluate(simulation, context)
        if evaluated is not None:
            record = _evaluated(job, experiment, evaluated, context)
        else:
            sample, bodies = _logged(scene, simulation, schedule)
            events = experiment.events(job.dt)
            log = ContactLog(contact_parties(scene)) if experiment.CONTACTS else None
            full, diverged = rollout(simulation, sample, schedule, events, timing, controller, log, bodies)
            context = replace(context, soft=tuple(body.trace(full.time) for body in bodies))
            soft = tuple(body.thinned(schedule.stride) for body in context.soft)
            trace, steps = thinned(full, schedule.stride), len(full.time) - 1
            if log is not None and isinstance(simulation, Contacts):
                every = log.trace(len(full.time))
                context = replace(context, contacts=every)
                contacts = every.thinned(schedule.stride)
            record = _judged(job, experiment, scene, full, context, diverged)
            if diverged is None:
                loop = _Loop(simulation, sample, schedule, events, controller)
                record = _timed(record, loop, timing, lock)
    except Unsupported as error:
        record = Record(job=job, status="unsupported", reason=str(error))
    except Diverged as error:
        record = Record(job=job, status="diverged", reason=str(error), diverged_at=error.time)
    except Exception as error:
        traceback.print_exc()
        record = Record(job=job, status="failed", reason=f"{type(error).__name__}: {error}")
    _close(simulation)
    record = replace(record, notes=(*record.notes, *impossible))
    return Outcome(_completed(record, timing, steps, process, cache.state()), trace, contacts, soft)


def _logged(scene: Scene, simulation: Simulation, schedule: Schedule) -> tuple[Sample, tuple[SoftLog, ...]]:
    """Memory of one instant of the scene, and a log for each of its soft bodies.

    Raises:
        Unsupported: the scene has soft bodies and the adapter gives none.
    """
    joints = tuple(name for robot in scene.robots for name in model_of(robot).joint_names)
    names = tuple(body.name for body in scene.moving)
    if not scene.soft_bodies:
        return Sample(names, joints), ()
    if not isinstance(simulation, Deformable):
        raise Unsupported("this adapter simulates no soft bodies")
    links = tuple(link.name for robot in scene.robots for link in model_of(robot).links)
    parts = simulation.soft_parts
    bodies = tuple(SoftLog(part, index, links, schedule.steps) for index, part in enumerate(parts))
    return Sample(names, joints, [len(part.mass) for part in parts], len(links)), bodies


@dataclass(frozen=True, slots=True)
class _Loop:
    """What a bare or paced loop runs."""

    simulation: Simulation
    sample: Sample
    schedule: Schedule
    events: Sequence[Event]
    controller: Controller | None


def _timed(record: Record, loop: _Loop, timing: Timing, lock: MachineLock) -> Record:
    """Time the loop with the machine to itself; a failure here does not take the measured run away."""
    job = record.job
    try:
        with lock.timing():
            for _ in range(job.timings):
                time_bare_loop(loop.simulation, loop.sample, loop.schedule, loop.events, timing, loop.controller)
            if job.paced and loop.controller is not None:
                timing.pace = paced_loop(loop.simulation, loop.sample, loop.schedule, loop.controller)
    except Exception as error:
        traceback.print_exc()
        note = f"the real-time factor could not be timed: {type(error).__name__}: {error}"
        return replace(record, notes=(*record.notes, note))
    return record


def _close(simulation: Simulation | None) -> None:
    try:
        if simulation is not None:
            simulation.close()
    except Exception:
        traceback.print_exc()  # the record is complete; a broken clean-up is in stderr.txt


def _evaluated(job: Job, experiment: Experiment, metrics: Mapping[str, float], context: Context) -> Record:
    nothing = Trace(np.zeros(0), (), {})
    verdicts = judge(experiment, nothing, context, dict(metrics))
    return Record(job=job, status="ok", resolution=context.resolution, metrics=metrics, checks=tuple(verdicts))


def _judged(
    job: Job, experiment: Experiment, scene: Scene, trace: Trace, context: Context, diverged: Diverged | None
) -> Record:
    if diverged is not None:
        return Record(
            job=job,
            status="diverged",
            reason=str(diverged),
            diverged_at=diverged.time,
            resolution=context.resolution,
            detections=tuple(inversions(context.soft)),
        )
    metrics = measure(experiment, trace, context)
    return Record(
        job=job,
        status="ok",
        resolution=context.resolution,
        metrics=metrics,
        checks=tuple(judge(experiment, trace, context, metrics)),
        notes=(*_notes(job, context), *ignored(context.resolution)),
        detections=(*detect(scene, trace, experiment.events(job.dt)), *inversions(context.soft)),
    )


def _notes(job: Job, context: Context) -> tuple[str, ...]:
    schedule = context.schedule
    ended = (context.controller.ended,) if context.controller is not None and context.controller.ended else ()
    if job.paced and context.controller is None:
        return ("paced=true was asked for, and this experiment has no controller to pace",)
    if context.controller is None or not schedule.sub_sampled:
        return ended
    return (
        *ended,
        f"the controller of {schedule.control_dt:g} s is sub-sampled: it is called once per dt of {schedule.dt:g} s",
    )


def _completed(record: Record, timing: Timing, steps: int, process: str, compilation: str) -> Record:
    timed = TimingRecord(
        parts=timing.parts,
        bare_loops=tuple(timing.bare_loops),
        real_time_factors=tuple(timing.real_time_factors),
        steps=steps,
        pace=asdict(timing.pace) if timing.pace else None,
        process=process,
        compilation=compilation,
    )
    late = warning(timing.pace) if timing.pace is not None else ""
    notes = (*record.notes, late) if late else record.notes
    return replace(record, timing=timed, notes=notes, provenance=provenance())


def _tuples(options: Any) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in options.items()}


class _Cache:
    """Whether an engine wrote compiled code since it was watched, seen from the files in its cache folders."""

    def __init__(self) -> None:
        self.folders: list[Path] = []
        self.before: set[str] = set()

    def watch(self, adapter: Any) -> None:
        self.folders = list(adapter.cache_folders()) if hasattr(adapter, "cache_folders") else []
        self.before = self._files()

    def state(self) -> str:
        return "cold" if self._files() - self.before else "warm"

    def _files(self) -> set[str]:
        return {str(path) for folder in self.folders if folder.is_dir() for path in folder.rglob("*")}


@contextmanager
def _output_to(path: Path) -> Iterator[None]:
    """Send what this process and its libraries print to `path`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    sys.stdout.flush()
    sys.stderr.flush()
    kept = os.dup(1), os.dup(2)
    with path.open("wb", buffering=0) as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for fd, copy in enumerate(kept, start=1):
            os.dup2(copy, fd)
            os.close(copy)


def draft_of(out: Path, pid: int) -> Path:
    """Folder in which the process `pid` writes the run of `out`."""
    return out.with_name(f".{out.name}.{pid}.draft")


def _die_with_parent() -> None:
    """On Linux: let the kernel end this process when its launcher dies, however that happens."""
    if sys.platform == "linux":
        PR_SET_PDEATHSIG = 1
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def main(arguments: list[str]) -> None:
    """Run the jobs named on the command line, one after the other."""
    _die_with_parent()
    lock_path = None
    if arguments[:1] == ["--lock"]:
        lock_path, arguments = Path(arguments[1]), arguments[2:]
    for number, (job_path, out_path) in enumerate(zip(arguments[::2], arguments[1::2], strict=True)):
        out = Path(out_path)
        draft = draft_of(out, os.getpid())
        lock = MachineLock(lock_path, draft / WAITING)
        job = from_plain(json.loads(Path(job_path).read_text()))
        with _output_to(draft / store.LOG), lock.working():
            left = run_job(job, lock, "warm" if number else "fresh")
            store.write(left.record, left.trace, draft, out, left.contacts, left.soft)


if __name__ == "__main__":
    main(sys.argv[1:])
