"""Traps of URDF. Source: its XML specification (pages link, inertial and joint)."""

from __future__ import annotations

import math

from ..engine import Value
from .row import Row

_INERTIA = '<inertia ixx="0.2" iyy="0.3" izz="0.4" ixy="0" ixz="0" iyz="0"/>'
_MASS = f'<inertial><mass value="2"/>{_INERTIA}</inertial>'
_LIMIT = '<limit lower="-1" upper="2" effort="5" velocity="3"/>'
_BALL = '<collision><geometry><sphere radius="0.1"/></geometry></collision>'


def _link(name: str, inside: str) -> str:
    return f'<link name="{name}">{inside}</link>'


def _joint(name: str, kind: str, parent: str, child: str, inside: str = "") -> str:
    axis = "" if kind == "fixed" else '<axis xyz="0 1 0"/>'
    limit = _LIMIT if kind == "revolute" and "<limit" not in inside else ""
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="0 0 0.5"/>{axis}{limit}{inside}</joint>'
    )


def _arm(inertial: str = _MASS, joint: str = "", more: str = "", kind: str = "revolute") -> str:
    """Links `base` and `arm`, and the joint `hinge` between them."""
    links = _link("base", _MASS) + _link("arm", inertial)
    return f'<robot name="wall">{links}{_joint("hinge", kind, "base", "arm", joint)}{more}</robot>'


def _tip(inside: str, kind: str = "fixed") -> str:
    """One more link `tip` on the arm."""
    return _arm(more=_link("tip", inside) + _joint("second", kind, "arm", "tip"))


def _small(mass: float) -> str:
    inertia = '<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/>'
    return f'<inertial><mass value="{mass}"/>{inertia}</inertial>'


def _row(
    name: str,
    trap: str,
    model: str,
    plain: str,
    quantity: str,
    unit: str,
    expected: Value,
    source: str,
    rtol: float = 0.0,
) -> Row:
    return Row(f"urdf-{name}", f"URDF: {trap}", model, plain, quantity, unit, expected, source, rtol, "urdf")


_OFF = '<inertial><mass value="2"/><inertia ixx="0.2" iyy="0.3" izz="0.4" ixy="0.01" ixz="0.02" iyz="0.03"/></inertial>'
_TURN = f'<inertial><origin xyz="0 0 0" rpy="0 0 {math.pi / 2!r}"/><mass value="2"/>{_INERTIA}</inertial>'
_SHIFT = f'<inertial><origin xyz="0.1 0.2 0.3" rpy="0 0 0"/><mass value="2"/>{_INERTIA}</inertial>'
_MIMIC = '<mimic joint="hinge" multiplier="2" offset="0.1"/>'
_DUMMY = _arm(
    inertial="", more=_link("hand", _small(1)) + _joint("second", "revolute", "arm", "hand")
)  # a moving link without mass between two with it
_SECOND = _arm(more=_link("tip", _small(0.3)) + _joint("second", "revolute", "arm", "tip", "{}"))

URDF_ROWS: tuple[Row, ...] = (
    _row("armature", "a joint has no armature", _arm(), "", "joint.hinge.armature", "kg m^2", 0.0,
         "the format has no such thing: nothing to add"),
    _row("off-diagonal", "off-diagonal inertia", _arm(_OFF), "", "body.arm.inertia", "kg m^2",
         (0.2, 0.01, 0.02, 0.01, 0.3, 0.03, 0.02, 0.03, 0.4), "specification, inertial: the 3 x 3 tensor", 1e-6),  # principal axes, as above
    _row("inertial-rpy", "inertia in a frame turned by 90 degrees", _arm(_TURN), "", "body.arm.inertia", "kg m^2",
         (0.3, 0.0, 0.0, 0.0, 0.2, 0.0, 0.0, 0.0, 0.4), "specification, inertial/origin; R I R^T"),
    _row("com", "centre of mass off the link's origin", _arm(_SHIFT), _arm(), "body.arm.com", "m", (0.1, 0.2, 0.3),
         "specification, inertial/origin"),
    _row("no-inertial", "a fixed link without <inertial> adds no mass", _tip(""), "", "model.moving_mass", "kg", 2.0,
         "specification, inertial: zero mass where it is not given"),
    _row("no-inertial-shape", "nor does its collision shape", _tip(_BALL), "", "model.moving_mass", "kg", 2.0,
         "specification, inertial: zero mass where it is not given"),
    _row("massless-moving", "a moving link without mass, another behind it", _DUMMY, "", "body.arm.mass", "kg", 0.0,
         "specification, inertial: zero mass where it is not given"),
    _row("fixed-link", "a link on a fixed joint is a link", _tip(_small(0.3)), "", "body.tip.mass", "kg", 0.3,
         "specification, joint: fixed is a joint between two links"),
    _row("fixed-mass", "no mass is lost or doubled at a fixed joint", _tip(_small(0.3)), "", "model.moving_mass", "kg", 2.3,
         "sum of the links"),
    _row("mimic", "second = 2 hinge + 0.1", _SECOND.format(_MIMIC), _SECOND.format(""), "mimic.second.law", "1, rad",
         (2.0, 0.1), "specification, joint/mimic"),
    _row("damping", "joint damping", _arm(joint='<dynamics damping="0.3"/>'), _arm(), "joint.hinge.damping",
         "N m s/rad", 0.3, "specification, joint/dynamics"),
    _row("no-damping", "no damping where none is given", _arm(), "", "joint.hinge.damping", "N m s/rad", 0.0,
         "specification, joint/dynamics: default 0"),
    _row("friction", "dry friction of a joint", _arm(joint='<dynamics friction="0.2"/>'), _arm(),
         "joint.hinge.frictionloss", "N m", 0.2, "specification, joint/dynamics: static friction"),
    _row("limits", "range of a joint, in radians", _arm(), "", "joint.hinge.upper", "rad", 2.0,
         "specification, joint/limit"),
    _row("continuous", "a continuous joint has no range", _arm(kind="continuous"), "", "joint.hinge.lower", "rad",
         -math.inf, "specification, joint: continuous"),
    _row("effort", "largest torque of a joint", _arm(), _arm().replace('effort="5"', 'effort="6"'), "joint.hinge.effort", "N m", 5.0,
         "specification, joint/limit"),
)  # fmt: skip
