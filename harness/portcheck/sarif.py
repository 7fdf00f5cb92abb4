"""The report as SARIF 2.1.0, so that findings appear at the line of the robot file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from .finding import Finding, Report
from .items import ITEMS

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def sarif(report: Report, folder: Path) -> str:
    """The JSON text; places inside `folder` are relative to it."""
    rules = list(ITEMS.values())
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
        "results": [_result(finding, [item.id for item in rules], folder) for finding in report.findings],
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


def _result(finding: Finding, rules: list[str], folder: Path) -> Mapping[str, Any]:
    text = f"{finding.engine}: {finding.element}: {finding.message}"
    text += f". Known: {finding.cause}" if finding.cause else ""
    place: dict[str, Any] = {"artifactLocation": {"uri": _uri(finding.file, folder)}}
    if finding.line:
        place["region"] = {"startLine": finding.line}
    result: dict[str, Any] = {
        "ruleId": finding.item,
        "ruleIndex": rules.index(finding.item),
        "level": finding.severity,
        "message": {"text": text},
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": {
            "simparity/v1": f"{finding.item}/{finding.engine}/{finding.element}/{finding.quantity}",
        },
    }
    if finding.accepted:
        result["suppressions"] = [{"kind": "external", "justification": finding.accepted}]
    return result


def _uri(file: str, folder: Path) -> str:
    path = Path(file).resolve()
    if path.is_relative_to(folder.resolve()):
        return quote(path.relative_to(folder.resolve()).as_posix())
    return path.as_uri()


def _version() -> str:
    try:
        return version("simparity")
    except PackageNotFoundError:
        return "0"
