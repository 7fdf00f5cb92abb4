"""Tables in the terminal: engines and their options, experiments and their parameters, one run."""

from __future__ import annotations

import dataclasses
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ..engines import ENGINES
from ..experiments import EXPERIMENTS
from . import store
from .checks import metrics_of
from .configure import studies
from .device import cuda_device_count
from .errors import UnknownName, UsageError
from .experiment import OUTCOME, outcome_word
from .progress import describe
from .provenance import requirements
from .record import Record
from .registry import engine_entry, engine_mapping, engine_version, experiment_class, outcomes_of
from .settings import PROFILES


def _console() -> Console:
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 1000
    return Console(highlight=False, width=width)


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
    _console().print(table)


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
    console = _console()
    console.print(table if mapping.OPTIONS else f"engine {engine!r} has no options")
    if mapping.OPTIONS:
        console.print(escape("\nset one with +option.NAME=VALUE; an empty cell leaves it to the engine"))


def experiment_table() -> None:
    """Each experiment with its parameters, and the studies."""
    console = _console()
    for name in EXPERIMENTS:
        experiment = experiment_class(name)
        console.print(f"{name}: {experiment.TEXT} (dt={experiment.DT:g} s, duration={experiment.DURATION:g} s)")
        for parameter in dataclasses.fields(experiment):
            console.print(f"    experiment.{parameter.name}={parameter.default}")
    console.print(f"studies: {', '.join(studies()) or 'none'}")


def metric_table(results: Path, where: Sequence[str], metrics: Sequence[str]) -> None:
    """Metrics of stored runs, a row a run.

    Args:
        where: NAME=VALUE conditions on the experiment, engine, settings, dt, repeat, status, parameters or options.
        metrics: names to show; all of them when empty.
    """
    if not results.is_dir():
        raise UsageError(f"results folder {results} does not exist; `simparity run` makes it")
    items = list(store.runs(results))
    for damage in (item for item in items if isinstance(item, store.Damage)):
        print(f"simparity: skipped {damage.path}: {damage.reason}", file=sys.stderr)
    found, earlier = store.newest_code(item for item in items if isinstance(item, tuple))
    if earlier:
        note = "of earlier states of simparity's code are left out; run them again to have them beside these"
        print(f"simparity: {len(earlier)} runs {note}", file=sys.stderr)
    everything = [record for _, record in found]
    if not everything:
        raise UsageError(f"results folder {results} holds no readable run; `simparity run` makes some")
    conditions = _conditions(where, everything)
    records = [record for record in everything if _fits(record, conditions)]
    if not records:
        raise UsageError(f"no run in {results} fits {' '.join(where)}")
    names = metrics or list(dict.fromkeys(name for record in records for name in record.metrics))
    unknown = [name for name in names if not any(name in record.metrics for record in records)]
    if unknown:
        raise UsageError(f"no such metric in these runs: {', '.join(unknown)}")
    if metrics:
        records = [record for record in records if any(name in record.metrics for name in metrics)]
    table = Table("run", "remark", *names, "run_id", box=None, pad_edge=False)
    for record in sorted(records, key=lambda record: (describe(record.job), record.job.run_id)):
        cells = [_value(record, name, 9) if name in record.metrics else "" for name in names]
        remarks = [] if record.status == "ok" else [str(record.status)]
        remarks += dict.fromkeys(detection.kind for detection in record.detections)
        table.add_row(escape(describe(record.job)), " ".join(remarks), *cells, record.job.run_id)
    _console().print(table)


def _facts(record: Record) -> dict[str, object]:
    """Everything of a run that a condition can ask for, by the names that `run` takes, and by short ones."""
    job = record.job
    names = (
        "experiment",
        "engine",
        "settings",
        "dt",
        "duration",
        "stride",
        "control_dt",
        "repeat",
        "device",
        "precision",
    )
    facts: dict[str, object] = {name: getattr(job, name) for name in names}
    facts |= {"status": record.status, "run_id": job.run_id, "engine_version": job.engine_version}
    for name, value in job.params.items():
        facts |= {name: value, f"experiment.{name}": value}
    return facts | {f"option.{name}": value for name, value in job.overrides.items()}


def _fits(record: Record, conditions: Mapping[str, str]) -> bool:
    facts = _facts(record)
    return all(
        name in facts and any(_same(facts[name], word) for word in wanted.split(","))
        for name, wanted in conditions.items()
    )


def _conditions(where: Sequence[str], records: Sequence[Record]) -> dict[str, str]:
    known = {name for record in records for name in _facts(record)}
    conditions = {}
    for word in where:
        name, equals, wanted = word.lstrip("+").partition("=")
        if not equals:
            raise UsageError(f"cannot read {word!r}; give NAME=VALUE, for example engine=mujoco")
        if name not in known:
            raise UnknownName("name", name, known)
        conditions[name] = wanted
    return conditions


def _same(value: object, word: str) -> bool:
    try:
        return str(value) == word or float(str(value)) == float(word)
    except ValueError:
        return False


def _value(record: Record, metric: str, digits: int) -> str:
    return _shown(record, metric, record.metrics[metric], digits)


def _shown(record: Record, metric: str, value: float, digits: int) -> str:
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
        shown = verdict is not None and verdict.expected is not None
        table.add_row(
            metric.name,
            escape(_value(record, metric.name, 6)),
            metric.unit,
            verdict.outcome if verdict else "",
            _shown(record, metric.name, verdict.expected or 0.0, 6) if verdict and shown else "",
            f"{verdict.error:.2g}" if verdict and verdict.error is not None and metric.name != OUTCOME else "",
        )
    if record.metrics:
        _console().print(table)
    if record.timing.pace:
        pace = record.timing.pace
        print(f"paced: real-time factor {pace['real_time_factor']:.3g}, at worst {pace['worst']:.3g} over 0.1 s")
    for detection in record.detections:
        print(f"{detection.kind} at {detection.onset:g} s: {detection.reason}")
