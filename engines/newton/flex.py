"""Soft bodies in MuJoCo Warp's own flex, without Newton: its importer drops flexcomp and its builder has no flex.

The scene is compiled by MuJoCo and handed to MuJoCo Warp; one step is recorded once and replayed. Robot and soft body
are in one problem, so the contact force is that of the same step.
"""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import Any
from xml.etree.ElementTree import tostring

import mujoco
import mujoco_warp as mjw
import numpy as np
import warp as wp

from ...harness.channels import Sample
from ...harness.engine import Resolution, RobotDynamics, Settings
from ...harness.errors import Unsupported
from ...harness.mujoco_flex import flex_parts, flex_place
from ...harness.mujoco_scene import attach, compiled, scene_mjcf
from ...harness.robot_model import model_of
from ...harness.scene import Array, Scene
from ...harness.soft_contact import refuse_force_level
from .dynamics import Evaluation
from .observed import HARMFUL
from .readout import check_overflow
from .robots import RobotAccess, as_slice, one_robot


class Native:
    """A model and data of MuJoCo Warp behind the names by which `readback` and `dynamics` know a `SolverMuJoCo`."""

    enable_sleeping = False

    def __init__(self, model: Any, device: str, nconmax: int | None, njmax: int | None) -> None:
        with wp.ScopedDevice(device):
            self.mj_model = model
            self.mjw_model: Any = mjw.put_model(model)
            self.mjw_data: Any = mjw.make_data(model, nconmax=nconmax, njmax=njmax)
            self.mjw_model.opt.warn_overflow = 0  # no printed lines: an error is raised instead
            self.mjc_geom_to_newton_shape, self.mjc_body_to_newton, self.mjc_dof_to_newton_dof = (
                wp.array(np.arange(n, dtype=np.int32)[None]) for n in (model.ngeom, model.nbody, model.nv)
            )
        self.model = SimpleNamespace(device=self.mjw_data.qpos.device, joint_dof_count=model.nv)


def flex_model(scene: Scene, dt: float, settings: Settings) -> Any:
    """The `MjModel` of `scene` with the options of `settings`.

    Raises:
        Unsupported: MuJoCo's compiler refuses it, or its contact cannot express a material.
    """
    options, refuse = settings.options, partial(refuse_force_level, "MuJoCo Warp")
    spec = mujoco.MjSpec.from_string(tostring(scene_mjcf(scene, dt, options, refuse), encoding="unicode"))
    for robot in scene.robots:
        attach(spec, robot, options, refuse)
    model = compiled(spec)
    if options.get("multi_contact") is False:
        model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_MULTICCD
    return model


class FlexSimulation:
    """MuJoCo Warp with a robot and flexes; positions of vertices are those at rest and the travel of their slides."""

    def __init__(self, scene: Scene, dt: float, settings: Settings, device: str) -> None:
        self.scene, self.settings, self.dt = scene, settings, dt
        robot = one_robot(scene)
        if robot is None:
            raise Unsupported("this adapter of MuJoCo Warp reads the force of soft bodies on a robot, which is missing")
        model = flex_model(scene, dt, settings)
        nconmax, njmax = (settings.options.get(name) for name in ("nconmax", "njmax"))
        try:
            self.solver = Native(model, device, nconmax, njmax)  # type: ignore[arg-type]
        except (NotImplementedError, ValueError) as error:
            raise Unsupported(f"MuJoCo Warp refuses this scene: {error}") from error
        self.robot = _access(model, robot)
        self.link_names = self.robot.link_names
        self.places = [flex_place(model, body.name) for body in scene.soft_bodies]
        self.soft_parts = flex_parts(model, scene, self.places)
        self.link_of = np.full(model.ngeom, -1)
        for index, body in enumerate(self.robot.bodies):
            self.link_of[model.geom_bodyid == body] = index
        data = self.solver.mjw_data
        with wp.ScopedDevice(device):
            self.ids = wp.array(np.arange(data.naconmax, dtype=np.int32))
            self.forces = wp.zeros(data.naconmax, dtype=wp.spatial_vector)
            try:
                self._step()  # compiles, which recording needs, and checks the integrator
            except (NotImplementedError, ValueError) as error:
                raise Unsupported(f"MuJoCo Warp refuses this scene: {error}") from error
            with wp.ScopedCapture() as capture:
                self._step()
        self.graph = capture.graph
        self.evaluation: Evaluation | None = None
        # views: a CPU's arrays are the host's
        self.qpos, self.qvel, self.tau = (x.numpy()[0] for x in (data.qpos, data.qvel, data.qfrc_applied))
        self.count, self.overflow = data.nacon.numpy(), data.overflow.numpy()
        self.wrenches, self.geoms, self.flexes = (
            x.numpy() for x in (self.forces, data.contact.geom, data.contact.flex)
        )
        self.reset()

    def _step(self) -> None:
        mjw.step(self.solver.mjw_model, self.solver.mjw_data)
        mjw.contact_force(self.solver.mjw_model, self.solver.mjw_data, self.ids, True, self.forces)

    def reset(self) -> None:
        mjw.reset_data(self.solver.mjw_model, self.solver.mjw_data)
        self.count[:] = 0  # no step has ended yet: no contact force
        self.overflow[:] = 0
        self.qpos[:] = self.solver.mj_model.qpos0
        q0 = self.scene.robots[0].q0
        if q0:
            self.qpos[self.robot.q] = q0

    def command(self, tau: Array | None, wrench: Array | None) -> None:
        if tau is not None and len(tau):
            self.tau[self.robot.v] = tau

    def set_velocity(self, V_WB: Array) -> None:
        """There is no moving body beside soft ones."""

    def advance(self, steps: int) -> None:
        for _ in range(steps):
            wp.capture_launch(self.graph)
        check_overflow(int(self.overflow.max()) & HARMFUL, self.solver)

    def sample(self, into: Sample) -> None:
        into.q[:], into.v[:] = self.qpos[self.robot.q], self.qvel[self.robot.v]
        for out, at, part in zip(into.soft, self.places, self.soft_parts, strict=True):
            out[0] = part.rest + self.qpos[at.q]
            out[1] = self.qvel[at.v]
        into.f_links[:] = self._forces_on_links()

    def _forces_on_links(self) -> Array:
        """Net contact force of all flexes on every link over the step that ended [N], (n_links, 3)."""
        n = int(self.count[0])
        geoms, f_W = self.geoms[:n], self.wrenches[:n, :3].astype(float)  # on the second of the two
        flexed = self.flexes[:n].max(axis=1) >= 0
        found = np.zeros((len(self.link_names), 3))
        for side, sign in ((0, -1.0), (1, 1.0)):
            mine = flexed & (geoms[:, side] >= 0)
            links = self.link_of[geoms[mine, side]]
            np.add.at(found, links[links >= 0], sign * f_W[mine][links >= 0])
        return found

    def dynamics(self, q: Array, v: Array, flange: str) -> RobotDynamics:
        if self.evaluation is None:
            self.evaluation = Evaluation(self.solver, self.robot)
        return self.evaluation.at(q, v, flange)

    def resolved(self) -> Resolution:
        from .flex_readback import flex_resolution

        return flex_resolution(self)

    def close(self) -> None:
        del self.graph, self.solver


def _access(model: Any, robot: Any) -> RobotAccess:
    """Where the robot's links, joints and touching shapes are in `model`."""
    source = model_of(robot)
    joints = [model.joint(joint.name).id for joint in source.joints]
    bodies = np.array([model.body(link.name).id for link in source.links])
    return RobotAccess(
        source=source,
        bodies=bodies,
        joints=np.array(joints),
        q=as_slice([int(model.jnt_qposadr[j]) for j in joints]),
        v=as_slice([int(model.jnt_dofadr[j]) for j in joints]),
        shapes=tuple(g for g in range(model.ngeom) if model.geom_bodyid[g] in bodies and model.geom_contype[g]),
    )
