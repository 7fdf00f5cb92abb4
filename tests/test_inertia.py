"""Inertias that no real body can have: found as the description states them, refused or named in the run's record."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from simparity.harness.errors import UsageError
from simparity.harness.inertia import is_real, pseudo_inertia, tensor
from simparity.harness.report.summarise import summarise
from simparity.harness.robot_model import model_of
from simparity.harness.scene import Robot, rotation
from simparity.harness.solids import box_inertia

from .test_run import run

ARM = """<mujoco><compiler angle="radian" {compiler}/><worldbody><body name="arm"><joint name="hinge" axis="0 1 0"/>
<inertial mass="{mass}" pos="0 0 -0.3" {inertia}/></body></worldbody></mujoco>"""
URDF = """<robot name="arm"><mujoco><compiler {compiler}/></mujoco><link name="base"/><link name="arm"><inertial>
<mass value="{mass}"/><inertia {inertia}/></inertial></link><joint name="hinge" type="continuous"><parent link="base"/>
<child link="arm"/><axis xyz="0 1 0"/></joint></robot>"""
BALANCED = 'balanceinertia="true"'
FLAT = "ixx='0.1' iyy='0.1' izz='0.3' ixy='0' ixz='0' iyz='0'"


def model(text: str) -> tuple[str, ...]:
    return model_of(Robot(name="arm", description=text)).impossible


def test_the_pseudo_inertia_is_the_sum_over_point_masses() -> None:
    random = np.random.default_rng(1)
    masses, points = random.uniform(0.1, 1, 50), random.normal(size=(50, 3))
    total, com = masses.sum(), masses @ points / masses.sum()
    arms = points - com
    inertia = np.einsum("k,kij->ij", masses, [d @ d * np.eye(3) - np.outer(d, d) for d in arms])
    with_one = np.hstack([points, np.ones((50, 1))])
    expected = np.einsum("k,ki,kj->ij", masses, with_one, with_one)
    np.testing.assert_allclose(pseudo_inertia(total, com, inertia), expected, atol=1e-12)


def test_boxes_are_always_possible_wherever_and_however_they_lie() -> None:
    random = np.random.default_rng(2)
    for _ in range(500):
        mass, (x, y, z) = random.uniform(0.01, 100), 10 ** random.uniform(-3, 1, 3)
        q = random.normal(size=4)
        R = rotation(q / np.linalg.norm(q))
        inertia = R @ np.diag(box_inertia(mass, (x, y, z))) @ R.T
        assert is_real(inertia)
        # about its own centre, so that the offset's rounding does not decide over a box of 1 mm
        assert np.linalg.eigvalsh(pseudo_inertia(mass, np.zeros(3), inertia))[0] > 0


def test_a_flat_plate_is_the_limit_and_beyond_it_nothing_is_real() -> None:
    assert is_real(tensor((1, 2, 3, 0, 0, 0)))
    assert not is_real(tensor((1, 2, 3.001, 0, 0, 0)))
    assert np.linalg.eigvalsh(pseudo_inertia(1.0, np.zeros(3), np.diag([1, 2, 3.001])))[0] < 0
    assert not is_real(tensor((0, 0, 0, 0, 0, 0)))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (ARM.format(compiler=BALANCED, mass=1, inertia='diaginertia="0.1 0.3 0.1"'), "0.1 + 0.1 is less than 0.3"),
        (ARM.format(compiler=BALANCED, mass=1, inertia='fullinertia="0.2 0.2 0.1 0.1 0 0"'), "0.1 + 0.1 is less"),
        (URDF.format(compiler=BALANCED, mass=1, inertia=FLAT), "0.1 + 0.1 is less than 0.3"),
        (ARM.format(compiler='boundinertia="0.01"', mass=1, inertia=""), "0, 0, 0 kg m^2, which no real body can have"),
        (ARM.format(compiler='boundmass="1"', mass=0, inertia='diaginertia="1 1 1"'), "'arm' has no mass and"),
    ],
)
def test_what_the_compiler_repairs_is_named_with_link_and_numbers(text: str, said: str) -> None:
    (note,) = model(text)
    assert note.startswith("link 'arm' ") and said in note and "MuJoCo's compiler takes" in note


def test_included_links_are_looked_at_and_what_a_body_can_have_is_not_named(tmp_path: Path) -> None:
    text = ARM.format(compiler=BALANCED, mass=1, inertia='diaginertia="0.1 0.3 0.1"')
    inside = text[text.index("<body") : text.index("</worldbody>")]
    (tmp_path / "part.xml").write_text(f"<mujoco>{inside}</mujoco>")
    whole = tmp_path / "whole.xml"
    head = "<mujoco><compiler balanceinertia='true'/><worldbody>"
    whole.write_text(f"{head}<include file='part.xml'/></worldbody></mujoco>")
    (note,) = model(str(whole))
    assert note.startswith("link 'arm' of 1 kg")
    plate = ARM.format(compiler=BALANCED, mass=1, inertia='diaginertia="0.1 0.2 0.3"')
    assert model(plate) == ()
    (rounded,) = model(plate.replace("0.1 0.2 0.3", "0.333333 0.333333 0.666667"))
    assert "takes 1 kg and 0.444444, 0.444444, 0.444444" in rounded, "the last digit changes the inertia by a third"
    unused = 'balanceinertia="true" inertiafromgeom="true"'
    solid = ARM.format(compiler=unused, mass=1, inertia='diaginertia="0.1 0.3 0.1"')
    assert model(solid.replace("</body>", '<geom size="0.1"/></body>')) == (), "the geometry's inertia is used instead"


@pytest.mark.parametrize(
    ("inertia", "said"), [("0.1 0.3 0.1", r"0\.1 \+ 0\.1 is less than 0\.3"), ("0 0.1 0.1", "each must be positive")]
)
def test_what_the_compiler_refuses_is_refused_with_file_and_link(tmp_path: Path, inertia: str, said: str) -> None:
    path = tmp_path / "arm.xml"
    path.write_text(ARM.format(compiler="", mass=1, inertia=f'diaginertia="{inertia}"'))
    with pytest.raises(UsageError, match=f"{path} cannot be compiled: link 'arm' of 1 kg.*{said}; correct") as raised:
        model(str(path))
    assert "must satisfy" not in str(raised.value) and "mjMINVAL" not in str(raised.value), "MuJoCo said it first"


def test_what_else_the_compiler_refuses_keeps_its_words(tmp_path: Path) -> None:
    path = tmp_path / "arm.xml"
    text = ARM.format(compiler=BALANCED, mass=1, inertia='diaginertia="0.1 0.3 0.1"')
    path.write_text(text.replace("</worldbody>", "</worldbody><keyframe><key qpos='1 2 3'/></keyframe>"))
    with pytest.raises(UsageError, match=r"cannot be compiled: (?!link).*qpos"):
        model(str(path))


def test_it_stands_in_the_record_the_report_and_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "arm.xml"
    path.write_text(ARM.format(compiler=BALANCED, mass=1, inertia='diaginertia="0.1 0.3 0.1"'))
    words = ("experiment=single_arm", "engine=mujoco", f"experiment.robot={path}", "duration=0.1", "timings=0")
    done = run(tmp_path, "-m", *words, "dt=0.001,0.0005")
    assert done.returncode == 0, done.stdout + done.stderr
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("warning: ")]
    told, note = line[: line.index("link ")], line[line.index("link ") :]
    assert told.endswith(" and 1 more: ") and "'arm' of 1 kg has principal moments of inertia 0.1, 0.1, 0.3 kg" in note
    for record in tmp_path.glob("results/*/*/*/*/run.json"):
        assert note in json.loads(record.read_text())["notes"]
    (section,) = summarise(tmp_path / "results").sections
    assert [(finding.text, finding.runs) for finding in section.findings] == [(note, 2)]
    counted = run(tmp_path, "experiment=dynamics", "engine=mujoco", f"experiment.robot={path}", "experiment.samples=2")
    assert counted.returncode == 0, counted.stdout
    (found,) = tmp_path.glob("results/*/dynamics/*/*/run.json")
    assert json.loads(found.read_text())["metrics"]["impossible_inertias"] == 1
