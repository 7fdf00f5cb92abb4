"""A scene built in SAPIEN: one component per body, one collision shape per shape."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...harness.engine import Settings, Value
from ...harness.errors import SimparityError, Unsupported
from ...harness.scene import Body, Scene
from . import mapping
from .library import physx, sapien
from .robots import Articulated, add_robot
from .shapes import collision_shape, surface, to_pose


@dataclass(frozen=True, slots=True)
class Model:
    """The live objects.

    Attributes:
        system: the `PhysxCpuSystem`.
        scene: the `sapien.Scene` that owns it.
        components: body name -> its rigid component, in scene order.
        moving: the components of the moving bodies, in scene order.
        robot: the scene's robot, None without one.
    """

    system: Any
    scene: Any
    components: Mapping[str, Any]
    moving: tuple[Any, ...]
    robot: Articulated | None


def build_model(scene: Scene, dt: float, settings: Settings) -> Model:
    """`scene` in a new PhysX scene of its own.

    Raises:
        Unsupported: a material, a mesh, a robot or a number of excluded pairs that PhysX cannot express through SAPIEN.
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
        entity.pose = to_pose(body.pose)
        world.add_entity(entity)
    moving = tuple(components[body.name] for body in scene.moving)
    if tuple(system.rigid_dynamic_components) != moving:  # its order is that of PhysxCpuSystem.pack
        raise SimparityError("SAPIEN orders its bodies in another way than they were made; the adapter must be revised")
    robot = add_robot(world, scene, settings.options)
    return Model(system, world, components, moving, robot)


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
    words = {body.name: list(mapping.BODY_GROUPS) for body in scene.bodies}
    for bit, pair in enumerate(scene.collision_pairs_off):
        for name in pair:
            words[name][2] |= 1 << bit
    return words


def _component(body: Body, options: Mapping[str, Value], groups: list[int]) -> Any:
    mapping.check(body.name, body.material)
    component = physx.PhysxRigidStaticComponent() if body.mass is None else physx.PhysxRigidDynamicComponent()
    component.name = body.name
    for shape in body.shapes:
        component.attach(collision_shape(shape, surface(body.material, options), groups))
    if body.mass is not None:
        component.mass = body.mass
        component.cmass_local_pose = sapien.Pose(p=body.com)
        component.inertia = body.inertia
        for name in mapping.ON_BODY:
            if name in options:
                setattr(component, name, options[name])
    return component
