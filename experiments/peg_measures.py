"""What is measured on a peg's trace: depth, derived contact wrench, its work, and the engine's own sum beside it."""

from __future__ import annotations

import math

import numpy as np

from ..harness.contacts import ContactTrace
from ..harness.experiment import Series
from ..harness.reference import Reference
from ..harness.scene import Array
from ..harness.trace import Trace
from .peg import depth_of
from .peg_law import LINK, contact_wrench

FORCE, MOMENT = slice(0, 3), slice(3, 6)  # of a wrench
LATE = 0.1  # [s] at the end over which a stalled peg's speed is measured
TOUCHING = 1e-6  # [N]: a contact with less force counts as none


def depth(reference: Reference, lip: Array, trace: Trace) -> Array:
    """Depth of the peg's lowest point below the lip [m], (T,)."""
    return np.array([depth_of(reference.link_pose(q, LINK), lip) for q in trace.joint("q")])


def wrench(reference: Reference, trace: Trace) -> Array:
    """Derived contact wrench about the peg's top centre over the step that ended (T, 6) [N, N m], in W."""
    q, v, tau = (trace.joint(name) for name in ("q", "v", "tau"))
    vdot = np.diff(v, axis=0) / trace.sample_interval
    rows = [contact_wrench(reference, q[k], v[k], vdot[k], tau[k + 1]) for k in range(len(vdot))]
    return np.array([np.zeros(6), *rows])


class Measured:
    """Depth and wrench of one trace after the other, each computed once, since several metrics need them."""

    def __init__(self, reference: Reference, lip: Array) -> None:
        self._reference, self._lip = reference, lip
        self._trace: Trace | None = None

    def of(self, trace: Trace) -> tuple[Array, Array]:
        """`depth` and `wrench` of the trace."""
        if trace is not self._trace:
            self._depth, self._wrench = depth(self._reference, self._lip, trace), wrench(self._reference, trace)
            self._trace = trace
        return self._depth, self._wrench


def work(reference: Reference, trace: Trace, wrenches: Array) -> float:
    """Work of the wrench on the peg [J], by the mid-point velocity of each step."""
    pairs = zip(trace.joint("q"), trace.joint("v"), strict=True)
    V = np.array([reference.jacobian(q, LINK) @ v for q, v in pairs])
    return float(np.einsum("tk,tk->", wrenches[1:], (V[1:] + V[:-1]) / 2) * trace.sample_interval)


def difference(wrenches: Array, contacts: ContactTrace | None) -> float:
    """Largest distance between the derived force and the engine's own sum over contact points [N], NaN without one."""
    if contacts is None or not np.isfinite(contacts.rows.f_friction).all():
        return math.nan
    normal, friction = contacts.force_on(f"carrier/{LINK}", len(wrenches))
    return float(np.linalg.norm(wrenches[:, :3] - normal - friction, axis=1)[1:].max())


def touched(contacts: ContactTrace | None) -> float:
    """Number of samples with a contact that bears force, NaN where the engine gives no contact points."""
    if contacts is None:
        return math.nan
    return float(len(np.unique(contacts.sample[np.abs(contacts.rows.f_normal) > TOUCHING])))


def late_speed(depths: Array, trace: Trace) -> float:
    """Mean speed of the depth over the last 0.1 s [m/s]."""
    rows = min(len(trace.time) - 1, round(LATE / trace.sample_interval))
    return float((depths[-1] - depths[-1 - rows]) / (trace.time[-1] - trace.time[-1 - rows]))


def peak(vectors: Array) -> float:
    """Largest length of vectors (T, 3)."""
    return float(np.linalg.norm(vectors, axis=1).max())


def series(depths: Array, wrenches: Array) -> tuple[Series, ...]:
    """What is drawn over time."""
    force, moment = (np.linalg.norm(wrenches[:, part], axis=1) for part in (FORCE, MOMENT))
    return (
        Series(name="depth", unit="m", values=depths, text="of the peg's lowest point below the lip"),
        Series(name="contact force", unit="N", values=force, text="derived, at the peg's top centre"),
        Series(name="contact moment", unit="N m", values=moment, text="derived, about the peg's top centre"),
    )
