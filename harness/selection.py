"""Which stored runs a user means: NAME=VALUE conditions on what was asked for and how it ended, or part of an id."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from .errors import UnknownName, UsageError
from .record import Record
from .smoke import smoke_of

_OF_JOB = (
    *("experiment", "engine", "settings", "dt", "duration"),
    *("stride", "control_dt", "repeat", "device", "precision"),
)


def selected(records: Iterable[Record], where: Sequence[str]) -> list[Record]:
    """The records that meet every one of the conditions; several values with commas between them mean any of them.

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
    return facts | {f"option.{name}": value for name, value in job.overrides.items()}


def _fits(record: Record, conditions: Mapping[str, str]) -> bool:
    facts = _facts(record)
    return all(
        name in facts and any(_same(facts[name], word) for word in wanted.split(","))
        for name, wanted in conditions.items()
    )


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


def _some(ids: Sequence[str]) -> str:
    """The first ids of a list, and that there are more."""
    return ", ".join(ids[:4]) + (" and more" if len(ids) > 4 else "") if ids else "none"


def _same(value: object, word: str) -> bool:
    try:
        return str(value) == word or float(str(value)) == float(word)
    except ValueError:
        return False
