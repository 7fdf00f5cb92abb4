from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from simparity.harness.channels import BY_NAME, JOINT
from simparity.harness.compare import UNITS, Difference, angle_between, difference, judge, judge_pair, largest, spread
from simparity.harness.errors import SimparityError
from simparity.harness.trace import Trace


def trace(dt: float, duration: float = 0.1, *, shift: float = 0.0, name: str = "cube") -> Trace:
    time = np.arange(round(duration / dt) + 1) * dt
    channels = {c.name: np.zeros((len(time), 1, c.width)) for c in BY_NAME.values()}
    channels["p_WB"][:, 0, 0] = time + shift * time
    channels["q_WB"][:, 0, 0] = 1.0
    channels["impulse_B_W"][1:, 0, 2] = dt
    return Trace(time, (name,), channels)


def test_common_times_of_two_steps() -> None:
    apart = difference(trace(1e-3), trace(0.5e-3))
    assert apart.position == pytest.approx(0, abs=1e-15)
    assert apart.impulse == pytest.approx(0, abs=1e-15)


def test_difference_is_the_largest_and_rms_the_mean() -> None:
    apart = difference(trace(1e-3), trace(1e-3, shift=0.01))
    assert apart.position == pytest.approx(1e-3)
    assert apart.position_rms == pytest.approx(1e-3 * math.sqrt(sum(k * k for k in range(101)) / 101) / 100)


def test_cumulative_impulse_forgives_phase_but_not_size() -> None:
    early, late = trace(1e-3), trace(1e-3)
    for t, k in ((early, 50), (late, 51)):
        t.channels["impulse_B_W"][:] = 0
        t.channels["impulse_B_W"][k, 0, 2] = 0.25
    assert difference(early, late).impulse == pytest.approx(0.25)
    late.channels["impulse_B_W"][50:52, 0, 2] = 0.1, 0.15
    assert difference(early, late).impulse == pytest.approx(0.15)


def test_angles_keep_their_digits_near_zero_and_know_that_q_is_minus_q() -> None:
    for angle in (1e-9, 1e-3, 0.5, 3.0):
        q = np.array([math.cos(angle / 2), 0, 0, math.sin(angle / 2)])
        one = np.array([1.0, 0, 0, 0])
        assert angle_between(one, q) == pytest.approx(angle, rel=1e-7)
        assert angle_between(one, -q) == pytest.approx(angle, rel=1e-7)


def test_runs_of_other_bodies_or_times_are_refused() -> None:
    with pytest.raises(SimparityError, match="different bodies"):
        difference(trace(1e-3), trace(1e-3, name="ball"))
    with pytest.raises(SimparityError, match="no sample times"):
        difference(trace(1e-3), trace(0.7e-3, 0.006))


def test_spread_needs_two_repeats() -> None:
    assert spread([trace(1e-3)]) is None
    found = spread([trace(1e-3), trace(1e-3), trace(1e-3, shift=0.01)])
    assert found is not None
    assert found.position == pytest.approx(1e-3)


@pytest.mark.parametrize(
    ("apart", "noise", "refinement", "verdict"),
    [
        (0.5, None, None, "agree"),
        (2.0, 3.0, None, "within noise"),
        (2.0, 0.0, 3.0, "not converged"),
        (2.0, 0.0, 1.0, "differ"),
        (2.0, None, 1.0, "unresolved"),
        (2.0, 0.0, None, "unresolved"),
        (math.nan, 0.0, 1.0, "unresolved"),
    ],
)
def test_verdicts_come_in_order(apart: float, noise: float | None, refinement: float | None, verdict: str) -> None:
    assert judge(apart, 1.0, noise, refinement) == verdict


def test_the_gravest_quantity_decides() -> None:
    apart = Difference(position=2.0, position_rms=1.0, angle=0.0, impulse=9.0)
    zero = Difference(position=0.0, position_rms=0.0, angle=0.0, impulse=0.0)
    fine = Difference(position=3.0, position_rms=0.0, angle=0.0, impulse=1.0)
    assert judge_pair(apart, (1.0, 1.0, 1.0), zero, fine) == (
        "differ",
        ("not converged", "agree", "differ", *["agree"] * 2),
    )


def robot(dt: float, *, shift: float = 0.0, joints: tuple[str, ...] = ("shoulder", "elbow")) -> Trace:
    """Joints that swing, in a scene without bodies."""
    time = np.arange(101) * dt
    channels = {c.name: np.zeros((len(time), len(joints) if c in JOINT else 0, c.width)) for c in BY_NAME.values()}
    if joints:
        channels["q"][:, 0, 0] = np.sin(time)
        channels["q"][:, -1, 0] = shift * time
    return Trace(time, (), channels, joints)


def test_joints_are_compared_where_there_are_no_bodies() -> None:
    apart = difference(robot(1e-3), robot(1e-3, shift=-0.2))
    assert apart.values() == (0.0, 0.0, 0.0, pytest.approx(0.02), 0.0)
    assert (apart.motion, apart.motion_kind) == (apart.joint, "joint")


def test_joints_that_slide_are_compared_in_their_own_unit() -> None:
    apart = difference(robot(1e-3), robot(1e-3, shift=-0.2), sliding={"elbow"})
    assert apart.values() == (0.0, 0.0, 0.0, 0.0, pytest.approx(0.02))
    assert (apart.motion, apart.motion_kind, UNITS[apart.motion_kind]) == (apart.slide, "slide", "m")
    nothing = replace(apart, slide=0.0)
    assert judge_pair(apart, (0.03, 0.0, 0.0), nothing, nothing)[0] == "agree"
    assert judge_pair(apart, (0.01, 9.0, 9.0), nothing, nothing)[1][-1] == "differ", "against that of positions"


def soft(shift: float = 0.0, push: float = 0.0) -> Trace:
    """A ball that is moved and pressed on one of two links, beside a robot that does the same every time."""
    one = robot(1e-3)
    com, impulse = np.zeros((101, 3)), np.zeros((101, 2, 3))
    com[:, 2], impulse[:, 1, 0] = shift * one.time, push * one.time
    return replace(one, soft={"ball": (com, impulse)})


def test_soft_bodies_are_compared_by_their_centre_and_what_they_press() -> None:
    assert difference(soft(), soft()).values() == (0.0,) * 5
    apart = difference(soft(), soft(shift=0.5, push=2.0))
    assert apart.values() == (pytest.approx(0.05), 0.0, pytest.approx(0.2), 0.0, 0.0)
    assert apart.motion_kind == "position" and apart.position_rms == pytest.approx(0.05 / math.sqrt(3), rel=0.02)
    assert math.isnan(difference(soft(), soft(push=math.nan)).impulse), "an engine that gives no force"
    with pytest.raises(SimparityError, match="different soft bodies"):
        difference(soft(), robot(1e-3))


def test_a_scene_of_nothing_has_no_difference() -> None:
    assert difference(robot(1e-3, joints=()), robot(1e-3, joints=())).values() == (0.0,) * 5


def test_other_joints_are_refused() -> None:
    with pytest.raises(SimparityError, match="different joints cannot be compared: shoulder, elbow and shoulder"):
        difference(robot(1e-3), robot(1e-3, joints=("shoulder",)))


def test_joints_are_held_against_the_tolerance_of_the_angle() -> None:
    apart = Difference(position=0.0, position_rms=0.0, angle=0.0, impulse=0.0, joint=2.0)
    zero = replace(apart, joint=0.0)
    assert judge_pair(apart, (0.0, 3.0, 0.0), zero, zero)[0] == "agree"
    assert judge_pair(apart, (9.0, 1.0, 9.0), zero, zero) == ("differ", (*["agree"] * 3, "differ", "agree"))
    assert largest([zero, apart]) == apart


def test_an_unknown_force_stays_unknown() -> None:
    blind = trace(1e-3)
    blind.channels["impulse_B_W"][:] = math.nan
    assert math.isnan(difference(trace(1e-3), blind).impulse)
