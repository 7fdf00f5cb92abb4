"""Records and their store: written whole, read back equal, damaged ones named."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from simparity.harness import store
from simparity.harness.channels import BY_NAME, JOINT, ChannelNote
from simparity.harness.checks import Verdict
from simparity.harness.configure import plan
from simparity.harness.engine import Impulse, Resolution, Resolved, Soft
from simparity.harness.errors import SimparityError, UsageError
from simparity.harness.job import Job
from simparity.harness.record import Detection, Record, TimingRecord, from_plain_record, to_plain
from simparity.harness.trace import Trace, load, save


def job(*words: str) -> Job:
    (one,) = plan(["experiment=throw", "engine=freefall", *words], multirun=False).jobs
    return one


def record(one: Job, **changes: object) -> Record:
    row = Resolved(value=(1.0, 2.0), unit="m", origin="scene", native="here", authored=(1.0, 2.0))
    resolution = Resolution(
        table={"gravity": row, "cone": Resolved(value=None, unit="", origin="absent", native="none")},
        contact_law=Soft(K=1.0, B=2.0, impedance=(0.9, 0.95, 1e-3, 0.5, 2.0), regularizer=1.0),
        channel_notes={"f_B_W": ChannelNote("derived", "balance")},
        refined_by=("iterations",),
    )
    verdict = Verdict(
        metric="range", outcome="pass", measured=1.0, expected=1.0, error=0.0, tolerance=1.0, reason="closed form"
    )
    whole = Record(
        job=one,
        status="ok",
        resolution=resolution,
        metrics={"range": 2.0, "flight_error": math.nan},
        checks=(verdict,),
        detections=(Detection(kind="jitter", body="ball", onset=0.5, reason="ball: it jitters"),),
        notes=("a note",),
        timing=TimingRecord(
            parts={"step": 1.0}, bare_loops=(0.1,), real_time_factors=(10.0,), steps=0, process="fresh"
        ),
        provenance={"finished": "2026-01-01T00:00:00.000+00:00"},
    )
    return replace(whole, **changes)  # type: ignore[arg-type]


def trace(steps: int = 4, joints: tuple[str, ...] = ()) -> Trace:
    random = np.random.default_rng(0)
    channels = {
        name: random.normal(size=(steps + 1, len(joints) if channel in JOINT else 1, channel.width))
        for name, channel in BY_NAME.items()
        if joints or channel not in JOINT
    }
    return Trace(np.arange(steps + 1) * 0.5, ("ball",), channels, joints)


def test_a_record_survives_its_file() -> None:
    whole = record(job())
    back = from_plain_record(whole.job.canonical(), json.loads(json.dumps(to_plain(whole), allow_nan=False)))
    assert math.isnan(back.metrics["flight_error"])
    assert replace(back, metrics={}) == replace(whole, metrics={})
    assert isinstance(from_plain_record(whole.job.canonical(), to_plain(replace(whole, resolution=None))), Record)
    law = Impulse(restitution=0.1, bounce_threshold=2.0)
    assert whole.resolution is not None
    changed = replace(whole, resolution=replace(whole.resolution, contact_law=law))
    again = from_plain_record(whole.job.canonical(), to_plain(changed))
    assert again.resolution is not None
    assert again.resolution.contact_law == law


@pytest.mark.parametrize("joints", [(), ("a", "b")])
def test_a_trace_survives_its_file(tmp_path: Path, joints: tuple[str, ...]) -> None:
    whole = trace(joints=joints)
    save(whole, tmp_path / "trace.npz")
    back = load(tmp_path / "trace.npz")
    assert (back.names, back.joints) == (whole.names, joints)
    assert all(np.array_equal(back.channels[name], array) for name, array in whole.channels.items())


def test_other_schemas_and_broken_files_are_refused(tmp_path: Path) -> None:
    whole = record(job())
    with pytest.raises(SimparityError, match="schema 99"):
        from_plain_record(whole.job.canonical(), to_plain(whole) | {"schema": 99})
    with pytest.raises(SimparityError, match="not a run record"):
        from_plain_record(whole.job.canonical(), {"schema": 1})
    (tmp_path / "trace.npz").write_bytes(b"PK\x03\x04 nothing")
    with pytest.raises(SimparityError, match="not a readable trace"):
        load(tmp_path / "trace.npz")
    np.savez(tmp_path / "other.npz", time=np.zeros(3), names=np.array(["a"]), joints=np.array([], dtype=np.str_))
    with pytest.raises(SimparityError, match="wrong shape"):
        load(tmp_path / "other.npz")


def write(whole: Record, results: Path, with_trace: bool = True) -> Path:
    folder = store.folder_of(whole.job, results)
    store.write(whole, trace() if with_trace else None, folder.with_name(".draft"), folder)
    return folder


def test_a_written_run_is_found_and_nothing_else(tmp_path: Path) -> None:
    whole = record(job())
    folder = write(whole, tmp_path)
    assert store.finished(whole.job, tmp_path) is not None
    assert store.find(whole.job.run_id, tmp_path) == folder
    assert store.finished(job("dt=0.01"), tmp_path) is None
    for status in ("failed", "timeout"):
        write(replace(whole, status=status), tmp_path)
        assert store.finished(whole.job, tmp_path) is None, f"{status} is tried again"
    assert [path.name for path in folder.parent.iterdir()] == [folder.name], "a draft was left behind"


def test_damaged_and_foreign_files_are_named(tmp_path: Path) -> None:
    folder = write(record(job()), tmp_path)
    (folder.parent / "stray.txt").write_text("hello")
    (folder.parent / "empty").mkdir()
    broken = write(record(job("dt=0.01")), tmp_path)
    (broken / "run.json").write_text('{"schema": 1')
    found = list(store.runs(tmp_path))
    damage = {item.path.name: item.reason for item in found if isinstance(item, store.Damage)}
    assert set(damage) == {"stray.txt", "empty", broken.name}
    assert "is not JSON" in damage[broken.name]
    assert store.finished(job("dt=0.01"), tmp_path) is None


def test_the_same_run_of_two_machines_must_be_told_apart(tmp_path: Path) -> None:
    whole = record(job())
    folder = write(whole, tmp_path)
    other = tmp_path / "other-machine" / Path(*folder.parts[-3:])
    other.parent.mkdir(parents=True)
    store.write(whole, trace(), other.with_name(".draft"), other)
    with pytest.raises(UsageError, match=r"was made on several machines: .*other-machine"):
        store.find(whole.job.run_id, tmp_path)
    assert store.find(f"other-machine/{whole.job.run_id}", tmp_path) == other


def test_numbers_of_two_states_of_the_code_are_not_mixed(tmp_path: Path) -> None:
    old = record(replace(job("dt=0.01"), code="0" * 64), provenance={"finished": "2025-01-01"})
    new = record(job("dt=0.02"))
    folders = [write(one, tmp_path) for one in (old, new)]
    newest, earlier = store.newest_code([(folder, store.read(folder)) for folder in folders])
    assert [one.job.dt for _, one in newest] == [0.02]
    assert [one.job.dt for _, one in earlier] == [0.01]


def test_what_some_engines_share_is_part_of_their_code_and_of_no_other() -> None:
    from simparity.engines import ENGINES
    from simparity.harness import job

    shared, sharing = set(job._OF_SOME_ENGINES), 0
    for engine in ENGINES:
        text = "\n".join(path.read_text() for path in sorted((job.PACKAGE / "engines" / engine).glob("*.py")))
        used = set(re.findall(r"^from \.\.\.harness\.(\w+) import", text, re.MULTILINE)) & shared
        assert used in (set(), shared), "they import each other"
        assert {path.stem for path in job.code_files(engine, "drop")} & shared == used
        sharing += bool(used)
    assert sharing > 1


def test_every_module_that_an_experiment_is_made_of_is_part_of_its_code() -> None:
    """Those that it imports from beside it, in whatever form, and all of the harness that they use."""
    from simparity.experiments import EXPERIMENTS
    from simparity.harness import job

    for where in EXPERIMENTS.values():
        files = job._with_siblings(job.PACKAGE / "experiments" / f"{where.split(':')[0]}.py")
        text = "\n".join(path.read_text() for path in files)
        beside = set(re.findall(r"^from \. import (\w+)|^from \.(\w+) import", text, re.MULTILINE))
        assert {a or b for a, b in beside} <= {path.stem for path in files}
        used = set(re.findall(r"^from \.\.harness\.(\w+) import", text, re.MULTILINE))
        assert used <= {*job._NUMERICAL, "errors", "resolution"}, "not in the digest"
