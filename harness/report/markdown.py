"""The summary as Markdown: the answers, the verdicts and the metrics, for a terminal or a code review."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from .ensemble_view import EnsembleCell, EnsembleView
from .measured import MetricRow, Reading
from .outcome_table import OutcomeCell, OutcomeTable
from .quantity import NOTHING, quantity
from .summary import DeviationTable, Matrix, Panel, Section, Summary
from .verdicts import Cell


def markdown(summary: Summary) -> str:
    """Answers, verdict matrix, metrics of every panel, findings and damaged files."""
    return "\n".join(_lines(summary)).rstrip() + "\n"


def _lines(summary: Summary) -> Iterator[str]:
    yield from ("# Physics engines compared", "")
    engines = ", ".join(f"{name} {' and '.join(versions)}" for name, versions in summary.engines.items())
    counts = ", ".join(f"{count} {status}" for status, count in summary.statuses.items())
    aside = sum(row.runs for row in summary.earlier)
    earlier = f" {aside} runs of earlier code are set aside." if aside else ""
    count = len(summary.damage)
    files = f"{count} file{'s' if count != 1 else ''}"
    unread = f" {files} could not be read; the end of this page names them." if count else ""
    where = "; ".join(summary.machines)
    yield from (_text(f"{engines}. {summary.runs} runs ({counts}) on {where}.{earlier}{unread}"), "")
    for section in summary.sections:
        yield f"- **{_text(section.name)}**"
        yield from (f"  - {_text(sentence)}" for sentence in section.answers)
    yield ""
    if summary.matrix.pairs:
        yield from ("## Verdicts", "")
        yield from _matrix(summary.matrix)
        yield from (f"- {_text(note)}" for note in summary.matrix.notes)
        yield ""
        if summary.matrix.resolving:
            yield from ("What would resolve the verdicts that are unresolved:", "", "```sh")
            for one in summary.matrix.resolving:
                yield from (f"# {one.where}", *one.commands)
            yield from ("```", "")
    for section in summary.sections:
        yield from _section(section)
    if summary.damage:
        yield from ("## Files that are no readable run", "")
        yield from (f"- `{_text(row.path)}`: {_text(row.reason)}" for row in summary.damage)


def _matrix(matrix: Matrix) -> Iterator[str]:
    head = ["comparison", *(f"{a} / {b}" for a, b in matrix.pairs)]
    rows = []
    for row in matrix.rows:
        name = " ".join(word for word in (row.experiment, row.settings, row.variant, quantity(row.dt, "s")) if word)
        rows.append([name, *(_cell(cell) for cell in row.cells)])
    yield from _table(head, rows)


def _cell(cell: Cell | None) -> str:
    if cell is None:
        return NOTHING
    missing = f"({cell.missing})" if cell.missing else ""
    return " ".join(word for word in (cell.word, cell.amount, missing) if word)


def _section(section: Section) -> Iterator[str]:
    yield from (f"## {_text(section.name)}", "", _text(section.text) + ".", "")
    if section.outcomes is not None:
        yield from _outcomes(section.outcomes)
    for panel in section.panels:
        yield from _panel(panel)
    if section.quality is not None:
        yield from ("### Contact quality", "")
        head = ["participant", "settings, variant", *(name for name, _ in section.quality.columns)]
        yield from _table(head, [[row.label, row.where, *row.values] for row in section.quality.rows])
    for table in section.deviations:
        yield from _deviations(table)
    if section.findings:
        yield from ("### Failed checks, detections and notes", "")
        for one in section.findings:
            yield f"- {_text(one.label)} ({_text(one.where)}, {one.runs} runs): {_text(one.text)}"
        yield ""


def _outcomes(table: OutcomeTable) -> Iterator[str]:
    head = ["participant", "settings, variant", "dt", *(name for name, _ in table.why)]
    yield from (f"### Outcome and {table.metric} against {table.name}", "")
    yield from (table.note, "")
    for title, rows in table.parts:
        if title:
            yield from (f"#### {title}", "")
        lines = [
            [
                *(row.label, row.where, quantity(row.dt, "s"), *row.why),
                *([table.values[column] for column, _ in row.ends] if title else []),
                *(_ended(cell) for cell in row.cells if cell is not None or not title),
            ]
            for row in rows
        ]
        ends = [table.name, "outcome"] if title else [f"{table.name} {value}" for value in table.values]
        yield from _table([*head, *ends], lines)


def _ended(cell: OutcomeCell | None) -> str:
    return NOTHING if cell is None else f"{cell.word} {cell.amount}".strip()


def _panel(panel: Panel) -> Iterator[str]:
    where = ", ".join(word for word in (f"{panel.settings} settings", panel.variant) if word)
    yield from (f"### {_text(where)}, dt {quantity(panel.dt, 's')}", "")
    yield from (_text(panel.finding), "")
    if panel.ensemble is not None:
        yield from _ensemble(panel.ensemble)
    head = ["metric", "closed form", *(style.label for style in panel.styles)]
    rows = [
        [row.name, row.said(row.expected), *(_reading(reading, row) for reading in row.readings)]
        for row in panel.metrics
    ]
    if rows:
        yield from _table(head, rows)


def _ensemble(view: EnsembleView) -> Iterator[str]:
    yield from _table(["metric", *view.labels], [[row.name, *map(_over_members, row.cells)] for row in view.rows])


def _over_members(cell: EnsembleCell | None) -> str:
    if cell is None:
        return NOTHING
    return f"{cell.median} ({cell.quartiles})" if cell.quartiles else cell.median


def _deviations(table: DeviationTable) -> Iterator[str]:
    yield from (f"### Deviation from {_text(table.against)}, {_text(table.settings)} settings", "")
    rows = [
        [f"{group.name}: {row.name}", *(_reading(reading, row, 2) for reading in row.readings)]
        for group in table.groups
        for row in group.rows
    ]
    yield from _table(["quantity", *table.participants], rows)
    yield from (f"- {_text(label)}, {_text(note)}" for label, notes in table.notes.items() for note in notes)
    yield ""


def _reading(reading: Reading | None, row: MetricRow, digits: int = 5) -> str:
    if reading is None:
        return NOTHING
    outcome = {"pass": "✓", "fail": "✗ fails"}.get(reading.outcome, "")
    return f"{row.said(reading.value, digits)} {outcome}".strip()


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield "| " + " | ".join(_text(word) for word in head) + " |"
    yield "|" + " --- |" * len(head)
    for row in rows:
        yield "| " + " | ".join(_text(word) for word in row) + " |"
    yield ""


def _text(words: str) -> str:
    """Words that can stand in a table: no markup of their own, no line breaks."""
    safe = words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("|", "\\|").replace("`", "'")
    return re.sub(r"(?<!\w)_|_(?!\w)", r"\\_", safe.replace("*", "\\*").replace("\n", " "))
