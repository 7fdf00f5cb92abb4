"""What Genesis made of a robot, read from the live solver."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import genesis as gs
import numpy as np

from ...harness.engine import Resolved, Settings, Value
from ...harness.required import REQUIRED_PER_JOINT, joint_unit
from ...harness.resolution import Row, floats, read
from ...harness.robot_model import Joint, Link
from . import process
from .readback import in_link_axes, numbers
from .robots import RobotPlaces


def robot_rows(solver: Any, places: RobotPlaces, settings: Settings) -> Iterator[Row]:
    """The resolved rows of every link and joint of the source."""
    for link, made in zip(places.source.links, places.links, strict=True):
        yield from _link(solver, link, made)
    friction_off = settings.options.get("joint_friction") is False
    limits, forces = solver.get_dofs_limit(), solver.get_dofs_force_range()
    columns = {
        "armature": (numbers(solver.get_dofs_armature()), "get_dofs_armature()"),
        "damping": (numbers(solver.get_dofs_damping()), "get_dofs_damping()"),
        "friction": (numbers(solver.get_dofs_frictionloss()), "get_dofs_frictionloss()"),
        "lower": (numbers(limits[0]), "get_dofs_limit()[0]"),
        "upper": (numbers(limits[1]), "get_dofs_limit()[1]"),
        "effort": (numbers(forces[1]), "get_dofs_force_range()[1], which clamps the torque"),
    }
    modes = process.view(solver.dyn_state.dofs.ctrl_mode)[0].cpu().numpy()
    for joint, dof in zip(places.source.joints, places.dofs, strict=True):
        asked: dict[str, Value] = {
            "armature": joint.armature,
            "damping": joint.damping,
            "friction": 0.0 if friction_off else joint.friction,
            "lower": joint.lower,
            "upper": joint.upper,
            "effort": joint.effort,
        }
        for quantity, authored in asked.items():
            values, native = columns[quantity]
            unit = joint_unit(joint.kind, REQUIRED_PER_JOINT[quantity])
            yield f"joint.{joint.name}.{quantity}", read(float(values[dof]), unit, native, file=authored)
        if modes[dof] == gs.CTRL_MODE.POSITION:
            yield from _drive(solver, joint, int(dof))


def _drive(solver: Any, joint: Joint, dof: int) -> Iterator[Row]:
    """The position drive of a joint; what it was asked to be is not in the description."""
    for name, of_hinge, getter in (
        ("drive_stiffness", "N m/rad", solver.get_dofs_kp),
        ("drive_damping", "N m s/rad", solver.get_dofs_kv),
    ):
        gain, place = float(numbers(getter([dof]))[0]), f"{getter.__name__}() under position control"
        row = Resolved(value=gain, unit=joint_unit(joint.kind, of_hinge), origin="scene", native=place)
        yield f"joint.{joint.name}.{name}", row
    euler = gs.integrator(solver.rigid_config.integrator) == gs.integrator.Euler
    when = "start of step" if euler else "start of step, kd at its end"
    yield (
        f"joint.{joint.name}.drive_evaluation",
        Resolved(value=when, unit="", origin="derived", native="rigid_config.integrator"),
    )


def _link(solver: Any, link: Link, made: Any | None) -> Iterator[Row]:
    authored: dict[str, tuple[Value, str]] = {
        "mass": (link.mass, "kg"),
        "com": (link.com, "m"),
        "inertia": (floats(np.array(link.inertia).ravel()), "kg m^2"),
    }
    if made is None:
        why = "Genesis merged this fixed link into its parent, whose mass, com and inertia hold it"
        for quantity, (asked, unit) in authored.items():
            row = Resolved(value=None, unit=unit, origin="absent", native=why, authored=asked)
            yield f"link.{link.name}.{quantity}", row
        return
    i = int(made.idx)
    found: dict[str, tuple[Value, str]] = {
        "mass": (float(numbers(solver.get_links_mass())[i]), "get_links_mass()"),
        "com": (floats(numbers(solver.get_links_COM())[i]), "get_links_COM()"),
        "inertia": (
            floats(in_link_axes(solver, i).ravel()),
            "get_links_inertia() turned by links.inertial_quat, 3 x 3 in the link's axes",
        ),
    }
    for quantity, (value, native) in found.items():
        asked, unit = authored[quantity]
        yield f"link.{link.name}.{quantity}", read(value, unit, native, file=asked)
