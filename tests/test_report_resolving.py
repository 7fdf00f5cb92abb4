"""Unresolved verdicts come with the commands that resolve them."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from simparity.engines import ENGINES
from simparity.harness.cli import main
from simparity.harness.report.summarise import summarise
from simparity.harness.report.write import write_report

from .bench_report import made_run
from .made_up import JAM, STALLED, jam, register


def test_the_commands_of_the_report_resolve_its_verdicts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A repeat and half of dt of both, in the folder that was reported; afterwards nothing is left to run."""
    monkeypatch.chdir(tmp_path)
    words = ["-m", "experiment=drop", "engine=mujoco", "duration=0.3", "timings=0", "isolation=warm", "results=mine"]
    assert main(["run", *words, "experiment.gap=0.1"]) == 0
    assert main(["run", *words, "experiment.gap=0.1", "+option.cone=elliptic"]) == 0
    (one,) = summarise(Path("mine")).matrix.resolving
    assert one.where == "drop, default, gap=0.1 duration=300\xa0ms, 1\xa0ms" and len(one.commands) == 4
    page, text = write_report(Path("mine"), Path("report"))
    for command in one.commands:
        assert command in text.read_text() and command.replace("'", "&#39;") in page.read_text()
        program, *asked = shlex.split(command)
        assert program == "simparity" and asked[0] == "run" and "results=mine" in asked
        assert main([*asked, "isolation=warm"]) == 0
    after = summarise(Path("mine")).matrix
    assert not after.resolving
    assert all(cell.word != "unresolved" for row in after.rows for cell in row.cells if cell)


def test_engines_that_lack_the_same_share_a_command_and_strangers_have_none(tmp_path: Path) -> None:
    first, second = sorted(ENGINES)[:2]
    made_run(tmp_path, first, height=0.05)
    made_run(tmp_path, second, height=0.04)
    made_run(tmp_path, "alpha", height=0.03)
    (one,) = summarise(tmp_path).matrix.resolving
    assert len(one.commands) == 2, "a repeat and half of dt"
    for command in one.commands:
        assert f" -m experiment=drop engine={first}@1.2.3,{second}@1.2.3 " in command and "alpha" not in command


def test_ensembles_that_are_too_small_ask_for_members(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    register(monkeypatch)
    for engine, depth in zip(sorted(ENGINES)[:2], (0.0154, 0.0164), strict=True):
        jam(tmp_path, engine, [STALLED] * 2, [depth, depth + 1e-5])
    (one,) = summarise(tmp_path).matrix.resolving
    (command,) = one.commands
    (members,) = (word for word in shlex.split(command) if word.startswith("experiment.member="))
    assert command.startswith(f"simparity run -m experiment={JAM} ") and members.startswith("experiment.member=2,3")
    for engine, depth in zip(sorted(ENGINES)[:2], (0.0154, 0.0164), strict=True):
        count = 2 + len(members.split(","))
        jam(tmp_path, engine, [STALLED] * count, [depth + 1e-5 * k for k in range(count)])
    assert not summarise(tmp_path).matrix.resolving
