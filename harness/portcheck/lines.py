"""Words that every rendering of a report shares."""

from __future__ import annotations

from collections.abc import Iterator

from .finding import Case, Finding, Report
from .items import ITEMS, Item

STATUS_WORDS = {"pass": "ok", "fail": "differs", "skipped": "-", "incomplete": "incomplete"}


def plural(n: int, word: str) -> str:
    """A number of things."""
    return f"{n} {word}" + ("" if n == 1 else "s")


def counted(findings: list[Finding]) -> str:
    """How many findings there are of each severity."""
    parts = []
    for severity in ("error", "warning", "note"):
        n = sum(finding.severity == severity for finding in findings)
        parts.append(plural(n, severity))
    return ", ".join(parts)


def summary(report: Report) -> str:
    """The report in one line."""
    held = ", ".join(f"{n} {word}" for word, n in report.counts.items())
    accepted = sum(bool(finding.accepted) for finding in report.findings)
    words = f"{report.robot} ({report.format}; {held}): {counted(report.open_findings())}"
    words += f", {accepted} accepted" if accepted else ""
    return words + (f", {len(report.incomplete)} incomplete" if report.incomplete else "")


def reasons(report: Report) -> list[tuple[str, str, list[str]]]:
    """Engines, reason and the items that were not compared for it."""
    told: dict[tuple[str, str], list[str]] = {}
    for case in report.cases:
        if case.status in ("skipped", "incomplete") and case.reason:
            told.setdefault((case.engine, case.reason), []).append(case.item)
    alike: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (engine, reason), items in told.items():
        alike.setdefault((reason, tuple(items)), []).append(engine)
    return [(", ".join(engines), reason, list(items)) for (reason, items), engines in alike.items()]


def rows(report: Report) -> Iterator[tuple[Item, dict[str, Case]]]:
    """Every item that any engine was asked for, with its case in each."""
    for item in ITEMS.values():
        cases = {case.engine: case for case in report.cases if case.item == item.id}
        if cases:
            yield item, cases


def cell(case: Case | None, findings: list[Finding]) -> str:
    """A case in a table: its status, or how many findings of the worst severity."""
    if case is None:
        return ""
    mine = [f for f in findings if (f.item, f.engine) == (case.item, case.engine) and not f.accepted]
    for severity in ("error", "warning", "note"):
        n = sum(finding.severity == severity for finding in mine)
        if n and case.status != "incomplete":
            return plural(n, severity)
    return STATUS_WORDS[case.status]


def ordered(report: Report) -> list[Finding]:
    """Findings by severity, then by item, engine and element."""
    rank = {"error": 0, "warning": 1, "note": 2}
    place = {item: n for n, item in enumerate(ITEMS)}
    return sorted(
        report.findings, key=lambda f: (bool(f.accepted), rank[f.severity], place[f.item], f.engine, f.line, f.element)
    )
