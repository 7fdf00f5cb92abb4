"""The items that need simulation, judged by the runs of every engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ..compare import difference, spread
from ..errors import UsageError
from ..registry import experiment_class
from .finding import Case, Examined, Finding, Severity
from .items import ITEMS, Item
from .law import Unusable
from .runs import DURATION, REPEATS, SOFTEN, Runs, run_engine
from .source import Source

ENERGY = 0.01  # energy that neither torque nor loss explains, over what is exchanged


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

    Raises:
        UsageError: the robot cannot be run at that bandwidth.
    """
    wanted = [item for item in items if item.dynamic]
    runs: dict[str, Runs] = {}
    refused = {one.engine: "the file could not be imported" for one in examined if not one.imported}
    if source.prepared.unknown:
        refused = dict.fromkeys((one.engine for one in examined), source.prepared.massless)
    for engine in [one.engine for one in examined if one.engine not in refused]:
        try:
            runs[engine] = run_engine(source, engine, results, told, bandwidth)
        except Unusable:
            raise
        except UsageError as error:
            refused[engine] = f"the experiment cannot take this robot: {source.prepared.told(str(error))}"
    first = next(iter(runs), "")
    done = []
    for one in examined:
        cases, findings = [], []
        for item in wanted:
            if one.engine in refused:
                cases.append(_case(item, one.engine, "skipped", refused[one.engine]))
                continue
            case, found = JUDGES[item.id](one.engine, first, runs, source)
            cases.append(case)
            findings += found
        done.append(replace(one, cases=(*one.cases, *cases), findings=(*one.findings, *findings)))
    return done, list(dict.fromkeys(run.law.words for run in runs.values() if run.simulated))


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
        if runs[engine].law.soft:
            return _case(item, engine, "skipped", runs[engine].law.soft), []
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
