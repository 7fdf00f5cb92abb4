"""A robot file in MuJoCo as its own importer reads it, for the porting checklist."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import mujoco

from ...harness.cause import Cause, Causes, massless_shape
from ...harness.imported import Motion, Reading
from ...harness.mujoco_model import model_motion, model_reading
from ...harness.scene import Array

_FROM_SHAPES = Cause(
    "MuJoCo takes the mass of a link without inertial from its shapes, at 1000 kg/m^3 (inertiafromgeom)",
    "urdf",
    massless_shape,
)
CAUSES: Causes = {
    "RB-LINKS": Cause("MuJoCo merges fixed links of a URDF into their parents (compiler fusestatic)", "urdf"),
    "RB-MASS": _FROM_SHAPES,
    "RB-TOTAL": _FROM_SHAPES,
    "RB-COM": _FROM_SHAPES,
    "RB-INERTIA": _FROM_SHAPES,
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
