"""Every value of the source against the engine's: by difference, not from a list of known losses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from ..engine import Resolved
from ..imported import Key, Reading
from .differ import GRAVE, QUANTITIES, TENSOR, Apart, anchor_distance, apart, rounding
from .effort import held_as_force, mirrored, numbers, with_actuator, with_control
from .finder import Finder, show
from .finding import Severity
from .match import Match
from .merge import mergeable, merged
from .sizes import mass_of, offset, reach
from .source import Source

ELSEWHERE = ("option", "geom")
MASSES = ("RB-MASS", "RB-COM", "RB-INERTIA")
SHOWN = 8  # names in one sentence


def compare(source: Source, reading: Reading, match: Match, finder: Finder, rtol: float) -> Source:
    """Find what differs in links, joints, actuators, constraints and the rest; returns the source as it was compared.

    Links that the engine merged into their parents are merged in the source as well.
    """
    source = _links(source, reading, match, finder)
    ours = source.reading
    size = reach(ours)
    table = renamed(reading, match)
    _joints(source, reading, match, finder)
    summed = max(rtol, rounding(32)) if source.meshed else rtol
    if source.prepared.unknown:
        finder.skipped["RB-TOTAL"] = source.prepared.massless
    else:
        _total(ours, reading, match, finder, summed)
    for key, row in ours.table.items():
        known = QUANTITIES.get(f"{key.kind}.{key.quantity}")
        if known is not None and known[0] in MASSES and key.name in source.prepared.unknown:
            finder.skipped[known[0]] = source.prepared.massless
            continue
        if known is None or key.kind in ELSEWHERE or not _present(key, match):
            continue
        item, measure = known
        if key.kind == "link" and not mass_of(ours, key.name) and _of_no_mass(key, row):
            continue
        theirs = table.get(key)
        if theirs is None or theirs.value is None:
            if not held_as_force(ours, key, table):
                _missing(source, reading, finder, item, key, row, theirs)
            continue
        if item == "RB-FRAME" and _unknown_zero(ours, table, key.name):
            continue  # RB-FK compares its pose
        finder.checked[item] += 1
        if item == "RB-EFFORT" and not reading.actuators:
            row = with_actuator(ours, key, row)
        if key.quantity.startswith("force_") and key._replace(quantity=f"ctrl{key.quantity[5:]}") not in table:
            row = with_control(ours, key, row)
        rounded = reading.rounded.get(f"{key.kind}.{key.quantity}", 0.0)
        if item == "RB-INERTIA" and reading.about_origin:
            rounded = max(rounded, TENSOR * rounding(reading.precision) * offset(ours, key))
        own = max(rtol, rounding(32)) if key.name in source.meshed and item in MASSES else rtol
        difference = apart(measure, row.value, theirs.value, own, size, rounded)
        if difference is not None and item == "RB-MASS" and row.value == 0.0:
            _massless(ours, key, theirs, difference, finder, rtol)
        elif difference is not None and not _idle(ours, key):
            finder.differs(item, key, row, theirs, difference)
    _anchors(ours, table, match, finder, rtol, size)
    _extra_constraints(ours, table, finder)
    return source


def _links(source: Source, reading: Reading, match: Match, finder: Finder) -> Source:
    ours = source.reading
    gone = [link for link in ours.links if link not in match.links]
    folded = mergeable(ours, gone)
    for link in gone:
        key = Key("link", link, "")
        if link in folded:
            into = _kept_parent(ours, link, folded)
            finder.add("RB-LINKS", key, "note", f"fixed link {link!r} is merged into {into!r} and has no frame")
        else:
            finder.add("RB-LINKS", key, "error", f"link {link!r} is not in the engine")
    compared = merged(ours, folded) if folded else ours
    back = match.back("link")
    for link in compared.links:
        if link not in match.links:
            continue
        finder.checked["RB-LINKS"] += 1
        parent = reading.parents.get(match.links[link], "")
        here, there = compared.parents[link], back.get(parent, parent)
        if here != there:
            message = f"link {link!r} hangs on {there!r}, in the source on {here!r}"
            finder.add("RB-LINKS", Key("link", link, "parent"), "error", message, source=here, found=there)
    for extra in reading.links:
        if extra not in back:
            finder.add("RB-LINKS", Key("link", extra, ""), "warning", f"the engine has a link {extra!r} more")
    unknown = [_kept_parent(ours, link, folded) for link in source.prepared.unknown if link in folded]
    prepared = replace(source.prepared, unknown=tuple(dict.fromkeys((*source.prepared.unknown, *unknown))))
    return replace(source, reading=compared, prepared=prepared)


def _kept_parent(reading: Reading, link: str, folded: set[str]) -> str:
    while link in folded:
        link = reading.parents[link]
    return link


def _joints(source: Source, reading: Reading, match: Match, finder: Finder) -> None:
    ours, back = source.reading, match.back("joint")
    of_link = match.back("link")
    for joint in ours.joints:
        finder.checked["RB-JOINTS"] += 1
        key = Key("joint", joint, "")
        if joint not in match.joints:
            finder.add("RB-JOINTS", key, "error", f"{ours.kinds[joint]} joint {joint!r} is not in the engine")
            continue
        moved = reading.moved[match.joints[joint]]
        if of_link.get(moved, moved) != ours.moved[joint] and ours.moved[joint] in match.links:
            message = f"joint {joint!r} moves {of_link.get(moved, moved)!r}, in the source {ours.moved[joint]!r}"
            finder.add("RB-JOINTS", key, "error", message, source=ours.moved[joint], found=moved)
    for extra in reading.joints:
        if extra not in back:
            message = f"the engine has a {reading.kinds[extra]} joint {extra!r} more"
            finder.add("RB-JOINTS", Key("joint", extra, ""), "error", message)
    for name in ours.actuators:
        if name not in match.actuators:
            key, drives = Key("actuator", name, ""), ours.driven.get(name)
            why = reading.lacks.get("actuator", "")
            message = f"actuator {name!r}" + (f" of joint {drives!r}" if drives else "") + " is not in the engine"
            finder.add("RB-ACTUATOR", key, "warning", message + (f": {why}" if why else ""), cause=why)
    more = [name for name in reading.actuators if name not in match.actuators.values()]
    if more:
        message = f"the engine has {len(more)} actuators more: {', '.join(more[:SHOWN])}"
        finder.add("RB-ACTUATOR", Key("actuator", more[0], "extra"), "warning", message)


def _total(ours: Reading, reading: Reading, match: Match, finder: Finder, rtol: float) -> None:
    """Masses of all links that a joint moves."""
    moving = _moving(ours)
    here = sum(mass_of(ours, link) for link in ours.links if link in moving)
    back = _moving(reading)
    there = sum(mass_of(reading, link) for link in reading.links if link in back)
    there -= sum(_stand_ins(ours, reading, match, rtol))  # a note of RB-MASS each
    finder.checked["RB-TOTAL"] += 1
    if abs(here - there) > rtol * max(here, there):
        row = Resolved(value=here, unit="kg", origin="derived", native="sum")
        difference = Apart(abs(here - there), abs(here - there) / max(here, there))
        finder.differs("RB-TOTAL", Key("model", "", "mass"), row, replace(row, value=there), difference)


def _stand_ins(ours: Reading, reading: Reading, match: Match, rtol: float) -> Iterator[float]:
    """Masses [kg] that the engine gives to links without one and that are too small for the whole robot to matter."""
    total = sum(mass_of(ours, link) for link in ours.links)
    back = _moving(reading)
    for link, there in match.links.items():
        mass = mass_of(reading, there)
        if there in back and not mass_of(ours, link) and mass <= rtol * total:
            yield mass


def _moving(reading: Reading) -> set[str]:
    """Links that a joint moves, directly or through their parents."""
    moving = set(reading.moved.values())
    grown = True
    while grown:
        more = {x for x in reading.links if x not in moving and reading.parents.get(x) in moving}
        grown, moving = bool(more), moving | more
    return moving


def renamed(reading: Reading, match: Match) -> Mapping[Key, Resolved]:
    """The engine's table under the source's names."""
    back = {kind: match.back(kind) for kind in ("link", "joint", "actuator")}
    table = {}
    for key, row in reading.table.items():
        if key.kind in back:
            name = back[key.kind].get(key.name)
            if name is None:
                continue
        elif key.kind == "constraint":
            kind, _, tied = key.name.partition(" ")
            names = back["link" if kind in ("weld", "connect") else "joint"]
            tied, _, number = tied.partition(" #")
            name = f"{kind} " + "~".join(names.get(x, x) for x in tied.split("~")) + (f" #{number}" if number else "")
        elif key.kind == "geom":
            link, _, index = key.name.rpartition("/")
            name = f"{back['link'].get(link, link)}/{index}"
        else:
            name = key.name
        table[key._replace(name=name)] = row
    return table


def _present(key: Key, match: Match) -> bool:
    """Whether the element exists in the engine; its absence is one finding of its own."""
    known = {"link": match.links, "joint": match.joints, "actuator": match.actuators}.get(key.kind)
    return known is None or key.name in known


def _missing(
    source: Source, reading: Reading, finder: Finder, item: str, key: Key, row: Resolved, theirs: Resolved | None
) -> None:
    """What the engine has no place for, or does not show, matters where the source sets it."""
    why = reading.lacks.get(f"{key.kind}.{key.quantity}") or reading.lacks.get(f"{key.kind}.{key.name}")
    why = why or reading.lacks.get(key.kind, "")
    if theirs is not None:
        why = theirs.native
    hidden = reading.hidden.get(f"{key.kind}.{key.quantity}") or reading.hidden.get(key.kind)
    if hidden or (theirs is not None and theirs.origin == "unreadable"):
        finder.skipped.setdefault(item, hidden or why)
    elif source.neutral(key) or row.value is None:
        finder.checked[item] += 1
    elif key.quantity.endswith("_lower") and theirs is None and mirrored(source.reading, key, row):
        return  # the upper one says it
    elif key.kind in ("constraint", "tendon", "keyframe") and key.quantity not in ("data", "wraps", "qpos"):
        return  # the element is missing as a whole: said once
    else:
        finder.lost(item, key, row, why)


def _massless(ours: Reading, key: Key, theirs: Resolved, apart: Apart, finder: Finder, rtol: float) -> None:
    """A mass that the engine gives to a link without one is judged by the mass of the whole robot."""
    total = sum(mass_of(ours, link) for link in ours.links)
    share = apart.absolute / total if total else apart.relative
    severity: Severity = "note" if share <= rtol else "error" if share >= GRAVE else "warning"
    message = f"a link without mass gets {show(theirs.value)} kg"
    apart = Apart(apart.absolute, share)
    finder.add("RB-MASS", key, severity, message, source=0.0, found=theirs.value, unit="kg", apart=apart)


def _unknown_zero(ours: Reading, table: Mapping[Key, Resolved], link: str) -> bool:
    """Whether a joint of the link has a ref in the source, and the engine does not say where its own zero is."""
    for joint in (j for j, moved in ours.moved.items() if moved == link):
        key = Key("joint", joint, "home")
        if key in ours.table and ours.table[key].value != 0.0 and (key not in table or table[key].value is None):
            return True
    return False


def _of_no_mass(key: Key, row: Resolved) -> bool:
    """Whether a value of a link without mass means nothing: its centre, and an inertia of zero."""
    return key.quantity == "com" or (key.quantity == "inertia" and not numbers(row).any())


def _idle(reading: Reading, key: Key) -> bool:
    """A spring's rest position without a spring means nothing."""
    stiffness = reading.table.get(key._replace(quantity="stiffness"))
    return key.quantity == "rest" and stiffness is not None and stiffness.value == 0.0


def _anchors(
    ours: Reading, table: Mapping[Key, Resolved], match: Match, finder: Finder, rtol: float, size: float
) -> None:
    for joint in ours.joints:
        key = Key("joint", joint, "anchor")
        if joint not in match.joints or key not in ours.table or ours.kinds[joint] == "slide":
            continue
        theirs = table.get(key)
        if theirs is None or theirs.value is None:
            finder.skipped.setdefault("RB-ANCHOR", theirs.native if theirs else "the engine does not show it")
            continue
        finder.checked["RB-ANCHOR"] += 1
        axis = ours.table.get(Key("joint", joint, "axis"))
        direction = np.zeros(3) if axis is None else numbers(axis)
        distance = anchor_distance(numbers(ours.table[key]), numbers(theirs), direction)
        if distance > rtol * size:
            finder.differs("RB-ANCHOR", key, ours.table[key], theirs, Apart(distance, distance / size))


def _extra_constraints(ours: Reading, table: Mapping[Key, Resolved], finder: Finder) -> None:
    for key, row in table.items():
        active = table.get(key._replace(quantity="active"))
        if key.kind == "constraint" and key.quantity == "data" and key not in ours.table and (active and active.value):
            message = f"the engine has a constraint more: {key.name}"
            finder.add("RB-EQUALITY", key, "warning", message, found=row.value)
