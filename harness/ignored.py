"""What a description asks of a robot's joints and the engine does not simulate, in sentences for the run's record."""

from __future__ import annotations

from collections import defaultdict

from .engine import Resolution, Resolved

OF_MOTION = ("friction", "damping", "armature", "stiffness")  # of a joint: without them it moves in another way
MOST_JOINTS = 3  # named in a sentence


def ignored(resolution: Resolution) -> tuple[str, ...]:
    """A sentence for each quantity that joints were asked to have and have not, with the engine's reason.

    That settings leave it out is no such case: then nothing was asked for.
    """
    found: dict[tuple[str, str], list[tuple[str, Resolved]]] = defaultdict(list)
    for name, row in resolution.table.items():
        head, _, quantity = name.rpartition(".")
        asked = head.startswith("joint.") and quantity in OF_MOTION and row.authored
        if asked and not row.value and row.origin != "unreadable":
            found[quantity, row.native].append((head.removeprefix("joint."), row))
    return tuple(_sentence(quantity, why, rows) for (quantity, why), rows in found.items())


def _sentence(quantity: str, why: str, rows: list[tuple[str, Resolved]]) -> str:
    joints = [joint for joint, _ in rows]
    more = f" and {len(joints) - MOST_JOINTS} more" if len(joints) > MOST_JOINTS else ""
    asked = list(dict.fromkeys(f"{row.authored:g} {row.unit}" for _, row in rows))
    amount = asked[0] if len(asked) == 1 else f"up to {max(asked, key=lambda text: float(text.partition(' ')[0]))}"
    where = f"joint{'s' if len(joints) > 1 else ''} {', '.join(joints[:MOST_JOINTS])}{more}"
    return f"the {quantity} of {amount} that the description gives {where} is not simulated: {why}"
