"""Findings that are one: the same item, engine, severity, quantity and cause over many elements."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..engine import Value
from .finder import share, show
from .finding import Finding, Report
from .lines import ordered
from .paths import Paths

NAMES = 8  # elements and lines that a row names one by one
_QUOTED = re.compile(r"(?<!\w)'[^']*'(?!\w)")
_NUMBER = re.compile(r"^[(+-]*(\d|inf|nan)")
_CAUSE = "\0"  # stands for a known cause, which is not cut
VARYING = "…"
VARIOUS = "various"


@dataclass(frozen=True, slots=True)
class Group:
    """Findings with one sentence, whose files are told by `paths`."""

    findings: tuple[Finding, ...]
    paths: Paths

    @property
    def first(self) -> Finding:
        """The finding whose item, engine, severity, cause and advice are those of all."""
        return self.findings[0]

    @property
    def verdict(self) -> str:
        """The severity, or that it is accepted."""
        return "accepted" if self.first.accepted else self.first.severity

    @property
    def names(self) -> list[str]:
        """The elements, each once; without what kind they are where they are all of one."""
        subjects = list(dict.fromkeys(subject(finding) for finding in self.findings))
        return subjects if len(self._kinds) > 1 else [_name(one) for one in subjects]

    @property
    def _kinds(self) -> set[str]:
        return {subject(finding).partition(" ")[0] for finding in self.findings}

    @property
    def subject(self) -> str:
        """The elements: "joint joint1", or "7 joints: joint1, joint2, ...", where many are named in part."""
        names = self.names
        if len(names) == 1:
            return subject(self.first)
        kind = f"{min(self._kinds)}s" if len(self._kinds) == 1 else "elements"
        shown = names if len(names) <= NAMES else [*names[: NAMES - 2], VARYING, names[-1]]
        return f"{len(names)} {kind}: {', '.join(shown)}"

    @property
    def message(self) -> str:
        """The sentence of all, with an ellipsis in place of what differs from one to the next."""
        messages = {finding.message for finding in self.findings}
        return self.paths.brief(self.first.message if len(messages) == 1 else shape(self.first))

    @property
    def worded(self) -> bool:
        """Whether the sentences differ in more than the values that stand in columns of their own."""
        return len({_without_values(finding) for finding in self.findings}) > 1

    @property
    def cause(self) -> str:
        """What is known of the engine, where the sentence does not say it already."""
        cause = self.paths.brief(self.first.cause)
        return "" if cause in self.message else cause

    @property
    def place(self) -> str:
        """FILE:LINE, LINE, ... of all."""
        lines: dict[str, list[int]] = {}
        for finding in self.findings:
            lines.setdefault(self.paths.near(finding.file), []).append(finding.line)
        return "; ".join(_lines(file, sorted({line for line in found if line})) for file, found in lines.items())

    @property
    def source(self) -> str:
        """The source's values in few words."""
        return self._span([finding.source for finding in self.findings])

    @property
    def found(self) -> str:
        """The engine's values in few words."""
        return self._span([finding.found for finding in self.findings])

    def _span(self, values: Sequence[Value]) -> str:
        mixed = len({finding.unit for finding in self.findings}) > 1 and any(value is not None for value in values)
        return VARIOUS if mixed else span(values, self.first.unit)

    @property
    def values(self) -> str:
        """Both values and the difference in one line, empty where the sentence says them."""
        if len({finding.message for finding in self.findings}) == 1:
            return ""
        named = (("source", self.source), ("engine", self.found), ("difference", self.difference))
        return ", ".join(f"{name} {text}" for name, text in named if text not in ("", VARIOUS))

    @property
    def difference(self) -> str:
        """The largest difference with its unit."""
        known = [f for f in self.findings if f.difference is not None]
        if not known or len({finding.unit for finding in self.findings}) > 1:
            return VARIOUS if known else ""
        largest = max(known, key=lambda f: f.difference or 0.0)
        alike = len(known) == len(self.findings) and len({f.difference for f in known}) == 1
        return ("" if alike else "up to ") + apart_words(largest)


def grouped(report: Report, paths: Paths) -> list[Group]:
    """The findings of a report in groups, in the order of `ordered`."""
    groups: dict[tuple[object, ...], list[Finding]] = {}
    for finding in ordered(report):
        measured = () if _is_option(finding) else (finding.quantity, finding.unit)
        key = (finding.accepted, finding.severity, finding.item, finding.engine, finding.cause)
        groups.setdefault((*key, *measured, shape(finding)), []).append(finding)
    return [Group(tuple(findings), paths) for findings in groups.values()]


def shape(finding: Finding) -> str:
    """The message with an ellipsis in place of names, numbers and values, so that equal sentences are equal."""
    text = finding.message.replace(finding.cause, _CAUSE) if finding.cause else finding.message
    text = _QUOTED.sub(VARYING, text)
    for value in (finding.source, finding.found, finding.quantity if _is_option(finding) else None):
        if isinstance(value, (str, bool, tuple)):
            text = _cut(text, show(value))
    words: list[str] = []
    for word in text.split():
        ending = word[len(word.rstrip(":;,)%")) :]
        word = VARYING + ending.replace(")", "") if _NUMBER.match(word) else word
        if word.startswith(VARYING) and words and words[-1] == VARYING:
            words.pop()
        words.append(word)
    return " ".join(words).replace(_CAUSE, finding.cause)


def _cut(text: str, value: str) -> str:
    """The text with an ellipsis wherever `value` stands as a word of its own."""
    return re.sub(rf"(?<![\w.]){re.escape(value)}(?![\w.])", VARYING, text) if value else text


def _without_values(finding: Finding) -> str:
    """The message without what has a column of its own: the element's name, both values and their difference."""
    text = finding.message
    relative = "" if finding.relative is None else share(finding.relative)
    values = [show(value) for value in (finding.source, finding.found) if value is not None]
    for value in (f"'{_name(subject(finding))}'", *values, apart_words(finding), relative):
        text = _cut(text, value)
    return text


def subject(finding: Finding) -> str:
    """What a finding is about, with the option's name where it is about one."""
    return f"option {finding.quantity}" if finding.element == "option" else finding.element


def _name(words: str) -> str:
    kind, _, name = words.partition(" ")
    return name or kind


def _is_option(finding: Finding) -> bool:
    return finding.element.partition(" ")[0] == "option"


def span(values: Sequence[Value], unit: str = "") -> str:
    """Values in few words: the one that all have, the range of numbers, or that they vary."""
    numbers = [v for v in values if isinstance(v, (int, float)) and not isinstance(v, bool)]
    if len(set(values)) == 1:
        only = values[0]
        return "" if only is None else show(only) + ("" if isinstance(only, (str, bool)) else _of(unit))
    if len(numbers) < len(values):
        return VARIOUS
    return f"{min(numbers):.4g} to {max(numbers):.4g}{_of(unit)}"


def apart_words(finding: Finding) -> str:
    """The difference of one finding with its unit."""
    return "" if finding.difference is None else f"{finding.difference:.3g}{_of(finding.unit)}"


def _of(unit: str) -> str:
    return "" if unit in ("", "1") else f" {unit}"


def _lines(file: str, lines: Sequence[int]) -> str:
    if not lines:
        return file
    shown = [str(line) for line in lines]
    if len(shown) > NAMES:
        shown = [*shown[: NAMES - 2], VARYING, shown[-1]]
    return f"{file}:{', '.join(shown)}"
