"""A short push: the cube goes with the hand, the force is that of friction, and a softer law gives way more."""

from __future__ import annotations

import numpy as np
import pytest

from simparity.experiments.push import CLEARANCE, HOME, NAME, PAD_DEPTH, Push
from simparity.harness.errors import UsageError
from simparity.harness.impedance import ImpedanceLaw
from simparity.harness.robot_model import model_of
from simparity.harness.scene import Box
from simparity.harness.schedule import Schedule

from .playing import play

SHORT = {"way": 0.06, "time": 0.8}


def test_the_cube_is_pushed_as_far_as_the_tool_goes(engine: str) -> None:
    """But for the gap: 3 kg that slow down at 0.5 m/s^2 are 3 mm ahead, and v^2/(2 mu g) of coasting is 3 mm."""
    case = Push(**SHORT)
    found = play(engine, case, dt=2e-3, duration=1.2)
    failed = [v for v in found.verdicts.values() if v.outcome == "fail"]
    assert not failed, failed
    assert found.metrics["final_x"] == pytest.approx(case.way - case.gap, abs=8e-3)
    assert abs(found.metrics["final_y"]) < 2e-3 and abs(found.metrics["final_yaw"]) < 0.05
    assert found.metrics["height_error_max"] < 5e-3
    assert found.trace.of("p_WB", NAME)[:, 2].max() - found.trace.of("p_WB", NAME)[0, 2] < 2e-3
    assert not {d.kind for d in found.detections} - {"sleep"}


def test_half_of_the_gain_gives_way_more(engine: str) -> None:
    lag = [play(engine, Push(gain=s, **SHORT), dt=2e-3, duration=0.8).metrics["lag_max"] for s in (1.0, 0.5)]
    assert 1.3 < lag[1] / lag[0] < 2.5, lag


def test_pads_start_where_the_parameters_say() -> None:
    """Their tips 10 mm above the table, their fronts `gap` from the cube."""
    case = Push(gap=0.002)
    scene = case.scene(1e-3)
    table, cube = scene.body("table"), scene.body(NAME)
    top = table.pose.p[2] + 0.025
    tool = case._start()
    assert tool[2] - top == pytest.approx(CLEARANCE, abs=1e-12)
    assert cube.pose.p[0] - case.size / 2 - tool[0] - PAD_DEPTH == pytest.approx(case.gap, abs=1e-12)
    assert abs(tool[3]) < 1e-12 and abs(tool[4]) == pytest.approx(1.0, abs=1e-12), "the hand points down, x along x"
    hand = model_of(scene.robots[0]).link("hand")
    assert [s.size for s in hand.shapes if isinstance(s, Box)] == [pytest.approx((0.02, 0.016, 0.04))] * 2
    assert sum(len(link.shapes) for link in model_of(scene.robots[0]).links) == 2, "nothing else can touch"


def test_the_goal_moves_along_the_line_and_stops() -> None:
    case = Push()
    law = case.controller(Schedule(dt=1e-3, duration=0.1))
    assert isinstance(law, ImpedanceLaw)
    start, middle, end = (law.goal(t) for t in (0.0, 1.5, 3.2))
    np.testing.assert_allclose(end.pose - start.pose, [0.15, 0, 0, 0, 0, 0, 0], atol=1e-15)
    assert middle.velocity[0] == pytest.approx(1.875 * case.way / case.time)
    assert not end.velocity.any()
    g = law.reference.gravity_torque(np.array(HOME))
    np.testing.assert_allclose(law.torque(0.0, np.array(HOME), np.zeros(7)), g, atol=1e-9)


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(UsageError, match=r"experiment\.way is 0\.5; give a number above 0 to below 0\.2"):
        Push(way=0.5)
    with pytest.raises(UsageError, match="unstable"):
        Push(gain=1e4).controller(Schedule(dt=1e-3, duration=0.1))
