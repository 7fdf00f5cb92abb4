"""Many robot files through the static items, one process per engine; every file leaves a line in a file of records.

`python -m simparity.harness.portcheck.scan FOLDER... --engines a,b --limit 60 --out scan.jsonl`; a file that has its
line is not examined again unless it ran out of time, so that the same command goes on where it broke off.
`scantable` makes the table of it.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..registry import engine_version
from .finding import Examined
from .findrobots import RobotFile, robot_files
from .items import DYNAMIC, ITEMS
from .prepare import GEOMETRY
from .processes import EngineProcess, Options

STATIC = tuple(sorted({item.group for item in ITEMS.values()} - set(DYNAMIC)))
START = 600.0  # more wall time for a file that comes while its engine is still to be imported [s]


@dataclass(frozen=True, slots=True)
class Scan:
    """What is scanned: `limit` is the wall time per file and engine [s], `most` the files that must be checked."""

    files: Sequence[RobotFile]
    engines: Sequence[str]
    limit: float = 60.0
    most: int | None = None


def scan(work: Scan, out: Path) -> None:
    """Examine what has no line yet, engine after engine; `out` grows by a line per file and engine."""
    done = {(r["engine"], r["package"], r["file"]): r for r in records(out) if r["status"] != "incomplete"}
    for engine in work.engines:
        with (
            tempfile.TemporaryDirectory(prefix="simparity-scan-") as folder,
            EngineProcess(engine, Path(folder)) as process,
        ):
            checked = sum(r["status"] == "checked" for key, r in done.items() if key[0] == engine)
            for file in work.files:
                if work.most is not None and checked >= work.most:
                    break
                if (engine, file.package, file.name) in done:
                    continue
                record = _record(file, engine, _examined(process, file, work.limit))
                checked += record["status"] == "checked"
                with out.open("a") as stream:
                    stream.write(json.dumps(record) + "\n")
                print(f"{engine} {file.package}/{file.name}: {record['status']} {record['reason'][:150]}", flush=True)


def records(path: Path) -> list[dict[str, Any]]:
    """The lines of a file of records; a last line that was cut off is left out."""
    lines = path.read_text().splitlines() if path.is_file() else []
    found = []
    for line in lines:
        try:
            found.append(json.loads(line))
        except json.JSONDecodeError:
            continue
    return found


def _examined(process: EngineProcess, file: RobotFile, limit: float) -> tuple[Examined | None, str, bool]:
    """What the engine made of a file, or why the file cannot be used; without its shapes where only these miss."""
    options = Options(only=STATIC, dynamic=False)
    reason = ""
    for geometry in (True, False):
        wall = limit if process.running else limit + START
        options = replace(options, timeout=wall, without_geometry=not geometry)
        try:
            process.ask(file.path, options)
            return process.answer(options), reason, geometry
        except UsageError as error:
            reason = reason or str(error).replace(GEOMETRY, "").rstrip(" ;,:or")
            if GEOMETRY not in str(error):
                return None, reason, geometry
        except Exception as error:  # a scan goes on whatever happens
            traceback.print_exc()
            process.stop()
            return None, f"{type(error).__name__}: {error}", geometry
    return None, reason, False


def _record(file: RobotFile, engine: str, seen: tuple[Examined | None, str, bool]) -> dict[str, Any]:
    examined, reason, geometry = seen
    status = "unusable"
    findings: list[dict[str, Any]] = []
    if examined is not None:
        refused = [f for f in examined.findings if f.item == "RB-IMPORT"]
        unfinished = [case.reason for case in examined.cases if case.status == "incomplete"]
        skipped = [case.reason for case in examined.cases if case.status == "skipped"]
        if examined.imported:
            status = "checked"
        elif refused:
            status, reason = "refused", refused[0].message.partition(" refuses the file: ")[2]
        elif unfinished:
            status, reason = "incomplete", unfinished[0]
        else:
            status, reason = "refused", skipped[0] if skipped else "no item was examined"
        kept = ("item", "severity", "element", "quantity", "source", "found", "unit", "relative", "message", "cause")
        findings = [{name: getattr(f, name) for name in kept} for f in examined.findings]
    root = file.path.as_posix().removesuffix(file.name)
    return {
        "engine": engine,
        "version": engine_version(engine) or "",
        "package": file.package,
        "file": file.name,
        "format": file.format,
        "status": status,
        "reason": reason.replace(root, ""),
        "geometry": geometry,
        "seconds": 0.0 if examined is None else round(examined.seconds, 2),
        "checked": {} if examined is None else {case.item: case.checked for case in examined.cases if case.checked},
        "findings": findings,
    }


def main(arguments: Sequence[str]) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m simparity.harness.portcheck.scan", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--engines", required=True, help="names, separated by commas")
    parser.add_argument("--limit", type=float, default=60.0, help="wall time per file and engine [s]")
    parser.add_argument("--most", type=int, help="stop an engine after so many checked files")
    parser.add_argument("--memory", type=float, default=12.0, help="address space that a process may take [GiB]")
    parser.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args(arguments)
    missing = [folder for folder in asked.folders if not folder.is_dir()]
    if missing:
        parser.error(f"{missing[0]} is no folder; give folders that hold MJCF and URDF files")
    engines = asked.engines.split(",")
    try:
        absent = [engine for engine in engines if engine_version(engine) is None]
    except UsageError as error:
        parser.error(str(error))
    if absent:
        parser.error(f"engine {absent[0]!r} is not installed; `simparity engines` lists them")
    most_bytes = int(asked.memory * 2**30)
    resource.setrlimit(resource.RLIMIT_AS, (most_bytes, most_bytes))  # workers inherit it
    scan(Scan(robot_files(asked.folders), engines, asked.limit, asked.most), asked.out)


if __name__ == "__main__":
    main(sys.argv[1:])
