"""The table of a scan: `python -m simparity.harness.portcheck.scantable scan.jsonl... --out scan.md`."""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from .finding import SEVERITIES
from .items import ITEMS
from .markdown import escaped
from .scan import records

STATUSES = ("checked", "refused", "unusable", "incomplete")
MARK = "<!-- made by scantable from here on -->"  # what stands before it in the page stays
SHOWN = 160  # letters of a reason
Record = dict[str, Any]


def latest(lines: Iterable[Record]) -> list[Record]:
    """The last line of every file in every engine."""
    return list({(line["engine"], line["package"], line["file"]): line for line in lines}.values())


def table(lines: Sequence[Record]) -> str:
    """A page of Markdown: what was checked, what was refused and why, what was found."""
    engines = list(dict.fromkeys(line["engine"] for line in lines))
    versions = ", ".join(f"{e} {next(x['version'] for x in lines if x['engine'] == e)}" for e in engines)
    parts = [f"Engines: {versions}.", _coverage(lines, engines), _reasons(lines, engines), _findings(lines, engines)]
    return "\n\n".join(parts) + "\n"


def _coverage(lines: Sequence[Record], engines: Sequence[str]) -> str:
    rows = []
    for package in [*sorted({line["package"] for line in lines}), ""]:
        for engine in engines:
            mine = [x for x in lines if x["engine"] == engine and package in ("", x["package"])]
            count = Counter(x["status"] for x in mine)
            bare = sum(x["status"] == "checked" and not x["geometry"] for x in mine)
            shown = [str(count[status] or "") for status in STATUSES]
            shown[0] += f" ({bare} without shapes)" if bare else ""
            if mine:
                rows.append([package or "**all**", engine, str(len(mine)), *shown])
    return "## What was checked\n\n" + _rows(["package", "engine", "files", *STATUSES], rows)


def _reasons(lines: Sequence[Record], engines: Sequence[str]) -> str:
    rows = []
    for engine in engines:
        for status in STATUSES[1:]:
            grouped: dict[str, list[Record]] = defaultdict(list)
            for line in lines:
                if line["engine"] == engine and line["status"] == status:
                    grouped[reason(line["reason"])].append(line)
            for words, found in sorted(grouped.items(), key=lambda pair: (-len(pair[1]), pair[0])):
                first = min(f"{x['package']}/{x['file']}" for x in found)
                rows.append([engine, status, str(len(found)), escaped(words), f"`{short(first)}`"])
    return "## Why files were not checked\n\n" + _rows(["engine", "", "files", "reason", "one of them"], rows)


def _findings(lines: Sequence[Record], engines: Sequence[str]) -> str:
    rows = []
    checked = [line for line in lines if line["status"] == "checked"]
    for item in [i for i in ITEMS if any(f["item"] == i for x in checked for f in x["findings"])]:
        for engine in engines:
            files = [x for x in checked if x["engine"] == engine]
            found = [(x["file"], f) for x in files for f in x["findings"] if f["item"] == item]
            if found:
                count = Counter(f["severity"] for _, f in found)
                causes = Counter(f["cause"] for _, f in found if f["cause"])
                why = causes.most_common(1)[0][0] if causes else ""
                severities = [str(count[s] or "") for s in reversed(SEVERITIES)]
                rows.append([item, engine, str(len({file for file, _ in found})), *severities, escaped(why[:SHOWN])])
    heads = ["item", "engine", "files with it", *(f"{s}s" for s in reversed(SEVERITIES)), "most frequent known cause"]
    return "## What was found\n\n" + _rows(heads, rows)


def reason(words: str) -> str:
    """A reason without what belongs to one file: paths, quoted names, numbers of lines."""
    words = re.sub(r"[\w./~-]*/[\w./-]+", "FILE", words)
    words = re.sub(r"(?<!\w)'[^']*'(?!\w)|\"[^\"]*\"", "'...'", words)
    words = re.sub(r"FILE(:\d+)?|\bline \d+|\bid \d+", lambda m: "FILE" if "FILE" in m[0] else m[0].split()[0], words)
    words = re.sub(r"\d+(\.\d+)?(e-?\d+)?", "N", words)
    return words if len(words) <= SHOWN else words[:SHOWN] + " ..."


def short(path: str) -> str:
    """The package and the last three parts of a path."""
    package, *rest = path.split("/")
    return "/".join([package, *(["..."] if len(rest) > 3 else []), *rest[-3:]])


def _rows(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def main(arguments: Sequence[str]) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m simparity.harness.portcheck.scantable", description=__doc__)
    parser.add_argument("records", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args(arguments)
    lines = latest(line for path in asked.records for line in records(path))
    if not lines:
        parser.error(f"{asked.records[0]} holds no records; make them with simparity.harness.portcheck.scan")
    before, mark, _ = asked.out.read_text().partition(MARK) if asked.out.is_file() else ("", "", "")
    asked.out.write_text((before + mark + "\n\n" if mark else "") + table(lines))


if __name__ == "__main__":
    main(sys.argv[1:])
