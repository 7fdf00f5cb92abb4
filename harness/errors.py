"""Errors that a user may meet. Each message says what was asked, what exists and what to do."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterable

# what numpy, zipfile and zlib raise on a torn or foreign archive: RuntimeError where it is encrypted or compressed in a
# way that Python does not know, TypeError where it is a bare array
UNREADABLE = (OSError, ValueError, KeyError, TypeError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error)


class SimparityError(Exception):
    """Base of all errors raised on purpose by simparity."""


class UsageError(SimparityError):
    """The request itself is wrong; the command line prints the sentence and exits with 2."""


class UnknownName(UsageError):
    """A name that is in none of our tables.

    Args:
        kind: what was looked up, in the user's word ("engine", "experiment").
        name: the name as it was given.
        known: the names that exist.
    """

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        names = ", ".join(sorted(known)) or "none"
        plural = kind[:-1] + "ies" if kind.endswith("y") else kind + "s"
        super().__init__(f"{kind} {name!r} does not exist; known {plural}: {names}")
        self.kind, self.name = kind, name


class Unsupported(SimparityError):
    """An engine cannot represent what was asked; the run ends in an `unsupported` record with this reason."""


class Diverged(SimparityError):
    """The simulation left the realm of finite numbers; `time` [s] is when, if the engine says."""

    def __init__(self, reason: str, time: float | None = None) -> None:
        super().__init__(reason)
        self.time = time
