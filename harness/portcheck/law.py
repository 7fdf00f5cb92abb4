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

TRIAL = 1e-12  # [rad/s], at which the law is stable on any robot; the number of stability grows in proportion
FOLLOWS = 1.0  # least bandwidth times duration [rad]: below it the run is over before the law takes the joints along
SMALLER = (1.0, 0.5, 0.2, 0.1)  # parts of the experiment's own amplitude, the first that the effort limits allow
ROOM = 0.8  # part of an effort limit that the motion itself may take; the rest is for what the law corrects
INSTANTS = 50  # of the motion that are looked at


@dataclass(frozen=True, slots=True, kw_only=True)
class Law:
    """Bandwidth w [rad/s] of kp = w^2 M_ii and kd = 2 w M_ii, amplitude [1] of the motion, and why it is these.

    `soft` says why a run at that bandwidth cannot show that two models differ; empty where it can.
    """

    bandwidth: float
    amplitude: float
    words: str
    soft: str = ""

    @property
    def params(self) -> dict[str, float]:
        """As parameters of the experiment."""
        return {"bandwidth": self.bandwidth, "amplitude": self.amplitude}


class Unusable(UsageError):
    """The bandwidth that was asked for cannot be used on this robot."""


def choose(job: Job, bandwidth: float | None) -> Law:
    """The law for the robot of `job`: the usual bandwidth if stable, else the largest that is; or the one given.

    Raises:
        Unusable: the law would be unstable at the bandwidth given.
        UsageError: the experiment cannot take the robot.
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
    part = next((part for part in SMALLER if not short[part]), SMALLER[-1])
    law = law_of(part * usually)
    start = law.target(0.0)[0]
    number = stability_along(law.reference, law.gains.kd, start, law.target, job.duration, period) / TRIAL
    least, most = FOLLOWS / job.duration, cut(STABLE / number)
    if bandwidth is not None and bandwidth * number > STABLE:
        raise Unusable(_unusable(bandwidth, number, least, most))
    if bandwidth is not None:
        words = [f"the simulated items ran at {bandwidth:g} rad/s, as was asked for"]
    elif usual * number <= STABLE:
        words = [f"the simulated items ran at {usual:g} rad/s"]
    else:
        words = [
            f"the simulated items ran at {most:g} rad/s because the law, sampled every {1000 * period:g} ms, would be "
            f"unstable at the usual {usual:g} rad/s on links as light as these: lambda_max(M^-1 Kd) dt would be "
            f"{usual * number:.3g}, an explicit law diverges from 2 on, and {STABLE:g} is allowed"
        ]
    chosen = bandwidth or (usual if usual * number <= STABLE else most)
    soft = (
        ""
        if chosen >= least
        else f"the law is too soft to follow its motion: it has {chosen:g} rad/s, CT needs {least:g}"
    )
    words += [soft] if soft else []
    if short[part]:
        words.append(f"no motion keeps within the effort limits, not {part:g} of the usual one either: {short[part]}")
    elif part != 1.0:
        words.append(f"the motion is {part:g} of the usual one, for which {short[1.0]}")
    return Law(bandwidth=chosen, amplitude=part * usually, words="; ".join(words), soft=soft)


def _unusable(bandwidth: float, number: float, least: float, most: float) -> str:
    """Why the bandwidth cannot be used on the robot, and what can."""
    instead = f"give {most:g} rad/s or less"
    if most < least:
        instead = f"take it away: the largest stable one is {most:g} rad/s, and CT needs {least:g} to show anything"
    return (
        f"the bandwidth of {bandwidth:g} rad/s cannot be used: the torque law would be unstable on this robot, "
        f"lambda_max(M^-1 Kd) dt would be {bandwidth * number:.3g}, above {STABLE:g}; {instead}"
    )


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
