"""Limits of torque and force: what actuators and their control ranges add up to, for engines that keep one of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..engine import Resolved
from ..imported import Key, Reading
from ..scene import Array


def with_actuator(reading: Reading, key: Key, row: Resolved) -> Resolved:
    """An effort limit of a joint together with those of the actuators that drive it, for engines without actuators."""
    side = key.quantity.removeprefix("effort_")
    bound: Any = row.value
    for name, joint in reading.driven.items():
        if joint != key.name:
            continue
        gear, gain, bias, force, control = (
            np.atleast_1d(numbers(reading.table[Key("actuator", name, q)]))
            for q in ("gear", "gain", "bias", f"force_{side}", f"ctrl_{side}")
        )
        if gear[0] <= 0:
            continue
        limits = [float(force[0] * gear[0])]
        if not bias.any():
            limits.append(float(control[0] * gain[0] * gear[0]))
        bound = (max if side == "lower" else min)([bound, *limits])
    return replace(row, value=bound)


def with_control(reading: Reading, key: Key, row: Resolved) -> Resolved:
    """A force limit of an actuator together with its control range, for engines whose actuators have one limit.

    Only where the force is the control times a positive gain and nothing else.
    """
    side, name = key.quantity.removeprefix("force_"), key.name
    gain, bias, control = (
        np.atleast_1d(numbers(reading.table[Key("actuator", name, q)])) for q in ("gain", "bias", f"ctrl_{side}")
    )
    if bias.any() or gain[0] <= 0 or not isinstance(row.value, float):
        return row
    limits = row.value, float(control[0] * gain[0])
    return replace(row, value=max(limits) if side == "lower" else min(limits))


def held_as_force(reading: Reading, key: Key, table: Mapping[Key, Resolved]) -> bool:
    """Whether a control range that the engine has no place for is in its force limit."""
    side = key.quantity.removeprefix("ctrl_")
    force = Key("actuator", key.name, f"force_{side}")
    if key.kind != "actuator" or side == key.quantity or force not in table or force not in reading.table:
        return False
    return with_control(reading, force, reading.table[force]).value == table[force].value


def mirrored(reading: Reading, key: Key, row: Resolved) -> bool:
    """Whether a lower limit is the upper one with its sign turned."""
    upper = reading.table.get(key._replace(quantity=key.quantity.replace("_lower", "_upper")))
    return upper is not None and isinstance(row.value, float) and upper.value == -row.value


def numbers(row: Resolved) -> Array:
    """The value of a row as an array."""
    value: Any = row.value
    return np.array(value, dtype=np.float64)
