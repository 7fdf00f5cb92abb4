"""The report in a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from .finding import Report
from .items import GROUPS, ITEMS
from .lines import cell, ordered, rows, summary

COLOURS = {"error": "red", "warning": "yellow", "note": "dim", "ok": "green", "incomplete": "red"}
SHOWN = 12  # findings of one item and engine that are printed one by one


def show_report(report: Report, *, notes: bool = False) -> None:
    """Print the table of items, then every finding; notes only when asked for."""
    console = Console(soft_wrap=True, highlight=False)
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
    seen: dict[tuple[str, str], int] = {}
    for finding in ordered(report):
        if finding.accepted or (finding.severity == "note" and not notes):
            continue
        key = (finding.item, finding.engine)
        seen[key] = seen.get(key, 0) + 1
        if seen[key] > SHOWN:
            continue
        colour = COLOURS[finding.severity]
        console.print(
            f"[{colour}]{finding.severity}[/] {finding.item} {finding.engine}: "
            f"{escape(finding.element)}: {escape(finding.message)}"
        )
        console.print(f"  [dim]{escape(finding.place)}[/]")
        if finding.cause and finding.cause not in finding.message:
            console.print(f"  [dim]known: {escape(finding.cause)}[/]")
    for (shown, engine), n in seen.items():
        if n > SHOWN:
            console.print(f"... and {n - SHOWN} more of {shown} in {engine}; --html, --md or --sarif hold all of them")
    for case in {(c.engine, c.reason): c for c in report.incomplete}.values():
        console.print(f"[red]incomplete[/] {case.engine}: {escape(case.reason)}")
    for words in report.stale:
        console.print(f"[yellow]stale[/] {escape(words)}")
    for words in report.notes:
        console.print(f"[dim]{escape(words)}[/]")
    hidden = 0 if notes else sum(f.severity == "note" and not f.accepted for f in findings)
    console.print(escape(summary(report)) + (" (--notes prints the notes)" if hidden else ""))


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
        console.print(f"[bold]{found.id}[/] {found.title}\n{found.text}\nWhat to do: {found.advice}.")
