"""The commands that would resolve verdicts: the repeats, finer runs and members without which nothing can be said."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from itertools import count, islice

from ..asked import engine_word, run_words
from ..errors import SimparityError
from ..job import Job
from .ensembles import told_of
from .lexicon import Lexicon
from .measure import Standing
from .verdicts import Judged


def commands(judged: Judged, words: Lexicon) -> tuple[str, ...]:
    """`simparity run` with what the unresolved pairs of a comparison lack; engines that lack the same share a command.

    A run of an engine or experiment that this version of simparity does not have has no command.
    """
    found: dict[tuple[str, ...], dict[str, None]] = {}
    for job, instead in _members(judged, words) if words.ensemble else _finer(judged):
        try:
            key, engine = tuple(run_words(job, **{"engine": "", **instead})), engine_word(job)
        except SimparityError:
            continue
        found.setdefault(key, {})[engine] = None
    return tuple(_command(key, list(engines)) for key, engines in found.items())


def _command(key: Sequence[str], engines: Sequence[str]) -> str:
    words = [f"engine={','.join(engines)}" if word == "engine=" else word for word in key]
    several = len(engines) > 1 or any("," in word and "[" not in word for word in key)
    return shlex.join(["simparity", "run", *(["-m"] if several else []), *words])


def _finer(judged: Judged) -> Iterator[tuple[Job, dict[str, str]]]:
    """What each participant of an unresolved pair lacks, as its job and what to change of it; repeats first."""
    unresolved = [pair for pair, cell in judged.cells.items() if cell.word == "unresolved"]
    lacking = [one for one in judged.comparison.ok if any(one.who in pair for pair in unresolved)]
    for standing in lacking:
        if judged.spreads.get(standing.who) is None:
            yield standing.run.record.job, {"repeat": str(_next_repeat(judged, standing))}
    for standing in lacking:
        if standing.halved is None:
            yield standing.run.record.job, {"dt": f"{standing.dt / 2:.12g}", "repeat": "0"}
    for standing in lacking:
        for option, part in standing.doubled.items():
            resolution = standing.run.record.resolution
            row = resolution.table.get(option) if resolution is not None else None
            if part is None and row is not None and isinstance(row.value, (int, float)):
                yield standing.run.record.job, {f"+option.{option}": f"{2 * row.value:.12g}", "repeat": "0"}


def _next_repeat(judged: Judged, standing: Standing) -> int:
    done = {run.record.job.repeat for run in judged.comparison.series.ok(standing.who, standing.dt)}
    return next(number for number in count() if number not in done)


def _members(judged: Judged, words: Lexicon) -> Iterator[tuple[Job, dict[str, str]]]:
    """The members that ensembles lack which are too small for any test to tell them apart."""
    comparison = judged.comparison
    needed = {
        who: told.needed
        for (a, b), told in told_of(comparison, words).items()
        if told.word == "unresolved"
        for who in (a, b)
    }
    for who, least in needed.items():
        members = comparison.series.members.get((who, comparison.dt), {})
        new = (str(number) for number in count() if str(number) not in members)
        missing = list(islice(new, max(least - len(members), 0)))
        if missing:
            job = comparison.standing(who).run.record.job
            yield job, {f"experiment.{words.ensemble}": ",".join(missing), "repeat": "0"}
