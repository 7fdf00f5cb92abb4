"""Versions of the libraries that make an engine's numbers: a reader sees which one a run is of."""

from __future__ import annotations

from pathlib import Path

from simparity.harness.report.summarise import summarise
from simparity.harness.report.write import write_report

from .bench_report import made_run
from .test_report_summary import cell


def test_libraries_that_do_not_differ_are_not_told(tmp_path: Path) -> None:
    made_run(tmp_path, "alpha", libraries={"kernel": "1.0"})
    made_run(tmp_path, "beta", libraries={"kernel": "2.0"})
    summary = summarise(tmp_path)
    assert summary.engines == {"alpha": ("1.2.3",), "beta": ("1.2.3",)}
    assert summary.matrix.pairs == (("alpha", "beta"),)


def test_another_library_is_another_participant_and_not_a_repeat(tmp_path: Path) -> None:
    """Else the difference that a library makes would be taken for the spread of repeats."""
    results = tmp_path / "results"
    for version, height in (("1.0", 0.05), ("2.0", 0.04)):
        for repeat, dt in ((0, 1e-3), (1, 1e-3), (0, 5e-4)):
            libraries = {"kernel": version, "same": "7"}
            made_run(results, "alpha", height=height, repeat=repeat, dt=dt, libraries=libraries)
    made_run(results, "alpha", experiment="throw", stepped=False)  # needs neither of them
    summary = summarise(results)
    assert summary.engines == {"alpha": ("1.2.3 with kernel 1.0", "1.2.3 with kernel 2.0")}
    found = cell(summary, "alpha kernel 1.0", "alpha kernel 2.0")
    assert found.word == "differ"
    for path in write_report(results, tmp_path / "report"):
        assert "alpha 1.2.3 with kernel 1.0 and 1.2.3 with kernel 2.0" in path.read_text()
