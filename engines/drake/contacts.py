"""Contact results of the step that ended: summed by body, and contact by contact.

Drake samples its contact results during a step, at the poses of the step's beginning and with the forces that then act
over it; so they belong to the step that ended, as the contract has it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...harness.scene import Array
from .model import Model


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactRow:
    """One contact of the step that ended, a point or a patch; everything in W.

    Attributes:
        a, b: the two parties: a body's name or "ROBOT/LINK".
        point: where it acts [m], of a patch its centroid.
        normal: unit vector from a to b.
        gap: signed distance at the step's beginning [m], negative when overlapping; of a patch its deepest.
        normal_force: along the normal on b [N].
        friction: force on b [N] in the contact plane, shape (3,).
    """

    a: str
    b: str
    point: Array
    normal: Array
    gap: float
    normal_force: float
    friction: Array


class ContactReader:
    """Reads the contact results of a model; `rows` numbers the moving bodies, everything else has the last row."""

    def __init__(self, model: Model) -> None:
        self._port = model.plant.get_contact_results_output_port()
        self._state = model.state
        self._n = len(model.moving)
        self._row_of_body = {int(native.index()): row for row, native in enumerate(model.moving)}
        inspector, plant = model.graph.model_inspector(), model.plant
        self._row, self._name, self._planes = {}, {}, set()
        for solid in model.solids:
            for made in solid.everything:
                body = plant.GetBodyFromFrameId(inspector.GetFrameId(made))
                self._row[made] = self._row_of_body.get(int(body.index()), self._n)
                self._name[made] = solid.name
            self._planes.update(solid.planes)

    def read(self, force: Array, normal: Array, count: Array) -> None:
        """Fill net contact force and its normal part [N], (n, 3) each, and the number of contact points (n, 1)."""
        results, last = self._port.Eval(self._state), self._n
        sums = np.zeros((last + 1, 7))  # force, normal part, number of points
        row_of = self._row_of_body
        for i in range(results.num_point_pair_contacts()):
            info = results.point_pair_contact_info(i)
            f, n = info.contact_force(), info.point_pair().nhat_BA_W
            entry = np.array((*f, *(f.dot(n) * n), 0.0))
            for body, sign in ((info.bodyB_index(), 1.0), (info.bodyA_index(), -1.0)):
                row = sums[row_of.get(int(body), last)]
                row += sign * entry
                row[6] += 1.0
        for i in range(results.num_hydroelastic_contacts()):
            info = results.hydroelastic_contact_info(i)
            patch = info.contact_surface()
            f, n = info.F_Ac_W().translational(), self._normal(patch)
            entry = np.array((*f, *(f.dot(n) * n), 0.0))
            for made, sign in ((patch.id_M(), 1.0), (patch.id_N(), -1.0)):
                row = sums[self._row[made]]
                row += sign * entry
                row[6] += patch.num_faces()
        force[...], normal[...], count[...] = sums[:last, :3], sums[:last, 3:6], sums[:last, 6:]

    def rows(self) -> Iterator[ContactRow]:
        """Every contact of the step that ended."""
        results = self._port.Eval(self._state)
        for i in range(results.num_point_pair_contacts()):
            info = results.point_pair_contact_info(i)
            pair = info.point_pair()
            yield self._contact(
                pair.id_A, pair.id_B, info.contact_point(), -pair.nhat_BA_W, -pair.depth, info.contact_force()
            )
        for i in range(results.num_hydroelastic_contacts()):
            info = results.hydroelastic_contact_info(i)
            patch = info.contact_surface()
            # a patch's normals point out of N into M, and its force is that on M
            yield self._contact(
                patch.id_N(),
                patch.id_M(),
                patch.centroid(),
                self._normal(patch),
                -_deepest(patch),
                info.F_Ac_W().translational(),
            )

    def _contact(self, a: Any, b: Any, point: Array, normal: Array, gap: float, force: Array) -> ContactRow:
        along = float(force.dot(normal))
        return ContactRow(
            a=self._name[a],
            b=self._name[b],
            point=np.array(point),
            normal=np.array(normal),
            gap=gap,
            normal_force=along,
            friction=force - along * normal,
        )

    def _normal(self, patch: Any) -> Array:
        """Unit normal of a patch, of which each cell counts with its pressure; exact for a patch in a plane."""
        if patch.id_M() in self._planes or patch.id_N() in self._planes:
            return np.array(patch.face_normal(0))
        total = np.zeros(3)
        for face in range(patch.num_faces()):
            total += _pressure(patch, face) * patch.area(face) * patch.face_normal(face)
        length = float(np.linalg.norm(total))
        return total / length if length > 0 else np.array(patch.face_normal(0))


def _pressure(patch: Any, face: int) -> float:
    """Pressure at the centroid of a cell [Pa]."""
    if patch.is_triangle():
        return float(patch.tri_e_MN().Evaluate(face, np.full(3, 1 / 3)))
    return float(patch.poly_e_MN().EvaluateCartesian(face, patch.centroid(face)))


def _deepest(patch: Any) -> float:
    """Deepest overlap over the cells of a patch [m]: pressure over its gradient, of both sides where both give way."""
    deepest = 0.0
    for face in range(patch.num_faces()):
        depth = 0.0
        for has, gradient in (
            (patch.HasGradE_M(), patch.EvaluateGradE_M_W),
            (patch.HasGradE_N(), patch.EvaluateGradE_N_W),
        ):
            steep = abs(float(np.dot(gradient(face), patch.face_normal(face)))) if has else math.inf
            depth += _pressure(patch, face) / steep if steep > 0 else 0.0
        deepest = max(deepest, depth)
    return deepest
