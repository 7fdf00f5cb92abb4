"""Tables in the terminal: engines and their options, experiments and their parameters, one run."""

from __future__ import annotations

import dataclasses
import os
import shutil
import sys

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ..engines import ENGINES
from ..experiments import EXPERIMENTS
from .checks import metrics_of
from .configure import ROBOT_LIBRARIES
from .device import cuda_device_count
from .experiment import OUTCOME, outcome_word
from .provenance import requirements
from .record import Record
from .registry import engine_entry, engine_mapping, engine_version, experiment_class, outcomes_of, studies
from .settings import PROFILES
from .versions import FOLDER_VARIABLE, environments, environments_folder, library_versions


def console() -> Console:
    """As wide as the terminal, or as COLUMNS says; without limit where the output goes elsewhere."""
    limited = sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdigit()
    return Console(highlight=False, width=shutil.get_terminal_size().columns if limited else 1000)


def engine_table() -> None:
    """Each engine: installed or how to install it, versions, devices, licence."""
    table = Table(
        "engine", "installed", "required", "devices", "precision", "licence", "remark", box=None, pad_edge=False
    )
    gpus = cuda_device_count()
    for name, entry in ENGINES.items():
        version = engine_version(name)
        required = requirements().get(entry.distribution or "", ("", ""))[0]
        install = (
            "part of simparity" if entry.distribution is None else escape(f"pip install 'simparity[{entry.extra}]'")
        )
        devices = ", ".join("cuda (none here)" if d == "cuda" and not gpus else d for d in entry.devices)
        remark = "compiles at first use, some minutes" if entry.compiles else ""
        table.add_row(
            name,
            version or f"no: {install}",
            required,
            devices,
            ", ".join(f"{p}-bit" for p in entry.precisions),
            entry.licence,
            remark,
        )
    terminal = console()
    terminal.print(table)
    _version_table(terminal)


def _version_table(terminal: Console) -> None:
    """The environments of other versions, with the libraries that make their numbers."""
    terminal.print(escape(f"\nother versions are in {environments_folder()} (or in ${FOLDER_VARIABLE})"))
    table = Table("engine", "libraries", "folder", box=None, pad_edge=False)
    for environment in environments():
        names = sorted({*engine_entry(environment.engine).numerics, *ROBOT_LIBRARIES})
        libraries = library_versions(environment, names)
        found = ", ".join(f"{name} {version}" for name, version in libraries.items() if version)
        table.add_row(environment.name, found, escape(environment.folder.name))
    terminal.print(table if table.row_count else "none; `simparity engines add mujoco==3.11.0` makes one")


def option_table(engine: str) -> None:
    """The options of one engine, and what each profile sets."""
    engine_entry(engine)
    mapping = engine_mapping(engine)
    table = Table("option", "values", "unit", *PROFILES, "what it is", box=None, pad_edge=False)
    for name, option in sorted(mapping.OPTIONS.items()):
        kind = ", ".join(str(choice) for choice in option.choices) or {"tuple": f"{option.length} numbers"}.get(
            option.kind.__name__, option.kind.__name__
        )
        profiles = [str(mapping.PROFILES[profile].get(name, "")) for profile in PROFILES]
        table.add_row(name, kind, option.unit, *profiles, option.text)
    terminal = console()
    terminal.print(table if mapping.OPTIONS else f"engine {engine!r} has no options")
    if mapping.OPTIONS:
        terminal.print(escape("\nset one with +option.NAME=VALUE; an empty cell leaves it to the engine"))


def experiment_table() -> None:
    """Each experiment with its parameters, and the studies."""
    terminal = console()
    for name in EXPERIMENTS:
        experiment = experiment_class(name)
        terminal.print(f"{name}: {experiment.TEXT} (dt={experiment.DT:g} s, duration={experiment.DURATION:g} s)")
        for parameter in dataclasses.fields(experiment):
            terminal.print(f"    experiment.{parameter.name}={parameter.default}")
    terminal.print(f"studies: {', '.join(studies()) or 'none'}")


def said(record: Record, metric: str, value: float | None) -> str:
    """A value of a metric with its unit, or the word for it where it is the outcome."""
    if value is None:
        return "not a number"
    units = {one.name: one.unit for one in metrics_of(experiment_class(record.job.experiment)(**record.job.params))}
    unit = "" if metric == OUTCOME or units.get(metric, "1") == "1" else f" {units[metric]}"
    return shown(record, metric, value, 6) + unit


def shown(record: Record, metric: str, value: float, digits: int) -> str:
    """A value of a metric: the word for it where it is the outcome."""
    if metric == OUTCOME and (words := outcomes_of(record.job.experiment)):
        return outcome_word(words, value)
    return f"{value:.{digits}g}"


def run_table(record: Record) -> None:
    """Metrics and checks of one run."""
    table = Table("metric", "value", "unit", "check", "expected", "error", box=None, pad_edge=False)
    checks = {verdict.metric: verdict for verdict in record.checks}
    experiment = experiment_class(record.job.experiment)(**record.job.params)
    for metric in metrics_of(experiment):
        if metric.name not in record.metrics:
            continue
        verdict = checks.get(metric.name)
        closed = verdict is not None and verdict.expected is not None
        table.add_row(
            metric.name,
            escape(shown(record, metric.name, record.metrics[metric.name], 6)),
            metric.unit,
            verdict.outcome if verdict else "",
            shown(record, metric.name, verdict.expected or 0.0, 6) if verdict and closed else "",
            f"{verdict.error:.2g}" if verdict and verdict.error is not None and metric.name != OUTCOME else "",
        )
    if record.metrics:
        console().print(table)
    if record.timing.pace:
        pace = record.timing.pace
        print(f"paced: real-time factor {pace['real_time_factor']:.3g}, at worst {pace['worst']:.3g} over 0.1 s")
    for detection in record.detections:
        print(f"{detection.kind} at {detection.onset:g} s: {detection.reason}")
