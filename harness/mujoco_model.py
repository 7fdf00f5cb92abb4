"""Names and options of MuJoCo's own `MjModel`, for a `Reading` of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .engine import Resolved, Value
from .imported import WORLD, Key, Motion, Reading
from .mujoco_layout import Layout, Names
from .resolution import floats
from .scene import Array


def names_of(model: Any) -> Names:
    """Names of an `MjModel`'s elements; those without one are named by their place, as LINK/jointK and so on."""
    import mujoco

    def plain(kind: Any, count: int, word: str) -> tuple[str, ...]:
        return tuple(mujoco.mj_id2name(model, kind, i) or f"{word}{i}" for i in range(count))

    kinds = mujoco.mjtObj
    bodies = [WORLD]
    children: Counter[int] = Counter()
    for i in range(1, model.nbody):
        parent = int(model.body_parentid[i])
        name = mujoco.mj_id2name(model, kinds.mjOBJ_BODY, i)
        bodies.append(name or f"{bodies[parent]}/body{children[parent]}")
        children[parent] += 1
    joints = []
    for j in range(model.njnt):
        body = int(model.jnt_bodyid[j])
        name = mujoco.mj_id2name(model, kinds.mjOBJ_JOINT, j)
        joints.append(name or f"{bodies[body]}/joint{j - int(model.body_jntadr[body])}")
    return Names(
        bodies=tuple(bodies),
        joints=tuple(joints),
        actuators=plain(kinds.mjOBJ_ACTUATOR, model.nu, "actuator"),
        tendons=plain(kinds.mjOBJ_TENDON, model.ntendon, "tendon"),
        sites=plain(kinds.mjOBJ_SITE, model.nsite, "site"),
        keys=plain(kinds.mjOBJ_KEY, model.nkey, "key"),
    )


def option_rows(model: Any, native: str = "opt.") -> Iterator[tuple[Key, Resolved]]:
    """Rows of an `MjModel`'s options that decide numbers."""
    import mujoco

    opt = model.opt
    words: dict[str, tuple[Value, str, str]] = {
        "dt": (float(opt.timestep), "s", "timestep"),
        "gravity": (floats(opt.gravity), "m/s^2", "gravity"),
        "integrator": (mujoco.mjtIntegrator(opt.integrator).name.removeprefix("mjINT_").lower(), "", "integrator"),
        "cone": (mujoco.mjtCone(opt.cone).name.removeprefix("mjCONE_").lower(), "", "cone"),
        "solver": (mujoco.mjtSolver(opt.solver).name.removeprefix("mjSOL_").lower(), "", "solver"),
        "density": (float(opt.density), "kg/m^3", "density"),
        "viscosity": (float(opt.viscosity), "Pa s", "viscosity"),
        "wind": (floats(opt.wind), "m/s", "wind"),
    }
    for name, unit in (("iterations", "1"), ("ls_iterations", "1"), ("noslip_iterations", "1")):
        words[name] = (int(getattr(opt, name)), unit, name)
    for name in ("tolerance", "impratio"):
        words[name] = (float(getattr(opt, name)), "1", name)
    for flag in mujoco.mjtDisableBit.__members__:
        bit = int(getattr(mujoco.mjtDisableBit, flag))
        if flag.startswith("mjDSBL_"):
            name = flag.removeprefix("mjDSBL_").lower()
            words[f"flag_{name}"] = (not opt.disableflags & bit, "", "disableflags")
    for flag in ("OVERRIDE", "ENERGY", "FWDINV", "SLEEP"):
        if hasattr(mujoco.mjtEnableBit, f"mjENBL_{flag}"):
            bit = int(getattr(mujoco.mjtEnableBit, f"mjENBL_{flag}"))
            words[f"flag_{flag.lower()}"] = (bool(opt.enableflags & bit), "", "enableflags")
    for name, (value, unit, field) in words.items():
        yield Key("option", "", name), Resolved(value=value, unit=unit, origin="file", native=native + field)


COUNTED = ("sensor", "site", "flex", "plugin", "hfield")


def model_reading(model: Any) -> Reading:
    """An `MjModel` as plain values."""
    extra = {**dict(option_rows(model)), **dict(_counts(model))}
    layout = Layout(lambda name: getattr(model, name), names_of(model))
    parent_filter = not model.opt.disableflags & 1 << 10
    return layout.reading(np.asarray(model.jnt_limited).astype(bool), extra, parent_filter=bool(parent_filter))


def _counts(model: Any) -> Iterator[tuple[Key, Resolved]]:
    for name in COUNTED:
        value = int(getattr(model, f"n{name}", 0))
        yield Key("count", name, "number"), Resolved(value=value, unit="1", origin="file", native=f"n{name}")


def model_motion(model: Any, joints: Sequence[str], q: Array) -> Motion:
    """`Motion` of an `MjModel`, whose mass matrix holds the armature."""
    import mujoco

    names, data, n = names_of(model), mujoco.MjData(model), len(q)
    ids = [names.joints.index(joint) for joint in joints]
    v, places = model.jnt_dofadr[ids].astype(int), model.jnt_qposadr[ids].astype(int)
    poses = {link: np.zeros((n, 7)) for link in names.bodies[1:]}
    M, gravity = np.zeros((n, len(ids), len(ids))), np.zeros((n, len(ids)))
    whole = np.zeros((model.nv, model.nv))
    for k in range(n):
        mujoco.mj_resetData(model, data)
        data.qpos[places] = q[k]
        for stage in (mujoco.mj_kinematics, mujoco.mj_comPos, mujoco.mj_tendon, mujoco.mj_makeM, mujoco.mj_comVel):
            stage(model, data)  # mj_fwdPosition without collisions, which need most of its time
        mujoco.mj_rne(model, data, 0, data.qfrc_bias)
        for i, link in enumerate(names.bodies[1:], start=1):
            poses[link][k] = (*data.xpos[i], *data.xquat[i])
        if model.nv:
            mujoco.mj_fullM(model, data, whole)
        M[k], gravity[k] = whole[np.ix_(v, v)], data.qfrc_bias[v]
    return Motion(X_WL=poses, mass_matrix=M, gravity_torque=gravity, armature=True)
