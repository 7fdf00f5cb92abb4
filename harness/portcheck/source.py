"""The source: what a robot file says, read once and independently of the engine under test."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ..engine import Value
from ..imported import Key, Motion, Reading
from ..scene import Array
from .places import Place
from .prepare import Prepared

_SOLREF, _SOLIMP = (0.02, 1.0), (0.9, 0.95, 0.001, 0.5, 2.0)
# What a value is when nobody set it: nothing is lost where an engine has no place for it.
NEUTRAL: Mapping[str, tuple[Value, ...]] = {
    "link.gravity_compensation": (0.0,),
    "link.mass": (0.0,),
    "joint.armature": (0.0,),
    "joint.damping": (0.0,),
    "joint.friction": (0.0,),
    "joint.stiffness": (0.0,),
    "joint.home": (0.0,),
    "joint.rest": (0.0,),
    "joint.lower": (float("-inf"),),
    "joint.upper": (float("inf"),),
    "joint.effort_lower": (float("-inf"),),
    "joint.effort_upper": (float("inf"),),
    "joint.limit_solref": (_SOLREF,),
    "joint.limit_solimp": (_SOLIMP,),
    "joint.friction_solref": (_SOLREF,),
    "joint.limit_margin": (0.0,),
    "actuator.ctrl_lower": (float("-inf"),),
    "actuator.ctrl_upper": (float("inf"),),
    "actuator.force_lower": (float("-inf"),),
    "actuator.force_upper": (float("inf"),),
    "actuator.bias": ((0.0, 0.0, 0.0),),
    "actuator.gain": ((1.0, 0.0, 0.0),),
    "actuator.gear": ((1.0, 0.0, 0.0, 0.0, 0.0, 0.0),),
    "geom.friction": (1.0,),
    "geom.torsional_friction": ((0.005, 0.0001),),
    "geom.contact_dimensions": (3,),
    "geom.solref": (_SOLREF,),
    "geom.solimp": (_SOLIMP,),
    "geom.margin": (0.0,),
    "geom.gap": (0.0,),
    "geom.priority": (0,),
    "geom.solmix": (1.0,),
    "tendon.stiffness": (0.0,),
    "tendon.damping": (0.0,),
    "tendon.friction": (0.0,),
    "tendon.lower": (float("-inf"),),
    "tendon.upper": (float("inf"),),
    "count.number": (0,),
}


@dataclass(frozen=True, slots=True)
class Source:
    """A robot file read without any engine under test.

    Attributes:
        reading: its values under its own names; elements without a name are named by their place.
        places: (kind, name) -> where the element stands; `authored`: (kind, name, attribute) -> where it is set, on the
            element itself or in its default class.
        unnamed: (kind, name) of elements that have no name in the file.
        refer: kinematics and dynamics of the reference at the coordinates of named joints.
        reader: who read it.
        meshed: links whose mass properties were summed over a mesh, whose vertices are kept in 32 bit.
        springs: joint -> the words of the file that its stiffness and damping are computed from.
    """

    prepared: Prepared
    reading: Reading
    places: Mapping[tuple[str, str], Place]
    authored: Mapping[tuple[str, str, str], Place]
    unnamed: frozenset[tuple[str, str]]
    refer: Callable[[Sequence[str], Array], Motion]
    reader: str
    assumed: Mapping[Key, Value] = field(default_factory=dict)
    rooted: bool = False  # whether the file has the world as a link of its own
    meshed: frozenset[str] = frozenset()
    springs: Mapping[str, str] = field(default_factory=dict)

    def computed_from(self, key: Key) -> str:
        """The words of the file that a value is computed from, empty where it stands there itself."""
        spring = key.kind == "joint" and key.quantity in ("stiffness", "damping")
        return self.springs.get(key.name, "") if spring else ""

    def place(self, key: Key) -> Place | None:
        """The line to look at for a value: of its attribute where we know it, else of its element."""
        attribute = ATTRIBUTES.get(f"{key.kind}.{key.quantity}", key.quantity)
        return self.authored.get((key.kind, key.name, attribute)) or self.places.get((key.kind, key.name))

    def neutral(self, key: Key) -> bool:
        """Whether the value is what it would be had nobody set it."""
        value = self.reading.table[key].value
        if key.quantity == "rest":
            home = self.reading.table.get(key._replace(quantity="home"))
            stiffness = self.reading.table.get(key._replace(quantity="stiffness"))
            at_home = home is not None and home.value == value
            return at_home or (stiffness is not None and stiffness.value == 0.0)
        return value in NEUTRAL.get(f"{key.kind}.{key.quantity}", ())

    def is_authored(self, key: Key) -> bool:
        """Whether the file sets an option."""
        return (key.kind, key.name, ATTRIBUTES.get(f"{key.kind}.{key.quantity}", key.quantity)) in self.authored


# quantity -> the MJCF attribute that sets it
ATTRIBUTES: Mapping[str, str] = {
    "option.dt": "timestep",
    "joint.position": "pos",
    "joint.anchor": "pos",
    "joint.lower": "range",
    "joint.upper": "range",
    "joint.effort_lower": "actuatorfrcrange",
    "joint.effort_upper": "actuatorfrcrange",
    "joint.friction": "frictionloss",
    "joint.rest": "springref",
    "joint.home": "ref",
    "joint.limit_solref": "solreflimit",
    "joint.limit_solimp": "solimplimit",
    "joint.friction_solref": "solreffriction",
    "joint.limit_margin": "margin",
    "link.position": "pos",
    "link.orientation": "quat",
    "link.gravity_compensation": "gravcomp",
    "geom.position": "pos",
    "geom.orientation": "quat",
    "geom.contact_dimensions": "condim",
    "actuator.ctrl_lower": "ctrlrange",
    "actuator.ctrl_upper": "ctrlrange",
    "actuator.force_lower": "forcerange",
    "actuator.force_upper": "forcerange",
}


def read_source(prepared: Prepared, reference: str = "pinocchio") -> Source:
    """The source of a prepared robot file; `reference` computes poses, mass matrix and gravity torque.

    Raises:
        UsageError: it cannot be read.
    """
    if prepared.format == "mjcf":
        from .mjcf_source import read_mjcf

        return read_mjcf(prepared, reference)
    from .urdf_source import read_urdf

    return read_urdf(prepared, reference)
