"""The report as one self-contained HTML page, in the style of the report of runs."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from .finder import show
from .finding import Report
from .lines import cell, ordered, rows, summary

TEMPLATES = Path(__file__).parent / "templates"
STYLE = Path(__file__).parents[1] / "report" / "templates" / "style.css"


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
    environment.filters["show"] = show
    findings = list(report.findings)
    return environment.get_template("check.html").render(
        report=report,
        line=summary(report),
        rows=list(rows(report)),
        cell=lambda case: cell(case, findings),
        findings=ordered(report),
        style=STYLE.read_text(),
    )
