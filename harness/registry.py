"""Engines and experiments found by name, each imported only when it is used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..engines import ENGINES, Entry
from ..experiments import EXPERIMENTS
from .errors import UnknownName
from .job import PACKAGE
from .provenance import installed

STUDIES = PACKAGE / "experiments" / "conf" / "study"


def engine_entry(name: str) -> Entry:
    """The table line of an engine.

    Raises:
        UnknownName: there is none of that name.
    """
    if name not in ENGINES:
        raise UnknownName("engine", name, ENGINES)
    return ENGINES[name]


def engine_version(name: str) -> str | None:
    """Installed version of an engine, with that of the library inside if it has another; None if not installed."""
    entry = engine_entry(name)
    version = installed(entry.distribution or "simparity")
    return f"{version} ({entry.library})" if version and entry.library else version


def engine_mapping(name: str) -> Any:
    """The engine's `mapping` module, which needs no engine."""
    engine_entry(name)
    return import_module(f"simparity.engines.{name}.mapping")


def engine_adapter(name: str) -> Any:
    """The engine's `adapter` module; importing it imports the engine."""
    engine_entry(name)
    return import_module(f"simparity.engines.{name}.adapter")


def experiment_module(name: str) -> str:
    """Name of the module of an experiment below simparity.experiments."""
    if name not in EXPERIMENTS:
        raise UnknownName("experiment", name, EXPERIMENTS)
    return EXPERIMENTS[name].partition(":")[0]


def experiment_class(name: str) -> Any:
    """The dataclass of an experiment."""
    module = experiment_module(name)
    return getattr(import_module(f"simparity.experiments.{module}"), EXPERIMENTS[name].partition(":")[2])


def studies() -> dict[str, str]:
    """The studies that come with simparity: name -> what it is, the first line of its file."""
    return {
        path.stem: path.read_text().partition("\n")[0].lstrip("# ").rstrip(".")
        for path in sorted(STUDIES.glob("*.yaml"))
    }


def ensemble_of(name: str) -> str:
    """The parameter whose values are the members of one ensemble; "" where there is no such experiment or ensemble."""
    return str(experiment_class(name).ENSEMBLE) if name in EXPERIMENTS else ""


def outcomes_of(name: str) -> tuple[str, ...]:
    """Words for the outcomes of an experiment; none where there is no such experiment, or it has no outcomes."""
    return tuple(experiment_class(name).OUTCOMES) if name in EXPERIMENTS else ()
