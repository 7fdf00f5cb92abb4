"""Reading robot files: lines, includes, packages, xacro, shapes left out, and two readers that agree."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from simparity.harness.errors import UsageError
from simparity.harness.imported import Key
from simparity.harness.portcheck.check import check
from simparity.harness.portcheck.differ import Apart, apart, direction, rounding, shape_turn, turn
from simparity.harness.portcheck.finder import Finder
from simparity.harness.portcheck.merge import merged
from simparity.harness.portcheck.prepare import prepare
from simparity.harness.portcheck.processes import Options
from simparity.harness.portcheck.reference import PinocchioReference
from simparity.harness.portcheck.source import Source, read_source

from .robots import PLAIN, RICH, URDF


def source_of(text: str, folder: Path, name: str = "robot.xml", reference: str = "pinocchio") -> Source:
    (folder / name).write_text(text)
    return read_source(prepare(folder / name), reference)


@pytest.mark.parametrize("text", [RICH, PLAIN])
def test_pinocchio_and_mujoco_agree_on_an_mjcf(text: str, tmp_path: Path) -> None:
    first, second = (source_of(text, tmp_path, reference=r) for r in ("pinocchio", "mujoco"))
    joints = first.reading.scalar_joints
    q = np.random.default_rng(1).uniform(-0.5, 0.5, (10, len(joints)))
    a, b = first.refer(joints, q), second.refer(joints, q)
    for link in first.reading.links:
        assert np.abs(a.X_WL[link][:, :3] - b.X_WL[link][:, :3]).max() < 1e-14
        assert max(turn(x, y) for x, y in zip(a.X_WL[link][:, 3:], b.X_WL[link][:, 3:], strict=True)) < 1e-14
    assert a.gravity_torque == pytest.approx(b.gravity_torque, abs=1e-13)
    armature = np.diag([first.reading.table[Key("joint", j, "armature")].value for j in joints])
    assert a.mass_matrix is not None and b.mass_matrix is not None
    assert np.abs(a.mass_matrix + armature - b.mass_matrix).max() < 1e-14


def test_our_urdf_values_give_pinocchios_own_urdf_model(tmp_path: Path) -> None:
    source = source_of(URDF, tmp_path, "robot.urdf")
    joints = source.reading.scalar_joints
    q = np.random.default_rng(2).uniform(-0.5, 0.5, (10, len(joints)))
    theirs, ours = source.refer(joints, q), PinocchioReference(source.reading, (0, 0, -9.81)).motion(joints, q)
    assert theirs.mass_matrix == pytest.approx(ours.mass_matrix, abs=1e-14)
    assert theirs.gravity_torque == pytest.approx(ours.gravity_torque, abs=1e-13)


def test_merging_fixed_links_leaves_the_dynamics_as_they_are(tmp_path: Path) -> None:
    source = source_of(URDF, tmp_path, "robot.urdf")
    joints = source.reading.scalar_joints
    q = np.random.default_rng(3).uniform(-0.5, 0.5, (5, len(joints)))
    folded = merged(source.reading, {"tool"})
    assert "tool" not in folded.links and folded.parents["finger"] == "upper"
    whole, part = (PinocchioReference(r, (0, 0, -9.81)).motion(joints, q) for r in (source.reading, folded))
    assert whole.mass_matrix == pytest.approx(part.mass_matrix, abs=1e-14)
    assert whole.X_WL["finger"] == pytest.approx(part.X_WL["finger"], abs=1e-14)


def test_values_of_a_urdf(tmp_path: Path) -> None:
    table = source_of(URDF, tmp_path, "robot.urdf").reading.table
    assert table[Key("joint", "shoulder", "axis")].value == pytest.approx((0, 0.6, 0.8))
    assert table[Key("joint", "shoulder", "effort_lower")].value == -40
    assert table[Key("geom", "upper/0", "size")].value == (0.03, 0.1)
    assert table[Key("constraint", "joint grip2~grip", "data")].value == (0, 2, 0, 0, 0)


def mjcf(inside: str) -> str:
    return f"<mujoco>\n<worldbody>\n\n{inside}\n</worldbody>\n</mujoco>"


def test_lines_go_through_includes(tmp_path: Path) -> None:
    (tmp_path / "arm.xml").write_text(mjcf('<body name="b"><joint name="j"/><geom size="1"/></body>'))
    source = source_of('<mujoco>\n<include file="arm.xml"/>\n</mujoco>', tmp_path)
    place = source.place(Key("joint", "j", "damping"))
    assert place is not None and (Path(place.file).name, place.line) == ("arm.xml", 4)
    with pytest.raises(UsageError, match=r"robot\.xml:1: the included file .*gone\.xml does not exist"):
        source_of('<mujoco><include file="gone.xml"/></mujoco>', tmp_path)


def test_elements_without_a_name_are_named_by_their_place(tmp_path: Path) -> None:
    joints, geom = '<joint axis="1 0 0"/><joint axis="0 1 0"/>', '<geom size="1"/>'
    source = source_of(mjcf(f'<body name="a">{joints}{geom}<body>{geom}</body></body>'), tmp_path)
    assert source.reading.links == ("a", "a/body0") and source.reading.joints == ("a/joint0", "a/joint1")
    assert ("link", "a/body0") in source.unnamed


def test_ball_and_free_joints_and_several_robots_are_read(tmp_path: Path) -> None:
    geom = '<geom size="1"/>'
    robots = [
        f'<body name="{name}" pos="{x} 0 0"><freejoint name="{name}/free"/>{geom}'
        f'<body name="{name}/tip" pos="0 0 1"><joint name="{name}/ball" type="ball"/>{geom}'
        f'<body name="{name}/end" pos="0 0 1"><joint name="{name}/hinge"/>{geom}</body></body></body>'
        for name, x in (("r", 0), ("l", 9))
    ]
    source = source_of(mjcf("".join(robots)), tmp_path)
    assert list(source.reading.kinds.values()) == ["free", "ball", "hinge"] * 2
    assert source.reading.scalar_joints == ("r/hinge", "l/hinge")


MESHED = URDF.replace('<box size=".2 .2 .1"/>', '<mesh filename="package://parts/shapes/box.obj"/>')
CUBE = (
    "\n".join(f"v {x} {y} {z}" for x in (0, 1) for y in (0, 1) for z in (0, 1))
    + "\nf 1 2 4\nf 1 4 3\nf 5 7 8\nf 5 8 6\n"
)


def test_package_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    robots, parts = tmp_path / "one" / "two" / "robots", tmp_path / "elsewhere" / "parts" / "shapes"
    for folder in (robots, parts):
        folder.mkdir(parents=True)
    (robots / "robot.urdf").write_text(MESHED)
    (parts / "box.obj").write_text(CUBE)
    missing = r"robot\.urdf:\d+: the mesh package://parts/\S+ is not there; give --package-path .*--without-geometry"
    monkeypatch.delenv("ROS_PACKAGE_PATH", raising=False)
    with pytest.raises(UsageError, match=missing):
        prepare(robots / "robot.urdf")
    given = prepare(robots / "robot.urdf", [str(tmp_path / "elsewhere")])
    assert str(parts / "box.obj") in given.path.read_text() and given.notes
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(tmp_path / "elsewhere" / "parts"))
    assert prepare(robots / "robot.urdf").path.read_text() == given.path.read_text()
    bare = prepare(robots / "robot.urdf", without_geometry=True)
    assert "collision" not in bare.path.read_text() and not bare.geometry
    assert read_source(bare).reading.geoms == ()


def test_missing_mesh_of_an_mjcf(tmp_path: Path) -> None:
    body = '<inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/><joint name="j"/><geom type="mesh" mesh="m"/>'
    asset = '<asset><mesh name="m" file="gone.stl"/></asset>'
    text = mjcf(f'<body name="b">{body}</body>').replace("<worldbody>", f"{asset}<worldbody>")
    (tmp_path / "robot.xml").write_text(text)
    with pytest.raises(UsageError, match=r"gone\.stl is not there.*--without-geometry"):
        prepare(tmp_path / "robot.xml")
    source = read_source(prepare(tmp_path / "robot.xml", without_geometry=True))
    assert source.reading.joints == ("j",) and source.reading.geoms == ()


def test_xacro_is_expanded(tmp_path: Path) -> None:
    text = URDF.replace("<robot ", '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" ').replace(
        'value="3"', 'value="${1 + 2}"'
    )
    (tmp_path / "robot.urdf.xacro").write_text(text)
    prepared = prepare(tmp_path / "robot.urdf.xacro")
    assert prepared.format == "urdf" and prepared.path.suffix == ".urdf"
    assert read_source(prepared).reading.table[Key("link", "base", "mass")].value == 3.0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("<mujoco>", "not well-formed"),
        ("<scene/>", "starts with <scene>"),
        ("<mujocoinclude/>", "give the file that includes it"),
        ('<mujoco><worldbody><body name="b"><joint/></body></worldbody></mujoco>', "cannot be compiled by MuJoCo"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(text: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=says) as raised:
        source_of(text, tmp_path)
    assert "\n" not in str(raised.value)


def test_measures_of_difference() -> None:
    eps = rounding(64)
    assert apart("number", 1.0, 1.0 + eps / 2, eps, 1.0) is None
    assert apart("number", 1.0, 1.0 + 2 * eps, eps, 1.0) is not None
    x = np.array([1.0, 0, 0, 0])
    small = 1e-7
    assert turn(x, np.array([np.cos(small / 2), 0, np.sin(small / 2), 0])) == pytest.approx(small, rel=1e-6)
    assert turn(x, -x) == 0.0
    assert direction(np.array([1.0, 0, 0]), np.array([-1.0, 0, 0])) == pytest.approx(np.pi)
    about_z = np.array([np.cos(0.3), 0, 0, np.sin(0.3)])
    upside_down = np.array([0.0, 1.0, 0, 0])
    assert shape_turn("cylinder", x, about_z) < 1e-12 and shape_turn("cylinder", x, upside_down) < 1e-12
    assert shape_turn("box", x, about_z) == pytest.approx(0.6) and shape_turn("plane", x, upside_down) > 3
    limit = apart("limit", float("inf"), 1e10, eps, 1.0)
    assert limit is not None and limit.stand_in and not limit.grave
    lost = apart("limit", 1.0, float("inf"), eps, 1.0)
    assert lost is not None and lost.grave


def test_what_a_springdamper_gives_is_said_to_come_from_it(tmp_path: Path) -> None:
    """Neither number stands in the file: the finding names the attribute and its line."""
    joints = '<default><default class="soft"><joint springdamper="0.1 1"/></default></default>\n<worldbody>'
    arm = (
        '<body name="a"><joint name="one" class="soft"/>\n<inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/>'
        '<body name="b"><joint name="two"\nspringdamper="0.2 1.0"/>'
        '<joint name="three" springdamper="0 0" axis="1 0 0"/>'
        '<inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/></body></body>'
    )
    source = source_of(mjcf(arm).replace("<worldbody>", joints, 1), tmp_path)
    said = {
        (j, q): source.computed_from(Key("joint", j, q)) for j in source.reading.joints for q in ("damping", "axis")
    }
    assert said["one", "damping"] == "springdamper 0.1 1"
    assert said["two", "damping"] == "springdamper 0.2 1.0"
    assert not (said["two", "axis"] or said["three", "damping"])
    key = Key("joint", "two", "damping")
    assert source.place(key) == source.authored["joint", "two", "springdamper"]
    finder, row = Finder("some", source, {}), source.reading.table[key]
    finder.lost("RB-DAMPING", key, row, "no place")
    finder.differs("RB-DAMPING", key, row, replace(row, value=0.0), Apart(1.0, 1.0))
    for finding in finder.findings:
        assert "from springdamper 0.2 1.0 of the file" in finding.message


def test_no_log_is_left_in_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MuJoCo warns of this attribute, into a file of the working folder unless told otherwise."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    path = tmp_path / "robot.xml"
    path.write_text(PLAIN.replace("<worldbody>", '<compiler settotalmass="3"/><worldbody>', 1))
    assert check(path, ["mujoco"], Options(only=("RB-TOTAL",), dynamic=False)).compared
    assert not list(Path.cwd().iterdir())
