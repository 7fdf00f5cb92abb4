"""A trace: all channels of a run over time, and its file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .channels import BY_NAME, JOINT
from .errors import UNREADABLE, SimparityError
from .scene import Array


@dataclass(frozen=True, slots=True)
class Trace:
    """Channels over time.

    Attributes:
        time: instants of the samples [s], shape (T,); the first is 0.
        names: the moving bodies, in scene order, n of them.
        channels: name -> (T, n, width), see `channels` for units; a channel that the engine cannot give is NaN.
        joints: the robots' joints, in the order of their descriptions; channels `q`, `v`, `tau` are (T, n_joints, 1).
        soft: of every soft body, the centre of mass in W [m], (T, 3), and the cumulative impulse of its coupling on
            every link of the robot [N s], (T, n_links, 3); it has a file of its own, see `store.read_trace`.
    """

    time: Array
    names: tuple[str, ...]
    channels: Mapping[str, Array]
    joints: tuple[str, ...] = ()
    soft: Mapping[str, tuple[Array, Array]] = field(default_factory=dict)

    def of(self, channel: str, body: str) -> Array:
        """One channel of one body, shape (T, width)."""
        return self.channels[channel][:, self.names.index(body)]

    def joint(self, channel: str) -> Array:
        """A joint channel, shape (T, n_joints)."""
        return self.channels[channel][:, :, 0]

    @property
    def sample_interval(self) -> float:
        """Time between samples [s]."""
        return float(self.time[1] - self.time[0])


def completed(
    time: Array, names: tuple[str, ...], sampled: Mapping[str, Array], dt: float, joints: tuple[str, ...] = ()
) -> Trace:
    """Trace of every step, with what follows from the sampled channels.

    `f_friction_B_W` is the rest of the force, `impulse_B_W` is f dt, `peak_normal_force` the normal force's magnitude.
    """
    normal = sampled["f_normal_B_W"]
    derived = {
        "f_friction_B_W": sampled["f_B_W"] - normal,
        "impulse_B_W": sampled["f_B_W"] * dt,
        "peak_normal_force": np.sqrt(np.einsum("tbk,tbk->tb", normal, normal))[..., None],
    }
    return Trace(time, names, dict(sampled) | derived, joints)


def thinned(trace: Trace, stride: int) -> Trace:
    """Every `stride`-th sample of a trace of every step, whose forces lose nothing.

    `impulse_B_W` sums over the steps since the previous sample, `peak_normal_force` takes their largest.
    """
    if stride == 1:
        return trace
    blocks = (len(trace.time) - 1) // stride
    channels = {name: np.ascontiguousarray(array[::stride]) for name, array in trace.channels.items()}
    for name, gather in (("impulse_B_W", np.sum), ("peak_normal_force", np.max)):
        steps = trace.channels[name][1 : 1 + blocks * stride]
        blocked = steps.reshape(blocks, stride, *steps.shape[1:])
        channels[name][1 : 1 + blocks] = gather(blocked, axis=1)
    return Trace(trace.time[::stride].copy(), trace.names, channels, trace.joints)


def save(trace: Trace, path: Path) -> None:
    """Write `trace` as a numpy archive without pickles."""
    arrays: dict[str, Any] = {f"channel.{name}": array for name, array in trace.channels.items()}
    arrays |= {name: np.array(getattr(trace, name), dtype=np.str_) for name in ("names", "joints")}
    np.savez_compressed(path, time=trace.time, **arrays)


def load(path: Path) -> Trace:
    """Read a trace written by `save`.

    Raises:
        SimparityError: the file is missing, damaged or not a trace.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            channels = {key.removeprefix("channel."): file[key] for key in file.files if key.startswith("channel.")}
            time, names = file["time"], tuple(str(name) for name in file["names"])
            joints = tuple(str(name) for name in file["joints"])
    except UNREADABLE as error:
        raise SimparityError(f"{path} is not a readable trace ({error}); delete its folder and run again") from error
    rows = {name: len(joints if BY_NAME[name] in JOINT else names) for name in channels if name in BY_NAME}
    expected = {name: (time.size, n, BY_NAME[name].width) for name, n in rows.items()}
    if time.ndim != 1 or not channels or {name: array.shape for name, array in channels.items()} != expected:
        raise SimparityError(f"{path} holds arrays of the wrong shape; delete its folder and run again")
    if any(array.dtype.kind != "f" for array in (time, *channels.values())):
        raise SimparityError(f"{path} holds arrays that are no numbers; delete its folder and run again")
    return Trace(time, names, channels, joints)
