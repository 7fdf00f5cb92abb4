"""What moved between two runs, two folders, two versions and two robot files: as data, and as text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from simparity.engines import ENGINES
from simparity.harness import store
from simparity.harness.cli import main
from simparity.harness.configure import plan
from simparity.harness.diff.command import diff
from simparity.harness.diff.moved import Diff, distance, rounding_bound, same
from simparity.harness.diff.runs import diff_records, diff_sets
from simparity.harness.diff.text import markdown, sections, sentence
from simparity.harness.engine import Unknown
from simparity.harness.errors import UsageError
from simparity.harness.experiment import Metric
from simparity.harness.record import Record
from simparity.harness.registry import experiment_class

WORDS = ["-q", "-m", "experiment=throw", "engine=freefall", "dt=0.01,0.005", "duration=0.2", "timings=0"]
ENGINE = next(iter(ENGINES))


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("diff") / "results"
    assert main(["run", *WORDS, f"results={folder}"]) == 0
    return folder


@pytest.fixture(scope="module")
def record(results: Path) -> Record:
    return min((r for _, r in store.runs(results)), key=lambda r: r.job.dt)  # type: ignore[misc]


def upgraded(record: Record, **changes: object) -> Record:
    """The run as another version of the engine might have left it."""
    job = replace(changes.pop("job", record.job), engine_version="9.9", code="other")  # type: ignore[type-var]
    return replace(record, job=job, **changes)  # type: ignore[arg-type]


def test_a_run_and_itself_differ_in_nothing(record: Record, results: Path) -> None:
    assert diff_records(record, record).moved == ()
    found = diff(record.job.run_id, record.job.run_id, results)
    assert found.empty
    assert sentence(found).startswith("Nothing differs")
    assert sections(found) == []


def test_each_kind_of_change_is_found_and_measured(record: Record) -> None:
    assert record.resolution is not None
    table = dict(record.resolution.table)
    gravity, mass = table["gravity"], next(name for name in table if name.endswith(".mass"))
    table["gravity"] = replace(gravity, value=(0.0, 0.0, -10.0), origin="default")
    table[mass] = replace(table[mass], value=2 * table[mass].value)  # type: ignore[operator]
    del table["integrator"]
    table["novelty"] = replace(gravity, value="on", unit="")
    name = next(iter(record.metrics))
    metrics = {**record.metrics, name: record.metrics[name] + 0.5}
    after = upgraded(record, resolution=replace(record.resolution, table=table), metrics=metrics)
    moved = {row.name: row for row in diff_records(record, after).moved}
    assert set(moved) == {"gravity", mass, "integrator", "novelty", name}
    assert moved["gravity"].kind == "option"
    assert moved["gravity"].absolute == pytest.approx(10.0 - 9.81)
    assert moved["gravity"].relative == pytest.approx((10.0 - 9.81) / 9.81)
    assert (moved[mass].kind, moved[mass].relative) == ("value", pytest.approx(1.0))
    assert (moved["integrator"].only, moved["novelty"].only) == ("A", "B")
    assert (moved[name].kind, moved[name].absolute) == ("metric", pytest.approx(0.5))


def test_rounding_of_the_state_is_no_change(record: Record) -> None:
    name, value = next((n, v) for n, v in record.metrics.items() if v)
    least = upgraded(record, metrics={**record.metrics, name: value * (1 + 2.0**-52)})
    assert diff_records(record, least).moved == ()
    assert diff_records(record, least, rtol=0.0).moved
    single = [replace(r, job=replace(r.job, precision=32)) for r in (record, least)]
    single[1] = replace(single[1], metrics={**record.metrics, name: value * (1 + 2.0**-23)})
    assert diff_records(*single).moved == ()


def test_rounding_that_adds_up_over_the_steps_is_told_from_a_change(record: Record) -> None:
    name, value = "range", record.metrics["range"]
    steps, scale = record.job.duration / record.job.dt, max(1.0, abs(value))

    def moved_by(part: float) -> Diff:
        metrics = {**record.metrics, name: value + part * 2.0**-50 * steps * scale}
        return diff_sets([record], [upgraded(record, metrics=metrics)], ("old", "new"))

    small, large = moved_by(0.9), moved_by(1.2)
    assert not (small.changed or small.empty)
    assert (small.pairs[0].beyond, small.pairs[0].moved[0].name) == ((), name)
    assert not sections(small)
    assert "1 more metric moved by no more than the rounding" in sentence(small)
    assert name in sentence(small)
    assert large.changed
    assert [row.name for row in large.pairs[0].beyond] == [name]
    assert not [row for row in diff_records(record, record, rtol=0.0).moved if row.rounding]


class Measured:
    """Metrics of an experiment that none declares."""

    def __init__(self, **given: object) -> None:
        pass

    def metrics(self) -> list[Metric]:
        plain = {"size": "m", "count": "1", "share": "1", "time": "s"}
        found = [Metric(name, unit, "", lambda trace, context: 0.0) for name, unit in plain.items()]
        return [*found, Metric("error", "m", "", lambda trace, context: 0.0, scale=lambda duration: 2.0 * duration)]


@pytest.mark.parametrize(
    ("precision", "name", "a", "b", "rounding"),
    [
        (32, "size", 1e-3, 1.5e-3, False),  # 3.4e-4 -> 1.5e-3 rad of an arm was once called rounding
        (32, "size", 1e-3, 1e-3 * (1 + 1e-5), True),
        (32, "size", 1e-3, 1e-3 * (1 + 3e-5), False),
        (32, "size", 1e-8, 2.3e-4, False),
        (32, "size", 1.6e-13, 3.5e-4, False),
        (32, "size", 1e-8, 2e-8, False),
        (32, "size", 1e-8, 1e-8 * (1 + 1e-5), True),
        (64, "size", 1e-3, 1.5e-3, False),
        (64, "size", 1e-3, 1e-3 + 1e-13, True),
        (64, "size", 1e-8, 1.001e-8, False),
        (64, "size", 3.3e-16, 2.2e-16, True),
        (64, "size", 5e-67, 0.0, True),
        (32, "error", 1e-6, 1e-5, True),  # of a declared 2 m
        (32, "error", 1e-6, 1e-4, False),
        (32, "count", 1e6, 1e6 - 1, False),
        (64, "count", 1e15, 1e15 - 1, False),
        (32, "share", 0.5, 0.5 * (1 + 1e-5), True),
        (32, "time", 100.0, 100.001, False),  # a step
        (32, "time", 100.0, 100.0004, True),
        (32, "explosion of ball at [s]", 100.0, 100.0004, False),
    ],
)
def test_what_rounding_can_move(
    record: Record, monkeypatch: pytest.MonkeyPatch, precision: int, name: str, a: float, b: float, rounding: bool
) -> None:
    monkeypatch.setattr("simparity.harness.diff.runs.experiment_class", lambda name: Measured)
    monkeypatch.setattr("simparity.harness.diff.runs.metrics_of", lambda experiment: experiment.metrics())
    job = replace(record.job, precision=precision, dt=1e-3, duration=1.0)
    one, two = (replace(record, job=job, metrics={name: value}) for value in (a, b))
    (row,) = diff_records(one, two).moved
    assert row.rounding is rounding


def test_the_rounding_of_long_runs_stays_small() -> None:
    assert rounding_bound(32, 1e7, 2.0) == 2e-4
    assert rounding_bound(64, 1e7, 2.0) < 1e-7


@pytest.mark.parametrize(
    ("a", "b", "alike"),
    [
        (1.0, 1.0, True),
        (float("nan"), float("nan"), True),
        (float("inf"), float("inf"), True),
        (float("inf"), 1.0, False),
        (None, 0.0, False),
        (None, None, True),
        (True, 1, False),
        ((1.0, 2.0), [1.0, 2.0], True),
        ((1.0, 2.0), (1.0, 2.0, 3.0), False),
        ("Euler", "implicitfast", False),
        (0.0, 1e-30, False),
    ],
)
def test_what_counts_as_the_same(a: object, b: object, alike: bool) -> None:
    if a is True:
        assert distance(a, b) == (None, None)
    else:
        assert same(a, b, 1e-15) is alike
        assert same(b, a, 1e-15) is alike


def test_a_broken_run_is_a_change(record: Record) -> None:
    broken = upgraded(record, status="failed", reason="it broke", resolution=None, metrics={}, checks=())
    moved = {row.name: row for row in diff_records(record, broken).moved}
    assert (moved["status"].a, moved["status"].b) == ("ok", "failed")
    assert moved["reason"].only == "B"


def test_an_outcome_is_its_word_and_a_reason_for_no_law_is_no_value(record: Record) -> None:
    assert record.resolution is not None
    words = experiment_class("soft_ball_grasp").OUTCOMES
    lawless = replace(record.resolution, contact_law=Unknown(reason="one way of saying it"))
    (job,) = plan(["experiment=soft_ball_grasp"], multirun=False).jobs
    grasp = replace(record, job=job, resolution=lawless)
    a, b = (replace(grasp, metrics={**record.metrics, "outcome": float(k)}) for k in (0, 1))
    other = replace(lawless, contact_law=Unknown(reason="another"))
    moved = {row.name: row for row in diff_records(a, upgraded(b, resolution=other)).moved}
    assert (moved["outcome"].a, moved["outcome"].b) == words[:2]
    assert not [name for name in moved if name.startswith("contact law")]


def test_folders_pair_up_by_the_work_and_say_what_is_alone(results: Path, record: Record) -> None:
    assert diff(str(results), str(results), results).compared == 2
    alone = upgraded(record, job=replace(record.job, duration=9.0))
    found = diff_sets([record, alone], [upgraded(record)], ("old", "new"))
    assert found.compared == 1
    assert len(found.only_a) == 1
    assert not found.only_b
    assert "duration=9" in found.only_a[0]
    assert any("and 9.9" in text for text in found.context)
    assert any("the code of simparity" in text for text in found.context)


def test_versions_in_one_folder(results: Path, record: Record) -> None:
    here = f"{ENGINE}@{record.job.engine_version}"
    assert diff(here, here, results).empty
    with pytest.raises(UsageError, match=f"holds no run of {ENGINE}@0.0"):
        diff(f"{ENGINE}@0.0", here, results)


def test_results_with_no_run_in_common_are_refused(
    results: Path, record: Record, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other"
    assert main(["run", "-q", "experiment=throw", "engine=freefall", "dt=0.02", "timings=0", f"results={other}"]) == 0
    capsys.readouterr()
    for flags in ([], ["--fail-on-change"]):
        assert main(["diff", str(results), str(other), *flags]) == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert "(2 runs of throw) has a partner in" in said.err
        assert "(1 run of throw)" in said.err


def test_two_runs_are_named_with_what_they_are_of(results: Path) -> None:
    one, two = sorted((r for _, r in store.runs(results)), key=lambda r: r.job.dt)  # type: ignore[misc]
    found = diff(one.job.run_id, two.job.run_id, results)
    assert "dt=5ms" in found.a
    assert "dt=10ms" in found.b
    assert all(section.headers[-1] == "unit" for section in sections(found))
    assert all(len(row) == len(section.headers) for section in sections(found) for row in section.rows)


def test_one_value_is_no_values(record: Record) -> None:
    name = next(iter(record.metrics))
    found = diff_sets([record], [upgraded(record, metrics={**record.metrics, name: 7.25})], ("old", "new"))
    assert sentence(found).startswith("1 value moved in 1 of 1 pair")


def test_markdown_escapes_and_groups(record: Record) -> None:
    name = next(iter(record.metrics))
    others = [replace(record, job=replace(record.job, duration=d)) for d in (1.0, 2.0)]
    after = [upgraded(o, metrics={**o.metrics, name: 7.25}) for o in others]
    text = markdown(diff_sets(others, after, ("a|b", "<c>")), "simparity diff a b --md")
    assert text.startswith("Made by `simparity diff a b --md`.")
    assert sum(line.startswith(f"| {name} ") for line in text.splitlines()) == 1, "alike in both pairs: one row"
    assert "everywhere" in text
    assert "7.25" in text


def test_the_command(results: Path, record: Record, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = record.job.run_id
    other = next(r.job.run_id for _, r in store.runs(results) if r.job.run_id != run)  # type: ignore[misc]
    place = ["--results", str(results)]
    assert main(["diff", run, run, *place, "--fail-on-change"]) == 0
    assert "Nothing differs" in capsys.readouterr().out
    assert main(["diff", run, other, *place]) == 0
    assert "dt" in capsys.readouterr().out
    assert main(["diff", run, other, *place, "--md", "--fail-on-change"]) == 1
    assert "## " in capsys.readouterr().out
    for wrong in (["diff", "nothing", run], ["diff", "a.xml", run], ["diff", str(results), run]):
        assert main([*wrong, *place]) == 2
        said = capsys.readouterr().err
        assert said.startswith("simparity: ")
        assert said.count("\n") == 1
        assert "simparity show" in said or "nothing" not in wrong
