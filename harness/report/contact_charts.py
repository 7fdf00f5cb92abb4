"""Contact forces over time, from logged contact points: between pairs, or on the bodies that an experiment names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from ..contacts import ContactTrace
from ..scene import Array
from .chart import Chart, Curve

MOST_PAIRS = 4
LEAST = 1e-9  # [N]: below this nothing presses

Force = dict[tuple[str, str], Array]  # pair -> normal force at each sample [N], (T,)


def contact_charts(found: Mapping[str, tuple[Array, ContactTrace]], parties: Sequence[str]) -> tuple[Chart, ...]:
    """Diagrams of contact force over time.

    Args:
        found: label of a participant -> instants of its samples [s] and its contact points.
        parties: whose total contact force is drawn; empty for the normal force between the pairs that press most.
    """
    if not found:
        return ()
    return _on_parties(found, parties) if parties else _between_pairs(found)


def _on_parties(found: Mapping[str, tuple[Array, ContactTrace]], parties: Sequence[str]) -> tuple[Chart, ...]:
    charts = []
    for party in parties:
        curves = []
        for label, (time, contacts) in found.items():
            if party in contacts.parties:
                normal, friction = contacts.force_on(party, len(time))
                total = normal + np.nan_to_num(friction)  # an engine that gives no friction has its normal force drawn
                curves.append(Curve(label=label, x=time, y=np.linalg.norm(total, axis=1)))
        charts += _chart(f"Contact force on {party}", curves)
    return tuple(charts)


def _between_pairs(found: Mapping[str, tuple[Array, ContactTrace]]) -> tuple[Chart, ...]:
    forces = {label: _by_pair(contacts, len(time)) for label, (time, contacts) in found.items()}
    impulse: dict[tuple[str, str], float] = defaultdict(float)
    for label, (time, _) in found.items():
        interval = float(time[1] - time[0]) if len(time) > 1 else 0.0
        for pair, force in forces[label].items():
            impulse[pair] = max(impulse[pair], float(np.abs(force).sum()) * interval)
    busiest = sorted(sorted(impulse), key=lambda pair: -impulse[pair])[:MOST_PAIRS]
    charts = []
    for a, b in busiest:
        curves = [
            Curve(label=label, x=time, y=forces[label].get((a, b), np.zeros(len(time))))
            for label, (time, _) in found.items()
        ]
        charts += _chart(f"Normal force between {a} and {b}", curves)
    return tuple(charts)


def _by_pair(contacts: ContactTrace, samples: int) -> Force:
    forces: Force = {}
    width = len(contacts.parties)
    keys = contacts.rows.a * width + contacts.rows.b
    for key in np.unique(keys):
        mine = keys == key
        force = np.zeros(samples)
        np.add.at(force, contacts.sample[mine], contacts.rows.f_normal[mine])
        forces[contacts.parties[key // width], contacts.parties[key % width]] = force
    return forces


def _chart(title: str, curves: Sequence[Curve]) -> list[Chart]:
    if not any(float(np.nanmax(curve.y, initial=0.0)) > LEAST for curve in curves):
        return []
    alt = f"{title} over time"
    return [Chart(title=title, alt=alt, x=("time", "s"), y=("force", "N"), curves=tuple(curves), thin=True)]
