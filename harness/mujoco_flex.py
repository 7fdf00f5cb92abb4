"""Soft bodies as MuJoCo's flex: its MJCF, where it is in a compiled model, and how stiff it really is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from .engine import Value
from .mjcf import numbers
from .scene import Array, Scene, SoftBody
from .soft_mesh import TetMesh, lame, volumes
from .soft_mesh import read as read_mesh
from .soft_state import SoftPart

RADIUS = 1e-5  # [m] by which MuJoCo rounds the flex; its own default of 5 mm would be a sixth of a ball of 30 mm
CONTACT_OPTIONS = ("solref", "solimp", "condim")
BODIES, ROBOTS = 1, 2  # collision groups: bodies meet bodies and robots, robots meet bodies only


def elasticity(young: float, poisson: float, half_lambda: bool) -> tuple[float, float]:
    """flex/elasticity young [Pa] and poisson [1]; MuJoCo's stress has 2 lambda where Hooke's law has lambda.

    With `half_lambda` they belong to lambda / 2 and the same mu, so that the law is the one that was asked for.
    """
    if not half_lambda:
        return young, poisson
    mu, lam = lame(young, poisson)
    lam /= 2
    return mu * (3 * lam + 2 * mu) / (lam + mu), lam / (2 * (lam + mu))


def write_flex(world: Element, body: SoftBody, options: Mapping[str, Value]) -> None:
    """Add `body` to `world`: our vertices, a slide body each, our elements, MuJoCo's continuum elasticity."""
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
    young, poisson = elasticity(body.young, body.poisson, options.get("soft_half_lambda") is True)
    material = SubElement(flex, "elasticity", young=numbers(young), poisson=numbers(poisson))
    if body.damping is not None:
        material.set("damping", numbers(body.damping))
    contact = SubElement(flex, "contact", selfcollide="none", contype=str(BODIES), conaffinity=str(BODIES | ROBOTS))
    if body.material.friction is not None:
        contact.set("friction", numbers((body.material.friction, 0.005, 0.0001)))
    for name in CONTACT_OPTIONS:
        value = options.get(name)
        if value is not None:
            contact.set(name, numbers(value) if isinstance(value, tuple) else str(value))


@dataclass(frozen=True, slots=True)
class FlexPlace:
    """Where a flex is in an `MjModel`: its number, its vertices, their bodies (n,), coordinates and dofs (n, 3)."""

    number: int
    vertices: slice
    bodies: Any
    q: Any
    v: Any


def flex_place(model: Any, name: str) -> FlexPlace:
    """Where the flex of that name is."""
    import mujoco

    flex = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_FLEX, name)
    at = slice(int(model.flex_vertadr[flex]), int(model.flex_vertadr[flex] + model.flex_vertnum[flex]))
    bodies = model.flex_vertbodyid[at]
    return FlexPlace(
        number=flex,
        vertices=at,
        bodies=bodies,
        q=model.jnt_qposadr[model.body_jntadr[bodies]][:, None] + np.arange(3),
        v=model.body_dofadr[bodies][:, None] + np.arange(3),
    )


def flex_parts(model: Any, scene: Scene, places: Sequence[FlexPlace]) -> tuple[SoftPart, ...]:
    """The soft bodies of `scene` as they are at rest."""
    import mujoco

    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_flex(model, data)
    parts = []
    for body, place in zip(scene.soft_bodies, places, strict=True):
        first, count = int(model.flex_elemdataadr[place.number]), int(model.flex_elemnum[place.number])
        elements = model.flex_elem[first : first + 4 * count].reshape(-1, 4).astype(np.int64)
        rest = data.flexvert_xpos[place.vertices].copy()
        if (volumes(rest, elements) < 0).all():  # MuJoCo numbers the other way about
            elements = elements[:, [0, 2, 1, 3]]
        mass = model.body_mass[place.bodies].copy()
        parts.append(SoftPart(name=body.name, rest=rest, elements=elements, mass=mass))
    return tuple(parts)


def stretched(mesh: TetMesh, strain: float) -> Array:
    """Displacements of a uniaxial strain along x about the mesh's middle [m], (n,)."""
    return np.asarray(strain * (mesh.vertices[:, 0] - mesh.vertices[:, 0].mean()))


def moduli(force: Array, mesh: TetMesh, strain: float) -> tuple[float, float]:
    """Young's modulus [Pa] and Poisson's ratio [1] from the forces (n, 3) [N] that `stretched` makes.

    The virial theorem gives the mean stress: sum of f_i x_i = -V P; P_xx = (lambda + 2 mu) e, P_yy = lambda e.
    """
    centred = mesh.vertices - mesh.vertices.mean(axis=0)
    stress = -(force.T @ centred) / float(volumes(mesh.vertices, mesh.elements).sum())
    lam = (stress[1, 1] + stress[2, 2]) / 2 / strain
    mu = (stress[0, 0] / strain - lam) / 2
    return float(mu * (3 * lam + 2 * mu) / (lam + mu)), float(lam / (2 * (lam + mu)))
