"""How the difference between engines grows as the controller softens, over runs that differ in nothing else."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from .chart import Chart, Curve, Style
from .lexicon import Lexicon
from .measure import Comparison, between
from .participants import base_of
from .quantity import plain, quantity
from .runs import Variant
from .summary import Softening

SOFTEN = "soften"  # the experiment parameter that scales the controller's stiffness

Points = dict[tuple[str, str], dict[float, float]]


def softenings(comparisons: Sequence[Comparison], words: Lexicon, name: str) -> tuple[Softening, ...]:
    """A diagram for each set of comparisons that differ only in `soften`.

    Args:
        comparisons: at all steps, of all series of the experiment.
        words: what participants and variants are called.
        name: of the experiment, for the anchors.
    """
    groups: dict[tuple[Variant, float], list[Comparison]] = defaultdict(list)
    for comparison in comparisons:
        if not comparison.refines and _soften(comparison.series.variant) is not None:
            groups[_but_soften(comparison.series.variant), comparison.dt].append(comparison)
    found = []
    for number, ((_, dt), group) in enumerate(sorted(groups.items(), key=lambda item: (item[0][0], -item[0][1]))):
        points = {pair: line for pair, line in _points(group, words).items() if len(line) > 1}
        if points:
            found.append(_told(f"{name}-soften-{number}", group, dt, points, words))
    return tuple(found)


def covers(comparison: Comparison) -> bool:
    """Whether the comparison is one of those that a softening sentence tells of."""
    return _soften(comparison.series.variant) is not None


def _soften(variant: Variant) -> float | None:
    text = dict(variant.params).get(SOFTEN)
    try:
        return float(text) if text is not None else None
    except ValueError:
        return None


def _but_soften(variant: Variant) -> Variant:
    return replace(variant, params=tuple(item for item in variant.params if item[0] != SOFTEN))


def _points(group: Sequence[Comparison], words: Lexicon) -> Points:
    """Pair of engines -> soften -> largest joint difference."""
    points: Points = defaultdict(dict)
    for comparison in group:
        soften = _soften(comparison.series.variant)
        there = [standing.who for standing in comparison.ok]
        plain_ones = [who for who in there if base_of(who, there) is None]
        for a, b in comparison.apart:
            apart = between(comparison, a, b)
            if soften is not None and apart is not None and a in plain_ones and b in plain_ones and apart.joint > 0:
                points[words.names[a], words.names[b]][soften] = apart.joint
    return points


def _told(anchor: str, group: Sequence[Comparison], dt: float, points: Points, words: Lexicon) -> Softening:
    styles = tuple(_pair_styles(list(points), words))
    curves = tuple(
        Curve(label=style.label, x=np.array(sorted(line)), y=np.array([line[x] for x in sorted(line)]))
        for style, line in zip(styles, points.values(), strict=True)
    )
    variant = _but_soften(group[0].series.variant)
    others = {words.variants[one.series.variant] for one in group}
    shared = set.intersection(*(set(text.split()) for text in others))
    where = ", ".join(word for word in (f"{variant.settings} settings", *sorted(shared)) if word)
    where = f"{where}, step {quantity(dt, 's')}"
    chart = Chart(
        title="Largest joint difference against soften",
        alt=f"Largest difference of a joint between each pair of engines against soften, {where}, both logarithmic",
        x=(SOFTEN, "1"),
        y=("joint difference", "rad"),
        curves=curves,
        log_x=True,
        log_y=True,
        points=True,
    )
    return Softening(anchor=anchor, where=where, sentence=_sentence(where, points), chart=chart, styles=styles)


def _pair_styles(pairs: Sequence[tuple[str, str]], words: Lexicon) -> Iterator[Style]:
    """A colour for each second engine, dashes where several pairs share it."""
    used: dict[int, int] = defaultdict(int)
    for a, b in pairs:
        colour = words.styles[b].colour
        yield Style(label=f"{a} and {b}", colour=colour, dash=used[colour])
        used[colour] += 1


def _sentence(where: str, points: Mapping[tuple[str, str], Mapping[float, float]]) -> str:
    stiff = max(x for line in points.values() for x in line)
    soft = min(x for line in points.values() for x in line)
    ends = [max((line[x], pair) for pair, line in points.items() if x in line) for x in (stiff, soft)]
    (first, who), (last, other) = ends
    whose = f" ({' and '.join(who)})"
    before, after = (whose, f" ({' and '.join(other)})") if who != other else ("", "")
    return (
        f"with a softer controller ({SOFTEN} {plain(stiff)} to {plain(soft)}; {where}), the largest joint difference"
        f"{whose if who == other else ''} goes from {quantity(first, 'rad')}{before} to {quantity(last, 'rad')}{after}"
    )
