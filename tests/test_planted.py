"""Defects planted in a live model are found; docs/planted.md says how many in every engine."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from simparity.engines import ENGINES
from simparity.harness.portcheck.prepare import prepare
from simparity.harness.portcheck.source import read_source

from .planted import Outcome, findings, planted, robots, said
from .plantedtable import page
from .planting.mutation import FOUND_BY, Planting, candidates, choose

QUICK = next(name for name, entry in ENGINES.items() if entry.distribution and not entry.compiles)


@pytest.mark.parametrize("robot", ["plain", "rich", "fr3"])
def test_planted_defects_are_found(robot: str, tmp_path: Path) -> None:
    outcomes = [x for x in planted(QUICK, robot, robots(tmp_path)[robot], 40) if isinstance(x, Outcome)]
    assert len(outcomes) >= 30
    assert [str(x.mutation) + x.error for x in outcomes if not x.by] == []


def planting_of(path: str) -> Planting:
    planting: Planting = import_module(f"{__package__}.planting.{QUICK}").Planted(path)
    return planting


def test_nothing_is_found_in_sound_models(tmp_path: Path) -> None:
    for name in ("plain", "rich"):
        path = robots(tmp_path)[name]
        assert findings(QUICK, read_source(prepare(path)), planting_of(str(path)).sound(), motion=True) == []


def test_every_kind_is_drawn_where_the_format_has_it(tmp_path: Path) -> None:
    path = robots(tmp_path)["rich"]
    planting = planting_of(str(path))
    reading = planting.sound().reading()
    random = np.random.default_rng(0)
    all_of_them = candidates(reading, planting.names(reading), random)
    drawn = choose(all_of_them, len(FOUND_BY) * 4, random, planting.able)
    assert {m.kind for m in drawn} == set(FOUND_BY)
    assert all(said(read_source(prepare(path)), kind) for kind in FOUND_BY)


def test_the_page_lists_every_miss() -> None:
    lines = [
        {"engine": "a", "robot": "r", "kind": "mass", "what": f"mass {n}", "size": size, "by": by, "error": ""}
        for n, (size, by) in enumerate([(0.1, ["RB-MASS"]), (0.1, []), (1e-3, [])])
    ]
    text = page(lines)
    assert "**1 of 2** found" in text and "**0 of 1** found" in text
    assert "mass 1" in text and "mass 2" in text and "mass 0" not in text
