"""The peg, its bore and the carriers that hold it, in metres; the peg's frame is at the centre of its top, z up."""

from __future__ import annotations

import math
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from ..harness.controller import rotation_to
from ..harness.errors import UsageError
from ..harness.reference import Reference
from ..harness.scene import Array, Body, Box, Material, Pose

WIDTH, LENGTH, MASS = 0.020, 0.060, 0.15  # diameter or edge, length [m], mass [kg]
BORE_DEPTH, WALL = 0.040, 0.015  # [m]
PIECES = {"round": 16, "square": 4}  # boxes around the bore; two of them face along x
SHAPES = tuple(PIECES)
CARRIERS = ("carriage", "fr3")
ARM = Path(__file__).parent / "assets" / "fr3.xml"
ARM_HOME = (0.0, -math.pi / 4, 0.0, -3 * math.pi / 4, 0.0, math.pi / 2, math.pi / 4)  # the flange looks down
SLIDE_MASS, HINGE_MASS, HINGE_INERTIA = 0.5, 0.2, 5e-3  # of each link of the carriage [kg], [kg m^2]


def bore(shape: str, clearance: float, lip: Array, material: Material) -> Body:
    """A fixed ring of boxes with its upper face at the height of `lip` (3,) [m], whose axis goes through `lip`.

    The inner faces touch the circle (or square) of radius (half width) WIDTH / 2 + clearance.
    """
    n, inner = PIECES[shape], WIDTH / 2 + clearance
    tangential = 2 * (inner + WALL) * math.tan(math.pi / n)
    boxes = []
    for k in range(n):
        angle = 2 * math.pi * k / n
        middle = inner + WALL / 2
        pose = Pose(
            (middle * math.cos(angle), middle * math.sin(angle), -BORE_DEPTH / 2),
            (math.cos(angle / 2), 0.0, 0.0, math.sin(angle / 2)),
        )
        boxes.append(Box((WALL, tangential, BORE_DEPTH), pose))
    x, y, z = (float(c) for c in lip)
    return Body(name="bore", shapes=tuple(boxes), pose=Pose((x, y, z)), material=material)


def description(shape: str, carrier: str) -> str:
    """MJCF text of the carrier with the peg as its last link, "peg"; only the peg can touch, no joint has losses."""
    if carrier == "fr3":
        root = ElementTree.fromstring(ARM.read_text())
        for geom in root.iter("geom"):
            geom.set("contype", "0")
            geom.set("conaffinity", "0")
        for joint in root.iter("joint"):  # so that what is left of the torques is the contact's
            joint.set("damping", "0")
            joint.set("frictionloss", "0")
        flange = next(body for body in root.iter("body") if body.get("name") == "flange")
        peg = ElementTree.SubElement(flange, "body", name="peg", quat="0 1 0 0")  # the peg's z points back into the arm
    else:
        root = ElementTree.fromstring('<mujoco model="carriage"><compiler angle="radian"/><worldbody/></mujoco>')
        peg = _carriage(next(root.iter("worldbody")))
    _peg(peg, shape)
    return ElementTree.tostring(root, encoding="unicode")


def _carriage(world: ElementTree.Element) -> ElementTree.Element:
    """Three slides along x, y, z and three hinges about them, all through one point; returns the peg on the last."""
    body = ElementTree.SubElement(world, "body", name="frame", pos="0 0 0.3")
    for kind, axis, vector in (
        ("slide", "x", "1 0 0"),
        ("slide", "y", "0 1 0"),
        ("slide", "z", "0 0 1"),
        ("hinge", "x", "1 0 0"),
        ("hinge", "y", "0 1 0"),
        ("hinge", "z", "0 0 1"),
    ):
        body = ElementTree.SubElement(body, "body", name=f"{kind}_{axis}")
        ElementTree.SubElement(body, "joint", name=f"{kind}_{axis}", type=kind, axis=vector)
        mass = SLIDE_MASS if kind == "slide" else HINGE_MASS
        inertia = " ".join([str(HINGE_INERTIA)] * 3)
        ElementTree.SubElement(body, "inertial", pos="0 0 0", mass=str(mass), diaginertia=inertia)
    return ElementTree.SubElement(body, "body", name="peg")


def _peg(body: ElementTree.Element, shape: str) -> None:
    centre = f"0 0 {-LENGTH / 2}"
    across = MASS * ((3 * (WIDTH / 2) ** 2 if shape == "round" else WIDTH**2) + LENGTH**2) / 12
    along = MASS * WIDTH**2 * (1 / 8 if shape == "round" else 1 / 6)
    inertia = f"{across} {across} {along}"
    ElementTree.SubElement(body, "inertial", pos=centre, mass=str(MASS), diaginertia=inertia)
    kind, size = (
        ("cylinder", f"{WIDTH / 2} {LENGTH / 2}")
        if shape == "round"
        else ("box", f"{WIDTH / 2} {WIDTH / 2} {LENGTH / 2}")
    )
    ElementTree.SubElement(body, "geom", name="peg", type=kind, size=size, pos=centre, contype="1", conaffinity="1")


def jam_depth(clearance: float, tilt: float) -> float:
    """Depth of the peg's lowest point [m] at which a peg held at `tilt` [rad] touches both sides of the bore.

    In the plane of the tilt: the side of the peg passes the lip, and the lower edge on the other side meets the wall:
    s = (D - d cos t) / sin t along the peg, so s cos t below the lip. Infinite for an aligned peg.
    """
    if tilt == 0.0:
        return math.inf
    t = abs(tilt)
    return (WIDTH + 2 * clearance - WIDTH * math.cos(t)) / math.sin(t) * math.cos(t)


def touches(clearance: float, tilt: float, offset: float, depth: float) -> bool:
    """Whether a peg tilted about the middle of its inserted length, moved by `offset` [m], touches before `depth`."""
    t = abs(tilt)
    reach = depth / 2 * math.tan(t) + WIDTH / 2 * math.cos(t) + abs(offset)
    return reach > WIDTH / 2 + clearance


def axis_of(pose: Array) -> Array:
    """Unit vector (3,) along the peg, upwards, of its pose X_WP (7,)."""
    w, x, y, z = pose[3:]
    return np.array([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)])


def depth_of(pose: Array, lip: Array) -> float:
    """Depth of the peg's lowest point below the height of the lip [m]; negative above it."""
    up = axis_of(pose)
    bottom = pose[2] - LENGTH * up[2]
    return float(lip[2] - bottom + WIDTH / 2 * math.hypot(up[0], up[1]))


def tilted(lip: Array, depth: float, tilt: float, offset: float) -> Array:
    """Pose X_WP (7,) of a peg tilted by `tilt` [rad] about y, inserted by `depth` [m], moved along x by `offset` [m].

    The middle of its inserted length, measured on the side of its lowest point, is on the axis of the bore; above the
    lip its lower end is.
    """
    up = np.array([math.sin(tilt), 0.0, math.cos(tilt)])
    inserted = (depth - WIDTH / 2 * abs(up[0])) / up[2]  # along the axis, at the centre of the lower end
    aside = max(depth, 0.0) / up[2] / 2
    x = -aside * up[0] + LENGTH * up[0] + offset
    z = -inserted * up[2] + LENGTH * up[2]
    return np.array([lip[0] + x, lip[1], lip[2] + z, math.cos(tilt / 2), 0.0, math.sin(tilt / 2), 0.0])


def reach(reference: Reference, link: str, pose: Array, start: Array) -> Array:
    """Joint positions (nv,) near `start` at which `link` has the pose X_WL (7,).

    Raises:
        UsageError: none was found.
    """
    q = start.copy()
    for _ in range(50):
        now = reference.link_pose(q, link)
        missing = np.concatenate([pose[:3] - now[:3], rotation_to(pose[3:], now[3:])])
        if np.abs(missing).max() < 1e-12:
            return q
        q = q + np.linalg.lstsq(reference.jacobian(q, link), missing, rcond=1e-9)[0]
    raise UsageError(f"the carrier cannot bring {link!r} to {pose[:3].round(4).tolist()} m; choose another pose")
