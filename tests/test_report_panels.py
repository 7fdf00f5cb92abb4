from __future__ import annotations

from pathlib import Path

import pytest

from simparity.harness.checks import Verdict
from simparity.harness.report.summarise import summarise
from simparity.harness.report.write import write_report

from .bench_report import made_run, made_trace
from .test_report_summary import cell, full


@pytest.fixture
def results(tmp_path: Path) -> Path:
    return tmp_path / "results"


def test_curves_that_coincide_are_named(results: Path) -> None:
    made_run(results, "alpha")
    made_run(results, "beta", height=0.05 + 1e-7)
    made_run(results, "gamma", height=0.06)
    assert summarise(results).sections[0].panels[0].coincides == {"beta": "alpha"}


def test_a_force_spike_does_not_flatten_the_others(results: Path) -> None:
    made_run(results, "alpha")
    spiked = made_trace(1e-3, 1.0, 0.05, 0.0)
    spiked.channels["peak_normal_force"][260, 0, 0] = 500.0
    made_run(results, "beta", trace=spiked)
    charts = {chart.title: chart for chart in summarise(results).sections[0].panels[0].charts}
    assert charts["Normal force"].linear == 1.0
    cut = charts["Normal force, around the largest force, cut off at 59\xa0N"]
    assert cut.top == 59.0 and cut.points


def test_notes_of_runs_are_told_once_for_all_engines(results: Path) -> None:
    for engine, factor in (("alpha", 0.91), ("beta", 0.87)):
        made_run(results, engine, notes=(f"paced real-time factor fell to {factor}",))
    (finding,) = summarise(results).sections[0].findings
    assert (finding.label, finding.runs) == ("alpha, beta", 2)
    assert finding.text.startswith("paced real-time factor fell to 0.")


def test_wall_times_are_those_of_the_median_run_and_conditions_are_not_mixed(results: Path) -> None:
    for repeat, physics in enumerate((9.0, 0.02, 0.03, 0.04)):
        made_run(results, "alpha", repeat=repeat, physics=physics, process="fresh" if repeat else "warm")
    pace = {"real_time_factor": 0.99, "worst": 0.9, "worst_at": 0.2, "late": 0.1}
    made_run(results, "beta", pace=pace)
    (table,) = summarise(results).sections[0].speeds
    splits = [(s.label, s.conditions, s.runs, s.parts["step"]) for s in table.splits]
    assert splits == [
        ("alpha", "fresh process, warm compilation", 3, 0.03),
        ("alpha", "warm process, warm compilation", 1, 9.0),
        ("beta", "fresh process, warm compilation", 1, 0.02),
    ]
    alpha, beta = table.speeds
    assert alpha.conditions["process"] == "3 fresh, 1 warm" and alpha.paced is None
    assert beta.paced is not None and (beta.paced.factor, beta.paced.worst) == (0.99, 0.9)


def test_the_quantity_that_decided_has_its_own_line_of_refinement(results: Path) -> None:
    for repeat, dt in ((0, 1e-3), (1, 1e-3), (0, 5e-4)):
        made_run(results, "alpha", dt=dt, repeat=repeat)
        pushed = made_trace(dt, 1.0, 0.05, 0.0)
        pushed.channels["impulse_B_W"][-1, 0, 2] += 0.3
        made_run(results, "beta", dt=dt, repeat=repeat, trace=pushed)
    summary = summarise(results)
    assert cell(summary, "alpha", "beta").amount == "300 mN\xa0s in impulse".replace("300 mN\xa0s", "300\xa0mN s")
    lines = {(row.label, row.kind): row for row in summary.sections[0].panels[0].convergence}
    assert lines.keys() == {("alpha", "position"), ("beta", "position"), ("beta", "impulse")}
    assert lines["beta", "position"].verdict == "agree" and lines["beta", "impulse"].verdict == "differ"
    assert lines["beta", "impulse"].difference == pytest.approx(0.3)
    assert lines["beta", "impulse"].halved is not None and lines["beta", "impulse"].halved < 0.05
    assert lines["beta", "impulse"].spread == 0.0


def test_three_steps_give_a_chart_against_dt(results: Path) -> None:
    for engine, height in (("alpha", 0.05), ("beta", 0.051)):
        for dt in (2e-3, 1e-3, 5e-4, 2.5e-4):
            made_run(results, engine, height=height - dt, dt=dt)
    panel = summarise(results).sections[0].panels[0]
    (chart,) = panel.convergence_charts
    solid, dashed = ([c for c in chart.curves if c.dashed is flag] for flag in (False, True))
    assert {c.label for c in solid} == {"alpha", "beta"} and {c.label for c in dashed} == {"beta"}
    assert solid[0].x.tolist() == [2e-3, 1e-3, 5e-4]
    assert solid[0].y.tolist() == pytest.approx([1e-3, 5e-4, 2.5e-4], rel=0.05)


def test_who_is_in_no_panel_is_in_none_of_its_charts(results: Path) -> None:
    """gamma ran at other steps only: the page can be written, and its panel shows the two that it compares."""
    for engine, steps in (
        ("alpha", (2e-3, 1e-3, 5e-4, 2.5e-4)),
        ("beta", (2e-3, 1e-3, 5e-4)),
        ("gamma", (1.6e-2, 8e-3, 4e-3)),
    ):
        for dt in steps:
            made_run(results, engine, height=0.05 - dt, dt=dt)
    panel = summarise(results).sections[0].panels[0]
    (chart,) = panel.convergence_charts
    assert {curve.label for curve in chart.curves} == {style.label for style in panel.styles} == {"alpha", "beta"}
    write_report(results, results.parent / "report")


def test_repeats_that_differ_get_a_band(results: Path) -> None:
    for repeat in range(3):
        made_run(results, "alpha", height=0.05 + 1e-3 * repeat, repeat=repeat)
        made_run(results, "beta", repeat=repeat)
    panel = summarise(results).sections[0].panels[0]
    height = {curve.label: curve for curve in panel.charts[0].curves}
    assert height["alpha"].low is not None and height["alpha"].high is not None
    assert height["alpha"].high[-1] - height["alpha"].low[-1] == pytest.approx(2e-3)
    assert height["beta"].low is None
    assert panel.repeats == "Alpha: 3 repeats spread by 2\xa0mm; 3 repeats bit-identical for beta."


def test_metrics_carry_unit_text_closed_form_and_outcome(results: Path) -> None:
    check = Verdict(
        metric="max_overlap", outcome="pass", measured=8e-3, expected=8.1e-3, error=-1e-4, tolerance=1e-3, reason="law"
    )
    made_run(results, "alpha", metrics={"max_overlap": 8e-3}, checks=(check,))
    rows = {row.name: row for row in summarise(results).sections[0].panels[0].metrics}
    assert (rows["max_overlap"].unit, rows["max_overlap"].text) == ("m", "deepest corner below the ground")
    assert rows["max_overlap"].expected == 8.1e-3
    (reading,) = rows["max_overlap"].readings
    assert reading is not None and (reading.value, reading.outcome) == (8e-3, "pass")
    assert rows["peak_normal_force"].expected is None


def test_phases_make_bands_and_no_rows(results: Path) -> None:
    full(results, "alpha", 0.05)
    full(results, "beta", 0.05)
    for k in range(1, 8):
        made_run(results, "alpha", params={"phase": k / 8}, metrics={"max_overlap": 1e-3 * k})
    summary = summarise(results)
    assert len(summary.matrix.rows) == 1 and len(summary.sections[0].panels) == 1
    phases = summary.sections[0].panels[0].phases
    assert phases is not None and phases.count == 8
    assert [row.name for row in phases.rows] == ["max_overlap"]
    (band,) = phases.rows[0].bands
    assert (band.low, band.high, len(band.values)) == (0.0, pytest.approx(7e-3), 8)


def test_variants_and_settings_have_panels_of_their_own(results: Path) -> None:
    for engine in ("alpha", "beta"):
        made_run(results, engine)
        made_run(results, engine, settings="published")
        made_run(results, engine, params={"friction": 0.7})
    summary = summarise(results)
    assert [(p.settings, p.variant) for p in summary.sections[0].panels] == [
        ("default", ""),
        ("published", ""),
        ("default", "friction=0.7"),
    ]
    assert [(t.settings, t.participants) for t in summary.sections[0].defaults] == [
        ("default", ("alpha", "beta")),
        ("published", ("alpha", "beta")),
    ]
