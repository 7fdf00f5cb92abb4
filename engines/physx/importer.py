"""A robot file in PhysX: a URDF by SAPIEN's loader, an MJCF by our own translation of what MuJoCo compiled."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from ...harness.cause import Cause, Causes, massless
from ...harness.engine import Resolved, Value
from ...harness.errors import SimparityError
from ...harness.imported import WORLD, Key, Motion, Reading, unordered
from ...harness.mujoco_model import model_reading
from ...harness.resolution import absent, floats
from ...harness.robot_of_reading import robot_model_of
from ...harness.scene import Array, Robot, Scene
from . import mapping
from .library import physx, sapien
from .robots import articulate

_TRANSLATED = "SAPIEN reads no MJCF: simparity's own translation of what MuJoCo compiled is checked instead"
_FROM_SHAPES = Cause(
    "SAPIEN's loader takes the mass of a link without inertial from its shapes, and 1e-6 kg without any",
    "urdf",
    massless,
)
CAUSES: Causes = {
    "RB-LINKS": Cause(
        "a fixed link without mass becomes part of its parent, since PhysX would give it 1 kg", "mjcf", massless
    ),
    "RB-MASS": _FROM_SHAPES,
    "RB-TOTAL": _FROM_SHAPES,
    "RB-FRICTION": mapping.NO_DRY_FRICTION,
    "RB-EFFORT": "PhysX limits a joint's drive, not the torque that is set on it",
    "RB-HOME": "PhysX counts a joint's coordinate from zero displacement",
    "RB-JOINTS": Cause("the base is fixed in this translation", "mjcf"),
    "DF-SET": "PhysX takes no options from a robot file",
}
_NONE = "PhysX takes none from a robot file"
LACKS: Mapping[str, str] = {
    "option": "PhysX takes no options from a robot file",
    "joint.friction": mapping.NO_DRY_FRICTION,
    "joint.limit_solref": "PhysX's limits are hard",
    "joint.limit_solimp": "PhysX's limits are hard",
    "joint.friction_solref": mapping.NO_DRY_FRICTION,
    "joint.limit_margin": "PhysX's limits are hard",
    "joint.effort_lower": "PhysX limits a joint's drive, not the torque that is set on it",
    "joint.effort_upper": "PhysX limits a joint's drive, not the torque that is set on it",
    "link.gravity_compensation": _NONE,
    "actuator": _NONE,
    "tendon": _NONE,
    "keyframe": _NONE,
    "count": _NONE,
    "geom.friction": "a URDF gives none",
}
HIDDEN: Mapping[str, str] = {"constraint": "SAPIEN does not show the mimic joints of an articulation"}
_OF_TRANSLATION = {"constraint": _NONE, "geom": _TRANSLATED, "pairs": _TRANSLATED}
KINDS = {"revolute": "hinge", "revolute_unwrapped": "hinge", "prismatic": "slide"}
SHAPES = {"Sphere": "sphere", "Box": "box", "Capsule": "capsule", "Cylinder": "cylinder", "Plane": "plane"}
ROOT = "/root"  # ending of the link that our translation fixes to the world


class ImportedModel:
    """One articulation."""

    def __init__(self, system: Any, scene: Any, articulation: Any, names: Mapping[Any, str], translated: bool) -> None:
        self.system, self.scene, self.articulation, self.translated = system, scene, articulation, translated
        self.names = {link: names.get(link, link.name) for link in articulation.links}
        self.own = [link for link in articulation.links if self.names[link] != WORLD]

    def reading(self) -> Reading:
        joints = self.articulation.active_joints
        table = {**dict(self._links()), **dict(self._joints()), **dict(self._options())}
        geoms: dict[Any, str] = {}
        if not self.translated:
            table |= dict(self._shapes(geoms))
        lacks = {
            **LACKS,
            **(_OF_TRANSLATION if self.translated else {}),
        }
        return Reading(
            links=tuple(self.names[link] for link in self.own),
            parents={self.names[link]: self._parent(link) for link in self.own},
            joints=tuple(joint.name for joint in joints),
            moved={joint.name: self.names[joint.child_link] for joint in joints},
            kinds={joint.name: KINDS[joint.type] for joint in joints},
            table=table,
            geoms=tuple(geoms.values()),
            pairs=None if self.translated else self._pairs(geoms),
            lacks=lacks,
            hidden={} if self.translated else HIDDEN,
            precision=32,
            translated=_TRANSLATED if self.translated else "",
        )

    def _parent(self, link: Any) -> str:
        return self.names[link.parent] if link.parent is not None else WORLD

    def _links(self) -> Iterator[tuple[Key, Resolved]]:
        for link in self.own:
            name, X = self.names[link], link.cmass_local_pose.to_transformation_matrix().astype(float)
            inertia = X[:3, :3] @ np.diag(link.inertia.astype(float)) @ X[:3, :3].T
            joint = link.joint
            at = joint.pose_in_parent * joint.pose_in_child.inv() if link.parent is not None else sapien.Pose()
            yield _row("link", name, "mass", float(link.mass), "kg", "mass")
            yield _row("link", name, "com", floats(X[:3, 3]), "m", "cmass_local_pose.p")
            native = "inertia turned by cmass_local_pose.q"
            yield _row("link", name, "inertia", floats(inertia.ravel()), "kg m^2", native)
            yield _row("link", name, "position", floats(at.p), "m", "pose_in_parent * pose_in_child^-1")
            yield _row("link", name, "orientation", floats(at.q), "1", "pose_in_parent * pose_in_child^-1")

    def _joints(self) -> Iterator[tuple[Key, Resolved]]:
        for joint in self.articulation.active_joints:
            name, X = joint.name, joint.pose_in_child.to_transformation_matrix().astype(float)
            lower, upper = floats(joint.limit[0])
            rows: dict[str, tuple[Value, str]] = {
                "type": (KINDS[joint.type], "type"),
                "axis": (floats(X[:3, 0]), "x axis of pose_in_child"),
                "anchor": (floats(X[:3, 3]), "pose_in_child.p"),
                "lower": (lower, "limit[0]"),
                "upper": (upper, "limit[1]"),
                "armature": (float(joint.armature[0]), "armature"),
                "damping": (float(joint.damping), "damping of the drive"),
                "stiffness": (float(joint.stiffness), "stiffness of the drive"),
                "rest": (float(np.ravel(joint.drive_target)[0]), "drive_target"),
                "home": (0.0, "PhysX counts from zero displacement"),
            }
            for quantity, (value, native) in rows.items():
                yield _row("joint", name, quantity, value, "", native)

    def _shapes(self, geoms: dict[Any, str]) -> Iterator[tuple[Key, Resolved]]:
        for link in self.own:
            for index, shape in enumerate(link.collision_shapes):
                name = f"{self.names[link]}/{index}"
                geoms[shape] = name
                kind = SHAPES.get(type(shape).__name__.removeprefix("PhysxCollisionShape"), "hull")
                X = shape.local_pose
                yield _row("geom", name, "type", kind, "", "type of the collision shape")
                if kind in ("sphere", "box"):
                    size = floats([shape.radius] if kind == "sphere" else shape.half_size)
                    yield _row("geom", name, "size", size, "m", "radius | half_size")
                    yield _row("geom", name, "orientation", floats(X.q), "1", "local_pose.q")
                elif kind in ("capsule", "cylinder"):
                    size = (float(shape.radius), float(shape.half_length))
                    yield _row("geom", name, "size", size, "m", "radius, half_length")
                    upright = X * sapien.Pose(q=[np.sqrt(0.5), 0, np.sqrt(0.5), 0])  # SAPIEN's lie along x
                    yield _row("geom", name, "orientation", floats(upright.q), "1", "local_pose.q, turned from x to z")
                if kind != "hull":
                    yield _row("geom", name, "position", floats(X.p), "m", "local_pose.p")

    def _pairs(self, geoms: Mapping[Any, str]) -> Mapping[tuple[str, str], int]:
        """By PhysX's rules: not parent and child, and SAPIEN's collision groups."""
        found: Counter[tuple[str, str]] = Counter()
        every = list(geoms.items())
        for n, (a, one) in enumerate(every):
            for b, other in every[n + 1 :]:
                first, second = one.rpartition("/")[0], other.rpartition("/")[0]
                g, h = a.collision_groups, b.collision_groups
                related = first == second or self._related(first, second)
                if not related and (g[0] & h[1] or h[0] & g[1]) and not g[2] & h[2]:
                    found[unordered(first, second)] += 1
        return dict(found)

    def _related(self, first: str, second: str) -> bool:
        of = {self.names[link]: self._parent(link) for link in self.own}
        return of[first] == second or of[second] == first

    def _options(self) -> Iterator[tuple[Key, Resolved]]:
        config = self.system.config
        rows: dict[str, tuple[Value, str, str]] = {
            "dt": (float(self.system.timestep), "s", "PhysxCpuSystem.timestep"),
            "gravity": (floats(config.gravity), "m/s^2", "config.gravity"),
            "solver": ("TGS" if config.enable_tgs else "PGS", "", "config.enable_tgs"),
            "iterations": (int(self.articulation.solver_position_iterations), "1", "solver_position_iterations"),
            "velocity_iterations": (
                int(self.articulation.solver_velocity_iterations),
                "1",
                "solver_velocity_iterations",
            ),
            "friction_combine": ("average", "", "measured: SAPIEN shows no combine mode"),
            "sleep_threshold": (float(self.articulation.sleep_threshold), "m^2/s^2", "sleep_threshold"),
        }
        dampings = {float(link.linear_damping) for link in self.own}
        if len(dampings) == 1:
            rows["link_linear_damping"] = (dampings.pop(), "1/s", "linear_damping of every link")
        frictions = {float(np.ravel(joint.friction)[0]) for joint in self.articulation.active_joints}
        if len(frictions) == 1:
            rows["joint_load_friction"] = (frictions.pop(), "1", "PhysxArticulationJoint.friction")
        for name, (value, unit, native) in rows.items():
            yield _row("option", "", name, value, unit, native)
        for name in ("tolerance", "impratio"):
            yield Key("option", "", name), absent("1", "PhysX has none")

    def motion(self, joints: Sequence[str], q: Array) -> Motion:
        articulation, n, k = self.articulation, len(q), len(joints)
        order = [joint.name for joint in articulation.active_joints]
        places = [order.index(joint) for joint in joints]
        pinocchio, why = _pinocchio(articulation)
        poses = {self.names[link]: np.zeros((n, 7)) for link in self.own}
        M, gravity = np.zeros((n, k, k)), np.zeros((n, k))
        full = np.zeros(len(order))
        for i in range(n):
            full[places] = q[i]
            articulation.set_qpos(full.astype(np.float32))
            articulation.set_qvel(np.zeros(len(order), np.float32))
            for link in self.own:
                X = link.entity_pose
                poses[self.names[link]][i] = (*X.p, *X.q)
            if pinocchio is not None:
                whole = np.array(pinocchio.compute_generalized_mass_matrix(full))
                whole = np.where(whole == 0.0, whole.T, whole)  # Pinocchio fills one triangle
                M[i] = whole[np.ix_(places, places)]
            gravity[i] = np.array(articulation.compute_passive_force(), float)[places]
        articulation.set_qpos(np.zeros(len(order), np.float32))
        mass_matrix = None if pinocchio is None else M
        return Motion(X_WL=poses, mass_matrix=mass_matrix, gravity_torque=gravity, armature=False, why=why)

    def close(self) -> None:
        del self.articulation, self.scene, self.system, self.own, self.names


def _pinocchio(articulation: Any) -> tuple[Any, str]:
    """SAPIEN's own Pinocchio model, or why it cannot make one of this articulation."""
    try:
        return articulation.create_pinocchio_model(), ""
    except ValueError as error:
        return None, f"SAPIEN's Pinocchio refuses the articulation: {error}"


def _row(kind: str, name: str, quantity: str, value: Value, unit: str, native: str) -> tuple[Key, Resolved]:
    return Key(kind, name, quantity), Resolved(value=value, unit=unit, origin="default", native=native)


def load(path: str) -> ImportedModel:
    """A URDF through `sapien.Scene.create_urdf_loader()`, without its visual shapes, which need a renderer."""
    system = physx.PhysxCpuSystem()
    scene = sapien.Scene([system])
    if not path.endswith(".urdf"):
        return _translated(path, system, scene)
    loader = scene.create_urdf_loader()
    loader.fix_root_link = True
    with tempfile.TemporaryDirectory(prefix="simparity-") as folder:
        articulation = loader.load(str(_without_visuals(Path(path), Path(folder))))
    if articulation is None:
        raise SimparityError("SAPIEN's URDF loader made no articulation of the file")
    return ImportedModel(system, scene, articulation, {}, translated=False)


def _without_visuals(path: Path, folder: Path) -> Path:
    root = ElementTree.parse(path).getroot()
    for link in root.iter("link"):
        for visual in link.findall("visual"):
            link.remove(visual)
    for mesh in root.iter("mesh"):
        mesh.set("filename", str((path.parent / mesh.get("filename", "")).resolve()))
    copy = folder / path.name
    copy.write_text(ElementTree.tostring(root, encoding="unicode"))
    return copy


def _translated(path: str, system: Any, scene: Any) -> ImportedModel:
    import mujoco

    spec = mujoco.MjSpec.from_file(path)
    spec.compiler.fusestatic = False
    source = robot_model_of(model_reading(spec.compile()))
    robot = Robot(name="robot", description=path)
    made = articulate(scene, Scene(name="check", robots=(robot,)), robot, source, {})
    names = {link: (WORLD if link.name.endswith(ROOT) else link.name) for link in made.articulation.links}
    return ImportedModel(system, scene, made.articulation, names, translated=True)
