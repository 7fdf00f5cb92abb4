"""Many worlds by MuJoCo's rollout module: a pool of threads, one world a task, torques as applied joint forces."""

from __future__ import annotations

import os
from collections.abc import Sequence
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

    def run(self, tau: Array, stops: Sequence[int]) -> Array:
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
        first, nq = 1, self.model.nq  # a full physics state starts with the time
        found = states[:, np.array(stops) - 1]  # a row for the state after each step
        q, v = found[..., first : first + nq], found[..., first + nq : first + nq + self.model.nv]
        return np.stack([q[..., self.robot.q], v[..., self.robot.v]]).transpose(2, 0, 1, 3)

    def close(self) -> None:
        self.pool.close()
