from __future__ import annotations

from pathlib import Path

import pytest

from simparity.harness.channels import ChannelNote
from simparity.harness.checks import Verdict
from simparity.harness.engine import Resolved
from simparity.harness.report.summarise import summarise
from simparity.harness.report.write import write_report

from .bench_report import made_robot_trace, made_run
from .test_report_summary import cell


@pytest.fixture
def results(tmp_path: Path) -> Path:
    return tmp_path / "results"


def robot(results: Path, engine: str, offset: float, *, soften: float = 1.0, joints: int = 2) -> None:
    """A robot's run with two repeats and a halved step."""
    for repeat, dt in ((0, 1e-3), (1, 1e-3), (0, 5e-4)):
        trace = made_robot_trace(dt, 1.0, offset, joints)
        made_run(
            results,
            engine,
            experiment="reach",
            params={"soften": soften},
            dt=dt,
            repeat=repeat,
            trace=trace,
            rows=LIMITS,
        )


LIMITS = {"joint.joint2.lower": Resolved(value=-1.0, unit="m", origin="file", native="jnt_range")}


def test_robots_are_compared_by_their_joints(results: Path) -> None:
    robot(results, "alpha", 0.0)
    robot(results, "beta", 1e-3)
    summary = summarise(results)
    found = cell(summary, "alpha", "beta")
    assert (found.word, found.kind, found.amount) == ("differ", "joint", "1\xa0mrad")
    (table,) = summary.matrix.numbers
    assert table.kinds == ("joint", "slide")
    assert [number.difference for number in table.rows[0].numbers if number] == ["1\xa0mrad", "2\xa0mm"]
    panel = summary.sections[0].panels[0]
    assert [(row.label, row.kind, row.unit) for row in panel.convergence] == [
        ("alpha", "slide", "m"),
        ("beta", "slide", "m"),
        ("beta", "joint", "rad"),
    ]
    assert [row.difference for row in panel.convergence[1:]] == pytest.approx([2e-3, 1e-3])


def test_joints_have_small_diagrams_with_their_units(results: Path) -> None:
    robot(results, "alpha", 0.0)
    robot(results, "beta", 1e-3)
    groups = summarise(results).sections[0].panels[0].joint_charts
    assert [group.title for group in groups] == ["Joint positions", "Difference to alpha", "Torques"]
    assert [chart.title for chart in groups[0].charts] == ["joint1 [rad]", "joint2 [m]"]
    assert [chart.title for chart in groups[2].charts] == ["joint1 [N m]", "joint2 [N]"]
    assert [curve.label for curve in groups[1].charts[0].curves] == ["beta"] and groups[1].charts[0].log_y


def test_of_many_joints_those_that_differ_most_are_drawn(results: Path) -> None:
    robot(results, "alpha", 0.0, joints=12)
    robot(results, "beta", 1e-3, joints=12)
    positions = summarise(results).sections[0].panels[0].joint_charts[0]
    assert [chart.title for chart in positions.charts] == [
        "joint4 [rad]",
        *(f"joint{k} [rad]" for k in range(5, 13)),
    ]
    assert "The 9 of 12 joints in which engines differ most." in positions.text


def test_the_difference_is_drawn_against_the_softness_of_the_controller(results: Path) -> None:
    for soften in (1.0, 0.5, 0.25):
        robot(results, "alpha", 0.0, soften=soften)
        robot(results, "beta", 1e-3 / soften, soften=soften)
    section = summarise(results).sections[0]
    (softening,) = section.softenings
    assert softening.where == "default settings, step 1\xa0ms"
    (curve,) = softening.chart.curves
    assert curve.label == "alpha and beta"
    assert curve.x.tolist() == [0.25, 0.5, 1.0] and curve.y.tolist() == pytest.approx([4e-3, 2e-3, 1e-3])
    assert section.answers[-1] == (
        "With a softer controller (soften 1 to 0.25; default settings, step 1\xa0ms), "
        "the largest joint difference (alpha and beta) goes from 1\xa0mrad to 4\xa0mrad."
    )
    assert not any("soften 0.5" in answer for answer in section.answers)


def states(results: Path, engine: str, error: float, *, load: float = 0.0, outcome: str = "pass") -> None:
    """A run that only evaluates states."""
    check = Verdict(
        metric="fk_error",
        outcome=outcome,  # type: ignore[arg-type]
        measured=error,
        expected=0.0,
        error=error,
        tolerance=1e-6,
        reason="Pinocchio",
    )
    made_run(
        results,
        engine,
        experiment="dynamics",
        params={"load": load},
        metrics={"fk_error": error, "evaluation_cost": 2e-5},
        checks=(check,),
        channel_notes={"mass_matrix": ChannelNote("derived", "without armature")} if engine == "beta" else None,
        stepped=False,
    )


def test_states_are_held_against_the_reference_and_not_against_each_other(results: Path) -> None:
    for load in (0.0, 2.0):
        states(results, "alpha", 1e-9 * (1 + load), load=load)
        states(results, "beta", 2e-6, load=load, outcome="fail")
    summary = summarise(results)
    assert summary.matrix.rows == () and summary.damage == ()
    (section,) = summary.sections
    (table,) = section.deviations
    assert table.participants == ("alpha", "beta") and section.panels == ()
    assert [group.name for group in table.groups] == ["load 0", "load 2"]
    rows = {row.name: row for row in table.groups[1].rows}
    assert [reading.value for reading in rows["fk_error"].readings if reading] == pytest.approx([3e-9, 2e-6])
    assert table.notes == {"beta": ("mass matrix (derived): without armature",)}
    assert section.answers == (
        "Largest deviation from Pinocchio: alpha in fk_error 3\xa0nm of 1\xa0µm allowed; "
        "beta in fk_error 2\xa0µm of 1\xa0µm allowed.",
        "Checks that fail: fk_error (beta).",
    )


def test_the_page_of_robots_has_every_part(results: Path, tmp_path: Path) -> None:
    for soften in (1.0, 0.5):
        robot(results, "alpha", 0.0, soften=soften)
        robot(results, "beta", 1e-3, soften=soften)
    states(results, "alpha", 1e-9)
    page, text = (path.read_text() for path in write_report(results, tmp_path / "report"))
    for part in ("Deviation from Pinocchio", "Joint positions", "Torques", "as the controller softens"):
        assert part in page
    assert "data-test-softening" in page and "data-test-deviations" in page and "charts many" in page
    assert "| all parameters at their defaults: fk\\_error |" in text or "fk_error |" in text
