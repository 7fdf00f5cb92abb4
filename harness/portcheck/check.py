"""The whole check of one robot file: every engine in its own process, then what differs among them."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from ..errors import UsageError
from ..registry import engine_entry, engine_version
from .accept import Accepted, accept, stale
from .defaults import between_engines, pairs_between_engines
from .finding import Case, Examined, Report
from .items import chosen
from .prepare import prepare
from .processes import EngineProcess, Options
from .source import Source, read_source

Told = Callable[[str], None]


def check(
    robot: str | Path,
    engines: Sequence[str] = ("mujoco",),
    options: Options | None = None,
    accepted: Sequence[Accepted] = (),
    told: Told = lambda words: None,
) -> Report:
    """Check a robot file in the named engines.

    Raises:
        UsageError: the file or a name is wrong, or an engine is not installed.
    """
    options = options or Options()
    items = chosen(options.only)
    if not options.dynamic and all(item.dynamic for item in items):
        named = ", ".join(dict.fromkeys(item.group for item in items))
        raise UsageError(
            f"{named} can only be simulated, and --static leaves that out; take --static away or name RB, DF or CF"
        )
    for engine in engines:
        if engine_entry(engine).distribution is None:
            raise UsageError(f"engine {engine!r} reads no robot files; `simparity engines` lists the others")
        if engine_version(engine) is None:
            raise UsageError(
                f"engine {engine!r} is not installed; `simparity engines` lists the engines and how to install them"
            )
    if not engines:
        raise UsageError("no engine was named; give --engines, `simparity engines` lists them")
    with tempfile.TemporaryDirectory(prefix="simparity-") as folder, ExitStack() as stack:
        workers = [stack.enter_context(EngineProcess(engine, Path(folder))) for engine in engines]
        asked = workers[:1]
        for worker in asked:  # the first engine starts while this process reads the source
            worker.ask(Path(robot), options)
        source = _source(Path(robot), options, Path(folder) / "source")
        examined: list[Examined] = []
        said: list[str] = []
        for n, worker in enumerate(workers):
            told(worker.engine)
            if n:
                worker.ask(Path(robot), options)
            examined.append(worker.answer(options))
            worker.stop()
        if options.dynamic and any(item.dynamic for item in items):
            from .dynamic import run_dynamic

            examined, said = run_dynamic(source, examined, items, Path(folder) / "runs", told, options.bandwidth)
    return assemble(str(robot), source, examined, accepted, said)


def assemble(
    robot: str, source: Source, examined: Sequence[Examined], accepted: Sequence[Accepted], said: Sequence[str] = ()
) -> Report:
    """One report of what the engines left; `said` of all of them."""
    findings = [finding for one in examined for finding in one.findings]
    if any(case.item == "DF-DEFAULT" for one in examined for case in one.cases):
        findings += between_engines(robot, examined)
    if source.reading.pairs is None and any(case.item == "CF-PAIRS" for one in examined for case in one.cases):
        findings += pairs_between_engines(robot, examined)
    seen = [case for one in examined for case in one.cases]
    kept = accept([replace(f, file=f.file or robot) for f in findings], accepted, robot)
    reading = source.reading
    counts = {
        "links": len(reading.links),
        "joints": len(reading.joints),
        "actuators": len(reading.actuators),
        "colliding shapes": len(reading.geoms),
    }
    cases: list[Case] = [_accepted_case(case, kept) for case in seen]
    notes = [*source.prepared.notes, *said, *(f"{one.engine}: {note}" for one in examined for note in one.notes)]
    report = Report(
        robot=robot,
        format=source.prepared.format,
        reader=source.reader,
        counts=counts,
        engines={one.engine: one.version for one in examined},
        cases=cases,
        findings=kept,
        notes=notes,
    )
    return replace(report, stale=stale(accepted, [report]))


def _accepted_case(case: Case, findings: Sequence[object]) -> Case:
    """A case whose every finding is accepted has passed."""
    mine = [f for f in findings if (f.item, f.engine) == (case.item, case.engine) and f.severity != "note"]  # type: ignore[attr-defined]
    if case.status == "fail" and mine and all(f.accepted for f in mine):  # type: ignore[attr-defined]
        return replace(case, status="pass", reason="accepted: " + "; ".join(sorted({f.accepted for f in mine})))  # type: ignore[attr-defined]
    return case


def _source(robot: Path, options: Options, folder: Path) -> Source:
    prepared = prepare(robot, options.package_path, without_geometry=options.without_geometry, folder=folder)
    return read_source(prepared, options.reference)
