"""The reference with what an importer's own rounding made of the file, so that poses and dynamics can be exact."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from ..imported import Motion, Reading
from ..resolution import floats
from ..scene import Array
from .compare import renamed
from .differ import QUANTITIES, apart, rounding
from .effort import numbers
from .match import Match
from .reference import PinocchioReference
from .sizes import reach
from .source import Source
from .urdf_source import GRAVITY

CARRIED = ("link.orientation", "link.inertia", "joint.axis")  # what moves poses, mass matrix and gravity torque


def reference_of(source: Source, reading: Reading, match: Match) -> Callable[[Sequence[str], Array], Motion]:
    """Kinematics and dynamics that the engine has to have: the source's, but for what `Reading.rounded` lets pass.

    An angle that is off turns all that hangs on it. So the engine's own frames, axes and inertias stand in the
    reference where they are within that rounding; beyond it they are findings, and the source's stay. Pinocchio
    computes it then, whoever was asked for.
    """
    ours, table, precise = source.reading, renamed(reading, match), rounding(reading.precision)
    taken = {}
    for key, row in ours.table.items():
        quantity = f"{key.kind}.{key.quantity}"
        theirs = table.get(key)
        if quantity not in CARRIED or quantity not in reading.rounded or theirs is None or theirs.value is None:
            continue
        measure, found = QUANTITIES[quantity][1], numbers(theirs)
        if apart(measure, row.value, theirs.value, precise, reach(ours), reading.rounded[quantity]) is None:
            length = 1.0 if measure == "tensor" else float(np.linalg.norm(found))  # of an axis or a quaternion
            taken[key] = replace(row, value=floats(found / length))
    if not taken or source.prepared.format != "urdf":  # only URDFs are written out as text
        return source.refer
    return PinocchioReference(replace(ours, table={**ours.table, **taken}), GRAVITY).motion
