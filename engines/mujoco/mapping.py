"""Physical parameters to MuJoCo's; needs no MuJoCo. Sources: MuJoCo's XML reference and modelling chapter."""

from __future__ import annotations

from collections.abc import Mapping

from ...harness.engine import Value
from ...harness.errors import Unsupported
from ...harness.mujoco_scene import INSTEAD as INSTEAD
from ...harness.scene import Material
from ...harness.settings import Option
from ...harness.soft_contact import refuse_force_level

OPTIONS: Mapping[str, Option] = {
    "cone": Option(kind=str, unit="", text="friction cone, option/cone", choices=("pyramidal", "elliptic")),
    "integrator": Option(
        kind=str,
        unit="",
        text="option/integrator",
        choices=("Euler", "RK4", "implicit", "implicitfast", "discrete"),
    ),
    "solver": Option(kind=str, unit="", text="option/solver", choices=("PGS", "CG", "Newton")),
    "soft_solver": Option(
        kind=str, unit="", text="option/solver of a scene with soft bodies", choices=("PGS", "CG", "Newton")
    ),
    "soft_integrator": Option(
        kind=str,
        unit="",
        text="option/integrator of a scene with soft bodies; discrete takes their elasticity implicitly",
        choices=("Euler", "RK4", "discrete"),
    ),
    "soft_impratio": Option(kind=float, unit="1", text="option/impratio of a scene with soft bodies"),
    "soft_half_lambda": Option(
        kind=bool, unit="", text="halves Lame's lambda of a soft body, which MuJoCo's flex uses twice (NOTES.md)"
    ),
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
    "soft_solver": "CG",  # the study, for soft bodies; its elliptic cone and dt of 50 us belong to it
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
        "soft_half_lambda": True,  # Poisson's ratio as authored
        "soft_integrator": "discrete",  # implicit elasticity, as in every other engine
        "soft_impratio": 10.0,  # friction nearer to Coulomb's: with 1 a held ball creeps (NOTES.md)
        "joint_friction": False,  # PhysX has no joint friction in N m
    },
}


def friction(material: Material) -> float | None:
    """geom/friction[0] [1]: MuJoCo's sliding coefficient is Coulomb's mu; a pair takes the larger (XML reference)."""
    return material.friction


def check_soft_integrator(options: Mapping[str, Value]) -> None:
    """Raise Unsupported for integrators that MuJoCo refuses with a soft body."""
    integrator = options.get("soft_integrator", options.get("integrator"))
    if integrator in ("implicit", "implicitfast"):
        raise Unsupported(
            f"MuJoCo takes no elasticity of soft bodies with integrator {integrator}; "
            "set option.integrator to discrete, Euler or RK4"
        )


def check(body: str, material: Material) -> None:
    """Raise Unsupported for what MuJoCo's contact cannot say."""
    refuse_force_level("MuJoCo", body, material)
