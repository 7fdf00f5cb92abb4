"""How fast each participant ran, under which conditions, and where the wall time went."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median

from ..record import Record
from .measure import Comparison
from .quantity import NOTHING
from .runs import Participant

LOOP = ("first_step", "step", "read", "command", "controller", "log")
PARTS = ("import", "build", *LOOP)


@dataclass(frozen=True, kw_only=True)
class Speed:
    """One participant.

    Attributes:
        factors: real-time factors of all bare loops of all repeats [1], ascending.
        conditions: name -> word.
        parts: wall time [s] of its first run, by part, in the order of PARTS.
    """

    label: str
    factors: tuple[float, ...]
    conditions: Mapping[str, str]
    parts: Mapping[str, float]

    @property
    def median(self) -> float:
        """Median real-time factor [1], NaN when none was timed."""
        return median(self.factors) if self.factors else math.nan

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
    low: float
    high: float

    def position(self, factor: float) -> float:
        """Where a factor lies on the logarithmic axis, 0 to 1."""
        return (math.log10(factor) - math.log10(self.low)) / (math.log10(self.high) - math.log10(self.low))


def speed_table(comparison: Comparison, variant: str, names: Mapping[Participant, str]) -> SpeedTable | None:
    """The speeds of a comparison; None when nobody was timed."""
    speeds = []
    for standing in comparison.ok:
        runs = comparison.series.ok(standing.who, comparison.dt)
        factors = sorted(factor for run in runs for factor in run.record.timing.real_time_factors if factor > 0)
        parts = standing.run.record.timing.parts
        ordered = {part: parts.get(part, 0.0) for part in PARTS} | {
            k: v for k, v in sorted(parts.items()) if k not in PARTS
        }
        speeds.append(
            Speed(
                label=names[standing.who],
                factors=tuple(factors),
                conditions=_conditions(standing.run.record),
                parts={part: wall for part, wall in ordered.items() if part in parts},
            )
        )
    factors = [factor for speed in speeds for factor in speed.factors]
    if not factors:
        return None
    low, high = 10 ** math.floor(math.log10(min(factors))), 10 ** math.ceil(math.log10(max(factors)))
    return SpeedTable(
        settings=comparison.series.variant.settings,
        variant=variant,
        dt=comparison.dt,
        speeds=tuple(speeds),
        low=min(float(low), 1.0),
        high=max(float(high), 10.0),
    )


def _conditions(record: Record) -> dict[str, str]:
    table = record.resolution.table if record.resolution else {}

    def resolved(name: str) -> str:
        row = table.get(name)
        return NOTHING if row is None else row.origin if row.value is None else str(row.value)

    timing, job = record.timing, record.job
    return {
        "device": job.device,
        "precision": f"{job.precision}-bit",
        "steps": str(timing.steps),
        "threads": resolved("threads"),
        "iterations": resolved("iterations"),
        "process": timing.process or NOTHING,
        "compilation": timing.compilation or NOTHING,
    }
