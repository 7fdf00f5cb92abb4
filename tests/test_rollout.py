"""The loop, the reduction to a stride, the detectors and the machine lock."""

from __future__ import annotations

import math
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from simparity.engines.freefall.adapter import build
from simparity.experiments.throw import Throw
from simparity.harness.channels import BY_NAME, JOINT, Sample
from simparity.harness.checks import judge
from simparity.harness.detectors import detect
from simparity.harness.engine import Resolution, Settings, Unknown
from simparity.harness.errors import UsageError
from simparity.harness.experiment import Check, Context, Experiment, NotApplicable
from simparity.harness.machine_lock import WAITING, MachineLock
from simparity.harness.pace import paced_loop, warning
from simparity.harness.rollout import Event, Timing, rollout
from simparity.harness.scene import Array, Body, Box, HalfSpace, Pose, Scene
from simparity.harness.schedule import Schedule
from simparity.harness.solids import box_inertia
from simparity.harness.trace import Trace, thinned

NONE = Settings(profile="default", options={})
G = 9.81


def thrown(schedule: Schedule, events: tuple[Event, ...] = ()) -> tuple[Trace, object, Timing]:
    simulation, timing = build(Throw().scene(schedule.dt), schedule.dt, NONE, "cpu", 64), Timing()
    trace, diverged = rollout(simulation, Sample(("ball",)), schedule, events, timing)
    return trace, diverged, timing


def test_events_happen_before_the_step_at_their_time() -> None:
    push = Event(time=0.5, wrench=np.array([[0.0, 0.0, 0.1 * G, 0, 0, 0]]))
    kick = Event(time=0.7, velocity=np.array([[3.0, 0, 0, 0, 0, 0]]))
    trace, _, _ = thrown(Schedule(dt=0.1, duration=1.0), (push, kick))
    v = trace.of("v_WB", "ball")
    assert v[5, 2] == pytest.approx(2 - 0.5 * G)
    assert v[6, 2] == pytest.approx(v[5, 2]), "the weight is carried from 0.5 s on"
    assert v[7, 0] == pytest.approx(2.0), "the sample at 0.7 s shows the state before the kick"
    np.testing.assert_allclose(v[8], (3.0, 0, 0), atol=1e-12)


def test_divergence_has_the_time_of_its_first_sample() -> None:
    kick = Event(time=0.3, velocity=np.array([[2e4, 0, 0, 0, 0, 0]]))
    trace, diverged, _ = thrown(Schedule(dt=0.1, duration=20.0), (kick,))
    assert getattr(diverged, "time", None) == pytest.approx(0.4)
    assert trace.time[-1] == pytest.approx(0.4)


def test_a_long_way_is_no_divergence() -> None:
    _, diverged, _ = thrown(Schedule(dt=0.1, duration=60.0))
    assert diverged is None, "17 km below the start is a position like any other"


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"dt": math.inf, "duration": 1.0}, "dt is inf"),
        ({"dt": 0.1, "duration": -1.0}, "duration is -1"),
        ({"dt": 0.1, "duration": 1.0, "stride": 3}, r"no whole number of samples of 3 steps; 0\.9 s would be"),
    ],
)
def test_schedules_that_cannot_be(fields: dict[str, float], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        Schedule(**fields)  # type: ignore[arg-type]


def test_control_is_sub_sampled_only_when_dt_is_longer() -> None:
    assert Schedule(dt=1e-3, duration=1.0).control_period == 1
    assert Schedule(dt=2.5e-4, duration=1.0).control_period == 4
    coarse = Schedule(dt=2.5e-3, duration=1.0)
    assert (coarse.control_period, coarse.sub_sampled) == (1, True)


def flat(steps: int, dt: float = 1e-3) -> Trace:
    """A cube at rest on the ground."""
    time = np.arange(steps + 1) * dt
    channels = {n: np.zeros((steps + 1, 1, c.width)) for n, c in BY_NAME.items() if c not in JOINT}
    channels["q_WB"][:, 0, 0] = 1.0
    channels["p_WB"][:, 0, 2] = 0.05
    channels["f_B_W"][1:, 0, 2] = channels["f_normal_B_W"][1:, 0, 2] = 0.981
    return Trace(time, ("cube",), channels)


EDGES = (0.1, 0.1, 0.1)
SCENE = Scene(
    name="rest",
    bodies=(
        Body(name="ground", shapes=(HalfSpace(),)),
        Body(
            name="cube",
            shapes=(Box((0.1,) * 3),),
            mass=0.1,
            inertia=box_inertia(0.1, (0.1,) * 3),
            pose=Pose((0, 0, 0.05)),
        ),
    ),
)


def test_a_stride_keeps_impulse_and_peak() -> None:
    trace = flat(10)
    trace.channels["impulse_B_W"][1:, 0, 2] = np.arange(10)
    trace.channels["peak_normal_force"][1:, 0, 0] = [1, 9, 2, 3, 4, 5, 6, 7, 8, 0]
    thin = thinned(trace, 5)
    assert list(thin.time) == pytest.approx([0, 0.005, 0.01])
    assert list(thin.of("impulse_B_W", "cube")[:, 2]) == [0, 10, 35]
    assert list(thin.of("peak_normal_force", "cube")[:, 0]) == [0, 9, 8]
    assert thinned(trace, 1) is trace


def kinds(trace: Trace, events: tuple[Event, ...] = ()) -> dict[str, float]:
    return {found.kind: found.onset for found in detect(SCENE, trace, events)}


def test_a_quiet_run_has_no_detection() -> None:
    assert kinds(flat(500)) == {}


def test_detectors_see_what_they_are_for() -> None:
    explosion = flat(500)
    explosion.channels["v_WB"][300:, 0, 2] = 50.0
    assert kinds(explosion)["explosion"] == pytest.approx(0.3)
    kick = Event(time=0.1, velocity=np.array([[1.0, 0, 0, 0, 0, 0]]))
    explosion.channels["v_WB"][101:300, 0, 0] = 1.0
    assert kinds(explosion, (kick,))["explosion"] == pytest.approx(0.3), "a kicked body can explode as well"
    through = flat(500)
    through.channels["p_WB"][400:, 0, 2] = -0.2
    assert kinds(through)["tunnelling"] == pytest.approx(0.4)
    jitter = flat(500)
    jitter.channels["f_normal_B_W"][::2, 0, 2] = 0.2
    assert "jitter" in kinds(jitter)
    drift = flat(500)
    drift.channels["p_WB"][:, 0, 0] = drift.time * 1e-3
    assert "drift" in kinds(drift)
    sinking = flat(500)
    sinking.channels["p_WB"][:, 0, 2] -= sinking.time * 9e-3 * 1.5
    assert "sinking" in kinds(sinking)
    asleep = flat(500)
    asleep.channels["asleep"][250:] = 1.0
    assert kinds(asleep) == {"sleep": pytest.approx(0.25)}


def test_a_body_that_rolls_or_hangs_by_friction_is_no_failure() -> None:
    """A surface that turns as fast as the centre moves does not slip; forces of two sides cancel to rounding."""
    rolling = flat(500)
    rolling.channels["p_WB"][:, 0, 0] = rolling.time * 1e-3
    rolling.channels["w_WB"][:, 0, 1] = 1e-3 / 0.05
    assert kinds(rolling) == {}
    held = flat(500)
    held.channels["f_normal_B_W"][:] = 0.0
    held.channels["f_normal_B_W"][::2, 0, 0] = 1e-16
    assert kinds(held) == {}


def test_verdicts() -> None:
    class Case(Experiment):
        def checks(self) -> tuple[Check, ...]:
            return tuple(
                Check("m", lambda trace, context, e=e: e, lambda context, _: 0.1, "source")  # type: ignore[misc]
                for e in (1.0, 2.0, NotApplicable("why"))
            )

    resolution = Resolution(table={}, contact_law=Unknown(reason="none"))
    context = Context(Schedule(dt=0.1, duration=1.0), resolution)
    verdicts = judge(Case(), flat(1), context, {"m": 1.05})
    assert [verdict.outcome for verdict in verdicts] == ["pass", "fail", "not applicable"]
    assert verdicts[1].error == pytest.approx(-0.95)
    assert judge(Case(), flat(1), context, {"m": math.nan})[0].outcome == "fail", "no number is no pass"


HOLD = """
import sys, time
from pathlib import Path
from simparity.harness.machine_lock import MachineLock
with MachineLock(Path(sys.argv[1]), Path(sys.argv[2])).working():
    print("held", flush=True)
    time.sleep(1.0)
"""


def test_timing_waits_for_work_and_says_that_it_waits(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    path.touch()
    lock = MachineLock(path, tmp_path / WAITING)
    command = [sys.executable, "-c", HOLD, str(path), str(tmp_path / "other")]
    with lock.working(), subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "held\n"
        start = time.monotonic()
        with lock.timing():
            waited = time.monotonic() - start
    assert waited > 0.1, "timing began beside another run"
    assert not (tmp_path / WAITING).exists()


class Slow:
    """A simulation that takes 3 ms a step."""

    def __getattr__(self, name: str) -> object:
        return lambda *arguments: time.sleep(3e-3) if name == "advance" else None


class Nothing:
    """A controller that asks for nothing."""

    ended = ""

    def torque(self, now: float, q: Array, v: Array) -> Array:
        return q

    def reset(self) -> None:
        pass


@pytest.mark.parametrize(("dt", "late"), [(1e-3, True), (2e-2, False)])
def test_a_client_is_warned_when_the_engine_is_late(dt: float, late: bool) -> None:
    schedule = Schedule(dt=dt, duration=0.4, control_dt=dt)
    pace = paced_loop(Slow(), Sample((), ("j",)), schedule, Nothing())  # type: ignore[arg-type]
    if late:
        assert pace.real_time_factor < 0.5
        assert "paced real-time factor fell to 0." in warning(pace)
    else:
        assert pace.real_time_factor == pytest.approx(1, abs=0.05)
        assert pace.worst > 0.5
