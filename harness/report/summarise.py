"""From a folder of results to the summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from ..errors import UsageError
from .runs import Participant, Run, base_of, gather, newest_code
from .sections import Told, tell
from .summary import DamageRow, EarlierRow, Matrix, MatrixRow, Summary


def summarise(results: Path) -> Summary:
    """The summary of all runs below `results`.

    Raises:
        UsageError: the folder does not exist, or holds no readable run.
    """
    if not results.is_dir():
        raise UsageError(f"results folder {results} does not exist; `simparity run` makes it")
    everything, damage = gather(results)
    runs, earlier = newest_code(everything)
    if not runs:
        named = "".join(f"; {item.path}: {item.reason}" for item in damage[:3])
        raise UsageError(f"results folder {results} holds no readable run; `simparity run` makes some{named}")
    engines = sorted({run.record.job.engine for run in runs})
    colours = {engine: k for k, engine in enumerate(engines)}
    experiments = sorted({run.record.job.experiment for run in runs})
    told = [tell(name, [r for r in runs if r.record.job.experiment == name], colours) for name in experiments]
    damage += tuple(item for one in told for item in one.damage)
    return Summary(
        machines=tuple(sorted({_machine(run) for run in runs})),
        engines={
            name: tuple(sorted({r.record.job.engine_version for r in runs if r.record.job.engine == name}))
            for name in engines
        },
        earlier=_earlier(earlier),
        statuses=dict(sorted(Counter(run.record.status for run in runs).items())),
        matrix=_matrix(told),
        sections=tuple(one.section for one in told),
        damage=tuple(
            DamageRow(path=_shown(item.path, results), reason=item.reason.replace(str(results), results.name))
            for item in damage
        ),
    )


def _matrix(told: list[Told]) -> Matrix:
    """Columns: pairs of engines without overrides first, then those with most to say."""
    overrides: dict[tuple[str, str], int] = {}
    telling: Counter[tuple[str, str]] = Counter()
    rows = []
    for one in told:
        for variant, anchor, judged in one.rows:
            cells = {}
            everyone = [standing.who for standing in judged.comparison.standings]
            for (a, b), cell in judged.cells.items():
                if _worth_a_column(a, b, everyone, one.reference):
                    first, second = sorted((a, b), key=lambda who: (len(who.overrides), who))
                    pair = one.names[first], one.names[second]
                    overrides[pair] = len(a.overrides) + len(b.overrides)
                    telling[pair] += cell.apart is not None
                    cells[pair] = cell
            rows.append((one.section.name, variant, anchor, judged.comparison, cells))
    pairs = tuple(sorted(overrides, key=lambda pair: (overrides[pair], -telling[pair], pair)))
    return Matrix(
        pairs=pairs,
        rows=tuple(
            MatrixRow(
                experiment=name,
                variant=variant,
                settings=comparison.series.variant.settings,
                dt=comparison.dt,
                anchor=anchor,
                cells=tuple(cells.get(pair) for pair in pairs),
            )
            for name, variant, anchor, comparison, cells in rows
        ),
    )


def _worth_a_column(
    a: Participant, b: Participant, everyone: Sequence[Participant], reference: Participant | None
) -> bool:
    """An engine with single options overridden is held against itself without them and against the reference only."""
    bases = {who: base_of(who, everyone) for who in (a, b)}
    return all(base is None or {a, b} & {base, reference} - {who} for who, base in bases.items())


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
