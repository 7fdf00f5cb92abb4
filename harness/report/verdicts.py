"""A verdict for every pair of participants in every comparison."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ..compare import GRAVITY_OF, KINDS, UNITS, Difference, judge_pair, largest
from .measure import Comparison, Pair, Standing
from .participants import Participant
from .quantity import quantity
from .runs import Run

WORDS = (
    *("agree", "within noise", "not converged", "differ", "unresolved", "not told apart"),
    *("unsupported", "diverged", "failed", "timeout", "damaged"),
)
MEANING: Mapping[str, str] = {
    "agree": "the difference is below the tolerance that the experiment states; of ensembles: outcomes have equal "
    "shares, and every metric is given in as many members and lies within its tolerance",
    "within noise": "it is below the spread over repeats of the same job",
    "not converged": "it is below what a finer run (half the step; for substepping solvers also twice the iterations) "
    "changes in one of the two engines",
    "differ": "it is above all three",
    "unresolved": "it is above the tolerance, and a repeat or a finer run is missing to say more; of ensembles: "
    "with so few members no test could tell them apart",
    "not told apart": "ensembles of a chaotic experiment: by chance alone they differ as much in 5 % of cases or more, "
    "or one of them does not give a metric that the other gives",
    "unsupported": "an engine cannot represent the scene",
    "diverged": "a run left all bounds or gave numbers that are none",
    "failed": "a run raised an error or was killed",
    "timeout": "a run ran out of time",
    "damaged": "a run ended well, but its trace is missing or cannot be read",
}
_BROKEN = ("unsupported", "damaged", "diverged", "timeout", "failed")  # the last of them names a pair
NO_DIFFERENCE = Difference(position=0.0, position_rms=0.0, angle=0.0, impulse=0.0)
LEAST = 1e-12  # [SI unit]: below this a difference has no size worth reading


@dataclass(frozen=True, kw_only=True)
class Cell:
    """What a pair's comparison came to.

    Attributes:
        word: one of WORDS.
        kind: the quantity that decided, of KINDS, "" without a difference.
        apart, noise, refinement: difference, spread and refinement of the pair, None where missing.
        finer: what is finer in the run that changes most: "halving dt" or "doubling iterations".
        lacks: the runs that are missing to resolve it, short: "no repeat", "no halved dt".
        notes: what a reader needs to know besides, in sentences.
        said: of ensembles, what the tests gave, in the place of a difference.
    """

    word: str
    kind: str = ""
    apart: Difference | None = None
    noise: Difference | None = None
    refinement: Difference | None = None
    each: Mapping[str, str] = field(default_factory=dict)
    finer: str = ""
    lacks: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    said: str = ""

    @property
    def agrees(self) -> bool:
        """Whether nothing tells the two apart."""
        return self.word in ("agree", "within noise", "not told apart")

    @property
    def identical(self) -> bool:
        """Whether there is no difference at all."""
        return self.apart is not None and not any(self.apart.values())

    @property
    def amount(self) -> str:
        """The difference in the quantity that decided, as "8.07 mm" or "1.2 mrad in angle"."""
        if self.apart is None or not self.kind:
            return self.said
        if self.identical:
            return "0 (identical)"
        value = getattr(self.apart, self.kind)
        return f"below {quantity(LEAST, UNITS[self.kind])}" if value < LEAST else size(value, self.kind)

    @property
    def missing(self) -> str:
        """What an unresolved pair lacks."""
        return ", ".join(self.lacks) if self.word == "unresolved" else ""


def size(value: float, kind: str) -> str:
    """A difference of that kind in words."""
    if math.isnan(value):
        return "force unknown" if kind == "impulse" else "unknown"
    text = quantity(value, UNITS[kind])
    return f"{text} in {kind}" if kind in ("angle", "impulse") else text


@dataclass(frozen=True, kw_only=True)
class Judged:
    """A comparison with the verdict of every pair and the spread that was used for every participant."""

    comparison: Comparison
    cells: Mapping[Pair, Cell]
    spreads: Mapping[Participant, Difference | None]

    def cell(self, a: Participant, b: Participant) -> Cell | None:
        """The verdict of a pair, in either order."""
        return self.cells.get((a, b)) or self.cells.get((b, a))


def judge(
    comparisons: Sequence[Comparison], tolerance: tuple[float, float, float] | None, names: Mapping[Participant, str]
) -> tuple[Judged, ...]:
    """Verdicts of all comparisons of one experiment.

    Args:
        comparisons: of every series of the experiment, since repeats of one can stand for another.
        tolerance: what the experiment calls agreement [m], [rad], [N s]; None when it is not known any more.
        names: labels of the participants.
    """
    deterministic = _deterministic(comparisons)
    return tuple(_judged(comparison, tolerance or (0.0, 0.0, 0.0), deterministic, names) for comparison in comparisons)


def gravest(cells: Iterable[Cell]) -> Cell | None:
    """The gravest verdict, the larger difference first among equals."""
    return max(cells, key=lambda c: (GRAVITY_OF.get(c.word, -1), c.apart.motion if c.apart else 0.0), default=None)


def _deterministic(comparisons: Sequence[Comparison]) -> set[Participant]:
    """Engines, named without their overrides, all of whose repeats of this experiment are bit-identical."""
    seen: dict[Participant, bool] = {}
    for comparison in comparisons:
        for standing in comparison.standings:
            if standing.identical is not None:
                engine = _engine(standing.who)
                seen[engine] = seen.get(engine, True) and standing.identical
    return {engine for engine, identical in seen.items() if identical}


def _engine(who: Participant) -> Participant:
    return who.without([name for name, _ in who.overrides])


def _judged(
    comparison: Comparison,
    tolerance: tuple[float, float, float],
    deterministic: set[Participant],
    names: Mapping[Participant, str],
) -> Judged:
    spreads = {}
    for standing in comparison.ok:
        carried = NO_DIFFERENCE if _engine(standing.who) in deterministic else None
        spreads[standing.who] = standing.spread if standing.spread is not None else carried
    cells = {}
    standings = comparison.standings
    for k, a in enumerate(standings):
        for b in standings[k + 1 :]:
            cells[a.who, b.who] = _cell(comparison, a, b, tolerance, spreads, names)
    return Judged(comparison=comparison, cells=cells, spreads=spreads)


def _cell(
    comparison: Comparison,
    a: Standing,
    b: Standing,
    tolerance: tuple[float, float, float],
    spreads: Mapping[Participant, Difference | None],
    names: Mapping[Participant, str],
) -> Cell:
    if not (a.ok and b.ok):
        return broken_cell([a, b], names)
    apart = comparison.apart[a.who, b.who]
    if apart is None:
        return Cell(word="damaged", notes=("a trace is damaged, or the two hold different bodies or instants",))
    noise = _larger(spreads[a.who], spreads[b.who])
    refinement = _larger(a.refinement, b.refinement)
    word, each = judge_pair(apart, tolerance, noise, refinement)
    notes: list[str] = []
    lacks: list[str] = []
    for standing in (a, b):
        if standing.repeats < 2 and spreads[standing.who] is not None:
            notes.append(f"{names[standing.who]}: spread taken from other jobs, whose repeats are bit-identical")
        elif standing.repeats < 2:
            notes.append(f"{names[standing.who]}: no second repeat")
            lacks.append("no repeat")
        notes += [f"{names[standing.who]}: {missing}" for missing in standing.missing]
        lacks += standing.lacks
    kind = _deciding(word, each, apart)
    return Cell(
        word=word,
        kind=kind,
        apart=apart,
        noise=noise,
        refinement=refinement,
        each=dict(zip(KINDS, each, strict=True)),
        finer=_finer(a, b, kind),
        lacks=tuple(dict.fromkeys(lacks)),
        notes=tuple(notes),
    )


def broken_cell(pair: Sequence[Standing], names: Mapping[Participant, str]) -> Cell:
    """The verdict of a pair of which at least one did not end well."""
    broken = [standing for standing in pair if not standing.ok]
    reasons = tuple(f"{names[standing.who]} {ending(standing.run)}" for standing in broken)
    return Cell(word=max((one.run.status for one in broken), key=_BROKEN.index), notes=reasons)


def _deciding(word: str, each: Sequence[str], apart: Difference) -> str:
    """The first quantity with the verdict of the pair, one that differs by more than rounding if there is one."""
    decisive = [kind for kind, verdict in zip(KINDS, each, strict=True) if verdict == word]
    telling = [kind for kind in decisive if not getattr(apart, kind) < LEAST]
    return (telling or [kind for kind in decisive if kind == apart.motion_kind] or decisive)[0]


def _finer(a: Standing, b: Standing, kind: str) -> str:
    """What a finer run changes most, in words."""
    changes = [("halving dt", standing.halved) for standing in (a, b)]
    changes += [(f"doubling {name}", part) for standing in (a, b) for name, part in standing.doubled.items()]
    found = [(getattr(part, kind), words) for words, part in changes if part is not None]
    return max(found, key=lambda item: item[0])[1] if found else ""


def _larger(a: Difference | None, b: Difference | None) -> Difference | None:
    return None if a is None or b is None else largest([a, b])


def ending(run: Run) -> str:
    """How a run ended that did not end well, in words."""
    record = run.record
    match run.status:
        case "damaged":
            return f"left no trace to read: {run.damage}"
        case "unsupported":
            return f"does not support this: {record.reason}"
        case "diverged":
            when = "" if record.diverged_at is None else f" at {quantity(record.diverged_at, 's')}"
            return f"diverged{when}: {record.reason}"
        case "timeout":
            return f"ran out of time: {record.reason}"
        case _:
            return f"failed: {record.reason}"
