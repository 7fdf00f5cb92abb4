"""Deviations that a project has accepted, each with its reason; one that no longer occurs is reported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from .finding import Finding


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
    findings: Sequence[Finding], accepted: Sequence[Accepted], engines: Sequence[str]
) -> tuple[list[Finding], list[str]]:
    """The findings, those accepted with their reason, and a sentence for each accepted deviation that did not occur."""
    used: set[Accepted] = set()
    kept = []
    for finding in findings:
        found = next((one for one in accepted if one.covers(finding)), None)
        if found is not None:
            used.add(found)
        kept.append(replace(finding, accepted=found.reason if found else ""))
    stale = [
        f"accepted deviation {one.item} of {one.element} in {one.engine} no longer occurs ({one.reason}); take it out"
        for one in accepted
        if one not in used and any(fnmatchcase(engine, one.engine) for engine in engines)
    ]
    return kept, stale
