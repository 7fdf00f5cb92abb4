"""`simparity show`: the metrics of stored runs, a table for each experiment, as wide as the terminal; or all as CSV."""

from __future__ import annotations

import csv
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from rich.markup import escape
from rich.table import Table

from . import store
from .asked import changed, engine_word
from .checks import metrics_of
from .errors import UsageError
from .job import Job
from .listing import console, shown
from .progress import describe, short
from .record import Record
from .registry import experiment_class
from .selection import none_fits, selected

DIGITS = 6  # of a metric in a table; the CSV has all
LONGEST = 28  # letters of a parameter's value
GAP = 2  # letters between columns

Column = tuple[str, list[str]]  # its head and its cells


def stored(results: Path, where: Sequence[str]) -> list[tuple[Path, Record]]:
    """The runs of the newest code below `results` that meet the conditions; what is left out is told on stderr.

    Raises:
        UsageError: the folder does not exist, holds no readable run, or none that fits.
    """
    if not results.is_dir():
        raise UsageError(f"results folder {results} does not exist; `simparity run` makes it")
    items = list(store.runs(results))
    for damage in (item for item in items if isinstance(item, store.Damage)):
        print(f"simparity: skipped {damage.path}: {damage.reason}", file=sys.stderr)
    found, earlier = store.newest_code(item for item in items if isinstance(item, tuple))
    if earlier:
        note = "of earlier states of simparity's code are left out; run them again to have them beside these"
        print(f"simparity: {len(earlier)} runs {note}", file=sys.stderr)
    if not found:
        raise UsageError(f"results folder {results} holds no readable run; `simparity run` makes some")
    kept = {id(record) for record in selected([record for _, record in found], where)}
    if not kept:
        raise none_fits([record for _, record in found], where, results)
    return [(folder, record) for folder, record in found if id(record) in kept]


def metric_table(results: Path, where: Sequence[str], metrics: Sequence[str]) -> None:
    """Metrics of stored runs: a table for each experiment, a row a run; what all of them have alike stands above it.

    Args:
        results: folder of the records.
        where: NAME=VALUE conditions, or the first digits of run ids.
        metrics: names to show; all of them when empty.
    """
    records = [record for _, record in stored(results, where)]
    known = {name for record in records for name in record.metrics}
    unknown = [name for name in metrics if name not in known]
    if unknown:
        raise UsageError(f"no such metric in these runs: {', '.join(unknown)}; they have {', '.join(sorted(known))}")
    by_experiment: dict[str, list[Record]] = defaultdict(list)
    for record in sorted(records, key=lambda record: (describe(record.job), record.job.run_id)):
        if not metrics or any(name in record.metrics for name in metrics):
            by_experiment[record.job.experiment].append(record)
    for number, (experiment, group) in enumerate(by_experiment.items()):
        if number:
            print()
        _print(experiment, group, metrics)


def csv_table(results: Path, where: Sequence[str]) -> None:
    """Every stored run that fits as a line of comma-separated values: what was run, parameters, metrics, in full."""
    from .report.frames import row_of

    rows = [row_of(record, folder.parents[2].name) for folder, record in stored(results, where)]
    writer = csv.DictWriter(sys.stdout, list(dict.fromkeys(name for row in rows for name in row)), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


def _print(experiment: str, records: Sequence[Record], metrics: Sequence[str]) -> None:
    about, alike = _apart(_about(records), keep="engine" if len(records) == 1 else "")
    found, equal = _apart(_measured(records, metrics)) if len(records) > 1 else (_measured(records, metrics), [])
    remarks = [_remark(record) for record in records]
    run: list[Column] = [("remark", remarks)] if any(remarks) else []
    run.append(("run", [record.job.run_id for record in records]))
    out = console()
    many = f"{len(records)} run{'s' if len(records) > 1 else ''}"
    said = [f"{head}={cells[0]}" for head, cells in alike] + [f"{_line(head)} {cells[0]}" for head, cells in equal]
    out.print(f"{experiment}: {many}{', all with ' if len(records) > 1 and said else ' with ' if said else ''}", end="")
    out.print(escape(", ".join(said)))
    for number, block in enumerate(_blocks(about, run, found, out.width)):
        if number:
            out.print()
        table = Table(box=None, pad_edge=False, padding=(0, GAP // 2))
        for head, cells in block:
            right = any(head == name for name, _ in found)
            width = _width((head, cells))
            table.add_column(escape(head), justify="right" if right else "left", no_wrap=True, min_width=width)
        for row in zip(*(cells for _, cells in block), strict=True):
            table.add_row(*map(escape, row))
        out.print(table)


def _blocks(
    about: Sequence[Column], run: Sequence[Column], found: Sequence[Column], width: int
) -> Iterator[list[Column]]:
    """The columns in as many tables as it takes to fit `width` letters; each begins with what tells the runs apart."""
    block, room = [*about, *run], width - _widths([*about, *run])
    fresh = False  # whether this table has a metric yet
    for column in found:
        need = _width(column) + GAP
        if need > room and (fresh or block[len(about) :] == list(run)):
            yield block
            block = list(about) or [run[-1]]
            room = width - _widths(block)
        block.append(column)
        room, fresh = room - need, True
    yield block


def _widths(columns: Sequence[Column]) -> int:
    return sum(map(_width, columns)) + GAP * (len(columns) - 1)


def _width(column: Column) -> int:
    head, cells = column
    return max(map(len, (*head.split("\n"), *cells)))


def _apart(columns: Sequence[Column], keep: str = "") -> tuple[list[Column], list[Column]]:
    """Columns whose cells differ, `keep` among them, and columns that say the same in every row."""
    differ = [column for column in columns if len(set(column[1])) > 1 or column[0] == keep]
    return differ, [column for column in columns if column not in differ]


def _about(records: Sequence[Record]) -> list[Column]:
    """What was run, as columns: engine, settings and step, what is not at its default anywhere, and the repeat."""
    names = dict.fromkeys(name for record in records for name in changed(record.job))
    options = dict.fromkeys(name for record in records for name in record.job.overrides)
    facts: dict[str, Callable[[Job], str]] = {
        "engine": engine_word,
        "settings": lambda job: job.settings,
        "dt": lambda job: f"{job.dt * 1e3:g}ms",
    }
    cells = [(name, [of(record.job) for record in records]) for name, of in facts.items()]
    cells += [(name, [_value(record.job, name) for record in records]) for name in names]
    cells += [(f"+{name}", [_option(record.job.overrides, name) for record in records]) for name in options]
    return [*cells, ("repeat", [str(record.job.repeat) for record in records])]


def _value(job: Job, name: str) -> str:
    """A parameter of the run in a few letters, the end of a long one."""
    if name == "smoke":
        return str(changed(job).get(name, "false"))
    text = short(job.params[name] if name in job.params else getattr(job, name, ""))
    return text if len(text) <= LONGEST else "…" + text[1 - LONGEST :]


def _option(overrides: Mapping[str, object], name: str) -> str:
    return short(overrides[name]) if name in overrides else ""


def _measured(records: Sequence[Record], metrics: Sequence[str]) -> list[Column]:
    units: dict[str, str] = {}
    for record in records:
        job = record.job
        units |= {one.name: one.unit for one in metrics_of(experiment_class(job.experiment)(**job.params))}
    there = dict.fromkeys(name for record in records for name in record.metrics)
    names = metrics or [*(name for name in units if name in there), *(name for name in there if name not in units)]
    return [
        (
            f"{name}\n[{units[name]}]" if units.get(name, "1") != "1" else name,
            [shown(record, name, record.metrics[name], DIGITS) if name in record.metrics else "" for record in records],
        )
        for name in names
        if name in there
    ]


def _remark(record: Record) -> str:
    """How it ended where that was not well, failed checks, and what was detected."""
    failed = sum(verdict.outcome == "fail" for verdict in record.checks)
    words = [] if record.status == "ok" else [str(record.status)]
    words += [f"{failed} check{'s' if failed > 1 else ''} failed"] if failed else []
    return " ".join([*words, *dict.fromkeys(detection.kind for detection in record.detections)])


def _line(head: str) -> str:
    """The head of a metric's column on one line."""
    return head.replace("\n", " ")
