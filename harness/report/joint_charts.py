"""Small diagrams of a robot's joints: positions overlaid, differences to the reference engine, torques."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ..compare import common_samples
from ..scene import Array
from ..trace import Trace
from .chart import Chart, ChartGroup, Curve
from .measure import Comparison, Standing, Traces, sliding
from .participants import Participant

MOST_JOINTS = 9


def joint_charts(
    comparison: Comparison, traces: Traces, names: Mapping[Participant, str], reference: Participant | None
) -> tuple[ChartGroup, ...]:
    """Three groups of diagrams, a diagram for each joint; none where there are no joints."""
    found = {names[s.who]: trace for s in comparison.ok if (trace := _first(s, comparison, traces)) is not None}
    if not found:
        return ()
    base = found.get(names[reference]) if reference is not None else None
    joints = (base or next(iter(found.values()))).joints
    found = {label: trace for label, trace in found.items() if trace.joints == joints}
    apart = _apart(found, base) if base is not None else {}
    shown = _shown(joints, apart)
    few = len(shown) < len(joints)
    some = f" The {len(shown)} of {len(joints)} joints in which engines differ most." if few else ""
    units = {joint: _unit(comparison, joint) for joint in joints}
    groups = [_group("Joint positions", "q", found, joints, shown, lambda j: units[j], "Over time." + some)]
    if any((values > 0).any() for _, values in apart.values()):
        groups.append(_difference(apart, joints, shown, units, names[reference] if reference else "", some))
    torque = {"rad": "N m", "m": "N"}
    groups.append(_group("Torques", "tau", found, joints, shown, lambda j: torque[units[j]], "Commanded, over time."))
    return tuple(groups)


def _first(standing: Standing, comparison: Comparison, traces: Traces) -> Trace | None:
    runs = comparison.series.ok(standing.who, comparison.dt)
    trace = traces.of(runs[0]) if runs else None
    return trace if trace is not None and trace.joints else None


def _apart(found: Mapping[str, Trace], base: Trace) -> dict[str, tuple[Array, Array]]:
    """Label of everyone but the base -> common instants [s] and |q - q of the base| (T, n_joints)."""
    apart = {}
    for label, trace in found.items():
        if trace is not base:
            i, j = common_samples(trace.time, base.time)
            apart[label] = (base.time[j], np.abs(trace.joint("q")[i] - base.joint("q")[j]))
    return apart


def _shown(joints: Sequence[str], apart: Mapping[str, tuple[Array, Array]]) -> list[int]:
    """The joints to draw, in their order: all, or those in which engines differ most."""
    if len(joints) <= MOST_JOINTS:
        return list(range(len(joints)))
    largest = np.max([np.zeros(len(joints)), *(values.max(axis=0) for _, values in apart.values())], axis=0)
    return sorted(np.argsort(-largest, kind="stable")[:MOST_JOINTS].tolist())


def _unit(comparison: Comparison, joint: str) -> str:
    """Unit of a joint's position, from its limits as engines resolved them."""
    return "m" if any(joint in sliding(one.run.record.resolution) for one in comparison.ok) else "rad"


def _group(
    title: str,
    channel: str,
    found: Mapping[str, Trace],
    joints: Sequence[str],
    shown: Sequence[int],
    unit: Callable[[str], str],
    text: str,
) -> ChartGroup:
    charts = [
        Chart(
            title=f"{joints[k]} [{unit(joints[k])}]",
            alt=f"{title} of {joints[k]} over time",
            x=("time", "s"),
            y=(channel, unit(joints[k])),
            curves=tuple(Curve(label=label, x=t.time, y=t.joint(channel)[:, k]) for label, t in found.items()),
            small=True,
        )
        for k in shown
    ]
    return ChartGroup(title=title, text=text, charts=tuple(charts))


def _difference(
    apart: Mapping[str, tuple[Array, Array]],
    joints: Sequence[str],
    shown: Sequence[int],
    units: Mapping[str, str],
    reference: str,
    some: str,
) -> ChartGroup:
    charts = []
    for k in shown:
        curves = [
            Curve(label=label, x=time, y=np.where(values[:, k] > 0, values[:, k], np.nan))
            for label, (time, values) in apart.items()
            if (values[:, k] > 0).any()
        ]
        if curves:
            charts.append(
                Chart(
                    title=joints[k],
                    alt=f"Difference of {joints[k]} to {reference} over time, logarithmic",
                    x=("time", "s"),
                    y=("difference", units[joints[k]]),
                    curves=tuple(curves),
                    log_y=True,
                    small=True,
                )
            )
    text = f"Of joint positions, over time, logarithmic.{some}"
    return ChartGroup(title=f"Difference to {reference}", text=text, charts=tuple(charts))
