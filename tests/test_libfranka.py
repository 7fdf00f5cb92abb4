"""Franka's own URDF (model B) against libfranka 0.20.4's figures: in Pinocchio, and in every engine chosen.

Each engine reads the file as by default: with its own importer, or built from the source model where that is its way.
The URDF is not ours to ship: `pip download --no-deps franka-sim==1.1.7`, unpack its fr3.urdf, and name it in the
environment variable SIMPARITY_FR3_URDF.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from simparity.engines import ENGINES
from simparity.harness.engine import Dynamics, Simulation
from simparity.harness.geometry import without_geometry
from simparity.harness.reference import Reference
from simparity.harness.robot_model import model_of
from simparity.harness.scene import Robot, Scene

DIAGONAL = (  # of M at q = 0 [kg m^2]; the model has no armature
    0.13272513141270828,
    2.7389211429069666,
    0.10001032954326793,
    0.64421531141064037,
    0.044621486695128269,
    0.031328226987862091,
    0.00011942581331551022,
)
GRAVITY = (0.0, 0.0, -9.81)
TORQUE = (0, -3.5238714387060135, 0, -3.4425383274492449, 0, 1.6336191489757559, 0)  # of g at q = 0 [N m]
SHA256 = "86cc04711b376a1a0760f5572cebd27aa92e70b357dbeb4709282650799295f9"


@pytest.fixture
def path() -> str:
    named = os.environ.get("SIMPARITY_FR3_URDF")
    if not named:
        pytest.skip(
            "optional input SIMPARITY_FR3_URDF is not set; name the fr3.urdf of franka-sim 1.1.7 in it: "
            "pip download --no-deps franka-sim==1.1.7, then unzip it"
        )
    assert hashlib.sha256(Path(named).read_bytes()).hexdigest() == SHA256, "another file than the figures are from"
    return named


@pytest.mark.parametrize(
    ("gravity", "torque"),
    [
        (GRAVITY, TORQUE),
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
    np.testing.assert_allclose(np.diag(reference.mass_matrix(np.zeros(7))), DIAGONAL, rtol=1e-12)
    flange = reference.link_poses(np.zeros(7))[reference.link_names.index("link8")]
    np.testing.assert_allclose(flange[:3], (0.088, 0, 0.926), atol=1e-12)
    np.testing.assert_allclose(np.abs(flange[3:]), (0, 1, 0, 0), atol=1e-9)


def test_every_engine_gives_libfrankas_figures(path: str, engine: str, simulate: Callable[..., Simulation]) -> None:
    """M, g and the flange at q = 0, by the engine's own URDF importer.

    The armature that an importer adds of its own is in M where the engine says so in its table, and is taken off: the
    file has none. Rounding: of the largest entry of M, and of the moments m g r that make up g, some 40 N m.
    """
    robot = without_geometry(Robot(name="fr3", description=path))
    simulation = simulate(Scene(name="fr3", robots=(robot,), gravity=GRAVITY))
    assert isinstance(simulation, Dynamics), "the adapter gives no dynamics"
    names, eps = model_of(robot).joint_names, 2.0 ** -(52 if ENGINES[engine].precisions[0] == 64 else 23)
    found = simulation.dynamics(np.zeros(7), np.zeros(7), "link8")
    resolution = simulation.resolved()
    armature = np.array([float(resolution.table[f"joint.{name}.armature"].value or 0.0) for name in names])  # type: ignore[arg-type]
    if "mass_matrix" in resolution.channel_notes:
        armature *= 0.0  # the engine's M is without it
    rounding = 16 * eps  # a rounding for each of seven joints, there and back
    np.testing.assert_allclose(np.diag(found.mass_matrix) - armature, DIAGONAL, atol=rounding * max(DIAGONAL))
    np.testing.assert_allclose(found.bias, TORQUE, atol=rounding * 40.0)
    flange = found.X_WL[simulation.link_names.index("link8")]
    if not np.isnan(flange).any():  # an importer that merges fixed links has no pose for it
        np.testing.assert_allclose(flange[:3], (0.088, 0, 0.926), atol=rounding)
