"""The checks of `dynamics`: the figure that is asked for stays, and rounding is told from a wrong model beside it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from simparity.experiments.arm import GRAVITY
from simparity.experiments.dynamics import DynamicsCheck
from simparity.harness.checks import judge
from simparity.harness.engine import Resolution, Resolved, RobotDynamics, Unknown
from simparity.harness.experiment import Context
from simparity.harness.reference import Reference
from simparity.harness.robot_model import model_of
from simparity.harness.rollout import Schedule
from simparity.harness.scene import Array
from simparity.harness.trace import Trace


class Displaced:
    """The reference itself as an engine, with every link moved by a distance."""

    def __init__(self, case: DynamicsCheck, distance: float) -> None:
        self.reference = Reference(model_of(case.scene(1e-3).robots[0]), GRAVITY)
        self.link_names, self.distance = self.reference.link_names, distance

    def dynamics(self, q: Array, v: Array, flange: str) -> RobotDynamics:
        poses = self.reference.link_poses(q)
        poses[:, 0] += self.distance
        return RobotDynamics(
            X_WL=poses,
            jacobian=self.reference.jacobian(q, flange),
            mass_matrix=self.reference.mass_matrix(q) + np.diag(self.reference.armature),
            bias=self.reference.bias(q, v),
        )


def outcomes(robot: str, distance: float) -> dict[str, tuple[str, str]]:
    case = DynamicsCheck(robot=robot, samples=16)
    precision = Resolved(value=32, unit="bit", origin="default", native="dtype")
    resolution = Resolution(table={"precision": precision}, contact_law=Unknown(reason="none"))
    context = Context(Schedule(dt=1e-3, duration=1e-3), resolution)
    engine: Any = Displaced(case, distance)
    verdicts = judge(case, Trace(np.zeros(0), (), {}), context, dict(case.evaluate(engine, context)))
    return {verdict.metric: (verdict.outcome, verdict.reason) for verdict in verdicts}


@pytest.mark.parametrize(
    ("robot", "distance", "asked", "rounding"),
    [
        ("fr3", 5e-7, "pass", "pass"),
        ("mobile_duo", 1.5e-6, "fail", "pass"),  # 11 joints and some 3 m: more than is asked, and rounding all the same
        ("mobile_duo", 3e-5, "fail", "fail"),
        ("fr3", 5e-6, "fail", "fail"),
    ],
)
def test_a_miss_of_the_figure_is_shown_and_told_from_another_model(
    robot: str, distance: float, asked: str, rounding: str
) -> None:
    found = outcomes(robot, distance)
    assert (found["fk_error"][0], found["fk_error_over_rounding"][0]) == (asked, rounding)
    assert "1e-6 m is what is asked" in found["fk_error"][1] and "fk_error_over_rounding" in found["fk_error"][1]
    assert found["mass_matrix_error"][0] == "pass"
