"""The summary as one self-contained HTML page."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from .chart import COLOURS, DASHES
from .distribution_plot import OUTCOME_COLOURS, draw_bars, draw_strip
from .plot import draw
from .quantity import plain, quantity
from .speed import LOOP, PART_WORDS, SpeedTable
from .summary import Panel, Summary
from .verdicts import MEANING, WORDS

LONG_WORD = 14  # letters from which a word may break
TEMPLATES = Path(__file__).parent / "templates"


def page(summary: Summary) -> str:
    """The page; everything that comes from a run is escaped."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "quantity": quantity,
        "signed": functools.partial(quantity, signed=True),
        "plain": plain,
        "breakable": _breakable,
        "slug": lambda word: word.replace(" ", "-"),
    }
    drawn = {id(chart): svg for chart, svg in _drawn(summary)}
    return environment.get_template("page.html").render(
        summary=summary,
        drawn=lambda chart: drawn[id(chart)],
        style=(TEMPLATES / "style.css").read_text(),
        words=[(word, MEANING[word]) for word in WORDS],
        colours=COLOURS,
        dashes=[" ".join(f"{1.6 * length:g}" for length in pattern) for pattern in DASHES],
        outcome_colours=OUTCOME_COLOURS,
        loop_parts=LOOP,
        parts_shown=_parts_shown,
        part_words=PART_WORDS,
    )


def _breakable(label: str) -> Markup:
    """A label whose long words may break behind "=" and "_", so that overrides wrap."""
    words = str(escape(label)).split(" ")
    return Markup(" ".join(re.sub(r"([=_])", r"\1<wbr>", word) if len(word) > LONG_WORD else word for word in words))


def _drawn(summary: Summary) -> Iterator[tuple[object, str]]:
    for section in summary.sections:
        for panel in section.panels:
            yield from _panel(panel)
        for sweep in section.sweeps:
            styles = {style.label: style for style in sweep.styles}
            for number, swept in enumerate(sweep.charts):
                yield swept.chart, draw(swept.chart, styles, f"{sweep.anchor}-{number}")
        for one in section.softenings:
            yield one.chart, draw(one.chart, {style.label: style for style in one.styles}, one.anchor)


def _parts_shown(table: SpeedTable) -> list[str]:
    """The parts of the wall time that any participant has."""
    return list(dict.fromkeys(part for split in table.splits for part in split.parts))


def _panel(panel: Panel) -> Iterator[tuple[object, str]]:
    styles = {style.label: style for style in panel.styles}
    if panel.ensemble is not None:
        if panel.ensemble.bars is not None:
            yield panel.ensemble.bars, draw_bars(panel.ensemble.bars, f"{panel.anchor}-outcomes")
        for number, strip in enumerate(panel.ensemble.strips):
            yield strip, draw_strip(strip, styles, f"{panel.anchor}-strip-{number}")
    joints = [chart for group in panel.joint_charts for chart in group.charts]
    for number, chart in enumerate((*panel.charts, *panel.convergence_charts, *joints)):
        yield chart, draw(chart, styles, f"{panel.anchor}-{number}")
