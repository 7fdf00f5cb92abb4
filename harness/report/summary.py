"""The report as data: everything that the page says, before it becomes HTML or Markdown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .defaults import DefaultsTable
from .figures import Chart
from .measured import MetricRow, Phases
from .speed import SpeedTable
from .verdicts import Cell


@dataclass(frozen=True, kw_only=True)
class Style:
    """How a participant is drawn: number of its engine's colour and number of its dash pattern (0 is solid)."""

    label: str
    colour: int
    dash: int


@dataclass(frozen=True, kw_only=True)
class MatrixRow:
    """One comparison: its cells follow the matrix's columns, None where a pair did not both run."""

    experiment: str
    variant: str
    settings: str
    dt: float
    anchor: str
    cells: tuple[Cell | None, ...]


@dataclass(frozen=True, kw_only=True)
class Matrix:
    """Verdicts of all comparisons; the columns are pairs of participants."""

    pairs: tuple[tuple[str, str], ...]
    rows: tuple[MatrixRow, ...]


@dataclass(frozen=True, kw_only=True)
class ConvergenceRow:
    """A participant's difference to the reference beside its refinement and spread: positions [m], None if missing."""

    label: str
    difference: float | None
    halved: float | None
    doubled: Mapping[str, float | None]
    spread: float | None
    repeats: int
    word: str
    notes: str


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One variant of an experiment under one settings profile, at its main step.

    Attributes:
        main: whether it stands for the experiment.
        finding: what it shows, in a sentence.
        repeats: what the repeats show, in a sentence.
        charts: curves over time; `convergence_charts` against dt.
        left_out: whether charts were left out because there are many panels.
    """

    anchor: str
    main: bool
    settings: str
    variant: str
    dt: float
    duration: float
    finding: str
    repeats: str
    styles: tuple[Style, ...]
    charts: tuple[Chart, ...]
    left_out: bool
    metrics: tuple[MetricRow, ...]
    reference: str
    convergence: tuple[ConvergenceRow, ...]
    convergence_charts: tuple[Chart, ...]
    phases: Phases | None


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A failed check or a detected failure, in words; `runs` that show it."""

    label: str
    where: str
    text: str
    runs: int


@dataclass(frozen=True, kw_only=True)
class RunRow:
    """One run in the list of all."""

    run_id: str
    label: str
    variant: str
    settings: str
    dt: float
    phase: float
    repeat: int
    status: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class Section:
    """One experiment; `clauses` make its answer, one sentence."""

    name: str
    text: str
    clauses: tuple[str, ...]
    tolerance: tuple[float, float, float] | None
    styles: Mapping[str, Style]
    panels: tuple[Panel, ...]
    defaults: tuple[DefaultsTable, ...]
    speeds: tuple[SpeedTable, ...]
    findings: tuple[Finding, ...]
    runs: tuple[RunRow, ...]

    @property
    def answer(self) -> str:
        """The answer to who agrees with whom, as one sentence."""
        text = "; ".join(self.clauses) or "there is nothing to compare"
        return text[:1].upper() + text[1:] + "."


@dataclass(frozen=True, kw_only=True)
class DamageRow:
    """A file or folder that is no readable run."""

    path: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class EarlierRow:
    """Runs that were set aside because the same engine has run the same experiment with newer code."""

    experiment: str
    engine: str
    code: str
    runs: int


@dataclass(frozen=True, kw_only=True)
class Summary:
    """The whole report.

    Attributes:
        earlier: what was set aside.
        machines: processors with their number of cores.
        engines: engine -> its versions.
        statuses: status -> number of runs.
    """

    machines: tuple[str, ...]
    engines: Mapping[str, tuple[str, ...]]
    earlier: tuple[EarlierRow, ...]
    statuses: Mapping[str, int]
    matrix: Matrix
    sections: tuple[Section, ...]
    damage: tuple[DamageRow, ...]

    @property
    def runs(self) -> int:
        """Number of readable runs."""
        return sum(self.statuses.values())
