"""A robot's kinematics and dynamics at a given state, computed in a context of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
from pydrake.multibody.tree import JacobianWrtVariable

from ...harness.engine import RobotDynamics
from ...harness.scene import Array
from .model import Model


def dynamics(model: Model, scratch: Any, q: Array, v: Array, flange: str) -> RobotDynamics:
    """All quantities of `RobotDynamics` at `q`, `v` (nv,), computed in the plant's context `scratch`."""
    robot, plant = model.robot, model.plant
    assert robot is not None
    positions, velocities = plant.GetPositions(scratch), np.zeros(plant.num_velocities())
    positions[robot.q], velocities[robot.v] = q, v
    plant.SetPositions(scratch, positions)
    plant.SetVelocities(scratch, velocities)
    world = plant.world_frame()
    frame = robot.links[robot.source.links.index(robot.source.link(flange))].body_frame()
    J = plant.CalcJacobianSpatialVelocity(scratch, JacobianWrtVariable.kV, frame, np.zeros(3), world, world)
    bias = plant.CalcBiasTerm(scratch) - plant.CalcGravityGeneralizedForces(scratch)
    poses = [plant.EvalBodyPoseInWorld(scratch, link) for link in robot.links]
    return RobotDynamics(
        X_WL=np.array([[*X.translation(), *X.rotation().ToQuaternion().wxyz()] for X in poses]),
        jacobian=np.vstack([J[3:], J[:3]])[:, robot.v],  # Drake has the angular part first
        mass_matrix=plant.CalcMassMatrix(scratch)[np.ix_(robot.v, robot.v)],
        bias=bias[robot.v],
    )
