"""The mesh of the soft ball: a grid of 5 x 5 x 5 vertices mapped onto a ball, 384 tetrahedra, mirror-symmetric.

`python -m simparity.experiments.ball_mesh` writes it again.
"""

from __future__ import annotations

from itertools import permutations, product
from pathlib import Path

import numpy as np

from ..harness.soft_mesh import TetMesh, write

FILE = Path(__file__).parent / "assets" / "ball.vtk"
RADIUS = 0.03  # [m], of the vertices on the surface
LAYERS = 2  # cells from the centre to the surface


def ball_mesh() -> TetMesh:
    """The mesh in its own frame, centred on the origin.

    A point (x, y, z) of the cube [-1, 1]^3 goes to x sqrt(1 - y^2/2 - z^2/2 + y^2 z^2/3) and so on, which maps its
    faces onto the sphere. Each cell is cut into six tetrahedra about its diagonal away from the centre (Kuhn's
    subdivision, mirrored from octant to octant), so that every tetrahedron has a vertex inside the ball.
    """
    grid = list(product(range(-LAYERS, LAYERS + 1), repeat=3))
    number = {point: k for k, point in enumerate(grid)}
    x, y, z = np.array(grid, float).T / LAYERS
    vertices = RADIUS * np.column_stack(
        [
            x * np.sqrt(1 - y**2 / 2 - z**2 / 2 + y**2 * z**2 / 3),
            y * np.sqrt(1 - z**2 / 2 - x**2 / 2 + z**2 * x**2 / 3),
            z * np.sqrt(1 - x**2 / 2 - y**2 / 2 + x**2 * y**2 / 3),
        ]
    )
    elements = []
    for signs in product((-1, 1), repeat=3):
        for cell in product(range(LAYERS), repeat=3):
            for order in permutations(range(3)):
                corner = list(cell)
                path = [tuple(s * c for s, c in zip(signs, corner, strict=True))]
                for axis in order:
                    corner[axis] += 1
                    path.append(tuple(s * c for s, c in zip(signs, corner, strict=True)))
                a, b, c, d = (number[point] for point in path)
                even = np.linalg.det(np.array([path[1], path[2], path[3]]) - np.array(path[0])) > 0
                elements.append((a, b, c, d) if even else (a, b, d, c))
    return TetMesh(vertices, np.array(elements, np.int64))


if __name__ == "__main__":
    write(ball_mesh(), FILE, "ball of radius 0.03 m, 125 vertices, 384 tetrahedra; see experiments/ball_mesh.py")
