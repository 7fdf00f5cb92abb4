"""Differences between runs, and what they mean beside spread, refinement and tolerance."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from .errors import SimparityError
from .scene import Array
from .trace import Trace

Verdict: TypeAlias = Literal["agree", "within noise", "not converged", "differ", "unresolved"]
# from harmless to grave: a comparison is as grave as its gravest quantity
GRAVITY_OF: Mapping[str, int] = {
    "agree": 0,
    "not told apart": 1,  # of ensembles, see there
    "within noise": 1,
    "not converged": 2,
    "unresolved": 3,
    "differ": 4,
}
# what is compared, each with its unit, in the order of `Difference.values`; a joint that slides is a "slide"
KINDS = ("position", "angle", "impulse", "joint", "slide")
UNITS: Mapping[str, str] = {"position": "m", "angle": "rad", "impulse": "N s", "joint": "rad", "slide": "m"}
TICK = 1e-9  # [s]: instants nearer than this are the same


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """How far two runs are apart on their common sample times.

    Attributes:
        position: largest distance over time and bodies [m], of a soft body that of its centre of mass; `position_rms`
            is its root mean square.
        angle: largest angle between orientations [rad].
        impulse: largest difference of the cumulative contact impulse of a body, or of a soft body on a link [N s]; NaN
            where an engine gives no force.
        joint: largest difference of a joint's angle over time and joints [rad]; 0 where no joint turns.
        slide: largest difference of a joint's way over time and joints [m]; 0 where no joint slides.
    """

    position: float
    position_rms: float
    angle: float
    impulse: float
    joint: float = 0.0
    slide: float = 0.0

    def values(self) -> tuple[float, float, float, float, float]:
        """Position, angle, impulse, joint and slide, in the order of KINDS."""
        return (self.position, self.angle, self.impulse, self.joint, self.slide)

    @property
    def motion(self) -> float:
        """How far they moved apart: the largest of position [m], joint [rad] and slide [m]; most scenes have one."""
        return max(self.position, self.joint, self.slide)

    @property
    def motion_kind(self) -> str:
        """Which of them `motion` is."""
        return max(("position", "joint", "slide"), key=lambda kind: float(getattr(self, kind)))


def difference(a: Trace, b: Trace, sliding: Collection[str] = ()) -> Difference:
    """The difference of two traces of the same bodies and joints.

    Args:
        sliding: names of the joints whose positions are in m; of the others they are in rad.

    Raises:
        SimparityError: the bodies or the joints differ, or no instant is common.
    """
    soft = (tuple(a.soft), tuple(b.soft))
    for what, first, second in (("bodies", a.names, b.names), ("joints", a.joints, b.joints), ("soft bodies", *soft)):
        if first != second:
            raise SimparityError(
                f"runs of different {what} cannot be compared: {', '.join(first)} and {', '.join(second)}"
            )
    i, j = common_samples(a.time, b.time)
    apart = np.linalg.norm(a.channels["p_WB"][i] - b.channels["p_WB"][j], axis=-1)
    centres = [np.linalg.norm(a.soft[name][0][i] - b.soft[name][0][j], axis=-1) for name in soft[0]]
    apart = np.column_stack([apart, *centres])
    turned = angle_between(a.channels["q_WB"][i], b.channels["q_WB"][j])
    moved = np.abs(a.joint("q")[i] - b.joint("q")[j]) if a.joints else np.zeros((len(i), 0))
    slides = np.array([name in sliding for name in a.joints], dtype=bool)
    pushed = [np.cumsum(trace.channels["impulse_B_W"], axis=0)[k] for trace, k in ((a, i), (b, j))]
    pushes = [pushed[0] - pushed[1], *(a.soft[name][1][i] - b.soft[name][1][j] for name in soft[0])]
    return Difference(
        position=_most(apart),
        position_rms=float(np.sqrt(np.mean(apart**2))) if apart.size else 0.0,
        angle=_most(turned),
        impulse=_most(np.column_stack([np.linalg.norm(one, axis=-1) for one in pushes])),
        joint=_most(moved[:, ~slides]),
        slide=_most(moved[:, slides]),
    )


def _most(values: Array) -> float:
    """The largest of numbers that are not negative, 0 of none; a NaN stays one."""
    return float(np.max(values, initial=0.0))


def common_samples(a: Array, b: Array) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Indices into two arrays of instants [s] that pick the same instants."""
    first, second = (np.round(time / TICK).astype(np.int64) for time in (a, b))
    same, i, j = np.intersect1d(first, second, assume_unique=True, return_indices=True)
    if len(same) < 2:
        raise SimparityError("the runs have no sample times in common")
    return i, j


def angle_between(q1: Array, q2: Array) -> Array:
    """Geodesic angle [rad] between unit quaternions (..., 4), scalar first; q and -q are the same orientation."""
    dot = np.abs(np.sum(q1 * q2, axis=-1))
    apart = np.minimum(np.linalg.norm(q1 - q2, axis=-1), np.linalg.norm(q1 + q2, axis=-1))
    # 2 acos loses half the digits near zero; the chord does not
    return np.asarray(np.where(dot > 0.9, 4 * np.arcsin(np.clip(apart / 2, 0, 1)), 2 * np.arccos(np.clip(dot, 0, 1))))


def largest(differences: Iterable[Difference]) -> Difference | None:
    """The largest of each quantity; None of nothing."""
    rows = list(differences)
    if not rows:
        return None
    return Difference(
        position=max(row.position for row in rows),
        position_rms=max(row.position_rms for row in rows),
        angle=max(row.angle for row in rows),
        impulse=float(np.max([row.impulse for row in rows])),  # a NaN stays one
        joint=max(row.joint for row in rows),
        slide=max(row.slide for row in rows),
    )


def spread(repeats: Sequence[Trace]) -> Difference | None:
    """Largest pairwise difference over the repeats of one job; None with fewer than two."""
    return largest(difference(a, b) for a, b in combinations(repeats, 2))


def judge(apart: float, tolerance: float, noise: float | None, refinement: float | None) -> Verdict:
    """What a difference means, all in the same unit.

    Args:
        apart: the difference between two engines.
        tolerance: what the experiment calls agreement.
        noise: the larger spread of the two engines, None when a repeat is missing.
        refinement: the larger change that a finer run makes in one of them, None when such a run is missing.
    """
    if apart <= tolerance:
        return "agree"
    if noise is not None and apart <= noise:
        return "within noise"
    if noise is None or refinement is None or np.isnan(apart):
        return "unresolved"
    return "not converged" if apart <= refinement else "differ"


def judge_pair(
    apart: Difference,
    tolerance: tuple[float, float, float],
    noise: Difference | None,
    refinement: Difference | None,
) -> tuple[Verdict, tuple[Verdict, ...]]:
    """The gravest verdict over all quantities, and the verdict of each, in the order of KINDS.

    Args:
        apart: the difference of the pair; `noise` and `refinement` as in `judge`.
        tolerance: of position [m], angle [rad] and impulse [N s]; joints are held against that of the angle, those that
            slide against that of the position.
    """
    limits = (*tolerance, tolerance[KINDS.index("angle")], tolerance[KINDS.index("position")])
    each = tuple(
        judge(value, limit, noise.values()[k] if noise else None, refinement.values()[k] if refinement else None)
        for k, (value, limit) in enumerate(zip(apart.values(), limits, strict=True))
    )
    return max(each, key=lambda verdict: GRAVITY_OF[verdict]), each
