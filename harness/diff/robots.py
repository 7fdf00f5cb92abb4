"""Two robot files: every value of every link and joint of their source models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..robot_model import RobotModel, model_of
from ..scene import Robot
from .moved import ROUNDING, Diff, PairDiff, tables_moved

_UNITS = {
    "mass": "kg",
    "com": "m",
    "inertia": "kg m^2",
    "position": "m",
    "orientation": "1",
    "axis": "1",
    "anchor": "m",
    "lower": "rad | m",
    "upper": "rad | m",
    "effort": "N m | N",
    "armature": "kg m^2 | kg",
    "damping": "N m s/rad | N s/m",
    "friction": "N m | N",
    "stiffness": "N m/rad | N/m",
    "rest": "rad | m",
}


def diff_robots(a: Path, b: Path, rtol: float | None = None) -> Diff:
    """What moved between the source models of two MJCF or URDF files; `rtol` is rounding in 64 bit unless given.

    Raises:
        UsageError: one of them cannot be read.
    """
    left, right = (_values(model_of(Robot(name="robot", description=str(path)))) for path in (a, b))
    units = {name: _UNITS.get(name.rpartition(".")[2], "") for name in (*left, *right)}
    moved = tables_moved("value", left, right, units, ROUNDING[64] if rtol is None else rtol)
    pair = PairDiff(subject="source model", a=a.name, b=b.name, moved=tuple(moved))
    return Diff(a=str(a), b=str(b), compared=1, pairs=(pair,) if moved else ())


def _values(model: RobotModel) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for link in model.links:
        parent = model.links[link.parent].name if link.parent >= 0 else "world"
        found: dict[str, Any] = {
            "parent": parent,
            "position": link.pose.p,
            "orientation": _one_sign(link.pose.q_wxyz),
            "joint": link.joint.name if link.joint is not None else "fixed",
            "mass": link.mass,
            "com": link.com,
            "inertia": link.inertia,
            "shapes": tuple(map(repr, link.shapes)),
            "meshes": link.meshes,
        }
        values |= {f"link.{link.name}.{name}": value for name, value in found.items()}
    for joint in model.joints:
        names = ("kind", "axis", "anchor", "lower", "upper", "effort", "armature", "damping", "friction")
        for name in (*names, "stiffness", "rest"):
            values[f"joint.{joint.name}.{name}"] = getattr(joint, name)
    return values


def _one_sign(q: tuple[float, float, float, float]) -> tuple[float, ...]:
    """Of the two quaternions of an orientation the one whose first number other than 0 is positive."""
    first = next((x for x in q if x), 1.0)
    return tuple(x if first > 0 else -x for x in q)
