"""What rounding explains and what it does not: inertias that are differences, and frames that an importer rounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from simparity.harness.imported import Motion, Reading
from simparity.harness.portcheck.examine import Tolerances, compared, importer
from simparity.harness.portcheck.finder import Finder
from simparity.harness.portcheck.finding import Finding
from simparity.harness.portcheck.items import chosen
from simparity.harness.portcheck.prepare import prepare
from simparity.harness.portcheck.source import read_source
from simparity.harness.scene import Array


@dataclass
class Engine:
    """MuJoCo with a file of its own, and with what is said of its reading and done to its motion."""

    model: Any
    said: dict[str, Any]

    def reading(self) -> Reading:
        read: Reading = replace(self.model.reading(), **self.said)
        return read

    def motion(self, joints: Sequence[str], q: Array) -> Motion:
        found: Motion = self.model.motion(joints, q)
        return found

    def close(self) -> None:
        self.model.close()


def seen(
    engine: type[Engine], source: str, file: str, folder: Path, only: str, rtol: float | None = None, **said: Any
) -> list[Finding]:
    """Findings of the items `only` where the engine gets `file` in the place of `source`."""
    paths = [folder / "source.urdf", folder / "engine.urdf"]
    for path, text in zip(paths, (source, file), strict=True):
        path.write_text(text)
    module = importer("mujoco")
    model = engine(module.load(str(paths[1])), said)
    finder = Finder("engine", read_source(prepare(paths[0])), module.CAUSES)
    return list(compared(model, finder, chosen(only.split(",")), Tolerances(rtol=rtol)).findings)


FAR = """<robot name="far"><link name="base"/><link name="arm"><inertial><origin xyz="10 0 0"/><mass value="1"/>
<inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="hinge"
type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint></robot>"""


def test_a_tolerance_for_all_is_not_multiplied_by_the_distance_of_the_centre(tmp_path: Path) -> None:
    """m |com|^2 is 1e5 times the inertia: that many of the engine's own digits are lost, not of what was asked for."""
    wrong = FAR.replace('izz="1e-3"', 'izz="1.1e-3"')
    for rtol in (None, 1e-6):
        assert seen(Engine, FAR, wrong, tmp_path, "RB-INERTIA", rtol, about_origin=True)
        lost = FAR.replace('izz="1e-3"', f'izz="{1e-3 * (1 + 1e-10)!r}"')
        assert not seen(Engine, FAR, lost, tmp_path, "RB-INERTIA", rtol, about_origin=True)
    assert seen(Engine, FAR, lost, tmp_path, "RB-INERTIA")


def chain(pitch: str, axis: str = "0 0 1", turn: str = "0") -> str:
    """24 hinges whose frames are turned to and fro by `pitch`, and inertias by `turn` [rad]."""
    inertia = '<mass value="1"/><inertia ixx="1e-3" iyy="2e-3" izz="3e-3" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    text = f'<link name="l0"><inertial>{inertia}'
    for i in range(1, 25):
        text += f'<link name="l{i}"><inertial><origin xyz="0.05 0 0" rpy="0 {turn} 0"/>{inertia}'
        text += f'<joint name="j{i}" type="revolute"><parent link="l{i - 1}"/><child link="l{i}"/>'
        text += f'<origin xyz="0.2 0 0" rpy="0 {pitch if i % 2 else "-" + pitch} 0"/><axis xyz="{axis}"/>'
        text += '<limit lower="-1" upper="1" effort="100" velocity="1"/></joint>'
    return f'<robot name="chain">{text}</robot>'


QUARTER = "1.5707963267948966"
# what an importer that writes a URDF out as text lets pass: Genesis's, which compiles for minutes
ROUNDED = {"joint.axis": 9e-9, "link.orientation": 1.5e-6, "link.inertia": 3e-6}
MOTION = "RB-FRAME,RB-AXIS,RB-INERTIA,RB-FK,RB-MATRIX,RB-GRAVITY"


class Last(Engine):
    """The last joint's entry of M, its gravity torque and the last link's height, off by a factor and a length [m]."""

    entry, torque, height = 1.0, 1.0, 0.0

    def motion(self, joints: Sequence[str], q: Array) -> Motion:
        found = super().motion(joints, q)
        assert found.mass_matrix is not None and found.gravity_torque is not None
        found.mass_matrix[:, -1, -1] *= self.entry
        found.gravity_torque[:, -1] *= self.torque
        found.X_WL["l24"][:, 2] += self.height
        return found


def test_a_real_rounding_is_carried_on_and_is_no_finding(tmp_path: Path) -> None:
    given = chain("1.570796", "0.573576436 0 0.819152044", "1.570796")
    exact = chain(QUARTER, "0.57357644 0 0.81915204", QUARTER)
    assert not seen(Engine, given, exact, tmp_path, MOTION, rounded=ROUNDED)
    found = {f.item for f in seen(Engine, given, exact, tmp_path, MOTION)}
    assert found == set(MOTION.split(",")), "it is far above what precision explains"
    beyond = chain("1.5707", "0.573576436 0 0.819152044", "1.570796")
    found = {f.item for f in seen(Engine, beyond, exact, tmp_path, MOTION, rounded=ROUNDED)}
    assert found == {"RB-FRAME", "RB-FK", "RB-MATRIX", "RB-GRAVITY"}


@pytest.mark.parametrize(
    ("off", "item"),
    [
        ({"entry": 1 + 1e-4}, "RB-MATRIX"),
        ({"torque": 1 + 1e-5}, "RB-GRAVITY"),
        ({"height": 1e-9}, "RB-FK"),
    ],
)
def test_rounded_frames_hide_no_error_of_the_last_link(off: dict[str, float], item: str, tmp_path: Path) -> None:
    """The last link is at the end of 24 rounded frames: its mass matrix is a millionth of the first one's."""
    wrong = type("Wrong", (Last,), off)
    found = seen(wrong, chain("1.570796"), chain(QUARTER), tmp_path, MOTION, rounded=ROUNDED)
    assert [f.item for f in found] == [item] and "24" in found[0].message
