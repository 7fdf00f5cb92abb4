"""Resolved values side by side: what each engine used, and where that is not what was asked or what others used."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields

from ..engine import ContactLaw, Resolution, Resolved, Unknown, Value
from ..required import REQUIRED_OPTIONS
from .quantity import NOTHING, unit_text, value_text

SAME = 1e-6  # relative: what 32-bit storage does to a value is no difference
MATRIX = 6  # numbers from which a tuple is a matrix, as an inertia is
TURNED = 1e-5  # of its largest entry: what turning a matrix in 32 bit does to the others
LAW_UNITS = {
    "K": "1/s^2",
    "B": "1/s",
    "width": "m",
    "bounce_threshold": "m/s",
    "stiffness": "N/m",
    "damping": "N s/m",
    "dissipation": "s/m",
}
LAW_WORDS = {
    "Soft": "soft (acceleration-level spring and damper)",
    "Impulse": "impulsive (stops within one step)",
    "Compliant": "compliant (spring and damper on forces)",
    "Unknown": "not stated",
}
IMPEDANCE = ("d_min", "d_max", "width", "midpoint", "power")


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One cell: the value in use as text, its origin, what was asked for where that differs, and the native name."""

    text: str
    origin: str
    asked: str = ""
    native: str = ""

    @property
    def known(self) -> bool:
        """Whether there is a value."""
        return self.origin not in ("absent", "unreadable", "")


@dataclass(frozen=True, kw_only=True)
class Line:
    """One canonical name over all participants.

    Attributes:
        differs: two participants have different values.
        partial: some participants have no value to compare.
    """

    name: str
    unit: str
    entries: tuple[Entry, ...]
    differs: bool
    partial: bool

    @property
    def reinterpreted(self) -> bool:
        """Whether an engine uses another value than was asked for."""
        return any(entry.asked for entry in self.entries)


@dataclass(frozen=True, kw_only=True)
class DefaultsTable:
    """All resolved values under one settings profile, in three groups.

    Attributes:
        law: the contact law and its numbers, one line each.
        marked: lines that differ or were reinterpreted.
        partial: lines that only some engines have.
        equal: the others.
    """

    settings: str
    dt: float
    participants: tuple[str, ...]
    law: tuple[Line, ...]
    marked: tuple[Line, ...]
    partial: tuple[Line, ...]
    equal: tuple[Line, ...]


def side_by_side(settings: str, dt: float, resolutions: Mapping[str, Resolution]) -> DefaultsTable:
    """The table of all resolutions: label of a participant -> what it resolved."""
    lines = [line_of(name, resolutions) for name in names_in(list(resolutions.values()))]
    marked = [line for line in lines if line.differs or line.reinterpreted]
    rest = [line for line in lines if not (line.differs or line.reinterpreted)]
    return DefaultsTable(
        settings=settings,
        dt=dt,
        participants=tuple(resolutions),
        law=tuple(law_lines([resolution.contact_law for resolution in resolutions.values()])),
        marked=tuple(marked),
        partial=tuple(line for line in rest if line.partial),
        equal=tuple(line for line in rest if not line.partial),
    )


def alike(x: Value, y: Value) -> bool:
    """Whether two values are the same up to 32-bit storage and capital letters."""
    if isinstance(x, tuple) and isinstance(y, tuple):
        if len(x) != len(y) or len(x) < MATRIX:
            return len(x) == len(y) and all(alike(p, q) for p, q in zip(x, y, strict=True))
        largest = max(abs(value) for value in (*x, *y))
        return all(abs(p - q) <= TURNED * largest for p, q in zip(x, y, strict=True))
    if isinstance(x, str) and isinstance(y, str):
        return x.casefold() == y.casefold()
    if isinstance(x, bool) or isinstance(y, bool) or not isinstance(x, (int, float)) or not isinstance(y, (int, float)):
        return x == y
    return math.isclose(x, y, rel_tol=SAME, abs_tol=1e-12)


def names_in(resolutions: Sequence[Resolution]) -> list[str]:
    """Every canonical name: required options in their order, other options, then bodies, shapes and pairs."""
    order = {name: k for k, name in enumerate(REQUIRED_OPTIONS)}
    names = {name for resolution in resolutions for name in resolution.table}
    kinds = ("body", "shape", "pair")

    def rank(name: str) -> tuple[int, int, str]:
        head = name.partition(".")[0]
        return (kinds.index(head) + 1 if "." in name and head in kinds else 0, order.get(name, len(order)), name)

    return sorted(names, key=rank)


def line_of(name: str, resolutions: Mapping[str, Resolution]) -> Line:
    """One canonical name over all resolutions."""
    rows = [resolution.table.get(name) for resolution in resolutions.values()]
    known = [row for row in rows if row is not None and row.value is not None]
    units = {row.unit for row in rows if row is not None}
    return Line(
        name=name,
        unit=unit_text(units.pop()) if len(units) == 1 else "",
        entries=tuple(_entry(row) for row in rows),
        differs=any(not _same(row, known[0]) for row in known),
        partial=len(known) < len(rows),
    )


def _same(a: Resolved, b: Resolved) -> bool:
    """Whether two rows say the same; zero is zero in any unit."""
    return alike(a.value, b.value) and (a.unit == b.unit or a.value == 0)


def _entry(row: Resolved | None) -> Entry:
    if row is None:
        return Entry(text=NOTHING, origin="", native="the engine's table has no such line")
    asked = row.authored
    if row.value is None:
        wanted = f"asked {value_text(asked, row.unit)}" if asked is not None else ""
        return Entry(text=row.origin, origin=row.origin, asked=wanted, native=row.native)
    changed = asked is not None and not alike(asked, row.value)
    return Entry(
        text=value_text(row.value, row.unit),
        origin=row.origin,
        asked=f"asked {value_text(asked, row.unit)}" if changed else "",
        native=row.native,
    )


def law_lines(laws: Sequence[ContactLaw]) -> Iterator[Line]:
    """The kind of each contact law, then its numbers."""
    kinds = [type(law).__name__ for law in laws]
    notes = [law.reason if isinstance(law, Unknown) else "" for law in laws]
    entries = tuple(
        Entry(text=LAW_WORDS[kind], origin="derived", native=note) for kind, note in zip(kinds, notes, strict=True)
    )
    yield Line(name="law", unit="", entries=entries, differs=len({*kinds}) > 1, partial=False)
    numbers = [_numbers(law) for law in laws]
    for name in dict.fromkeys(name for row in numbers for name in row):
        unit = LAW_UNITS.get(name, "1")
        values = [row.get(name) for row in numbers]
        known = [value for value in values if value is not None]
        yield Line(
            name=name,
            unit=unit_text(unit),
            entries=tuple(Entry(text=value_text(v, unit), origin="" if v is None else "derived") for v in values),
            differs=any(not alike(value, known[0]) for value in known),
            partial=len(known) < len(values),
        )


def _numbers(law: ContactLaw) -> dict[str, float]:
    if isinstance(law, Unknown):
        return {}
    numbers: dict[str, float] = {}
    for field in fields(law):
        value = getattr(law, field.name)
        if field.name == "impedance":
            numbers |= dict(zip(IMPEDANCE, value, strict=True))
        else:
            numbers[field.name] = value
    return numbers
