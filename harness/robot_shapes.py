"""The shapes of a robot's link, read from MuJoCo's compiled model."""

from __future__ import annotations

from typing import Any

import numpy as np

from .scene import Box, Capsule, Cylinder, Pose, Shape, Sphere


def shapes_of(model: Any, body: Any) -> tuple[Shape, ...]:
    """The primitive shapes of a body that can touch anything, in its frame; meshes are left out."""
    import mujoco

    shapes: list[Shape] = []
    for g in _colliding(model, body):
        size = [float(s) for s in model.geom_size[g]]
        pose = Pose(tuple(map(float, model.geom_pos[g])), unit(model.geom_quat[g]))  # type: ignore[arg-type]
        match mujoco.mjtGeom(model.geom_type[g]):
            case mujoco.mjtGeom.mjGEOM_SPHERE:
                shapes.append(Sphere(size[0], pose))
            case mujoco.mjtGeom.mjGEOM_BOX:
                shapes.append(Box((2 * size[0], 2 * size[1], 2 * size[2]), pose))
            case mujoco.mjtGeom.mjGEOM_CAPSULE:
                shapes.append(Capsule(size[0], 2 * size[1], pose))
            case mujoco.mjtGeom.mjGEOM_CYLINDER:
                shapes.append(Cylinder(size[0], 2 * size[1], pose))
    return tuple(shapes)


def meshes_of(model: Any, body: Any) -> int:
    """Number of meshes of a body that can touch anything."""
    import mujoco

    return sum(int(model.geom_type[g]) == int(mujoco.mjtGeom.mjGEOM_MESH) for g in _colliding(model, body))


def unit(q: Any) -> tuple[float, float, float, float]:
    """A quaternion brought to unit length, scalar first."""
    w, x, y, z = (float(c) for c in q / np.linalg.norm(q))
    return (w, x, y, z)


def _colliding(model: Any, body: Any) -> list[int]:
    """The geoms of a body that can touch anything."""
    geoms = int(body.geomadr[0]) + np.arange(int(body.geomnum[0]))
    return [int(g) for g in geoms if model.geom_contype[g] or model.geom_conaffinity[g]]
