"""Plants defects in engines and counts how many the checklist finds.

`python -m tests.planted --engines a,b --out planted.jsonl` plants, `python -m tests.plantedtable planted.jsonl --out
docs/planted.md` makes the table. Three robots are ours, two come with a package of the index (Newton's examples).
"""

from __future__ import annotations

import argparse
import json
import tempfile
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module, util
from pathlib import Path
from typing import Any

import numpy as np

from simparity.harness.imported import ImportedModel
from simparity.harness.portcheck.examine import Tolerances, compared, importer
from simparity.harness.portcheck.finder import Finder
from simparity.harness.portcheck.finding import Finding
from simparity.harness.portcheck.items import chosen
from simparity.harness.portcheck.prepare import prepare
from simparity.harness.portcheck.source import Source, read_source

from .planting.mutation import FOUND_BY, Mutation, candidates, choose
from .robots import PLAIN, RICH

SEED = 7
READ_BACK = tuple(item for item in chosen(["RB", "DF", "CF"]) if item.id not in ("RB-FK", "RB-MATRIX", "RB-GRAVITY"))
WITH_MOTION = chosen(["RB", "DF", "CF"])


@dataclass(frozen=True, slots=True)
class Outcome:
    """One mutation in one engine: `by` are the items that found it, `error` why it could not be planted."""

    engine: str
    robot: str
    mutation: Mutation
    by: tuple[str, ...] = ()
    error: str = ""

    def plain(self) -> dict[str, Any]:
        m = self.mutation
        return {
            "engine": self.engine,
            "robot": self.robot,
            "kind": m.kind,
            "what": str(m),
            "how": m.how,
            "size": m.size,
            "by": self.by,
            "error": self.error,
        }


@dataclass(frozen=True, slots=True)
class Sound:
    """Items that have findings in the sound model -> whether they are notes only."""

    engine: str
    robot: str
    sound: dict[str, bool]

    def plain(self) -> dict[str, Any]:
        return {"engine": self.engine, "robot": self.robot, "sound": self.sound}


def robots(folder: Path) -> dict[str, Path]:
    """Five robot files by name."""
    found = {}
    for name, text in (("plain", PLAIN), ("rich", RICH)):
        found[name] = folder / f"{name}.xml"
        found[name].write_text(text)
    found["fr3"] = Path(__file__).parents[1] / "experiments" / "assets" / "fr3.xml"
    spec = util.find_spec("newton")  # finds the package and imports nothing
    if spec is not None and spec.origin is not None:
        assets = Path(spec.origin).parent / "examples" / "assets"
        found |= {"nv_ant": assets / "nv_ant.xml", "quadruped": assets / "quadruped.urdf"}
    return found


def findings(engine: str, source: Source, model: ImportedModel, *, motion: bool = False) -> list[Finding]:
    """What the checklist finds in a live model."""
    finder = Finder(engine, source, importer(engine).CAUSES)
    return list(compared(model, finder, WITH_MOTION if motion else READ_BACK, Tolerances()).findings)


def planted(engine: str, name: str, path: Path, count: int, seed: int = SEED) -> Iterator[Outcome | Sound]:
    """Plant `count` defects in a robot, one at a time; what the sound model shows comes last."""
    source = read_source(prepare(path))
    planting = import_module(f"{__package__}.planting.{engine}").Planted(str(source.prepared.path))
    random = np.random.default_rng([seed, *name.encode(), *engine.encode()])
    sound = planting.sound()
    reading = sound.reading()
    known = findings(engine, source, sound, motion=True)
    before = {_same(f) for f in known}
    able = tuple(kind for kind in planting.able if said(source, kind))
    for mutation in choose(candidates(reading, planting.names(reading), random), count, random, able):
        try:
            model = planting.plant(mutation)
            after = findings(engine, source, model, motion=mutation.kind == "gravity")
            fresh = [f for f in after if _same(f) not in before and about(mutation, f)]
            by = tuple(sorted({f.item for f in fresh} & set(FOUND_BY[mutation.kind])))
            yield Outcome(engine, name, mutation, by)
        except Exception as error:
            traceback.print_exc()
            yield Outcome(engine, name, mutation, error=f"{type(error).__name__}: {error}")
        finally:
            planting.remove()
    after = {_same(f) for f in findings(engine, source, sound, motion=True)}
    assert after == before, f"what was planted is still there: {after ^ before}"
    yield Sound(engine, name, {i: all(f.severity == "note" for f in known if f.item == i) for i, *_ in before})


def said(source: Source, kind: str) -> bool:
    """Whether the robot's format has such a quantity: a URDF holds no contact friction, no filter and no dt."""
    held = {f"{key.kind}.{key.quantity}" for key in source.reading.table}
    match kind:
        case "surface friction":
            return "geom.friction" in held
        case "filter":
            return source.reading.pairs is not None
        case "dt":
            return "option.dt" in held
    return True


def about(mutation: Mutation, finding: Finding) -> bool:
    """Whether a finding names the element that was changed; those about options and pairs name none or another."""
    if mutation.kind in ("filter", "order", "gravity", "dt"):
        return True
    last = mutation.element.rpartition("/")
    name = f"{last[0].rpartition('/')[2]}/{last[2]}" if mutation.kind == "surface friction" else last[2]
    return finding.element.partition(" ")[2].endswith(name)


def _same(finding: Finding) -> tuple[object, ...]:
    return finding.item, finding.element, finding.quantity, finding.found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engines", required=True)
    parser.add_argument("--count", type=int, default=27, help="mutations per robot and engine")
    parser.add_argument("--robots", default="")
    parser.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args()
    asked.out.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        files = robots(Path(folder))
        for engine in asked.engines.split(","):
            for name in asked.robots.split(",") if asked.robots else files:
                for outcome in planted(engine, name, files[name], asked.count):
                    with asked.out.open("a") as stream:
                        stream.write(json.dumps(outcome.plain()) + "\n")
                    if isinstance(outcome, Outcome):
                        print(engine, name, outcome.mutation, "->", outcome.error or outcome.by or "MISSED", flush=True)


if __name__ == "__main__":
    main()
