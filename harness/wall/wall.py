"""The whole table: every row in every engine asked for, one process per engine, and its text."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from ...engines import ENGINES
from ..engine import Value
from ..errors import SimparityError, UsageError
from ..registry import engine_version
from ..versions import command, environment_of, split_version
from .probe import value_of
from .row import Cell, Outcome, Row
from .rows import ROWS

TIMEOUT = 3600.0  # [s] for all rows of one engine, its compilers included
WIDEST = 56  # characters of an aligned column
WORDS: Mapping[Outcome, str] = {"right": "right", "wrong": "**wrong**", "dropped": "**dropped**", "refused": "refused"}


@dataclass(frozen=True, slots=True)
class Column:
    """One engine's cells, by row; `label` is its name and version."""

    label: str
    cells: Mapping[str, Cell]


def probed_engines() -> list[str]:
    """Engines that are installed and have a probe."""
    return [name for name in ENGINES if engine_version(name) and _has_probe(name)]


def column(engine: str, rows: Sequence[Row] = ROWS) -> Column:
    """Run the rows in NAME or NAME@VERSION, in a process of its own; a row that ends the process is refused.

    Raises:
        UsageError: no such engine or version, or it imports nothing.
    """
    name, version = split_version(engine)
    environment = environment_of(name, version)
    version = environment.version if environment is not None else engine_version(name) or ""
    if not version:
        raise UsageError(f"engine {name!r} is not installed; `simparity engines` says how to install it")
    if not _has_probe(name):
        raise UsageError(f"engine {name!r} imports no robots; engines that do: {', '.join(probed_engines())}")
    cells: dict[str, Cell] = {}
    with tempfile.TemporaryDirectory(prefix="simparity-wall-") as scratch:
        out = Path(scratch) / "cells.jsonl"
        while waiting := [row.name for row in rows if row.name not in cells]:
            words = [*command(environment, "simparity.harness.wall.probe"), name, str(out), *waiting]
            try:
                done = subprocess.run(words, capture_output=True, text=True, timeout=TIMEOUT)
            except subprocess.TimeoutExpired:
                slow = next(row.name for row in rows if row.name not in _read(out))
                raise SimparityError(f"the rows of {engine} took longer than {TIMEOUT:g} s; it was at {slow}") from None
            known = len(cells)
            cells |= _read(out)
            if done.returncode == 0:
                break
            if done.returncode > 0 and len(cells) == known:
                raise SimparityError(f"the probe of {engine} does not run: {done.stderr.strip()[-400:]}")
            if done.returncode < 0:
                culprit = next(row.name for row in rows if row.name not in cells)
                cells[culprit] = Cell(outcome="refused", reason=f"it ended the process (signal {-done.returncode})")
    return Column(f"{name} {version}", cells)


def _has_probe(engine: str) -> bool:
    return find_spec(f"simparity.engines.{engine}.wall") is not None


def _read(out: Path) -> dict[str, Cell]:
    found = {}
    for line in out.read_text().splitlines() if out.exists() else ():
        said = json.loads(line)
        found[said["row"]] = Cell(outcome=said["outcome"], value=value_of(said["value"]), reason=said["reason"])
    return found


def table(columns: Sequence[Column], rows: Sequence[Row] = ROWS) -> list[tuple[str, ...]]:
    """Cells of text: a header, then a row per trap with what is expected and each engine's outcome."""
    header = ("trap", "quantity", "expected", *(column.label for column in columns))
    return [
        header,
        *((f"{r.trap}", r.quantity, shown(r.expected, r.unit), *(_text(c, r) for c in columns)) for r in rows),
    ]


def _text(column: Column, row: Row) -> str:
    cell = column.cells[row.name]
    word = WORDS.get(cell.outcome, cell.outcome)
    if cell.outcome == "right":
        return word
    if cell.outcome == "wrong" or (cell.outcome == "dropped" and cell.value is not None):
        return f"{word}: {shown(cell.value, '', digits=10 if shown(cell.value, '') == shown(row.expected, '') else 4)}"
    return f"{word}: {cell.reason}" if cell.reason else word


def shown(value: Value, unit: str, digits: int = 4) -> str:
    """A value in four digits, a tensor by its diagonal and what is above it."""
    if isinstance(value, tuple):
        if len(value) == 9:
            value = tuple(value[k] for k in (0, 4, 8, 1, 2, 5))
        text = " ".join(f"{x:.{digits}g}" for x in (0.0 if abs(x) < 1e-12 else x for x in value))
    elif isinstance(value, bool):
        text = "yes" if value else "no"
    else:
        text = f"{value:.{digits}g}" if isinstance(value, float) else str(value)
    return f"{text} {unit}" if unit not in ("", "1") else text


def markdown(columns: Sequence[Column], made_by: str) -> str:
    """The page."""
    lines = [
        "# The import wall",
        "",
        f"Made by `{made_by}`. Every row is a small model of our own with one trap, read by each engine's own",
        "importer with the importer's defaults, and asked for one quantity of the live engine object. What is",
        "expected follows from the format's documentation or a closed form, never from an engine (`harness/wall/`).",
        "A 3 x 3 tensor stands as xx yy zz xy xz yz.",
        "",
        "**wrong**: another value. **dropped**: the value is the one without the trap, or nothing is there. refused:",
        "the importer raised, with its reason. not representable: the engine has no such quantity, or no importer for",
        "the format.",
        "",
        summary(columns),
        "",
    ]
    head, *body = table(columns)
    lines += [_line(head), "|---" * len(head) + "|", *(_line(cells) for cells in body)]
    return "\n".join(lines) + "\n"


def summary(columns: Sequence[Column]) -> str:
    """How many of each outcome, engine by engine, as a Markdown table."""
    outcomes = ("right", "wrong", "dropped", "refused", "not representable", "failed")
    rows: list[tuple[str, ...]] = [("engine", *outcomes)]
    for one in columns:
        counts = [sum(cell.outcome == outcome for cell in one.cells.values()) for outcome in outcomes]
        rows.append((one.label, *map(str, counts)))
    return "\n".join([_line(rows[0]), "|---" * len(rows[0]) + "|", *map(_line, rows[1:])])


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("<", "&lt;") for cell in cells) + " |"


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of aligned cells; one wider than WIDEST moves what follows in its row, and pads no other row."""
    widths = [min(max(map(len, column)), WIDEST) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows]


def show(engines: Sequence[str], *, md: bool) -> None:
    """Run the wall and print it."""
    columns = [column(engine) for engine in engines]
    if md:
        print(markdown(columns, f"simparity wall --engines {','.join(engines)} --md"), end="")
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    head, *body = table(columns)
    rows = [[cell.replace("**", "") for cell in cells] for cells in body]
    if not sys.stdout.isatty():
        print("\n".join(aligned([head, *rows])))
        return
    printed = Table(*head, box=None, pad_edge=False)
    for cells in rows:
        printed.add_row(*map(escape, cells))
    Console(highlight=False).print(printed)
