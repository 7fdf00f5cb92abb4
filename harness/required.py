"""The rows that every engine's resolved table must have, with their units."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

# What every engine's table must say something about: a value, "unreadable" or "absent".
REQUIRED_OPTIONS: Mapping[str, str] = {
    "dt": "s",
    "substeps": "1",
    "gravity": "m/s^2",
    "integrator": "",
    "solver": "",
    "iterations": "1",
    "tolerance": "1",
    "cone": "",
    "impratio": "1",
    "contact_resolution": "",
    "multi_contact": "",
    "friction_combine": "",
    "restitution_combine": "",
    "sleep_threshold": "",
    "bounce_threshold": "m/s",
    "max_depenetration_velocity": "m/s",
    "precision": "bit",
    "device": "",
    "threads": "1",
}
REQUIRED_PER_BODY: Mapping[str, str] = {
    "mass": "kg",
    "inertia": "kg m^2",
    "com": "m",
    "armature": "kg m^2",
    "linear_damping": "",
    "angular_damping": "",
}
# rows "link.NAME.quantity" for every link, and "joint.NAME.quantity" for every joint of every robot
REQUIRED_PER_LINK: Mapping[str, str] = {"mass": "kg", "inertia": "kg m^2", "com": "m"}
REQUIRED_PER_JOINT: Mapping[str, str] = {  # units of a hinge; see `joint_unit`
    "armature": "kg m^2",
    "damping": "N m s/rad",
    "friction": "N m",
    "lower": "rad",
    "upper": "rad",
    "effort": "N m",
}
_OF_SLIDES: Mapping[str, str] = {
    "rad": "m",
    "rad/s": "m/s",
    "N m": "N",
    "N m/rad": "N/m",
    "N m s/rad": "N s/m",
    "kg m^2": "kg",
}


def joint_unit(kind: Literal["hinge", "slide"], of_hinge: str) -> str:
    """The unit of a joint's quantity, from the unit that it has for a hinge."""
    return _OF_SLIDES.get(of_hinge, of_hinge) if kind == "slide" else of_hinge


REQUIRED_PER_SHAPE: Mapping[str, str] = {
    "friction": "1",
    "restitution": "1",
    "time_constant": "s",
    "damping_ratio": "1",
    "impedance": "1",
    "margin": "m",
    "gap": "m",
    "contact_offset": "m",
    "rest_offset": "m",
}
REQUIRED_PER_PAIR: Mapping[str, str] = {"friction": "1"}
