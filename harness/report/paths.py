"""Paths of bodies: their trajectories projected onto the plane in which they move most."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..scene import Array
from ..trace import Trace
from .chart import Chart, Curve

MOST_POINTS = 4000  # of all curves of a diagram
LEAST = 1e-3  # [m]: a smaller extent is no second dimension
FLAT = 0.02  # of the largest extent: below this the second one is a line's thickness
AXES = ("x", "y", "z")
VIEWS = {(0, 1): "from above", (0, 2): "from the side, along y", (1, 2): "from the side, along x"}


def path_chart(traces: Mapping[str, Trace]) -> Chart | None:
    """Where the bodies go, seen along the axis of their smallest extent; None where they move along one line only.

    Args:
        traces: label of a participant -> its trace.
    """
    moved = {label: trace.channels["p_WB"] for label, trace in traces.items() if trace.names}
    points = [p.reshape(-1, 3) for p in moved.values() if p.size]
    if not points:
        return None
    extents = np.max([_extents(p) for p in moved.values()], axis=0)
    order = np.argsort(-extents, kind="stable")
    if extents[order[1]] < max(LEAST, FLAT * extents[order[0]]):
        return None
    first, second = sorted(int(axis) for axis in order[:2])
    bodies = sum(p.shape[1] for p in moved.values())
    keep = max(MOST_POINTS // bodies, 20)
    curves = tuple(
        Curve(label=label, x=_few(p[:, body, first], keep), y=_few(p[:, body, second], keep))
        for label, p in moved.items()
        for body in range(p.shape[1])
    )
    view = VIEWS[first, second]
    several = "Paths" if bodies > len(moved) else "Path"
    return Chart(
        title=f"{several} {view}",
        alt=f"{several} of the bodies seen {view}; a dot marks the end",
        x=(AXES[first], "m"),
        y=(AXES[second], "m"),
        curves=curves,
        paths=True,
    )


def _extents(p: Array) -> Array:
    """How far any body of a trace (T, n, 3) moves along each axis [m]; shape (3,)."""
    return np.asarray((np.nanmax(p, axis=0) - np.nanmin(p, axis=0)).max(axis=0))


def _few(values: Array, keep: int) -> Array:
    """At most `keep` samples, evenly in time, the first and the last among them."""
    if len(values) <= keep:
        return values
    return np.asarray(values[np.linspace(0, len(values) - 1, keep).round().astype(int)])
