"""The verdict matrix: a row for each comparison, a column for each pair, and all numbers behind it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..compare import KINDS
from .lexicon import Lexicon
from .measure import Comparison, Pair
from .participants import Participant, base_of
from .quantity import quantity
from .resolving import commands
from .summary import Matrix, MatrixRow, Number, NumberRow, NumberTable, Resolving
from .verdicts import Cell, Judged, size


@dataclass(frozen=True, kw_only=True)
class Entered:
    """What an experiment adds to the matrix.

    Attributes:
        rows: variant, anchor of its panel, and the judged comparison.
        refining: comparisons that have no row, since their step only refines another one.
        doubled: options doubled in runs that have no column, since they only refine, and whose.
        reference: the participant that the others are held against.
    """

    experiment: str
    rows: tuple[tuple[str, str, Judged], ...]
    refining: tuple[Comparison, ...]
    doubled: tuple[tuple[str, str], ...]
    words: Lexicon
    reference: Participant | None


def matrix_of(entered: Iterable[Entered]) -> Matrix:
    """Columns: pairs of engines without overrides first, then those with most to say."""
    everything = list(entered)
    overrides: dict[tuple[str, str], int] = {}
    telling: Counter[tuple[str, str]] = Counter()
    rows: list[tuple[MatrixRow, dict[tuple[str, str], Cell]]] = []
    resolving: list[Resolving] = []
    for one in everything:
        for variant, anchor, judged in one.rows:
            resolving += _resolving(one, variant, anchor, judged)
            cells = {}
            for pair, cell in _columns(judged, one.reference):
                label = one.words.names[pair[0]], one.words.names[pair[1]]
                overrides[label] = sum(len(who.overrides) for who in pair)
                telling[label] += cell.apart is not None
                cells[label] = cell
            row = MatrixRow(
                experiment=one.experiment,
                variant=variant,
                settings=judged.comparison.series.variant.settings,
                dt=judged.comparison.dt,
                anchor=anchor,
                cells=(),
            )
            rows.append((row, cells))
    pairs = tuple(sorted(overrides, key=lambda pair: (overrides[pair], -telling[pair], pair)))
    filled = tuple(_filled(row, tuple(cells.get(pair) for pair in pairs)) for row, cells in rows)
    return Matrix(
        pairs=pairs,
        rows=filled,
        notes=tuple(_notes(everything)),
        numbers=tuple(_numbers(one.experiment, pairs, filled) for one in everything if one.rows),
        resolving=tuple(resolving),
    )


def _resolving(one: Entered, variant: str, anchor: str, judged: Judged) -> Iterator[Resolving]:
    """What to run for the unresolved verdicts of a row, if there are any."""
    found = commands(judged, one.words)
    settings, dt = judged.comparison.series.variant.settings, judged.comparison.dt
    where = ", ".join(word for word in (one.experiment, settings, variant, quantity(dt, "s")) if word)
    if found:
        yield Resolving(where=where, anchor=anchor, commands=found)


def _filled(row: MatrixRow, cells: tuple[Cell | None, ...]) -> MatrixRow:
    return MatrixRow(
        experiment=row.experiment,
        variant=row.variant,
        settings=row.settings,
        dt=row.dt,
        anchor=row.anchor,
        cells=cells,
    )


def _columns(judged: Judged, reference: Participant | None) -> Iterator[tuple[Pair, Cell]]:
    """The pairs that are worth a column; the one with fewer overrides comes first."""
    everyone = [standing.who for standing in judged.comparison.standings]
    for (a, b), cell in judged.cells.items():
        if _worth_a_column(a, b, everyone, reference):
            first, second = sorted((a, b), key=lambda who: (len(who.overrides), who))
            yield (first, second), cell


def _worth_a_column(
    a: Participant, b: Participant, everyone: Sequence[Participant], reference: Participant | None
) -> bool:
    """An engine with single options overridden is held against itself without them and against the reference only."""
    bases = {who: base_of(who, everyone) for who in (a, b)}
    return all(base is None or {a, b} & {base, reference} - {who} for who, base in bases.items())


def _notes(entered: Sequence[Entered]) -> Iterator[str]:
    """Which runs have no row or column, and what they are for."""
    steps: dict[tuple[float, float], dict[str, None]] = defaultdict(dict)
    doubled: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for one in entered:
        for comparison in one.refining:
            coarser = 2 * comparison.dt
            steps[comparison.dt, coarser][one.experiment] = None
        for who, option in one.doubled:
            doubled[who, option][one.experiment] = None
    for (fine, coarse), where in sorted(steps.items(), reverse=True):
        yield f"{quantity(fine, 's')} serves as refinement of {quantity(coarse, 's')} ({', '.join(where)})"
    for (who, option), where in sorted(doubled.items()):
        yield f"{who} with {option} doubled serves as its refinement ({', '.join(where)})"


def _numbers(experiment: str, pairs: Sequence[tuple[str, str]], rows: Sequence[MatrixRow]) -> NumberTable:
    own = [row for row in rows if row.experiment == experiment]
    apart = [cell.apart for row in own for cell in row.cells if cell is not None and cell.apart is not None]
    kinds = tuple(kind for kind in KINDS if any(getattr(one, kind) != 0 for one in apart)) or KINDS[:1]
    found = []
    for row in own:
        where = ", ".join(word for word in (row.settings, row.variant, quantity(row.dt, "s")) if word)
        for pair, cell in zip(pairs, row.cells, strict=True):
            if cell is not None:
                numbers = tuple(_number(cell, kind) for kind in kinds)
                found.append(
                    NumberRow(
                        where=where, anchor=row.anchor, pair=pair, word=cell.word, numbers=numbers, notes=cell.notes
                    )
                )
    return NumberTable(experiment=experiment, kinds=kinds, rows=tuple(found))


def _number(cell: Cell, kind: str) -> Number | None:
    if cell.apart is None:
        return None

    def told(difference: object) -> str:
        return "" if difference is None else size(getattr(difference, kind), kind).removesuffix(f" in {kind}")

    return Number(
        difference=told(cell.apart),
        spread=told(cell.noise),
        refinement=told(cell.refinement),
        verdict=cell.each.get(kind, ""),
    )
