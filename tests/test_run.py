"""Runs with real processes: records, resuming, and failures that are contained."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import simparity

LONG = "duration=20000"  # simulated seconds that no test waits for


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "simparity.harness.cli", *words]


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command("run", *words), cwd=folder, capture_output=True, text=True, timeout=120)


def records(folder: Path) -> list[dict[str, object]]:
    return [json.loads(path.read_text()) for path in sorted(folder.glob("results/*/*/*/*/run.json"))]


def test_a_run_leaves_a_whole_record_and_nothing_else(tmp_path: Path) -> None:
    done = run(tmp_path, "experiment=throw", "engine=freefall")
    assert done.returncode == 0, done.stderr
    (record,) = records(tmp_path)
    assert record["status"] == "ok"
    assert {path.name for path in tmp_path.iterdir()} == {"results"}
    (folder,) = tmp_path.glob("results/*/throw/freefall/*")
    assert {path.name for path in folder.iterdir()} == {"job.json", "run.json", "trace.npz", "stderr.txt"}
    timing = record["timing"]
    assert isinstance(timing, dict)
    assert len(timing["real_time_factors"]) == 3
    assert {"import", "build", "first_step", "step", "read", "command", "log"} <= set(timing["parts"])


def test_python_reads_what_was_run(tmp_path: Path) -> None:
    assert run(tmp_path, "-m", "experiment=throw", "engine=freefall,mujoco", "dt=0.01").returncode == 0
    frame = simparity.load(tmp_path / "results")
    assert list(frame.engine) == ["freefall", "mujoco"]
    assert {"experiment", "engine_version", "settings", "dt", "repeat", "rtf", "status", "reason"} <= set(frame.columns)
    assert {"speed", "flight_error"} <= set(frame.columns), "a column for each parameter and each metric"
    samples = simparity.trace(frame.run_id[1], tmp_path / "results")
    assert len(samples) == 101
    assert samples["p_WB_x"].iloc[-1] == pytest.approx(2.0)
    table = simparity.resolved(frame.run_id[1], tmp_path / "results")
    assert table.value["integrator"] == "Euler"


def test_the_integrator_error_is_the_one_of_the_books(tmp_path: Path) -> None:
    """Semi-implicit Euler falls behind the parabola by g dt t / 2, exactly."""
    assert run(tmp_path, "-m", "experiment=throw", "engine=mujoco", "dt=0.01,0.005").returncode == 0
    frame = simparity.load(tmp_path / "results").sort_values("dt")
    assert list(frame.flight_error) == pytest.approx([9.81 * 0.005 / 2, 9.81 * 0.01 / 2], rel=1e-9)


def test_a_finished_run_is_not_run_again_and_a_broken_off_sweep_goes_on(tmp_path: Path) -> None:
    words = ("-m", "experiment=throw", "engine=freefall", "dt=0.01,0.02")
    assert run(tmp_path, *words).returncode == 0
    before = {path: path.stat().st_mtime_ns for path in tmp_path.glob("results/*/*/*/*/run.json")}
    done = run(tmp_path, "-m", "experiment=throw", "engine=freefall", "dt=0.01,0.02,0.05")
    assert "3 runs, 2 of them finished before" in done.stdout
    after = {path: path.stat().st_mtime_ns for path in tmp_path.glob("results/*/*/*/*/run.json")}
    assert len(after) == 3
    assert all(after[path] == stamp for path, stamp in before.items())


def test_a_foreign_job_in_the_place_of_a_run_is_an_error(tmp_path: Path) -> None:
    assert run(tmp_path, "experiment=throw", "engine=freefall").returncode == 0
    (job,) = tmp_path.glob("results/*/*/*/*/job.json")
    job.write_text(job.read_text().replace('"dt": 0.001', '"dt": 0.003'))
    done = run(tmp_path, "experiment=throw", "engine=freefall")
    assert done.returncode == 1
    assert "holds another job" in done.stderr


def test_divergence_is_a_record_with_its_time(tmp_path: Path) -> None:
    done = run(tmp_path, "experiment=drop", "engine=mujoco", "dt=0.01", "+option.solref=[-1e9,-1]")
    assert done.returncode == 1
    (record,) = records(tmp_path)
    assert record["status"] == "diverged"
    assert 0.25 < float(str(record["diverged_at"])) < 0.4
    assert "diverged: drop mujoco" in done.stdout.splitlines()[-1]


def test_an_unsupported_run_is_a_record_with_a_reason(tmp_path: Path) -> None:
    done = run(tmp_path, "experiment=drop", "engine=freefall")
    assert done.returncode == 0
    (record,) = records(tmp_path)
    assert record["status"] == "unsupported"
    assert "without contact" in str(record["reason"])


@pytest.mark.parametrize("isolation", ["fresh", "warm"])
def test_a_hanging_run_times_out_and_the_sweep_goes_on(tmp_path: Path, isolation: str) -> None:
    words = ("-m", "experiment=drop", "engine=mujoco", "timings=0", f"isolation={isolation}", "timeout=2")
    done = run(tmp_path, *words, f"{LONG},0.5")
    assert done.returncode == 1
    assert [record["status"] for record in records(tmp_path)].count("timeout") == 1
    assert [record["status"] for record in records(tmp_path)].count("ok") == 1
    assert "took longer than timeout=2 s" in done.stdout.splitlines()[-1]


def _worker_of(launcher: int) -> int:
    for _ in range(200):
        children = Path(f"/proc/{launcher}/task/{launcher}/children").read_text().split()
        for child in children:
            if b"simparity.harness.worker" in Path(f"/proc/{child}/cmdline").read_bytes():
                return int(child)
        time.sleep(0.05)
    raise AssertionError("no worker was started")


def _heed_ctrl_c() -> None:
    """As in a terminal: what a shell starts in the background ignores Ctrl-C, and so does all that it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture
def sweep(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    words = ("-m", "experiment=drop", "engine=mujoco", "isolation=warm", f"{LONG},0.5")
    process = subprocess.Popen(
        command("run", *words),
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=_heed_ctrl_c,
    )
    yield process
    process.kill()
    process.wait()


def test_a_killed_worker_leaves_a_record_and_its_other_jobs_are_run(
    tmp_path: Path, sweep: subprocess.Popen[str]
) -> None:
    worker = _worker_of(sweep.pid)
    _wait_for_draft(tmp_path)
    os.kill(worker, signal.SIGKILL)
    out, _ = sweep.communicate(timeout=60)
    assert sweep.returncode == 1
    found = {record["status"]: record for record in records(tmp_path)}
    assert set(found) == {"failed", "ok"}
    assert "ended by signal SIGKILL" in str(found["failed"]["reason"])
    assert "SIGKILL" in out.splitlines()[-1]


def test_ctrl_c_ends_the_workers_and_keeps_finished_runs(tmp_path: Path, sweep: subprocess.Popen[str]) -> None:
    worker = _worker_of(sweep.pid)
    _wait_for_draft(tmp_path)
    sweep.send_signal(signal.SIGINT)
    _, err = sweep.communicate(timeout=60)
    assert sweep.returncode == 130
    assert "repeat the command to go on" in err
    assert not Path(f"/proc/{worker}").exists()


def _wait_for_draft(folder: Path) -> None:
    for _ in range(400):
        if list(folder.glob("results/*/*/*/.*.draft/stderr.txt")):
            time.sleep(0.3)
            return
        time.sleep(0.05)
    raise AssertionError("no run was begun")


def test_a_worker_that_cannot_start_says_so(tmp_path: Path) -> None:
    from simparity.harness.configure import plan
    from simparity.harness.launch import Launch
    from simparity.harness.progress import PlainProgress

    asked = plan(["experiment=throw", "engine=freefall"], multirun=False)
    (record,) = Launch(results=tmp_path / "results", python="/bin/false").run(asked.jobs, PlainProgress(quiet=True))
    assert record.status == "failed"
    assert "exit code 1" in record.reason


def test_a_run_whose_trace_is_gone_is_run_again(tmp_path: Path) -> None:
    words = ("experiment=throw", "engine=freefall")
    assert run(tmp_path, *words).returncode == 0
    (trace,) = tmp_path.glob("results/*/*/*/*/trace.npz")
    trace.write_bytes(trace.read_bytes()[:100])
    assert "finished before" not in run(tmp_path, *words).stdout
    assert trace.stat().st_size > 1000


def test_sigterm_ends_the_workers_too(tmp_path: Path, sweep: subprocess.Popen[str]) -> None:
    worker = _worker_of(sweep.pid)
    _wait_for_draft(tmp_path)
    sweep.terminate()
    _, err = sweep.communicate(timeout=60)
    assert sweep.returncode == 130
    assert "repeat the command to go on" in err
    assert not Path(f"/proc/{worker}").exists()
    assert not list(tmp_path.glob("results/*/*/*/.*")), "a draft was left behind"


def test_a_worker_dies_with_its_launcher(tmp_path: Path, sweep: subprocess.Popen[str]) -> None:
    worker = _worker_of(sweep.pid)
    _wait_for_draft(tmp_path)
    sweep.kill()
    sweep.wait()
    for _ in range(100):
        if not Path(f"/proc/{worker}").exists():
            return
        time.sleep(0.05)
    raise AssertionError("the worker outlived its launcher")


def test_two_sweeps_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    words = command("run", "-m", "experiment=drop", "engine=mujoco", "dt=0.002,0.001,0.0005", "timings=0")
    both = [subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    outs = [process.communicate(timeout=120)[0] for process in both]
    assert [process.returncode for process in both] == [0, 0], outs
    assert [record["status"] for record in records(tmp_path)] == ["ok"] * 3
    assert not list(tmp_path.glob("results/*/*/*/.*"))


def test_waiting_for_another_runs_timing_is_no_timeout(tmp_path: Path) -> None:
    """A run that only waits for the machine must not be ended because another hangs."""
    words = ("-m", "experiment=drop", "engine=mujoco", f"{LONG},0.5", "workers=2", "timeout=4")
    assert run(tmp_path, *words).returncode == 1
    assert sorted(str(record["status"]) for record in records(tmp_path)) == ["ok", "timeout"]


def test_stored_runs_can_be_asked_for(tmp_path: Path) -> None:
    assert run(tmp_path, "-m", "experiment=throw", "engine=freefall", "experiment.speed=1,2", "dt=0.01").returncode == 0

    def show(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command("show", *words), cwd=tmp_path, capture_output=True, text=True, timeout=60)

    done = show("--where", "experiment.speed=1", "--metrics", "range")
    assert len(done.stdout.splitlines()) == 4, "what holds for all, a head of two lines, and the run"
    assert "speed=1" in done.stdout
    assert "name 'sped' does not exist; known names: " in show("--where", "sped=1").stderr
    assert "no such metric" in show("--metrics", "rnge").stderr


def test_stride_loses_no_impulse_and_no_peak(tmp_path: Path) -> None:
    assert run(tmp_path, "-m", "experiment=drop", "engine=mujoco", "stride=1,10").returncode == 0
    frame = simparity.load(tmp_path / "results")
    assert frame.peak_normal_force[0] == frame.peak_normal_force[1]
    assert frame.impulse[0] == pytest.approx(frame.impulse[1], rel=1e-12)
    assert not any(frame.checks_failed), "a coarser trace makes no correct run fail"
    lengths = sorted(len(simparity.trace(run_id, tmp_path / "results")) for run_id in frame.run_id)
    assert lengths == [101, 1001]


@pytest.mark.parametrize("words", [("duration=0.2",), ("experiment.friction=0.05",), ("experiment.incline=1.0",)])
def test_a_run_that_is_too_short_is_no_failure(tmp_path: Path, words: tuple[str, ...]) -> None:
    experiment = "drop" if "duration=0.2" in words else "sliding_block"
    assert run(tmp_path, f"experiment={experiment}", "engine=mujoco", "timings=0", *words).returncode == 0
    assert not simparity.load(tmp_path / "results").checks_failed[0]


def test_an_incline_is_in_the_closed_form(tmp_path: Path) -> None:
    """v^2/(2 g (mu cos - sin)) on a slope of 0.3 rad: 0.27982 m, of which v dt/2 is the integrator's."""
    words = ("experiment=sliding_block", "engine=mujoco", "settings=published", "experiment.incline=0.3", "duration=3")
    assert run(tmp_path, *words, "timings=0").returncode == 0
    frame = simparity.load(tmp_path / "results")
    assert frame.stopping_distance[0] == pytest.approx(0.27982, abs=1e-3)
    assert not frame.checks_failed[0]
