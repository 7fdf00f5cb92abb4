"""What Newton made of a robot, read from the solver's live `mjw_model`."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

import numpy as np

from ...harness.engine import Resolved, Settings, Value
from ...harness.required import REQUIRED_PER_JOINT, joint_unit
from ...harness.resolution import Row, floats, read, robot_friction
from ...harness.robot_model import Joint, Link
from ...harness.scene import Scene
from ...harness.soft_contact import mixed
from .readback import Live, axes_matrix, surface
from .robots import RobotAccess


def robot_rows(live: Live, settings: Settings, access: RobotAccess) -> Iterator[Row]:
    """The resolved rows of every link and joint of the source."""
    for link, body in zip(access.source.links, access.bodies, strict=True):
        yield from _link(live, link, live.bodies[int(body)])
    dofs = {int(dof): mjc for mjc, dof in enumerate(live.solver.mjc_dof_to_newton_dof.numpy()[0])}
    of_dof = {int(dof): joint for joint, dof in enumerate(live.array("jnt_dofadr"))}
    newton_dofs = np.arange(live.solver.model.joint_dof_count)[access.v]
    for joint, dof in zip(access.source.joints, newton_dofs, strict=True):
        mjc = dofs[int(dof)]
        yield from _joint(live, settings, joint, mjc, of_dof[mjc])


def robot_pairs(live: Live, scene: Scene, access: RobotAccess) -> Iterator[Row]:
    """Friction of every body against the robot's shapes: one number, or all that occur."""
    for body, robot in product(scene.bodies, scene.touching_robots):
        if not body.shapes:
            continue
        mine = surface(live, live.geoms[body.name, 0])
        mus = (mixed(mine, surface(live, live.geom_of[s])).friction for s in access.shapes)
        native = "max of mjw_model.geom_friction over the robot's shapes"
        yield f"pair.{body.name}+{robot.name}.friction", robot_friction(mus, native)


def _link(live: Live, link: Link, body: int) -> Iterator[Row]:
    R = axes_matrix(live.array("body_iquat")[body])
    inertia = R @ np.diag(live.array("body_inertia")[body].astype(float)) @ R.T
    native = "mjw_model.body_inertia turned by body_iquat, 3 x 3 in the link's axes"
    name = f"link.{link.name}."
    yield name + "mass", read(float(live.array("body_mass")[body]), "kg", "mjw_model.body_mass", file=link.mass)
    yield name + "com", read(floats(live.array("body_ipos")[body]), "m", "mjw_model.body_ipos", file=link.com)
    authored = floats(np.array(link.inertia).ravel())
    yield name + "inertia", read(floats(inertia.ravel()), "kg m^2", native, file=authored)


def _joint(live: Live, settings: Settings, joint: Joint, dof: int, index: int) -> Iterator[Row]:
    limited = index in live.array("jnt_limited_slide_hinge_adr")
    lower, upper = floats(live.array("jnt_range")[index]) if limited else (-math.inf, math.inf)
    forced = bool(live.array("jnt_actfrclimited")[index])
    effort = float(live.array("jnt_actfrcrange")[index][1]) if forced else math.inf
    friction = 0.0 if settings.options.get("joint_friction") is False else joint.friction
    rows: dict[str, tuple[Value, str, Value]] = {
        "armature": (float(live.array("dof_armature")[dof]), "dof_armature", joint.armature),
        "damping": (float(live.array("dof_damping")[dof]), "dof_damping", joint.damping),
        "friction": (float(live.array("dof_frictionloss")[dof]), "dof_frictionloss", friction),
        "lower": (lower, "jnt_range[0]", joint.lower),
        "upper": (upper, "jnt_range[1]", joint.upper),
        "effort": (effort, "jnt_actfrcrange[1]; the torque law applies the source's", joint.effort),
    }
    for quantity, (value, native, asked) in rows.items():
        unit = joint_unit(joint.kind, REQUIRED_PER_JOINT[quantity])
        yield f"joint.{joint.name}.{quantity}", read(value, unit, f"mjw_model.{native}", file=asked)
    if live.solver.mjw_model.nu:
        yield from _drive(live, joint, index)


def _drive(live: Live, joint: Joint, index: int) -> Iterator[Row]:
    """The position drive of a joint; what it was asked to be is not in the description."""
    mine = live.array("actuator_trnid")[:, 0] == index  # a position and a velocity actuator, in this order
    for name, of_hinge, gain in zip(
        ("drive_stiffness", "drive_damping"),
        ("N m/rad", "N m s/rad"),
        live.array("actuator_gainprm")[mine][:, 0],
        strict=True,
    ):
        unit, native = joint_unit(joint.kind, of_hinge), "mjw_model.actuator_gainprm[0]"
        yield f"joint.{joint.name}.{name}", Resolved(value=float(gain), unit=unit, origin="scene", native=native)
    explicit = live.integrator in ("Euler", "RK4")
    when = "start of step" if explicit else "start of step, kd at its end"
    native = "mjw_model.opt.integrator: implicit ones take the actuators' derivative by v"
    yield (
        f"joint.{joint.name}.drive_evaluation",
        Resolved(value=when, unit="", origin="derived", native=native),
    )
