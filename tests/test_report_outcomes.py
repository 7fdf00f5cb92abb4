"""The table of how runs ended against the number that an experiment is about."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest

from simparity.harness.report.outcome_table import OutcomeTable
from simparity.harness.report.summarise import summarise
from simparity.harness.report.wording import listed
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
        "alpha stalled at 1, inserted at 2 to 3 (peak force 7\N{NO-BREAK SPACE}N).",
        "Outcome against force, matched settings: beta stalled at 1 to 3 (peak force 7\N{NO-BREAK SPACE}N).",
    )


def said(results: Path) -> list[str]:
    """The sentences about outcomes, without their common head and with plain spaces."""
    answers = [text.replace("\N{NO-BREAK SPACE}", " ") for text in summarise(results).sections[0].answers]
    return [text.removeprefix("Outcome against force, ") for text in answers if text.startswith("Outcome against")]


def test_who_diverges_or_differs_by_repeat_is_told(results: Path) -> None:
    for force in (1.0, 2.0):
        ran(results, "alpha", force, STALLED, status="diverged", reason="it left the table")
        ran(results, "beta", force, STALLED)
        ran(results, "beta", force, INSERTED, repeat=1)
        ran(results, "gamma", force, math.nan)
    assert said(results) == [
        "default settings: alpha diverged at 1 to 2; beta stalled or inserted at 1 to 2 (peak force 7 N)."
    ]


def test_those_that_end_alike_are_told_together(results: Path) -> None:
    for force in (1.0, 2.0):
        for engine, outcome in (("alpha", STALLED), ("beta", INSERTED), ("gamma", STALLED)):
            ran(results, engine, force, outcome)
    assert said(results) == [
        "default settings: alpha and gamma stalled at 1 to 2; beta inserted at 1 to 2; each with peak force 7 N."
    ]


def test_one_step_of_each_is_told_and_which_one_contradicts_it(results: Path) -> None:
    for force in (1.0, 2.0):
        ran(results, "alpha", force, STALLED)
        ran(results, "alpha", force, INSERTED if force > 1 else STALLED, dt=5e-4)
        ran(results, "alpha", force, STALLED, dt=2.5e-4)
        ran(results, "beta", force, STALLED)
    why = "stalled at 1 to 2 (peak force 7 N)"
    assert said(results) == [f"default settings: alpha (otherwise with step 500 µs) and beta {why}."]
    for force in (1.0, 2.0):
        ran(results, "gamma", force, STALLED, dt=2e-3)
    who = "alpha (step 1 ms, otherwise with step 500 µs), beta (step 1 ms) and gamma (step 2 ms)"
    assert said(results) == [f"default settings: {who} {why}."]


def test_a_scan_of_one_engine_does_not_stand_for_all(results: Path) -> None:
    """Four steps and three options at a duration of its own, against one row of each engine at the usual one."""
    for force in (1.0, 2.0):
        for engine in ("alpha", "beta"):
            ran(results, engine, force, STALLED, dt=2e-3, duration=0.9, settings="published")
        for dt in (1e-3, 5e-4, 2.5e-4, 1.25e-4):
            ran(results, "alpha", force, INSERTED, dt=dt, duration=0.5, settings="published")
        for damping in (1, 2, 3):
            overrides = {"damping": damping}
            ran(results, "alpha", force, INSERTED, duration=0.5, settings="published", overrides=overrides)
        ran(results, "delta", force, INSERTED, dt=2e-3, duration=0.4)
    default, published = said(results)
    assert default == "default settings (duration 400 ms): delta inserted at 1 to 2 (peak force 7 N)."
    scan = listed([f"alpha damping={damping} (duration 500 ms, step 1 ms)" for damping in (1, 2, 3)])
    assert published == (
        "published settings (duration 900 ms): alpha (step 2 ms) and beta (step 2 ms) stalled "
        f"at 1 to 2; {scan} inserted at 1 to 2; each with peak force 7 N."
    )
    table = table_of(results)
    assert (dict(table.usual), table.dt) == ({"duration": "900\N{NO-BREAK SPACE}ms"}, 2e-3)


def test_of_one_engine_the_usual_duration_stands_for_the_experiment(results: Path) -> None:
    for force in (1.0, 2.0):
        ran(results, "alpha", force, STALLED)
        for dt in (1e-3, 5e-4):
            ran(results, "alpha", force, INSERTED, duration=2.0, dt=dt)
    assert said(results) == ["default settings: alpha stalled at 1 to 2 (peak force 7 N)."]


def test_a_range_has_no_value_that_was_not_run(results: Path) -> None:
    for force in (1.0, 2.0, 3.0, 4.0):
        ran(results, "beta", force, INSERTED)
        if force in (1.0, 4.0):
            ran(results, "alpha", force, STALLED)
    assert said(results)[0].endswith("alpha stalled at 1 and 4; beta inserted at 1 to 4; each with peak force 7 N.")


def test_how_often_a_run_is_logged_sets_no_row_apart(results: Path) -> None:
    for force in (1.0, 2.0):
        ran(results, "alpha", force, STALLED)
        ran(results, "beta", force, STALLED, stride=20)
    assert [row.where for row in table_of(results).rows] == ["default", "default"]
    assert {row.variant for row in summarise(results).sections[0].runs} == {
        "",
        "stride=20",
        "force=2",
        "force=2 stride=20",
    }, "elsewhere it is told where it is not the usual one"


def test_a_swept_number_has_its_unit(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Grip, "SWEPT_UNIT", "N")
    for force, outcome in ((1.0, STALLED), (1.25, INSERTED)):
        ran(results, "alpha", force, outcome)
    assert table_of(results).values == ("1\N{NO-BREAK SPACE}N", "1.25\N{NO-BREAK SPACE}N")


def test_it_is_on_the_page_and_in_the_text(results: Path) -> None:
    ran(results, "alpha", 1.0, STALLED)
    ran(results, "alpha", 2.0, INSERTED)
    ran(results, "beta", 2.0, INSERTED)
    html, md = write_report(results, results.parent / "report")
    tables = [text for _, given, text in Page(html.read_text()).elements if "data-test-outcomes" in given]
    assert len(tables) == 2 and "stalled" in tables[0] and "beta" in tables[1]
    assert "Stall depth: depth at the end." in html.read_text()
    text = md.read_text()
    assert "### Outcome and stall depth against force" in text and "#### At one value of force only" in text
    assert text.count("| force 1 | force 2 |\n") == 1 and "| force | outcome |\n" in text
    assert "| beta | default | 1 ms | 7 N | 2 | inserted 20 mm |" in text.replace("\N{NO-BREAK SPACE}", " ")


def test_one_value_is_no_table(results: Path) -> None:
    ran(results, "alpha", 1.0, STALLED)
    ran(results, "beta", 1.0, STALLED)
    assert summarise(results).sections[0].outcomes is None
