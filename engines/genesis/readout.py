"""The state of a built scene as numpy arrays that follow it without a copy (CPU), or after one transfer (GPU)."""

from __future__ import annotations

from typing import Any

import genesis as gs
import numpy as np
import torch

from ...harness.channels import COLUMNS, Sample
from . import process
from .robots import RobotPlaces

_POSE = slice(COLUMNS["p_WB"].start, COLUMNS["q_WB"].stop)
_CONTACT = slice(COLUMNS["contact_count"].start, COLUMNS["asleep"].stop)


class Readout:
    """Fills samples from the fields of a `RigidSolver`.

    Poses and velocities are those after the last step; contacts are detected and resolved at the start of a step and
    keep its forces until the next one, so both belong to one sample. A contact's force acts on link b, its opposite on
    link a; pruned contacts stay in the buffer and `contact_sort_idx` names the ones that were resolved.
    """

    def __init__(self, solver: Any, moving: np.ndarray, robot: RobotPlaces | None) -> None:
        dofs, links, collider = solver.dyn_state.dofs, solver.dyn_state.links, solver.collider.collider_state
        contact = collider.contact_data
        fields = {
            "qpos": solver.rigid_info.qpos,
            "dofs_velocity": dofs.vel,
            "angular_velocity": links.cd_ang,
            "contact_force": links.contact_force,
            "contact_counts": collider.n_contacts,
            "order": collider.contact_sort_idx,
            "link_a": contact.link_a,
            "link_b": contact.link_b,
            "normal": contact.normal,
            "force": contact.force,
            "error": solver._errno,
        }
        tensors = {name: process.view(field) for name, field in fields.items()}
        self._transfer: _Transfer | None = None
        if gs.backend == gs.cpu:
            arrays = {name: tensor.numpy() for name, tensor in tensors.items()}
        else:
            self._transfer = _Transfer(tensors)
            arrays = self._transfer.arrays
        n = len(moving)
        self.moving = moving
        self.touched = np.zeros((solver.n_links, n))  # 1 where a link is that body's
        self.touched[moving, np.arange(n)] = 1.0
        # the single world is index 0 of the batch dimension
        self.poses = arrays["qpos"][0, : 7 * n].reshape(n, 7)
        self.linear = arrays["dofs_velocity"][0, : 6 * n].reshape(n, 6)[:, :3]
        self.angular, self.net = arrays["angular_velocity"][0], arrays["contact_force"][0]
        self.count, self.order = arrays["contact_counts"], arrays["order"][0]
        self.link_a, self.link_b = arrays["link_a"][0], arrays["link_b"][0]
        self.normal, self.force = arrays["normal"][0], arrays["force"][0]
        self.error = arrays["error"]
        self.robot = robot
        self.qpos, self.velocity = arrays["qpos"][0], arrays["dofs_velocity"][0]

    def fetch(self) -> None:
        """Bring the arrays up to date with the device; nothing to do on the CPU."""
        if self._transfer is not None:
            self._transfer.run()

    def sample(self, into: Sample) -> None:
        """Fill every channel; on a GPU `fetch` comes first."""
        if self.robot is not None:
            into.q[:] = self.qpos[self.robot.q]
            into.v[:] = self.velocity[self.robot.v]
        if not len(self.moving):
            return
        into.data[:, _POSE] = self.poses
        into.v_WB[:] = self.linear
        into.w_WB[:] = self.angular.take(self.moving, 0)
        n = int(self.count[0])
        if not n:
            into.data[:, _CONTACT] = 0.0
            return
        rows = self.order[:n].astype(np.intp)
        normal, force = self.normal.take(rows, 0), self.force.take(rows, 0)
        on_a = self.touched.take(self.link_a[rows].astype(np.intp), 0)
        on_b = self.touched.take(self.link_b[rows].astype(np.intp), 0)
        into.contact_count[:, 0] = (on_a + on_b).sum(0)
        into.f_B_W[:] = self.net.take(self.moving, 0)
        along = normal * np.vecdot(normal, force)[:, None]
        np.matmul((on_b - on_a).T, along, out=into.f_normal_B_W)


class _Transfer:
    """Gathers device tensors into one host buffer, so that a sample costs one synchronisation."""

    def __init__(self, tensors: dict[str, Any]) -> None:
        self._tensors = list(tensors.values())
        sizes = [tensor.numel() for tensor in self._tensors]
        self._device = torch.empty(sum(sizes), dtype=torch.float64, device=gs.device)
        self._host = torch.empty(sum(sizes), dtype=torch.float64, pin_memory=True)
        self.arrays, start = {}, 0
        for (name, tensor), size in zip(tensors.items(), sizes, strict=True):
            self.arrays[name] = self._host[start : start + size].numpy().reshape(tuple(tensor.shape))
            start += size

    def run(self) -> None:
        torch.cat([tensor.reshape(-1).to(torch.float64) for tensor in self._tensors], out=self._device)
        self._host.copy_(self._device)
