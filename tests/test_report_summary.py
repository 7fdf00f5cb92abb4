from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pytest

from simparity.harness.errors import UsageError
from simparity.harness.report.summarise import summarise
from simparity.harness.report.summary import Summary
from simparity.harness.report.verdicts import Cell

from .bench_report import made_run, made_trace


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
    assert cell(summary, "alpha", "beta").missing == "no repeat, no halved dt"
    assert "unresolved: no repeat, no halved dt)" in summary.sections[0].answer


def test_the_halved_step_has_no_row_of_its_own(results: Path) -> None:
    full(results, "alpha", 0.05)
    full(results, "beta", 0.06)
    matrix = summarise(results).matrix
    assert [row.dt for row in matrix.rows] == [1e-3]
    assert matrix.notes == ("500\xa0µs serves as refinement of 1\xa0ms (drop)",)


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
    assert "beta with iterations doubled serves as its refinement (drop)" in summary.matrix.notes
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
    assert summary.matrix.numbers[0].rows[0].notes == ("beta does not support this: no cubes here",)


def test_only_one_engine_is_said_and_not_compared(results: Path) -> None:
    made_run(results, "alpha")
    summary = summarise(results)
    assert summary.matrix.rows == ()
    assert summary.sections[0].answer == "Only alpha was run, so there is nothing to compare."


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
    assert summary.statuses == {"damaged": 1, "ok": 1}
    assert cell(summary, "alpha", "delta").word == "damaged"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"libraries": None}, "its parameters, options or libraries are not tables"),
        ({"libraries": {"kernel": 1.0}}, "a library or an input in it is not text"),
        ({"inputs": {"robot.xml": None}}, "a library or an input in it is not text"),
    ],
)
def test_a_job_of_other_types_is_named_and_skipped(results: Path, change: dict[str, object], reason: str) -> None:
    made_run(results, "alpha")
    foreign = made_run(results, "beta") / "job.json"
    foreign.write_text(json.dumps(json.loads(foreign.read_text()) | change))
    summary = summarise(results)
    assert ([row.reason for row in summary.damage], list(summary.engines)) == ([reason], ["alpha"])


@pytest.mark.parametrize("torn", [None, b"PK torn", b"PK" + bytes(100) + b"PK\x05\x06" + bytes(18)])
def test_a_run_whose_trace_is_missing_or_torn_is_damaged_and_not_failed(results: Path, torn: bytes | None) -> None:
    made_run(results, "alpha")
    trace = made_run(results, "beta") / "trace.npz"
    trace.unlink()
    if torn is not None:
        trace.write_bytes(torn)
    summary = summarise(results)
    assert cell(summary, "alpha", "beta").word == "damaged"
    assert [Path(row.path).name for row in summary.damage] == ["trace.npz"]


def test_only_some_runs_can_be_covered(results: Path) -> None:
    asked = {made_run(results, engine).name for engine in ("alpha", "beta")}
    (made_run(results, "gamma") / "run.json").write_text("{")
    made_run(results, "delta", experiment="juggling")
    (results / "photo.png").write_bytes(b"")
    summary = summarise(results, frozenset(asked))
    assert (summary.runs, list(summary.engines), summary.damage) == (2, ["alpha", "beta"], ())
    assert [section.name for section in summary.sections] == ["drop"]
    with pytest.raises(UsageError, match="holds none of the runs asked for"):
        summarise(results, frozenset({"0" * 16 + "-r0"}))


def test_an_unsupported_run_renames_nobody_and_carries_its_own_difference(results: Path) -> None:
    made_run(results, "alpha")
    made_run(results, "beta")
    made_run(results, "beta", precision=32, status="unsupported", reason="64 bit only")
    assert set(summarise(results).matrix.pairs) == {
        ("alpha", "beta"),
        ("alpha", "beta 32-bit"),
        ("beta 32-bit", "beta"),
    }


def test_identical_runs_say_so(results: Path) -> None:
    made_run(results, "alpha")
    made_run(results, "beta")
    found = cell(summarise(results), "alpha", "beta")
    assert (found.word, found.amount, found.missing) == ("agree", "0 (identical)", "")


def test_a_difference_of_rounding_has_no_digits(results: Path) -> None:
    made_run(results, "alpha")
    made_run(results, "beta", height=0.05 + 2e-15)
    assert cell(summarise(results), "alpha", "beta").amount == "below 1\xa0pm"


def test_the_numbers_behind_a_verdict_are_told(results: Path) -> None:
    full(results, "alpha", 0.05, halving=2e-3)
    full(results, "beta", 0.051)
    (table,) = summarise(results).matrix.numbers
    (row,) = table.rows
    assert (table.kinds, row.pair, row.word) == (("position",), ("alpha", "beta"), "not converged")
    (number,) = row.numbers
    assert number is not None
    assert (number.difference, number.spread, number.refinement) == ("1\xa0mm", "0", "2\xa0mm")


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
