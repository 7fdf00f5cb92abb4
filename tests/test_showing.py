"""Stored runs in the terminal: which are meant, how wide the tables are, and that nothing is lost as CSV."""

from __future__ import annotations

import csv
import io
import subprocess
from dataclasses import asdict, replace
from pathlib import Path

import pytest

import simparity
from simparity.harness.asked import run_words
from simparity.harness.cli import main
from simparity.harness.configure import plan
from simparity.harness.diff.command import diff
from simparity.harness.errors import UsageError
from simparity.harness.registry import engine_version, studies
from simparity.harness.selection import selected
from simparity.harness.store import find, records

from .test_run import run

VERSIONS = {name: (engine_version(name) or "").partition(" ")[0] for name in ("freefall", "mujoco")}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Throws at two speeds, one short one, and a short tumble."""
    folder = tmp_path_factory.mktemp("shown")
    words = ("-m", "engine=freefall", "timings=0", "isolation=warm")
    assert run(folder, *words, "experiment=throw", "dt=0.01", "experiment.speed=1,2").returncode == 0
    assert run(folder, *words, "experiment=throw", "smoke=true").returncode == 0
    assert run(folder, *words, "experiment=tumble", "engine=mujoco", "smoke=true", "stride=2").returncode == 0
    return folder


def shown(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: str, columns: int = 0
) -> str:
    if columns:
        monkeypatch.setenv("COLUMNS", str(columns))
    assert main(["show", str(folder / "results"), *words]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("columns", [100, 120, 60])
def test_no_line_is_wider_than_the_terminal_and_no_number_is_lost(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    text = shown(folder, capsys, monkeypatch, columns=columns)
    for line in text.splitlines():
        assert len(line.rstrip()) <= columns or line.startswith(("throw: ", "tumble: "))
    for record in records(folder / "results"):
        assert record.job.run_id in text
        assert all(f"{value:.6g}" in text for value in record.metrics.values())
        assert all(name in text for name in record.metrics)


def test_each_experiment_has_its_own_table_and_says_once_what_all_have(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    throws, tumble = shown(folder, capsys, monkeypatch).split("\n\n")
    assert throws.startswith("throw: 3 runs, all with engine=freefall, settings=default")
    assert "momentum_error" in tumble and "momentum_error" not in throws
    assert "range" in throws and "range" not in tumble
    head = next(line for line in throws.splitlines() if "run" in line and "speed" in line)
    assert "engine" not in head and "smoke" in head


def test_csv_has_every_run_parameter_and_metric_in_full(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = list(csv.DictReader(io.StringIO(shown(folder, capsys, monkeypatch, "--csv", columns=80))))
    by_id = {row["run_id"]: row for row in rows}
    for record in records(folder / "results"):
        row = by_id.pop(record.job.run_id)
        for name, value in record.metrics.items():
            assert float(row[name]) == pytest.approx(value, rel=0, abs=0, nan_ok=True)
        assert set(record.job.params) <= set(row)
    assert not by_id


def test_runs_are_meant_by_conditions_and_by_the_first_digits_of_their_ids(folder: Path) -> None:
    everything = records(folder / "results")
    assert [one.job.experiment for one in selected(everything, ["smoke=true"])] == ["throw", "tumble"]
    assert len(selected(everything, ["experiment=throw", "speed=1,2", "smoke=false"])) == 2
    one = everything[0].job.run_id
    assert [found.job.run_id for found in selected(everything, [one[:8]])] == [one]
    assert [found.job.run_id for found in selected(everything, [f"run_id={one[:8]}"])] == [one]
    assert find(one[:8], folder / "results").name == one
    with pytest.raises(UsageError, match=r"no run id begins with 'zz'; the 4 runs here are .*NAME=VALUE"):
        selected(everything, ["zz"])


def test_a_part_of_an_id_that_several_have_is_refused_with_their_names(folder: Path, tmp_path: Path) -> None:
    words = ("-m", "experiment=throw", "engine=freefall", "timings=0", "repeat=0,1", "isolation=warm")
    assert run(tmp_path, *words).returncode == 0
    both = sorted(record.job.run_id for record in records(tmp_path / "results"))
    with pytest.raises(UsageError, match=f"one of 2 runs: {both[0]}, {both[1]}; give more"):
        selected(records(tmp_path / "results"), [both[0][:16]])
    with pytest.raises(UsageError, match=f"any of 2 .*: {both[0]}, {both[1]}; give more"):
        find(both[0][:16], tmp_path / "results")
    with pytest.raises(UsageError, match=f"no ENGINE@VERSION, and run .* any of 2 .*{both[0]}"):
        diff(both[0][:16], both[1], tmp_path / "results")
    assert diff(both[0], both[1], tmp_path / "results").compared == 1


def test_a_report_covers_what_conditions_ids_and_words_name(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results, out = str(folder / "results"), tmp_path / "report"
    one = next(record.job.run_id for record in records(folder / "results") if record.job.experiment == "tumble")
    for words in (["--where", "experiment=tumble"], ["--only", one[:8]], ["--where", one]):
        assert main(["report", results, "-o", str(out), *words]) == 0
        text = out.with_suffix(".md").read_text()
        assert "## tumble" in text and "## throw" not in text
    for words, sentence in (
        (["--only", "zz"], "no run id begins with 'zz'"),
        (["--where", "speed=7"], "no run in "),
        (["--only", "experiment=throw", "engine=freefall"], "none of the 1 runs that experiment=throw engine=freefall"),
    ):
        capsys.readouterr()
        assert main(["report", results, "-o", str(out), *words]) == 2
        err = capsys.readouterr().err
        assert sentence in err and err.count("\n") == 1


@pytest.mark.parametrize("run_id", [5, 0, None, 1.5])
def test_a_run_that_is_no_text_is_a_sentence_with_a_name_that_exists(folder: Path, run_id: object) -> None:
    name = records(folder / "results")[0].job.run_id
    for ask in (simparity.trace, simparity.resolved, simparity.contacts):
        with pytest.raises(UsageError, match=f"named by text such as '{name}', not by {run_id!r}"):
            ask(run_id, folder / "results")  # type: ignore[arg-type]


def test_help_of_run_names_every_study_and_the_short_variant(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["run", "--help"])
    text = capsys.readouterr().out
    assert "smoke=false" in text and studies()
    for name, what in studies().items():
        assert any(line.split()[:1] == [name] and what in line for line in text.splitlines())


@pytest.mark.parametrize(
    "words",
    [
        ["experiment=drop", "engine=mujoco", "smoke=true"],
        ["experiment=drop", "engine=mujoco", "smoke=true", "dt=0.001", "stride=2"],
        ["experiment=sliding_block", "experiment.start=push", "experiment.incline=0.1", "settings=matched", "repeat=3"],
        ["experiment=drop", "+option.solref=[0.01,1]", "+option.cone=elliptic", "duration=0.5", "timings=0"],
        ["experiment=single_arm", "experiment.robot=fr3_hand", "experiment.bandwidth=30", "paced=true"],
        ["experiment=tumble", "+option.integrator=RK4", "experiment.gravity=9.81"],
    ],
)
def test_a_job_is_the_one_that_its_own_words_ask_for(words: list[str]) -> None:
    (job,) = plan(words, multirun=False).jobs
    assert asdict(plan(run_words(job), multirun=False).jobs[0]) == asdict(job)


def test_a_failed_check_is_a_line_with_all_its_numbers(tmp_path: Path) -> None:
    words = ("experiment=drop", "engine=mujoco", "experiment.gap=0.5", "duration=1.0", "timings=0")
    done: subprocess.CompletedProcess[str] = run(tmp_path, *words)
    (record,) = records(tmp_path / "results")
    failed = [verdict for verdict in record.checks if verdict.outcome == "fail"]
    lines = [line for line in done.stdout.splitlines() if line.startswith("check failed: ")]
    assert failed and len(lines) == len(failed)
    for line, verdict in zip(lines, failed, strict=True):
        assert f"{verdict.metric} is {verdict.measured:.6g} m where {verdict.expected:.6g} m is expected" in line
        assert f"tolerance {verdict.tolerance:.6g} m ({verdict.reason})" in line


def test_conditions_take_what_show_and_run_print(folder: Path) -> None:
    one = next(record for record in records(folder / "results") if record.job.experiment == "throw")
    job = replace(one.job, engine="physx", engine_version="3.0.3 (PhysX 5.3.1)", dt=1e-3, control_dt=1 / 3e3)
    job = replace(job, params={"pose": [1, 0.5], "robot": "a,b.xml", "near": (), "on": True, "none": None})
    there = replace(one, job=replace(job, overrides={"noslip": 3}))
    for word in (
        *("engine=physx", "engine=physx@3.0.3", "engine=mujoco,physx@3.0.3", "dt=1ms", "dt=0.001s", "dt=2ms,1000us"),
        *("dt=0.001", "control_dt=0.333333ms", "pose=[1,0.5]", "pose=(1.0, 0.5)", "pose=[2,3],[1,0.5]", "near=[]"),
        *("robot=a,b.xml", "on=true", "on=True", "none=null", "+noslip=3", "+option.noslip=3", "settings=default"),
    ):
        assert selected([there], [word]) == [there], word
    for word in ("engine=physx@3.0.2", "dt=2ms", "pose=1", "pose=[1]", "pose=[1,0.6]", "pose=1,0.5", "on=false"):
        assert selected([there], [word]) == [], word


def test_what_fits_nothing_is_told_with_what_there_is(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results = str(folder / "results")
    for words, says in (
        (["--where", "engine=physx"], "fits engine=physx: engine is freefall, mujoco"),
        (["--where", "engine=mujoco@0.1"], f"engine is freefall@{VERSIONS['freefall']}, mujoco@{VERSIONS['mujoco']}"),
        (["--where", "dt=7ms", "engine=mujoco"], "dt is 0.002, 0.01"),
        (["--where", "engine=mujoco", "experiment=throw"], "each condition fits some, but none fits all of them"),
        (["--metrics", "foo"], "no such metric in these runs: foo; they have "),
    ):
        assert main(["show", results, *words]) == 2
        err = capsys.readouterr().err
        assert says in err and err.count("\n") == 1
    assert "flight_error, momentum_error" in err
