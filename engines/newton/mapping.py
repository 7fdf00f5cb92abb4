"""Physical parameters to the parameters of Newton's `SolverMuJoCo`; needs no Newton.

Sources: docstrings of `newton.ModelBuilder` and `newton.solvers.SolverMuJoCo` 1.8.0, MuJoCo's XML reference and
modelling chapter, and `mujoco_warp` 3.17.0 where it differs from them.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...harness.engine import Value
from ...harness.errors import Unsupported
from ...harness.mujoco_scene import INSTEAD as INSTEAD
from ...harness.scene import Material, Vec3
from ...harness.settings import Option

OPTIONS: Mapping[str, Option] = {
    "cone": Option(kind=str, unit="", text="friction cone, SolverMuJoCo(cone)", choices=("pyramidal", "elliptic")),
    "integrator": Option(
        kind=str,
        unit="",
        text="SolverMuJoCo(integrator); Newton's own default is implicitfast",
        choices=("Euler", "RK4", "implicit", "implicitfast"),
    ),
    "solver": Option(kind=str, unit="", text="SolverMuJoCo(solver)", choices=("CG", "Newton")),
    "iterations": Option(kind=int, unit="1", text="most solver iterations a step, SolverMuJoCo(iterations)"),
    "ls_iterations": Option(kind=int, unit="1", text="most line-search iterations, SolverMuJoCo(ls_iterations)"),
    "tolerance": Option(
        kind=float, unit="1", text="early termination, SolverMuJoCo(tolerance); MuJoCo Warp raises it to 1e-6"
    ),
    "impratio": Option(kind=float, unit="1", text="friction to normal impedance, SolverMuJoCo(impratio)"),
    "multi_contact": Option(
        kind=bool, unit="", text="several contacts per pair of convex shapes, SolverMuJoCo(enable_multiccd)"
    ),
    "nconmax": Option(kind=int, unit="1", text="capacity for contacts, SolverMuJoCo(nconmax)"),
    "njmax": Option(kind=int, unit="1", text="capacity for constraint rows, SolverMuJoCo(njmax)"),
    "gap": Option(kind=float, unit="m", text="detection distance without force, ModelBuilder.rigid_gap"),
    "solref": Option(kind=tuple, unit="s, 1", length=2, text="time constant and damping ratio, mujoco:solref"),
    "solimp": Option(kind=tuple, unit="1", length=5, text="impedance d_min d_max width mid power, mujoco:geom_solimp"),
    "condim": Option(kind=int, unit="1", text="contact dimensions, mujoco:condim", choices=(1, 3, 4, 6)),
    "pad_stiffness": Option(
        kind=float, unit="N/m", text="of shapes against soft bodies, shape_material_ke; an import makes it from solref"
    ),
    "pad_damping": Option(kind=float, unit="N s/m", text="likewise, shape_material_kd"),
    "soft_stiffness": Option(kind=float, unit="N/m", text="of soft bodies against shapes, Model.soft_contact_ke"),
    "soft_damping": Option(kind=float, unit="N s/m", text="likewise, Model.soft_contact_kd"),
    "soft_iterations": Option(kind=int, unit="1", text="iterations of a step of soft bodies, SolverVBD(iterations)"),
    "soft_passes": Option(
        kind=int, unit="1", text="passes between rigid and soft in a step, SolverCoupledProxy.Config(iterations)"
    ),
    "soft_friction_epsilon": Option(
        kind=float, unit="m/s", text="slip speed below which friction fades, SolverVBD(friction_epsilon)"
    ),
    "soft_method": Option(
        kind=str,
        unit="",
        text="soft bodies by SolverVBD behind SolverCoupledProxy (vbd, unless set), or by MuJoCo Warp's flex",
        choices=("vbd", "flex"),
    ),
    "soft_integrator": Option(
        kind=str,
        unit="",
        text="flex: option/integrator of a scene with soft bodies; discrete takes their elasticity implicitly",
        choices=("Euler", "discrete"),
    ),
    "soft_solver": Option(
        kind=str, unit="", text="flex: option/solver of a scene with soft bodies", choices=("CG", "Newton")
    ),
    "soft_impratio": Option(kind=float, unit="1", text="flex: option/impratio of a scene with soft bodies"),
    "soft_half_lambda": Option(
        kind=bool, unit="", text="flex: halves Lame's lambda of a soft body, which the flex uses twice (NOTES.md)"
    ),
    "joint_friction": Option(
        kind=bool, unit="", text="false leaves out the robot's dry friction, ModelBuilder.joint_friction"
    ),
}

_STUDY: Mapping[str, Value] = {
    "cone": "elliptic",  # the study's setting for every engine
    "iterations": 100,  # the study: at most 100 iterations
    "tolerance": 1e-12,  # the study: tight; MuJoCo Warp raises it to 1e-6, which the table shows
    "solref": (0.01, 1.0),  # the study: 0.01 1 everywhere
    "solimp": (0.99, 0.999, 0.001, 0.5, 2.0),  # the study: MJCF engines
    "condim": 3,  # the study: torsional and rolling friction off
    "pad_stiffness": 1e4,  # the study: as an import makes it of solref 0.01 1
    "pad_damping": 200.0,  # likewise
}
PROFILES: Mapping[str, Mapping[str, Value]] = {
    "default": {},
    "published": _STUDY,
    # What makes Newton solve MuJoCo's problem.
    "matched": {
        **_STUDY,
        "impratio": 1.0,  # MuJoCo's default, written out
        "integrator": "Euler",  # MuJoCo's default; Newton's is implicitfast
        "gap": 0.0,  # geom/gap is 0 in MuJoCo; Newton's rigid_gap is 0.1 m (no force, but more slots and time)
        "pad_stiffness": 1e4,  # physical: 0.04 mm under 0.2 N at one vertex; at 1e3 the ball sinks through the ground
        "pad_damping": 1.0,  # physical: what it makes in one step stays below a finger's momentum
        "soft_damping": 1.0,  # likewise
        "soft_friction_epsilon": 1e-3,  # friction nearer to Coulomb's; Newton's is 1e-2
        "multi_contact": True,  # MuJoCo's default; Newton switches it off
        "joint_friction": False,  # PhysX has no joint friction in N m
    },
}

OF_VBD = (
    "gap",
    "pad_stiffness",
    "pad_damping",
    "soft_stiffness",
    "soft_damping",
    "soft_iterations",
    "soft_passes",
    "soft_friction_epsilon",
)
# What the profiles set besides where an option has this value, as in MuJoCo's C engine.
PROFILES_WITH: Mapping[tuple[str, Value], Mapping[str, Mapping[str, Value]]] = {
    ("soft_method", "flex"): {
        "published": {**dict.fromkeys(OF_VBD), "soft_solver": "CG"},  # the study, for soft bodies
        "matched": {
            **dict.fromkeys(OF_VBD),
            "soft_solver": "Newton",  # CG is not done after 100 iterations in 32 bit, and an arm loses the ball
            "soft_integrator": "discrete",  # implicit elasticity, as in every other engine
            "soft_impratio": 10.0,  # friction nearer to Coulomb's: with 1 a held ball creeps
            "soft_half_lambda": True,  # Poisson's ratio as authored
        },
    }
}
OF_FLEX = ("soft_integrator", "soft_solver", "soft_impratio", "soft_half_lambda")


def friction(material: Material) -> float | None:
    """`ShapeConfig.mu` [1], Coulomb's mu: SolverMuJoCo copies it to geom_friction[0]; a pair takes the larger."""
    return material.friction


def check(body: str, material: Material) -> None:
    """Raise Unsupported for what SolverMuJoCo's contact cannot say."""
    if material.restitution:
        raise Unsupported(
            f"body {body!r} asks for restitution {material.restitution}: SolverMuJoCo ignores ShapeConfig.restitution; "
            "its contact has only a damping ratio (solref) that depends on mass and time step"
        )
    if material.stiffness is not None or material.damping is not None:
        raise Unsupported(
            f"body {body!r} asks for a contact stiffness in N/m: SolverMuJoCo turns ShapeConfig.ke and kd into a law "
            "on accelerations, so the same number means another stiffness for every mass; set option.solref instead"
        )


def check_options(options: Mapping[str, Value]) -> None:
    """Raise Unsupported for an option that belongs to the other method for soft bodies than the one asked for."""
    method = options.get("soft_method", "vbd")
    for name in OF_VBD if method == "flex" else OF_FLEX:
        if name in options:
            other = "vbd" if method == "flex" else "flex"
            raise Unsupported(
                f"option {name!r} belongs to soft_method={other}, and soft bodies are simulated by {method} here; "
                f"leave it out or ask for option.soft_method={other}"
            )


def shear_viscosity(damping: float, mu: float) -> float:
    """`k_damp` [Pa s] of Rayleigh's `damping` [s]: VBD's stress has k_damp dC/dt, and C = 1 + 2 E, so it takes mu.

    Only shear is damped as asked: VBD has no damping of its own for the change of volume.
    """
    return damping * mu


def inertia(moments: Vec3) -> Vec3:
    """Moments [kg m^2] that still satisfy a + b >= c after rounding to 32 bit.

    MuJoCo's compiler refuses others, and the moments of a flat plate (a + b = c) can round to the wrong side. The
    largest moment is lowered to a + b less 1e-6 of that where it is above it.
    """
    largest = max(range(3), key=lambda i: moments[i])
    bound = (sum(moments) - moments[largest]) * (1 - 1e-6)
    x, y, z = (min(moment, bound) if i == largest else moment for i, moment in enumerate(moments))
    return x, y, z


def rows_per_contact(cone: str, condim: int) -> int:
    """Constraint rows of one contact [1]: its dimensions, or the edges of a pyramid (modelling chapter, "Contact")."""
    return condim if cone == "elliptic" or condim == 1 else 2 * (condim - 1)
