"""Soft bodies in MuJoCo: a flex of tetrahedra with one slide body per vertex, and the forces it makes on links."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from xml.etree.ElementTree import Element, SubElement

import mujoco
import numpy as np

from ...harness.engine import Resolved, Settings
from ...harness.mjcf import numbers
from ...harness.resolution import Row, absent, floats, read
from ...harness.robot_model import model_of
from ...harness.scene import Array, Scene, SoftBody
from ...harness.soft_mesh import TetMesh, placed, volumes
from ...harness.soft_mesh import read as read_mesh
from ...harness.soft_state import SoftPart
from . import mapping

RADIUS = 1e-5  # [m] by which MuJoCo rounds the flex; its own default of 5 mm would be a sixth of a ball of 30 mm
STRAIN = 1e-4
CONTACT_OPTIONS = ("solref", "solimp", "condim")
BODIES, ROBOTS = 1, 2  # collision groups, as in `model`


def write_soft(world: Element, body: SoftBody, settings: Settings) -> None:
    """Add `body` to `world`: our vertices and elements, MuJoCo's continuum elasticity."""
    mapping.check(body.name, body.material)
    mesh = read_mesh(body.mesh)
    mass = body.density * float(volumes(mesh.vertices, mesh.elements).sum())
    flex = SubElement(
        world,
        "flexcomp",
        name=body.name,
        type="direct",
        dim="3",
        mass=numbers(mass),
        radius=numbers(RADIUS),
        pos=numbers(body.pose.p),
        quat=numbers(body.pose.q_wxyz),
        point=numbers(mesh.vertices.ravel()),
        element=" ".join(str(i) for i in mesh.elements.ravel()),
    )
    half = settings.options.get("soft_half_lambda") is True
    young, poisson = mapping.elasticity(body.young, body.poisson, half)
    elasticity = SubElement(flex, "elasticity", young=numbers(young), poisson=numbers(poisson))
    if body.damping is not None:
        elasticity.set("damping", numbers(body.damping))
    contact = SubElement(flex, "contact", selfcollide="none", contype=str(BODIES), conaffinity=str(BODIES | ROBOTS))
    if body.material.friction is not None:
        contact.set("friction", numbers((body.material.friction, 0.005, 0.0001)))
    for name in CONTACT_OPTIONS:
        value = settings.options.get(name)
        if value is not None:
            contact.set(name, numbers(value) if isinstance(value, tuple) else str(value))


class SoftAccess:
    """Where the soft bodies are in the compiled model, their state, and their force on the robot's links."""

    def __init__(self, model: Any, data: Any, scene: Scene) -> None:
        self.model, self.data = model, data
        mujoco.mj_kinematics(model, data)
        mujoco.mj_flex(model, data)
        parts, self.vertices, self.dofs = [], [], []
        for body in scene.soft_bodies:
            flex = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_FLEX, body.name)
            at = slice(int(model.flex_vertadr[flex]), int(model.flex_vertadr[flex] + model.flex_vertnum[flex]))
            bodies = model.flex_vertbodyid[at]
            self.vertices.append(at)
            self.dofs.append(model.body_dofadr[bodies][:, None] + np.arange(3))
            first, count = int(model.flex_elemdataadr[flex]), int(model.flex_elemnum[flex])
            elements = model.flex_elem[first : first + 4 * count].reshape(-1, 4).astype(np.int64)
            rest = data.flexvert_xpos[at].copy()
            if (volumes(rest, elements) < 0).all():  # MuJoCo numbers the other way about
                elements = elements[:, [0, 2, 1, 3]]
            parts.append(
                SoftPart(
                    name=body.name,
                    rest=rest,
                    elements=elements,
                    mass=model.body_mass[bodies].copy(),
                )
            )
        self.parts = tuple(parts)
        links = [link.name for robot in scene.robots for link in model_of(robot).links]
        self.link_of = np.full(model.ngeom, -1)
        for index, name in enumerate(links):
            self.link_of[model.geom_bodyid == model.body(name).id] = index
        self.forces: Array = np.zeros((len(links), 3))
        self.force = np.zeros(6)

    def sample(self, into: Sequence[Array]) -> None:
        """Positions and velocities of all vertices."""
        for out, at, dofs in zip(into, self.vertices, self.dofs, strict=True):
            out[0] = self.data.flexvert_xpos[at]
            out[1] = self.data.qvel[dofs]

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
    asked = settings.options
    for body in scene.soft_bodies:
        flex = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_FLEX, body.name)
        name = f"soft.{body.name}."
        at = slice(int(model.flex_vertadr[flex]), int(model.flex_vertadr[flex] + model.flex_vertnum[flex]))
        masses = model.body_mass[model.flex_vertbodyid[at]]
        mesh = placed(body)
        density = float(masses.sum()) / float(volumes(mesh.vertices, mesh.elements).sum())
        young, poisson = measured_elasticity(model, model.flex_vertbodyid[at], mesh)
        native = "stress that qfrc_passive makes of a uniform strain of 1e-4"
        yield name + "young", read(young, "Pa", native, scene=body.young)
        yield name + "poisson", read(poisson, "1", native, scene=body.poisson)
        yield name + "density", read(density, "kg/m^3", "sum of body_mass over the mesh's volume", scene=body.density)
        yield name + "vertex_mass", read(floats((masses.min(), masses.max())), "kg", "body_mass: all vertices alike")
        yield name + "damping", read(float(model.flex_damping[flex]), "s", "flex_damping", scene=body.damping)
        yield name + "model", read("Saint Venant-Kirchhoff, edge-based", "", "mujoco.elasticity.solid")
        mu_flex = float(model.flex_friction[flex, 0])
        yield name + "friction", read(mu_flex, "1", "flex_friction[0]", scene=body.material.friction)
        yield name + "radius", read(float(model.flex_radius[flex]), "m", "flex_radius")
        solref = floats(model.flex_solref[flex])
        yield (
            name + "coupling.time_constant",
            read(solref[0], "s", "flex_solref[0]", settings=_first(asked.get("solref"))),
        )
        yield name + "coupling.iterations", read(int(model.opt.iterations), "1", "opt.iterations")
        # one vertex alone: k = m / ((1 - d) tc^2 zeta^2) with d at the surface
        d = float(model.flex_solimp[flex, 0])
        stiffness = float(masses.min()) / ((1 - d) * solref[0] ** 2 * solref[1] ** 2)
        yield (
            name + "coupling.stiffness",
            Resolved(
                value=stiffness,
                unit="N/m",
                origin="derived",
                native="vertex mass / ((1 - d_min) (tc zeta)^2): an acceleration law, of a vertex alone",
                authored=body.material.stiffness,
            ),
        )
        yield name + "coupling.damping", absent("N s/m", "solref is an acceleration law", body.material.damping)
        for robot in scene.touching_robots:
            links = {model.body(link.name).id for link in model_of(robot).links}
            shapes = [g for g in range(model.ngeom) if model.geom_bodyid[g] in links and model.geom_contype[g]]
            mus = {max(mu_flex, float(model.geom_friction[g, 0])) for g in shapes}
            yield (
                f"pair.{body.name}+{robot.name}.friction",
                Resolved(
                    value=max(mus) if mus else None,
                    unit="1",
                    origin="derived" if mus else "absent",
                    native="max of flex_friction and geom_friction",
                    authored=body.material.friction,
                ),
            )


def measured_elasticity(model: Any, bodies: Any, mesh: TetMesh) -> tuple[float, float]:
    """Young's modulus [Pa] and Poisson's ratio [1] from the forces that a small uniaxial strain e makes.

    The virial theorem gives the mean stress: sum of f_i x_i = -V P; P_xx = (lambda + 2 mu) e, P_yy = lambda e.
    """
    data = mujoco.MjData(model)
    dofs = model.body_dofadr[bodies]
    centred = mesh.vertices - mesh.vertices.mean(axis=0)
    data.qpos[model.jnt_qposadr[model.body_jntadr[bodies]]] = STRAIN * centred[:, 0]
    mujoco.mj_fwdPosition(model, data)
    mujoco.mj_fwdVelocity(model, data)
    force = data.qfrc_passive[dofs[:, None] + np.arange(3)]
    stress = -(force.T @ centred) / float(volumes(mesh.vertices, mesh.elements).sum())
    lam = (stress[1, 1] + stress[2, 2]) / 2 / STRAIN
    mu = (stress[0, 0] / STRAIN - lam) / 2
    return float(mu * (3 * lam + 2 * mu) / (lam + mu)), float(lam / (2 * (lam + mu)))


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, tuple) else None
