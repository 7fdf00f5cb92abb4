"""MuJoCo's C engine. `mj_step1` runs after each step, so sensors hold poses and contact forces of one instant."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import mujoco
import numpy as np

from ...harness.channels import COLUMNS, Sample
from ...harness.contacts import ContactRows
from ...harness.engine import Batch, Resolution, RobotDynamics, Settings, Simulation
from ...harness.errors import Diverged, Unsupported
from ...harness.mujoco_scene import attach, compiled
from ...harness.mujoco_warnings import warnings_to_stderr
from ...harness.robot_model import one_robot
from ...harness.scene import Array, Scene
from ...harness.soft_state import check_mixture
from . import mapping
from .batch import RolloutBatch
from .contacts import ContactReader
from .model import mjcf, most_contact_slots
from .readback import resolution
from .robots import RobotAccess, add_drives, dynamics, robot_rows
from .soft import SoftAccess, soft_rows

# position, orientation, velocities, contact count and net force stand side by side in a sample and in our sensors
_READ = COLUMNS["f_B_W"].stop


class MuJoCoSimulation:
    """One `MjModel` with its `MjData`; every read is a view into `sensordata`."""

    def __init__(self, scene: Scene, dt: float, settings: Settings) -> None:
        self.scene, self.settings, self.dt = scene, settings, dt
        self.spec: Any = mujoco.MjSpec.from_string(mjcf(scene, dt, settings))
        robot = one_robot(scene)
        if robot is not None:
            attach(self.spec, robot[0], settings.options, mapping.check)
        self.source = robot[1] if robot is not None else None
        self.watched = False
        self._compile()

    def _compile(self) -> None:
        """Compile `spec` and find everything in the model; ends in the initial state."""
        scene = self.scene
        self.model: Any = compiled(self.spec)
        self.data: Any = mujoco.MjData(self.model)
        self.robot = RobotAccess(self.model, self.source) if self.source is not None else None
        self.link_names = self.robot.link_names if self.robot is not None else ()
        self.scratch: Any = mujoco.MjData(self.model) if self.source is not None else None
        names = [body.name for body in scene.moving]
        self.body_ids = np.array([self.model.body(name).id for name in names], dtype=int)
        self.joints = [self.data.joint(f"{name}/free") for name in names]
        n = len(names)
        sensors = self.data.sensordata
        self.readout = sensors[: n * _READ].reshape(n, _READ)
        slots = most_contact_slots(scene)
        contacts = sensors[n * _READ : n * (_READ + 6 * slots)].reshape(n, slots, 6)
        self.normal_forces, self.normals = contacts[:, None, :, 0], contacts[:, :, 3:6]
        self.wrench = self.data.xfrc_applied
        # RK4 evaluates the dynamics four times a step and has no split into two halves
        self.split = bool(self.model.opt.integrator != mujoco.mjtIntegrator.mjINT_RK4)
        self.contact_reader = ContactReader(self.model, scene)
        self.soft = SoftAccess(self.model, self.data, scene) if scene.soft_bodies else None
        self.soft_parts = self.soft.parts if self.soft is not None else ()
        self.reset()

    def reset(self) -> None:
        self.touching = ContactRows.none()
        if self.soft is not None:
            self.soft.forces[:] = 0.0
        mujoco.mj_resetData(self.model, self.data)
        if self.robot is not None and self.scene.robots[0].q0:
            self.data.qpos[self.robot.q] = self.scene.robots[0].q0
            if self.model.nu:
                self.target(self.data.qpos[self.robot.q], self.data.qvel[self.robot.v])
        self.set_velocity(np.array([body.velocity for body in self.scene.moving]).reshape(-1, 6))

    def command(self, tau: Array | None, wrench: Array | None) -> None:
        if tau is not None and self.robot is not None:
            self.data.qfrc_applied[self.robot.v] = tau
        if wrench is not None:
            self.wrench[self.body_ids] = wrench

    def drive(self, kp: Array, kd: Array) -> None:
        assert self.source is not None, "the scene has no robot"
        for actuator in list(self.spec.actuators):  # those of an earlier call
            self.spec.delete(actuator)
        add_drives(self.spec, self.source.joint_names, kp, kd)
        self._compile()

    def target(self, q_ref: Array, v_ref: Array) -> None:
        self.data.ctrl[: len(q_ref)], self.data.ctrl[len(q_ref) :] = q_ref, v_ref

    def set_velocity(self, V_WB: Array) -> None:
        q_BW, w_B = np.zeros(4), np.zeros(3)
        for joint, V in zip(self.joints, V_WB, strict=True):
            mujoco.mju_negQuat(q_BW, joint.qpos[3:])
            mujoco.mju_rotVecQuat(w_B, V[3:], q_BW)
            joint.qvel[:] = (*V[:3], *w_B)  # a free joint holds its angular velocity in the body frame
        mujoco.mj_step1(self.model, self.data)

    def advance(self, steps: int) -> None:
        try:
            self._advance(steps)
        except mujoco.FatalError as error:
            if self.soft is None:
                raise
            # its shape is no longer finite
            raise Diverged(f"MuJoCo gave up on a soft body, {error}; explicit elasticity needs a smaller dt") from error

    def _advance(self, steps: int) -> None:
        reading = self.watched or self.soft is not None
        if steps > 1 and reading:
            mujoco.mj_step(self.model, self.data, nstep=steps - 1)
            mujoco.mj_step1(self.model, self.data)
            steps = 1
        if reading and steps and not self.split:
            self._look_ahead()
        if steps == 1 and self.split:
            mujoco.mj_step2(self.model, self.data)
        elif steps:
            mujoco.mj_step(self.model, self.data, nstep=steps)
        if reading and steps and self.split:  # the list still holds the forces of the step that ends here
            self._read_contacts()
        mujoco.mj_step1(self.model, self.data)

    def _read_contacts(self) -> None:
        if self.watched:
            self.touching = self.contact_reader.rows(self.data)
        if self.soft is not None:
            self.soft.add_forces()

    def _look_ahead(self) -> None:
        """Forces of the first of the four evaluations of an RK4 step, whose forces the sensors keep as well."""
        start = self.data.qacc_warmstart.copy()
        mujoco.mj_forward(self.model, self.data)
        self._read_contacts()
        self.data.qacc_warmstart[:] = start

    def sample(self, into: Sample) -> None:
        into.data[:, :_READ] = self.readout
        np.matmul(self.normal_forces, self.normals, out=into.f_normal_B_W[:, None])
        if self.robot is not None:
            into.q[:] = self.data.qpos[self.robot.q]
            into.v[:] = self.data.qvel[self.robot.v]
        if self.soft is not None:
            self.soft.sample(into.soft)
            into.f_links[:] = self.soft.forces

    def watch_contacts(self, watched: bool) -> None:
        self.watched = watched

    def contacts(self) -> ContactRows:
        return self.touching

    def dynamics(self, q: Array, v: Array, flange: str) -> RobotDynamics:
        assert self.robot is not None, "the scene has no robot"
        return dynamics(self.model, self.scratch, self.robot, q, v, flange)

    def batch(self, worlds: int) -> Batch:
        assert self.robot is not None, "the scene has no robot"
        return RolloutBatch(self.model, self.robot, self.scene.robots[0].q0, worlds)

    def resolved(self) -> Resolution:
        found = resolution(self.model, self.scene, self.settings, self.dt)
        table = dict(found.table)
        if self.robot is not None:
            table.update(robot_rows(self.model, self.settings, self.robot))
        if self.soft is not None:
            table.update(soft_rows(self.model, self.scene, self.settings))
        return replace(found, table=table)

    def close(self) -> None:
        del self.data, self.model, self.spec


def build(scene: Scene, dt: float, settings: Settings, device: str, precision: int) -> Simulation:
    """`scene` in MuJoCo; see `Build`."""
    if device != "cpu":
        raise Unsupported("MuJoCo's C engine runs on the CPU only; MuJoCo Warp on a GPU is engine=newton device=cuda")
    if precision != 64:
        raise Unsupported("the mujoco package is compiled in 64 bit; ask for precision=64")
    check_mixture("mujoco", scene)
    warnings_to_stderr()
    return MuJoCoSimulation(scene, dt, settings)
