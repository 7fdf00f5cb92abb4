"""The report as Markdown, for a comment on a pull request."""

from __future__ import annotations

from .finding import Report
from .groups import grouped
from .lines import cell, plural, rows, summary
from .paths import from_here

SHOWN = 60  # rows of findings; a comment has a size limit


def markdown(report: Report) -> str:
    """The whole report; what comes from the file is escaped."""
    engines = list(report.engines)
    findings = list(report.findings)
    out = [f"## simparity check: `{_code(report.robot)}`", "", escaped(summary(report)), ""]
    out += ["| item | | " + " | ".join(f"{e} {escaped(v)}" for e, v in report.engines.items()) + " |"]
    out += ["|---" * (2 + len(engines)) + "|"]
    for item, cases in rows(report):
        cells = " | ".join(cell(cases.get(engine), findings) for engine in engines)
        out.append(f"| {item.id} | {item.title} | {cells} |")
    shown = [group for group in grouped(report, from_here()) if group.first.severity != "note" or group.first.accepted]
    if shown:
        out += ["", "| severity | item | engine | element | finding | where |", "|---|---|---|---|---|---|"]
    for group in shown[:SHOWN]:
        first = group.first
        message = escaped(group.message) + (f" (accepted: {escaped(first.accepted)})" if first.accepted else "")
        message += f"<br>{escaped(group.values)}" if group.values else ""
        message += f"<br>known: {escaped(group.cause)}" if group.cause else ""
        where = escaped(group.place)
        out.append(
            f"| {group.verdict} | {first.item} | {first.engine} | {escaped(group.subject)} | {message} | {where} |"
        )
    if len(shown) > SHOWN:
        out += ["", f"{len(shown) - SHOWN} more kinds of findings are left out here."]
    notes = [f for f in report.open_findings() if f.severity == "note"]
    if notes:
        out += ["", f"{plural(len(notes), 'note')} left out here; --html holds all."]
    for case in {(c.engine, c.reason): c for c in report.incomplete}.values():
        out += ["", f"**Incomplete** in {case.engine}: {escaped(case.reason)}"]
    out += [f"\n- {escaped(words)}" for words in (*report.stale, *report.notes)]
    return "\n".join(out) + "\n"


def escaped(words: str) -> str:
    """Words in which nothing is taken for a mark of Markdown."""
    for mark in "\\`*_[]<>|":
        words = words.replace(mark, "\\" + mark)
    return words.replace("\n", " ")


def _code(words: str) -> str:
    return words.replace("`", "'")
