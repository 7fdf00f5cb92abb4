"""Collision shapes: a scene's to Drake's, with the properties of their surface."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from pydrake.common.eigen_geometry import Quaternion
from pydrake.geometry import (
    AddCompliantHydroelasticProperties,
    AddContactMaterial,
    AddRigidHydroelasticProperties,
    ProximityProperties,
)
from pydrake.geometry import Box as DrakeBox
from pydrake.geometry import Capsule as DrakeCapsule
from pydrake.geometry import Convex as DrakeConvex
from pydrake.geometry import Cylinder as DrakeCylinder
from pydrake.geometry import HalfSpace as DrakeHalfSpace
from pydrake.geometry import Sphere as DrakeSphere
from pydrake.math import RigidTransform
from pydrake.multibody.plant import CoulombFriction

from ...harness.engine import Value
from ...harness.errors import Unsupported
from ...harness.scene import Array, Box, Capsule, Cylinder, HalfSpace, Material, Mesh, Pose, Shape, Sphere
from . import mapping


def transform(pose: Pose) -> Any:
    """Drake's RigidTransform."""
    w, x, y, z = np.array(pose.q_wxyz) / np.linalg.norm(pose.q_wxyz)
    return RigidTransform(Quaternion(w=w, x=x, y=y, z=z), np.array(pose.p))


def geometry(shape: Shape) -> Any:
    """Drake's shape specification.

    Raises:
        Unsupported: a mesh that Drake cannot read.
    """
    match shape:
        case Sphere():
            return DrakeSphere(shape.radius)
        case Box():
            return DrakeBox(*shape.size)
        case Capsule():
            return DrakeCapsule(shape.radius, shape.length)
        case Cylinder():
            return DrakeCylinder(shape.radius, shape.length)
        case HalfSpace():
            return DrakeHalfSpace()
        case Mesh():
            return _convex(shape)
        case _:
            raise Unsupported(f"Drake has no shape {type(shape).__name__}")


def _convex(shape: Mesh) -> Any:
    path = Path(shape.path)
    if not path.is_file():
        raise Unsupported(f"mesh file {shape.path} does not exist")
    if path.suffix.lower() not in (".obj", ".vtk", ".gltf"):
        raise Unsupported(f"Drake reads no {path.suffix} meshes; convert {shape.path} to .obj")
    try:
        convex = DrakeConvex(str(path.resolve()), shape.scale)
        convex.GetConvexHull()
    except RuntimeError as error:
        raise Unsupported(f"Drake cannot make a convex hull of mesh {shape.path}: {error}") from error
    return convex


def properties(shape: Shape | None, material: Material, representation: str, options: Mapping[str, Value]) -> Any:
    """Proximity properties of a shape: what the scene and the settings say; Drake's defaults fill the rest."""
    made = ProximityProperties()
    mu = mapping.friction(material)
    AddContactMaterial(
        properties=made,
        point_stiffness=mapping.point_stiffness(material),
        friction=None if mu is None else CoulombFriction(mu, mu),
    )
    tau = mapping.relaxation_time(material, options)
    if tau is not None:
        made.AddProperty("material", "relaxation_time", tau)
    if shape is None or not representation:
        return made
    hint = mapping.resolution_hint(shape, options)
    if representation == "rigid":
        AddRigidHydroelasticProperties(properties=made) if hint is None else AddRigidHydroelasticProperties(hint, made)
        return made
    modulus = options.get("hydroelastic_modulus", mapping.DEFAULT_MODULUS)
    AddCompliantHydroelasticProperties(mapping.DEFAULT_HINT if hint is None else hint, modulus, made)
    return made


def corners(shape: Shape, options: Mapping[str, Value]) -> list[tuple[Array, float]]:
    """The balls whose convex hull a shape is: centre in the shape's body frame [m] and radius [m], 0 for a corner.

    A cylinder is taken as the prism that its hydroelastic mesh is.
    """
    X = transform(shape.pose)
    match shape:
        case Box():
            centres = [np.array(signs) * np.array(shape.size) / 2 for signs in product((-1.0, 1.0), repeat=3)]
            radius = 0.0
        case Capsule():
            centres, radius = [np.array((0.0, 0.0, z * shape.length / 2)) for z in (-1.0, 1.0)], shape.radius
        case Cylinder():
            angles = 2 * np.pi / (sides := mapping.facets_of(shape.radius, options)) * np.arange(sides)
            rim, radius = shape.radius * np.array((np.cos(angles), np.sin(angles))), 0.0
            centres = [np.array((x, y, z * shape.length / 2)) for z in (-1.0, 1.0) for x, y in rim.T]
        case Mesh():
            hull = _convex(shape).GetConvexHull()
            centres, radius = [np.array(hull.vertex(i)) for i in range(hull.num_vertices())], 0.0
        case _:
            return []
    return [(X.multiply(centre), radius) for centre in centres]
