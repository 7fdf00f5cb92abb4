"""Pinocchio on Franka's own URDF (model B) against the figures that libfranka 0.20.4 gives.

The URDF is not ours to ship: `pip download --no-deps franka-sim==1.1.7`, unpack its fr3.urdf, and name it in the
environment variable SIMPARITY_FR3_URDF.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import numpy as np
import pytest

from simparity.harness.geometry import without_geometry
from simparity.harness.reference import Reference
from simparity.harness.robot_model import model_of
from simparity.harness.scene import Robot

SHA256 = "86cc04711b376a1a0760f5572cebd27aa92e70b357dbeb4709282650799295f9"


@pytest.fixture
def path() -> str:
    named = os.environ.get("SIMPARITY_FR3_URDF")
    if not named:
        pytest.skip("optional input: name Franka's fr3.urdf in SIMPARITY_FR3_URDF, see the top of this file")
    assert hashlib.sha256(Path(named).read_bytes()).hexdigest() == SHA256, "another file than the figures are from"
    return named


@pytest.mark.parametrize(
    ("gravity", "torque"),
    [
        ((0, 0, -9.81), (0, -3.5238714387060135, 0, -3.4425383274492449, 0, 1.6336191489757559, 0)),
        (
            (0.1, -0.2, -9.7),
            (
                0.078384764295103812,
                -3.974661813238777,
                0.079234335181763302,
                -3.233311479079318,
                0.040673140828107482,
                1.6088597627060186,
                -2.6275503790573035e-05,
            ),
        ),
    ],
)
def test_gravity(path: str, gravity: tuple[float, float, float], torque: tuple[float, ...]) -> None:
    model = model_of(without_geometry(Robot(name="fr3", description=path)))
    np.testing.assert_allclose(Reference(model, gravity).gravity_torque(np.zeros(7)), torque, atol=1e-14)


def test_mass_matrix_and_flange(path: str) -> None:
    model = model_of(without_geometry(Robot(name="fr3", description=path)))
    reference = Reference(model, (0, 0, -9.81))
    diagonal = (
        0.13272513141270828,
        2.7389211429069666,
        0.10001032954326793,
        0.64421531141064037,
        0.044621486695128269,
        0.031328226987862091,
        0.00011942581331551022,
    )
    np.testing.assert_allclose(np.diag(reference.mass_matrix(np.zeros(7))), diagonal, rtol=1e-12)
    flange = reference.link_poses(np.zeros(7))[reference.link_names.index("link8")]
    np.testing.assert_allclose(flange[:3], (0.088, 0, 0.926), atol=1e-12)
    np.testing.assert_allclose(np.abs(flange[3:]), (0, 1, 0, 0), atol=1e-9)
