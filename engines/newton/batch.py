"""Many worlds in one Newton model, stepped together by one recorded step."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import warp as wp

from ...harness.engine import Settings
from ...harness.scene import Array, Scene
from .kernel import hold, remember
from .model import newton_model, solver
from .readout import HARMFUL, check_overflow


class WorldBatch:
    """`worlds` copies of a scene, each in a MuJoCo Warp world of its own.

    The torques of a run go to the device once. Before each replay one row of them is copied on the device; the recorded
    step writes it into every world's part of `joint_f`. Nothing waits for the device before the run has ended.
    """

    def __init__(self, scene: Scene, dt: float, settings: Settings, device: str, worlds: int) -> None:
        self.model, _, self.robot = newton_model(scene, settings, device, worlds)
        assert self.robot is not None, "the scene has no robot"
        self.worlds, self.dt = worlds, dt
        self.solver = solver(self.model, scene, settings, self.robot)
        self.solver.mjw_model.opt.warn_overflow = 0  # `run` raises instead
        self.state, self.control = self.model.state(), self.model.control()
        self.observables = self.solver.observables({self.solver.ObservableKind.OVERFLOW})
        nv = self.model.joint_dof_count // worlds
        self.joint_f = self.control.joint_f.reshape((worlds, nv))
        with wp.ScopedDevice(self.model.device):
            self.dofs = wp.array(np.arange(nv)[self.robot.v], dtype=wp.int32)
            self.row = wp.zeros(len(self.dofs), dtype=wp.float32)
            self.seen = wp.zeros(worlds, dtype=wp.int32)
            self._step()  # compiles what is not in the cache; recording needs it
            with wp.ScopedCapture() as capture:
                self._step()
        self.graph = capture.graph

    def _step(self) -> None:
        wp.launch(hold, dim=(self.worlds, len(self.dofs)), inputs=[self.row, self.dofs], outputs=[self.joint_f])
        self.solver.step(self.state, self.state, self.control, None, self.dt, observables=self.observables)
        wp.launch(remember, dim=self.worlds, inputs=[self.observables.overflow], outputs=[self.seen])

    def run(self, tau: Array, stops: Sequence[int]) -> Array:
        assert self.robot is not None
        rows = wp.array(np.ascontiguousarray(tau, dtype=np.float32).ravel(), device=self.model.device)
        count, found = len(self.row), []
        self.solver.reset(self.state)  # the model's joint coordinates and velocities; no warm start
        self.seen.zero_()
        for step in range(len(tau)):
            wp.copy(self.row, rows, src_offset=step * count, count=count)
            wp.capture_launch(self.graph)
            if step + 1 in stops:
                q, v = (
                    array.numpy().reshape(self.worlds, -1)[:, place].astype(float)  # waits for the device
                    for array, place in ((self.state.joint_q, self.robot.q), (self.state.joint_qd, self.robot.v))
                )
                found.append((q, v))
        check_overflow(int(np.bitwise_or.reduce(self.seen.numpy())) & HARMFUL, self.solver)
        return np.array(found)

    def close(self) -> None:
        del self.graph, self.observables, self.solver, self.state, self.control, self.joint_f, self.model
