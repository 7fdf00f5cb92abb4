"""A robot's kinematics and dynamics at a given state, computed on a second articulation that is never stepped.

Poses, Jacobian and bias are PhysX's own. SAPIEN does not show PhysX's mass matrix: that one is of its Pinocchio model
of the live articulation, which leaves the armature out.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...harness.channels import ChannelNote
from ...harness.engine import RobotDynamics, Settings
from ...harness.scene import Array, Scene
from .model import build_model

NOTES = {
    "mass_matrix": ChannelNote(
        "derived",
        "SAPIEN shows no mass matrix of PhysX: Pinocchio on the URDF that SAPIEN makes of the live articulation, "
        "without armature, which acts inside PhysX's solver",
    )
}


class Probe:
    """A copy of the scene's robot, alone in a PhysX scene."""

    def __init__(self, scene: Scene, dt: float, settings: Settings) -> None:
        alone = replace(scene, bodies=(), robots=(replace(scene.robots[0], contacts=False),), collision_pairs_off=())
        self.model = build_model(alone, dt, settings)
        assert self.model.robot is not None
        self.robot = self.model.robot
        self.pinocchio: Any = self.robot.articulation.create_pinocchio_model()

    def dynamics(self, q: Array, v: Array, flange: str) -> RobotDynamics:
        """All quantities of `RobotDynamics` at `q`, `v` (nv,)."""
        robot, articulation, order = self.robot, self.robot.articulation, self.robot.order
        k = robot.source.links.index(robot.source.link(flange))
        articulation.set_qpos(robot.native(q))
        articulation.set_qvel(robot.native(v))
        poses = [link.entity_pose * X for link, X in zip(robot.links, robot.in_link, strict=True)]
        X_WL = np.array([[*X.p, *X.q] for X in poses], float)
        bias = np.array(articulation.compute_passive_force(), float)
        M = np.array(self.pinocchio.compute_generalized_mass_matrix(q[robot.inverse]))
        M = np.where(M == 0.0, M.T, M)  # Pinocchio fills one triangle
        return RobotDynamics(
            X_WL=X_WL,
            jacobian=self._jacobian(robot.links[k], X_WL[k, :3])[:, order],
            mass_matrix=M[order][:, order],
            bias=bias[order],
        )

    def _jacobian(self, link: Any, p_WF: Array) -> Array:
        """Of the point F of `link`, in W, linear part first, at unit joint velocities; columns in SAPIEN's order."""
        articulation = self.robot.articulation
        J, unit = np.zeros((6, articulation.dof)), np.eye(articulation.dof, dtype=np.float32)
        for k in range(articulation.dof):
            articulation.set_qvel(unit[k])
            J[:3, k], J[3:, k] = link.linear_velocity, link.angular_velocity
        p_WC = (link.entity_pose * link.cmass_local_pose).p  # SAPIEN's linear velocity is that of the centre of mass
        J[:3] += np.cross(J[3:].T, p_WF - p_WC).T
        return J
