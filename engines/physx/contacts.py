"""SAPIEN's contact list, which is a list of Python objects and the dearest read of a sample: forces by body, and rows.

SAPIEN keeps the contacts in a map that is ordered by memory address; they are put into scene order before they are
summed, so that a replay adds the same numbers in the same order.
"""

from __future__ import annotations

from operator import itemgetter
from typing import Any

import numpy as np

from ...harness.contacts import ContactRows, contact_parties
from ...harness.scene import Array, Scene
from .model import Model

Pattern = tuple[tuple[int, int, int], ...]  # per contact: indices of its two shapes, number of its points
_PATTERNS_AT_MOST = 1024
_BY_SHAPES = itemgetter(0, 1)


class ContactReader:
    """Sums contact impulses by body, or gives them one by one.

    A contact's impulse acts on the body of its first shape and, reversed, on that of the second (measured: see
    NOTES.md). Which points count for which body depends on the pattern of contacts only, so it is worked out once per
    pattern: a matrix of +1/dt, -1/dt and 0 with a row per moving body and a column per point, and the points per body.
    """

    def __init__(self, model: Model, scene: Scene) -> None:
        self._get_contacts = model.system.get_contacts
        self._rate = 1.0 / model.system.timestep
        self._n = len(model.moving)
        rows = {body.name: row for row, body in enumerate(model.moving)}
        self._index: dict[Any, int] = {}
        self._rows: list[int | None] = []
        self._party: list[int] = []
        parties = {name: index for index, name in enumerate(contact_parties(scene))}
        for name, component in model.components.items():
            for shape in component.collision_shapes:
                self._index[shape] = len(self._rows)
                self._rows.append(rows.get(name))
                self._party.append(parties[name])
        for link, shape in model.robot.shapes if model.robot is not None else ():
            self._index[shape] = len(self._rows)
            self._rows.append(None)
            self._party.append(len(scene.bodies) + link)
        self._known: dict[Pattern, tuple[Array, Array]] = {}

    def read(self, force: Array, count: Array) -> None:
        """Fill the net normal force [N] on each moving body (n, 3) and its number of contact points (n, 1)."""
        found = self._found()
        impulses = [point.impulse for _, _, points in found for point in points]
        if not impulses:
            force[...] = count[...] = 0.0
            return
        pattern = tuple([(a, b, len(points)) for a, b, points in found])
        known = self._known.get(pattern)
        summing, count[...] = self._learn(pattern) if known is None else known
        force[...] = summing.dot(np.array(impulses, float))

    def rows(self) -> ContactRows:
        """The contact points of the step that ended."""
        found = self._found()
        points = [point for _, _, of_pair in found for point in of_pair]
        if not points:
            return ContactRows.none()
        pairs = np.repeat([(a, b) for a, b, _ in found], [len(of_pair) for _, _, of_pair in found], axis=0)
        on, by = np.array(self._party)[pairs].T  # normal and impulse: towards the first shape, see NOTES.md
        normal = np.array([point.normal for point in points], float)
        impulse = np.array([point.impulse for point in points], float)
        return ContactRows.of(
            by,
            on,
            [point.position for point in points],
            normal,
            [point.separation for point in points],
            self._rate * np.vecdot(impulse, normal),
            np.full_like(normal, np.nan),
        )

    def _found(self) -> list[tuple[int, int, Any]]:
        """Indices of both shapes and the points of every contact, in scene order."""
        index, found = self._index, []
        for contact in self._get_contacts():
            a, b = contact.shapes
            found.append((index[a], index[b], contact.points))
        if len(found) > 1:
            found.sort(key=_BY_SHAPES)
        return found

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
