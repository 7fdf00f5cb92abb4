"""What Drake made of a robot's links and joints, read from the live plant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ...harness.engine import Resolved, Value
from ...harness.required import joint_unit
from ...harness.resolution import Row, absent, floats, read
from ...harness.robot_model import Joint, Link
from . import mapping
from .robots import Mechanism

NO_ROTOR = "no actuator, so no rotor: without one Drake's importer drops the armature"


def robot_rows(robot: Mechanism, asked: Mapping[str, Value]) -> Iterator[Row]:
    """The resolved rows of every link and joint of the source."""
    for link, native in zip(robot.source.links, robot.links, strict=True):
        yield from _link_rows(link, native)
    for joint, native in zip(robot.source.joints, robot.joints, strict=True):
        yield from _joint_rows(robot, joint, native, asked)


def _link_rows(link: Link, native: Any) -> Iterator[Row]:
    prefix, mass = f"link.{link.name}.", float(native.default_mass())
    yield prefix + "mass", read(mass, "kg", "default_mass()", file=link.mass)
    if mass == 0.0:  # the centre of mass of nothing is not a number
        none = "a link without mass"
        yield prefix + "com", absent("m", none, link.com)
        yield prefix + "inertia", absent("kg m^2", none, floats(np.ravel(link.inertia)))
        return
    com = np.array(native.default_com())
    about_origin = native.default_spatial_inertia().CalcRotationalInertia()
    central = about_origin.ShiftToCenterOfMass(mass, com).CopyToFullMatrix3()
    place = "default_spatial_inertia(), about the centre of mass, 3 x 3 in the link's axes"
    yield prefix + "com", read(floats(com), "m", "default_com()", file=link.com)
    authored = floats(np.ravel(link.inertia))
    yield prefix + "inertia", read(floats(central.ravel()), "kg m^2", place, file=authored)


def _joint_rows(robot: Mechanism, joint: Joint, native: Any, asked: Mapping[str, Value]) -> Iterator[Row]:
    prefix, actuator = f"joint.{joint.name}.", robot.actuators.get(joint.name)

    def unit(of_hinge: str) -> str:
        return joint_unit(joint.kind, of_hinge)

    if actuator is None:
        yield prefix + "armature", read(0.0, unit("kg m^2"), NO_ROTOR, file=joint.armature)
    else:
        place = "JointActuator.default_reflected_inertia()"
        yield (
            prefix + "armature",
            read(float(actuator.default_reflected_inertia()), unit("kg m^2"), place, file=joint.armature),
        )
    damping = float(native.default_damping_vector()[0])
    yield prefix + "damping", read(damping, unit("N m s/rad"), "default_damping_vector()", file=joint.damping)
    friction = 0.0 if asked.get("joint_friction") is False else joint.friction
    yield prefix + "friction", absent(unit("N m"), mapping.NO_DRY_FRICTION, friction)
    for quantity, limits, authored in (
        ("lower", native.position_lower_limits(), joint.lower),
        ("upper", native.position_upper_limits(), joint.upper),
    ):
        yield prefix + quantity, read(float(limits[0]), unit("rad"), f"position_{quantity}_limits()", file=authored)
    place = "Drake limits an actuator, not applied generalized forces; the torque law limits the torque"
    yield prefix + "effort", absent(unit("N m"), place, joint.effort)
    if actuator is not None and actuator.has_controller():
        gains = actuator.get_controller_gains()
        place = "JointActuator.get_controller_gains()"
        for name, gain, of_hinge in (("stiffness", gains.p, "N m/rad"), ("damping", gains.d, "N m s/rad")):
            row = Resolved(value=float(gain), unit=unit(of_hinge), origin="scene", native=place)
            yield prefix + f"drive_{name}", row
        why = "a constraint of the SAP solver, implicit in q and v; measured, see NOTES.md"
        yield prefix + "drive_evaluation", Resolved(value="end of step", unit="", origin="derived", native=why)
    spring = robot.springs.get(joint.name)
    if spring is not None:
        stiffness = float(spring.default_stiffness() if hasattr(spring, "default_stiffness") else spring.stiffness())
        yield prefix + "stiffness", read(stiffness, unit("N m/rad"), "the spring's stiffness", file=joint.stiffness)
    elif joint.stiffness:
        yield (
            prefix + "stiffness",
            read(0.0, unit("N m/rad"), "no force element: Drake's importer ignores it", file=joint.stiffness),
        )
