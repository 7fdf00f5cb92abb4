"""The torque law of the simulated items, chosen for the robot: stable as sampled, and within its effort limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..controller import STABLE, TorqueLaw, cut, stability_along
from ..errors import UsageError
from ..job import Job
from ..registry import experiment_class
from ..scene import Array
from ..schedule import Schedule

TRIAL = 1e-3  # [rad/s]; the number of stability grows in proportion to the bandwidth
SMALLER = (1.0, 0.5, 0.2, 0.1)  # parts of the experiment's own amplitude, the first that the effort limits allow
ROOM = 0.8  # part of an effort limit that the motion itself may take; the rest is for what the law corrects
INSTANTS = 50  # of the motion that are looked at


@dataclass(frozen=True, slots=True, kw_only=True)
class Law:
    """Bandwidth w [rad/s] of kp = w^2 M_ii and kd = 2 w M_ii, amplitude [1] of the motion, and why it is these."""

    bandwidth: float
    amplitude: float
    words: str

    @property
    def params(self) -> dict[str, float]:
        """As parameters of the experiment."""
        return {"bandwidth": self.bandwidth, "amplitude": self.amplitude}


def choose(job: Job, bandwidth: float | None) -> Law:
    """The law for the robot of `job`: the usual bandwidth if stable, else the largest that is; or the one given.

    Raises:
        UsageError: the experiment cannot take the robot, or the law would be unstable at that bandwidth.
    """
    kind = experiment_class(job.experiment)
    schedule = Schedule(dt=job.dt, duration=job.duration, stride=job.stride, control_dt=job.control_dt)
    period = schedule.control_period * schedule.dt
    usual, usually = float(kind().bandwidth), float(kind().amplitude)

    def law_of(amplitude: float) -> TorqueLaw:
        found: Any = kind(**{**job.params, "bandwidth": TRIAL, "amplitude": amplitude}).controller(schedule)
        assert isinstance(found, TorqueLaw)
        return found

    short = {part: _short(law_of(part * usually), job.duration) for part in SMALLER}
    part = next((part for part in SMALLER if not short[part]), 1.0)
    law, words = law_of(part * usually), []
    start = law.target(0.0)[0]
    number = stability_along(law.reference, law.gains.kd, start, law.target, job.duration, period) / TRIAL
    if bandwidth is not None and bandwidth * number > STABLE:
        raise UsageError(
            f"the torque law would be unstable at {bandwidth:g} rad/s: lambda_max(M^-1 Kd) dt would be "
            f"{bandwidth * number:.3g}, above {STABLE:g}; give a bandwidth of {cut(STABLE / number):g} rad/s or less"
        )
    if bandwidth is not None:
        words.append(f"CT ran at {bandwidth:g} rad/s, as was asked for")
        chosen = bandwidth
    elif usual * number <= STABLE:
        words.append(f"CT ran at {usual:g} rad/s")
        chosen = usual
    else:
        chosen = cut(STABLE / number)
        words.append(
            f"CT ran at {chosen:g} rad/s because the law, sampled every {1000 * period:g} ms, would be unstable at the "
            f"usual {usual:g} rad/s on links as light as these: lambda_max(M^-1 Kd) dt would be {usual * number:.3g}, "
            f"an explicit law diverges from 2 on, and {STABLE:g} is allowed"
        )
    if part != 1.0:
        words.append(f"the motion is {part:g} of the usual one, for which {short[1.0]}")
    elif short[part]:
        words.append(f"no motion keeps within the effort limits: {short[SMALLER[-1]]}")
    return Law(bandwidth=chosen, amplitude=part * usually, words="; ".join(words))


def _short(law: TorqueLaw, duration: float) -> str:
    """The joint whose effort limit the motion alone exceeds, in words; empty where there is none."""
    times = np.linspace(0.0, duration, INSTANTS)
    need = np.max([_need(law, time, duration / INSTANTS) for time in times], axis=0)
    part = need / np.maximum(law.limit, 1e-9)  # 0 where there is no limit
    if not (part > ROOM).any():
        return ""
    i = int(np.argmax(part))
    joint = law.reference.robot.joints[i]
    unit = "N" if joint.kind == "slide" else "N m"
    return f"joint {joint.name!r} needs {need[i]:.3g} {unit} at a limit of {law.limit[i]:.3g}"


def _need(law: TorqueLaw, time: float, step: float) -> Array:
    """|M vdot + C v + g + damping v + spring| plus dry friction [N m | N] on the reference, shape (nv,)."""
    reference, (q, v), (_, later) = law.reference, law.target(time), law.target(time + step)
    M = reference.mass_matrix(q) + np.diag(reference.armature)
    joints = reference.robot.joints
    damping, dry = np.array([j.damping for j in joints]), np.array([j.friction for j in joints])
    spring = np.array([j.stiffness for j in joints]) * (q - np.array([j.rest for j in joints]))
    moved: Array = np.abs(M @ (later - v) / step + reference.bias(q, v) + damping * v + spring) + dry
    return moved
