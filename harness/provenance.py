"""Where a run was made: machine, versions, revision."""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

from .job import PACKAGE

ENVIRONMENT_FILE = "simparity.json"  # in the folder of an environment made for one version of an engine


@cache
def cpu_model() -> str:
    """Name of the processor as the system gives it."""
    try:
        match = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        match = None
    return match.group(1).strip() if match else platform.processor() or platform.machine()


def cores() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@cache
def machine_name() -> str:
    """A folder name for this kind of machine: processor and number of cores."""
    words = re.sub(r"\(.*?\)|\bCPU\b|\bProcessor\b|@.*", " ", cpu_model())
    return re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-") + f"-{cores()}"


@cache
def revision() -> str | None:
    """Git revision of the source that runs, with "+" when it has uncommitted changes; None outside a checkout."""
    try:
        describe = subprocess.run(
            ["git", "describe", "--always", "--abbrev=12", "--dirty=+", "--exclude=*"],
            cwd=PACKAGE,
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return describe.stdout.strip() if (PACKAGE / ".git").exists() else None


def installed(distribution: str) -> str | None:
    """Version of an installed distribution, None when it is not there."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


@cache
def requirements() -> dict[str, tuple[str, str]]:
    """What simparity declares: distribution -> (version specifier, extra or "").

    In an environment made for one version of an engine: what was asked for when it was made.
    """
    declared: dict[str, tuple[str, str]] = {}
    made = Path(sys.prefix) / ENVIRONMENT_FILE
    for line in json.loads(made.read_text())["declared"] if made.is_file() else metadata.requires("simparity") or []:
        requirement = Requirement(line)
        extra = re.search(r"extra == ['\"]([^'\"]+)", line)
        name = extra.group(1) if extra else ""
        if name not in ("dev", "all") and (requirement.name not in declared or not name):
            declared[requirement.name] = (str(requirement.specifier), name)
    return declared


def provenance() -> dict[str, Any]:
    """Everything about this process that a reader of a run may need."""
    packages = {
        name: {"declared": specifier, "installed": installed(name)}
        for name, (specifier, _) in sorted(requirements().items())
    }
    return {
        "finished": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "python": sys.version.split()[0],
        "platform": platform.platform(),
        "cpu": cpu_model(),
        "cores": cores(),
        "revision": revision(),
        "packages": packages,
    }
