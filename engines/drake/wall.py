"""Drake's parser for the import wall: the text as it stands, a model name aside, then the finalized plant."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
from pydrake.multibody.tree import BallRpyJoint, PrismaticJoint, RevoluteJoint
from pydrake.systems.framework import DiagramBuilder

from ...harness.engine import Value
from ...harness.errors import Unsupported
from ...harness.wall.row import Imported, Missing

DT = 1e-3  # [s]: whoever makes a plant says it
_ABSENT = {
    "time_constant": "Drake's contact has no solref",
    "solmix": "Drake's contact has no mixing weight",
    "margin": "a Drake geometry has a margin in hydroelastic contact only, and the parser sets none",
    "gap": "a Drake geometry has no gap",
}


class _Plant:
    """A finalized plant with nothing but the description, with its context."""

    def __init__(self, plant: Any, scene_graph: Any, diagram: Any, models: list[Any]) -> None:
        self.plant, self.scene_graph, self.diagram, self.models = plant, scene_graph, diagram, models
        self.context = plant.GetMyContextFromRoot(diagram.CreateDefaultContext())

    def close(self) -> None:
        del self.context, self.scene_graph, self.plant, self.diagram

    def read(self, quantity: str) -> Value:
        group, _, rest = quantity.partition(".")
        name, _, what = rest.rpartition(".")
        value: Value = getattr(self, f"_{group}")(name, what)
        return value

    def _option(self, _: str, what: str) -> Value:
        if what == "timestep":
            raise Unsupported("whoever makes a plant says dt")
        gravity = self.plant.gravity_field().gravity_vector()
        if what == "gravity":
            return tuple(float(x) for x in gravity)
        if what == "gravity_on":
            return bool(np.any(gravity))
        raise Unsupported(f"a plant has no option {what} that a file could set")

    def _model(self, _: str, what: str) -> Value:
        if what == "dofs":
            return int(self.plant.num_velocities())
        bodies = (self.plant.get_body(index) for model in self.models for index in self.plant.GetBodyIndices(model))
        return sum(float(body.default_mass()) for body in bodies if not self.plant.IsAnchored(body))

    def _found(self, kind: str, name: str) -> Any:
        if not getattr(self.plant, f"Has{kind}Named")(name):
            raise Missing(f"no {kind.lower()} {name!r}")
        return getattr(self.plant, f"Get{kind}ByName")(name)

    def _body(self, name: str, what: str) -> Value:
        body = self._found("Body", name)
        if what == "mass":
            return float(body.default_mass())
        if what == "com":
            return tuple(float(x) for x in body.default_com())
        if what == "inertia":
            about_origin = body.default_spatial_inertia().CalcRotationalInertia()
            shifted = about_origin.ShiftToCenterOfMass(body.default_mass(), body.default_com())
            return tuple(float(x) for x in shifted.CopyToFullMatrix3().ravel())
        if what == "gravcomp":
            return float(not self.plant.is_gravity_enabled(body.model_instance()))
        X = self.plant.EvalBodyPoseInWorld(self.context, body)
        return tuple(float(x) for x in (X.translation() if what == "position" else X.rotation().matrix().ravel()))

    def _joint(self, name: str, what: str) -> Value:
        joint = self._found("Joint", name)
        if what in ("lower", "upper"):
            if isinstance(joint, BallRpyJoint):
                raise Unsupported("Drake limits angles of a ball joint one by one, never the whole angle")
            return float(getattr(joint, f"position_{what}_limits")()[0])
        if what == "damping":
            return float(joint.default_damping_vector()[0])
        if what == "ref":
            return float(joint.default_positions()[0])
        if what == "frictionloss":
            raise Unsupported("Drake's joints have no dry friction")
        if what in ("stiffness", "rest"):
            raise Missing("no spring")
        actuators = [a for a in self._actuators() if a.joint().name() == name]
        if what == "effort":
            limits = [float(a.effort_limit()) for a in actuators]
            return min(limits, default=math.inf)
        assert what == "armature", what
        assert isinstance(joint, (RevoluteJoint, PrismaticJoint))
        return sum(float(a.default_reflected_inertia()) for a in actuators)

    def _actuators(self) -> list[Any]:
        return [self.plant.get_joint_actuator(index) for index in self.plant.GetJointActuatorIndices()]

    def _actuator(self, _: str, what: str) -> Value:
        if what == "damper":
            raise Missing("no actuator whose force is times the velocity and the control")
        found = self._actuators()
        if not found:
            raise Missing("no actuator")
        if what == "force_limit":
            return float(found[0].effort_limit())
        if what == "gear":
            return float(found[0].default_gear_ratio())
        if not found[0].has_controller():
            raise Missing("the actuator has no gains")
        return float(found[0].get_controller_gains().d)

    def _geometry(self, body: str) -> Any:
        ids = self.plant.GetCollisionGeometriesForBody(self._found("Body", body))
        if len(ids) != 1:
            raise Missing(f"body {body!r} has {len(ids)} collision shapes")
        return ids[0]

    def _geom(self, name: str, what: str) -> Value:
        if what in _ABSENT:
            raise Unsupported(_ABSENT[what])
        inspector = self.scene_graph.model_inspector()
        properties = inspector.GetProximityProperties(self._geometry(name.removesuffix("ball")))
        friction = properties.GetPropertyOrDefault("material", "coulomb_friction", None)
        if friction is None:
            raise Missing("no friction given to the shape: Drake's default for contact is used")
        return float(friction.dynamic_friction())

    def _pair(self, names: str, what: str) -> Value:
        a, b = (self._geometry(name) for name in names.split("+"))
        if what == "collide":
            return not self.scene_graph.model_inspector().CollisionFiltered(a, b)
        raise Unsupported("Drake mixes friction as 2 ab/(a + b), whatever a file says")

    def _key(self, _: str, what: str) -> Value:
        raise Missing("keyframes are not read")

    def _mimic(self, name: str, what: str) -> Value:
        if not self.plant.num_constraints():
            raise Missing("no constraint")
        raise Unsupported("a coupler is there; its numbers cannot be read in Python")


def load(text: str, kind: str) -> Imported:
    """See `Load`."""
    builder = DiagramBuilder()
    plant, scene_graph = AddMultibodyPlantSceneGraph(builder, DT)
    models = Parser(plant).AddModelsFromString(text, "urdf" if kind == "urdf" else "xml")
    if kind == "urdf":
        plant.WeldFrames(plant.world_frame(), plant.GetFrameByName("base"))
    plant.Finalize()
    return _Plant(plant, scene_graph, builder.Build(), models)
