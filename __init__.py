"""simparity compares physics engines for robotics on the same work.

import simparity
runs = simparity.load("results")            # a row a run
simparity.trace(runs.run_id[0])             # its samples
simparity.resolved(runs.run_id[0])          # what the engine really used
simparity.contacts(runs.run_id[0])          # its contact points, where they are logged
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas

__all__ = ["contacts", "load", "resolved", "trace"]


def load(results: str | Path = "results") -> pandas.DataFrame:
    """A row a run: what was run, how it ended, every experiment parameter and every metric in SI units."""
    from .harness.report.frames import load_runs

    return load_runs(Path(results))


def trace(run_id: str, results: str | Path = "results") -> pandas.DataFrame:
    """The samples of a run: a row per instant and body, a column per component of every channel, SI units."""
    from .harness.report.frames import load_trace

    return load_trace(run_id, Path(results))


def resolved(run_id: str, results: str | Path = "results") -> pandas.DataFrame:
    """The resolved table of a run: value in use, value asked for, unit, origin, the engine's own name for it."""
    from .harness.report.frames import load_resolved

    return load_resolved(run_id, Path(results))


def contacts(run_id: str, results: str | Path = "results") -> pandas.DataFrame:
    """The contact points of a run: a row per point and sample, parties by name, SI units, world frame."""
    from .harness.report.frames import load_contacts

    return load_contacts(run_id, Path(results))
