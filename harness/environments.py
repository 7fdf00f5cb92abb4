"""Makes and removes the environments in which other versions of an engine run.

What the engine's own version asks for wins; beside it comes only what a worker imports. simparity itself is not
installed there: the worker runs the source that runs here (`versions.command`).
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement

from ..engines import ENGINES
from .errors import SimparityError, UnknownName, UsageError
from .provenance import ENVIRONMENT_FILE, installed, requirements
from .registry import engine_entry
from .versions import Environment, packages_of, place_of, split_version

WORKER_NEEDS = ("numpy", "packaging", "pin", "mujoco")  # its arrays, its record, the reference, the MJCF compiler


def add(words: str) -> Environment:
    """Make the environment of NAME==VERSION unless it is there; it takes minutes for an engine with many needs.

    Raises:
        UsageError: no such engine, or no exact version.
        SimparityError: pip cannot install it; with pip's last line.
    """
    environment = _asked(words)
    if (environment.folder / ENVIRONMENT_FILE).exists():
        return environment
    environment.folder.parent.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(environment.folder, ignore_errors=True)  # what a broken-off attempt left
    try:
        _run([sys.executable, "-m", "venv", str(environment.folder)], "the environment cannot be made")
        asked = _engine_requirements(environment)
        _install(environment, asked)
        companions = _companions(environment)
        if companions:
            _run([*_pip(environment), *companions], f"what a worker needs cannot be installed beside {words}")
    except BaseException:
        shutil.rmtree(environment.folder, ignore_errors=True)
        raise
    found = packages_of(environment)
    entry = engine_entry(environment.engine)
    if found.get(entry.distribution or "") != environment.version:
        shutil.rmtree(environment.folder, ignore_errors=True)
        held = found.get(entry.distribution or "")
        raise SimparityError(f"{words!r} is {entry.distribution} {held} to pip; ask for {environment.engine}=={held}")
    said = {"engine": environment.engine, "version": environment.version, "declared": [*asked, *companions]}
    (environment.folder / ENVIRONMENT_FILE).write_text(json.dumps(said, indent=1) + "\n")
    return environment


def remove(words: str) -> Environment:
    """Delete the environment of NAME==VERSION.

    Raises:
        UsageError: there is none.
    """
    environment = _asked(words)
    if not (environment.folder / ENVIRONMENT_FILE).is_file():
        raise UsageError(f"{environment.name} has no environment; `simparity engines` lists those that exist")
    shutil.rmtree(environment.folder)
    return environment


def _asked(words: str) -> Environment:
    """The environment that NAME==VERSION or NAME@VERSION means; NAME is the engine's or its package's."""
    name, _, version = words.replace("==", "@").partition("@")
    by_package = {entry.distribution: engine for engine, entry in ENGINES.items() if entry.distribution}
    name = by_package.get(name, name)
    if name not in ENGINES:
        raise UnknownName("engine", name, ENGINES)
    split_version(f"{name}@{version or 'x'}")  # refuses an engine that has no versions
    try:
        exact = str(next(iter(Requirement(f"x=={version}").specifier)).version)
    except (InvalidRequirement, StopIteration):
        exact = "*"
    if "*" in exact or exact != version:
        raise UsageError(f"{words!r} names no exact version; give for example {name}==1.2.3")
    return place_of(name, version)


def _engine_requirements(environment: Environment) -> list[str]:
    """What simparity's extra for the engine asks for, with the engine at the version that was asked for."""
    entry = engine_entry(environment.engine)
    asked = []
    for name, (specifier, extra) in requirements().items():
        if extra == entry.extra and name not in (entry.distribution, "mujoco"):
            asked.append(f"{name}{specifier}")
    return [f"{entry.distribution}{_extras(entry.distribution or '')}=={environment.version}", *sorted(asked)]


def _extras(distribution: str) -> str:
    """Extras of the engine's distribution that simparity installs, as pip writes them."""
    from importlib import metadata

    for line in metadata.requires("simparity") or []:
        requirement = Requirement(line)
        if requirement.name == distribution and requirement.extras:
            return f"[{','.join(sorted(requirement.extras))}]"
    return ""


def _install(environment: Environment, asked: Sequence[str]) -> None:
    """Install the engine with the other libraries as they are here, so that it alone differs; else as it wants them."""
    entry = engine_entry(environment.engine)
    with tempfile.TemporaryDirectory() as scratch:
        constraints = Path(scratch) / "constraints.txt"
        for names in ({*entry.numerics, *WORKER_NEEDS}, set(WORKER_NEEDS)):  # what it was written for may be older
            here = {name: _here(name) for name in sorted(names - {entry.distribution})}
            constraints.write_text("".join(f"{name}=={version}\n" for name, version in here.items() if version))
            held = [*_pip(environment), "-c", str(constraints), *asked]
            if subprocess.run(held, capture_output=True, text=True).returncode == 0:
                return
    _run([*_pip(environment), *asked], f"{environment.name} cannot be installed")


def _companions(environment: Environment) -> list[str]:
    """Requirements for what a worker needs and the engine did not bring, at the versions that are used here."""
    found = packages_of(environment)
    packages_of.cache_clear()
    return [f"{name}=={_here(name)}" for name in WORKER_NEEDS if name not in found]


def _here(name: str) -> str:
    """Version of a distribution beside simparity, without a local label, which the index does not have."""
    return (installed(name) or "").partition("+")[0]


def _pip(environment: Environment) -> list[str]:
    return [str(environment.python), "-m", "pip", "install", "--disable-pip-version-check", "-q"]


def _run(words: Sequence[str], what: str) -> None:
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or ["no reason given"]
        raise SimparityError(f"{what}: {lines[-1].removeprefix('ERROR: ')}")
