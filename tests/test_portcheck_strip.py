"""Robot files without their meshes: which masses are not known then, and what goes with the shapes."""

from __future__ import annotations

from pathlib import Path

import pytest

from simparity.harness.errors import UsageError
from simparity.harness.imported import Key
from simparity.harness.portcheck.check import check
from simparity.harness.portcheck.examine import Tolerances, compared, importer
from simparity.harness.portcheck.finder import Finder
from simparity.harness.portcheck.items import chosen
from simparity.harness.portcheck.prepare import prepare
from simparity.harness.portcheck.processes import Options
from simparity.harness.portcheck.source import Source, read_source

MESH = '<geom name="shell" type="mesh" mesh="m"/>'
GIVEN = '<inertial pos="0 0 .1" mass="3" diaginertia=".1 .1 .1"/>'


def stripped(inside: str, folder: Path, outside: str = "") -> Source:
    """The source of a file with bodies `inside`, of which a mesh is not there, without its shapes."""
    path = folder / "robot.xml"
    asset = '<asset><mesh name="m" file="gone.stl"/></asset>'
    path.write_text(f"<mujoco>{asset}{outside}<worldbody>{inside}</worldbody></mujoco>")
    return read_source(prepare(path, without_geometry=True, folder=folder / "stripped"))


def body(inside: str, name: str = "arm") -> str:
    """A body on a hinge."""
    return f'<body name="{name}"><joint name="{name}-hinge" axis="0 1 0"/>{inside}</body>'


def mass(source: Source, link: str) -> float:
    return float(source.reading.table[Key("link", link, "mass")].value)  # type: ignore[arg-type]


WEIGHED = """\
<mujoco>
  <compiler inertiagrouprange="0 1"/>
  <default>
    <default class="drawn"><geom type="mesh" group="2"/><default class="thin"><geom mass="0"/></default></default>
    <default class="solid"><geom type="mesh"/></default>
  </default>
  <asset><mesh name="m" file="gone.stl"/></asset>
  <worldbody>
    <body name="both"><joint name="a"/><geom class="solid" mesh="m"/><geom type="sphere" size=".1"/>
      <body name="drawn"><joint name="b"/><geom class="drawn" mesh="m"/><geom type="sphere" size=".1"/>
        <body name="thin" childclass="thin"><joint name="c"/><geom mesh="m" group="0"/>
          <geom type="sphere" size=".1" mass="1" group="0"/>
          <body name="given" childclass="solid"><inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/><joint name="d"/>
            <geom type="mesh" mesh="m"/>
            <body><joint name="e"/><frame pos="0 0 1"><geom type="mesh" mesh="m"/></frame></body>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""


@pytest.mark.parametrize("always", [False, True])
def test_masses_from_meshes_cannot_be_known_without_them(always: bool, tmp_path: Path) -> None:
    path = tmp_path / "robot.xml"
    path.write_text(WEIGHED.replace("<compiler ", '<compiler inertiafromgeom="true" ' if always else "<compiler "))
    unknown = ("both", *(("given",) if always else ()), "body without mesh 2" if always else "body without mesh 1")
    assert prepare(path, without_geometry=True, folder=tmp_path / "x").unknown == unknown
    report = check(path, ["mujoco"], Options(without_geometry=True))
    cases = {case.item: case for case in report.cases}
    for item in ("RB-MASS", "RB-TOTAL", "RB-COM", "RB-INERTIA", "RB-MATRIX", "RB-GRAVITY", "MS-BEYOND"):
        assert cases[item].status == "skipped" and "cannot be known (links: both" in cases[item].reason
    assert cases["RB-FK"].status == cases["RB-AXIS"].status == "pass" and not report.findings
    assert any("cannot be known without the meshes" in note for note in report.notes)


@pytest.mark.parametrize(
    ("inside", "outside", "unknown"),
    [
        (MESH.replace("/>", ' mass="2"/>'), '<default><geom density="0"/></default>', ("arm",)),
        (MESH, '<default><geom density="0"/></default>', ()),
        (MESH.replace("/>", ' mass="0"/>'), '<default><geom density="9"/></default>', ()),
        ("<geom/>", '<default><geom mesh="m"/></default>', ("arm",)),
        ("<geom/>", '<default><geom mesh="m"/></default><default><geom group="1"/></default>', ("arm",)),
        (f"<frame>{GIVEN}</frame>{MESH}", "", ()),
        (GIVEN + MESH, '<compiler inertiafromgeom="true"/>', ("arm",)),
        (GIVEN + MESH, '<compiler inertiafromgeom="true"/><compiler inertiafromgeom="auto"/>', ()),
        (GIVEN + MESH, '<compiler inertiafromgeom="true" inertiagrouprange="1 1"/>', ()),
    ],
)
def test_whether_a_mesh_gives_the_mass(inside: str, outside: str, unknown: tuple[str, ...], tmp_path: Path) -> None:
    """A mass that is given decides before a density; the compiler's last word decides before its first."""
    source = stripped(body(inside + '<geom type="sphere" size=".1" mass="7" mesh="" group="3"/>'), tmp_path, outside)
    assert source.prepared.unknown == unknown


def test_masses_that_the_file_gives_are_kept(tmp_path: Path) -> None:
    """Shapes in a frame are the body's own, and count where the compiler passes over inertial elements."""
    sphere = '<frame pos="0 0 1"><geom type="sphere" size=".1" mass="7"/></frame>'
    text = body(GIVEN + sphere + body(MESH, "hand") + body(GIVEN, "head"))
    source = stripped(text, tmp_path, '<compiler inertiafromgeom="true"/>')
    assert source.prepared.unknown == ("hand",)
    assert (mass(source, "arm"), mass(source, "head")) == (7.0, 3.0)


@pytest.mark.filterwarnings("ignore:.*settotalmass.*")
def test_a_total_mass_makes_every_mass_depend_on_the_meshes(tmp_path: Path) -> None:
    source = stripped(body(MESH + body(GIVEN, "hand")), tmp_path, '<compiler settotalmass="10"/>')
    assert source.prepared.unknown == ("arm", "hand")
    assert any("settotalmass" in note for note in source.prepared.notes)
    source = stripped(body(GIVEN + MESH), tmp_path, '<compiler settotalmass="10"/>')
    assert source.prepared.unknown == () and mass(source, "arm") == 10.0


def test_copies_of_a_body_have_no_known_mass_either(tmp_path: Path) -> None:
    inner = f'<replicate count="2" sep="_" offset="0 1 0">{body(MESH, "arm")}</replicate>'
    text = (
        f'<replicate count="2" sep="." offset="1 0 0">{body(GIVEN + inner, "base")}</replicate>{body(GIVEN, "arm_0")}'
    )
    source = stripped(text, tmp_path)
    assert source.prepared.unknown == ("arm_0.0", "arm_1.0", "arm_0.1", "arm_1.1")


def test_a_link_that_an_unknown_one_is_merged_into_is_unknown(tmp_path: Path) -> None:
    """Every other engine may fuse a fixed body into its parent, with a mass that nobody knows."""
    source = stripped(body(GIVEN + f'<body name="tool">{MESH}</body>'), tmp_path)
    fused = tmp_path / "fused.xml"
    fused.write_text(
        source.prepared.path.read_text().replace("<worldbody>", '<compiler fusestatic="true"/><worldbody>')
    )
    module = importer("mujoco")
    finder = Finder("mujoco", source, module.CAUSES)
    examined = compared(module.load(str(fused)), finder, chosen(["RB-LINKS", "RB-MASS"]), Tolerances())
    assert [f.message for f in examined.findings] == ["fixed link 'tool' is merged into 'arm' and has no frame"]
    assert {case.item: case.status for case in examined.cases}["RB-MASS"] == "skipped"


CABLE = '<composite type="cable" curve="s" count="5 1 1" size="1" offset="0 0 1" initial="none">'
CABLE += '<joint kind="main" damping=".1"/><geom type="capsule" size=".01" density="1000"/></composite>'
CLOTH = '<flexcomp name="cloth" type="mesh" file="gone.obj" dim="2" mass="1" radius=".01"/>'


def test_what_needs_no_file_stays(tmp_path: Path) -> None:
    source = stripped(body(GIVEN + CABLE), tmp_path)
    assert len(source.reading.links) == 5 and not source.prepared.unknown
    grid = CLOTH.replace('type="mesh" file="gone.obj"', 'type="grid" count="3 3 1" spacing=".1 .1 .1" rigid="true"')
    assert len(stripped(body(GIVEN + grid), tmp_path).reading.links) == 1


def test_what_goes_with_the_shapes_is_said(tmp_path: Path) -> None:
    """Elements that refer to a shape, or need a file, would make the file unreadable without it."""
    balls = '<geom name="a" size=".1"/><geom name="b" size=".1"/>'
    outside = """
      <deformable><skin name="hide" file="gone.skn"/></deformable>
      <sensor><framepos name="p" objtype="geom" objname="shell"/><framepos name="q" objtype="geom" objname="a"/>
        <framepos name="r" objtype="geom" objname="a" reftype="geom" refname="shell"/>
        <framepos name="s" objtype="body" objname="shell"/><distance name="d" geom1="a" geom2="shell" cutoff="1"/>
      </sensor>
      <contact><pair name="one" geom1="a" geom2="b"/><pair name="two" geom1="a" geom2="shell"/></contact>
      <equality><flex flex="cloth"/></equality><keyframe><key name="k" qpos="0 1 2 3"/></keyframe>"""
    source = stripped(body(GIVEN + MESH + balls + body(GIVEN, "shell") + CLOTH), tmp_path, outside)
    (said,) = [note for note in source.prepared.notes if note.startswith("left out with the shapes")]
    gone = "flexcomp cloth, skin hide, framepos p, framepos r, distance d, pair two, flex, key k"
    assert said.endswith(": " + gone) and source.reading.links == ("arm", "shell")
    text = source.prepared.path.read_text()
    assert 'name="q"' in text and 'name="s"' in text and 'name="one"' in text


def test_references_to_copies_of_a_shape_go_too(tmp_path: Path) -> None:
    text = f'<replicate count="2" offset="1 0 0">{body(GIVEN + MESH)}</replicate>'
    sensors = "".join(f'<framepos name="{n}" objtype="geom" objname="{n}"/>' for n in ("shell", "shell0", "shell1"))
    source = stripped(text, tmp_path, f"<sensor>{sensors}</sensor>")
    assert source.reading.links == ("arm0", "arm1") and "framepos shell1" in source.prepared.notes[1]


def test_a_range_of_groups_that_is_none_is_told_by_the_compiler(tmp_path: Path) -> None:
    path = tmp_path / "robot.xml"
    path.write_text(WEIGHED.replace('"0 1"', '"0 many"'))
    with pytest.raises(UsageError, match="cannot be compiled by MuJoCo"):
        read_source(prepare(path, without_geometry=True))
