"""Quantities of an `MjModel`, for the engines that hold one. Names may have a path in front and a number behind."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from ..engine import Value
from ..errors import SimparityError
from .row import Missing


class MjModelReader:
    """Reads what the rows of the wall ask for; contacts by MuJoCo's own collision detection at a large margin."""

    def __init__(self, model: Any) -> None:
        import mujoco

        self.mj, self.model = mujoco, model

    def read(self, quantity: str) -> Value:
        group, _, rest = quantity.partition(".")
        name, _, what = rest.rpartition(".")
        value: Value = getattr(self, f"_{group}")(name, what)
        return value

    def close(self) -> None:
        del self.model

    def find(self, kind: str, name: str) -> int:
        """Index of the element whose name is `name` or leads back to it.

        Raises:
            Missing: there is none.
        """
        objects = getattr(self.mj.mjtObj, f"mjOBJ_{kind.upper()}")
        count = {"body": "nbody", "joint": "njnt", "geom": "ngeom"}[kind]
        pattern = re.compile(rf"(.*[/_])?{re.escape(name)}(_\d+)?")
        names = [self.mj.mj_id2name(self.model, objects, i) or "" for i in range(getattr(self.model, count))]
        found = [i for i, given in enumerate(names) if pattern.fullmatch(given)]
        if len(found) > 1:
            raise SimparityError(f"the {kind} {name!r} of a row is not unique: {', '.join(names)}")
        if not found:
            raise Missing(f"no {kind} {name!r}")
        return found[0]

    def _option(self, _: str, what: str) -> Value:
        opt, mj = self.model.opt, self.mj
        if what == "contact":
            return not opt.disableflags & mj.mjtDisableBit.mjDSBL_CONTACT
        if what == "gravity_on":
            return not opt.disableflags & mj.mjtDisableBit.mjDSBL_GRAVITY
        if what == "integrator":
            return str(mj.mjtIntegrator(opt.integrator).name).removeprefix("mjINT_").lower()
        if what == "cone":
            return str(mj.mjtCone(opt.cone).name).removeprefix("mjCONE_").lower()
        value = getattr(opt, what)
        return tuple(map(float, value)) if isinstance(value, np.ndarray) else float(value)

    def _model(self, _: str, what: str) -> Value:
        if what == "moving_mass":  # of everything that is not fixed to the world
            moves = np.zeros(self.model.nbody, dtype=bool)
            for i in range(1, self.model.nbody):
                moves[i] = self.model.body_dofnum[i] > 0 or moves[self.model.body_parentid[i]]
            return float(self.model.body_mass[moves].sum())
        return {"bodies": int(self.model.nbody) - 1, "dofs": int(self.model.nv)}[what]

    def _body(self, name: str, what: str) -> Value:
        m, i = self.model, self.find("body", name)
        if what == "mass":
            return float(m.body_mass[i])
        if what == "com":
            return tuple(map(float, m.body_ipos[i]))
        if what == "gravcomp":
            return float(m.body_gravcomp[i])
        if what == "inertia":
            R = np.zeros(9)
            self.mj.mju_quat2Mat(R, m.body_iquat[i])
            turned = R.reshape(3, 3) @ np.diag(m.body_inertia[i]) @ R.reshape(3, 3).T
            return tuple(map(float, turned.ravel()))
        data = self.mj.MjData(m)
        self.mj.mj_kinematics(m, data)
        return tuple(map(float, {"position": data.xpos[i], "rotation": data.xmat[i]}[what]))

    def _joint(self, name: str, what: str) -> Value:
        m, j = self.model, self.find("joint", name)
        dof, q = int(m.jnt_dofadr[j]), int(m.jnt_qposadr[j])
        if what in ("damping", "armature", "frictionloss"):
            return float(np.ravel(getattr(m, f"dof_{what}")[dof])[0])
        if what == "stiffness":
            return float(np.ravel(m.jnt_stiffness[j])[0])
        if what == "dofs":
            return {0: 6, 1: 3}.get(int(m.jnt_type[j]), 1)
        if what == "rest":
            return float(m.qpos_spring[q])
        if what == "ref":
            return float(m.qpos0[q])
        if what == "effort":
            return float(m.jnt_actfrcrange[j, 1]) if m.jnt_actfrclimited[j] else math.inf
        side = {"lower": 0, "upper": 1}[what]
        return float(m.jnt_range[j, side]) if m.jnt_limited[j] else (math.inf if side else -math.inf)

    def _actuator(self, _: str, what: str) -> Value:
        m = self.model
        if not m.nu:
            raise Missing("no actuator")
        if what == "force_limit":
            return float(m.actuator_forcerange[0, 1]) if m.actuator_forcelimited[0] else math.inf
        if what == "gear":
            return float(m.actuator_gear[0, 0])
        return {
            "velocity_gain": -float(m.actuator_biasprm[0, 2]),
            "damper": -float(m.actuator_gainprm[0, 2]),
        }[what]

    def _geom(self, name: str, what: str) -> Value:
        m, g = self.model, self.find("geom", name)
        if what == "time_constant":
            return float(m.geom_solref[g, 0])
        return float(np.ravel(getattr(m, f"geom_{what}")[g])[0])

    def _pair(self, names: str, what: str) -> Value:
        import copy

        ids = {self.find("body", name) for name in names.split("+")}
        near = copy.copy(self.model)
        near.geom_margin[:] = 10.0  # [m]: everything that may touch is found
        near.geom_gap[:] = 0.0
        data = self.mj.MjData(near)
        self.mj.mj_forward(near, data)
        found = [c for c in data.contact if {int(near.geom_bodyid[g]) for g in c.geom} == ids]
        if what == "collide":
            return bool(found)
        if not found:
            raise Missing(f"{names} cannot touch")
        return float(found[0].friction[0])

    def _key(self, _: str, what: str) -> Value:
        if not self.model.nkey:
            raise Missing("no keyframe")
        return float(self.model.key_qpos[0, 0])

    def _mimic(self, name: str, what: str) -> Value:
        m, j = self.model, self.find("joint", name)
        for e in range(m.neq):
            if m.eq_type[e] == self.mj.mjtEq.mjEQ_JOINT and int(m.eq_obj1id[e]) == j:
                offset, multiplier = (float(x) for x in m.eq_data[e, :2])
                return (multiplier, offset)
        raise Missing("no equality of joints")
