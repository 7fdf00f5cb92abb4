from __future__ import annotations

import math

import numpy as np
import pytest

from simparity.harness.errors import UsageError
from simparity.harness.scene import Body, Box, HalfSpace, Material, Pose, Scene, Sphere
from simparity.harness.solids import box_inertia

INERTIA = (1e-3, 1e-3, 1e-3)


def test_inertia_of_a_box_is_that_of_a_fine_grid_of_points() -> None:
    size, n = (0.2, 0.3, 0.5), 40
    axes = [(np.arange(n) + 0.5) / n * s - s / 2 for s in size]
    x, y, z = np.meshgrid(*axes, indexing="ij")
    mass = 2.0 / n**3
    points = (mass * (y * y + z * z).sum(), mass * (x * x + z * z).sum(), mass * (x * x + y * y).sum())
    np.testing.assert_allclose(box_inertia(2.0, size), points, rtol=2e-3)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"mass": -1.0}, "has mass -1.0 kg; give a positive number"),
        ({"mass": math.nan}, "has mass nan kg"),
        ({"inertia": None}, "has inertia None"),
        ({"inertia": (1.0, 1.0, 3.0)}, "which no real body can have"),
        ({"shapes": (HalfSpace(),)}, "only fixed bodies can have one"),
        ({"shapes": (Sphere(0.0),)}, "give positive lengths"),
        ({"shapes": (Box((0.1, -0.1, 0.1)),)}, "give positive lengths"),
    ],
)
def test_impossible_bodies_are_refused_in_a_sentence(change: dict[str, object], sentence: str) -> None:
    fields: dict[str, object] = {"name": "b", "mass": 1.0, "inertia": INERTIA}
    with pytest.raises(UsageError, match=sentence):
        Body(**(fields | change))  # type: ignore[arg-type]


def test_other_impossible_things() -> None:
    with pytest.raises(UsageError, match="unit length"):
        Pose(q_wxyz=(1.0, 1.0, 0.0, 0.0))
    with pytest.raises(UsageError, match=r"friction is -0\.1"):
        Material(friction=-0.1)
    with pytest.raises(UsageError, match="two bodies named 'a'"):
        Scene(name="s", bodies=(Body(name="a"), Body(name="a")))
    with pytest.raises(UsageError, match="which it does not have"):
        Scene(name="s", bodies=(Body(name="a"),), collision_pairs_off=(("a", "b"),))


def test_colliding_pairs_leave_out_fixed_bodies_and_what_is_switched_off() -> None:
    def solid(name: str, mass: float | None) -> Body:
        return Body(name=name, shapes=(Sphere(0.1),), mass=mass, inertia=INERTIA)

    bodies = (solid("wall", None), solid("floor", None), solid("a", 1.0), solid("b", 1.0), Body(name="mark"))
    scene = Scene(name="s", bodies=bodies, collision_pairs_off=(("b", "wall"),))
    assert scene.colliding_pairs() == (("wall", "a"), ("floor", "a"), ("floor", "b"), ("a", "b"))
    assert [body.name for body in scene.moving] == ["a", "b"]
