"""The cube that lands and slides, the ground under it, and what is measured on both alike."""

from __future__ import annotations

import numpy as np

from ..harness.scene import Array, Body, Box, HalfSpace, Material, Pose
from ..harness.solids import box_inertia
from ..harness.trace import Trace

NAME = "cube"
GRAVITY = 9.81  # [m/s^2]


def ground(material: Material) -> Body:
    """A fixed half-space with its surface at z = 0."""
    return Body(name="ground", shapes=(HalfSpace(),), material=material)


def cube(*, mass: float, size: float, height: float, material: Material) -> Body:
    """A solid cube of edge `size` [m] whose lower face is `height` [m] above the ground."""
    edges = (size, size, size)
    return Body(
        name=NAME,
        shapes=(Box(edges),),
        mass=mass,
        inertia=box_inertia(mass, edges),
        pose=Pose((0.0, 0.0, size / 2 + height)),
        material=material,
    )


def lowest_corner(trace: Trace, size: float) -> Array:
    """Height of the cube's lowest corner above z = 0 [m], shape (T,); negative when it overlaps the ground.

    The corners are at R_WB (+-s, +-s, +-s) / 2, so the lowest is p_z - (|R_zx| + |R_zy| + |R_zz|) s / 2.
    """
    p, q = trace.of("p_WB", NAME), trace.of("q_WB", NAME)
    w, x, y, z = q.T
    reach = np.abs(2 * (x * z - w * y)) + np.abs(2 * (y * z + w * x)) + np.abs(1 - 2 * (x * x + y * y))
    return np.asarray(p[:, 2] - reach * size / 2)


def vertical_force(trace: Trace) -> Array:
    """Upward normal contact force on the cube [N], shape (T,); entry k acts over the step that ends at sample k."""
    return trace.of("f_normal_B_W", NAME)[:, 2]


def last(trace: Trace, seconds: float) -> slice:
    """The samples of the last `seconds` [s] of a trace."""
    return slice(len(trace.time) - max(1, round(seconds / trace.sample_interval)), None)
