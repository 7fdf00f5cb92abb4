"""Which engines the tests run on, and how a test gets a simulation."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from simparity.engines import ENGINES
from simparity.harness.configure import plan
from simparity.harness.engine import Simulation
from simparity.harness.machine_lock import MachineLock
from simparity.harness.record import Record
from simparity.harness.registry import engine_adapter, engine_mapping, engine_version
from simparity.harness.scene import Scene
from simparity.harness.settings import settle
from simparity.harness.trace import Trace
from simparity.harness.worker import run_job

from .deviations import DEVIATIONS

Run = Callable[..., tuple[Record, Trace | None]]
WITH_CONTACT = tuple(name for name in ENGINES if name != "freefall")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--engines",
        default=os.environ.get("SIMPARITY_TEST_ENGINES", ""),
        help="engines to test, separated by commas; without it every engine, and one that is not installed fails",
    )


def chosen(config: pytest.Config) -> tuple[str, ...]:
    words = config.getoption("--engines").replace(",", " ").split()
    for word in words:
        if word not in ENGINES:
            raise pytest.UsageError(f"engine {word!r} does not exist; known engines: {', '.join(ENGINES)}")
    return tuple(words) or WITH_CONTACT


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that takes `engine` runs once for every chosen engine; all tests of one engine come together."""
    if "engine" in metafunc.fixturenames:
        metafunc.parametrize("engine", [e for e in chosen(metafunc.config) if e in WITH_CONTACT], scope="session")


@pytest.fixture(autouse=True)
def _deviation(request: pytest.FixtureRequest) -> None:
    """Mark a known deviation as an expected failure, strictly: one that no longer occurs fails the suite."""
    engine = getattr(request.node, "callspec", None) and request.node.callspec.params.get("engine")
    reason = DEVIATIONS.get((engine, request.node.originalname))
    if reason:
        request.node.add_marker(pytest.mark.xfail(reason=reason, strict=True))


@pytest.fixture
def simulate(engine: str) -> Iterator[Callable[..., Simulation]]:
    """Build scenes in the engine under test; everything is closed afterwards."""
    assert engine_version(engine), f"engine {engine!r} is not installed; narrow the run with --engines"
    built: list[Simulation] = []

    def build(scene: Scene, *, dt: float = 1e-3, profile: str = "matched", **options: Any) -> Simulation:
        settings = settle(engine, engine_mapping(engine), profile, options)
        simulation = engine_adapter(engine).build(scene, dt, settings, "cpu", ENGINES[engine].precisions[0])
        built.append(simulation)
        return simulation  # type: ignore[no-any-return]

    yield build
    for simulation in built:
        simulation.close()


@pytest.fixture
def run(engine: str, tmp_path: Path) -> Run:
    """Run one experiment in the engine under test, as a worker does, to a record that is ok; else fail, or skip."""
    assert engine_version(engine), f"engine {engine!r} is not installed; narrow the run with --engines"

    def one(experiment: str, *words: str) -> tuple[Record, Trace | None]:
        asked = [f"experiment={experiment}", f"engine={engine}", "timings=0", *words]
        (job,) = plan(asked, multirun=False).jobs
        left = run_job(job, MachineLock(None, tmp_path / "waiting"), "fresh")
        record, trace = left.record, left.trace
        if record.status == "unsupported":
            pytest.skip(record.reason)
        assert record.status == "ok", record.reason
        return record, trace

    return one


@pytest.fixture
def eps(engine: str) -> float:
    """Relative precision of the engine's state: a few hundred roundings of its floating-point type."""
    return 1e-11 if ENGINES[engine].precisions[0] == 64 else 1e-4


@pytest.fixture
def results(tmp_path: Path) -> Path:
    return tmp_path / "results"
