"""Bodies and shapes of a scene in MJCF, for every engine that reads it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement

from .scene import Body, Box, Capsule, Cylinder, HalfSpace, Mesh, Shape, Sphere


def numbers(values: Iterable[float] | float) -> str:
    """MJCF text of numbers that reads back to the same bits."""
    return repr(float(values)) if isinstance(values, (int, float)) else " ".join(repr(float(v)) for v in values)


def write_body(world: Element, body: Body) -> Element:
    """Add `body` to `world` at its pose, with a free joint named "NAME/free" and its inertia when it moves."""
    element = SubElement(world, "body", name=body.name, pos=numbers(body.pose.p), quat=numbers(body.pose.q_wxyz))
    if body.mass is not None and body.inertia is not None:
        SubElement(element, "freejoint", name=f"{body.name}/free")
        inertia = {"mass": numbers(body.mass), "diaginertia": numbers(body.inertia)}
        SubElement(element, "inertial", {"pos": numbers(body.com), **inertia})
    return element


def write_shape(geom: Element, shape: Shape, asset: Element) -> None:
    """Give `geom`, which has its name, the type, size and pose of `shape`; a mesh goes into `asset`."""
    geom.set("pos", numbers(shape.pose.p))
    geom.set("quat", numbers(shape.pose.q_wxyz))
    match shape:
        case Sphere():
            geom.set("type", "sphere")
            geom.set("size", numbers(shape.radius))
        case Box():
            geom.set("type", "box")
            geom.set("size", numbers(s / 2 for s in shape.size))
        case Capsule() | Cylinder():
            geom.set("type", type(shape).__name__.lower())
            geom.set("size", numbers((shape.radius, shape.length / 2)))
        case HalfSpace():
            geom.set("type", "plane")
            geom.set("size", "0 0 1")
        case Mesh():
            name = geom.get("name", "")
            file = str(Path(shape.path).resolve())
            SubElement(asset, "mesh", name=name, file=file, scale=numbers((shape.scale,) * 3))
            geom.set("type", "mesh")
            geom.set("mesh", name)
