"""Defects in Genesis: setters of the built scene; frames, axes, filter, order and dt before it is built."""

from __future__ import annotations

from typing import Any

import genesis as gs
import numpy as np
import torch

from simparity.engines.genesis import process
from simparity.engines.genesis.importer import ImportedModel
from simparity.harness.imported import Reading

from .mutation import FOUND_BY, Mutation

PER_DOF = {"armature": "armature", "damping": "damping", "dry friction": "frictionloss"}
BEFORE_BUILD = ("frame", "axis", "filter", "order", "dt")


class Planted:
    """See `mutation.Planting`."""

    able = tuple(FOUND_BY)

    def __init__(self, path: str) -> None:
        self.path = path
        self.undo: list[Any] = []
        self.other: ImportedModel | None = None

    def sound(self) -> ImportedModel:
        process.start("cpu", 64)
        self.live = self._built(None)
        return self.live

    def _built(self, mutation: Mutation | None) -> ImportedModel:
        options: Any = gs.options.SimOptions(dt=mutation.value) if mutation and mutation.kind == "dt" else None
        profile = gs.options.ProfilingOptions(show_FPS=False)
        world = gs.Scene(show_viewer=False, profiling_options=profile, **({"sim_options": options} if options else {}))
        urdf = self.path.endswith(".urdf")
        entity = world.add_entity(
            gs.morphs.URDF(file=self.path, fixed=True) if urdf else gs.morphs.MJCF(file=self.path)
        )
        if mutation is not None:
            _describe(entity, mutation)
        world.build()
        return ImportedModel(world, entity, urdf)

    def names(self, reading: Reading) -> set[str]:
        return {str(x.name) for x in (*self.live.entity.links, *self.live.entity.joints)}

    def plant(self, mutation: Mutation) -> ImportedModel:
        if mutation.kind in BEFORE_BUILD:
            self.other = self._built(mutation)
            return self.other
        solver, entity, value = self.live.solver, self.live.entity, mutation.value
        if mutation.kind in ("mass", "com", "inertia"):
            link = entity.get_link(mutation.element)
            field = {"mass": "mass", "com": "COM", "inertia": "inertia"}[mutation.kind]
            before = getattr(solver, f"get_links_{field}")().clone()[link.idx]
            new: Any = value
            if mutation.kind == "inertia":
                R = _matrix(solver.dyn_info.links.inertial_quat.to_numpy()[link.idx])
                new = R.T @ np.reshape(value, (3, 3)) @ R
            getattr(link, f"set_{field}")(_tensor(new) if mutation.kind != "mass" else value)
            self.undo.append(lambda: getattr(link, f"set_{field}")(before))
        elif mutation.kind == "gravity":
            before = solver.get_gravity().clone()
            self.live.world.sim.set_gravity(_tensor(value))
            self.undo.append(lambda: self.live.world.sim.set_gravity(before.reshape(-1)[:3]))
        elif mutation.kind == "surface friction":
            link_name, _, index = mutation.element.rpartition("/")
            geom = entity.get_link(link_name).geoms[int(index)]
            before = float(geom.get_friction())
            geom.set_friction(value)
            self.undo.append(lambda: geom.set_friction(before))
        else:
            self._joint(entity, mutation)
        return self.live

    def _joint(self, entity: Any, mutation: Mutation) -> None:
        dof = [entity.get_joint(mutation.element).dof_start - entity.dof_start]
        value: Any = mutation.value
        if mutation.kind == "limit":
            lower, upper = (x.clone() for x in entity.get_dofs_limit(dof))
            entity.set_dofs_limit(_tensor([value[0]]), _tensor([value[1]]), dof)
            self.undo.append(lambda: entity.set_dofs_limit(lower, upper, dof))
            return
        field = PER_DOF[mutation.kind]
        before = getattr(entity, f"get_dofs_{field}")(dof).clone()
        getattr(entity, f"set_dofs_{field}")(_tensor([value]), dof)
        self.undo.append(lambda: getattr(entity, f"set_dofs_{field}")(before, dof))

    def remove(self) -> None:
        for put_back in reversed(self.undo):
            put_back()
        self.undo.clear()
        if self.other is not None:
            self.other.close()
            self.other = None


def _describe(entity: Any, mutation: Mutation) -> None:
    """Change what the importer made of the file, before the solver gets it."""
    value = mutation.value
    if mutation.kind == "frame":
        entity.get_link(mutation.element).desc.pos = np.array(value)
    elif mutation.kind == "axis":
        desc = entity.get_joint(mutation.element).desc
        field = "dofs_motion_ang" if np.any(desc.dofs_motion_ang) else "dofs_motion_vel"
        setattr(desc, field, np.array([value]))
    elif mutation.kind == "order":
        a, b = (entity.get_joint(name).desc for name in (mutation.element, mutation.other))
        a.name, b.name = b.name, a.name
    elif mutation.kind == "filter":
        for geom in entity.get_link(mutation.element).geoms:
            geom.desc.contype, geom.desc.conaffinity = 1 << 20, 0
        for geom in entity.get_link(mutation.other).geoms:
            geom.desc.conaffinity &= ~(1 << 20)


def _tensor(value: Any) -> Any:
    return torch.as_tensor(np.array(value, float), dtype=gs.tc_float)


def _matrix(q: Any) -> Any:
    w, x, y, z = np.asarray(q, float).reshape(-1)[:4]
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
