"""Findings of one cause are one row, in the page, the terminal and Markdown; paths are told from the robot file."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from simparity.harness.portcheck.dynamic import JUDGES
from simparity.harness.portcheck.examine import importer
from simparity.harness.portcheck.finding import Case, Finding, Report
from simparity.harness.portcheck.groups import Group, shape
from simparity.harness.portcheck.groups import grouped as groups_of
from simparity.harness.portcheck.items import ITEMS
from simparity.harness.portcheck.junit import junit
from simparity.harness.portcheck.markdown import markdown
from simparity.harness.portcheck.page import page, parts, total, verdict
from simparity.harness.portcheck.paths import Paths, from_here, from_robot
from simparity.harness.portcheck.sarif import sarif
from simparity.harness.portcheck.terminal import show_report

ARMATURE = Finding(
    item="RB-ARMATURE",
    severity="error",
    engine="one",
    element="joint a",
    quantity="armature",
    file="robots/robot.xml",
    line=7,
    source=0.2,
    found=0.0,
    unit="kg m^2",
    difference=0.2,
    relative=1.0,
    message="armature is 0 where the source has 0.2 (off by 100 %)",
    cause="it has none",
    advice="set it",
)


def grouped(whole: Report) -> list[Group]:
    return groups_of(whole, from_robot(whole.robot))


def many(n: int) -> list[Finding]:
    """The same defect in n joints, each with its own value."""
    return [
        replace(
            ARMATURE,
            element=f"joint j{k}",
            line=10 + k,
            source=float(k),
            difference=float(k),
            message=f"armature is 0 where the source has {k} (off by 100 %)",
        )
        for k in range(1, n + 1)
    ]


def report(*findings: Finding) -> Report:
    case = Case(item="RB-ARMATURE", engine="one", status="fail", checked=9)
    skipped = Case(item="RB-ARMATURE", engine="two", status="skipped", reason="it crashed in /deep/robots/robot.xml")
    return Report(
        robot="robots/robot.xml",
        format="mjcf",
        reader="a reader",
        counts={"links": 3},
        engines={"one": "1.0", "two": "2.0"},
        cases=(case, skipped),
        findings=findings,
    )


def test_one_cause_over_many_elements_is_one_group() -> None:
    (group,) = grouped(report(*many(12)))
    assert len(group.findings) == 12
    assert group.subject == "12 joints: j1, j2, j3, j4, j5, j6, …, j12"
    assert group.message == "armature is … where the source has … (off by … %)"
    assert (group.source, group.found, group.difference) == ("1 to 12 kg m^2", "0 kg m^2", "up to 12 kg m^2")
    assert group.place == "robot.xml:11, 12, 13, 14, 15, 16, …, 22"


@pytest.mark.parametrize(
    "other",
    [
        replace(ARMATURE, engine="two"),
        replace(ARMATURE, severity="warning"),
        replace(ARMATURE, cause="another"),
        replace(ARMATURE, quantity="damping"),
        replace(ARMATURE, accepted="we know"),
        replace(ARMATURE, message="armature is lost"),
    ],
)
def test_what_differs_in_kind_stays_apart(other: Finding) -> None:
    assert len(grouped(report(ARMATURE, other))) == 2


def test_options_lost_for_one_reason_are_one_group() -> None:
    lost = [
        replace(ARMATURE, item="DF-SET", element="option", quantity=name, found=None, source=value, difference=None)
        for name, value in (("cone", "elliptic"), ("impratio", 10.0), ("wind", (0.0, 1.0, 0.0)))
    ]
    words = ("elliptic", "10", "(0 1 0)")
    lost = [replace(f, message=f"{f.quantity} {w} is not carried over") for f, w in zip(lost, words, strict=True)]
    (group,) = grouped(report(*lost))
    assert group.subject == "3 options: cone, impratio, wind" and group.message == "… is not carried over"
    assert shape(lost[0]) == shape(lost[2]) and group.source == "various"


def beyond(s: float, cut: float) -> Finding:
    """A torque limit that cut at gains xs, as MS-BEYOND says it."""
    message, quantity = f"gains x{s:g}: a torque limit cut in {cut:g} control samples", f"gains x{s:g} torque limit"
    place = replace(ARMATURE, item="MS-BEYOND", severity="warning", element="robot", quantity=quantity, cause="")
    return replace(place, message=message, source=None, found=cut, difference=cut, relative=None, unit="1", line=0)


def test_gains_are_told_apart() -> None:
    whole = report(beyond(1, 4), beyond(0.5, 9), beyond(0.25, 9))
    assert len(grouped(whole)) == 3
    for text in (page(whole), markdown(whole)):
        assert all(f"gains x{s}: a torque limit" in text for s in ("1", "0.5", "0.25"))
    prints = [result["partialFingerprints"] for result in json.loads(sarif(whole, Path.cwd()))["runs"][0]["results"]]
    assert len({str(one) for one in prints}) == 3


def test_what_ends_beyond_a_model_names_its_gains() -> None:
    seen = SimpleNamespace(kind="explosion", body="robot", reason="the robot exploded")
    measured = {"saturated_samples": 3.0, "energy_residual": 1.0, "energy_exchanged": 1.0}
    soft = {s: (SimpleNamespace(status="ok", detections=[seen], metrics=measured), None) for s in (1.0, 0.5)}
    source = SimpleNamespace(prepared=SimpleNamespace(given="robot.xml"))
    judged: Any = JUDGES["MS-BEYOND"]
    case, findings = judged("one", "one", {"one": SimpleNamespace(soft=soft)}, source)
    assert (case.status, case.checked) == ("fail", 2)
    ends = ("explosion of robot", "torque limit", "energy")
    assert [f.quantity for f in findings] == [f"gains x{s} {end}" for s in ("1", "0.5") for end in ends]
    assert all(f.message.startswith(f.quantity[:9].rstrip()) for f in findings)


def test_sentences_stand_where_they_say_more_than_the_columns() -> None:
    assert not grouped(report(*many(3)))[0].worded
    moved = replace(ARMATURE, message="'a' is off by 0.2 kg m^2 at state 1", source=None, relative=None, found=None)
    same = replace(moved, element="joint b", message="'b' is off by 0.2 kg m^2 at state 1")
    (group,) = grouped(report(moved, same))
    assert not group.worded
    (group,) = grouped(report(moved, replace(same, message="'b' is off by 0.2 kg m^2 at state 4")))
    assert group.worded and "at state 4" in page(report(moved, replace(same, message=same.message[:-1] + "4")))


def test_a_link_and_a_joint_of_one_name_are_two() -> None:
    (group,) = grouped(report(ARMATURE, replace(ARMATURE, element="link a")))
    assert group.subject == "2 elements: joint a, link a"


def test_what_an_engine_lacks_is_quoted_whole(engine: str) -> None:
    """Whatever stands in the texts: apostrophes, numbers, commas."""
    texts = set(importer(engine).LACKS.values()) | {"a joint's load in PhysX's terms, 0 or SAPIEN's default"}
    for why in sorted(texts):
        lost = [
            replace(f, message=f"friction {f.source} is not carried over by x: {why}", cause=why, found=None)
            for f in many(2)
        ]
        (group,) = grouped(report(*lost))
        assert group.message == f"friction … is not carried over by x: {why}" and group.cause == ""


def test_a_cause_that_the_shown_sentence_cuts_is_told() -> None:
    (group,) = grouped(report(*(replace(f, cause="it is 3") for f in many(2))))
    assert group.cause == "it is 3"


def test_units_are_not_mixed() -> None:
    hinge = replace(ARMATURE, source=0.1, unit="N m", message="friction 0.1 is lost", quantity="friction", found=None)
    slide = replace(hinge, element="joint b", source=3.0, unit="N", message="friction 3 is lost")
    assert [group.source for group in grouped(report(hinge, slide))] == ["0.1 N m", "3 N"]
    text = page(report(hinge, replace(hinge, element="joint b", source=0.4, message="friction 0.4 is lost")))
    assert "<td>0.1 N m</td>" in text and "<td>0.4 N m</td>" in text
    options = [
        replace(hinge, item="DF-SET", element="option", quantity=name, source=value, unit=unit, message=f"{name} lost")
        for name, value, unit in (("dt", 0.002, "s"), ("impratio", 10.0, "1"))
    ]
    (group,) = grouped(report(*options))
    assert (group.source, group.difference) == ("various", "various")


def test_a_group_of_one_keeps_its_own_words() -> None:
    (group,) = grouped(report(ARMATURE))
    assert group.subject == "joint a" and group.message == ARMATURE.message and group.values == ""
    assert group.cause == "it has none"
    assert Group((replace(ARMATURE, cause="armature is 0"),), from_robot("robot.xml")).cause == "", (
        "the sentence says it already"
    )


def test_paths_are_told_from_the_robot_file_on_the_page(tmp_path: Path) -> None:
    robot = str(tmp_path / "robots" / "robot.xml")
    paths = from_robot(robot)
    assert paths.near(robot) == "robot.xml"
    assert paths.near(str(tmp_path / "robots" / "parts" / "arm.xml")) == "parts/arm.xml"
    assert paths.near(str(tmp_path / "shared" / "arm.xml")) == "../shared/arm.xml"
    assert from_robot(str(tmp_path / "a" / "b" / "c" / "robot.xml")).near("/etc/else/arm.xml") == ".../else/arm.xml"
    assert paths.brief(f"cannot open {tmp_path}/robots/meshes/a.stl") == "cannot open meshes/a.stl"
    assert from_robot("/a/r.xml").brief("see /home/a/b, /a/b") == "see /home/a/b, b"


def test_paths_are_told_from_the_working_folder_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b"):
        robot = str(tmp_path / "robots" / name / "robot.xml")
        one = replace(report(replace(ARMATURE, file=robot)), robot=robot)
        assert f"robots/{name}/robot.xml:7" in markdown(one)
        show_report(one, "error", named=True)
        printed = capsys.readouterr().out
        assert printed.splitlines()[0] == robot and f"  robots/{name}/robot.xml:7" in printed
        assert ">robot.xml:7<" in page(one)
    (tmp_path / "link.xml").symlink_to(tmp_path / "robots" / "a" / "robot.xml")
    assert from_here().near(str(tmp_path / "link.xml")) == "link.xml"
    assert Paths(tmp_path / "a" / "b" / "c").near(str(tmp_path / "robot.xml")) == str(tmp_path / "robot.xml")


def test_the_page_shows_groups_that_unfold() -> None:
    whole = report(*many(12), replace(ARMATURE, severity="note", message="a note"))
    text = page(whole)
    assert "each of the 12" in text and all(f"joint j{k}</td>" in text for k in range(1, 13))
    assert re.search(r"<details class=\"panel\" open>\s*<summary><h3>Errors <small>12 in 1 groups", text)
    assert re.search(r"<details class=\"panel\">\s*<summary><h3>Notes <small>1</small>", text)
    assert [part.number for part in parts(whole)] == [12, 1]
    assert str(Path.cwd()) not in text, "paths are told from the robot file"
    cell = verdict(whole, ITEMS["RB-ARMATURE"], whole.cases[0], "one")
    assert (cell.kind, cell.words, cell.more) == ("error", "12 errors", "1 note")
    assert (total(whole, "one").words, total(whole, "two").kind) == ("12 errors, 1 note", "none")
    assert 'href="#RB-ARMATURE.one"' in text and text.count('id="RB-ARMATURE.one"') == 1


def test_markdown_and_terminal_are_short_and_junit_is_whole(capsys: pytest.CaptureFixture[str]) -> None:
    whole = report(*many(40))
    comment = markdown(whole)
    assert len([line for line in comment.splitlines() if line.startswith("| error")]) == 1
    assert "source 1 to 40 kg m^2, engine 0 kg m^2" in comment.replace("\\", "")
    show_report(whole, "error")
    printed = capsys.readouterr().out
    assert printed.count("RB-ARMATURE one") == 1 and "40 joints" in printed and "to do: set it" in printed
    assert "failed (exit code 1): 40 findings of error" in printed
    assert junit(whole, "error").count("where the source has") == 41, "the case's message names the first again"
