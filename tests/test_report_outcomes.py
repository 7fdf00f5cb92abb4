"""The table of how runs ended against the number that an experiment is about."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest

from simparity.harness.report.outcome_table import OutcomeTable
from simparity.harness.report.summarise import summarise
from simparity.harness.report.write import write_report

from .bench_report import made_run
from .made_up import INSERTED, OVERLOAD, STALLED, Jam, register
from .test_report_page import Page

GRIP = "grip"


@dataclass(frozen=True, slots=True, kw_only=True)
class Grip(Jam):
    """What it does depends on a force, and why on the friction."""

    force: float = 1.0

    NAME: ClassVar[str] = GRIP
    ENSEMBLE: ClassVar[str] = ""
    SWEPT: ClassVar[str] = "force"
    DECIDE: ClassVar[tuple[str, ...]] = ("peak_force",)


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    register(monkeypatch, name=GRIP, kind=Grip)
    return tmp_path / "results"


def ran(results: Path, engine: str, force: float, outcome: float, **given: Any) -> None:
    metrics = {"outcome": outcome, "stall_depth": 0.01 * force, "peak_force": 7.0} if "status" not in given else {}
    params = {"tilt": 0.75, "member": 0, "force": force}
    made_run(results, engine, experiment=GRIP, params=params, metrics=metrics, **given)


def table_of(results: Path) -> OutcomeTable:
    table = summarise(results).sections[0].outcomes
    assert table is not None
    return table


def test_outcomes_stand_against_the_swept_number_with_what_decides(results: Path) -> None:
    for force, outcome in ((1.0, STALLED), (2.0, INSERTED), (3.0, math.nan)):
        ran(results, "alpha", force, outcome)
    ran(results, "alpha", 2.0, OVERLOAD, repeat=1)
    ran(results, "beta", 1.0, STALLED, status="diverged", reason="it left the table")
    ran(results, "beta", 3.0, INSERTED, settings="matched")
    table = table_of(results)
    assert (table.name, table.values, table.metric) == ("force", ("1", "2", "3"), "stall depth")
    assert [name for name, _ in table.why] == ["peak_force"]
    rows = {(row.label, row.where): row for row in table.rows}
    alpha = rows["alpha", "default"]
    assert alpha.why == ("7\N{NO-BREAK SPACE}N",)
    told = [f"{cell.word} {cell.amount}".strip() if cell else "" for cell in alpha.cells]
    assert told == ["stalled 10\N{NO-BREAK SPACE}mm", "inserted, overload 20\N{NO-BREAK SPACE}mm", "undecided"]
    beta = rows["beta", "default"]
    assert [cell and cell.word for cell in beta.cells] == ["diverged", None, None]
    assert beta.why == ("–",)
    parts = [(title, [row.label for row in part]) for title, part in table.parts]
    assert parts == [("", ["alpha"]), ("At one value of force only", ["beta", "beta"])]


def test_the_answers_begin_with_how_it_ended(results: Path) -> None:
    for force, outcome in ((1.0, STALLED), (2.0, INSERTED), (3.0, INSERTED)):
        ran(results, "alpha", force, outcome)
        ran(results, "beta", force, STALLED, settings="matched")
    ran(results, "beta", 2.0, INSERTED)
    told = summarise(results).sections[0].answers
    assert told[:2] == (
        "Outcome against force, default settings: "
        "alpha stalled at 1, inserted from 2 to 3 (peak force 7\N{NO-BREAK SPACE}N).",
        "Outcome against force, matched settings: beta stalled from 1 to 3 (peak force 7\N{NO-BREAK SPACE}N).",
    )


def test_it_is_on_the_page_and_in_the_text(results: Path) -> None:
    ran(results, "alpha", 1.0, STALLED)
    ran(results, "alpha", 2.0, INSERTED)
    ran(results, "beta", 2.0, INSERTED)
    html, md = write_report(results, results.parent / "report")
    tables = [text for _, given, text in Page(html.read_text()).elements if "data-test-outcomes" in given]
    assert len(tables) == 2 and "stalled" in tables[0] and "beta" in tables[1]
    text = md.read_text()
    assert "### Outcome and stall depth against force" in text and "#### At one value of force only" in text


def test_one_value_is_no_table(results: Path) -> None:
    ran(results, "alpha", 1.0, STALLED)
    ran(results, "beta", 1.0, STALLED)
    assert summarise(results).sections[0].outcomes is None
