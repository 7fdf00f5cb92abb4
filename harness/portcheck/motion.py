"""Poses, mass matrix and gravity torque of the engine against the reference, at home and at 50 seeded random states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..imported import ImportedModel, Key, Motion, Reading
from ..scene import Array
from .carried import reference_of
from .differ import Apart, turn
from .finder import Finder, share
from .match import Match
from .sizes import reach
from .source import Source

STATES, SEED = 50, 20
FREE_RANGE = {"hinge": np.pi, "slide": 0.5}  # [rad], [m] on both sides of home where a joint has no limits


def states(reading: Reading, joints: tuple[str, ...]) -> Array:
    """Coordinates (51, k) of the named joints: home, then uniformly random within the limits."""
    random, n = np.random.default_rng(SEED), len(joints)
    lower, upper, home = np.zeros(n), np.zeros(n), np.zeros(n)
    for i, joint in enumerate(joints):
        home[i] = _value(reading, joint, "home")
        lower[i], upper[i] = (_value(reading, joint, side) for side in ("lower", "upper"))
        wide = FREE_RANGE[reading.kinds[joint]]
        lower[i] = lower[i] if np.isfinite(lower[i]) and abs(lower[i]) < 100 else home[i] - wide
        upper[i] = upper[i] if np.isfinite(upper[i]) and abs(upper[i]) < 100 else home[i] + wide
    return np.vstack([home, random.uniform(np.minimum(lower, upper), np.maximum(lower, upper), (STATES, n))])


def compare_motion(
    source: Source,
    model: ImportedModel,
    reading: Reading,
    match: Match,
    finder: Finder,
    rtol: float,
    summed: float,
) -> None:
    """Find what differs in motion; `source` as it was compared, with merged links merged.

    Args:
        rtol: relative rounding of a pose; `summed`: of what masses go into.
    """
    ours = source.reading
    joints = tuple(j for j in ours.scalar_joints if match.joints.get(j) in reading.scalar_joints)
    q = states(ours, joints)
    reference = reference_of(source, reading, match)(joints, q)
    found = model.motion([match.joints[j] for j in joints], q)
    _poses(source, reference, found, match, finder, rtol)
    masses: list[Any] = [r.value for k, r in ours.table.items() if k.kind == "link" and k.quantity == "mass"]
    mass = float(sum(masses))
    for item, attribute in (("RB-MATRIX", "mass_matrix"), ("RB-GRAVITY", "gravity_torque")):
        if not joints:
            finder.skipped[item] = "no hinge and no slide joint"
        elif source.prepared.unknown:
            finder.skipped[item] = source.prepared.massless
        elif getattr(found, attribute) is None:
            finder.skipped[item] = found.why or "the engine does not show it"
    if not joints or source.prepared.unknown:
        return
    if found.mass_matrix is not None and reference.mass_matrix is not None:
        rotors = _armature(reading, [match.joints[j] for j in joints], found), _armature(ours, list(joints), reference)
        theirs, wanted = found.mass_matrix - rotors[0], reference.mass_matrix - rotors[1]
        rounded = max(float(np.abs(armature).max()) for armature in rotors)  # of the sums that armature was in
        _matrix(joints, wanted, theirs, rounded, finder, summed)
    if found.gravity_torque is not None and reference.gravity_torque is not None:
        torques = reference.gravity_torque, found.gravity_torque
        _gravity(ours, joints, mass, *torques, finder, summed)


def _poses(source: Source, reference: Motion, found: Motion, match: Match, finder: Finder, rtol: float) -> None:
    """Find poses that are off."""
    ours = source.reading
    depth, size = len(ours.links), reach(ours)
    for link in ours.links:
        theirs = found.X_WL.get(match.links.get(link, ""))
        if theirs is None or np.isnan(theirs).all():
            continue
        finder.checked["RB-FK"] += 1
        wanted = reference.X_WL[link]
        distance = np.linalg.norm(wanted[:, :3] - theirs[:, :3], axis=1)
        angles = np.array([turn(a, b) for a, b in zip(wanted[:, 3:], theirs[:, 3:], strict=True)])
        for quantity, values, limit, unit in (
            ("position", distance, rtol * size, "m"),
            ("orientation", angles, rtol * min(depth, 16), "rad"),
        ):
            worst = int(np.nanargmax(np.where(np.isnan(values), np.inf, values)))
            if not values[worst] <= limit:
                where = "at home" if worst == 0 else f"at random state {worst} of {STATES}"
                message = f"{quantity} of link {link!r} is off by {values[worst]:.3g} {unit} {where}"
                scale = size if unit == "m" else 1.0
                difference = Apart(float(values[worst]), float(values[worst]) / scale)
                severity = "error" if difference.grave else "warning"
                finder.add("RB-FK", Key("link", link, quantity), severity, message, unit=unit, apart=difference)  # type: ignore[arg-type]


def _armature(reading: Reading, joints: list[str], motion: Motion) -> Array:
    """What armature adds to a mass matrix, as this side reads it back."""
    if not motion.armature:
        return np.zeros((len(joints), len(joints)))
    return np.diag([_value(reading, joint, "armature") for joint in joints])


def _matrix(
    joints: tuple[str, ...],
    wanted: Array,
    found: Array,
    rounded: float,
    finder: Finder,
    rtol: float,
) -> None:
    """Find entries that are off by more than rounding."""
    finder.checked["RB-MATRIX"] += len(wanted)
    scale = max(float(np.abs(wanted).max()), float(np.nanmax(np.abs(found))), 1e-300)
    off = np.abs(wanted - found)
    limit = 2 * rtol * max(scale, rounded)  # two products of rounded numbers in every entry
    if not off.max() <= limit:
        k, i, j = np.unravel_index(int(np.nanargmax(off)), off.shape)
        difference = Apart(float(off[k, i, j]), float(off[k, i, j]) / scale)
        message = (
            f"the entry of {joints[i]!r} and {joints[j]!r} is off by {share(difference.relative)} of the largest entry"
        )
        values: Mapping[str, float] = {"source": float(wanted[k, i, j]), "found": float(found[k, i, j])}
        severity = "error" if difference.grave else "warning"
        key = Key("joint", joints[i], "mass_matrix")
        finder.add("RB-MATRIX", key, severity, message, unit="kg m^2 | kg", apart=difference, **values)  # type: ignore[arg-type]


def _gravity(
    ours: Reading,
    joints: tuple[str, ...],
    mass: float,
    wanted: Array,
    found: Array,
    finder: Finder,
    rtol: float,
) -> None:
    """Find torques that are off by more than rounding; `mass` of all links [kg]."""
    finder.checked["RB-GRAVITY"] += len(wanted)
    largest = max(float(np.abs(wanted).max()), float(np.nanmax(np.abs(found))))
    scale = max(largest, 9.81 * mass * reach(ours) * 1e-2, 1e-300)
    off = np.abs(wanted - found)
    if not off.max() <= 4 * rtol * scale:
        k, i = np.unravel_index(int(np.nanargmax(off)), off.shape)
        difference = Apart(float(off[k, i]), float(off[k, i]) / scale)
        unit = "N" if ours.kinds[joints[i]] == "slide" else "N m"
        message = (
            f"the torque of {joints[i]!r} is off by {off[k, i]:.3g} {unit}, {share(difference.relative)} of the largest"
        )
        severity = "error" if difference.grave else "warning"
        key = Key("joint", joints[i], "gravity_torque")
        values = {"source": float(wanted[k, i]), "found": float(found[k, i])}
        finder.add("RB-GRAVITY", key, severity, message, unit="N m | N", apart=difference, **values)  # type: ignore[arg-type]


def _value(reading: Reading, joint: str, quantity: str) -> float:
    row = reading.table.get(Key("joint", joint, quantity))
    return float(row.value) if row is not None and isinstance(row.value, (int, float)) else 0.0
