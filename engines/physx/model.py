"""A scene built in SAPIEN: one component per body, one collision shape per shape."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...harness.engine import Settings, Value
from ...harness.errors import SimparityError, Unsupported
from ...harness.scene import Body, Box, Capsule, Cylinder, HalfSpace, Mesh, Pose, Scene, Shape, Sphere
from . import mapping
from .library import physx, sapien

# The default material is one shared object that anyone in the process can change: its values when we were imported.
_MATERIAL = physx.get_default_material()
DEFAULT_FRICTION, DEFAULT_RESTITUTION = float(_MATERIAL.dynamic_friction), float(_MATERIAL.restitution)


@dataclass(frozen=True, slots=True)
class Model:
    """The live objects.

    Attributes:
        system: the `PhysxCpuSystem`.
        scene: the `sapien.Scene` that owns it.
        components: body name -> its rigid component, in scene order.
        moving: the components of the moving bodies, in scene order.
    """

    system: Any
    scene: Any
    components: Mapping[str, Any]
    moving: tuple[Any, ...]


def build_model(scene: Scene, dt: float, settings: Settings) -> Model:
    """`scene` in a new PhysX scene of its own.

    Raises:
        Unsupported: a material, a mesh or a number of excluded pairs that PhysX cannot express through SAPIEN.
        UsageError: an option outside the range that PhysX takes.
    """
    mapping.check_options(settings.options)
    _configure(scene, settings.options)
    system = physx.PhysxCpuSystem()
    system.timestep = dt
    world = sapien.Scene([system])
    groups = _collision_groups(scene)
    components = {body.name: _component(body, settings.options, groups[body.name]) for body in scene.bodies}
    for body in scene.bodies:
        entity = sapien.Entity()
        entity.name = body.name
        entity.add_component(components[body.name])
        entity.pose = _pose(body.pose)
        world.add_entity(entity)
    moving = tuple(components[body.name] for body in scene.moving)
    if tuple(system.rigid_dynamic_components) != moving:  # its order is that of PhysxCpuSystem.pack
        raise SimparityError("SAPIEN orders its bodies in another way than they were made; the adapter must be revised")
    return Model(system, world, components, moving)


def _configure(scene: Scene, options: Mapping[str, Value]) -> None:
    """Set all process-wide configurations, so that nothing is left over from an earlier simulation."""
    of_scene, of_body, of_shape = physx.PhysxSceneConfig(), physx.PhysxBodyConfig(), physx.PhysxShapeConfig()
    of_scene.gravity = list(scene.gravity)
    if "solver" in options:
        of_scene.enable_tgs = options["solver"] == "TGS"
    for config, names in (
        (of_scene, {name: name for name in mapping.IN_SCENE_CONFIG}),
        (of_body, mapping.IN_BODY_CONFIG),
        (of_shape, {name: name for name in mapping.IN_SHAPE_CONFIG}),
    ):
        for name, native in names.items():
            if name in options:
                setattr(config, native, options[name])
    physx.set_scene_config(of_scene)
    physx.set_body_config(of_body)
    physx.set_shape_config(of_shape)


def _collision_groups(scene: Scene) -> dict[str, list[int]]:
    """Words for SAPIEN's filter, per body: shapes that share a bit of the third word do not collide."""
    if len(scene.collision_pairs_off) > mapping.PAIRS_OFF_AT_MOST:
        raise Unsupported(
            f"scene {scene.name!r} switches off contact between {len(scene.collision_pairs_off)} pairs; SAPIEN's "
            f"collision groups have bits for {mapping.PAIRS_OFF_AT_MOST}"
        )
    words = {body.name: [1, 1, 0, 0] for body in scene.bodies}  # the first two: what every actor builder sets
    for bit, pair in enumerate(scene.collision_pairs_off):
        for name in pair:
            words[name][2] |= 1 << bit
    return words


def _component(body: Body, options: Mapping[str, Value], groups: list[int]) -> Any:
    mapping.check(body.name, body.material)
    mu, e = mapping.friction(body.material), mapping.restitution(body.material, options)
    mu, e = DEFAULT_FRICTION if mu is None else mu, DEFAULT_RESTITUTION if e is None else e
    component = physx.PhysxRigidStaticComponent() if body.mass is None else physx.PhysxRigidDynamicComponent()
    component.name = body.name
    for shape in body.shapes:
        collision = _collision_shape(shape, physx.PhysxMaterial(mu, mu, e))
        turned = isinstance(shape, (HalfSpace, Capsule, Cylinder))
        collision.local_pose = _pose(shape.pose) * sapien.Pose(q=mapping.Q_X_ONTO_Z) if turned else _pose(shape.pose)
        collision.set_collision_groups(groups)
        component.attach(collision)
    if body.mass is not None:
        component.mass = body.mass
        component.cmass_local_pose = sapien.Pose(p=body.com)
        component.inertia = body.inertia
        for name in mapping.ON_BODY:
            if name in options:
                setattr(component, name, options[name])
    return component


def _collision_shape(shape: Shape, material: Any) -> Any:
    match shape:
        case Sphere():
            return physx.PhysxCollisionShapeSphere(shape.radius, material)
        case Box():
            return physx.PhysxCollisionShapeBox([s / 2 for s in shape.size], material)
        case Capsule():
            return physx.PhysxCollisionShapeCapsule(shape.radius, shape.length / 2, material)
        case Cylinder():
            return physx.PhysxCollisionShapeCylinder(shape.radius, shape.length / 2, material)
        case HalfSpace():
            return physx.PhysxCollisionShapePlane(material)
        case Mesh():
            if not Path(shape.path).is_file():
                raise Unsupported(f"mesh file {shape.path} does not exist")
            try:
                return physx.PhysxCollisionShapeConvexMesh(shape.path, [shape.scale] * 3, material)
            except RuntimeError as error:
                raise Unsupported(f"PhysX cannot make a convex hull of mesh {shape.path}: {error}") from error
        case _:
            raise Unsupported(f"PhysX has no shape {type(shape).__name__}")


def _pose(pose: Pose) -> Any:
    return sapien.Pose(p=pose.p, q=pose.q_wxyz)
