"""Curves and charts as data: what to draw of a comparison, few points each, with every peak kept."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from ..compare import UNITS, common_samples
from ..scene import Array
from ..trace import Trace
from .chart import Chart, Curve
from .measure import Comparison, Traces, between
from .participants import Participant
from .quantity import quantity

POINTS = 400  # of a curve
MOVES = 1e-3  # [m] along x from which the way along x is worth a chart
PEAK = 1.5  # largest force over the force at the end, from which there is an impact to look at
BEFORE, AFTER = 0.01, 0.05  # [s] shown around an impact
MOST_BODIES = 3
PRESSES = 1e-6  # [N]: a smaller normal force is what rounding leaves of none
SPIKE = 5  # times the force at the end: a peak that would flatten all else
APART = 3  # times: a peak that hides those of the other engines


def charts_of(
    comparison: Comparison, traces: Traces, names: Mapping[Participant, str], reference: Participant | None
) -> tuple[Chart, ...]:
    """Height, way along x, normal force and difference to the reference over time, with a closer look at an impact."""
    repeats: dict[str, list[Trace]] = {}
    for standing in comparison.ok:
        runs = comparison.series.ok(standing.who, comparison.dt)
        loaded = [trace for run in runs if (trace := traces.of(run)) is not None]
        if loaded:
            repeats[names[standing.who]] = loaded
    if not repeats:
        return ()
    bodies = next(iter(repeats.values()))[0].names
    if not bodies:
        return ()
    found: list[Chart] = []
    for body in bodies[:MOST_BODIES]:
        of = f" of {body}" if len(bodies) > 1 else ""
        found += _body_charts({name: [t for t in ts if body in t.names] for name, ts in repeats.items()}, body, of)
    if reference is not None and names[reference] in repeats and len(repeats) > 1:
        found += _difference_chart(repeats, names[reference])
    return tuple(found)


def thinned(x: Array, y: Array) -> np.ndarray:
    """Indices of at most POINTS samples of y: the smallest and the largest of each stretch, the first and the last."""
    if len(x) <= POINTS:
        return np.arange(len(x))
    edges = np.linspace(0, len(x), POINTS // 2).astype(int)
    filled = np.where(np.isfinite(y), y, -np.inf)
    keep = {0, len(x) - 1}
    for start, stop in pairwise(edges):
        keep |= {start + int(np.argmin(filled[start:stop])), start + int(np.argmax(filled[start:stop]))}
    return np.array(sorted(keep))


def _body_charts(repeats: Mapping[str, Sequence[Trace]], body: str, of: str) -> list[Chart]:
    time = ("time", "s")
    x = _curves(repeats, lambda trace: trace.of("p_WB", body)[:, 0])
    z = _curves(repeats, lambda trace: trace.of("p_WB", body)[:, 2])
    force = _curves(repeats, lambda trace: trace.of("peak_normal_force", body)[:, 0])
    found = [Chart(title=f"Height{of}", alt=f"Height{of} over time", x=time, y=("height", "m"), curves=z)]
    if any(float(np.ptp(curve.y)) > MOVES for curve in x):
        found.append(Chart(title=f"Way along x{of}", alt=f"Way along x{of} over time", x=time, y=("x", "m"), curves=x))
    if any(np.nanmax(curve.y, initial=0.0) > PRESSES for curve in force):
        title = f"Normal force{of}"
        found.append(
            Chart(
                title=title,
                alt=f"{title} over time",
                x=time,
                y=("force", "N"),
                curves=force,
                linear=_linear_up_to(force),
            )
        )
        moment = _impact(force)
        if moment is not None:
            for name, y, curves in (("Height", ("height", "m"), z), ("Normal force", ("force", "N"), force)):
                close = tuple(window(curve, moment - BEFORE, moment + AFTER) for curve in curves)
                title = f"{name}{of}, around the largest force"
                found.append(Chart(title=title, alt=f"{title}, every sample", x=time, y=y, curves=close, points=True))
                top = _below_the_spike(close) if y[1] == "N" else None
                if top is not None:
                    cut = f"{title}, cut off at {quantity(top, 'N')}"
                    found.append(replace(found[-1], title=cut, alt=f"{cut}, every sample", top=top))
    return found


def _linear_up_to(force: Sequence[Curve]) -> float | None:
    """Where the force axis turns logarithmic, so that a short spike does not flatten the rest; None for a plain one."""
    final = max(float(np.nan_to_num(curve.y[-1])) for curve in force)
    peak = max(float(np.nanmax(curve.y, initial=0.0)) for curve in force)
    return 10.0 ** math.ceil(math.log10(final)) if final > 0 and peak > SPIKE * final else None


def _below_the_spike(force: Sequence[Curve]) -> float | None:
    """Where to cut the force axis so that the engines below a much higher peak can be seen; None for nowhere."""
    peaks = [float(np.nanmax(curve.y, initial=0.0)) for curve in force]
    lower = [peak for peak in peaks if 0 < peak * APART < max(peaks)]
    return float(f"{1.15 * max(lower):.2g}") if lower else None


def _impact(force: Sequence[Curve]) -> float | None:
    """When the first engine reaches half of its peak force [s], if the peak stands out of the force at the end."""
    moments = []
    for curve in force:
        peak, final = float(np.nanmax(curve.y, initial=0.0)), float(np.nan_to_num(curve.y[-1]))
        if peak > PEAK * max(final, 1e-12):
            moments.append(float(curve.x[int(np.argmax(np.nan_to_num(curve.y) >= peak / 2))]))
    return min(moments, default=None)


def window(curve: Curve, start: float, stop: float) -> Curve:
    """The part of a curve between two instants [s]."""
    inside = (curve.x >= start) & (curve.x <= stop)
    low = None if curve.low is None else curve.low[inside]
    high = None if curve.high is None else curve.high[inside]
    return Curve(label=curve.label, x=curve.x[inside], y=curve.y[inside], low=low, high=high)


def _curves(repeats: Mapping[str, Sequence[Trace]], pick: Callable[[Trace], Array]) -> tuple[Curve, ...]:
    found = []
    for label, traces in repeats.items():
        if not traces:
            continue
        values = [pick(trace) for trace in traces]
        same_length = [value for value in values if len(value) == len(values[0])]
        low, high = np.min(same_length, axis=0), np.max(same_length, axis=0)
        banded = bool((high > low).any())
        time = traces[0].time
        found.append(
            Curve(label=label, x=time, y=values[0], low=low if banded else None, high=high if banded else None)
        )
    return tuple(found)


def _difference_chart(repeats: Mapping[str, Sequence[Trace]], reference: str) -> list[Chart]:
    base, curves = repeats[reference][0], []
    for label, traces in repeats.items():
        if label == reference or traces[0].names != base.names:
            continue
        i, j = common_samples(traces[0].time, base.time)
        apart = np.linalg.norm(traces[0].channels["p_WB"][i] - base.channels["p_WB"][j], axis=-1).max(axis=1)
        if (apart > 0).any():
            curves.append(Curve(label=label, x=base.time[j], y=np.where(apart > 0, apart, np.nan)))
    if not curves:
        return []
    title = f"Distance from {reference}"
    alt = f"Distance between the positions in each engine and in {reference} over time, logarithmic"
    return [Chart(title=title, alt=alt, x=("time", "s"), y=("difference", "m"), curves=tuple(curves), log_y=True)]


def convergence_charts(
    comparisons: Sequence[Comparison],
    main: Comparison,
    names: Mapping[Participant, str],
    reference: Participant | None,
) -> tuple[Chart, ...]:
    """Refinement (solid) and difference to the reference (dashed) against dt, when there are three steps or more.

    Of those that take part in `main`, whose panel this is in.
    """
    present = {standing.who for standing in main.ok}
    refinement: dict[str, list[tuple[float, float]]] = {}
    apart: dict[str, list[tuple[float, float]]] = {}
    for comparison in comparisons:
        for standing in comparison.ok:
            if standing.who not in present:
                continue
            name = names[standing.who]
            if standing.halved is not None:
                refinement.setdefault(name, []).append((standing.dt, standing.halved.motion))
            value = between(comparison, standing.who, reference) if reference else None
            if value is not None:
                apart.setdefault(name, []).append((standing.dt, value.motion))
    if not any(len(points) > 2 for points in refinement.values()):
        return ()
    curves = [
        Curve(label=label, x=np.array([p[0] for p in points]), y=np.array([p[1] for p in points]), dashed=dashed)
        for dashed, lines in ((False, refinement), (True, apart))
        for label, points in lines.items()
        if len(points) > 1 and all(p[1] > 0 for p in points)
    ]
    base = names[reference] if reference else ""
    kinds = {part.motion_kind for c in comparisons for s in c.ok if (part := s.halved) and part.motion}
    kind = next((kind for kind in ("joint", "slide") if kind in kinds), "position")
    chart = Chart(
        title="Refinement (solid) and difference (dashed) against dt",
        alt=f"Solid: change of position when dt is halved. Dashed: largest distance from {base}. Both against dt",
        x=("dt", "s"),
        y=("position" if kind == "position" else "joint position", UNITS[kind]),
        curves=tuple(curves),
        log_x=True,
        log_y=True,
        points=True,
    )
    return (chart,) if curves else ()
