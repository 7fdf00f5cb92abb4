"""Inertia of solid shapes, in closed form."""

from __future__ import annotations

from .scene import Vec3


def box_inertia(mass: float, size: Vec3) -> Vec3:
    """Principal inertia of a solid cuboid [kg m^2]: m (b^2 + c^2) / 12 and so on."""
    x, y, z = (s * s for s in size)
    return (mass * (y + z) / 12, mass * (x + z) / 12, mass * (x + y) / 12)


def capsule_inertia(mass: float, radius: float, length: float) -> Vec3:
    """Principal inertia of a solid capsule along z [kg m^2], `length` [m] that of its straight part.

    A cylinder and two half balls of one density, which have their centres of mass 3/8 radius from their flat sides.
    """
    balls = mass * 4 * radius / (4 * radius + 3 * length)
    cylinder = mass - balls
    along = cylinder * radius**2 / 2 + 0.4 * balls * radius**2
    across = cylinder * (length**2 / 12 + radius**2 / 4)
    across += balls * (0.4 * radius**2 + length**2 / 4 + 3 / 8 * length * radius)
    return (across, across, along)
