"""What a step leaves to be read: contact forces and overflow bits, by the interface of the Newton that is installed."""

from __future__ import annotations

from typing import Any

import mujoco_warp
import newton


def _overflow_type() -> Any:
    """MuJoCo Warp's names of the overflow bits; up to 3.11 they were not public."""
    if hasattr(mujoco_warp, "OverflowType"):
        return mujoco_warp.OverflowType
    from mujoco_warp._src.types import OverflowType

    return OverflowType


BITS = _overflow_type()
_WITHOUT_LOSS = ("ITERATIONS", "LS_ITERATIONS", "CONTACT_MATCH", "TACTILE")
# What MuJoCo Warp reports as "overflow" and loses contacts or rows by: not the iteration limits, nor the sensors.
HARMFUL = sum(int(bit) for bit in BITS if bit.name not in _WITHOUT_LOSS)


class Observed:
    """The arrays that every step fills.

    Newton 1.8 hands them to the solver as observables; 1.5.2, which has none, exports the forces after the step.

    Attributes:
        contacts: Newton's contact arrays; None where no force is wanted.
        contact_f: wrench on the first shape of every contact over the step that ended, in W [N, N m].
        overflow: bits of `BITS`, one number a world.
    """

    def __init__(self, solver: Any, *, forces: bool) -> None:
        solver.mjw_model.opt.warn_overflow = 0  # no printed lines: the adapter raises instead
        self.solver = solver
        self.contacts: Any = None
        self._observables: Any = None
        self._by_observables = hasattr(solver, "observables")
        if forces:
            asked = {} if self._by_observables else {"requested_attributes": {"force"}}
            device = solver.model.device
            self.contacts = newton.Contacts(solver.get_max_contact_count(), 0, device=device, **asked)
        if not self._by_observables:
            self.contact_f = self.contacts.force if self.contacts is not None else None
            self.overflow: Any = solver.mjw_data.overflow
            return
        kinds = {solver.ObservableKind.OVERFLOW} | ({solver.ObservableKind.CONTACT_F} if forces else set())
        self._observables = solver.observables(kinds, **({"contacts": self.contacts} if forces else {}))
        self.contact_f = self._observables.contact_f if forces else None
        self.overflow = self._observables.overflow

    def step(self, state: Any, control: Any, dt: float) -> None:
        """One step in place; can be recorded."""
        if self._by_observables:
            self.solver.step(state, state, control, self.contacts, dt, observables=self._observables)
            return
        self.solver.step(state, state, control, None, dt)
        if self.contacts is not None:
            self.solver.update_contacts(self.contacts, state)
