"""A robot as a PhysX articulation, built link by link from its source model: SAPIEN reads no MJCF.

A link without mass would silently get 1 kg, so it becomes part of the link that it is fixed to. `importer=urdf_loader`
takes SAPIEN's own URDF loader instead, see `urdf_import`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...harness.engine import Value
from ...harness.errors import SimparityError, Unsupported, UsageError
from ...harness.robot_model import Joint, Link, RobotModel, model_of
from ...harness.scene import Array, Robot, Scene
from . import mapping
from .drives import Drives
from .library import physx, sapien
from .robot_contacts import attach_shapes
from .shapes import to_pose
from .urdf_import import load_urdf

ROOT = "/root"  # ends the name of the link that we put under a robot


@dataclass(frozen=True, slots=True)
class Articulated:
    """A robot in PhysX.

    Attributes:
        robot: as the scene has it; `source`: what its description says.
        articulation: the `PhysxArticulation`; its root, fixed to the world at the robot's pose, is a link of ours, or
            the file's own where SAPIEN's URDF loader read it.
        links: per link of the source, the link of the articulation that it is (part of).
        in_link: per link of the source, its pose in that link.
        made: per link of the source, whether the articulation has a link of its own for it.
        shapes: its collision shapes, each with the index of the source's link that it belongs to.
        joints: per joint of the source, the `PhysxArticulationJoint`.
        order: per joint of the source, its place in SAPIEN's joint arrays; a slice where both have the same order.
        inverse: per joint of SAPIEN's arrays, its place in the source.
        drives: of its joints.
        iterations_option: the option that its position iterations follow.
    """

    robot: Robot
    source: RobotModel
    articulation: Any
    links: tuple[Any, ...]
    in_link: tuple[Any, ...]
    made: tuple[bool, ...]
    shapes: tuple[tuple[int, Any], ...]
    joints: tuple[Any, ...]
    order: Any
    inverse: Any
    drives: Drives
    iterations_option: str

    def native(self, values: Array) -> Any:
        """Joint values (n_joints,) in SAPIEN's order and precision."""
        return values[self.inverse].astype(np.float32)


def add_robot(world: Any, scene: Scene, options: Mapping[str, Value]) -> Articulated | None:
    """Build the scene's robot, if any, and add it to the `sapien.Scene` `world`, at q0 and at rest.

    Raises:
        Unsupported: two robots, a moving link without mass, dry friction asked for, or contacts of mesh shapes.
    """
    if len(scene.robots) > 1:
        raise Unsupported("a scene can hold one robot; describe several arms in one file")
    if not scene.robots:
        return None
    robot = scene.robots[0]
    source = model_of(robot)
    mapping.check_joint_friction(robot.name, {joint.name: joint.friction for joint in source.joints}, options)
    if options.get("importer") == "urdf_loader":
        articulation, links = load_urdf(world, robot, source)
        shapes: Any = ()
        in_link, made = [sapien.Pose()] * len(links), [True] * len(links)
        for link in articulation.links:
            if not link.is_root:
                _configure(link, options)
    else:
        articulation, links, in_link, made, shapes = _built(world, scene, source, options)
    iterations = mapping.iterations_option(not (robot.contacts or scene.moving), options)
    if iterations in options:
        articulation.set_solver_position_iterations(options[iterations])
    active = {joint.name: joint for joint in articulation.active_joints}
    for name in source.joint_names:
        if name not in active:
            raise SimparityError(f"joint {name!r} of robot {robot.name!r} is not in SAPIEN's articulation")
    order, inverse = _orders([list(active).index(name) for name in source.joint_names])
    articulated = Articulated(
        robot=robot,
        source=source,
        articulation=articulation,
        links=tuple(links),
        in_link=tuple(in_link),
        made=tuple(made),
        shapes=shapes,
        joints=tuple(active[name] for name in source.joint_names),
        order=order,
        inverse=inverse,
        drives=Drives(source.joints, tuple(active[name] for name in source.joint_names)),
        iterations_option=iterations,
    )
    if robot.q0:
        if len(robot.q0) != len(active):
            numbers = f"{len(active)} joints and {len(robot.q0)} numbers in q0"
            raise UsageError(f"robot {robot.name!r} has {numbers}; give one per joint")
        articulation.set_qpos(articulated.native(np.array(robot.q0)))
    return articulated


def _built(
    world: Any, scene: Scene, source: RobotModel, options: Mapping[str, Value]
) -> tuple[Any, list[Any], list[Any], list[bool], Any]:
    """The articulation from the source, added to `world`, with what `_links` says of its links, and its shapes."""
    robot = scene.robots[0]
    root = _link(None, f"{robot.name}{ROOT}")
    root.joint.type = "fixed"
    links, in_link, made = _links(robot, source, root, options)
    shapes = attach_shapes(robot, source, links, in_link, options) if robot.contacts else ()
    for link in (root, *(link for link, own in zip(links, made, strict=True) if own)):
        entity = sapien.Entity()
        entity.name = link.name
        entity.add_component(link)
        if link is root:
            entity.pose = to_pose(robot.pose)
        world.add_entity(entity)
    return root.articulation, links, in_link, made, shapes


def _links(
    robot: Robot, source: RobotModel, root: Any, options: Mapping[str, Value]
) -> tuple[list[Any], list[Any], list[bool]]:
    """Make the articulation's links; per link of the source: its link, its pose in that one, whether it is its own."""
    heavy = _heavy(source, robot.name)
    links: list[Any] = []
    in_link: list[Any] = []
    for i, link in enumerate(source.links):
        parent, in_parent = (links[link.parent], in_link[link.parent]) if link.parent >= 0 else (root, sapien.Pose())
        X_PL = in_parent * to_pose(link.pose)
        k = heavy[i]
        if k is None:
            own, X = parent, X_PL
        elif k in heavy[:i]:
            own, X = links[heavy.index(k)], sapien.Pose()
        else:
            X = _fixed_pose(source, i, k).inv()
            own = _link(parent, source.links[k].name)
            _join(own.joint, link.joint, X_PL, X)
            _give_mass(own, source.links[k], robot.name)
            _configure(own, options)
        links.append(own)
        in_link.append(X)
    return links, in_link, [heavy[i] == i for i in range(len(heavy))]


def _orders(places: list[int]) -> tuple[Any, Any]:
    """`places` and their inverse, as slices, which make views, where they are consecutive."""
    if places == list(range(len(places))):
        return slice(0, len(places)), slice(0, len(places))
    return np.array(places), np.argsort(places)


def _heavy(source: RobotModel, robot: str) -> list[int | None]:
    """Per link, the link whose mass stands for it: itself, or for a moving one without mass the first fixed to it.

    None: without mass and fixed, so part of its parent.
    """
    heavy: list[int | None] = [i if link.mass > 0 else None for i, link in enumerate(source.links)]
    for i, link in enumerate(source.links):
        if link.joint is None or link.mass > 0:
            continue
        fixed = {i}  # the links that are fixed to this one, itself included
        for k in range(i + 1, len(source.links)):
            if source.links[k].parent in fixed and source.links[k].joint is None:
                fixed.add(k)
                if heavy[k] is not None:
                    heavy[i] = k
                    break
        else:
            raise Unsupported(
                f"link {link.name!r} of robot {robot!r} moves and has no mass: PhysX would give it 1 kg; give it one"
            )
    return heavy


def _fixed_pose(source: RobotModel, i: int, k: int) -> Any:
    """Pose of link `k`, which is fixed to link `i`, in link `i`."""
    X = sapien.Pose()
    while k != i:
        X = to_pose(source.links[k].pose) * X
        k = source.links[k].parent
    return X


def _link(parent: Any, name: str) -> Any:
    link = physx.PhysxArticulationLinkComponent(parent)
    link.name = name
    return link


def _join(native: Any, joint: Joint | None, X_PL: Any, X_KL: Any) -> None:
    """Set a joint's type, frames and law. PhysX joints act along x; L is the source's link, K the articulation's."""
    if joint is None:
        native.type = "fixed"
        native.pose_in_parent, native.pose_in_child = X_PL, X_KL
        return
    X_LJ = sapien.Pose(p=joint.anchor, q=mapping.q_x_onto(joint.axis))
    native.name = joint.name
    native.type = "revolute_unwrapped" if joint.kind == "hinge" else "prismatic"
    native.pose_in_parent, native.pose_in_child = X_PL * X_LJ, X_KL * X_LJ
    native.limit = np.array([[joint.lower, joint.upper]], np.float32)
    native.armature = np.array([joint.armature], np.float32)
    if joint.damping or joint.stiffness:
        native.set_drive_properties(joint.stiffness, joint.damping)
        native.set_drive_target(joint.rest)


def _give_mass(native: Any, link: Link, robot: str) -> None:
    moments, axes = np.linalg.eigh(np.array(link.inertia))
    if moments[0] <= 1e-12 * moments[2]:
        raise Unsupported(
            f"link {link.name!r} of robot {robot!r} has a moment of inertia of 0, for which PhysX takes 1 kg m^2 "
            "about every axis; give it three positive ones"
        )
    X = np.eye(4)
    X[:3, :3] = axes * np.linalg.det(axes)  # right-handed
    X[:3, 3] = link.com
    native.mass = link.mass
    native.cmass_local_pose = sapien.Pose(X)
    native.inertia = moments


def _configure(native: Any, options: Mapping[str, Value]) -> None:
    for target, names in ((native, mapping.ON_LINK), (native.joint, mapping.ON_JOINT)):
        for name, attribute in names.items():
            if name in options:
                setattr(target, attribute, options[name])
    if "max_depenetration_velocity" in options:
        native.max_depenetration_velocity = options["max_depenetration_velocity"]
