"""How fast each participant ran, under which conditions, and where the wall time went."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from .measure import Comparison
from .participants import Participant
from .quantity import NOTHING
from .runs import Run

LOOP = ("first_step", "step", "read", "command", "controller", "log")
PARTS = ("import", "build", *LOOP)
PART_WORDS = {"first_step": "first step", "step": "physics"}


@dataclass(frozen=True, kw_only=True)
class Paced:
    """Loops in real time: medians over the runs that had one of the whole and of the slowest window [1]."""

    factor: float
    worst: float
    late: float


@dataclass(frozen=True, kw_only=True)
class Speed:
    """One participant.

    Attributes:
        factors: real-time factors of all bare loops of all repeats [1], ascending.
        conditions: name -> word; where the repeats ran under several, all are named with their number.
        paced: what a client in real time sees, None when nobody asked.
    """

    label: str
    factors: tuple[float, ...]
    conditions: Mapping[str, str]
    paced: Paced | None

    @property
    def median(self) -> float:
        """Median real-time factor [1], NaN when none was timed."""
        return median(self.factors) if self.factors else math.nan


@dataclass(frozen=True, kw_only=True)
class Split:
    """Wall times [s] of the median run of one participant under one set of conditions, by part.

    Attributes:
        conditions: "fresh process, warm compilation".
        runs: how many there are; the one shown has the median wall time of the loop.
        steps: in its loop.
    """

    label: str
    conditions: str
    runs: int
    parts: Mapping[str, float]
    steps: int

    @property
    def loop(self) -> float:
        """Wall time of the parts inside the loop [s]."""
        return sum(self.parts.get(part, 0.0) for part in LOOP)

    @property
    def total(self) -> float:
        """Wall time of all parts [s]."""
        return sum(self.parts.values())


@dataclass(frozen=True, kw_only=True)
class SpeedTable:
    """All participants of one comparison.

    Attributes:
        settings: the profile.
        dt: [s].
        low, high: powers of ten around all real-time factors.
    """

    settings: str
    variant: str
    dt: float
    speeds: tuple[Speed, ...]
    splits: tuple[Split, ...]
    low: float
    high: float

    def position(self, factor: float) -> float:
        """Where a factor lies on the logarithmic axis, 0 to 1."""
        return (math.log10(factor) - math.log10(self.low)) / (math.log10(self.high) - math.log10(self.low))

    @property
    def condition_names(self) -> tuple[str, ...]:
        """Everything that is known of any participant's conditions."""
        return tuple(dict.fromkeys(name for speed in self.speeds for name in speed.conditions))

    @property
    def paced(self) -> bool:
        """Whether anybody ran in real time."""
        return any(speed.paced for speed in self.speeds)


def speed_table(comparison: Comparison, variant: str, names: Mapping[Participant, str]) -> SpeedTable | None:
    """The speeds of a comparison; None when nobody was timed."""
    speeds: list[Speed] = []
    splits: list[Split] = []
    for standing in comparison.ok:
        runs = comparison.series.ok(standing.who, comparison.dt)
        factors = sorted(factor for run in runs for factor in run.record.timing.real_time_factors if factor > 0)
        speeds.append(
            Speed(
                label=names[standing.who],
                factors=tuple(factors),
                conditions=_conditions(runs),
                paced=_paced(runs),
            )
        )
        splits += _splits(runs, names[standing.who])
    factors = [factor for speed in speeds for factor in speed.factors]
    if not factors:
        return None
    low, high = 10 ** math.floor(math.log10(min(factors))), 10 ** math.ceil(math.log10(max(factors)))
    return SpeedTable(
        settings=comparison.series.variant.settings,
        variant=variant,
        dt=comparison.dt,
        speeds=tuple(speeds),
        splits=tuple(splits),
        low=min(float(low), 1.0),
        high=max(float(high), 10.0),
    )


def _splits(runs: Sequence[Run], label: str) -> list[Split]:
    """One for each set of conditions: a cold start and a warm one have no common middle."""
    groups: dict[str, list[Run]] = defaultdict(list)
    for run in runs:
        timing = run.record.timing
        words = [f"{timing.process} process" if timing.process else ""]
        words.append(f"{timing.compilation} compilation" if timing.compilation else "")
        groups[", ".join(word for word in words if word)].append(run)
    found = []
    for conditions, group in sorted(groups.items()):
        ordered = sorted(group, key=lambda run: (_loop(run), run.folder))
        run = ordered[(len(ordered) - 1) // 2]
        parts = run.record.timing.parts
        order = [part for part in PARTS if part in parts] + sorted(parts.keys() - {*PARTS})
        found.append(
            Split(
                label=label,
                conditions=conditions,
                runs=len(group),
                parts={part: parts[part] for part in order},
                steps=run.record.timing.steps,
            )
        )
    return found


def _loop(run: Run) -> float:
    return sum(run.record.timing.parts.get(part, 0.0) for part in LOOP)


def _paced(runs: Sequence[Run]) -> Paced | None:
    paces = [pace for run in runs if (pace := run.record.timing.pace)]
    if not paces:
        return None
    factor, worst, late = (
        median(pace.get(name, math.nan) for pace in paces) for name in ("real_time_factor", "worst", "late")
    )
    return Paced(factor=factor, worst=worst, late=late)


def _conditions(runs: Sequence[Run]) -> dict[str, str]:
    def resolved(run: Run, name: str) -> str:
        row = run.record.resolution.table.get(name) if run.record.resolution else None
        return NOTHING if row is None else row.origin if row.value is None else str(row.value)

    found = {
        "device": [run.record.job.device for run in runs],
        "precision": [f"{run.record.job.precision}-bit" for run in runs],
        "steps": [str(run.record.timing.steps) for run in runs],
        "threads": [resolved(run, "threads") for run in runs],
        "iterations": [resolved(run, "iterations") for run in runs],
        "process": [run.record.timing.process or NOTHING for run in runs],
        "compilation": [run.record.timing.compilation or NOTHING for run in runs],
    }
    workers = [str(run.record.provenance["workers"]) for run in runs if "workers" in run.record.provenance]
    if workers:
        found["workers side by side"] = workers
    return {name: _counted(values) for name, values in found.items()}


def _counted(values: Sequence[str]) -> str:
    """The word that all share, or each with its number: "1 fresh, 2 warm"."""
    counts = Counter(values)
    return values[0] if len(counts) == 1 else ", ".join(f"{n} {value}" for value, n in sorted(counts.items()))
