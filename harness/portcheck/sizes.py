"""Sizes of a robot, by which what precision explains is judged."""

from __future__ import annotations

import numpy as np

from ..imported import Key, Reading
from .effort import numbers


def offset(reading: Reading, key: Key) -> float:
    """m |com|^2 over the largest entry of a link's inertia [1]: what the digits of that entry are taken from."""
    com, inertia = (numbers(reading.table[key._replace(quantity=q)]) for q in ("com", "inertia"))
    largest = float(np.abs(inertia).max())
    return mass_of(reading, key.name) * float(com @ com) / largest if largest else 0.0


def reach(reading: Reading) -> float:
    """Length of the robot [m]: the sum of all offsets between its frames, the scale of rounding in positions."""
    offsets = [
        np.linalg.norm(numbers(r))
        for key, r in reading.table.items()
        if key.quantity == "position" and key.kind == "link"
    ]
    return max(float(np.sum(offsets)), 0.1)


def mass_of(reading: Reading, link: str) -> float:
    """Mass of a link [kg]; 0 where it is not known."""
    row = reading.table.get(Key("link", link, "mass"))
    return float(row.value) if row is not None and isinstance(row.value, (int, float)) else 0.0
