"""What is measured of a robot that follows a reference: tracking, torques, energy, and how stable its law is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from ..harness.controller import TorqueLaw, stability_along
from ..harness.engine import Resolved
from ..harness.experiment import Context, Metric
from ..harness.scene import Array
from ..harness.trace import Trace


def arm_metrics(flange: str, *, driven: bool) -> Sequence[Metric]:
    """The metrics of a robot under the law; `flange` names the link that is followed.

    What takes the whole torque is left out where the engine's own drives add to it (`driven`), which do not tell it.
    """
    of_torque = (
        Metric("torque_rms", "N m", "root mean square torque over joints and time", _torque_rms),
        Metric(
            "energy_residual",
            "J",
            "largest |E(t) - E(0) - work of torque, damping and friction|, E with the joints' springs",
            _energy_residual,
        ),
    )
    return (
        Metric("joint_error_rms", "rad", "root mean square of q - q_ref over joints and time", _joint_rms),
        Metric("joint_error_max", "rad", "largest |q - q_ref|", _joint_max),
        Metric(
            "flange_error_rms",
            "m",
            "root mean square distance of the flange from its reference",
            partial(_flange_rms, flange),
        ),
        Metric(
            "flange_error_max",
            "m",
            "largest distance of the flange from its reference, by the source model, every tenth sample",
            partial(_flange_max, flange),
        ),
        *(of_torque if not driven else ()),
        Metric("saturated_samples", "1", "control samples in which a limit cuts the law's torque", _saturated),
        Metric("energy_exchanged", "J", "largest E(t) less the smallest, to hold it against", _energy_exchanged),
        Metric(
            "stability_number",
            "1",
            "lambda_max(M^-1 Kd) dt, the largest at the start and along the reference",
            _stability,
        ),
    )


def law_of(context: Context) -> TorqueLaw:
    """The law that the run was under."""
    assert isinstance(context.controller, TorqueLaw)
    return context.controller


def _targets(trace: Trace, context: Context) -> Array:
    target = law_of(context).target
    return np.array([target(time)[0] for time in trace.time])


def _joint_rms(trace: Trace, context: Context) -> float:
    return float(np.sqrt(np.mean((trace.joint("q") - _targets(trace, context)) ** 2)))


def _joint_max(trace: Trace, context: Context) -> float:
    return float(np.abs(trace.joint("q") - _targets(trace, context)).max())


def _flange_distance(flange: str, trace: Trace, context: Context) -> Array:
    """Distance of the flange from where the reference puts it [m], every tenth sample, by the source model."""
    reference = law_of(context).reference
    link = reference.link_names.index(flange)
    pairs = zip(trace.joint("q")[::10], _targets(trace, context)[::10], strict=True)
    apart = [reference.link_poses(q)[link, :3] - reference.link_poses(r)[link, :3] for q, r in pairs]
    return np.asarray(np.linalg.norm(apart, axis=1))


def _flange_rms(flange: str, trace: Trace, context: Context) -> float:
    return float(np.sqrt(np.mean(_flange_distance(flange, trace, context) ** 2)))


def _flange_max(flange: str, trace: Trace, context: Context) -> float:
    return float(_flange_distance(flange, trace, context).max())


def _torque_rms(trace: Trace, context: Context) -> float:
    return float(np.sqrt(np.mean(trace.joint("tau")[1:] ** 2)))  # nothing is commanded before the first step


def _saturated(trace: Trace, context: Context) -> float:
    return float(law_of(context).saturated)


def _stability(trace: Trace, context: Context) -> float:
    law, schedule = law_of(context), context.schedule
    start = np.asarray(trace.joint("q")[0])
    period = schedule.control_period * schedule.dt
    return stability_along(law.reference, law.gains.kd, start, law.target, schedule.duration, period)


def _energy_residual(trace: Trace, context: Context) -> float:
    """Work by the mid-point speed; damping and dry friction as the engine says that it has them."""
    reference = law_of(context).reference
    v, tau = trace.joint("v"), trace.joint("tau")
    rows = context.resolution.table
    names = reference.robot.joint_names
    damping, friction = (
        np.array([_held(rows, f"joint.{name}.{quantity}") for name in names]) for quantity in ("damping", "friction")
    )
    middle = (v[1:] + v[:-1]) / 2
    power = ((tau[1:] - damping * middle - friction * np.sign(middle)) * middle).sum(axis=1)
    work = np.concatenate([[0.0], np.cumsum(power) * trace.sample_interval])
    energy = _energies(trace, context)
    return float(np.abs(energy - energy[0] - work[::10]).max())


def _energy_exchanged(trace: Trace, context: Context) -> float:
    return float(np.ptp(_energies(trace, context)))


def _energies(trace: Trace, context: Context) -> Array:
    """Energy of the source model [J] at every tenth sample."""
    reference, q, v = law_of(context).reference, trace.joint("q"), trace.joint("v")
    return np.array([reference.energy(q[k], v[k]) for k in range(0, len(trace.time), 10)])


def _held(rows: Mapping[str, Resolved], name: str) -> float:
    """A joint's value in use, 0 where the engine has no such thing."""
    value = rows[name].value
    return float(value) if isinstance(value, (int, float)) else 0.0
