"""Momentum and kinetic energy of bodies, from their trace. All vectors are in W."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .scene import Array, Body, rotation
from .trace import Trace


def com_velocity(trace: Trace, body: Body) -> Array:
    """Velocity of the centre of mass [m/s], shape (T, 3): v_WB + w_WB x (R_WB p_BBcm)."""
    v = trace.of("v_WB", body.name)
    if not any(body.com):
        return v
    arm = rotation(trace.of("q_WB", body.name)) @ np.array(body.com)
    return np.asarray(v + np.cross(trace.of("w_WB", body.name), arm))


def linear_momentum(trace: Trace, bodies: Sequence[Body]) -> Array:
    """Sum of m v over the bodies [N s], shape (T, 3)."""
    parts = [_mass(body) * com_velocity(trace, body) for body in bodies]
    return np.asarray(np.sum(parts, axis=0))


def spin(trace: Trace, body: Body) -> Array:
    """Angular velocity in the axes of B [rad/s], shape (T, 3): R_WB^T w_WB."""
    R = rotation(trace.of("q_WB", body.name))
    return np.asarray(np.einsum("tji,tj->ti", R, trace.of("w_WB", body.name)))


def angular_momentum(trace: Trace, body: Body) -> Array:
    """About the centre of mass [N m s], shape (T, 3): R_WB I_B R_WB^T w_WB."""
    R = rotation(trace.of("q_WB", body.name))
    return np.asarray(np.einsum("tij,tj->ti", R, spin(trace, body) * _inertia(body)))


def rotational_energy(trace: Trace, body: Body) -> Array:
    """Kinetic energy of the turning about the centre of mass [J], shape (T,)."""
    return np.asarray(spin(trace, body) ** 2 @ _inertia(body) / 2)


def kinetic_energy(trace: Trace, body: Body) -> Array:
    """All of the kinetic energy [J], shape (T,)."""
    v = com_velocity(trace, body)
    return np.asarray(_mass(body) / 2 * np.einsum("tk,tk->t", v, v) + rotational_energy(trace, body))


def _mass(body: Body) -> float:
    assert body.mass is not None, f"{body.name} is fixed to the world"
    return body.mass


def _inertia(body: Body) -> Array:
    assert body.inertia is not None, f"{body.name} is fixed to the world"
    return np.array(body.inertia)
