"""Whether a link's inertia can belong to a real body, on the numbers that its description states.

MuJoCo's compiler can change such numbers without a word (balanceinertia, boundmass, boundinertia), and other importers
read the file in their own way: what no body can have is named before that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .scene import Array

ROUNDING = 1e-12  # relative: what 64 bit leaves; more than that already makes MuJoCo's compiler balance or refuse


def tensor(six: tuple[float, ...]) -> Array:
    """xx, yy, zz, xy, xz, yz as a symmetric 3 x 3 matrix."""
    xx, yy, zz, xy, xz, yz = six
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def pseudo_inertia(mass: float, com: Array, inertia: Array) -> Array:
    """The 4 x 4 integral of (p, 1)(p, 1)^T dm over a body; positive definite for every body that fills space.

    Its upper left is tr(I)/2 - I + m c c^T, with I about the centre of mass c (Wensing, Kim and Slotine, 2018).
    """
    second = np.trace(inertia) / 2 * np.eye(3) - inertia + mass * np.outer(com, com)
    first = mass * np.asarray(com)[:, None]
    return np.block([[second, first], [first.T, np.array([[mass]])]])


def is_real(inertia: Array, slack: float = 1e-9) -> bool:
    """Whether a rotational inertia about the centre of mass (3, 3) can belong to a real body of some mass.

    Its pseudo-inertia may not be negative, with `slack` relative to the sum of the two smaller moments, so that flat
    bodies pass; and the moments must be positive, which a point and a line do not have.
    """
    a, b, _ = np.linalg.eigvalsh(inertia)
    least = float(np.linalg.eigvalsh(pseudo_inertia(1.0, np.zeros(3), inertia)[:3, :3])[0])
    return bool(a > 0 and 2 * least >= -slack * (a + b))


@dataclass(frozen=True, slots=True)
class Impossible:
    """A link whose mass and inertia no real body can have; `text` says so with its numbers."""

    link: str
    text: str


def impossible(spec: Any) -> tuple[Impossible, ...]:
    """The links of an `MjSpec` that has been read and not compiled, included files and all, that cannot be real."""
    import mujoco

    if spec.compiler.inertiafromgeom == mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE:
        return ()  # what <inertial> says is not used
    found = []
    for body in spec.bodies[1:]:
        if body.explicitinertial:
            full = not np.isnan(body.fullinertia[0])
            inertia = tensor(tuple(body.fullinertia)) if full else np.diag(body.inertia)
            why = _why(float(body.mass), inertia)
            if why:
                found.append(Impossible(body.name, f"link {body.name!r} {why}"))
    return tuple(found)


def _why(mass: float, inertia: Array) -> str:
    """What is wrong with a mass and an inertia, "" where nothing is; neither mass nor inertia is no body at all."""
    moments = np.asarray(np.linalg.eigvalsh(inertia), float)
    a, b, c = moments
    if mass <= 0:
        return f"has no mass and principal moments of inertia {_numbers(moments)} kg m^2" if moments.any() else ""
    if is_real(inertia, ROUNDING):
        return ""
    said = f"of {mass:g} kg has principal moments of inertia {_numbers(moments)} kg m^2, which no real body can have: "
    return said + (f"{a:g} + {b:g} is less than {c:g}" if a > 0 else "each must be positive")


def _numbers(values: Array) -> str:
    return ", ".join(f"{value:g}" for value in values)


def as_compiled(found: tuple[Impossible, ...], model: Any) -> tuple[str, ...]:
    """A sentence for each impossible link, with what MuJoCo's compiler made of it in the `MjModel`."""
    sentences = []
    for one in found:
        body = model.body(one.link)
        made = f"{float(body.mass[0]):g} kg and {_numbers(np.sort(body.inertia))} kg m^2"
        sentences.append(f"{one.text}; MuJoCo's compiler takes {made}, and so does the reference")
    return tuple(sentences)
