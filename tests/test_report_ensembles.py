from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import pytest

import simparity
from simparity.engines import ENGINES
from simparity.harness.checks import Verdict
from simparity.harness.listing import run_table
from simparity.harness.report.summarise import summarise
from simparity.harness.report.write import write_report
from simparity.harness.showing import metric_table
from simparity.harness.significance import fisher, holm
from simparity.harness.store import read

from .bench_report import made_run, made_trace
from .made_up import INSERTED, JAM, OVERLOAD, STALLED, Jam, jam, register, spread_about
from .test_report_page import Page
from .test_report_summary import cell


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    register(monkeypatch)
    return tmp_path / "results"


def three(results: Path, **given: object) -> None:
    """Two engines that stall alike, and one that mostly meets the overload limit."""
    jam(results, "alpha", [STALLED] * 8, spread_about(0.0154), **given)
    jam(results, "beta", [STALLED] * 8, spread_about(0.0154)[::-1], **given)
    jam(results, "gamma", [OVERLOAD] * 6 + [INSERTED] * 2, [*spread_about(0.02, 6), 0.04, 0.04], **given)


def test_members_are_one_comparison_and_not_eight(results: Path) -> None:
    three(results)
    summary = summarise(results)
    assert [(row.experiment, row.variant) for row in summary.matrix.rows] == [(JAM, "")]
    assert [panel.variant for panel in summary.sections[0].panels] == [""]
    assert {row.variant for row in summary.sections[0].runs} == {f"member={k}" for k in range(8)}


def test_verdicts_come_from_the_distributions(results: Path) -> None:
    three(results)
    summary = summarise(results)
    assert cell(summary, "alpha", "beta").word == "agree"
    found = cell(summary, "alpha", "gamma")
    assert found.word == "differ" and found.apart is None
    p = holm([fisher([0, 8, 0], [2, 0, 6]), 1.0, 1.0])[0]
    view = summary.sections[0].panels[0].ensemble
    assert view is not None
    (test,) = [test for test in view.tests if (test.pair, test.metric) == (("alpha", "gamma"), "outcome")]
    assert float(test.corrected.replace("×10⁻⁴", "e-4")) == pytest.approx(p, rel=0.05)


def test_ensembles_of_one_law_are_not_told_apart(results: Path) -> None:
    jam(results, "alpha", [STALLED] * 8, spread_about(0.0154, width=4e-3))
    jam(results, "beta", [STALLED] * 8, spread_about(0.0155, width=4e-3))
    found = cell(summarise(results), "alpha", "beta")
    assert (found.word, found.amount) == ("not told apart", "8 members each")


def test_with_too_few_members_the_number_that_would_do_is_said(results: Path) -> None:
    jam(results, "alpha", [STALLED] * 3, spread_about(0.0154, 3))
    jam(results, "beta", [OVERLOAD] * 3, spread_about(0.02, 3))
    found = cell(summarise(results), "alpha", "beta")
    assert (found.word, found.amount) == ("unresolved", "needs 5 members; 3 members each")
    assert "unresolved (needs 5 members; 3 members each)" in summarise(results).sections[0].answer


def test_the_answer_says_how_members_ended(results: Path) -> None:
    three(results)
    answer = summarise(results).sections[0].answers[0]
    assert answer.startswith(
        "Left to their defaults, alpha and beta: stalled in 8 of 8, stall depth 15.4\xa0mm (15.2 to 15.6\xa0mm); "
        "gamma: overload in 6 of 8, inserted in 2, stall depth "
    )
    assert "alpha and beta agree within the tolerance; gamma differs from alpha and beta (" in answer


def test_other_parameters_have_their_own_ensemble(results: Path) -> None:
    three(results)
    for engine in ("alpha", "beta"):
        jam(results, engine, [INSERTED] * 8, [0.04] * 8, params={"tilt": 0.2})
    summary = summarise(results)
    assert [panel.variant for panel in summary.sections[0].panels] == ["", "tilt=0.2"]
    assert "(tilt 0.2), alpha and beta: inserted in 8 of 8, stall depth 40\xa0mm" in summary.sections[0].answer


def test_members_that_broke_are_counted_and_diverged_ones_are_an_outcome(results: Path) -> None:
    jam(results, "alpha", [STALLED] * 6, spread_about(0.0154, 6))
    params = {"tilt": 0.75, "member": 6}
    made_run(results, "alpha", experiment=JAM, params=params, status="diverged", reason="too fast")
    made_run(results, "alpha", experiment=JAM, params=params | {"member": 7}, status="failed", reason="oh")
    view = summarise(results).sections[0].panels[0].ensemble
    assert view is not None and view.bars is not None
    assert view.members == ("8 members (1 failed)",)
    assert (view.bars.words, view.bars.rows) == (("stalled", "diverged"), (("alpha", (6, 1)),))


def test_checks_are_counted_over_the_members(results: Path, tmp_path: Path) -> None:
    check = Verdict(
        metric="stall_depth", outcome="pass", measured=0.015, expected=0.015, error=0.0, tolerance=1e-6, reason="law"
    )
    jam(results, "alpha", [STALLED] * 3, spread_about(0.0154, 3), checks=(check,))
    jam(results, "beta", [STALLED] * 3, spread_about(0.0154, 3), checks=(replace(check, outcome="fail"),))
    view = summarise(results).sections[0].panels[0].ensemble
    assert view is not None
    assert [(cell.failed, cell.held) for cell in view.rows[0].cells if cell] == [(0, 3), (3, 3)]
    html = write_report(results, tmp_path / "report")[0].read_text()
    assert ">3 of 3 pass<" in html and ">3 of 3 fail<" in html


def test_one_member_alone_is_shown_with_its_closed_forms(results: Path, tmp_path: Path) -> None:
    jam(results, "alpha", [INSERTED], [0.04])
    jam(results, "beta", [INSERTED], [0.04])
    panel = summarise(results).sections[0].panels[0]
    assert panel.ensemble is not None and panel.ensemble.rows == () and panel.ensemble.bars is None
    assert [row.name for row in panel.metrics] == ["outcome", "stall_depth", "peak_force", "work"]
    page = Page(write_report(results, tmp_path / "report")[0].read_text())
    assert page.having("data-test-metrics") and not page.having("data-test-ensemble")
    assert cell(summarise(results), "alpha", "beta").word == "agree"


def test_an_engine_that_cannot_keeps_its_reason(results: Path) -> None:
    three(results)
    made_run(results, "delta", experiment=JAM, params={"tilt": 0.75, "member": 0}, status="unsupported", reason="no")
    summary = summarise(results)
    assert cell(summary, "alpha", "delta").word == "unsupported"
    assert "delta does not support this" in summary.sections[0].answer


def test_the_member_that_ended_well_most_often_is_drawn(results: Path) -> None:
    made_run(results, "alpha", experiment=JAM, params={"tilt": 0.75, "member": 0}, status="failed", reason="oh")
    for member in (1, 2):
        trace = made_trace(1e-3, 1.0, 0.01 * member, 0.0)
        made_run(
            results,
            "alpha",
            experiment=JAM,
            params={"tilt": 0.75, "member": member},
            metrics={"outcome": 1.0, "stall_depth": 0.01, "peak_force": 1.0, "work": 1.0},
            trace=trace,
        )
    panel = summarise(results).sections[0].panels[0]
    assert panel.ensemble is not None and panel.ensemble.shown == "1"
    (height,) = [chart for chart in panel.charts if chart.title == "Height"]
    assert height.curves[0].y[-1] == pytest.approx(0.01)


def test_a_step_that_changes_the_distribution_is_said(results: Path) -> None:
    jam(results, "alpha", [STALLED] * 8, spread_about(0.0154))
    jam(results, "alpha", [STALLED] * 8, spread_about(0.0174), dt=5e-4)
    summary = summarise(results)
    assert "halving dt changes alpha (stall_depth, p\xa03.1×10⁻⁴; 8 members each)" in summary.sections[0].answer
    jam(results, "beta", [STALLED] * 8, spread_about(0.0154))
    jam(results, "beta", [STALLED] * 8, spread_about(0.0154), dt=5e-4)
    summary = summarise(results)
    assert "halving dt changes beta" not in summary.sections[0].answer
    assert [row.dt for row in summary.matrix.rows] == [1e-3, 5e-4], "no step serves as refinement of another"


def test_repeats_show_what_an_engine_leaves_to_chance(results: Path) -> None:
    jam(results, "alpha", [STALLED] * 4, spread_about(0.0154, 4))
    jam(results, "alpha", [STALLED] * 4, spread_about(0.0154, 4), repeat=1)
    jam(results, "beta", [STALLED] * 4, spread_about(0.0154, 4))
    jam(results, "beta", [STALLED] * 4, spread_about(0.0155, 4), repeat=1)
    view = summarise(results).sections[0].panels[0].ensemble
    assert view is not None
    (alpha, beta) = view.rows[0].cells
    assert alpha is not None and beta is not None
    assert (alpha.spread, beta.spread) == ("repeats identical", "repeats spread by 100\xa0µm")
    answer = summarise(results).sections[0].answer
    assert "repeats of beta spread by 100\xa0µm in stall depth; repeats identical in alpha" in answer
    jam(results, "gamma", [STALLED] * 4, spread_about(0.0154, 4))
    jam(results, "gamma", [OVERLOAD] + [STALLED] * 3, spread_about(0.0154, 4), repeat=1)
    assert "repeats of gamma end differently" in summarise(results).sections[0].answer


def test_the_page_and_the_markdown_have_every_part_twice_alike(results: Path, tmp_path: Path) -> None:
    three(results)
    made_run(
        results,
        "delta",
        experiment=JAM,
        params={"tilt": 0.75, "member": 0},
        overrides={"mesh": "<script>$x$_{</script>&"},
        metrics={"outcome": 1.0, "stall_depth": 0.01, "peak_force": 1.0, "work": 1.0},
    )
    first, second = ([path.read_bytes() for path in write_report(results, tmp_path / name)] for name in "ab")
    assert first == second
    html = first[0].decode()
    assert "<script" not in html
    page = Page(html)
    assert [metric for metric, _ in page.having("data-test-strip")] == ["stall_depth", "peak_force"]
    for part in ("outcomes", "ensemble", "tests"):
        assert page.having(f"data-test-{part}"), part
    assert not page.having("data-test-convergence") and "Distance from" not in html
    assert "var(--o1)" in html and "#0103" not in html
    assert "| stall_depth | 15.4\xa0mm (15.31 to 15.49\xa0mm) |" in first[1].decode()


def test_members_whose_parameters_are_not_known_any_more_are_an_ensemble_still(results: Path) -> None:
    """Of a parameter that this version does not have: outcomes keep their words, nothing is compared point by point."""
    three(results, params={"grease": 1.0})
    summary = summarise(results)
    assert [(row.experiment, row.variant) for row in summary.matrix.rows] == [(JAM, "")]
    found = cell(summary, "alpha", "gamma")
    assert found.word == "differ" and found.apart is None
    assert "alpha and beta: stalled in 8 of 8, stall depth 0.0154" in summary.sections[0].answer
    view = summary.sections[0].panels[0].ensemble
    assert view is not None and view.parameter == "member" and view.bars is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Nameless(Jam):
    """The same without outcomes or main metrics."""

    OUTCOMES: ClassVar[tuple[str, ...]] = ()
    MAIN_METRICS: ClassVar[tuple[str, ...]] = ()


def test_an_ensemble_without_outcomes_shows_those_that_diverged(
    results: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    register(monkeypatch, kind=Nameless)
    jam(results, "alpha", [STALLED] * 8, [0.0154] * 8)
    for member in range(8):
        params = {"tilt": 0.75, "member": member}
        made_run(results, "beta", experiment=JAM, params=params, status="diverged", reason="too fast")
    summary = summarise(results)
    assert cell(summary, "alpha", "beta").word == "differ"
    view = summary.sections[0].panels[0].ensemble
    assert view is not None and view.bars is not None
    assert view.bars.rows == (("alpha", (8, 0)), ("beta", (0, 8))) and view.bars.words == ("ran", "diverged")
    assert "beta: diverged in 8 of 8" in summary.sections[0].answer
    assert "alpha: ran in" not in summary.sections[0].answer
    write_report(results, tmp_path / "report")


def test_a_metric_that_only_one_engine_gives_is_no_agreement(results: Path) -> None:
    jam(results, "alpha", [STALLED] * 8, [0.0154] * 8)
    jam(results, "beta", [STALLED] * 8, [math.nan] * 8)
    found = cell(summarise(results), "alpha", "beta")
    assert found.word == "not told apart"
    assert "stall_depth: only one of the two gives it, so they cannot be compared in it" in found.notes


@dataclass(frozen=True, slots=True, kw_only=True)
class Single(Jam):
    """The same without an ensemble."""

    ENSEMBLE: ClassVar[str] = ""


def test_an_outcome_is_shown_by_its_word(
    results: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    register(monkeypatch, kind=Single)
    first, second = sorted(ENGINES)[:2]  # whose names the terminal's tables look up
    for engine, outcome in ((first, STALLED), (second, OVERLOAD)):
        jam(results, engine, [outcome], [0.0154])
    (row,) = [row for row in summarise(results).sections[0].panels[0].metrics if row.name == "outcome"]
    assert [row.said(reading.value) for reading in row.readings if reading] == ["stalled", "overload"]
    page, text = write_report(results, tmp_path / "report")
    assert ">overload" in page.read_text() and "| outcome | – | stalled | overload |" in text.read_text()
    metric_table(results, [], [])
    run_table(read(next(results.glob(f"*/jam/{second}/*"))))
    printed = capsys.readouterr().out
    assert printed.count("overload") == 2 and printed.count("stalled") == 1
    frame = simparity.load(results).set_index("engine")
    assert frame.outcome_word[second] == "overload" and frame.outcome[second] == OVERLOAD
