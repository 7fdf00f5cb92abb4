"""A load on a link of a robot: merged into the link's inertia by the parallel-axis theorem, in the description itself.

Every engine then imports the loaded robot as it imports the bare one. A load always starts from the bare description,
so a new load replaces the old one and a load of zero mass removes it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from .description import format_of, is_text, xml_text
from .errors import UsageError
from .inertia import is_real, tensor
from .robot_model import model_of
from .scene import Array, Robot


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """A rigid load.

    Attributes:
        mass: [kg]; 0 is no load.
        com: centre of mass in the link's frame [m].
        inertia: about the centre of mass in the link's axes: xx, yy, zz, xy, xz, yz [kg m^2].
    """

    mass: float = 0.0
    com: tuple[float, float, float] = (0.0, 0.0, 0.0)
    inertia: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        if not (math.isfinite(self.mass) and self.mass >= 0):
            raise UsageError(f"the load has mass {self.mass} kg; give a finite number, not below 0")
        if len(self.inertia) != 6 or not all(map(math.isfinite, (*self.com, *self.inertia))):
            raise UsageError(f"the load has inertia {self.inertia}; give xx, yy, zz, xy, xz, yz in kg m^2")
        if self.mass > 0 and not is_real(tensor(self.inertia)):
            raise UsageError(
                f"the load of {self.mass} kg has inertia {self.inertia} kg m^2, which no real body can have: its "
                "principal moments must be positive, and none may exceed the sum of the other two"
            )


def merged(mass: float, com: Array, inertia: Array, load: Load) -> tuple[float, Array, Array]:
    """Mass [kg], centre of mass [m], inertia about it [kg m^2] of body and load, by the parallel-axis theorem."""
    total = mass + load.mass
    centre = (mass * com + load.mass * np.array(load.com)) / total
    result = np.zeros((3, 3))
    for m, c, own in ((mass, com, inertia), (load.mass, np.array(load.com), tensor(load.inertia))):
        d = c - centre
        result += own + m * (d @ d * np.eye(3) - np.outer(d, d))
    return total, centre, result


def loaded(robot: Robot, link: str, load: Load) -> Robot:
    """`robot` with `load` on the link of that name; without mass, `robot` itself.

    Raises:
        UsageError: there is no such link.
    """
    if load.mass == 0:
        return robot
    bare = model_of(robot).link(link)
    mass, com, inertia = merged(bare.mass, np.array(bare.com), np.array(bare.inertia), load)
    root = ElementTree.fromstring(xml_text(robot.description))
    if format_of(robot.description) == "mjcf":
        _into_mjcf(root, link, mass, com, inertia)
    else:
        _into_urdf(root, link, mass, com, inertia)
    if not is_text(robot.description):
        _anchor_paths(root, Path(robot.description).resolve().parent)
    carrying = replace(robot, description=ElementTree.tostring(root, encoding="unicode"))
    now = model_of(carrying).link(link)
    if not (np.isclose(now.mass, mass) and np.allclose(now.com, com) and np.allclose(now.inertia, inertia)):
        raise UsageError(
            f"the load did not arrive on link {link!r}: its description computes inertia from shapes; give the link an "
            "<inertial> and take inertiafromgeom out"
        )
    return carrying


def _element(root: Element, tag: str, name: str) -> Element:
    for element in root.iter(tag):
        if element.get("name") == name:
            return element
    raise UsageError(
        f"link {name!r} has no name or is in an included file; put it into the robot file to give it a load"
    )


def _numbers(values: Array) -> str:
    return " ".join(repr(float(value)) for value in values)


def _into_mjcf(root: Element, link: str, mass: float, com: Array, inertia: Array) -> None:
    body = _element(root, "body", link)
    for old in body.findall("inertial"):
        body.remove(old)
    full = _numbers(
        np.array([inertia[0, 0], inertia[1, 1], inertia[2, 2], inertia[0, 1], inertia[0, 2], inertia[1, 2]])
    )
    body.insert(0, Element("inertial", mass=repr(mass), pos=_numbers(com), fullinertia=full))


def _into_urdf(root: Element, link: str, mass: float, com: Array, inertia: Array) -> None:
    element = _element(root, "link", link)
    for old in element.findall("inertial"):
        element.remove(old)
    inertial = SubElement(element, "inertial")
    SubElement(inertial, "origin", xyz=_numbers(com), rpy="0 0 0")
    SubElement(inertial, "mass", value=repr(mass))
    names = {"ixx": (0, 0), "iyy": (1, 1), "izz": (2, 2), "ixy": (0, 1), "ixz": (0, 2), "iyz": (1, 2)}
    SubElement(inertial, "inertia", {name: repr(float(inertia[at])) for name, at in names.items()})


def _anchor_paths(root: Element, folder: Path) -> None:
    """Relative mesh paths of a file that becomes text are taken from the file's own folder."""
    compiler = root.find("compiler")
    if root.tag == "mujoco":
        if compiler is None:
            compiler = SubElement(root, "compiler")
        for name in ("meshdir", "texturedir", "assetdir"):
            if name != "assetdir" or compiler.get(name):
                compiler.set(name, str(folder / compiler.get(name, "")))
    for include in root.iter("include"):
        include.set("file", str(folder / include.get("file", "")))
    for mesh in root.iter("mesh") if root.tag == "robot" else ():
        name = mesh.get("filename", "")
        if name and "://" not in name:
            mesh.set("filename", str(folder / name))
