"""Diagrams and tables of contact experiments, as data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from simparity.harness.contacts import ContactLog, ContactRows, ContactTrace
from simparity.harness.errors import SimparityError
from simparity.harness.report.chart import Chart
from simparity.harness.report.contact_charts import contact_charts
from simparity.harness.report.frames import load_contacts
from simparity.harness.report.paths import path_chart
from simparity.harness.report.plot import for_page
from simparity.harness.report.summarise import summarise
from simparity.harness.report.summary import Section
from simparity.harness.report.write import write_report
from simparity.harness.trace import Trace

from .bench_report import made_run, made_trace
from .made_up import JAM, STALLED, Jam, jam, register, spread_about

EVIL = "<i>$x$_{</i>&"


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    register(monkeypatch)
    return tmp_path / "results"


@dataclass(frozen=True, slots=True, kw_only=True)
class Calm(Jam):
    """The same without an ensemble, with an error that vanishes with the step."""

    ENSEMBLE: ClassVar[str] = ""
    MAIN_METRICS: ClassVar[tuple[str, ...]] = ("outcome", "work", "stall_depth")


def section(results: Path) -> Section:
    (found,) = summarise(results).sections
    return found


def moving(path: np.ndarray) -> Trace:
    trace = made_trace(1e-3, (len(path) - 1) * 1e-3, 0.0, 0.0)
    trace.channels["p_WB"][:, 0] = path
    return trace


def made_contacts(force: float, parties: tuple[str, ...] = ("peg", "bore", "table")) -> ContactTrace:
    """The peg presses with `force` [N] in two points on the bore, and with 1 N on the table, from the first step on."""
    log = ContactLog(parties)
    for sample in range(1, 1001):
        normals, forces = [[1.0, 0, 0], [1.0, 0, 0], [0, 0, 1.0]], [force / 2, force / 2, 1.0]
        at = np.zeros((3, 3))
        log.keep(sample, ContactRows.of([0, 0, 0], [1, 1, 2], at, normals, np.full(3, -1e-4), forces, at))
    return log.trace(1001)


@pytest.mark.parametrize(
    ("axes", "view"), [((0, 1), "from above"), ((0, 2), "from the side, along y"), ((1, 2), "from the side, along x")]
)
def test_a_path_is_drawn_in_the_plane_of_its_largest_extents(axes: tuple[int, int], view: str) -> None:
    path = np.zeros((101, 3))
    path[:, axes[0]] = np.linspace(0, 1, 101)
    path[:, axes[1]] = 0.5 * np.sin(np.linspace(0, 3, 101))
    path[:, 3 - sum(axes)] = 1e-2 * np.linspace(0, 1, 101)
    chart = path_chart({"alpha": moving(path)})
    assert chart is not None and chart.title == f"Path {view}" and chart.paths
    assert chart.curves[0].x.tolist() == path[:, axes[0]].tolist()
    assert chart.curves[0].y.tolist() == path[:, axes[1]].tolist()


def test_a_way_along_one_line_is_no_path() -> None:
    path = np.zeros((101, 3))
    path[:, 0] = np.linspace(0, 1, 101)
    path[:, 2] = np.linspace(0, 5e-3, 101)  # what a block rises that slides a metre
    assert path_chart({"alpha": moving(path)}) is None
    assert path_chart({}) is None


def test_long_paths_are_thinned_and_keep_their_ends() -> None:
    turns = np.linspace(0, 20, 20001)
    path = np.stack([np.cos(turns), np.sin(turns), 0 * turns], axis=1)
    chart = path_chart({name: moving(path) for name in ("alpha", "beta")})
    assert chart is not None and all(len(curve.x) == 2000 for curve in chart.curves)
    assert chart.curves[0].x[[0, -1]].tolist() == path[[0, -1], 0].tolist()


def test_contact_forces_are_summed_over_the_points_of_a_pair() -> None:
    time = np.arange(1001) * 1e-3
    charts = contact_charts({"alpha": (time, made_contacts(4.0)), "beta": (time, made_contacts(6.0))}, ())
    assert [chart.title for chart in charts] == [
        "Normal force between peg and bore",
        "Normal force between peg and table",
    ]
    alpha, beta = charts[0].curves
    assert (alpha.y[0], alpha.y[1], beta.y[1]) == (0.0, 4.0, 6.0)


def test_the_contact_force_on_a_body_is_the_size_of_the_sum() -> None:
    time = np.arange(1001) * 1e-3
    (chart,) = contact_charts({"alpha": (time, made_contacts(4.0))}, ("peg", "nobody"))
    assert chart.title == "Contact force on peg"
    assert chart.curves[0].y[5] == pytest.approx(np.hypot(4.0, 1.0))


def charts_in(results: Path) -> dict[str, Chart]:
    return {chart.title: chart for chart in section(results).panels[0].charts}


def test_contact_points_on_disk_are_drawn_and_torn_ones_are_named(results: Path) -> None:
    jam(results, "alpha", [STALLED] * 2, [0.0154] * 2, contacts=made_contacts(4.0))
    assert "Normal force between peg and bore" in charts_in(results)
    for path in results.glob("*/*/alpha/*/contacts.npz"):
        path.write_bytes(b"torn")
    summary = summarise(results)
    assert len(summary.damage) == 2 and all("holds no readable contacts" in row.reason for row in summary.damage)
    assert not any("between" in chart.title for chart in summary.sections[0].panels[0].charts)


def test_contact_points_beyond_the_trace_are_damage(results: Path) -> None:
    jam(results, "alpha", [STALLED], [0.0154], contacts=made_contacts(4.0), trace=made_trace(1e-3, 0.5, 0.05, 0.0))
    (row,) = summarise(results).damage
    assert Path(row.path).name == "contacts.npz" and "sample 1000 of a trace of 501" in row.reason
    with pytest.raises(SimparityError, match="sample 1000 of a trace of 501"):
        load_contacts(Path(row.path).parent.name, results)


def test_series_follow_from_the_samples_of_every_member(results: Path) -> None:
    for member in range(2):
        made_run(
            results,
            "alpha",
            experiment=JAM,
            params={"tilt": 0.75, "member": member},
            metrics={"outcome": 1.0, "stall_depth": 0.01, "peak_force": 1.0, "work": 1.0},
            trace=made_trace(1e-3, 1.0, 0.1 * member, 0.0),
        )
    chart = charts_in(results)["Depth, every member: how deep the peg is"]
    assert chart.y == ("depth", "m")
    assert [curve.y[-1] for curve in chart.curves] == pytest.approx([0.376, 0.276])


def test_a_trace_that_the_experiment_cannot_read_is_named(results: Path) -> None:
    other = made_trace(1e-3, 1.0, 0.05, 0.0, name="ball")
    jam(results, "alpha", [STALLED], [0.0154], trace=other)
    summary = summarise(results)
    assert "no series can be derived from it (ValueError" in summary.damage[0].reason
    assert summary.sections[0].panels[0].charts


def test_contact_quality_marks_the_largest_of_each_column(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    quality = {"largest_overlap": 1e-4, "cone_violation": -0.1, "force_balance": 1e-12}
    jam(results, "alpha", [STALLED] * 2, [0.0154] * 2, extra=quality)
    jam(results, "beta", [STALLED] * 2, [0.0154] * 2, extra=quality | {"largest_overlap": 3e-4})
    table = section(results).quality
    assert table is not None
    names = [name for name, _ in table.columns]
    assert len(names) == 5 and [row.label for row in table.rows] == ["alpha", "beta"]
    marked = {(row.label, name) for row in table.rows for name, top in zip(names, row.largest, strict=True) if top}
    assert marked == {("beta", "largest_overlap")}  # equal ones and a cone that is kept are no fault of anyone
    assert table.rows[1].values[names.index("largest_overlap")] == "300\xa0µm"
    assert table.rows[0].values[names.index("signorini_residual")] == "–"
    view = section(results).panels[0].ensemble
    assert view is not None and not {row.name for row in view.rows} & set(names)


def test_an_experiment_without_contacts_has_no_quality_table(results: Path) -> None:
    made_run(results, "alpha")
    assert section(results).quality is None


def converging(results: Path, engine: str, order: int, **given: object) -> None:
    for dt in (4e-3, 2e-3, 1e-3):
        metrics = {"outcome": 1.0, "work": 5.0 * dt**order, "stall_depth": 0.0154}
        params = {"tilt": 0.75, "member": 0}
        made_run(results, engine, experiment=JAM, params=params, dt=dt, metrics=metrics, **given)  # type: ignore[arg-type]


def test_errors_against_dt_have_a_fitted_order(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    register(monkeypatch, kind=Calm)
    converging(results, "alpha", 1)
    converging(results, "beta", 4)
    (sweep,) = section(results).sweeps
    assert (sweep.name, sweep.where) == ("dt", "default settings")
    (swept,) = sweep.charts  # the depth does not change, the outcome is a word
    assert swept.note == "order of convergence: alpha 1, beta 4"
    assert swept.chart.log_x and swept.chart.log_y
    assert swept.chart.curves[1].x.tolist() == [1e-3, 2e-3, 4e-3]
    assert swept.chart.curves[1].y.tolist() == pytest.approx([5e-12, 8e-11, 1.28e-9])


def test_two_values_are_no_sweep(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    register(monkeypatch, kind=Calm)
    for tilt in (0.2, 0.4):
        jam(results, "alpha", [STALLED], [0.0154 * tilt], params={"tilt": tilt})
    assert section(results).sweeps == ()
    jam(results, "alpha", [STALLED], [0.0154], params={"tilt": 0.9})
    (sweep,) = section(results).sweeps
    assert sweep.name == "tilt" and sweep.where == "default settings, step 1\xa0ms"
    assert {swept.chart.title for swept in sweep.charts} == {"work against tilt", "stall depth against tilt"}
    assert not any(swept.note for swept in sweep.charts)


def test_an_option_is_swept_from_its_resolved_default(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run without the option counts at the value that the engine resolved."""
    register(monkeypatch, kind=Calm)
    for iterations, depth in ((10, 0.02), (50, 0.018)):
        jam(results, "beta", [STALLED], [depth], overrides={"iterations": iterations})
    jam(results, "beta", [STALLED], [0.0154], options={"iterations": 100})
    (sweep,) = section(results).sweeps
    depth = next(swept.chart for swept in sweep.charts if "depth" in swept.chart.title)
    assert sweep.name == "iterations" and [style.label for style in sweep.styles] == ["beta"]
    assert depth.curves[0].x.tolist() == [10, 50, 100] and depth.log_x
    assert depth.curves[0].y.tolist() == [0.02, 0.018, 0.0154]


def test_members_give_a_median_and_a_band(results: Path) -> None:
    for tilt in (0.2, 0.4, 0.75):
        jam(results, "alpha", [STALLED] * 5, spread_about(0.0154 / tilt, 5), params={"tilt": tilt})
    (sweep,) = section(results).sweeps
    depth = next(swept.chart.curves[0] for swept in sweep.charts if "depth" in swept.chart.title)
    assert depth.y.tolist() == pytest.approx([0.0154 / tilt for tilt in (0.2, 0.4, 0.75)])
    assert depth.low is not None and depth.high is not None and (depth.high > depth.low).all()


def test_everything_is_on_the_page_and_names_from_models_are_escaped(
    results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for tilt in (0.2, 0.4, 0.75):
        for engine in ("alpha", "beta"):
            jam(
                results,
                engine,
                [STALLED] * 4,
                spread_about(0.0154 / tilt, 4),
                params={"tilt": tilt},
                contacts=made_contacts(4.0, ("peg", EVIL, "table")),
                extra={"largest_overlap": 1e-4},
                overrides={"mesh": EVIL} if engine == "beta" else {},
            )
    first, second = ([path.read_bytes() for path in write_report(results, tmp_path / name)] for name in "ab")
    assert first == second
    html = first[0].decode()
    for part in ('data-test-sweep="tilt"', "data-test-quality", 'data-test-chart="Depth, every member'):
        assert part in html
    assert "<i>" not in html and "&lt;i&gt;$x$_{&lt;/i&gt;&amp;" in html
    assert "### Contact quality" in first[1].decode() and "<i>" not in first[1].decode()


def test_a_crowd_has_its_paths_drawn_and_no_single_body(results: Path) -> None:
    trace = made_trace(1e-3, 1.0, 0.05, 0.0)
    channels = {name: np.repeat(array, 5, axis=1) for name, array in trace.channels.items()}
    channels["p_WB"][:, :, 0] = np.linspace(0, 1, 1001)[:, None]
    crowd = Trace(trace.time, ("cube", *(f"ball{k}" for k in range(4))), channels)
    for engine in ("alpha", "beta"):
        jam(results, engine, [STALLED], [0.0154], trace=crowd)
    charts = charts_in(results)
    assert list(charts) == ["Depth: how deep the peg is", "Paths from the side, along y"]
    assert len(charts["Paths from the side, along y"].curves) == 10


def test_coordinates_are_cut_after_two_decimals_and_labels_are_not() -> None:
    svg = for_page('<svg viewBox="0 0 1 1"><path d="M 1.23456 2.5"/><text x="3.14159">0.0025</text></svg>', "a tick")
    assert 'd="M 1.23 2.5"' in svg and '<text x="3.14">0.0025</text>' in svg
