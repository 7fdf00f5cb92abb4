"""Which of an engine's shapes is which of the source's, in links that have equally many: by what they are like.

The order of shapes in a link means nothing, and importers change it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..engine import Resolved
from ..imported import Key
from .differ import shape_turn

LIKENESS = ("size", "position", "orientation")


def alike(ours: Mapping[Key, Resolved], theirs: Mapping[Key, Resolved]) -> dict[Key, Resolved]:
    """The engine's table, its shapes numbered as those of the source that they are most like."""
    mine, other = _by_link(ours), _by_link(theirs)
    renumbered: dict[str, str] = {}
    for link, names in other.items():
        if len(names) > 1 and len(mine.get(link, ())) == len(names):
            renumbered |= _paired(ours, theirs, mine[link], names)
    return {
        key._replace(name=renumbered.get(key.name, key.name)) if key.kind == "geom" else key: row
        for key, row in theirs.items()
    }


def _by_link(table: Mapping[Key, Resolved]) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for key in table:
        if key.kind == "geom" and key.quantity == "type":
            found[key.name.rpartition("/")[0]].append(key.name)
    return found


def _paired(
    ours: Mapping[Key, Resolved], theirs: Mapping[Key, Resolved], mine: Sequence[str], other: Sequence[str]
) -> dict[str, str]:
    """Engine's name -> source's name, the likest first; equally like ones in their order."""
    far = np.array([[_distance(ours, theirs, a, b) for b in other] for a in mine])
    far += 1e-9 * np.abs(np.subtract.outer(np.arange(len(mine)), np.arange(len(other))))
    found = {}
    for _ in mine:
        i, j = (int(x) for x in np.unravel_index(int(np.argmin(far)), far.shape))
        found[other[j]] = mine[i]
        far[i, :], far[:, j] = np.inf, np.inf
    return found


def _distance(ours: Mapping[Key, Resolved], theirs: Mapping[Key, Resolved], a: str, b: str) -> float:
    def value(table: Mapping[Key, Resolved], name: str, quantity: str) -> Any:
        row = table.get(Key("geom", name, quantity))
        return None if row is None else row.value

    away = 0.0 if value(ours, a, "type") == value(theirs, b, "type") else 1e3
    for quantity in LIKENESS:
        x, y = value(ours, a, quantity), value(theirs, b, quantity)
        if x is None or y is None or np.shape(x) != np.shape(y):
            continue
        x, y = np.array(x, float), np.array(y, float)
        turned = quantity == "orientation"
        away += shape_turn(str(value(ours, a, "type")), x, y) if turned else float(np.abs(x - y).sum())
    return min(away, 1e6)
