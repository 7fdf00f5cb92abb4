"""From the words of the command line to jobs."""

from __future__ import annotations

import dataclasses
import hashlib
import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.errors import HydraException
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from .composition import RunConfig, compose_all, first_line
from .device import DEVICES, require_cuda
from .errors import UnknownName, UsageError
from .job import Job, code_digest
from .registry import STUDIES, engine_entry, engine_mapping, engine_version, experiment_module, studies
from .scene import Mesh
from .schedule import Schedule
from .settings import settle
from .versions import environment_of, library_versions, split_version

ROBOT_LIBRARIES = ("pin", "mujoco")  # the torque law and the compiler of the source, whatever engine runs
LAUNCH_KEYS = ("results", "isolation", "workers", "timeout")


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
    configs = compose_all(expanded)
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


def _load_study(name: str) -> dict[str, Any]:
    path = Path(name) if name.endswith((".yaml", ".yml")) else STUDIES / f"{name}.yaml"
    if not path.is_file():
        if path.parent == STUDIES:
            hint = " (a study of your own is named by its path, ending in .yaml)"
            raise UsageError(f"study {name!r} does not exist; known studies: {', '.join(studies())}{hint}")
        raise UsageError(f"study file {name} does not exist; give a YAML file or one of: {', '.join(studies())}")
    try:
        config: Any = OmegaConf.to_container(OmegaConf.load(path))
    except (OmegaConfBaseException, ValueError) as error:
        raise UsageError(f"study file {name} cannot be read: {first_line(error)}") from error
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
        raise UsageError(f"cannot read the overrides {' '.join(words)}: {first_line(error)}") from error
    for override in overrides:
        if override.is_sweep_override() and override.get_key_element() in LAUNCH_KEYS:
            raise UsageError(f"{override.get_key_element()} has several values; one sweep is run in one way: give one")
    swept = [override for override in overrides if override.is_sweep_override()]
    if swept and not multirun:
        key = swept[0].get_key_element()
        raise UsageError(f"{key} has several values; add -m to run one for each: simparity run -m {' '.join(words)}")
    for batch in BasicSweeper.split_arguments(overrides, max_batch_size=None):
        yield from batch


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
