"""A whole sample in one array, gathered by one kernel that can be part of the recorded step."""

from __future__ import annotations

from typing import Any

import warp as wp

from ...harness.channels import WIDTH
from ...harness.errors import SimparityError
from .kernel import gather
from .observed import BITS, HARMFUL


def check_overflow(bits: int, solver: Any) -> None:
    """Raise SimparityError where `bits`, out of HARMFUL, is not 0."""
    if bits:
        raise SimparityError(
            f"Newton dropped contacts or constraint rows ({BITS(bits)!r}); "
            f"raise option.nconmax, now {solver.mjw_data.naconmax // solver.mjw_data.nworld}, or "
            f"option.njmax, now {solver.mjw_data.njmax}"
        )


class Readout:
    """The sample of the present instant in `out` (bodies + 1, WIDTH); `out[-1, 0]` holds the overflow bits.

    Velocities and poses come from the Newton state, forces from the observable CONTACT_F, which is the wrench on the
    first shape of each contact over the step that ended; all of it is up to date once `launch` has run.
    """

    def __init__(self, bodies: int, model: Any, solver: Any, state: Any, contacts: Any, observables: Any) -> None:
        self.bodies, self.device = bodies, model.device  # the links of a robot come after the scene's bodies
        self.out = wp.zeros((self.bodies + 1, WIDTH), dtype=wp.float32, device=self.device)
        self.inputs = [
            state.body_q,
            state.body_qd,
            model.body_com,
            model.shape_body,
            contacts.rigid_contact_count,
            contacts.rigid_contact_shape0,
            contacts.rigid_contact_shape1,
            contacts.rigid_contact_normal,
            observables.contact_f,
            solver.mjw_data.contact.efc_address,
            observables.overflow,
            HARMFUL,
        ]

    def launch(self) -> None:
        """Gather; can be recorded."""
        wp.launch(gather, dim=self.bodies + 1, inputs=self.inputs, outputs=[self.out], device=self.device)
