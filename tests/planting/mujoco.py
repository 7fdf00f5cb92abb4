"""Defects in MuJoCo: `MjSpec` is edited and compiled again; the checklist reads the arrays of the model."""

from __future__ import annotations

import math
from typing import Any

import mujoco
import numpy as np

from simparity.engines.mujoco.importer import ImportedModel, load
from simparity.harness.imported import Reading

from .mutation import FOUND_BY, Mutation


class Planted:
    """See `mutation.Planting`."""

    able = tuple(FOUND_BY)

    def __init__(self, path: str) -> None:
        self.path = path

    def sound(self) -> ImportedModel:
        self.model = load(self.path)
        return self.model

    def names(self, reading: Reading) -> set[str]:
        model, known = self.model.model, set()
        for kind in (mujoco.mjtObj.mjOBJ_BODY, mujoco.mjtObj.mjOBJ_JOINT):
            count = model.nbody if kind == mujoco.mjtObj.mjOBJ_BODY else model.njnt
            known |= {mujoco.mj_id2name(model, kind, i) for i in range(count)}
        return known - {None}

    def plant(self, mutation: Mutation) -> ImportedModel:
        spec = mujoco.MjSpec.from_file(self.path)
        model, value, name = self.model.model, mutation.value, mutation.element
        if mutation.kind in ("mass", "inertia", "com"):
            self._inertial(spec, model, mutation)
        elif mutation.kind == "frame":
            spec.body(name).pos = value
        elif mutation.kind == "order":
            a, b = spec.joint(name), spec.joint(mutation.other)
            a.name, b.name = "between", name
            a.name = mutation.other
            _follow(spec, name, mutation.other)
        elif mutation.kind == "filter":
            spec.add_exclude(bodyname1=name, bodyname2=mutation.other)
        elif mutation.kind == "gravity":
            spec.option.gravity = value
        elif mutation.kind == "dt":
            spec.option.timestep = value
        elif mutation.kind == "surface friction":
            link, _, index = name.rpartition("/")
            solid = [g for g in spec.body(link).geoms if g.contype or g.conaffinity]
            solid[int(index)].friction[0] = value
        else:
            self._joint(spec, model, mutation)
        return ImportedModel(spec.compile())

    def _inertial(self, spec: Any, model: Any, mutation: Mutation) -> None:
        spec.compiler.inertiafromgeom = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_AUTO
        body, i = spec.body(mutation.element), model.body(mutation.element).id
        body.explicitinertial = True
        body.mass, body.ipos, body.iquat = model.body_mass[i], model.body_ipos[i], model.body_iquat[i]
        body.ialt.type = mujoco.mjtOrientation.mjORIENTATION_QUAT
        body.inertia, body.fullinertia = model.body_inertia[i], np.full(6, np.nan)
        if mutation.kind == "mass":
            body.mass = mutation.value
        elif mutation.kind == "com":
            body.ipos = mutation.value
        else:
            moments, axes = np.linalg.eigh(np.reshape(mutation.value, (3, 3)))
            axes[:, 2] *= np.sign(np.linalg.det(axes))
            quat = np.zeros(4)
            mujoco.mju_mat2Quat(quat, axes.ravel())
            body.inertia, body.iquat = moments, quat

    def _joint(self, spec: Any, model: Any, mutation: Mutation) -> None:
        joint, value = spec.joint(mutation.element), mutation.value
        if mutation.kind == "axis":
            joint.axis = value
        elif mutation.kind == "limit":
            turning = joint.type == mujoco.mjtJoint.mjJNT_HINGE and spec.compiler.degree
            joint.range = [math.degrees(x) if turning else x for x in value]  # type: ignore[union-attr]
        else:
            field = {"armature": "armature", "damping": "damping", "dry friction": "frictionloss"}[mutation.kind]
            if np.ndim(getattr(joint, field)):
                getattr(joint, field)[0] = value
            else:
                setattr(joint, field, value)

    def remove(self) -> None:
        """Every plant is a model of its own."""


def _follow(spec: Any, a: str, b: str) -> None:
    """What names one of two joints goes on naming it after their names were swapped."""
    other = {a: b, b: a}
    for actuator in spec.actuators:
        actuator.target = other.get(actuator.target, actuator.target)
