"""A rotation matrix as a unit quaternion."""

from __future__ import annotations

import numpy as np

from ..scene import Array, rotation


def quaternion(R: Array) -> tuple[float, float, float, float]:
    """Unit quaternion, scalar first, of a rotation matrix, by its largest component."""
    K = np.array(
        [
            [R[0, 0] + R[1, 1] + R[2, 2], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]],
            [R[2, 1] - R[1, 2], R[0, 0] - R[1, 1] - R[2, 2], R[0, 1] + R[1, 0], R[0, 2] + R[2, 0]],
            [R[0, 2] - R[2, 0], R[0, 1] + R[1, 0], R[1, 1] - R[0, 0] - R[2, 2], R[1, 2] + R[2, 1]],
            [R[1, 0] - R[0, 1], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1], R[2, 2] - R[0, 0] - R[1, 1]],
        ]
    )
    column = np.eye(4)[int(np.argmax(np.diag(K)))] + K[int(np.argmax(np.diag(K)))]
    w, x, y, z = (float(c) for c in column / np.linalg.norm(column))
    assert np.allclose(rotation((w, x, y, z)), R, atol=1e-9)
    return (w, x, y, z)
