"""The source model of a robot from a `Reading`, for an engine that reads no robot files of that format itself."""

from __future__ import annotations

import math
from typing import Any

from .errors import Unsupported
from .imported import SCALAR, Key, Reading
from .robot_model import Joint, Link, RobotModel
from .scene import Pose


def robot_model_of(reading: Reading) -> RobotModel:
    """Links and hinge or slide joints; a free joint of a base is left out, so that the base is fixed.

    Raises:
        Unsupported: a ball joint, several joints on a link, or a free joint further down.
    """
    of_link: dict[str, list[str]] = {}
    for joint, link in reading.moved.items():
        if reading.kinds[joint] not in SCALAR and not (reading.kinds[joint] == "free"):
            raise Unsupported(f"joint {joint!r} is a {reading.kinds[joint]}, which is not translated for this engine")
        if reading.kinds[joint] in SCALAR:
            of_link.setdefault(link, []).append(joint)
    links = []
    for name in reading.links:
        joints = of_link.get(name, [])
        if len(joints) > 1:
            raise Unsupported(f"link {name!r} has {len(joints)} joints, which are not translated for this engine")
        links.append(
            Link(
                name=name,
                parent=reading.links.index(reading.parents[name]) if reading.parents[name] in reading.links else -1,
                pose=Pose(_of(reading, name, "position"), _of(reading, name, "orientation")),
                joint=_joint(reading, joints[0]) if joints else None,
                mass=float(_of(reading, name, "mass")),
                com=_of(reading, name, "com"),
                inertia=_rows(_of(reading, name, "inertia")),
            )
        )
    return RobotModel(links=tuple(links))


def _joint(reading: Reading, name: str) -> Joint:
    def of(quantity: str) -> Any:
        return reading.table[Key("joint", name, quantity)].value

    return Joint(
        name=name,
        kind="hinge" if reading.kinds[name] == "hinge" else "slide",
        axis=of("axis"),
        anchor=of("anchor"),
        lower=of("lower"),
        upper=of("upper"),
        effort=of("effort_upper") if math.isfinite(of("effort_upper")) else math.inf,
        armature=of("armature"),
        damping=of("damping"),
        friction=of("friction"),
        stiffness=of("stiffness"),
        rest=of("rest"),
    )


def _of(reading: Reading, link: str, quantity: str) -> Any:
    return reading.table[Key("link", link, quantity)].value


def _rows(tensor: Any) -> Any:
    return (tuple(tensor[:3]), tuple(tensor[3:6]), tuple(tensor[6:]))
