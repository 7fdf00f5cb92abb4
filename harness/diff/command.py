"""`simparity diff A B`: finds out what A and B are, compares, prints."""

from __future__ import annotations

import argparse
import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from .. import store
from ..errors import UsageError
from ..progress import describe
from ..record import Record
from ..registry import engine_entry
from .moved import Diff, PairDiff
from .robots import diff_robots
from .runs import diff_records, diff_sets, of_version, records_below
from .text import markdown, sections, sentence

ROBOT_FILES = (".xml", ".mjcf", ".urdf", ".xacro")


def add_command(commands: Any) -> None:
    """Add `diff` to the command line."""
    one = commands.add_parser(
        "diff",
        help="what moved between two results, two engine versions or two robot files",
        description="A and B: run ids, folders of results, ENGINE@VERSION of the runs in --results, or robot files.",
    )
    one.add_argument("a", metavar="A")
    one.add_argument("b", metavar="B")
    one.add_argument("--results", default="results", type=Path, help="folder of results")
    one.add_argument("--md", action="store_true", help="print Markdown")
    one.add_argument("--rtol", type=float, help="relative difference that counts as none; without it, rounding")
    one.add_argument(
        "--package-path", action="append", default=[], metavar="FOLDER", help="where package:// of robots is looked for"
    )
    one.add_argument("--without-geometry", action="store_true", help="robot files without meshes, URDF without shapes")
    one.add_argument("--fail-on-change", action="store_true", help="exit with 1 when more than rounding differs")
    one.set_defaults(act=_act)


def diff(
    a: str,
    b: str,
    results: Path,
    rtol: float | None = None,
    *,
    package_path: Sequence[str] = (),
    without_geometry: bool = False,
) -> Diff:
    """What moved between A and B: run ids, NAME@VERSION of an engine, folders of results, or robot files.

    The last two arguments are of robot files alone, see `prepare`.

    Raises:
        UsageError: one of them is nothing of that, they are of two sorts, or no run has a partner.
    """
    robots = [word.endswith(ROBOT_FILES) for word in (a, b)]
    if all(robots):
        return diff_robots(Path(a), Path(b), rtol, package_path=package_path, without_geometry=without_geometry)
    if any(robots):
        raise UsageError(f"{a} and {b} cannot be compared: one is a robot file; give two robot files, or two results")
    if package_path or without_geometry:
        raise UsageError("--package-path and --without-geometry are for robot files; leave them out to compare results")
    left, right = _runs(a, results), _runs(b, results)
    if isinstance(left, Record) and isinstance(right, Record):
        pair = replace(diff_records(left, right, rtol), subject="")  # of two runs of different work, neither's
        pairs: tuple[PairDiff, ...] = (pair,) if pair.moved else ()
        names = (f"{a} ({describe(left.job)})", f"{b} ({describe(right.job)})")
        both = diff_sets([left], [right], names, rtol)
        return replace(both, compared=1, pairs=pairs, only_a=(), only_b=())
    if isinstance(left, Record) or isinstance(right, Record):
        raise UsageError(f"{a} and {b} cannot be compared: one is a single run; give two runs, or two sets of runs")
    both = diff_sets(left, right, (a, b), rtol)
    if not both.compared:
        raise UsageError(
            f"no run of {a} ({_held(left)}) has a partner in {b} ({_held(right)}): partners agree in experiment, "
            "engine, settings, dt and all other parameters; give the ids of two runs to compare these"
        )
    return both


def _held(records: list[Record]) -> str:
    """How many runs, and of what."""
    experiments = ", ".join(dict.fromkeys(sorted(record.job.experiment for record in records)))
    return f"{len(records)} {'run' if len(records) == 1 else 'runs'} of {experiments}"


def _runs(word: str, results: Path) -> Record | list[Record]:
    path = Path(word)
    if (path / store.RUN).is_file():
        return store.read(path)
    if path.is_dir():
        return records_below(path)
    name, at, version = word.partition("@")
    if at:
        engine_entry(name)
        everything = records_below(results)
        found = of_version(everything, name, version)
        if not found:
            have = sorted({f"{r.job.engine}@{r.job.engine_version.partition(' ')[0]}" for r in everything})
            raise UsageError(f"results folder {results} holds no run of {word}; it holds runs of: {', '.join(have)}")
        return found
    try:
        return store.read(store.find(word, results))
    except UsageError as error:
        raise UsageError(
            f"{word!r} is no folder, no robot file ({', '.join(ROBOT_FILES)}) and no ENGINE@VERSION, and {error}; "
            "give two of one sort"
        ) from error


def show(found: Diff, words: list[str], *, md: bool) -> None:
    """Print it as a table, or as Markdown."""
    if md:
        print(markdown(found, shlex.join(["simparity", "diff", *words])), end="")
        return
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 1000
    console = Console(highlight=False, width=width)
    for section in sections(found):
        table = Table(*section.headers, box=None, pad_edge=False, title=escape(section.title), title_justify="left")
        for row in section.rows:
            table.add_row(*map(escape, row))
        console.print(table)
    for text in (
        *found.context,
        *(f"only in A: {x}" for x in found.only_a),
        *(f"only in B: {x}" for x in found.only_b),
    ):
        console.print(escape(text))
    console.print(escape(sentence(found)))


def _act(options: argparse.Namespace) -> int:
    found = diff(
        options.a,
        options.b,
        options.results,
        options.rtol,
        package_path=options.package_path,
        without_geometry=options.without_geometry,
    )
    chosen = [] if options.rtol is None else ["--rtol", f"{options.rtol:g}"]
    chosen += [word for folder in options.package_path for word in ("--package-path", folder)]
    chosen += ["--without-geometry"] if options.without_geometry else []
    show(found, [options.a, options.b, *chosen, *(["--md"] if options.md else [])], md=options.md)
    return 1 if options.fail_on_change and found.changed else 0
