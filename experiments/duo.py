"""A mobile base with a lift and two FR3 arms, everything moving at once."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import ClassVar

from .arm import Arm

READY = (0.0, -pi / 4, 0.0, -3 * pi / 4, 0.0, pi / 2, pi / 4)  # [rad]


@dataclass(slots=True, kw_only=True)
class Duo(Arm):
    """Parameters of the mobile duo; see `Arm`."""

    NAME: ClassVar[str] = "duo"
    TEXT: ClassVar[str] = "a mobile base, a lift and two Franka FR3 arms move at once, 18 joints"
    HOME: ClassVar[dict[str, tuple[float, ...]]] = {"mobile_duo": (0.0, 0.0, 0.0, 0.3, *READY, *READY)}

    robot: str = "mobile_duo"
