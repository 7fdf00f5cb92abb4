"""Momentum and energy from a trace, against bodies whose motion is written down."""

from __future__ import annotations

import numpy as np
import pytest

from simparity.harness import momentum
from simparity.harness.scene import Body, Box, Pose, rotation
from simparity.harness.trace import Trace

TURNED = (0.5, 0.5, 0.5, 0.5)  # a third of a turn about (1, 1, 1): x to y, y to z, z to x


def body(name: str = "stone", com: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Body:
    return Body(name=name, shapes=(Box((0.1, 0.1, 0.1)),), mass=2.0, inertia=(1.0, 2.0, 2.5), com=com, pose=Pose())


def trace(v: tuple[float, ...], w: tuple[float, ...], *names: str) -> Trace:
    rows = {"p_WB": (0.0, 0.0, 0.0), "q_WB": TURNED, "v_WB": v, "w_WB": w}
    channels = {name: np.tile(np.array(value), (2, len(names), 1)) for name, value in rows.items()}
    return Trace(np.array([0.0, 1e-3]), names, channels)


def test_a_turned_body() -> None:
    """x of the body points along y of the world, so that a spin about y is one about the body's x."""
    turning = trace((0.0, 0.0, 0.0), (0.0, 3.0, 0.0), "stone")
    np.testing.assert_allclose(momentum.spin(turning, body())[0], (3.0, 0.0, 0.0), atol=1e-15)
    np.testing.assert_allclose(momentum.angular_momentum(turning, body())[0], (0.0, 3.0, 0.0), atol=1e-15)
    np.testing.assert_allclose(momentum.rotational_energy(turning, body()), 4.5)


def test_a_centre_of_mass_off_the_origin() -> None:
    """(0.1, 0, 0) in the body is (0, 0.1, 0) in the world: a spin of 3 rad/s about z moves it along -x."""
    stone = body(com=(0.1, 0.0, 0.0))
    moving = trace((1.0, 0.0, 0.0), (0.0, 0.0, 3.0), "stone")
    np.testing.assert_allclose(momentum.com_velocity(moving, stone)[0], (0.7, 0.0, 0.0), atol=1e-15)
    np.testing.assert_allclose(momentum.linear_momentum(moving, [stone])[0], (1.4, 0.0, 0.0), atol=1e-15)
    np.testing.assert_allclose(momentum.kinetic_energy(moving, stone), 0.49 + 2.0 * 9 / 2)


def test_momenta_add() -> None:
    two = trace((1.0, -2.0, 0.5), (0.0, 0.0, 0.0), "a", "b")
    np.testing.assert_allclose(momentum.linear_momentum(two, [body("a"), body("b")])[1], (4.0, -8.0, 2.0))


def test_a_fixed_body_has_none() -> None:
    with pytest.raises(AssertionError, match="fixed to the world"):
        momentum.linear_momentum(trace((0.0,) * 3, (0.0,) * 3, "stone"), [Body(name="stone")])


def test_rotations_of_many_quaternions() -> None:
    many = rotation(np.array([[1.0, 0.0, 0.0, 0.0], TURNED]))
    np.testing.assert_array_equal(many[0], np.eye(3))
    np.testing.assert_array_equal(many[1], rotation(TURNED))
    np.testing.assert_array_equal(many[1] @ (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
