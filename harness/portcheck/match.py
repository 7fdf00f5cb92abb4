"""Which of an engine's elements is which of the source's, by name, by path, or by place where nothing has a name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..imported import WORLD, Reading
from .source import Source


@dataclass(frozen=True, slots=True)
class Match:
    """Source's name -> engine's name, for what could be found; the world is in `links`."""

    links: Mapping[str, str]
    joints: Mapping[str, str]
    actuators: Mapping[str, str]
    roots: tuple[str, ...] = ()  # the engine's links that are the world of the source, beside the world itself

    def back(self, kind: str) -> Mapping[str, str]:
        """Engine's name -> source's name."""
        table = {"link": self.links, "joint": self.joints, "actuator": self.actuators}[kind]
        worlds = dict.fromkeys(self.roots, WORLD) if kind == "link" else {}
        return {theirs: ours for ours, theirs in table.items()} | worlds


def match(source: Source, reading: Reading) -> Match:
    """Match links, joints and actuators."""
    ours = source.reading
    links = _by_name(ours.links, reading.links)
    _unnamed_links(source, reading, links)
    links[WORLD] = WORLD
    joints = _by_name(ours.joints, reading.joints)
    _by_moved_link(source, reading, links, joints)
    named = [name for name in ours.actuators if ("actuator", name) not in source.unnamed]
    actuators = _by_name(named, reading.actuators)
    back = {theirs: mine for mine, theirs in joints.items()}
    taken = set(actuators.values())
    for name in ours.actuators:  # those without a name, by the one joint that they drive
        if name not in actuators:
            driven = ours.driven.get(name)
            found = [a for a, j in reading.driven.items() if back.get(j) == driven and a not in taken and driven]
            if found:
                actuators[name] = found[0]
                taken.add(found[0])
    mine = [name for name in ours.actuators if name not in actuators and name not in ours.driven]
    other = [name for name in reading.actuators if name not in taken and name not in reading.driven]
    if len(mine) == len(other):  # those that drive no joint, in order
        actuators.update(zip(mine, other, strict=True))
    taken = {*links.values(), *reading.moved.values()}
    standing = [x for x in reading.links if reading.parents[x] == WORLD and x not in taken]
    roots = tuple(x for x in standing if source.rooted and _end_of_path(WORLD, x))
    return Match(links, joints, actuators, roots)


def _plain(name: str) -> str:
    return re.sub(r"[^\w/]", "_", name)


def _by_name(ours: Sequence[str], theirs: Sequence[str]) -> dict[str, str]:
    """Exactly equal, else equal but for characters that importers replace, else the end of a path; each only once."""
    found = {name: name for name in ours if name in theirs}
    taken = set(found.values())
    for same in (_same_but_for_marks, _end_of_path):
        for name in ours:
            if name in found:
                continue
            candidates = [other for other in theirs if other not in taken and same(name, other)]
            if len(candidates) == 1:
                found[name] = candidates[0]
                taken.add(candidates[0])
    return found


def _same_but_for_marks(mine: str, other: str) -> bool:
    return _plain(mine) == _plain(other)


def _end_of_path(mine: str, other: str) -> bool:
    return _plain(other).endswith("/" + _plain(mine))


def _unnamed_links(source: Source, reading: Reading, links: dict[str, str]) -> None:
    """Links without a name, by a joint that has one; else in order, where a parent has equally many in both."""
    ours = source.reading
    by_name = _by_name(ours.joints, reading.joints)
    for link in ours.links:  # the link that the joint of the same name moves; the last one of several is the nearest
        moving = [by_name[j] for j, moved in ours.moved.items() if moved == link and j in by_name]
        if link not in links and ("link", link) in source.unnamed and moving:
            links[link] = reading.moved[moving[-1]]
    for parent in (WORLD, *ours.links):
        theirs_parent = WORLD if parent == WORLD else links.get(parent)
        if theirs_parent is None:
            continue
        taken = set(links.values())
        mine = [x for x in ours.links if ours.parents[x] == parent and x not in links]
        other = [x for x in reading.links if reading.parents.get(x) == theirs_parent and x not in taken]
        if mine and len(mine) == len(other) and all(("link", x) in source.unnamed for x in mine):
            links.update(zip(mine, other, strict=True))


def _by_moved_link(source: Source, reading: Reading, links: Mapping[str, str], joints: dict[str, str]) -> None:
    """Joints that an importer renamed: those that move the same link, in order, where there are equally many."""
    taken = set(joints.values())
    for link, theirs in links.items():
        mine = [j for j, x in source.reading.moved.items() if x == link and j not in joints]
        other = [j for j, x in reading.moved.items() if x == theirs and j not in taken]
        if mine and len(mine) == len(other):
            joints.update(zip(mine, other, strict=True))
            taken |= set(other)
