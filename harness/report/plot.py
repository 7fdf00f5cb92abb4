"""Charts as SVG text: small, the same bytes for the same data, and coloured by the page so that dark mode works."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Mapping
from html import escape
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import (
    FuncFormatter,
    LogLocator,
    MaxNLocator,
    NullFormatter,
    NullLocator,
    SymmetricalLogLocator,
)

from .chart import COLOURS, DASHES, Chart, Curve, Style
from .figures import thinned
from .quantity import prefix_for, quantity

SIZE = (4.6, 2.9)  # inches at 72 points: wide enough for two beside each other, readable at phone width
SMALL = (2.6, 1.55)  # inches, of one of many; its margins are fixed, since laying them out takes longest
_MARGINS: dict[str, float] = {"left": 0.25, "right": 0.97, "bottom": 0.17, "top": 0.95}
# drawn in these and replaced by the page's own colours afterwards
INK, FAINT, SERIES, OUTCOMES = "#010203", "#010204", "#0102{:02x}", "#0103{:02x}"
# the first curve is the widest, so that equal curves show as one inside the other
_WIDTHS = (6.5, 3.6, 1.7, 0.9)
_THIN_WIDTHS = (4.4, 2.5, 1.3, 0.8)  # of logarithmic and small diagrams
_HAIR_WIDTHS = (2.2, 1.4, 0.9, 0.7)  # of logarithmic ones of noise or of few points, in which lines seldom coincide
_FEW = 16  # points of a curve, up to which they count more than the line
_SEVERAL = 1.1  # of diagrams with several curves of one participant
_FIRST = 0.5  # opacity of the first
_DECADES = 7  # shown at most on a logarithmic axis of curves over time; where single points count, all are shown
_TICKS = 8  # at most, of a logarithmic axis with a tick at each of its points
RC: dict[str, Any] = {
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": FAINT,
    "grid.linewidth": 0.5,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "xtick.minor.size": 0,
    "ytick.minor.size": 0,
    "text.color": INK,
    "path.simplify": True,
    "path.simplify_threshold": 0.3,
}


def draw(chart: Chart, styles: Mapping[str, Style], key: str) -> str:
    """The chart as an `<svg>` element.

    Args:
        chart: what to draw.
        styles: label of a participant -> how it is drawn.
        key: unique in the page; it keeps the ids inside the SVG apart.
    """
    settings: Any = RC | {"svg.hashsalt": key} | ({"font.size": 8.5} if chart.small else {})
    with matplotlib.rc_context(settings):
        figure = Figure(figsize=SMALL) if chart.small else Figure(figsize=SIZE, layout="constrained")
        if chart.small:
            figure.subplots_adjust(**_MARGINS)
        figure.patch.set_alpha(0.0)
        axes = figure.add_subplot()
        axes.patch.set_alpha(0.0)
        axes.grid(True)
        _scale(axes, chart)
        order = {label: k for k, label in enumerate(dict.fromkeys(curve.label for curve in chart.curves))}
        several = len(chart.curves) > len(order) and not any(curve.dashed for curve in chart.curves)
        few = chart.points and all(len(curve.x) <= _FEW for curve in chart.curves)
        for curve in chart.curves:
            widths = (_WIDTHS, _THIN_WIDTHS, _HAIR_WIDTHS)[
                2 if few or chart.thin else chart.log_y + (chart.small or chart.points)
            ]
            k = order[curve.label]
            width = _SEVERAL if several else widths[min(k, len(widths) - 1)]
            _line(axes, chart, curve, styles[curve.label], width, k)
        if chart.paths:
            axes.set_aspect("equal", adjustable="datalim")
        if chart.log_y:
            _limit_decades(axes, chart)
        if chart.top is not None:
            axes.set_ylim(-0.03 * chart.top, chart.top)
        out = io.StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None})
    return for_page(out.getvalue(), chart.alt)


def _line(axes: Axes, chart: Chart, curve: Curve, style: Style, width: float, order: int) -> None:
    colour = SERIES.format(16 + style.colour % COLOURS)
    pattern = DASHES[1] if curve.dashed else DASHES[style.dash % len(DASHES)]
    dash: Any = (0, pattern) if pattern else "solid"
    keep = np.arange(len(curve.x)) if chart.points or chart.paths else thinned(curve.x, curve.y)
    if curve.low is not None and curve.high is not None:
        edge = np.union1d(thinned(curve.x, curve.low), thinned(curve.x, curve.high))
        axes.fill_between(curve.x[edge], curve.low[edge], curve.high[edge], color=colour, alpha=0.25, linewidth=0)
    if chart.paths:
        axes.plot(curve.x[-1], curve.y[-1], "o", color=colour, markersize=3.5, markeredgewidth=0, zorder=20)
    axes.plot(
        curve.x[keep],
        curve.y[keep],
        color=colour,
        linestyle=dash,
        linewidth=width,
        marker="o" if chart.points else "",
        markersize=5.0 if chart.log_y or len(curve.x) <= _FEW else min(width, 2.2) + 1.5,
        alpha=_FIRST if order == 0 and len(chart.curves) > 1 else None,
        markerfacecolor="none" if curve.dashed else colour,
        markeredgewidth=1.0 if curve.dashed else 0.0,
        zorder=3 + order,
    )


def _scale(axes: Axes, chart: Chart) -> None:
    for axis, (name, unit), log, side in ((axes.xaxis, chart.x, chart.log_x, 0), (axes.yaxis, chart.y, chart.log_y, 1)):
        if log:
            (axes.set_xscale if side == 0 else axes.set_yscale)("log")
            axis.set_major_formatter(FuncFormatter(lambda value, _, unit=unit: quantity(value, unit, 2)))
            axis.set_minor_formatter(NullFormatter())
            axis.set_label_text("" if chart.small else name)
            if side == 0:
                ticks = sorted({float(x) for curve in chart.curves for x in curve.x})
                axis.set_ticks(ticks[:: -(-len(ticks) // _TICKS)])
                axis.set_minor_locator(LogLocator(subs=()))
            continue
        if side == 1 and chart.linear is not None:
            axes.set_yscale("symlog", linthresh=chart.linear, linscale=0.6)
            axis.set_major_locator(SymmetricalLogLocator(base=10, linthresh=chart.linear))
            axis.set_minor_locator(NullLocator())
            axis.set_major_formatter(FuncFormatter(lambda value, _, unit=unit: quantity(value, unit, 2)))
            axis.set_label_text(f"{name} (log)")
            continue
        ends = [np.nanmax(np.abs(curve.x if side == 0 else curve.y), initial=0.0) for curve in chart.curves]
        largest = float(max(ends, default=1.0))
        factor, prefixed = (1.0, unit) if chart.small else prefix_for(largest, unit)  # the caption names the unit
        axis.set_major_formatter(FuncFormatter(lambda value, _, f=factor: f"{value / f:.6g}".replace("-", "−")))
        axis.set_major_locator(MaxNLocator(4 if chart.small else 6, steps=[1, 2, 2.5, 5, 10]))
        if not chart.small:
            axis.set_label_text(f"{name} [{prefixed}]" if prefixed else name)


def _limit_decades(axes: Axes, chart: Chart) -> None:
    """Keep rounding errors at the start of a run from squeezing what matters into a corner."""
    largest = max((float(np.nanmax(curve.y)) for curve in chart.curves if np.isfinite(curve.y).any()), default=0.0)
    smallest = min((float(np.nanmin(curve.y)) for curve in chart.curves if np.isfinite(curve.y).any()), default=0.0)
    if largest > 0:
        floor = smallest if chart.points and smallest > 0 else max(smallest, largest * 10.0**-_DECADES)
        axes.set_ylim(10 ** math.floor(math.log10(floor)), 10 ** math.ceil(math.log10(largest * 1.05)))
        axes.yaxis.set_major_locator(LogLocator(numticks=5 if chart.small else 7))


def for_page(svg: str, alt: str) -> str:
    """An element that can stand in HTML: no prolog, page colours, short numbers, only the ids in use, a description."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', svg))
    svg = re.sub(r' id="([^"]+)"', lambda m: m.group(0) if m.group(1) in used else "", svg)
    svg = svg.replace(INK, "currentColor").replace(FAINT, "var(--line)")
    svg = re.sub(r"#0102([0-9a-f]{2})", lambda m: f"var(--c{int(m.group(1), 16) - 16})", svg)
    svg = re.sub(r"#0103([0-9a-f]{2})", lambda m: f"var(--o{int(m.group(1), 16) - 16})", svg)
    svg = re.sub(r"<[^>]+>", lambda tag: re.sub(r"(\d+\.\d{2})\d+", r"\1", tag.group(0)), svg)
    svg = re.sub(r"font: ([\d.]+)px [^;\"]+", r"font-size: \1px", svg)
    svg = re.sub(r">\s+<", "><", svg)
    head = re.search(r'viewBox="[^"]+"', svg)
    box = head.group(0) if head else ""
    label = escape(alt, quote=True)
    opening = f'<svg xmlns:xlink="http://www.w3.org/1999/xlink" {box} role="img" aria-label="{label}">'
    return f"{opening}<title>{escape(alt)}</title>" + svg[svg.index(">") + 1 :].strip()
