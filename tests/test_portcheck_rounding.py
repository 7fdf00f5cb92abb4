"""What rounding explains and what it does not: inertias that are differences, and frames that an importer rounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

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
