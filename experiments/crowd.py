"""A crowd of boxes, balls and capsules on a walled table with a tray behind its edge."""

from __future__ import annotations

import math

import numpy as np

from ..harness.errors import UsageError
from ..harness.scene import Array, Body, Box, Capsule, Material, Pose, Shape, Sphere, Vec3
from ..harness.solids import box_inertia, capsule_inertia

EDGE, WIDTH = 0.40, 0.40  # the table ends at x = EDGE, and its walls stand at y = +- WIDTH / 2 [m]
BACK, TRAY, DROP = -0.10, 0.20, 0.08  # where the table begins, the tray's length, and how far it lies below [m]
THICK, WALL = 0.02, 0.08  # of table, tray and walls, and the walls' height above the table [m]
CROWD = ((0.05, 0.30), (-0.16, 0.16))  # where objects start: x, y [m]
KINDS = ("box", "ball", "capsule")
BOX, BALL, CAPSULE = 0.032, 0.018, (0.013, 0.03)  # edge; radius; radius and length [m]
TRIES = 20000  # places drawn before a crowd is called too dense


def furniture(surface: Material) -> Body:
    """The table with its surface at z = 0, the tray behind its edge, and walls around both."""
    front = EDGE + TRAY
    table = Box((EDGE - BACK, WIDTH, THICK), Pose(((EDGE + BACK) / 2, 0.0, -THICK / 2)))
    tray = Box((TRAY, WIDTH, THICK), Pose((EDGE + TRAY / 2, 0.0, -DROP - THICK / 2)))
    tall = WALL + DROP + THICK
    middle = WALL - tall / 2
    sides = [
        Box((front - BACK + 2 * THICK, THICK, tall), Pose(((front + BACK) / 2, s * (WIDTH + THICK) / 2, middle)))
        for s in (-1, 1)
    ]
    ends = [Box((THICK, WIDTH, tall), Pose((x, 0.0, middle))) for x in (BACK - THICK / 2, front + THICK / 2)]
    step = Box((THICK, WIDTH, DROP - THICK), Pose((EDGE - THICK / 2, 0.0, -THICK - (DROP - THICK) / 2)))
    return Body(name="table", shapes=(table, tray, step, *sides, *ends), material=surface)


def _object(kind: str, mass: float) -> tuple[Shape, float, Vec3, tuple[float, float, float, float]]:
    """Shape, height of the centre when it lies on the table [m], inertia [kg m^2] and how it lies (quaternion)."""
    upright, half = (1.0, 0.0, 0.0, 0.0), math.sqrt(0.5)
    if kind == "box":
        return Box((BOX, BOX, BOX)), BOX / 2, box_inertia(mass, (BOX, BOX, BOX)), upright
    if kind == "ball":
        moment = 0.4 * mass * BALL**2
        return Sphere(BALL), BALL, (moment, moment, moment), upright
    radius, length = CAPSULE
    return Capsule(radius, length), radius, capsule_inertia(mass, radius, length), (half, half, 0.0, 0.0)


def _radius(kind: str) -> float:
    """Of the circle about an object seen from above [m]."""
    return {"box": BOX / math.sqrt(2), "ball": BALL, "capsule": CAPSULE[0] + CAPSULE[1] / 2}[kind]


def _multiplied(
    a: tuple[float, float, float, float], b: tuple[float, float, float, float]
) -> tuple[float, float, float, float]:
    """Product of two unit quaternions, normalised."""
    w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3]
    x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2]
    y = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1]
    z = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]
    n = math.sqrt(w * w + x * x + y * y + z * z)
    return (w / n, x / n, y / n, z / n)


def crowd(places: Array, mass: float, surface: Material) -> tuple[Body, ...]:
    """Boxes, balls, capsules in turn, `mass` [kg] each, at rest at `places`: x, y [m], turn about z [rad]; (n, 3)."""
    bodies = []
    for number, (x, y, turn) in enumerate(places):
        kind = KINDS[number % len(KINDS)]
        shape, height, inertia, lying = _object(kind, mass)
        pose = Pose((x, y, height), _multiplied((math.cos(turn / 2), 0.0, 0.0, math.sin(turn / 2)), lying))
        name = f"{kind}{number // len(KINDS)}"
        bodies.append(Body(name=name, shapes=(shape,), mass=mass, inertia=inertia, pose=pose, material=surface))
    return tuple(bodies)


def places(each: int, seed: int) -> Array:
    """x, y [m] and turn about z [rad] of every object, drawn one after the other where there is room; (3 each, 3)."""
    random = np.random.default_rng(seed)
    radii = [_radius(kind) for _ in range(each) for kind in KINDS]
    (x0, x1), (y0, y1) = CROWD
    found: list[tuple[float, float, float]] = []
    for _ in range(TRIES):
        if len(found) == len(radii):
            return np.array(found)
        x, y, turn = random.uniform(x0, x1), random.uniform(y0, y1), random.uniform(-math.pi, math.pi)
        r = radii[len(found)]
        if all(math.hypot(x - p, y - q) > r + radii[k] + 1e-3 for k, (p, q, _) in enumerate(found)):
            found.append((x, y, turn))
    raise UsageError(
        f"only {len(found)} of {len(radii)} objects fit on the table with seed {seed}; "
        "lower experiment.each or take another seed"
    )


def middle(places: Array) -> int:
    """Which of the `places` (n, 3) is nearest to the middle of where objects start."""
    (x0, x1), (y0, y1) = CROWD
    return int(np.argmin(np.hypot(places[:, 0] - (x0 + x1) / 2, places[:, 1] - (y0 + y1) / 2)))


def in_tray(p: Array) -> Array:
    """Whether centres `p` (n, 3) [m] are within the tray's walls, as a mask (n,)."""
    x, y, z = p.T
    return np.asarray((x > EDGE) & (x < EDGE + TRAY) & (np.abs(y) < WIDTH / 2) & (z > -DROP - THICK) & (z < WALL))


def on_table(p: Array) -> Array:
    """Whether centres `p` (n, 3) [m] are on the table, as a mask (n,)."""
    x, y, z = p.T
    return np.asarray((x > BACK) & (x <= EDGE) & (np.abs(y) < WIDTH / 2) & (z > 0) & (z < WALL))
