"""Newton's `SolverMuJoCo` (MuJoCo Warp). One step is recorded once and replayed, which is what makes it fast enough.

The step is made in place: `SolverMuJoCo` reads its input state before it writes its output state. Its kernels, the
gathering of the sample and, on a GPU, the copies from and to the host are one recorded graph.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import newton
import numpy as np
import warp as wp

from ...harness.channels import COLUMNS, Sample
from ...harness.contacts import ContactRows
from ...harness.device import require_cuda
from ...harness.engine import Batch, Resolution, RobotDynamics, Settings, Simulation
from ...harness.errors import Unsupported
from ...harness.scene import Array, Scene
from ...harness.soft_state import check_mixture
from . import mapping
from .batch import WorldBatch
from .contacts import ContactReader, party_of_shapes
from .dynamics import Evaluation
from .flex import FlexSimulation
from .model import com_velocity, newton_model, rotated, solver
from .observed import Observed
from .readback import Live, resolution
from .readout import Readout, check_overflow
from .robot_readback import robot_pairs, robot_rows
from .robots import Gains
from .soft import SoftSimulation


class NewtonSimulation:
    """One Newton model, state and solver.

    Attributes:
        link_names: the links of the robot in the order of its description; empty without one.
        eager: launch every kernel of a step from Python instead of replaying the recorded step. Same numbers, a hundred
            times slower on a CPU; it is there to be timed.
    """

    def __init__(self, scene: Scene, dt: float, settings: Settings, device: str) -> None:
        self.scene, self.settings, self.dt, self.eager = scene, settings, dt, False
        self._load(device, None)

    def _load(self, device: str, gains: Gains | None) -> None:
        """Make the model, with drives of these `gains`, and record its step; ends in the initial state."""
        scene, settings = self.scene, self.settings
        self.model, self.shapes, self.robot = newton_model(scene, settings, device, gains=gains)
        self.link_names = self.robot.link_names if self.robot is not None else ()
        self.solver = solver(self.model, scene, settings, self.robot)
        self.state, self.control = self.model.state(), self.model.control()
        self.com = np.array([body.com for body in scene.moving]).reshape(-1, 3)
        n = len(self.com)
        self.observables = Observed(self.solver, forces=True)
        self.rigid_contacts = self.observables.contacts
        self.readout = Readout(n, self.model, self.solver, self.state, self.rigid_contacts, self.observables)
        parties = party_of_shapes(self.model, scene, self.shapes, self.robot)
        self.touching = ContactReader(self.solver, self.rigid_contacts, self.observables, parties)
        self.gpu = bool(self.model.device.is_cuda)
        inputs = (self.control.joint_f, *((self.control.joint_target_q, self.control.joint_target_qd) if gains else ()))
        self.inboxes = [(array, self._on_host(array)) for array in inputs]
        self.read = (self.readout.out, self.state.joint_q, self.state.joint_qd)
        self.outbox, self.q, self.v = self.outboxes = tuple(self._on_host(array) for array in self.read)
        self.joint_q, self.joint_qd = self.q.numpy(), self.v.numpy()
        self.joint_f, *self.targets = (host.numpy() for _, host in self.inboxes)
        self.wrench = self.joint_f[: 6 * n].reshape(n, 6)
        self.velocities = self.state.joint_qd[: 6 * n] if n else None
        self.block = self.outbox.numpy()
        self.readable, self.overflow = self.block[:-1], self.block[-1:, 0]
        self._step()  # compiles what is not in the cache; recording needs it
        with wp.ScopedCapture(device=self.model.device) as capture:
            self._step()
        self.graph = capture.graph
        self.reset()
        self.evaluation = Evaluation(self.solver, self.robot) if self.robot is not None else None

    def _on_host(self, array: Any) -> Any:
        """`array` itself on a CPU, else its counterpart in pinned host memory."""
        return wp.zeros(array.shape, dtype=array.dtype, device="cpu", pinned=True) if self.gpu else array

    def _step(self) -> None:
        for array, host in self.inboxes if self.gpu else ():
            wp.copy(array, host)
        self.observables.step(self.state, self.control, self.dt)
        self._gather()

    def _gather(self) -> None:
        self.readout.launch()
        for host, array in zip(self.outboxes, self.read, strict=True) if self.gpu else ():
            wp.copy(host, array)

    def _refresh(self) -> None:
        """Bring the body poses and velocities and the sample in line with the joint coordinates."""
        newton.eval_fk(self.model, self.state.joint_q, self.state.joint_qd, self.state)
        self._gather()
        self._finish()

    def _finish(self) -> None:
        if self.gpu:
            wp.synchronize_device(self.model.device)
        check_overflow(int(self.overflow[0]), self.solver)

    def reset(self) -> None:
        self.solver.reset(self.state)  # the model's joint coordinates and velocities; no warm start
        self.rigid_contacts.rigid_contact_count.zero_()  # no step has ended yet: no contact force
        self.observables.overflow.zero_()
        self.readout.out.zero_()
        self.joint_f[:] = 0.0
        self._refresh()
        if self.targets and self.robot is not None:
            self.target(self.joint_q[self.robot.q], self.joint_qd[self.robot.v])

    def drive(self, kp: Array, kd: Array) -> None:
        device = str(self.model.device)
        self.close()
        self._load(device, (kp, kd))

    def target(self, q_ref: Array, v_ref: Array) -> None:
        assert self.robot is not None, "the scene has no robot"
        self.targets[0][self.robot.q], self.targets[1][self.robot.v] = q_ref, v_ref

    def command(self, tau: Array | None, wrench: Array | None) -> None:
        if tau is not None and len(tau):
            if self.robot is None:
                raise Unsupported("this scene has no joints to command")
            self.joint_f[self.robot.v] = tau
        if wrench is not None:  # joint_f of a free joint is a force and a torque about the centre of mass in W
            self.wrench[:] = wrench

    def set_velocity(self, V_WB: Array) -> None:
        if self.velocities is None:
            return
        q_WB = self.readable[:, COLUMNS["q_WB"]].astype(float)
        self.velocities.assign(com_velocity(np.asarray(V_WB), rotated(q_WB, self.com)).ravel())
        self._refresh()

    def advance(self, steps: int) -> None:
        if self.eager:
            for _ in range(steps):
                self._step()
        else:
            graph, launch = self.graph, wp.capture_launch
            for _ in range(steps):
                launch(graph)
        self._finish()

    def sample(self, into: Sample) -> None:
        into.data[:] = self.readable
        if self.robot is not None:
            into.q[:] = self.joint_q[self.robot.q]
            into.v[:] = self.joint_qd[self.robot.v]

    def watch_contacts(self, watched: bool) -> None:
        """Nothing to do: the solver's arrays hold the contacts until the next step."""

    def contacts(self) -> ContactRows:
        return self.touching.rows()

    def dynamics(self, q: Array, v: Array, flange: str) -> RobotDynamics:
        assert self.evaluation is not None, "the scene has no robot"
        return self.evaluation.at(q, v, flange)

    def batch(self, worlds: int) -> Batch:
        return WorldBatch(self.scene, self.dt, self.settings, str(self.model.device), worlds)

    def resolved(self) -> Resolution:
        touching = self.robot.shapes if self.robot is not None else ()
        found = resolution(self.solver, self.model, self.shapes, self.scene, self.settings, self.dt, touching)
        if self.robot is None:
            return found
        live = Live(self.solver, self.shapes)
        rows, pairs = robot_rows(live, self.settings, self.robot), robot_pairs(live, self.scene, self.robot)
        return replace(found, table={**found.table, **dict(rows), **dict(pairs)})

    def close(self) -> None:
        del self.graph, self.readout, self.observables, self.touching, self.rigid_contacts
        del self.solver, self.state, self.control, self.model


def cache_folders() -> list[Path]:
    """Where Warp keeps compiled kernels."""
    wp.config.log_level = wp.LOG_WARNING
    wp.init()
    return [Path(wp.config.kernel_cache_dir)]


def build(scene: Scene, dt: float, settings: Settings, device: str, precision: int) -> Simulation:
    """`scene` in Newton; see `Build`."""
    if device not in ("cpu", "cuda"):
        raise Unsupported(f"Newton runs on cpu or cuda, not on {device}")
    if precision != 32:
        raise Unsupported("Newton's state is in 32 bit and SolverMuJoCo offers nothing else; ask for precision=32")
    if device == "cuda":
        require_cuda("newton")
    wp.config.log_level = wp.LOG_WARNING  # no greeting and no line per compiled module
    if scene.soft_bodies:
        check_mixture("newton", scene)
        if device != "cpu":
            raise Unsupported("soft bodies in Newton run on device=cpu here; ask for that")
        mapping.check_options(settings.options)
        flex = settings.options.get("soft_method") == "flex"
        return FlexSimulation(scene, dt, settings, device) if flex else SoftSimulation(scene, dt, settings, device)
    return NewtonSimulation(scene, dt, settings, device)
