"""Every config composes to jobs, and what decides the numbers decides the hash."""

from __future__ import annotations

import pytest

from simparity.engines import ENGINES
from simparity.experiments import EXPERIMENTS
from simparity.harness.composition import CONF
from simparity.harness.configure import plan
from simparity.harness.job import Job, from_plain
from simparity.harness.registry import engine_mapping, engine_version, studies
from simparity.harness.settings import PROFILES


def job(*words: str) -> Job:
    (one,) = plan(["experiment=drop", *words], multirun=False).jobs
    return one


@pytest.mark.parametrize("experiment", EXPERIMENTS)
@pytest.mark.parametrize("settings", PROFILES)
def test_every_experiment_composes_with_every_profile(experiment: str, settings: str) -> None:
    for engine in (name for name in ENGINES if engine_version(name)):
        (one,) = plan([f"experiment={experiment}", f"engine={engine}", f"settings={settings}"], multirun=False).jobs
        assert one.options == dict(sorted(engine_mapping(engine).PROFILES[settings].items()))


def test_every_file_of_the_configuration_is_used() -> None:
    groups = {path.parent.name: set() for path in CONF.glob("*/*.yaml")}
    for path in CONF.glob("*/*.yaml"):
        groups[path.parent.name].add(path.stem)
    assert groups == {"experiment": set(EXPERIMENTS), "settings": set(PROFILES), "study": set(studies())}


@pytest.mark.parametrize("study", studies())
def test_every_study_composes(study: str) -> None:
    engines = ",".join(name for name in ENGINES if engine_version(name))
    jobs = plan([f"study={study}", f"engine={engines}"], multirun=False).jobs
    assert len({one.run_id for one in jobs}) == len(jobs), "a study asks for the same run twice"


def test_a_study_can_be_narrowed_and_changed() -> None:
    jobs = plan(["study=demo", "engine=mujoco", "duration=0.1"], multirun=False).jobs
    assert {one.engine for one in jobs} == {"mujoco"}
    assert {one.duration for one in jobs} == {0.1}


def test_a_sweep_is_the_product_of_its_values() -> None:
    words = ["experiment=drop,sliding_block", "engine=mujoco", "dt=0.001,0.0005", "repeat=0,1,2"]
    jobs = plan(words, multirun=True).jobs
    assert len({one.run_id for one in jobs}) == 12


def test_identity() -> None:
    base = job()
    assert from_plain(base.canonical()) == from_plain(job().canonical())
    assert base.digest == job("repeat=3").digest != job("dt=0.002").digest
    others = (
        "settings=published",
        "+option.cone=elliptic",
        "experiment.gap=0.3",
        "duration=0.5",
        "timings=0",
        "stride=2",
    )
    assert len({base.digest, *(job(word).digest for word in others)}) == len(others) + 1
    assert base.digest == job("results=elsewhere", "timeout=5").digest


def test_an_override_belongs_to_the_run() -> None:
    one = job("settings=published", "+option.solref=[0.02,1]")
    assert one.options["solref"] == (0.02, 1.0)
    assert one.options["cone"] == "elliptic"
    assert one.overrides == {"solref": (0.02, 1.0)}
