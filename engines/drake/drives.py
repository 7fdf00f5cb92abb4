"""Drake's own position drives: a PD controller in every joint's actuator, implicit in the contact solver."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from pydrake.multibody.tree import PdControllerGains

from ...harness.robot_model import Joint
from ...harness.scene import Array

Gains = tuple[Array, Array]  # kp [N m/rad | N/m] and kd [N m s/rad | N s/m], (nv,) each


def set_gains(actuators: Mapping[str, Any], joints: tuple[Joint, ...], gains: Gains) -> None:
    """Give each joint's actuator its gains, before the plant is finalized; a force stays within the file's effort."""
    for joint, kp, kd in zip(joints, *gains, strict=True):
        actuator = actuators[joint.name]
        actuator.set_effort_limit(joint.effort)
        actuator.set_controller_gains(PdControllerGains(p=float(kp), d=float(kd)))


class Targets:
    """The desired state of a robot's actuators, written in place."""

    def __init__(self, plant: Any, state: Any, model: Any, joints: tuple[str, ...]) -> None:
        indices = plant.GetJointActuatorIndices(model)  # the order of the port: positions, then velocities
        driven = [plant.get_joint_actuator(index).joint().name() for index in indices]
        places = np.array([driven.index(name) for name in joints], dtype=int)
        self._q, self._v = places, len(driven) + places
        fixed = plant.get_desired_state_input_port(model).FixValue(state, np.zeros(2 * len(driven)))
        self._data = fixed.GetMutableData

    def hold(self, q_ref: Array, v_ref: Array) -> None:
        """Targets (nv,) from now on."""
        desired = self._data().get_mutable_value().get_mutable_value()
        desired[self._q], desired[self._v] = q_ref, v_ref
