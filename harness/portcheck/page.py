"""The report as one self-contained HTML page, in the style of the report of runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from .finder import share
from .finding import Case, Finding, Report
from .groups import Group, apart_words, grouped, span, subject
from .items import DYNAMIC, GROUPS, Item
from .lines import STATUS_WORDS, counted, plural, reasons, rows
from .paths import from_robot

TEMPLATES = Path(__file__).parent / "templates"
STYLE = Path(__file__).parents[1] / "report" / "templates" / "style.css"
HEADS = {"error": "Errors", "warning": "Warnings", "note": "Notes", "accepted": "Accepted deviations"}


@dataclass(frozen=True, slots=True)
class Cell:
    """One item in one engine: how it stands, in words and as the name of a colour, and why it was not compared."""

    kind: str
    words: str
    more: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """The groups of one severity; `open` at first sight."""

    kind: str
    head: str
    groups: Sequence[Group]

    @property
    def open(self) -> bool:
        """Errors and warnings are."""
        return self.kind in ("error", "warning")

    @property
    def number(self) -> int:
        """Of findings in all groups."""
        return sum(len(group.findings) for group in self.groups)


def page(report: Report) -> str:
    """The page; everything that comes from the file is escaped."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )
    environment.filters |= {"span": span, "share": share, "apart": apart_words, "subject": subject}
    paths = from_robot(report.robot)
    environment.filters |= {"near": lambda finding: paths.near(finding.file), "brief": paths.brief}
    return environment.get_template("check.html").render(
        report=report,
        name=Path(report.robot).name,
        counts=counted(report.open_findings()),
        matrix=matrix(report),
        totals={engine: total(report, engine) for engine in report.engines},
        parts=parts(report),
        reasons=[(engine, paths.brief(reason), items) for engine, reason, items in reasons(report)],
        placed=set(),
        style=STYLE.read_text(),
    )


def parts(report: Report) -> list[Part]:
    """The groups by severity; severities without any are left out."""
    groups = grouped(report, from_robot(report.robot))
    found = [Part(kind, head, [g for g in groups if g.verdict == kind]) for kind, head in HEADS.items()]
    return [part for part in found if part.groups]


def matrix(report: Report) -> list[tuple[str, list[tuple[Item, Mapping[str, Cell]]]]]:
    """Title of each group of items, with its items and their cells by engine."""
    table: dict[str, list[tuple[Item, Mapping[str, Cell]]]] = {}
    for item, cases in rows(report):
        cells = {engine: verdict(report, item, cases.get(engine), engine) for engine in report.engines}
        title = f"{item.group} {GROUPS[item.group]}" if not item.dynamic else f"{', '.join(DYNAMIC)} simulated"
        table.setdefault(title, []).append((item, cells))
    return list(table.items())


def verdict(report: Report, item: Item, case: Case | None, engine: str) -> Cell:
    """How many findings of each severity there are; else how the item ended."""
    mine = [f for f in report.findings if (f.item, f.engine) == (item.id, engine)]
    counts = _counts(mine)
    reason = case.reason if case is not None else ""
    if case is not None and case.status == "incomplete":
        return Cell("incomplete", "incomplete", reason=reason)
    if counts:
        kind, n = next(iter(counts.items()))
        rest = ", ".join(plural(number, word) for word, number in list(counts.items())[1:])
        return Cell(kind, plural(n, kind) if kind != "accepted" else f"{n} accepted", rest, reason)
    status = case.status if case is not None else "skipped"
    return Cell("ok" if status == "pass" else "none", STATUS_WORDS[status], reason=reason)


def total(report: Report, engine: str) -> Cell:
    """All items of one engine together."""
    mine = [f for f in report.findings if f.engine == engine]
    cases = [case for case in report.cases if case.engine == engine]
    counts = _counts(mine)
    status = {word: sum(case.status == word for case in cases) for word in ("pass", "skipped", "incomplete")}
    compared = len(cases) - status["skipped"] - status["incomplete"]
    kind = "incomplete" if status["incomplete"] else next(iter(counts), "ok" if compared else "none")
    words = ", ".join(f"{n} accepted" if word == "accepted" else plural(n, word) for word, n in counts.items())
    more = f"{compared} items compared, {status['skipped']} not"
    more += f", {status['incomplete']} incomplete" if status["incomplete"] else ""
    return Cell(kind, words or ("no finding" if compared else "not compared"), more)


def _counts(findings: Sequence[Finding]) -> dict[str, int]:
    counts = {kind: sum(f.severity == kind and not f.accepted for f in findings) for kind in list(HEADS)[:3]}
    counts["accepted"] = sum(bool(f.accepted) for f in findings)
    return {kind: n for kind, n in counts.items() if n}
