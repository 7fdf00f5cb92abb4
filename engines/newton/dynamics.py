"""A robot's dynamics at a given state by the functions of MuJoCo Warp that the solver's step uses."""

from __future__ import annotations

from typing import Any

import mujoco_warp
import numpy as np
import warp as wp

from ...harness.engine import RobotDynamics
from ...harness.scene import Array
from .robots import RobotAccess


class Evaluation:
    """Kinematics, Jacobian, mass matrix and bias in a `Data` of their own, so the simulation's state is not touched.

    Newton's `eval_fk` is not used: the importer leaves quaternions off unit length by up to 7e-7 in `joint_X_p`, which
    adds up to 4e-6 m along an arm; MuJoCo Warp normalises them, here as in every step.
    """

    def __init__(self, solver: Any, access: RobotAccess) -> None:
        self.model, self.link_names = solver.mjw_model, access.link_names
        self.device = solver.model.device
        with wp.ScopedDevice(self.device):
            self.data: Any = mujoco_warp.make_data(solver.mj_model, nconmax=0, njmax=0)
        for name in ("mocap_pos", "mocap_quat"):  # fixed bases are mocap bodies: the solver has posed them
            wp.copy(getattr(self.data, name), getattr(solver.mjw_data, name))
        bodies = {int(body): mjc for mjc, body in enumerate(solver.mjc_body_to_newton.numpy()[0])}
        dofs = {int(dof): mjc for mjc, dof in enumerate(solver.mjc_dof_to_newton_dof.numpy()[0])}
        self.bodies = np.array([bodies[int(body)] for body in access.bodies])
        self.v = np.array([dofs[int(dof)] for dof in np.arange(solver.model.joint_dof_count)[access.v]])
        joints = self.model.dof_jntid.numpy()[self.v]
        self.q = self.model.jnt_qposadr.numpy()[joints]
        self.qpos, self.qvel = (array.numpy().copy() for array in (self.data.qpos, self.data.qvel))
        nv = self.model.nv
        self.J = [wp.zeros((1, 3, nv), device=self.device) for _ in range(2)]
        rows, first, columns = (getattr(self.model, f"M_{name}").numpy() for name in ("rownnz", "rowadr", "colind"))
        self.row = np.repeat(np.arange(nv), rows)
        self.entry = np.concatenate([np.arange(a, a + n) for a, n in zip(first, rows, strict=True)])
        self.column = columns[self.entry]
        self.recorded: dict[str, Any] = {}

    def _record(self, flange: str) -> Any:
        """All launches for that flange as one graph, with the arrays that it reads besides `data`."""
        body = int(self.bodies[self.link_names.index(flange)])
        point, index = self.data.xpos[0][body : body + 1], wp.array([body], dtype=wp.int32, device=self.device)

        def launch() -> None:
            for function in ("kinematics", "com_pos", "crb", "com_vel", "rne"):
                getattr(mujoco_warp, function)(self.model, self.data)
            mujoco_warp.jac(self.model, self.data, *self.J, point, index)

        with wp.ScopedDevice(self.device):
            launch()  # compiles what is not in the cache; recording needs it
            with wp.ScopedCapture() as capture:
                launch()
        return capture.graph, point, index

    def at(self, q: Array, v: Array, flange: str) -> RobotDynamics:
        """All quantities of `RobotDynamics` at `q`, `v`."""
        self.qpos[0, self.q], self.qvel[0, self.v] = q, v
        self.data.qpos.assign(self.qpos)
        self.data.qvel.assign(self.qvel)
        if flange not in self.recorded:
            self.recorded[flange] = self._record(flange)
        wp.capture_launch(self.recorded[flange][0])
        M = np.zeros((self.model.nv, self.model.nv))
        M[self.row, self.column] = M[self.column, self.row] = self.data.M.numpy()[0, self.entry]
        X_WL = np.hstack([pose.numpy()[0, self.bodies] for pose in (self.data.xpos, self.data.xquat)])
        J = np.vstack([part.numpy()[0] for part in self.J])
        return RobotDynamics(
            X_WL=X_WL.astype(float),
            jacobian=J[:, self.v].astype(float),
            mass_matrix=M[np.ix_(self.v, self.v)],
            bias=self.data.qfrc_bias.numpy()[0, self.v].astype(float),
        )
