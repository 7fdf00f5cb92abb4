"""Normal forces from SAPIEN's contact list, which is a list of Python objects and the dearest read of a sample.

SAPIEN keeps the contacts in a map that is ordered by memory address; they are put into scene order before they are
summed, so that a replay adds the same numbers in the same order.
"""

from __future__ import annotations

from operator import itemgetter
from typing import Any

import numpy as np

from ...harness.scene import Array
from .model import Model

Pattern = tuple[tuple[int, int, int], ...]  # per contact: indices of its two shapes, number of its points
_PATTERNS_AT_MOST = 1024
_BY_SHAPES = itemgetter(0, 1)


class ContactReader:
    """Sums contact impulses by body.

    A contact's impulse acts on the body of its first shape and, reversed, on that of the second (measured: see
    NOTES.md). Which points count for which body depends on the pattern of contacts only, so it is worked out once per
    pattern: a matrix of +1/dt, -1/dt and 0 with a row per moving body and a column per point, and the points per body.
    """

    def __init__(self, model: Model) -> None:
        self._get_contacts = model.system.get_contacts
        self._rate = 1.0 / model.system.timestep
        self._n = len(model.moving)
        rows = {body.name: row for row, body in enumerate(model.moving)}
        self._index: dict[Any, int] = {}
        self._rows: list[int | None] = []
        for name, component in model.components.items():
            for shape in component.collision_shapes:
                self._index[shape] = len(self._rows)
                self._rows.append(rows.get(name))
        for link in model.robot.articulation.links if model.robot is not None else ():
            for shape in link.collision_shapes:
                self._index[shape] = len(self._rows)
                self._rows.append(None)
        self._known: dict[Pattern, tuple[Array, Array]] = {}

    def read(self, force: Array, count: Array) -> None:
        """Fill the net normal force [N] on each moving body (n, 3) and its number of contact points (n, 1)."""
        index, found = self._index, []
        for contact in self._get_contacts():
            a, b = contact.shapes
            found.append((index[a], index[b], contact.points))
        if len(found) > 1:
            found.sort(key=_BY_SHAPES)
        impulses = [point.impulse for _, _, points in found for point in points]
        if not impulses:
            force[...] = count[...] = 0.0
            return
        pattern = tuple([(a, b, len(points)) for a, b, points in found])
        known = self._known.get(pattern)
        summing, count[...] = self._learn(pattern) if known is None else known
        force[...] = summing.dot(np.array(impulses, float))

    def _learn(self, pattern: Pattern) -> tuple[Array, Array]:
        points = sum(n for _, _, n in pattern)
        summing, start = np.zeros((self._n, points)), 0
        for a, b, n in pattern:
            for shape, sign in ((a, self._rate), (b, -self._rate)):
                row = self._rows[shape]
                if row is not None:
                    summing[row, start : start + n] = sign
            start += n
        if len(self._known) >= _PATTERNS_AT_MOST:
            self._known.clear()
        self._known[pattern] = summing, np.count_nonzero(summing, axis=1, keepdims=True).astype(float)
        return self._known[pattern]
