"""Robots in MuJoCo: what its own importer made of the description, and its dynamics."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import mujoco
import numpy as np

from ...harness.engine import Resolved, RobotDynamics, Settings, Value
from ...harness.required import REQUIRED_PER_JOINT, joint_unit
from ...harness.resolution import Row, floats, read
from ...harness.robot_model import Joint, Link, RobotModel
from ...harness.scene import Array


def add_drives(spec: Any, joints: Sequence[str], kp: Array, kd: Array) -> None:
    """A position and a velocity actuator on every joint, so that both targets can be given; kd on its own would brake.

    All position actuators come first. Force: kp (ctrl - q) and kd (ctrl - v), within the joint's actuatorfrcrange.
    """
    for place, gains in enumerate((kp, kd), start=1):
        for joint, gain in zip(joints, gains, strict=True):
            actuator = spec.add_actuator(name=f"{joint}/drive{place}", target=joint)
            actuator.trntype = mujoco.mjtTrn.mjTRN_JOINT
            actuator.gaintype, actuator.biastype = mujoco.mjtGain.mjGAIN_FIXED, mujoco.mjtBias.mjBIAS_AFFINE
            actuator.gainprm[0] = gain
            actuator.biasprm[place] = -gain


class RobotAccess:
    """Where the joints and links of the robot are in the compiled model."""

    def __init__(self, model: Any, source: RobotModel) -> None:
        self.source = source
        ids = [model.joint(name).id for name in source.joint_names]
        self.q = _range([int(model.jnt_qposadr[i]) for i in ids])
        self.v = _range([int(model.jnt_dofadr[i]) for i in ids])
        self.bodies = np.array([model.body(link.name).id for link in source.links], dtype=int)
        self.link_names = tuple(link.name for link in source.links)


def _range(addresses: list[int]) -> Any:
    """A slice where the addresses are consecutive, which makes reads views; an index array otherwise."""
    start = addresses[0]
    if addresses == list(range(start, start + len(addresses))):
        return slice(start, start + len(addresses))
    return np.array(addresses)


def dynamics(model: Any, data: Any, access: RobotAccess, q: Array, v: Array, flange: str) -> RobotDynamics:
    """All quantities of `RobotDynamics` at `q`, `v`, computed in the scratch `data`."""
    data.qpos[access.q], data.qvel[access.v] = q, v
    mujoco.mj_fwdPosition(model, data)
    mujoco.mj_fwdVelocity(model, data)
    body = int(access.bodies[access.link_names.index(flange)])
    J, M = np.zeros((6, model.nv)), np.zeros((model.nv, model.nv))
    mujoco.mj_jac(model, data, J[:3], J[3:], data.xpos[body], body)
    mujoco.mj_fullM(model, data, M)
    return RobotDynamics(
        X_WL=np.hstack([data.xpos[access.bodies], data.xquat[access.bodies]]),
        jacobian=J[:, access.v],
        mass_matrix=M[access.v][:, access.v],
        bias=data.qfrc_bias[access.v].copy(),
    )


def robot_rows(model: Any, settings: Settings, access: RobotAccess) -> Iterator[Row]:
    """The resolved rows of every link and joint."""
    for link, body in zip(access.source.links, access.bodies, strict=True):
        yield from _link_rows(model, link, int(body))
    for joint in access.source.joints:
        j = model.joint(joint.name).id
        dof, limited = int(model.jnt_dofadr[j]), bool(model.jnt_limited[j])
        forced = bool(model.jnt_actfrclimited[j])
        friction_off = settings.options.get("joint_friction") is False
        rows: dict[str, tuple[Value, str, Value]] = {
            "armature": (float(model.dof_armature[dof]), "dof_armature", joint.armature),
            "damping": (float(model.dof_damping[dof]), "dof_damping", joint.damping),
            "friction": (
                float(model.dof_frictionloss[dof]),
                "dof_frictionloss",
                0.0 if friction_off else joint.friction,
            ),
            "lower": (float(model.jnt_range[j, 0]) if limited else -math.inf, "jnt_range[0]", joint.lower),
            "upper": (float(model.jnt_range[j, 1]) if limited else math.inf, "jnt_range[1]", joint.upper),
            "effort": (
                float(model.jnt_actfrcrange[j, 1]) if forced else math.inf,
                "jnt_actfrcrange[1], applied by the torque law",
                joint.effort,
            ),
        }
        for quantity, (value, native, asked) in rows.items():
            unit = joint_unit(joint.kind, REQUIRED_PER_JOINT[quantity])
            yield f"joint.{joint.name}.{quantity}", read(value, unit, native, file=asked)
        if model.nu:
            yield from _drive_rows(model, joint)


def _drive_rows(model: Any, joint: Joint) -> Iterator[Row]:
    """The position drive of a joint; what it was asked to be is not in the description."""
    for place, name, of_hinge in ((1, "drive_stiffness", "N m/rad"), (2, "drive_damping", "N m s/rad")):
        gain, unit = float(model.actuator(f"{joint.name}/drive{place}").gainprm[0]), joint_unit(joint.kind, of_hinge)
        row = Resolved(value=gain, unit=unit, origin="scene", native="actuator_gainprm[0]")
        yield f"joint.{joint.name}.{name}", row
    implicit = model.opt.integrator in (mujoco.mjtIntegrator.mjINT_IMPLICIT, mujoco.mjtIntegrator.mjINT_IMPLICITFAST)
    when = "start of step, kd at its end" if implicit else "start of step"
    native = "opt.integrator: implicit ones take the actuators' derivative by v"
    yield (
        f"joint.{joint.name}.drive_evaluation",
        Resolved(value=when, unit="", origin="derived", native=native),
    )


def _link_rows(model: Any, link: Link, body: int) -> Iterator[Row]:
    rotation = np.zeros(9)
    mujoco.mju_quat2Mat(rotation, model.body_iquat[body])
    R = rotation.reshape(3, 3)
    inertia = R @ np.diag(model.body_inertia[body]) @ R.T
    yield f"link.{link.name}.mass", read(float(model.body_mass[body]), "kg", "body_mass", file=link.mass)
    yield f"link.{link.name}.com", read(floats(model.body_ipos[body]), "m", "body_ipos", file=link.com)
    yield (
        f"link.{link.name}.inertia",
        read(
            floats(inertia.ravel()),
            "kg m^2",
            "body_inertia turned by body_iquat, 3 x 3 in the link's axes",
            file=floats(np.array(link.inertia).ravel()),
        ),
    )
