"""Every command that README and CONTRIBUTING show is run here, in order, in an empty folder."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import simparity
from simparity.harness.portcheck.config import read_config
from simparity.harness.portcheck.finding import Finding

from .conftest import chosen
from .test_wall import table_of

ROOT = Path(simparity.__file__).parent
ENVIRONMENT = Path(sys.executable).parent


def blocks(file: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", (ROOT / file).read_text(), re.MULTILINE | re.DOTALL)


COMMANDS = [line for block in blocks("README.md", "sh") for line in block.splitlines() if line]


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    path = f"{ENVIRONMENT}{os.pathsep}{os.environ['PATH']}"
    places = {"PATH": path, "SIMPARITY_ENGINES": str(folder / "engines")}
    return subprocess.run(
        shlex.split(command), cwd=folder, env=os.environ | places, capture_output=True, text=True, timeout=900
    )


def make(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """make with this environment in the place of .venv, in another folder."""
    command = ["make", "--no-print-directory", "-f", str(ROOT / "Makefile"), f"VENV={sys.prefix}", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=900)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """`make demo` on one engine, in an empty folder: a newcomer's first command."""
    folder = tmp_path_factory.mktemp("readme")
    return folder, make(folder, "demo", "ENGINES=mujoco", "-o", f"{sys.prefix}/.ready-mujoco")


@pytest.fixture(scope="module")
def folder(demo: tuple[Path, subprocess.CompletedProcess[str]]) -> Path:
    return demo[0]


def test_make_demo_runs_and_says_where_the_report_is(demo: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    folder, done = demo
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Open reports/demo.html in a browser." in done.stdout.splitlines()[-1]
    assert (folder / "reports" / "demo.html").stat().st_size > 10_000


@pytest.mark.parametrize("command", [line for line in COMMANDS if line.startswith("simparity ")])
def test_command_of_the_readme(command: str, folder: Path, request: pytest.FixtureRequest) -> None:
    named = re.search(r" (?:engine=|--engines )(\S+)", command)
    engines = {name.partition("@")[0] for name in named.group(1).split(",")} if named else set()
    left_out = engines - set(chosen(request.config))
    if left_out:
        pytest.skip(f"--engines leaves out {', '.join(sorted(left_out))}")
    done = shell(command, folder)
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_older_version_is_what_the_wall_says(folder: Path) -> None:
    """After the commands above that version has an environment; its column is that of docs/wall.md."""
    done = shell("simparity wall --engines mujoco@3.11.0 --md", folder)
    assert done.returncode == 0, done.stdout + done.stderr
    (folder / "wall.md").write_text(done.stdout)
    now, page = (column(file, "mujoco 3.11.0") for file in (folder / "wall.md", ROOT / "docs" / "wall.md"))
    assert now == page


def column(page: Path, label: str) -> dict[tuple[str, ...], str]:
    """By trap and quantity the cells of one column of a page of the wall."""
    head, *body = table_of(page)
    return {tuple(row[:2]): row[head.index(label)] for row in body}


def test_python_of_the_readme(folder: Path) -> None:
    """After the commands above there are results to load."""
    for code in blocks("README.md", "python"):
        done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr


def test_study_of_the_readme(tmp_path: Path) -> None:
    (text,) = [block for block in blocks("README.md", "yaml") if block.startswith(("isolation:", "sweeps:"))]
    (tmp_path / "mine.yaml").write_text(text)
    done = shell("simparity run study=mine.yaml engine=mujoco timings=0", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "9 ok" in done.stdout


def test_workflow_of_the_readme(tmp_path: Path) -> None:
    """Keys and steps as GitHub Actions wants them, and its simparity commands as our own parser does."""
    (text,) = [block for block in blocks("README.md", "yaml") if block.startswith("name:")]
    workflow = yaml.safe_load(text)
    assert {str(key) for key in workflow} == {"name", "True", "permissions", "jobs"}  # YAML 1.1 reads `on` as true
    assert set(workflow[True]) <= {"push", "pull_request"}
    commands = []
    for job in workflow["jobs"].values():
        assert isinstance(job["runs-on"], str)
        for step in job["steps"]:
            assert set(step) <= {"name", "uses", "with", "run", "if"}
            assert ("uses" in step) != ("run" in step)
            assert re.fullmatch(r"[\w-]+/[\w-]+(/[\w-]+)?@v\d+", step.get("uses", "a/b@v1"))
            commands += [line for line in step.get("run", "").splitlines() if line.startswith("simparity ")]
    assert commands
    (tmp_path / "robot.xml").write_text((ROOT / "experiments" / "assets" / "fr3.xml").read_text())
    for command in commands:
        done = shell(re.sub(r"--engines \S+", "--engines mujoco", command), tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
        for file in re.findall(r"--(?:junit|sarif|md) (\S+)", command):
            assert (tmp_path / file).is_file() and file in text.replace(command, "") + command


def test_configuration_of_the_readme(tmp_path: Path) -> None:
    (text,) = blocks("README.md", "toml")
    (tmp_path / "simparity.toml").write_text(text)
    config = read_config(tmp_path)
    finding = Finding(item="RB-EFFORT", severity="note", engine="newton", element="joint joint1")
    assert config.engines and config.accepted[0].covers(finding, "robots/arm_left.xml")
    assert not config.accepted[0].covers(finding, "robots/leg.xml")


def test_pre_commit_hook_of_ours_and_of_the_readme() -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    words = [str(ENVIRONMENT / "pre-commit"), "validate-manifest", str(ROOT / ".pre-commit-hooks.yaml")]
    assert subprocess.run(words, capture_output=True, timeout=120).returncode == 0
    (text,) = [block for block in blocks("README.md", "yaml") if block.startswith("repos:")]
    (entry,) = yaml.safe_load(text)["repos"]
    assert entry["hooks"][0]["id"] == hook["id"]
    assert re.search(entry["hooks"][0]["files"], "robots/arm.xml")
    assert shell(f"{hook['entry']} fr3", ROOT).returncode == 0


def test_the_other_targets_exist() -> None:
    for file in ("README.md", "CONTRIBUTING.md"):
        for command in [
            line for block in blocks(file, "sh") for line in block.splitlines() if line.startswith("make ")
        ]:
            done = subprocess.run(["make", "-n", *shlex.split(command)[1:]], cwd=ROOT, capture_output=True, text=True)
            assert done.returncode == 0, f"{command}: {done.stderr}"


def test_commands_of_contributing() -> None:
    lines = [line for block in blocks("CONTRIBUTING.md", "sh") for line in block.splitlines() if line]
    for line in lines:
        if "pytest" in line:
            words = [sys.executable, *shlex.split(line)[1:], "--collect-only", "-q"]
        elif "pre-commit" in line:
            words = [str(ENVIRONMENT / "pre-commit"), "validate-config", str(ROOT / ".pre-commit-config.yaml")]
        else:
            assert line.startswith("make "), f"no test knows how to run {line!r}"
            continue
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr


def test_files_that_are_named_exist() -> None:
    for file in ("README.md", "CONTRIBUTING.md"):
        text = (ROOT / file).read_text()
        for path in re.findall(r"`((?:harness|engines|experiments|tests|results|reports)/[\w./-]+)`", text):
            if "NAME" not in path and path not in ("reports/demo.html", "experiments/conf/experiment/NAME.yaml"):
                assert (ROOT / path).exists(), f"{file} names {path}"
        for path in re.findall(r"\]\(([\w./-]+)\)", text):
            assert (ROOT / path).exists(), f"{file} links {path}"
