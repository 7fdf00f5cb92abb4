"""Two tables of values side by side: what moved, by how much, and what only one of them has."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Kind: TypeAlias = Literal["asked", "option", "value", "metric"]
Side: TypeAlias = Literal["", "A", "B"]  # the only side that has it
ROUNDING: Mapping[int, float] = {
    64: 2.0**-50,
    32: 2.0**-21,
}  # four units in the last place: relative rounding of a state
MOST = 1e-4  # largest part of a metric that counts as rounding in 32 bit


def rounding_bound(precision: int, steps: float, size: float) -> float:
    """How far the roundings of every step can move a metric, in the unit of `size`.

    In 64 bit ROUNDING times the steps, as if all went the same way, of `size` or of 1, whichever is larger: no
    experiment means anything by a part of 1e-9. In 32 bit that would hide real changes: there it is ROUNDING times the
    square root of the steps, as roundings of either sign add up, at most MOST, of `size` alone.

    Args:
        precision: 32 or 64 [bit].
        steps: how many are added up.
        size: of the metric, or of the numbers that it is declared to be the difference of.
    """
    if precision == 64:
        return ROUNDING[64] * steps * max(size, 1.0)
    return min(ROUNDING[32] * math.sqrt(steps), MOST) * size


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """One value that is not the same on both sides.

    Attributes:
        kind: "asked" of a run's own words, "option" resolved by the engine, "value" read back of a body, shape, link
            or joint, "metric" measured.
        a, b: the values, in `unit`; None where the engine has or says nothing.
        only: the side that alone has it.
        absolute: largest difference of a component, in `unit`; None where they are no numbers.
        relative: `absolute` over the largest magnitude of `a` [1]; None without one.
        why: what the record says beside the value (origin, native name), where that changed too.
        rounding: a metric moved by no more than the rounding of every step can add up to.
    """

    kind: Kind
    name: str
    unit: str
    a: Any
    b: Any
    only: Side = ""
    absolute: float | None = None
    relative: float | None = None
    why: str = ""
    rounding: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PairDiff:
    """Two runs, or two robots: `a` and `b` name each side, `subject` what both are of where there are several pairs."""

    subject: str
    a: str
    b: str
    moved: tuple[Moved, ...]

    @property
    def beyond(self) -> tuple[Moved, ...]:
        """What moved by more than rounding can."""
        return tuple(moved for moved in self.moved if not moved.rounding)


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff:
    """Everything that moved between A and B.

    Attributes:
        pairs: the pairs in which something moved; `compared` counts all of them.
        only_a, only_b: what has no partner on the other side.
        context: sentences about both sides: libraries and code that are not the same.
    """

    a: str
    b: str
    compared: int
    pairs: tuple[PairDiff, ...]
    only_a: tuple[str, ...] = ()
    only_b: tuple[str, ...] = ()
    context: tuple[str, ...] = field(default=())

    @property
    def empty(self) -> bool:
        """Whether nothing differs."""
        return not (self.pairs or self.only_a or self.only_b)

    @property
    def changed(self) -> bool:
        """Whether more differs than rounding explains."""
        return bool(any(pair.beyond for pair in self.pairs) or self.only_a or self.only_b)


def tables_moved(
    kind: Kind, a: Mapping[str, Any], b: Mapping[str, Any], units: Mapping[str, str], rtol: float
) -> list[Moved]:
    """Every entry of two tables that is not the same to `rtol` of itself, in the order of the tables."""
    found = []
    for name in dict.fromkeys([*a, *b]):
        unit = units.get(name, "")
        if name not in b:
            found.append(Moved(kind=kind, name=name, unit=unit, a=a[name], b=None, only="A"))
        elif name not in a:
            found.append(Moved(kind=kind, name=name, unit=unit, a=None, b=b[name], only="B"))
        elif not same(a[name], b[name], rtol):
            absolute, relative = distance(a[name], b[name])
            found.append(
                Moved(kind=kind, name=name, unit=unit, a=a[name], b=b[name], absolute=absolute, relative=relative)
            )
    return found


def same(a: Any, b: Any, rtol: float) -> bool:
    """Equal, or numbers within `rtol` of the larger; NaN equals NaN."""
    if _numbers(a) and _numbers(b):
        x, y = _flat(a), _flat(b)
        scale = max((abs(v) for v in (*x, *y) if math.isfinite(v)), default=0.0)
        return len(x) == len(y) and all(
            p == q or (math.isnan(p) and math.isnan(q)) or abs(p - q) <= rtol * scale for p, q in zip(x, y, strict=True)
        )
    return bool(_plain(a) == _plain(b))


def distance(a: Any, b: Any) -> tuple[float | None, float | None]:
    """Largest absolute difference of two numbers or rows of numbers, and that over the largest magnitude of `a`."""
    if not (_numbers(a) and _numbers(b)):
        return None, None
    x, y = _flat(a), _flat(b)
    if len(x) != len(y):
        return None, None
    absolute = max((abs(p - q) for p, q in zip(x, y, strict=True)), default=0.0)
    if not math.isfinite(absolute):
        return None, None
    scale = max(map(abs, x), default=0.0)
    return absolute, absolute / scale if scale else None


def _numbers(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return bool(value) and all(map(_numbers, value))
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _flat(value: Any) -> list[float]:
    if isinstance(value, (list, tuple)):
        return [x for item in value for x in _flat(item)]
    return [float(value)]


def _plain(value: Any) -> Any:
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value
