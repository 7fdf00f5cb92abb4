"""Outlines of soft bodies: their silhouettes at the start, where they are strained most, and at the end."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from ..scene import Array
from ..soft_state import SoftTrace
from .chart import Chart, Curve

INSTANTS = ("at the start", "strained most", "at the end")


def outline_charts(found: Mapping[str, SoftTrace]) -> tuple[Chart, ...]:
    """Silhouettes seen along y, one diagram for each instant and body.

    Args:
        found: label of a participant -> its soft body, of which only what came before an inversion is drawn.
    """
    charts = []
    for number, instant in enumerate(INSTANTS):
        curves = []
        for label, soft in found.items():
            sound = not soft.inverted.any()
            valid = np.flatnonzero(sound | (soft.shape_time < soft.valid_until))
            if not len(valid):
                continue
            k = (valid[0], _most_strained(soft, valid), valid[-1])[number]
            x, z = silhouette(soft.shapes[k][:, [0, 2]]).T
            curves.append(Curve(label=label, x=x, y=z))
        if curves:
            name = next(iter(found.values())).name
            title = f"Outline of {name} {instant}"
            charts.append(
                Chart(
                    title=title,
                    alt=f"{title}, seen along y",
                    x=("x", "m"),
                    y=("z", "m"),
                    curves=tuple(curves),
                    paths=True,
                )
            )
    return tuple(charts)


def _most_strained(soft: SoftTrace, valid: npt.NDArray[np.intp]) -> int:
    """Number of the stored shape at which an element is smallest against its rest."""
    at = np.searchsorted(soft.time, soft.shape_time[valid] - 1e-12)
    return int(valid[np.argmin(soft.least[np.minimum(at, len(soft.least) - 1)])])


def silhouette(points: Array) -> Array:
    """Corners of the convex hull of points (n, 2), in order, the first again at the end (Andrew's monotone chain)."""
    ordered = np.unique(np.asarray(points, float), axis=0)

    def half(row: Array) -> list[Array]:
        hull: list[Array] = []
        for p in row:
            while len(hull) > 1:
                (ax, ay), (bx, by) = hull[-1] - hull[-2], p - hull[-2]
                if ax * by - ay * bx > 0:
                    break
                hull.pop()
            hull.append(p)
        return hull

    lower, upper = half(ordered), half(ordered[::-1])
    return np.array([*lower[:-1], *upper])
