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
# One value per joint with a single degree of freedom, in the order of the robots' descriptions.
JOINT = (
    Channel("q", 1, "rad | m", "joint position"),
    Channel("v", 1, "rad/s | m/s", "joint velocity"),
    Channel("tau", 1, "N m | N", "joint torque commanded for the step that ended, within its limits"),
)
ALL = SAMPLED + REDUCED + JOINT
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
    is also an attribute, a view of shape (n_bodies, width) into `data`. `joints` has shape (3, n_joints): position,
    velocity and commanded torque; `q`, `v` and `tau` are views of shape (n_joints,) into it. `soft` has an array (2, n,
    3) per soft body, positions [m] and velocities [m/s] of its vertices in W; `f_links` (n_links, 3) is the coupling
    force on each link of the robot [N], see `soft_state`.
    """

    p_WB: Array
    q_WB: Array
    v_WB: Array
    w_WB: Array
    contact_count: Array
    f_B_W: Array
    f_normal_B_W: Array
    asleep: Array
    q: Array
    v: Array
    tau: Array

    def __init__(
        self, names: Sequence[str], joints: Sequence[str] = (), soft: Sequence[int] = (), links: int = 0
    ) -> None:
        self.names, self.joint_names = tuple(names), tuple(joints)
        self.data: Array = np.zeros((len(self.names), WIDTH))
        self.joints: Array = np.zeros((len(JOINT), len(self.joint_names)))
        self.soft = tuple(np.zeros((2, vertices, 3)) for vertices in soft)
        self.f_links: Array = np.full((links, 3), np.nan)
        for channel, row in zip(JOINT, self.joints, strict=True):
            setattr(self, channel.name, row)
        for name, columns in COLUMNS.items():
            setattr(self, name, self.data[:, columns])


class Log:
    """All samples of a run: one row per step, bodies and joints apart."""

    def __init__(self, sample: Sample, rows: int) -> None:
        self.sample = sample
        self.bodies: Array = np.empty((rows, *sample.data.shape))
        self.joints: Array = np.empty((rows, *sample.joints.shape))
        self._has_joints = bool(sample.joint_names)

    def keep(self, row: int) -> None:
        """Copy the present sample into `row`."""
        self.bodies[row] = self.sample.data
        if self._has_joints:
            self.joints[row] = self.sample.joints

    def states(self, rows: slice) -> tuple[Array, Array]:
        """All positions, and all velocities, of those rows, flat: (T, as many as there are)."""
        bodies, joints = self.bodies[rows], self.joints[rows]
        moved = COLUMNS["v_WB"].start
        flat = ((bodies[:, :, :moved], joints[:, 0]), (bodies[:, :, moved:STATE_WIDTH], joints[:, 1]))
        positions, velocities = (np.hstack([part.reshape(len(bodies), -1) for part in pair]) for pair in flat)
        return positions, velocities

    def channels(self, rows: int) -> dict[str, Array]:
        """The first `rows` rows by channel: (T, n_bodies, width), and (T, n_joints, 1) for joint channels."""
        by_body = {name: self.bodies[:rows, :, columns] for name, columns in COLUMNS.items()}
        by_joint = {channel.name: self.joints[:rows, k, :, None] for k, channel in enumerate(JOINT)}
        return by_body | (by_joint if self._has_joints else {})
