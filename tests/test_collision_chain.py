"""The chain of bodies: momentum in every engine, and the two impacts whose outcome is known."""

from __future__ import annotations

import pytest

from simparity.harness.record import Record

from .conftest import Run


def outcome(record: Record, metric: str) -> str:
    return next(verdict.outcome for verdict in record.checks if verdict.metric == metric)


@pytest.mark.parametrize("shape", ["sphere", "cube"])
def test_momentum_stays_and_energy_does_not_grow(run: Run, shape: str) -> None:
    record, trace = run("collision_chain", "settings=matched", f"experiment.shape={shape}", "duration=0.3")
    assert trace is not None
    assert outcome(record, "momentum_error") == outcome(record, "energy_peak") == "pass"
    assert 0 < record.metrics["energy_ratio"] < 1
    assert not record.detections, "bodies that give energy to each other explode not"
    assert trace.of("contact_count", "body_5").any(), "the impact went through the row"


def test_an_inelastic_row_moves_as_one(run: Run) -> None:
    """v/N for all and 1/N of the energy where the engine states an impact law with restitution 0."""
    record, _ = run("collision_chain", "settings=matched", "experiment.restitution=0", "duration=0.3")
    if outcome(record, "energy_ratio") == "not applicable":
        pytest.skip(next(verdict.reason for verdict in record.checks if verdict.metric == "energy_ratio"))
    assert outcome(record, "energy_ratio") == outcome(record, "last_speed") == "pass"
    assert record.metrics["last_speed"] == pytest.approx(1 / 6, rel=1e-3)


def test_an_elastic_row_with_gaps_hands_the_speed_on(run: Run) -> None:
    words = ["experiment.restitution=1", "experiment.gap=0.01", "experiment.speed=3", "duration=0.3"]
    record, _ = run("collision_chain", "settings=matched", *words)  # unsupported without restitution: skipped
    assert outcome(record, "energy_ratio") != "fail"
    assert record.metrics["last_speed"] == pytest.approx(3.0, rel=1e-2)
    assert record.metrics["striker_speed"] == pytest.approx(0.0, abs=0.03)
