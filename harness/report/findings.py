"""What went wrong in single runs, and the list of all runs."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from ..experiment import OUTCOME
from .lexicon import Lexicon
from .quantity import quantity
from .runs import Run
from .summary import Finding, RunRow
from .verdicts import ending

NOTE = "note "  # begins the kind of a note: one that several engines have is told once


def findings_of(runs: Sequence[Run], words: Lexicon) -> tuple[Finding, ...]:
    """Failed checks, detections, notes and broken runs; those of one kind are told by the worst."""
    found: dict[tuple[str, str], list[tuple[float, str, Run]]] = defaultdict(list)
    for run in runs:
        for kind, size, text in _seen_in(run, words):
            found["" if kind.startswith(NOTE) else words.names[run.participant], kind].append((size, text, run))
    findings = []
    for (label, _), group in sorted(found.items()):
        places = {f"{run.record.job.settings} {words.variants[run.variant]}".strip() for _, _, run in group}
        everyone = dict.fromkeys(sorted(words.names[run.participant] for _, _, run in group))
        worst = max(group, key=lambda item: item[0])
        findings.append(
            Finding(label=label or ", ".join(everyone), where=", ".join(sorted(places)), text=worst[1], runs=len(group))
        )
    return tuple(findings)


def _seen_in(run: Run, words: Lexicon) -> Iterator[tuple[str, float, str]]:
    """Kind, size of the error and words of everything wrong with a run."""
    for check in run.record.checks:
        if check.outcome == "fail":
            unit = words.metrics[check.metric].unit if check.metric in words.metrics else ""
            error, tolerance = quantity(check.error, unit, signed=True), quantity(check.tolerance, unit)
            text = f"check {check.metric} fails: error {error}, tolerance {tolerance}; {check.reason}"
            if check.metric == OUTCOME and words.outcomes:
                text = f"check {check.metric} fails: {words.said(OUTCOME, check.measured)}"
                text += f" where {words.said(OUTCOME, check.expected)} is expected; {check.reason}"
            yield check.metric, abs(check.error or 0.0), text
    for seen in run.record.detections:
        yield seen.kind, 0.0, f"{seen.kind} from {quantity(seen.onset, 's')}: {seen.reason}"
    for note in run.record.notes:
        yield NOTE + re.sub(r"('[^']*')|[\d.]+", r"\1", note), 0.0, note  # numbers vary from run to run, names do not
    if run.status not in ("ok", "unsupported"):
        yield run.status, 0.0, ending(run)


def _which(run: Run, words: Lexicon) -> str:
    """Its variant, and of an ensemble the member."""
    member = f"{words.ensemble}={run.member}" if run.member and words.ensemble else ""
    return " ".join(word for word in (words.variants[run.variant], member) if word)


def run_rows(runs: Sequence[Run], words: Lexicon) -> tuple[RunRow, ...]:
    """A row for every run, in the order of its folder."""
    return tuple(
        RunRow(
            run_id=run.record.job.run_id,
            label=words.names[run.participant],
            variant=_which(run, words),
            settings=run.record.job.settings,
            dt=run.record.job.dt,
            phase=run.phase,
            repeat=run.record.job.repeat,
            status=run.status,
            reason=run.damage or run.record.reason,
        )
        for run in runs
    )
