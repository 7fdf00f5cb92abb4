"""The creep of a pinched capsule against its closed form, in every friction cone that an engine has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from simparity.experiments.pinch_creep import NAME, PinchCreep
from simparity.harness.contact_law import creep_speed
from simparity.harness.engine import Impulse, Soft
from simparity.harness.errors import UsageError
from simparity.harness.registry import engine_mapping

from .playing import play


def options_of(engine: str, **wanted: Any) -> dict[str, Any]:
    """Those of the options that the engine has."""
    return {name: value for name, value in wanted.items() if name in engine_mapping(engine).OPTIONS}


@pytest.mark.parametrize("axis", ["horizontal", "vertical"])
def test_the_capsule_is_held_and_creeps_as_the_law_says(engine: str, axis: str) -> None:
    case = PinchCreep(axis=axis)
    found = play(engine, case, dt=2e-3, duration=0.9)
    failed = [v for v in found.verdicts.values() if v.outcome == "fail"]
    assert not failed, failed
    assert found.metrics["creep_speed"] < 0.02 and found.metrics["tilt"] < 1e-2
    creep = found.verdicts["creep_speed"]
    if isinstance(found.context.resolution.contact_law, (Soft, Impulse)) and "turns" not in creep.reason:
        assert creep.outcome == "pass", creep
    assert not {d.kind for d in found.detections} - {"sinking", "sleep"}


@pytest.mark.parametrize("cone", ["elliptic", "pyramidal"])
def test_a_stiffer_friction_creeps_less(engine: str, cone: str) -> None:
    """As 1/impratio, and for a pyramid by up to 1 + mu^2 more, since its edges mix normal and friction."""
    options = options_of(engine, cone=cone, impratio=1.0)
    if len(options) < 2:
        found = play(engine, PinchCreep(), dt=2e-3, duration=0.9)
        assert not isinstance(found.context.resolution.contact_law, Soft), "a soft law has an impratio"
        return
    speeds = {}
    for impratio in (1.0, 10.0):
        found = play(engine, PinchCreep(), dt=2e-3, duration=0.9, **(options | {"impratio": impratio}))
        assert found.verdicts["creep_speed"].outcome in ("pass", "not applicable")
        speeds[impratio] = found.metrics["creep_speed"]
    assert 9.0 < speeds[1.0] / speeds[10.0] < (11.0 if cone == "elliptic" else 14.0)


def test_beyond_the_capacity_it_falls(engine: str) -> None:
    """Half of the least grip that is allowed: friction is mu times what presses, which soft friction raises."""
    case = PinchCreep()
    case.squeeze = 0.5
    found = play(engine, case, dt=1e-3, duration=0.5)
    v, contacts = found.trace.of("v_WB", NAME)[:, 2], found.context.contacts
    assert contacts is not None
    start, stop = 320, 400
    slides = (contacts.sample > start) & (contacts.sample <= stop)
    pressing = contacts.rows.f_normal[slides].sum()
    friction = np.linalg.norm(contacts.rows.f_friction[slides], axis=1).sum()
    if np.isnan(friction):  # by momentum
        friction = case.mass * (9.81 * (stop - start) - (v[start] - v[stop]) * 1e3)
    assert v[stop] < v[start] < -0.05
    assert friction / pressing == pytest.approx(case.friction, rel=1e-3)


def test_a_grip_that_cannot_hold_is_refused() -> None:
    with pytest.raises(UsageError, match=r"squeeze is 0\.9; give a number above 0\.981"):
        PinchCreep(squeeze=0.9)
    with pytest.raises(UsageError, match=r"axis 'across' does not exist; .*horizontal, vertical"):
        PinchCreep(axis="across")


def test_the_closed_form_for_a_constant_impedance() -> None:
    """d = 0.9 whatever the overlap: v = (A / impratio) (1 - d)/d f_t / B."""
    law = Soft(K=1000.0, B=100.0, impedance=(0.9, 0.9, 0.001, 0.5, 2.0), regularizer=1.0)
    v = creep_speed(law, contacts=4.0, inverse_mass=10.0, press=10.0, load=2.0, softness=0.1)
    assert v == pytest.approx(0.1 * 10.0 * (0.1 / 0.9) * 0.5 / 100.0, rel=1e-12)
