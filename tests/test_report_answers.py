from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from simparity.harness.checks import Verdict
from simparity.harness.engine import ContactLaw, Impulse, Resolution, Resolved
from simparity.harness.record import Detection
from simparity.harness.report.explain import causes
from simparity.harness.report.summarise import summarise

from .bench_report import IMPULSE, SOFT, made_run, made_table
from .test_report_summary import full


@pytest.fixture
def results(tmp_path: Path) -> Path:
    return tmp_path / "results"


def resolution(law: ContactLaw = SOFT, **values: Resolved) -> Resolution:
    return Resolution(table=made_table({"dt": 1e-3}) | values, contact_law=law)


def row(value: object, unit: str = "") -> Resolved:
    return Resolved(value=value, unit=unit, origin="default", native="opt.x")  # type: ignore[arg-type]


def three(results: Path, engine: str, height: float, **given: object) -> None:
    """A participant with two repeats and a halved run, all alike."""
    for repeat, dt in ((0, 1e-3), (1, 1e-3), (0, 5e-4)):
        made_run(results, engine, height=height, dt=dt, repeat=repeat, **given)  # type: ignore[arg-type]


def test_the_answer_names_who_agrees_who_differs_and_why(results: Path) -> None:
    full(results, "alpha", 0.05)
    full(results, "beta", 0.05 + 1e-6)
    three(results, "gamma", 0.058, law=IMPULSE)
    assert summarise(results).sections[0].answers == (
        "Left to their defaults, engines end up to 8\xa0mm apart: alpha and beta agree (1\xa0µm apart); "
        "gamma differs by 8\xa0mm (impulsive contact instead of soft).",
    )


def test_what_is_left_below_the_refinement_is_said_in_one_clause(results: Path) -> None:
    full(results, "alpha", 0.05, halving=2e-3)
    full(results, "beta", 0.0505)
    full(results, "gamma", 0.0496)
    assert summarise(results).sections[0].answers == (
        "Left to their defaults, engines differ by less than the step itself changes: "
        "beta (500\xa0µm) and gamma (400\xa0µm) differ from alpha by less than halving dt changes (2\xa0mm).",
    )


def test_profiles_come_in_the_order_of_what_they_tell(results: Path) -> None:
    for settings in ("published", "default", "matched"):
        full_with(results, settings)
    answers = summarise(results).sections[0].answers
    assert [answer.partition(",")[0] for answer in answers] == [
        "Left to their defaults",
        "With every known setting matched",
        "With the published settings",
    ]
    assert "up to 1\xa0mm remain: beta differs from alpha by 1\xa0mm" in answers[1]


def full_with(results: Path, settings: str) -> None:
    for engine, height in (("alpha", 0.05), ("beta", 0.051)):
        three(results, engine, height, settings=settings)


def test_other_parameters_are_told_in_words_and_the_rest_is_counted(results: Path) -> None:
    for friction in (0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1):
        for engine, height in (("alpha", 0.05), ("beta", 0.06)):
            made_run(results, engine, height=height, params={"friction": friction})
    answers = summarise(results).sections[0].answers
    assert [answer.startswith("Left to their defaults (friction") for answer in answers] == [False, *4 * [True], False]
    assert answers[1].startswith("Left to their defaults (friction 0.6), ")
    assert answers[-1] == "2 more comparisons with other steps or parameters below."


def test_other_parameters_in_which_all_agree_share_a_sentence(results: Path) -> None:
    for friction in (0.5, 0.6, 0.7, 0.8, 0.9):
        for engine in ("alpha", "beta"):
            made_run(results, engine, params={"friction": friction})
    assert summarise(results).sections[0].answers == (
        "Left to their defaults, alpha and beta agree exactly.",
        "All agree in 4 other comparisons exactly: "
        "default, friction 0.6; default, friction 0.7; default, friction 0.8 and more.",
    )


def test_a_group_with_one_engine_is_no_comparison(results: Path) -> None:
    for engine in ("alpha", "beta"):
        made_run(results, engine)
    made_run(results, "alpha", settings="published")
    answers = summarise(results).sections[0].answers
    assert answers == ("Left to their defaults, alpha and beta agree exactly.",)


def test_only_one_that_ran_to_the_end_is_said_when_another_broke(results: Path) -> None:
    made_run(results, "alpha")
    made_run(results, "beta", status="failed", reason="ValueError: oh")
    assert summarise(results).sections[0].answers == (
        "Left to their defaults, only alpha ran to the end; beta failed.",
    )


def test_a_control_that_removes_the_difference_is_the_first_cause(results: Path) -> None:
    full(results, "alpha", 0.05)
    three(results, "beta", 0.06, law=IMPULSE)
    three(results, "beta", 0.05, overrides={"cone": "elliptic"})
    assert "(cone=elliptic removes it; impulsive contact instead of soft)" in summarise(results).sections[0].answer


def test_failed_checks_are_in_the_answer_and_in_the_findings(results: Path) -> None:
    check = Verdict(
        metric="max_overlap", outcome="fail", measured=1e-3, expected=0.0, error=1e-3, tolerance=1e-6, reason="law"
    )
    seen = Detection(kind="jitter", body="cube", onset=0.8, reason="cube: it shakes")
    made_run(results, "alpha", checks=(check,), detections=(seen,))
    made_run(results, "alpha", checks=(replace(check, error=-2e-3),), dt=5e-4)
    section = summarise(results).sections[0]
    assert "Checks that fail: max_overlap (alpha)" in section.answer
    texts = {one.text: one.runs for one in section.findings}
    assert texts["check max_overlap fails: error −2\xa0mm, tolerance 1\xa0µm; law"] == 2
    assert texts["jitter from 800\xa0ms: cube: it shakes"] == 1


def test_the_metric_that_an_override_changes_most_is_named(results: Path) -> None:
    full(results, "alpha", 0.05)
    for repeat, dt in ((0, 1e-3), (1, 1e-3), (0, 5e-4)):
        made_run(results, "beta", dt=dt, repeat=repeat, height=0.06, metrics={"rebound_speed": 0.0})
        made_run(
            results,
            "beta",
            overrides={"cone": "elliptic"},
            height=0.055,
            dt=dt,
            repeat=repeat,
            metrics={"rebound_speed": 0.3},
        )
    made_run(results, "alpha", metrics={"rebound_speed": 0.25})
    assert (
        "cone=elliptic takes the rebound_speed of beta from 0 to 300\xa0mm/s (alpha: 250\xa0mm/s)"
        in summarise(results).sections[0].answer
    )


def test_a_setting_in_which_engines_that_agree_differ_is_no_cause() -> None:
    mujoco = resolution(integrator=row("Euler"))
    newton = resolution(integrator=row("implicitfast"))
    genesis = resolution(integrator=row("approximate_implicitfast"), cone=row("pyramidal"))
    assert causes([genesis], [mujoco, newton]) == []
    assert causes([genesis], [mujoco]) == ["integrator approximate_implicitfast instead of Euler"]


def test_a_cause_is_shared_by_all_that_differ() -> None:
    pair = [resolution(cone=row("pyramidal")), resolution(cone=row("elliptic"))]
    assert causes(pair, [resolution(cone=row("none"))]) == []
    assert causes(pair[:1], [resolution(cone=row("elliptic"))]) == ["cone pyramidal instead of elliptic"]


def test_causes_come_in_order_law_numbers_options() -> None:
    softer = replace(SOFT, impedance=(0.8, 0.999, 1e-3, 0.5, 2.0))
    ours = resolution(softer, integrator=row("RK4"), impratio=row(100.0, "1"))
    theirs = resolution(integrator=row("Euler"), impratio=row(1.0, "1"))
    assert causes([ours], [theirs], most=9) == [
        "time constant 10.01\xa0ms instead of 10.53\xa0ms",
        "d_min and d_max 0.8 and 0.999 instead of 0.9 and 0.95",
        "impratio 100 instead of 1",
        "integrator RK4 instead of Euler",
    ]
    assert len(causes([ours], [theirs])) == 3


def test_an_impulsive_engine_that_bounces_says_so() -> None:
    bouncing = resolution(Impulse(restitution=0.1, bounce_threshold=0.2))
    assert causes([bouncing], [resolution()])[:2] == [
        "impulsive contact instead of soft",
        "bounces with restitution 0.1",
    ]
    assert causes([resolution(IMPULSE)], [resolution()]) == ["impulsive contact instead of soft"]


def test_friction_that_an_engine_does_not_have_is_a_cause_in_a_robot() -> None:
    name = "joint.elbow.friction"
    have = Resolution(table={name: row(0.2, "N m")}, contact_law=SOFT)
    none = replace(have, table={name: Resolved(value=None, unit="N m", origin="absent", native="no such thing")})
    assert causes([none], [have]) == ["joint friction 0 instead of 0.2\xa0N m"]


def test_what_slows_a_body_is_a_cause() -> None:
    """A body that touches nothing has no law to explain it."""
    name = "body.box.angular_damping"
    damped, free = (Resolution(table={name: row(value, "1/s")}, contact_law=SOFT) for value in (0.05, 0.0))
    assert causes([damped], [free]) == ["angular damping 0.05\xa01/s instead of 0"]


def test_what_only_one_side_simulates_comes_before_what_nobody_asked_for() -> None:
    names = ("joint.hinge.load_friction", "joint.hinge.friction")
    ours, theirs = (
        Resolution(table={n: row(v, "N m") for n, v in zip(names, values, strict=True)}, contact_law=SOFT)
        for values in ((0.05, 0.0), (0.0, 0.2))
    )
    assert causes([ours], [theirs])[0].startswith("joint friction 0 instead of 0.2")


@pytest.mark.parametrize(
    ("fine", "said"),
    [
        (0.052, "an error of the step: 2\xa0mm with half of dt in both"),
        (0.0527, "half of dt moves beta by 1.3\xa0mm and alpha by 0 and leaves 2.7\xa0mm between them"),
        (0.0535, ""),
    ],
)
def test_what_half_of_dt_does_to_a_difference_is_told_beside_it(results: Path, fine: float, said: str) -> None:
    """Left out where it changes neither engine by a quarter of the difference."""
    full(results, "alpha", 0.05)
    for dt, height in ((1e-3, 0.054), (5e-4, fine)):
        for repeat in (0, 1):
            made_run(results, "beta", height=height, dt=dt, repeat=repeat)
    told = summarise(results).sections[0].answer
    assert "differs from alpha by 4\xa0mm" in told and said in told
    assert bool(said) == ("half of dt" in told)


def test_an_integrator_that_cannot_be_read_is_told_where_nothing_else_explains(results: Path) -> None:
    full(results, "alpha", 0.05)
    hidden = Resolved(value=None, unit="", origin="unreadable", native="no accessor; semi-implicit")
    three(results, "beta", 0.06, rows={"integrator": hidden})
    assert "integrator of beta: no accessor; semi-implicit" in summarise(results).sections[0].answer
    three(results, "gamma", 0.07, rows={"integrator": hidden}, law=IMPULSE)
    assert "integrator of gamma" not in summarise(results).sections[0].answer
