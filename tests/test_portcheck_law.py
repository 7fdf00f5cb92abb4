"""The torque law of the simulated items: stable on the robot, within its limits, and stiff enough to show something."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simparity.experiments.single_arm import SingleArm
from simparity.harness.cli import main
from simparity.harness.controller import STABLE, cut
from simparity.harness.errors import UsageError
from simparity.harness.portcheck import dynamic
from simparity.harness.portcheck.check import check
from simparity.harness.portcheck.dynamic import JUDGES
from simparity.harness.portcheck.finding import Examined
from simparity.harness.portcheck.items import chosen
from simparity.harness.portcheck.prepare import prepare
from simparity.harness.portcheck.processes import Options
from simparity.harness.portcheck.runs import Runs, run_engine
from simparity.harness.portcheck.source import Source, read_source

from .robots import PLAIN

DYNAMIC = Options(only=("NS", "RP", "MS"))
_LIGHT = '<inertia ixx="1e-6" iyy="1e-6" izz="1e-6" ixy="0" ixz="0" iyz="0"/>'
# a mobile base as exporters write it: a dummy link for each of its coordinates
DUMMY = f"""<robot name="base"><link name="world0"/>
<link name="dummy"><inertial><mass value="0.001"/>{_LIGHT}</inertial></link>
<link name="body"><inertial><origin xyz="0.1 0 0.3"/><mass value="20"/>{_LIGHT.replace("1e-6", "1")}</inertial></link>
<joint name="x" type="continuous"><parent link="world0"/><child link="dummy"/><axis xyz="0 0 1"/></joint>
<joint name="yaw" type="continuous"><parent link="dummy"/><child link="body"/><axis xyz="0 0 1"/></joint></robot>"""


def coaxial(first: float, effort: float) -> str:
    """Two hinges about one vertical axis: a link with moment `first` carries one with 0.01 kg m^2."""
    limit = f'actuatorfrcrange="-{effort} {effort}"'
    inner = '<inertial pos="0 0 0" mass="1" diaginertia="0.01 0.01 0.01"/><joint name="b" axis="0 0 1"/>'
    outer = f'<inertial pos="0 0 0" mass="1" diaginertia="{first} {first} {first}"/>'
    outer += f'<joint name="a" axis="0 0 1" {limit}/><body name="inner">{inner}</body>'
    return f'<mujoco><worldbody><body name="outer">{outer}</body></worldbody></mujoco>'


def test_the_law_fits_a_robot_with_light_links(tmp_path: Path) -> None:
    """M = [[a + b, b], [b, b]] and Kd = 2 w diag(M): the larger eigenvalue of M^-1 Kd grows as b / a."""
    robot = tmp_path / "robot.xml"
    robot.write_text(coaxial(1e-4, 1e3))
    report = check(robot, ["mujoco"], DYNAMIC)
    assert {case.status for case in report.cases} == {"pass"}, [case.reason for case in report.cases]
    (words,) = [note for note in report.notes if note.startswith("the simulated items ran at")]
    M = np.array([[0.0101, 0.01], [0.01, 0.01]])
    most = STABLE / (2e-3 * float(np.abs(np.linalg.eigvals(np.linalg.solve(M, np.diag(np.diag(M))))).max()))
    assert float(words.split()[5]) == cut(most) < 60 and "unstable" in words
    asked = check(robot, ["mujoco"], replace(DYNAMIC, bandwidth=2.0))
    assert "the simulated items ran at 2 rad/s, as was asked for" in asked.notes


def test_a_bandwidth_that_cannot_be_used_is_a_wrong_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    robot = tmp_path / "robot.xml"
    robot.write_text(coaxial(1e-2, 1e3))
    monkeypatch.chdir(tmp_path)
    command = ["check", str(robot), "--only", "MS"]
    assert main([*command, "--bandwidth", "5000"]) == 2
    said = capsys.readouterr().err
    most = float(said.rpartition("give ")[2].split()[0])
    assert "5000 rad/s cannot be used" in said and said.count("\n") == 1
    (tmp_path / "simparity.toml").write_text("bandwidth = 5000\n")
    assert main(command) == 2
    assert main([*command, "--bandwidth", f"{most:g}"]) == 0, "the sentence says what can be used"
    robot.write_text(DUMMY)
    with pytest.raises(UsageError, match="take it away: the largest stable one is"):
        check(robot, ["mujoco"], replace(DYNAMIC, bandwidth=60.0))


def test_a_law_too_soft_to_follow_is_no_pass_of_ct(tmp_path: Path) -> None:
    """On dummy links of 1e-6 kg m^2 the law is stable far below what moves a joint by CT's tolerance in 0.5 s."""
    robot = tmp_path / "robot.urdf"
    robot.write_text(DUMMY)
    source = read_source(prepare(robot))
    runs = run_engine(source, "mujoco", tmp_path / "runs", lambda words: None)
    assert not runs.reason and runs.law.bandwidth < 1e-3 and runs.simulated
    judged, findings = JUDGES["CT-SOFTEN"]("other", "mujoco", {"mujoco": runs, "other": runs}, source)
    assert judged.status == "skipped" and f"it has {runs.law.bandwidth:g} rad/s" in judged.reason and not findings
    assert runs.law.soft in runs.law.words
    runs.law = replace(runs.law, soft="")
    judged, _ = JUDGES["CT-SOFTEN"]("other", "mujoco", {"mujoco": runs, "other": runs}, source)
    assert judged.status == "pass"


def test_what_one_engine_refuses_costs_the_others_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    robot = tmp_path / "robot.xml"
    robot.write_text(coaxial(0.1, 1e3))

    def run(source: Source, engine: str, *rest: Any) -> Runs:
        if engine == "refusing":
            raise UsageError("not this one")
        return run_engine(source, engine, *rest)

    monkeypatch.setattr(dynamic, "run_engine", run)
    examined = [Examined(engine=engine, imported=True) for engine in ("refusing", "mujoco")]
    source = read_source(prepare(robot))
    done, said = dynamic.run_dynamic(source, examined, chosen(["RP"]), tmp_path / "runs", lambda words: None)
    assert [case.status for one in done for case in one.cases] == ["skipped", "pass"] and len(said) == 1
    assert "not this one" in done[0].cases[0].reason


def test_the_motion_stays_within_the_effort_limits(tmp_path: Path) -> None:
    robot = tmp_path / "robot.xml"
    robot.write_text(coaxial(0.1, 0.03))
    report = check(robot, ["mujoco"], Options(only=("MS",)))
    assert {case.status for case in report.cases} == {"pass"}, [f.message for f in report.findings]
    assert any("of the usual one" in note and "'a' needs" in note for note in report.notes), report.notes
    robot.write_text(PLAIN.replace('name="shoulder"', 'name="shoulder" actuatorfrcrange="-0.1 0.1"'))
    report = check(robot, ["mujoco"], Options(only=("MS",)))
    law = run_engine(read_source(prepare(robot)), "mujoco", tmp_path / "runs", lambda words: None).law
    assert law.amplitude == pytest.approx(0.1 * SingleArm().amplitude)
    assert "no motion keeps within" in law.words and "'shoulder' needs" in law.words and "not 0.1 of" in law.words
    assert law.words in report.notes


def test_a_robot_that_the_experiment_refuses_is_skipped_with_the_reason(tmp_path: Path) -> None:
    robot = tmp_path / "robot.xml"
    robot.write_text(PLAIN.replace("</worldbody>", "</worldbody><equality><joint joint1='elbow'/></equality>"))
    report = check(robot, ["mujoco"], Options(only=("CT", "NS", "RP", "MS")))
    assert {case.status for case in report.cases} == {"skipped"}
    assert all("equality constraints" in case.reason for case in report.cases)
