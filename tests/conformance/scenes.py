"""One kind of scene for all conformance tests, so that each engine compiles it once: a ground and three boxes."""

from __future__ import annotations

from dataclasses import replace

from simparity.harness.scene import Body, Box, HalfSpace, Material, Pose, Scene
from simparity.harness.solids import box_inertia

SIZE = (0.1, 0.1, 0.1)
STONE = (0.1, 0.14, 0.08)  # edges of the stone: three different moments of inertia
MASS = {"base": 0.2, "top": 0.1, "stone": 0.3}
COM = (0.02, 0.01, -0.015)  # of the stone, in its frame [m]
MATERIAL = Material(friction=0.5)
AWAY = {"base": (0.0, 0.0, 2.0), "top": (1.0, 0.0, 2.0), "stone": (2.0, 0.0, 2.0)}


def size_of(name: str) -> tuple[float, float, float]:
    """Edges of a box [m]."""
    return STONE if name == "stone" else SIZE


def boxes(
    places: dict[str, tuple[float, float, float]],
    *,
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81),
    velocities: dict[str, tuple[float, ...]] | None = None,
    turned: dict[str, tuple[float, float, float, float]] | None = None,
) -> Scene:
    """The scene with each box's origin at its place [m], with velocity V_WB and orientation q_WB."""
    bodies = [Body(name="ground", shapes=(HalfSpace(),), material=MATERIAL)]
    for name, mass in MASS.items():
        body = Body(
            name=name,
            shapes=(Box(size_of(name)),),
            mass=mass,
            inertia=box_inertia(mass, size_of(name)),
            com=COM if name == "stone" else (0.0, 0.0, 0.0),
            pose=Pose(places[name], (turned or {}).get(name, (1.0, 0.0, 0.0, 0.0))),
            material=MATERIAL,
        )
        velocity = (velocities or {}).get(name)
        bodies.append(replace(body, velocity=velocity) if velocity else body)
    return Scene(name="conformance", bodies=tuple(bodies), gravity=gravity)
