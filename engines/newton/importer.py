"""A robot file in Newton as its own importer and `SolverMuJoCo` read it, for the porting checklist."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import mujoco
import mujoco_warp
import newton
import numpy as np
import warp as wp
from newton.solvers import SolverMuJoCo

from ...harness.cause import Cause, Causes, unreal
from ...harness.engine import Resolved, Value
from ...harness.imported import WORLD, Key, Motion, Reading
from ...harness.mujoco_layout import Layout, Names
from ...harness.resolution import absent, floats
from ...harness.scene import Array
from .dynamics import Evaluation
from .readback import Live

_NOT_TAKEN = "SolverMuJoCo.step takes dt from the caller, whatever the file says"
CAUSES: Causes = {
    "DF-SET:gravity": "Newton's importer ignores option gravity; give it to ModelBuilder(gravity=)",
    "DF-SET:dt": _NOT_TAKEN,
    "DF-SET:tolerance": "MuJoCo Warp raises tolerances below 1e-6",
    "DF-SET:noslip_iterations": "Newton's importer drops noslip_iterations",
    "DF-DEFAULT:tolerance": "MuJoCo Warp raises tolerances below 1e-6",
    "DF-DEFAULT:integrator": "SolverMuJoCo takes implicitfast where the file names no integrator",
    "DF-DEFAULT:flag_multiccd": "SolverMuJoCo switches multi-contact off unless enable_multiccd is given",
    "DF-DEFAULT:flag_nativeccd": "SolverMuJoCo's own setting",
    "DF-SURFACE:gap": "ModelBuilder.rigid_gap, 0.1 m, where the file has none",
    "DF-SURFACE:margin": "SolverMuJoCo zeroes margins for its convex collider",
    "RB-INERTIA": Cause("Newton corrects inertias that no rigid body can have, and says so in a warning", when=unreal),
    "RB-HOME": "joint_q counts from ref, so that its zero is MuJoCo's ref",
    "RB-LIMIT:stand-in": "an unlimited joint gets the range +-1e10",
    "RB-EFFORT:stand-in": "a joint without a limit gets 1e6",
    "RB-EFFORT:effort_lower": "Newton keeps one effort limit per joint, the upper one",
    "RB-ACTUATOR:stand-in": "a range that the file does not give becomes +-1e6",
    "RB-ACTUATOR:extra": Cause("Newton makes an actuator of every joint of a URDF (joint_target_mode)", "urdf"),
    "CF-NAMES": 'labels are paths, with "-" written as "_"',
    "CF-PAIRS:lost pairs": "Newton filters parent and child also where the parent is fixed to the world, and "
    "bodies tied by a weld",
}
LACKS: Mapping[str, str] = {
    "option.dt": _NOT_TAKEN,
    "keyframe": "Newton's importer drops keyframes",
    "count.sensor": "Newton's importer drops sensors",
    "count": "Newton has no such elements, or keeps them outside of the solver",
}
_FLAGS = ("CONTACT", "LIMIT", "FRICTIONLOSS", "EQUALITY", "GRAVITY", "REFSAFE", "FILTERPARENT", "EULERDAMP", "MULTICCD")


class ImportedModel:
    """The model with its solver."""

    def __init__(self, model: Any, solver: Any, notes: tuple[str, ...]) -> None:
        self.model, self.solver, self.notes = model, solver, notes
        self.evaluation: Evaluation | None = None

    def _names(self) -> Names:
        mj, solver, model = self.solver.mj_model, self.solver, self.model
        bodies = [WORLD] * mj.nbody
        for i, body in enumerate(solver.mjc_body_to_newton.numpy()[0]):
            bodies[i] = model.body_label[int(body)] if body >= 0 else (mj.body(i).name or WORLD)
        starts = model.joint_qd_start.numpy()
        labels: list[str] = []
        for dof in self._newton_dofs():
            joint = int(np.searchsorted(starts, dof, side="right")) - 1
            single = starts[joint + 1] - starts[joint] == 1 or int(model.joint_type.numpy()[joint]) != _D6
            labels.append(model.joint_label[joint] + ("" if single else f"[{dof - int(starts[joint])}]"))

        def named(kind: Any, count: int, word: str) -> tuple[str, ...]:
            return tuple(mujoco.mj_id2name(mj, kind, i) or f"unnamed {word} {i}" for i in range(count))

        kinds = mujoco.mjtObj
        return Names(
            bodies=tuple(bodies),
            joints=tuple(labels),
            actuators=named(kinds.mjOBJ_ACTUATOR, mj.nu, "actuator"),
            tendons=named(kinds.mjOBJ_TENDON, mj.ntendon, "tendon"),
            sites=named(kinds.mjOBJ_SITE, mj.nsite, "site"),
        )

    def _newton_dofs(self) -> list[int]:
        """Newton's first degree of freedom of every joint of the solver."""
        first = self.solver.mj_model.jnt_dofadr
        return [int(self.solver.mjc_dof_to_newton_dof.numpy()[0][int(a)]) for a in first]

    def _field(self, live: Live, name: str) -> Any:
        if isinstance(getattr(live.model, name, None), wp.array):
            return live.array(name)
        return getattr(self.solver.mj_model, name)

    def reading(self) -> Reading:
        live = Live(self.solver, {})
        shapes, flags = self.solver.mjc_geom_to_newton_shape.numpy()[0], self.model.shape_flags.numpy()
        solid = [shape >= 0 and bool(flags[shape] & _COLLIDES) for shape in shapes]
        layout = Layout(lambda name: self._field(live, name), self._names(), "mjw_model.", solid)
        limited = np.asarray(self._field(live, "jnt_limited")).astype(bool)
        read = layout.reading(limited, dict(_options(live)), parent_filter=live.enabled("FILTERPARENT"))
        table = {**read.table, **dict(self._homes(read))}
        return replace(read, table=table, lacks=LACKS, precision=32, notes=self.notes)

    def _homes(self, read: Reading) -> Iterator[tuple[Key, Resolved]]:
        """Coordinates at zero displacement as `joint_q` counts them: from `ref`."""
        attributes: Any = getattr(self.model, "mujoco", None)
        refs = attributes.dof_ref.numpy() if hasattr(attributes, "dof_ref") else None
        for joint, dof in zip(read.joints, self._newton_dofs(), strict=True):
            key = Key("joint", joint, "home")
            if refs is not None and key in read.table and refs[dof]:
                value = float(read.table[key].value) - float(refs[dof])  # type: ignore[arg-type]
                yield key, replace(read.table[key], value=value, native="qpos0 - model.mujoco.dof_ref")

    def motion(self, joints: Sequence[str], q: Array) -> Motion:
        names, mj = self._names(), self.solver.mj_model
        dofs = dict(zip(names.joints, self._newton_dofs(), strict=True))
        newton_bodies = [int(body) for body in self.solver.mjc_body_to_newton.numpy()[0] if body >= 0]
        access: Any = SimpleNamespace(
            link_names=[self.model.body_label[body] for body in newton_bodies],
            bodies=np.array(newton_bodies),
            v=np.array([dofs[joint] for joint in joints], dtype=int),
        )
        if not joints or not mj.nv:
            return Motion(X_WL={}, why="no hinge and no slide joint")
        evaluation = Evaluation(self.solver, access)
        n, k = len(q), len(joints)
        poses = np.zeros((n, len(newton_bodies), 7))
        M, gravity = np.zeros((n, k, k)), np.zeros((n, k))
        for i in range(n):
            found = evaluation.at(q[i], np.zeros(k), access.link_names[0])
            poses[i], M[i], gravity[i] = found.X_WL, found.mass_matrix, found.bias
        X_WL = {name: poses[:, i] for i, name in enumerate(access.link_names)}
        return Motion(X_WL=X_WL, mass_matrix=M, gravity_torque=gravity, armature=True)

    def close(self) -> None:
        del self.solver, self.model


_D6 = int(newton.JointType.D6)
_COLLIDES = int(newton.ShapeFlags.COLLIDE_SHAPES)


def _options(live: Live) -> Iterator[tuple[Key, Resolved]]:
    opt = live.opt
    rows: dict[str, tuple[Value, str]] = {
        "gravity": (floats(live.option("gravity")), "m/s^2"),
        "integrator": (live.integrator.lower(), ""),
        "cone": (live.cone, ""),
        "solver": (live.solver_name.lower(), ""),
        "impratio": (live.impratio, "1"),
        "tolerance": (float(live.option("tolerance")), "1"),
        "density": (float(live.option("density")), "kg/m^3"),
        "viscosity": (float(live.option("viscosity")), "Pa s"),
        "wind": (floats(live.option("wind")), "m/s"),
        "friction_combine": ("max, unless geom_priority differs", ""),
    }
    for name in ("iterations", "ls_iterations", "noslip_iterations"):
        rows[name] = (int(getattr(opt, name)), "1")
    for flag in _FLAGS:
        if hasattr(mujoco_warp.DisableBit, flag):
            rows[f"flag_{flag.lower()}"] = (live.enabled(flag), "")
    for name, (value, unit) in rows.items():
        native = f"mjw_model.opt.{name}"
        yield Key("option", "", name), Resolved(value=value, unit=unit, origin="default", native=native)
    yield Key("option", "", "dt"), absent("s", _NOT_TAKEN)


def load(path: str) -> ImportedModel:
    """The file through `ModelBuilder.add_mjcf` or `add_urdf`, then `SolverMuJoCo`, all at their defaults."""
    wp.config.log_level = wp.LOG_WARNING
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        builder = newton.ModelBuilder()
        SolverMuJoCo.register_custom_attributes(builder)
        if path.endswith(".urdf"):
            builder.add_urdf(path)
        else:
            builder.add_mjcf(path)
        model = builder.finalize(device="cpu")
        solver = SolverMuJoCo(model)
    said = Counter(" ".join(str(w.message).split()) for w in caught if "Newton" in w.category.__name__)
    return ImportedModel(model, solver, tuple(said)[:10])
