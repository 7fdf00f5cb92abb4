"""The answer in plain words: who agrees with whom, who differs by how much, and which resolved values explain it."""

from __future__ import annotations

from collections.abc import Sequence

from .controls import apart_text, controls
from .explain import explanations
from .lexicon import Lexicon
from .quantity import quantity
from .runs import Participant, Run, base_of
from .verdicts import UNITS, Cell, Judged, ending, gravest

MOST_NAMED = 3  # failed checks named in a sentence


def answer(
    judged: Sequence[Judged], runs: Sequence[Run], words: Lexicon, reference: Participant | None
) -> tuple[str, ...]:
    """The clauses of one sentence about an experiment: one for each settings profile, then the checks.

    Args:
        judged: the main comparison of the experiment, then those of other settings.
        runs: all runs of the experiment.
        words: what participants and metrics are called.
        reference: the participant that the others are held against.
    """
    clauses = []
    said: set[str] = set()
    for one in judged:
        lead = f"with {one.comparison.series.variant.settings} settings, "
        clauses.append(lead + finding(one, words, reference, said=said, explain_endings=False))
    clauses.append(_failed_checks(runs, words))
    return tuple(clause for clause in clauses if clause)


def finding(
    judged: Judged,
    words: Lexicon,
    reference: Participant | None,
    *,
    said: set[str] | None = None,
    explain_endings: bool = True,
) -> str:
    """What one comparison shows, as a clause without a full stop.

    Args:
        judged: the comparison.
        words: what participants and metrics are called.
        reference: the participant that the others are held against.
        said: explanations that were given before and need not be repeated; new ones are added.
        explain_endings: whether to say why a run did not end well.
    """
    ok = [standing.who for standing in judged.comparison.ok]
    broken = [standing for standing in judged.comparison.standings if not standing.ok]
    plain = [who for who in ok if not base_of(who, ok)]
    clauses = []
    if not plain:
        clauses.append("no run ended well")
    elif len(plain) == 1:
        clauses.append(f"only {words.names[plain[0]]} ran to the end" if len(ok) == 1 else "")
    else:
        home, others = _clusters(judged, plain, reference)
        if others or len(home) > 1:
            clauses += _about(judged, words, home, others, set() if said is None else said)
    clauses += controls(judged, words, ok, reference)
    for standing in broken[:MOST_NAMED]:
        ended = ending(standing.run.record)
        clauses.append(f"{words.names[standing.who]} {ended if explain_endings else ended.partition(':')[0]}")
    return _joined([clause for clause in clauses if clause]) or "there is nothing to compare"


def _clusters(
    judged: Judged, plain: Sequence[Participant], reference: Participant | None
) -> tuple[list[Participant], list[list[Participant]]]:
    """Groups within which every pair agrees: the one of the reference, or else the largest, then the others."""
    groups: list[list[Participant]] = []
    for who in sorted(plain, key=lambda who: who != reference):
        for group in groups:
            cells = [judged.cell(who, other) for other in group]
            if all(cell is not None and cell.agrees for cell in cells):
                group.append(who)
                break
        else:
            groups.append([who])
    home = groups[0] if reference in groups[0] else max(groups, key=len)
    return sorted(home), [sorted(group) for group in groups if group is not home]


def _about(
    judged: Judged,
    words: Lexicon,
    home: Sequence[Participant],
    others: Sequence[Sequence[Participant]],
    said: set[str],
) -> list[str]:
    clauses: list[str] = []
    if len(home) > 1:
        worst = gravest(_cells(judged, home, home))
        everyone = "all " if not others and len(home) > 2 else ""
        clauses.append(f"{everyone}{_list([words.names[who] for who in home])} agree{apart_text(worst)}")
    for group in others:
        worst = gravest(_cells(judged, group, home))
        if worst is None:
            continue
        target = "them" if len(home) > 1 and len(clauses) == 1 else _list([words.names[who] for who in home])
        notes = [f"unresolved: {_missing(judged, [*group, *home], words)}"] if worst.word == "unresolved" else []
        why = _explanation(judged, group[0], home[0])
        if why and why not in said and not worst.agrees:
            notes.insert(0, why)
            said.add(why)
        clause = _relation(worst, _list([words.names[who] for who in group]), len(group), target)
        clauses.append(f"{clause} ({'; '.join(notes)})" if notes else clause)
    return clauses


def _relation(cell: Cell, who: str, count: int, target: str) -> str:
    differs, is_ = ("differs", "is") if count == 1 else ("differ", "are")
    match cell.word:
        case "differ":
            return f"{who} {differs} from {target} by {cell.amount}"
        case "not converged":
            finer = quantity(getattr(cell.refinement, cell.kind), UNITS[cell.kind])
            return f"{who} {is_} {cell.amount} from {target}, less than the {finer} that a finer run changes"
        case "unresolved":
            return f"{who} {is_} {cell.amount} from {target}"
        case "agree" | "within noise":
            return f"{who} {is_} as near to {target} as the tolerance asks, but not to each other"
        case _:
            return f"{who} cannot be compared with {target}"


def _missing(judged: Judged, group: Sequence[Participant], words: Lexicon) -> str:
    """The runs without which nothing more can be said."""
    wanted: dict[str, list[str]] = {}
    for who in group:
        repeat = [] if judged.spreads.get(who) is not None else ["no second repeat"]
        for missing in (*repeat, *judged.comparison.standing(who).missing):
            wanted.setdefault(missing, []).append(words.names[who])
    said = [f"{_list(who)} {'has' if len(who) == 1 else 'have'} {missing}" for missing, who in wanted.items()]
    return " and ".join(said) or "a force is unknown"


def _explanation(judged: Judged, a: Participant, b: Participant) -> str:
    first, second = (judged.comparison.standing(who).run.record.resolution for who in (a, b))
    if first is None or second is None:
        return ""
    hidden = explanations(first, second, most=2)
    return "; ".join(hidden)


def _failed_checks(runs: Sequence[Run], words: Lexicon) -> str:
    """The checks that fail in any run of the experiment, by metric."""
    failed: dict[str, set[str]] = {}
    total = 0
    for run in runs:
        for verdict in run.record.checks:
            total += verdict.outcome != "not applicable"
            if verdict.outcome == "fail":
                failed.setdefault(verdict.metric, set()).add(words.names[run.participant])
    if not total:
        return ""
    if not failed:
        return f"all {total} checks against closed forms pass"
    named = [f"{metric} ({', '.join(sorted(who))})" for metric, who in sorted(failed.items())[:MOST_NAMED]]
    more = f" and {len(failed) - MOST_NAMED} more" if len(failed) > MOST_NAMED else ""
    return f"checks that fail: {', '.join(named)}{more}"


def _cells(judged: Judged, first: Sequence[Participant], second: Sequence[Participant]) -> list[Cell]:
    cells = [judged.cell(a, b) for a in first for b in second if a != b]
    return [cell for cell in cells if cell is not None]


def _joined(clauses: Sequence[str]) -> str:
    return ", and ".join(filter(None, (", ".join(clauses[:-1]), *clauses[-1:])))


def _list(them: Sequence[str]) -> str:
    return them[0] if len(them) == 1 else ", ".join(them[:-1]) + " and " + them[-1]
