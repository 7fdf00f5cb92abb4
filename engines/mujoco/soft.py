"""Soft bodies in MuJoCo: a flex of tetrahedra with one slide body per vertex, and the forces it makes on links."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import mujoco
import numpy as np

from ...harness.engine import Settings
from ...harness.mujoco_flex import FlexPlace, flex_parts, flex_place, moduli, stretched
from ...harness.mujoco_flex_rows import flex_pairs, flex_rows
from ...harness.resolution import Row
from ...harness.robot_model import model_of
from ...harness.scene import Array, Scene
from ...harness.soft_mesh import TetMesh, placed

STRAIN = 1e-4


class SoftAccess:
    """Where the soft bodies are in the compiled model, their state, and their force on the robot's links."""

    def __init__(self, model: Any, data: Any, scene: Scene) -> None:
        self.model, self.data = model, data
        self.places = [flex_place(model, body.name) for body in scene.soft_bodies]
        self.parts = flex_parts(model, scene, self.places)
        links = [link.name for robot in scene.robots for link in model_of(robot).links]
        self.link_of = np.full(model.ngeom, -1)
        for index, name in enumerate(links):
            self.link_of[model.geom_bodyid == model.body(name).id] = index
        self.forces: Array = np.zeros((len(links), 3))
        self.force = np.zeros(6)

    def sample(self, into: Sequence[Array]) -> None:
        """Positions and velocities of all vertices."""
        for out, place in zip(into, self.places, strict=True):
            out[0] = self.data.flexvert_xpos[place.vertices]
            out[1] = self.data.qvel[place.v]

    def add_forces(self) -> None:
        """Sum the contact forces of flexes on links; to be called while the list still holds the step's forces."""
        self.forces[:] = 0.0
        contact = self.data.contact
        for c in range(self.data.ncon):
            if contact.efc_address[c] < 0 or max(contact.flex[c]) < 0:
                continue
            side = 0 if contact.geom[c, 0] >= 0 else 1
            link = self.link_of[contact.geom[c, side]]
            if link < 0:
                continue
            mujoco.mj_contactForce(self.model, self.data, c, self.force)
            sign = -1.0 if side == 0 else 1.0  # the frame's normal points from the first to the second
            self.forces[link] += sign * (self.force[:3] @ contact.frame[c].reshape(3, 3))


def soft_rows(model: Any, scene: Scene, settings: Settings) -> Iterator[Row]:
    """The resolved rows of every soft body and of its contact with the robots."""

    def of(name: str) -> Any:
        return getattr(model, name)

    places = [flex_place(model, body.name) for body in scene.soft_bodies]
    measured = [_elasticity(model, p, placed(body)) for p, body in zip(places, scene.soft_bodies, strict=True)]
    how = "stress that qfrc_passive makes of a uniform strain of 1e-4"
    refsafe = not model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_REFSAFE
    floor = float(model.opt.timestep) if refsafe else None
    iterations, options = int(model.opt.iterations), settings.options
    yield from flex_rows(of, scene, places, measured, iterations, options, floor=floor, how=how)
    yield from flex_pairs(of, model, scene, places)


def _elasticity(model: Any, place: FlexPlace, mesh: TetMesh) -> tuple[float, float]:
    """Young's modulus [Pa] and Poisson's ratio [1] from the forces that a small uniaxial strain makes."""
    data = mujoco.MjData(model)
    data.qpos[place.q[:, 0]] = stretched(mesh, STRAIN)
    mujoco.mj_fwdPosition(model, data)
    mujoco.mj_fwdVelocity(model, data)
    return moduli(data.qfrc_passive[place.v], mesh, STRAIN)
