"""What moved between two robot files: every value that the check reads of a source."""

from __future__ import annotations

from pathlib import Path

import pytest

from simparity.experiments.arm import description_of
from simparity.harness.cli import main
from simparity.harness.diff.command import diff
from simparity.harness.diff.moved import Diff, Moved
from simparity.harness.errors import UsageError

MJCF = """<mujoco><option gravity="0 0 -9.81"/><worldbody><body name="a">
<joint name="j" damping="0.5" range="-90 90"/><inertial mass="2" pos="0 0 0" diaginertia="1 1 1"/>
<geom type="box" size="0.1 0.1 0.1" friction="0.9" contype="1"/>
<body name="b" pos="0 0 1"><joint name="k"/><geom type="sphere" size="0.1" mass="1"/>
<body name="c" pos="0 0 1"><joint name="l"/><geom type="sphere" size="0.1" mass="1"/></body></body>
</body></worldbody><actuator><position name="servo" joint="j" kp="50"/></actuator></mujoco>"""
URDF = """<robot name="r"><link name="base"/>{links}{joints}</robot>"""
LINK = """<link name="{0}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
</inertial><collision><geometry>{1}</geometry></collision></link>"""
JOINT = """<joint name="{0}" type="revolute"><parent link="base"/><child link="{1}"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="9" velocity="{2}"/>{3}</joint>"""
MIMIC = '<mimic joint="j" multiplier="{}" offset="0"/>'


def moved_in(found: Diff) -> dict[str, Moved]:
    return {row.name: row for pair in found.pairs for row in pair.moved}


def changed(folder: Path, old: str, new: str, text: str = MJCF, ending: str = "xml") -> Diff:
    """The file against itself with `old` replaced."""
    assert old in text
    one, two = folder / f"one.{ending}", folder / f"two.{ending}"
    one.write_text(text)
    two.write_text(text.replace(old, new))
    return diff(str(one), str(two), folder)


def urdf(velocity: str = "1", mimic: str = "", mesh: str = '<sphere radius="0.1"/>') -> str:
    links = LINK.format("one", mesh) + LINK.format("two", '<sphere radius="0.2"/>')
    joints = JOINT.format("j", "one", velocity, "") + JOINT.format("k", "two", "1", mimic)
    return URDF.format(links=links, joints=joints)


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ('kp="50"', 'kp="60"', {"actuator.servo.gain", "actuator.servo.bias"}),
        ("0 0 -9.81", "0 0 -1.62", {"option.gravity"}),
        ('friction="0.9"', 'friction="0.2"', {"geom.a/0.friction"}),
        ('contype="1"', 'contype="3"', {"geom.a/0.contype"}),
        ('damping="0.5"', 'damping="0.75"', {"joint.j.damping"}),
        ('joint="j" kp', 'joint="k" kp', {"actuator.servo.joint"}),
        ("</worldbody>", '</worldbody><contact><exclude body1="a" body2="c"/></contact>', {"pairs of shapes.a+c"}),
    ],
)
def test_each_value_that_the_check_reads_is_compared(tmp_path: Path, old: str, new: str, names: set[str]) -> None:
    found = changed(tmp_path, old, new)
    assert set(moved_in(found)) == names
    assert found.changed
    words = [str(tmp_path / f"{name}.xml") for name in ("one", "two")]
    assert main(["diff", *words, "--fail-on-change"]) == 1


def test_values_are_measured_and_have_the_unit_of_their_joint(tmp_path: Path) -> None:
    row = moved_in(changed(tmp_path, 'range="-90 90"', 'range="-90 45"'))["joint.j.upper"]
    assert (row.unit, row.relative) == ("rad", pytest.approx(0.5))
    assert moved_in(changed(tmp_path, 'damping="0.5"', 'armature="0.1"'))["joint.j.armature"].unit == "kg m^2"


def test_a_file_and_itself_differ_in_nothing(tmp_path: Path) -> None:
    source = description_of("fr3")
    assert diff(source, source, tmp_path).empty


def test_a_link_of_another_name_is_alone(tmp_path: Path) -> None:
    moved = moved_in(changed(tmp_path, 'name="a"', 'name="other"'))
    assert (moved["link.a.mass"].only, moved["link.other.mass"].only) == ("A", "B")
    assert "joint.j.upper" not in moved


def test_what_is_not_compared_is_said(tmp_path: Path) -> None:
    found = changed(tmp_path, 'velocity="1"', 'velocity="2"', urdf(), "urdf")
    assert found.empty
    assert "not alike in the XML: limit velocity" in found.context
    assert any("velocity limits" in text for text in found.context)


def test_formats_are_compared_in_what_both_have_words_for(tmp_path: Path) -> None:
    one, two = tmp_path / "one.xml", tmp_path / "two.urdf"
    one.write_text(MJCF)
    two.write_text(urdf())
    found = diff(str(one), str(two), tmp_path)
    assert not [name for name in moved_in(found) if name.startswith(("option.", "actuator.", "count.", "pairs"))]
    assert any("an MJCF and a URDF" in text and "actuator" in text for text in found.context)


def test_a_mimic_joint_is_compared(tmp_path: Path) -> None:
    mimic = MIMIC.format("0.5")
    moved = moved_in(changed(tmp_path, mimic, MIMIC.format("0.7"), urdf(mimic=mimic), "urdf"))
    assert moved["constraint.joint k~j.data"].relative == pytest.approx(0.4)


def test_meshes_are_found_or_left_out(tmp_path: Path) -> None:
    robot, package = tmp_path / "robot.urdf", tmp_path / "elsewhere" / "pack"
    robot.write_text(urdf(mesh='<mesh filename="package://pack/part.stl"/>'))
    with pytest.raises(UsageError, match=r"--package-path FOLDER, or .*--without-geometry"):
        diff(str(robot), str(robot), tmp_path)
    found = diff(str(robot), str(robot), tmp_path, without_geometry=True)
    assert found.empty
    assert any("--without-geometry" in text for text in found.context)
    package.mkdir(parents=True)
    (package / "part.stl").write_text("solid one\nendsolid one\n")
    assert diff(str(robot), str(robot), tmp_path, package_path=[str(package.parent)]).empty
    words = ["diff", str(robot), str(robot)]
    assert main([*words, "--package-path", str(package.parent)]) == 0
    assert main([*words, "--without-geometry"]) == 0


def test_another_mesh_of_the_same_name_is_a_change(tmp_path: Path) -> None:
    files = []
    for n, z in enumerate((0.1, 0.2)):
        (tmp_path / str(n)).mkdir()
        rows = ((0, 0, 0, 0.1, 0, 0, 0, 0.1, 0), (0, 0, z, 0.1, 0, 0, 0, 0.1, 0))
        facets = "".join(
            "facet normal 0 0 1\nouter loop\n"
            + "".join(f"vertex {r[i]} {r[i + 1]} {r[i + 2]}\n" for i in (0, 3, 6))
            + "endloop\nendfacet\n"
            for r in rows
        )
        (tmp_path / str(n) / "part.stl").write_text(f"solid x\n{facets}endsolid x\n")
        files.append(tmp_path / str(n) / "robot.urdf")
        files[-1].write_text(urdf(mesh='<mesh filename="part.stl"/>'))
    assert set(moved_in(diff(str(files[0]), str(files[1]), tmp_path))) == {"mesh file part.stl"}


def test_masses_that_came_from_meshes_are_not_compared(tmp_path: Path) -> None:
    text = MJCF.replace("<worldbody>", '<asset><mesh name="m" file="no.stl"/></asset><worldbody>')
    last = '<joint name="l"/><geom type="{}"/>'
    text = text.replace(last.format('sphere" size="0.1" mass="1'), last.format('mesh" mesh="m'))
    one = tmp_path / "one.xml"
    one.write_text(text)
    found = diff(str(one), str(one), tmp_path, without_geometry=True)
    assert found.empty
    assert any("masses that come from meshes" in text for text in found.context)


def test_options_of_robot_files_are_refused_for_results(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="are for robot files"):
        diff(str(tmp_path), str(tmp_path), tmp_path, without_geometry=True)
