"""MuJoCo's contact list of one step, while it still holds the forces that were solved for."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from ...harness.contacts import ContactRows, contact_parties
from ...harness.scene import Scene


class ContactReader:
    """Turns `mjData.contact` into rows; to be called between `mj_step2` and the next collision detection."""

    def __init__(self, model: Any, scene: Scene) -> None:
        self.model = model
        self.party = np.full(model.nbody, -1)
        for index, name in enumerate(contact_parties(scene)):
            self.party[model.body(name.split("/")[-1]).id] = index
        self.force = np.zeros(6)

    def rows(self, data: Any) -> ContactRows:
        """The contacts that are constraints of the step that was just solved."""
        contact = data.contact
        found = np.flatnonzero(contact.efc_address >= 0)
        if not len(found):
            return ContactRows.none()
        forces = np.empty((len(found), 3))
        for row, c in enumerate(found):
            mujoco.mj_contactForce(self.model, data, c, self.force)
            forces[row] = self.force[:3]
        frame = contact.frame[found].reshape(-1, 3, 3)  # rows: normal from the first geom to the second, two tangents
        first, second = (self.party[self.model.geom_bodyid[contact.geom[found, k]]] for k in (0, 1))
        return ContactRows.of(
            first,
            second,
            contact.pos[found],
            frame[:, 0],
            contact.dist[found],
            forces[:, 0],
            np.einsum("ck,ckx->cx", forces[:, 1:], frame[:, 1:]),
        )
