"""How far two values of one quantity are apart, and how much of that precision explains."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..engine import Value
from ..scene import Array, rotation

Measure = Literal["number", "length", "tensor", "direction", "turn", "word", "limit"]
ROUNDINGS = 64  # a value may take that many roundings of the engine's type between the file and the read-back
TENSOR = 4  # times as many for an inertia, which engines keep as principal moments and axes
STAND_IN = 1e4  # a finite number of this size stands for "no limit"
GRAVE = 1e-3  # relative (or rad): from here on a difference is an error

# quantity -> (item, how it is compared)
QUANTITIES: Mapping[str, tuple[str, Measure]] = {
    "link.mass": ("RB-MASS", "number"),
    "link.com": ("RB-COM", "length"),
    "link.inertia": ("RB-INERTIA", "tensor"),
    "link.position": ("RB-FRAME", "length"),
    "link.orientation": ("RB-FRAME", "turn"),
    "link.gravity_compensation": ("RB-OTHER", "number"),
    "joint.type": ("RB-JOINTS", "word"),
    "joint.axis": ("RB-AXIS", "direction"),
    "joint.lower": ("RB-LIMIT", "limit"),
    "joint.upper": ("RB-LIMIT", "limit"),
    "joint.effort_lower": ("RB-EFFORT", "limit"),
    "joint.effort_upper": ("RB-EFFORT", "limit"),
    "joint.armature": ("RB-ARMATURE", "number"),
    "joint.damping": ("RB-DAMPING", "number"),
    "joint.friction": ("RB-FRICTION", "number"),
    "joint.stiffness": ("RB-SPRING", "number"),
    "joint.rest": ("RB-SPRING", "number"),
    "joint.home": ("RB-HOME", "number"),
    "joint.limit_solref": ("RB-OTHER", "number"),
    "joint.limit_solimp": ("RB-OTHER", "number"),
    "joint.friction_solref": ("RB-OTHER", "number"),
    "joint.limit_margin": ("RB-OTHER", "number"),
    "actuator.transmission": ("RB-ACTUATOR", "word"),
    "actuator.gear": ("RB-ACTUATOR", "number"),
    "actuator.gain": ("RB-ACTUATOR", "number"),
    "actuator.bias": ("RB-ACTUATOR", "number"),
    "actuator.ctrl_lower": ("RB-ACTUATOR", "limit"),
    "actuator.ctrl_upper": ("RB-ACTUATOR", "limit"),
    "actuator.force_lower": ("RB-ACTUATOR", "limit"),
    "actuator.force_upper": ("RB-ACTUATOR", "limit"),
    "constraint.data": ("RB-EQUALITY", "number"),
    "constraint.active": ("RB-EQUALITY", "word"),
    "tendon.wraps": ("RB-TENDON", "word"),
    "tendon.lower": ("RB-TENDON", "limit"),
    "tendon.upper": ("RB-TENDON", "limit"),
    "tendon.stiffness": ("RB-TENDON", "number"),
    "tendon.damping": ("RB-TENDON", "number"),
    "tendon.friction": ("RB-TENDON", "number"),
    "keyframe.qpos": ("RB-OTHER", "number"),
    "count.number": ("RB-OTHER", "word"),
    "geom.type": ("CF-GEOMS", "word"),
    "geom.size": ("CF-GEOMS", "number"),
    "geom.position": ("CF-GEOMS", "length"),
    "geom.orientation": ("CF-GEOMS", "turn"),
    "geom.vertices": ("CF-MESH", "word"),
    "geom.friction": ("DF-SURFACE", "number"),
    "geom.torsional_friction": ("DF-SURFACE", "number"),
    "geom.contact_dimensions": ("DF-SURFACE", "word"),
    "geom.solref": ("DF-SURFACE", "number"),
    "geom.solimp": ("DF-SURFACE", "number"),
    "geom.margin": ("DF-SURFACE", "number"),
    "geom.gap": ("DF-SURFACE", "number"),
    "geom.priority": ("DF-SURFACE", "word"),
    "geom.solmix": ("DF-SURFACE", "number"),
}


@dataclass(frozen=True, slots=True)
class Apart:
    """A difference: `absolute` in the quantity's unit (rad for directions and turns), `relative` to its size [1].

    `stand_in`: the engine has a large finite number where the source has no limit.
    """

    absolute: float
    relative: float
    stand_in: bool = False

    @property
    def grave(self) -> bool:
        """Whether it is an error rather than a warning."""
        return not self.stand_in and self.relative >= GRAVE


def rounding(bits: int) -> float:
    """Relative size of the differences that `ROUNDINGS` roundings of a `bits`-bit float can make."""
    return ROUNDINGS * float(np.finfo(np.float64 if bits == 64 else np.float32).eps)


def apart(
    measure: Measure, source: Value, found: Value, rtol: float, reach: float, rounded: float = 0.0
) -> Apart | None:
    """The difference of two values; None where it is within `rtol` (times `reach` [m] for lengths), or `rounded`.

    Args:
        rounded: see `Reading.rounded`.
    """
    if measure == "word" or isinstance(source, (str, bool)) or isinstance(found, (str, bool)):
        return None if source == found else Apart(math.inf, math.inf)
    if source is None or found is None:
        return None if source is found else Apart(math.inf, math.inf)
    a, b = np.atleast_1d(np.array(source, float)), np.atleast_1d(np.array(found, float))
    if a.shape != b.shape:
        return Apart(math.inf, math.inf)
    if measure == "limit":
        return _limit(float(a[0]), float(b[0]), rtol)
    if not np.isfinite(b).all():
        return Apart(math.inf, math.inf)
    if measure in ("direction", "turn"):
        angle = turn(a, b) if measure == "turn" else direction(a, b)
        return Apart(angle, angle) if angle > max(rtol, rounded) else None
    if measure == "tensor":  # diagonalised and turned back: every entry is rebuilt from sums of products
        rtol, rounded = max(rtol * TENSOR, rounded), 0.0
    absolute = float(np.abs(a - b).max())
    size = max(float(np.abs(a).max()), float(np.abs(b).max()))
    if measure == "length":
        own = max(size, rtol * reach)
        return Apart(absolute, absolute / own) if absolute > max(rtol * reach, rounded) else None
    return Apart(absolute, absolute / size) if size and absolute > max(rtol * size, rounded) else None


def _limit(source: float, found: float, rtol: float) -> Apart | None:
    if source == found:
        return None
    if math.isinf(source):
        stands_in = found * source > 0 and abs(found) >= STAND_IN
        return Apart(math.inf, math.inf, stand_in=stands_in)
    if math.isinf(found):
        return Apart(math.inf, math.inf)
    absolute, size = abs(source - found), max(abs(source), abs(found))
    return Apart(absolute, absolute / size) if absolute > rtol * max(size, 1e-3) else None


def direction(a: Array, b: Array) -> float:
    """Angle between two vectors [rad], exact for small ones."""
    a, b = a / np.linalg.norm(a), b / max(float(np.linalg.norm(b)), 1e-300)
    return float(2 * np.arctan2(np.linalg.norm(a - b), np.linalg.norm(a + b)))


def turn(a: Array, b: Array) -> float:
    """Angle of the rotation between two unit quaternions [rad], exact for small ones."""
    a, b = a / np.linalg.norm(a), b / max(float(np.linalg.norm(b)), 1e-300)
    near, far = sorted((float(np.linalg.norm(a - b)), float(np.linalg.norm(a + b))))
    return float(4 * np.arctan2(near, far))


def shape_turn(kind: str, a: Array, b: Array) -> float:
    """Angle [rad] between two orientations of a shape, whose own symmetry does not count."""
    R, S = (rotation(q / np.linalg.norm(q)) for q in (a, b))
    axes = {"sphere": (), "capsule": (2,), "cylinder": (2,), "plane": (2,)}.get(kind, (0, 1, 2))
    signed = 1 if kind == "plane" else 0
    angles = [direction(R[:, i], S[:, i]) for i in axes]
    return max((x if signed else min(x, np.pi - x) for x in angles), default=0.0)


def anchor_distance(source: Array, found: Array, axis: Array) -> float:
    """Distance [m] of an anchor from the axis through the other one."""
    d = found - source
    return float(np.linalg.norm(d - axis * float(d @ axis)))
