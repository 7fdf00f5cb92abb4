"""Robots in Drake: the description through Drake's own importer, and what is completed or checked afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from pydrake.multibody.parsing import Parser
from pydrake.multibody.tree import PrismaticJoint, PrismaticSpring, RevoluteJoint, RevoluteSpring

from ...harness.description import format_of, name_of
from ...harness.engine import Value
from ...harness.errors import SimparityError, Unsupported
from ...harness.robot_model import Joint, RobotModel, one_robot
from ...harness.scene import Array, Robot, Scene
from . import mapping
from .description import importable, root_link
from .drives import Gains, Targets, set_gains
from .shapes import transform


@dataclass(frozen=True, slots=True)
class Mechanism:
    """A robot in Drake.

    Attributes:
        robot: as the scene has it; `source`: what its description says.
        links: per link of the source, Drake's rigid body.
        joints: per joint of the source, Drake's joint.
        actuators: joint name -> Drake's actuator, where the importer or we made one.
        springs: joint name -> the force element that is its spring.
        instance: Drake's model instance, to which the robot's ports belong.
    """

    robot: Robot
    source: RobotModel
    links: tuple[Any, ...]
    joints: tuple[Any, ...]
    actuators: Mapping[str, Any]
    springs: Mapping[str, Any]
    instance: Any

    @property
    def q(self) -> Array:
        """Places of the joints in the plant's positions."""
        return np.array([joint.position_start() for joint in self.joints], dtype=int)

    @property
    def v(self) -> Array:
        """Places of the joints in the plant's velocities."""
        return np.array([joint.velocity_start() for joint in self.joints], dtype=int)

    def targets(self, plant: Any, state: Any) -> Targets:
        """What sets the targets of its position drives in the plant's context `state`."""
        return Targets(plant, state, self.instance, self.source.joint_names)


def add_robot(plant: Any, scene: Scene, options: Mapping[str, Value], gains: Gains | None) -> Mechanism | None:
    """Import the scene's robot, if any, into `plant`, before it is finalized; `gains` are those of position drives.

    Raises:
        Unsupported: two robots, dry friction asked for, something that Drake's importer leaves out, or drives in tamsi.
    """
    found = one_robot(scene)
    if found is None:
        return None
    robot, source = found
    mapping.check_joint_friction(robot.name, {joint.name: joint.friction for joint in source.joints}, options)
    kind = format_of(robot.description)
    parser = Parser(plant)
    parser.SetAutoRenaming(True)
    text = importable(robot, source)
    try:
        (model,) = parser.AddModelsFromString(text, "urdf" if kind == "urdf" else "xml")
    except RuntimeError as error:
        said = " ".join(str(error).split())
        raise Unsupported(f"Drake cannot import {name_of(robot.description)}: {said}") from error
    links, joints = _found(plant, model, robot, source)
    if kind == "urdf":
        root = plant.GetBodyByName(root_link(text), model)
        plant.WeldFrames(plant.world_frame(), root.body_frame(), transform(robot.pose))
    actuators = _without_controllers(plant, model, [joint.name for joint in source.joints])
    springs: dict[str, Any] = {}
    if options.get("complete_joints") is True:
        _complete(plant, source.joints, joints, actuators, springs)
    if gains is not None:
        mapping.check_drives(options)
        for joint, native in zip(source.joints, joints, strict=True):
            if joint.name not in actuators:
                actuators[joint.name] = _actuator(plant, f"{joint.name}/drive", native, np.inf, 0.0, 1.0)
        set_gains(actuators, source.joints, gains)
    return Mechanism(robot, source, links, joints, actuators, springs, model)


def finish_robot(plant: Any, state: Any, robot: Mechanism) -> None:
    """Put the robot at q0, at rest."""
    if robot.robot.q0:
        q = plant.GetPositions(state)
        q[robot.q] = robot.robot.q0
        plant.SetPositions(state, q)


def _found(plant: Any, model: Any, robot: Robot, source: RobotModel) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Drake's bodies and joints in the source's order."""
    for kind, names, exists in (
        ("link", [link.name for link in source.links], plant.HasBodyNamed),
        ("joint", source.joint_names, plant.HasJointNamed),
    ):
        for name in names:
            if not exists(name, model):
                raise Unsupported(
                    f"Drake's importer leaves out {kind} {name!r} of {name_of(robot.description)}: it skips elements "
                    "that it does not know, such as <frame> and <replicate>; write the file without them"
                )
    links = tuple(plant.GetBodyByName(link.name, model) for link in source.links)
    joints = tuple(plant.GetJointByName(name, model) for name in source.joint_names)
    for joint, native in zip(source.joints, joints, strict=True):
        wanted = RevoluteJoint if joint.kind == "hinge" else PrismaticJoint
        if not isinstance(native, wanted):
            raise SimparityError(
                f"joint {joint.name!r} became a {native.type_name()} joint; the adapter must be revised"
            )
    return links, joints


def _without_controllers(plant: Any, model: Any, names: list[str]) -> dict[str, Any]:
    """Actuators by joint; one with gains would hold its joint, so a bare one with the same rotor takes its place."""
    kept: dict[str, Any] = {}
    for index in plant.GetJointActuatorIndices(model):
        actuator = plant.get_joint_actuator(index)
        joint = actuator.joint()
        if joint.name() not in names or joint.name() in kept:
            plant.RemoveJointActuator(actuator)
        elif actuator.has_controller():
            rotor, gear, name = actuator.default_rotor_inertia(), actuator.default_gear_ratio(), actuator.name()
            limit = actuator.effort_limit()
            plant.RemoveJointActuator(actuator)
            kept[joint.name()] = _actuator(plant, name, joint, limit, rotor, gear)
        else:
            kept[joint.name()] = actuator
    return kept


def _actuator(plant: Any, name: str, joint: Any, limit: float, rotor: float, gear: float) -> Any:
    made = plant.AddJointActuator(name, joint, limit)
    made.set_default_rotor_inertia(rotor)
    made.set_default_gear_ratio(gear)
    return made


def _complete(
    plant: Any, joints: tuple[Joint, ...], natives: tuple[Any, ...], actuators: dict[str, Any], springs: dict[str, Any]
) -> None:
    """Give joints the description's armature, as the rotor of an actuator that nobody drives, and its spring."""
    for joint, native in zip(joints, natives, strict=True):
        if joint.name in actuators:
            rotor = actuators[joint.name]
            rotor.set_default_gear_ratio(1.0)
            rotor.set_default_rotor_inertia(joint.armature)
        elif joint.armature:
            actuators[joint.name] = _actuator(plant, f"{joint.name}/rotor", native, np.inf, joint.armature, 1.0)
        if joint.stiffness:
            kind = RevoluteSpring if joint.kind == "hinge" else PrismaticSpring
            springs[joint.name] = plant.AddForceElement(kind(native, joint.rest, joint.stiffness))
