"""Engines in the report: each has one colour, the same in every report, that colour-blind readers can tell apart."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from simparity.engines import ENGINES
from simparity.harness.report.chart import COLOURS, DASHES
from simparity.harness.report.render import TEMPLATES, page
from simparity.harness.report.summarise import colours_of, summarise

from .bench_report import made_run

# how dichromats see linear RGB: Machado, Oliveira and Fernandes (2009), severity 1
SEEN = {
    "by most": np.eye(3),
    "without red cones": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "without green cones": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "without blue cones": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
NOTICED = 2.3  # CIE 1976 difference that is just noticed side by side (Mahy, Van Eycken and Oosterlinck, 1994)
XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
WHITE = np.array([0.95047, 1.0, 1.08883])  # D65


def palettes() -> list[dict[int, str]]:
    """Number -> colour in light and in dark mode."""
    light, dark = (TEMPLATES / "style.css").read_text().split("@media", 1)
    return [{int(k): value for k, value in re.findall(r"--c(\d): (#\w{6})", css)} for css in (light, dark)]


def lab(colour: str, seen: np.ndarray) -> np.ndarray:
    coded = np.array([int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    linear = np.where(coded <= 0.04045, coded / 12.92, ((coded + 0.055) / 1.055) ** 2.4)
    ratio = XYZ @ np.clip(seen @ linear, 0, 1) / WHITE
    f = np.where(ratio > 0.008856, np.cbrt(ratio), 7.787 * ratio + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("how", SEEN)
@pytest.mark.parametrize("mode", [0, 1])
def test_engines_are_told_apart_by_everyone(mode: int, how: str) -> None:
    colours = palettes()[mode]
    assert set(colours) == set(range(COLOURS))
    for (a, first), (b, second) in combinations(ENGINES.items(), 2):
        apart = np.linalg.norm(lab(colours[first.colour], SEEN[how]) - lab(colours[second.colour], SEEN[how]))
        assert apart > 4 * NOTICED, f"{a} and {b} look alike {how}"


def test_an_engine_has_its_own_colour_whoever_else_is_there() -> None:
    names = sorted(ENGINES)
    assert len({ENGINES[name].colour for name in names}) == len(names)
    for name in names:
        assert colours_of([name])[name] == colours_of(names)[name]
    strangers = colours_of([*names, "zeta", "eta"])
    assert len(set(strangers.values())) == len(names) + 2


def test_participants_of_one_engine_share_its_colour_and_have_dashes_of_their_own(tmp_path: Path) -> None:
    first, second = sorted(ENGINES)[:2]
    for engine, overrides in ((first, {}), (second, {}), (second, {"cone": "elliptic"}), (second, {"iterations": 50})):
        made_run(tmp_path, engine, overrides=overrides, libraries={"numpy": "1"})
    made_run(tmp_path, second, libraries={"numpy": "2"})
    summary = summarise(tmp_path)
    (section,) = summary.sections
    styles = [style for label, style in section.styles.items() if label.startswith(second)]
    assert {style.colour for style in styles} == {ENGINES[second].colour}
    assert sorted(style.dash for style in styles) == [0, 1, 2, 3]
    text = page(summary)
    for pattern in DASHES[1:4]:
        assert f'stroke-dasharray="{" ".join(f"{1.6 * length:g}" for length in pattern)}"' in text
