"""A diagram as data, before it is drawn."""

from __future__ import annotations

from dataclasses import dataclass

from ..scene import Array

COLOURS = 8  # that the stylesheet defines as --c0 to --c7; an engine has the same one in every report
# lengths of dash and gap in line widths, of an engine's participants in turn: other options, versions, machines
DASHES: tuple[tuple[float, ...], ...] = (
    (),
    (4, 1.6),
    (1.2, 1.4),
    (6, 1.5, 1.2, 1.5),
    (9, 2),
    (6, 1.5, 1.2, 1.5, 1.2, 1.5),
)


@dataclass(frozen=True, kw_only=True)
class Style:
    """How a participant is drawn: number of its engine's colour and number of its dash pattern (0 is solid)."""

    label: str
    colour: int
    dash: int


@dataclass(frozen=True, kw_only=True)
class Curve:
    """One line of a participant: x and y in SI units; low and high bound its repeats where they differ."""

    label: str
    x: Array
    y: Array
    low: Array | None = None
    high: Array | None = None
    dashed: bool = False


@dataclass(frozen=True, kw_only=True)
class Chart:
    """One diagram.

    Attributes:
        alt: what it shows, in words.
        x, y: name and unit of the axes.
        linear: y is logarithmic above this [unit of y] and linear below; None for an ordinary axis.
        top: y ends here [unit of y], whatever the curves do; None to show all.
        points: whether single samples are drawn too.
        small: whether it is one of many small ones.
        paths: whether both axes are lengths at one scale; several curves may belong to one participant.
        thin: whether lines are thin, since they chatter and seldom coincide.
    """

    title: str
    alt: str
    x: tuple[str, str]
    y: tuple[str, str]
    curves: tuple[Curve, ...]
    log_x: bool = False
    log_y: bool = False
    linear: float | None = None
    top: float | None = None
    points: bool = False
    small: bool = False
    paths: bool = False
    thin: bool = False


@dataclass(frozen=True, kw_only=True)
class Bars:
    """How many members ended how: a stacked bar for each participant.

    Attributes:
        words: the outcomes, in order.
        rows: label and its counts, as many as there are words.
    """

    title: str
    alt: str
    words: tuple[str, ...]
    rows: tuple[tuple[str, tuple[int, ...]], ...]


@dataclass(frozen=True, kw_only=True)
class Strip:
    """A metric over the members: a dot for each, and the quartiles as a box; a row for each participant."""

    title: str
    alt: str
    x: tuple[str, str]
    rows: tuple[tuple[str, tuple[float, ...]], ...]


@dataclass(frozen=True, kw_only=True)
class ChartGroup:
    """Small diagrams of the same kind, one for each joint."""

    title: str
    text: str
    charts: tuple[Chart, ...]
