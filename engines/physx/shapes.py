"""Collision shapes: a scene's to PhysX's."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...harness.engine import Value
from ...harness.errors import Unsupported
from ...harness.scene import Box, Capsule, Cylinder, HalfSpace, Material, Mesh, Pose, Shape, Sphere
from . import mapping
from .library import physx, sapien

# The default material is one shared object that anyone in the process can change: its values when we were imported.
_MATERIAL = physx.get_default_material()
DEFAULT_FRICTION, DEFAULT_RESTITUTION = float(_MATERIAL.dynamic_friction), float(_MATERIAL.restitution)


def surface(material: Material, options: Mapping[str, Value]) -> Any:
    """A `PhysxMaterial`; what neither the material nor an option gives stays SAPIEN's default."""
    mu, e = mapping.friction(material), mapping.restitution(material, options)
    mu, e = DEFAULT_FRICTION if mu is None else mu, DEFAULT_RESTITUTION if e is None else e
    return physx.PhysxMaterial(mu, mu, e)


def collision_shape(shape: Shape, material: Any, groups: list[int]) -> Any:
    """`shape` at its pose, with the words of SAPIEN's collision filter."""
    collision = _geometry(shape, material)
    turned = isinstance(shape, (HalfSpace, Capsule, Cylinder))
    collision.local_pose = to_pose(shape.pose) * sapien.Pose(q=mapping.Q_X_ONTO_Z) if turned else to_pose(shape.pose)
    collision.set_collision_groups(groups)
    return collision


def _geometry(shape: Shape, material: Any) -> Any:
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


def to_pose(pose: Pose) -> Any:
    """SAPIEN's pose, in 32 bit."""
    return sapien.Pose(p=pose.p, q=pose.q_wxyz)
