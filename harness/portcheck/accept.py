"""Deviations that a project has accepted, each with its reason; one that no longer occurs is reported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from .finding import Case, Finding


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """Findings of `item` in `engine` about `element` ("joint joint1"; all may hold * and ?), accepted for `reason`."""

    item: str
    reason: str
    engine: str = "*"
    element: str = "*"

    def covers(self, finding: Finding) -> bool:
        """Whether this is about that finding."""
        return all(
            fnmatchcase(value, pattern)
            for value, pattern in (
                (finding.item, self.item),
                (finding.engine, self.engine),
                (finding.element, self.element),
            )
        )


def accept(
    findings: Sequence[Finding], accepted: Sequence[Accepted], cases: Sequence[Case]
) -> tuple[list[Finding], list[str]]:
    """The findings, those accepted with their reason, and a sentence for each accepted deviation that did not occur.

    One whose item was not compared this time, in no engine that it is about, is not missed.
    """
    used: set[Accepted] = set()
    kept = []
    for finding in findings:
        found = next((one for one in accepted if one.covers(finding)), None)
        if found is not None:
            used.add(found)
        kept.append(replace(finding, accepted=found.reason if found else ""))
    compared = [(case.item, case.engine) for case in cases if case.status in ("pass", "fail")]
    stale = [
        f"accepted deviation no longer occurs: {_words(one)} (reason: {one.reason}); take it out of the configuration"
        for one in accepted
        if one not in used
        and any(fnmatchcase(item, one.item) and fnmatchcase(engine, one.engine) for item, engine in compared)
    ]
    return kept, stale


def _words(one: Accepted) -> str:
    engine = "any engine" if one.engine == "*" else one.engine
    return f"{one.item} in {engine}" + ("" if one.element == "*" else f", {one.element}")
