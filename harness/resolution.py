"""Small builders for rows of a resolved table, so that every adapter writes them alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .engine import Resolved, Unknown, Value
from .scene import Scene

Row = tuple[str, Resolved]


def absent(unit: str, why: str, authored: Value = None) -> Resolved:
    """The engine has no such quantity; `why` says what it has instead."""
    return Resolved(value=None, unit=unit, origin="absent", native=why, authored=authored)


def unreadable(unit: str, why: str, authored: Value = None) -> Resolved:
    """The engine has the quantity and does not let one read it."""
    return Resolved(value=None, unit=unit, origin="unreadable", native=why, authored=authored)


def floats(array: Any) -> tuple[float, ...]:
    """A small array as a tuple of Python floats."""
    return tuple(float(x) for x in array)


def read(
    value: Value, unit: str, native: str, *, file: Value = None, scene: Value = None, settings: Value = None
) -> Resolved:
    """A value read from the engine; its origin follows from who asked: the settings, the scene, a file, or nobody."""
    for origin, asked in (("settings", settings), ("scene", scene), ("file", file)):
        if asked is not None:
            return Resolved(value=value, unit=unit, origin=origin, native=native, authored=asked)  # type: ignore[arg-type]
    return Resolved(value=value, unit=unit, origin="default", native=native)


def robot_friction(found: Iterable[float], native: str, authored: Value = None) -> Resolved:
    """Friction [1] of a body against a robot's shapes: one number, or all that occur."""
    mus = tuple(sorted({float(mu) for mu in found}))
    if not mus:
        return absent("1", "no shape of the robot can touch", authored)
    value = mus[0] if len(mus) == 1 else mus
    return Resolved(value=value, unit="1", origin="derived", native=native, authored=authored)


def no_law(scene: Scene, differing: bool) -> Unknown:
    """That no contact law can be stated of `scene`, in which pairs are `differing`, or none has a law."""
    if differing:
        return Unknown(reason="the pairs of this scene differ")
    soft = "a soft body meets a shape at many vertices, by a law that is not that of one rigid pair"
    return Unknown(reason=soft if scene.soft_bodies else "nothing of this scene can touch")


def values(asked: Mapping[str, Value]) -> Callable[[str, Value, str, str], Row]:
    """A function that makes the row of an option (name, value, unit, native) from the settings that were asked for."""
    return lambda name, value, unit, native: (name, read(value, unit, native, settings=asked.get(name)))
