"""What PhysX made of a robot's links and joints, read from the live articulation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ...harness.engine import Resolved, Value
from ...harness.required import REQUIRED_PER_JOINT, REQUIRED_PER_LINK, joint_unit
from ...harness.resolution import Row, floats, read, unreadable
from ...harness.robot_model import Joint, Link
from . import mapping
from .robots import Articulated


def robot_rows(robot: Articulated, asked: Mapping[str, Value]) -> Iterator[Row]:
    """The resolved rows of every link and joint of the source."""
    for link, native, made in zip(robot.source.links, robot.links, robot.made, strict=True):
        yield from _link_rows(link, native, asked) if made else _merged_rows(link, native)
    for k, (joint, native) in enumerate(zip(robot.source.joints, robot.joints, strict=True)):
        yield from _joint_rows(joint, native, asked, robot.drives.added(k))


def _link_rows(link: Link, native: Any, asked: Mapping[str, Value]) -> Iterator[Row]:
    prefix = f"link.{link.name}."
    X = native.cmass_local_pose.to_transformation_matrix().astype(float)
    inertia = X[:3, :3] @ np.diag(native.inertia.astype(float)) @ X[:3, :3].T
    of_inertia = "inertia turned by cmass_local_pose.q, 3 x 3 in the link's axes, 32 bit"
    yield prefix + "mass", read(float(native.mass), "kg", "mass, 32 bit", file=link.mass)
    yield prefix + "com", read(floats(X[:3, 3]), "m", "cmass_local_pose.p, 32 bit", file=link.com)
    authored = floats(np.ravel(link.inertia))
    yield prefix + "inertia", read(floats(inertia.ravel()), "kg m^2", of_inertia, file=authored)
    for name, attribute in mapping.ON_LINK.items():
        value = float(getattr(native, attribute))
        yield prefix + attribute, read(value, mapping.OPTIONS[name].unit, attribute, settings=asked.get(name))


def _merged_rows(link: Link, native: Any) -> Iterator[Row]:
    why = f"without mass, so part of link {native.name!r}: PhysX would give a link of its own 1 kg"
    authored: dict[str, Value] = {"mass": link.mass, "com": link.com, "inertia": floats(np.ravel(link.inertia))}
    for quantity, unit in REQUIRED_PER_LINK.items():
        yield (
            f"link.{link.name}.{quantity}",
            Resolved(value=None, unit=unit, origin="absent", native=why, authored=authored[quantity]),
        )


def _joint_rows(joint: Joint, native: Any, asked: Mapping[str, Value], drive: tuple[float, float]) -> Iterator[Row]:
    lower, upper = floats(native.limit[0])
    kp, kd = drive
    live: dict[str, tuple[Value, str, Value]] = {
        "armature": (float(native.armature[0]), "armature, 32 bit", joint.armature),
        "damping": (float(native.damping), "damping of the joint's drive, 32 bit", joint.damping),
        "lower": (lower, "limit[0], 32 bit", joint.lower),
        "upper": (upper, "limit[1], 32 bit", joint.upper),
    }
    absent: dict[str, tuple[str, Value]] = {
        "friction": (mapping.NO_DRY_FRICTION, 0.0 if asked.get("joint_friction") is False else joint.friction),
        "effort": ("PhysX limits a joint's drive, not qf; the torque law limits the torque", joint.effort),
    }
    prefix = f"joint.{joint.name}."
    for quantity, of_hinge in REQUIRED_PER_JOINT.items():
        unit = joint_unit(joint.kind, of_hinge)
        if quantity == "damping" and kp:
            yield prefix + quantity, unreadable(unit, "one damper holds it and drive_damping together", joint.damping)
        elif quantity in live:
            value, place, authored = live[quantity]
            yield prefix + quantity, read(value, unit, place, file=authored)
        else:
            why, authored = absent[quantity]
            yield prefix + quantity, Resolved(value=None, unit=unit, origin="absent", native=why, authored=authored)
    yield prefix + "type", read(str(native.type), "", "PhysxArticulationJoint.type; a revolute one wraps its angle")
    if kp:
        for name, value, asked_for, of_hinge in (
            ("drive_stiffness", float(native.stiffness) - joint.stiffness, kp, "N m/rad"),
            ("drive_damping", float(native.damping) - joint.damping, kd, "N m s/rad"),
        ):
            place = f"{name.removeprefix('drive_')} of the joint's drive, 32 bit, less what the file asks for"
            yield prefix + name, read(value, joint_unit(joint.kind, of_hinge), place, scene=asked_for)
        why = "PhysX guide: an articulation's drive is a constraint, implicit in q and v; measured, see NOTES.md"
        yield prefix + "drive_evaluation", Resolved(value="end of step", unit="", origin="derived", native=why)
    elif joint.stiffness:
        place = "stiffness of the joint's drive, 32 bit"
        unit = joint_unit(joint.kind, "N m/rad")
        yield prefix + "stiffness", read(float(native.stiffness), unit, place, file=joint.stiffness)
        place = "drive_target, 32 bit"
        yield (
            prefix + "rest",
            read(float(native.drive_target[0]), joint_unit(joint.kind, "rad"), place, file=joint.rest),
        )
    for name, attribute in mapping.ON_JOINT.items():
        quantity = {"friction": "load_friction"}.get(attribute, attribute)
        value = float(getattr(native, attribute))
        unit = joint_unit(joint.kind, mapping.OPTIONS[name].unit)
        yield prefix + quantity, read(value, unit, f"PhysxArticulationJoint.{attribute}", settings=asked.get(name))
