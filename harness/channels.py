"""The signals that every adapter fills, and the memory they live in.

One sample is one block of float64 with a row per moving body, in scene order; the channels are column ranges of it, so
that an adapter can fill many with one copy and logging a sample is one copy. All quantities are SI and expressed in W.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from .scene import Array


@dataclass(frozen=True, slots=True)
class Channel:
    """One signal: `width` components per body, with their unit and meaning."""

    name: str
    width: int
    unit: str
    text: str


@dataclass(frozen=True, slots=True)
class ChannelNote:
    """How an engine comes by a channel when it does not simply measure it."""

    kind: Literal["derived", "unsupported"]
    reason: str


STATE = (
    Channel("p_WB", 3, "m", "position of the body's origin"),
    Channel("q_WB", 4, "1", "orientation, unit quaternion, scalar first"),
    Channel("v_WB", 3, "m/s", "velocity of the body's origin (not of its centre of mass)"),
    Channel("w_WB", 3, "rad/s", "angular velocity"),
)
FORCE = (
    Channel("contact_count", 1, "1", "contact points between this body and others over the step that ended here"),
    Channel("f_B_W", 3, "N", "net contact force on the body over the step that ended at this sample"),
    Channel("f_normal_B_W", 3, "N", "its part along the contact normals"),
)
SLEEP = (Channel("asleep", 1, "1", "1 where the engine had put the body to sleep"),)
SAMPLED = STATE + FORCE + SLEEP

# Computed by the rollout from every step, so that a stride loses no impulse and no peak.
REDUCED = (
    Channel("f_friction_B_W", 3, "N", "the part of f_B_W in the contact planes: f_B_W - f_normal_B_W"),
    Channel("impulse_B_W", 3, "N s", "contact impulse on the body since the previous sample"),
    Channel("peak_normal_force", 1, "N", "largest magnitude of the net normal force since the previous sample"),
)
ALL = SAMPLED + REDUCED
BY_NAME = {channel.name: channel for channel in ALL}
WIDTH = sum(channel.width for channel in SAMPLED)
STATE_WIDTH = sum(channel.width for channel in STATE)


def _columns() -> dict[str, slice]:
    columns, start = {}, 0
    for channel in SAMPLED:
        columns[channel.name] = slice(start, start + channel.width)
        start += channel.width
    return columns


COLUMNS = _columns()


class Sample:
    """One instant of all channels.

    `data` has shape (n_bodies, WIDTH): a row per body, its channels side by side in the order of SAMPLED; each channel
    is also an attribute, a view of shape (n_bodies, width) into `data`.
    """

    p_WB: Array
    q_WB: Array
    v_WB: Array
    w_WB: Array
    contact_count: Array
    f_B_W: Array
    f_normal_B_W: Array
    asleep: Array

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self.data: Array = np.zeros((len(self.names), WIDTH))
        for name, columns in COLUMNS.items():
            setattr(self, name, self.data[:, columns])


def split(log: Array) -> dict[str, Array]:
    """Channels of a log of samples: (T, n_bodies, WIDTH) becomes {name: (T, n_bodies, width)}, views."""
    return {name: log[:, :, columns] for name, columns in COLUMNS.items()}
