"""The collision filter, names and order, and what became of shapes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from ..engine import Value
from ..imported import WORLD, Key, Reading, unordered
from .compare import renamed
from .differ import QUANTITIES, Apart, Measure, apart, shape_turn
from .finder import Finder
from .geoms import alike
from .match import Match
from .sizes import reach
from .source import Source

SHOWN = 6  # pairs of links named in one sentence


def compare_collisions(
    source: Source, full: Source, reading: Reading, match: Match, finder: Finder, rtol: float
) -> None:
    """Find what differs; `source` as it was compared, `full` with every link of the file."""
    _pairs(source, full, reading, match, finder)
    _names(full, reading, match, finder)
    _order(source, reading, match, finder)
    _shapes(source, full, reading, match, finder, rtol)


def owner(full: Reading, kept: Sequence[str]) -> Mapping[str, str]:
    """Link of the file -> the link that it is part of after merging."""
    found = {WORLD: WORLD}
    for link in full.links:
        into = link
        while into != WORLD and into not in kept:
            into = full.parents[into]
        found[link] = into
    return found


def _pairs(source: Source, full: Source, reading: Reading, match: Match, finder: Finder) -> None:
    if reading.pairs is None:
        finder.skipped["CF-PAIRS"] = reading.lacks.get("pairs", "the engine does not show its pairs")
        return
    if source.reading.pairs is None:
        finder.skipped["CF-PAIRS"] = "a URDF does not say which links may touch; engines are compared with each other"
        return
    of, back = owner(full.reading, source.reading.links), match.back("link")
    wanted: Counter[tuple[str, str]] = Counter()
    for (a, b), n in source.reading.pairs.items():
        if of.get(a, a) != of.get(b, b):
            wanted[unordered(of.get(a, a), of.get(b, b))] += n
    found: Counter[tuple[str, str]] = Counter()
    for (a, b), n in reading.pairs.items():
        found[unordered(back.get(a, a), back.get(b, b))] += n
    finder.checked["CF-PAIRS"] += max(len(wanted | found), 1)
    lost, more = sorted(set(wanted) - set(found)), sorted(set(found) - set(wanted))
    for quantity, pairs, words in (
        ("lost pairs", lost, "cannot touch, in the source they can"),
        ("extra pairs", more, "may touch, in the source they cannot"),
    ):
        if pairs:
            named = ", ".join(f"{a}+{b}" for a, b in pairs[:SHOWN]) + (" ..." if len(pairs) > SHOWN else "")
            message = f"{len(pairs)} of {len(wanted)} pairs of links {words}: {named}"
            key = Key("link", pairs[0][0], quantity)
            finder.add("CF-PAIRS", key, "error", message, source=len(wanted), found=len(found), unit="1")
    changed = [p for p in sorted(set(wanted) & set(found)) if wanted[p] != found[p]]
    if changed:
        a, b = changed[0]
        message = f"{len(changed)} pairs of links have another number of pairs of shapes, the first {a}+{b}"
        finder.add(
            "CF-PAIRS",
            Key("link", a, "shape pairs"),
            "warning",
            message,
            source=wanted[a, b],
            found=found[a, b],
            unit="1",
        )


def solid_links(reading: Reading, match: Match) -> tuple[str, ...]:
    """Links with colliding shapes, by the source's names."""
    back = match.back("link")
    links = (geom.rpartition("/")[0] for geom in reading.geoms)
    return tuple(sorted({back.get(link, link) for link in links}))


def touching(reading: Reading, match: Match) -> tuple[str, ...] | None:
    """Pairs of links that may touch, by the source's names, as A+B."""
    back = match.back("link")
    if reading.pairs is None:
        return None
    return tuple(sorted("+".join(unordered(back.get(a, a), back.get(b, b))) for a, b in reading.pairs))


def _names(full: Source, reading: Reading, match: Match, finder: Finder) -> None:
    for kind, table in (("link", match.links), ("joint", match.joints), ("actuator", match.actuators)):
        changed = {ours: theirs for ours, theirs in table.items() if ours != theirs}
        finder.checked["CF-NAMES"] += len(table)
        for ours in [o for o in changed if (kind, o) not in full.unnamed][:1]:
            message = f"{len(changed)} {kind}s have another name, the first {ours!r} is {changed[ours]!r}"
            finder.add("CF-NAMES", Key(kind, ours, "name"), "note", message, source=ours, found=changed[ours])
        nameless = [o for o in table if (kind, o) in full.unnamed]
        if nameless:
            message = (
                f"{len(nameless)} {kind}s have no name in the file, the first is called {table[nameless[0]]!r} here"
            )
            finder.add("CF-NAMES", Key(kind, nameless[0], "name"), "note", message, found=table[nameless[0]])


def _order(source: Source, reading: Reading, match: Match, finder: Finder) -> None:
    ours = [j for j in source.reading.joints if j in match.joints]
    back = match.back("joint")
    theirs = [back[j] for j in reading.joints if j in back]
    finder.checked["CF-ORDER"] += len(ours)
    if ours != theirs:
        first = next(i for i, (a, b) in enumerate(zip(ours, theirs, strict=True)) if a != b)
        message = (
            f"the order of joints differs from place {first}: {theirs[first]!r} where the source has {ours[first]!r}"
        )
        finder.add(
            "CF-ORDER",
            Key("joint", ours[first], "order"),
            "warning",
            message,
            source=" ".join(ours),
            found=" ".join(theirs),
        )


def _shapes(source: Source, full: Source, reading: Reading, match: Match, finder: Finder, rtol: float) -> None:
    of, back = owner(full.reading, source.reading.links), match.back("link")
    ours = Counter(of.get(name.rpartition("/")[0], "") for name in source.reading.geoms)
    if not source.prepared.geometry:
        for item in ("CF-GEOMS", "CF-MESH", "DF-SURFACE"):
            finder.skipped[item] = "shapes were left out"
    if "geom" in reading.lacks:
        for item in ("CF-GEOMS", "CF-MESH", "DF-SURFACE"):
            finder.skipped[item] = reading.lacks["geom"]
        return
    found = Counter(back.get(name.rpartition("/")[0], name.rpartition("/")[0]) for name in reading.geoms)
    for link in sorted(set(ours) | set(found)):
        finder.checked["CF-GEOMS"] += 1
        if ours[link] != found[link]:
            severity = "error" if found[link] < ours[link] else "warning"
            message = f"link {link!r} has {found[link]} colliding shapes, in the source {ours[link]}"
            key = Key("link", link, "shapes")
            finder.add("CF-GEOMS", key, severity, message, source=ours[link], found=found[link], unit="1")  # type: ignore[arg-type]
    table, size = alike(source.reading.table, renamed(reading, match)), reach(source.reading)
    merged_into = {into for link, into in of.items() if link != into}
    for key, row in source.reading.table.items():
        known = QUANTITIES.get(f"{key.kind}.{key.quantity}")
        link = key.name.rpartition("/")[0]
        if (
            key.kind != "geom"
            or known is None
            or ours[link] != found[link]
            or link in merged_into
            or of.get(link) != link
        ):
            continue
        item, measure = known
        theirs = table.get(key)
        why = reading.lacks.get(f"geom.{key.quantity}", "")
        if theirs is None or theirs.value is None:
            if not source.neutral(key) and source.is_authored(key):
                finder.lost(item, key, row, theirs.native if theirs else why)
            continue
        if key.quantity == "type" and row.value == "mesh" and theirs.value != "mesh":
            finder.checked["CF-MESH"] += 1
            message = f"the mesh is {theirs.value} in the engine"
            finder.add("CF-MESH", key, "warning", message, source=row.value, found=theirs.value)
            continue
        finder.checked[item] += 1
        rounded = reading.rounded.get(f"geom.{key.quantity}", 0.0)
        difference = _apart(source.reading, key, measure, row.value, theirs.value, rtol, size, rounded)
        if difference is None:
            continue
        if item == "DF-SURFACE" and not source.is_authored(key):
            _default(finder, key, row.value, theirs.value, row.unit)
        else:
            finder.differs(item, key, row, theirs, difference)


def _apart(
    ours: Reading, key: Key, measure: Measure, source: Value, found: Value, rtol: float, size: float, rounded: float
) -> Apart | None:
    if key.quantity != "orientation":
        return apart(measure, source, found, rtol, size, rounded)
    kind = str(ours.table[key._replace(quantity="type")].value)
    angle = shape_turn(kind, np.array(source, float), np.array(found, float))
    return Apart(angle, angle) if angle > max(rtol, rounded) else None


def _default(finder: Finder, key: Key, ours: object, theirs: object, unit: str) -> None:
    """Nobody set it: one note per quantity and value, not one per shape."""
    same = [f for f in finder.findings if (f.item, f.quantity, f.found) == ("DF-SURFACE", key.quantity, theirs)]
    if not same:
        message = f"{key.quantity} of shapes that do not say it is {theirs}, the format's default is {ours}"
        finder.add("DF-SURFACE", key, "note", message, source=ours, found=theirs, unit=unit)  # type: ignore[arg-type]
