"""Ways in which a run can be broken although it ended well, looked for in every trace alike, with the time of onset."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from .momentum import kinetic_energy
from .record import Detection
from .reference import reference_of
from .robot_model import model_of
from .rollout import Event
from .scene import Array, Body, Box, Capsule, Cylinder, HalfSpace, Pose, Scene, Shape, Sphere, rotation
from .soft_state import SoftTrace
from .trace import Trace

ENERGY_GROWTH = 1.5  # energy over what there was to exchange: kinetic at the start, or the range of the potential
REST_WINDOW = 0.2  # [s] at the end
REST_SPEED = 1e-2  # [m/s] of a body that counts as resting
JITTER = 0.1  # step-wise standard deviation of the normal force over its mean
BORNE = 0.1  # part of the weight: a body with less net normal force hangs by friction, and this counts as the mean
DRIFT_SPEED = 1e-4  # [m/s]
ROLLING = 0.5  # speed of the surface about the centre over that of the centre: a body above it rolls, which is no creep
SINKING = 0.02  # part of the body's size


def detect(scene: Scene, trace: Trace, events: Sequence[Event]) -> list[Detection]:
    """All failures in `trace`; between events the bodies may gain no energy unless a wrench or a robot acts."""
    found: list[Detection] = []
    for body in scene.moving:
        size = extent(body)
        found += _sleep(body, trace)
        found += _tunnelling(scene, body, trace, size)
        found += _at_rest(scene, body, trace, size)
    for quiet in _quiet(trace, events) if scene.moving else ():
        found += _explosion(scene, trace, quiet)
    return found


def inversions(soft: Sequence[SoftTrace]) -> Iterator[Detection]:
    """Elements turned inside out: from then on the run says nothing about an elastic body."""
    for body in soft:
        most = int(body.inverted.max())
        if most:
            share = f"{most} of {len(body.elements)} elements"
            reason = f"{body.name}: up to {share} are inverted, what comes after is invalid"
            yield Detection(kind="inverted", body=body.name, onset=body.valid_until, reason=reason)


def extent(body: Body) -> float:
    """Smallest extent of the body's shapes [m]."""
    return min((_extent(shape) for shape in body.shapes), default=0.0)


def _extent(shape: Shape) -> float:
    match shape:
        case Sphere() | Capsule():
            return 2 * shape.radius
        case Box():
            return min(shape.size)
        case Cylinder():
            return min(2 * shape.radius, shape.length)
        case _:
            return 0.0


def _quiet(trace: Trace, events: Sequence[Event]) -> Iterator[slice]:
    """Samples between events in which no wrench acts; the sample of an event still shows the state before it."""
    pushed, start = False, 0
    for event in events:
        stop = int(np.searchsorted(trace.time, event.time + 1e-9))
        if not pushed and stop - start > 1:
            yield slice(start, stop)
        start = stop
        pushed = bool(event.wrench.any()) if event.wrench is not None else pushed
    if not pushed and len(trace.time) - start > 1:
        yield slice(start, len(trace.time))


def _sleep(body: Body, trace: Trace) -> Iterator[Detection]:
    """The engine stopped simulating the body."""
    asleep = np.flatnonzero(trace.of("asleep", body.name)[:, 0] > 0)
    if len(asleep):
        yield _at(trace, asleep[0], "sleep", body, "the engine put it to sleep and freezes its contact force")


def _explosion(scene: Scene, trace: Trace, quiet: slice) -> Iterator[Detection]:
    """Mechanical energy above what all bodies had at the start of `quiet`, by more than a first-order step could make.

    Bodies may give it to each other; the one that gained most is named.
    """
    kinetic = np.array([kinetic_energy(trace, body)[quiet] for body in scene.moving])
    potential = np.array([_potential(scene, body, trace)[quiet] for body in scene.moving])
    gained = kinetic + potential - kinetic[:, :1] - potential[:, :1]
    # the least that counts as an exchange: to lift every body by its size
    lift = sum(_weight(scene, body) * extent(body) for body in scene.moving)
    scale = max(float(kinetic[:, 0].sum()), float(np.ptp(potential.sum(axis=0))), lift)
    allowed = (ENERGY_GROWTH - 1) * scale + _supplied(scene, trace, quiet) + 1e-9
    grown = np.flatnonzero(gained.sum(axis=0) > allowed)
    if len(grown):
        most = scene.moving[int(np.argmax(gained[:, grown[0]]))]
        yield _at(trace, quiet.start + grown[0], "explosion", most, "the energy grew beyond what there was at first")


def _supplied(scene: Scene, trace: Trace, quiet: slice) -> Array:
    """Bound of the energy that a robot which may touch bodies has given since the start of `quiet` [J], shape (T,).

    Its torques have done at most the sum of |tau v| dt, and it has lost at most what its own energy was above now.
    """
    given = np.zeros(len(trace.time[quiet]))
    for robot in scene.touching_robots:
        q, v, tau = (trace.joint(name)[quiet] for name in ("q", "v", "tau"))
        reference = reference_of(model_of(robot), scene.gravity, robot.pose)
        own = np.array([reference.energy(*state) for state in zip(q, v, strict=True)])
        power = np.abs(np.einsum("tk,tk->t", tau, v))
        power[0] = 0.0
        given += np.cumsum(power) * trace.sample_interval + np.maximum(own[0] - own, 0.0)
    return given


def _weight(scene: Scene, body: Body) -> float:
    assert body.mass is not None
    return body.mass * float(np.linalg.norm(scene.gravity))


def _potential(scene: Scene, body: Body, trace: Trace) -> Array:
    """Energy in the field of gravity [J], shape (T,)."""
    assert body.mass is not None
    return np.asarray(-body.mass * (trace.of("p_WB", body.name) @ np.array(scene.gravity)))


def _tunnelling(scene: Scene, body: Body, trace: Trace, size: float) -> Iterator[Detection]:
    """The origin came out on the other side of a half-space that it may touch."""
    p = trace.of("p_WB", body.name)
    for other in scene.bodies:
        if other is body or not scene.may_collide(body.name, other.name):
            continue
        for shape in other.shapes:
            if isinstance(shape, HalfSpace):
                normal, at = _surface(other.pose, shape.pose)
                through = np.flatnonzero((p - at) @ normal < -size / 2)
                if len(through):
                    yield _at(trace, through[0], "tunnelling", body, f"it went through {other.name!r}")


def _surface(outer: Pose, inner: Pose) -> tuple[Array, Array]:
    """Outward normal and a point of a half-space's surface in W, from the body's pose and the shape's in it."""
    turn, within = rotation(outer.q_wxyz), rotation(inner.q_wxyz)
    return (turn @ within)[:, 2], np.array(outer.p) + turn @ np.array(inner.p)


def _at_rest(scene: Scene, body: Body, trace: Trace, size: float) -> Iterator[Detection]:
    """Jitter, drift and sinking of a body that has come to rest on something."""
    start = max(0, len(trace.time) - 1 - round(REST_WINDOW / trace.sample_interval))
    p, v = trace.of("p_WB", body.name)[start:], trace.of("v_WB", body.name)[start:]
    force = np.linalg.norm(trace.of("f_normal_B_W", body.name)[start:], axis=1)
    duration = float(trace.time[-1] - trace.time[start])
    if duration <= 0 or not np.isfinite(force).all() or np.linalg.norm(v, axis=1).max() > REST_SPEED or not force.any():
        return
    assert body.mass is not None
    weight = body.mass * float(np.linalg.norm(scene.gravity))
    if force.std() > JITTER * max(force.mean(), BORNE * weight) and _alternates(force):
        yield _at(
            trace, start, "jitter", body, f"its contact force at rest varies by {force.std():.2g} N from step to step"
        )
    travel = p[-1] - p[0]
    down = np.array(scene.gravity) / max(float(np.linalg.norm(scene.gravity)), 1e-30)
    sideways = float(np.linalg.norm(travel - (travel @ down) * down)) / duration
    spin = float(np.linalg.norm(trace.of("w_WB", body.name)[start:].mean(axis=0)))
    if sideways > DRIFT_SPEED and spin * size / 2 < ROLLING * sideways:
        yield _at(trace, start, "drift", body, f"it creeps sideways at {sideways:.2g} m/s at rest")
    sinking = float(travel @ down)
    if sinking > SINKING * size:
        yield _at(trace, start, "sinking", body, f"it sank by {sinking:.2g} m while at rest")


def _alternates(force: Array) -> bool:
    """Whether successive steps swing about the mean more often than a slow change would."""
    above = force > force.mean()
    return bool(np.count_nonzero(above[1:] != above[:-1]) > len(force) / 4)


def _at(trace: Trace, k: int, kind: str, body: Body, reason: str) -> Detection:
    return Detection(kind=kind, body=body.name, onset=float(trace.time[int(k)]), reason=f"{body.name}: {reason}")
