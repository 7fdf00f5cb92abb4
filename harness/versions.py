"""Versions of an engine side by side: each in an environment of its own, whose interpreter runs the worker.

`engine=NAME` means the version that is installed beside simparity, `engine=NAME@VERSION` the one in that environment.
The worker there runs the source that runs here, so that an upgrade of the engine changes the engine alone.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from .errors import SimparityError, UsageError
from .job import PACKAGE
from .provenance import ENVIRONMENT_FILE, installed
from .registry import engine_entry, engine_version

FOLDER_VARIABLE = "SIMPARITY_ENGINES"
_ASK = (  # of two distributions of one name the first on the path wins, as in an import
    "import json, sys\nfrom importlib import metadata\n"
    "print(json.dumps({d.metadata['Name']: d.version for d in reversed(list(metadata.distributions()))}))"
)
# the package that runs here under its name, wherever it lies and whatever that folder is called
_START = (
    "import importlib.util, runpy, sys\n"
    "folder, module = sys.argv[1:3]\n"
    "spec = importlib.util.spec_from_file_location("
    "'simparity', folder + '/__init__.py', submodule_search_locations=[folder])\n"
    "package = importlib.util.module_from_spec(spec)\n"
    "sys.modules['simparity'] = package\n"
    "spec.loader.exec_module(package)\n"
    "sys.argv = sys.argv[2:]\n"
    "runpy.run_module(module, run_name='__main__', alter_sys=True)"
)


@dataclass(frozen=True, slots=True)
class Environment:
    """One version of an engine in a folder of its own."""

    engine: str
    version: str
    folder: Path

    @property
    def name(self) -> str:
        """How the command line calls it."""
        return f"{self.engine}@{self.version}"

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def environments_folder() -> Path:
    """Folder of all environments: the variable SIMPARITY_ENGINES, else a folder of the user's cache."""
    if chosen := os.environ.get(FOLDER_VARIABLE):
        return Path(chosen)
    if sys.platform == "darwin":
        cached = Path.home() / "Library" / "Caches"
    elif sys.platform == "win32":
        cached = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    else:
        cached = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cached / "simparity" / "engines"


def split_version(engine: str) -> tuple[str, str]:
    """Name and version of NAME or NAME@VERSION, the version empty without one.

    Raises:
        UsageError: no engine of that name, no version after "@", or an engine that has none of its own.
    """
    name, at, version = engine.partition("@")
    entry = engine_entry(name)
    if at and not version:
        raise UsageError(f"engine {engine!r} names no version; give for example {name}@1.2.3, or {name} alone")
    if at and entry.distribution is None:
        raise UsageError(f"engine {name!r} is part of simparity and has no versions of its own; give engine={name}")
    return name, version


def place_of(engine: str, version: str) -> Environment:
    """Where the environment of that version is or would be."""
    return Environment(engine, version, environments_folder() / f"{engine}-{version}")


def environments() -> Iterator[Environment]:
    """Every environment that is complete."""
    for path in sorted(environments_folder().glob(f"*/{ENVIRONMENT_FILE}")):
        said = json.loads(path.read_text())
        found = Environment(said["engine"], said["version"], path.parent)
        if found.python.exists():
            yield found


def environment_of(engine: str, version: str) -> Environment | None:
    """The environment that runs that version; None when it is the one installed here.

    Raises:
        UsageError: there is none.
    """
    entry = engine_entry(engine)
    if not version or version in (installed(entry.distribution or "simparity"), engine_version(engine)):
        return None
    found = place_of(engine, version)
    if (found.folder / ENVIRONMENT_FILE).is_file() and found.python.exists():
        return found
    have = ", ".join(e.name for e in environments() if e.engine == engine)
    here = engine_version(engine)
    there = [f"{engine} {here}"] if here else []
    raise UsageError(
        f"engine '{engine}@{version}' has no environment (there {'are' if have else 'is'}: "
        f"{', '.join([*there, *([have] if have else [])]) or 'none'}); make it with: "
        f"simparity engines add {engine}=={version}"
    )


@cache
def packages_of(environment: Environment) -> dict[str, str]:
    """Version of every distribution in it, as its interpreter says."""
    done = subprocess.run([environment.python, "-I", "-c", _ASK], capture_output=True, text=True)
    if done.returncode:
        raise SimparityError(f"the interpreter of {environment.name} does not run: {done.stderr.strip()[-300:]}")
    found: dict[str, str] = json.loads(done.stdout)
    return found


def library_versions(environment: Environment | None, names: list[str]) -> dict[str, str]:
    """Versions of the distributions `names` in the environment, or here; empty where one is not there."""
    if environment is None:
        return {name: installed(name) or "" for name in names}
    return {name: packages_of(environment).get(name, "") for name in names}


def command(environment: Environment | None, module: str, python: str = sys.executable) -> list[str]:
    """The words that run `module` of this simparity with the interpreter of `environment`, or with `python`."""
    if environment is None:
        return [python, "-m", module]
    return [str(environment.python), "-I", "-c", _START, str(PACKAGE), module]
