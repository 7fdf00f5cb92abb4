"""Bad requests: one sentence, exit 2, no traceback, nothing run."""

from __future__ import annotations

from pathlib import Path

import pytest

from simparity.engines import ENGINES
from simparity.harness.cli import main
from simparity.harness.device import cuda_device_count

DROP = "experiment=drop"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "no experiment was given; add experiment=NAME, one of: "),
        (["experiment=drp"], "experiment 'drp' does not exist; known experiments: "),
        ([DROP, "engine=mujco"], "engine 'mujco' does not exist; known engines: drake, freefall, genesis, mujoco"),
        ([DROP, "settings=fast"], "settings profile 'fast' does not exist; known settings profiles: default, matched"),
        ([DROP, "dt=0"], "dt is 0.0 s; give a positive number"),
        ([DROP, "dt=-0.001"], "dt is -0.001 s; give a positive number"),
        ([DROP, "dt=nan"], "dt is nan s; give a positive number"),
        ([DROP, "dt=fast"], "'fast' is not a number"),
        ([DROP, "duration=1e-9"], "shorter than one sample"),
        ([DROP, "stride=0"], "stride is 0; give a whole number"),
        ([DROP, "repeat=-1"], "repeat is -1; give a whole number"),
        ([DROP, "timeout=0"], "timeout is 0.0 s"),
        ([DROP, "gap=1"], "run has no parameter 'gap'; did you mean experiment.gap"),
        ([DROP, "speed=1"], "run has no parameter 'speed'; known parameters: "),
        ([DROP, "experiment.gapp=1"], "experiment 'drop' has no parameter 'experiment.gapp'; its parameters: "),
        ([DROP, "experiment.mass=nan"], "experiment.mass is nan; give a number above 0"),
        ([DROP, "experiment.gap=-1"], "experiment.gap is -1.0; give a number above 0"),
        ([DROP, "experiment.phase=1"], "experiment.phase is 1.0; give a number from 0 to below 1"),
        ([DROP, "experiment.restitution=2"], "restitution is 2.0; give a number from 0 to 1"),
        (["experiment=sliding_block", "experiment.start=fly"], "start 'fly' does not exist; known starts: push, rest"),
        ([DROP, "+option.conee=elliptic"], "engine 'mujoco' has no option 'conee'; its options: "),
        ([DROP, "+option.cone=round"], "give one of pyramidal, elliptic"),
        ([DROP, "+option.iterations=many"], "give a whole number"),
        ([DROP, "+option.solref=[1]"], "give a list of 2 numbers"),
        ([DROP, "engine=mujoco,newton"], "engine has several values; add -m"),
        ([DROP, "device=gpu"], "device 'gpu' does not exist; known devices: cpu, cuda"),
        ([DROP, "isolation=none"], "isolation 'none' does not exist"),
        (
            ["study=dmo"],
            "study 'dmo' does not exist; known studies: contact, demo, robots, soft (a study of your own",
        ),
        (["study=demo", "experiment=throw"], "the study 'demo' has no run for experiment=throw"),
        (["experimnt=drop"], "run has no parameter 'experimnt'; known parameters: "),
        (["study=missing.yaml"], "study file missing.yaml does not exist"),
        (["study=demo", "engine=mujco"], "engine 'mujco' does not exist"),
        ([DROP, "results=/proc/simparity"], "results folder /proc/simparity cannot be written"),
        (["drop"], "cannot read 'drop'; give NAME=VALUE"),
        ([DROP, "smoke=maybe"], "'maybe' is not true or false"),
        ([DROP, "repeat=many"], "'many' is not a whole number"),
        ([DROP, "-dt", "0.1"], "run has no flag -dt; parameters are given without dashes: dt=0.1 ("),
        ([DROP, "--dt=0.1"], "run has no flag --dt=0.1; parameters are given without dashes: dt=0.1 ("),
        (["--dt", DROP], "run has no flag --dt; parameters are given without dashes: dt=VALUE ("),
    ],
)
def test_bad_requests_are_one_sentence(
    words: list[str], sentence: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["run", *words]) == 2
    out, err = capsys.readouterr()
    assert sentence in err
    assert err.startswith("simparity: ")
    assert err.count("\n") == 1
    assert not out
    assert not list(tmp_path.iterdir())


def test_help_of_run_states_the_defaults(capsys: pytest.CaptureFixture[str]) -> None:
    from simparity.harness.composition import RunConfig

    with pytest.raises(SystemExit):
        main(["run", "--help"])
    said, default = capsys.readouterr().out, RunConfig(experiment=None)
    assert f"  engine={default.engine} " in said
    assert f"  settings={default.settings} " in said


def test_a_flag_that_does_not_exist(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["show", "-dt"])
    assert left.value.code == 2
    assert "unrecognized arguments: -dt" in capsys.readouterr().err


def test_cuda_without_a_gpu(engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    if cuda_device_count():
        pytest.skip("this machine has a GPU")
    assert main(["run", DROP, f"engine={engine}", "device=cuda"]) == 2
    err = capsys.readouterr().err
    if "cuda" in ENGINES[engine].devices:
        assert "this machine shows no CUDA device; use device=cpu" in err
    else:
        assert f"engine {engine!r} runs on the cpu only" in err


def test_a_missing_extra_says_how_to_install_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("simparity.harness.configure.engine_version", lambda name: None)
    assert main(["run", DROP, "engine=genesis"]) == 2
    assert "pip install 'simparity[genesis]'" in capsys.readouterr().err


def test_report_of_nothing(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["report", str(tmp_path / "nowhere")]) == 2
    assert "does not exist" in capsys.readouterr().err
    assert main(["report", str(tmp_path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_engines_and_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["engines"]) == 0
    out = capsys.readouterr().out
    for word in ("mujoco", "newton", "genesis", "physx", "drake", "==1.8.0", "Apache-2.0"):
        assert word in out
    assert main(["engines", "mujoco"]) == 0
    assert "impratio" in capsys.readouterr().out
    assert main(["engines", "mujco"]) == 2
    assert main(["experiments"]) == 0
    assert "experiment.gap=0.326" in capsys.readouterr().out
