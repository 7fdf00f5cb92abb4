"""Robots without their shapes: a contact-free scene needs no mesh, and a URDF's inertia does not depend on any."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

from .description import format_of, xml_text
from .scene import Robot


def without_geometry(robot: Robot) -> Robot:
    """`robot` with a URDF's visual and collision elements taken out; an MJCF, whose shapes may carry mass, stays."""
    if robot.contacts or format_of(robot.description) == "mjcf":
        return robot
    root = ElementTree.fromstring(xml_text(robot.description))
    for link in root.iter("link"):
        for element in [*link.findall("visual"), *link.findall("collision")]:
            link.remove(element)
    return replace(robot, description=ElementTree.tostring(root, encoding="unicode"))
