"""Settings of an engine: which options exist, what the three profiles set, and what the user overrides.

Each engine's `mapping` module declares OPTIONS (name -> Option) and PROFILES (profile -> {name: value}); this module
merges and checks them, so that a misspelt option is one sentence before anything is built. A module may have two more:
PROFILES_WITH ((name, value) -> profile -> {name: value}) is what a profile sets where the user chose a certain value,
None for what it then does not set; INSTEAD (name -> other) lists options that take the place of another in some scenes,
which a profile sets only where the user did not ask for that other one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from .engine import Settings, Value
from .errors import UnknownName, UsageError

PROFILES = ("default", "published", "matched")


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One option of an engine.

    Attributes:
        kind: float, int, bool, str, or tuple for a fixed number of floats.
        unit: SI unit, "1" or "".
        text: what it does, and in which of the engine's own names.
        choices: the values allowed, when they are few.
        length: number of floats of a tuple.
    """

    kind: type
    unit: str
    text: str
    choices: tuple[Value, ...] = ()
    length: int = 0


class Mapped(Protocol):
    """What a `mapping` module offers."""

    OPTIONS: Mapping[str, Option]
    PROFILES: Mapping[str, Mapping[str, Value]]


def settle(engine: str, mapping: Mapped, profile: str, overrides: Mapping[str, Any]) -> Settings:
    """Settings of `engine` under `profile` with single `overrides`.

    Raises:
        UsageError: unknown profile or option, or a value of the wrong kind.
    """
    if profile not in PROFILES:
        raise UnknownName("settings profile", profile, PROFILES)
    merged: dict[str, Value] = dict(mapping.PROFILES[profile])
    asked: dict[str, Value] = {}
    for name, value in overrides.items():
        if name not in mapping.OPTIONS:
            known = ", ".join(sorted(mapping.OPTIONS)) or "none"
            raise UsageError(f"engine {engine!r} has no option {name!r}; its options: {known}")
        asked[name] = _checked(engine, name, mapping.OPTIONS[name], value)
    for (name, value), besides in getattr(mapping, "PROFILES_WITH", {}).items():
        if asked.get(name) == value:
            merged |= besides.get(profile, {})
    for name, other in getattr(mapping, "INSTEAD", {}).items():
        if other in asked:
            merged.pop(name, None)
    merged |= asked
    return Settings(
        profile=profile, options={name: merged[name] for name in sorted(merged) if merged[name] is not None}
    )


def _checked(engine: str, name: str, option: Option, value: Any) -> Value:
    wanted = {float: "a number", int: "a whole number", bool: "true or false", str: "a word"}.get(
        option.kind, f"a list of {option.length} numbers"
    )
    fits = {
        float: isinstance(value, (int, float)) and not isinstance(value, bool),
        int: isinstance(value, int) and not isinstance(value, bool),
        bool: isinstance(value, bool),
        str: isinstance(value, str),
        tuple: isinstance(value, (list, tuple)) and len(value) == option.length,
    }[option.kind]
    if fits and option.choices and value not in option.choices:
        fits, wanted = False, "one of " + ", ".join(str(choice) for choice in option.choices)
    if not fits:
        raise UsageError(f"option {name!r} of engine {engine!r} is {value!r}; give {wanted}")
    return tuple(float(x) for x in value) if option.kind is tuple else option.kind(value)
