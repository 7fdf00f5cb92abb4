"""Promises about the house itself: what is imported, what is packed, what is said."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import simparity
from simparity.engines import ENGINES
from simparity.experiments import EXPERIMENTS

ROOT = Path(simparity.__file__).parent
HEAVY = ("scipy", "mujoco", "newton", "warp", "genesis", "torch", "sapien", "pandas", "matplotlib", "hydra", "jinja2")
MODULES = sorted(
    path.relative_to(ROOT) for folder in ("harness", "engines", "experiments") for path in (ROOT / folder).rglob("*.py")
)


def loaded_by(code: str) -> set[str]:
    script = f"import sys\n{code}\nprint(*sorted({{name.partition('.')[0] for name in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize(
    ("code", "allowed"),
    [
        ("import simparity", ()),
        ("import simparity.harness.cli", ()),
        ("import simparity.harness.worker, simparity.harness.launch", ()),
        ("\n".join(f"import simparity.engines.{name}.mapping" for name in ENGINES), ()),
        ("\n".join(f"import simparity.experiments.{name}" for name in EXPERIMENTS), ()),
        ("import simparity.harness.configure", ("hydra",)),
        ("import simparity.harness.report.frames", ("pandas",)),
    ],
)
def test_what_an_import_brings_in(code: str, allowed: tuple[str, ...]) -> None:
    assert loaded_by(code) & set(HEAVY) <= set(allowed)


def test_the_wheel_holds_everything_and_runs_in_an_empty_folder(tmp_path: Path) -> None:
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "-q",
            "--no-deps",
            "--no-build-isolation",
            "-w",
            str(tmp_path),
            str(ROOT),
        ],
        check=True,
        capture_output=True,
        timeout=300,
    )
    (wheel,) = tmp_path.glob("simparity-*.whl")
    held = set(zipfile.ZipFile(wheel).namelist())
    wanted = {f"simparity/{path}" for path in MODULES} | {"simparity/__init__.py", "simparity/py.typed"}
    for pattern in (
        "experiments/conf/**/*.yaml",
        "experiments/assets/*",
        "harness/report/templates/*",
        "engines/*/NOTES.md",
    ):
        wanted |= {f"simparity/{path.relative_to(ROOT)}" for path in ROOT.glob(pattern) if path.is_file()}
    assert wanted <= held, f"missing: {sorted(wanted - held)}"
    installed = tmp_path / "installed"
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(installed), str(wheel)]
    subprocess.run(pip, check=True, capture_output=True, timeout=300)
    empty = tmp_path / "empty"
    empty.mkdir()
    words = ["-m", "simparity.harness.cli", "run", "experiment=drop", "engine=mujoco"]
    environment = os.environ | {"PYTHONPATH": str(installed)}
    done = subprocess.run(
        [sys.executable, *words], cwd=empty, env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert {path.name for path in empty.iterdir()} == {"results"}
    assert {name.partition("/")[0].partition("-")[0] for name in held} == {"simparity"}, "one name is installed"


def test_public_names_exist() -> None:
    for name in simparity.__all__:
        assert callable(getattr(simparity, name))


def test_every_engine_has_its_folder_and_its_extra() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for name, entry in ENGINES.items():
        for file in ("adapter.py", "mapping.py"):
            assert (ROOT / "engines" / name / file).is_file()
        if entry.distribution is not None:
            assert (ROOT / "engines" / name / "NOTES.md").is_file()
            assert any(line.startswith(entry.distribution) for line in extras[entry.extra])
            assert entry.extra in extras["all"][0]


def test_files_hold_one_idea() -> None:
    long = {str(path): n for path in MODULES if (n := len((ROOT / path).read_text().splitlines())) > 300}
    assert not long, "longer than 300 lines: split by idea"


def test_no_file_names_this_machine_or_a_registry() -> None:
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    home = str(Path.home()) + "/"
    host = re.compile(r"https?://[\w.-]*(?:pypi|pythonhosted|npmjs|debian)\.\w+")
    for name in tracked:
        path = ROOT / name
        if path.suffix in (".py", ".md", ".toml", ".yaml", ".yml", ".html", ".json") and path.is_file():
            text = path.read_text()
            assert home not in text, name
            assert str(ROOT) + "/" not in text, name
            assert not host.search(text), name


def test_harness_names_no_engine_and_no_experiment() -> None:
    names = {*ENGINES, *EXPERIMENTS} - {"throw", "drop", "hinge"}  # these are also plain words
    for path in MODULES:
        if path.parts[0] == "harness":
            words = set(re.findall(r"['\"](\w+)['\"]", (ROOT / path).read_text()))
            assert not words & names - {"mujoco"}, path
