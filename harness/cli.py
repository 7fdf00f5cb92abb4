"""The command line: `simparity run`, `report`, `show`, `check`, `explain`, `engines`, `diff`, `wall`, `bench`, ..."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from .conclusion import conclude
from .errors import SimparityError, UsageError
from .launch import Launch
from .progress import describe, progress_for
from .record import Record
from .registry import studies

USAGE, BROKEN, INTERRUPTED = 2, 1, 130
RUN_PARAMETERS = """\
what decides the numbers:
  experiment=NAME        `simparity experiments` lists them and their parameters, experiment.NAME=VALUE
  engine=mujoco          or another one; `simparity engines` lists them
  settings=default       or published or matched
  +option.NAME=VALUE     a single option of the engine; `simparity engines NAME` lists them
  dt, duration           step and simulated time [s]; the experiment's own without them
  stride=1               steps for each stored sample
  control_dt=0.001       period of a robot's controller [s]
  device=cpu             or cuda
  precision              64 or 32; the engine's best without it
  repeat=0               number of the repeat
  smoke=false            true: the experiment's short, coarse variant where nothing else is said
how it is run:
  study=NAME             a list of sweeps, one of those below or the path of your own YAML file
  results=results        folder of the records
  isolation=fresh        a process for each run; warm: runs that are no repeats share one
  workers=1              processes side by side; speed is timed with the others paused
  timeout=900            wall time that a run may take [s]
  timings=3              how often the bare loop is timed for the real-time factor
  paced=false            true: also run in real time and report what a client would see
studies:
"""
WHERE = "only runs with these values, such as dt=1ms engine=physx@3.0.3 smoke=false, or those whose run id begins so"


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit code: 0 done, 1 a run broke, 2 the request was wrong, 130 interrupted."""
    given = asked = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] == ["run"]:  # its flags take no value and may stand anywhere between the words
        given = ["run", *sorted(given[1:], key=lambda word: not word.startswith("-"))]
    parser = _parser()
    options, unknown = parser.parse_known_args(given)
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, _interrupt)
    try:
        if unknown and given[0] == "run":
            raise _with_a_dash(unknown[0], asked)
        if unknown:
            parser.error(f"unrecognized arguments: {' '.join(unknown)}")
        return int(options.act(options))
    except UsageError as error:
        print(f"simparity: {error}", file=sys.stderr)
        return USAGE
    except SimparityError as error:
        print(f"simparity: {error}", file=sys.stderr)
        return BROKEN
    except KeyboardInterrupt:
        print("simparity: interrupted; finished runs are kept, repeat the command to go on", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output is gone; say nothing more
        return BROKEN


def _with_a_dash(word: str, given: list[str]) -> UsageError:
    """What to say of a parameter of `run` that was given as a flag: -dt 0.1 for dt=0.1."""
    name, _, value = word.lstrip("-").partition("=")
    after = given[given.index(word) + 1 :][:1]
    value = value or next((one for one in after if "=" not in one), "VALUE")
    return UsageError(
        f"run has no flag {word}; parameters are given without dashes: {name}={value} (`simparity run --help`)"
    )


def _interrupt(number: int, frame: object) -> None:
    raise KeyboardInterrupt


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="simparity", description="Compare physics engines on the same work.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    run = commands.add_parser(
        "run",
        help="run an experiment, a sweep or a study",
        description="Example: simparity run -m experiment=drop engine=mujoco,newton dt=0.001,0.0005 repeat=0,1,2",
        epilog=RUN_PARAMETERS + "".join(f"  {name:<22} {text}\n" for name, text in studies().items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    run.add_argument("-m", "--multirun", action="store_true", help="run once for every combination of listed values")
    run.add_argument("-q", "--quiet", action="store_true", help="print only runs that did not end well")
    run.add_argument("--dry-run", action="store_true", help="list the runs without running them")
    run.add_argument(
        "words", nargs="*", metavar="NAME=VALUE", help="what to run, for example experiment=drop dt=0.0005"
    )
    run.set_defaults(act=_run)
    report = commands.add_parser("report", help="turn results into one HTML page")
    report.add_argument("results", nargs="?", default="results", type=Path, help="folder of results")
    report.add_argument("-o", "--output", default=Path("reports/report"), type=Path, help="PATH for PATH.html, PATH.md")
    report.add_argument(
        "--only", nargs="+", metavar="WORD", help="only the runs that these words of `run -m` name, or these run ids"
    )
    report.add_argument("--where", nargs="+", default=[], metavar="NAME=VALUE", help=WHERE)
    report.set_defaults(act=_report)
    engines = commands.add_parser(
        "engines",
        help="list the engines, or the options of one; add and remove versions",
        description="`engines add mujoco==3.11.0` makes an environment of it; engine=mujoco@3.11.0 runs in it.",
    )
    engines.add_argument("words", nargs="*", help="ENGINE: its options; add ENGINE==VERSION; remove ENGINE==VERSION")
    engines.set_defaults(act=_engines)
    experiments = commands.add_parser("experiments", help="list the experiments with their parameters and studies")
    experiments.set_defaults(act=_experiments)
    show = commands.add_parser("show", help="print the metrics of stored runs side by side")
    show.add_argument("results", nargs="?", default="results", type=Path, help="folder of results")
    show.add_argument("--where", nargs="*", default=[], metavar="NAME=VALUE", help=WHERE)
    show.add_argument("--metrics", default="", help="only these metrics, separated by commas")
    show.add_argument("--csv", action="store_true", help="print everything of these runs, a line a run, every digit")
    show.set_defaults(act=_show)
    from .diff.command import add_command as add_diff
    from .portcheck.command import add_commands

    add_commands(commands)
    add_diff(commands)
    wall = commands.add_parser(
        "wall",
        help="small models with known import traps through each engine's importer",
        description="Example: simparity wall --engines mujoco,mujoco@3.11.0 --md",
    )
    wall.add_argument(
        "--engines", default="", metavar="NAMES", help="separated by commas; without it every installed one"
    )
    wall.add_argument("--md", action="store_true", help="print the Markdown page")
    wall.set_defaults(act=_wall)
    bench = commands.add_parser("bench", help="measure what logging costs in each engine, as ratios")
    bench.add_argument("engines", nargs="*", help="engines to measure; without it every installed one")
    bench.set_defaults(act=_bench)
    return parser


def _run(options: argparse.Namespace) -> int:
    from .configure import plan

    asked = plan(options.words, multirun=options.multirun)
    if options.dry_run:
        for job in asked.jobs:
            print(job.run_id, describe(job))
        return 0
    launch = Launch(
        results=asked.results,
        isolation="warm" if asked.isolation == "warm" else "fresh",
        workers=asked.workers,
        timeout=asked.timeout,
    )
    records = launch.run(asked.jobs, progress_for(quiet=options.quiet))
    if len(records) == 1 and not options.quiet:
        _print_run(records[0])
    return BROKEN if conclude(records, asked.results, quiet=options.quiet) else 0


def _print_run(record: Record) -> None:
    from .listing import run_table

    run_table(record)


def _report(options: argparse.Namespace) -> int:
    from .report.write import write_report

    only = _asked_for(options.results, options.only, options.where)
    for path in write_report(options.results, options.output, only):
        print(path)
    return 0


def _asked_for(results: Path, only: Sequence[str] | None, where: Sequence[str]) -> frozenset[str] | None:
    """Ids of the runs to report, None for all: those that words of `run` or ids name and that meet the conditions."""
    from .configure import plan
    from .selection import none_fits, selected
    from .store import records

    if not only and not where:
        return None
    everything = records(results)
    ids = [word for word in only or () if "=" not in word]
    words = [word for word in only or () if "=" in word]
    kept = frozenset(record.job.run_id for record in selected(everything, [*ids, *where]))
    if not kept:
        raise none_fits(everything, [*ids, *where], results)
    named = frozenset(job.run_id for job in plan(words, multirun=True).jobs) if words else kept
    if not named & kept:
        raise UsageError(
            f"none of the {len(named)} runs that {' '.join(words)} names is in {results}: these are words of `run -m`, "
            "and what they leave out is at its default; --where takes every run that has these values"
        )
    return named & kept


def _show(options: argparse.Namespace) -> int:
    from .showing import csv_table, metric_table

    if options.csv:
        csv_table(options.results, options.where)
    else:
        metric_table(options.results, options.where, [name for name in options.metrics.split(",") if name])
    return 0


def _wall(options: argparse.Namespace) -> int:
    from .wall.wall import probed_engines, show

    show([name for name in options.engines.split(",") if name] or probed_engines(), md=options.md)
    return 0


def _bench(options: argparse.Namespace) -> int:
    """Each engine in a process of its own, so that no engine's threads disturb another's timing."""
    import subprocess

    from ..engines import ENGINES
    from .registry import engine_entry, engine_version

    for engine in options.engines:
        engine_entry(engine)
        if engine_version(engine) is None:
            raise UsageError(f"engine {engine!r} is not installed; `simparity engines` says how to install it")
    known = [name for name, entry in ENGINES.items() if entry.distribution and engine_version(name)]
    codes = [
        subprocess.run([sys.executable, "-c", f"from simparity.harness.bench import main; main([{name!r}])"]).returncode
        for name in options.engines or known
    ]
    return BROKEN if any(codes) else 0


def _engines(options: argparse.Namespace) -> int:
    from .environments import add, remove
    from .listing import engine_table, option_table

    first, *others = options.words or [""]
    if first in ("add", "remove"):
        if not others:
            raise UsageError(f"engines {first} was given no version; name one, for example mujoco==3.11.0")
        for words in others:
            done = (add if first == "add" else remove)(words)
            print(f"{done.name} {'is in' if first == 'add' else 'was removed from'} {done.folder}")
    elif others:
        raise UsageError(f"engines takes one engine, not {' '.join(options.words)}; or add and remove")
    elif first:
        option_table(first)
    else:
        engine_table()
    return 0


def _experiments(options: argparse.Namespace) -> int:
    from .listing import experiment_table

    experiment_table()
    return 0


if __name__ == "__main__":
    sys.exit(main())
