"""Outlines of soft bodies in the report."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import simparity
from simparity.engines import ENGINES
from simparity.experiments.ball_mesh import ball_mesh
from simparity.harness.channels import Sample
from simparity.harness.report.outlines import outline_charts, silhouette
from simparity.harness.soft_state import SoftLog, SoftPart, SoftTrace

from .softtable import _lifts, page


def test_a_silhouette_is_the_hull_in_order() -> None:
    inside = np.random.default_rng(1).uniform(-0.9, 0.9, (200, 2))
    square = np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]])
    hull = silhouette(np.vstack([inside, square, [[0.0, 1.0]]]))  # the last lies on an edge
    assert hull[0].tolist() == hull[-1].tolist()
    assert {tuple(p) for p in hull.tolist()} == {tuple(p) for p in square.tolist()}
    x, y = hull.T
    assert 0.5 * float(x[:-1] @ y[1:] - x[1:] @ y[:-1]) == 4.0, "counter-clockwise, the whole area"


def squeezed(invert: bool) -> SoftTrace:
    """A ball that is flattened along x by a half and rises; at the end it is turned inside out where asked."""
    mesh, steps = ball_mesh(), 10
    part = SoftPart(name="ball", rest=mesh.vertices, elements=mesh.elements, mass=np.ones(125))
    log, sample = SoftLog(part, 0, (), steps), Sample((), (), (125,))
    for k in range(steps + 1):
        flat = 1 - 0.5 * np.sin(np.pi * k / steps)
        sample.soft[0][0] = mesh.vertices * [-1.0 if invert and k == steps else flat, 1, 1] + [0, 0, 0.01 * k]
        log.keep(k, sample)
    return log.trace(np.arange(steps + 1) * 0.1)


def test_the_impulse_is_the_force_of_every_step_summed() -> None:
    ball = squeezed(False)
    pressed = replace(ball, links=("pad",), f_links=np.full((11, 1, 3), 2.0))
    assert pressed.impulse.shape == (11, 1, 3) and pressed.impulse[0, 0, 0] == 0.0
    assert pressed.impulse[-1, 0].tolist() == pytest.approx([2.0] * 3), "2 N over 1 s"


def test_outlines_at_three_instants() -> None:
    start, strained, end = outline_charts({"one": squeezed(False), "two": squeezed(True)})
    for chart in (start, strained, end):
        assert chart.paths and [curve.label for curve in chart.curves] == ["one", "two"]

    def width(chart: object, k: int) -> float:
        return float(np.ptp(chart.curves[k].x))  # type: ignore[attr-defined]

    assert width(start, 0) > 1.9 * width(strained, 0), "half as wide where it is strained most"
    top = [curve.y.max() for curve in end.curves]
    assert top[0] > top[1], "what comes after an inversion is not drawn"


def test_the_committed_page_is_made_of_the_committed_runs() -> None:
    folder = Path(simparity.__file__).parent / "results" / "reference" / "soft"
    runs = pd.read_csv(folder / "runs.csv")
    assert set(runs.engine) == {name for name, entry in ENGINES.items() if entry.distribution}
    assert (folder / "README.md").read_text() == page(runs)


LIFT = {
    "engine": "mujoco",
    "settings": "published",
    "overrides": None,
    "carrier": "slides",
    "dt": 1e-3,
    "duration": 1.05,
    "repeat": 0,
    "effort": 1.0,
    "status": "ok",
    "outcome_word": "lifted",
    "lift_achieved": 0.047,
    "mu_used": 0.5,
    "effort_needed": 1.03,
}
LOST = LIFT | dict.fromkeys(["outcome_word", "lift_achieved", "mu_used", "effort_needed"]) | {"status": "diverged"}


def lifts(*rows: dict[str, Any]) -> list[str]:
    """The rows of the table of lifts that these made-up runs give, without those of its head."""
    return _lifts(pd.DataFrame(rows))[3:]


def test_a_diverged_lift_is_told() -> None:
    assert lifts(LOST, LIFT | {"effort": 2.0}, LOST | {"engine": "newton", "effort": 2.0}) == [
        "| mujoco, published | 1 | 0.5 | 1.03 | diverged | lifted 47.0 mm |",
        "| newton, published | 1 |  |  |  | diverged |",
    ]


def test_lifts_of_another_duration_or_repeat_have_no_cell() -> None:
    other = {"outcome_word": "dropped", "lift_achieved": 0.001}
    told = lifts(LIFT, LIFT | other | {"duration": 1.4}, LIFT | other | {"repeat": 1})
    assert told == ["| mujoco, published | 1 | 0.5 | 1.03 | lifted 47.0 mm |"]


def test_two_lifts_in_one_cell_are_an_error() -> None:
    with pytest.raises(ValueError, match=r"^mujoco, published, dt 1 ms: .* several at 1 N; leave one"):
        lifts(LIFT, LIFT | {"control_dt": 5e-4})


def test_nothing_soft_no_outline() -> None:
    assert outline_charts({}) == ()
