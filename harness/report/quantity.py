"""Numbers as a reader wants them: few digits, SI prefixes, a true minus sign."""

from __future__ import annotations

import math

from ..engine import Value

NOTHING = "–"
_PREFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"), (1e-12, "p"))
_PREFIXED = {"m", "s", "N", "m/s", "N s", "rad", "rad/s", "W", "J", "Hz"}
_NO_LARGE = {"m", "s", "rad", "m/s", "rad/s"}  # nobody says 1 ks
_LARGEST, _SMALLEST = 1e5, 1e-3  # plain decimals between these
_SUPERSCRIPT = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def quantity(value: float | None, unit: str, digits: int = 3, *, signed: bool = False) -> str:
    """`value` [unit] with SI prefix and at most that many significant digits: 0.00112 m is "1.12 mm"."""
    if value is None or not math.isfinite(value):
        return NOTHING
    if value == 0:
        return "0"
    sign = "−" if value < 0 else "+" if signed else ""
    size = abs(value)
    if unit in _PREFIXED:
        for factor, prefix in _PREFIXES:
            if factor > 1 and unit in _NO_LARGE:
                continue
            if _rounded(size, digits) >= factor:
                return _join(sign + plain(size / factor, digits), prefix + _written(unit))
    return _join(sign + plain(size, digits), _written(unit))


def span(low: float, high: float, unit: str, digits: int = 3) -> str:
    """A range of numbers; the unit is said once where both have the same: "15.3 to 15.7 mm"."""
    first, last = (quantity(value, unit, digits) for value in (low, high))
    number, gap, own = first.partition("\N{NO-BREAK SPACE}")
    return f"{number if last.endswith(gap + own) else first} to {last}"


def prefix_for(largest: float, unit: str) -> tuple[float, str]:
    """The factor and the prefixed unit in which an axis up to `largest` [unit] reads well."""
    if unit in _PREFIXED:
        for factor, prefix in _PREFIXES:
            if factor <= 1 and largest >= factor:
                return factor, prefix + _written(unit)
    return 1.0, _written(unit)


def plain(value: float, digits: int = 3) -> str:
    """A pure number with at most that many significant digits; a power of ten outside 0.001 to 100000."""
    if not math.isfinite(value):
        return NOTHING
    sign, size = ("−" if value < 0 else ""), _rounded(abs(value), digits)
    if size == 0:
        return "0"
    if _SMALLEST <= size < _LARGEST:
        decimals = max(0, digits - 1 - math.floor(math.log10(size)))
        text = f"{size:.{decimals}f}"
        return sign + (text.rstrip("0").rstrip(".") if "." in text else text)
    mantissa, exponent = f"{size:.{digits - 1}e}".split("e")
    mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    power = "10" + str(int(exponent)).translate(_SUPERSCRIPT)
    return sign + (power if mantissa == "1" else f"{mantissa}×{power}")


def value_text(value: Value, unit: str, digits: int = 5) -> str:
    """A resolved value: words as they are, numbers with their unit, tuples in brackets."""
    if value is None:
        return NOTHING
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, str):
        return value or "(empty)"
    if isinstance(value, tuple):
        return _join("(" + ", ".join(plain(x, digits) for x in value) + ")", _written(unit))
    return quantity(float(value), unit, digits)


def unit_text(unit: str) -> str:
    """A unit as it is printed: "kg m^2" is "kg m²"; nothing for pure numbers and names."""
    return _written(unit)


def _written(unit: str) -> str:
    return "" if unit in ("", "1") else unit.replace("^2", "²").replace("^3", "³")


def _join(number: str, unit: str) -> str:
    return f"{number}\N{NO-BREAK SPACE}{unit}" if unit else number


def _rounded(size: float, digits: int) -> float:
    return float(f"{size:.{digits - 1}e}")
