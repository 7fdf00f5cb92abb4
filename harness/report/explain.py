"""Which resolved values may explain why some engines differ from others: those that tell the two sides apart."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..engine import Compliant, Impulse, Resolution, Resolved, Soft, Unknown, Value
from ..required import REQUIRED_OPTIONS
from .defaults import IMPEDANCE, LAW_UNITS, LAW_WORDS, alike, names_in
from .quantity import value_text

MOST = 3  # causes named
LONG = 3  # numbers: a longer list is not written out
# of the computation rather than of the physics: named by the verdicts, not as an explanation
_INCIDENTAL = {"dt", "substeps", "gravity", "solver", "iterations", "tolerance", "precision", "device", "threads"} | {
    *("friction_combine", "restitution_combine")  # what they come to is in the rows of the pairs
}
_CONTACT_OPTIONS = ("impratio", "contact_resolution", "cone")
_OF_CONTACT = {*_CONTACT_OPTIONS, "multi_contact", "bounce_threshold", "max_depenetration_velocity"}
_OF_LAW = ("impedance", "time_constant", "damping_ratio")  # of shapes: said by the contact law already
_MOTION = ("load_friction", "linear_damping", "angular_damping", "armature", "damping", "friction")  # these first
_MAY_LACK = ("friction", "damping", "armature")  # of a joint: engines that have no such thing say so
_SETS_IMPEDANCE = ("d_min", "d_max")


@dataclass(frozen=True, kw_only=True)
class Trait:
    """One property of an engine: values are compared, and `text` is how this one reads."""

    value: Value
    unit: str

    def same(self, other: Trait) -> bool:
        """Whether both say the same; zero is zero in any unit."""
        return alike(self.value, other.value) and (self.unit == other.unit or self.value == 0)

    @property
    def text(self) -> str:
        """The value in words."""
        return "none" if self.value is None else value_text(self.value, self.unit, 4)


def causes(ours: Sequence[Resolution], theirs: Sequence[Resolution], most: int = MOST) -> list[str]:
    """What separates the engines of one side from those of the other, the likeliest reason first.

    A property is a cause only when all of ours have it alike, all of theirs have it alike, and the two differ: what
    engines that agree have differently, or what both sides have in common, explains nothing.

    Args:
        ours: resolved tables of engines that agree with each other.
        theirs: those of the engines that they differ from, which also agree with each other.
        most: how many to name.
    """
    if not ours or not theirs:
        return []
    traits = [_traits(one) for one in (*ours, *theirs)]
    slowing = {name: trait.unit for side in traits for name, trait in side.items() if _slows(name)}
    for side in traits:  # an engine that does not speak of such a thing has none of it
        for name, unit in slowing.items():
            side.setdefault(name, Trait(value=0, unit=unit))
    left, right = _common(traits[: len(ours)]), _common(traits[len(ours) :])
    apart = [name for name in left if name in right and not left[name].same(right[name])]
    # what one side has and the other has not comes first, then what nobody asked for
    apart.sort(key=lambda n: (not _one_sided(n, left, right), not _slows(n) and not n.startswith("law.")))
    return list(_worded(apart, left, right))[:most]


def _one_sided(name: str, left: Mapping[str, Trait], right: Mapping[str, Trait]) -> bool:
    """Whether it is friction, damping or armature of a joint that only one side simulates."""
    zero = [not side[name].value for side in (left, right)]
    return name.startswith("joint.") and name.rpartition(".")[2] in _MAY_LACK and zero[0] != zero[1]


def _slows(name: str) -> bool:
    """Whether it is something that slows a joint, a link or a body and that most engines do not have."""
    return name.startswith(("joint.", "link.", "body.")) and name.endswith(
        ("load_friction", "linear_damping", "angular_damping")
    )


def _common(sides: Sequence[Mapping[str, Trait]]) -> dict[str, Trait]:
    """The traits that all have alike."""
    first, *rest = sides
    return {
        name: trait for name, trait in first.items() if all(name in side and side[name].same(trait) for side in rest)
    }


def _worded(apart: Sequence[str], left: Mapping[str, Trait], right: Mapping[str, Trait]) -> Iterator[str]:
    seen: set[str] = set()
    if "law.kind" in apart:
        yield f"{left['law.kind'].text} contact instead of {right['law.kind'].text}"
    for name in apart:
        head, _, short = name.rpartition(".")
        if name == "law.kind" or short in seen:
            continue
        if name == "law.restitution":
            yield _bounce(left, right)
        elif head == "law" and short in _SETS_IMPEDANCE:
            pair = [one for one in _SETS_IMPEDANCE if f"law.{one}" in apart]
            seen |= {*pair}
            ours, others = (" and ".join(side[f"law.{one}"].text for one in pair) for side in (left, right))
            yield f"{' and '.join(pair)} {ours} instead of {others}"
        elif name == "law.regularizer" and "cone" in apart:
            continue
        elif isinstance(value := left[name].value, tuple) and len(value) > LONG:
            yield f"{head.partition('.')[0]} {short} differs"
        else:
            where = "joint " if head.startswith("joint.") else ""
            yield f"{where}{short.replace('_', ' ')} {left[name].text} instead of {right[name].text}"
        seen.add(short)


def _bounce(left: Mapping[str, Trait], right: Mapping[str, Trait]) -> str:
    first, second = left["law.restitution"], right["law.restitution"]
    if first.value and second.value:
        return f"bounces with restitution {first.text} instead of {second.text}"
    return f"bounces with restitution {first.text}" if first.value else f"no bounce, theirs with {second.text}"


def _traits(resolution: Resolution) -> dict[str, Trait]:
    """Everything that may be a cause, the likeliest first: the contact law, its numbers, its options, the others."""
    table = resolution.table
    touching = any(name.startswith("pair.") for name in table)
    found = dict(_of_law(resolution)) if touching else {}
    names = names_in([resolution])
    options = [name for name in names if name in REQUIRED_OPTIONS and name not in _INCIDENTAL]
    if not touching:
        options = [name for name in options if name not in _OF_CONTACT]
    order = [name for name in _CONTACT_OPTIONS if name in options]
    joints = [name for name in names if name.startswith("joint.")]
    order += sorted(joints, key=lambda name: _rank(name.rpartition(".")[2]))
    order += [name for name in options if name not in _CONTACT_OPTIONS]
    order += [name for name in names if name.startswith("link.") or (name.startswith("body.") and _slows(name))]
    if touching:
        covered = _OF_LAW if isinstance(resolution.contact_law, Soft) else ()
        order += [n for n in names if n.startswith(("shape.", "pair.")) and n.rpartition(".")[2] not in covered]
    for name in order:
        row = table[name]
        if row.value is not None or _has_none(name, row):
            found[name] = Trait(value=row.value if row.value is not None else 0, unit=row.unit)
    return found


def _rank(quantity: str) -> int:
    return _MOTION.index(quantity) if quantity in _MOTION else len(_MOTION)


def _has_none(name: str, row: Resolved) -> bool:
    """Whether the engine has no such thing, which is a zero; so far for what slows a joint only."""
    return row.origin == "absent" and name.startswith("joint.") and name.endswith(_MAY_LACK)


def _of_law(resolution: Resolution) -> Iterator[tuple[str, Trait]]:
    law = resolution.contact_law
    if isinstance(law, Unknown):
        return
    kind = LAW_WORDS[type(law).__name__].partition(" (")[0]
    yield "law.kind", Trait(value=kind, unit="")
    # an engine that does not bounce has a restitution of 0, whatever its law
    bounce = law.restitution if isinstance(law, Impulse) else 0.0
    if isinstance(law, Soft):
        tc, zeta = _constants(law)
        yield "law.time_constant", Trait(value=tc, unit="s")
        for name, value in zip(IMPEDANCE, law.impedance, strict=True):
            yield f"law.{name}", Trait(value=value, unit=LAW_UNITS.get(name, "1"))
        yield "law.damping_ratio", Trait(value=zeta, unit="1")
        yield "law.regularizer", Trait(value=law.regularizer, unit="1")
    elif isinstance(law, Compliant):
        yield "law.stiffness", Trait(value=law.stiffness, unit="N/m")
        yield "law.damping", Trait(value=law.damping, unit="N s/m")
        yield "law.dissipation", Trait(value=law.dissipation, unit="s/m")
    yield "law.restitution", Trait(value=bounce, unit="1")
    if isinstance(law, Impulse) and bounce:
        yield "law.bounce_threshold", Trait(value=law.bounce_threshold, unit="m/s")


def _constants(law: Soft) -> tuple[float, float]:
    """Time constant [s] and damping ratio [1] of K = 1/(d_max^2 tc^2 zeta^2) and B = 2/(d_max tc)."""
    d_max = law.impedance[1]
    tc = 2 / (d_max * law.B) if law.B and d_max else math.nan
    return tc, 1 / (d_max * tc * math.sqrt(law.K)) if law.K > 0 and tc > 0 else math.nan
