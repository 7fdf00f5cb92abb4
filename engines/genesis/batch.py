"""Many worlds in one Genesis scene, stepped together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import genesis as gs
import numpy as np

from ...harness.engine import Settings
from ...harness.scene import Array, Scene
from . import process
from .robots import RobotDrive, RobotPlaces, add_robot
from .world import add_bodies, empty_world, failure, set_velocity


class WorldBatch:
    """`worlds` environments of one scene.

    The torques of a run go to the device once; before each step one write sets a row of them in all environments.
    """

    def __init__(self, scene: Scene, dt: float, settings: Settings, places: RobotPlaces, worlds: int) -> None:
        self.world = empty_world(scene, dt, settings)
        if scene.bodies:
            add_bodies(self.world, scene, settings)
        add_robot(self.world, scene.robots[0], settings)
        self.world.build(n_envs=worlds)
        self.solver: Any = self.world.rigid_solver
        self.places = places
        self.drive = RobotDrive(self.world, places, scene.robots[0], settings)
        self.q = process.view(self.solver.rigid_info.qpos)
        self.v = process.view(self.solver.dyn_state.dofs.vel)
        if scene.moving:
            n = len(scene.moving)
            poses = self.q[0, : 7 * n].cpu().numpy().reshape(n, 7)
            set_velocity(self.solver, poses, np.array([body.velocity for body in scene.moving]))
            self.world.reset(self.world.get_state())  # a reset comes back to these velocities too

    def run(self, tau: Array, stops: Sequence[int]) -> Array:
        self.world.reset()
        hold, step, found = self.drive.hold, self.world.step, []
        try:
            for done, row in enumerate(self.drive.upload(tau), start=1):
                hold(row)
                step(update_visualizer=False, refresh_visualizer=False)
                if done in stops:
                    parts = ((self.q, self.places.q), (self.v, self.places.v))
                    found.append([array.cpu().numpy()[:, place].astype(np.float64) for array, place in parts])
        except gs.GenesisException as error:
            raise failure(self.solver, error) from error
        if process.view(self.solver._errno).any():  # waits for the device; Genesis itself looks every tenth step only
            raise failure(self.solver)
        return np.array(found)

    def close(self) -> None:
        self.world.destroy()
        del self.q, self.v, self.drive, self.solver, self.world
