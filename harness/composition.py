"""Overrides to a configuration. Hydra composes here and goes no further."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hydra import compose, initialize_config_dir
from hydra.core.config_store import ConfigStore
from hydra.core.global_hydra import GlobalHydra
from hydra.errors import HydraException
from omegaconf import MISSING, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from ..engines import ENGINES
from ..experiments import EXPERIMENTS
from .errors import UnknownName, UsageError
from .job import PACKAGE
from .registry import experiment_class, experiment_module
from .settings import PROFILES
from .smoke import smoke_words

CONF = PACKAGE / "experiments" / "conf"
# keys whose value can be read without Hydra: name, whether a word is such a plain value, and its type
PLAIN: tuple[tuple[str, Callable[[str], bool], type], ...] = (
    ("engine", lambda word: word in ENGINES, str),
    ("repeat", lambda word: re.fullmatch(r"0|[1-9][0-9]*", word) is not None, int),
)


@dataclass(slots=True, kw_only=True)
class RunConfig:
    """Schema of a run; times in seconds, None where the experiment decides, by SMOKE where `smoke` is set."""

    experiment: Any = MISSING
    engine: str = "mujoco"
    settings: str = "default"
    option: dict[str, Any] = field(default_factory=dict)
    dt: float | None = None
    duration: float | None = None
    stride: int = 1
    control_dt: float = 1e-3
    device: str = "cpu"
    precision: int | None = None
    repeat: int = 0
    timings: int = 3
    paced: bool = False
    smoke: bool = False
    results: str = "results"
    isolation: str = "fresh"
    workers: int = 1
    timeout: float = 900.0


def compose_all(expanded: list[list[str]]) -> list[RunConfig]:
    """The configuration behind each list of overrides.

    Hydra takes some 50 ms a composition, so that lists which differ only in plain engines and repeats share one.

    Raises:
        UsageError: anything about the words that cannot be done; one sentence.
    """
    store = ConfigStore.instance()
    store.store(name="schema", node=RunConfig)
    for name in EXPERIMENTS:
        store.store(group="experiment", name=f"{name}_schema", node=experiment_class(name))
    GlobalHydra.instance().clear()
    with initialize_config_dir(str(CONF), version_base="1.3"):
        composed: dict[tuple[object, ...], RunConfig] = {}
        configs = []
        for words in expanded:
            plain, shared = _apart(words)
            key = (*sorted(plain), *shared)
            if key not in composed:
                composed[key] = _compose(words)
            configs.append(dataclasses.replace(composed[key], **plain))
        return configs


def _apart(words: list[str]) -> tuple[dict[str, Any], list[str]]:
    """The plain engine and repeat of `words` as values, each named once, and the other words."""
    plain: dict[str, Any] = {}
    for key, fits, kind in PLAIN:
        said = [word.partition("=")[2] for word in words if word.partition("=")[0] == key]
        if len(said) == 1 and fits(said[0]):
            plain[key] = kind(said[0])
    return plain, [word for word in words if word.partition("=")[0] not in plain]


def _compose(words: list[str]) -> RunConfig:
    chosen = {word.partition("=")[0]: word.partition("=")[2] for word in words}
    keys = {f.name for f in dataclasses.fields(RunConfig)}
    if "experiment" not in chosen:
        for key in (word.partition("=")[0].lstrip("+~").partition(".")[0] for word in words):
            if key not in keys:
                raise UsageError(f"run has no parameter {key!r}; known parameters: {', '.join(sorted(keys))}")
        raise UsageError(f"no experiment was given; add experiment=NAME, one of: {', '.join(sorted(EXPERIMENTS))}")
    name = chosen["experiment"]
    experiment_module(name)
    if chosen.get("settings", "default") not in PROFILES:
        raise UnknownName("settings profile", chosen["settings"], PROFILES)
    known = {f"experiment.{f.name}" for f in dataclasses.fields(experiment_class(name))}
    for word in words:
        key = word.partition("=")[0].lstrip("+~")
        if key.startswith("experiment.") and key not in known:
            parameters = ", ".join(sorted(known))
            raise UsageError(f"experiment {name!r} has no parameter {key!r}; its parameters: {parameters}")
        if key.partition(".")[0] not in keys:
            hint = f"; did you mean experiment.{key}" if f"experiment.{key}" in known else ""
            raise UsageError(f"run has no parameter {key!r}{hint}; known parameters: {', '.join(sorted(keys))}")
    words = [f"+{word}" if word.startswith("option.") else word for word in words]
    try:
        config: Any = OmegaConf.to_object(compose("config", overrides=words))
        if config.smoke:
            words = smoke_words(experiment_class(name), words)
            config = OmegaConf.to_object(compose("config", overrides=words))
    except (HydraException, OmegaConfBaseException) as error:
        cause = error
        while cause.__cause__ is not None and isinstance(cause.__cause__, Exception):
            cause = cause.__cause__  # type: ignore[assignment]
        raise UsageError(f"cannot run {' '.join(words)}: {_in_our_words(cause)}") from error
    assert isinstance(config, RunConfig)
    return config


def _in_our_words(error: BaseException) -> str:
    """The reason of a composition error, with the value and the kind that was wanted."""
    line = first_line(error)
    found = re.match(r"Value '(.*)' (?:of type '\w+' could not be converted to|is not a valid) (\w+)", line)
    kinds = {"Float": "a number", "Integer": "a whole number", "bool": "true or false"}
    return f"{found.group(1)!r} is not {kinds.get(found.group(2), found.group(2))}" if found else line


def first_line(error: BaseException) -> str:
    """The first line of an error's text, its type where it has none."""
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
