"""A rigid body that turns freely, stepped by the schemes that engines name, in the axes of the body.

Euler's equation I dw/dt = -w x I w (Landau and Lifshitz, Mechanics, section 36). Stepping it with an engine's own dt
predicts that engine's error, which tells the scheme that it uses from the one that it claims. Both schemes turn the
body by one rotation a step, exp(w dt): that is second order in the orientation, whatever the order in w (the next term
of the Magnus expansion is a commutator of w at two instants, which one rotation leaves out).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np

from .scene import Array, Vec3, rotation

_Q: TypeAlias = tuple[float, float, float, float]
_Step: TypeAlias = Callable[[Vec3, Vec3, float], tuple[Vec3, Vec3]]


def _rate(w: Vec3, inertia: Vec3) -> Vec3:
    """dw/dt [rad/s^2] in the axes of the body."""
    (x, y, z), (a, b, c) = w, inertia
    return ((b - c) * y * z / a, (c - a) * z * x / b, (a - b) * x * y / c)


def _along(w: Vec3, rate: Vec3, dt: float) -> Vec3:
    return (w[0] + rate[0] * dt, w[1] + rate[1] * dt, w[2] + rate[2] * dt)


def _euler(w: Vec3, inertia: Vec3, dt: float) -> tuple[Vec3, Vec3]:
    """Semi-implicit: the new w turns the body."""
    new = _along(w, _rate(w, inertia), dt)
    return new, new


def _rk4(w: Vec3, inertia: Vec3, dt: float) -> tuple[Vec3, Vec3]:
    """The classical Runge-Kutta weights, for w and for the mean w that turns the body."""
    w1 = w
    r1 = _rate(w1, inertia)
    w2 = _along(w, r1, dt / 2)
    r2 = _rate(w2, inertia)
    w3 = _along(w, r2, dt / 2)
    r3 = _rate(w3, inertia)
    w4 = _along(w, r3, dt)
    r4 = _rate(w4, inertia)
    return _along(w, _mean(r1, r2, r3, r4), dt), _mean(w1, w2, w3, w4)


def _mean(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> Vec3:
    x, y, z = ((p + 2 * q + 2 * r + s) / 6 for p, q, r, s in zip(a, b, c, d, strict=True))
    return (x, y, z)


SCHEMES: Mapping[str, _Step] = {"Euler": _euler, "RK4": _rk4}


def tumble(scheme: str, inertia: Vec3, w: Vec3, dt: float, steps: int) -> tuple[Array, Array]:
    """Angular velocity in the axes of the body [rad/s], (steps + 1, 3), and orientation, (steps + 1, 4), scalar first.

    Args:
        scheme: a name of SCHEMES.
        inertia: principal moments [kg m^2].
        w: angular velocity at the start, in the axes of the body [rad/s]; the orientation starts as the identity.
        dt: [s].
        steps: how many.
    """
    step, q = SCHEMES[scheme], (1.0, 0.0, 0.0, 0.0)
    rates, turns = [w], [q]
    for _ in range(steps):
        w, turning = step(w, inertia, dt)
        q = _turned(q, turning, dt)
        rates.append(w)
        turns.append(q)
    return np.array(rates), np.array(turns)


def _turned(q: _Q, w: Vec3, dt: float) -> _Q:
    """q times exp(w dt / 2), of unit length again."""
    size = math.sqrt(w[0] ** 2 + w[1] ** 2 + w[2] ** 2)
    half = size * dt / 2
    s = math.sin(half) / size if size > 0 else 0.0
    a, b, c, d = q
    e, f, g, h = math.cos(half), s * w[0], s * w[1], s * w[2]
    p = (
        a * e - b * f - c * g - d * h,
        a * f + b * e + c * h - d * g,
        a * g - b * h + c * e + d * f,
        a * h + b * g - c * f + d * e,
    )
    norm = math.sqrt(sum(x * x for x in p))
    return (p[0] / norm, p[1] / norm, p[2] / norm, p[3] / norm)


def momentum(inertia: Vec3, w: Array, q: Array) -> Array:
    """Angular momentum in W [N m s], (T, 3), from `tumble`'s result."""
    return np.asarray(np.einsum("tij,tj->ti", rotation(q), w * np.array(inertia)))
