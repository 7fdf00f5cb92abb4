"""The source of a URDF: its XML for the values and lines, Pinocchio's own URDF parser for poses and dynamics."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np

from ..engine import Resolved, Value
from ..errors import UsageError
from ..imported import WORLD, Key, Motion, Reading
from ..resolution import floats
from ..scene import Array
from .places import Place
from .prepare import Prepared
from .reference import pinocchio_motion
from .rotations import quaternion
from .source import Source

KINDS = {"revolute": "hinge", "continuous": "hinge", "prismatic": "slide", "floating": "free", "planar": "planar"}
GRAVITY = (0.0, 0.0, -9.81)  # a URDF says none; this is what Pinocchio takes


def read_urdf(prepared: Prepared, reference: str) -> Source:
    """See `read_source`.

    Raises:
        UsageError: not a tree, a number that is none, or Pinocchio cannot read it.
    """
    tree, root = prepared.tree, prepared.tree.root
    joints = root.findall("joint")
    children = {_ref(joint, "child"): joint for joint in joints}
    if WORLD in children:
        raise UsageError(f"{prepared.given}: a link called {WORLD!r} hangs on another link; only the root may be it")
    links = [name for name in (link.get("name", "") for link in root.findall("link")) if name != WORLD]
    table: dict[Key, Resolved] = {}
    places: dict[tuple[str, str], Place] = {}
    authored: dict[tuple[str, str, str], Place] = {}
    parents, moved, kinds, geoms = {}, {}, {}, []

    def put(kind: str, name: str, element: Element, rows: Mapping[str, tuple[Value, str, Element | None]]) -> None:
        place = tree.place(element)
        if place is not None:
            places[kind, name] = place
        for quantity, (value, unit, source) in rows.items():
            table[Key(kind, name, quantity)] = Resolved(value=value, unit=unit, origin="file", native=quantity)
            inner = tree.place(source)
            if inner is not None:
                authored[kind, name, quantity] = inner

    try:
        for link in root.findall("link"):
            name = link.get("name", "")
            joint = children.get(name)
            if name != WORLD:  # a root of that name is W itself, as in every engine
                parents[name] = WORLD if joint is None else _ref(joint, "parent")
                put("link", name, link, _link(link, joint))
            for index, shape in enumerate(link.findall("collision")):
                geoms.append(f"{name}/{index}")
                put("geom", geoms[-1], shape, _geom(shape))
        for joint in joints:
            kind = KINDS.get(joint.get("type", ""))
            if kind is None:
                continue
            name = joint.get("name", "")
            moved[name], kinds[name] = _ref(joint, "child"), kind
            put("joint", name, joint, dict(_joint(joint, kind)))
            mimic = joint.find("mimic")
            if mimic is not None:
                data = (_float(mimic, "offset", 0.0), _float(mimic, "multiplier", 1.0), 0.0, 0.0, 0.0)
                tied = f"joint {name}~{mimic.get('joint', '')}"
                put("constraint", tied, mimic, {"data": (data, "", mimic), "active": (True, "", mimic)})
    except ValueError as error:
        raise UsageError(f"{prepared.given}: a number cannot be read: {error}") from error
    reading = Reading(
        links=tuple(links),
        parents=parents,
        joints=tuple(moved),
        moved=moved,
        kinds=kinds,
        table=table,
        geoms=tuple(geoms),
    )
    refer = _refer(prepared, reading, reference)
    rooted = any(link.get("name") == WORLD for link in root.findall("link"))
    reader = "the XML, and Pinocchio's URDF parser"
    return Source(prepared, reading, places, authored, frozenset(), refer, reader, rooted=rooted)


def _refer(prepared: Prepared, reading: Reading, reference: str) -> Callable[[Sequence[str], Array], Motion]:
    if reference == "mujoco":
        import mujoco

        from ..mujoco_model import model_motion

        spec = mujoco.MjSpec.from_file(str(prepared.path))
        spec.compiler.fusestatic = False
        return partial(model_motion, spec.compile())
    import pinocchio as pin

    text = ElementTree.tostring(prepared.tree.root, encoding="unicode")
    try:
        model = pin.buildModelFromXML(text)
    except Exception as error:
        raise UsageError(f"{prepared.given} cannot be read by Pinocchio: {' '.join(str(error).split())}") from error
    model.gravity.linear = np.array(GRAVITY)

    def motion(joints: Sequence[str], q: Array) -> Motion:
        return pinocchio_motion(pin, model, reading.links, joints, q)

    return motion


def _ref(joint: Element, tag: str) -> str:
    found = joint.find(tag)
    return "" if found is None else found.get("link", "")


def _float(element: Element | None, attribute: str, default: float) -> float:
    text = None if element is None else element.get(attribute)
    return default if text is None else float(text)


def _origin(element: Element | None) -> tuple[Array, Array]:
    """Position [m] and rotation matrix of an element's `<origin>`."""
    origin = None if element is None else element.find("origin")
    if origin is None:
        return np.zeros(3), np.eye(3)
    p = np.array([float(x) for x in origin.get("xyz", "0 0 0").split()])
    r, pitch, y = (float(x) for x in origin.get("rpy", "0 0 0").split())
    cr, sr, cp, sp, cy, sy = np.cos(r), np.sin(r), np.cos(pitch), np.sin(pitch), np.cos(y), np.sin(y)
    Rx = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    Ry = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    Rz = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    return p, Rz @ Ry @ Rx


def _link(link: Element, joint: Element | None) -> dict[str, tuple[Value, str, Element | None]]:
    inertial = link.find("inertial")
    p, R = _origin(joint)
    com, turn = _origin(inertial)
    tensor = None if inertial is None else inertial.find("inertia")
    mass = None if inertial is None else inertial.find("mass")
    xx, yy, zz, xy, xz, yz = (_float(tensor, f"i{n}", 0.0) for n in ("xx", "yy", "zz", "xy", "xz", "yz"))
    inertia = turn @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ turn.T
    return {
        "mass": (_float(mass, "value", 0.0), "kg", mass),
        "com": (floats(com), "m", inertial),
        "inertia": (floats(inertia.ravel()), "kg m^2", tensor),
        "position": (floats(p), "m", joint),
        "orientation": (quaternion(R), "1", joint),
    }


def _joint(joint: Element, kind: str) -> Iterator[tuple[str, tuple[Value, str, Element | None]]]:
    place, force = ("m", "N") if kind == "slide" else ("rad", "N m")
    limit, dynamics, axis = joint.find("limit"), joint.find("./dynamics"), joint.find("axis")
    yield "type", (kind, "", joint)
    if kind not in ("hinge", "slide"):
        return
    direction = np.array([float(x) for x in (axis.get("xyz", "1 0 0") if axis is not None else "1 0 0").split()])
    unlimited = joint.get("type") == "continuous" or limit is None
    effort = _float(limit, "effort", math.inf)
    yield "axis", (floats(direction / np.linalg.norm(direction)), "1", axis)
    yield "anchor", ((0.0, 0.0, 0.0), "m", joint)
    yield "lower", (-math.inf if unlimited else _float(limit, "lower", 0.0), place, limit)
    yield "upper", (math.inf if unlimited else _float(limit, "upper", 0.0), place, limit)
    yield "effort_lower", (-effort, force, limit)
    yield "effort_upper", (effort, force, limit)
    yield "damping", (_float(dynamics, "damping", 0.0), f"{force} s/{place}", dynamics)
    yield "friction", (_float(dynamics, "friction", 0.0), force, dynamics)
    yield "armature", (0.0, "kg m^2 | kg", joint)
    yield "stiffness", (0.0, f"{force}/{place}", joint)
    yield "home", (0.0, place, joint)


def _geom(shape: Element) -> dict[str, tuple[Value, str, Element | None]]:
    p, R = _origin(shape)
    geometry = shape.find("geometry")
    inner = next(iter(geometry), None) if geometry is not None else None
    rows: dict[str, tuple[Value, str, Element | None]] = {"type": (inner.tag if inner is not None else "", "", shape)}
    if inner is None:
        return rows
    size: tuple[float, ...] = ()
    if inner.tag == "box":
        size = tuple(float(s) / 2 for s in inner.get("size", "").split())
    elif inner.tag == "sphere":
        size = (_float(inner, "radius", 0.0),)
    elif inner.tag in ("cylinder", "capsule"):
        size = (_float(inner, "radius", 0.0), _float(inner, "length", 0.0) / 2)
    if size:
        rows["size"] = (size, "m", inner)
    if inner.tag != "mesh":
        rows["position"] = (floats(p), "m", shape)
        rows["orientation"] = (quaternion(R), "1", shape)
    return rows
