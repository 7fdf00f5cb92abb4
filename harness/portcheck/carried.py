"""What an importer's rounding of frames and axes carries on to poses, mass matrix and gravity torque."""

from __future__ import annotations

from ..imported import Key, Reading
from .compare import renamed
from .differ import direction, turn
from .effort import numbers
from .match import Match


def carried(ours: Reading, reading: Reading, match: Match) -> float:
    """By how much [rad] the last link can be turned by all that `Reading.rounded` let pass.

    An orientation that is off by an angle turns what hangs on it by that angle; an axis that is off by d, by at most
    2 d sin(theta / 2), hence 2 d. Angles beyond the rounding are findings and do not count.
    """
    total, table = 0.0, renamed(reading, match)
    for quantity, angle, names, times in (
        ("link.orientation", turn, match.links, 1.0),
        ("joint.axis", direction, match.joints, 2.0),
    ):
        limit = reading.rounded.get(quantity, 0.0)
        kind, _, what = quantity.partition(".")
        for name in names if limit else ():
            key = Key(kind, name, what)
            a, b = ours.table.get(key), table.get(key)
            if a is None or b is None or a.value is None or b.value is None:
                continue
            off = angle(numbers(a), numbers(b))
            total += times * off if off <= limit else 0.0
    return total
