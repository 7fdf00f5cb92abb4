"""The contact points of the step that ended, from Genesis's collider."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...harness.contacts import ContactRows, contact_parties
from ...harness.scene import Scene
from . import process
from .model import Places
from .robots import RobotPlaces


class ContactReader:
    """Turns the collider's buffer into rows.

    A step detects contacts at its start and writes their forces; they stay until the next one. `contact_sort_idx` names
    those that were resolved. A point's normal is from b to a, its force acts on b.
    """

    def __init__(self, solver: Any, scene: Scene, places: Places, robot: RobotPlaces | None) -> None:
        state = solver.collider.collider_state
        data = state.contact_data
        fields = (
            state.n_contacts,
            state.contact_sort_idx,
            data.link_a,
            data.link_b,
            data.pos,
            data.normal,
            data.penetration,
            data.force,
        )
        self.tensors = [process.view(field) for field in fields]
        # on the CPU these are views that follow the solver; from a GPU they are copied at every look
        self.views = [tensor.numpy() for tensor in self.tensors] if process.device() == "cpu" else None
        self.party = np.full(solver.n_links, -1)
        for index, name in enumerate(contact_parties(scene)[: len(scene.bodies)]):
            self.party[places.links[name]] = index
        for index, link in enumerate(robot.links if robot is not None else (), start=len(scene.bodies)):
            if link is not None:
                self.party[int(link.idx)] = index

    def rows(self) -> ContactRows:
        """The contacts that were resolved."""
        views = self.views if self.views is not None else [tensor.cpu().numpy() for tensor in self.tensors]
        n = int(views[0][0])
        if not n:
            return ContactRows.none()
        found = views[1][0, :n].astype(np.intp)
        link_a, link_b, point, towards_a, overlap, force = (view[0, found] for view in views[2:])
        normal, force = -towards_a.astype(float), force.astype(float)
        along = np.vecdot(force, normal)
        first, second = self.party[link_a], self.party[link_b]
        return ContactRows.of(first, second, point, normal, -overlap, along, force - along[:, None] * normal)
