"""The report in a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from .finder import NOTHING
from .finding import Report, Severity
from .groups import Group, grouped
from .items import GROUPS, ITEMS
from .lines import cell, plural, reasons, rows, summary
from .paths import from_here

COLOURS = {"error": "red", "warning": "yellow", "note": "dim", "ok": "green", "incomplete": "red"}

SHOWN = 12  # items that are named one by one


def show_report(report: Report, fail_on: Severity, *, notes: bool = False, named: bool = False) -> None:
    """Print the table of items, then the findings in groups, then how it ends.

    Args:
        notes: whether notes are among the findings.
        named: whether the robot's file stands above, for one of several.
    """
    console = Console(soft_wrap=True, highlight=False)
    if named:
        console.print(f"[bold]{escape(report.robot)}[/]")
    table = Table(box=None, pad_edge=False)
    table.add_column("item")
    table.add_column("")
    for engine, version in report.engines.items():
        table.add_column(f"{engine}\n[dim]{escape(version)}[/]")
    findings = list(report.findings)
    for item, cases in rows(report):
        cells = [cell(cases.get(engine), findings) for engine in report.engines]
        coloured = [f"[{COLOURS.get(c.split(' ')[-1].rstrip('s'), 'dim')}]{c}[/]" for c in cells]
        table.add_row(item.id, item.title, *coloured)
    console.print(table)
    console.print()
    groups = [g for g in grouped(report, from_here()) if not g.first.accepted and (notes or g.first.severity != "note")]
    for group in groups:
        colour = COLOURS[group.first.severity]
        console.print(
            f"[{colour}]{group.first.severity}[/] {group.first.item} {group.first.engine}: "
            f"{escape(group.subject)}: {escape(group.message)}"
        )
        for words in _below(group):
            console.print(f"  [dim]{escape(words)}[/]")
    for case in {(c.engine, c.reason): c for c in report.incomplete}.values():
        console.print(f"[red]incomplete[/] {case.engine}: {escape(case.reason)}")
    refused = {f.engine for f in findings if f.item == "RB-IMPORT"} | {case.engine for case in report.incomplete}
    for engine, reason, items in reasons(report):
        if reason != NOTHING and not set(engine.split(", ")) <= refused:
            console.print(f"[dim]{engine} without {_few(items)}: {escape(reason)}[/]")
    for words in report.stale:
        console.print(f"[yellow]stale[/] {escape(words)}")
    for words in report.notes:
        console.print(f"[dim]{escape(words)}[/]")
    hidden = 0 if notes else sum(f.severity == "note" and not f.accepted for f in findings)
    hints = ["--notes prints the notes"] if hidden else []
    if any(len(group.findings) > 1 for group in groups):
        hints.append("--html FILE has every element with its own values")
    console.print(escape(summary(report)) + (f" ({'; '.join(hints)})" if hints else ""))
    console.print(_ending(report, fail_on))


def _few(items: list[str]) -> str:
    return ", ".join(items) if len(items) <= SHOWN else f"{len(items)} items, {items[0]} to {items[-1]}"


def _ending(report: Report, fail_on: Severity) -> str:
    """The exit code in words."""
    code, n = report.exit_code(fail_on), len(report.open_findings(fail_on))
    above = fail_on if fail_on == "error" else f"{fail_on} or above"
    if code == 3:
        return "[red]incomplete[/] (exit code 3): " + (
            "an engine crashed or took too long" if report.incomplete else "nothing was compared"
        )
    words = "no finding" if not n else plural(n, "finding")
    return f"[red]failed[/] (exit code 1): {words} of {above}" if code else f"[green]passed[/]: {words} of {above}"


def _below(group: Group) -> Iterator[str]:
    """What stands under a group: its values where they vary, where they are, what is known and what to do."""
    if group.values:
        yield group.values
    yield group.place
    if group.cause:
        yield f"known: {group.cause}"
    yield f"to do: {group.first.advice}"


def explain(word: str | None) -> None:
    """Print what an item checks, or the whole list.

    Raises:
        UnknownName: there is no such item.
    """
    from .items import chosen

    console = Console(soft_wrap=True, highlight=False)
    if word is None:
        for group, title in GROUPS.items():
            console.print(f"[bold]{group}[/] {title}")
            for item in ITEMS.values():
                if item.group == group:
                    console.print(f"  {item.id:12} {item.title}")
        return
    for found in chosen([word]):
        words = escape(f"{found.title}\n{found.text}\nWhat to do: {found.advice}.")
        console.print(f"[bold]{found.id}[/] {words}")
