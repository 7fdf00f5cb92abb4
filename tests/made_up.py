"""A made-up experiment with an ensemble, outcomes, contacts and series, and runs of it without any engine."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import numpy as np
import pytest

from simparity.experiments import EXPERIMENTS
from simparity.harness.experiment import Check, Context, Experiment, Metric, Series
from simparity.harness.scene import Body, Scene, Sphere
from simparity.harness.trace import Trace

from .bench_report import made_run

JAM = "jam"
INSERTED, STALLED, OVERLOAD = 0.0, 1.0, 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Jam(Experiment):
    """A peg that may jam."""

    tilt: float = 0.75
    member: int = 0

    NAME: ClassVar[str] = JAM
    TEXT: ClassVar[str] = "a peg that may jam"
    DT: ClassVar[float] = 1e-3
    DURATION: ClassVar[float] = 1.0
    CONTACTS: ClassVar[bool] = True
    ENSEMBLE: ClassVar[str] = "member"
    OUTCOMES: ClassVar[tuple[str, ...]] = ("inserted", "stalled", "overload")
    MAIN_METRICS: ClassVar[tuple[str, ...]] = ("outcome", "stall_depth", "peak_force")
    TOLERANCE: ClassVar[tuple[float, float, float]] = (1e-5, 1e-4, 1e-3)

    def scene(self, dt: float) -> Scene:
        return Scene(
            name=JAM, bodies=(Body(name="cube", shapes=(Sphere(radius=0.01),), mass=0.1, inertia=(4e-6, 4e-6, 4e-6)),)
        )

    def metrics(self) -> Sequence[Metric]:
        def never(trace: Trace, context: Context) -> float:
            raise AssertionError("the report does not measure again")

        return (
            Metric("outcome", "1", "how it ended", never),
            Metric("stall_depth", "m", "depth at the end", never),
            Metric("peak_force", "N", "largest force", never),
            Metric("work", "J", "work done by contact", never, converges=True),
        )

    def checks(self) -> Sequence[Check]:
        return ()

    def series(self, trace: Trace, context: Context) -> Sequence[Series]:
        depth = 0.376 - trace.of("p_WB", "cube")[:, 2]
        return (Series(name="depth", unit="m", values=depth, text="how deep the peg is"),)


def register(monkeypatch: pytest.MonkeyPatch, *, name: str = JAM, kind: type = Jam) -> None:
    """Make the experiment known for the length of a test."""
    module = ModuleType(f"simparity.experiments.made_up_{name}")
    module.__dict__[kind.__name__] = kind
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(EXPERIMENTS, name, f"made_up_{name}:{kind.__name__}")  # type: ignore[arg-type]


def jam(results: Path, engine: str, outcomes: Sequence[float], depths: Sequence[float], **given: Any) -> None:
    """A run for each member; the force follows from the outcome."""
    params, extra = given.pop("params", {}), given.pop("extra", {})
    for member, (outcome, depth) in enumerate(zip(outcomes, depths, strict=True)):
        force = (41.0 if outcome == OVERLOAD else 25.0) + 0.1 * member
        made_run(
            results,
            engine,
            experiment=JAM,
            params={"tilt": 0.75, "member": member} | params,
            metrics={"outcome": outcome, "stall_depth": depth, "peak_force": force, "work": depth * force} | extra,
            **given,
        )


def spread_about(middle: float, n: int = 8, width: float = 4e-4) -> list[float]:
    """`n` numbers evenly about `middle` [m]."""
    return list(middle + width * (np.arange(n) - (n - 1) / 2) / n)
