"""Who took part in a comparison: an engine with what sets it apart, and what it is called."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True, order=True)
class Participant:
    """An engine as it took part: with the options that the user set, its version and libraries, and where it ran."""

    engine: str
    overrides: tuple[tuple[str, str], ...]
    version: str
    device: str
    precision: int
    machine: str
    libraries: tuple[tuple[str, str], ...] = ()

    def without(self, names: Sequence[str]) -> Participant:
        """The same without overrides of these options."""
        kept = tuple((name, value) for name, value in self.overrides if name not in names)
        return replace(self, overrides=kept)


def base_of(who: Participant, others: Sequence[Participant]) -> Participant | None:
    """The same engine with fewer overrides among `others`, the nearest one."""
    names = [name for name, _ in who.overrides]
    bases = [
        other
        for other in others
        if set(other.overrides) < set(who.overrides) and other.without(names) == who.without(names)
    ]
    return max(bases, key=lambda base: len(base.overrides), default=None)


def differing(libraries: Iterable[Sequence[tuple[str, str]]]) -> frozenset[str]:
    """Names of the libraries that are there in several versions."""
    versions: dict[str, set[str]] = defaultdict(set)
    for name, version in (item for items in libraries for item in items):
        versions[name].add(version)
    return frozenset(name for name, found in versions.items() if len(found) > 1)


def label(who: Participant, alike: Sequence[Participant]) -> str:
    """A name for `who`, told apart from those that are `alike` in engine and options."""
    words = [who.engine]
    marks = {
        "version": who.version,
        "device": who.device,
        "precision": f"{who.precision}-bit",
        "machine": f"on {who.machine}",
    }
    words += [text for name, text in marks.items() if len({getattr(other, name) for other in alike}) > 1]
    several = differing(other.libraries for other in alike)
    words += [f"{name} {version}" for name, version in who.libraries if name in several]
    return " ".join([*words, *(f"{name}={value}" for name, value in who.overrides)])
