"""How time is divided: steps, samples and control periods."""

from __future__ import annotations

import math
from dataclasses import dataclass

from .errors import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """Step `dt`, simulated `duration` [s], `stride` steps per stored sample, and `control_dt` [s] of controllers."""

    dt: float
    duration: float
    stride: int = 1
    control_dt: float = 1e-3

    def __post_init__(self) -> None:
        for name, value in (("dt", self.dt), ("duration", self.duration), ("control_dt", self.control_dt)):
            if not (math.isfinite(value) and value > 0):
                raise UsageError(f"{name} is {value} s; give a positive number of seconds")
        if self.stride < 1:
            raise UsageError(f"stride is {self.stride}; give a whole number of steps, at least 1")
        if self.duration < self.dt * self.stride:
            raise UsageError(f"duration {self.duration} s is shorter than one sample of {self.dt * self.stride} s")
        if self.steps % self.stride:
            near = self.steps // self.stride * self.stride * self.dt
            raise UsageError(
                f"duration {self.duration} s is no whole number of samples of {self.stride} steps; {near:g} s would be"
            )

    @property
    def steps(self) -> int:
        """Number of steps."""
        return round(self.duration / self.dt)

    @property
    def control_period(self) -> int:
        """Steps between two calls of a controller; 1 when dt is longer than `control_dt`, which is then sub-sampled."""
        return max(1, round(self.control_dt / self.dt))

    @property
    def control_divides(self) -> bool:
        """Whether the controller's period is a whole number of steps, or sub-sampled."""
        return self.sub_sampled or abs(self.control_period * self.dt - self.control_dt) < 1e-6 * self.control_dt

    @property
    def sub_sampled(self) -> bool:
        """Whether a step is longer than the controller's period, so that the controller runs too seldom."""
        return self.dt > self.control_dt * (1 + 1e-9)
