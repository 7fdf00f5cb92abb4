"""From a folder of results to the summary."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ...engines import ENGINES
from ..errors import UsageError
from .chart import COLOURS
from .matrix import matrix_of
from .runs import Run, engine_versions, gather, newest_code
from .sections import tell
from .summary import DamageRow, EarlierRow, Matrix, Summary


def summarise(results: Path, only: frozenset[str] | None = None) -> Summary:
    """The summary of the runs below `results`, of all or of those with the ids `only`.

    Raises:
        UsageError: the folder does not exist, or holds no readable run.
    """
    if not results.is_dir():
        raise UsageError(f"results folder {results} does not exist; `simparity run` makes it")
    everything, damage = gather(results, only)
    runs, earlier = newest_code(everything)
    if not runs:
        which = "no readable run" if only is None else "none of the runs asked for"
        named = "".join(f"; {item.path}: {item.reason}" for item in damage[:3])
        raise UsageError(f"results folder {results} holds {which}; `simparity run` makes some{named}")
    engines = sorted({run.record.job.engine for run in runs})
    colours = colours_of(engines)
    experiments = sorted({run.record.job.experiment for run in runs})
    told = [tell(name, [r for r in runs if r.record.job.experiment == name], colours) for name in experiments]
    damage += tuple(item for one in told for item in one.damage)
    return Summary(
        machines=tuple(sorted({_machine(run) for run in runs})),
        engines={name: engine_versions(runs, name) for name in engines},
        earlier=_earlier(earlier),
        statuses=dict(sorted(Counter(run.status for run in runs).items())),
        matrix=_in_folder(matrix_of(one.entered for one in told), results),
        sections=tuple(one.section for one in told),
        damage=tuple(
            DamageRow(path=_shown(item.path, results), reason=item.reason.replace(str(results), results.name))
            for item in damage
        ),
    )


def _in_folder(matrix: Matrix, results: Path) -> Matrix:
    """`matrix` with commands that write into this folder, where it is not the usual one."""
    if results == Path("results"):
        return matrix
    said = f" {shlex.quote(f'results={results}')}"
    here = (replace(one, commands=tuple(text + said for text in one.commands)) for one in matrix.resolving)
    return replace(matrix, resolving=tuple(here))


def colours_of(engines: Sequence[str]) -> dict[str, int]:
    """Number of the colour of each engine, its own in every report; one that is in no table gets one that is free."""
    fixed = {name: ENGINES[name].colour for name in engines if name in ENGINES}
    free = [number for number in range(COLOURS) if number not in {entry.colour for entry in ENGINES.values()}]
    free += [number for number in range(COLOURS) if number not in (*free, *fixed.values())]
    others = [name for name in engines if name not in fixed]
    return fixed | {name: free[k % len(free)] if free else 0 for k, name in enumerate(others)}


def _earlier(runs: Sequence[Run]) -> tuple[EarlierRow, ...]:
    counts = Counter((run.record.job.experiment, run.record.job.engine, run.record.job.code[:12]) for run in runs)
    return tuple(
        EarlierRow(experiment=experiment, engine=engine, code=code, runs=count)
        for (experiment, engine, code), count in sorted(counts.items())
    )


def _machine(run: Run) -> str:
    cpu, cores = run.record.provenance.get("cpu"), run.record.provenance.get("cores")
    return f"{cpu}, {cores} cores" if cpu and cores else run.machine


def _shown(path: Path, results: Path) -> str:
    return str(path.relative_to(results)) if path.is_relative_to(results) else path.name
