"""Contact results of the step that ended: summed by body, and contact by contact.

Drake samples its contact results during a step, at the poses of the step's beginning and with the forces that then act
over it; so they belong to the step that ended, as the contract has it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...harness.contacts import ContactRows, contact_parties
from ...harness.scene import Array, Scene
from .model import Model

Pattern = tuple[tuple[int, int, int], ...]  # per contact: rows of the bodies it acts on, reversed and as it is, points
_PATTERNS_AT_MOST = 1024


class ContactReader:
    """Reads the contact results of a model: net forces of the moving bodies, or every contact with its parties."""

    def __init__(self, model: Model, scene: Scene) -> None:
        self._port = model.plant.get_contact_results_output_port()
        self._state = model.state
        self._n = len(model.moving)
        self._row_of_body = {int(native.index()): row for row, native in enumerate(model.moving)}
        inspector, plant = model.graph.model_inspector(), model.plant
        parties = {name: index for index, name in enumerate(contact_parties(scene))}
        self._row, self._party, self._planes = {}, {}, set()
        for solid in model.solids:
            for made in solid.everything:
                body = plant.GetBodyFromFrameId(inspector.GetFrameId(made))
                self._row[made] = self._row_of_body.get(int(body.index()), self._n)
                self._party[made] = parties[solid.name]
            self._planes.update(solid.planes)
        self._known: dict[Pattern, tuple[Array, Array]] = {}

    def read(self, force: Array, normal: Array, count: Array) -> None:
        """Fill net contact force and its normal part [N], (n, 3) each, and the number of contact points (n, 1)."""
        results, row_of, last = self._port.Eval(self._state), self._row_of_body, self._n
        forces, normals, parties = [], [], []
        for i in range(results.num_point_pair_contacts()):
            info = results.point_pair_contact_info(i)
            forces.append(info.contact_force())
            normals.append(info.point_pair().nhat_BA_W)
            parties.append((row_of.get(int(info.bodyA_index()), last), row_of.get(int(info.bodyB_index()), last), 1))
        for i in range(results.num_hydroelastic_contacts()):
            info = results.hydroelastic_contact_info(i)
            patch = info.contact_surface()
            forces.append(info.F_Ac_W().translational())
            normals.append(self._normal(patch))
            parties.append((self._row[patch.id_N()], self._row[patch.id_M()], patch.num_faces()))
        if not forces:
            force[...] = normal[...] = count[...] = 0.0
            return
        f, n = np.concatenate(forces).reshape(-1, 3), np.concatenate(normals).reshape(-1, 3)
        pattern = tuple(parties)
        known = self._known.get(pattern)
        summing, count[...] = self._learn(pattern) if known is None else known
        np.matmul(summing, f, out=force)
        np.matmul(summing, np.einsum("ij,ij->i", f, n)[:, None] * n, out=normal)

    def _learn(self, pattern: Pattern) -> tuple[Array, Array]:
        """Which contacts count for which body: a matrix of 1, -1 and 0 with a row per body, and its points (n, 1)."""
        summing, points = np.zeros((self._n, len(pattern))), np.zeros((self._n, 1))
        for k, (a, b, number) in enumerate(pattern):
            for row, sign in ((a, -1.0), (b, 1.0)):
                if row < self._n:
                    summing[row, k] = sign
                    points[row] += number
        if len(self._known) >= _PATTERNS_AT_MOST:
            self._known.clear()
        self._known[pattern] = summing, points
        return summing, points

    def rows(self) -> ContactRows:
        """Every contact of the step that ended: a point pair as it is, a patch as one point.

        A patch's point is its centre of pressure, where its normal force has the moment that Drake gives for it; its
        normal is the mean of its cells.
        """
        results, party = self._port.Eval(self._state), self._party
        first, second, points, normals, gaps, forces = [], [], [], [], [], []
        for i in range(results.num_point_pair_contacts()):
            info = results.point_pair_contact_info(i)
            pair = info.point_pair()
            first.append(party[pair.id_A])
            second.append(party[pair.id_B])
            points.append(info.contact_point())
            normals.append(-pair.nhat_BA_W)
            gaps.append(-pair.depth)
            forces.append(info.contact_force())
        for i in range(results.num_hydroelastic_contacts()):
            info = results.hydroelastic_contact_info(i)
            patch, wrench = info.contact_surface(), info.F_Ac_W()
            normal = self._normal(patch)  # out of N into M, and the wrench is that on M
            first.append(party[patch.id_N()])
            second.append(party[patch.id_M()])
            points.append(_centre_of_pressure(patch, normal, wrench))
            normals.append(normal)
            gaps.append(-_deepest(patch))
            forces.append(wrench.translational())
        if not forces:
            return ContactRows.none()
        normal, force = np.array(normals), np.array(forces)
        along = np.vecdot(force, normal)
        return ContactRows.of(first, second, points, normal, gaps, along, force - along[:, None] * normal)

    def _normal(self, patch: Any) -> Array:
        """Unit normal of a patch, of which each cell counts with its pressure; exact for a patch in a plane."""
        if patch.id_M() in self._planes or patch.id_N() in self._planes:
            return np.array(patch.face_normal(0))
        total = np.zeros(3)
        for face in range(patch.num_faces()):
            total += _pressure(patch, face) * patch.area(face) * patch.face_normal(face)
        length = float(np.linalg.norm(total))
        return total / length if length > 0 else np.array(patch.face_normal(0))


def _centre_of_pressure(patch: Any, normal: Array, wrench: Any) -> Array:
    """Where the normal force f_n of a patch has the moment that Drake states about the centroid, in W [m].

    In the plane through the centroid C: p = C + n x m / f_n; never outside of the patch's bounding box.
    """
    centroid, pull = np.array(patch.centroid()), float(normal @ wrench.translational())
    if pull <= 0.0:
        return centroid
    mesh = patch.tri_mesh_W() if patch.is_triangle() else patch.poly_mesh_W()
    middle, size = mesh.CalcBoundingBox()
    moved = centroid + np.cross(normal, wrench.rotational()) / pull
    return np.asarray(np.clip(moved, middle - size / 2, middle + size / 2))


def _pressure(patch: Any, face: int) -> float:
    """Pressure at the centroid of a cell [Pa]."""
    if patch.is_triangle():
        return float(patch.tri_e_MN().Evaluate(face, np.full(3, 1 / 3)))
    return float(patch.poly_e_MN().EvaluateCartesian(face, patch.centroid(face)))


def _deepest(patch: Any) -> float:
    """Deepest overlap over the cells of a patch [m], of both sides where both give way.

    A pressure grows with the distance to the body's nearest face, so that distance is pressure over |gradient|.
    """
    deepest = 0.0
    for face in range(patch.num_faces()):
        depth = 0.0
        for has, gradient in (
            (patch.HasGradE_M(), patch.EvaluateGradE_M_W),
            (patch.HasGradE_N(), patch.EvaluateGradE_N_W),
        ):
            steep = float(np.linalg.norm(gradient(face))) if has else math.inf
            depth += _pressure(patch, face) / steep if steep > 0 else 0.0
        deepest = max(deepest, depth)
    return deepest
