"""Genesis: the whole scene as one MJCF entity in one world, read through views into the solver's fields."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import genesis as gs
import numpy as np
import torch
from genesis.utils.array_class import ErrorCode

from ...harness.channels import Sample
from ...harness.device import require_cuda
from ...harness.engine import Resolution, Settings, Simulation
from ...harness.errors import Diverged, SimparityError, Unsupported
from ...harness.scene import Array, Scene
from . import mapping, process
from .model import check_pairs, mjcf, places
from .readback import resolution
from .readout import Readout

_NOT_FINITE = ErrorCode.INVALID_CONTACT_NAN | ErrorCode.INVALID_FORCE_NAN | ErrorCode.INVALID_ACC_NAN


class GenesisSimulation:
    """One built `gs.Scene` with its rigid solver."""

    def __init__(self, scene: Scene, dt: float, settings: Settings) -> None:
        self.scene, self.settings, self.dt = scene, settings, dt
        self.world = gs.Scene(
            sim_options=gs.options.SimOptions(dt=dt, gravity=scene.gravity),
            rigid_options=_rigid_options(settings),
            profiling_options=gs.options.ProfilingOptions(show_FPS=False),
            show_viewer=False,
        )
        morph = gs.morphs.MJCF(
            file=mjcf(scene, settings),
            align=False,  # the default moves the frame of a free body to its centre of mass
            visualization=False,
            convexify=True,  # a mesh collides as its one convex hull, with all its faces
            decompose_object_error_threshold=float("inf"),
            decimate=False,
        )
        entity = self.world.add_entity(morph)
        self.world.build()
        self.solver: Any = self.world.rigid_solver
        self.places = places(scene, entity)
        check_pairs(scene, self.places, self.solver.collider._collision_pair_idx)
        self.links = self.places.moving
        self.readout = Readout(self.solver, self.links)
        self.wrench: tuple[Any, Any] | None = None
        self.reset()

    def reset(self) -> None:
        self.world.reset()
        self.readout.fetch()
        self.wrench = None
        self.set_velocity(np.array([body.velocity for body in self.scene.moving]))

    def command(self, tau: Array | None, wrench: Array | None) -> None:
        if tau is not None and len(tau):
            raise Unsupported("this scene has no joints to command")
        if wrench is None or not np.any(wrench):
            self.wrench = None
            return
        held = torch.as_tensor(np.array(wrench), dtype=gs.tc_float, device=gs.device)
        self.wrench = (held[:, :3].contiguous(), held[:, 3:].contiguous())

    def set_velocity(self, V_WB: Array) -> None:
        if not len(V_WB):
            return
        velocity = np.array(V_WB, dtype=np.float64)
        w, xyz = self.readout.poses[:, 3:4], -self.readout.poses[:, 4:7]  # of the inverse orientation
        w_W = velocity[:, 3:]
        t = 2 * np.cross(xyz, w_W)
        velocity[:, 3:] = w_W + w * t + np.cross(xyz, t)  # a free joint holds its angular velocity in the body frame
        self.solver.set_dofs_velocity(torch.as_tensor(velocity.ravel(), dtype=gs.tc_float, device=gs.device))
        self.readout.fetch()

    def advance(self, steps: int) -> None:
        step, wrench = self.world.step, self.wrench
        try:
            for _ in range(steps):
                if wrench is not None:  # Genesis forgets applied forces at the end of every step
                    self.solver.apply_links_external_wrench(*wrench, self.links, ref=gs.link_ref_frame.link_COM)
                step(update_visualizer=False, refresh_visualizer=False)
        except gs.GenesisException as error:
            self._fail(str(error))
        self.readout.fetch()
        if self.readout.error.any():  # Genesis itself looks every tenth step only
            self._fail("Genesis's error flag is set")

    def _fail(self, message: str) -> None:
        flags = int(np.bitwise_or.reduce(self.readout.error.astype(np.int64)))
        try:
            self.solver.check_errno()
        except gs.GenesisException as error:
            message = str(error)
        if flags & _NOT_FINITE:
            raise Diverged(message)
        raise SimparityError(f"{message} Here: option.max_collision_pairs, option.max_contacts")

    def sample(self, into: Sample) -> None:
        self.readout.sample(into)

    def resolved(self) -> Resolution:
        return resolution(self.world, self.places, self.scene, self.settings, self.dt)

    def close(self) -> None:
        self.world.destroy()
        del self.readout, self.solver, self.world


def _rigid_options(settings: Settings) -> Any:
    keywords: dict[str, Any] = dict(mapping.rigid_options(settings.options))
    for name, (keyword, enum) in mapping.ENUMS.items():
        if name in settings.options:
            keywords[keyword] = getattr(getattr(gs, enum), str(settings.options[name]))
    return gs.options.RigidOptions(**keywords)


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
    process.start(device, precision)
    return GenesisSimulation(scene, dt, settings)
