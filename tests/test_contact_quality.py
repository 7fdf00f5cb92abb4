"""Contact quality against cases worked out by hand, and the contact file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from simparity.harness.contact_quality import quality
from simparity.harness.contacts import ContactLog, ContactRows, ContactTrace, load, save
from simparity.harness.engine import Resolution, Resolved, Unknown
from simparity.harness.errors import SimparityError
from simparity.harness.experiment import Context
from simparity.harness.scene import Body, HalfSpace, Scene, Sphere
from simparity.harness.schedule import Schedule
from simparity.harness.trace import Trace, completed

BALL = Body(name="ball", shapes=(Sphere(0.1),), mass=1.0, inertia=(0.004, 0.004, 0.004))
SCENE = Scene(name="one", bodies=(Body(name="ground", shapes=(HalfSpace(),)), BALL))


def sliding(friction: tuple[float, float, float]) -> tuple[Trace, Context]:
    """A ball of radius 0.1 m, pressed by 10 N, that moves at 1 m/s along x and turns at 3 rad/s about y."""
    channels = {
        "p_WB": np.zeros((2, 1, 3)),
        "q_WB": np.tile([1.0, 0, 0, 0], (2, 1, 1)),
        "v_WB": np.tile([1.0, 0, 0], (2, 1, 1)),
        "w_WB": np.tile([0.0, 3.0, 0], (2, 1, 1)),
        "contact_count": np.ones((2, 1, 1)),
        "f_B_W": np.tile([friction[0], friction[1], 10.0], (2, 1, 1)),
        "f_normal_B_W": np.tile([0, 0, 10.0], (2, 1, 1)),
        "asleep": np.zeros((2, 1, 1)),
    }
    channels["p_WB"][:, :, 2] = 0.1
    trace = completed(np.array([0.0, 1e-3]), ("ball",), channels, 1e-3)
    log = ContactLog(("ground", "ball"))
    log.keep(1, ContactRows.of([0], [1], [[0, 0, 0]], [[0, 0, 1]], [-2e-3], [10.0], [friction]))
    row = Resolved(value=0.5, unit="1", origin="derived", native="test")
    resolution = Resolution(table={"pair.ground+ball.friction": row}, contact_law=Unknown(reason="none"))
    schedule = Schedule(dt=1e-3, duration=1e-3)
    return trace, Context(schedule, resolution, None, SCENE, log.trace(2))


def measured(friction: tuple[float, float, float]) -> dict[str, float]:
    trace, context = sliding(friction)
    return {metric.name: metric.measure(trace, context) for metric in quality()}


def test_friction_on_the_cone_against_the_slip_is_perfect() -> None:
    """The point slips at 1 - 3 * 0.1 = 0.7 m/s along x."""
    found = measured((-5.0, 0.0, 0.0))
    assert found["largest_overlap"] == pytest.approx(2e-3)
    assert found["signorini_residual"] == pytest.approx(2e-2)
    assert found["cone_violation"] == pytest.approx(0.0, abs=1e-12)
    assert found["dissipation_residual"] == pytest.approx(0.0, abs=1e-12)
    assert found["force_balance"] == pytest.approx(0.0, abs=1e-12)


def test_friction_across_the_slip_and_beyond_the_cone_is_found() -> None:
    found = measured((0.0, 6.0, 0.0))
    assert found["cone_violation"] == pytest.approx(1.0)
    assert found["dissipation_residual"] == pytest.approx(6.0 * 0.7)


def test_a_force_that_no_point_explains_is_found() -> None:
    trace, context = sliding((-5.0, 0.0, 0.0))
    trace.channels["f_B_W"][1, 0, 0] += 2.0
    assert {m.name: m.measure(trace, context) for m in quality()}["force_balance"] == pytest.approx(2.0)


@pytest.mark.parametrize("where", [0, 1])
def test_a_force_that_is_no_number_is_not_balanced(where: int) -> None:
    """Of two bodies one has no net force, the first or the second: the balance of both is not known."""
    trace, context = sliding((-5.0, 0.0, 0.0))
    channels = {name: np.repeat(array, 2, axis=1) for name, array in trace.channels.items()}
    channels["f_B_W"][1, where] = np.nan
    assert context.contacts is not None
    contacts = replace(context.contacts, parties=("ground", "ball", "other"))
    two = Trace(trace.time, ("ball", "other"), channels)
    found = {m.name: m.measure(two, replace(context, contacts=contacts)) for m in quality()}
    assert np.isnan(found["force_balance"])


def test_of_several_frictions_of_a_pair_the_largest_bounds_the_cone() -> None:
    trace, context = sliding((-6.0, 0.0, 0.0))
    row = Resolved(value=(0.3, 0.5), unit="1", origin="derived", native="test")
    several = replace(context.resolution, table={"pair.ground+ball.friction": row})
    found = {m.name: m.measure(trace, replace(context, resolution=several)) for m in quality()}
    assert found["cone_violation"] == pytest.approx(6.0 - 0.5 * 10.0)


def test_rows_are_turned_into_scene_order() -> None:
    rows = ContactRows.of(
        [2, 0], [1, 1], [[1, 0, 0], [2, 0, 0]], [[0, 0, 1], [0, 1, 0]], [0.1, 0.2], [3, 4], [[1, 0, 0], [2, 0, 0]]
    )
    assert rows.a.tolist() == [0, 1] and rows.b.tolist() == [1, 2]
    assert rows.point[:, 0].tolist() == [2, 1]
    assert rows.normal.tolist() == [[0, 1, 0], [0, 0, -1]]
    assert rows.f_friction.tolist() == [[2, 0, 0], [-1, 0, 0]]


def test_file_keeps_everything(tmp_path: Path) -> None:
    _, context = sliding((-5.0, 0.0, 0.0))
    assert isinstance(context.contacts, ContactTrace)
    save(context.contacts, tmp_path / "contacts.npz")
    again = load(tmp_path / "contacts.npz")
    assert again.parties == ("ground", "ball") and again.sample.tolist() == [1]
    np.testing.assert_array_equal(again.rows.point, context.contacts.rows.point)
    (tmp_path / "contacts.npz").write_bytes(b"no archive")
    with pytest.raises(SimparityError, match="delete its folder"):
        load(tmp_path / "contacts.npz")


def test_thinning_keeps_the_samples_that_stay() -> None:
    log = ContactLog(("ground", "ball"))
    for sample in (1, 2, 3, 4):
        log.keep(sample, ContactRows.of([0], [1], [[sample, 0, 0]], [[0, 0, 1]], [0], [1], [[0, 0, 0]]))
    assert log.trace(5).thinned(2).rows.point[:, 0].tolist() == [2, 4]
    assert log.trace(5).thinned(2).sample.tolist() == [1, 2]
    assert log.trace(3).sample.tolist() == [1, 2]
