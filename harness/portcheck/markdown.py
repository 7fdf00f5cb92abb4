"""The report as Markdown, for a comment on a pull request."""

from __future__ import annotations

from .finding import Report
from .lines import cell, ordered, rows, summary

SHOWN = 100  # findings in the table; a comment has a size limit


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
    shown = [f for f in ordered(report) if f.severity != "note" or f.accepted]
    if shown:
        out += ["", "| severity | item | engine | element | finding | where |", "|---|---|---|---|---|---|"]
    for f in shown[:SHOWN]:
        severity = "accepted" if f.accepted else f.severity
        message = escaped(f.message) + (f" (accepted: {escaped(f.accepted)})" if f.accepted else "")
        message += f"<br>known: {escaped(f.cause)}" if f.cause and f.cause not in f.message else ""
        out.append(f"| {severity} | {f.item} | {f.engine} | {escaped(f.element)} | {message} | {escaped(f.place)} |")
    if len(shown) > SHOWN:
        out += ["", f"{len(shown) - SHOWN} more are left out here."]
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
