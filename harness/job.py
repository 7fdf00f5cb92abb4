"""A job: everything that decides the numbers of a run, and the hash that names it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .errors import SimparityError

PACKAGE = Path(__file__).parents[1]
# the modules of the harness that decide numbers; the engine's folder and the experiment's files are added per job
_NUMERICAL = (
    "resolution",
    "description",
    "mjcf",
    "soft_contact",
    "robot_model",
    "robot_shapes",
    "inertia",
    "reference",
    "controller",
    "impedance",
    "payload",
    "geometry",
    "scene",
    "solids",
    "channels",
    "engine",
    "rollout",
    "schedule",
    "trace",
    "contact_law",
    "momentum",
    "free_rotation",
    "convergence",
    "required",
    "contacts",
    "contact_quality",
    "experiment",
    "checks",
    "detectors",
    "soft_mesh",
    "soft_state",
)

# likewise, but only of the engines that import them
_OF_SOME_ENGINES = ("mujoco_scene", "mujoco_flex", "mujoco_flex_rows")


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One run to do. Times in seconds.

    Attributes:
        params: the experiment's physical parameters, by field name.
        options: engine options set by the profile and by the user, merged.
        overrides: those of them that the user set.
        code: SHA-256 over the source of the modules that make the numbers.
        libraries: versions of the other packages that make the engine's numbers.
        inputs: path -> SHA-256 of every file that the scene is read from.
        timings: how many bare loops are timed for the real-time factor.
        paced: whether a loop in real time is run as well, for experiments with a controller.
        repeat: number of the repeat; not part of the hash.
    """

    experiment: str
    params: Mapping[str, Any]
    engine: str
    engine_version: str
    settings: str
    options: Mapping[str, Any]
    overrides: Mapping[str, Any]
    dt: float
    duration: float
    stride: int
    control_dt: float
    device: str
    precision: int
    timings: int
    paced: bool
    code: str
    libraries: Mapping[str, str]
    inputs: Mapping[str, str]
    repeat: int = 0

    def canonical(self) -> dict[str, Any]:
        """The job as plain JSON values."""
        plain: dict[str, Any] = json.loads(json.dumps(asdict(self), sort_keys=True))
        return plain

    @property
    def digest(self) -> str:
        """16 hex digits of the SHA-256 over everything but the repeat."""
        identity = {key: value for key, value in self.canonical().items() if key != "repeat"}
        text = json.dumps(identity, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def run_id(self) -> str:
        """Name of the run's folder: the digest and the repeat."""
        return f"{self.digest}-r{self.repeat}"

    @property
    def folder(self) -> Path:
        """Folder of the run below the machine's folder."""
        return Path(self.experiment, self.engine, self.run_id)


def from_plain(plain: Mapping[str, Any]) -> Job:
    """The job that `Job.canonical` wrote.

    Raises:
        SimparityError: a field is missing or unknown.
    """
    try:
        return Job(**plain)
    except TypeError as error:
        raise SimparityError(f"not a job of this version of simparity: {error}") from error


def code_digest(engine: str, experiment_module: str) -> str:
    """SHA-256 over the source files that make the numbers of `engine` and the experiment."""
    sha = hashlib.sha256()
    for path in code_files(engine, experiment_module):
        sha.update(path.name.encode())
        sha.update(path.read_bytes())
    return sha.hexdigest()


def code_files(engine: str, experiment_module: str) -> list[Path]:
    """The source files that make the numbers of `engine` and the experiment."""
    files = [PACKAGE / "harness" / f"{name}.py" for name in _NUMERICAL]
    own = sorted((PACKAGE / "engines" / engine).glob("*.py"))
    text = "".join(path.read_text() for path in own)
    files += [PACKAGE / "harness" / f"{name}.py" for name in _OF_SOME_ENGINES if f"harness.{name} import" in text]
    files += own
    return files + _with_siblings(PACKAGE / "experiments" / f"{experiment_module}.py")


def _with_siblings(path: Path) -> list[Path]:
    """A module's file and those of the modules beside it that it imports from, and that these import from."""
    found, waiting = [], [path]
    while waiting:
        module = waiting.pop(0)
        if module not in found:
            found.append(module)
            text = module.read_text()
            names = re.findall(r"^from \.(\w+) import", text, re.MULTILINE)
            beside = re.findall(r"^from \. import (.+)$", text, re.MULTILINE)
            names += [name.split()[0] for line in beside for name in line.split(",")]
            waiting += [path.with_name(f"{name}.py") for name in sorted(names)]
    return found
