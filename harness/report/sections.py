"""The part of the report about one experiment."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .. import store
from ..experiment import Experiment, Metric
from ..settings import PROFILES
from .answers import answer, finding
from .defaults import DefaultsTable, side_by_side
from .figures import charts_of, convergence_charts
from .measure import Comparison, Traces, main_of, measure, reference_of
from .measured import experiment_of, metric_rows, phases_of
from .panels import convergence_rows, repeats_sentence
from .quantity import quantity
from .runs import PHASE, Participant, Run, Series, Variant, labels, series_of, word
from .speed import speed_table
from .summary import Finding, Panel, RunRow, Section, Style
from .verdicts import Judged, ending, judge

MOST_CHARTED = 8  # panels of an experiment that get charts


@dataclass(frozen=True, kw_only=True)
class Told:
    """A section, the judged comparisons behind its rows of the matrix, and the traces that could not be read."""

    section: Section
    rows: tuple[tuple[str, str, Judged], ...]  # variant, anchor of the panel
    names: Mapping[Participant, str]
    damage: tuple[store.Damage, ...]


def tell(name: str, runs: Sequence[Run], colours: Mapping[str, int]) -> Told:
    """Everything about the experiment `name`, from its runs.

    Args:
        name: of the experiment.
        runs: all runs of it.
        colours: engine -> number of its colour.
    """
    return _Teller(name, runs, colours).told()


class _Teller:
    """Holds what all parts of a section need; the traces of a series are dropped before the next is read."""

    def __init__(self, name: str, runs: Sequence[Run], colours: Mapping[str, int]) -> None:
        self.name, self.runs, self.colours = name, runs, colours
        self.names = labels(runs)
        experiments = {run.variant: experiment for run in runs if (experiment := experiment_of(run)) is not None}
        self.experiment = next(iter(experiments.values()), None)
        self.known: dict[str, Metric] = {}
        for experiment in experiments.values():
            self.known |= {m.name: m for m in experiment.metrics() if m.name not in self.known}
        self.variants = variant_texts([run.variant for run in runs], self.experiment)
        self.series = sorted(series_of(runs), key=self._rank)
        self.damage: list[store.Damage] = []
        self.reference: Participant | None = None

    def told(self) -> Told:
        first = max(self.series, key=lambda s: (len({who for who, dt in s.runs if s.ok(who, dt)}), -self._at(s)))
        compared: dict[Variant, tuple[Comparison, ...]] = {}
        parts: dict[Variant, tuple[Comparison, Panel]] = {}
        tolerance = self.experiment.TOLERANCE if self.experiment else None
        for series in [first, *(s for s in self.series if s is not first)]:
            traces = Traces()
            comparisons = measure(series, traces)
            self.damage += traces.damage
            if comparisons:
                compared[series.variant] = comparisons
                main = main_of(comparisons, self.experiment.DT if self.experiment else None)
                if series is first:
                    self.reference = reference_of(main, tolerance[0] if tolerance else 0.0)
                charted = len(parts) < MOST_CHARTED
                parts[series.variant] = (main, self._panel(main, comparisons, traces, charted))
        everything = [c for s in self.series for c in compared.get(s.variant, ())]
        judged = {id(j.comparison): j for j in judge(everything, tolerance, self.names)}
        panels, mains = [], {}
        for series in self.series:
            if series.variant in parts:
                main, panel = parts[series.variant]
                mains[series.variant] = judged[id(main)]
                panels.append(self._judged_panel(panel, judged[id(main)]))
        alike = [v for v in mains if v != first.variant and v.params == first.variant.params]
        answered = [mains[v] for v in [first.variant, *alike] if v in mains]
        section = Section(
            name=self.name,
            text=self.experiment.TEXT if self.experiment else "an experiment that this version of simparity does not have",
            answer=answer(answered, self.runs, self.names, self.reference) if answered else "No run to tell of.",
            tolerance=tolerance,
            panels=tuple(panels),
            defaults=tuple(self._defaults(one.comparison) for one in answered if one.comparison.ok),
            speeds=tuple(
                table
                for one in answered
                if (table := speed_table(one.comparison, self.variants[one.comparison.series.variant], self.names))
            ),
            findings=tuple(self._findings()),
            runs=tuple(self._run_row(run) for run in self.runs),
        )
        anchors = {variant: panel.anchor for variant, (_, panel) in parts.items()}
        rows = tuple(
            (self.variants[c.series.variant], anchors[c.series.variant], judged[id(c)])
            for c in everything
            if not c.refines and len(c.standings) > 1
        )
        return Told(section=section, rows=rows, names=self.names, damage=tuple(self.damage))

    def _at(self, series: Series) -> int:
        return self.series.index(series)

    def _rank(self, series: Series) -> tuple[bool, str, int, str]:
        """Variants at the experiment's defaults first, then by settings profile."""
        text, settings = self.variants[series.variant], series.variant.settings
        return (text != "", text, PROFILES.index(settings) if settings in PROFILES else len(PROFILES), settings)

    def _panel(self, main: Comparison, comparisons: tuple[Comparison, ...], traces: Traces, charted: bool) -> Panel:
        variant = main.series.variant
        reference = self.reference if self.reference in [standing.who for standing in main.ok] else None
        return Panel(
            anchor=f"{self.name}-{self._at(main.series) + 1}",
            settings=variant.settings,
            variant=self.variants[variant],
            dt=main.dt,
            duration=variant.duration,
            finding="",
            repeats=repeats_sentence(main, self.names),
            styles=tuple(self._style(standing.who) for standing in main.ok),
            charts=charts_of(main, traces, self.names, reference) if charted else (),
            left_out=not charted,
            metrics=metric_rows(main, self.known),
            reference=self.names[reference] if reference else "",
            convergence=(),
            convergence_charts=convergence_charts(comparisons, self.names, reference) if charted else (),
            phases=phases_of(main.series, main.dt, self.names, self.known),
        )

    def _judged_panel(self, panel: Panel, judged: Judged) -> Panel:
        said = finding(judged, self.names, self.reference)
        return dataclasses.replace(
            panel,
            finding=said[:1].upper() + said[1:] + ".",
            convergence=convergence_rows(judged, self.names, self.reference),
        )

    def _style(self, who: Participant) -> Style:
        same = sorted({other.overrides for other in self.names if other.engine == who.engine}, key=lambda o: (len(o), o))
        return Style(label=self.names[who], colour=self.colours[who.engine], dash=same.index(who.overrides))

    def _defaults(self, comparison: Comparison) -> DefaultsTable:
        found = {
            self.names[standing.who]: standing.run.record.resolution
            for standing in comparison.ok
            if standing.run.record.resolution is not None
        }
        return side_by_side(comparison.series.variant.settings, comparison.dt, found)

    def _findings(self) -> list[Finding]:
        """Failed checks and detections over all runs, those of one participant and kind together, the worst error in words."""
        found: dict[tuple[str, str], list[tuple[float, str, Run]]] = defaultdict(list)
        for run in self.runs:
            label = self.names[run.participant]
            for check in run.record.checks:
                if check.outcome == "fail":
                    unit = self.known[check.metric].unit if check.metric in self.known else ""
                    text = (
                        f"check {check.metric} fails: error {quantity(check.error, unit, signed=True)}, "
                        f"tolerance {quantity(check.tolerance, unit)}"
                    )
                    found[label, check.metric].append((abs(check.error or 0.0), text, run))
            for seen in run.record.detections:
                text = f"{seen.kind} from {quantity(seen.onset, 's')}: {seen.reason}"
                found[label, seen.kind].append((0.0, text, run))
            if run.record.status not in ("ok", "unsupported"):
                found[label, run.record.status].append((0.0, ending(run.record), run))
        return [
            Finding(label=label, where=self._where([r for _, _, r in group]), text=worst[1], runs=len(group))
            for (label, _), group in sorted(found.items())
            for worst in [max(group, key=lambda item: item[0])]
        ]

    def _where(self, runs: Sequence[Run]) -> str:
        places = {f"{run.record.job.settings} {self.variants[run.variant]}".strip() for run in runs}
        return ", ".join(sorted(places))

    def _run_row(self, run: Run) -> RunRow:
        job, record = run.record.job, run.record
        return RunRow(
            run_id=job.run_id,
            label=self.names[run.participant],
            variant=self.variants[run.variant],
            settings=job.settings,
            dt=job.dt,
            phase=run.phase,
            repeat=job.repeat,
            status=record.status,
            reason=record.reason,
        )


def variant_texts(variants: Sequence[Variant], experiment: Experiment | None) -> dict[Variant, str]:
    """What sets each variant apart: "start=push incline=0.2", nothing for the experiment's defaults."""
    usual: dict[str, str] = {}
    if experiment is not None:
        fields = dataclasses.fields(experiment) if dataclasses.is_dataclass(experiment) else ()
        usual = {f.name: word(f.default) for f in fields if f.name != PHASE}
        usual["duration"] = quantity(experiment.DURATION, "s")
    rows = {}
    for variant in variants:
        rows[variant] = dict(variant.params) | {
            "duration": quantity(variant.duration, "s"),
            "stride": str(variant.stride),
            "control_dt": quantity(variant.control_dt, "s"),
        }
    varying = {
        name for row in rows.values() for name in row if len({other.get(name) for other in rows.values()}) > 1
    }
    texts = {}
    for variant, row in rows.items():
        shown = [
            f"{name}={value}"
            for name, value in row.items()
            if (value != usual[name] if name in usual else name in varying)
        ]
        texts[variant] = " ".join(shown)
    return texts
