"""Which resolved values may explain a difference between two engines."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ..engine import REQUIRED_OPTIONS, Resolution, Soft
from .defaults import IMPEDANCE, LAW_UNITS, LAW_WORDS, Line, alike, law_lines, line_of, names_in
from .quantity import plain, quantity, value_text

# of the computation rather than of the physics: named by the verdicts, not as an explanation
_INCIDENTAL = {"dt", "substeps", "gravity", "solver", "iterations", "tolerance", "precision", "device", "threads"}


def explanations(a: Resolution, b: Resolution, most: int = 3) -> list[str]:
    """Hidden values in which two resolved tables differ, the likeliest reason first, as "name: x against y"."""
    laws = (a.contact_law, b.contact_law)
    found: list[str] = []
    if type(laws[0]) is not type(laws[1]):
        found.append(
            "contact law: " + " against ".join(LAW_WORDS[type(law).__name__].partition(" (")[0] for law in laws)
        )
    elif isinstance(laws[0], Soft) and isinstance(laws[1], Soft):
        found += _between_soft(laws[0], laws[1])
    else:
        found += [f"contact {line.name}: {_against(line)}" for line in law_lines(laws) if line.differs]
    pair = {"a": a, "b": b}
    touching = any(name.startswith("pair.") for name in (*a.table, *b.table))
    kinds = ("shape.", "pair.") if touching else ()
    seen: set[str] = set()
    for name in [name for name in names_in([a, b]) if name in REQUIRED_OPTIONS or name.startswith(kinds)]:
        line, short = line_of(name, pair), name.rpartition(".")[2]
        covered = isinstance(laws[0], type(laws[1])) and short in ("impedance", "time_constant", "damping_ratio")
        if line.differs and short not in seen and not covered and name not in _INCIDENTAL:
            found.append(f"{short}: {_against(line)}")
            seen.add(short)
    return found[:most]


def _between_soft(a: Soft, b: Soft) -> Iterator[str]:
    """What two soft laws were given rather than what follows from it: K and B both contain d_max."""
    rows = [row for row in zip(IMPEDANCE, a.impedance, b.impedance, strict=True) if not alike(row[1], row[2])]
    if rows:
        first, second = (
            ", ".join(value_text(row[side], LAW_UNITS.get(row[0], "1")) for row in rows) for side in (1, 2)
        )
        yield f"contact {', '.join(row[0] for row in rows)}: {first} against {second}"
    (tc_a, zeta_a), (tc_b, zeta_b) = _constants(a), _constants(b)
    if not alike(tc_a, tc_b):
        yield f"contact time constant: {quantity(tc_a, 's')} against {quantity(tc_b, 's')}"
    if not alike(zeta_a, zeta_b):
        yield f"contact damping ratio: {plain(zeta_a)} against {plain(zeta_b)}"
    if not alike(a.regularizer, b.regularizer):
        yield f"regularizer of the cone: {plain(a.regularizer)} against {plain(b.regularizer)}"


def _constants(law: Soft) -> tuple[float, float]:
    """Time constant [s] and damping ratio [1] of K = 1/(d_max^2 tc^2 zeta^2) and B = 2/(d_max tc)."""
    d_max = law.impedance[1]
    tc = 2 / (d_max * law.B) if law.B and d_max else math.nan
    return tc, 1 / (d_max * tc * math.sqrt(law.K)) if law.K > 0 and tc > 0 else math.nan


def _against(line: Line) -> str:
    return " against ".join(entry.text for entry in line.entries)
