"""Physical parameters to MuJoCo's; needs no MuJoCo. Sources: MuJoCo's XML reference and modelling chapter."""

from __future__ import annotations

from collections.abc import Mapping

from ...harness.contact_law import soft_law
from ...harness.engine import Soft, Value
from ...harness.errors import Unsupported
from ...harness.scene import Material
from ...harness.settings import Option

OPTIONS: Mapping[str, Option] = {
    "cone": Option(kind=str, unit="", text="friction cone, option/cone", choices=("pyramidal", "elliptic")),
    "integrator": Option(
        kind=str,
        unit="",
        text="option/integrator",
        choices=("Euler", "RK4", "implicit", "implicitfast"),
    ),
    "solver": Option(kind=str, unit="", text="option/solver", choices=("PGS", "CG", "Newton")),
    "iterations": Option(kind=int, unit="1", text="most solver iterations a step, option/iterations"),
    "ls_iterations": Option(kind=int, unit="1", text="most line-search iterations, option/ls_iterations"),
    "tolerance": Option(kind=float, unit="1", text="early termination of the solver, option/tolerance"),
    "impratio": Option(kind=float, unit="1", text="friction to normal impedance, option/impratio"),
    "noslip_iterations": Option(kind=int, unit="1", text="iterations of the no-slip solver, option/noslip_iterations"),
    "solref": Option(kind=tuple, unit="s, 1", length=2, text="time constant and damping ratio, geom/solref"),
    "solimp": Option(kind=tuple, unit="1", length=5, text="impedance d_min d_max width mid power, geom/solimp"),
    "joint_friction": Option(kind=bool, unit="", text="false leaves out the robot's dry friction, joint/frictionloss"),
    "condim": Option(kind=int, unit="1", text="contact dimensions, geom/condim", choices=(1, 3, 4, 6)),
}

_STUDY: Mapping[str, Value] = {
    "cone": "elliptic",  # the study's setting for every engine
    "iterations": 100,  # the study: at most 100 iterations
    "tolerance": 1e-12,  # the study: tight; 64-bit leaves room for this
    "solref": (0.01, 1.0),  # the study: 0.01 1 everywhere
    "solimp": (0.99, 0.999, 0.001, 0.5, 2.0),  # the study: MJCF engines
    "condim": 3,  # the study: torsional and rolling friction off
}
PROFILES: Mapping[str, Mapping[str, Value]] = {
    "default": {},
    "published": _STUDY,
    # What makes the other engines solve MuJoCo's problem, written out so that no default is left to chance.
    "matched": {
        **_STUDY,
        "impratio": 1.0,  # Genesis turns 1 into 100 with its elliptic cone unless told otherwise
        "integrator": "Euler",  # semi-implicit in velocity; Newton's importer would choose implicitfast
        "noslip_iterations": 0,  # Newton's importer drops it
        "joint_friction": False,  # PhysX has no joint friction in N m
    },
}


LEAST_FRICTION = 1e-5  # mjMINMU: a contact's coefficient is raised to this


def friction(material: Material) -> float | None:
    """geom/friction[0] [1]: MuJoCo's sliding coefficient is Coulomb's mu; a pair takes the larger (XML reference)."""
    return material.friction


def check(body: str, material: Material) -> None:
    """Raise Unsupported for what MuJoCo's contact cannot say."""
    if material.restitution:
        raise Unsupported(
            f"body {body!r} asks for restitution {material.restitution}: MuJoCo has no restitution coefficient, "
            "only a damping ratio (solref) that depends on mass and time step"
        )
    if material.stiffness is not None or material.damping is not None:
        raise Unsupported(
            f"body {body!r} asks for a contact stiffness in N/m: MuJoCo's law acts on accelerations, so the same "
            "number means another stiffness for every mass; set option.solref instead"
        )


def floored_time_constant(time_constant: float, dt: float) -> float:
    """Time constant in use [s]: raised to 2 dt (option flag refsafe, on by default)."""
    return max(time_constant, 2 * dt)


def contact_law(
    solref: tuple[float, float],
    solimp: tuple[float, ...],
    dt: float,
    cone: str,
    mu: float,
    impratio: float,
    refsafe: bool = True,
) -> Soft:
    """The scalar law of one contact from its mixed solref and solimp, the time constant floored as the engine does.

    The pyramidal cone's four edges (normal +- mu tangent) have R = 2 (mu^2 / impratio) R_normal each, with R_normal on
    A (1 + mu^2): together mu^2 (1 + mu^2) / (2 impratio) times the elliptic cone's R (mj_makeImpedance, measured).
    """
    floored = floored_time_constant(solref[0], dt) if solref[0] > 0 and refsafe else solref[0]
    regularizer = 1.0 if cone == "elliptic" else mu**2 * (1 + mu**2) / (2 * impratio)
    return soft_law((floored, solref[1]), solimp, regularizer)
