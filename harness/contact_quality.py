"""How good a run's contacts are, computed from its logged contact points in the same way for every engine.

Forces act over the step that ended; slip is that of the end of the step at the point found for it, which is where a
semi-implicit solver imposes its friction law.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from .contacts import ContactTrace
from .experiment import Context, Metric
from .reference import reference_of
from .robot_model import model_of
from .scene import Array
from .trace import Trace

NOTHING = "nothing touched, or the engine gives no contact points"
NO_FRICTION = "nothing touched, or the engine gives no friction force per contact point"
TOUCHING = 1e-9  # [N]: below this a row is a pair that is near, not a contact


def quality() -> tuple[Metric, ...]:
    """The metrics of contact quality, for any experiment that logs its contacts."""
    return (
        Metric("largest_overlap", "m", "largest overlap of any contact that bears force", _overlap, absent=NOTHING),
        Metric(
            "signorini_residual",
            "N m",
            "largest |gap| f_n of any contact; 0 for an exact complementarity",
            _signorini,
            absent=NOTHING,
        ),
        Metric(
            "cone_violation",
            "N",
            "largest |f_t| - mu f_n of any contact, mu as resolved, the largest where a pair has several; at most 0 "
            "when kept",
            _cone,
            absent=NO_FRICTION,
        ),
        Metric(
            "dissipation_residual",
            "W",
            "largest |f_t| |v_t| + f_t v_t of any contact: 0 when friction opposes slip, the maximum dissipation",
            _dissipation,
            absent=NO_FRICTION,
        ),
        Metric(
            "force_balance",
            "N",
            "largest difference between a body's net contact force and the sum over its contact points",
            _balance,
            absent="the engine gives no contact points, or no net force on a body",
        ),
    )


def _pressing(contacts: ContactTrace) -> npt.NDArray[np.bool_]:
    return np.asarray(np.abs(contacts.rows.f_normal) > TOUCHING)


def _most(values: Array) -> float:
    return float(values.max()) if len(values) else math.nan


def _overlap(trace: Trace, context: Context) -> float:
    contacts = context.contacts
    return math.nan if contacts is None else _most(-contacts.rows.gap[_pressing(contacts)])


def _signorini(trace: Trace, context: Context) -> float:
    contacts = context.contacts
    return math.nan if contacts is None else _most(np.abs(contacts.rows.gap * contacts.rows.f_normal))


def _cone(trace: Trace, context: Context) -> float:
    contacts = context.contacts
    if contacts is None:
        return math.nan
    limit = pair_friction(contacts, context) * contacts.rows.f_normal
    excess = np.linalg.norm(contacts.rows.f_friction, axis=1) - limit
    return _most(excess[_pressing(contacts)])


def _dissipation(trace: Trace, context: Context) -> float:
    contacts = context.contacts
    if contacts is None:
        return math.nan
    friction = contacts.rows.f_friction
    slip = slip_velocity(trace, contacts, context)
    power = np.linalg.norm(friction, axis=1) * np.linalg.norm(slip, axis=1) + np.einsum("ck,ck->c", friction, slip)
    return _most(power[_pressing(contacts)])


def _balance(trace: Trace, context: Context) -> float:
    """Normal parts only where the engine does not give friction point by point."""
    contacts = context.contacts
    if contacts is None:
        return math.nan
    given = bool(np.isfinite(contacts.rows.f_friction).all())
    channel = "f_B_W" if given else "f_normal_B_W"
    apart = [0.0]
    for name in trace.names:
        normal, friction = contacts.force_on(name, len(trace.time))
        total = normal + friction if given else normal
        apart += np.linalg.norm(trace.of(channel, name) - total, axis=1)[1:].tolist()
    return float(np.max(apart))


def pair_friction(contacts: ContactTrace, context: Context) -> Array:
    """Coefficient mu of each row's pair as the engine resolved it [1], NaN where it does not say; shape (N,).

    Where a pair has several, as a body and a robot whose links have their own, it is the largest of them: a cone that
    is exceeded by that is exceeded by any.
    """
    table = context.resolution.table
    owners = [party.split("/")[0] for party in contacts.parties]
    found = np.full((len(owners), len(owners)), math.nan)
    for i, j in {(int(a), int(b)) for a, b in zip(contacts.rows.a, contacts.rows.b, strict=True)}:
        row = table.get(f"pair.{owners[i]}+{owners[j]}.friction")
        values = row.value if row is not None and isinstance(row.value, tuple) else (row.value if row else None,)
        known = [value for value in values if isinstance(value, (int, float))]
        if known:
            found[i, j] = max(known)
    return np.asarray(found[contacts.rows.a, contacts.rows.b])


def slip_velocity(trace: Trace, contacts: ContactTrace, context: Context) -> Array:
    """Velocity of b against a at each contact point, within its plane, in W [m/s]; shape (N, 3)."""
    rows, before = contacts.rows, contacts.sample - 1
    relative = np.zeros_like(rows.point)
    for index in np.unique(np.concatenate([rows.a, rows.b])):
        moved = _motion(trace, contacts.parties[index], context)
        if moved is None:
            continue
        p, v, w = moved
        for column, sign in ((rows.b, 1.0), (rows.a, -1.0)):
            mine = column == index
            at, then = contacts.sample[mine], before[mine]
            relative[mine] += sign * (v[at] + np.cross(w[at], rows.point[mine] - p[then]))
    along = np.einsum("ck,ck->c", relative, rows.normal)[:, None] * rows.normal
    return np.asarray(relative - along)


def _motion(trace: Trace, party: str, context: Context) -> tuple[Array, Array, Array] | None:
    """Position of the party's origin, its velocity and angular velocity in W, each (T, 3); None when it is fixed."""
    if party in trace.names:
        return trace.of("p_WB", party), trace.of("v_WB", party), trace.of("w_WB", party)
    robot, _, link = party.partition("/")
    for candidate in context.scene.robots:
        if candidate.name == robot and link:
            reference = reference_of(model_of(candidate), context.scene.gravity, candidate.pose)
            poses = [reference.link_motion(q, v, link) for q, v in zip(trace.joint("q"), trace.joint("v"), strict=True)]
            p, v, w = (np.array(part) for part in zip(*poses, strict=True))
            return p, v, w
    return None
