"""Which stored runs a user means: NAME=VALUE conditions on what was asked for and how it ended, or part of an id."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from .errors import UnknownName, UsageError
from .progress import short
from .record import Record
from .smoke import smoke_of

SHOWN = 12  # values in one sentence
_UNITS = {"ms": 1e-3, "us": 1e-6, "s": 1.0}  # of times [s]
_TIMES = ("dt", "duration", "control_dt")
_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_OF_JOB = (
    *("experiment", "engine", "settings", "dt", "duration"),
    *("stride", "control_dt", "repeat", "device", "precision"),
)


def selected(records: Iterable[Record], where: Sequence[str]) -> list[Record]:
    """The records that meet every one of the conditions; several values with commas between them mean any of them.

    A value is taken as `run`, `show` and records write it: physx@3.0.3, 1ms, [1,2].

    Args:
        records: of stored runs.
        where: NAME=VALUE of the experiment, engine, settings, dt, repeat, status, parameters, options, run_id or smoke,
            or the first digits of a run id.

    Raises:
        UsageError: a condition that cannot be read, a name that no run has, or part of an id that none or several have.
    """
    everything = list(records)
    conditions = _conditions(where, everything)
    return [record for record in everything if _fits(record, conditions)]


def _facts(record: Record) -> dict[str, object]:
    """Everything of a run that a condition can ask for, by the names that `run` takes, and by short ones."""
    job = record.job
    facts: dict[str, object] = {name: getattr(job, name) for name in _OF_JOB}
    facts |= {"status": record.status, "run_id": job.run_id, "engine_version": job.engine_version}
    facts["smoke"] = str(bool(smoke_of(job))).lower()
    for name, value in job.params.items():
        facts |= {name: value, f"experiment.{name}": value}
    options = {f"option.{name}": value for name, value in job.overrides.items()}
    return dict(job.overrides) | facts | options


def _fits(record: Record, conditions: Mapping[str, str]) -> bool:
    facts = _facts(record)
    return all(name in facts and _any_of(record, name, facts[name], wanted) for name, wanted in conditions.items())


def _any_of(record: Record, name: str, value: object, wanted: str) -> bool:
    words = [wanted, *_apart(wanted)]
    if name == "engine":
        return any(word in (value, _with_version(record)) for word in words)
    if name in _TIMES and isinstance(value, float):
        return f"{value * 1e3:g}ms" in words or any(_same(value, _seconds(word)) for word in words)
    return any(_same(value, word) for word in words)


def _with_version(record: Record) -> str:
    return f"{record.job.engine}@{record.job.engine_version.partition(' ')[0]}"


def none_fits(records: Sequence[Record], where: Sequence[str], results: Path) -> UsageError:
    """The error that no run meets the conditions: which of them none meets, and the values that there are."""
    conditions = _conditions(where, records)
    said = [
        f"{name} is {_some(_values(records, name, wanted), SHOWN)}"
        for name, wanted in conditions.items()
        if not any(_fits(record, {name: wanted}) for record in records)
    ]
    why = "; ".join(said) if said else "each condition fits some, but none fits all of them"
    return UsageError(f"no run in {results} fits {' '.join(where)}: {why}")


def _values(records: Sequence[Record], name: str, wanted: str) -> list[str]:
    """The values of a fact in these runs, as a condition takes them; versions of engines where they matter."""
    if name == "engine":
        versions = {record.job.engine: set[str]() for record in records}
        for record in records:
            versions[record.job.engine].add(_with_version(record))
        return sorted(
            word
            for engine, found in versions.items()
            for word in (found if len(found) > 1 or "@" in wanted else {engine})
        )
    return sorted({str(facts[name]).replace(", ", ",") for facts in map(_facts, records) if name in facts})


def _conditions(where: Sequence[str], records: Sequence[Record]) -> dict[str, str]:
    known = {name for record in records for name in _facts(record)}
    conditions: dict[str, str] = {}
    ids: list[str] = []
    for word in where:
        name, equals, wanted = word.lstrip("+").partition("=")
        if not equals:
            ids.append(whole_id(word, {record.job.run_id for record in records}))
        elif name == "run_id":
            ids += [whole_id(one, {record.job.run_id for record in records}) for one in wanted.split(",")]
        elif name not in known:
            raise UnknownName("name", name, known)
        else:
            conditions[name] = wanted
    return conditions | ({"run_id": ",".join(ids)} if ids else {})


def whole_id(part: str, ids: Iterable[str]) -> str:
    """The id among `ids` that begins with `part`.

    Raises:
        UsageError: none does, or several do.
    """
    everything = sorted(set(ids))
    found = [one for one in everything if one == part] or [one for one in everything if one.startswith(part) and part]
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"run {part!r} is one of {len(found)} runs: {_some(found)}; give more of its id")
    raise UsageError(
        f"no run id begins with {part!r}; the {len(everything)} runs here are {_some(everything)}; "
        "give the first digits of an id, or NAME=VALUE, for example engine=mujoco"
    )


def _some(words: Sequence[str], most: int = 4) -> str:
    """The first of a list, and that there are more."""
    return ", ".join(words[:most]) + (" and more" if len(words) > most else "") if words else "none"


def _same(value: object, word: str) -> bool:
    if isinstance(value, (list, tuple)):
        inside = _apart(word[1:-1])
        bracketed = word[:1] in _BRACKETS and word[-1:] == _BRACKETS[word[0]]
        return bracketed and len(inside) == len(value) and all(map(_same, value, inside))
    word = word.strip()
    if word in (str(value), short(value)):
        return True
    if value is None or isinstance(value, bool):
        return word == ("null" if value is None else str(value).lower())
    try:
        return math.isclose(float(str(value)), float(word), rel_tol=1e-12)
    except ValueError:
        return False


def _seconds(word: str) -> str:
    """A time with a unit as a number of seconds; any other word as it is."""
    for unit, size in _UNITS.items():
        if word.endswith(unit):
            try:
                return str(float(word.removesuffix(unit)) * size)
            except ValueError:
                continue
    return word


def _apart(words: str) -> list[str]:
    """Parts between the commas that stand in no brackets."""
    parts, depth = [""] if words else [], 0
    for letter in words:
        depth += (letter in _BRACKETS) - (letter in _BRACKETS.values())
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return parts
