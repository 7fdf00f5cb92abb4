"""Defects in Newton: arrays of its own `Model`, then `notify_model_changed`; the checklist reads the solver's arrays.

The collision filter and labels are fixed when a model is made: they are changed in the builder.
"""

from __future__ import annotations

from typing import Any

import newton
import numpy as np
import warp as wp
from newton.solvers import SolverMuJoCo

from simparity.engines.newton.importer import ImportedModel
from simparity.harness.imported import Reading

from .mutation import FOUND_BY, Mutation

PER_DOF = {"armature": "joint_armature", "damping": "joint_damping", "dry friction": "joint_friction"}


class Planted:
    """See `mutation.Planting`; Newton has no dt of its own."""

    able = tuple(kind for kind in FOUND_BY if kind != "dt")

    def __init__(self, path: str) -> None:
        self.path = path
        self.kept: list[tuple[Any, Any]] = []

    def sound(self) -> ImportedModel:
        wp.config.log_level = wp.LOG_WARNING
        self.live = self._finalized(self._builder())
        return self.live

    def _builder(self) -> Any:
        builder = newton.ModelBuilder()
        SolverMuJoCo.register_custom_attributes(builder)
        (builder.add_urdf if self.path.endswith(".urdf") else builder.add_mjcf)(self.path)
        return builder

    def _finalized(self, builder: Any) -> ImportedModel:
        model = builder.finalize(device="cpu")
        return ImportedModel(model, SolverMuJoCo(model), ())

    def names(self, reading: Reading) -> set[str]:
        return set(self.live.model.body_label) | set(self.live.model.joint_label)

    def plant(self, mutation: Mutation) -> ImportedModel:
        if mutation.kind in ("filter", "order"):
            return self._rebuilt(mutation)
        model, value = self.live.model, mutation.value
        if mutation.kind in ("mass", "inertia", "com"):
            body = model.body_label.index(mutation.element)
            self._set(f"body_{mutation.kind}", body, np.reshape(value, (3, 3)) if mutation.kind == "inertia" else value)
        elif mutation.kind == "frame":
            joint = self._moving(mutation.element)
            placement = model.joint_X_p.numpy()[joint].copy()
            placement[:3] += np.array(value) - self._position(mutation.element)
            self._set("joint_X_p", joint, placement)
        elif mutation.kind == "gravity":
            self.kept.append((model.gravity, model.gravity.numpy().copy()))
            model.set_gravity(value)
        elif mutation.kind == "surface friction":
            self._set("shape_material_mu", self._shape(mutation.element), value)
        else:
            self._joint(model, mutation)
        self.live.solver.notify_model_changed(newton.ModelFlags.ALL)
        return self.live

    def _joint(self, model: Any, mutation: Mutation) -> None:
        dof = int(model.joint_qd_start.numpy()[model.joint_label.index(mutation.element)])
        value: Any = mutation.value
        if mutation.kind == "limit":
            self._set("joint_limit_lower", dof, value[0])
            self._set("joint_limit_upper", dof, value[1])
        elif mutation.kind == "axis":  # Newton keeps it in the joint's frame, which X_c places in the link
            turned = wp.quat_rotate_inv(
                wp.quat(*model.joint_X_c.numpy()[self._index(mutation.element)][3:]), wp.vec3(*value)
            )
            self._set("joint_axis", dof, np.array(turned))
        else:
            self._set(PER_DOF[mutation.kind], dof, value)

    def _set(self, name: str, index: int, value: Any) -> None:
        array = getattr(self.live.model, name)
        whole = array.numpy().copy()
        self.kept.append((array, whole.copy()))
        whole[index] = value
        array.assign(whole)

    def _index(self, joint: str) -> int:
        return int(self.live.model.joint_label.index(joint))

    def _moving(self, link: str) -> int:
        body = self.live.model.body_label.index(link)
        return int(np.flatnonzero(self.live.model.joint_child.numpy() == body)[0])

    def _position(self, link: str) -> Any:
        return np.array(self.live.solver.mj_model.body_pos[self._solver_body(link)])

    def _solver_body(self, link: str) -> int:
        bodies = self.live.solver.mjc_body_to_newton.numpy()[0]
        return int(np.flatnonzero(bodies == self.live.model.body_label.index(link))[0])

    def _shape(self, geom: str) -> int:
        link, _, index = geom.rpartition("/")
        body = self._solver_body(link)
        shapes = self.live.solver.mjc_geom_to_newton_shape.numpy()[0]
        flags = self.live.model.shape_flags.numpy()
        owners = self.live.solver.mj_model.geom_bodyid
        solid = [s for s, owner in zip(shapes, owners, strict=True) if owner == body and s >= 0 and flags[s] & 2]
        return int(solid[int(index)])

    def _rebuilt(self, mutation: Mutation) -> ImportedModel:
        builder = self._builder()
        if mutation.kind == "order":
            labels = builder.joint_label
            a, b = labels.index(mutation.element), labels.index(mutation.other)
            labels[a], labels[b] = labels[b], labels[a]
        else:
            shapes = [builder.body_shapes[builder.body_label.index(x)] for x in (mutation.element, mutation.other)]
            for s in shapes[0]:
                for t in shapes[1]:
                    builder.add_shape_collision_filter_pair(s, t)
        return self._finalized(builder)

    def remove(self) -> None:
        for array, whole in reversed(self.kept):
            array.assign(whole)
        if self.kept:
            self.live.solver.notify_model_changed(newton.ModelFlags.ALL)
        self.kept.clear()
