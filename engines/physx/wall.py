"""SAPIEN's URDF loader for the import wall; there is none for MJCF."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from ...harness.engine import Value
from ...harness.errors import Unsupported
from ...harness.wall.row import Imported, Missing
from .library import physx, sapien


class _Articulation:
    """An articulation as `URDFLoader.load` made it."""

    def __init__(self, world: Any, articulation: Any) -> None:
        self.world, self.articulation = world, articulation

    def close(self) -> None:
        del self.articulation, self.world

    def read(self, quantity: str) -> Value:
        group, _, rest = quantity.partition(".")
        name, _, what = rest.rpartition(".")
        if group == "model":
            links = self.articulation.links
            moving = [link for link in links if not link.is_root]
            return {"moving_mass": sum(float(link.mass) for link in moving), "dofs": int(self.articulation.dof)}[what]
        if group == "body":
            return self._body(name, what)
        if group == "joint":
            return self._joint(name, what)
        raise Unsupported("PhysX's articulations have no such constraint between joints" if group == "mimic" else group)

    def _body(self, name: str, what: str) -> Value:
        found = [link for link in self.articulation.links if link.name == name]
        if not found:
            raise Missing(f"no body {name!r}")
        X = found[0].cmass_local_pose.to_transformation_matrix().astype(float)
        if what == "mass":
            return float(found[0].mass)
        if what == "com":
            return tuple(map(float, X[:3, 3]))
        turned = X[:3, :3] @ np.diag(found[0].inertia.astype(float)) @ X[:3, :3].T
        return tuple(map(float, turned.ravel()))

    def _joint(self, name: str, what: str) -> Value:
        found = [joint for joint in self.articulation.joints if joint.name == name]
        if not found:
            raise Missing(f"no joint {name!r}")
        joint = found[0]
        if what == "armature":
            return float(joint.armature[0])
        if what == "damping":
            return float(joint.damping)
        if what == "frictionloss":
            raise Unsupported("a joint's friction is a factor on its load, not a torque")
        if what == "effort":
            limit = float(joint.force_limit)
            return math.inf if limit > 1e30 else limit
        return float(joint.limit[0][{"lower": 0, "upper": 1}[what]])


def load(text: str, kind: str) -> Imported:
    """See `Load`."""
    if kind != "urdf":
        raise Unsupported("SAPIEN reads no MJCF")
    world = sapien.Scene([physx.PhysxCpuSystem()])
    loader = world.create_urdf_loader()
    loader.fix_root_link = True
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "robot.urdf"
        path.write_text(text)
        articulation = loader.load(str(path))
    if articulation is None:
        raise ValueError("the loader returned nothing")
    return _Articulation(world, articulation)
