"""Distributions over the members of an ensemble as SVG text: stacked bars of outcomes, strips of a metric."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from .chart import COLOURS, Bars, Strip, Style
from .plot import INK, OUTCOMES, RC, SERIES, for_page
from .quantity import prefix_for

OUTCOME_COLOURS = 6  # that the stylesheet defines as --o0 to --o5
_WIDTH, _ROW, _EDGE = 4.6, 0.34, 0.62  # inches at 72 points: of the figure, of a row, of the axis
_LETTER = 0.085  # [inch]: what a letter of a label takes
_BAR = 0.72  # of a row


def draw_bars(bars: Bars, key: str) -> str:
    """Stacked bars, a row for each participant, with words and counts inside the pieces that have room for them."""
    figure, axes = _figure(key, [label for label, _ in bars.rows])
    total = max(sum(counts) for _, counts in bars.rows)
    room = total / (figure.get_figwidth() * axes.get_position().width)  # members per inch
    for row, (_, counts) in enumerate(bars.rows):
        left = 0
        for k, count in enumerate(counts):
            if count:
                colour = OUTCOMES.format(16 + k % OUTCOME_COLOURS)
                axes.barh(row, count, left=left, height=_BAR, color=colour, edgecolor=INK, linewidth=0.5)
                text = next(
                    (t for t in (f"{bars.words[k]} {count}", str(count)) if len(t) * _LETTER * room < count), ""
                )
                axes.text(
                    left + count / 2, row, text, ha="center", va="center", fontsize=9, color=INK, parse_math=False
                )
                left += count
    axes.set_xlim(0, total)
    axes.xaxis.set_major_locator(MaxNLocator(min(total, 8), integer=True))
    axes.set_xlabel("members")
    return _svg(figure, key, bars.alt)


def draw_strip(strip: Strip, styles: Mapping[str, Style], key: str) -> str:
    """A dot for each member, its row that of the participant; the box holds the middle half, its line is the median."""
    figure, axes = _figure(key, [label for label, _ in strip.rows])
    axes.grid(True, axis="x")
    for row, (label, values) in enumerate(strip.rows):
        colour = SERIES.format(16 + styles[label].colour % COLOURS)
        low, middle, high = np.quantile(values, (0.25, 0.5, 0.75))
        axes.barh(row, high - low, left=low, height=_BAR, color=colour, alpha=0.22, linewidth=0)
        axes.plot([middle, middle], [row - _BAR / 2, row + _BAR / 2], color=colour, linewidth=2)
        axes.plot(values, row + _stacked(values), "o", color=colour, markersize=4.2, markeredgewidth=0, alpha=0.85)
    name, unit = strip.x
    factor, prefixed = prefix_for(max(abs(v) for _, values in strip.rows for v in values), unit)
    axes.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 2.5, 5, 10]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value / factor:.6g}".replace("-", "−")))
    axes.set_xlabel(f"{name} [{prefixed}]" if prefixed else name, parse_math=False)
    _breathe(axes)
    return _svg(figure, key, strip.alt)


def _stacked(values: Sequence[float]) -> Any:
    """Heights within a row, so that equal values lie above each other; the same for the same values."""
    heights = np.zeros(len(values))
    span = max(values) - min(values)
    for k, value in enumerate(values):
        near = sum(abs(value - other) <= span / 60 for other in values[:k])
        heights[k] = (near + 1) // 2 * (0.16 if near % 2 else -0.16)
    return np.clip(heights, -0.4, 0.4)


def _breathe(axes: Axes) -> None:
    """Room at both ends, also where all values are equal up to rounding."""
    low, high = axes.get_xlim()
    least = 1e-3 * max(abs(low), abs(high), 1e-12)
    middle, half = (low + high) / 2, max(high - low, least) / 2
    axes.set_xlim(middle - 1.04 * half, middle + 1.04 * half)


def _figure(key: str, labels: Sequence[str]) -> tuple[Figure, Axes]:
    settings: Any = RC | {"svg.hashsalt": key}
    with matplotlib.rc_context(settings):
        margin = min(0.15 + _LETTER * max(map(len, labels)), 2.0)
        height = _EDGE + _ROW * len(labels)
        figure = Figure(figsize=(_WIDTH, height))
        figure.subplots_adjust(left=margin / _WIDTH, right=0.975, bottom=(_EDGE - 0.12) / height, top=1 - 0.12 / height)
        figure.patch.set_alpha(0.0)
        axes = figure.add_subplot()
        axes.patch.set_alpha(0.0)
        axes.spines["left"].set_visible(False)
        axes.set_yticks(range(len(labels)), [_short(label) for label in labels], parse_math=False)
        axes.set_ylim(len(labels) - 0.5, -0.5)
    return figure, axes


def _short(label: str) -> str:
    return label if len(label) <= 23 else label[:22] + "…"


def _svg(figure: Figure, key: str, alt: str) -> str:
    out = io.StringIO()
    settings: Any = RC | {"svg.hashsalt": key}
    with matplotlib.rc_context(settings):
        figure.savefig(out, format="svg", metadata={"Date": None})
    return for_page(out.getvalue(), alt)
