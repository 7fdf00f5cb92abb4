"""Another version of an engine: named, refused in one sentence, run by its own interpreter, and told apart."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from simparity.harness import environments, store, versions
from simparity.harness.configure import plan
from simparity.harness.errors import UsageError
from simparity.harness.launch import Launch
from simparity.harness.progress import PlainProgress, describe
from simparity.harness.provenance import ENVIRONMENT_FILE, installed


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(versions.FOLDER_VARIABLE, str(tmp_path / "engines"))
    versions.packages_of.cache_clear()
    return tmp_path / "engines"


def imitate(folder: Path, version: str) -> versions.Environment:
    """An environment whose interpreter sees the packages of this one, with MuJoCo's metadata of another version."""
    environment = versions.place_of("mujoco", version)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment.folder)], check=True)
    (site,) = environment.folder.glob("lib/python*/site-packages")
    here = next(Path(path) for path in sys.path if path.endswith("site-packages"))
    (site / "here.pth").write_text(f"{here}\n")
    (site / f"mujoco-{version}.dist-info").mkdir()
    (site / f"mujoco-{version}.dist-info" / "METADATA").write_text(f"Name: mujoco\nVersion: {version}\n")
    said = {"engine": "mujoco", "version": version, "declared": [f"mujoco=={version}"]}
    (environment.folder / ENVIRONMENT_FILE).write_text(json.dumps(said))
    return environment


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("mujco==1.0", "engine 'mujco' does not exist"),
        ("mujoco", "names no exact version"),
        ("mujoco==", "names no exact version"),
        ("mujoco==3.*", "names no exact version"),
        ("freefall==1.0", "has no versions of its own"),
    ],
)
def test_what_cannot_be_added_is_refused_before_anything_is_made(folder: Path, words: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        environments.add(words)
    assert not folder.exists()


def test_a_package_name_means_its_engine() -> None:
    assert environments._asked("genesis-world==1.4.1").name == "genesis@1.4.1"
    assert environments._asked("genesis@1.4.1").name == "genesis@1.4.1"


@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        ("mujoco@0.0.1", "simparity engines add mujoco==0.0.1"),
        ("mujoco@", "names no version"),
        ("freefall@1", "no versions of its own"),
        ("mujco@1", "engine 'mujco' does not exist"),
    ],
)
def test_a_version_that_is_not_there_is_one_sentence(folder: Path, word: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        plan(["experiment=drop", f"engine={word}"], multirun=False)


def test_the_version_that_is_here_needs_no_environment(folder: Path) -> None:
    (plain,) = plan(["experiment=drop", "engine=mujoco"], multirun=False).jobs
    (named,) = plan(["experiment=drop", f"engine=mujoco@{installed('mujoco')}"], multirun=False).jobs
    assert named == plain


def test_a_version_narrows_a_study_to_its_engine(folder: Path) -> None:
    imitate(folder, "0.0.2")
    jobs = plan(["study=demo", "engine=mujoco@0.0.2"], multirun=False).jobs
    assert jobs
    assert {(job.engine, job.engine_version) for job in jobs} == {("mujoco", "0.0.2")}


def test_two_versions_run_side_by_side_and_are_told_apart(folder: Path, tmp_path: Path) -> None:
    """The imitation holds the same MuJoCo, so the same numbers must come back through the other interpreter."""
    environment = imitate(folder, "0.0.3")
    assert list(versions.environments()) == [environment]
    assert versions.packages_of(environment)["mujoco"] == "0.0.3"
    words = ["experiment=drop", "engine=mujoco,mujoco@0.0.3", "duration=0.05", "timings=0", "experiment.gap=0.01"]
    jobs = plan(words, multirun=True).jobs
    assert [job.engine_version for job in jobs] == [installed("mujoco"), "0.0.3"]
    assert jobs[1].libraries == jobs[0].libraries
    assert len({job.run_id for job in jobs}) == 2
    assert "mujoco@0.0.3" in describe(jobs[1])
    results = tmp_path / "results"
    for isolation in ("fresh", "warm"):  # warm: versions must not share a process
        records = Launch(results=results / isolation, isolation=isolation).run(jobs, PlainProgress(quiet=True))  # type: ignore[arg-type]
        assert [record.status for record in records] == ["ok", "ok"]
        assert records[0].metrics == records[1].metrics
        assert records[1].provenance["packages"]["mujoco"] == {"declared": "==0.0.3", "installed": "0.0.3"}
        assert len({store.folder_of(job, results) for job in jobs}) == 2


def test_an_environment_is_removed(folder: Path) -> None:
    environment = imitate(folder, "0.0.4")
    assert environments.remove("mujoco==0.0.4") == environment
    assert not environment.folder.exists()
    with pytest.raises(UsageError, match="has no environment"):
        environments.remove("mujoco==0.0.4")
