"""The closed form of bodies that touch nothing: p = p0 + v0 t + a t^2 / 2, exact at every step whatever dt is.

It is the engine that needs no engine: the machinery is tested with it, and integrators are measured against it.
"""

from __future__ import annotations

import numpy as np

from ...harness.channels import ChannelNote, Sample
from ...harness.engine import Resolution, Resolved, Settings, Simulation, Unknown
from ...harness.errors import Unsupported
from ...harness.required import REQUIRED_OPTIONS, REQUIRED_PER_BODY
from ...harness.scene import Array, Body, Scene

_NO_CONTACT = "freefall is the closed form without contact"


class Freefall:
    """State per moving body: position, orientation, velocity; constant acceleration between commands."""

    def __init__(self, scene: Scene, dt: float) -> None:
        self.scene, self.dt = scene, dt
        self.bodies = scene.moving
        self.mass = np.array([body.mass for body in self.bodies], dtype=float)[:, None]
        self.gravity = np.array(scene.gravity)
        self.reset()

    def reset(self) -> None:
        self.p = np.array([body.pose.p for body in self.bodies])
        self.q = np.array([body.pose.q_wxyz for body in self.bodies])
        self.V = np.array([body.velocity for body in self.bodies])
        self.a = np.tile(self.gravity, (len(self.bodies), 1))

    def command(self, tau: Array | None, wrench: Array | None) -> None:
        if tau is not None and len(tau):
            raise Unsupported("freefall has no joints to command")
        force = np.zeros((len(self.bodies), 6)) if wrench is None else wrench
        if force[:, 3:].any():
            raise Unsupported("freefall knows no torque; command forces only")
        self.a = self.gravity + force[:, :3] / self.mass

    def set_velocity(self, V_WB: Array) -> None:
        self.V = np.array(V_WB, dtype=float)

    def advance(self, steps: int) -> None:
        for _ in range(steps):
            self.p = self.p + self.V[:, :3] * self.dt + self.a * (self.dt**2 / 2)
            self.V[:, :3] += self.a * self.dt
            self.q = np.array([_turned(q, w * self.dt) for q, w in zip(self.q, self.V[:, 3:], strict=True)])

    def sample(self, into: Sample) -> None:
        into.data[:] = 0.0
        into.p_WB[:], into.q_WB[:] = self.p, self.q
        into.v_WB[:], into.w_WB[:] = self.V[:, :3], self.V[:, 3:]

    def resolved(self) -> Resolution:
        absent = {
            name: Resolved(value=None, unit=unit, origin="absent", native=_NO_CONTACT)
            for name, unit in REQUIRED_OPTIONS.items()
        }
        table = absent | {
            "dt": Resolved(value=self.dt, unit="s", origin="scene", native="Freefall.dt", authored=self.dt),
            "substeps": Resolved(value=1, unit="1", origin="default", native="one closed form a step"),
            "gravity": Resolved(
                value=tuple(float(g) for g in self.gravity),
                unit="m/s^2",
                origin="scene",
                native="Freefall.gravity",
                authored=self.scene.gravity,
            ),
            "integrator": Resolved(value="closed form", unit="", origin="default", native="Freefall.advance"),
            "precision": Resolved(value=self.p.itemsize * 8, unit="bit", origin="default", native="Freefall.p"),
            "device": Resolved(value="cpu", unit="", origin="default", native="numpy"),
        }
        for body, mass in zip(self.bodies, self.mass[:, 0], strict=True):
            table |= {
                f"body.{body.name}.{name}": Resolved(value=None, unit=unit, origin="absent", native="a point mass")
                for name, unit in REQUIRED_PER_BODY.items()
            }
            table[f"body.{body.name}.mass"] = Resolved(
                value=float(mass), unit="kg", origin="scene", native="Freefall.mass", authored=body.mass
            )
        return Resolution(
            table=table,
            contact_law=Unknown(reason=_NO_CONTACT),
            channel_notes={"f_B_W": ChannelNote("derived", "always zero: " + _NO_CONTACT)},
        )

    def close(self) -> None:
        pass


def build(scene: Scene, dt: float, settings: Settings, device: str, precision: int) -> Simulation:
    """The closed form of `scene`; see `Build`."""
    if device != "cpu" or precision != 64:
        raise Unsupported(f"freefall runs on the cpu in 64 bit, not on {device} in {precision}")
    if scene.robots:
        raise Unsupported("freefall is the closed form of single bodies and knows no robots")
    for a, b in scene.colliding_pairs():
        raise Unsupported(f"{_NO_CONTACT}, and {a!r} can touch {b!r}")
    for body in scene.moving:
        _check_rotation(body)
    if scene.soft_bodies:
        raise Unsupported("freefall is the closed form of rigid bodies; it has no soft ones")
    return Freefall(scene, dt)


def _check_rotation(body: Body) -> None:
    turning = any(body.velocity[3:])
    if any(body.com) or (turning and body.inertia is not None and len({*body.inertia}) != 1):
        raise Unsupported(
            f"freefall knows only bodies that turn steadily about their origin, and {body.name!r} does not"
        )


def _turned(q: Array, angle: Array) -> Array:
    """Quaternion `q` (w, x, y, z) turned by the rotation vector `angle` [rad] in W."""
    size = float(np.linalg.norm(angle))
    if size == 0.0:
        return q
    w, v = np.cos(size / 2), np.sin(size / 2) * angle / size
    turned = np.concatenate(([w * q[0] - v @ q[1:]], w * q[1:] + q[0] * v + np.cross(v, q[1:])))
    return np.asarray(turned / np.linalg.norm(turned))
