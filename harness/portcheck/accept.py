"""Deviations that a project has accepted, each with its reason; one that no longer occurs is reported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path

from .finding import Finding, Report


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """Findings of `item` in `engine` about `element` ("joint joint1") of `robot`, accepted for `reason`.

    All but the reason may hold * and ?; `robot` is a file as given, from the working folder, or by its name alone.
    """

    item: str
    reason: str
    engine: str = "*"
    element: str = "*"
    robot: str = "*"

    def covers(self, finding: Finding, robot: str) -> bool:
        """Whether this is about that finding in the robot file `robot`."""
        return (
            self.meets(finding.item, finding.engine)
            and fnmatchcase(finding.element, self.element)
            and self.is_about(robot)
        )

    def meets(self, item: str, engine: str) -> bool:
        """Whether this is about that item in that engine."""
        return fnmatchcase(item, self.item) and fnmatchcase(engine, self.engine)

    def is_about(self, robot: str) -> bool:
        """Whether this is about that robot file."""
        path, whole = Path(robot), Path(robot).absolute()
        here = whole.relative_to(Path.cwd()) if whole.is_relative_to(Path.cwd()) else whole
        return any(fnmatchcase(name, self.robot) for name in (path.as_posix(), here.as_posix(), path.name))


def accept(findings: Sequence[Finding], accepted: Sequence[Accepted], robot: str) -> list[Finding]:
    """The findings in the robot file `robot`, those that are accepted with their reason."""
    found = [(finding, _first(accepted, finding, robot)) for finding in findings]
    return [replace(finding, accepted=one.reason if one else "") for finding, one in found]


def stale(accepted: Sequence[Accepted], reports: Sequence[Report]) -> list[str]:
    """A sentence for each accepted deviation that occurred in none of the robots.

    One whose item was not compared this time, in no engine and no robot that it is about, is not missed.
    """
    used = {_first(accepted, finding, report.robot) for report in reports for finding in report.findings}
    return [
        f"accepted deviation no longer occurs: {_words(one)} (reason: {one.reason}); take it out of the configuration"
        for one in accepted
        if one not in used and any(_compared(one, report) for report in reports)
    ]


def _first(accepted: Sequence[Accepted], finding: Finding, robot: str) -> Accepted | None:
    return next((one for one in accepted if one.covers(finding, robot)), None)


def _compared(one: Accepted, report: Report) -> bool:
    cases = [case for case in report.cases if case.status in ("pass", "fail")]
    return one.is_about(report.robot) and any(one.meets(case.item, case.engine) for case in cases)


def _words(one: Accepted) -> str:
    engine = "any engine" if one.engine == "*" else one.engine
    more = "".join(f", {word}" for word in (one.element, one.robot) if word != "*")
    return f"{one.item} in {engine}{more}"
