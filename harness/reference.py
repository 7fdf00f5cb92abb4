"""Rigid-body dynamics of the source model by Pinocchio: the same for every engine, and an independent judge.

Linear part first throughout, as in Pinocchio. Armature is kept apart, since engines differ in whether M holds it.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from .robot_model import RobotModel
from .scene import Array, Pose


class Reference:
    """Pinocchio's model of a `RobotModel` with its base at `pose` and gravity [m/s^2] in W."""

    def __init__(self, robot: RobotModel, gravity: tuple[float, float, float], pose: Pose | None = None) -> None:
        import pinocchio as pin

        self.robot, self._pin = robot, pin
        self.model: Any = pin.Model()
        self.model.gravity.linear = np.array(gravity)
        self.link_names = tuple(link.name for link in robot.links)
        base = _se3(pin, pose or Pose())
        carriers: list[tuple[int, Any]] = []  # per link: Pinocchio joint that carries it, and its placement there
        for link in robot.links:
            joint_id, placement = carriers[link.parent] if link.parent >= 0 else (0, base)
            placement = placement * _se3(pin, link.pose)
            if link.joint is not None:
                kind = (
                    pin.JointModelRevoluteUnaligned if link.joint.kind == "hinge" else pin.JointModelPrismaticUnaligned
                )
                axis, anchor = np.array(link.joint.axis), np.array(link.joint.anchor)
                at_anchor = placement * pin.SE3(np.eye(3), anchor)
                joint_id = self.model.addJoint(joint_id, kind(axis), at_anchor, link.joint.name)
                placement = pin.SE3(np.eye(3), -anchor)
            if link.mass > 0:
                body = pin.Inertia(link.mass, np.array(link.com), np.array(link.inertia))
                self.model.appendBodyToJoint(joint_id, body, placement)
            self.model.addFrame(pin.Frame(link.name, joint_id, 0, placement, pin.FrameType.BODY))
            carriers.append((joint_id, placement))
        self.data: Any = self.model.createData()
        self._frames = [self.model.getFrameId(name) for name in self.link_names]

    @cached_property
    def armature(self) -> Array:
        """Rotor inertia of each joint [kg m^2 | kg], shape (nv,)."""
        return np.array([joint.armature for joint in self.robot.joints])

    @cached_property
    def _stiffness(self) -> Array:
        return np.array([joint.stiffness for joint in self.robot.joints])

    @cached_property
    def _rest(self) -> Array:
        return np.array([joint.rest for joint in self.robot.joints])

    def gravity_torque(self, q: Array) -> Array:
        """g(q) [N m | N], shape (nv,)."""
        return np.array(self._pin.computeGeneralizedGravity(self.model, self.data, q))

    def bias(self, q: Array, v: Array) -> Array:
        """C(q, v) v + g(q) [N m | N], shape (nv,)."""
        return np.array(self._pin.nonLinearEffects(self.model, self.data, q, v))

    def mass_matrix(self, q: Array) -> Array:
        """M without armature, shape (nv, nv)."""
        M = np.array(self._pin.crba(self.model, self.data, q))
        return np.asarray(np.triu(M) + np.triu(M, 1).T)

    def jacobian(self, q: Array, link: str) -> Array:
        """6 x nv of the link's origin in W, linear part first."""
        frame = self._frames[self.link_names.index(link)]
        self._pin.computeJointJacobians(self.model, self.data, q)
        self._pin.updateFramePlacements(self.model, self.data)
        aligned = self._pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        return np.array(self._pin.getFrameJacobian(self.model, self.data, frame, aligned)).reshape(6, -1)

    def link_poses(self, q: Array) -> Array:
        """X_WL of every link: position [m], quaternion scalar first; shape (n_links, 7)."""
        self._pin.framesForwardKinematics(self.model, self.data, q)
        rows = []
        for frame in self._frames:
            X = self.data.oMf[frame]
            x, y, z, w = self._pin.Quaternion(X.rotation).coeffs()
            rows.append([*X.translation, w, x, y, z])
        return np.array(rows)

    def link_pose(self, q: Array, link: str) -> Array:
        """X_WL of one link: position [m], quaternion scalar first; shape (7,)."""
        self._pin.forwardKinematics(self.model, self.data, q)
        X = self._pin.updateFramePlacement(self.model, self.data, self._frames[self.link_names.index(link)])
        x, y, z, w = self._pin.Quaternion(X.rotation).coeffs()
        return np.array([*X.translation, w, x, y, z])

    def link_motion(self, q: Array, v: Array, link: str) -> tuple[Array, Array, Array]:
        """Position of the link's origin [m], its velocity [m/s] and angular velocity [rad/s], in W, each (3,)."""
        frame = self._frames[self.link_names.index(link)]
        self._pin.forwardKinematics(self.model, self.data, q, v)
        X = self._pin.updateFramePlacement(self.model, self.data, frame)
        aligned = self._pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        V = self._pin.getFrameVelocity(self.model, self.data, frame, aligned)
        return np.array(X.translation), np.array(V.linear), np.array(V.angular)

    def energy(self, q: Array, v: Array) -> float:
        """Kinetic and potential energy [J], armature and the joints' springs included."""
        kinetic = self._pin.computeKineticEnergy(self.model, self.data, q, v)
        potential = self._pin.computePotentialEnergy(self.model, self.data, q)
        springs = 0.5 * self._stiffness @ (q - self._rest) ** 2
        return float(kinetic + potential + 0.5 * self.armature @ (v * v) + springs)


@lru_cache(maxsize=8)
def reference_of(robot: RobotModel, gravity: tuple[float, float, float], pose: Pose | None = None) -> Reference:
    """The `Reference` of these, made once; its results are the caller's own, its scratch memory is shared."""
    return Reference(robot, gravity, pose)


def _se3(pin: Any, pose: Pose) -> Any:
    w, x, y, z = pose.q_wxyz
    return pin.SE3(pin.Quaternion(w, x, y, z).matrix(), np.array(pose.p))
