"""The runs of the simulated items: one torque law in an engine, softened, refined and repeated in fresh processes.

Settings are `matched`, so that what differs is not what RB and DF already found.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from .. import store
from ..configure import plan
from ..errors import SimparityError
from ..job import Job
from ..launch import Launch
from ..record import Record
from ..trace import Trace
from .law import TRIAL, Law, choose
from .source import Source

SOFTEN = (1.0, 0.5, 0.25)
DURATION = 0.5  # [s]
REPEATS = 3


@dataclass(slots=True)
class Runs:
    """Runs of one engine: by softening at the first dt, the refined ones, and the repeats; `reason`: why it failed."""

    law: Law
    soft: dict[float, tuple[Record, Trace | None]] = field(default_factory=dict)
    fine: list[tuple[str, Record, Trace | None]] = field(default_factory=list)
    repeats: list[Trace] = field(default_factory=list)
    reason: str = ""

    @property
    def simulated(self) -> bool:
        """Whether the engine took the robot at all."""
        return any(record.status != "unsupported" for record, _ in self.soft.values())


def run_engine(
    source: Source, engine: str, results: Path, told: Callable[[str], None], bandwidth: float | None = None
) -> Runs:
    """All runs of one engine.

    Args:
        bandwidth: of the torque law [rad/s]; None lets the robot choose it.

    Raises:
        Unusable: the robot cannot be run at that bandwidth.
        UsageError: the experiment refuses the robot.
    """
    from ...experiments import ROBOT_EXPERIMENT

    told(f"{engine} (runs)")
    robot = str(source.prepared.path).replace('"', '\\"')
    common = [
        f"experiment={ROBOT_EXPERIMENT}",
        f"engine={engine}",
        "settings=matched",
        f'experiment.robot="{robot}"',
        f"experiment.bandwidth={TRIAL}",  # until it is chosen
        f"duration={DURATION}",
        "timings=0",
        f"results={results}",
    ]
    (job,) = plan(common, multirun=False).jobs
    law = choose(job, bandwidth)
    job = replace(job, params={**job.params, **law.params})
    softened = {s: replace(job, params={**job.params, "soften": s}) for s in SOFTEN}
    repeats = [replace(job, repeat=r) for r in range(1, REPEATS)]
    finer = replace(job, dt=job.dt / 2)
    launch = Launch(results=results, isolation="warm", workers=2)
    records = {r.job.run_id: r for r in launch.run([*softened.values(), finer, *repeats], _Silent())}
    runs = Runs(law=law)
    for s, job in softened.items():
        runs.soft[s] = _read(records[job.run_id], results)
    runs.fine.append(("half of dt", *_read(records[finer.run_id], results)))
    base = runs.soft[1.0][0]
    for option in base.resolution.refined_by if base.resolution else ():
        value = base.resolution.table[option].value if base.resolution else None
        if isinstance(value, int):
            more = {option: 2 * value}
            doubled = replace(job, options={**job.options, **more}, overrides={**job.overrides, **more})
            (record,) = launch.run([doubled], _Silent())
            runs.fine.append((f"twice the {option}", *_read(record, results)))
    traces = [runs.soft[1.0][1], *(_read(records[repeat.run_id], results)[1] for repeat in repeats)]
    runs.repeats = [trace for trace in traces if trace is not None]
    if base.status != "ok":
        runs.reason = f"the run ended {base.status}: {source.prepared.told(base.reason)}"
    return runs


def _read(record: Record, results: Path) -> tuple[Record, Trace | None]:
    try:
        return record, store.read_trace(store.folder_of(record.job, results)) if record.status == "ok" else None
    except (SimparityError, OSError):
        return record, None


class _Silent:
    """Progress that nobody sees."""

    def start(self, total: int, cached: int) -> None:
        pass

    def began(self, job: Job) -> None:
        pass

    def ended(self, record: Record, wall: float) -> None:
        pass

    def stop(self) -> None:
        pass
