"""The figures that the README and the design promise, from one sweep with real engines."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import simparity

from .conftest import chosen
from .deviations import FAILED_CHECKS


@pytest.fixture(scope="session")
def figures(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """Drop and slide under every profile at 1 ms, the drop at 2 ms, and the control on Genesis."""
    folder = tmp_path_factory.mktemp("figures")
    engines = ",".join(chosen(request.config))
    common = ["isolation=warm", "timings=0"]
    sweeps = [
        ["experiment=drop,sliding_block", f"engine={engines}", "settings=default,published,matched", *common],
        ["experiment=drop", f"engine={engines}", "settings=published", "dt=0.002", *common],
    ]
    if "genesis" in engines:
        control = ["+option.contact_resolution=convex", "+option.impratio=1"]
        sweeps.append(["experiment=sliding_block", "engine=genesis", "settings=published", *control, *common])
    for words in sweeps:
        command = [sys.executable, "-m", "simparity.harness.cli", "run", "-m", *words]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=1800)
        assert done.returncode == 0, done.stdout + done.stderr
    return folder / "results"


@pytest.fixture(scope="session")
def runs(figures: Path) -> pd.DataFrame:
    return simparity.load(figures)


def one(
    runs: pd.DataFrame, experiment: str, engine: str, settings: str, dt: float = 1e-3, overrides: str = ""
) -> pd.Series:
    kept = runs[
        (runs.experiment == experiment)
        & (runs.engine == engine)
        & (runs.settings == settings)
        & (runs.dt == dt)
        & (runs.overrides == overrides)
    ]
    if not len(kept):
        pytest.skip(f"--engines leaves out {engine}")
    assert len(kept) == 1
    return kept.iloc[0]


def values(run: pd.Series, figures: Path) -> pd.Series:
    return simparity.resolved(run.run_id, figures).value


def checks(run: pd.Series, figures: Path) -> dict[str, str]:
    from simparity.harness import store

    record = store.read(store.find(run.run_id, figures))
    return {verdict.metric: verdict.outcome for verdict in record.checks}


def test_closed_forms_hold(engine: str, runs: pd.DataFrame, figures: Path) -> None:
    """Every check of every profile but the known failures; where an engine puts the cube to sleep, the run says so."""
    for experiment in ("drop", "sliding_block"):
        for settings in ("default", "published", "matched"):
            run = one(runs, experiment, engine, settings)
            expected, _ = FAILED_CHECKS.get((engine, experiment, settings), ("", ""))
            assert sorted(run.checks_failed.split()) == expected.split(), f"{experiment} {settings}"
            if values(run, figures).get("sleep_threshold"):
                assert run.detections == "sleep", f"{experiment} {settings}"
            else:
                assert not run.detections, f"{experiment} {settings}"


def test_the_soft_law_is_checked_and_not_waved_through(engine: str, runs: pd.DataFrame, figures: Path) -> None:
    outcomes = checks(one(runs, "drop", engine, "published"), figures)
    assert outcomes["peak_normal_force"] == "pass"
    assert outcomes["max_overlap"] == ("not applicable" if engine == "physx" else "pass")


def test_mujoco_and_newton(runs: pd.DataFrame) -> None:
    for settings in ("default", "published", "matched"):
        mujoco, newton = (one(runs, "drop", name, settings) for name in ("mujoco", "newton"))
        assert abs(mujoco.max_overlap - newton.max_overlap) < 1e-5
    assert one(runs, "drop", "mujoco", "published").max_overlap == pytest.approx(8.893081862e-3, rel=1e-9)


def test_matched_genesis_is_mujoco(runs: pd.DataFrame, figures: Path) -> None:
    for experiment in ("drop", "sliding_block"):
        paths = [
            simparity.trace(one(runs, experiment, name, "matched").run_id, figures)[["p_WB_x", "p_WB_y", "p_WB_z"]]
            for name in ("mujoco", "genesis")
        ]
        assert (paths[0] - paths[1]).abs().to_numpy().max() < 1e-9


def test_genesis_tables(runs: pd.DataFrame, figures: Path) -> None:
    published = values(one(runs, "drop", "genesis", "published"), figures)
    assert (published["contact_resolution"], published["impratio"], published["cone"]) == ("signorini", 100, "elliptic")
    assert published["shape.cube.0.impedance"][:2] == pytest.approx((0.9, 0.95))
    default = values(one(runs, "drop", "genesis", "default"), figures)
    assert (default["cone"], default["contact_resolution"], default["iterations"]) == ("pyramidal", "convex", 25)
    less = one(runs, "drop", "mujoco", "published").max_overlap - one(runs, "drop", "genesis", "published").max_overlap
    assert less == pytest.approx(0.284e-3, abs=1e-6), "the published 0.3 mm"


def test_physx_peaks(runs: pd.DataFrame) -> None:
    assert one(runs, "drop", "physx", "published").peak_normal_force == pytest.approx(254, rel=0.01)
    assert one(runs, "drop", "physx", "published", 2e-3).peak_normal_force == pytest.approx(128, rel=0.01)
    default = one(runs, "drop", "physx", "default")
    assert default.peak_normal_force > 270
    assert default.rebound_speed == pytest.approx(0.1 * 2.5, rel=0.05)


def test_drake_peaks_and_slide(runs: pd.DataFrame) -> None:
    assert one(runs, "drop", "drake", "published").peak_normal_force == pytest.approx(255.0063, abs=1e-4)
    assert one(runs, "drop", "drake", "published", 2e-3).peak_normal_force == pytest.approx(128.0194, abs=1e-4)
    for settings, most in (("default", 0.02), ("matched", 0.01)):
        assert one(runs, "drop", "drake", settings).rebound_speed < most, "1/dissipation"
    matched = one(runs, "sliding_block", "drake", "matched")
    assert matched.stopping_error / 0.101937 == pytest.approx(-0.0049, abs=1e-4)
    assert abs(matched.remaining_error) < 1e-6 and matched.max_lift < 1e-9
    assert one(runs, "sliding_block", "drake", "default").stopping_distance < 1e-3, "the cube trips over its corners"


def test_the_lift_is_the_friction_laws(runs: pd.DataFrame) -> None:
    signorini = one(runs, "sliding_block", "genesis", "published")
    convex = one(runs, "sliding_block", "genesis", "published", overrides="contact_resolution=convex impratio=1.0")
    assert signorini.max_lift < 1e-6 < 1e-4 < convex.max_lift
    assert one(runs, "sliding_block", "mujoco", "published").max_lift > 1e-4


def test_sliding_errors(runs: pd.DataFrame) -> None:
    for name in ("mujoco", "newton", "genesis"):
        assert one(runs, "sliding_block", name, "published").stopping_error == pytest.approx(-0.4e-3, abs=0.1e-3)
    physx = one(runs, "sliding_block", "physx", "published")
    assert physx.stopping_error / 0.101937 == pytest.approx(-0.005, abs=2e-4)
    assert abs(physx.remaining_error) < 1e-5, "what is left is the integrator's v dt / 2"


def test_newton_says_what_it_changed(runs: pd.DataFrame, figures: Path) -> None:
    table = simparity.resolved(one(runs, "drop", "newton", "published").run_id, figures)
    row = table.loc["tolerance"]
    assert row.value == pytest.approx(1e-6, rel=1e-6)
    assert row.authored == pytest.approx(1e-12)
    assert table.loc["integrator"].value == "implicitfast"
