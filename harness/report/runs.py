"""Runs as the report needs them: read, told apart by who ran what, and sorted into series that can be compared."""

from __future__ import annotations

import json
import zipfile
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from .. import store
from ..record import Record
from ..registry import ensemble_of
from ..smoke import smoke_of
from .participants import Participant, differing, label
from .quantity import plain
from .sound import unsound

PHASE = "phase"  # the experiment parameter that only moves an event within one step


@dataclass(frozen=True, eq=False)
class Run:
    """One record and where it lies; two are equal only when they are the same object.

    Attributes:
        damage: why its trace cannot be read, though the record says that it ended well; "" when nothing is wrong.
    """

    folder: Path
    record: Record
    damage: str = ""

    @property
    def status(self) -> str:
        """How it ended, or "damaged"."""
        return "damaged" if self.damage else self.record.status

    @property
    def ok(self) -> bool:
        """Whether it ended well and can be read."""
        return self.status == "ok"

    @property
    def stepped(self) -> bool:
        """Whether it went through time; an experiment that only evaluates states leaves no trace."""
        return self.record.timing.steps > 0

    @property
    def machine(self) -> str:
        """Name of the machine's folder."""
        return self.folder.parents[2].name

    @cached_property
    def participant(self) -> Participant:
        """Who ran."""
        job = self.record.job
        return Participant(
            engine=job.engine,
            overrides=tuple(sorted((name, word(value)) for name, value in job.overrides.items())),
            version=job.engine_version,
            device=job.device,
            precision=job.precision,
            machine=self.machine,
            libraries=tuple(sorted(job.libraries.items())),
        )

    @cached_property
    def variant(self) -> Variant:
        """What was run, whatever the step, the phase and the member of an ensemble."""
        job = self.record.job
        apart = (PHASE, ensemble_of(job.experiment))
        return Variant(
            experiment=job.experiment,
            params=tuple(sorted((name, word(value)) for name, value in job.params.items() if name not in apart)),
            settings=job.settings,
            duration=job.duration,
            stride=job.stride,
            control_dt=job.control_dt,
            inputs=tuple(sorted(job.inputs.items())),
            smoke=bool(smoke_of(job)),
        )

    @property
    def phase(self) -> float:
        """Its arrival phase [1], 0 where the experiment has none."""
        value = self.record.job.params.get(PHASE, 0.0)
        return float(value) if isinstance(value, (int, float)) else 0.0

    @cached_property
    def member(self) -> str:
        """Which member of an ensemble it is, "" where the experiment has none."""
        parameter = ensemble_of(self.record.job.experiment)
        return word(self.record.job.params.get(parameter, 0)) if parameter else ""


@dataclass(frozen=True, order=True)
class Variant:
    """What makes runs comparable apart from dt: experiment, parameters, settings and schedule; `smoke`: its SMOKE."""

    experiment: str
    params: tuple[tuple[str, str], ...]
    settings: str
    duration: float
    stride: int
    control_dt: float
    inputs: tuple[tuple[str, str], ...]
    smoke: bool = False


@dataclass(frozen=True)
class Series:
    """All runs of one variant, by participant and step.

    Attributes:
        runs: (participant, dt) -> its repeats at phase 0, those that ended well first; of an ensemble one member.
        members: (participant, dt) -> member -> its repeats; one member "" where there is no ensemble.
        phases: (participant, dt) -> one run for each phase, phase 0 included, in order.
    """

    variant: Variant
    runs: Mapping[tuple[Participant, float], tuple[Run, ...]]
    members: Mapping[tuple[Participant, float], Mapping[str, tuple[Run, ...]]]
    phases: Mapping[tuple[Participant, float], tuple[Run, ...]]

    @property
    def steps(self) -> tuple[float, ...]:
        """All dt [s], the coarsest first."""
        return tuple(sorted({dt for _, dt in self.runs}, reverse=True))

    @property
    def participants(self) -> tuple[Participant, ...]:
        """All participants, engines without overrides first."""
        return tuple(sorted({who for who, _ in self.runs}, key=lambda who: (len(who.overrides), who)))

    def ok(self, who: Participant, dt: float) -> tuple[Run, ...]:
        """The repeats that ended well."""
        return tuple(run for run in self.runs.get((who, dt), ()) if run.ok)


def gather(results: Path, only: frozenset[str] | None = None) -> tuple[tuple[Run, ...], tuple[store.Damage, ...]]:
    """Every readable run below `results`, and what is there that is none; of `only` those run ids, when given."""
    runs, damage = [], []
    for item in store.runs(results):
        if isinstance(item, store.Damage):
            if only is None or item.path.name in only:
                damage.append(item)
        elif only is not None and item[0].name not in only:
            continue
        elif reason := unsound(item[1]):
            damage.append(store.Damage(item[0], reason))
        else:
            run = Run(*item, damage=_without_trace(*item))
            if run.damage:
                damage.append(store.Damage(run.folder / store.TRACE, run.damage))
            runs.append(run)
    stray = [store.Damage(path, "a file where a folder of runs is expected") for path in _stray(results)]
    found = damage if only is not None else [*damage, *stray]
    return tuple(runs), tuple(sorted(found, key=lambda item: item.path))


def newest_code(runs: Sequence[Run]) -> tuple[tuple[Run, ...], tuple[Run, ...]]:
    """Runs of the code that was run last, of each engine in each experiment, and those of earlier code."""
    by_folder = {run.folder: run for run in runs}
    newest, earlier = store.newest_code((run.folder, run.record) for run in runs)
    return tuple(by_folder[folder] for folder, _ in newest), tuple(by_folder[folder] for folder, _ in earlier)


def _without_trace(folder: Path, record: Record) -> str:
    """Why a run that stepped to its end has no trace to read, "" when it has one."""
    if record.status != "ok" or record.timing.steps == 0:
        return ""
    if not (folder / store.TRACE).is_file():
        return "the trace is missing; delete its folder and run again"
    torn = not zipfile.is_zipfile(folder / store.TRACE)
    return "the trace is no numpy archive; delete its folder and run again" if torn else ""


def series_of(runs: Sequence[Run]) -> tuple[Series, ...]:
    """`runs` sorted into series."""
    groups: dict[Variant, list[Run]] = defaultdict(list)
    for run in runs:
        groups[run.variant].append(run)
    return tuple(_series(variant, group) for variant, group in sorted(groups.items()))


def labels(runs: Sequence[Run]) -> dict[Participant, str]:
    """A name for every participant, no longer than it takes to tell them apart.

    Only who ran to the end counts for that: one that could not run carries its own difference and renames nobody.
    """
    ended = {run.participant for run in runs if run.ok}
    alike: dict[tuple[str, Any], list[Participant]] = defaultdict(list)
    for who in sorted({run.participant for run in runs}):
        alike[who.engine, who.overrides].append(who)
    names: dict[Participant, str] = {}
    for group in alike.values():
        well = [who for who in group if who in ended] or group
        names |= {who: label(who, well if who in well else group) for who in group}
    return names


def engine_versions(runs: Sequence[Run], engine: str) -> tuple[str, ...]:
    """The versions of an engine, each with those of its libraries in which these runs of it differ."""
    ours = [run.participant for run in runs if run.participant.engine == engine]
    those = sorted({(who.version, who.libraries) for who in ours})
    several = differing(libraries for _, libraries in those)
    words: dict[str, set[str]] = defaultdict(set)  # version -> its libraries in words
    for version, libraries in those:
        words[version].add(", ".join(f"{name} {found}" for name, found in libraries if name in several))
    return tuple(
        f"{version} with {libraries}" if libraries else version
        for version, found in words.items()
        for libraries in sorted(found - {""} or {""})  # a run without any of them has nothing to tell
    )


def _series(variant: Variant, group: Sequence[Run]) -> Series:
    members: dict[tuple[Participant, float], dict[str, tuple[Run, ...]]] = defaultdict(dict)
    phases: dict[tuple[Participant, float], dict[float, Run]] = defaultdict(dict)
    for run in sorted(group, key=lambda run: (not run.ok, run.record.job.repeat, run.folder)):
        key = (run.participant, run.record.job.dt)
        if run.phase == 0:
            members[key][run.member] = (*members[key].get(run.member, ()), run)
        if run.ok:
            phases[key].setdefault(run.phase, run)
    shown = _shown(list(members.values()))
    return Series(
        variant=variant,
        runs={key: _one(found, shown) for key, found in sorted(members.items())},
        members={
            key: dict(sorted(found.items(), key=lambda item: in_order(item[0]))) for key, found in members.items()
        },
        phases={key: tuple(run for _, run in sorted(found.items())) for key, found in sorted(phases.items())},
    )


def in_order(member: str) -> tuple[int, str]:
    """A key that sorts the words of whole numbers as numbers."""
    return len(member), member


def _shown(members: Sequence[Mapping[str, tuple[Run, ...]]]) -> str:
    """The member that ended well most often, the first of those; it stands for the others in diagrams over time."""
    ended = Counter(member for found in members for member, repeats in found.items() if repeats[0].ok)
    every = {member for found in members for member in found}
    return min(every, key=lambda member: (-ended[member], in_order(member)), default="")


def _one(members: Mapping[str, tuple[Run, ...]], shown: str) -> tuple[Run, ...]:
    """The repeats of the member `shown`, or of the first that ended well where it did not."""
    order = sorted(members, key=lambda member: (not members[member][0].ok, member != shown, in_order(member)))
    return members[order[0]]


def word(value: Any) -> str:
    """A parameter or option as a word that sorts and prints."""
    if isinstance(value, float):
        return plain(value, 12).replace("−", "-")
    return value if isinstance(value, str) else json.dumps(value)


def _stray(results: Path) -> list[Path]:
    """Files above the folders of runs; dot files and a sweep's own YAML and log belong there."""
    levels = [results, *results.glob("*/"), *results.glob("*/*/")]
    allowed = (".yaml", ".log", ".md", ".gitignore")
    found = [path for level in levels for path in level.iterdir() if path.is_file()]
    return [path for path in found if not path.name.startswith(".") and path.suffix not in allowed]
