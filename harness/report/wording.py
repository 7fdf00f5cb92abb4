"""What one comparison shows, in plain words: who agrees, who differs by how much, and what separates them."""

from __future__ import annotations

from collections.abc import Sequence

from ..compare import UNITS
from ..engine import Resolution
from .controls import controls, proof
from .explain import MOST, causes
from .lexicon import Lexicon
from .participants import Participant, base_of
from .quantity import quantity
from .verdicts import Cell, Judged, ending, gravest, size

BRIEF = 2  # causes named in a short sentence
VANISHES = 0.6  # of a difference, or less, is left with half of dt where it is of the first order in the step or higher
TELLS = 0.25  # of a difference: what half of dt has to change in one engine to be told beside it
MOST_BROKEN = 3  # runs that did not end well, named in a sentence


def finding(judged: Judged, words: Lexicon, reference: Participant | None, *, brief: bool = False) -> str:
    """What one comparison shows, as clauses without a full stop; "" when only one engine was asked.

    Args:
        judged: the comparison.
        words: what participants and metrics are called.
        reference: the participant that the others are held against.
        brief: whether to name fewer causes, none where the step explains more, and not why runs did not end well.
    """
    if len(judged.comparison.standings) < 2:
        return ""
    ok = [standing.who for standing in judged.comparison.ok]
    broken = [standing for standing in judged.comparison.standings if not standing.ok]
    plain = plain_ones(ok)
    clauses = []
    if not plain:
        clauses.append("no run ended well")
    elif len(ok) == 1:
        clauses.append(f"only {words.names[ok[0]]} ran to the end")
    elif len(plain) > 1:
        home, others = clusters(judged, plain, reference)
        clauses += _about(judged, words, home, others, ok, brief=brief)
    clauses += controls(judged, words, ok, reference)
    for standing in broken[:MOST_BROKEN]:
        ended = ending(standing.run)
        clauses.append(f"{words.names[standing.who]} {ended.partition(':')[0] if brief else ended}")
    if len(broken) > MOST_BROKEN:
        clauses.append(f"{len(broken) - MOST_BROKEN} more did not end well")
    if not clauses:  # a variation that changes nothing
        clauses.append(f"{listed([words.names[who] for who in ok])} agree{agreement(gravest(judged.cells.values()))}")
    return "; ".join(clauses)


def worst_cell(judged: Judged, reference: Participant | None) -> Cell | None:
    """The largest difference to the engines that agree with the reference; None when all agree."""
    plain = plain_ones([standing.who for standing in judged.comparison.ok])
    if len(plain) < 2:
        return None
    home, others = clusters(judged, plain, reference)
    cells = [cell for group in others for cell in _cells(judged, group, home)]
    telling = [cell for cell in cells if cell.word in ("differ", "unresolved") and cell.apart]
    return max(telling, key=lambda cell: cell.apart.motion if cell.apart else 0.0) if telling else gravest(cells)


def all_agree(judged: Judged) -> bool:
    """Whether everyone that was asked ran to the end and agrees with everyone."""
    cells = judged.cells.values()
    return bool(cells) and all(cell.agrees for cell in cells)


def clusters(
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


def listed(them: Sequence[str]) -> str:
    """Words with commas and an "and"."""
    return them[0] if len(them) == 1 else ", ".join(them[:-1]) + " and " + them[-1]


def in_words(variant: str) -> str:
    """Parameters as words: "incline=0.3 start=rest" is "incline 0.3, start rest"."""
    return ", ".join(part.replace("=", " ").replace("_", " ") for part in variant.split(" "))


def agreement(cell: Cell | None) -> str:
    """How near two agree, in brackets."""
    return "" if cell is None else " exactly" if cell.identical else f" ({cell.amount} apart)"


def plain_ones(ok: Sequence[Participant]) -> list[Participant]:
    """Those that are no variation of another one."""
    return [who for who in ok if not base_of(who, ok)]


def _about(
    judged: Judged,
    words: Lexicon,
    home: Sequence[Participant],
    others: Sequence[Sequence[Participant]],
    ok: Sequence[Participant],
    *,
    brief: bool,
) -> list[str]:
    clauses: list[str] = []
    if len(home) > 1:
        worst = gravest(_cells(judged, home, home))
        clauses.append(f"{listed([words.names[who] for who in home])} agree{agreement(worst)}")
    apart = [(group, worst) for group in others if (worst := gravest(_cells(judged, group, home))) is not None]
    target = "" if len(home) > 1 else f" from {words.names[home[0]]}"
    coarse = [(group, worst) for group, worst in apart if worst.word == "not converged"]
    if coarse:
        clauses.append(_less_than_a_finer_run(judged, words, home, coarse, target, brief=brief))
    for group, worst in apart:
        if worst.word == "not converged":
            continue
        notes = []
        if worst.word in ("differ", "unresolved"):
            notes = _why(judged, group, home, ok, words, most=BRIEF if brief else MOST)
        if worst.word == "unresolved":
            notes.append(f"unresolved: {_missing(judged, group, home, words)}")
        clause = _relation(worst, listed([words.names[who] for who in group]), len(group), target)
        clauses.append(f"{clause} ({'; '.join(notes)})" if notes else clause)
    return clauses


def _why(
    judged: Judged,
    group: Sequence[Participant],
    home: Sequence[Participant],
    ok: Sequence[Participant],
    words: Lexicon,
    most: int,
) -> list[str]:
    """What a control run proved, then what separates the group from the others, then what half of dt shows."""
    proofs = [text for who in group if (text := proof(judged, who, home, ok))]
    said = causes(_resolutions(judged, group), _resolutions(judged, home), most)
    return [
        *proofs,
        *said,
        *_of_the_step(judged, group, home, words),
        *([] if said else _unread(judged, group, words)),
    ][:most]


def _of_the_step(
    judged: Judged, group: Sequence[Participant], home: Sequence[Participant], words: Lexicon
) -> list[str]:
    """What half of dt in both does to their difference, where it changes either of them by as much as a part of it."""
    comparison, found = judged.comparison, []
    for a, b in ((a, b) for a in group for b in home):
        cell, finer = judged.cell(a, b), comparison.finer.get((a, b)) or comparison.finer.get((b, a))
        if cell is not None and cell.apart is not None and finer is not None and cell.kind:
            halved = [comparison.standing(who).halved for who in (a, b)]
            moved = [getattr(one, cell.kind) if one is not None else 0.0 for one in halved]
            found.append((getattr(cell.apart, cell.kind), getattr(finer, cell.kind), moved, cell.kind, (a, b)))
    if not found:
        return []
    before, after, moved, kind, pair = max(found, key=lambda one: one[0])
    if 0 < after < VANISHES * before:
        return [f"an error of the step: {size(after, kind)} with half of dt in both"]
    if max(moved) < TELLS * before:
        return []
    each = [f"{words.names[who]} by {quantity(one, UNITS[kind])}" for who, one in zip(pair, moved, strict=True)]
    return [f"half of dt moves {listed(each)} and leaves {size(after, kind)} between them"]


def _unread(judged: Judged, group: Sequence[Participant], words: Lexicon) -> list[str]:
    """Whose integrator no table can name, where nothing else is known to tell them apart."""
    found = []
    for who in group:
        resolution = judged.comparison.standing(who).run.record.resolution
        row = resolution.table.get("integrator") if resolution is not None else None
        if row is not None and row.origin == "unreadable":
            found.append(f"integrator of {words.names[who]}: {row.native}")
    return found


def _less_than_a_finer_run(
    judged: Judged,
    words: Lexicon,
    home: Sequence[Participant],
    coarse: Sequence[tuple[Sequence[Participant], Cell]],
    target: str,
    *,
    brief: bool,
) -> str:
    """One clause for all whose difference the step explains."""
    said = []
    for group, worst in coarse:
        why = [] if brief else causes(_resolutions(judged, group), _resolutions(judged, home), 1)
        said.append(f"{listed([words.names[who] for who in group])} ({'; '.join([worst.amount, *why])})")
    refined = [cell.refinement for _, cell in coarse]
    largest = max(getattr(part, cell.kind) for part, (_, cell) in zip(refined, coarse, strict=True))
    kind = coarse[0][1].kind
    verb = "differ" if len(said) > 1 or len(coarse[0][0]) > 1 else "differs"
    finer = listed(list(dict.fromkeys(cell.finer for _, cell in coarse)))
    return f"{listed(said)} {verb}{target} by less than {finer} changes ({quantity(largest, UNITS[kind])})"


def _relation(cell: Cell, who: str, count: int, target: str) -> str:
    differs, is_ = ("differs", "is") if count == 1 else ("differ", "are")
    match cell.word:
        case "differ" | "unresolved":
            return f"{who} {differs}{target} by {cell.amount}"
        case "agree" | "within noise":
            return f"{who} {is_} as near as the tolerance asks, but not to all others"
        case _:
            return f"{who} cannot be compared{target.replace(' from', ' with')}"


def _missing(judged: Judged, group: Sequence[Participant], home: Sequence[Participant], words: Lexicon) -> str:
    """The runs without which nothing more can be said; whose they are unless it is the group's or everybody's."""
    wanted: dict[str, list[str]] = {}
    for who in (*group, *home):
        repeat = [] if judged.spreads.get(who) is not None else ["no repeat"]
        for missing in (*repeat, *judged.comparison.standing(who).lacks):
            wanted.setdefault(missing, []).append(words.names[who])
    plainly = ([words.names[who] for who in group], [words.names[who] for who in (*group, *home)])
    said = [missing if who in plainly else f"{missing} of {listed(who)}" for missing, who in wanted.items()]
    return ", ".join(said) or "a force is unknown"


def _resolutions(judged: Judged, group: Sequence[Participant]) -> list[Resolution]:
    found = [judged.comparison.standing(who).run.record.resolution for who in group]
    return [one for one in found if one is not None]


def _cells(judged: Judged, first: Sequence[Participant], second: Sequence[Participant]) -> list[Cell]:
    cells = [judged.cell(a, b) for a in first for b in second if a != b]
    return [cell for cell in cells if cell is not None]
