from __future__ import annotations

import json
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from simparity.harness.checks import Verdict
from simparity.harness.engine import Resolution, Resolved, Soft
from simparity.harness.errors import UsageError
from simparity.harness.record import Detection
from simparity.harness.report.defaults import alike, side_by_side
from simparity.harness.report.explain import explanations
from simparity.harness.report.figures import POINTS, thinned
from simparity.harness.report.quantity import plain, quantity, value_text
from simparity.harness.report.summarise import summarise
from simparity.harness.report.summary import Summary
from simparity.harness.report.verdicts import Cell

from .bench_report import IMPULSE, SOFT, made_run, made_table, made_trace


@pytest.fixture
def results(tmp_path: Path) -> Path:
    return tmp_path / "results"


def cell(summary: Summary, a: str, b: str, *, row: int = 0) -> Cell:
    found = summary.matrix.rows[row].cells[summary.matrix.pairs.index((a, b))]
    assert found is not None
    return found


def full(results: Path, engine: str, height: float, *, halving: float = 0.0, spread: float = 0.0) -> None:
    """A participant with two repeats and a halved run that lies `halving` [m] lower."""
    for repeat in (0, 1):
        made_run(results, engine, height=height + spread * repeat, repeat=repeat)
    made_run(results, engine, height=height - halving, dt=5e-4)


@pytest.mark.parametrize(
    ("second", "halving", "spread", "word"),
    [
        (0.05 + 5e-6, 0.0, 0.0, "agree"),
        (0.05 + 1e-3, 0.0, 2e-3, "within noise"),
        (0.05 + 1e-3, 2e-3, 0.0, "not converged"),
        (0.05 + 1e-3, 1e-5, 0.0, "differ"),
    ],
)
def test_verdicts_follow_tolerance_spread_and_refinement(
    results: Path, second: float, halving: float, spread: float, word: str
) -> None:
    full(results, "alpha", 0.05, halving=halving, spread=spread)
    full(results, "beta", second)
    found = cell(summarise(results), "alpha", "beta")
    assert found.word == word
    assert found.kind == "position"
    assert found.apart is not None and found.apart.position == pytest.approx(second - 0.05, rel=1e-6)


def test_without_a_halved_run_or_a_repeat_it_is_unresolved_and_says_what_is_missing(results: Path) -> None:
    full(results, "alpha", 0.05)
    made_run(results, "beta", height=0.06)
    summary = summarise(results)
    assert cell(summary, "alpha", "beta").word == "unresolved"
    assert cell(summary, "alpha", "beta").notes == ("beta: no second repeat", "beta: no run at 500\xa0µs")
    assert "beta has no second repeat" in summary.sections[0].answer


def test_the_halved_step_has_no_row_of_its_own(results: Path) -> None:
    full(results, "alpha", 0.05)
    full(results, "beta", 0.06)
    assert [row.dt for row in summarise(results).matrix.rows] == [1e-3]


def test_a_step_that_not_all_have_run_coarser_keeps_its_row(results: Path) -> None:
    full(results, "alpha", 0.05)
    made_run(results, "beta", height=0.06, dt=5e-4)
    assert [row.dt for row in summarise(results).matrix.rows] == [5e-4]


def test_an_engine_that_substeps_with_its_iterations_needs_them_doubled_too(results: Path) -> None:
    full(results, "alpha", 0.05)
    for repeat, dt in ((0, 1e-3), (1, 1e-3), (0, 5e-4)):
        made_run(results, "beta", height=0.06, dt=dt, repeat=repeat, refined_by=("iterations",))
    assert cell(summarise(results), "alpha", "beta").word == "unresolved"
    made_run(results, "beta", height=0.04, refined_by=("iterations",), overrides={"iterations": 200})
    summary = summarise(results)
    assert summary.matrix.pairs == (("alpha", "beta"),)  # the doubled run is no participant
    found = cell(summary, "alpha", "beta")
    assert found.word == "not converged"
    assert found.refinement is not None and found.refinement.position == pytest.approx(0.02)


def test_other_iterations_are_a_participant(results: Path) -> None:
    made_run(results, "beta", refined_by=("iterations",))
    made_run(results, "beta", refined_by=("iterations",), overrides={"iterations": 50})
    assert summarise(results).matrix.pairs == (("beta", "beta iterations=50"),)


def test_identical_repeats_of_another_step_stand_for_missing_ones(results: Path) -> None:
    for engine, height in (("alpha", 0.05), ("beta", 0.06)):
        made_run(results, engine, height=height)
        for repeat in (0, 1):
            made_run(results, engine, height=height, dt=5e-4, repeat=repeat)
    found = cell(summarise(results), "alpha", "beta")
    assert found.word == "differ"
    assert "alpha: spread taken from other jobs, whose repeats are bit-identical" in found.notes


def test_unsupported_and_failed_have_their_reason(results: Path) -> None:
    made_run(results, "alpha")
    made_run(results, "beta", status="unsupported", reason="no cubes here")
    made_run(results, "gamma", status="failed", reason="ValueError: oh")
    summary = summarise(results)
    assert cell(summary, "alpha", "beta").word == "unsupported"
    assert cell(summary, "alpha", "beta").notes == ("beta does not support this: no cubes here",)
    assert cell(summary, "alpha", "gamma").word == "failed"
    assert any(one.label == "gamma" and "ValueError: oh" in one.text for one in summary.sections[0].findings)
    assert "beta does not support this" in summary.sections[0].answer


def test_the_answer_names_who_agrees_who_differs_and_why(results: Path) -> None:
    full(results, "alpha", 0.05)
    full(results, "beta", 0.05 + 1e-6)
    for repeat, dt in ((0, 1e-3), (1, 1e-3), (0, 5e-4)):
        made_run(results, "gamma", height=0.058, dt=dt, repeat=repeat, law=IMPULSE)
    answer = summarise(results).sections[0].answer
    assert answer == (
        "With default settings, alpha and beta agree (1\xa0µm apart), "
        "and gamma differs from them by 8\xa0mm (contact law: impulsive against soft)."
    )


def test_a_control_that_removes_the_difference_is_named(results: Path) -> None:
    full(results, "alpha", 0.05)
    full(results, "beta", 0.06)
    for repeat, dt in ((0, 1e-3), (1, 1e-3), (0, 5e-4)):
        made_run(results, "beta", overrides={"cone": "elliptic"}, height=0.05, dt=dt, repeat=repeat)
    assert "with cone=elliptic beta does agree with alpha exactly" in summarise(results).sections[0].answer


def test_failed_checks_are_in_the_answer_and_in_the_findings(results: Path) -> None:
    check = Verdict(
        metric="max_overlap", outcome="fail", measured=1e-3, expected=0.0, error=1e-3, tolerance=1e-6, reason="law"
    )
    seen = Detection(kind="jitter", body="cube", onset=0.8, reason="cube: it shakes")
    made_run(results, "alpha", checks=(check,), detections=(seen,))
    made_run(results, "alpha", checks=(replace(check, error=-2e-3),), dt=5e-4)
    section = summarise(results).sections[0]
    assert "checks that fail: max_overlap (alpha)" in section.answer
    texts = {one.text: one.runs for one in section.findings}
    assert texts["check max_overlap fails: error −2\xa0mm, tolerance 1\xa0µm"] == 2
    assert texts["jitter from 800\xa0ms: cube: it shakes"] == 1


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


def test_only_one_engine_is_said_and_not_compared(results: Path) -> None:
    made_run(results, "alpha")
    summary = summarise(results)
    assert summary.matrix.rows == ()
    assert summary.sections[0].answer == "With default settings, only alpha ran to the end."


def test_an_engine_without_forces_is_compared_in_position_only(results: Path) -> None:
    blind = made_trace(1e-3, 1.0, 0.05, 0.0)
    for name in ("f_B_W", "f_normal_B_W", "impulse_B_W", "peak_normal_force"):
        blind.channels[name][:] = np.nan
    made_run(results, "alpha")
    made_run(results, "beta", trace=blind)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = cell(summarise(results), "alpha", "beta")
    assert (found.word, found.kind) == ("unresolved", "impulse")


def test_an_unknown_experiment_is_shown_by_its_names(results: Path) -> None:
    for friction in (0.1, 0.2):
        made_run(results, "alpha", experiment="juggling", params={"friction": friction})
    (section,) = summarise(results).sections
    assert section.text == "An experiment that this version of simparity does not have"
    assert {panel.variant for panel in section.panels} == {"friction=0.1", "friction=0.2"}


def test_damaged_and_foreign_files_are_named_and_skipped(results: Path) -> None:
    good = made_run(results, "alpha")
    broken = made_run(results, "beta")
    (broken / "run.json").write_text("{")
    foreign = made_run(results, "gamma")
    run = json.loads((foreign / "run.json").read_text())
    (foreign / "run.json").write_text(json.dumps(run | {"metrics": {"max_overlap": "deep"}}))
    torn = made_run(results, "delta")
    (torn / "trace.npz").write_bytes(b"PK torn")
    (good.parent / "notes.txt").write_text("hello")
    (results / "photo.png").write_bytes(b"")
    summary = summarise(results)
    reasons = {Path(row.path).name: row.reason for row in summary.damage}
    assert reasons.keys() == {broken.name, foreign.name, "trace.npz", "notes.txt", "photo.png"}
    assert reasons[foreign.name] == "a metric, check or time in it is not a number"
    assert summary.runs == 2
    assert cell(summary, "alpha", "delta").word == "failed"


def test_a_folder_without_runs_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not exist; `simparity run` makes it"):
        summarise(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="holds no readable run"):
        summarise(tmp_path / "empty")


def test_two_versions_of_an_engine_are_two_participants(results: Path) -> None:
    folder = made_run(results, "alpha")
    other = made_run(results, "alpha", repeat=1)
    job = json.loads((other / "job.json").read_text())
    (other / "job.json").write_text(json.dumps(job | {"engine_version": "2.0"}))
    assert folder != other
    assert summarise(results).matrix.pairs == (("alpha 1.2.3", "alpha 2.0"),)


def resolution(law: Soft = SOFT, **values: Resolved) -> Resolution:
    return Resolution(table=made_table({"dt": 1e-3}) | values, contact_law=law)


def row(value: object, *, authored: object = None, unit: str = "1") -> Resolved:
    return Resolved(value=value, unit=unit, origin="default", native="opt.x", authored=authored)  # type: ignore[arg-type]


def test_resolved_tables_mark_what_differs_and_what_was_reinterpreted() -> None:
    table = side_by_side(
        "default",
        1e-3,
        {
            "alpha": resolution(cone=row("elliptic"), tolerance=row(1e-6, authored=1e-12), impratio=row(1.0)),
            "beta": resolution(cone=row("pyramidal"), tolerance=row(1e-6), impratio=row(1.0 + 1e-9)),
        },
    )
    marked = {line.name: line for line in table.marked}
    assert marked.keys() == {"cone", "tolerance"}
    assert marked["cone"].differs and not marked["tolerance"].differs and marked["tolerance"].reinterpreted
    assert marked["tolerance"].entries[0].asked == "asked 10⁻¹²"
    assert "impratio" in {line.name for line in table.equal}


def test_what_an_engine_does_not_have_is_a_word_and_no_difference() -> None:
    table = side_by_side("default", 1e-3, {"alpha": resolution(cone=row("elliptic")), "beta": resolution()})
    (line,) = [line for line in table.partial if line.name == "cone"]
    assert [entry.text for entry in line.entries] == ["elliptic", "absent"]


def test_explanations_name_the_law_first_and_then_options() -> None:
    softer = replace(SOFT, impedance=(0.9, 0.999, 1e-3, 0.5, 2.0))
    found = explanations(resolution(softer, cone=row("elliptic")), resolution(cone=row("pyramidal")))
    assert found == [
        "contact d_max: 0.999 against 0.95",
        "contact time constant: 10\xa0ms against 10.5\xa0ms",
        "cone: elliptic against pyramidal",
    ]


def test_alike_forgives_storage_in_32_bit() -> None:
    assert alike(0.1, float(np.float32(0.1))) and alike((0.0, -9.81), (0.0, float(np.float32(-9.81))))
    assert not alike(0.1, 0.1001) and not alike(True, 1.5) and alike("Euler", "euler")


def test_thinning_keeps_the_peak_and_the_ends() -> None:
    y = np.zeros(10_001)
    y[5_003] = 1.0
    keep = thinned(np.arange(10_001.0), y)
    assert len(keep) <= POINTS + 2 and {0, 5_003, 10_000} <= set(keep.tolist())


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.00112, "m", "1.12\xa0mm"),
        (0.0009999, "m", "1\xa0mm"),
        (-4.5e-7, "m", "−450\xa0nm"),
        (253.1, "N", "253\xa0N"),
        (12_345.0, "N", "12.3\xa0kN"),
        (2.5291, "m/s", "2.53\xa0m/s"),
        (0.981, "N s", "981\xa0mN\xa0s".replace("\xa0s", " s")),
        (1.6e-4, "kg m^2", "1.6×10⁻⁴\xa0kg m²"),
        (0.0, "m", "0"),
        (float("nan"), "m", "–"),
        (None, "m", "–"),
    ],
)
def test_quantities_read_well(value: float | None, unit: str, text: str) -> None:
    assert quantity(value, unit) == text


def test_plain_numbers_and_values() -> None:
    assert (plain(100.0), plain(1e-12), plain(123456.0), plain(0.5)) == ("100", "10⁻¹²", "1.23×10⁵", "0.5")
    assert value_text((0.0, 0.0, -9.81), "m/s^2") == "(0, 0, −9.81)\xa0m/s²"
    assert (value_text(True, ""), value_text("RK4", ""), value_text(None, "")) == ("on", "RK4", "–")


def test_the_metric_that_an_override_changes_most_is_named(results: Path) -> None:
    full(results, "alpha", 0.05)
    for repeat, dt in ((0, 1e-3), (1, 1e-3), (0, 5e-4)):
        made_run(results, "beta", dt=dt, repeat=repeat, height=0.06, metrics={"rebound_speed": 0.0})
        made_run(
            results,
            "beta",
            overrides={"cone": "elliptic"},
            height=0.055,
            dt=dt,
            repeat=repeat,
            metrics={"rebound_speed": 0.3},
        )
    made_run(results, "alpha", metrics={"rebound_speed": 0.25})
    assert (
        "cone=elliptic takes the rebound_speed of beta from 0 to 300\xa0mm/s (alpha: 250\xa0mm/s)"
        in summarise(results).sections[0].answer
    )


def test_runs_of_earlier_code_are_set_aside(results: Path) -> None:
    old = made_run(results, "alpha", height=0.07, dt=2e-3)
    job = json.loads((old / "job.json").read_text())
    (old / "job.json").write_text(json.dumps(job | {"code": "f" * 64}))
    run = json.loads((old / "run.json").read_text())
    run["provenance"]["finished"] = "2020-01-01T00:00:00.000+00:00"
    (old / "run.json").write_text(json.dumps(run))
    for engine in ("alpha", "beta"):
        made_run(results, engine)
    summary = summarise(results)
    assert summary.runs == 2
    assert [(row.engine, row.code, row.runs) for row in summary.earlier] == [("alpha", "f" * 12, 1)]
