"""Every static item of the checklist finds the defect that is planted for it, and nothing in the file itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from simparity.harness.cause import Cause, gone, known, massless, massless_shape
from simparity.harness.imported import Key
from simparity.harness.portcheck.examine import Tolerances, compared, examine, importer
from simparity.harness.portcheck.finder import Finder
from simparity.harness.portcheck.finding import Examined
from simparity.harness.portcheck.items import ITEMS, chosen
from simparity.harness.portcheck.prepare import prepare
from simparity.harness.portcheck.source import Source, read_source

from .robots import RICH, URDF

STATIC = chosen(["RB", "DF", "CF"])
REFERENCE = "mujoco"  # holds everything that an MJCF can say, so that only what is planted differs

# item -> (text of the source, what the engine gets in its place); the item must be among the findings
PLANTED: dict[str, tuple[str, str]] = {
    "RB-LINKS": ('<body name="slider" pos=".3 0 0">', '<body name="other" pos=".3 0 0"><body name="more"/>'),
    "RB-MASS": ('mass="0.4"', 'mass="0.404"'),
    "RB-TOTAL": ('mass="0.4"', 'mass="0.404"'),
    "RB-COM": ('pos="0.01 0 0" mass="2"', 'pos="0.0101 0 0" mass="2"'),
    "RB-INERTIA": ("0.001 0.002 0.003", "0.001 0.002 0.0031"),
    "RB-FRAME": ('pos="0 0 .25"', 'pos="0 0 .251"'),
    "RB-JOINTS": ('name="s" type="slide"', 'name="s" type="hinge"'),
    "RB-AXIS": ('axis="1 0 0" actuatorfrcrange', 'axis="-1 0 0" actuatorfrcrange'),
    "RB-ANCHOR": ('pos="0 0 -.02"', 'pos="0 0 -.021"'),
    "RB-LIMIT": ('range="-1.5 0.8"', 'range="-1.5 0.81"'),
    "RB-EFFORT": ('actuatorfrcrange="-30 30"', 'actuatorfrcrange="-31 30"'),
    "RB-ARMATURE": ('armature="0.03"', 'armature="0.0301"'),
    "RB-DAMPING": ('damping="0.4"', 'damping="0.41"'),
    "RB-FRICTION": ('frictionloss="0.2"', 'frictionloss="0.21"'),
    "RB-SPRING": ('springref="0.4"', 'springref="0.41"'),
    "RB-HOME": ('ref="0.1"', 'ref="0.11"'),
    "RB-ACTUATOR": ('gear="5"', 'gear="5.05"'),
    "RB-EQUALITY": ("0 2 0 0 0", "0 2.02 0 0 0"),
    "RB-TENDON": ('stiffness="2"', 'stiffness="2.02"'),
    "RB-OTHER": ('gravcomp="0.5"', 'gravcomp="0.51"'),
    "RB-FK": ('quat="0.9 0.1 0.2 0.3"', 'quat="0.9 0.1 0.2 0.301"'),
    "RB-MATRIX": ('mass="1.1"', 'mass="1.12"'),
    "RB-GRAVITY": ('gravity="0 0 -3.7"', 'gravity="0 0 -3.71"'),
    "DF-SET": ('cone="elliptic"', 'cone="pyramidal"'),
    "DF-DEFAULT": ("<option ", '<option impratio="3" '),
    "DF-SURFACE": ('friction="0.7"', 'friction="0.71"'),
    "CF-PAIRS": ('body2="lower"', 'body2="upper"'),
    "CF-NAMES": ('name="m" joint', "joint"),
    "CF-ORDER": ("", ""),
    "CF-GEOMS": ('size=".02 .03 .04"', 'size=".02 .03 .041"'),
    "RB-IMPORT": ('type="capsule"', 'type="no-such-shape"'),
}


def source_of(text: str, folder: Path, name: str = "robot.xml") -> Source:
    path = folder / name
    path.write_text(text)
    return read_source(prepare(path))


def engine_sees(text: str, source: Source, folder: Path, engine: str = REFERENCE) -> Examined:
    """The checklist's findings when the engine gets `text` in the place of the source's file."""
    path = folder / f"engine{source.prepared.path.suffix}"
    path.write_text(text)
    module = importer(engine)
    model = module.load(str(path))
    try:
        return compared(model, Finder(engine, source, module.CAUSES), STATIC, Tolerances())
    finally:
        model.close()


def test_the_file_itself_is_clean(tmp_path: Path) -> None:
    source = source_of(RICH, tmp_path)
    examined = engine_sees(RICH, source, tmp_path)
    assert [f.message for f in examined.findings] == []
    never = {case.item for case in examined.cases if case.status == "skipped"}
    assert never == {"CF-MESH"}, "the robot holds something for every other item"


@pytest.mark.parametrize("item", [i for i in PLANTED if i not in ("RB-IMPORT", "CF-ORDER")])
def test_planted_defect_is_found(item: str, tmp_path: Path) -> None:
    there, instead = PLANTED[item]
    assert RICH.count(there) >= 1
    source = source_of(RICH, tmp_path)
    examined = engine_sees(RICH.replace(there, instead, 1), source, tmp_path)
    found = [f for f in examined.findings if f.item == item]
    assert found, f"nothing found; others: {[f.message for f in examined.findings]}"
    finding = found[0]
    assert finding.engine == REFERENCE and finding.advice == ITEMS[item].advice and finding.message
    case = next(case for case in examined.cases if case.item == item)
    assert case.status == ("pass" if finding.severity == "note" else "fail")


@pytest.mark.parametrize("text", [RICH, URDF], ids=["mjcf", "urdf"])
def test_masses_that_differ_for_no_known_reason_get_none(engine: str, text: str, tmp_path: Path) -> None:
    """A link with a mass is not without one, whatever its file's format."""
    source = source_of(text, tmp_path, "robot.xml" if text == RICH else "robot.urdf")
    finder = Finder(engine, source, importer(engine).CAUSES)
    heavy = next(k for k, row in source.reading.table.items() if k.quantity == "mass" and row.value)
    for item in ("RB-MASS", "RB-COM", "RB-INERTIA"):
        finder.add(item, heavy, "error", "it differs", found=1.6)
    assert [f.cause for f in finder.findings] == ["", "", ""]


def test_causes_are_told_where_they_hold(tmp_path: Path) -> None:
    box = "<collision><geometry><box size='.1 .1 .1'/></geometry></collision>"
    heavy = '<inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    links = f'<link name="bare">{box}</link><link name="body">{heavy}</link>'
    joint = '<joint name="j" type="fixed"><parent link="body"/><child link="bare"/></joint>'
    reading = source_of(f'<robot name="r">{links}{joint}</robot>', tmp_path, "robot.urdf").reading
    text, mass = "it is so", {name: Key("link", name, "mass") for name in ("bare", "body")}

    def told(cause: Cause, key: Key, found: float | None = 1.0, format: str = "urdf") -> bool:
        return known({"RB-MASS": cause}, "RB-MASS", reading, format, key, found) == text

    assert told(Cause(text), mass["bare"]) and told(Cause(text, "urdf"), mass["bare"])
    assert not told(Cause(text, "mjcf"), mass["bare"])
    assert told(Cause(text, when=massless_shape), mass["bare"])
    assert told(Cause(text, when=massless_shape), mass["body"]), "it is fixed to it"
    assert told(Cause(text, when=massless), mass["bare"]) and not told(Cause(text, when=massless), mass["body"])
    assert told(Cause(text, when=gone), mass["bare"], 0.0) and not told(Cause(text, when=gone), mass["bare"])
    assert known({"RB-MASS:mass": "own", "RB-MASS": text}, "RB-MASS", reading, "urdf", mass["bare"], 1.0) == "own"


def test_order_of_joints(tmp_path: Path) -> None:
    first, second = (
        '<body name="x"><joint name="a"/><geom size="1"/></body>',
        '<body name="y"><joint name="b"/><geom size="1"/></body>',
    )
    wrap: Callable[[str], str] = lambda inside: f"<mujoco><worldbody>{inside}</worldbody></mujoco>"  # noqa: E731
    examined = engine_sees(wrap(second + first), source_of(wrap(first + second), tmp_path), tmp_path)
    assert {f.item for f in examined.findings} == {"CF-ORDER"}


def test_an_import_that_is_refused_is_an_error_with_the_importers_reason(tmp_path: Path) -> None:
    there, instead = PLANTED["RB-IMPORT"]
    source = source_of(RICH, tmp_path)
    source.prepared.path.write_text(RICH.replace(there, instead))
    examined = examine(REFERENCE, source, STATIC, Tolerances())
    (finding,) = examined.findings
    assert finding.item == "RB-IMPORT" and finding.severity == "error" and "no-such-shape" in finding.message
    assert not examined.imported
    others = {case.status for case in examined.cases if case.item != "RB-IMPORT"}
    assert others == {"skipped"}


def test_mesh_that_loses_vertices(tmp_path: Path) -> None:
    def cube(extra: str) -> str:
        vertices = "0 0 0 1 0 0 0 1 0 0 0 1 1 1 0" + extra
        body = '<body name="b"><freejoint/><geom type="mesh" mesh="m"/></body>'
        asset = f'<asset><mesh name="m" vertex="{vertices}"/></asset>'
        return f"<mujoco>{asset}<worldbody>{body}</worldbody></mujoco>"

    examined = engine_sees(cube(""), source_of(cube(" 1 0 1"), tmp_path), tmp_path)
    assert "CF-MESH" in {f.item for f in examined.findings}


def test_every_static_item_has_a_planted_defect() -> None:
    assert {item.id for item in STATIC} == {*PLANTED, "CF-MESH"}


def test_a_finding_names_the_line_of_the_attribute(tmp_path: Path) -> None:
    source = source_of(RICH, tmp_path)
    examined = engine_sees(RICH.replace('range="-1.5 0.8"', 'range="-1.5 0.81"'), source, tmp_path)
    (finding,) = [f for f in examined.findings if f.item == "RB-LIMIT"]
    line = RICH.splitlines()[finding.line - 1]
    assert 'name="j1"' in line and finding.element == "joint j1"
    assert finding.source == 0.8 and finding.found == 0.81 and finding.unit == "rad"
    assert finding.difference == pytest.approx(0.01) and finding.severity == "error"
    damping = engine_sees(RICH.replace('damping="0.4"', 'damping="0.5"'), source, tmp_path)
    lines = {f.line for f in damping.findings if f.item == "RB-DAMPING"}
    assert [RICH.splitlines()[n - 1].strip()[:22] for n in lines] == ['<default class="arm"><']


def test_inertia_with_the_same_principal_moments_but_turned(tmp_path: Path) -> None:
    """Sorted diagonals would not show it."""
    source = source_of(RICH, tmp_path)
    turned = RICH.replace(
        'fullinertia="0.02 0.03 0.04 0.001 0.002 0.003"', 'fullinertia="0.03 0.02 0.04 -0.001 0.003 -0.002"'
    )
    assert "RB-INERTIA" in {f.item for f in engine_sees(turned, source, tmp_path).findings}


def test_urdf_is_clean_but_for_the_merged_link(tmp_path: Path) -> None:
    source = source_of(URDF, tmp_path, "robot.urdf")
    examined = engine_sees(URDF, source, tmp_path)
    assert {(f.item, f.element) for f in examined.findings} == {("RB-LINKS", "link base"), ("RB-LINKS", "link tool")}
    heavier = URDF.replace('<mass value=".2"/>', '<mass value=".21"/>')  # of the link that is merged
    found = {(f.item, f.element) for f in engine_sees(heavier, source, tmp_path).findings}
    assert ("RB-MASS", "link upper") in found
    mimic = engine_sees(URDF.replace('multiplier="2"', 'multiplier="2.1"'), source, tmp_path)
    assert "RB-EQUALITY" in {f.item for f in mimic.findings}
