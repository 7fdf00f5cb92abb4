"""The pendulum's period: measured between samples, and how its error falls with the step."""

from __future__ import annotations

import math

import numpy as np
import pytest

from simparity.experiments.hinge import Hinge
from simparity.harness.convergence import fitted_order
from simparity.harness.engine import Resolution, Unknown
from simparity.harness.experiment import Context
from simparity.harness.schedule import Schedule
from simparity.harness.trace import Trace

from .conftest import Run

DTS = (4e-3, 2e-3, 1e-3)
PERIOD = 1.177  # [s], no whole number of steps
ORDERS = {"Euler": 2.0, "RK4": 4.0}  # semi-implicit Euler is symplectic: of its period's error the first order is none


@pytest.mark.parametrize("dt", DTS)
def test_passes_between_samples_are_found(dt: float) -> None:
    """A cosine: between samples a cubic is off by the fifth order in dt, a straight line would be by the third."""
    time, rate = np.arange(round(5.0 / dt) + 1) * dt, 2 * math.pi / PERIOD
    q, v = 0.5 * np.cos(rate * time), -0.5 * rate * np.sin(rate * time)
    trace = Trace(time, (), {"q": q[:, None, None], "v": v[:, None, None]}, ("hinge",))
    context = Context(Schedule(dt=dt, duration=5.0), Resolution(table={}, contact_law=Unknown(reason="none")))
    period = next(metric for metric in Hinge().metrics() if metric.name == "period")
    assert period.measure(trace, context) == pytest.approx(PERIOD, abs=3 * dt * (rate * dt) ** 4 / 384 + 1e-14)


def test_the_period_converges_with_the_order_of_the_integrator(run: Run) -> None:
    records = [run("hinge", f"dt={dt}")[0] for dt in DTS]
    table = records[0].resolution.table if records[0].resolution is not None else {}
    scheme = table["integrator"].value
    if scheme not in ORDERS or table["precision"].value != 64:
        pytest.skip("this engine does not name one of these integrators, in 64 bit")
    fit = fitted_order(DTS, [abs(record.metrics["period_error"]) for record in records])
    assert fit is not None and fit.order == pytest.approx(ORDERS[str(scheme)], abs=0.05)


def test_a_damped_pendulum_has_no_period_error(run: Run) -> None:
    record, _ = run("hinge", "settings=matched", "experiment.damping=0.01")
    assert math.isnan(record.metrics["period_error"]) and math.isfinite(record.metrics["period"])
