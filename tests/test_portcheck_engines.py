"""The checklist in every engine: a plain robot is the same everywhere, a planted defect is not, and runs agree."""

from __future__ import annotations

from pathlib import Path

import pytest

from simparity.engines import ENGINES
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


@pytest.mark.parametrize("name", [name for name, entry in ENGINES.items() if entry.distribution])
def test_every_engine_has_an_importer(name: str) -> None:
    from simparity.harness.job import PACKAGE

    assert (PACKAGE / "engines" / name / "importer.py").is_file()
