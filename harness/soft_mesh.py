"""Tetrahedral meshes: their file, volumes and surface.

The file is a legacy VTK unstructured grid in ASCII, with tetrahedra only (VTK file formats, "Legacy"): what Drake,
Gmsh, meshio and ParaView read as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from .errors import UsageError
from .scene import Array, SoftBody, rotation

Elements = npt.NDArray[np.int64]
TETRAHEDRON = 10  # VTK's cell type
FACES = ((1, 2, 3), (0, 3, 2), (0, 1, 3), (0, 2, 1))  # of a tetrahedron of positive volume, seen from outside


@dataclass(frozen=True, slots=True)
class TetMesh:
    """Vertices (n, 3) [m] and tetrahedra (m, 4), each ordered so that its signed volume is positive."""

    vertices: Array
    elements: Elements


@lru_cache(maxsize=8)
def read(path: str) -> TetMesh:
    """The mesh in the file at `path`.

    Raises:
        UsageError: it is missing, no such file, or has an element without positive volume.
    """
    try:
        words = iter(Path(path).read_text().split("\n", 2)[2].split())
        found: dict[str, list[float]] = {}
        for word in words:
            if word == "POINTS":
                count = int(next(words))
                next(words)  # the data type
                found[word] = [float(next(words)) for _ in range(3 * count)]
            elif word == "CELLS":
                _, size = int(next(words)), int(next(words))
                found[word] = [int(next(words)) for _ in range(size)]
            elif word == "CELL_TYPES":
                found[word] = [int(next(words)) for _ in range(int(next(words)))]
        vertices = np.array(found["POINTS"], float).reshape(-1, 3)
        cells = np.array(found["CELLS"], np.int64).reshape(-1, 5)
        tetrahedra = set(found["CELL_TYPES"]) == {TETRAHEDRON} and bool((cells[:, 0] == 4).all())
    except (OSError, ValueError, KeyError, IndexError, StopIteration) as error:
        raise UsageError(f"mesh {path} cannot be read ({error!r}); give an ASCII legacy VTK file") from error
    if not tetrahedra:
        raise UsageError(f"mesh {path} has cells that are no tetrahedra; give a mesh of tetrahedra only")
    mesh = TetMesh(vertices, cells[:, 1:])
    bad = np.flatnonzero(volumes(vertices, mesh.elements) <= 0)
    if len(bad):
        raise UsageError(f"mesh {path} has {len(bad)} elements without positive volume, the first is number {bad[0]}")
    return mesh


def write(mesh: TetMesh, path: Path, title: str) -> None:
    """Write `mesh` so that `read` gives it back, with `title` as its one line of text."""
    lines = ["# vtk DataFile Version 2.0", title, "ASCII", "DATASET UNSTRUCTURED_GRID"]
    lines += [f"POINTS {len(mesh.vertices)} double", *(" ".join(f"{x:.12g}" for x in v) for v in mesh.vertices)]
    count = len(mesh.elements)
    lines += [f"CELLS {count} {5 * count}", *("4 " + " ".join(map(str, e)) for e in mesh.elements)]
    lines += [f"CELL_TYPES {count}", *([str(TETRAHEDRON)] * count)]
    path.write_text("\n".join(lines) + "\n")


def volumes(vertices: Array, elements: Elements) -> Array:
    """Signed volume of every element [m^3], (m,); negative where it is inverted."""
    a, b, c, d = (vertices[elements[:, k]] for k in range(4))
    return np.asarray(np.einsum("ij,ij->i", np.cross(b - a, c - a), d - a) / 6)


def lumped_masses(mesh: TetMesh, density: float) -> Array:
    """Mass of every vertex [kg], (n,): a quarter of each of its elements, the row sums of the consistent matrix."""
    share = density * volumes(mesh.vertices, mesh.elements) / 4
    masses = np.zeros(len(mesh.vertices))
    for k in range(4):
        np.add.at(masses, mesh.elements[:, k], share)
    return masses


def surface(elements: Elements) -> Elements:
    """Triangles (k, 3) that belong to one element only, counter-clockwise seen from outside."""
    triangles = np.concatenate([elements[:, list(face)] for face in FACES])
    _, first, count = np.unique(np.sort(triangles, axis=1), axis=0, return_index=True, return_counts=True)
    return np.asarray(triangles[first[count == 1]])


def placed(body: SoftBody) -> TetMesh:
    """The body's mesh at time zero, its vertices in W."""
    mesh = read(body.mesh)
    return TetMesh(mesh.vertices @ rotation(body.pose.q_wxyz).T + np.array(body.pose.p), mesh.elements)


def lame(young: float, poisson: float) -> tuple[float, float]:
    """Lame's parameters mu, lambda [Pa]: E / (2 (1 + nu)) and E nu / ((1 + nu)(1 - 2 nu))."""
    return young / (2 * (1 + poisson)), young * poisson / ((1 + poisson) * (1 - 2 * poisson))
