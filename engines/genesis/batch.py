"""Many worlds in one Genesis scene, stepped together."""

from __future__ import annotations

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
        if scene.moving:
            n = len(scene.moving)
            poses = self.q[0, : 7 * n].cpu().numpy().reshape(n, 7)
            set_velocity(self.solver, poses, np.array([body.velocity for body in scene.moving]))
            self.world.reset(self.world.get_state())  # a reset comes back to these velocities too

    def run(self, tau: Array) -> Array:
        self.world.reset()
        hold, step = self.drive.hold, self.world.step
        try:
            for row in self.drive.upload(tau):
                hold(row)
                step(update_visualizer=False, refresh_visualizer=False)
        except gs.GenesisException as error:
            raise failure(self.solver, error) from error
        if process.view(self.solver._errno).any():  # waits for the device; Genesis itself looks every tenth step only
            raise failure(self.solver)
        return np.array(self.q.cpu().numpy()[:, self.places.q], dtype=np.float64)

    def close(self) -> None:
        self.world.destroy()
        del self.q, self.drive, self.solver, self.world
