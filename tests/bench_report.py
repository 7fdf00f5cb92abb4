"""How long the report over 500 runs of 1,000 samples takes: `python tests/bench_report.py`.

The runs are made up; `made_run` also serves the tests of the report.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from simparity.harness import store
from simparity.harness.channels import BY_NAME, JOINT, ChannelNote
from simparity.harness.checks import Verdict
from simparity.harness.contacts import ContactTrace
from simparity.harness.engine import ContactLaw, Impulse, Resolution, Resolved, Soft
from simparity.harness.job import Job
from simparity.harness.record import Detection, Record, Status, TimingRecord
from simparity.harness.report import write
from simparity.harness.required import REQUIRED_OPTIONS
from simparity.harness.trace import Trace

MACHINE = "made-up-2"
PARAMS: dict[str, Any] = {
    "mass": 0.1,
    "size": 0.1,
    "gap": 0.326,
    "phase": 0.0,
    "friction": 0.5,
    "restitution": None,
}
SOFT = Soft(K=1e4, B=200.0, impedance=(0.9, 0.95, 1e-3, 0.5, 2.0), regularizer=1.0)
IMPULSE = Impulse(restitution=0.0, bounce_threshold=2.0)


def made_trace(dt: float, duration: float, height: float, noise: float, name: str = "cube") -> Trace:
    """A body that falls and comes to rest at `height` [m], with a force that peaks at 0.26 s."""
    time = np.arange(round(duration / dt) + 1) * dt
    channels = {c.name: np.zeros((len(time), 1, c.width)) for c in BY_NAME.values() if c not in JOINT}
    channels["p_WB"][:, 0, 2] = np.maximum(0.376 - 4.905 * time**2, height) + noise * np.sin(1e3 * time)
    channels["q_WB"][:, 0, 0] = 1.0
    force = np.where(time < 0.26, 0.0, 0.981 + 50 * np.exp(-(((time - 0.262) / 0.002) ** 2)))
    for channel in ("f_B_W", "f_normal_B_W"):
        channels[channel][:, 0, 2] = force
    channels["peak_normal_force"][:, 0, 0] = force
    channels["impulse_B_W"][1:, 0, 2] = force[1:] * dt
    return Trace(time, (name,), channels)


def made_robot_trace(dt: float, duration: float, offset: float = 0.0, joints: int = 2) -> Trace:
    """Joints that swing, each `offset` [rad] per second off, in a scene without bodies."""
    time = np.arange(round(duration / dt) + 1) * dt
    channels = {c.name: np.zeros((len(time), joints if c in JOINT else 0, c.width)) for c in BY_NAME.values()}
    for k in range(joints):
        channels["q"][:, k, 0] = np.sin(time * (k + 1)) + offset * time * (k + 1)
    return Trace(time, (), channels, tuple(f"joint{k + 1}" for k in range(joints)))


def made_table(options: Mapping[str, Any]) -> dict[str, Resolved]:
    """A resolved table: every required option, given or absent, and some shapes."""
    table = {
        name: Resolved(
            value=options.get(name),
            unit=unit,
            origin="default" if name in options else "absent",
            native=f"opt.{name}",
        )
        for name, unit in REQUIRED_OPTIONS.items()
    }
    for body, quantity in product(("cube", "ground"), ("friction", "margin", "gap")):
        table[f"shape.{body}.0.{quantity}"] = Resolved(value=0.5, unit="1", origin="scene", native=f"geom_{quantity}")
    table["pair.ground+cube.friction"] = Resolved(value=0.5, unit="1", origin="derived", native="max")
    return table


def made_run(
    results: Path,
    engine: str,
    *,
    experiment: str = "drop",
    settings: str = "default",
    overrides: Mapping[str, Any] | None = None,
    params: Mapping[str, Any] | None = None,
    dt: float = 1e-3,
    duration: float = 1.0,
    repeat: int = 0,
    stride: int = 1,
    height: float = 0.05,
    noise: float = 0.0,
    status: Status = "ok",
    reason: str = "",
    law: ContactLaw = SOFT,
    options: Mapping[str, Any] | None = None,
    refined_by: tuple[str, ...] = (),
    metrics: Mapping[str, float] | None = None,
    checks: tuple[Verdict, ...] = (),
    detections: tuple[Detection, ...] = (),
    trace: Trace | None = None,
    contacts: ContactTrace | None = None,
    precision: int = 64,
    rows: Mapping[str, Resolved] | None = None,
    channel_notes: Mapping[str, ChannelNote] | None = None,
    notes: tuple[str, ...] = (),
    pace: Mapping[str, float] | None = None,
    process: str = "fresh",
    physics: float = 0.02,
    stepped: bool = True,
    libraries: Mapping[str, str] | None = None,
) -> Path:
    """Write a made-up run and return its folder."""
    overrides = dict(overrides or {})
    job = Job(
        experiment=experiment,
        params=(PARAMS if experiment == "drop" else {}) | dict(params or {}),
        engine=engine,
        engine_version="1.2.3",
        settings=settings,
        options=overrides,
        overrides=overrides,
        dt=dt,
        duration=duration,
        stride=stride,
        control_dt=1e-3,
        device="cpu",
        precision=precision,
        timings=3,
        paced=pace is not None,
        code="0" * 64,
        libraries=dict(libraries or {}),
        inputs={},
        repeat=repeat,
    )
    ok = status == "ok"
    made_metrics = {"max_overlap": 0.05 - height, "peak_normal_force": 51.0}
    record = Record(
        job=job,
        status=status,
        reason=reason,
        resolution=Resolution(
            table=made_table({"dt": dt, "iterations": 100} | dict(options or {}) | overrides) | dict(rows or {}),
            contact_law=law,
            channel_notes={"f_B_W": ChannelNote("derived", "made up"), **(channel_notes or {})},
            refined_by=refined_by,
        )
        if ok
        else None,
        metrics=(made_metrics if experiment == "drop" else {}) | dict(metrics or {}) if ok else {},
        checks=checks,
        detections=detections,
        notes=notes,
        timing=TimingRecord(
            parts={"import": 0.7, "build": 0.01, "first_step": 1e-4, "step": physics, "read": 0.01, "log": 1e-3},
            bare_loops=(0.02, 0.021, 0.019) if stepped else (),
            real_time_factors=(50.0, 47.6, 52.6) if stepped else (),
            steps=round(duration / dt) if stepped and ok else 0,
            pace=pace,
            process=process,
            compilation="warm",
        ),
        provenance={"cpu": "made-up", "cores": 2, "finished": "2026-01-01T00:00:00.000+00:00"},
    )
    folder = results / MACHINE / job.folder
    if ok and trace is None and stepped:
        trace = made_trace(dt, duration, height, noise)
    store.write(record, trace if ok else None, folder.with_name("." + folder.name), folder, contacts)
    return folder


def make_runs(results: Path) -> int:
    """500 runs: 5 engines, 2 settings, 5 variants, 2 steps, 5 repeats."""
    engines = ("alpha", "beta", "gamma", "delta", "epsilon")
    frictions = (0.3, 0.4, 0.5, 0.6, 0.7)
    count = 0
    for (k, engine), settings, friction, dt, repeat in product(
        enumerate(engines), ("default", "published"), frictions, (1e-3, 5e-4), range(5)
    ):
        made_run(
            results,
            engine,
            settings=settings,
            params={"friction": friction},
            dt=dt,
            repeat=repeat,
            height=0.05 - 1e-4 * k - 0.1 * dt,
            noise=1e-7 * (k + repeat),
            law=IMPULSE if k % 2 else SOFT,
        )
        count += 1
    return count


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results"
        count = make_runs(results)
        start = perf_counter()
        page, _ = write.write_report(results, Path(folder) / "report")
        wall = perf_counter() - start
        print(
            f"report over {count} runs of 1,000 samples and more: {wall:.1f} s, {page.stat().st_size / 2**20:.1f} MiB"
        )


if __name__ == "__main__":
    main()
