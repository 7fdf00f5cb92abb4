"""The checklist in every engine: a plain robot is the same everywhere, a planted defect is not, and runs agree."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from simparity.engines import ENGINES
from simparity.harness.controller import STABLE, cut
from simparity.harness.portcheck.check import check
from simparity.harness.portcheck.examine import Tolerances, compared, importer
from simparity.harness.portcheck.finder import Finder
from simparity.harness.portcheck.finding import Examined
from simparity.harness.portcheck.items import chosen
from simparity.harness.portcheck.prepare import prepare
from simparity.harness.portcheck.processes import Options
from simparity.harness.portcheck.source import read_source

from .robots import PLAIN, URDF

STATIC = chosen(["RB", "DF", "CF"])
# what has to be the same in every engine
_QUANTITIES = (
    "IMPORT LINKS MASS TOTAL COM INERTIA FRAME JOINTS AXIS ANCHOR LIMIT ARMATURE DAMPING SPRING HOME FK MATRIX"
)
SAME = chosen([*(f"RB-{word}" for word in _QUANTITIES.split()), "RB-GRAVITY", "CF-ORDER"])
PLANTED = {
    "RB-MASS": ('mass="1"', 'mass="1.01"'),
    "RB-COM": ('pos="0.01 0.02 .1"', 'pos="0.011 0.02 .1"'),
    "RB-INERTIA": ("0.001 0.0005 0.0007", "0.001 0.0005 0.0009"),
    "RB-FRAME": ('pos="0 0.05 .2"', 'pos="0 0.052 .2"'),
    "RB-AXIS": ('axis="0 0.6 0.8"', 'axis="0 0.6 0.81"'),
    "RB-ANCHOR": ('pos="0 0 0.01"', 'pos="0 0 0.012"'),
    "RB-LIMIT": ('range="-2 2"', 'range="-2 2.02"'),
    "RB-ARMATURE": ('armature="0.01"', 'armature="0.0101"'),
    "RB-DAMPING": ('damping=".3"', 'damping=".303"'),
}


def seen(text: str, against: str, engine: str, folder: Path, ending: str = "xml") -> Examined:
    """What the checklist finds in `engine` when it gets `text` and the source says `against`."""
    for name, content in (("engine", text), ("source", against)):
        (folder / f"{name}.{ending}").write_text(content)
    source = read_source(prepare(folder / f"source.{ending}"))
    module = importer(engine)
    model = module.load(str(folder / f"engine.{ending}"))
    try:
        return compared(model, Finder(engine, source, module.CAUSES), STATIC, Tolerances())
    finally:
        model.close()


def test_a_plain_robot_is_the_same(engine: str, tmp_path: Path) -> None:
    examined = seen(PLAIN, PLAIN, engine, tmp_path)
    same = {item.id for item in SAME}
    assert [f.message for f in examined.findings if f.item in same] == []
    cases = {case.item: case for case in examined.cases}
    assert all(cases[item].status == "pass" or cases[item].reason for item in same)
    for item in ("RB-MASS", "RB-INERTIA", "RB-FK", "RB-GRAVITY"):
        assert cases[item].checked > 0


def test_planted_defects_are_found(engine: str, tmp_path: Path) -> None:
    """All at once, since an import can take a minute: each is a different quantity."""
    text = PLAIN
    for there, instead in PLANTED.values():
        assert text.count(there) == 1
        text = text.replace(there, instead)
    found = {f.item for f in seen(text, PLAIN, engine, tmp_path).findings}
    assert set(PLANTED) | {"RB-FK", "RB-MATRIX", "RB-GRAVITY"} <= found


def test_a_urdf_keeps_its_masses_and_frames(engine: str, tmp_path: Path) -> None:
    examined = seen(URDF, URDF, engine, tmp_path, "urdf")
    wanted = {"RB-MASS", "RB-TOTAL", "RB-COM", "RB-INERTIA", "RB-FRAME", "RB-AXIS", "RB-LIMIT", "RB-DAMPING", "RB-FK"}
    assert [f.message for f in examined.findings if f.item in {*wanted, "RB-MATRIX", "RB-GRAVITY"}] == []
    assert not [f for f in examined.findings if f.item == "RB-LINKS" and f.severity == "error"]


# frames turned by nearly a quarter about y, as exporters print them, and an axis with more than 8 digits
NEARLY = URDF.replace('rpy="0 .3 0"', 'rpy="0 1.57079632679 0"').replace('rpy="0 0 1"', 'rpy="0 1.57079 0"')
NEARLY = NEARLY.replace('xyz="0 3 4"', 'xyz="0.573576436 0 0.819152044"')


def test_rounding_of_an_importer_is_no_finding(engine: str, tmp_path: Path) -> None:
    """Some importers write angles and axes out as text; what that rounds is not for the user to mend."""
    turning = {"RB-FRAME", "RB-AXIS", "RB-INERTIA", "RB-FK", "RB-MATRIX", "RB-GRAVITY", "CF-GEOMS"}
    examined = seen(NEARLY, NEARLY, engine, tmp_path, "urdf")
    assert [f.message for f in examined.findings if f.item in turning] == []
    turned = NEARLY.replace("1.57079632679", "1.57069632679").replace("0.573576436", "0.573676436")
    found = {f.item for f in seen(turned, NEARLY, engine, tmp_path, "urdf").findings}
    assert {"RB-FRAME", "RB-AXIS", "RB-FK", "RB-MATRIX", "RB-GRAVITY"} <= found, "1e-4 rad is one"


def test_items_that_need_simulation(engine: str, tmp_path: Path) -> None:
    """Beside the engine that computes in 64 bit and compiles nothing, which is the one to hold it against."""
    other = next(name for name, entry in ENGINES.items() if entry.distribution and not entry.compiles)
    robot = tmp_path / "robot.xml"
    robot.write_text(PLAIN)
    report = check(robot, list(dict.fromkeys([other, engine])), Options(only=("CT", "NS", "RP", "MS")))
    cases = {(case.item, case.engine): case for case in report.cases}
    for item in ("NS-REFINE", "RP-SPREAD", "MS-BEYOND"):
        assert cases[item, engine].status == "pass", cases[item, engine].reason
    if engine != other:
        assert cases["CT-SOFTEN", engine].status == "pass", [f.message for f in report.findings]
        assert "x0.25" in cases["CT-SOFTEN", engine].reason
    assert not report.incomplete


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
    dynamic = Options(only=("NS", "RP", "MS"))
    report = check(robot, ["mujoco"], dynamic)
    assert {case.status for case in report.cases} == {"pass"}, [case.reason for case in report.cases]
    (words,) = [note for note in report.notes if note.startswith("CT ran at")]
    M = np.array([[0.0101, 0.01], [0.01, 0.01]])
    most = STABLE / (2e-3 * float(np.abs(np.linalg.eigvals(np.linalg.solve(M, np.diag(np.diag(M))))).max()))
    assert float(words.split()[3]) == cut(most) < 60 and "unstable" in words
    asked = check(robot, ["mujoco"], replace(dynamic, bandwidth=2.0))
    assert "CT ran at 2 rad/s, as was asked for" in asked.notes
    unstable = check(robot, ["mujoco"], replace(dynamic, bandwidth=60.0))
    assert all("unstable at 60 rad/s" in case.reason for case in unstable.cases)


def test_the_motion_stays_within_the_effort_limits(tmp_path: Path) -> None:
    robot = tmp_path / "robot.xml"
    robot.write_text(coaxial(0.1, 0.03))
    report = check(robot, ["mujoco"], Options(only=("MS",)))
    assert {case.status for case in report.cases} == {"pass"}, [f.message for f in report.findings]
    assert any("of the usual one" in note and "'a' needs" in note for note in report.notes), report.notes
    robot.write_text(PLAIN.replace('name="shoulder"', 'name="shoulder" actuatorfrcrange="-0.1 0.1"'))
    report = check(robot, ["mujoco"], Options(only=("MS",)))
    assert any("no motion keeps within" in note and "'shoulder' needs" in note for note in report.notes), report.notes


def test_a_robot_that_the_experiment_refuses_is_skipped_with_the_reason(tmp_path: Path) -> None:
    robot = tmp_path / "robot.xml"
    robot.write_text(PLAIN.replace("</worldbody>", "</worldbody><equality><joint joint1='elbow'/></equality>"))
    report = check(robot, ["mujoco"], Options(only=("CT", "NS", "RP", "MS")))
    assert {case.status for case in report.cases} == {"skipped"}
    assert all("equality constraints" in case.reason for case in report.cases)


@pytest.mark.parametrize("name", [name for name, entry in ENGINES.items() if entry.distribution])
def test_every_engine_has_an_importer(name: str) -> None:
    from simparity.harness.job import PACKAGE

    assert (PACKAGE / "engines" / name / "importer.py").is_file()
