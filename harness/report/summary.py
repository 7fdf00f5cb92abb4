"""The report as data: everything that the page says, before it becomes HTML or Markdown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .chart import Chart, ChartGroup, Style
from .defaults import DefaultsTable
from .ensemble_view import EnsembleView
from .measured import MetricRow, Phases
from .outcome_table import OutcomeTable
from .quality import QualityTable
from .speed import SpeedTable
from .sweeps import Sweep
from .verdicts import Cell


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
class Number:
    """One quantity of a pair: its difference, spread and refinement in words, "" where missing or not told."""

    difference: str
    spread: str
    refinement: str
    verdict: str


@dataclass(frozen=True, kw_only=True)
class NumberRow:
    """All numbers behind one verdict; `numbers` follow the kinds of the table."""

    where: str
    anchor: str
    pair: tuple[str, str]
    word: str
    numbers: tuple[Number | None, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class NumberTable:
    """All numbers behind the verdicts of one experiment; `kinds` are the quantities in which any pair differs."""

    experiment: str
    kinds: tuple[str, ...]
    rows: tuple[NumberRow, ...]


@dataclass(frozen=True, kw_only=True)
class Resolving:
    """The commands that run what the unresolved verdicts of one comparison lack."""

    where: str
    anchor: str
    commands: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Matrix:
    """Verdicts of all comparisons; the columns are pairs of participants.

    Attributes:
        notes: which runs have no row of their own and why, in sentences.
        numbers: what stands behind the verdicts, by experiment.
        resolving: what to run where verdicts are unresolved.
    """

    pairs: tuple[tuple[str, str], ...]
    rows: tuple[MatrixRow, ...]
    notes: tuple[str, ...]
    numbers: tuple[NumberTable, ...]
    resolving: tuple[Resolving, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ConvergenceRow:
    """A participant's difference to the reference in one quantity, beside its refinement and spread, None if missing.

    Attributes:
        kind: the quantity, of compare.KINDS: how far it moved, and what decided the verdict where that is another.
        unit: of the numbers.
        verdict: of this quantity; "" for the reference.
    """

    label: str
    kind: str
    unit: str
    difference: float | None
    halved: float | None
    doubled: Mapping[str, float | None]
    spread: float | None
    repeats: int
    verdict: str


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One variant of an experiment under one settings profile, at its main step.

    Attributes:
        main: whether it stands for the experiment.
        finding: what it shows, in a sentence.
        repeats: what the repeats show, in a sentence.
        charts: curves over time; `joint_charts` those of joints; `convergence_charts` against dt.
        coincides: label -> label of an earlier participant that its curves cannot be told from.
        left_out: whether charts were left out because there are many panels.
        ensemble: the members of a chaotic experiment; its charts over time then show one member.
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
    coincides: Mapping[str, str]
    charts: tuple[Chart, ...]
    joint_charts: tuple[ChartGroup, ...]
    left_out: bool
    metrics: tuple[MetricRow, ...]
    reference: str
    convergence: tuple[ConvergenceRow, ...]
    convergence_charts: tuple[Chart, ...]
    phases: Phases | None
    ensemble: EnsembleView | None = None


@dataclass(frozen=True, kw_only=True)
class Softening:
    """Runs that differ only in how soft their controller is: the difference of each pair of engines against that."""

    anchor: str
    where: str
    sentence: str
    chart: Chart
    styles: tuple[Style, ...]


@dataclass(frozen=True, kw_only=True)
class DeviationGroup:
    """The deviations of one set of parameters: a row for each metric."""

    name: str
    rows: tuple[MetricRow, ...]


@dataclass(frozen=True, kw_only=True)
class DeviationTable:
    """Deviations of engines (columns) from an independent reference under one settings profile.

    Attributes:
        against: what they are deviations from.
        notes: engine -> what it says of its quantities, "mass_matrix: without armature".
    """

    settings: str
    against: str
    participants: tuple[str, ...]
    groups: tuple[DeviationGroup, ...]
    notes: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A failed check, a detected failure or a note, in words; `runs` that show it."""

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
    """One experiment; `answers` are sentences."""

    name: str
    text: str
    answers: tuple[str, ...]
    tolerance: tuple[float, float, float] | None
    styles: Mapping[str, Style]
    panels: tuple[Panel, ...]
    softenings: tuple[Softening, ...]
    deviations: tuple[DeviationTable, ...]
    defaults: tuple[DefaultsTable, ...]
    speeds: tuple[SpeedTable, ...]
    findings: tuple[Finding, ...]
    runs: tuple[RunRow, ...]
    quality: QualityTable | None = None
    sweeps: tuple[Sweep, ...] = ()
    outcomes: OutcomeTable | None = None

    @property
    def answer(self) -> str:
        """The answer to who agrees with whom."""
        return " ".join(self.answers)

    @property
    def has_joints(self) -> bool:
        """Whether there is a robot in it."""
        return any(panel.joint_charts for panel in self.panels)


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
        engines: engine -> its versions, with those of its libraries in which its runs differ.
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
