"""One explicit joint-torque law for all engines: PD on a reference, plus gravity evaluated on the source model.

tau = g(q) + kp (q_ref - q) + kd (v_ref - v), within the source's effort limits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from .errors import UsageError
from .reference import Reference
from .scene import Array

STABLE = 1.5  # largest lambda_max(M^-1 Kd) dt that is accepted; an explicit law diverges at 2
INSTANTS = 50  # of the reference at which the law has to be stable

Target = Callable[[float], tuple[Array, Array]]  # time [s] -> q_ref, v_ref (nv,)


@dataclass(frozen=True, slots=True)
class Gains:
    """kp [N m/rad | N/m] and kd [N m s/rad | N s/m], shape (nv,)."""

    kp: Array
    kd: Array


def gains(
    reference: Reference, q0: Array, bandwidth: float, soften: float, dt: float, along: Sequence[Array] = ()
) -> Gains:
    """Gains for any robot: kp = w^2 M_ii(q0), kd = 2 w M_ii(q0), softened by s: kp s, kd sqrt(s).

    Args:
        bandwidth: w [rad/s], the natural frequency of every joint alone.
        soften: s [1]; 1 leaves the gains.
        dt: time between two torques [s].
        along: configurations (nv,) of the motion, at which the law has to be stable as well as at `q0`.

    Raises:
        UsageError: the law would be unstable, with its number lambda_max(M^-1 Kd) dt.
    """
    M = _whole(reference, q0)
    kp, kd = bandwidth**2 * np.diag(M) * soften, 2 * bandwidth * np.diag(M) * np.sqrt(soften)
    number = max(stability(_whole(reference, q), kd, dt) for q in (q0, *along))
    if not number <= STABLE:
        raise UsageError(
            f"the torque law would be unstable: lambda_max(M^-1 Kd) dt is {number:.3g}, above {STABLE:g}; "
            f"lower experiment.bandwidth from {bandwidth:g} to {cut(bandwidth * STABLE / number):g} rad/s, or dt"
        )
    return Gains(kp, kd)


def cut(value: float) -> float:
    """`value` cut to two significant digits."""
    unit = 10.0 ** (np.floor(np.log10(value)) - 1)
    return float(np.floor(value / unit) * unit)


def stability(M: Array, kd: Array, dt: float) -> float:
    """lambda_max(M^-1 Kd) dt [1]: an explicit damping law on a symplectic step diverges from 2 on."""
    return float(np.abs(np.linalg.eigvals(np.linalg.solve(M, np.diag(kd)))).max() * dt)


def configurations(target: Target, duration: float) -> list[Array]:
    """Joint positions of the reference at evenly spaced instants up to `duration` [s]."""
    return [target(time)[0] for time in np.linspace(0.0, duration, INSTANTS)]


def stability_along(reference: Reference, kd: Array, start: Array, target: Target, duration: float, dt: float) -> float:
    """The largest `stability` [1] at `start` and along the reference."""
    return max(stability(_whole(reference, q), kd, dt) for q in (start, *configurations(target, duration)))


def _whole(reference: Reference, q: Array) -> Array:
    """M with armature."""
    return np.asarray(reference.mass_matrix(q) + np.diag(reference.armature))


class TorqueLaw:
    """The law with its target; counts the calls in which a limit cut a torque."""

    ended = ""  # it runs to the end of the schedule

    def __init__(self, reference: Reference, gains: Gains, target: Target) -> None:
        self.reference, self.gains, self.target = reference, gains, target
        self.limit = np.array([joint.effort for joint in reference.robot.joints])
        self.reset()

    def reset(self) -> None:
        """Count from zero again."""
        self.calls = self.saturated = 0

    def torque(self, time: float, q: Array, v: Array) -> Array:
        """Torques [N m | N], shape (nv,), within the limits."""
        q_ref, v_ref = self.target(time)
        tau = self.reference.gravity_torque(q) + self.gains.kp * (q_ref - q) + self.gains.kd * (v_ref - v)
        limited = np.clip(tau, -self.limit, self.limit)
        self.calls += 1
        self.saturated += bool((limited != tau).any())
        return limited


class DrivenLaw(TorqueLaw):
    """The same law with its two gains in the engine's own drives: only the gravity torque is commanded.

    So that nothing but the drive differs. Calls in which the whole law would have passed a limit are counted.
    """

    def torque(self, time: float, q: Array, v: Array) -> Array:
        """The gravity torques [N m | N], shape (nv,), within the limits."""
        super().torque(time, q, v)
        return np.clip(self.reference.gravity_torque(q), -self.limit, self.limit)

    def drive_gains(self) -> tuple[Array, Array]:
        """kp and kd of every joint's drive."""
        return self.gains.kp, self.gains.kd

    def aim(self, time: float) -> tuple[Array, Array]:
        """Targets q_ref, v_ref of the drives from `time` [s] on."""
        return self.target(time)


def minimum_jerk(start: Array, end: Array, duration: float) -> Target:
    """From `start` to `end` (nv,) in `duration` [s] with zero velocity and acceleration at both ends, then hold.

    s(u) = 10 u^3 - 15 u^4 + 6 u^5 with u = t / duration.
    """
    way = end - start

    def target(time: float) -> tuple[Array, Array]:
        u = min(max(time / duration, 0.0), 1.0)
        s, rate = u**3 * (10 + u * (6 * u - 15)), 30 * u**2 * (1 - u) ** 2 / duration
        return start + s * way, rate * way

    return target


def sinusoids(centre: Array, amplitude: Array, frequency: Array, ramp: float) -> Target:
    """Around `centre` with `amplitude` and `frequency` [Hz] per joint (nv,), faded in smoothly over `ramp` [s]."""
    omega = 2 * np.pi * frequency

    def target(time: float) -> tuple[Array, Array]:
        u = min(time / ramp, 1.0)
        fade, rate = u * u * (3 - 2 * u), (6 * u * (1 - u) / ramp if u < 1 else 0.0)
        sine, cosine = np.sin(omega * time), np.cos(omega * time)
        return centre + amplitude * fade * sine, amplitude * (rate * sine + fade * omega * cosine)

    return target


def cartesian_line(
    reference: Reference, link: str, start: Array, way: tuple[float, float, float], duration: float, dt: float
) -> Target:
    """The link's origin along a straight line in W, minimum-jerk, with its orientation kept; then hold.

    Joint references follow by integrating v = J^+ V with a correction of what integration leaves, once, ahead of time.

    Args:
        start: joint positions at the start (nv,) [rad | m].
        way: from the start to the end of the line in W [m].
        duration: of the motion [s]; `dt`: spacing of the joint references [s].

    Raises:
        UsageError: the line leaves the robot's reach, with where it does.
    """
    at = reference.link_names.index(link)
    q, origin = start.copy(), reference.link_poses(start)[at]
    along = minimum_jerk(np.zeros(3), np.array(way), duration)
    positions, velocities = [q.copy()], [np.zeros_like(q)]
    for k in range(1, round(duration / dt) + 1):
        wanted, rate = along(k * dt)
        pose = reference.link_poses(q)[at]
        missing = np.concatenate([origin[:3] + wanted - pose[:3], rotation_to(origin[3:], pose[3:])])
        J = reference.jacobian(q, link)
        v = np.linalg.lstsq(J, np.concatenate([rate, np.zeros(3)]), rcond=1e-6)[0]
        step = np.linalg.lstsq(J, missing, rcond=1e-6)[0]
        q = q + step
        left = float(np.linalg.norm(reference.link_poses(q)[at, :3] - origin[:3] - wanted))
        if not left < 1e-3:
            raise UsageError(f"{link!r} cannot follow the line of {way} m: it is {left:.3g} m off after {k * dt:g} s")
        positions.append(q.copy())
        velocities.append(v)
    velocities[-1] = np.zeros_like(q)

    def target(time: float) -> tuple[Array, Array]:
        k = min(round(time / dt), len(positions) - 1)
        return positions[k], velocities[k]

    return target


def rotation_to(wanted: Array, present: Array) -> Array:
    """Rotation vector [rad] in W that turns the orientation `present` into `wanted` (quaternions, scalar first)."""
    w0, v0 = wanted[0], wanted[1:]
    w1, v1 = present[0], -present[1:]
    w, v = w0 * w1 - v0 @ v1, w0 * v1 + w1 * v0 + np.cross(v0, v1)
    return np.asarray(2 * v if w >= 0 else -2 * v)
