"""The checklist: every item with its id, its title and its explanation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ..errors import UnknownName

GROUPS: Mapping[str, str] = {
    "RB": "the model read back",
    "DF": "resolved defaults",
    "CF": "collision filter and names",
    "CT": "one explicit controller, softened",
    "NS": "numerical settings",
    "RP": "repeats",
    "MS": "more than success",
}
DYNAMIC = ("CT", "NS", "RP", "MS")


@dataclass(frozen=True, slots=True)
class Item:
    """One line of the checklist: `text` says what is compared, `advice` what to do about a finding."""

    id: str
    title: str
    text: str
    advice: str

    @property
    def group(self) -> str:
        """The two letters in front."""
        return self.id[:2]

    @property
    def dynamic(self) -> bool:
        """Whether it needs simulation."""
        return self.group in DYNAMIC


_ITEMS = (
    Item(
        "RB-IMPORT",
        "the importer takes the file",
        "The file goes through the engine's own importer. A refusal is an error and carries the importer's own reason.",
        "change what the importer names, or leave shapes out with --without-geometry if a mesh is the reason",
    ),
    Item(
        "RB-LINKS",
        "every link is there",
        "Each link of the source has its counterpart, under the same parent. A fixed link that the engine merged "
        "into its parent is named; masses are then compared with those of source links merged the same way.",
        "if frames of merged links are needed, switch merging off in the importer; else map links by this table",
    ),
    Item("RB-MASS", "masses", "Mass of every link [kg] against the source.", "set the mass after the import"),
    Item(
        "RB-TOTAL",
        "total mass",
        "Sum of the masses of all links [kg] that can move.",
        "look for links without mass and merged links",
    ),
    Item("RB-COM", "centres of mass", "In the link's frame [m], each component.", "look at the inertial frame"),
    Item(
        "RB-INERTIA",
        "inertia tensors",
        "The full 3 x 3 tensor about the centre of mass in the link's axes [kg m^2], relative to its largest entry; "
        "not the sorted principal moments, which hide a wrong orientation.",
        "look at the inertial frame's orientation and at the products of inertia",
    ),
    Item(
        "RB-FRAME",
        "link frames",
        "Position [m] and orientation [rad] of each link's frame in its parent's with all joints at zero displacement.",
        "look for euler conventions, degrees against radians, and compiler options",
    ),
    Item(
        "RB-JOINTS",
        "every joint is there, of its type",
        "Each joint of the source has its counterpart of the same type, for the same link, and there are no others.",
        "give every joint a name and a body of its own",
    ),
    Item("RB-AXIS", "joint axes", "Direction in the link's frame [rad], sign included.", "turn the axis"),
    Item("RB-ANCHOR", "joint anchors", "Distance of the anchor from the source's axis [m].", "move the joint"),
    Item(
        "RB-LIMIT",
        "joint limits",
        "Lower and upper [rad | m]; a joint without limits has infinite ones.",
        "set the limits after the import; check autolimits, and degrees against radians",
    ),
    Item(
        "RB-EFFORT",
        "effort limits of joints",
        "Smallest and largest torque or force on a joint [N m | N].",
        "limit the torque in the controller if the engine does not",
    ),
    Item(
        "RB-ARMATURE",
        "armature",
        "Rotor inertia of each joint [kg m^2 | kg].",
        "set it after the import; look for a default armature of the engine",
    ),
    Item("RB-DAMPING", "joint damping", "[N m s/rad | N s/m].", "set it after the import"),
    Item(
        "RB-FRICTION",
        "dry friction of joints",
        "[N m | N].",
        "set it after the import; where the engine has none, take it out of every engine to compare",
    ),
    Item("RB-SPRING", "joint springs", "Stiffness [N m/rad | N/m] and rest position.", "set them after the import"),
    Item(
        "RB-HOME",
        "the zero of each coordinate",
        "The coordinate at which a joint has no displacement (MJCF ref). Where engines differ, the same numbers mean "
        "another pose.",
        "take ref out of the file, or add it in the controller",
    ),
    Item(
        "RB-ACTUATOR",
        "actuators",
        "Each actuator with the joint it drives, its gear, gain and bias, and the limits of control and force.",
        "command joint torques instead, or set the actuator up by hand",
    ),
    Item(
        "RB-EQUALITY",
        "equality constraints and mimic joints",
        "Each constraint with its two elements and its numbers; a URDF's mimic counts as one.",
        "add the constraint in the engine, or couple the joints in the controller",
    ),
    Item("RB-TENDON", "tendons", "Each tendon with limits, stiffness, damping and friction.", "model it otherwise"),
    Item(
        "RB-OTHER",
        "what else the file has",
        "Gravity compensation, keyframes, limit softness, and the number of sensors, sites and the like: what the "
        "engine has no place for is named.",
        "add by hand what the engine does not take over",
    ),
    Item(
        "RB-FK",
        "forward kinematics",
        "Pose of every link at home and at 50 seeded random positions within the limits, against the reference: "
        "position [m] and angle [rad].",
        "look at the first link that is off: its frame, axis or anchor is the cause",
    ),
    Item(
        "RB-MATRIX",
        "mass matrix",
        "At the same 51 positions, armature apart, against the reference; relative to its largest entry.",
        "look at masses and inertias",
    ),
    Item(
        "RB-GRAVITY",
        "gravity torque",
        "The torque that holds the robot at rest [N m | N] at the same 51 positions, with the engine's own gravity.",
        "look at gravity, masses and centres of mass",
    ),
    Item(
        "DF-SET",
        "options that the file sets",
        "Every option that the file sets against the engine's value: dropped, changed or clamped.",
        "set the option in the engine by hand",
    ),
    Item(
        "DF-DEFAULT",
        "options that the file leaves open",
        "Options that nobody set and whose values differ: between the format's own default and the engine, and among "
        "engines.",
        "write the option out in every engine if results are compared",
    ),
    Item(
        "DF-SURFACE",
        "surfaces of shapes",
        "Friction, softness, margin, gap and contact dimensions of each colliding shape.",
        "write them out, and set them in the engine",
    ),
    Item(
        "CF-PAIRS",
        "pairs that may touch",
        "The set of pairs of links that may collide, with the number of pairs of shapes, against the source.",
        "exclude or allow the pairs by hand",
    ),
    Item("CF-NAMES", "names", "Names of links, joints and actuators are kept.", "map names by this table"),
    Item(
        "CF-ORDER",
        "order of joints",
        "The order of joint coordinates, hence of every vector q, v and tau.",
        "address joints by name, or reorder every vector",
    ),
    Item(
        "CF-GEOMS",
        "collision shapes",
        "Number, type, size and place of each link's colliding shapes.",
        "look at which types the importer takes",
    ),
    Item(
        "CF-MESH",
        "meshes",
        "Meshes turned into hulls, boxes or fewer vertices.",
        "give hulls or primitive shapes in the file",
    ),
    Item(
        "CT-SOFTEN",
        "one explicit controller, softened",
        "The same torque law (PD on a reference plus the source's gravity torque) for 0.5 s at gains x1, x0.5 and "
        "x0.25, against the first engine: largest joint difference. The bandwidth is 60 rad/s, or the largest at which "
        "the law is stable on this robot; the report says which. Below 2 rad/s a run is over before the law takes the "
        "joints along, and no difference is no pass.",
        "if the difference grows as gains fall, the models differ; if it shrinks, the numerics do",
    ),
    Item(
        "NS-REFINE",
        "numerical settings",
        "Halving dt (and doubling the iterations of a solver that substeps with them) moves the result; a difference "
        "to another engine below that is not converged.",
        "use a smaller step before blaming the engine",
    ),
    Item("RP-SPREAD", "repeats", "Three fresh processes of one run: largest difference.", "report the spread"),
    Item(
        "MS-BEYOND",
        "more than success",
        "Forces, trajectories and how runs fail: saturated torques, energy that appears or disappears, detectors of "
        "explosion, jitter and drift.",
        "read the metrics beside the outcome",
    ),
)
ITEMS: Mapping[str, Item] = {item.id: item for item in _ITEMS}


def chosen(only: Iterable[str]) -> tuple[Item, ...]:
    """The items that the words (ids, or groups such as RB) name; all of them without a word.

    Raises:
        UnknownName: a word is neither.
    """
    words = [word.strip().upper() for word in only if word.strip()]
    for word in words:
        if word not in ITEMS and word not in GROUPS:
            raise UnknownName("item", word, [*GROUPS, *ITEMS])
    return tuple(item for item in _ITEMS if not words or item.id in words or item.group in words)
