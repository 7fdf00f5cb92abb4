"""What a check says and writes: exit codes, configuration, JUnit, SARIF, Markdown, HTML, terminal."""

from __future__ import annotations

import json
import re
import time
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from simparity.experiments.arm import description_of
from simparity.harness import cli
from simparity.harness.errors import UsageError
from simparity.harness.portcheck.accept import Accepted, accept, stale
from simparity.harness.portcheck.check import check
from simparity.harness.portcheck.config import read_config
from simparity.harness.portcheck.defaults import between_engines, pairs_between_engines
from simparity.harness.portcheck.finding import Case, Examined, Finding, Report, from_plain
from simparity.harness.portcheck.items import GROUPS, ITEMS, chosen
from simparity.harness.portcheck.junit import junit
from simparity.harness.portcheck.markdown import markdown
from simparity.harness.portcheck.page import page
from simparity.harness.portcheck.processes import EngineProcess, Options
from simparity.harness.portcheck.sarif import sarif

from .robots import PLAIN, RICH, URDF

STATIC = Options(dynamic=False)
NASTY = "<b>&\"'|`\x01"


def report(**changes: object) -> Report:
    finding = Finding(
        item="RB-MASS",
        severity="error",
        engine="one",
        element=f"link {NASTY}",
        quantity="mass",
        file="robot.xml",
        line=7,
        source=1.0,
        found=2.0,
        unit="kg",
        difference=1.0,
        relative=0.5,
        message=f"mass is 2 {NASTY}",
        cause="known",
        advice="set it",
    )
    note = replace(finding, item="CF-NAMES", severity="note", element="joint a", quantity="name")
    cases = (
        Case(item="RB-MASS", engine="one", status="fail", checked=3),
        Case(item="CF-NAMES", engine="one", status="pass", checked=3),
        Case(item="RB-MASS", engine="two", status="incomplete", reason=f"it crashed {NASTY}"),
        Case(item="CF-NAMES", engine="two", status="skipped", reason="no names"),
    )
    given: dict[str, object] = {
        "robot": "robot.xml",
        "format": "mjcf",
        "reader": "a reader",
        "counts": {"links": 3},
        "engines": {"one": "1.0", "two": "2.0"},
        "cases": cases,
        "findings": (finding, note),
    }
    return Report(**(given | changes))  # type: ignore[arg-type]


def test_exit_codes() -> None:
    both = report()
    assert both.exit_code("error") == 1
    accepted = replace(both, findings=tuple(replace(f, accepted="we know") for f in both.findings))
    assert accepted.exit_code("note") == 3, "what is left is an incomplete engine"
    assert replace(accepted, cases=both.cases[3:]).exit_code("note") == 3, "nothing was compared"
    whole = replace(accepted, cases=both.cases[:2])
    assert whole.exit_code("note") == 0
    only_note = replace(both, findings=both.findings[1:], cases=both.cases[:2])
    assert (only_note.exit_code("warning"), only_note.exit_code("note")) == (0, 1)


def test_junit_has_a_case_per_item_and_engine() -> None:
    root = ElementTree.fromstring(junit(report(), "error"))
    cases = {(c.get("classname"), c.get("name")): c for c in root.iter("testcase")}
    assert len(cases) == 4 and {s.get("name") for s in root} == {"one", "two"}
    failure = cases["simparity.one", "RB-MASS"].find("failure")
    assert failure is not None and "robot.xml:7" in (failure.text or "")
    error, skipped = cases["simparity.two", "RB-MASS"].find("error"), cases["simparity.two", "CF-NAMES"].find("skipped")
    assert error is not None and skipped is not None and skipped.get("message") == "no names"
    assert cases["simparity.one", "CF-NAMES"].find("failure") is None
    assert (root.get("tests"), root.get("failures"), root.get("errors"), root.get("skipped")) == ("4", "1", "1", "1")


def check_sarif(log: dict[str, object]) -> None:
    """The requirements of SARIF 2.1.0 (sections 3.13, 3.14, 3.18, 3.19, 3.27, 3.29, 3.30) that this log touches."""
    assert log["version"] == "2.1.0" and isinstance(log["runs"], list)
    for run in log["runs"]:
        driver = run["tool"]["driver"]
        assert isinstance(driver["name"], str)
        ids = [rule["id"] for rule in driver["rules"]]
        assert len(ids) == len(set(ids))
        for rule in driver["rules"]:
            assert rule["shortDescription"]["text"] and rule["help"]["text"]
        for invocation in run["invocations"]:
            assert isinstance(invocation["executionSuccessful"], bool)
        for result in run["results"]:
            assert result["message"]["text"]
            assert result["level"] in ("none", "note", "warning", "error")
            assert ids[result["ruleIndex"]] == result["ruleId"]
            for location in result["locations"]:
                physical = location["physicalLocation"]
                assert not re.search(r"[ <>\"\\]", physical["artifactLocation"]["uri"])
                assert physical.get("region", {"startLine": 1})["startLine"] >= 1
            for suppression in result.get("suppressions", []):
                assert suppression["kind"] in ("inSource", "external")


def test_sarif(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    log = json.loads(sarif(report(), tmp_path))
    check_sarif(log)
    (run,) = log["runs"]
    assert run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "robot.xml"
    assert run["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] == 7
    assert not run["invocations"][0]["executionSuccessful"]
    accepted = replace(report(), findings=tuple(replace(f, accepted="we know") for f in report().findings))
    assert (
        json.loads(sarif(accepted, tmp_path))["runs"][0]["results"][0]["suppressions"][0]["justification"] == "we know"
    )


def test_names_from_the_file_are_escaped() -> None:
    text = page(report())
    assert "<b>&" not in text and "&lt;b&gt;" in text
    assert "http" not in re.sub(r"<style>.*?</style>", "", text, flags=re.DOTALL), "one file that needs no network"
    assert text == page(report())
    comment = markdown(report())
    assert "<b>" not in comment and "\\<b\\>" in comment
    rows = [line for line in comment.splitlines() if line.startswith("| error")]
    assert len(rows) == 1 and len(re.findall(r"(?<!\\)\|", rows[0])) == 7


def test_sarif_tells_places_from_the_root_of_the_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "robots"
    folder.mkdir()
    monkeypatch.chdir(folder)

    def uri() -> str:
        log = json.loads(sarif(report(), Path.cwd()))
        return str(log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"])

    assert uri() == "robot.xml"
    (tmp_path / ".git").mkdir()
    assert uri() == "robots/robot.xml"


def test_sarif_has_a_fingerprint_for_every_finding() -> None:
    (finding, _) = report().findings
    log = json.loads(sarif(report(findings=(finding, finding, finding)), Path.cwd()))
    prints = [result["partialFingerprints"]["simparity/v1"] for result in log["runs"][0]["results"]]
    assert len(set(prints)) == 3 and prints[0].endswith("/mass") and prints[2].endswith("/mass/3")


def test_accepted_deviations_and_stale_ones(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(URDF)
    known = Accepted(item="RB-LINKS", engine="mujoco", element="link *", reason="nothing is mounted there")
    old = Accepted(item="RB-MASS", reason="was so in 2.0")
    other = Accepted(item="RB-MASS", engine="some-other-engine", reason="not looked at here")
    found = check(path, ["mujoco"], STATIC, [known, old, other])
    assert {f.accepted for f in found.findings} == {"nothing is mounted there"}
    assert len(found.stale) == 1 and "RB-MASS in any engine (reason: was so in 2.0)" in found.stale[0]
    assert found.exit_code("note") == 0
    some = check(path, ["mujoco"], replace(STATIC, only=("RB-FK",)), [known, old, other])
    assert some.stale == [], "an item that was not compared says nothing of what is accepted in it"


def test_what_one_of_several_robots_needs_is_not_stale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in (("arm.urdf", URDF), ("plain.xml", PLAIN)):
        (tmp_path / name).write_text(text)
    needed = '[[accept]]\nitem = "RB-LINKS"\nengine = "mujoco"\nelement = "link *"\nreason = "bare"\n'
    (tmp_path / "simparity.toml").write_text(needed)
    both = ["arm.urdf", "plain.xml", "--static", "--fail-on", "note", "--md", "a.md"]
    for robots in (both, [both[1], both[0], *both[2:]]):
        assert run(*robots) == 0
        assert "stale" not in capsys.readouterr().out
        assert not any("no longer" in (tmp_path / name).read_text() for name in ("a.md", "a-1.md"))
    (tmp_path / "simparity.toml").write_text(needed + '[[accept]]\nitem = "RB-MASS"\nreason = "old"\n')
    run(*both)
    assert capsys.readouterr().out.count("stale accepted deviation no longer occurs: RB-MASS in any engine") == 1
    assert "no longer" not in (tmp_path / "a.md").read_text() and "no longer" in (tmp_path / "a-1.md").read_text()


def test_an_accepted_deviation_may_be_of_some_robots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    whole = replace(report(), robot="robots/arm.xml")
    finding = whole.findings[0]
    for pattern, about in (("arm.xml", True), ("robots/*.xml", True), ("*", True), ("leg.xml", False), ("arm", False)):
        one = Accepted(item="RB-MASS", reason="r", robot=pattern)
        for robot in ("robots/arm.xml", "./robots/arm.xml", str(tmp_path / "robots" / "arm.xml")):
            assert bool(accept([finding], [one], robot)[0].accepted) is about
        assert bool(stale([one], [replace(whole, findings=())])) is about, "another robot's is not missed"
    (tmp_path / "simparity.toml").write_text("[[accept]]\nitem = 'RB-MASS'\nrobot = 'a*'\nreason = 'r'")
    assert read_config(tmp_path).accepted == (Accepted(item="RB-MASS", robot="a*", reason="r"),)


def test_configuration(tmp_path: Path) -> None:
    assert read_config(tmp_path).engines == ()
    (tmp_path / "pyproject.toml").write_text(
        '[tool.simparity]\nengines = ["mujoco"]\nfail-on = "warning"\n'
        '[[tool.simparity.accept]]\nitem = "RB-*"\nreason = "r"\n'
    )
    read = read_config(tmp_path)
    assert read.engines == ("mujoco",) and read.fail_on == "warning"
    assert read.accepted == (Accepted(item="RB-*", reason="r"),)
    (tmp_path / "simparity.toml").write_text("[tolerances]\nmass = 0.01\n")
    assert read_config(tmp_path).tolerances == {"mass": 0.01}
    for text, says in (
        ("engine = 1", "has no setting 'engine'; its settings: engines, "),
        (
            "[[accept]]\nitem = 'RB-MASS'",
            'simparity.toml: the [[accept]] with item = "RB-MASS" has no reason; give item',
        ),
        ("[[accept]]\nengine = 'mujoco'", "has no item and no reason; give item and reason"),
        ("[[accept]]\nitem = 'RB-MASS'\nreason = 'r'\nfile = 'x'", "has a key 'file'; give item and reason"),
        ("[[accept]]\nitem = 'RB-MAS'\nreason = 'r'", "simparity.toml, under [[accept]]: item 'RB-MAS' does not exist"),
        ("[tolerances]\nmass = 'much'", "give a relative difference"),
        ("= 1", "not readable TOML"),
        ("engines = 'mujoco'", "engines is 'mujoco'; give a list"),
        ("accept = 1", "accept is 1; give tables"),
        ("rtol = 'a'", "rtol is 'a'; give a number"),
        ("[[accept]]\nitem = 'RB-MASS'\nreason = 1", "is no table of words; under [[accept]] give item"),
        ("[tolerances]\nmas = 1e-3", "simparity.toml, under [tolerances]: quantity 'mas' does not exist"),
    ):
        (tmp_path / "simparity.toml").write_text(text)
        with pytest.raises(UsageError, match=re.escape(says)):
            read_config(tmp_path)


def test_engines_are_held_against_each_other_where_the_format_says_nothing() -> None:
    def one(engine: str, pairs: tuple[str, ...] | None, **options: object) -> Examined:
        return Examined(engine=engine, links=("a", "b", "c"), pairs=pairs, options=options)  # type: ignore[arg-type]

    first, last = one("one", ("a+b", "a+c"), k=1.0, same=2), one("three", ("a+b", "b+x"), k=2.0, same=2)
    examined = [first, one("two", None), last]
    (pairs,) = pairs_between_engines("robot.urdf", examined)
    assert pairs.engine == "three" and "1 pairs" in pairs.message and "a+c" in pairs.message
    (option,) = between_engines("robot.urdf", examined)
    assert option.quantity == "k" and "one 1, three 2" in option.message


def test_tolerance_of_a_quantity(tmp_path: Path) -> None:
    """A mass of 2.3 % more, from a shape, is no finding when 5 % are allowed, and only then."""
    shape = "<collision><geometry><box size='.02 .02 .02'/></geometry></collision>"
    bare = re.sub(r'(<link name="tool">).*?(</link>)', rf"\1{shape}\2", URDF, flags=re.DOTALL)
    path = tmp_path / "robot.urdf"
    path.write_text(bare)
    found = check(path, ["mujoco"], STATIC)
    assert any(f.item == "RB-MASS" for f in found.findings), "MuJoCo takes the mass from the shape"
    wide = check(path, ["mujoco"], replace(STATIC, tolerances={"mass": 0.05}))
    assert not any(f.item == "RB-MASS" for f in wide.findings)


def test_a_process_that_dies_or_hangs_is_incomplete(tmp_path: Path) -> None:
    path = tmp_path / "robot.xml"
    path.write_text(PLAIN)
    with EngineProcess("mujoco", tmp_path / "work") as process:
        process.ask(path, STATIC)
        assert process._process is not None
        process._process.kill()
        process._process.wait()
        left = process.answer(STATIC)
        assert {case.status for case in left.cases} == {"incomplete"} and "ended with code -9" in left.cases[0].reason
        hurried = replace(STATIC, timeout=0.0)
        process.ask(path, hurried)
        assert "no answer within 0 s" in process.answer(hurried).cases[0].reason
        process.ask(path, STATIC)  # starts again, and takes several files
        assert process.answer(STATIC).imported
        process.ask(path, STATIC)
        again = process.answer(STATIC)
    assert from_plain(json.loads(json.dumps(again.plain()))) == again


def run(*words: str) -> int:
    return cli.main(["check", *words])


def test_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in (("plain.xml", PLAIN), ("rich.xml", RICH), ("robot.urdf", URDF)):
        (tmp_path / name).write_text(text)
    files = ["--html", "out/a.html", "--md", "a.md", "--junit", "a.junit.xml", "--sarif", "a.sarif"]
    assert run("plain.xml", "--static", *files) == 0
    assert "0 errors, 0 warnings, 0 notes" in capsys.readouterr().out
    assert all((tmp_path / name).stat().st_size for name in ("out/a.html", "a.md", "a.junit.xml", "a.sarif"))
    check_sarif(json.loads((tmp_path / "a.sarif").read_text()))
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"plain.xml", "rich.xml", "robot.urdf", "out", "a.md", "a.junit.xml", "a.sarif"}
    assert run("robot.urdf", "--static", "--fail-on", "note", "--only", "RB") == 1
    assert run("robot.urdf", "--static", "--reference", "mujoco", "--only", "RB-FK") == 0
    for words, says in (
        (["gone.xml"], "robot file gone.xml does not exist"),
        (["plain"], "robot 'plain' is neither a file nor one of ours"),
        (["plain.xml", "--only", "CT,NS"], "CT, NS can only be simulated, and --static leaves that out"),
        (["plain.xml", "--bandwidth", "-1"], "give a positive number of rad/s"),
        (["plain.xml", "--engines", "mujco"], "engine 'mujco' does not exist"),
        (["plain.xml", "--only", "XX"], "item 'XX' does not exist"),
        (["plain.xml", "--fail-on", "all"], "severity 'all' does not exist"),
        (["plain.xml", "--engines", ","], "known"),
    ):
        capsys.readouterr()
        code = run(*words, "--static")
        assert code == (0 if says == "known" else 2)
        assert says == "known" or says in capsys.readouterr().err
    assert run("plain.xml", "--static", "--timeout", "0") == 3


def test_explain(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain"]) == 0
    listed = capsys.readouterr().out
    assert all(item in listed for item in ITEMS)
    assert cli.main(["explain", "rb-inertia"]) == 0
    assert "3 x 3 tensor" in (explained := capsys.readouterr().out) and "[kg m^2]" in explained
    assert cli.main(["explain", "RB-X"]) == 2


def test_items_are_whole() -> None:
    assert {item.group for item in ITEMS.values()} == set(GROUPS)
    for item in ITEMS.values():
        assert item.title and item.text.endswith(".") and item.advice and not item.advice.endswith(".")
    assert chosen(["ns", "RB-MASS"]) == (ITEMS["RB-MASS"], ITEMS["NS-REFINE"])


def test_the_fr3_takes_less_than_five_seconds() -> None:
    path = description_of("fr3")
    check(path, ["mujoco"], STATIC)  # files are in the cache
    start = time.process_time()
    found = check(path, ["mujoco"], STATIC)
    assert found.findings == [] or not found.findings
    assert time.process_time() - start < 5
