"""Findings of the checklist, and what a whole check leaves, as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from ..engine import Value

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("note", "warning", "error")
Status = Literal["pass", "fail", "skipped", "incomplete"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One deviation of an engine from the source.

    Attributes:
        item: id of the checklist's item.
        element: what it is about, "link link3" or "option gravity".
        quantity: which of its quantities.
        file, line: where the source says it; line 0 where we do not know.
        source, found: the source's value and the engine's, in `unit`; None where there is none.
        difference: absolute, in `unit` (rad for orientations and directions); None where it has no meaning.
        relative: the same as a part of the source's size [1].
        message: the finding in a sentence; `cause`: why, where we know; `advice`: what to do.
        accepted: reason under which the configuration accepts it, empty where it does not.
    """

    item: str
    severity: Severity
    engine: str
    element: str
    quantity: str = ""
    file: str = ""
    line: int = 0
    source: Value = None
    found: Value = None
    unit: str = ""
    difference: float | None = None
    relative: float | None = None
    message: str = ""
    cause: str = ""
    advice: str = ""
    accepted: str = ""

    @property
    def place(self) -> str:
        """FILE:LINE, or as much of it as is known."""
        return f"{self.file}:{self.line}" if self.line else self.file


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One item in one engine; `reason` says why it was skipped or is incomplete, `checked` how much was compared."""

    item: str
    engine: str
    status: Status
    reason: str = ""
    checked: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """What one engine's process leaves: its cases and findings.

    For the comparison between engines also its options, and by the source's names its links with shapes and the pairs
    of them that may touch, as A+B; None where they cannot be read.
    """

    engine: str
    version: str = ""
    cases: tuple[Case, ...] = ()
    findings: tuple[Finding, ...] = ()
    options: Mapping[str, Value] = field(default_factory=dict)
    links: tuple[str, ...] = ()
    pairs: tuple[str, ...] | None = None
    notes: tuple[str, ...] = ()
    imported: bool = False
    seconds: float = 0.0

    def plain(self) -> dict[str, Any]:
        """As JSON values."""
        return asdict(self)


def from_plain(plain: Mapping[str, Any]) -> Examined:
    """The `Examined` that `plain` wrote."""

    def value(x: Any) -> Any:
        return tuple(value(y) for y in x) if isinstance(x, list) else x

    findings = tuple(Finding(**{k: value(v) for k, v in one.items()}) for one in plain["findings"])
    cases = tuple(Case(**case) for case in plain["cases"])
    options = {k: value(v) for k, v in plain["options"].items()}
    return Examined(
        engine=plain["engine"],
        version=plain["version"],
        cases=cases,
        findings=findings,
        options=options,
        links=tuple(plain["links"]),
        pairs=None if plain["pairs"] is None else tuple(plain["pairs"]),
        notes=tuple(plain["notes"]),
        imported=plain["imported"],
        seconds=plain["seconds"],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A whole check of one robot file.

    Attributes:
        robot: path as given; `format`: mjcf or urdf; `reader`: who read the source; `counts`: links, joints and so on.
        engines: engine -> version, in the order asked for.
        stale: accepted deviations of the configuration that did not occur, in this robot or in any of one command.
    """

    robot: str
    format: str
    reader: str
    counts: Mapping[str, int]
    engines: Mapping[str, str]
    cases: Sequence[Case]
    findings: Sequence[Finding]
    notes: Sequence[str] = ()
    stale: Sequence[str] = ()

    def open_findings(self, least: Severity = "note") -> list[Finding]:
        """Findings that are not accepted, of at least that severity."""
        rank = SEVERITIES.index(least)
        return [f for f in self.findings if not f.accepted and SEVERITIES.index(f.severity) >= rank]

    @property
    def incomplete(self) -> list[Case]:
        """Cases that could not be brought to an end."""
        return [case for case in self.cases if case.status == "incomplete"]

    @property
    def compared(self) -> bool:
        """Whether any item was compared in any engine."""
        return any(case.status in ("pass", "fail") for case in self.cases)

    def exit_code(self, fail_on: Severity) -> int:
        """0 clean, 1 findings at or above `fail_on`, 3 incomplete, which it is too where nothing was compared."""
        if self.open_findings(fail_on):
            return 1
        return 3 if self.incomplete or not self.compared else 0
