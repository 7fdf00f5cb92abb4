"""Options: what the file sets against the engine's value, and what nobody set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..engine import Value
from ..imported import Key, Reading
from .differ import apart
from .finder import Finder, show
from .finding import Examined, Finding
from .items import ITEMS
from .source import Source


def compare_options(source: Source, reading: Reading, finder: Finder, rtol: float) -> None:
    """Options of the file and of its format against the engine's."""
    for key, row in source.reading.table.items():
        if key.kind != "option":
            continue
        theirs = reading.table.get(key)
        item = "DF-SET" if source.is_authored(key) else "DF-DEFAULT"
        if key.quantity in ("gravity", "flag_gravity") and _same_gravity(source.reading, reading, rtol):
            finder.checked[item] += 1
            continue
        if theirs is None or theirs.value is None:
            why = theirs.native if theirs is not None else reading.lacks.get(f"option.{key.quantity}", "")
            why = why or reading.lacks.get("option", "")
            finder.checked[item] += 1
            if item == "DF-SET":
                finder.lost(item, key, row, why)
            continue
        finder.checked[item] += 1
        difference = apart("number", row.value, theirs.value, rtol, 1.0)
        if difference is None:
            continue
        if item == "DF-SET":
            finder.differs(item, key, row, theirs, difference)
        else:
            message = f"{key.quantity} is {show(theirs.value)}, not set in the file; "
            message += f"the format's default is {show(row.value)}"
            finder.add(
                item, key, "note", message, source=row.value, found=theirs.value, unit=row.unit, apart=difference
            )


def _same_gravity(ours: Reading, theirs: Reading, rtol: float) -> bool:
    """Whether both have the same gravity once a flag that switches it off is counted."""
    a, b = (_gravity(reading) for reading in (ours, theirs))
    return a is not None and b is not None and apart("number", a, b, rtol, 1.0) is None


def _gravity(reading: Reading) -> Value:
    flag, row = (reading.table.get(option_key(name)) for name in ("flag_gravity", "gravity"))
    if flag is not None and flag.value is False:
        return (0.0, 0.0, 0.0)
    return None if row is None else row.value


def between_engines(robot: str, examined: Sequence[Examined]) -> list[Finding]:
    """Options that differ among engines and that the format does not have: one note each, under the first engine."""
    names: dict[str, dict[str, Value]] = {}
    for one in examined:
        for option, value in one.options.items():
            if value is not None:
                names.setdefault(option, {})[one.engine] = value
    said = {(f.quantity) for one in examined for f in one.findings if f.item in ("DF-DEFAULT", "DF-SET")}
    findings = []
    for option, values in sorted(names.items()):
        if len(values) < 2 or option in said or _alike(values):
            continue
        shown = ", ".join(f"{engine} {show(value)}" for engine, value in values.items())
        first = next(iter(values))
        findings.append(
            Finding(
                item="DF-DEFAULT",
                severity="note",
                engine=first,
                element=f"option {option}",
                quantity=option,
                file=robot,
                found=values[first],
                message=f"{option} differs among engines: {shown}",
                advice=ITEMS["DF-DEFAULT"].advice,
            )
        )
    return findings


def pairs_between_engines(robot: str, examined: Sequence[Examined]) -> list[Finding]:
    """Pairs of links that may touch in one engine and not in another, of links that both give shapes.

    For formats that say nothing of it; every engine is held against the first that shows its pairs.
    """
    shown = [one for one in examined if one.pairs is not None]
    findings = []
    for one in shown[1:]:
        first, both = shown[0], set(shown[0].links) & set(one.links)
        here, there = ({p for p in x.pairs or () if set(p.split("+")) <= both} for x in (first, one))
        differing = sorted(here ^ there)
        if differing:
            named = ", ".join(differing[:6]) + (" ..." if len(differing) > 6 else "")
            message = f"{len(differing)} pairs of links may touch in {first.engine} or {one.engine} only: {named}"
            findings.append(
                Finding(
                    item="CF-PAIRS",
                    severity="note",
                    engine=one.engine,
                    element="model",
                    quantity="pairs between engines",
                    file=robot,
                    source=len(here),
                    found=len(there),
                    unit="1",
                    message=message,
                    advice=ITEMS["CF-PAIRS"].advice,
                )
            )
    return findings


def _alike(values: Mapping[str, Value]) -> bool:
    first, *others = values.values()
    return all(apart("number", first, other, 1e-6, 1.0) is None for other in others)


def option_values(reading: Reading) -> dict[str, Value]:
    """Options of a reading by name."""
    return {key.quantity: row.value for key, row in reading.table.items() if key.kind == "option"}


def option_key(name: str) -> Key:
    """Key of an option."""
    return Key("option", "", name)
