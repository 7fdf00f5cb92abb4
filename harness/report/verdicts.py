"""A verdict for every pair of participants in every comparison."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..compare import GRAVITY_OF, Difference, judge_pair, largest
from ..record import Record
from .measure import Comparison, Pair, Standing
from .quantity import quantity
from .runs import Participant

WORDS = ("agree", "within noise", "not converged", "differ", "unresolved", "unsupported", "failed")
MEANING: Mapping[str, str] = {
    "agree": "the difference is below the tolerance that the experiment states",
    "within noise": "it is below the spread over repeats of the same job",
    "not converged": "it is below what a finer run (half the step; for substepping solvers also twice the iterations) "
    "changes in one of the two engines",
    "differ": "it is above all three",
    "unresolved": "it is above the tolerance, and a repeat or a finer run is missing to say more",
    "unsupported": "an engine cannot represent the scene",
    "failed": "a run raised, diverged or ran out of time",
}
KINDS = ("position", "angle", "impulse")
UNITS = {"position": "m", "angle": "rad", "impulse": "N s"}
NO_DIFFERENCE = Difference(position=0.0, position_rms=0.0, angle=0.0, impulse=0.0)


@dataclass(frozen=True, kw_only=True)
class Cell:
    """What a pair's comparison came to.

    Attributes:
        word: one of WORDS.
        kind: the quantity that decided, of KINDS, "" without a difference.
        apart, noise, refinement: difference, spread and refinement of the pair, None where missing.
        notes: what a reader needs to know besides, in sentences.
    """

    word: str
    kind: str = ""
    apart: Difference | None = None
    noise: Difference | None = None
    refinement: Difference | None = None
    notes: tuple[str, ...] = ()

    @property
    def agrees(self) -> bool:
        """Whether nothing tells the two apart."""
        return self.word in ("agree", "within noise")

    @property
    def amount(self) -> str:
        """The difference in the quantity that decided, as "8.07 mm" or "1.2 mrad in angle"."""
        if self.apart is None or not self.kind:
            return ""
        text = quantity(getattr(self.apart, self.kind), UNITS[self.kind])
        return text if self.kind == "position" else f"{text} in {self.kind}"

    @property
    def details(self) -> str:
        """All numbers behind the verdict, a line each."""
        lines = []
        for kind in KINDS if self.apart else ():
            parts = [f"{kind}: difference {quantity(getattr(self.apart, kind), UNITS[kind])}"]
            for name, value in (("spread", self.noise), ("refinement", self.refinement)):
                shown = "missing" if value is None else quantity(getattr(value, kind), UNITS[kind])
                parts.append(f"{name} {shown}")
            lines.append(", ".join(parts))
        return "\n".join([*lines, *self.notes])


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
    return max(cells, key=lambda c: (GRAVITY_OF.get(c.word, -1), c.apart.position if c.apart else 0.0), default=None)


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
    broken = [standing for standing in (a, b) if not standing.ok]
    if broken:
        supported = any(standing.run.record.status != "unsupported" for standing in broken)
        reasons = tuple(f"{names[standing.who]} {ending(standing.run.record)}" for standing in broken)
        return Cell(word="failed" if supported else "unsupported", notes=reasons)
    apart = comparison.apart[a.who, b.who]
    if apart is None:
        return Cell(word="failed", notes=("a trace is damaged, or the two hold different bodies or instants",))
    noise = _larger(spreads[a.who], spreads[b.who])
    refinement = _larger(a.refinement, b.refinement)
    word, each = judge_pair(apart, tolerance, noise, refinement)
    notes: list[str] = []
    for standing in (a, b):
        if standing.repeats < 2 and spreads[standing.who] is not None:
            notes.append(f"{names[standing.who]}: spread taken from other jobs, whose repeats are bit-identical")
        elif standing.repeats < 2:
            notes.append(f"{names[standing.who]}: no second repeat")
        notes += [f"{names[standing.who]}: {missing}" for missing in standing.missing]
    kind = KINDS[max(range(len(KINDS)), key=lambda k: (each[k] == word, -k))]
    return Cell(word=word, kind=kind, apart=apart, noise=noise, refinement=refinement, notes=tuple(notes))


def _larger(a: Difference | None, b: Difference | None) -> Difference | None:
    return None if a is None or b is None else largest([a, b])


def ending(record: Record) -> str:
    """How a run ended that did not end well, in words."""
    match record.status:
        case "unsupported":
            return f"does not support this: {record.reason}"
        case "diverged":
            when = "" if record.diverged_at is None else f" at {quantity(record.diverged_at, 's')}"
            return f"diverged{when}: {record.reason}"
        case "timeout":
            return f"ran out of time: {record.reason}"
        case _:
            return f"failed: {record.reason}"
