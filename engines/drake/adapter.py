"""Drake's MultibodyPlant in discrete time. A step is one forced update of the diagram: what Simulator does, without it.

During a step Drake samples its contact results, so they are the forces of the step that ended, whereas positions and
velocities are those of its end.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from pydrake.multibody.math import SpatialForce
from pydrake.multibody.plant import ExternallyAppliedSpatialForce

from ...harness.channels import COLUMNS, STATE_WIDTH, Sample
from ...harness.contacts import ContactRows
from ...harness.engine import Resolution, RobotDynamics, Settings, Simulation
from ...harness.errors import Diverged, Unsupported
from ...harness.scene import Array, Scene
from ...harness.soft_state import check_mixture
from .contacts import ContactReader
from .drives import Gains
from .dynamics import dynamics
from .model import build_model
from .readback import resolution
from .soft import SoftAccess, soft_rows, with_slabs


class DrakeSimulation:
    """One diagram with its context; every read of the state is one copy of the plant's state vector."""

    def __init__(self, scene: Scene, dt: float, settings: Settings) -> None:
        if scene.soft_bodies:
            scene = with_slabs(scene)
        self.scene, self.settings, self.dt = scene, settings, dt
        self._load(None)

    def _load(self, gains: Gains | None) -> None:
        """Build the plant, with position drives where there are gains; ends in the initial state."""
        scene = self.scene
        self.model = model = build_model(scene, self.dt, self.settings, gains)
        plant, robot = model.plant, model.robot
        self._initial = model.context.Clone()
        self._step = model.diagram.ExecuteForcedEvents
        self._contacts = ContactReader(model, scene)
        nq = plant.num_positions()
        q = np.array([body.floating_positions_start() for body in model.moving], dtype=int).reshape(-1, 1)
        v = np.array([body.floating_velocities_start_in_v() for body in model.moving], dtype=int).reshape(-1, 1)
        # Drake has the quaternion first, and the angular velocity first
        self._state = np.hstack(
            [q + np.arange(4, 7), q + np.arange(4), nq + v + np.arange(3, 6), nq + v + np.arange(3)]
        )
        self._velocity = np.hstack([v + np.arange(3, 6), v + np.arange(3)])
        self._joints: Any = (robot.q, nq + robot.v) if robot is not None else None
        self.link_names = tuple(link.name for link in robot.source.links) if robot is not None else ()
        self._generalized = plant.get_applied_generalized_force_input_port()
        self._spatial = plant.get_applied_spatial_force_input_port()
        self._applied: Any = None
        self._scratch: Any = None
        if robot is not None:
            fixed = self._generalized.FixValue(model.state, np.zeros(plant.num_velocities()))
            self._applied, self._joint_force = fixed.GetMutableData, robot.v
        self._targets = robot.targets(plant, model.state) if robot is not None and gains is not None else None
        self.soft = SoftAccess(model, scene) if scene.soft_bodies else None
        self.soft_parts = self.soft.parts if self.soft is not None else ()
        self.reset()

    def reset(self) -> None:
        model = self.model
        model.context.SetTimeStateAndParametersFrom(self._initial)
        if self._applied is not None:
            self._applied().get_mutable_value().SetZero()
        if self._targets is not None and self._joints is not None:
            q, v = self._joints
            state = model.plant.GetPositionsAndVelocities(model.state)
            self._targets.hold(state[q], state[v])
        self.command(None, np.zeros((len(model.moving), 6)))
        self._stepped = False
        self.set_velocity(np.array([body.velocity for body in self.scene.moving]).reshape(-1, 6))

    def command(self, tau: Array | None, wrench: Array | None) -> None:
        model = self.model
        if tau is not None and len(tau):
            if model.robot is None:
                raise Unsupported("this scene has no joints to command")
            self._applied().get_mutable_value().get_mutable_value()[self._joint_force] = tau
        if wrench is None:
            return
        forces = []
        for native, body, row in zip(model.moving, self.scene.moving, wrench, strict=True):
            if not row.any():
                continue
            force = ExternallyAppliedSpatialForce()
            force.body_index = native.index()
            force.p_BoBq_B = np.array(body.com)
            force.F_Bq_W = SpatialForce(row[3:], row[:3])
            forces.append(force)
        self._spatial.FixValue(model.state, forces)

    def drive(self, kp: Array, kd: Array) -> None:
        assert self.model.robot is not None, "the scene has no robot"
        self._load((np.array(kp), np.array(kd)))

    def target(self, q_ref: Array, v_ref: Array) -> None:
        assert self._targets is not None, "the joints have no position drives"
        self._targets.hold(q_ref, v_ref)

    def set_velocity(self, V_WB: Array) -> None:
        if not len(self._velocity):
            return
        v = self.model.plant.GetVelocities(self.model.state)
        v[self._velocity] = V_WB
        self.model.plant.SetVelocities(self.model.state, v)

    def advance(self, steps: int) -> None:
        step, context = self._step, self.model.context
        try:
            for _ in range(steps):
                step(context, False)
        except RuntimeError as error:
            raise Diverged(f"Drake gave up: {' '.join(str(error).split())}") from error
        self._stepped = self._stepped or steps > 0

    def sample(self, into: Sample) -> None:
        model = self.model
        state = model.plant.GetPositionsAndVelocities(model.state)
        if len(self._state):
            into.data[:, :STATE_WIDTH] = state[self._state]
            # the norm of Drake's quaternions grows; its rotations are those of the unit quaternions along them
            into.q_WB /= np.sqrt(np.einsum("ij,ij->i", into.q_WB, into.q_WB))[:, None]
            if self._stepped:
                self._contacts.read(into.f_B_W, into.f_normal_B_W, into.contact_count)
                into.asleep[...] = 0.0
            else:
                into.data[:, COLUMNS["contact_count"].start :] = 0.0
        if self._joints is not None:
            q, v = self._joints
            into.q[:] = state[q]
            into.v[:] = state[v]
        if self.soft is not None:
            self.soft.sample(into.soft, into.f_links, self._stepped)

    def watch_contacts(self, watched: bool) -> None:
        """Nothing to prepare: every step keeps its contact results."""

    def contacts(self) -> ContactRows:
        return self._contacts.rows() if self._stepped else ContactRows.none()

    def dynamics(self, q: Array, v: Array, flange: str) -> RobotDynamics:
        assert self.model.robot is not None, "the scene has no robot"
        if self._scratch is None:
            self._scratch = self.model.plant.CreateDefaultContext()
        return dynamics(self.model, self._scratch, q, v, flange)

    def resolved(self) -> Resolution:
        found = resolution(self.model, self.scene, self.settings, self.dt)
        if self.soft is None:
            return found
        rows = dict(soft_rows(self.model, self.scene, self.settings.options))
        return replace(found, table={**found.table, **rows})

    def close(self) -> None:
        del self.model, self._contacts, self._step, self._initial, self._scratch, self._applied
        del self._generalized, self._spatial, self._targets


def build(scene: Scene, dt: float, settings: Settings, device: str, precision: int) -> Simulation:
    """`scene` in Drake; see `Build`."""
    if device != "cpu":
        raise Unsupported("Drake runs on the CPU only; ask for device=cpu")
    if precision != 64:
        raise Unsupported("Drake computes in 64 bit; ask for precision=64")
    check_mixture("drake", scene)
    return DrakeSimulation(scene, dt, settings)
