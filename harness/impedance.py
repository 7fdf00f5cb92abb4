"""An explicit Cartesian impedance law: a spring and a damper between a link and where it should be, as joint torques.

tau = g(q) + J^T F - d v, with F = K e + D (V_ref - V) + F_ref, e the pose error (position [m], then rotation vector
[rad]) in W. Every engine gets the torques of the source model, so that the law is the same everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .controller import STABLE, rotation_to
from .errors import UsageError
from .reference import Reference
from .scene import Array


@dataclass(frozen=True, slots=True)
class Goal:
    """Where a link should be, in W.

    Pose X_WF (7,): position [m], quaternion scalar first; velocity V_WF (6,); wrench F (6,): force [N], torque [N m].
    """

    pose: Array
    velocity: Array
    wrench: Array


@dataclass(frozen=True, slots=True, kw_only=True)
class Impedance:
    """Diagonal stiffness (6,) [N/m, N m/rad] and damping (6,) [N s/m, N m s/rad] along the axes of W.

    Attributes:
        joint_damping: d [N m s/rad | N s/m] on every joint, against motion that the link does not feel.
    """

    stiffness: Array
    damping: Array
    joint_damping: float = 0.0


class ImpedanceLaw:
    """The law for one link of a robot; counts the calls in which a torque limit cut."""

    ended = ""

    def __init__(self, reference: Reference, link: str, impedance: Impedance, goal: Callable[[float], Goal]) -> None:
        self.reference, self.link, self.impedance, self.goal = reference, link, impedance, goal
        self.limit = np.array([joint.effort for joint in reference.robot.joints])
        self.reset()

    def reset(self) -> None:
        """Count from zero again."""
        self.calls = self.saturated = 0

    def torque(self, time: float, q: Array, v: Array) -> Array:
        """Torques [N m | N], shape (nv,), within the limits."""
        goal, reference, law = self.goal(time), self.reference, self.impedance
        pose, J = reference.link_pose(q, self.link), reference.jacobian(q, self.link)
        error = np.concatenate([goal.pose[:3] - pose[:3], rotation_to(goal.pose[3:], pose[3:])])
        force = law.stiffness * error + law.damping * (goal.velocity - J @ v) + goal.wrench
        tau = reference.gravity_torque(q) + J.T @ force - law.joint_damping * v
        limited = np.clip(tau, -self.limit, self.limit)
        self.calls += 1
        self.saturated += bool((limited != tau).any())
        return np.asarray(limited)


def check_stability(reference: Reference, link: str, impedance: Impedance, q: Array, dt: float) -> float:
    """lambda_max(M^-1 (J^T D J + d)) dt [1] at `q`.

    Raises:
        UsageError: the explicit damping would be unstable, with its number.
    """
    J = reference.jacobian(q, link)
    M = reference.mass_matrix(q) + np.diag(reference.armature)
    damping = J.T @ np.diag(impedance.damping) @ J + impedance.joint_damping * np.eye(len(q))
    number = float(np.abs(np.linalg.eigvals(np.linalg.solve(M, damping))).max() * dt)
    if not number <= STABLE:
        raise UsageError(
            f"the impedance law would be unstable: lambda_max(M^-1 J^T D J) dt is {number:.3g}, above {STABLE:g}; "
            "lower the damping or dt"
        )
    return number
