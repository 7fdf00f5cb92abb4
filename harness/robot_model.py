"""The source model of a robot: what its description says, read once, independently of the engine under test.

MJCF is compiled by MuJoCo, URDF is read by MuJoCo's URDF parser with every fixed link kept; the result is plain data.
The reference dynamics (`reference`) and PhysX's articulation are built from it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import numpy as np

from .description import check_numbers, files_of, format_of, is_text, name_of
from .errors import Unsupported, UsageError
from .inertia import Impossible, as_compiled, impossible
from .robot_shapes import meshes_of, shapes_of, unit
from .scene import Pose, Robot, Scene, Shape, rotation

JointKind = Literal["hinge", "slide"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Joint:
    """A joint with one degree of freedom, between a link and its parent.

    Attributes:
        axis: unit vector in the link's frame; `anchor`: a point of it in the link's frame [m].
        lower, upper: range [rad | m], infinite where there is none.
        effort: largest torque or force [N m | N], infinite where there is none.
        armature: rotor inertia [kg m^2 | kg]; `damping` [N m s/rad | N s/m]; `friction`: dry friction [N m | N].
        stiffness: of a spring [N m/rad | N/m] with rest position `rest`.
    """

    name: str
    kind: JointKind
    axis: tuple[float, float, float]
    anchor: tuple[float, float, float]
    lower: float
    upper: float
    effort: float
    armature: float
    damping: float
    friction: float
    stiffness: float
    rest: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A body of the robot.

    Attributes:
        parent: index of the parent link, -1 for the world.
        pose: of the link's frame in the parent's, at zero joint position.
        joint: how it moves against its parent; None when it is fixed.
        mass: [kg]; `com`: centre of mass in the link's frame [m].
        inertia: about the centre of mass, in the link's axes (3, 3) [kg m^2].
        shapes: primitive shapes that can touch, in the link's frame; meshes are left out and counted in `meshes`.
    """

    name: str
    parent: int
    pose: Pose
    joint: Joint | None
    mass: float
    com: tuple[float, float, float]
    inertia: tuple[tuple[float, float, float], ...]
    shapes: tuple[Shape, ...] = ()
    meshes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotModel:
    """Links in an order in which parents come first; joints in the same order.

    `impossible` names the links whose inertia, as the description states it, no real body can have, in sentences.
    """

    links: tuple[Link, ...]
    impossible: tuple[str, ...] = ()

    @property
    def joints(self) -> tuple[Joint, ...]:
        """All joints, in the order of every joint array."""
        return tuple(link.joint for link in self.links if link.joint is not None)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of all joints."""
        return tuple(joint.name for joint in self.joints)

    def link(self, name: str) -> Link:
        """The link of that name.

        Raises:
            UsageError: there is none.
        """
        for link in self.links:
            if link.name == name:
                return link
        names = ", ".join(link.name for link in self.links)
        raise UsageError(f"the robot has no link {name!r}; its links: {names}")


def model_of(robot: Robot) -> RobotModel:
    """The source model of a robot.

    Raises:
        UsageError: the description is not readable, has no joints, names a missing mesh, or has impossible masses; the
            sentence names the file and the element.
    """
    model = _compiled(robot.description, _stamp(robot.description))
    _check_start(robot, model)
    return model


def one_robot(scene: Scene) -> tuple[Robot, RobotModel] | None:
    """The scene's robot with its source model, None without one.

    Raises:
        Unsupported: there are several.
    """
    if len(scene.robots) > 1:
        raise Unsupported("a scene can hold one robot; describe several arms in one file")
    return (scene.robots[0], model_of(scene.robots[0])) if scene.robots else None


def _stamp(description: str) -> tuple[int, ...]:
    """Changes with every file that the description is read from."""
    return tuple(Path(path).stat().st_mtime_ns for path in files_of(description))


def _check_start(robot: Robot, model: RobotModel) -> None:
    """Refuse a q0 that engines would understand differently."""
    if not robot.q0:
        return
    joints = model.joints
    if len(robot.q0) != len(joints) or not all(map(math.isfinite, robot.q0)):
        raise UsageError(f"q0 is {robot.q0}; give {len(joints)} finite numbers, one for each joint, or none for zeros")
    for joint, q in zip(joints, robot.q0, strict=True):
        if not joint.lower - 1e-9 <= q <= joint.upper + 1e-9:
            raise UsageError(
                f"q0 puts joint {joint.name!r} at {q:g}, outside of its range {joint.lower:g} to {joint.upper:g}"
            )


@lru_cache(maxsize=32)
def _compiled(description: str, stamp: tuple[int, ...]) -> RobotModel:
    import mujoco

    name = name_of(description)
    kind = format_of(description)
    check_numbers(description)
    unreal: tuple[Impossible, ...] = ()
    try:
        spec = mujoco.MjSpec.from_string(description) if is_text(description) else mujoco.MjSpec.from_file(description)
        spec.compiler.fusestatic = False
        if kind == "urdf":
            spec.compiler.discardvisual = True
        unreal = impossible(spec)
        model = spec.compile()
    except ValueError as error:
        said = " ".join(str(error).split())
        if unreal and "inertia" in said:  # MuJoCo's own words say less, and name one link of several
            said = f"{'; '.join(one.text for one in unreal)}; correct <inertial>, or set balanceinertia in <compiler>"
        raise UsageError(f"{name} cannot be compiled: {said}") from error
    for field in (
        "body_pos",
        "body_mass",
        "body_inertia",
        "dof_damping",
        "dof_armature",
        "dof_frictionloss",
        "jnt_range",
    ):
        if not np.isfinite(getattr(model, field)).all():
            raise UsageError(f"{name} compiles to numbers that are not finite ({field}); look for nan in it")
    found = replace(_extract(name, model), impossible=as_compiled(unreal, model))
    if not found.joints:
        raise UsageError(f"{name} has no joints; a robot needs at least one hinge or slide joint")
    return found


def _extract(name: str, model: Any) -> RobotModel:
    import mujoco

    _refuse_what_is_outside_the_tree(name, model)
    kinds = {mujoco.mjtJoint.mjJNT_HINGE: "hinge", mujoco.mjtJoint.mjJNT_SLIDE: "slide"}
    links = []
    for i in range(1, model.nbody):
        body = model.body(i)
        if not body.name:
            raise UsageError(f"{name}: a body has no name; engines can only be compared on links and joints with names")
        count = int(body.jntnum[0])
        if count > 1:
            raise UsageError(f"{name}: body {body.name!r} has {count} joints; give each joint a body of its own")
        joint = None
        if count:
            j = int(body.jntadr[0])
            kind = kinds.get(mujoco.mjtJoint(model.jnt_type[j]))
            if kind is None:
                raise UsageError(
                    f"{name}: joint {model.joint(j).name!r} is no hinge and no slide; robots have those only"
                )
            if model.qpos0[int(model.jnt_qposadr[j])] != 0:
                raise UsageError(f"{name}: joint {model.joint(j).name!r} has a ref other than 0; engines differ in it")
            if not model.joint(j).name:
                raise UsageError(f"{name}: the joint of body {body.name!r} has no name; give every joint one")
            joint = _joint(model, j, kind)
        turn = rotation(unit(body.iquat))
        links.append(
            Link(
                name=body.name or f"body{i}",
                parent=int(body.parentid[0]) - 1,
                pose=Pose(tuple(map(float, body.pos)), unit(body.quat)),  # type: ignore[arg-type]
                joint=joint,
                mass=float(body.mass[0]),
                com=_com(body),
                inertia=tuple(tuple(map(float, row)) for row in turn @ np.diag(body.inertia) @ turn.T),  # type: ignore[misc]
                shapes=shapes_of(model, body),
                meshes=meshes_of(model, body),
            )
        )
    return RobotModel(links=tuple(links))


def _refuse_what_is_outside_the_tree(name: str, model: Any) -> None:
    """Engines carry these over differently or not at all, so that a comparison would not be of the same robot."""
    found = {
        "equality constraints": model.neq,
        "tendons": model.ntendon,
        "explicit contact pairs": model.npair,
        "gravity compensation (gravcomp)": int(np.count_nonzero(model.body_gravcomp)),
    }
    for what, count in found.items():
        if count:
            raise UsageError(
                f"{name} has {what}, which not every engine carries over; take them out to compare the robot"
            )


def _joint(model: Any, j: int, kind: Any) -> Joint:
    joint, dof = model.joint(j), int(model.jnt_dofadr[j])
    limited = bool(model.jnt_limited[j])
    effort = math.inf
    if model.jnt_actfrclimited[j]:
        least, effort = (float(limit) for limit in model.jnt_actfrcrange[j])
        if least != -effort:
            raise UsageError(
                f"joint {joint.name!r} has the torque range {least:g} to {effort:g}; give one that is symmetric"
            )
    for a in range(model.nu):  # a motor's own force range limits as well
        if int(model.actuator_trnid[a, 0]) == j and model.actuator_forcelimited[a]:
            effort = min(effort, float(model.actuator_forcerange[a, 1]))
        gear = float(model.actuator_gear[a, 0])
        if int(model.actuator_trnid[a, 0]) == j and model.actuator_ctrllimited[a] and model.actuator_biastype[a] == 0:
            effort = min(effort, abs(gear) * float(model.actuator_ctrlrange[a, 1]))
    return Joint(
        name=joint.name or f"joint{j}",
        kind=kind,
        axis=tuple(map(float, joint.axis)),  # type: ignore[arg-type]
        anchor=tuple(map(float, joint.pos)),  # type: ignore[arg-type]
        lower=float(joint.range[0]) if limited else -math.inf,
        upper=float(joint.range[1]) if limited else math.inf,
        effort=effort,
        armature=float(model.dof_armature[dof]),
        damping=float(model.dof_damping[dof]),
        friction=float(model.dof_frictionloss[dof]),
        stiffness=float(joint.stiffness[0]),
        rest=float(model.qpos_spring[int(model.jnt_qposadr[j])]),
    )


def _com(body: Any) -> tuple[float, float, float]:
    """Centre of mass in the link's frame [m]; the frame's origin where there is no mass to have one."""
    x, y, z = (float(c) for c in body.ipos)
    return (x, y, z) if body.mass[0] > 0 else (0.0, 0.0, 0.0)
