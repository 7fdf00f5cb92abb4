"""The soft ball, and what is measured alike wherever pads or plates touch it."""

from __future__ import annotations

import math

import numpy as np

from ..harness.experiment import Context
from ..harness.reference import Reference
from ..harness.reference import reference_of as under_gravity
from ..harness.robot_model import RobotModel, model_of
from ..harness.scene import Array, Material, Pose, SoftBody
from ..harness.soft_mesh import Elements, lame, read, volumes
from ..harness.soft_state import SoftTrace
from ..harness.trace import Trace
from .ball_mesh import FILE, RADIUS

GRAVITY = 9.81  # [m/s^2]
NAME = "ball"
BALANCE = 0.01  # [N], a hundredth of the ball's weight: below what could decide whether it is held


def soft_ball(
    *, mass: float, young: float, poisson: float, damping: float | None, friction: float, height: float
) -> SoftBody:
    """The ball with its centre `height` [m] above z = 0; the density gives the mesh's own volume `mass` [kg]."""
    mesh = read(str(FILE))
    return SoftBody(
        name=NAME,
        mesh=str(FILE),
        young=young,
        poisson=poisson,
        density=mass / float(volumes(mesh.vertices, mesh.elements).sum()),
        damping=damping,
        pose=Pose((0.0, 0.0, height)),
        material=Material(friction=friction),
    )


def reference_of(model: RobotModel) -> Reference:
    """Dynamics of a mechanism under gravity."""
    return under_gravity(model, (0.0, 0.0, -GRAVITY))


def residual(trace: Trace, context: Context) -> Array:
    """Contact force on every joint over the step that ended (T, nv) [N | N m]: M vdot + bias - tau.

    M is the source model's with the armature that the engine uses; row 0 is zero.
    """
    model = model_of(context.scene.robots[0])
    reference, table = reference_of(model), context.resolution.table
    armature = []
    for joint in model.joints:
        row = table.get(f"joint.{joint.name}.armature")
        armature.append(float(row.value) if row is not None and isinstance(row.value, float) else joint.armature)
    q, v, tau = (trace.joint(name) for name in ("q", "v", "tau"))
    vdot = np.diff(v, axis=0) / np.diff(trace.time)[:, None]
    if all(joint.kind == "slide" for joint in model.joints):  # neither depends on the state
        M = reference.mass_matrix(q[0]) + np.diag(armature)
        rows = vdot @ M.T + reference.bias(q[0], v[0]) - tau[1:]
    else:
        rows = np.array(
            [
                (reference.mass_matrix(q[k]) + np.diag(armature)) @ vdot[k] + reference.bias(q[k], v[k]) - tau[k + 1]
                for k in range(len(vdot))
            ]
        )
    return np.concatenate([np.zeros((1, len(model.joints))), rows])


def momentum_rate(soft: SoftTrace) -> Array:
    """Force on the ball besides gravity over the step that ended (T, 3) [N]: dp/dt - m g; row 0 is zero."""
    weight = np.array([0.0, 0.0, -GRAVITY]) * float(soft.mass.sum())
    rate = np.diff(soft.momentum, axis=0) / np.diff(soft.time)[:, None] - weight
    return np.concatenate([np.zeros((1, 3)), rate])


def own_forces(soft: SoftTrace, link: str) -> Array:
    """Coupling force on a link as the engine counts it (T, 3) [N], NaN where it does not say."""
    return soft.f_links[:, soft.links.index(link)]


def friction_of(context: Context) -> float:
    """Friction coefficient between ball and robot that the coupler uses [1]; NaN where the engine does not say."""
    row = context.resolution.table.get(f"pair.{NAME}+{context.scene.robots[0].name}.friction")
    return float(row.value) if row is not None and isinstance(row.value, (int, float)) else math.nan


def strain_energy(rest: Array, shape: Array, elements: Elements, young: float, poisson: float) -> float:
    """Elastic energy of a shape [J] by the co-rotated linear law, the same for every engine.

    Sum over elements of V (mu e:e + lambda/2 tr(e)^2), e = R^T F - 1 with the rotation R of the polar decomposition.
    """
    corners = [array[elements] for array in (rest, shape)]
    before, now = ((c[:, 1:] - c[:, :1]).transpose(0, 2, 1) for c in corners)
    F = now @ np.linalg.inv(before)
    U, S, Vt = np.linalg.svd(F)
    flipped = np.linalg.det(U @ Vt) < 0
    S[flipped, 2] *= -1
    mu, lam = lame(young, poisson)
    density = mu * ((S - 1) ** 2).sum(axis=1) + lam / 2 * (S - 1).sum(axis=1) ** 2
    return float(density @ volumes(rest, elements))


def stable_step(rest: Array, elements: Elements, mass: Array, young: float, poisson: float) -> float:
    """Largest step of an explicit, symplectic integrator [s]: 2 / w, w^2 the largest eigenvalue of M^-1 K.

    K is the stiffness of linear tetrahedra for small strain, M holds the masses of the vertices.
    """
    mu, lam = lame(young, poisson)
    corners = rest[elements]
    slopes = np.linalg.inv(corners[:, 1:] - corners[:, :1]).transpose(0, 2, 1)  # of vertices 1 to 3, (m, 3, 3)
    slopes = np.concatenate([-slopes.sum(axis=1, keepdims=True), slopes], axis=1)  # gradients, (m, 4, 3)
    V = volumes(rest, elements)
    n = len(rest)
    K = np.zeros((n, 3, n, 3))
    dots = np.einsum("eax,ebx->eab", slopes, slopes)
    for a in range(4):
        for b in range(4):
            ga, gb = slopes[:, a], slopes[:, b]
            block = lam * np.einsum("ei,ej->eij", ga, gb) + mu * np.einsum("ej,ei->eij", ga, gb)
            block += mu * dots[:, a, b][:, None, None] * np.eye(3)
            for i, j, part in zip(elements[:, a], elements[:, b], V[:, None, None] * block, strict=True):
                K[i, :, j] += part
    scale = 1 / np.sqrt(np.repeat(mass, 3))
    largest = np.linalg.eigvalsh(K.reshape(3 * n, 3 * n) * scale[:, None] * scale)[-1]
    return float(2 / math.sqrt(largest))


def hertz_force(approach: Array, young: float, poisson: float) -> Array:
    """Force of a ball against a rigid plane [N] for the approach of its centre d [m]: 4/3 E/(1-nu^2) sqrt(R) d^1.5."""
    pressed = np.clip(approach, 0.0, None)
    return np.asarray(4 / 3 * young / (1 - poisson**2) * math.sqrt(RADIUS) * pressed**1.5)
