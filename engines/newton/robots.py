"""Robots in Newton: the description read by Newton's own importer into the scene's builder, and where it is there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import newton
import numpy as np
import warp as wp

from ...harness.description import format_of, is_text, xml_text
from ...harness.engine import Settings
from ...harness.errors import Unsupported
from ...harness.robot_model import RobotModel, model_of
from ...harness.scene import Array, Pose, Robot, Scene
from .robot_contacts import let_touch

Gains = tuple[Array, Array]  # kp [N m/rad | N/m] and kd [N m s/rad | N s/m] of every joint
SINGLE = {int(newton.JointType.REVOLUTE), int(newton.JointType.PRISMATIC)}


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotAccess:
    """Where the links and joints of the source are in the Newton model, in the source's order.

    Attributes:
        bodies: Newton's body of every link.
        joints: Newton's joint of every joint.
        q, v: coordinates in `joint_q`, degrees of freedom in `joint_qd` and `joint_f`; slices where consecutive.
        shapes: Newton's index of every shape that can touch something.
    """

    source: RobotModel
    bodies: Any
    joints: Any
    q: Any
    v: Any
    shapes: tuple[int, ...]

    @property
    def link_names(self) -> tuple[str, ...]:
        """Names of all links, in the source's order."""
        return tuple(link.name for link in self.source.links)


def one_robot(scene: Scene) -> Robot | None:
    """The scene's robot, None without one."""
    if len(scene.robots) > 1:
        raise Unsupported("a scene can hold one robot; describe several arms in one file")
    return scene.robots[0] if scene.robots else None


def attach(
    builder: Any, robot: Robot, settings: Settings, attributes: Mapping[str, Any], gains: Gains | None = None
) -> RobotAccess:
    """Import the description into `builder` at the robot's pose, with q0 as its initial coordinates.

    `attributes` are what the settings say of every shape that can touch. Actuators are taken out, since torques come
    from outside; contacts and dry friction only stay where asked for. `gains` (kp, kd) give every joint a drive with a
    position and a velocity target.

    Raises:
        UsageError: the description is not usable at all.
        Unsupported: Newton's importer refuses it, or reads it so that a link or a joint of the source is not there.
    """
    source = model_of(robot)
    body, joint, shape = builder.body_count, builder.joint_count, builder.shape_count
    kind = format_of(robot.description)
    try:
        _import(builder, robot, kind)
    except (ValueError, TypeError, KeyError, OSError, RuntimeError) as error:
        raise Unsupported(f"Newton's {kind.upper()} importer refuses robot {robot.name!r}: {error}") from error
    touching = let_touch(builder, robot, range(shape, builder.shape_count), attributes, settings)
    access = _access(builder, source, body, joint, touching)
    _check_references(builder, source, access)
    for dof in np.arange(builder.joint_dof_count)[access.v]:
        builder.joint_target_mode[dof] = int(newton.JointTargetMode.NONE)
        if settings.options.get("joint_friction") is False:
            builder.joint_friction[dof] = 0.0
    for dof, kp, kd in zip(np.arange(builder.joint_dof_count)[access.v], *gains, strict=True) if gains else ():
        builder.joint_target_mode[dof] = int(newton.JointTargetMode.POSITION_VELOCITY)
        builder.joint_target_ke[dof], builder.joint_target_kd[dof] = float(kp), float(kd)
    for coordinate, value in zip(np.arange(len(builder.joint_q))[access.q], robot.q0, strict=False):
        builder.joint_q[coordinate] = value
    return access


def _import(builder: Any, robot: Robot, kind: str) -> None:
    xform = transform(robot.pose)
    if kind == "urdf":
        builder.add_urdf(robot.description, xform=xform, hide_visuals=True)
        return
    # the scene and the settings own the solver's options, not the robot's file
    builder.add_mjcf(
        without_actuators(xml_text(robot.description)),
        xform=xform,
        parse_visuals=False,
        parse_mujoco_options=False,
        path_resolver=_resolver(robot.description),
    )


def without_actuators(mjcf: str) -> str:
    """An MJCF text without its actuators."""
    root = ElementTree.fromstring(mjcf)
    for actuators in root.findall("actuator"):
        root.remove(actuators)
    return ElementTree.tostring(root, encoding="unicode")


def _resolver(description: str) -> Callable[[str | None, str], str]:
    """Finds the files that an MJCF names, relative to the main one as in MuJoCo; included ones lose actuators too."""
    folder = Path.cwd() if is_text(description) else Path(description).resolve().parent

    def resolve(base: str | None, name: str) -> str:
        path = folder / name
        return without_actuators(path.read_text()) if path.suffix == ".xml" else str(path)

    return resolve


def transform(pose: Pose) -> Any:
    """Newton's transform: position, then quaternion with the scalar last."""
    w, x, y, z = pose.q_wxyz
    return wp.transform(wp.vec3(*pose.p), wp.quat(x, y, z, w))


def _access(
    builder: Any, source: RobotModel, first_body: int, first_joint: int, shapes: tuple[int, ...]
) -> RobotAccess:
    links, joints = builder.body_label[first_body:], builder.joint_label[first_joint:]
    bodies = [first_body + _find("link", link.name, links) for link in source.links]
    indices = [first_joint + _find("joint", name, joints) for name in source.joint_names]
    for name, index in zip(source.joint_names, indices, strict=True):
        if int(builder.joint_type[index]) not in SINGLE:
            raise Unsupported(f"Newton made of joint {name!r} a {newton.JointType(builder.joint_type[index]).name}")
    known = {builder.joint_child[index] for index in indices}
    for index in range(first_joint, builder.joint_count):
        free = builder.joint_type[index] != newton.JointType.FIXED and builder.joint_child[index] not in known
        if free:
            raise Unsupported(f"Newton made a joint {builder.joint_label[index]!r} that the description does not have")
    return RobotAccess(
        source=source,
        bodies=np.array(bodies, dtype=int),
        joints=np.array(indices, dtype=int),
        q=as_slice([builder.joint_q_start[index] for index in indices]),
        v=as_slice([builder.joint_qd_start[index] for index in indices]),
        shapes=shapes,
    )


def _find(kind: str, name: str, labels: Sequence[str]) -> int:
    """Index of the label that ends in `name`: the importers put the path in front, and write "-" as "_"."""
    wanted = {name, name.replace("-", "_")}
    found = [i for i, label in enumerate(labels) if any(label == w or label.endswith(f"/{w}") for w in wanted)]
    if len(found) != 1:
        have = "none" if not found else " and ".join(labels[i] for i in found)
        raise Unsupported(
            f"{kind} {name!r} cannot be found in what Newton imported (candidates: {have}); "
            f"give every {kind} in the description a name of its own"
        )
    return found[0]


def _check_references(builder: Any, source: RobotModel, access: RobotAccess) -> None:
    """Refuse joints whose coordinate has an offset: Newton's is counted from `ref`, ours from zero."""
    attribute = builder.custom_attributes.get("mujoco:dof_ref")
    offsets = attribute.values if attribute is not None else {}
    for joint, dof in zip(source.joints, np.arange(builder.joint_dof_count)[access.v], strict=True):
        ref = offsets.get(int(dof), 0.0) if offsets else 0.0
        if ref:
            raise Unsupported(f"joint {joint.name!r} has ref {ref}: Newton counts its coordinate from there")


def as_slice(addresses: list[int]) -> Any:
    """A slice where the addresses are consecutive, which makes reads views; an index array otherwise."""
    start = addresses[0]
    if addresses == list(range(start, start + len(addresses))):
        return slice(start, start + len(addresses))
    return np.array(addresses)
