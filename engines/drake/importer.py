"""A robot file in Drake as its own parser reads it, for the porting checklist."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from pydrake.geometry import Box, Capsule, Cylinder, Ellipsoid, HalfSpace, Sphere
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
from pydrake.systems.framework import DiagramBuilder

from ...harness.cause import Cause, Causes, extra, gone, massless
from ...harness.engine import Resolved, Value
from ...harness.imported import WORLD, Key, Motion, Reading, unordered
from ...harness.resolution import floats, unreadable
from ...harness.scene import Array
from . import mapping
from .description import root_link

DT = 1e-3  # [s], Drake's own default of MultibodyPlantConfig
CAUSES: Causes = {
    "RB-MASS": Cause(
        "Drake gives a link of a URDF with an inertia and a mass of 0 1 kg, with a warning",
        "urdf",
        lambda source, key, found: found == 1.0 and massless(source, key, found),
    ),
    "RB-ARMATURE": Cause(
        "Drake takes the armature with a motor or position actuator only; without one it is lost", when=gone
    ),
    "RB-FRICTION": Cause(mapping.NO_DRY_FRICTION, when=gone),
    "RB-LINKS": Cause("Drake puts a body of its own between several joints of one link", "mjcf", extra),
    "RB-JOINTS": "Drake has no joint of that type, or puts a body of its own between several joints of one link",
    "DF-SET": "Drake's parser ignores the option element but for timestep and gravity, which it leaves to the plant",
    "CF-GEOMS": "Drake's parser leaves out shapes that it cannot read, meshes other than OBJ among them",
    "CF-PAIRS:lost pairs": "Drake filters links that one joint connects, and links welded to each other",
}
_IGNORED = "Drake's parser ignores it"
_UNSEEN = "Drake made a constraint and does not show between what"
_NOT_OF_SHAPES = "torsional_friction contact_dimensions solref solimp margin gap priority solmix vertices"
LACKS: Mapping[str, str] = {
    "option": "Drake has no such option",
    "joint.friction": mapping.NO_DRY_FRICTION,
    "joint.effort_lower": "Drake limits an actuator, not a joint",
    "joint.effort_upper": "Drake limits an actuator, not a joint",
    "joint.stiffness": "Drake's parser makes no spring of it",
    "joint.rest": "Drake's parser makes no spring",
    "joint.limit_solref": "Drake's limits have their own stiffness",
    "joint.limit_solimp": "Drake's limits have their own stiffness",
    "joint.friction_solref": mapping.NO_DRY_FRICTION,
    "joint.limit_margin": "Drake's limits have no margin",
    "link.gravity_compensation": _IGNORED,
    "actuator.bias": "Drake's actuators have gains of their own",
    "actuator.gain": "Drake's actuators have gains of their own",
    "constraint": _IGNORED,
    "tendon": _IGNORED,
    "keyframe": _IGNORED,
    "count": _IGNORED,
    "actuator.ctrl_lower": "Drake's actuators have an effort limit only",
    "actuator.ctrl_upper": "Drake's actuators have an effort limit only",
    **{f"geom.{quantity}": "Drake has no such property of a shape" for quantity in _NOT_OF_SHAPES.split()},
}
KINDS = {"revolute": "hinge", "prismatic": "slide", "quaternion_floating": "free", "ball_rpy": "ball"}


class ImportedModel:
    """A finalized plant with its scene graph."""

    def __init__(self, plant: Any, graph: Any, models: Sequence[Any]) -> None:
        self.plant, self.graph, self.models = plant, graph, list(models)
        self.bodies = [plant.get_body(i) for model in self.models for i in plant.GetBodyIndices(model)]
        every = [plant.get_joint(i) for i in plant.GetJointIndices()]
        self.links = {int(body.index()): body.name() for body in self.bodies}
        self.links[int(plant.world_body().index())] = WORLD
        self.inboard = {int(joint.child_body().index()): joint for joint in every}
        self.joints = {joint.name(): joint for joint in every if joint.type_name() != "weld"}
        indices = [i for model in self.models for i in plant.GetJointActuatorIndices(model)]
        self.actuators = {plant.get_joint_actuator(i).name(): plant.get_joint_actuator(i) for i in indices}
        self.geoms: dict[Any, str] = {}
        for body in (plant.world_body(), *self.bodies):
            for n, geometry in enumerate(plant.GetCollisionGeometriesForBody(body)):
                self.geoms[geometry] = f"{self.links[int(body.index())]}/{n}"

    def reading(self) -> Reading:
        table = {**dict(self._link_rows()), **dict(self._joint_rows()), **dict(self._actuator_rows())}
        table |= {**dict(self._geom_rows()), **dict(self._options())}
        return Reading(
            links=tuple(body.name() for body in self.bodies),
            parents={body.name(): self._parent(body) for body in self.bodies},
            joints=tuple(self.joints),
            moved={name: self.links[int(joint.child_body().index())] for name, joint in self.joints.items()},
            kinds={name: KINDS.get(joint.type_name(), joint.type_name()) for name, joint in self.joints.items()},
            table=table,
            actuators=tuple(self.actuators),
            driven={name: actuator.joint().name() for name, actuator in self.actuators.items()},
            geoms=tuple(self.geoms.values()),
            pairs=self._pairs(),
            lacks=LACKS,
            hidden={"constraint": _UNSEEN} if self.plant.num_constraints() else {},
            precision=64,
            about_origin=True,
        )

    def _parent(self, body: Any) -> str:
        joint = self.inboard.get(int(body.index()))
        return WORLD if joint is None else self.links[int(joint.parent_body().index())]

    def _link_rows(self) -> Iterator[tuple[Key, Resolved]]:
        for body in self.bodies:
            name, mass = body.name(), float(body.default_mass())
            yield _row("link", name, "mass", mass, "kg", "default_mass()")
            com = np.array(body.default_com()) if mass else np.zeros(3)
            inertia = np.zeros((3, 3))
            if mass:
                about_origin = body.default_spatial_inertia().CalcRotationalInertia()
                inertia = about_origin.ShiftToCenterOfMass(mass, com).CopyToFullMatrix3()
            yield _row("link", name, "com", floats(com), "m", "default_com()")
            native = "default_spatial_inertia(), about the centre of mass"
            yield _row("link", name, "inertia", floats(inertia.ravel()), "kg m^2", native)
            joint = self.inboard.get(int(body.index()))
            if joint is not None and joint.type_name() == "quaternion_floating":
                free = self.plant.GetDefaultFloatingBaseBodyPose(body)
                native = "GetDefaultFloatingBaseBodyPose()"
                yield _row("link", name, "position", floats(free.translation()), "m", native)
                yield _row("link", name, "orientation", floats(free.rotation().ToQuaternion().wxyz()), "1", native)
            elif joint is not None:
                frames = (joint.frame_on_parent(), joint.frame_on_child())
                on_parent, on_child = (frame.GetFixedPoseInBodyFrame() for frame in frames)
                X = on_parent @ on_child.inverse()
                if joint.type_name() == "weld":
                    X = on_parent @ joint.X_FM() @ on_child.inverse()
                native = "frame_on_parent(), frame_on_child()"
                yield _row("link", name, "position", floats(X.translation()), "m", native)
                wxyz = floats(X.rotation().ToQuaternion().wxyz())
                yield _row("link", name, "orientation", wxyz, "1", native)

    def _joint_rows(self) -> Iterator[tuple[Key, Resolved]]:
        rotors = {a.joint().name(): float(a.default_reflected_inertia()) for a in self.actuators.values()}
        for name, joint in self.joints.items():
            kind = KINDS.get(joint.type_name(), joint.type_name())
            yield _row("joint", name, "type", kind, "", "type_name()")
            damping = joint.default_damping_vector()
            if len(damping):
                yield _row("joint", name, "damping", float(damping[0]), "", "default_damping_vector()")
            if kind not in ("hinge", "slide"):
                continue
            X = joint.frame_on_child().GetFixedPoseInBodyFrame()
            axis = joint.revolute_axis() if kind == "hinge" else joint.translation_axis()
            yield _row("joint", name, "axis", floats(X.rotation().matrix() @ axis), "1", "axis in frame_on_child()")
            yield _row("joint", name, "anchor", floats(X.translation()), "m", "frame_on_child()")
            yield _row("joint", name, "lower", float(joint.position_lower_limits()[0]), "", "position_lower_limits()")
            yield _row("joint", name, "upper", float(joint.position_upper_limits()[0]), "", "position_upper_limits()")
            native = "JointActuator.default_reflected_inertia()"
            yield _row("joint", name, "armature", rotors.get(name, 0.0), "kg m^2 | kg", native)
            why = "Drake turns a joint's frames by ref, so that its coordinate counts as the file's, and keeps no ref"
            yield Key("joint", name, "home"), unreadable("rad | m", why)

    def _actuator_rows(self) -> Iterator[tuple[Key, Resolved]]:
        for name, actuator in self.actuators.items():
            limit = float(actuator.effort_limit())
            yield _row("actuator", name, "transmission", "joint", "", "JointActuator.joint()")
            gear = (float(actuator.default_gear_ratio()), 0.0, 0.0, 0.0, 0.0, 0.0)
            yield _row("actuator", name, "gear", gear, "1", "default_gear_ratio()")
            yield _row("actuator", name, "force_lower", -limit, "", "effort_limit()")
            yield _row("actuator", name, "force_upper", limit, "", "effort_limit()")

    def _geom_rows(self) -> Iterator[tuple[Key, Resolved]]:
        inspector = self.graph.model_inspector()
        for geometry, name in self.geoms.items():
            kind, size = _shape(inspector.GetShape(geometry))
            yield _row("geom", name, "type", kind, "", "GetShape()")
            if size:
                yield _row("geom", name, "size", size, "m", "GetShape()")
            if kind != "mesh":
                X = inspector.GetPoseInFrame(geometry)
                yield _row("geom", name, "position", floats(X.translation()), "m", "GetPoseInFrame()")
                wxyz = floats(X.rotation().ToQuaternion().wxyz())
                yield _row("geom", name, "orientation", wxyz, "1", "GetPoseInFrame()")
            properties = inspector.GetProximityProperties(geometry)
            if properties is not None and properties.HasProperty("material", "coulomb_friction"):
                mu = properties.GetProperty("material", "coulomb_friction").dynamic_friction()
                yield _row("geom", name, "friction", float(mu), "1", "material/coulomb_friction, dynamic")

    def _pairs(self) -> Mapping[tuple[str, str], int]:
        found: Counter[tuple[str, str]] = Counter()
        for a, b in self.graph.model_inspector().GetCollisionCandidates():
            if a in self.geoms and b in self.geoms:
                found[unordered(*(self.geoms[g].rpartition("/")[0] for g in (a, b)))] += 1
        return dict(found)

    def _options(self) -> Iterator[tuple[Key, Resolved]]:
        plant = self.plant
        rows: dict[str, tuple[Value, str, str]] = {
            "dt": (float(plant.time_step()), "s", "time_step()"),
            "gravity": (floats(plant.gravity_field().gravity_vector()), "m/s^2", "gravity_field()"),
            "contact_model": (plant.get_contact_model().name, "", "get_contact_model()"),
            "contact_resolution": (
                plant.get_discrete_contact_approximation().name,
                "",
                "get_discrete_contact_approximation()",
            ),
        }
        for name, (value, unit, native) in rows.items():
            yield _row("option", "", name, value, unit, native)

    def motion(self, joints: Sequence[str], q: Array) -> Motion:
        plant, n, k = self.plant, len(q), len(joints)
        context = plant.CreateDefaultContext()
        places = [self.joints[joint].position_start() for joint in joints]
        v = np.array([self.joints[joint].velocity_start() for joint in joints], dtype=int)
        home = plant.GetPositions(context)
        poses = {body.name(): np.zeros((n, 7)) for body in self.bodies}
        M, gravity = np.zeros((n, k, k)), np.zeros((n, k))
        for i in range(n):
            full = home.copy()
            full[places] = q[i]
            plant.SetPositions(context, full)
            for body in self.bodies:
                X = plant.EvalBodyPoseInWorld(context, body)
                poses[body.name()][i] = (*X.translation(), *X.rotation().ToQuaternion().wxyz())
            M[i] = plant.CalcMassMatrix(context)[np.ix_(v, v)]
            gravity[i] = -plant.CalcGravityGeneralizedForces(context)[v]
        return Motion(X_WL=poses, mass_matrix=M, gravity_torque=gravity, armature=True)

    def close(self) -> None:
        del self.plant, self.graph, self.bodies, self.joints, self.inboard, self.actuators


def _row(kind: str, name: str, quantity: str, value: Value, unit: str, native: str) -> tuple[Key, Resolved]:
    return Key(kind, name, quantity), Resolved(value=value, unit=unit, origin="default", native=native)


def _shape(shape: Any) -> tuple[str, tuple[float, ...]]:
    """Type and half lengths or radii of a shape, as an MJCF gives them."""
    match shape:
        case Sphere():
            return "sphere", (float(shape.radius()),)
        case Box():
            return "box", floats(np.array(shape.size()) / 2)
        case Capsule():
            return "capsule", (float(shape.radius()), float(shape.length()) / 2)
        case Cylinder():
            return "cylinder", (float(shape.radius()), float(shape.length()) / 2)
        case Ellipsoid():
            return "ellipsoid", (float(shape.a()), float(shape.b()), float(shape.c()))
        case HalfSpace():
            return "plane", ()
    return "mesh", ()


def load(path: str) -> ImportedModel:
    """The file through `Parser.AddModels`; the root of a URDF is welded to the world."""
    plant, graph = AddMultibodyPlantSceneGraph(DiagramBuilder(), DT)
    parser = Parser(plant)
    models = parser.AddModels(path)
    if path.endswith(".urdf"):
        root = root_link(Path(path).read_text())
        if root != WORLD:
            plant.WeldFrames(plant.world_frame(), plant.GetBodyByName(root, models[0]).body_frame())
    plant.Finalize()
    return ImportedModel(plant, graph, models)
