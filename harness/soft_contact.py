"""What the engines of MuJoCo's family share: how surfaces mix, what is floored, and the law of one contact.

Sources: MuJoCo's documentation, chapter "Computation", and mj_contactParam and mj_makeImpedance as measured.
"""

from __future__ import annotations

from dataclasses import dataclass

from .contact_law import soft_law
from .engine import Soft
from .errors import Unsupported
from .scene import Material

LEAST_FRICTION = 1e-5  # mjMINMU: a contact's coefficient is raised to this


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """One geom's contact parameters: solref, solimp (5), sliding friction [1], priority and solmix [1]."""

    solref: tuple[float, float]
    solimp: tuple[float, ...]
    friction: float
    priority: int = 0
    solmix: float = 1.0


def mixed(a: Surface, b: Surface) -> Surface:
    """The parameters of a contact: those of the higher priority, else the larger friction and the mean by solmix.

    Direct stiffness and damping, negative solref, do not average: the smaller number counts.
    """
    if a.priority != b.priority:
        winner = a if a.priority > b.priority else b
        return Surface(solref=winner.solref, solimp=winner.solimp, friction=max(winner.friction, LEAST_FRICTION))
    total = a.solmix + b.solmix
    weight = a.solmix / total if total > 0 else 0.5

    def mean(x: float, y: float) -> float:
        return weight * x + (1 - weight) * y

    blend = mean if a.solref[0] > 0 and b.solref[0] > 0 else min
    return Surface(
        solref=(blend(a.solref[0], b.solref[0]), blend(a.solref[1], b.solref[1])),
        solimp=tuple(mean(x, y) for x, y in zip(a.solimp, b.solimp, strict=True)),
        friction=max(a.friction, b.friction, LEAST_FRICTION),
    )


def floored_time_constant(time_constant: float, dt: float) -> float:
    """Time constant in use [s]: raised to 2 dt (flag refsafe, on by default)."""
    return max(time_constant, 2 * dt)


def contact_law(contact: Surface, dt: float, cone: str, impratio: float, refsafe: bool = True) -> Soft:
    """The scalar law of one contact from its mixed parameters, the time constant floored as the engine does.

    The pyramidal cone's four edges (normal +- mu tangent) have R = 2 (mu^2 / impratio) R_normal each, with R_normal on
    A (1 + mu^2): together mu^2 (1 + mu^2) / (2 impratio) times the elliptic cone's R.
    """
    first, second = contact.solref
    floored = floored_time_constant(first, dt) if first > 0 and refsafe else first
    mu = contact.friction
    regularizer = 1.0 if cone == "elliptic" else mu**2 * (1 + mu**2) / (2 * impratio)
    return soft_law((floored, second), contact.solimp, regularizer)


def refuse_force_level(engine: str, body: str, material: Material) -> None:
    """Raise Unsupported for what a law on accelerations cannot say: restitution, and a stiffness in N/m."""
    if material.restitution:
        raise Unsupported(
            f"body {body!r} asks for restitution {material.restitution}: {engine} has no restitution coefficient, "
            "only a damping ratio (solref) that depends on mass and time step"
        )
    if material.stiffness is not None or material.damping is not None:
        raise Unsupported(
            f"body {body!r} asks for a contact stiffness in N/m: {engine}'s law acts on accelerations, so the same "
            "number means another stiffness for every mass; set option.solref instead"
        )
