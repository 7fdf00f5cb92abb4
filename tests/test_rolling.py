"""Balls on a pushed plate: the closed form, and what the shape of the friction cone does to a push at 45 degrees."""

from __future__ import annotations

import math

import pytest

from simparity.experiments.rolling import Rolling
from simparity.harness.record import Record

from .conftest import Run

G = 9.81


def outcome(record: Record, metric: str) -> str:
    return next(verdict.outcome for verdict in record.checks if verdict.metric == metric)


def test_plate_and_balls_follow_the_closed_form(run: Run) -> None:
    record, _ = run("rolling", "settings=matched")
    assert outcome(record, "plate_acceleration") == outcome(record, "ball_acceleration") == "pass"
    assert record.metrics["rolling_ratio"] == pytest.approx(2 / 7, rel=0.03)
    assert not record.detections


def test_the_direction_matters_to_a_pyramid_only(run: Run) -> None:
    """A circular cone pushes back alike at 45 degrees; a pyramid holds mu N / sqrt(2) there."""
    record, _ = run("rolling", "settings=default", "experiment.direction=45")
    assert record.resolution is not None
    cone = record.resolution.table["cone"].value
    experiment = Rolling(direction=45.0)
    whole, less = (experiment.closed_form(mu, 0.8)[0] for mu in (0.4, 0.4 / math.sqrt(2)))
    measured = record.metrics["plate_acceleration"]
    assert measured == pytest.approx(less if cone == "pyramidal" else whole, rel=0.03)
    if cone == "pyramidal":
        assert outcome(record, "plate_acceleration") == "not applicable"
        assert record.metrics["plate_error"] > 0.2


def test_closed_form() -> None:
    """Momentum of all: F = M A + n m a + mu_g (M + n m) g, rolling and slipping."""
    rolling = Rolling()
    n, m, M = 9, rolling.ball_mass, rolling.plate_mass
    for mu_b in (0.8, 0.05):
        A, a = rolling.closed_form(0.4, mu_b)
        assert M * A + n * m * a + 0.4 * (M + n * m) * G == pytest.approx(rolling.force)
        assert a == pytest.approx(min(2 / 7 * A, mu_b * G))


def test_the_scene() -> None:
    scene = Rolling(rows=2).scene(1e-3)
    assert [body.name for body in scene.moving] == ["plate", "ball_1", "ball_2", "ball_3", "ball_4"]
    push = Rolling(rows=2, direction=90.0).events(1e-3)[0].wrench
    assert push is not None
    assert push[0] == pytest.approx((0.0, 100.0, 0.0, 0.0, 0.0, 0.0), abs=1e-12)
    assert not push[1:].any()
