"""The engine's own position drives: the same gains and targets as the torque law, in every engine that has them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from simparity.experiments.single_arm import SingleArm
from simparity.harness.channels import Sample
from simparity.harness.engine import PositionDrive, Simulation
from simparity.harness.errors import Unsupported
from simparity.harness.reference import Reference
from simparity.harness.rollout import Timing, engage, rollout
from simparity.harness.scene import Array, Scene
from simparity.harness.schedule import Schedule

from .test_robots import DT, FR3, MODEL, NV, SCENE, joints_after

Simulate = Callable[..., Simulation]
KP, KD = (
    600.0,
    24.0,
)  # [N m/rad], [N m s/rad]: kd dt is 0.12 of the least inertia, and the slowest joint settles in 0.25 s
PERIOD = 1e-3  # [s] between two targets


def unsolved(torque: Array) -> float:
    """What drives that are solved by one sweep over the joints leave of an angle [rad].

    One joint's drive then does not know of the velocity dt M^-1 tau that the others take away in the same step, and kd
    times that stands against kp times the angle.
    """
    M = Reference(MODEL, SCENE.gravity).mass_matrix(np.array(FR3.q0)) + np.diag([j.armature for j in MODEL.joints])
    return float(DT * np.abs(torque).max() / np.linalg.eigvalsh(M)[0] * KD / KP)


@pytest.fixture
def driven(simulate: Simulate) -> Callable[[Scene, Array, Array], Simulation]:
    def build(scene: Scene, kp: Array, kd: Array) -> Simulation:
        simulation = simulate(scene)
        if not isinstance(simulation, PositionDrive):
            pytest.skip("this engine's adapter has no position drive")
        simulation.drive(kp, kd)
        return simulation

    return build


def test_a_drive_is_read_back_and_holds_against_gravity(driven: Callable[..., Simulation]) -> None:
    """At rest under gravity alone kp e = g(q): the arm sags by g/kp, and with the torque g(q0) it does not."""
    arm = driven(SCENE, np.full(NV, KP), np.full(NV, KD))
    table = arm.resolved().table
    for joint in MODEL.joints:
        assert table[f"joint.{joint.name}.drive_stiffness"].value == pytest.approx(KP, rel=1e-6)
        assert table[f"joint.{joint.name}.drive_damping"].value == pytest.approx(KD, rel=1e-6)
        assert "of step" in str(table[f"joint.{joint.name}.drive_evaluation"].value)
        damping = table[f"joint.{joint.name}.damping"]
        assert damping.origin == "unreadable" or damping.value == pytest.approx(joint.damping, rel=1e-6)
    reference, q0 = Reference(MODEL, SCENE.gravity), np.array(FR3.q0)
    q, v = joints_after(arm, 6000)
    np.testing.assert_allclose(v, 0, atol=1e-4)
    sag = reference.gravity_torque(q) / KP
    np.testing.assert_allclose(q0 - q, sag, atol=unsolved(reference.gravity_torque(q)))
    assert np.abs(sag).max() > 5 * unsolved(reference.gravity_torque(q))
    arm.reset()
    arm.command(reference.gravity_torque(q0), None)
    q, _ = joints_after(arm, 500)
    np.testing.assert_allclose(q, q0, atol=2e-6)


def test_targets_are_held_and_a_reset_takes_them_back(driven: Callable[..., Simulation]) -> None:
    arm = driven(SCENE, np.full(NV, KP), np.full(NV, KD))
    gravity = Reference(MODEL, SCENE.gravity).gravity_torque
    arm.command(gravity(np.array(FR3.q0)), None)
    arm.target(np.array(FR3.q0) + 0.05, np.zeros(NV))  # type: ignore[attr-defined]
    q, _ = joints_after(arm, 6000)
    left = gravity(np.array(FR3.q0)) - gravity(q)
    np.testing.assert_allclose(q, np.array(FR3.q0) + 0.05 + left / KP, atol=unsolved(left))
    first = q
    arm.reset()
    arm.command(gravity(np.array(FR3.q0)), None)
    np.testing.assert_allclose(joints_after(arm, 500)[0], FR3.q0, atol=2e-6)
    arm.target(np.array(FR3.q0) + 0.05, np.zeros(NV))  # type: ignore[attr-defined]
    np.testing.assert_allclose(joints_after(arm, 6000)[0], first, atol=1e-5)


def test_the_native_drive_tracks_like_the_torque_law(simulate: Simulate) -> None:
    """A joint alone, M a = kp e + kd e', whose drive is evaluated at the end of its step instead of the start.

    Then it sees a position later by T v and a velocity later by T a: the error grows by at most
    T v + kd T a / kp = T (v + 2 a / w), with the largest speed and acceleration of the reference. An engine that
    evaluates at the start adds nothing. Joints are coupled through M: twice that is let pass.
    """
    case, schedule = SingleArm(), Schedule(dt=DT, duration=1.5, control_dt=PERIOD)
    errors, largest = {}, 0.0
    for drive in ("torque", "native"):
        law = SingleArm(drive=drive).controller(schedule)
        simulation = simulate(case.scene(DT))
        try:
            engage(simulation, law)
        except Unsupported:
            assert not isinstance(simulation, PositionDrive) and drive == "native"
            return
        trace, diverged = rollout(simulation, Sample((), MODEL.joint_names), schedule, (), Timing(), law)
        assert diverged is None and law is not None
        targets = [law.target(time) for time in trace.time]  # type: ignore[attr-defined]
        q_ref, v_ref = (np.array(part) for part in zip(*targets, strict=True))
        errors[drive] = trace.joint("q") - q_ref
        speed, acceleration = np.abs(v_ref).max(), np.abs(np.diff(v_ref, axis=0)).max() / DT
        largest = PERIOD * (speed + 2 * acceleration / case.bandwidth)
    apart = np.abs(errors["native"] - errors["torque"]).max()
    assert apart <= 2 * largest
    assert np.abs(errors["native"]).max() <= np.abs(errors["torque"]).max() + 2 * largest < 0.01
