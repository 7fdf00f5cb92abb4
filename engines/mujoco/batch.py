"""Many worlds by MuJoCo's rollout module: a pool of threads, one world a task, torques as applied joint forces."""

from __future__ import annotations

import os
from typing import Any

import mujoco
import numpy as np
from mujoco.rollout import Rollout

from ...harness.scene import Array
from .robots import RobotAccess


class RolloutBatch:
    """`worlds` independent copies of one model, stepped in C without the interpreter in between."""

    def __init__(self, model: Any, robot: RobotAccess, q0: tuple[float, ...], worlds: int) -> None:
        self.model, self.robot, self.worlds = model, robot, worlds
        self.threads = min(worlds, len(os.sched_getaffinity(0)))
        self.data = [mujoco.MjData(model) for _ in range(self.threads)]
        start: Any = mujoco.MjData(model)
        if q0:
            start.qpos[robot.q] = q0
        spec = mujoco.mjtState.mjSTATE_FULLPHYSICS
        state = np.zeros(mujoco.mj_stateSize(model, spec))
        mujoco.mj_getState(model, start, state, spec)
        self.initial = np.tile(state, (worlds, 1))
        self.pool = Rollout(nthread=self.threads if self.threads > 1 else 0)

    def run(self, tau: Array) -> Array:
        applied = np.zeros((len(tau), self.model.nv))
        applied[:, self.robot.v] = tau
        control = np.broadcast_to(applied, (self.worlds, *applied.shape))
        states, _ = self.pool.rollout(
            [self.model] * self.worlds,
            self.data,
            self.initial,
            np.ascontiguousarray(control),
            control_spec=int(mujoco.mjtState.mjSTATE_QFRC_APPLIED),
            nstep=len(tau),
        )
        first = 1  # a full physics state starts with the time
        q = states[:, -1, first : first + self.model.nq]
        return np.array(q[:, self.robot.q])

    def close(self) -> None:
        self.pool.close()
