"""What the traces of one series say: differences between participants, refinement of each, spread over its repeats."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

from .. import store
from ..compare import Difference, difference, largest
from ..contacts import ContactTrace
from ..engine import Resolution
from ..errors import SimparityError
from ..trace import Trace
from .participants import Participant, base_of
from .quantity import quantity
from .runs import Run, Series

Pair = tuple[Participant, Participant]


class Traces:
    """Traces and contact points, loaded once each; what cannot be loaded is remembered with the reason."""

    def __init__(self) -> None:
        self.damage: list[store.Damage] = []
        self._loaded: dict[Run, Trace | None] = {}
        self._contacts: dict[Run, ContactTrace | None] = {}

    def of(self, run: Run) -> Trace | None:
        """The trace of a run, None when it is damaged."""
        if run not in self._loaded:
            try:
                self._loaded[run] = store.read_trace(run.folder)
            except SimparityError as error:
                self.damage.append(store.Damage(run.folder / store.TRACE, str(error)))
                self._loaded[run] = None
        return self._loaded[run]

    def contacts_of(self, run: Run) -> ContactTrace | None:
        """The contact points of a run; None where it has none, or they or its trace are damaged."""
        if run not in self._contacts:
            self._contacts[run] = None
            trace = self.of(run)
            if trace is not None and (run.folder / store.CONTACTS).is_file():
                try:
                    self._contacts[run] = store.read_contacts(run.folder, len(trace.time))
                except SimparityError as error:
                    self.damage.append(store.Damage(run.folder / store.CONTACTS, str(error)))
        return self._contacts[run]


@dataclass(frozen=True, kw_only=True)
class Standing:
    """One participant at one step dt.

    Attributes:
        run: its first repeat that ended well, else its first.
        repeats: how many repeats ended well.
        spread: largest difference over the repeats, None with fewer than two.
        identical: whether the repeats are equal bit by bit, None with fewer than two.
        halved: what halving dt changes, None when that run is missing.
        doubled: option -> what doubling it changes, for options that refine the engine; None when that run is missing.
    """

    who: Participant
    dt: float
    run: Run
    repeats: int
    spread: Difference | None
    identical: bool | None
    halved: Difference | None
    doubled: Mapping[str, Difference | None]

    @property
    def ok(self) -> bool:
        """Whether it ended well."""
        return self.run.ok

    @property
    def refinement(self) -> Difference | None:
        """The larger of halving dt and doubling options; None when one of these runs is missing."""
        parts = [self.halved, *self.doubled.values()]
        found = [part for part in parts if part is not None]
        return largest(found) if len(found) == len(parts) else None

    @property
    def lacks(self) -> tuple[str, ...]:
        """The runs without which there is no refinement, in short."""
        words = [] if self.halved else ["no halved dt"]
        return (*words, *(f"no doubled {name}" for name, part in self.doubled.items() if part is None))

    @property
    def missing(self) -> tuple[str, ...]:
        """The same, in a sentence each."""
        words = [] if self.halved else [f"no run at {quantity(self.dt / 2, 's')}"]
        return (*words, *(f"no run with {name} doubled" for name, part in self.doubled.items() if part is None))


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """All participants of a series at one step, and how far each pair is apart (None where that cannot be said).

    Attributes:
        refines: the step only serves the refinement of the doubled one: all have run that, and no pair has a finer one.
        finer: how far pairs are apart when both take half of this step, for those that have run it.
    """

    series: Series
    dt: float
    standings: tuple[Standing, ...]
    apart: Mapping[Pair, Difference | None]
    refines: bool
    finer: Mapping[Pair, Difference | None] = field(default_factory=dict)

    def standing(self, who: Participant) -> Standing:
        """The standing of one participant."""
        return next(standing for standing in self.standings if standing.who == who)

    @property
    def ok(self) -> tuple[Standing, ...]:
        """Those that ended well."""
        return tuple(standing for standing in self.standings if standing.ok)


def measure(series: Series, traces: Traces) -> tuple[Comparison, ...]:
    """Every comparison of a series, the coarsest step first."""
    only_refining = {who for who in series.participants if _refines_another(series, who)}
    found: list[Comparison] = []
    for dt in series.steps:
        present = [who for who in series.participants if (who, dt) in series.runs and who not in only_refining]
        standings = tuple(_standing(series, who, dt, traces) for who in present)
        apart = {(a.who, b.who): _apart(a.run, b.run, traces) for a, b in combinations(standings, 2) if a.ok and b.ok}
        if standings:
            doubled = [seen for seen in found if math.isclose(seen.dt, 2 * dt, rel_tol=1e-9)]
            coarser = all(any(_has(seen, who) for seen in doubled) for who in present)
            refines = coarser and sum(standing.halved is not None for standing in standings) < 2
            found.append(Comparison(series=series, dt=dt, standings=standings, apart=apart, refines=refines))
    return tuple(replace(one, finer=_at(_step(series, one.dt / 2), found)) for one in found)


def _at(dt: float, found: Iterable[Comparison]) -> Mapping[Pair, Difference | None]:
    """How far pairs are apart at that step."""
    return next((one.apart for one in found if one.dt == dt), {})


def main_of(comparisons: Iterable[Comparison], usual_dt: float | None) -> Comparison:
    """The comparison that stands for a series: most participants that ended well, then the usual step."""
    return max(comparisons, key=lambda c: (len(c.ok), not c.refines, c.dt == usual_dt, c.dt))


def reference_of(comparison: Comparison, tolerance: tuple[float, float, float]) -> Participant | None:
    """The participant that most others agree with, then of higher precision, then nearest to all."""
    everyone = [standing.who for standing in comparison.ok]
    plain = [standing for standing in comparison.ok if base_of(standing.who, everyone) is None]
    engines = {standing.who for standing in plain}
    limits = {"position": tolerance[0], "joint": tolerance[1], "slide": tolerance[0]}

    def rank(standing: Standing) -> tuple[int, int, float, Participant]:
        to_others = [
            value
            for pair, value in comparison.apart.items()
            if standing.who in pair and engines.issuperset(pair) and value is not None and math.isfinite(value.motion)
        ]
        near = sum(value.motion <= limits[value.motion_kind] for value in to_others)
        return (-near, -standing.who.precision, sum(value.motion for value in to_others), standing.who)

    return min(plain, key=rank).who if plain else None


def between(comparison: Comparison, a: Participant, b: Participant) -> Difference | None:
    """The difference of two participants, in either order."""
    return comparison.apart.get((a, b)) or comparison.apart.get((b, a))


def _has(comparison: Comparison, who: Participant) -> bool:
    return any(standing.who == who for standing in comparison.standings)


def _standing(series: Series, who: Participant, dt: float, traces: Traces) -> Standing:
    runs, ok = series.runs[who, dt], series.ok(who, dt)
    loaded = [trace for run in ok if (trace := traces.of(run)) is not None]
    pairs = list(combinations(loaded, 2))
    slides = sliding(ok[0].record.resolution) if ok else frozenset()
    halved = _finer(ok, series.ok(who, _step(series, dt / 2)), traces)
    doubled = {name: _finer(ok, _doubled(series, who, dt, name), traces) for name in _refined_by(ok)}
    return Standing(
        who=who,
        dt=dt,
        run=runs[0],
        repeats=len(ok),
        spread=largest(found for pair in pairs if (found := _difference(*pair, slides)) is not None),
        identical=all(_identical(*pair) for pair in pairs) if pairs else None,
        halved=halved,
        doubled=doubled,
    )


def _step(series: Series, dt: float) -> float:
    """The step of the series that equals `dt` up to rounding, else `dt`."""
    return next((step for step in series.steps if math.isclose(step, dt, rel_tol=1e-9)), dt)


def _finer(coarse: tuple[Run, ...], fine: tuple[Run, ...], traces: Traces) -> Difference | None:
    return _apart(coarse[0], fine[0], traces) if coarse and fine else None


def _apart(a: Run, b: Run, traces: Traces) -> Difference | None:
    first, second = traces.of(a), traces.of(b)
    slides = sliding(a.record.resolution) | sliding(b.record.resolution)
    return None if first is None or second is None else _difference(first, second, slides)


def sliding(resolution: Resolution | None) -> frozenset[str]:
    """The joints whose limits an engine resolved in m."""
    rows = resolution.table.items() if resolution is not None else ()
    return frozenset(
        name.removeprefix("joint.").removesuffix(".lower")
        for name, row in rows
        if name.startswith("joint.") and name.endswith(".lower") and row.unit == "m"
    )


def _difference(a: Trace, b: Trace, slides: frozenset[str]) -> Difference | None:
    try:
        return difference(a, b, slides)
    except SimparityError:
        return None


def _identical(a: Trace, b: Trace) -> bool:
    return np.array_equal(a.time, b.time) and all(
        np.array_equal(array, b.channels[name], equal_nan=True) for name, array in a.channels.items()
    )


def _refined_by(runs: tuple[Run, ...]) -> tuple[str, ...]:
    resolution = runs[0].record.resolution if runs else None
    return resolution.refined_by if resolution else ()


def _doubled(series: Series, who: Participant, dt: float, name: str) -> tuple[Run, ...]:
    """The runs that differ from those of `who` only by twice the option `name`."""
    for other in series.participants:
        if other.without([name]) == who.without([name]) and _ratio(series, other, who, dt, name) == 2:
            return series.ok(other, dt)
    return ()


def _refines_another(series: Series, who: Participant) -> bool:
    """Whether `who` is another participant with options doubled (or again doubled) that refine it."""
    for dt in series.steps:
        names = [name for name in _refined_by(series.ok(who, dt)) if name in dict(who.overrides)]
        for other in series.participants:
            if names and other != who and other.without(names) == who.without(names):
                ratios = [_ratio(series, who, other, dt, name) for name in names]
                if all(r >= 1 and math.log2(r).is_integer() for r in ratios) and max(ratios) > 1:
                    return True
    return False


def _ratio(series: Series, a: Participant, b: Participant, dt: float, name: str) -> float:
    """Value of an option in a over that in b; 0 where it is not known."""
    first, second = (_value(series.ok(who, dt), name) for who in (a, b))
    return first / second if first and second else 0.0


def _value(runs: tuple[Run, ...], name: str) -> float | None:
    resolution = runs[0].record.resolution if runs else None
    row = resolution.table.get(name) if resolution else None
    return float(row.value) if row and isinstance(row.value, (int, float)) else None
