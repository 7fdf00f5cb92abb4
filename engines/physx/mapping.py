"""Physical parameters to PhysX's parameters; needs no SAPIEN.

Sources: the PhysX 5.3 guide (rigid bodies, materials, shapes), SAPIEN 3.0.3's `physx_default.h` for names and defaults,
and, where neither lets one read a rule, the measurement named in NOTES.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from ...harness.engine import ContactLaw, Impulse, Unknown, Value
from ...harness.errors import Unsupported, UsageError
from ...harness.scene import Material, Vec3
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
    "robot_iterations": Option(
        kind=int, unit="1", text="instead of iterations where a contact-free robot moves alone, same native name"
    ),
    "importer": Option(
        kind=str,
        unit="",
        text="who reads a robot: built from the source model, or SAPIEN's URDFLoader",
        choices=("source", "urdf_loader"),
    ),
    "joint_friction": Option(kind=bool, unit="", text="false leaves out the robot's dry friction; PhysX knows none"),
    "joint_load_friction": Option(kind=float, unit="1", text="resistance per load of a joint, no torque; friction"),
    "joint_max_velocity": Option(kind=float, unit="rad/s", text="cap on every joint's velocity, max_velocity"),
    "link_linear_damping": Option(kind=float, unit="1/s", text="decay of v of a robot's links, linear_damping"),
    "link_angular_damping": Option(kind=float, unit="1/s", text="decay of w of a robot's links, angular_damping"),
    "link_max_linear_velocity": Option(kind=float, unit="m/s", text="cap on every link's speed, max_linear_velocity"),
    "link_max_angular_velocity": Option(kind=float, unit="rad/s", text="cap on a link's spin, max_angular_velocity"),
}

# Where an option lives: process-wide configurations that SAPIEN copies when it makes a system, body or shape, and
# attributes of a body, a robot's link or its joint. "solver", "restitution" and what the robot takes as a whole are
# translated below.
SWITCHES = tuple(name for name in OPTIONS if name.startswith("enable_"))
IN_SCENE_CONFIG = (*SWITCHES, "bounce_threshold")
IN_BODY_CONFIG: Mapping[str, str] = {
    "iterations": "solver_position_iterations",
    "velocity_iterations": "solver_velocity_iterations",
    "sleep_threshold": "sleep_threshold",
}
IN_SHAPE_CONFIG = ("contact_offset", "rest_offset")
ON_BODY = ("max_depenetration_velocity", "max_angular_velocity", "linear_damping", "angular_damping")
ON_LINK: Mapping[str, str] = {
    "link_linear_damping": "linear_damping",
    "link_angular_damping": "angular_damping",
    "link_max_linear_velocity": "max_linear_velocity",
    "link_max_angular_velocity": "max_angular_velocity",
}
ON_JOINT: Mapping[str, str] = {"joint_load_friction": "friction", "joint_max_velocity": "max_velocity"}

_STUDY: Mapping[str, Value] = {
    "solver": "TGS",  # the study
    "iterations": 100,  # the study: 100 position iterations
    "contact_offset": 1e-3,  # the study: 1 mm per body
    "restitution": 0.0,  # the study; SAPIEN's default material has 0.1
    "sleep_threshold": 0.0,  # DESIGN.md section 3: only `default` lets bodies sleep
    "joint_friction": False,  # PhysX has no joint friction in N m
    "joint_load_friction": 0.0,  # SAPIEN's default of 0.05 is in no description
    "joint_max_velocity": 1e4,  # SAPIEN's default of 100 rad/s; no other engine has a cap
    "link_linear_damping": 0.0,  # SAPIEN's default is 0.05 1/s; no other engine damps links
    "link_angular_damping": 0.0,  # as above
    "link_max_linear_velocity": 1e16,  # SAPIEN's default is 10 m/s; 1e16 is that of a free body
    "link_max_angular_velocity": 1e4,  # SAPIEN's default is 50 rad/s
}
PROFILES: Mapping[str, Mapping[str, Value]] = {
    "default": {},
    "published": _STUDY,
    # What makes PhysX solve the other engines' problem, written out so that no default is left to chance.
    "matched": {
        **_STUDY,
        "robot_iterations": 1,  # one substep as elsewhere; in 32 bit more of them add rounding, see NOTES.md
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

NO_DRY_FRICTION = "a joint's friction is a factor on its load in PhysX, not a torque, and stays 0 or SAPIEN's default"
PAIRS_OFF_AT_MOST = 32  # one bit each in the third word of collision_groups
# First two words of collision_groups, SAPIEN's contact type and affinity: two shapes meet where a bit of one's type is
# in the other's affinity. So bodies meet bodies and robots, and robots meet bodies only.
BODY_GROUPS, ROBOT_GROUPS = (1, 3, 0, 0), (2, 0, 0, 0)
MOST_ITERATIONS = 255  # PhysX keeps each count in 8 bits and wraps: 300 becomes 44, 256 becomes 0 and the state NaN
CONTACT_OFFSET, REST_OFFSET = 0.01, 0.0  # [m] SAPIEN's defaults, physx_default.h


def q_x_onto(axis: Vec3) -> tuple[float, float, float, float]:
    """A quaternion (scalar first) that turns x onto the unit vector `axis`: a joint of PhysX acts along x."""
    x, y, z = axis
    if 1.0 + x < 1e-12:
        return (0.0, 0.0, 0.0, 1.0)
    norm = math.sqrt(2.0 * (1.0 + x))
    return ((1.0 + x) / norm, 0.0, -z / norm, y / norm)


def iterations_option(alone: bool, options: Mapping[str, Value]) -> str:
    """Name of the option that a robot's position iterations follow.

    With anything to touch or anything else that moves it is that of the bodies: PhysX makes all of a scene's substeps
    with the largest count (measured, see NOTES.md).
    """
    return "robot_iterations" if alone and "robot_iterations" in options else "iterations"


def check_joint_friction(robot: str, frictions: Mapping[str, float], options: Mapping[str, Value]) -> None:
    """Raise Unsupported where the dry friction [N m] of a robot's joints was asked for in so many words."""
    rubbing = [name for name, friction in frictions.items() if friction]
    if options.get("joint_friction") is True and rubbing:
        joints = ", ".join(rubbing)
        raise Unsupported(
            f"robot {robot!r} has dry friction on {joints}: {NO_DRY_FRICTION}; set option.joint_friction=false"
        )


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
    _in_range("option 'robot_iterations' of engine 'physx'", options.get("robot_iterations"), 1, MOST_ITERATIONS)
    _in_range("option 'velocity_iterations' of engine 'physx'", options.get("velocity_iterations"), 0, MOST_ITERATIONS)
    _in_range("option 'restitution' of engine 'physx'", options.get("restitution"), 0.0, 1.0)
    for name in (*ON_BODY, *ON_LINK, *ON_JOINT, "sleep_threshold", "bounce_threshold"):
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


def contact_law(restitutions: list[float], bounce_threshold: float, tgs: bool = True) -> ContactLaw:
    """The law of all pairs, of which `restitutions` are the combined coefficients [1]; threshold in m/s.

    PGS stops an approach over several steps (191 N instead of 253 N in the first one of the drop), so no law is stated.
    """
    if not tgs:
        return Unknown(reason="PGS spreads an impact over several steps, by a rule of its own")
    if restitutions and all(e == restitutions[0] for e in restitutions):
        return Impulse(restitution=restitutions[0], bounce_threshold=bounce_threshold)
    return Unknown(reason="the pairs of this scene differ" if restitutions else "this scene has no pair that can touch")


def velocity_kept(damping: float, dt: float) -> float:
    """Share of a velocity [1] that damping c [1/s] leaves after a step, 1 - c dt, never below 0.

    PhysX damps after it has added gravity and commanded forces and before it solves the contacts: v becomes
    (v + (g + f/m) dt)(1 - c dt). (PhysX guide, rigid body dynamics; order measured, see NOTES.md.)
    """
    return max(0.0, 1.0 - damping * dt)
