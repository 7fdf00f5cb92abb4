"""The tumbling box: published figures, the order of each integrator, and the closed forms behind its checks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from simparity.experiments.tumble import Tumble
from simparity.harness import store
from simparity.harness.convergence import fitted_order, rounding_floor
from simparity.harness.free_rotation import momentum, tumble
from simparity.harness.record import Record
from simparity.harness.registry import engine_mapping
from simparity.harness.report.lexicon import lexicon
from simparity.harness.report.runs import Run as StoredRun
from simparity.harness.report.sweeps import sweeps_of
from simparity.harness.solids import box_inertia

from .conftest import Run

DTS = (4e-3, 2e-3, 1e-3)
PUBLISHED = (5.7e-2, 2.7e-2, 1.3e-2)  # relative error of the angular momentum after 10 s, semi-implicit Euler
INERTIA = box_inertia(3.6, (0.1, 0.4, 0.9))
SPIN = (0.1, 5.0, 0.1)


COARSE = (8e-3, 4e-3, 2e-3)  # where the error of a fourth-order step is above rounding


def over_dt(run: Run, dts: Sequence[float], *words: str) -> list[Record]:
    return [run("tumble", "settings=matched", f"dt={dt}", *words)[0] for dt in dts]


def outcomes(record: Record) -> dict[str, str]:
    return {verdict.metric: verdict.outcome for verdict in record.checks}


def precision(record: Record) -> int:
    assert record.resolution is not None
    return int(record.resolution.table["precision"].value)  # type: ignore[arg-type]


def order(records: list[Record], metric: str) -> float:
    floor = rounding_floor(precision(records[0]), records[-1].timing.steps)
    fit = fitted_order([record.job.dt for record in records], [record.metrics[metric] for record in records], floor)
    assert fit is not None
    return fit.order


def test_momentum_of_a_semi_implicit_step(run: Run) -> None:
    """First order, by the published figures to their two digits, and by the stepped closed form to rounding."""
    records = over_dt(run, DTS)
    assert records[0].resolution is not None
    if records[0].resolution.table["integrator"].value != "Euler":
        pytest.skip("this engine does not name a semi-implicit Euler step")
    for record, published in zip(records, PUBLISHED, strict=True):
        assert set(outcomes(record).values()) == {"pass"}
        rounding = next(verdict.tolerance for verdict in record.checks if verdict.metric == "momentum_error")
        assert rounding is not None
        assert record.metrics["momentum_error"] == pytest.approx(published, abs=0.05e-2 + rounding)
        assert not record.detections
    assert order(records, "momentum_error") == pytest.approx(1.0, abs=0.1)


def test_momentum_of_a_runge_kutta_step(run: Run, engine: str) -> None:
    """Fourth order in the size of L and in energy; the direction is second order, one rotation a step."""
    integrator = engine_mapping(engine).OPTIONS.get("integrator")
    if integrator is None or "RK4" not in integrator.choices:
        pytest.skip("this engine has no RK4")
    records = over_dt(run, COARSE, "+option.integrator=RK4", "duration=10")
    assert all(set(outcomes(record).values()) == {"pass"} for record in records)
    if precision(records[0]) == 64:
        # from step to step 4.4, 4.2, 4.1: the fifth-order term still shows at 8 ms
        assert order(records, "momentum_size_error") == pytest.approx(4.0, abs=0.3)
        assert order(records, "momentum_error") == pytest.approx(2.0, abs=0.05)


def test_the_report_tells_the_orders(run: Run, engine: str, tmp_path: Path) -> None:
    """At steps whose errors reach down to rounding: what is left above it shows the order, and nothing else is told."""
    integrator = engine_mapping(engine).OPTIONS.get("integrator")
    if integrator is None or not {"Euler", "RK4"} <= set(integrator.choices):
        pytest.skip("this engine has not both integrators")
    for scheme in ("Euler", "RK4"):
        words = (f"+option.integrator={scheme}", "duration=10", "experiment.gravity=9.81")
        for number, record in enumerate(over_dt(run, DTS, *words)):
            if precision(record) != 64:
                pytest.skip("in 32 bit a fourth-order error is below rounding")
            store.write(record, None, tmp_path / "draft", tmp_path / "m" / "tumble" / engine / f"{scheme}-{number}")
    found = [StoredRun(*item) for item in store.runs(tmp_path) if not isinstance(item, store.Damage)]
    (sweep,) = sweeps_of(found, lexicon(found, {engine: 0}), "tumble")
    notes = {swept.chart.title.partition(" error")[0]: swept.note for swept in sweep.charts}
    orders = {
        name: [float(part.rpartition(" ")[2]) for part in note.partition(": ")[2].split(", ")]
        for name, note in notes.items()
    }
    assert orders["momentum"] == pytest.approx([1.0, 2.0], abs=0.1)
    assert orders["momentum size"] == pytest.approx([1.0, 4.0], abs=0.3)
    assert orders["energy"] == pytest.approx([1.0, 4.0], abs=0.3)
    assert orders["position"] == pytest.approx([1.0], abs=0.01), "RK4's is the rounding of 490 m"


def test_the_fall_is_off_by_the_integrator_alone(run: Run) -> None:
    record, _ = run("tumble", "settings=matched", "dt=0.004", "duration=0.4", "experiment.gravity=9.81")
    assert outcomes(record)["position_error"] in ("pass", "not applicable")
    assert record.metrics["position_error"] == pytest.approx(9.81 * 4e-3 * 0.4 / 2, rel=1e-3)


def test_the_stepped_schemes_converge_to_each_other() -> None:
    """Both schemes tend to the same motion, each with its own order: no engine is needed to say so."""
    steps = [round(1.0 / dt) for dt in DTS]
    finest = tumble("RK4", INERTIA, SPIN, 1e-4, 10000)
    for scheme, expected in (("Euler", 1.0), ("RK4", 4.0)):
        ends = [tumble(scheme, INERTIA, SPIN, dt, n)[0][-1] for dt, n in zip(DTS, steps, strict=True)]
        fit = fitted_order(DTS, [float(np.linalg.norm(w - finest[0][-1])) for w in ends])
        assert fit is not None
        assert fit.order == pytest.approx(expected, abs=0.1)
    L = momentum(INERTIA, *finest)
    assert np.linalg.norm(L - L[0], axis=1).max() / np.linalg.norm(L[0]) < 1e-7


def test_a_spin_about_a_principal_axis_stays() -> None:
    w, q = tumble("RK4", INERTIA, (0.0, 0.0, 3.0), 1e-2, 100)
    np.testing.assert_array_equal(w[-1], (0.0, 0.0, 3.0))
    np.testing.assert_allclose(q[-1], (np.cos(1.5), 0.0, 0.0, np.sin(1.5)), atol=1e-14)


def test_the_command_line_hands_over_lists() -> None:
    box = Tumble(size=[0.2, 0.3, 0.4], spin=[1, 2, 3]).body()  # type: ignore[arg-type]
    assert box.velocity[3:] == (1.0, 2.0, 3.0)
    assert box.inertia == box_inertia(3.6, (0.2, 0.3, 0.4))
