"""The text of a robot that Drake's importer is given: as little as possible is rewritten.

Drake refuses an MJCF without a model name and meshes other than OBJ, places a model at the world's origin, and knows no
<include>. Torques come from outside, so that equalities, sensors and keyframes have no part; actuators stay, since they
bring the armature in. Collision shapes come from the source model, which every engine shares.
"""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from ...harness.description import format_of, is_text, xml_text
from ...harness.mjcf import numbers
from ...harness.robot_model import Link, RobotModel
from ...harness.scene import Pose, Robot

# sections of an MJCF that a robot driven from outside does not need and that name files or cause warnings
_LEFT_OUT = ("asset", "contact", "equality", "tendon", "sensor", "keyframe", "visual", "statistic", "size", "option")


def importable(robot: Robot, source: RobotModel) -> str:
    """The robot's XML as Drake is given it; an MJCF is placed at the robot's pose, a URDF is welded there later."""
    root = ElementTree.fromstring(xml_text(robot.description))
    if format_of(robot.description) == "urdf":
        for link in root.iter("link"):
            for child in [child for child in link if child.tag in ("visual", "collision")]:
                link.remove(child)
        for element in root.iter():  # Drake would merge a link of this name with its own world body
            for attribute in ("name", "link"):
                if element.tag in ("link", "parent", "child") and element.get(attribute) == "world":
                    element.set(attribute, f"{robot.name}/root")
        return ElementTree.tostring(root, encoding="unicode")
    if not is_text(robot.description):
        _include(root, Path(robot.description).parent)
    root.set("model", root.get("model") or robot.name)
    for section in [child for child in root if child.tag in _LEFT_OUT]:
        root.remove(section)
    inertias = {link.name: link for link in source.links}
    for world in root.iter("worldbody"):
        for child in [child for child in world if child.tag not in ("body", "frame", "replicate")]:
            world.remove(child)
        for body in world.iter("body"):
            _strip(body, inertias)
        if robot.pose != Pose():
            _place(world, robot)
    return ElementTree.tostring(root, encoding="unicode")


def _include(element: Element, folder: Path) -> None:
    """Replace every <include> by the children of its file's root, in place."""
    for index, child in reversed(list(enumerate(element))):
        if child.tag != "include":
            _include(child, folder)
            continue
        included = ElementTree.fromstring((folder / child.get("file", "")).read_text())
        _include(included, folder)
        element[index : index + 1] = list(included)


def _strip(body: Element, inertias: dict[str, Link]) -> None:
    """Take out what has no mass; a body without an inertial keeps its primitive geoms, whose mass Drake works out.

    A mesh geom that gives a body its mass is replaced by that mass in the source model.
    """
    geoms = [child for child in body if child.tag == "geom"]
    has_inertial = body.find("inertial") is not None
    weighed_by_mesh = any(geom.get("mesh") is not None or geom.get("type") == "mesh" for geom in geoms)
    for child in [child for child in body if child.tag in ("site", "camera", "light")]:
        body.remove(child)
    if has_inertial or weighed_by_mesh:
        for geom in geoms:
            body.remove(geom)
    for geom in body.findall("geom"):
        geom.set("contype", "0")
        geom.set("conaffinity", "0")
    link = inertias.get(body.get("name", ""))
    if weighed_by_mesh and not has_inertial and link is not None:
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = link.inertia
        six = (xx, yy, zz, xy, xz, yz)
        attributes = {"mass": numbers(link.mass), "pos": numbers(link.com), "fullinertia": numbers(six)}
        SubElement(body, "inertial", attributes)


def _place(world: Element, robot: Robot) -> None:
    """Carry all bodies by a massless one that is fixed to the world at the robot's pose."""
    carried = list(world)
    for child in carried:
        world.remove(child)
    name = f"{robot.name}/root"
    carrier = SubElement(world, "body", name=name, pos=numbers(robot.pose.p), quat=numbers(robot.pose.q_wxyz))
    carrier.extend(carried)


def root_link(urdf: str) -> str:
    """Name of the link of a URDF that no joint moves."""
    root = ElementTree.fromstring(urdf)
    children = {child.get("link") for joint in root.findall("joint") for child in joint.findall("child")}
    return next(link.get("name", "") for link in root.findall("link") if link.get("name") not in children)
