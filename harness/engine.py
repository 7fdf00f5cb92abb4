"""The contract between the machinery and an engine's adapter.

An adapter is one module `simparity.engines.NAME.adapter` with one function `build` (see `Build`). It never loops over
time, logs, times or judges; the rollout does that once for all engines. What it cannot represent raises `Unsupported`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from .channels import ChannelNote, Sample
from .contacts import ContactRows
from .scene import Array, Scene

Value: TypeAlias = bool | int | float | str | tuple[float, ...] | None
Origin: TypeAlias = Literal["scene", "file", "settings", "default", "derived", "unreadable", "absent"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """One value as the engine uses it, read from the live engine object.

    Attributes:
        value: what the engine uses, in `unit`; None when unreadable or absent.
        unit: SI unit, "1" for pure numbers, "" for names and switches.
        authored: what was asked for, None when nothing was: a difference from `value` is a reinterpretation.
        origin: where the value came from: the scene, a file, our settings, the engine's default, computed by the
            engine from other values ("derived"), "unreadable" when the engine does not let one read it, "absent" when
            the engine has no such quantity.
        native: the engine's own name of the place it was read from, or why it is unreadable or absent.
    """

    value: Value
    unit: str
    origin: Origin
    native: str
    authored: Value = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Soft:
    """Contact as an acceleration-level spring and damper (MuJoCo's family).

    a_ref = -B v - K d(r) r with r < 0 when overlapping; per contact R = regularizer (1 - d)/d A, A the inverse
    effective mass.

    Attributes:
        K: stiffness [1/s^2], already divided by d_max^2.
        B: damping [1/s].
        impedance: d_min, d_max [1], width [m], midpoint [1], power [1] of d(r).
        regularizer: factor on R that the friction cone brings [1]: 1 for the elliptic cone, mu^2 (1 + mu^2)/2 for the
            pyramidal one.
    """

    K: float
    B: float
    impedance: tuple[float, float, float, float, float]
    regularizer: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Impulse:
    """Contact that stops the approach within one step; restitution e [1] above `bounce_threshold` [m/s]."""

    restitution: float
    bounce_threshold: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Compliant:
    """Contact as a spring and a damper on forces, f = (k x + d xdot)(1 + c xdot), never below 0; x is the overlap.

    Attributes:
        stiffness: k of one contact point [N/m].
        damping: d [N s/m].
        dissipation: c of Hunt and Crossley [s/m]: a body leaves with at most 1/c, so it hardly bounces.
    """

    stiffness: float
    damping: float
    dissipation: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """No contact law that we can state; `reason` says why."""

    reason: str


ContactLaw: TypeAlias = Soft | Impulse | Compliant | Unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """What an engine made of a scene: the table of resolved values, the contact law, and notes on channels.

    Keys of `table` are canonical: an option's name ("dt", "cone"), or "body.NAME.quantity",
    "shape.BODY.INDEX.quantity", "pair.A+B.quantity", where B is a robot's name for contact with its shapes.
    `refined_by` names the options besides dt whose doubling brings the engine nearer to its own limit (iterations of a
    solver that substeps with them). `residual` is the part of the momentum [1] by which forces and velocities may
    disagree where the solver stops before the precision of the state.
    """

    table: Mapping[str, Resolved]
    contact_law: ContactLaw
    channel_notes: Mapping[str, ChannelNote] = field(default_factory=dict)
    refined_by: tuple[str, ...] = ()
    residual: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How the engine is set up: the profile's name and the options that it and the user set, merged."""

    profile: str
    options: Mapping[str, Value]


class Simulation(Protocol):
    """One scene in one engine. Arrays handed in and out are float64; rows follow `scene.moving`."""

    def resolved(self) -> Resolution:
        """Options and per-entity table, read from the live engine object and never echoed."""
        ...

    def reset(self) -> None:
        """Back to the scene's initial state; a replay is bit-identical, or a listed deviation."""
        ...

    def command(self, tau: Array | None, wrench: Array | None) -> None:
        """Hold joint torques `tau` [N m | N] and wrenches (n_bodies, 6) until the next call.

        A wrench is force [N] then torque [N m] about the body's centre of mass, in W. None leaves that part as it is.
        """
        ...

    def set_velocity(self, V_WB: Array) -> None:
        """Set V_WB (n_bodies, 6) of all moving bodies now, poses kept: origin [m/s], then angular [rad/s], in W."""
        ...

    def advance(self, steps: int) -> None:
        """Integrate that many steps of dt; returns when the state is readable on the host."""
        ...

    def sample(self, into: Sample) -> None:
        """Fill every channel for the present instant, by batched reads; unsupported channels with NaN."""
        ...

    def close(self) -> None:
        """Free the engine's objects; the simulation cannot be used afterwards."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotDynamics:
    """What an engine computes for a robot at a given state, without stepping.

    Attributes:
        X_WL: pose of every link's frame in W: position [m], then quaternion, scalar first; shape (n_links, 7).
        jacobian: 6 x nv of the flange's origin in W, linear part first: V_WF = J v.
        mass_matrix: M (nv, nv) [kg m^2 | kg], as the engine has it; `resolved` says whether armature is in it.
        bias: C(q, v) v + g(q) (nv,) [N m | N]: the torque that gives vdot = 0, joint friction and damping left out.
    """

    X_WL: Array
    jacobian: Array
    mass_matrix: Array
    bias: Array


@runtime_checkable
class Dynamics(Protocol):
    """Optional capability of a simulation whose scene has one robot."""

    link_names: tuple[str, ...]  # of the description, in the order of X_WL

    def dynamics(self, q: Array, v: Array, flange: str) -> RobotDynamics:
        """All five at `q`, `v` (nv,) for the link named `flange`; leaves the simulation's own state as it was."""
        ...


@runtime_checkable
class Contacts(Protocol):
    """Optional capability: the contact points of the step that ended, one by one."""

    def watch_contacts(self, watched: bool) -> None:
        """Whether the following steps have to keep what `contacts` reads; off until asked for."""
        ...

    def contacts(self) -> ContactRows:
        """The points of the step that ended; none after a reset. Parties are those of `contact_parties(scene)`."""
        ...


@runtime_checkable
class PositionDrive(Protocol):
    """Optional capability of a simulation with a robot: the engine's own drive on every joint, beside its torques.

    A drive adds the force kp (q_ref - q) + kd (v_ref - v), evaluated within a step in the engine's own way.
    What an effort limit covers, the drive alone or its sum with the torque, is the engine's as well; a law that uses
    drives has to say when their sum would pass it.
    """

    def drive(self, kp: Array, kd: Array) -> None:
        """Give every joint a drive with kp [N m/rad | N/m] and kd [N m s/rad | N s/m] (nv,), and reset."""
        ...

    def target(self, q_ref: Array, v_ref: Array) -> None:
        """Hold the drives' targets (nv,) until the next call; after a reset they are the initial state."""
        ...


class Batch(Protocol):
    """Many copies of one robot scene, stepped together under the same open-loop torques."""

    def run(self, tau: Array, stops: Sequence[int]) -> Array:
        """Start every world at the scene's initial state and hold each row of `tau` (steps, nv) for one step.

        Returns the joint positions and velocities of all worlds after each number of steps in `stops`, which rise and
        end with `steps`; shape (stops, 2, worlds, nv).
        """
        ...

    def close(self) -> None:
        """Free the batch."""
        ...


@runtime_checkable
class Batched(Protocol):
    """Optional capability of a simulation: the same scene many times."""

    def batch(self, worlds: int) -> Batch:
        """`worlds` copies of the scene with the same settings, device and precision."""
        ...


class Build(Protocol):
    """Type of an adapter's `build`."""

    def __call__(self, scene: Scene, dt: float, settings: Settings, device: str, precision: int) -> Simulation: ...
