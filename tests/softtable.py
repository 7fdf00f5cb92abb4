"""The page about the soft ball: `python -m tests.softtable results/reference/soft`, from its `runs.csv`."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import Any

import pandas as pd

DURATION = 1.05  # of the lifts that are told [s]
KEYS = ["engine", "settings", "overrides", "carrier", "dt"]
HEAD = """\
# Reference: the soft ball

`runs.csv` is `simparity run study=soft && simparity show --csv` on two cores of a CPU: {count} runs,
{statuses}. MuJoCo {mujoco}, Newton {newton}, Genesis {genesis}, Drake {drake};
SAPIEN's PhysX has no soft bodies, and its run says so. This page is
`python -m tests.softtable results/reference/soft`. The reasons, each with its measurement and command, are in
`engines/NAME/NOTES.md` under "Soft bodies".
"""
LIFTS = """\
## Who lifts the ball (1.03 N, friction 0.5 asked for)

`needs` is weight / (2 mu) with the friction that the coupler really uses. Each cell: what happened in {duration:g} s,
and how far the ball rose of about 49.5 mm.
"""
MOMENTUM = """\
## Momentum on the plates

Largest |impulse on the plates + change of the ball's momentum - weight| of a single step and any component, over dt;
the force that the upper plate feels while it holds, and the one that the coupler counts.
"""
LAG = """\
## A force one step late (Newton, VBD, 2 N, 0.4 s)

`kd dt / m`: damping of one vertex times dt over the finger's 15 g; a force that is one step late is unstable above 1.
A pad faster than 2 m/s has run away.
"""
STABLE = """\
## Largest stable step of explicit elasticity (MuJoCo, `published`, law at 2 kHz, 0.6 s)

2 / w of the mesh, with the masses and moduli in use, is {limit:.3f} ms.
"""


def page(runs: pd.DataFrame) -> str:
    """The whole page, Markdown."""
    grasps = runs[runs.experiment == "soft_ball_grasp"]
    versions = runs.groupby("engine").engine_version.first().to_dict()
    statuses = ", ".join(f"{n} {status}" for status, n in runs.status.value_counts().items())
    head = HEAD.format(count=len(runs), statuses=statuses, **versions)
    return "\n".join([head, *_lifts(grasps), *_momentum(runs), *_lag(grasps), *_stable(grasps)])


def _lifts(grasps: pd.DataFrame) -> list[str]:
    told = grasps[((grasps.duration - DURATION).abs() < 1e-9) & (grasps["repeat"] == 0)]
    efforts = sorted(told.effort.unique())
    rows = []
    for (engine, settings, overrides, carrier, dt), group in told.groupby(KEYS, dropna=False):
        name = " ".join([f"{engine}, {settings}", *_words(overrides), *(["on the arm"] if carrier == "fr3" else [])])
        cells = {effort: _ended(run) for effort, run in _by_effort(name, group).items()}
        left = [name, f"{1e3 * dt:g}", _every(group.mu_used), _every(group.effort_needed)]
        rows.append([*left, *(cells.get(effort, "") for effort in efforts)])
    head = ["engine, settings", "dt [ms]", "mu used", "needs [N]", *(f"{effort:g} N" for effort in efforts)]
    return [LIFTS.format(duration=DURATION), *_table(head, rows)]


def _by_effort(name: str, group: pd.DataFrame) -> dict[float, Any]:
    """Effort [N] -> its run; two runs in one cell are an error."""
    twice = ", ".join(f"{effort:g}" for effort in sorted(group.effort[group.effort.duplicated()].unique()))
    if twice:
        asked = f"{name}, dt {1e3 * group.dt.iloc[0]:g} ms: one run for each effort is wanted"
        raise ValueError(f"{asked}, but there are several at {twice} N; leave one of them in runs.csv")
    return {run.effort: run for run in group.itertuples()}


def _ended(run: Any) -> str:
    """How a run ended and how far it lifted; its status where it has no outcome."""
    if not isinstance(run.outcome_word, str):
        return str(run.status)
    known = run.outcome_word != "unstable" and math.isfinite(run.lift_achieved)
    return f"{run.outcome_word} {_mm(run.lift_achieved)}" if known else run.outcome_word


def _every(values: pd.Series) -> str:
    """What a metric is in a row, every value where it is not the same."""
    return ", ".join(dict.fromkeys(f"{value:.3g}" for value in values.dropna()))


def _momentum(runs: pd.DataFrame) -> list[str]:
    told = runs[(runs.experiment == "plate_compression") & (runs.status == "ok")].sort_values(KEYS)
    rows = [
        [
            " ".join([f"{run.engine}, {run.settings}", *_words(run.overrides)]),
            f"{1e3 * run.dt:g}",
            *(f"{value:.3g}" for value in (run.momentum_residual, run.momentum_residual_mean)),
            *(f"{value:.5g}" for value in (run.force_upper, run.own_force)),
            f"{run.own_difference:.2g}",
        ]
        for run in told.itertuples()
    ]
    head = [
        "engine, settings",
        "dt [ms]",
        "largest [N]",
        "mean [N]",
        "felt [N]",
        "counted [N]",
        "most apart in a step [N]",
    ]
    return ["", MOMENTUM, *_table(head, rows)]


def _lag(grasps: pd.DataFrame) -> list[str]:
    damped = grasps[grasps.overrides.fillna("").str.contains("pad_damping")].sort_values(["lag_number", "dt"])
    rows = [[f"{run.lag_number:.3g}", f"{1e3 * run.dt:g}", f"{run.pad_speed:.3g}"] for run in damped.itertuples()]
    lifted = grasps[(grasps.engine == "newton") & (grasps.settings == "matched") & (grasps.outcome_word == "lifted")]
    vbd = lifted[~lifted.overrides.fillna("").str.contains("flex") & (lifted.carrier == "slides")]
    lag = (
        f"The lag itself: m a[n] differs from f[n-1] by {vbd.own_difference_late.max():.1g} N rms at most over a "
        f"lifted grasp, from f[n] by {vbd.own_difference.min():.1g} N at least."
    )
    return ["", LAG, *_table(["kd dt / m", "dt [ms]", "fastest pad [m/s]"], rows), "", lag]


def _stable(grasps: pd.DataFrame) -> list[str]:
    scan = grasps[(grasps.engine == "mujoco") & (grasps.control_dt == 5e-4)]
    efforts = sorted(scan.effort.unique())
    rows = []
    for dt, group in scan.groupby("dt"):
        scanned = _by_effort("mujoco, published, law at 2 kHz", group)
        ended = {effort: _stability(run.status, run.outcome_word) for effort, run in scanned.items()}
        rows.append([f"{1e3 * dt:g}", *(ended.get(effort, "") for effort in efforts)])
    limit = 1e3 * float(scan.stable_dt.median())
    return ["", STABLE.format(limit=limit), *_table(["dt [ms]", *(f"{effort:g} N" for effort in efforts)], rows), ""]


def _stability(status: str, word: object) -> str:
    return "diverged" if status != "ok" or word in ("unstable", "invalid") else "stable"


def _words(overrides: object) -> list[str]:
    return [str(overrides)] if isinstance(overrides, str) and overrides else []


def _mm(metres: float) -> str:
    return f"{1e3 * metres:.1f} mm"


def _table(head: list[str], rows: list[list[str]]) -> list[str]:
    return ["| " + " | ".join(cells) + " |" for cells in (head, ["---"] * len(head), *rows)]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    (folder / "README.md").write_text(page(pd.read_csv(folder / "runs.csv")))
