"""The drives of a robot's joints in PhysX: they hold the file's springs and damping, and what a position drive adds."""

from __future__ import annotations

import math
from typing import Any

from ...harness.robot_model import Joint
from ...harness.scene import Array


class Drives:
    """All joints' drives: one spring and one damper each, into which everything has to be summed.

    A position drive kp (q_ref - q) + kd (v_ref - v), a spring k (rest - q) and damping -d v are together a drive of
    stiffness kp + k towards (kp q_ref + k rest)/(kp + k) and damping kd + d towards kd v_ref/(kd + d). PhysX evaluates
    it at the end of a step.
    """

    def __init__(self, joints: tuple[Joint, ...], natives: tuple[Any, ...]) -> None:
        self.joints, self.natives = joints, natives
        self.gains: tuple[Array, Array] | None = None

    def engage(self, kp: Array, kd: Array) -> None:
        """Add position drives with these gains; the whole drive stays within the file's effort."""
        self.gains = kp, kd
        for joint, native, p, d in zip(self.joints, self.natives, kp, kd, strict=True):
            limit = {} if math.isinf(joint.effort) else {"force_limit": joint.effort}
            native.set_drive_properties(joint.stiffness + float(p), joint.damping + float(d), **limit)

    def aim(self, q_ref: Array, v_ref: Array) -> None:
        """Hold targets of the position drives."""
        assert self.gains is not None, "the joints have no position drives"
        for joint, native, p, d, q, v in zip(self.joints, self.natives, *self.gains, q_ref, v_ref, strict=True):
            native.set_drive_target(float((p * q + joint.stiffness * joint.rest) / (p + joint.stiffness)))
            native.set_drive_velocity_target(float(d * v / (d + joint.damping)))

    def added(self, joint: int) -> tuple[float, float]:
        """kp and kd of a joint's position drive, 0 without."""
        return (0.0, 0.0) if self.gains is None else (float(self.gains[0][joint]), float(self.gains[1][joint]))
