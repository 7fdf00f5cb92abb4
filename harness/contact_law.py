"""Closed forms of a body that meets the ground flat, for the contact laws that engines report.

The soft law is that of MuJoCo's documentation (chapter "Computation", constraint model), written for one degree of
freedom: n equal contacts share the load, so the regularizer of the scalar law is R/n. Stepping it with the engine's own
dt predicts overlap and force to rounding error, which tells a reinterpreted parameter from a solver that has not
converged. A law on forces, f = (k x + d xdot)(1 + c xdot) per contact, is stepped implicitly, as its engine does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .engine import Compliant, Soft
from .scene import Array

MIN_IMPEDANCE, MAX_IMPEDANCE = 1e-4, 0.9999  # MuJoCo's mjMINIMP and mjMAXIMP: d_min and d_max are clipped to these


def soft_law(solref: tuple[float, float], impedance: tuple[float, ...], regularizer: float) -> Soft:
    """The scalar law of one contact in engines of MuJoCo's family (its modelling chapter, "Solver parameters").

    Args:
        solref: time constant tc [s], after flooring, and damping ratio zeta [1], with K = 1/(d_max tc zeta)^2 and
            B = 2/(d_max tc); or, when the first is negative, -K d_max^2 [1/s^2] and -B d_max [1/s].
        impedance: d_min, d_max, width, midpoint, power.
        regularizer: the friction cone's factor on R [1].
    """
    d_min, d_max = (min(max(d, MIN_IMPEDANCE), MAX_IMPEDANCE) for d in impedance[:2])
    first, second = solref
    if first > 0:
        K, B = 1 / (d_max * first * second) ** 2, 2 / (d_max * first)
    else:
        K, B = -first / d_max**2, -second / d_max
    width, middle, power = impedance[2:]
    return Soft(K=K, B=B, impedance=(d_min, d_max, width, middle, power), regularizer=regularizer)


@dataclass(frozen=True, slots=True)
class Landing:
    """Predicted overlap [m] at the end of every step and normal force [N] during it, shape (steps + 1,)."""

    overlap: Array
    force: Array


def impedance(law: Soft, r: float) -> float:
    """d(r) [1] at signed distance `r` [m], by the five impedance parameters."""
    d_min, d_max, width, middle, power = law.impedance
    x = min(abs(r) / width, 1.0) if width > 0 else 1.0
    if x <= middle:
        y = x**power / middle ** (power - 1) if middle > 0 else 0.0
    else:
        y = 1 - (1 - x) ** power / (1 - middle) ** (power - 1)
    return d_min + y * (d_max - d_min)


def normal_force(law: Soft, n: float, mass: float, gravity: float, r: float, v: float) -> float:
    """Force [N] on a body of `mass` [kg] at signed distance `r` [m], normal velocity `v` [m/s], v < 0 approaching."""
    d = impedance(law, r)
    a_ref = -law.B * v - law.K * d * r
    R = law.regularizer * (1 - d) / d / mass
    return max(0.0, (a_ref + gravity) / (1 / mass + R / n))


def velocity_after(
    law: Compliant, n: float, mass: float, gravity: float, dt: float, overlap: float, velocity: float
) -> float:
    """Upward velocity u [m/s] at the end of a step on n equal contacts that overlap at its beginning.

    Overlap and its rate are those of the step's end, x = overlap - dt u and xdot = -u, so that u is a root of
    m (u - v + g dt) = n dt (k overlap - (k dt + d) u)(1 - c u); the smaller one has a force that pushes.
    """
    free = velocity - gravity * dt
    A, B, c = law.stiffness * overlap, law.stiffness * dt + law.damping, law.dissipation
    if free * c >= 1 or free * B >= A:  # parts faster than the spring can follow
        return free
    a, p, q = n * dt * B * c, n * dt * (B + A * c) + mass, n * dt * A + mass * free
    return 2 * q / (p + math.sqrt(p * p - 4 * a * q))


def land(
    law: Soft | Compliant, contacts: Array, mass: float, gravity: float, dt: float, height: float, velocity: float
) -> Landing:
    """Step the scalar law, a soft one by semi-implicit Euler and a compliant one implicitly.

    Args:
        law: the contact law as read back from the run.
        contacts: number of contacts during each step, shape (steps,); 0 means that no contact acts.
        mass: [kg].
        gravity: downward acceleration [m/s^2].
        dt: [s].
        height: signed distance at the start [m], negative when overlapping.
        velocity: upward velocity at the start [m/s].
    """
    overlap, force = np.zeros(len(contacts) + 1), np.zeros(len(contacts) + 1)
    r, v = height, velocity
    overlap[0] = max(0.0, -r)
    for k, n in enumerate(contacts):
        touching = r < 0 and n > 0
        if not touching:
            f = 0.0
        elif isinstance(law, Compliant):
            f = mass * ((velocity_after(law, float(n), mass, gravity, dt, -r, v) - v) / dt + gravity)
        else:
            f = normal_force(law, float(n), mass, gravity, r, v)
        v += (f / mass - gravity) * dt
        r += v * dt
        overlap[k + 1], force[k + 1] = max(0.0, -r), f
    return Landing(overlap, force)


def rest_overlap(law: Soft | Compliant, n: float, mass: float, gravity: float) -> float:
    """Overlap [m] of a body at rest on n equal contacts.

    Compliant: m g/(n k). Soft: r K d(r) = (g/n) (1 - d)/d times the regularizer factor, whatever the mass.
    """
    if isinstance(law, Compliant):
        return mass * gravity / (n * law.stiffness)
    low, high = 0.0, 1.0
    for _ in range(200):  # the left side grows and the right side falls with the overlap: bisection
        r = (low + high) / 2
        d = impedance(law, r)
        too_deep = r * law.K * d > gravity * law.regularizer * (1 - d) / (d * n)
        low, high = (low, r) if too_deep else (r, high)
    return (low + high) / 2


def creep_speed(
    law: Soft, *, contacts: float, inverse_mass: float, press: float, load: float, softness: float
) -> float:
    """Steady slip speed [m/s] of a body that n equal contacts hold by friction, below the cone.

    In the constraint model (same chapter) a row obeys a + R f = a_ref. A friction row has no position term, so that
    a_ref = -B v, and in steady slip a = 0: v = R_t f_t / B with f_t = load / n. R_t = softness R_n, R_n = A (1 - d) / d
    with d at the overlap r at which the normal row is at rest, K d r = R_n f_n with f_n = press / n.

    Args:
        law: the contact law as read back; its regularizer is that of the normal direction.
        contacts: n [1].
        inverse_mass: A [1/kg], as the engine estimates it for a row: the sum over both bodies of their inverse inertia
            at the centre of mass, mean over three directions: 1/m for a free body, 1/(3 m) on a slide.
        press: sum of the normal forces [N].
        load: sum of the friction forces [N].
        softness: R_t / R_n [1]: 1/impratio for an elliptic cone. The four edges n +- mu t of a pyramid have
            R_e = 4 r R_n each, r the law's regularizer, and f_t = mu (f_+ - f_-) = -2 mu^2 B v / R_e while all of them
            press: 2 r / mu^2.
    """
    d = impedance(law, rest_overlap(law, contacts, 1 / inverse_mass, inverse_mass * press))
    return softness * inverse_mass * (1 - d) / d * load / contacts / law.B
