"""Newton's importers for the import wall: into a builder as a user would, then the model that `SolverMuJoCo` made."""

from __future__ import annotations

from typing import Any

import newton
import warp as wp
from newton.solvers import SolverMuJoCo

from ...harness.engine import Value
from ...harness.errors import Unsupported
from ...harness.wall.mjmodel import MjModelReader
from ...harness.wall.row import Imported


class _Newton(MjModelReader):
    """The solver's `mj_model`, except the options that MuJoCo Warp changes on the way to `mjw_model`."""

    def __init__(self, solver: Any) -> None:
        super().__init__(solver.mj_model)
        self.solver = solver

    def read(self, quantity: str) -> Value:
        if quantity == "option.timestep":
            raise Unsupported("whoever calls step gives dt; a model has none")
        if quantity == "option.gravity":
            gravity = self.solver.mjw_model.opt.gravity.numpy()[0]
            return tuple(float(x) for x in gravity)
        return super().read(quantity)


def load(text: str, kind: str) -> Imported:
    """See `Load`."""
    wp.config.log_level = wp.LOG_WARNING
    builder = newton.ModelBuilder()
    SolverMuJoCo.register_custom_attributes(builder)  # the importer then keeps what only MuJoCo knows
    if kind == "urdf":
        builder.add_urdf(text)
    else:
        builder.add_mjcf(text)
    return _Newton(SolverMuJoCo(builder.finalize(device="cpu")))
