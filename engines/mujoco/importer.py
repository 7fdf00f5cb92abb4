"""A robot file in MuJoCo as its own importer reads it, for the porting checklist."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import mujoco

from ...harness.imported import Motion, Reading
from ...harness.mujoco_model import model_motion, model_reading
from ...harness.scene import Array

CAUSES: Mapping[str, str] = {
    "RB-LINKS": "MuJoCo merges fixed links of a URDF into their parents (compiler fusestatic)",
    "RB-HOME": "MuJoCo counts a joint's coordinate from ref",
    "CF-GEOMS": "MuJoCo leaves out the visual shapes of a URDF (compiler discardvisual)",
}
LACKS: Mapping[str, str] = {}


class ImportedModel:
    """One `MjModel`."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def reading(self) -> Reading:
        return replace(model_reading(self.model), lacks=LACKS, precision=64)

    def motion(self, joints: Sequence[str], q: Array) -> Motion:
        return model_motion(self.model, joints, q)

    def close(self) -> None:
        del self.model


def load(path: str) -> ImportedModel:
    """The file through `MjModel.from_xml_path`."""
    return ImportedModel(mujoco.MjModel.from_xml_path(path))
