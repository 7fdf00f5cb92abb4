"""Contacts one by one: which pair touched where, with what gap and what force, step by step, and their file."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .errors import UNREADABLE, SimparityError
from .robot_model import model_of
from .scene import Array, Scene

Indices = npt.NDArray[np.int64]


def contact_parties(scene: Scene) -> tuple[str, ...]:
    """Who can touch: the names of all bodies in scene order, then "ROBOT/LINK" for every link of every robot."""
    links = (f"{robot.name}/{link.name}" for robot in scene.robots for link in model_of(robot).links)
    return (*(body.name for body in scene.bodies), *links)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactRows:
    """The contact points of the step that ended, n of them.

    Attributes:
        a, b: the two parties as indices into `contact_parties`, a < b; shape (n,).
        point: where they touch, as the engine found it for this step, in W [m]; shape (n, 3).
        normal: unit vector from a to b in W; shape (n, 3).
        gap: signed distance that the engine's solver worked with [m], negative where they overlap; shape (n,).
        f_normal: normal force on b along `normal` over the step [N], positive where they press; shape (n,).
        f_friction: friction force on b in W over the step [N], NaN where the engine does not say; shape (n, 3).
    """

    a: Indices
    b: Indices
    point: Array
    normal: Array
    gap: Array
    f_normal: Array
    f_friction: Array

    @classmethod
    def of(
        cls, first: Any, second: Any, point: Any, normal: Any, gap: Any, f_normal: Any, f_friction: Any
    ) -> ContactRows:
        """Rows from an engine's own order of parties: `normal` from first to second, forces on the second.

        Rows whose first party comes later are turned about, so that a < b, and all are sorted by (a, b); the order of
        points of one pair stays.
        """
        first, second = np.asarray(first, np.int64), np.asarray(second, np.int64)
        swap = first > second
        sign = np.where(swap, -1.0, 1.0)[:, None]
        a, b = np.where(swap, second, first), np.where(swap, first, second)
        order = np.lexsort((b, a))
        columns = (point, sign * np.asarray(normal, float), gap, f_normal, sign * np.asarray(f_friction, float))
        p, n, g, f, t = (np.asarray(column, float)[order] for column in columns)
        return cls(a=a[order], b=b[order], point=p, normal=n, gap=g, f_normal=f, f_friction=t)

    @classmethod
    def none(cls) -> ContactRows:
        """No contact."""
        return cls.of([], [], np.zeros((0, 3)), np.zeros((0, 3)), [], [], np.zeros((0, 3)))


_COLUMNS = tuple(field.name for field in fields(ContactRows))


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactTrace:
    """All contact rows of a run, one below the other.

    Attributes:
        parties: names, see `contact_parties`.
        sample: index of the sample at whose instant the row's step ended; shape (N,), not decreasing.
        rows: the columns of `ContactRows`, N long.
    """

    parties: tuple[str, ...]
    sample: Indices
    rows: ContactRows

    def thinned(self, stride: int) -> ContactTrace:
        """The rows at every `stride`-th sample, which is then counted as one."""
        if stride == 1:
            return self
        kept = self.sample % stride == 0
        columns = {name: getattr(self.rows, name)[kept] for name in _COLUMNS}
        return ContactTrace(parties=self.parties, sample=self.sample[kept] // stride, rows=ContactRows(**columns))

    def signs(self, party: str) -> Array:
        """+1 where the row's force acts on `party`, -1 where its opposite does, 0 where neither; shape (N,)."""
        index = self.parties.index(party)
        return np.asarray((self.rows.b == index).astype(float) - (self.rows.a == index))

    def force_on(self, party: str, samples: int) -> tuple[Array, Array]:
        """Sum of the contact forces on `party` [N] at each of `samples` instants: normal and friction part, (T, 3)."""
        sign = self.signs(party)[:, None]
        normal, friction = np.zeros((samples, 3)), np.zeros((samples, 3))
        np.add.at(normal, self.sample, sign * self.rows.f_normal[:, None] * self.rows.normal)
        np.add.at(friction, self.sample, sign * np.where(sign == 0, 0.0, self.rows.f_friction))
        return normal, friction


class ContactLog:
    """Collects the contact rows of a rollout."""

    def __init__(self, parties: tuple[str, ...]) -> None:
        self.parties = parties
        self._samples: list[int] = []
        self._rows: list[ContactRows] = []

    def keep(self, sample: int, rows: ContactRows) -> None:
        """Add the rows of the step that ended at `sample`."""
        if len(rows.a):
            self._samples.append(sample)
            self._rows.append(rows)

    def trace(self, samples: int) -> ContactTrace:
        """What was kept of the first `samples` samples."""
        kept = [(k, rows) for k, rows in zip(self._samples, self._rows, strict=True) if k < samples]
        every = [ContactRows.none(), *(rows for _, rows in kept)]
        columns = {name: np.concatenate([getattr(rows, name) for rows in every]) for name in _COLUMNS}
        counts = np.array([len(rows.a) for _, rows in kept], np.int64)
        sample = np.repeat(np.array([k for k, _ in kept], np.int64), counts)
        return ContactTrace(parties=self.parties, sample=sample, rows=ContactRows(**columns))


def save(contacts: ContactTrace, path: Path) -> None:
    """Write `contacts` as a numpy archive without pickles."""
    columns: dict[str, Any] = {name: getattr(contacts.rows, name) for name in _COLUMNS}
    parties = np.array(contacts.parties, dtype=np.str_)
    np.savez_compressed(path, parties=parties, sample=contacts.sample, **columns)


def load(path: Path, samples: int | None = None) -> ContactTrace:
    """Read what `save` wrote.

    Args:
        path: of the file.
        samples: how many the run's trace has; a row beyond them is damage.

    Raises:
        SimparityError: the file is missing, damaged or no such archive.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            rows = ContactRows(**{name: file[name] for name in _COLUMNS})
            found = ContactTrace(parties=tuple(str(x) for x in file["parties"]), sample=file["sample"], rows=rows)
    except UNREADABLE as error:
        raise SimparityError(f"{path} holds no readable contacts ({error}); delete its folder and run again") from error
    if reason := _unsound(found, samples):
        raise SimparityError(f"{path} holds no readable contacts ({reason}); delete its folder and run again")
    return found


def _unsound(contacts: ContactTrace, samples: int | None) -> str:
    """Why the rows cannot be used, "" when they can."""
    columns = {name: getattr(contacts.rows, name) for name in _COLUMNS}
    count = contacts.sample.size
    for name, array in {"sample": contacts.sample, **columns}.items():
        vector, whole = name in ("point", "normal", "f_friction"), name in ("sample", "a", "b")
        if array.shape != ((count, 3) if vector else (count,)):
            return f"{name} is of shape {array.shape} where there are {count} rows"
        if array.dtype.kind != ("i" if whole else "f"):
            return f"{name} is of type {array.dtype}"
    if not count:
        return ""
    named = np.concatenate([contacts.rows.a, contacts.rows.b])
    if strangers := sorted(set(named.tolist()) - set(range(len(contacts.parties)))):
        return f"a row names party {strangers[0]} of {len(contacts.parties)}"
    if contacts.sample[0] < 0 or (np.diff(contacts.sample) < 0).any():
        return "its samples are not in order"
    if samples is not None and contacts.sample[-1] >= samples:
        return f"a row belongs to sample {contacts.sample[-1]} of a trace of {samples}"
    return ""
