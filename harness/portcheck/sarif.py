"""The report as SARIF 2.1.0, so that findings appear at the line of the robot file."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from .finding import Finding, Report
from .items import ITEMS

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def sarif(report: Report, folder: Path) -> str:
    """The JSON text; places are relative to the root of the repository that `folder` is in, else to `folder`."""
    rules = list(ITEMS.values())
    root = _root(folder.resolve())
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "simparity",
                "version": _version(),
                "rules": [
                    {
                        "id": item.id,
                        "name": item.title,
                        "shortDescription": {"text": item.title},
                        "fullDescription": {"text": item.text},
                        "help": {"text": item.advice},
                    }
                    for item in rules
                ],
            }
        },
        "columnKind": "unicodeCodePoints",
        "results": _results(report.findings, [item.id for item in rules], root),
        "invocations": [
            {
                "executionSuccessful": not report.incomplete,
                "toolExecutionNotifications": [
                    {"level": "error", "message": {"text": f"{engine}: {reason}"}}
                    for engine, reason in sorted({(case.engine, case.reason) for case in report.incomplete})
                ],
            }
        ],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _results(findings: Sequence[Finding], rules: list[str], root: Path) -> list[Mapping[str, Any]]:
    """The results; the fingerprint of the second of several alike has a 2 at its end, and so on."""
    seen: Counter[str] = Counter()
    results = []
    for finding in findings:
        mark = f"{finding.item}/{finding.engine}/{finding.element}/{finding.quantity}"
        seen[mark] += 1
        results.append(_result(finding, rules, root, mark if seen[mark] == 1 else f"{mark}/{seen[mark]}"))
    return results


def _result(finding: Finding, rules: list[str], root: Path, fingerprint: str) -> Mapping[str, Any]:
    text = f"{finding.engine}: {finding.element}: {finding.message}"
    text += f". Known: {finding.cause}" if finding.cause else ""
    place: dict[str, Any] = {"artifactLocation": {"uri": _uri(finding.file, root)}}
    if finding.line:
        place["region"] = {"startLine": finding.line}
    result: dict[str, Any] = {
        "ruleId": finding.item,
        "ruleIndex": rules.index(finding.item),
        "level": finding.severity,
        "message": {"text": text},
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": {"simparity/v1": fingerprint},
    }
    if finding.accepted:
        result["suppressions"] = [{"kind": "external", "justification": finding.accepted}]
    return result


def _uri(file: str, root: Path) -> str:
    path = Path(file).resolve()
    return quote(path.relative_to(root).as_posix()) if path.is_relative_to(root) else path.as_uri()


def _root(folder: Path) -> Path:
    return next((path for path in (folder, *folder.parents) if (path / ".git").exists()), folder)


def _version() -> str:
    try:
        return version("simparity")
    except PackageNotFoundError:
        return "0"
