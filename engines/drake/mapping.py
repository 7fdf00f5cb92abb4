"""Physical parameters to Drake's; needs no Drake.

Sources: Drake 1.51's documentation of `MultibodyPlantConfig`, `DefaultProximityProperties`, the chapters "Compliant
Contact Forces" and "Hydroelastic Contact", and Castro, Han, Masterjohn, "Irrotational Contact Fields" (2023).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ...harness.engine import Compliant, ContactLaw, Unknown, Value
from ...harness.errors import Unsupported, UsageError
from ...harness.scene import Capsule, Cylinder, Material, Shape, Sphere
from ...harness.settings import Option

OPTIONS: Mapping[str, Option] = {
    "discrete_contact_approximation": Option(
        kind=str,
        unit="",
        text="how a step approximates contact, same native name",
        choices=("lagged", "similar", "sap", "tamsi"),
    ),
    "contact_model": Option(
        kind=str,
        unit="",
        text="contact of two shapes, same native name",
        choices=("point", "hydroelastic", "hydroelastic_with_fallback"),
    ),
    "contact_surface_representation": Option(
        kind=str,
        unit="",
        text="cells of a hydroelastic contact patch, same native name",
        choices=("triangle", "polygon"),
    ),
    "face_contact": Option(
        kind=str,
        unit="",
        text="boxes, cylinders, capsules and meshes touch at one point (shape), by a pressure field (hydroelastic), or "
        "by that and, on half-spaces, at their corners (corners)",
        choices=("shape", "hydroelastic", "corners"),
    ),
    "stiction_tolerance": Option(kind=float, unit="m/s", text="slip speed of regularised friction, same native name"),
    "sap_near_rigid_threshold": Option(kind=float, unit="1", text="softest near-rigid contact, same native name"),
    "penetration_allowance": Option(
        kind=float, unit="m", text="estimates point stiffness and dissipation from it, same native name"
    ),
    "point_stiffness": Option(
        kind=float, unit="N/m", text="of a shape in point contact, material/point_contact_stiffness"
    ),
    "dissipation": Option(kind=float, unit="s/m", text="of Hunt and Crossley, material/hunt_crossley_dissipation"),
    "relaxation_time": Option(kind=float, unit="s", text="of the sap approximation, material/relaxation_time"),
    "hydroelastic_modulus": Option(
        kind=float, unit="Pa", text="of a compliant shape, hydroelastic/hydroelastic_modulus"
    ),
    "soft_modulus": Option(
        kind=float, unit="Pa", text="hydroelastic/hydroelastic_modulus of shapes that touch soft bodies"
    ),
    "facets": Option(
        kind=int, unit="1", text="sides of a hydroelastic cylinder or capsule, by hydroelastic/resolution_hint"
    ),
    "joint_friction": Option(kind=bool, unit="", text="false leaves out the robot's dry friction; Drake knows none"),
    "complete_joints": Option(
        kind=bool, unit="", text="true gives joints the armature and the spring that Drake's importer leaves out"
    ),
}

IN_PLANT_CONFIG = (
    "discrete_contact_approximation",
    "contact_model",
    "contact_surface_representation",
    "stiction_tolerance",
    "sap_near_rigid_threshold",
    "penetration_allowance",
)
# of DefaultProximityProperties, which fill what a shape's own properties leave open
IN_PROXIMITY_DEFAULTS: Mapping[str, str] = {
    "point_stiffness": "point_stiffness",
    "dissipation": "hunt_crossley_dissipation",
    "relaxation_time": "relaxation_time",
    "hydroelastic_modulus": "hydroelastic_modulus",
}

_FACES: Mapping[str, Value] = {
    "face_contact": "corners",  # a bare box touches at one point and cannot stand
    "contact_surface_representation": "triangle",  # polygons cannot hold the pitch moment of a sliding cube
    "facets": 64,  # a radius of 10 mm is within 12 um of the facets; the default hint of 20 mm makes 4 of it
    "joint_friction": False,  # Drake has no joint friction in N m
    "complete_joints": True,  # the importer drops armature without an actuator, and springs
}
PROFILES: Mapping[str, Mapping[str, Value]] = {
    "default": {},
    # The study did not run Drake. Its restitution of 0 is nearest at a high dissipation: a body leaves at 1/d at most.
    "published": {**_FACES, "dissipation": 100.0},
    # What makes Drake solve the other engines' problem, written out so that no default is left to chance.
    "matched": {
        **_FACES,
        "dissipation": 100.0,  # leaves at 10 mm/s at most; 1000 would take 2.5 s to undo the overlap of a drop
        "discrete_contact_approximation": "lagged",  # Drake's default; sap and similar lift a sliding body by mm
        "contact_model": "hydroelastic_with_fallback",  # Drake's default
        "stiction_tolerance": 1e-6,  # the default of 1e-4 m/s lets a body at rest on an incline creep at 79 um/s
        "point_stiffness": 1e7,  # 8 um of overlap at 40 N on one corner; Drake's default of 1e6 gives 80 um
        "hydroelastic_modulus": 1e9,  # as above for edges, where 1e7 gives 1 mm; at 1e10 a stack of ten falls apart
        "soft_modulus": 1e6,  # at 1e9 the surface of a soft ball flutters and slips off; 1e5 to 1e7 hold it alike
    },
}

# The SAP solver stops at this part of the momentum (rel_tolerance of SapSolverParameters, which Python cannot reach).
SAP_RESIDUAL = 1e-6
NO_DRY_FRICTION = "Drake has no dry friction of joints, and its importer ignores it"
NO_RESTITUTION = "Drake has no restitution coefficient; a body leaves at 1/dissipation at most"
DEFAULT_STIFFNESS = 1e6  # [N/m] point_stiffness of DefaultProximityProperties
DEFAULT_MODULUS, DEFAULT_HINT = 1e7, 0.02  # [Pa], [m] of DefaultProximityProperties
DEFAULT_APPROXIMATION = "lagged"


def check_options(options: Mapping[str, Value]) -> None:
    """Raise UsageError for values that Drake would answer with an exception of its own."""
    for name in ("stiction_tolerance", "penetration_allowance", "point_stiffness"):
        _at_least(name, options.get(name), 0.0, above=True)
    for name in ("hydroelastic_modulus", "soft_modulus"):
        _at_least(name, options.get(name), 0.0, above=True)
    for name in ("sap_near_rigid_threshold", "dissipation", "relaxation_time"):
        _at_least(name, options.get(name), 0.0)
    _at_least("facets", options.get("facets"), 3)
    if options.get("contact_model") == "hydroelastic" and options.get("face_contact") != "hydroelastic":
        raise UsageError(
            "contact_model=hydroelastic refuses shapes without a pressure field; give option.face_contact=hydroelastic"
        )
    for name in ("point_stiffness", "dissipation"):
        if "penetration_allowance" in options and name in options:
            raise UsageError(f"penetration_allowance estimates what {name} sets; give one of the two")


def _at_least(name: str, value: Value, least: float, above: bool = False) -> None:
    if isinstance(value, (int, float)) and not (value > least or (value == least and not above) or value is None):
        raise UsageError(
            f"option {name!r} of engine 'drake' is {value}; give a number {'above' if above else 'from'} {least:g}"
        )


def check_joint_friction(robot: str, frictions: Mapping[str, float], options: Mapping[str, Value]) -> None:
    """Raise Unsupported where the dry friction [N m] of a robot's joints was asked for in so many words."""
    rubbing = [name for name, friction in frictions.items() if friction]
    if options.get("joint_friction") is True and rubbing:
        joints = ", ".join(rubbing)
        raise Unsupported(
            f"robot {robot!r} has dry friction on {joints}: {NO_DRY_FRICTION}; set option.joint_friction=false"
        )


def check_drives(options: Mapping[str, Value]) -> None:
    """Raise Unsupported where the solver knows no position drives."""
    if options.get("discrete_contact_approximation") == "tamsi":
        raise Unsupported(
            "the tamsi approximation has no position drives; set option.discrete_contact_approximation=lagged, or "
            "experiment.drive=torque"
        )


def check(owner: str, material: Material, options: Mapping[str, Value]) -> None:
    """Raise Unsupported for what Drake's contact cannot say of the surface of `owner`: a body or a robot, by name."""
    if material.restitution:
        raise Unsupported(f"{owner} asks for restitution {material.restitution}: {NO_RESTITUTION}")
    approximation = options.get("discrete_contact_approximation", DEFAULT_APPROXIMATION)
    if material.damping is not None and approximation != "sap":
        raise Unsupported(
            f"{owner} asks for a contact damping in N s/m: the {approximation} approximation damps in proportion "
            "to the force (Hunt and Crossley, s/m); set option.discrete_contact_approximation=sap"
        )
    if is_forceful(material) and options.get("contact_model") == "hydroelastic":
        raise Unsupported(
            f"{owner} asks for a spring in N/m, which only contact points have; leave contact_model=hydroelastic"
        )
    if material.stiffness is not None and material.stiffness == 0:
        raise Unsupported(f"{owner} asks for a contact stiffness of 0, and Drake's must be positive")
    if material.damping is not None and material.stiffness is None and "penetration_allowance" in options:
        raise Unsupported(
            f"{owner} asks for a contact damping, which Drake derives from a stiffness that "
            "penetration_allowance leaves to an estimate; give it a stiffness too"
        )


def friction(material: Material) -> float | None:
    """static and dynamic of CoulombFriction [1]: Coulomb's mu, the same for both; two bodies: 2 a b / (a + b)."""
    return material.friction


def point_stiffness(material: Material) -> float | None:
    """point_contact_stiffness of a shape [N/m]: twice the contact's, since two shapes are two springs in series."""
    return None if material.stiffness is None else 2.0 * material.stiffness


def relaxation_time(material: Material, options: Mapping[str, Value]) -> float | None:
    """relaxation_time of a shape [s]: damping over stiffness; those of two shapes add up, so that a pair has c."""
    if material.damping is None:
        return None
    fallback = options.get("point_stiffness", DEFAULT_STIFFNESS)
    assert isinstance(fallback, (int, float))
    return material.damping / (point_stiffness(material) or float(fallback))


def is_forceful(material: Material) -> bool:
    """Whether a body asks for its own spring in N/m, which exists at contact points only."""
    return material.stiffness is not None or material.damping is not None


def hydroelastic(shape: Shape, moving: bool, material: Material, options: Mapping[str, Value]) -> str:
    """How Drake represents a shape in hydroelastic contact: "compliant", "rigid", or "" for contact at points.

    What is fixed is rigid, so that a contact patch lies in its faces; two rigid shapes never have to meet. A ball needs
    no patch, unless contact_model leaves nothing else.
    """
    contact_model = options.get("contact_model")
    if options.get("face_contact", "shape") == "shape" or contact_model == "point" or is_forceful(material):
        return ""
    if isinstance(shape, Sphere) and contact_model != "hydroelastic":
        return ""
    return "compliant" if moving else "rigid"


def resolution_hint(shape: Shape, options: Mapping[str, Value]) -> float | None:
    """Edge length [m] that gives a cylinder or capsule its number of facets; None leaves Drake's default."""
    facets = options.get("facets")
    if isinstance(shape, (Cylinder, Capsule)) and isinstance(facets, int):
        return 2 * math.pi * shape.radius / facets * (1 + 1e-9)
    return None


def facets_of(radius: float, options: Mapping[str, Value]) -> int:
    """Sides of a hydroelastic cylinder of that radius [m], by Drake's rule: circumference over resolution hint."""
    facets = options.get("facets")
    return facets if isinstance(facets, int) else max(3, math.ceil(2 * math.pi * radius / DEFAULT_HINT))


def corners_on_half_spaces(shape: Shape, options: Mapping[str, Value]) -> bool:
    """Whether a shape touches half-spaces by the balls whose hull it is, a cylinder by the corners of its facets."""
    return options.get("face_contact") == "corners" and not isinstance(shape, Sphere)


def combined(k1: float, k2: float, d1: float, d2: float) -> tuple[float, float]:
    """Stiffness [N/m] and dissipation [s/m] of two shapes in point contact: springs in series, each with its damper."""
    return k1 * k2 / (k1 + k2), (k2 * d1 + k1 * d2) / (k1 + k2)


def contact_law(
    pairs: Sequence[tuple[float, float, float] | None], approximation: str, near_rigid: float
) -> ContactLaw:
    """The law of all pairs, each by stiffness [N/m], dissipation [s/m] and relaxation time [s]; None: no such numbers.

    `near_rigid` is sap_near_rigid_threshold [1]: above 0, the sap approximation softens contacts by a rule of its own.
    """
    first = pairs[0]
    if any(pair != first for pair in pairs):
        return Unknown(reason="the pairs of this scene differ")
    if first is None:
        return Unknown(reason="hydroelastic contact: a pressure over a patch, which has no stiffness in N/m")
    k, d, tau = first
    if approximation == "sap":
        if near_rigid > 0:
            return Unknown(
                reason="sap softens stiff contacts; option.sap_near_rigid_threshold=0 leaves them as they are"
            )
        return Compliant(stiffness=k, damping=k * tau)
    return Compliant(stiffness=k, damping=0.0, dissipation=d)
