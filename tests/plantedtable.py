"""The page about planted defects: `python -m tests.plantedtable planted.jsonl... --out docs/planted.md`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .planting.mutation import FOUND_BY

Line = dict[str, Any]
HEAD = """\
# Planted defects

One value at a time is changed in a live model, through another interface than the one that the checklist reads, and
the checklist is run again. A defect counts as found when the item that is about it has a finding which the sound model
has not, and which names the element that was changed. Mutations are drawn with a seed: kinds in turn in a random order,
element and size at random, a quarter of them of size 1e-3. Sizes are relative, in rad for turned axes; offsets are
moved by that share of their length, or of 0.05 m.

| engine | changed through | read through |
|---|---|---|
| mujoco | `MjSpec`, compiled again | arrays of `MjModel` |
| newton | arrays of `Model` and `notify_model_changed`; filter and labels in the builder | arrays of `mjw_model` |
| genesis | setters; frames, axes, filter, order and dt in the descriptions before the build | \
getters and `dyn_info` |

Robots: `plain` and `rich` of tests/robots.py and `fr3` are ours; `nv_ant.xml` and `quadruped.urdf` come with Newton.
A URDF says nothing of contact friction, collision filter and dt, and Newton has no dt of its own: not planted there.

Made by `python -m tests.planted --engines mujoco,newton,genesis --out planted.jsonl` and
`python -m tests.plantedtable planted.jsonl --out docs/planted.md`.
"""

SOUND = """\
Items with findings before anything was planted, in brackets where they are notes only. The same findings, and no other
ones, were there after all defects were taken out again. `simparity check` says the cause where we know it."""


def page(lines: Sequence[Line]) -> str:
    """The page as Markdown."""
    engines = list(dict.fromkeys(line["engine"] for line in lines))
    planted = [x for x in lines if "kind" in x]
    large = [x for x in planted if x["size"] >= 1e-2 or not x["size"]]
    small = [x for x in planted if 0 < x["size"] < 1e-2]
    out = [
        HEAD,
        f"Of 1e-2 and more, flips and swaps: **{_share(large)}** found. Of 1e-3: **{_share(small)}** found.",
        "",
    ]
    out += ["| defect | " + " | ".join(engines) + " | of 1e-3, all engines |", "|" + "---|" * (len(engines) + 2)]
    for kind in FOUND_BY:
        cells = [_share([x for x in large if (x["engine"], x["kind"]) == (engine, kind)]) for engine in engines]
        out.append(f"| {kind} | " + " | ".join(cells) + f" | {_share([x for x in small if x['kind'] == kind])} |")
    totals = [_share([x for x in large if x["engine"] == engine]) for engine in engines]
    out += [
        "| **all** | " + " | ".join(totals) + f" | {_share(small)} |",
        "",
        "| robot | " + " | ".join(engines) + " |",
    ]
    out.append("|" + "---|" * (len(engines) + 1))
    for robot in dict.fromkeys(x["robot"] for x in lines):
        cells = [_share([x for x in planted if (x["engine"], x["robot"]) == (engine, robot)]) for engine in engines]
        out.append(f"| {robot}, all sizes | " + " | ".join(cells) + " |")
    missed = [x for x in planted if not x["by"]]
    out += ["", "## Misses", ""]
    out += [f"- {x['engine']}, {x['robot']}: {x['what']}{': ' + x['error'] if x['error'] else ''}" for x in missed]
    out += [] if missed else ["None."]
    out += ["", "## The sound models", "", SOUND, "", "| robot | " + " | ".join(engines) + " |"]
    out.append("|" + "---|" * (len(engines) + 1))
    for robot in dict.fromkeys(x["robot"] for x in lines):
        mine = {x["engine"]: x for x in lines if "sound" in x and x["robot"] == robot}
        out.append(f"| {robot} | " + " | ".join(_sound(mine.get(engine)) for engine in engines) + " |")
    return "\n".join(out) + "\n"


def _sound(line: Line | None) -> str:
    """Findings of a sound model by item, notes in brackets."""
    found = {} if line is None else line["sound"]
    return ", ".join(f"({item})" if note else item for item, note in sorted(found.items())) or "none"


def _share(lines: Sequence[Line]) -> str:
    return f"{sum(bool(x['by']) for x in lines)} of {len(lines)}" if lines else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("records", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args()
    asked.out.write_text(page([json.loads(x) for path in asked.records for x in path.read_text().splitlines()]))


if __name__ == "__main__":
    main()
