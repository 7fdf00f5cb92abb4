"""Robots in Genesis: the description read by Genesis's own importer, and its place in Genesis's flat arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import genesis as gs
import numpy as np
import torch

from ...harness.description import format_of
from ...harness.engine import Settings
from ...harness.errors import SimparityError, Unsupported
from ...harness.robot_model import RobotModel
from ...harness.scene import Array, Robot
from . import process
from .robot_contacts import let_touch, surface
from .world import HULLS


def add_robot(world: Any, robot: Robot, settings: Settings, material: Any = None) -> Any:
    """Add `robot` to `world` at its pose, its shapes of a Genesis `material`; returns its entity.

    Actuators need not be taken out: a joint whose torque is set does not use its actuator's gains.
    """
    keywords: dict[str, Any] = {"pos": robot.pose.p, "quat": robot.pose.q_wxyz, "collision": robot.contacts}
    # one of the two has to be kept; nothing of the visual shapes is computed while nobody looks
    keywords["visualization"] = not robot.contacts
    armature = settings.options.get("default_armature")
    if isinstance(armature, float):
        keywords["default_armature"] = armature
    if format_of(robot.description) == "mjcf":
        morph = gs.morphs.MJCF(file=robot.description, **keywords, **HULLS)
    else:
        merge = settings.options.get("merge_fixed_links")
        if isinstance(merge, bool):
            keywords["merge_fixed_links"] = merge
        morph = gs.morphs.URDF(file=robot.description, fixed=True, **keywords, **HULLS)
    entity = world.add_entity(morph, material=surface(robot) if material is None else material)
    let_touch(entity, robot, settings)
    return entity


def check_springs(source: RobotModel) -> None:
    """Refuse springs that are at rest elsewhere than at 0.

    Raises:
        Unsupported: Genesis's spring force is -k q; its importer drops springref.
    """
    for joint in source.joints:
        if joint.stiffness and joint.rest:
            raise Unsupported(
                f"joint {joint.name!r} has a spring at rest at {joint.rest:g}: Genesis drops springref and pulls to 0"
            )


def _places(indices: list[int]) -> Any:
    """A slice where the indices are consecutive, which makes reads views; an index array otherwise."""
    if indices == list(range(indices[0], indices[0] + len(indices))):
        return slice(indices[0], indices[0] + len(indices))
    return np.array(indices)


@dataclass(frozen=True, slots=True)
class RobotPlaces:
    """Where the joints and links of a robot lie in the flat arrays of a built world, in the source's order.

    Attributes:
        q: place of every joint in `qpos`; `v`: in the arrays of degrees of freedom.
        dofs: the latter as indices (n_joints,).
        links: Genesis's links; None where it merged the link into its parent.
    """

    source: RobotModel
    q: Any
    v: Any
    dofs: np.ndarray
    links: tuple[Any | None, ...]

    @property
    def merged(self) -> tuple[str, ...]:
        """Names of the links that Genesis merged into their parents."""
        return tuple(link.name for link, found in zip(self.source.links, self.links, strict=True) if found is None)


def robot_places(entity: Any, source: RobotModel) -> RobotPlaces:
    """Find joints and links of `source` by name in the built `entity`.

    Raises:
        SimparityError: a name that Genesis does not have.
    """
    joints = {joint.name: joint for joint in entity.joints}
    links = {link.name: link for link in entity.links}
    merging = bool(getattr(entity.main_morph, "merge_fixed_links", False))
    for kind, wanted, made in (
        ("joint", source.joint_names, joints),
        ("link", [link.name for link in source.links if link.joint or not merging], links),
    ):
        for name in wanted:
            if name not in made:
                raise SimparityError(
                    f"Genesis made no {kind} {name!r} of the robot; its {kind}s: {', '.join(made)}. "
                    f"Give every {kind} of the description a name of its own"
                )
    found = [joints[name] for name in source.joint_names]
    dofs = [int(joint.dof_start) for joint in found]
    return RobotPlaces(
        source=source,
        q=_places([int(joint.q_start) for joint in found]),
        v=_places(dofs),
        dofs=np.array(dofs),
        links=tuple(links.get(link.name) for link in source.links),
    )


class RobotDrive:
    """Initial state and torques of the robot in a built world, the same in all its copies."""

    def __init__(self, world: Any, places: RobotPlaces, robot: Robot, settings: Settings) -> None:
        solver = world.rigid_solver
        if settings.options.get("joint_friction") is False:
            solver.set_dofs_frictionloss(torch.zeros(len(places.dofs), dtype=gs.tc_float), places.dofs)
        q = np.zeros(solver.n_qs)
        q[places.q] = robot.q0 or 0.0
        everything = process.view(solver.rigid_info.qpos)[0]  # the copies are alike
        start = torch.as_tensor(q, dtype=gs.tc_float, device=gs.device)
        mine = torch.zeros(solver.n_qs, dtype=torch.bool, device=gs.device)
        mine[places.q] = True
        solver.set_qpos(torch.where(mine, start, everything))
        world.reset(world.get_state())  # from now on a reset comes back to this state
        self._solver, self._dofs, self._places = solver, places.dofs, places.v
        dofs = solver.dyn_state.dofs
        self._on_host = gs.backend == gs.cpu
        self._tau, self._q_ref, self._v_ref = (self._view(f) for f in (dofs.ctrl_force, dofs.ctrl_pos, dofs.ctrl_vel))
        self.start = np.array(robot.q0 or np.zeros(len(places.dofs)))
        self.gains: tuple[Array, Array] | None = None  # kp and kd of position drives

    def _view(self, field: Any) -> Any:
        tensor = process.view(field)
        return tensor.numpy() if self._on_host else tensor

    def upload(self, tau: Array) -> Any:
        """Torques where `hold` takes them from without a transfer of its own."""
        return tau if self._on_host else torch.as_tensor(tau, dtype=gs.tc_float, device=gs.device)

    def hold(self, tau: Any) -> None:
        """Hold uploaded joint torques [N m | N], in the source's order; a reset sets them to zero."""
        self._tau[:, self._places] = tau

    def engage(self, kp: Array, kd: Array) -> None:
        """Give every joint a position drive with these gains; `restart` switches them on."""
        self.gains = np.array(kp), np.array(kd)
        for write, gains in ((self._solver.set_dofs_kp, kp), (self._solver.set_dofs_kv, kd)):
            write(torch.as_tensor(gains, dtype=gs.tc_float, device=gs.device), self._dofs)

    def restart(self) -> None:
        """Put the joints under position control, which a reset ends, and aim at the initial state."""
        q, v = (torch.as_tensor(x, dtype=gs.tc_float, device=gs.device) for x in (self.start, 0 * self.start))
        self._solver.control_dofs_position_velocity(q, v, self._dofs)
        self._targets, self._forward = (self.start, 0 * self.start), 0 * self.start

    def forward(self, tau: Array) -> None:
        """Hold torques beside the drives'."""
        self._forward = np.array(tau)
        self.aim(*self._targets)

    def aim(self, q_ref: Array, v_ref: Array) -> None:
        """Hold targets. A joint of Genesis takes a force or a target, so tau enters as kp (q_ref + tau/kp - q)."""
        assert self.gains is not None, "the joints have no drives"
        self._targets = np.array(q_ref), np.array(v_ref)
        self._q_ref[:, self._places] = self.upload(q_ref + self._forward / self.gains[0])
        self._v_ref[:, self._places] = self.upload(v_ref)
