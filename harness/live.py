"""A robot in an engine, step by step, for interactive use and for clients that bring their own controller."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .channels import Sample
from .engine import Dynamics, Simulation
from .errors import Unsupported, UsageError
from .geometry import without_geometry
from .payload import Load, loaded
from .registry import engine_adapter, engine_entry, engine_mapping, engine_version
from .robot_model import model_of
from .scene import Array, Robot, Scene, rotation
from .schedule import Schedule
from .settings import settle


@dataclass(frozen=True, slots=True, kw_only=True)
class MinimalState:
    """Joint positions [rad | m], velocities [rad/s | m/s] and the torques commanded last [N m | N], shape (nv,)."""

    q: Array
    v: Array
    tau: Array


@dataclass(frozen=True, slots=True, kw_only=True)
class State(MinimalState):
    """With the flange's pose in W (4, 4), its Jacobian (6, nv, linear part first) and the mass matrix (nv, nv)."""

    X_WF: Array
    jacobian: Array
    mass_matrix: Array


@dataclass(slots=True, kw_only=True)
class LiveRobot:
    """One robot alone in an engine.

    Attributes:
        description: path of an MJCF or URDF file.
        engine, settings, option, device, precision: as on the command line.
        flange: link whose pose and Jacobian `state` gives; empty takes the last link.
        q0: joint positions at the start [rad | m]; empty means zeros.
    """

    description: str | Path
    engine: str = "mujoco"
    settings: str = "matched"
    option: dict[str, Any] = field(default_factory=dict)
    dt: float = 1e-3
    device: str = "cpu"
    precision: int | None = None
    flange: str = ""
    q0: tuple[float, ...] = ()
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    _simulation: Simulation = field(init=False, repr=False)
    _sample: Sample = field(init=False, repr=False)
    _limit: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        entry = engine_entry(self.engine)
        if engine_version(self.engine) is None:
            raise UsageError(
                f"engine {self.engine!r} is not installed; install it with: pip install 'simparity[{entry.extra}]'"
            )
        Schedule(dt=self.dt, duration=self.dt)  # refuses a dt that is none
        self.q0 = tuple(float(q) for q in self.q0)
        self._simulation = self._built(Load())

    def _built(self, load: Load) -> Simulation:
        bare = without_geometry(Robot(name="robot", description=str(self.description), q0=self.q0))
        model = model_of(bare)
        self.flange = model.link(self.flange).name if self.flange else model.links[-1].name
        scene = Scene(name="live", robots=(loaded(bare, self.flange, load),), gravity=self.gravity)
        chosen = settle(self.engine, engine_mapping(self.engine), self.settings, self.option)
        precision = self.precision or engine_entry(self.engine).precisions[0]
        self._sample = Sample((), model.joint_names)
        self._limit = np.array([joint.effort for joint in model.joints])
        simulation: Simulation = engine_adapter(self.engine).build(scene, self.dt, chosen, self.device, precision)
        return simulation

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Joints in the order of every array."""
        return self._sample.joint_names

    def step(self, tau: Array | None = None, steps: int = 1) -> None:
        """Hold the torques `tau` (nv,) [N m | N], cut at the limits, over `steps` steps; None keeps the last ones."""
        if tau is not None:
            given = np.asarray(tau, dtype=float)
            if given.shape != self._sample.tau.shape or not np.isfinite(given).all():
                raise UsageError(
                    f"step was given torques {tau}; give {len(self.joint_names)} finite numbers, one per joint"
                )
            self._sample.tau[:] = np.clip(given, -self._limit, self._limit)
            self._simulation.command(self._sample.tau, None)
        self._simulation.advance(steps)

    def state_minimal(self) -> MinimalState:
        """Joint state and torque only: no dynamics are computed."""
        self._simulation.sample(self._sample)
        q, v, tau = self._sample.joints.copy()
        return MinimalState(q=q, v=v, tau=tau)

    def state(self) -> State:
        """Joint state, flange pose, Jacobian and mass matrix at this instant.

        Raises:
            Unsupported: the engine gives no dynamics.
        """
        if not isinstance(self._simulation, Dynamics):
            raise Unsupported(f"engine {self.engine!r} gives no dynamics at a state; use state_minimal()")
        now = self.state_minimal()
        found = self._simulation.dynamics(now.q, now.v, self.flange)
        if np.isnan(found.X_WL).any() or np.isnan(found.jacobian).any():
            note = self._simulation.resolved().channel_notes.get("link_poses")
            raise Unsupported(
                f"engine {self.engine!r} gives no pose of {self.flange!r}: {note.reason if note else 'NaN'}"
            )
        p, q = np.split(found.X_WL[self._simulation.link_names.index(self.flange)], [3])
        return State(
            q=now.q, v=now.v, tau=now.tau, X_WF=_matrix(p, q), jacobian=found.jacobian, mass_matrix=found.mass_matrix
        )

    def set_load(self, load: Load) -> None:
        """Put `load` on the flange in the place of any other, and start again; a load of zero mass takes it off."""
        if not isinstance(load, Load):
            raise UsageError(f"set_load was given {load!r}; give a Load of simparity.harness.payload")
        loaded_robot = self._built(load)
        self.close()
        self._simulation = loaded_robot

    def reset(self) -> None:
        """Back to `q0` at rest, with zero torque."""
        self._simulation.reset()
        self._sample.tau[:] = 0.0

    def close(self) -> None:
        """Free the engine's objects."""
        self._simulation.close()


def _matrix(p: Array, q: Array) -> Array:
    """Homogeneous transform (4, 4) of a position and a unit quaternion, scalar first."""
    X = np.eye(4)
    X[:3, :3] = rotation(q)
    X[:3, 3] = p
    return X
