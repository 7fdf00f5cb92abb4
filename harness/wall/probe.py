"""Runs rows in one engine, in this process: `python -m simparity.harness.wall.probe ENGINE OUT ROW [ROW ...]`.

Every cell is a line of JSON in OUT as soon as it is known, so that an importer that ends the process costs one row.
"""

from __future__ import annotations

import json
import math
import os
import sys
import traceback
from importlib import import_module
from pathlib import Path
from typing import Any

from ..engine import Value
from ..errors import Unsupported
from ..registry import engine_entry
from .row import Cell, Missing, Row, matches
from .rows import ROWS

LONGEST = 160  # characters of an importer's reason


def probe(engine: str, row: Row) -> Cell:
    """What the engine's importer makes of a row."""
    # a value of 32 bit that went through a handful of operations, or of 64
    rtol = max(row.rtol, 1e-5 if engine_entry(engine).precisions[0] == 32 else 1e-9)
    cell = _read(engine, row, row.model)
    if cell.outcome != "right":  # no value
        return cell
    if matches(cell.value, row.expected, rtol):
        return cell
    if row.plain:
        without = _read(engine, row, row.plain)
        if without.outcome == "right" and matches(cell.value, without.value, rtol):
            return Cell(outcome="dropped", value=cell.value, reason="as without it")
    return Cell(outcome="wrong", value=cell.value)


def _read(engine: str, row: Row, text: str) -> Cell:
    """The value as "right", to be judged; or the cell of a row that has none."""
    try:
        load = import_module(f"simparity.engines.{engine}.wall").load
        imported = load(text, row.format)
    except Unsupported as error:
        return Cell(outcome="not representable", reason=_short(error))
    except Exception as error:
        return Cell(outcome="refused", reason=_short(error))
    try:
        return Cell(outcome="right", value=imported.read(row.quantity))
    except Missing as error:
        return Cell(outcome="dropped", reason=str(error))
    except Unsupported as error:
        return Cell(outcome="not representable", reason=_short(error))
    except Exception as error:
        traceback.print_exc()
        return Cell(outcome="failed", reason=_short(error))
    finally:
        imported.close()


def _short(error: Exception) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def plain_value(value: Value) -> Any:
    """A value as JSON can hold it: infinities as words."""
    if isinstance(value, tuple):
        return [plain_value(x) for x in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def value_of(plain: Any) -> Value:
    """The value that `plain_value` wrote."""
    if isinstance(plain, list):
        return tuple(float(x) for x in plain)
    value: Value = float(plain) if plain in ("inf", "-inf", "nan") else plain
    return value


def main(arguments: list[str]) -> None:
    """Probe the rows named, in order."""
    engine, out, *names = arguments
    rows = {row.name: row for row in ROWS}
    os.chdir(Path(out).parent)  # importers write logs into the working folder
    with Path(out).open("a") as file:
        for name in names:
            cell = probe(engine, rows[name])
            said = {"row": name, "outcome": cell.outcome, "value": plain_value(cell.value), "reason": cell.reason}
            file.write(json.dumps(said) + "\n")
            file.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
