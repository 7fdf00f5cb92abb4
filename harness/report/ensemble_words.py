"""Sentences about a chaotic experiment: how the members of each participant ended, and whom the tests tell apart."""

from __future__ import annotations

from collections.abc import Sequence

from ..ensemble import Distribution
from ..experiment import OUTCOME
from .ensembles import Group, cell_of, groups_of, halved
from .lexicon import Lexicon
from .participants import Participant, base_of
from .quantity import span
from .verdicts import Cell, Judged, ending, gravest
from .wording import clusters, listed, plain_ones


def ensemble_finding(judged: Judged, words: Lexicon, reference: Participant | None) -> str:
    """How the members ended and who differs, as clauses without a full stop; "" where nobody ran to the end."""
    groups = groups_of(judged.comparison, words)
    there = list(groups)
    plain = plain_ones(there)
    clauses = [_ended(alike, words) for alike in _alike([groups[who] for who in plain])]
    clauses += _told_apart(judged, words, plain, reference)
    clauses += _changed_by_the_step(judged, words, plain)
    clauses += _left_to_chance([groups[who] for who in plain], words)
    for who in there:
        base = base_of(who, there)
        cell = judged.cell(who, base) if base is not None else None
        if base is not None and cell is not None and cell.word == "differ":
            clauses.append(f"{_ended([groups[who]], words)}, which differs from {words.names[base]} ({cell.said})")
    for standing in judged.comparison.standings:
        if standing.who not in groups:
            clauses.append(f"{words.names[standing.who]} {ending(standing.run).partition(':')[0]}")
    return "; ".join(clauses)


def _alike(groups: Sequence[Group]) -> list[list[Group]]:
    """Groups whose members ended in the same way, together; without outcomes everyone stands alone."""
    found: list[list[Group]] = []
    for group in groups:
        for other in found:
            same = other[0].ensemble.ends == group.ensemble.ends
            if group.ensemble.ends and same and other[0].asked == group.asked:
                other.append(group)
                break
        else:
            found.append([group])
    return found


def _ended(alike: Sequence[Group], words: Lexicon) -> str:
    """How they ended, as in "alpha and beta: stalled in 8 of 8, stall depth 15.4 mm (15.3 to 15.7 mm)"."""
    first = alike[0]
    parts = [
        f"{word} in {count} of {first.asked}" if number == 0 else f"{word} in {count}"
        for number, (word, count) in enumerate(sorted(first.ensemble.ends.items(), key=lambda item: -item[1]))
    ]
    name = next((name for name in words.main_metrics if name != OUTCOME), None)
    if name is not None:
        values = [value for group in alike if name in group.ensemble.metrics for value in _values(group, name)]
        if values:
            parts.append(_measured(name, Distribution.of(values), words))
    if parts and not first.ensemble.ends and first.asked > 1:
        parts = [f"{', '.join(parts)} over {first.asked} members"]
    return f"{listed([words.names[group.who] for group in alike])}: {', '.join(parts) or 'no number to tell'}"


def _values(group: Group, name: str) -> tuple[float, ...]:
    return group.ensemble.metrics[name].values


def _measured(name: str, found: Distribution, words: Lexicon) -> str:
    low, high = found.values[0], found.values[-1]
    unit = words.metrics[name].unit if name in words.metrics else ""
    whole = f" ({span(low, high, unit)})" if words.said(name, low) != words.said(name, high) else ""
    return f"{name.replace('_', ' ')} {words.said(name, found.quantile(0.5))}{whole}"


def _changed_by_the_step(judged: Judged, words: Lexicon, plain: Sequence[Participant]) -> list[str]:
    """Whose distributions a halved step changes: what differs there may be the step's and not the engine's."""
    found = halved(judged.comparison, words)
    moved = [(who, cell_of(found[who])) for who in plain if who in found and found[who].word == "differ"]
    if not moved:
        return []
    said = dict.fromkeys(cell.said for _, cell in moved)
    return [f"halving dt changes {listed([words.names[who] for who, _ in moved])} ({', '.join(said)})"]


def _left_to_chance(groups: Sequence[Group], words: Lexicon) -> list[str]:
    """What repeats of one member show of each engine."""
    clauses, identical = [], []
    for group in groups:
        if group.spread is None:
            continue
        moved = [name for name in words.main_metrics if group.spread.get(name, 0.0) > 0]
        if not any(group.spread.values()):
            identical.append(words.names[group.who])
        elif OUTCOME in moved:
            clauses.append(f"repeats of {words.names[group.who]} end differently")
        elif moved:
            apart = words.said(moved[0], group.spread[moved[0]])
            clauses.append(f"repeats of {words.names[group.who]} spread by {apart} in {moved[0].replace('_', ' ')}")
    return [*clauses, *([f"repeats identical in {listed(identical)}"] if identical else [])]


def _told_apart(
    judged: Judged, words: Lexicon, plain: Sequence[Participant], reference: Participant | None
) -> list[str]:
    """Who differs from those that nothing tells apart."""
    if len(plain) < 2:
        return []
    home, others = clusters(judged, plain, reference)
    clauses = []
    inside = gravest(cell for k, a in enumerate(home) for b in home[:k] if (cell := judged.cell(a, b)) is not None)
    if inside is not None:
        clauses.append(f"{listed([words.names[who] for who in home])} {_alike_word(inside)}")
    for group in others:
        worst = gravest(cell for a in group for b in home if (cell := judged.cell(a, b)) is not None)
        if worst is None:
            continue
        who, them = (listed([words.names[one] for one in side]) for side in (group, home))
        if worst.word == "differ":
            clauses.append(f"{who} differ{'s' if len(group) == 1 else ''} from {them} ({worst.said})")
        elif worst.word == "unresolved":
            clauses.append(f"{who} and {them} unresolved ({worst.said})")
    return clauses


def _alike_word(cell: Cell) -> str:
    return "agree within the tolerance" if cell.word == "agree" else f"are not told apart ({cell.said})"
