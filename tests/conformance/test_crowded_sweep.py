"""A small crowd: nothing gets out, momentum is balanced, and a repeat is the same."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from simparity.experiments.crowd import BACK, CAPSULE, EDGE, WIDTH, middle, places
from simparity.experiments.crowded_sweep import JITTER, CrowdedSweep
from simparity.harness.errors import UsageError
from simparity.harness.scene import Box
from simparity.harness.solids import capsule_inertia

from .playing import play


def test_all_but_what_cannot_reach_is_swept_into_the_tray(engine: str) -> None:
    """A paddle that goes on beyond the edge leaves nothing on the table that it has met."""
    case = CrowdedSweep(each=1, way=0.45, time=1.5)
    found = play(engine, case, dt=2e-3, duration=2.2)
    failed = [v for v in found.verdicts.values() if v.outcome == "fail"]
    assert not failed, failed
    assert found.metrics["collected"] == 3 and found.metrics["left"] == 0
    assert found.metrics["paddle_lag"] < 5e-3
    assert not {d.kind for d in found.detections} & {"explosion", "tunnelling", "sinking"}


def test_a_paddle_that_gives_energy_is_no_explosion(engine: str) -> None:
    """At 0.9 m/s the objects gain more than it takes to lift them by their size."""
    case = CrowdedSweep(each=1, time=0.8)
    assert case.way * 1.875 / case.time > 0.8
    found = play(engine, case, dt=4e-3, duration=0.6)
    assert "explosion" not in {d.kind for d in found.detections}


def test_a_short_way_leaves_them_on_the_table(engine: str) -> None:
    found = play(engine, CrowdedSweep(each=1, way=0.15, time=0.6), dt=4e-3, duration=1.0)
    assert found.metrics["left"] + found.metrics["collected"] == 3 and found.metrics["left"] >= 1
    assert found.verdicts["lost"].outcome == "pass"


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_objects_start_at_rest_on_the_table_and_apart(seed: int) -> None:
    case = CrowdedSweep(seed=seed)
    scene = case.scene(2e-3)
    assert len(scene.moving) == 15 and len({body.name for body in scene.moving}) == 15
    for body in scene.moving:
        x, y, z = body.pose.p
        assert BACK < x < EDGE and abs(y) < WIDTH / 2 and 0 < z < 0.02
    for a, b in combinations(scene.moving, 2):
        assert np.hypot(a.pose.p[0] - b.pose.p[0], a.pose.p[1] - b.pose.p[1]) > 0.03
    boxes = [shape for shape in scene.body("table").shapes if isinstance(shape, Box)]
    assert len(boxes) == 7, "table, tray, step, two sides, two ends"


def test_nudge_and_member_shift_starts_by_what_they_say() -> None:
    plain, seed = CrowdedSweep()._starts(), 1
    nudged, jittered = CrowdedSweep(nudge=1e-9)._starts() - plain, CrowdedSweep(member=3)._starts() - plain
    moved = np.flatnonzero(nudged.any(axis=1))
    assert list(moved) == [middle(places(5, seed))] and nudged[moved[0], 1] == pytest.approx(1e-9, rel=1e-6)
    assert 0 < np.abs(jittered[:, :2]).max() <= JITTER and not jittered[:, 2].any()
    assert np.array_equal(CrowdedSweep(member=3)._starts() - plain, jittered)
    assert not np.array_equal(CrowdedSweep(member=4)._starts() - plain, jittered)


def test_a_crowd_that_does_not_fit_is_refused() -> None:
    with pytest.raises(UsageError, match=r"lower experiment\.each"):
        CrowdedSweep(each=40).scene(2e-3)


def test_the_inertia_of_a_capsule_is_that_of_its_points() -> None:
    """Sum over a fine grid of points of one density."""
    radius, length = CAPSULE
    grid = np.linspace(-radius - length / 2, radius + length / 2, 141)
    x, y, z = np.meshgrid(grid, grid, grid, indexing="ij")
    inside = x**2 + y**2 + np.maximum(np.abs(z) - length / 2, 0) ** 2 <= radius**2
    p = np.stack([x[inside], y[inside], z[inside]])
    square = (p**2).mean(axis=1)
    expected = (square[1] + square[2], square[0] + square[2], square[0] + square[1])
    assert capsule_inertia(1.0, radius, length) == pytest.approx(expected, rel=1e-2)
