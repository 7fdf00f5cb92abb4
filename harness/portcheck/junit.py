"""The report as JUnit XML: one case per item and engine, one suite per engine."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from .finding import SEVERITIES, Report, Severity

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(report: Report, fail_on: Severity) -> str:
    """The XML text; a case fails with findings at or above `fail_on`, and is an error where it is incomplete."""
    root = Element("testsuites", name="simparity check")
    least = SEVERITIES.index(fail_on)
    for engine in report.engines:
        suite = SubElement(root, "testsuite", name=engine)
        counts = {"tests": 0, "failures": 0, "errors": 0, "skipped": 0}
        for case in report.cases:
            if case.engine != engine:
                continue
            counts["tests"] += 1
            element = SubElement(
                suite, "testcase", classname=f"simparity.{engine}", name=case.item, file=_clean(report.robot)
            )
            mine = [f for f in report.findings if (f.item, f.engine) == (case.item, engine) and not f.accepted]
            grave = [f for f in mine if SEVERITIES.index(f.severity) >= least]
            if case.status == "incomplete":
                counts["errors"] += 1
                SubElement(element, "error", message=_clean(case.reason))
            elif grave:
                counts["failures"] += 1
                words = f"{len(grave)} finding" + ("" if len(grave) == 1 else "s")
                failure = SubElement(element, "failure", message=_clean(f"{words}: {grave[0].message}"))
                failure.text = _clean("\n".join(f"{f.place}: {f.severity}: {f.element}: {f.message}" for f in grave))
            elif case.status == "skipped":
                counts["skipped"] += 1
                SubElement(element, "skipped", message=_clean(case.reason))
            elif mine:
                SubElement(element, "system-out").text = _clean("\n".join(f"{f.severity}: {f.message}" for f in mine))
        for name, n in counts.items():
            suite.set(name, str(n))
    for name in ("tests", "failures", "errors", "skipped"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in root)))
    indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def _clean(words: str) -> str:
    """Without characters that XML cannot hold."""
    return _NOT_XML.sub("?", words)
