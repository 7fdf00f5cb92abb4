"""Physical parameters to PhysX's parameters; needs no SAPIEN.

Sources: the PhysX 5.3 guide (rigid bodies, materials, shapes), SAPIEN 3.0.3's `physx_default.h` for names and defaults,
and, where neither lets one read a rule, the measurement named in NOTES.md.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...harness.engine import ContactLaw, Impulse, Unknown, Value
from ...harness.errors import Unsupported, UsageError
from ...harness.scene import Material
from ...harness.settings import Option

OPTIONS: Mapping[str, Option] = {
    "solver": Option(
        kind=str, unit="", text="Gauss-Seidel, once per step or per substep, enable_tgs", choices=("TGS", "PGS")
    ),
    "iterations": Option(kind=int, unit="1", text="position iterations; TGS's substeps, solver_position_iterations"),
    "velocity_iterations": Option(kind=int, unit="1", text="velocity iterations, solver_velocity_iterations"),
    "contact_offset": Option(kind=float, unit="m", text="contacts exist below the sum of two of these, contact_offset"),
    "rest_offset": Option(kind=float, unit="m", text="shapes rest at the sum of two of these, rest_offset"),
    "sleep_threshold": Option(kind=float, unit="m^2/s^2", text="kinetic energy over mass, 0: never, sleep_threshold"),
    "bounce_threshold": Option(kind=float, unit="m/s", text="slowest approach that bounces, bounce_threshold"),
    "restitution": Option(kind=float, unit="1", text="of bodies whose material gives none, PhysxMaterial.restitution"),
    "max_depenetration_velocity": Option(kind=float, unit="m/s", text="cap on pushing overlap out, same name"),
    "max_angular_velocity": Option(kind=float, unit="rad/s", text="cap on every body's spin, same name"),
    "linear_damping": Option(kind=float, unit="1/s", text="decay of v, linear_damping"),
    "angular_damping": Option(kind=float, unit="1/s", text="decay of w, angular_damping"),
    "enable_pcm": Option(kind=bool, unit="", text="persistent contact manifolds, enable_pcm"),
    "enable_ccd": Option(kind=bool, unit="", text="continuous collision detection, enable_ccd"),
    "enable_friction_every_iteration": Option(kind=bool, unit="", text="friction in every iteration, same name"),
    "enable_enhanced_determinism": Option(kind=bool, unit="", text="islands do not affect each other, same name"),
}

# Where an option lives: process-wide configurations that SAPIEN copies when it makes a system, body or shape, and
# attributes of a body. "solver" and "restitution" are translated below.
SWITCHES = tuple(name for name in OPTIONS if name.startswith("enable_"))
IN_SCENE_CONFIG = (*SWITCHES, "bounce_threshold")
IN_BODY_CONFIG: Mapping[str, str] = {
    "iterations": "solver_position_iterations",
    "velocity_iterations": "solver_velocity_iterations",
    "sleep_threshold": "sleep_threshold",
}
IN_SHAPE_CONFIG = ("contact_offset", "rest_offset")
ON_BODY = ("max_depenetration_velocity", "max_angular_velocity", "linear_damping", "angular_damping")

_STUDY: Mapping[str, Value] = {
    "solver": "TGS",  # the study
    "iterations": 100,  # the study: 100 position iterations
    "contact_offset": 1e-3,  # the study: 1 mm per body
    "restitution": 0.0,  # the study; SAPIEN's default material has 0.1
    "sleep_threshold": 0.0,  # DESIGN.md section 3: only `default` lets bodies sleep
}
PROFILES: Mapping[str, Mapping[str, Value]] = {
    "default": {},
    "published": _STUDY,
    # What makes PhysX solve the other engines' problem, written out so that no default is left to chance.
    "matched": {
        **_STUDY,
        "velocity_iterations": 1,  # SAPIEN's default
        "rest_offset": 0.0,  # bodies rest where they touch, as everywhere else
        "linear_damping": 0.0,  # no other engine damps a free body
        "angular_damping": 0.0,  # SAPIEN's default is 0.05 1/s
        "max_angular_velocity": 1e4,  # SAPIEN's default of 100 rad/s clips a fast tumble; no other engine has a cap
        "enable_friction_every_iteration": True,  # SAPIEN's default; without it some iterations skip friction
        "enable_pcm": True,  # SAPIEN's default
        "enable_ccd": False,  # SAPIEN's default; no other engine has it here
    },
}

# PhysX's plane points along x of its frame, its capsule lies along x, and SAPIEN's cylinder follows them; ours have z.
# This quaternion (scalar first, a quarter turn about -y) turns x onto z; shape.local_pose = pose * this.
Q_X_ONTO_Z = (0.5**0.5, 0.0, -(0.5**0.5), 0.0)

PAIRS_OFF_AT_MOST = 32  # one bit each in the third word of collision_groups
MOST_ITERATIONS = 255  # PhysX keeps each count in 8 bits and wraps: 300 becomes 44, 256 becomes 0 and the state NaN
CONTACT_OFFSET, REST_OFFSET = 0.01, 0.0  # [m] SAPIEN's defaults, physx_default.h


def friction(material: Material) -> float | None:
    """static_friction and dynamic_friction [1]: Coulomb's mu, the same for both (PhysX guide, materials)."""
    return material.friction


def restitution(material: Material, options: Mapping[str, Value]) -> float | None:
    """PhysxMaterial.restitution [1]: the body's own, else the option; None leaves SAPIEN's default of 0.1."""
    if material.restitution is not None:
        return material.restitution
    value = options.get("restitution")
    return float(value) if isinstance(value, (int, float)) else None


def check(body: str, material: Material) -> None:
    """Raise Unsupported or UsageError for what PhysX's contact cannot say through SAPIEN."""
    if material.stiffness is not None or material.damping is not None:
        raise Unsupported(
            f"body {body!r} asks for a contact stiffness or damping: PhysX's contacts are rigid unless a material is "
            "compliant, and SAPIEN has no access to that (a negative restitution acts as a spring, without damping)"
        )
    _in_range(f"restitution of body {body!r}", material.restitution, 0.0, 1.0)


def check_options(options: Mapping[str, Value]) -> None:
    """Raise UsageError for values that PhysX takes without a word and turns into something else."""
    _in_range("option 'iterations' of engine 'physx'", options.get("iterations"), 1, MOST_ITERATIONS)
    _in_range("option 'velocity_iterations' of engine 'physx'", options.get("velocity_iterations"), 0, MOST_ITERATIONS)
    _in_range("option 'restitution' of engine 'physx'", options.get("restitution"), 0.0, 1.0)
    for name in (*ON_BODY, "sleep_threshold", "bounce_threshold"):
        _in_range(f"option {name!r} of engine 'physx'", options.get(name), 0.0, float("inf"))
    contact, rest = options.get("contact_offset", CONTACT_OFFSET), options.get("rest_offset", REST_OFFSET)
    if not (isinstance(contact, float) and isinstance(rest, float) and contact > max(0.0, rest)):
        raise UsageError(
            f"contact_offset is {contact} m and rest_offset {rest} m; PhysX needs a contact_offset above both 0 and "
            "rest_offset, or bodies sink into each other before a contact exists"
        )


def _in_range(what: str, value: Value, low: float, high: float) -> None:
    if isinstance(value, (int, float)) and not low <= value <= high:
        raise UsageError(f"{what} is {value}; give a number from {low:g} to {high:g}")


def combined(a: float, b: float) -> float:
    """Friction or restitution of a pair [1]: the average, PhysX's default combine mode (measured, see NOTES.md)."""
    return (a + b) / 2


def contact_law(restitutions: list[float], bounce_threshold: float) -> ContactLaw:
    """The law of all pairs, of which `restitutions` are the combined coefficients [1]; threshold in m/s."""
    if restitutions and all(e == restitutions[0] for e in restitutions):
        return Impulse(restitution=restitutions[0], bounce_threshold=bounce_threshold)
    return Unknown(reason="the pairs of this scene differ" if restitutions else "this scene has no pair that can touch")


def velocity_kept(damping: float, dt: float) -> float:
    """Share of a velocity [1] that damping c [1/s] leaves after a step, 1 - c dt, never below 0.

    PhysX damps after it has added gravity and commanded forces and before it solves the contacts: v becomes
    (v + (g + f/m) dt)(1 - c dt). (PhysX guide, rigid body dynamics; order measured, see NOTES.md.)
    """
    return max(0.0, 1.0 - damping * dt)
