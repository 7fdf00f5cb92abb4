"""The source of an MJCF: MuJoCo's compiler for the values, the XML for the lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any
from xml.etree.ElementTree import Element

from ..errors import UsageError
from ..mujoco_model import model_motion, model_reading
from .places import Place
from .prepare import GEOMETRY, Prepared
from .reference import PinocchioReference
from .source import Source
from .strip import links_unknown

FRAMES = ("frame",)
MOST_JOINTS = 256  # Pinocchio's data take 32 bytes times the cube of it, 0.5 GB
ACTUATORS = "motor position velocity intvelocity damper cylinder muscle adhesion general dcmotor plugin"


def read_mjcf(prepared: Prepared, reference: str) -> Source:
    """See `read_source`."""
    import mujoco

    try:
        spec = mujoco.MjSpec.from_file(str(prepared.path))
        spec.compiler.fusestatic = False
        model = spec.compile()
    except (ValueError, OSError) as error:
        reason = " ".join(str(error).split())
        shapes = any(word in reason.lower() for word in ("mesh", "opening file", ".stl", ".obj", "texture", ".png"))
        hint = f"; {GEOMETRY}" if shapes and prepared.geometry else ""
        raise UsageError(f"{prepared.given} cannot be compiled by MuJoCo: {reason}{hint}") from error
    reading = model_reading(model)
    prepared = replace(prepared, unknown=links_unknown(prepared.tree.root, prepared.unknown, reading.links))
    places, authored, unnamed, springs = _places(prepared, model, reading)
    refer: Any = partial(model_motion, model)
    if reference == "pinocchio" and _pinocchio_holds(model, len(reading.scalar_joints)):
        refer = PinocchioReference(reading, _gravity(model)).motion
    reader = f"MuJoCo {mujoco.__version__}'s compiler"
    meshed = _meshed(prepared, model, reading)
    return Source(prepared, reading, places, authored, unnamed, refer, reader, meshed=meshed, springs=springs)


def _meshed(prepared: Prepared, model: Any, reading: Any) -> frozenset[str]:
    """Links with a mesh among their geoms and without an inertial frame, or with one that the compiler passes over."""
    import mujoco

    always = any(c.get("inertiafromgeom") == "true" for c in prepared.tree.root.iter("compiler"))
    given = {body.get("name") for body in prepared.tree.root.iter("body") if body.find("inertial") is not None}
    meshes = model.geom_bodyid[model.geom_type == mujoco.mjtGeom.mjGEOM_MESH]
    links = {reading.links[int(b) - 1] for b in meshes if b > 0}
    return frozenset(links if always else links - given)


def _gravity(model: Any) -> tuple[float, float, float]:
    import mujoco

    if model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_GRAVITY:
        return (0.0, 0.0, 0.0)
    x, y, z = (float(g) for g in model.opt.gravity)
    return (x, y, z)


def _pinocchio_holds(model: Any, joints: int) -> bool:
    """Whether Pinocchio has the same mass matrix: it knows no armature of tendons, and not too many joints."""
    return joints <= MOST_JOINTS and not model.tendon_armature.any()


def _places(
    prepared: Prepared, model: Any, reading: Any
) -> tuple[
    Mapping[tuple[str, str], Place],
    Mapping[tuple[str, str, str], Place],
    frozenset[tuple[str, str]],
    Mapping[str, str],
]:
    tree, root = prepared.tree, prepared.tree.root
    places: dict[tuple[str, str], Place] = {}
    authored: dict[tuple[str, str, str], Place] = {}
    unnamed: set[tuple[str, str]] = set()
    springs: dict[str, str] = {}
    defaults = {(d.get("class") or "main"): d for d in root.iter("default")}

    def note(kind: str, name: str, element: Element, classes: tuple[str, ...]) -> None:
        place = tree.place(element)
        if place is None:
            return
        places[kind, name] = place
        if not element.get("name"):
            unnamed.add((kind, name))
        given = [
            d for c in ("main", *classes, element.get("class") or "") for d in ([defaults[c]] if c in defaults else [])
        ]
        for setting in (*(e for default in given for e in default.findall(element.tag)), element):
            for attribute in setting.attrib:
                authored[kind, name, attribute] = tree.place(setting) or place
            if kind == "joint" and "springdamper" in setting.attrib:
                springs[name] = setting.get("springdamper", "")
        if _sets_spring(springs.get(name, "") if kind == "joint" else ""):
            for quantity in ("stiffness", "damping"):
                authored[kind, name, quantity] = authored[kind, name, "springdamper"]
        for tag, quantities in (("inertial", ("mass", "com", "inertia")),):
            for inner in element.findall(tag) if kind == "link" else ():
                for quantity in quantities:
                    authored[kind, name, quantity] = tree.place(inner) or place

    bodies = [found for world in root.findall("worldbody") for found in _bodies(world, ())]
    by_order = len(bodies) == model.nbody - 1
    known = set(reading.links)
    joints_of: dict[str, list[str]] = {}
    for joint, link in reading.moved.items():
        joints_of.setdefault(link, []).append(joint)
    for n, (body, classes) in enumerate(bodies):
        name = reading.links[n] if by_order else body.get("name", "")
        if name not in known:
            continue
        note("link", name, body, classes)
        found = [(e, c) for e, c in _inside(body, classes) if e.tag in ("joint", "freejoint")]
        if len(found) == len(joints_of.get(name, ())):
            for joint, (element, inner) in zip(joints_of.get(name, ()), found, strict=True):
                note("joint", joint, element, inner)
        _note_geoms(model, name, reading, [(e, c) for e, c in _inside(body, classes) if e.tag == "geom"], note)
    actuators = [e for group in root.findall("actuator") for e in group if e.tag in ACTUATORS.split()]
    for name, element in zip(reading.actuators, actuators, strict=False):
        note("actuator", name, element, ())
    for option in root.findall("option"):
        note("option", "", option, ())
        for flag in option.findall("flag"):
            for attribute in flag.attrib:
                authored["option", "", f"flag_{attribute}"] = tree.place(flag) or places["option", ""]
    unnamed.discard(("option", ""))
    unnamed |= set(_nameless(model, reading))
    words = {joint: f"springdamper {said}" for joint, said in springs.items() if _sets_spring(said)}
    return places, authored, frozenset(unnamed), words


def _sets_spring(springdamper: str) -> bool:
    """Whether the attribute decides stiffness and damping: MuJoCo leaves it out unless both numbers are positive."""
    numbers = [float(x) for x in springdamper.split()]
    return len(numbers) == 2 and min(numbers) > 0


def _nameless(model: Any, reading: Any) -> Iterator[tuple[str, str]]:
    """Links and joints without a name in the compiled model, which holds copies that no line of the file is about."""
    for i, link in enumerate(reading.links, start=1):
        if not model.body(i).name:
            yield "link", link
    for j, joint in enumerate(reading.joints):
        if not model.joint(j).name:
            yield "joint", joint


def _note_geoms(model: Any, link: str, reading: Any, found: list[tuple[Element, tuple[str, ...]]], note: Any) -> None:
    """Give the colliding geoms of a link their lines, where file and model have equally many geoms."""
    body = reading.links.index(link) + 1
    first, count = int(model.body_geomadr[body]), int(model.body_geomnum[body])
    if len(found) != count:
        return
    index = 0
    for g, (element, classes) in zip(range(first, first + count), found, strict=True):
        if model.geom_contype[g] or model.geom_conaffinity[g]:
            note("geom", f"{link}/{index}", element, classes)
            index += 1


def _bodies(parent: Element, classes: tuple[str, ...]) -> Iterator[tuple[Element, tuple[str, ...]]]:
    """Bodies in MuJoCo's order, depth first, with the child classes that apply to what is in them."""
    for child in parent:
        inner = (*classes, child.get("childclass", "")) if child.get("childclass") else classes
        if child.tag == "body":
            yield child, inner
            yield from _bodies(child, inner)
        elif child.tag in FRAMES:
            yield from _bodies(child, inner)


def _inside(body: Element, classes: tuple[str, ...]) -> Iterator[tuple[Element, tuple[str, ...]]]:
    """What stands in a body itself, also inside its frames."""
    for child in body:
        if child.tag in FRAMES:
            yield from _inside(child, (*classes, child.get("childclass", "")) if child.get("childclass") else classes)
        else:
            yield child, classes
