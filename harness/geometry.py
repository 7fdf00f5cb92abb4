"""Robots without their shapes: a contact-free scene needs no mesh, and a URDF's inertia does not depend on any."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

from .description import format_of, name_of, xml_text
from .errors import UsageError
from .robot_model import model_of
from .scene import Robot


def without_geometry(robot: Robot) -> Robot:
    """`robot` with a URDF's visual and collision elements taken out; an MJCF, whose shapes may carry mass, stays."""
    if robot.contacts or format_of(robot.description) == "mjcf":
        return robot
    root = ElementTree.fromstring(xml_text(robot.description))
    for link in root.iter("link"):
        for element in [*link.findall("visual"), *link.findall("collision")]:
            link.remove(element)
    bare = replace(robot, description=ElementTree.tostring(root, encoding="unicode"))
    try:
        model_of(bare)
    except UsageError as error:  # its text has no path any more; the user's file has
        raise UsageError(str(error).replace(name_of(bare.description), name_of(robot.description))) from error
    return bare
