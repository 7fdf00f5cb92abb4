"""Smoke runs in the report: marked, held against each other only, and never what stands for an experiment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import simparity
from simparity.harness.registry import experiment_class
from simparity.harness.report.summarise import summarise
from simparity.harness.report.write import write_report

from .bench_report import made_run


def smoke_run(results: Path, engine: str, **given: Any) -> None:
    smoke = dict(experiment_class("drop").SMOKE)
    dt, duration = smoke.pop("dt"), smoke.pop("duration")
    made_run(results, engine, dt=dt, duration=duration, params=smoke, **given)


def test_smoke_runs_are_a_variant_of_their_own_and_have_no_part_in_the_answers(tmp_path: Path) -> None:
    made_run(tmp_path, "alpha", height=0.05)
    made_run(tmp_path, "beta", height=0.05)
    for engine, height in (("alpha", 0.05), ("beta", 0.04), ("gamma", 0.03)):
        smoke_run(tmp_path, engine, height=height)
    (section,) = summarise(tmp_path).sections
    assert [panel.variant for panel in section.panels] == ["", "smoke"]
    assert [panel.main for panel in section.panels] == [True, False], "though more engines have the smoke run"
    assert section.answers[-1].startswith("3 smoke runs (smoke=true: short and coarse) are not in these answers")
    assert not any("gamma" in text or "more comparison" in text for text in section.answers)
    assert [row.variant for row in section.runs].count("smoke") == 3
    matrix = summarise(tmp_path).matrix
    assert {row.variant for row in matrix.rows} == {"", "smoke"}
    frame = simparity.load(tmp_path)
    assert sorted(frame.engine[frame.smoke]) == ["alpha", "beta", "gamma"]


def test_a_report_of_smoke_runs_only_says_so_first(tmp_path: Path) -> None:
    for engine in ("alpha", "beta"):
        smoke_run(tmp_path / "results", engine)
    (section,) = summarise(tmp_path / "results").sections
    assert section.answers[0].startswith("Smoke runs only (smoke=true: short and coarse): whether it runs")
    for path in write_report(tmp_path / "results", tmp_path / "report"):
        assert "Smoke runs only" in path.read_text()


def test_a_run_with_one_other_parameter_is_no_smoke_run(tmp_path: Path) -> None:
    made_run(tmp_path, "alpha", dt=2e-3, params={"gap": 0.01})
    (section,) = summarise(tmp_path).sections
    assert section.panels[0].variant == "gap=0.01" and not any("smoke" in text for text in section.answers)
