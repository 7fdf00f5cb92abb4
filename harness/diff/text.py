"""A `Diff` as a table for the terminal or as Markdown. Rows that are alike in several pairs stand once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .moved import Diff, Moved

TITLES: Mapping[str, str] = {
    "asked": "asked for",
    "option": "resolved options",
    "value": "read back",
    "metric": "metrics",
}
HEADERS = ("name", "A", "B", "difference", "relative", "unit", "where")
LONGEST = 60  # characters of a cell


@dataclass(frozen=True, slots=True)
class Section:
    """Rows of one kind between the same two sides; cells in the order of `headers`."""

    title: str
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def sentence(diff: Diff) -> str:
    """The whole in one sentence."""
    things = f"{diff.compared} {'pair' if diff.compared == 1 else 'pairs'}"
    alone = len(diff.only_a) + len(diff.only_b)
    if diff.empty:
        return f"Nothing differs between {diff.a} and {diff.b}: {things} compared."
    beyond = [len(pair.beyond) for pair in diff.pairs if pair.beyond]
    found = f"{sum(beyond)} {'value' if sum(beyond) == 1 else 'values'} moved in {len(beyond)} of {things}"
    return f"{found}; {alone} without a partner. {_rounded(diff)}A is {diff.a}, B is {diff.b}."


def _rounded(diff: Diff) -> str:
    """What rounding alone can have moved, in one sentence."""
    moved = [(row.relative or 0.0, row.name, pair) for pair in diff.pairs for row in pair.moved if row.rounding]
    if not moved:
        return ""
    relative, name, pair = max(moved, key=lambda one: one[0])
    where = f"{pair.subject}: {name}, {_percent(relative)}".removeprefix(": ")
    return (
        f"{len(moved)} more {'metric' if len(moved) == 1 else 'metrics'} moved by no more than the rounding of every "
        f"step adds up to (the most: {where}); --rtol 0 shows them. "
    )


def sections(diff: Diff) -> list[Section]:
    """The rows, by the two sides and then by kind; what moved alike in several pairs stands once.

    A pair without a subject is the only one, and needs no column that says where.
    """
    rows: dict[tuple[str, str], dict[tuple[str, ...], list[str]]] = {}
    subjects: dict[tuple[str, str], list[str]] = {}
    for pair in diff.pairs:
        sides = f"{pair.a}, {pair.b}" if pair.a != pair.b else pair.a
        subjects.setdefault((sides, ""), []).append(pair.subject)
        for moved in pair.beyond:
            rows.setdefault((sides, moved.kind), {}).setdefault(_cells(moved), []).append(pair.subject)
    made = []
    for sides, kind in sorted(rows, key=lambda key: (key[0], list(TITLES).index(key[1]))):
        of_all = subjects[sides, ""]
        named = any(of_all)
        table = [(*cells, _where(found, of_all))[: None if named else -1] for cells, found in rows[sides, kind].items()]
        made.append(Section(f"{sides}: {TITLES[kind]}", HEADERS if named else HEADERS[:-1], tuple(table)))
    return made


def markdown(diff: Diff, command: str) -> str:
    """The page that `command` makes."""
    lines = [f"Made by `{command}`.", "", sentence(diff), ""]
    lines += [f"- {text}" for text in diff.context]
    for section in sections(diff):
        lines += ["", f"## {section.title}", "", _row(section.headers), "|---" * len(section.headers) + "|"]
        lines += [_row(tuple(map(_escaped, row))) for row in section.rows]
    for side, names in (("A", diff.only_a), ("B", diff.only_b)):
        if names:
            lines += ["", f"## Only in {side}", "", *(f"- {_escaped(name)}" for name in names)]
    return "\n".join(lines) + "\n"


def _row(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


def _cells(moved: Moved) -> tuple[str, ...]:
    name = f"{moved.name} ({moved.why})" if moved.why else moved.name
    a, b = ("(not there)" if moved.only == other else shown(value) for other, value in (("B", moved.a), ("A", moved.b)))
    absolute = "" if moved.absolute is None else f"{moved.absolute:.3g}"
    relative = "" if moved.relative is None else _percent(moved.relative)
    return (name, a, b, absolute, relative, moved.unit)


def _percent(x: float) -> str:
    return f"{100 * x:.3g} %" if x >= 1e-4 else f"{x:.2g}"


def shown(value: Any) -> str:
    """A value as a cell: numbers to nine digits, long ones cut."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "no number"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, float):
        return f"{value:.9g}"
    text = " ".join(map(shown, value)) if isinstance(value, (list, tuple)) else str(value)
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def _where(found: list[str], everywhere: list[str]) -> str:
    """The subjects, in as few words as it takes."""
    if len(found) == len(everywhere):
        return "everywhere" if len(found) > 1 else found[0]
    return "; ".join(_short(subject) for subject in found)


def _short(subject: str) -> str:
    """A subject without the engine, which the title names, and the repeat."""
    words = subject.split()
    return " ".join(words[1:-1]) if len(words) > 2 else subject
