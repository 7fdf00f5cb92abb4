"""Physical parameters to Genesis's parameters; needs no Genesis. Sources: docstrings and kernels of Genesis 1.4.5."""

from __future__ import annotations

from collections.abc import Mapping

from ...harness.contact_law import soft_law
from ...harness.engine import Soft, Value
from ...harness.errors import Unsupported
from ...harness.scene import Material
from ...harness.settings import Option
from ...harness.soft_contact import refuse_force_level

OPTIONS: Mapping[str, Option] = {
    "cone": Option(
        kind=str, unit="", text="friction cone, RigidOptions.friction_cone", choices=("pyramidal", "elliptic")
    ),
    "contact_resolution": Option(
        kind=str,
        unit="",
        text="how normal and friction force depend on each other, RigidOptions.contact_resolution",
        choices=("convex", "signorini"),
    ),
    "integrator": Option(
        kind=str,
        unit="",
        text="RigidOptions.integrator",
        choices=("Euler", "implicitfast", "approximate_implicitfast"),
    ),
    "solver": Option(kind=str, unit="", text="RigidOptions.constraint_solver", choices=("CG", "Newton")),
    "iterations": Option(kind=int, unit="1", text="most solver iterations a step, RigidOptions.iterations"),
    "tolerance": Option(kind=float, unit="1", text="early termination of the solver, RigidOptions.tolerance"),
    "ls_iterations": Option(kind=int, unit="1", text="most line-search iterations, RigidOptions.ls_iterations"),
    "ls_tolerance": Option(kind=float, unit="1", text="tolerance of the line search, RigidOptions.ls_tolerance"),
    "impratio": Option(kind=float, unit="1", text="friction to normal impedance, RigidOptions.impratio"),
    "noslip_iterations": Option(
        kind=int, unit="1", text="iterations of the no-slip solver, RigidOptions.noslip_iterations"
    ),
    "multi_contact": Option(
        kind=bool, unit="", text="several points per convex pair, RigidOptions.enable_multi_contact"
    ),
    "contact_pruning_tolerance": Option(
        kind=float,
        unit="1",
        text="drops contacts inside the hull of a patch, RigidOptions.contact_pruning_tolerance; 0 keeps them all",
    ),
    "max_collision_pairs": Option(
        kind=int, unit="1", text="sizes the contact buffers, RigidOptions.max_collision_pairs"
    ),
    "max_contacts": Option(kind=int, unit="1", text="contacts that are resolved at most, RigidOptions.max_contacts"),
    "constraint_timeconst": Option(
        kind=float,
        unit="s",
        text="time constant of geoms and joint limits that have none of their own, RigidOptions.constraint_timeconst",
    ),
    "joint_friction": Option(
        kind=bool, unit="", text="false leaves out the robot's dry friction, set_dofs_frictionloss"
    ),
    "default_armature": Option(
        kind=float,
        unit="kg m^2 | kg",
        text="armature of the robot's joints whose description gives none, morph default_armature; 0 adds nothing",
    ),
    "merge_fixed_links": Option(
        kind=bool, unit="", text="merges a URDF's fixed links into their parents, morph merge_fixed_links"
    ),
    "soft_iterations": Option(
        kind=int, unit="1", text="iterations that couple soft and rigid, SAPCouplerOptions.n_sap_iterations"
    ),
    "soft_pcg_iterations": Option(
        kind=int, unit="1", text="linear iterations in each of them, SAPCouplerOptions.n_pcg_iterations"
    ),
    "soft_tolerance": Option(kind=float, unit="1", text="convergence, SAPCouplerOptions.sap_convergence_rtol"),
    "soft_absolute_tolerance": Option(kind=float, unit="J", text="likewise, SAPCouplerOptions.sap_convergence_atol"),
    "soft_pcg_threshold": Option(
        kind=float,
        unit="N^2 s^2",
        text="squared residual that ends the linear iterations, SAPCouplerOptions.pcg_threshold",
    ),
    "soft_fem_pcg_threshold": Option(
        kind=float,
        unit="N^2",
        text="squared residual that ends those of the free motion of soft bodies, FEMOptions.pcg_threshold",
    ),
    "soft_same_friction": Option(
        kind=bool, unit="", text="gives the coupler the robot's friction, Rigid.coup_friction; else it keeps 0.1"
    ),
    "soft_mass_damping": Option(
        kind=float, unit="1/s", text="damping of soft bodies against the world, FEMOptions.damping_alpha"
    ),
    "solref": Option(kind=tuple, unit="s, 1", length=2, text="time constant and damping ratio, geom/solref"),
    "solimp": Option(kind=tuple, unit="1", length=5, text="impedance d_min d_max width mid power, geom/solimp"),
}

# A robot is the one that its file describes, without what Genesis's importers add or take away.
_AS_DESCRIBED: Mapping[str, Value] = {
    "default_armature": 0.0,  # Genesis: 0.1 kg m^2 | kg on every joint without armature
    "merge_fixed_links": False,  # Genesis merges the fixed links of a URDF, a flange too
}
_STUDY: Mapping[str, Value] = {
    "cone": "elliptic",  # the study: requested of every engine; here it brings signorini and impratio 100 with it
    "iterations": 100,  # the study: at most 100 iterations
    "tolerance": 1e-12,  # the study: tight; 64-bit leaves room for this
    "soft_iterations": 5,  # the study; Genesis's own default
    "soft_tolerance": 1e-10,  # the study
    "solref": (0.01, 1.0),  # the study: 0.01 1 everywhere; solimp stays Genesis's own 0.9 0.95 on box and plane
}
PROFILES: Mapping[str, Mapping[str, Value]] = {
    "default": {},
    "published": {**_STUDY, **_AS_DESCRIBED},
    # What makes Genesis solve MuJoCo's published problem (engines/mujoco/mapping.py).
    "matched": {
        **_STUDY,
        **_AS_DESCRIBED,
        "contact_resolution": "convex",  # MuJoCo's one law; the elliptic cone would bring signorini
        "impratio": 1.0,  # MuJoCo's default; the elliptic cone would bring 100
        "solimp": (0.99, 0.999, 0.001, 0.5, 2.0),  # the study: MJCF engines
        "integrator": "Euler",  # as MuJoCo; Genesis would choose approximate_implicitfast
        "noslip_iterations": 0,  # as MuJoCo
        "contact_pruning_tolerance": 0.0,  # MuJoCo keeps every contact
        "soft_iterations": 50,  # after 5 the coupler counts a third more force than a plate feels (NOTES.md)
        "soft_absolute_tolerance": 1e-12,  # Genesis's 1e-6 J are 1 % of a force of 50 mN
        "soft_pcg_threshold": 1e-16,  # Genesis's 1e-6 is a momentum of 1 mN s, 0.5 N in a step of 2 ms (NOTES.md)
        "soft_fem_pcg_threshold": 1e-16,  # Genesis's 1e-6 is a force of 1 mN
        "soft_same_friction": True,  # the friction that was asked for, not 0.1
        "soft_mass_damping": 0.0,  # a force against the world that no other engine has; Genesis's is 0.5 1/s
        "constraint_timeconst": 0.02,  # MuJoCo's default of joint limits; Genesis's is 0.01
        "joint_friction": False,  # PhysX has no joint friction in N m
    },
}

# Options of scenes with soft bodies -> keyword of SAPCouplerOptions and of FEMOptions.
SAP_OPTIONS: Mapping[str, str] = {
    "soft_iterations": "n_sap_iterations",
    "soft_pcg_iterations": "n_pcg_iterations",
    "soft_tolerance": "sap_convergence_rtol",
    "soft_absolute_tolerance": "sap_convergence_atol",
    "soft_pcg_threshold": "pcg_threshold",
}
FEM_OPTIONS: Mapping[str, str] = {"soft_mass_damping": "damping_alpha", "soft_fem_pcg_threshold": "pcg_threshold"}

LOWEST_FRICTION = 0.01  # func_set_contact: max(friction_a, friction_b, 1e-2)
SAFETY_FACTOR = 2.0  # TIME_CONSTANT_SAFETY_FACTOR in rigid_solver.py: a time constant is at least 2 substeps


def rigid_options(options: Mapping[str, Value]) -> dict[str, Value]:
    """Keywords of RigidOptions whose values are plain, under Genesis's names; enums are left to `ENUMS`."""
    plain = (
        "iterations",
        "tolerance",
        "ls_iterations",
        "ls_tolerance",
        "impratio",
        "noslip_iterations",
        "multi_contact",
        "contact_pruning_tolerance",
        "max_collision_pairs",
        "max_contacts",
        "constraint_timeconst",
    )
    renamed = {"multi_contact": "enable_multi_contact"}
    keywords = {renamed.get(name, name): options[name] for name in plain if name in options}
    if keywords.get("contact_pruning_tolerance") == 0.0:
        keywords["contact_pruning_tolerance"] = None  # Genesis's word for: keep every contact
    return keywords


# Our option -> (keyword of RigidOptions, name of the enum in the module `genesis`); members carry our choices' names.
ENUMS: Mapping[str, tuple[str, str]] = {
    "cone": ("friction_cone", "friction_cone"),
    "contact_resolution": ("contact_resolution", "contact_resolution"),
    "integrator": ("integrator", "integrator"),
    "solver": ("constraint_solver", "constraint_solver"),
}


def check_options(options: Mapping[str, Value]) -> None:
    """Raise Unsupported for combinations that Genesis refuses (RigidOptions.model_post_init, RigidSolver.__init__)."""
    elliptic = options.get("cone") == "elliptic"
    noslip = options.get("noslip_iterations", 0)
    if elliptic and isinstance(noslip, int) and noslip > 0:
        raise Unsupported("Genesis has no no-slip solver for the elliptic cone; set option.noslip_iterations=0")
    if options.get("contact_resolution") == "signorini" and not (elliptic and options.get("solver") != "CG"):
        raise Unsupported(
            "Genesis resolves contacts by signorini only with option.cone=elliptic and option.solver=Newton"
        )
    solref = options.get("solref")
    if isinstance(solref, tuple) and not (float(solref[0]) > 0 and float(solref[1]) > 0):
        raise Unsupported(
            f"Genesis replaces solref {solref} by its default, because it takes a positive time constant and damping "
            "ratio only; give option.solref two positive numbers"
        )


def friction(material: Material) -> float | None:
    """geom friction [1]: Coulomb's mu; a pair takes the larger, and at least 0.01 (func_set_contact)."""
    return material.friction


def pair_friction(a: float, b: float) -> float:
    """Friction coefficient of a pair [1] (func_set_contact in collider/contact.py)."""
    return max(a, b, LOWEST_FRICTION)


def check(body: str, material: Material) -> None:
    """Raise Unsupported for what Genesis's contact cannot say."""
    refuse_force_level("Genesis", body, material)
    if material.friction is not None and material.friction < LOWEST_FRICTION:
        raise Unsupported(
            f"body {body!r} asks for friction {material.friction}: Genesis raises every contact's coefficient to "
            f"{LOWEST_FRICTION}"
        )


def floored_time_constant(time_constant: float, substep: float) -> float:
    """Time constant in use [s]: raised to 2 substeps when a contact is made (func_set_contact)."""
    return max(time_constant, SAFETY_FACTOR * substep)


def mixed(a: tuple[float, ...], b: tuple[float, ...]) -> tuple[float, ...]:
    """solref and solimp (7 numbers) of a contact: the plain mean of its geoms' (func_set_contact)."""
    return tuple((x + y) / 2 for x, y in zip(a, b, strict=True))


def contact_law(sol_params: tuple[float, ...], substep: float, cone: str, mu: float, impratio: float) -> Soft:
    """The scalar law of one contact from its mixed parameters (imp_aref in utils/geom.py).

    `sol_params` is (tc [s], zeta [1], d_min, d_max, width [m], mid, power), tc raised to 2 substeps.
    The pyramidal cone's factor on R is m (1 + m) / 2 with m = mu^2 / impratio (its rows in constraint/solver.py);
    MuJoCo's is mu^2 (1 + mu^2) / (2 impratio), which differs unless impratio is 1.
    """
    time_constant, ratio, *impedance = sol_params
    floored = floored_time_constant(time_constant, substep)
    m = mu**2 / impratio
    return soft_law((floored, ratio), tuple(impedance), 1.0 if cone == "elliptic" else m * (1 + m) / 2)
