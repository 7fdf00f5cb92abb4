"""Many values of one option of one engine: a diagram of their own, or a row of the matrix like all others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from simparity.harness.report.summarise import summarise
from simparity.harness.report.summary import Summary

from .bench_report import made_run

WORDS = ("Euler", "RK4", "implicit", "implicitfast")
CONES = (True, False, None, "auto")
LISTS = ([0.02, 1.0], [0.01, 1.0], [0.005, 1.0], [0.002, 1.0])


@pytest.fixture
def results(tmp_path: Path) -> Path:
    return tmp_path / "results"


def scanned(results: Path, option: str, values: Any, *, side: bool = True, **given: Any) -> Summary:
    """An engine with each of the values, 5 mm apart; where `side`, two engines that agree beside it."""
    for engine in ("alpha", "beta") if side else ():
        made_run(results, engine)
    for k, value in enumerate(values):
        made_run(results, "alpha", settings="matched", overrides={option: value}, height=0.05 + 0.005 * k, **given)
    return summarise(results)


@pytest.mark.parametrize(
    ("option", "values"), [("integrator", WORDS), ("cone", CONES), ("solref", LISTS), ("n", (1, 2, 3, "auto"))]
)
def test_what_no_diagram_draws_keeps_its_row(results: Path, option: str, values: Any) -> None:
    told = scanned(results, option, values)
    assert [row.settings for row in told.matrix.rows] == ["default", "matched"]
    assert told.sections[0].answers[1].startswith("With every known setting matched, up to 15\N{NO-BREAK SPACE}mm")


def test_numbers_that_change_no_metric_keep_their_row(results: Path) -> None:
    told = scanned(results, "damping", (1, 2, 3, 4), metrics={"max_overlap": 0.0})
    assert not told.sections[0].sweeps
    assert [row.settings for row in told.matrix.rows] == ["default", "matched"]


def test_numbers_with_a_diagram_are_no_row(results: Path) -> None:
    told = scanned(results, "damping", (1, 2, 3, 4))
    (section,) = told.sections
    assert [sweep.name for sweep in section.sweeps] == ["damping"]
    assert [row.settings for row in told.matrix.rows] == ["default"]
    assert not any("damping" in sentence for sentence in section.answers)
    assert sum("damping" in row.label for row in section.runs) == 4, "each is still listed"


def test_many_diagrams_of_parameters_leave_room_for_options(results: Path) -> None:
    for dt in (1e-3 * k for k in range(1, 11)):
        for friction in (0.2, 0.3, 0.4):
            made_run(results, "beta", dt=dt, params={"friction": friction}, height=0.1 * friction)
    told = scanned(results, "damping", (1, 2, 3, 4))
    assert [row.settings for row in told.matrix.rows] == ["default"]
    assert [sweep.name for sweep in told.sections[0].sweeps].count("friction") == 8


def test_a_diagram_at_another_step_hides_no_row(results: Path) -> None:
    """Four values at 1 ms have a diagram, four at 0.7 ms that end alike have none."""
    for k, damping in enumerate((1, 2, 3, 4)):
        metrics = {"max_overlap": 0.0}
        made_run(results, "alpha", settings="matched", overrides={"damping": damping}, dt=7e-4, metrics=metrics)
        made_run(results, "beta", height=0.05 + 0.001 * k, repeat=k)
    told = scanned(results, "damping", (1, 2, 3, 4))
    assert len(told.sections[0].sweeps) == 1
    assert [(row.settings, row.dt) for row in told.matrix.rows] == [("default", 1e-3), ("matched", 7e-4)]


def test_two_precisions_are_compared_though_their_option_is_drawn(results: Path) -> None:
    for damping in (1, 2, 3, 4):
        made_run(results, "alpha", overrides={"damping": damping}, height=0.05 + 0.001 * damping, precision=32)
        made_run(results, "alpha", overrides={"damping": damping}, height=0.05 + 0.002 * damping)
    for engine in ("beta", "gamma"):
        made_run(results, engine, params={"friction": 0.3})
    assert summarise(results).sections[0].sweeps
    assert len(summarise(results).matrix.rows) == 2


@pytest.mark.parametrize(("option", "values"), [("integrator", WORDS), ("damping", (1, 2, 3, 4))])
def test_values_of_an_option_alone_are_compared(results: Path, option: str, values: Any) -> None:
    told = scanned(results, option, values, side=False)
    assert [row.settings for row in told.matrix.rows] == ["matched"]
    assert "up to 10\N{NO-BREAK SPACE}mm remain" in told.sections[0].answers[0]
    assert not any("side by side" in sentence for sentence in told.sections[0].answers)
