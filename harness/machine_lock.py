"""Keeps the machine quiet while a real-time factor is timed: many may work, or one may time."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

WAITING = "waiting"  # a file of this name in a run's draft says that its clock stands still


class MachineLock:
    """A lock file shared by all workers of a sweep; without a path every request is granted at once.

    While a request waits, `marker` exists, so that the launcher does not count the time against the run.
    """

    def __init__(self, path: Path | None, marker: Path) -> None:
        self._file = path.open("w") if path else None
        self._marker = marker

    @contextmanager
    def working(self) -> Iterator[None]:
        """Hold the machine together with others."""
        self._take(fcntl.LOCK_SH)
        try:
            yield
        finally:
            self._take(fcntl.LOCK_UN)

    @contextmanager
    def timing(self) -> Iterator[None]:
        """Inside `working`: hold the machine alone, then share it again."""
        self._take(fcntl.LOCK_UN)  # two workers that both wanted to upgrade would wait for each other
        self._take(fcntl.LOCK_EX)
        try:
            yield
        finally:
            self._take(fcntl.LOCK_UN)
            self._take(fcntl.LOCK_SH)

    def _take(self, kind: int) -> None:
        if self._file is None:
            return
        try:
            fcntl.flock(self._file, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            self._marker.touch()
            fcntl.flock(self._file, kind)
            self._marker.unlink(missing_ok=True)
