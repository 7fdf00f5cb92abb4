"""PhysX through SAPIEN. Normal forces are the engine's own; friction it does not report, so the net force is derived.

The net contact force on a body follows from its momentum over the step that ended: with the velocity v of the centre of
mass, f = m (v_1 - v_0)/dt - m g - f_commanded. `PhysxCpuSystem.pack` hands over the state of all bodies in one call.
"""

from __future__ import annotations

import numpy as np

from ...harness.channels import COLUMNS, STATE_WIDTH, WIDTH, Sample
from ...harness.contacts import ContactRows
from ...harness.device import require_cuda
from ...harness.engine import Resolution, RobotDynamics, Settings, Simulation
from ...harness.errors import SimparityError, Unsupported
from ...harness.scene import Array, Scene
from . import mapping
from .contacts import ContactReader
from .dynamics import Probe
from .model import build_model
from .readback import resolution

# 32-bit numbers from pack(): per body q (scalar first), p of the origin, v of the centre of mass, w; then as many for
# the root of the robot, and four blocks of one per joint, of which the first two are positions and velocities
_PACKED = 13


class PhysxSimulation:
    """One `PhysxCpuSystem`. `_block` holds the sample of the present instant once `_fresh` is set."""

    def __init__(self, scene: Scene, dt: float, settings: Settings) -> None:
        self.scene, self.settings, self.dt = scene, settings, dt
        n = len(scene.moving)
        self._n = n
        self._probe: Probe | None = None
        self._gains: tuple[Array, Array] | None = None
        self._block = np.zeros((n, WIDTH))
        self._count, self._force, self._normal, self._asleep = (
            self._block[:, COLUMNS[name]] for name in ("contact_count", "f_B_W", "f_normal_B_W", "asleep")
        )
        self._p_WB, self._q_WB, self._v_WB, self._w_WB = (
            self._block[:, COLUMNS[name]] for name in ("p_WB", "q_WB", "v_WB", "w_WB")
        )
        self._V_WB = self._block[:, COLUMNS["v_WB"].start : STATE_WIDTH]
        self._com = np.array([body.com for body in scene.moving]).reshape(-1, 3)
        self._off_centre = bool(self._com.any())
        self._momentum_rate, self._explained = np.zeros((n, 3)), np.zeros((n, 3))
        self.reset()

    def reset(self) -> None:
        """Build everything anew, since the contacts and friction anchors inside PhysX cannot be reset."""
        self.model = build_model(self.scene, self.dt, self.settings)
        robot = self.model.robot
        if robot is not None and self._gains is not None:
            robot.drives.engage(*self._gains)
            robot.drives.aim(np.array(robot.robot.q0 or np.zeros(len(robot.joints))), np.zeros(len(robot.joints)))
        self._map_state()
        moving, system = self.model.moving, self.model.system
        self._contacts = ContactReader(self.model, self.scene)
        self._step, self._pack = system.step, system.pack
        n, dt = len(moving), system.timestep
        mass = np.array([body.mass for body in moving]).reshape(n, 1)
        self._kept = np.array([mapping.velocity_kept(body.linear_damping, dt) for body in moving]).reshape(n, 1)
        self._damped = bool((self._kept < 1.0).any())
        self._mass_rate = mass / dt * np.ones(3)
        self._weight = mass * np.asarray(system.config.gravity, float)
        self._sleepers = moving if any(body.sleep_threshold > 0 for body in moving) else ()
        self._block[...] = 0.0
        self.command(None, np.zeros((n, 6)))
        self._fresh = True  # no step was made, so there is no contact force to read
        self._read_state()
        self.set_velocity(np.array([body.velocity for body in self.scene.moving]).reshape(n, 6))

    def _map_state(self) -> None:
        """Views into what `pack` hands over."""
        n, robot = self._n, self.model.robot
        joints = len(robot.joints) if robot is not None else 0
        values = np.zeros(n * _PACKED + (_PACKED + 4 * joints if joints else 0), np.float32)
        if values.nbytes != len(self.model.system.pack()):
            raise SimparityError("SAPIEN packs its state in another way than this adapter reads; it must be revised")
        self._bytes = values.data.cast("B") if len(values) else memoryview(bytearray())
        bodies, of_joints = values[: n * _PACKED].reshape(n, _PACKED), values[(n + 1) * _PACKED :]
        self._q, self._p, self._V = bodies[:, :4], bodies[:, 4:7], bodies[:, 7:]
        self._joint_state = of_joints[: 2 * joints].reshape(2, joints)
        self._order = robot.order if robot is not None else None
        self.link_names = tuple(link.name for link in robot.source.links) if robot is not None else ()

    def command(self, tau: Array | None, wrench: Array | None) -> None:
        if tau is not None and len(tau):
            robot = self.model.robot
            if robot is None:
                raise Unsupported("this scene has no joints to command")
            robot.articulation.set_qf(robot.native(tau))
        if wrench is None:
            return
        given = np.asarray(wrench, np.float32)
        self._load = self._kept * (self._weight + given[:, :3])
        self._pushes = [
            (body.add_force_torque, row[:3], row[3:])
            for body, row in zip(self.model.moving, given, strict=True)
            if row.any()
        ]

    def drive(self, kp: Array, kd: Array) -> None:
        self._gains = np.array(kp), np.array(kd)
        self.reset()

    def target(self, q_ref: Array, v_ref: Array) -> None:
        assert self.model.robot is not None, "the scene has no robot"
        self.model.robot.drives.aim(q_ref, v_ref)

    def set_velocity(self, V_WB: Array) -> None:
        self._look()  # now: the force of the step that ended has no part in this jump
        arms = rotated(self._q_WB, self._com)
        for body, V, arm in zip(self.model.moving, V_WB, arms, strict=True):
            body.linear_velocity = V[:3] + np.cross(V[3:], arm)
            body.angular_velocity = V[3:]
        self._read_state()

    def advance(self, steps: int) -> None:
        if not steps:
            return
        if not self._n:
            for _ in range(steps):
                self._step()
            self._fresh = False
            return
        for _ in range(steps - 1):
            self._push()
            self._step()
        if steps > 1 or not self._fresh:
            self._read_state()
        # what the momentum rate will be without contact: of the velocity now, gravity and command
        if self._damped:
            np.multiply(self._momentum_rate, self._kept, self._momentum_rate)
        np.add(self._momentum_rate, self._load, self._explained)
        self._push()
        self._step()
        self._fresh = False

    def sample(self, into: Sample) -> None:
        self._look()
        into.data[...] = self._block
        if self._order is not None:
            into.joints[:2] = self._joint_state[:, self._order]

    def watch_contacts(self, watched: bool) -> None:
        """Nothing to do: PhysX keeps its list until the next step."""

    def contacts(self) -> ContactRows:
        return self._contacts.rows()

    def dynamics(self, q: Array, v: Array, flange: str) -> RobotDynamics:
        assert self.model.robot is not None, "the scene has no robot"
        if self._probe is None:
            self._probe = Probe(self.scene, self.dt, self.settings)
        return self._probe.dynamics(q, v, flange)

    def resolved(self) -> Resolution:
        return resolution(self.model, self.scene, self.settings, self.dt)

    def close(self) -> None:
        del self.model, self._contacts, self._step, self._pack, self._sleepers, self._pushes, self._probe

    def _push(self) -> None:
        """Apply the held wrenches; PhysX forgets them after each step."""
        for add_force_torque, force, torque in self._pushes:
            add_force_torque(force, torque)

    def _look(self) -> None:
        """Complete the sample of the present instant, unless that was done."""
        if self._fresh:
            return
        self._read_state()
        self._fresh = True
        if not self._n:
            return
        np.subtract(self._momentum_rate, self._explained, self._force)
        self._contacts.read(self._normal, self._count)
        if self._sleepers:
            self._asleep[:, 0] = [body.is_sleeping for body in self._sleepers]

    def _read_state(self) -> None:
        """Read poses and velocities, and the momenta over dt [N]."""
        self._bytes[:] = self._pack()
        if not self._n:
            return
        self._q_WB[...] = self._q
        self._p_WB[...] = self._p
        self._V_WB[...] = self._V
        np.multiply(self._v_WB, self._mass_rate, self._momentum_rate)
        if self._off_centre:  # from the centre of mass to the origin
            self._v_WB -= np.cross(self._w_WB, rotated(self._q_WB, self._com))


def rotated(q_WB: Array, p_B: Array) -> Array:
    """Vectors (n, 3) given in B, expressed in W; `q_WB` (n, 4) are unit quaternions, scalar first."""
    u = q_WB[:, 1:]
    t = 2.0 * np.cross(u, p_B)
    turned: Array = p_B + q_WB[:, :1] * t + np.cross(u, t)
    return turned


def build(scene: Scene, dt: float, settings: Settings, device: str, precision: int) -> Simulation:
    """`scene` in PhysX; see `Build`."""
    if device != "cpu":
        require_cuda("physx")
        raise Unsupported(
            "SAPIEN's PhysX needs a library on a GPU that sapien.physx.enable_gpu() downloads from GitHub, and other "
            "calls than this adapter makes; use device=cpu"
        )
    if scene.soft_bodies:
        raise Unsupported("SAPIEN 3.0.3 exposes no deformable bodies; in PhysX 5 they need a CUDA GPU")
    if precision != 32:
        raise Unsupported("PhysX computes in 32 bit; ask for precision=32")
    return PhysxSimulation(scene, dt, settings)
