"""The answers at the top of the page: a sentence for each settings profile, for other parameters, and the checks."""

from __future__ import annotations

from collections.abc import Sequence

from .ensemble_words import ensemble_finding
from .lexicon import Lexicon
from .participants import Participant
from .runs import Run
from .verdicts import Cell, Judged
from .wording import agreement, all_agree, finding, in_words, worst_cell

MOST_NAMED = 3  # failed checks and groups named in a sentence
MOST_SAID = 5  # sentences about comparisons
PROFILE_ORDER = ("default", "matched", "published")  # what defaults cost, what remains, what others published
_LEADS = {
    "default": "left to their defaults",
    "matched": "with every known setting matched",
    "published": "with the published settings",
}


def answer(
    main: Sequence[Judged],
    others: Sequence[Judged],
    softening: Sequence[str],
    runs: Sequence[Run],
    words: Lexicon,
    reference: Participant | None,
    comparisons: int,
) -> tuple[str, ...]:
    """The sentences about an experiment, the most useful first.

    Args:
        main: comparisons of its main parameters, one for each settings profile.
        others: one for each other set of parameters and profile.
        softening: sentences about runs that differ only in the softness of their controller.
        runs: all runs of the experiment.
        words: what participants and metrics are called.
        reference: the participant that the others are held against.
        comparisons: how many there are in all, those at other steps included; what has no sentence is counted.
    """
    asked = [one for one in main if words.ensemble or len(one.comparison.standings) > 1]
    said = [_sentence(one, words, reference) for one in sorted(asked, key=_rank)]
    rest = [one for one in others if words.ensemble or len(one.comparison.standings) > 1]
    alike = [] if words.ensemble else [one for one in rest if all_agree(one)]
    if len(alike) > 1:
        said.append(_agreeing(alike, words))
        rest = [one for one in rest if one not in alike]
    told = len(asked) + (len(alike) if len(alike) > 1 else 0)
    said += softening
    room = max(MOST_SAID - len(said), 0)
    said += [_sentence(one, words, reference) for one in rest[:room]]
    told += len(rest[:room])
    if comparisons > told and said:
        more = comparisons - told
        said.append(f"{more} more comparison{'s' if more > 1 else ''} with other steps or parameters below")
    if not comparisons and not words.ensemble:
        said.append(_alone(runs, words))
    said.append(failed_checks(runs, words))
    return tuple(text[:1].upper() + text[1:] + "." for text in said if text)


def full_runs(runs: Sequence[Run]) -> Sequence[Run]:
    """`runs` without smoke runs, unless there are no others."""
    return [run for run in runs if not run.variant.smoke] or runs


def with_smoke(answers: tuple[str, ...], runs: Sequence[Run]) -> tuple[str, ...]:
    """`answers` with a sentence about the smoke runs among `runs`, the first one where there are only those."""
    short = sum(run.variant.smoke for run in runs)
    if not short:
        return answers
    if short == len(runs):
        only = f"Smoke run{'s' if short > 1 else ''} only (smoke=true: short and coarse)"
        return (f"{only}: whether it runs at all, not how engines compare.", *answers)
    many = f"{short} smoke runs (smoke=true: short and coarse) are" if short > 1 else "One smoke run (smoke=true) is"
    return (*answers, f"{many} not in these answers, and below held against other smoke runs only.")


def failed_checks(runs: Sequence[Run], words: Lexicon) -> str:
    """The checks that fail in any run of the experiment, by metric."""
    failed: dict[str, set[str]] = {}
    total = 0
    for run in runs:
        for verdict in run.record.checks:
            total += verdict.outcome != "not applicable"
            if verdict.outcome == "fail":
                failed.setdefault(verdict.metric, set()).add(words.names[run.participant])
    if not total:
        return ""
    if not failed:
        return f"all {total} checks against closed forms pass" if total > 1 else "its closed-form check passes"
    named = [f"{metric} ({', '.join(sorted(who))})" for metric, who in sorted(failed.items())[:MOST_NAMED]]
    more = f" and {len(failed) - MOST_NAMED} more" if len(failed) > MOST_NAMED else ""
    return f"checks that fail: {', '.join(named)}{more}"


def _rank(judged: Judged) -> int:
    settings = judged.comparison.series.variant.settings
    return PROFILE_ORDER.index(settings) if settings in PROFILE_ORDER else len(PROFILE_ORDER)


def _sentence(judged: Judged, words: Lexicon, reference: Participant | None) -> str:
    variant = judged.comparison.series.variant
    lead = _LEADS.get(variant.settings, f"with {variant.settings} settings")
    parameters = in_words(words.variants[variant])
    lead += f" ({parameters})" if parameters else ""
    if words.ensemble:
        return f"{lead}, {ensemble_finding(judged, words, reference)}"
    text = finding(judged, words, reference, brief=True)
    cost = _cost(variant.settings, worst_cell(judged, reference))
    return f"{lead}, {cost}: {text}" if cost else f"{lead}, {text}"


def _cost(settings: str, worst: Cell | None) -> str:
    """What the largest difference means under that profile."""
    if worst is None or worst.agrees or not worst.amount or settings not in ("default", "matched"):
        return ""
    if worst.word == "not converged":
        return "engines differ by less than the step itself changes"
    return f"engines end up to {worst.amount} apart" if settings == "default" else f"up to {worst.amount} remain"


def _agreeing(judged: Sequence[Judged], words: Lexicon) -> str:
    """One sentence for all comparisons in which everyone agrees."""
    names = []
    for one in judged:
        variant = one.comparison.series.variant
        names.append(", ".join(word for word in (variant.settings, in_words(words.variants[variant])) if word))
    shown = "; ".join(names[:MOST_NAMED]) + (" and more" if len(names) > MOST_NAMED else "")
    cells = [cell for one in judged for cell in one.cells.values()]
    worst = max(cells, key=lambda cell: cell.apart.motion if cell.apart else 0.0)
    return f"all agree in {len(judged)} other comparisons{agreement(worst).replace(' apart', ' at most')}: {shown}"


def _alone(runs: Sequence[Run], words: Lexicon) -> str:
    names = sorted({words.names[run.participant] for run in runs})
    return f"only {names[0]} was run, so there is nothing to compare" if len(names) == 1 else "nothing ran side by side"
