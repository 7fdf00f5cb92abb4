"""One trap of importing: a small model, the quantity that shows it, and its value by the format's documentation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from ..engine import Value

Outcome: TypeAlias = Literal["right", "wrong", "dropped", "refused", "not representable", "failed"]


class Missing(Exception):
    """The importer made nothing of what the quantity belongs to; the message says what is not there."""


@dataclass(frozen=True, slots=True)
class Row:
    """One trap; the tables of rows give the fields by position.

    Attributes:
        name: its id; `trap`: what is tried, in a few words.
        format: of `model`, the text with the trap; `plain` is the same text without it, "" where there is no such text.
        quantity: what is read, as the probes name it; `unit`: its SI unit.
        expected: its value by `source`, the documentation of the format or a closed form: never by an engine.
        rtol: relative difference that no importer can avoid, beside the rounding of the engine's state.
    """

    name: str
    trap: str
    model: str
    plain: str
    quantity: str
    unit: str
    expected: Value
    source: str
    rtol: float = 0.0
    format: Literal["mjcf", "urdf"] = "mjcf"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What one engine made of one row; `value` where it could be read, `reason` where there is more to say."""

    outcome: Outcome
    value: Value = None
    reason: str = ""


class Imported(Protocol):
    """A description that an engine has imported, asked for quantities of its live object."""

    def read(self, quantity: str) -> Value:
        """The value of `quantity`.

        Raises:
            Missing: the importer made nothing of it.
            Unsupported: the engine has no such quantity.
        """
        ...

    def close(self) -> None:
        """Free the engine's objects."""
        ...


class Load(Protocol):
    """Type of an engine's `wall.load`: import the text as a user would, with the importer's own defaults.

    Raises:
        Unsupported: the engine has no importer for the format.
        Exception: whatever the importer says when it refuses.
    """

    def __call__(self, text: str, kind: str) -> Imported: ...


def matches(value: Value, expected: Value, rtol: float) -> bool:
    """Whether a value is the expected one: numbers to `rtol` of the largest, everything else exactly."""
    if isinstance(expected, (bool, str)) or expected is None:
        return value == expected
    have, want = _row(value), _row(expected)
    if have is None or want is None or len(have) != len(want):
        return False
    finite = [abs(x) for x in want if abs(x) != float("inf")]
    scale = max(finite, default=0.0) or 1.0
    return all(x == y or abs(x - y) <= rtol * scale for x, y in zip(have, want, strict=True))


def _row(value: Value) -> Sequence[float] | None:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return (float(value),)
    return value if isinstance(value, tuple) else None
