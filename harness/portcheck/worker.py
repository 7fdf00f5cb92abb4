"""One engine's process: reads one request a line (JSON), examines that robot file, answers into the file it names.

`python -m simparity.harness.portcheck.worker ENGINE`. A request holds robot, out, package_path, without_geometry,
reference, only, rtol, tolerances and folder. A process takes any number of robots;
whatever engines print goes to standard error.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from pathlib import Path
from typing import Any

from ..errors import UsageError
from .examine import Tolerances, examine
from .items import chosen
from .prepare import prepare
from .source import read_source


def answer(engine: str, request: dict[str, Any]) -> dict[str, Any]:
    """What is said of one robot: an `Examined` as JSON, or {"usage": sentence}, or {"broken": why}."""
    try:
        prepared = prepare(
            Path(request["robot"]),
            request["package_path"],
            without_geometry=request["without_geometry"],
            folder=Path(request["folder"]),
        )
        source = read_source(prepared, request["reference"])
        tolerances = Tolerances(rtol=request["rtol"], quantities=request["tolerances"])
        return examine(engine, source, chosen(request["only"]), tolerances).plain()
    except UsageError as error:
        return {"usage": str(error)}
    except Exception as error:
        traceback.print_exc()
        return {"broken": f"{type(error).__name__}: {error}"}


def main(engine: str) -> None:
    """Answer every request on standard input."""
    os.dup2(2, 1)  # engines print where they like
    for line in sys.stdin:
        request = json.loads(line)
        out = Path(request["out"])
        draft = out.with_suffix(".draft")
        draft.write_text(json.dumps(answer(engine, request)))
        draft.rename(out)


if __name__ == "__main__":
    main(sys.argv[1])
