"""The Franka FR3 under 1 kHz torque control, touching nothing: the scene in which people port robots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .arm import Arm

HOME = (0.0, 0.0, 0.0, -1.57079, 0.0, 1.57079, -0.7853)  # [rad]


@dataclass(slots=True, kw_only=True)
class SingleArm(Arm):
    """Parameters of the single arm; see `Arm`."""

    NAME: ClassVar[str] = "single_arm"
    TEXT: ClassVar[str] = "a Franka FR3 follows a motion of all joints under one explicit torque law"
    HOME: ClassVar[dict[str, tuple[float, ...]]] = {"fr3": HOME, "fr3_hand": (*HOME, 0.02, 0.02)}
