"""The diagrams over time of one panel: bodies, what the experiment derives, paths, and contact forces."""

from __future__ import annotations

from .. import store
from ..contacts import ContactTrace
from ..errors import SimparityError
from ..scene import Array
from ..soft_state import SoftTrace
from ..trace import Trace
from .chart import Chart
from .contact_charts import contact_charts
from .derived import derives, series_charts, series_of_run
from .figures import MOST_BODIES, charts_of
from .lexicon import Lexicon
from .measure import Comparison, Traces
from .outlines import outline_charts
from .participants import Participant
from .paths import path_chart
from .runs import Run

MOST_MEMBERS = 8  # of an ensemble, drawn for each participant


def over_time(
    comparison: Comparison, traces: Traces, words: Lexicon, reference: Participant | None
) -> tuple[Chart, ...]:
    """All that is drawn of a comparison over time, but for joints; of an ensemble one member, and the series of all.

    A crowd of bodies has its paths drawn and none of the bodies on its own.
    """
    firsts: dict[str, tuple[Run, Trace]] = {}
    for standing in comparison.ok:
        trace = traces.of(standing.run)
        if trace is not None:
            firsts[words.names[standing.who]] = (standing.run, trace)
    path = path_chart({label: trace for label, (_, trace) in firsts.items()})
    bodies = max((len(trace.names) for _, trace in firsts.values()), default=0)
    contacts: dict[str, tuple[Array, ContactTrace]] = {}
    for label, (run, trace) in firsts.items():
        found = traces.contacts_of(run)
        if found is not None:
            contacts[label] = (trace.time, found)
    soft: dict[str, dict[str, SoftTrace]] = {}
    for label, (run, _) in firsts.items():
        for body in _soft(run, traces):
            soft.setdefault(body.name, {})[label] = body
    parties = words.kind.FORCES_ON if words.kind is not None else ()
    return (
        *_series(comparison, traces, words),
        *(chart for bodies_of in soft.values() for chart in outline_charts(bodies_of)),
        *((path,) if path is not None else ()),
        *contact_charts(contacts, parties),
        *(() if path is not None and bodies > MOST_BODIES else charts_of(comparison, traces, words.names, reference)),
    )


def _series(comparison: Comparison, traces: Traces, words: Lexicon) -> tuple[Chart, ...]:
    """Series of every participant, of an ensemble those of its members."""
    if not derives(words.experiment):
        return ()
    found = []
    for standing in comparison.ok:
        members = comparison.series.members.get((standing.who, comparison.dt), {})
        runs = [repeats[0] for repeats in members.values() if repeats[0].ok][:MOST_MEMBERS]
        for run in runs if words.ensemble else [standing.run]:
            trace = traces.of(run)
            if trace is None:
                continue
            try:
                given = series_of_run(run, trace, traces.contacts_of(run), _soft(run, traces))
                found.append((words.names[standing.who], trace, given))
            except (SimparityError, LookupError, TypeError, ValueError) as error:
                reason = f"no series can be derived from it ({type(error).__name__}: {error})"
                traces.damage.append(store.Damage(run.folder / store.TRACE, reason))
    return series_charts(found)


def _soft(run: Run, traces: Traces) -> tuple[SoftTrace, ...]:
    """The soft bodies of a run, those that can be read."""
    try:
        return store.read_all_soft(run.folder)
    except SimparityError as error:
        traces.damage.append(store.Damage(run.folder, str(error)))
        return ()
