"""How the peg is pushed: an explicit impedance that holds its tilt, and a variant that reacts to the contact wrench.

The contact wrench is measured as the joint-space residual M vdot + bias - tau of the source model, mapped to the peg's
top centre: the same quantity in every engine, whatever that engine says of its contacts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..harness.controller import rotation_to
from ..harness.reference import Reference
from ..harness.scene import Array
from .peg import LENGTH, axis_of, depth_of, tilted

LINK = "peg"
STALL_SPEED, STALL_TIME = 1e-3, 0.05  # slower than this [m/s] for as long [s] under half the push is a stall
COMPLY_TIME, SEARCH_TIME = 0.3, 0.5  # [s]
SEARCH_RADIUS, SEARCH_RATE = 1e-4, 4.0  # of the spiral [m], turns a second [1/s]
LIGHT = 0.3  # part of the push while complying and searching
YIELD_TURN, YIELD_SHIFT = 0.2, 2e-4  # how fast the reference gives way: [rad/s per N m], [m/s per N]


@dataclass(frozen=True, slots=True, kw_only=True)
class Push:
    """The law's parameters.

    Attributes:
        stiffness, damping: sideways and along the bore [N/m], [N s/m].
        turning_stiffness, turning_damping: against rotation [N m/rad], [N m s/rad].
        force: largest force along the bore [N]; `speed`: of the reference along it [m/s].
        start, target: depth at the start and the one aimed at [m].
        tilt [rad], offset [m]: of the reference.
        force_limit [N], moment_limit [N m]: of the contact wrench at the peg's top centre; beyond them the run ends.
        joint_damping: [N m s/rad | N s/m].
    """

    stiffness: float
    damping: float
    turning_stiffness: float
    turning_damping: float
    force: float
    speed: float
    start: float
    target: float
    tilt: float
    offset: float
    force_limit: float
    moment_limit: float
    joint_damping: float


def contact_wrench(reference: Reference, q: Array, v: Array, vdot: Array, tau: Array) -> Array:
    """Contact wrench on the peg about its top centre (6,) [N, N m] in W, from the residual of the joints.

    F = (J M^-1 J^T)^-1 J M^-1 r with r = M vdot + bias - tau: with six joints it is J^-T r.
    """
    M = reference.mass_matrix(q) + np.diag(reference.armature)
    J = reference.jacobian(q, LINK)
    residual = M @ vdot + reference.bias(q, v) - tau
    joint = np.linalg.solve(M, np.column_stack([J.T, residual]))
    return np.asarray(np.linalg.solve(J @ joint[:, :-1], J @ joint[:, -1]))


class PegLaw:
    """Pushes the peg down while its tilt is held."""

    def __init__(self, reference: Reference, lip: Array, push: Push, period: float) -> None:
        self.reference, self.lip, self.push, self.period = reference, lip, push, period
        self.limit = np.array([joint.effort for joint in reference.robot.joints])
        self.reset()

    def reset(self) -> None:
        """Forget the last state, what was counted, and that it had ended."""
        self.ended = ""
        self.saturated = 0
        self.last: tuple[Array, Array, Array] | None = None

    def torque(self, time: float, q: Array, v: Array) -> Array:
        """Torques [N m | N], shape (nv,), within the limits."""
        wrench = self._measure(time, q, v)
        tau = self.reference.gravity_torque(q) - self.push.joint_damping * v
        if not self.ended:
            J = self.reference.jacobian(q, LINK)
            tau = tau + J.T @ self._force(time, self.reference.link_pose(q, LINK), J @ v, wrench)
        limited = np.asarray(np.clip(tau, -self.limit, self.limit))
        self.saturated += bool((limited != tau).any())
        self.last = (q.copy(), v.copy(), limited)
        return limited

    def _measure(self, time: float, q: Array, v: Array) -> Array:
        """Contact wrench over the control period that ended; beyond the limits the run is over."""
        if self.last is None:
            return np.zeros(6)
        before, v0, tau = self.last
        wrench = contact_wrench(self.reference, before, v0, (v - v0) / self.period, tau)
        for size, most, unit in (
            (float(np.linalg.norm(wrench[:3])), self.push.force_limit, "N"),
            (float(np.linalg.norm(wrench[3:])), self.push.moment_limit, "N m"),
        ):
            if size > most and not self.ended:
                self.ended = f"overload: {size:.3g} {unit} at {time:.4g} s, above the limit of {most:g} {unit}"
        return wrench

    def _force(self, time: float, pose: Array, V: Array, wrench: Array) -> Array:
        push = self.push
        depth = min(push.start + push.speed * time, push.target)
        moving = push.speed if depth < push.target else 0.0
        return self._held(pose, V, depth, moving, push.force, np.zeros(3), np.zeros(3))

    def _held(self, pose: Array, V: Array, depth: float, speed: float, most: float, shift: Array, turn: Array) -> Array:
        """Wrench (6,) towards the reference at `depth`, moved by `shift` [m] and turned by `turn` [rad], in W."""
        push, now = self.push, depth_of(pose, self.lip)
        # sideways, the reference belongs to the present depth; a turn about y is another tilt about the same point
        goal = tilted(self.lip, now, push.tilt + float(turn[1]), push.offset)
        down = push.stiffness * (depth - now) + push.damping * speed
        aside = np.array([0.5 * math.tan(push.tilt + float(turn[1])) * V[2] if now > 0 else 0.0, 0.0, 0.0])
        force = push.stiffness * (goal[:3] + shift - pose[:3]) + push.damping * (aside - V[:3])
        force[2] = -np.clip(down, -most, most) - push.damping * V[2]
        moment = (
            push.turning_stiffness * (rotation_to(goal[3:], pose[3:]) + turn * [1.0, 0.0, 0.0])
            - push.turning_damping * V[3:]
        )
        return np.concatenate([force, moment])


class ReactiveLaw(PegLaw):
    """Pushes likewise, but gives way to the contact wrench once stuck: comply, search on a spiral, then insert."""

    def reset(self) -> None:
        super().reset()
        self.stuck = 0.0  # [s]
        self.since: float | None = None  # when it began to comply [s]
        self.shift, self.turn = np.zeros(3), np.zeros(3)

    def _force(self, time: float, pose: Array, V: Array, wrench: Array) -> Array:
        push, now = self.push, depth_of(pose, self.lip)
        if self.since is None:
            pressed = wrench[2] > 0.5 * push.force and abs(V[2]) < STALL_SPEED
            self.stuck = self.stuck + self.period if pressed else 0.0
            if self.stuck < STALL_TIME:
                return super()._force(time, pose, V, wrench)
            self.since = time
        # the measured wrench at the middle of the inserted length, about which the peg can turn without shifting
        arm = -axis_of(pose) * (LENGTH - now / 2)
        moment = wrench[3:] - np.cross(arm, wrench[:3])
        self.turn = self.turn + YIELD_TURN * moment * self.period
        self.shift = self.shift + YIELD_SHIFT * np.array([wrench[0], wrench[1], 0.0]) * self.period
        passed = time - self.since
        if passed < COMPLY_TIME + SEARCH_TIME:
            spiral = np.zeros(3)
            if passed > COMPLY_TIME:
                part, angle = (passed - COMPLY_TIME) / SEARCH_TIME, 2 * np.pi * SEARCH_RATE * (passed - COMPLY_TIME)
                spiral = SEARCH_RADIUS * part * np.array([np.cos(angle), np.sin(angle), 0.0])
            return self._held(pose, V, push.target, 0.0, LIGHT * push.force, self.shift + spiral, self.turn)
        return self._held(pose, V, push.target, 0.0, push.force, self.shift, self.turn)
