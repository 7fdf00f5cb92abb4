"""The contact points of the step that ended, from MuJoCo Warp's arrays and Newton's observable CONTACT_F."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...harness.contacts import ContactRows, contact_parties
from ...harness.scene import Scene
from .robots import RobotAccess


class ContactReader:
    """Turns the contacts of the last step into rows.

    They stay in the solver's arrays until the next step: detected at its start, with the forces that it was solved for.
    """

    def __init__(self, solver: Any, contacts: Any, observables: Any, parties: Any) -> None:
        contact, self.parties = solver.mjw_data.contact, parties
        self.arrays = (
            contacts.rigid_contact_count,
            contacts.rigid_contact_shape0,
            contacts.rigid_contact_shape1,
            contacts.rigid_contact_normal,
            observables.contact_f,
            contact.efc_address,
            contact.pos,
            contact.dist,
        )
        # on a CPU these are views that follow the solver; from a GPU they are copied at every look
        self.views = None if solver.model.device.is_cuda else tuple(array.numpy() for array in self.arrays)

    def rows(self) -> ContactRows:
        """The contacts that have a constraint row; a slot without an address was detected only."""
        views = self.views if self.views is not None else tuple(array.numpy() for array in self.arrays)
        count, shape0, shape1, normals, forces, address, points, gaps = views
        n = min(int(count[0]), len(shape0))
        found = np.flatnonzero((address[:n, 0] >= 0) & (shape0[:n] >= 0) & (shape1[:n] >= 0))
        if not len(found):
            return ContactRows.none()
        normal = normals[found].astype(float)  # from the first shape to the second
        force = -forces[found, :3].astype(float)  # CONTACT_F acts on the first
        along = np.vecdot(force, normal)
        return ContactRows.of(
            self.parties[shape0[found]],
            self.parties[shape1[found]],
            points[found],
            normal,
            gaps[found],
            along,
            force - along[:, None] * normal,
        )


def party_of_shapes(model: Any, scene: Scene, shapes: Mapping[tuple[str, int], int], robot: RobotAccess | None) -> Any:
    """Index in `contact_parties` of the owner of every Newton shape (n_shapes,); -1 where it has none."""
    parties = {name: index for index, name in enumerate(contact_parties(scene))}
    found = np.full(model.shape_count, -1)
    for (body, _), shape in shapes.items():
        found[shape] = parties[body]
    if robot is not None:
        links = {int(body): len(scene.bodies) + link for link, body in enumerate(robot.bodies)}
        owners = model.shape_body.numpy()
        for shape in robot.shapes:
            found[shape] = links[int(owners[shape])]
    return found
