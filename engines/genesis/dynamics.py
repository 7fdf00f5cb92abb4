"""Dynamics of the robot at any state: the robot alone in a world of its own, so that the simulation stays as it is."""

from __future__ import annotations

from typing import Any

import genesis as gs
import numpy as np
import torch

from ...harness.channels import ChannelNote
from ...harness.engine import RobotDynamics, Settings
from ...harness.robot_model import RobotModel
from ...harness.scene import Array, Robot, Scene
from . import process
from .robots import RobotPlaces, add_robot, robot_places
from .world import empty_world


class DynamicsWorld:
    """The robot of a scene, never stepped.

    Damping is taken out, because Genesis's default integrator adds dt times it to the mass matrix; it belongs neither
    to M nor to the bias.
    """

    def __init__(self, scene: Scene, robot: Robot, source: RobotModel, dt: float, settings: Settings) -> None:
        alone = Scene(name=scene.name, robots=(robot,), gravity=scene.gravity)
        self.world = empty_world(alone, dt, settings)
        self.entity = add_robot(self.world, robot, settings)
        self.world.build()
        self.world.reset()  # from here on joints are driven by torques, whose actuators have no damping
        self.solver: Any = self.world.rigid_solver
        self.places = robot_places(self.entity, source)
        self.solver.set_dofs_damping(torch.zeros(self.solver.n_dofs, dtype=gs.tc_float))
        state = self.solver.dyn_state
        self._position, self._orientation = process.view(state.links.pos)[0], process.view(state.links.quat)[0]
        self._mass, self._bias = process.view(self.solver.rigid_info.mass_mat)[0], process.view(state.dofs.qf_bias)[0]
        self._rows = [-1 if link is None else int(link.idx) for link in self.places.links]
        self._q = np.zeros(self.solver.n_qs)
        self._v = np.zeros(self.solver.n_dofs)

    def evaluate(self, q: Array, v: Array, flange: str) -> RobotDynamics:
        """All quantities of `RobotDynamics`; NaN for links that Genesis merged into their parents."""
        places, solver = self.places, self.solver
        self._q[places.q], self._v[places.v] = q, v
        solver.set_dofs_velocity(_tensor(self._v), skip_forward=True)
        solver.set_qpos(_tensor(self._q))  # poses and velocities of all links follow
        solver._func_forward_dynamics()  # mass matrix and bias of this state; the getters alone would be stale
        link = places.links[[link.name for link in places.source.links].index(flange)]
        X_WL = np.hstack([_host(self._position), _host(self._orientation)])[self._rows]
        X_WL[[row < 0 for row in self._rows]] = np.nan
        n = len(places.dofs)
        jacobian = np.full((6, n), np.nan) if link is None else _host(self.entity.get_jacobian(link))[:, places.v]
        return RobotDynamics(
            X_WL=X_WL,
            jacobian=jacobian,
            mass_matrix=_host(self._mass)[np.ix_(places.dofs, places.dofs)],
            bias=_host(self._bias)[places.dofs],
        )

    def close(self) -> None:
        """Free Genesis's objects."""
        self.world.destroy()


def merged_notes(places: RobotPlaces) -> dict[str, ChannelNote]:
    """What `evaluate` cannot give because of merged links."""
    if not places.merged:
        return {}
    reason = (
        f"Genesis merged the links {', '.join(places.merged)} into their parents and keeps no frame of them; "
        "set option.merge_fixed_links=false"
    )
    return {name: ChannelNote("unsupported", reason) for name in ("link_poses", "jacobian")}


def _tensor(array: Array) -> Any:
    return torch.as_tensor(array, dtype=gs.tc_float, device=gs.device)


def _host(tensor: Any) -> Array:
    return np.array(tensor.cpu().numpy(), dtype=np.float64)
