"""A scene built in Drake: one plant and one scene graph in a diagram; what is fixed belongs to the world body."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from pydrake.geometry import CollisionFilterDeclaration, GeometrySet, SceneGraphConfig, Sphere
from pydrake.math import RigidTransform
from pydrake.multibody.plant import AddMultibodyPlant, MultibodyPlantConfig
from pydrake.multibody.tree import RotationalInertia, SpatialInertia, default_model_instance
from pydrake.systems.framework import DiagramBuilder

from ...harness.engine import Settings, Value
from ...harness.errors import Unsupported
from ...harness.scene import Body, HalfSpace, Material, Scene, Shape
from . import mapping
from .drives import Gains
from .robots import Mechanism, add_robot, finish_robot
from .shapes import corners, geometry, properties, transform
from .soft import add_soft

# Drake warns of every half-space that it does not touch deformable bodies, which no scene of ours has
logging.getLogger("drake").addFilter(lambda record: "deformable contact" not in record.getMessage())


@dataclass(slots=True)
class Solid:
    """What one party of contacts, a scene's body or a robot's link, has in the scene graph.

    Attributes:
        name: of the body, or "ROBOT/LINK".
        native: Drake's rigid body, the world body for what is fixed.
        moving: whether it can move.
        shapes: per shape its geometry.
        hulls: the geometries that touch everything but half-spaces because they have corners for those.
        points: the corners, balls that touch half-spaces only.
        planes: the half-spaces.
        pressing: what has a pressure field or is rigid to one, for hydroelastic contact.
    """

    name: str
    native: Any
    moving: bool
    shapes: list[Any] = field(default_factory=list)
    hulls: list[Any] = field(default_factory=list)
    points: list[Any] = field(default_factory=list)
    planes: list[Any] = field(default_factory=list)
    pressing: list[Any] = field(default_factory=list)

    @property
    def everything(self) -> list[Any]:
        """All geometries."""
        return [*self.shapes, *self.points]


@dataclass(frozen=True, slots=True)
class Model:
    """The live objects.

    Attributes:
        diagram: plant and scene graph; `plant` and `graph` are parts of it.
        context: of the diagram; `state` is the plant's part of it.
        solids: every party of contacts: the scene's bodies in scene order, then links of a robot with contacts.
        moving: Drake's rigid bodies of the moving bodies, in scene order.
        robot: the scene's robot, None without one.
        soft: Drake's deformable bodies, in scene order.
    """

    diagram: Any
    plant: Any
    graph: Any
    context: Any
    state: Any
    solids: tuple[Solid, ...]
    moving: tuple[Any, ...]
    robot: Mechanism | None
    soft: tuple[Any, ...] = ()

    def solid(self, name: str) -> Solid:
        """The party of that name."""
        return next(solid for solid in self.solids if solid.name == name)

    @property
    def inspector(self) -> Any:
        """The scene graph's inspector of the live context, in which Drake's defaults are filled in."""
        return self.graph.get_query_output_port().Eval(self.graph.GetMyContextFromRoot(self.context)).inspector()


def build_model(scene: Scene, dt: float, settings: Settings, gains: Gains | None = None) -> Model:
    """`scene` in a new plant, at its initial state; with `gains`, the robot's joints have position drives.

    Raises:
        Unsupported: a material, a mesh or a robot that Drake cannot express.
        UsageError: an option outside the range that Drake takes.
    """
    options = settings.options
    mapping.check_options(options)
    builder = DiagramBuilder()
    asked = {name: options[name] for name in mapping.IN_PLANT_CONFIG if name in options}
    plant, graph = AddMultibodyPlant(MultibodyPlantConfig(time_step=dt, **asked), _graph_config(options), builder)
    plant.mutable_gravity_field().set_gravity_vector(np.array(scene.gravity))
    robot = add_robot(plant, scene, options, gains)
    soft = tuple(add_soft(plant, body, options) for body in scene.soft_bodies)
    rigid = bool(soft)  # soft bodies touch what is rigid to hydroelastic contact, and nothing else
    solids = [_add_body(plant, body, options, rigid) for body in scene.bodies]
    if robot is not None and robot.robot.contacts:
        solids += _add_links(plant, robot, options, rigid)
    _filter(graph, scene, solids)
    plant.Finalize()
    diagram = builder.Build()
    context = diagram.CreateDefaultContext()
    state = plant.GetMyMutableContextFromRoot(context)
    moving = tuple(solid.native for solid in solids[: len(scene.bodies)] if solid.moving)
    for native, body in zip(moving, scene.moving, strict=True):
        plant.SetFreeBodyPose(state, native, transform(body.pose))
    if robot is not None:
        finish_robot(plant, state, robot)
    return Model(diagram, plant, graph, context, state, tuple(solids), moving, robot, soft)


def _graph_config(options: Mapping[str, Value]) -> Any:
    config = SceneGraphConfig()
    defaults = config.default_proximity_properties
    if "penetration_allowance" in options:  # without numbers of its own, the plant estimates them
        defaults.point_stiffness = defaults.hunt_crossley_dissipation = None
    for name, native in mapping.IN_PROXIMITY_DEFAULTS.items():
        if name in options:
            setattr(defaults, native, options[name])
    return config


def _add_body(plant: Any, body: Body, options: Mapping[str, Value], rigid: bool) -> Solid:
    mapping.check(f"body {body.name!r}", body.material, options)
    if body.mass is None or body.inertia is None:
        solid = Solid(body.name, plant.world_body(), moving=False)
        place = transform(body.pose)
    else:
        central = SpatialInertia.MakeFromCentralInertia(body.mass, np.array(body.com), RotationalInertia(*body.inertia))
        solid = Solid(body.name, plant.AddRigidBody(body.name, default_model_instance(), central), moving=True)
        place = RigidTransform()
    for shape in body.shapes:
        _register(plant, solid, place, shape, body.material, options, rigid)
    return solid


def _add_links(plant: Any, robot: Mechanism, options: Mapping[str, Value], rigid: bool) -> list[Solid]:
    """The links' primitive shapes from the source model, with the robot's surface; the file's friction is left out."""
    material = robot.robot.material
    mapping.check(f"robot {robot.robot.name!r}", material, options)
    solids = []
    for link, native in zip(robot.source.links, robot.links, strict=True):
        if link.meshes:
            raise Unsupported(
                f"link {link.name!r} has {link.meshes} mesh shapes, and robots are built of primitive shapes here; "
                "give it primitive shapes or leave the robot's contacts off"
            )
        solid = Solid(f"{robot.robot.name}/{link.name}", native, moving=True)
        for shape in link.shapes:
            _register(plant, solid, RigidTransform(), shape, material, options, rigid)
        solids.append(solid)
    return solids


def _register(
    plant: Any, solid: Solid, place: Any, shape: Shape, material: Material, options: Mapping[str, Value], rigid: bool
) -> None:
    """Give `solid` a shape, `rigid` to soft bodies where asked; `place` is the pose of the scene's body in Drake's."""
    index = len(solid.shapes)
    name = f"{solid.name}/{index}"
    representation = "rigid" if rigid else mapping.hydroelastic(shape, solid.moving, material, options)
    surface = properties(shape, material, representation, options)
    if rigid and "soft_modulus" in options:
        surface.AddProperty("hydroelastic", "hydroelastic_modulus", options["soft_modulus"])
    X = place.multiply(transform(shape.pose))
    made = plant.RegisterCollisionGeometry(solid.native, X, geometry(shape), name, surface)
    solid.shapes.append(made)
    if surface.HasProperty("hydroelastic", "compliance_type"):
        solid.pressing.append(made)
    if isinstance(shape, HalfSpace):
        solid.planes.append(made)
    if not rigid and solid.moving and mapping.corners_on_half_spaces(shape, options):
        solid.hulls.append(made)
        for k, (centre, radius) in enumerate(corners(shape, options)):
            surface = properties(None, material, "", options)
            ball = plant.RegisterCollisionGeometry(
                solid.native, RigidTransform(centre), Sphere(radius), f"{name}/corner{k}", surface
            )
            solid.points.append(ball)


def _filter(graph: Any, scene: Scene, solids: list[Solid]) -> None:
    """Corners touch half-spaces only, hulls everything else; excluded pairs and a robot's links do not touch."""
    rules = CollisionFilterDeclaration()
    planes = GeometrySet([plane for solid in solids for plane in solid.planes])
    points = GeometrySet([point for solid in solids for point in solid.points])
    rules.ExcludeBetween(planes, GeometrySet([hull for solid in solids for hull in solid.hulls]))
    rules.ExcludeWithin(points)
    rules.ExcludeBetween(
        points, GeometrySet([shape for solid in solids for shape in solid.shapes if shape not in set(solid.planes)])
    )
    of_body = {solid.name: GeometrySet(solid.everything) for solid in solids[: len(scene.bodies)]}
    for a, b in scene.collision_pairs_off:
        rules.ExcludeBetween(of_body[a], of_body[b])
    links = solids[len(scene.bodies) :]
    rules.ExcludeWithin(GeometrySet([made for solid in links for made in solid.everything]))
    fixed = [solid for solid in solids if not solid.moving]
    rules.ExcludeWithin(GeometrySet([made for solid in fixed for made in solid.everything]))
    graph.collision_filter_manager().Apply(rules)
