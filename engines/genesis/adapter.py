"""Genesis: the bodies as one MJCF entity, the robot as another, read through views into the solver's fields."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import genesis as gs
import numpy as np
import torch

from ...harness.channels import Sample
from ...harness.contacts import ContactRows
from ...harness.device import require_cuda
from ...harness.engine import Batch, Resolution, RobotDynamics, Settings, Simulation
from ...harness.errors import Unsupported
from ...harness.robot_model import one_robot
from ...harness.scene import Array, Scene
from ...harness.soft_state import check_mixture
from . import mapping, process
from .batch import WorldBatch
from .contacts import ContactReader
from .dynamics import DynamicsWorld, merged_notes
from .model import check_pairs, places
from .readback import resolution
from .readout import Readout
from .robot_contacts import robot_pairs
from .robot_readback import robot_rows
from .robots import RobotDrive, add_robot, check_springs, robot_places
from .soft import SoftAccess, add_soft, check_scene, floor_rows, robot_material, soft_rows
from .world import add_bodies, empty_world, failure, set_velocity


class GenesisSimulation:
    """One built `gs.Scene` with its rigid solver."""

    def __init__(self, scene: Scene, dt: float, settings: Settings) -> None:
        self.scene, self.settings, self.dt = scene, settings, dt
        robot = one_robot(scene)
        if robot is not None:
            check_springs(robot[1])
        self.world = empty_world(scene, dt, settings)
        soft = scene.soft_bodies
        bodies = add_bodies(self.world, scene, settings) if scene.bodies and not soft else None
        surface = robot_material(robot[0], settings) if robot and soft else None
        arm = add_robot(self.world, robot[0], settings, surface) if robot else None
        self.entities = [add_soft(self.world, body) for body in soft]
        self.arm = arm
        self.floors = scene.bodies if soft else ()
        if soft:  # what is left for the rigid solver: Genesis's own floor is no body
            self.scene = scene = replace(scene, bodies=())
        self.world.build()
        self.solver: Any = self.world.rigid_solver
        self.places = places(scene, bodies)
        check_pairs(scene, self.places, self.solver.collider._collision_pair_idx)
        self.links = self.places.moving
        self.robot = robot_places(arm, robot[1]) if robot else None
        self.actuators = RobotDrive(self.world, self.robot, robot[0], settings) if robot and self.robot else None
        self.link_names = tuple(link.name for link in robot[1].links) if robot else ()
        self.alone: DynamicsWorld | None = None
        self.readout = Readout(self.solver, self.links, self.robot)
        self.touching = ContactReader(self.solver, scene, self.places, self.robot)
        self.wrench: tuple[Any, Any] | None = None
        links = self.robot.links if self.robot else ()
        self.soft = SoftAccess(self.world, scene, self.entities, links) if soft else None
        self.soft_parts = self.soft.parts if self.soft is not None else ()
        self.reset()

    def reset(self) -> None:
        self.world.reset()
        self.readout.fetch()
        self.wrench = None
        if self.actuators is not None and self.actuators.gains is not None:
            self.actuators.restart()
        self.set_velocity(np.array([body.velocity for body in self.scene.moving]).reshape(-1, 6))

    def command(self, tau: Array | None, wrench: Array | None) -> None:
        if tau is not None and len(tau):
            if self.actuators is None:
                raise Unsupported("this scene has no joints to command")
            if self.actuators.gains is not None:
                self.actuators.forward(tau)
            else:
                self.actuators.hold(self.actuators.upload(tau))
        if wrench is None:
            return
        if not np.any(wrench):
            self.wrench = None
            return
        held = torch.as_tensor(np.array(wrench), dtype=gs.tc_float, device=gs.device)
        self.wrench = (held[:, :3].contiguous(), held[:, 3:].contiguous())

    def drive(self, kp: Array, kd: Array) -> None:
        assert self.actuators is not None, "the scene has no robot"
        self.actuators.engage(kp, kd)
        self.reset()

    def target(self, q_ref: Array, v_ref: Array) -> None:
        assert self.actuators is not None, "the scene has no robot"
        self.actuators.aim(q_ref, v_ref)

    def set_velocity(self, V_WB: Array) -> None:
        if not len(V_WB):
            return
        set_velocity(self.solver, self.readout.poses, V_WB)
        self.readout.fetch()

    def advance(self, steps: int) -> None:
        step, wrench = self.world.step, self.wrench
        try:
            for _ in range(steps):
                if wrench is not None:  # Genesis forgets applied forces at the end of every step
                    self.solver.apply_links_external_wrench(*wrench, self.links, ref=gs.link_ref_frame.link_COM)
                step(update_visualizer=False, refresh_visualizer=False)
        except gs.GenesisException as error:
            raise failure(self.solver, error) from error
        self.readout.fetch()
        if self.soft is not None and steps:
            self.soft.add_forces()
        if self.readout.error.any():  # Genesis itself looks every tenth step only
            raise failure(self.solver)

    def sample(self, into: Sample) -> None:
        self.readout.sample(into)
        if self.soft is not None:
            self.soft.sample(into.soft)
            into.f_links[:] = self.soft.forces

    def watch_contacts(self, watched: bool) -> None:
        """Nothing to do: the collider keeps the contacts until the next step."""

    def contacts(self) -> ContactRows:
        return self.touching.rows()

    def dynamics(self, q: Array, v: Array, flange: str) -> RobotDynamics:
        assert self.robot is not None, "the scene has no robot"
        if self.alone is None:
            self.alone = DynamicsWorld(self.scene, self.scene.robots[0], self.robot.source, self.dt, self.settings)
        return self.alone.evaluate(q, v, flange)

    def batch(self, worlds: int) -> Batch:
        assert self.robot is not None, "the scene has no robot"
        return WorldBatch(self.scene, self.dt, self.settings, self.robot, worlds)

    def resolved(self) -> Resolution:
        touching = [int(g.idx) for g in self.arm.geoms] if self.arm is not None and self.scene.touching_robots else []
        found = resolution(self.world, self.places, self.scene, self.settings, self.dt, touching)
        if self.robot is None:
            return found
        rows = dict(robot_rows(self.solver, self.robot, self.settings))
        rows.update(robot_pairs(self.solver, self.scene, self.places, self.arm))
        if self.soft is not None:
            rows.update(floor_rows(self.floors))
            rows.update(soft_rows(self.world, self.scene, self.settings, self.entities, self.arm))
        notes = {**found.channel_notes, **merged_notes(self.robot)}
        return replace(found, table={**found.table, **rows}, channel_notes=notes)

    def close(self) -> None:
        if self.alone is not None:
            self.alone.close()
        self.world.destroy()
        del self.readout, self.touching, self.arm, self.actuators, self.solver, self.world, self.alone


def cache_folders() -> list[Path]:
    """Folders where Genesis keeps compiled kernels and prepared geometry."""
    return process.cache_folders()


def build(scene: Scene, dt: float, settings: Settings, device: str, precision: int) -> Simulation:
    """`scene` in Genesis; see `Build`."""
    mapping.check_options(settings.options)
    for body in scene.bodies:
        mapping.check(body.name, body.material)
    if device not in ("cpu", "cuda"):
        raise Unsupported(f"Genesis runs on device=cpu or device=cuda, not on {device!r}")
    if precision not in (32, 64):
        raise Unsupported(f"Genesis computes in 32 or 64 bit, not in {precision}")
    if device == "cuda":
        require_cuda("genesis")
    if scene.soft_bodies:
        check_mixture("genesis", scene)
        check_scene(scene, precision)
    process.start(device, precision)
    return GenesisSimulation(scene, dt, settings)
