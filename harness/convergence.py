"""The order of convergence: how an error falls with the time step, above what rounding leaves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .errors import UsageError

MARGIN = 10.0  # an error within this factor of the precision floor may be rounding, and is left out


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """The law error = constant dt^order that fits best.

    Attributes:
        order: slope of log error over log dt [1].
        constant: error at dt = 1 s, in the error's unit.
        residual: largest |log error - fit|, natural logarithm [1]; 0 for two points.
        points: how many errors lie above the floor and were fitted.
    """

    order: float
    constant: float
    residual: float
    points: int


def fitted_order(
    dts: Sequence[float], errors: Sequence[float], floor: float | Sequence[float] = 0.0, margin: float = MARGIN
) -> Order | None:
    """Least squares of log error over log dt; None when fewer than two different dt are left.

    Args:
        dts: time steps [s], positive.
        errors: an error for each, not negative; NaN, where there is none, and infinity are left out.
        floor: what rounding alone leaves, in the errors' unit; one for all steps or for each.
        margin: errors up to `margin` times `floor` are left out.

    Raises:
        UsageError: there are not as many errors or floors as steps, or a step is not positive.
    """
    if len(dts) != len(errors):
        raise UsageError(f"an order of convergence needs an error for each step, not {len(errors)} for {len(dts)}")
    floors = [floor] * len(dts) if isinstance(floor, (int, float)) else floor
    if len(floors) != len(dts):
        raise UsageError(f"there are {len(dts)} steps and {len(floors)} floors; give one floor, or one for each step")
    if any(not 0 < dt < math.inf for dt in dts):
        raise UsageError(f"steps are {', '.join(f'{dt:g}' for dt in dts)} s; give positive numbers")
    kept = [
        (dt, error)
        for dt, error, least in zip(dts, errors, floors, strict=True)
        if max(margin * least, 0.0) < error < math.inf
    ]
    if len({dt for dt, _ in kept}) < 2:
        return None
    x, y = np.log(np.array(kept, dtype=float)).T
    slope, offset = np.polyfit(x, y, 1)
    residual = float(np.abs(y - slope * x - offset).max()) if len(kept) > 2 else 0.0
    return Order(order=float(slope), constant=float(np.exp(offset)), residual=residual, points=len(kept))


def rounding_floor(precision: int, steps: int, scale: float = 1.0) -> float:
    """Largest sum of roundings that all go the same way: half a unit in the last place of `scale`, at every step.

    Args:
        precision: 32 or 64 [bit].
        steps: how many steps are added up.
        scale: size of the number that is rounded, in the unit of the result.
    """
    eps = float(np.finfo(np.float64 if precision == 64 else np.float32).eps)
    return steps * scale * eps / 2
