"""A scene in Newton's `ModelBuilder`, and the solver for it.

Moving bodies are Newton's first bodies in scene order, each with a free joint; the shapes of fixed bodies belong to the
world (body -1). Shapes are labelled "BODY/INDEX". The links of a robot come after them.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import newton
import numpy as np
import warp as wp
from newton.solvers import SolverMuJoCo

from ...harness.engine import Settings, Value
from ...harness.errors import Unsupported
from ...harness.scene import Body, Box, Capsule, Cylinder, HalfSpace, Mesh, Scene, Shape, Sphere
from . import mapping
from .robots import Gains, RobotAccess, attach, one_robot, transform

POINTS_PER_PAIR = 8  # most contact points that one pair of convex shapes can have (box on box)
NEIGHBOURS = 12  # most pairs that one moving shape is thought to touch at once (the kissing number of equal balls)
DEFAULT_CONTACTS, DEFAULT_ROWS = 48, 64  # MuJoCo Warp's own smallest capacities, enough for one box on a plane
RAW_SOLREF = 1  # mujoco:solref_mode: use mujoco:solref as it stands (newton._src.solvers.mujoco.constants)
LOWERED = ("cone", "integrator", "solver")  # words that SolverMuJoCo wants in lower case
RENAMED = {"multi_contact": "enable_multiccd"}
SHAPE_ATTRIBUTES = {"solref": "mujoco:solref", "solimp": "mujoco:geom_solimp", "condim": "mujoco:condim"}
SOLVER_OPTIONS = (*LOWERED, "iterations", "ls_iterations", "tolerance", "impratio", "multi_contact", "nconmax", "njmax")


def com_velocity(V_WB: Any, com_W: Any) -> Any:
    """Newton's `joint_qd` of free joints (n, 6): velocity of the centre of mass, then angular velocity, both in W.

    `V_WB` (n, 6) has the velocity of the origin first; `com_W` (n, 3) is the vector from the origin to the centre of
    mass in W [m].
    """
    return np.hstack((V_WB[:, :3] + np.cross(V_WB[:, 3:], com_W), V_WB[:, 3:]))


def rotated(q_WB: Any, vectors: Any) -> Any:
    """`vectors` (n, 3) turned from B to W by the unit quaternions `q_WB` (n, 4), scalar first."""
    twice = 2 * np.cross(q_WB[:, 1:], vectors)
    return vectors + q_WB[:, :1] * twice + np.cross(q_WB[:, 1:], twice)


def newton_model(
    scene: Scene, settings: Settings, device: str, worlds: int = 1, gains: Gains | None = None
) -> tuple[Any, dict[tuple[str, int], int], RobotAccess | None]:
    """The finalized `Model`, the Newton shape of each (body, index of its shape), and where the robot is.

    With several `worlds` the model holds as many copies, one after the other; shapes and robot are those of the first.
    `gains` are those of the robot's drives, if it has any.

    Raises:
        Unsupported: a shape or a material that SolverMuJoCo cannot express.
    """
    options = settings.options
    builder = newton.ModelBuilder(gravity=scene.gravity)
    attributes: dict[str, Any] = {native: options[name] for name, native in SHAPE_ATTRIBUTES.items() if name in options}
    if attributes:  # only then, so that `default` is what a user of the builder gets
        SolverMuJoCo.register_custom_attributes(builder)
    if "mujoco:solref" in attributes:
        attributes["mujoco:solref_mode"] = RAW_SOLREF
    if "gap" in options:
        builder.rigid_gap = options["gap"]
    shapes: dict[tuple[str, int], int] = {}
    for body in scene.bodies:
        mapping.check(body.name, body.material)
        moving = body.mass is not None
        index = _add_body(builder, body) if moving else -1
        frame = wp.transform() if moving else transform(body.pose)
        config = newton.ModelBuilder.ShapeConfig(density=0.0)  # a density would add mass to the body's own
        mu = mapping.friction(body.material)
        if mu is not None:
            config.mu = mu
        for number, shape in enumerate(body.shapes):
            given = {
                "body": index,
                "xform": frame * transform(shape.pose),
                "cfg": config,
                "label": f"{body.name}/{number}",
                "custom_attributes": dict(attributes),
            }
            shapes[body.name, number] = _add_shape(builder, shape, given)
    for a, b in scene.collision_pairs_off:
        for i in range(len(scene.body(a).shapes)):
            for j in range(len(scene.body(b).shapes)):
                builder.add_shape_collision_filter_pair(shapes[a, i], shapes[b, j])
    robot = one_robot(scene)
    if not scene.moving and robot is None:
        raise Unsupported("SolverMuJoCo needs at least one joint, so a scene without a moving body cannot be built")
    velocity = np.array([body.velocity for body in scene.moving]).reshape(-1, 6)
    q_WB = np.array([body.pose.q_wxyz for body in scene.moving]).reshape(-1, 4)
    com_W = rotated(q_WB, np.array([body.com for body in scene.moving]).reshape(-1, 3))
    builder.joint_qd[:] = com_velocity(velocity, com_W).ravel().tolist()
    access = attach(builder, robot, settings, attributes, gains) if robot is not None else None
    if worlds > 1:
        copies = newton.ModelBuilder(gravity=scene.gravity)
        copies.replicate(builder, worlds)
        builder = copies
    return builder.finalize(device=device), shapes, access


def solver(model: Any, scene: Scene, settings: Settings, access: RobotAccess | None) -> Any:
    """`SolverMuJoCo` of `model`, with room for the contacts that `scene` can have."""
    options = settings.options
    given: dict[str, Any] = {
        RENAMED.get(name, name): str(options[name]).lower() if name in LOWERED else options[name]
        for name in SOLVER_OPTIONS
        if name in options
    }
    if access is not None and not access.shapes and not scene.colliding_pairs():
        given["disable_contacts"] = True  # nothing may touch: 24 instead of 50 us a step with an arm
    for name, needed, default in zip(
        ("nconmax", "njmax"), _capacity(scene, options, access), (DEFAULT_CONTACTS, DEFAULT_ROWS), strict=True
    ):
        if name not in given and needed > default:
            given[name] = needed
    return SolverMuJoCo(model, **given)


def _capacity(scene: Scene, options: Mapping[str, Value], access: RobotAccess | None) -> tuple[int, int]:
    """Contacts and constraint rows that the scene can have: of a robot, also a limit and a dry friction per joint."""
    pairs = sum(len(scene.body(a).shapes) * len(scene.body(b).shapes) for a, b in scene.colliding_pairs())
    moving = sum(len(body.shapes) for body in scene.moving)
    rows = 0
    if access is not None:
        robot = len(access.shapes)
        pairs += robot * sum(len(body.shapes) for body in scene.bodies)
        moving, rows = moving + robot, 2 * len(access.source.joints)
    contacts = POINTS_PER_PAIR * min(pairs, NEIGHBOURS * moving)
    condim = options.get("condim", 3)
    assert isinstance(condim, int)
    return contacts, rows + contacts * mapping.rows_per_contact(str(options.get("cone", "pyramidal")), condim)


def _add_body(builder: Any, body: Body) -> int:
    assert body.inertia is not None
    inertia = np.diag(mapping.inertia(body.inertia))
    index: int = builder.add_body(
        xform=transform(body.pose),
        com=wp.vec3(*body.com),
        inertia=wp.mat33(*inertia.ravel()),
        mass=body.mass,
        label=body.name,
        lock_inertia=True,
    )
    return index


def _add_shape(builder: Any, shape: Shape, given: dict[str, Any]) -> int:
    index: int
    match shape:
        case Sphere():
            index = builder.add_shape_sphere(radius=shape.radius, **given)
        case Box():
            hx, hy, hz = (s / 2 for s in shape.size)
            index = builder.add_shape_box(hx=hx, hy=hy, hz=hz, **given)
        case Capsule():
            index = builder.add_shape_capsule(radius=shape.radius, half_height=shape.length / 2, **given)
        case Cylinder():
            index = builder.add_shape_cylinder(radius=shape.radius, half_height=shape.length / 2, **given)
        case HalfSpace():
            index = builder.add_shape_plane(width=0.0, length=0.0, **given)  # 0: without bounds
        case Mesh():
            if not Path(shape.path).is_file():
                raise Unsupported(f"mesh file {shape.path} does not exist")
            mesh = newton.Mesh.create_from_file(shape.path, compute_inertia=False)
            index = builder.add_shape_convex_hull(mesh=mesh, scale=wp.vec3(*(shape.scale,) * 3), **given)
        case _:
            raise Unsupported(f"Newton has no shape {type(shape).__name__}")
    return index
