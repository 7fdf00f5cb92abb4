"""The bulk scan leaves a record of every robot file, whatever is in it; and what it once found wrongly."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from simparity.engines import ENGINES
from simparity.harness.engine import Resolved, Value
from simparity.harness.imported import Key, Reading
from simparity.harness.portcheck import scan as scanning
from simparity.harness.portcheck.check import check
from simparity.harness.portcheck.effort import held_as_force, with_control
from simparity.harness.portcheck.findrobots import robot_files
from simparity.harness.portcheck.geoms import alike
from simparity.harness.portcheck.match import match
from simparity.harness.portcheck.prepare import prepare
from simparity.harness.portcheck.processes import Options
from simparity.harness.portcheck.scantable import main, reason
from simparity.harness.portcheck.source import Source, read_source

from .robots import PLAIN, URDF

QUICK = next(name for name, entry in ENGINES.items() if entry.distribution and not entry.compiles)


def source_of(folder: Path, text: str, name: str = "robot.xml") -> Source:
    (folder / name).write_text(text)
    return read_source(prepare(folder / name))


@pytest.fixture
def robots(tmp_path: Path) -> Path:
    folder = tmp_path / "pack"
    (folder / "inner").mkdir(parents=True)
    missing = URDF.replace('<box size=".2 .2 .1"/>', '<mesh filename="package://no/such.stl"/>', 1)
    texts = {
        "plain.xml": PLAIN,
        "copy.xml": PLAIN,
        "two.urdf": URDF,
        "missing.urdf": missing,
        "refused.urdf": URDF.replace('ixx=".02"', 'ixx="-1"', 1),
        "inner/part.xml": "<mujocoinclude><body><joint/></body></mujocoinclude>",
        "inner/whole.xml": '<mujoco><include file="world.xml"/></mujoco>',
        "inner/world.xml": "<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>",
        "none.xml": "<mujoco><worldbody><geom size='1'/></worldbody></mujoco>",
        "broken.xml": "<mujoco><worldbody>",
        "notes.xml": "<notes/>",
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    return folder


def test_what_counts_as_a_robot_file(robots: Path) -> None:
    files = robot_files([robots])
    names = {file.name for file in files}
    assert names == {"copy.xml", "two.urdf", "missing.urdf", "refused.urdf", "inner/whole.xml", "inner/world.xml"}
    assert [file.size for file in files] == sorted(file.size for file in files)


def test_scan_leaves_a_line_per_file_and_goes_on_where_it_broke_off(robots: Path, tmp_path: Path) -> None:
    out = tmp_path / "scan.jsonl"
    work = scanning.Scan(robot_files([robots]), [QUICK])
    scanning.scan(work, out)
    lines = {line["file"]: line for line in scanning.records(out)}
    assert len(lines) == len(work.files)
    assert lines["copy.xml"]["status"] == "checked" and lines["copy.xml"]["checked"]["RB-MASS"] == 4
    assert lines["missing.urdf"]["status"] == "checked" and not lines["missing.urdf"]["geometry"]
    assert lines["refused.urdf"]["status"] in ("refused", "unusable") and lines["refused.urdf"]["reason"]
    assert str(tmp_path) not in out.read_text()
    before = out.read_text()
    scanning.scan(work, out)
    assert out.read_text() == before
    main([str(out), "--out", str(tmp_path / "scan.md")])
    page = (tmp_path / "scan.md").read_text()
    assert f"| pack | {QUICK} | 6 |" in page and "without shapes" in page and str(tmp_path) not in page


def test_reasons_of_one_kind_are_one() -> None:
    one = reason("Error: the mesh /a/b/c.stl of 'link1' is not there, line 12")
    assert (
        one
        == reason("Error: the mesh /x/y.stl of 'hand' is not there, line 7")
        == "Error: the mesh FILE of '...' is not there, line"
    )


def test_the_reference_of_many_free_bodies_is_small(tmp_path: Path) -> None:
    """Pinocchio's data would take 7 GB for the free bodies."""
    bodies = "".join(f"<body pos='{n} 0 0'><freejoint/><geom size='.1'/></body>" for n in range(100))
    hinge = "<body><joint name='h' axis='0 1 0'/><geom size='.1' pos='1 0 0'/></body>"
    source = source_of(tmp_path, f"<mujoco><worldbody>{bodies}{hinge}</worldbody></mujoco>")
    motion = source.refer(("h",), np.zeros((1, 1)))
    mass = 1000 * 4 / 3 * np.pi * 1e-3
    assert motion.gravity_torque == pytest.approx(np.array([[-mass * 9.81]]), rel=1e-12)
    assert motion.X_WL["world/body7"][0, 0] == 7


def test_world_as_the_root_of_a_urdf(tmp_path: Path) -> None:
    inserted = '<link name="world"/><joint name="w" type="fixed"><parent link="world"/><child link="base"/></joint>'
    source = source_of(tmp_path, URDF.replace('<link name="base">', inserted + '<link name="base">', 1), "r.urdf")
    assert source.rooted and "world" not in source.reading.links and source.reading.parents["base"] == "world"
    theirs = Reading(
        links=("two/world", "two/base"),
        parents={"two/world": "world", "two/base": "two/world"},
        joints=(),
        moved={},
        kinds={},
        table={},
    )
    assert match(source, theirs).back("link")["two/world"] == "world"


def test_gravity_that_is_switched_off_holds_nothing(tmp_path: Path) -> None:
    text = PLAIN.replace("<worldbody>", '<option><flag gravity="disable"/></option><worldbody>', 1)
    source = source_of(tmp_path, text)
    torque = source.refer(("shoulder",), np.ones((1, 1))).gravity_torque
    assert torque is not None and not torque.any()


def rows(kind: str, values: dict[str, dict[str, Value]]) -> dict[Key, Resolved]:
    return {
        Key(kind, name, quantity): Resolved(value=value, unit="", origin="file", native="")
        for name, of in values.items()
        for quantity, value in of.items()
    }


def test_shapes_are_matched_by_what_they_are_like() -> None:
    ball = {"type": "sphere", "size": (0.1,), "position": (0.0, 0.0, 0.0), "friction": 0.5}
    box = {"type": "box", "size": (0.1, 0.1, 0.1), "position": (0.0, 0.0, 1.0), "friction": 1.0}
    ours, theirs = rows("geom", {"a/0": ball, "a/1": box}), rows("geom", {"a/0": box, "a/1": ball})
    assert alike(ours, theirs) == ours
    foot = {"type": "capsule", "size": (0.03, 0.1), "orientation": (0.7, 0.0, -0.714, 0.0)}
    here = {"a/0": foot | {"position": (0.0, -0.1, 0.0)}, "a/1": foot | {"position": (0.0, 0.1, 0.0)}}
    turned = {"a/0": here["a/1"] | {"orientation": (0.7, 0.0, 0.714, 0.0)}, "a/1": here["a/0"]}  # the other way round
    found = alike(rows("geom", here), rows("geom", turned))
    assert found[Key("geom", "a/1", "position")].value == (0.0, 0.1, 0.0)
    moved = rows("geom", {"a/0": ball, "a/1": box | {"position": (0.0, 0.0, 1.1)}})
    assert alike(ours, moved) == moved


def test_a_control_range_in_the_force_limit_is_not_lost() -> None:
    inf = float("inf")
    motor: dict[str, Value] = {"gain": (2.0, 0.0, 0.0), "bias": (0.0, 0.0, 0.0), "ctrl_upper": 3.0, "force_upper": inf}
    ours = Reading(links=(), parents={}, joints=(), moved={}, kinds={}, table=rows("actuator", {"m": motor}))
    force, control = Key("actuator", "m", "force_upper"), Key("actuator", "m", "ctrl_upper")
    assert with_control(ours, force, ours.table[force]).value == 6.0
    assert held_as_force(ours, control, rows("actuator", {"m": {"force_upper": 6.0}}))
    assert not held_as_force(ours, control, rows("actuator", {"m": {"force_upper": 5.0}}))


def test_bodies_that_are_replicated_have_no_name(tmp_path: Path) -> None:
    body = '<body><freejoint/><geom size=".1"/></body>'
    text = f'<mujoco><worldbody><replicate count="3" offset="1 0 0">{body}</replicate></worldbody></mujoco>'
    source = source_of(tmp_path, text)
    assert {("link", link) for link in source.reading.links} <= source.unnamed
    renamed = {link: f"link{n}" for n, link in enumerate(source.reading.links)}
    theirs = Reading(
        links=tuple(renamed.values()),
        parents=dict.fromkeys(renamed.values(), "world"),
        joints=(),
        moved={},
        kinds={},
        table={},
    )
    assert {a: b for a, b in match(source, theirs).links.items() if a != "world"} == renamed


def test_armature_of_a_tendon_is_in_the_reference(tmp_path: Path) -> None:
    tendon = '<tendon><fixed armature="0.5"><joint joint="elbow" coef="2"/></fixed></tendon>'
    without, held = (
        source_of(tmp_path, PLAIN.replace("<actuator>", f"{extra}<actuator>", 1)).refer(("elbow",), np.zeros((1, 1)))
        for extra in ("", tendon)
    )
    assert without.mass_matrix is not None and held.mass_matrix is not None
    rotor = 0.01  # of the joint, which a reference says whether it holds
    added = held.mass_matrix - rotor * held.armature - without.mass_matrix + rotor * without.armature
    assert added.item() == pytest.approx(0.5 * 2**2, rel=1e-12)


def test_a_mesh_is_there_if_any_compiler_names_its_folder(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / "m.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    (tmp_path / "part.xml").write_text('<mujoco><compiler meshdir="far"/></mujoco>')
    body = '<worldbody><body><freejoint/><geom type="mesh" mesh="m"/></body></worldbody>'
    text = (
        f'<mujoco><compiler meshdir="."/><include file="part.xml"/><asset><mesh file="m.obj"/></asset>{body}</mujoco>'
    )
    assert source_of(tmp_path, text).reading.geoms == ("world/body0/0",)


def test_a_keyframe_with_controls_does_not_stop_a_run(tmp_path: Path) -> None:
    key = '<keyframe><key name="home" qpos="0 0 0" ctrl="1 2 3"/></keyframe></mujoco>'
    path = tmp_path / "robot.xml"
    path.write_text(PLAIN.replace("</mujoco>", key))
    report = check(path, [QUICK], Options(only=("NS",)))
    assert [case.status for case in report.cases] == ["pass"], report.cases
