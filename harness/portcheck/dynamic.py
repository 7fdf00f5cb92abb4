"""The items that need simulation: one torque law in every engine, softened, refined and repeated.

Settings are `matched`, so that what differs is not what RB and DF already found. Every engine has its own processes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from .. import store
from ..compare import difference, spread
from ..configure import plan
from ..errors import SimparityError, UsageError
from ..job import Job
from ..launch import Launch
from ..record import Record
from ..registry import experiment_class
from ..trace import Trace
from .finding import Case, Examined, Finding, Severity
from .items import ITEMS, Item
from .law import TRIAL, choose
from .source import Source

SOFTEN = (1.0, 0.5, 0.25)
DURATION = 0.5  # [s]
REPEATS = 3
ENERGY = 0.01  # energy that neither torque nor loss explains, over what is exchanged


@dataclass(slots=True)
class Runs:
    """Runs of one engine: by softening at the first dt, the refined ones, and the repeats."""

    soft: dict[float, tuple[Record, Trace | None]] = field(default_factory=dict)
    fine: list[tuple[str, Record, Trace | None]] = field(default_factory=list)
    repeats: list[Trace] = field(default_factory=list)
    reason: str = ""
    law: str = ""


def run_dynamic(
    source: Source,
    examined: Sequence[Examined],
    items: Sequence[Item],
    results: Path,
    told: Callable[[str], None],
    bandwidth: float | None = None,
) -> tuple[list[Examined], list[str]]:
    """`examined` with the cases and findings of the dynamic items of `items`, and what is to be said of the law.

    Args:
        bandwidth: of the torque law [rad/s]; None lets the robot choose it.
    """
    wanted = [item for item in items if item.dynamic]
    engines = [one.engine for one in examined if one.imported]
    if source.prepared.unknown:
        why = source.prepared.massless
        return [_with(one, [_case(item, one.engine, "skipped", why) for item in wanted], []) for one in examined], []
    try:
        runs = {engine: _run(source, engine, results, told, bandwidth) for engine in engines}
    except UsageError as error:
        reason = f"the experiment cannot take this robot: {source.prepared.told(str(error))}"
        return [_with(one, [_case(item, one.engine, "skipped", reason) for item in wanted], []) for one in examined], []
    first = engines[0] if engines else ""
    done = []
    for one in examined:
        if one.engine not in runs:
            why = "the file could not be imported"
            done.append(_with(one, [_case(item, one.engine, "skipped", why) for item in wanted], []))
            continue
        cases, findings = [], []
        for item in wanted:
            case, found = JUDGES[item.id](one.engine, first, runs, source)
            cases.append(case)
            findings += found
        done.append(_with(one, cases, findings))
    return done, list(dict.fromkeys(run.law for run in runs.values()))


def _with(one: Examined, cases: Sequence[Case], findings: Sequence[Finding]) -> Examined:
    return replace(one, cases=(*one.cases, *cases), findings=(*one.findings, *findings))


def _run(source: Source, engine: str, results: Path, told: Callable[[str], None], bandwidth: float | None) -> Runs:
    """All runs of one engine.

    Raises:
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
    runs = Runs(law=law.words)
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


Judged = tuple[Case, list[Finding]]


def _case(item: Item | str, engine: str, status: str, reason: str = "", checked: int = 0) -> Case:
    name = item if isinstance(item, str) else item.id
    return Case(item=name, engine=engine, status=status, reason=reason, checked=checked)  # type: ignore[arg-type]


def _finding(
    item: str, severity: Severity, engine: str, source: Source, message: str, value: float | None = None, unit: str = ""
) -> Finding:
    return Finding(
        item=item,
        severity=severity,
        engine=engine,
        element="robot",
        quantity="run",
        file=str(source.prepared.given),
        found=value,
        unit=unit,
        difference=value,
        message=message,
        advice=ITEMS[item].advice,
    )


def _tolerance() -> float:
    """What the experiment calls agreement of joints [rad | m]."""
    from ...experiments import ROBOT_EXPERIMENT

    return float(experiment_class(ROBOT_EXPERIMENT).TOLERANCE[1])


def _ended(item: str, engine: str, runs: Mapping[str, Runs]) -> Case | None:
    """The case of an engine whose run did not end well: unsupported is skipped, the rest is for MS-BEYOND to tell."""
    mine = runs[engine]
    return _case(item, engine, "skipped", mine.reason) if mine.reason else None


def _softened(engine: str, first: str, runs: Mapping[str, Runs], source: Source) -> Judged:
    item = "CT-SOFTEN"
    ended = _ended(item, engine, runs)
    if ended:
        return ended, []
    if engine == first:
        return _case(
            item, engine, "skipped", "the engine that the others are held against; name two or more engines"
        ), []
    if runs[first].reason:
        return _case(item, engine, "skipped", f"{first}: {runs[first].reason}"), []
    apart = {}
    for s in SOFTEN:
        mine, theirs = runs[engine].soft[s][1], runs[first].soft[s][1]
        if mine is not None and theirs is not None:
            apart[s] = difference(mine, theirs).joint
    if 1.0 not in apart:
        return _case(item, engine, "incomplete", "a run left no trace"), []
    shown = ", ".join(f"x{s:g} {value:.2g}" for s, value in apart.items())
    refinement = max(_refinement(runs[engine]), _refinement(runs[first]))
    if max(apart.values()) <= _tolerance():
        return _case(item, engine, "pass", f"largest joint difference to {first} [rad | m]: {shown}", len(apart)), []
    severity: Severity = "note" if max(apart.values()) <= refinement else "warning"
    message = f"largest joint difference to {first} in {DURATION:g} s, at gains {shown} rad | m"
    message += f"; below the {refinement:.2g} that a finer run moves it" if severity == "note" else ""
    found = _finding(item, severity, engine, source, message, max(apart.values()), "rad | m")
    return _case(item, engine, "pass" if severity == "note" else "fail", checked=len(apart)), [found]


def _refinement(runs: Runs) -> float:
    base = runs.soft[1.0][1]
    moved = [difference(base, trace).joint for _, _, trace in runs.fine if base is not None and trace is not None]
    return max(moved, default=0.0)


def _refined(engine: str, first: str, runs: Mapping[str, Runs], source: Source) -> Judged:
    item = "NS-REFINE"
    ended = _ended(item, engine, runs)
    if ended:
        return ended, []
    base, findings, shown = runs[engine].soft[1.0][1], [], []
    for words, record, trace in runs[engine].fine:
        if trace is None or base is None:
            message = f"the run with {words} ended {record.status}: {record.reason}"
            findings.append(_finding(item, "warning", engine, source, message))
            continue
        moved = difference(base, trace).joint
        shown.append(f"{words} {moved:.2g}")
        if moved > _tolerance():
            message = f"{words} moves a joint by up to {moved:.2g} rad | m in {DURATION:g} s"
            findings.append(_finding(item, "note", engine, source, message, moved, "rad | m"))
    failed = any(finding.severity != "note" for finding in findings)
    words = "moves joints by [rad | m]: " + ", ".join(shown)
    return _case(item, engine, "fail" if failed else "pass", words, len(runs[engine].fine)), findings


def _repeated(engine: str, first: str, runs: Mapping[str, Runs], source: Source) -> Judged:
    item = "RP-SPREAD"
    ended = _ended(item, engine, runs)
    if ended:
        return ended, []
    found = spread(runs[engine].repeats)
    if found is None or len(runs[engine].repeats) < REPEATS:
        return _case(
            item, engine, "incomplete", f"only {len(runs[engine].repeats)} of {REPEATS} repeats left a trace"
        ), []
    if found.joint == 0.0:
        return _case(item, engine, "pass", f"{REPEATS} fresh processes are identical", REPEATS), []
    severity: Severity = "warning" if found.joint > _tolerance() else "note"
    message = f"{REPEATS} fresh processes of the same run are apart by up to {found.joint:.2g} rad | m"
    finding = _finding(item, severity, engine, source, message, found.joint, "rad | m")
    return _case(item, engine, "fail" if severity == "warning" else "pass", checked=REPEATS), [finding]


def _beyond(engine: str, first: str, runs: Mapping[str, Runs], source: Source) -> Judged:
    item, soft, findings = "MS-BEYOND", runs[engine].soft, list[Finding]()

    def add(severity: Severity, quantity: str, message: str, value: float | None = None, unit: str = "") -> None:
        findings.append(replace(_finding(item, severity, engine, source, message, value, unit), quantity=quantity))

    for s, (record, _) in soft.items():
        gains = f"gains x{s:g}"
        if record.status == "unsupported":
            return _case(item, engine, "skipped", record.reason), []
        if record.status != "ok":
            add("error", gains, f"the run at {gains} ended {record.status}: {record.reason}")
            continue
        for detection in record.detections:
            add("warning", f"{gains} {detection.kind} of {detection.body}", f"{gains}: {detection.reason}")
        cut = record.metrics.get("saturated_samples", 0.0)
        if cut:
            add("warning", f"{gains} torque limit", f"{gains}: a torque limit cut in {cut:g} control samples", cut, "1")
        left, moved = (record.metrics.get(name, 0.0) for name in ("energy_residual", "energy_exchanged"))
        if left > ENERGY * moved:
            message = f"{gains}: {left:.2g} J of {moved:.2g} J are explained by neither torque nor losses"
            add("note", f"{gains} energy", message, left, "J")
    status = "fail" if any(finding.severity != "note" for finding in findings) else "pass"
    return _case(item, engine, status, checked=len(soft)), findings


JUDGES: Mapping[str, Callable[[str, str, Mapping[str, Runs], Source], Judged]] = {
    "CT-SOFTEN": _softened,
    "NS-REFINE": _refined,
    "RP-SPREAD": _repeated,
    "MS-BEYOND": _beyond,
}
