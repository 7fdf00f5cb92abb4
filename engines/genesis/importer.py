"""A robot file in Genesis as its own importer reads it, for the porting checklist."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import genesis as gs
import numpy as np
import torch

from ...harness.cause import Cause, Causes, free_root, massless, unset
from ...harness.engine import Resolved, Value
from ...harness.imported import WORLD, Key, Motion, Reading, unordered
from ...harness.resolution import floats
from ...harness.scene import Array
from . import process
from .readback import in_link_axes, numbers

_ALIGN = "Genesis moves the frame of a free root link onto the centre of its shapes (align)"
CAUSES: Causes = {
    "RB-LINKS": Cause("Genesis merges fixed links of a URDF into their parents (merge_fixed_links)", "urdf"),
    "RB-ARMATURE": Cause(
        "Genesis gives every joint without armature 0.1 (default_armature), also of a URDF", when=unset
    ),
    "RB-MASS": Cause("a link without mass gets gs.EPS", when=massless),
    "RB-FRAME": Cause(_ALIGN, "mjcf", free_root),
    "RB-COM": Cause(_ALIGN, "mjcf", free_root),
    "RB-FK": Cause(_ALIGN, "mjcf", free_root),
    "RB-EFFORT": "Genesis keeps one force range per joint: the actuator's where the file has one",
    "RB-SPRING:rest": "springs of Genesis rest at the coordinate of the file's ref",
    "DF-SET": "Genesis ignores the option element; gs.options.SimOptions and RigidOptions hold these",
    "DF-DEFAULT:dt": "gs.options.SimOptions(dt=)",
    "DF-SURFACE:solref": "a shape without solref gets 0.01 in Genesis; margin, gap, priority and solmix are not read",
    "CF-PAIRS:lost pairs": "Genesis drops pairs that touch at zero joint positions, and parent with child also where "
    "the parent is fixed (enable_neutral_collision, enable_adjacent_collision)",
    "CF-MESH": "Genesis makes convex hulls of meshes and keeps 500 faces (convexify, decimate)",
    "CF-GEOMS": "Genesis makes convex hulls of meshes, several of one where it decomposes (convexify)",
}
_NO_ACTUATORS = "Genesis keeps a gain, a bias and a force range per joint and no actuators"
LACKS: Mapping[str, str] = {
    "actuator": _NO_ACTUATORS,
    "option": "Genesis has no such option",
    "link.gravity_compensation": "Genesis does not import gravcomp from a file",
    "joint.limit_margin": "Genesis's joint limits have no margin",
    "joint.limit_solimp": "Genesis keeps one set of parameters per joint",
    "joint.friction_solref": "Genesis keeps one set of parameters per joint",
    "tendon": "Genesis has no tendons",
    "keyframe": "Genesis does not import keyframes",
    "count": "Genesis does not import such elements",
    "geom.margin": "Genesis's contact begins at touch",
    "geom.gap": "Genesis's contact begins at touch",
    "geom.priority": "Genesis mixes friction by the larger one always",
    "geom.solmix": "Genesis mixes softness by the plain mean",
    "geom.contact_dimensions": "Genesis takes its cone from the solver, not from a shape",
}
KINDS = {1: "hinge", 2: "slide", 3: "ball", 4: "free"}  # gs.JOINT_TYPE
SHAPES = {
    "plane": "plane",
    "sphere": "sphere",
    "ellipsoid": "ellipsoid",
    "cylinder": "cylinder",
    "capsule": "capsule",
    "box": "box",
}
# Genesis writes a URDF out as text and has MuJoCo compile that text (utils/mjcf.py, ext/urdfpy). An axis is printed
# with 8 decimals. A rotation is printed as roll, pitch and yaw, with the pitch at exactly 90 degrees where its sine is
# within 1e-12 of 1, that is within sqrt(2e-12) rad; a tensor that is turned by d changes by 2 d of its largest entry.
_PITCH = float(np.sqrt(2e-12))
ROUNDED: Mapping[str, float] = {
    "joint.axis": 5e-9 * float(np.sqrt(3.0)),
    "link.orientation": _PITCH,
    "geom.orientation": _PITCH,
    "link.inertia": 2 * _PITCH,
    "geom.size": 5e-9,
}
EQUALITIES = {0: "connect", 1: "weld", 2: "joint"}  # gs.EQUALITY_TYPE


class ImportedModel:
    """One built world with the robot as its one entity."""

    def __init__(self, world: Any, entity: Any, urdf: bool = False) -> None:
        self.world, self.entity, self.solver, self.urdf = world, entity, world.rigid_solver, urdf
        self.links: dict[int, str] = {}  # Genesis's index -> name
        self.parents: dict[str, str] = {}
        for n, link in enumerate(entity.links):
            name = str(link.name) or f"link{n}"
            root = link.parent_idx < 0 or link.parent_idx not in self.links
            name = WORLD if root and name == WORLD else name
            self.links[int(link.idx)] = name
            if name != WORLD:
                self.parents[name] = WORLD if root else self.links[int(link.parent_idx)]
        self.joints: dict[str, Any] = {}
        for n, joint in enumerate(entity.joints):
            if int(joint.type) in KINDS:
                self.joints[str(joint.name) or f"joint{n}"] = joint
        counts: Counter[int] = Counter()
        self.geoms: dict[int, str] = {}
        for geom in entity.geoms:
            owner = int(geom.link.idx)
            self.geoms[int(geom.idx)] = f"{self.links[owner]}/{counts[owner]}"
            counts[owner] += 1

    def reading(self) -> Reading:
        table = {**dict(self._link_rows()), **dict(self._joint_rows()), **dict(self._geom_rows())}
        table |= {**dict(self._equalities()), **dict(self._options())}
        return Reading(
            links=tuple(name for name in self.links.values() if name != WORLD),
            parents=self.parents,
            joints=tuple(self.joints),
            moved={name: self.links[int(joint.link.idx)] for name, joint in self.joints.items()},
            kinds={name: KINDS[int(joint.type)] for name, joint in self.joints.items()},
            table=table,
            geoms=tuple(self.geoms.values()),
            pairs=self._pairs(),
            lacks=LACKS,
            precision=process.precision(),
            rounded=ROUNDED if self.urdf else {},
        )

    def _link_rows(self) -> Iterator[tuple[Key, Resolved]]:
        solver = self.solver
        mass, com = numbers(solver.get_links_mass()), numbers(solver.get_links_COM())
        pos, quat = (getattr(solver.dyn_info.links, name).to_numpy() for name in ("pos", "quat"))
        for i, name in self.links.items():
            if name == WORLD:
                continue
            yield _row("link", name, "mass", float(mass[i]), "kg", "get_links_mass()")
            yield _row("link", name, "com", floats(com[i]), "m", "get_links_COM()")
            inertia = floats(in_link_axes(solver, i).ravel())
            yield _row("link", name, "inertia", inertia, "kg m^2", "get_links_inertia() turned by inertial_quat")
            yield _row("link", name, "position", floats(pos[i]), "m", "dyn_info.links.pos")
            yield _row("link", name, "orientation", floats(quat[i]), "1", "dyn_info.links.quat")

    def _joint_rows(self) -> Iterator[tuple[Key, Resolved]]:
        solver, dofs = self.solver, self.solver.dyn_info.dofs
        columns: dict[str, Any] = {
            quantity: numbers(getattr(solver, f"get_dofs_{native}")())
            for quantity, native in (
                ("armature", "armature"),
                ("damping", "damping"),
                ("friction", "frictionloss"),
                ("stiffness", "stiffness"),
            )
        }
        limits = [numbers(x) for x in solver.get_dofs_limit()]
        forces = [numbers(x) for x in solver.get_dofs_force_range()]
        columns |= {"lower": limits[0], "upper": limits[1], "effort_lower": forces[0], "effort_upper": forces[1]}
        anchors, params = (getattr(solver.dyn_info.joints, name).to_numpy() for name in ("pos", "sol_params"))
        for name, joint in self.joints.items():
            kind, dof, index = KINDS[int(joint.type)], int(joint.dof_start), int(joint.idx)
            yield _row("joint", name, "type", kind, "", "joint.type")
            for quantity in ("armature", "damping", "friction", "stiffness"):
                yield _row("joint", name, quantity, float(columns[quantity][dof]), "", f"get_dofs_{quantity}()")
            if kind != "free":
                yield _row("joint", name, "anchor", floats(anchors[index]), "m", "dyn_info.joints.pos")
            if kind not in ("hinge", "slide"):
                continue
            motion = dofs.motion_ang if kind == "hinge" else dofs.motion_vel
            yield _row(
                "joint", name, "axis", floats(motion.to_numpy()[dof]), "1", "dyn_info.dofs.motion_ang | motion_vel"
            )
            for quantity in ("lower", "upper", "effort_lower", "effort_upper"):
                native = "get_dofs_force_range()" if "effort" in quantity else "get_dofs_limit()"
                yield _row("joint", name, quantity, float(columns[quantity][dof]), "", native)
            zero = float(self.solver.qpos0.to_numpy().reshape(-1)[int(joint.q_start)])
            for quantity in ("home", "rest"):
                yield _row("joint", name, quantity, zero, "", "qpos0")
            yield _row("joint", name, "limit_solref", floats(params[index][:2]), "s, 1", "joint.sol_params")

    def _geom_rows(self) -> Iterator[tuple[Key, Resolved]]:
        solver, info = self.solver, self.solver.dyn_info.geoms
        pos, quat, data = (getattr(info, name).to_numpy() for name in ("pos", "quat", "data"))
        params, friction = numbers(solver.get_sol_params()), numbers(solver.get_geoms_friction())
        torsional, rolling = info.friction_torsional.to_numpy(), info.friction_rolling.to_numpy()
        for geom in self.entity.geoms:
            g, name = int(geom.idx), self.geoms[int(geom.idx)]
            kind = gs.GEOM_TYPE(geom.type).name.lower()
            yield _row("geom", name, "type", kind, "", "geom.type")
            yield _row("geom", name, "friction", float(friction[g]), "1", "get_geoms_friction()")
            both = (float(torsional[g]), float(rolling[g]))
            yield _row(
                "geom", name, "torsional_friction", both, "m", "dyn_info.geoms.friction_torsional, friction_rolling"
            )
            yield _row("geom", name, "solref", floats(params[g][:2]), "s, 1", "get_sol_params()[:2]")
            yield _row("geom", name, "solimp", floats(params[g][2:7]), "1", "get_sol_params()[2:]")
            if kind in SHAPES:
                yield _row("geom", name, "position", floats(pos[g]), "m", "dyn_info.geoms.pos")
                yield _row("geom", name, "orientation", floats(quat[g]), "1", "dyn_info.geoms.quat")
                size = _size(kind, data[g])
                if size:
                    yield _row("geom", name, "size", size, "m", "dyn_info.geoms.data")
            elif kind == "mesh":
                yield _row("geom", name, "vertices", int(geom.n_verts), "1", "geom.n_verts")

    def _equalities(self) -> Iterator[tuple[Key, Resolved]]:
        links = {**self.links}
        joints = {int(joint.idx): name for name, joint in self.joints.items()}
        for equality in self.solver.equalities:
            kind = EQUALITIES.get(int(equality.type), "other")
            names = joints if kind == "joint" else links
            tied = "~".join(names.get(int(i), "") for i in (equality.eq_obj1id, equality.eq_obj2id))
            length = {"connect": 6, "weld": 11, "joint": 5}.get(kind, 5)
            data = floats(np.ravel(equality.eq_data)[:length])
            yield _row("constraint", f"{kind} {tied}", "data", data, "", "equality.eq_data")
            yield _row("constraint", f"{kind} {tied}", "active", True, "", "solver.equalities")

    def _pairs(self) -> Mapping[tuple[str, str], int]:
        table = self.solver.collider._collision_pair_idx
        found: Counter[tuple[str, str]] = Counter()
        for i, j in np.argwhere(np.asarray(table) >= 0):
            a, b = (self.geoms[int(g)].rpartition("/")[0] for g in (i, j))
            found[unordered(a, b)] += 1
        return dict(found)

    def _options(self) -> Iterator[tuple[Key, Resolved]]:
        info, config = self.solver.rigid_info, self.solver.rigid_config
        number = {n: float(np.ravel(getattr(info, n).to_numpy())[0]) for n in ("substep_dt", "tolerance", "impratio")}
        rows: dict[str, tuple[Value, str, str]] = {
            "dt": (number["substep_dt"] * int(self.world.sim.substeps), "s", "rigid_info.substep_dt * sim.substeps"),
            "gravity": (floats(info.gravity.to_numpy()[0]), "m/s^2", "rigid_info.gravity"),
            "integrator": (gs.integrator(config.integrator).name.lower(), "", "rigid_config.integrator"),
            "solver": (gs.constraint_solver(config.solver_type).name.lower(), "", "rigid_config.solver_type"),
            "cone": ("elliptic" if config.enable_elliptic_friction else "pyramidal", "", "enable_elliptic_friction"),
            "tolerance": (number["tolerance"], "1", "rigid_info.tolerance"),
            "impratio": (number["impratio"], "1", "rigid_info.impratio"),
            "flag_contact": (bool(config.enable_collision), "", "rigid_config.enable_collision"),
            "friction_combine": ("max, at least 0.01", "", "func_set_contact in collider/contact.py"),
            "multi_contact": (bool(config.enable_multi_contact), "", "rigid_config.enable_multi_contact"),
        }
        for name in ("iterations", "ls_iterations", "noslip_iterations"):
            rows[name] = (int(np.ravel(getattr(info, name).to_numpy())[0]), "1", f"rigid_info.{name}")
        for name, (value, unit, native) in rows.items():
            yield _row("option", "", name, value, unit, native)

    def motion(self, joints: Sequence[str], q: Array) -> Motion:
        solver, n, k = self.solver, len(q), len(joints)
        if not solver.n_dofs:  # its setters refuse to set nothing
            return Motion(X_WL={}, why="nothing in it can move")
        self.world.reset()  # torques drive the joints from here on: actuators add no damping to the mass matrix
        kept = solver.get_dofs_damping()
        solver.set_dofs_damping(torch.zeros(solver.n_dofs, dtype=gs.tc_float))
        places = [int(self.joints[joint].q_start) for joint in joints]
        v = np.array([int(self.joints[joint].dof_start) for joint in joints], dtype=int)
        home = solver.qpos0.to_numpy().reshape(-1).astype(float)
        poses = {name: np.zeros((n, 7)) for name in self.links.values() if name != WORLD}
        M, gravity = np.zeros((n, k, k)), np.zeros((n, k))
        for i in range(n):
            full = home.copy()
            full[places] = q[i]
            solver.set_dofs_velocity(torch.zeros(solver.n_dofs, dtype=gs.tc_float), skip_forward=True)
            solver.set_qpos(torch.as_tensor(full, dtype=gs.tc_float))
            solver._func_forward_dynamics()
            pos, quat = numbers(solver.get_links_pos()), numbers(solver.get_links_quat())
            for index, name in self.links.items():
                if name != WORLD:
                    poses[name][i] = (*pos[index], *quat[index])
            whole = process.view(solver.rigid_info.mass_mat)[0].cpu().numpy()
            M[i] = whole[np.ix_(v, v)]
            gravity[i] = process.view(solver.dyn_state.dofs.qf_bias)[0].cpu().numpy()[v]
        solver.set_dofs_damping(kept)
        self.world.reset()
        return Motion(X_WL=poses, mass_matrix=M, gravity_torque=gravity, armature=True)

    def close(self) -> None:
        self.world.destroy()


def _row(kind: str, name: str, quantity: str, value: Value, unit: str, native: str) -> tuple[Key, Resolved]:
    return Key(kind, name, quantity), Resolved(value=value, unit=unit, origin="default", native=native)


def _size(kind: str, data: Array) -> tuple[float, ...]:
    """Half lengths and radii, as an MJCF gives them, from Genesis's lengths and radii."""
    match kind:
        case "sphere":
            return floats(data[:1])
        case "box":
            return floats(data[:3] / 2)
        case "capsule" | "cylinder":
            return (float(data[0]), float(data[1]) / 2)
        case "ellipsoid":
            return floats(data[:3])
    return ()


def load(path: str) -> ImportedModel:
    """The file through `gs.morphs.MJCF` or `gs.morphs.URDF(fixed=True)`, in a scene at Genesis's defaults."""
    process.start("cpu", 64)
    world = gs.Scene(show_viewer=False, profiling_options=gs.options.ProfilingOptions(show_FPS=False))
    urdf = path.endswith(".urdf")
    morph = gs.morphs.URDF(file=path, fixed=True) if urdf else gs.morphs.MJCF(file=path)
    entity = world.add_entity(morph)
    world.build()
    return ImportedModel(world, entity, urdf)
