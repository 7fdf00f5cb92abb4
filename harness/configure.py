"""From the words of the command line to jobs. Hydra composes here and goes no further."""

from __future__ import annotations

import dataclasses
import hashlib
import math
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hydra import compose, initialize_config_dir
from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
from hydra.core.config_store import ConfigStore
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.errors import HydraException
from omegaconf import MISSING, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from ..experiments import EXPERIMENTS
from .device import DEVICES, require_cuda
from .errors import UnknownName, UsageError
from .job import PACKAGE, Job, code_digest
from .registry import engine_entry, engine_mapping, engine_version, experiment_class, experiment_module
from .scene import Mesh
from .schedule import Schedule
from .settings import PROFILES, settle
from .smoke import smoke_words
from .versions import environment_of, library_versions, split_version

CONF = PACKAGE / "experiments" / "conf"
ROBOT_LIBRARIES = ("pin", "mujoco")  # the torque law and the compiler of the source, whatever engine runs
LAUNCH_KEYS = ("results", "isolation", "workers", "timeout")


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The jobs that were asked for, and how to launch them."""

    jobs: tuple[Job, ...]
    results: Path
    isolation: str
    workers: int
    timeout: float


def plan(words: Sequence[str], *, multirun: bool) -> Plan:
    """The plan behind overrides like `experiment=drop engine=mujoco,newton`.

    Args:
        words: Hydra overrides.
        multirun: whether a comma-separated value means one run for each.

    Raises:
        UsageError: anything about the words that cannot be done; one sentence.
    """
    for word in words:
        if "=" not in word:
            raise UsageError(f"cannot read {word!r}; give NAME=VALUE, for example experiment=drop")
    study = [word.removeprefix("study=") for word in words if word.startswith("study=")]
    others = [word for word in words if not word.startswith("study=")]
    if study:
        config = _load_study(study[-1])
        launch = [f"{key}={config[key]}" for key in LAUNCH_KEYS if key in config]
        lists = [launch + sweep for sweep in _study_sweeps(config["sweeps"], others)]
        expanded = [run for sweep in lists for run in _expand(sweep, multirun=True)]
    else:
        expanded = list(_expand(others, multirun=multirun))
    configs = _compose_all(expanded)
    if not configs:
        raise UsageError(f"the study {study[-1] if study else ''!r} has no run for {' '.join(others)}")
    first = configs[0]
    asked = [_job(config) for config in configs]
    jobs = tuple({job.run_id: job for job in asked}.values())
    return Plan(
        jobs=jobs,
        results=Path(first.results),
        isolation=first.isolation,
        workers=first.workers,
        timeout=first.timeout,
    )


def studies() -> list[str]:
    """Names of the studies that come with simparity."""
    return sorted(path.stem for path in (CONF / "study").glob("*.yaml"))


def _load_study(name: str) -> dict[str, Any]:
    path = Path(name) if name.endswith((".yaml", ".yml")) else CONF / "study" / f"{name}.yaml"
    if not path.is_file():
        if path.parent == CONF / "study":
            hint = " (a study of your own is named by its path, ending in .yaml)"
            raise UsageError(f"study {name!r} does not exist; known studies: {', '.join(studies())}{hint}")
        raise UsageError(f"study file {name} does not exist; give a YAML file or one of: {', '.join(studies())}")
    try:
        config: Any = OmegaConf.to_container(OmegaConf.load(path))
    except (OmegaConfBaseException, ValueError) as error:
        raise UsageError(f"study file {name} cannot be read: {_first_line(error)}") from error
    if not isinstance(config, dict) or not isinstance(config.get("sweeps"), list):
        raise UsageError(f"study file {name} has no list `sweeps`; each entry maps overrides to values")
    unknown = sorted(set(map(str, config)) - {"sweeps", *LAUNCH_KEYS})
    if unknown:
        raise UsageError(f"study file {name} has {', '.join(unknown)}; it takes sweeps, {', '.join(LAUNCH_KEYS)}")
    return config


NARROWED = ("experiment", "engine")


def _study_sweeps(sweeps: list[dict[str, Any]], words: list[str]) -> Iterator[list[str]]:
    """Overrides of each sweep with the user's words on top; `experiment=` and `engine=` only narrow a study."""
    wanted = {key: value.split(",") for key, _, value in (word.partition("=") for word in words) if key in NARROWED}
    for name in wanted.get("engine", ()):
        split_version(name)
    for name in wanted.get("experiment", ()):
        experiment_module(name)
    others = [word for word in words if word.partition("=")[0] not in NARROWED]
    replaced = {word.partition("=")[0].lstrip("+") for word in others}
    for sweep in sweeps:
        values = {str(key): str(value) for key, value in sweep.items() if str(key).lstrip("+") not in replaced}
        for key, names in wanted.items():
            listed = [name.strip() for name in values.get(key, "mujoco").split(",")]
            kept = [name for name in names if name.partition("@")[0] in listed]  # a version stands for its engine
            values[key] = ",".join(kept)
        if all(values.get(key, "mujoco") for key in NARROWED):
            yield [f"{key}={value}" for key, value in values.items()] + others


def _expand(words: list[str], *, multirun: bool) -> Iterator[list[str]]:
    """One list of overrides for each run of a sweep."""
    try:
        overrides = OverridesParser.create().parse_overrides(words)
    except HydraException as error:
        raise UsageError(f"cannot read the overrides {' '.join(words)}: {_first_line(error)}") from error
    for override in overrides:
        if override.is_sweep_override() and override.get_key_element() in LAUNCH_KEYS:
            raise UsageError(f"{override.get_key_element()} has several values; one sweep is run in one way: give one")
    swept = [override for override in overrides if override.is_sweep_override()]
    if swept and not multirun:
        key = swept[0].get_key_element()
        raise UsageError(f"{key} has several values; add -m to run one for each: simparity run -m {' '.join(words)}")
    for batch in BasicSweeper.split_arguments(overrides, max_batch_size=None):
        yield from batch


def _compose_all(expanded: list[list[str]]) -> list[RunConfig]:
    (store := ConfigStore.instance()).store(name="schema", node=RunConfig)
    for name in EXPERIMENTS:
        store.store(group="experiment", name=f"{name}_schema", node=experiment_class(name))
    GlobalHydra.instance().clear()
    with initialize_config_dir(str(CONF), version_base="1.3"):
        return [_compose(words) for words in expanded]


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


def _job(config: RunConfig) -> Job:
    experiment = config.experiment
    engine, asked_version = split_version(config.engine)
    entry = engine_entry(engine)
    environment = environment_of(engine, asked_version)
    version = environment.version if environment is not None else engine_version(engine)
    if version is None:
        raise UsageError(f"engine {engine!r} is not installed; install it with: pip install 'simparity[{entry.extra}]'")
    if config.device not in DEVICES:
        raise UnknownName("device", config.device, DEVICES)
    if config.device not in entry.devices:
        devices = " and ".join(entry.devices)
        raise UsageError(f"engine {engine!r} runs on the {devices} only, not on {config.device}; use device=cpu")
    if config.device == "cuda":
        require_cuda(engine)
    settings = settle(engine, engine_mapping(engine), config.settings, config.option)
    schedule = Schedule(
        dt=type(experiment).DT if config.dt is None else config.dt,
        duration=type(experiment).DURATION if config.duration is None else config.duration,
        stride=config.stride,
        control_dt=config.control_dt,
    )
    if config.isolation not in ("fresh", "warm"):
        raise UnknownName("isolation", config.isolation, ("fresh", "warm"))
    for name, value, least in (
        ("repeat", config.repeat, 0),
        ("timings", config.timings, 0),
        ("workers", config.workers, 1),
    ):
        if value < least:
            raise UsageError(f"{name} is {value}; give a whole number, at least {least}")
    if not (math.isfinite(config.timeout) and config.timeout > 0):
        raise UsageError(f"timeout is {config.timeout} s; give a positive number of seconds")
    scene = experiment.scene(schedule.dt)  # these two say now what is wrong with the parameters
    if experiment.controller(schedule) is not None and not schedule.control_divides:
        near = schedule.control_dt / schedule.control_period
        raise UsageError(
            f"dt {schedule.dt:g} s does not divide the control period of {schedule.control_dt:g} s; {near:g} s would"
        )
    name = type(experiment).NAME
    meshes = [shape.path for body in scene.bodies for shape in body.shapes if isinstance(shape, Mesh)]
    inputs = [*experiment.inputs(), *meshes, *(body.mesh for body in scene.soft_bodies)]
    libraries = sorted({*entry.numerics, *(ROBOT_LIBRARIES if scene.robots else ())})
    return Job(
        experiment=name,
        params=dataclasses.asdict(experiment),
        engine=engine,
        engine_version=version,
        settings=config.settings,
        options=settings.options,
        overrides={name: settings.options[name] for name in sorted(config.option)},
        dt=schedule.dt,
        duration=schedule.duration,
        stride=schedule.stride,
        control_dt=schedule.control_dt,
        device=config.device,
        precision=entry.precisions[0] if config.precision is None else config.precision,
        timings=config.timings,
        paced=config.paced,
        code=code_digest(engine, experiment_module(name)),
        libraries=library_versions(environment, libraries),
        inputs={_key(path, inputs[0]): hashlib.sha256(Path(path).read_bytes()).hexdigest() for path in inputs},
        repeat=config.repeat,
    )


def _key(path: str, first: str) -> str:
    """A file's name beside the first one, so that a run is the same wherever the files lie."""
    return os.path.relpath(path, Path(first).parent)


def _in_our_words(error: BaseException) -> str:
    """The reason of a composition error, with the value and the kind that was wanted."""
    line = _first_line(error)
    found = re.match(r"Value '(.*)' of type '\w+' could not be converted to (\w+)", line)
    kinds = {"Float": "a number", "Integer": "a whole number", "Boolean": "true or false"}
    return f"{found.group(1)!r} is not {kinds.get(found.group(2), found.group(2))}" if found else line


def _first_line(error: BaseException) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
