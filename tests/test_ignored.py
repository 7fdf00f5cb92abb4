"""What a description asks of a joint and an engine does not simulate is a sentence in the record, for every engine."""

from __future__ import annotations

from pathlib import Path

from simparity.harness.engine import Resolution, Resolved, Unknown
from simparity.harness.ignored import ignored
from simparity.harness.report.summarise import summarise
from simparity.harness.store import records

from .test_run import run


def resolution(**rows: Resolved) -> Resolution:
    table = {name.replace("__", "."): row for name, row in rows.items()}
    return Resolution(table=table, contact_law=Unknown(reason="nothing touches"), channel_notes={}, refined_by=())


def row(value: float | None, authored: float | None, origin: str = "absent", unit: str = "N m") -> Resolved:
    return Resolved(value=value, unit=unit, authored=authored, origin=origin, native="there is none")  # type: ignore[arg-type]


def test_joints_with_the_same_loss_share_a_sentence() -> None:
    names = ("a", "b", "c", "d")
    rows = {f"joint__{name}__friction": row(None, 0.1 * (k + 1)) for k, name in enumerate(names)}
    (text,) = ignored(resolution(**rows))
    assert text == (
        "the friction of up to 0.4 N m that the description gives joints a, b, c and 1 more is not simulated: "
        "there is none"
    )


def test_what_was_not_asked_for_is_used_or_cannot_be_read_is_not_named() -> None:
    quiet = {
        "joint__a__friction": row(None, 0.0),
        "joint__b__friction": row(None, None),
        "joint__c__friction": row(0.2, 0.2, "file"),
        "joint__d__friction": row(None, 0.2, "unreadable"),
        "joint__e__effort": row(None, 80.0),
    }
    assert ignored(resolution(**quiet)) == ()
    assert len(ignored(resolution(joint__a__armature=row(0.0, 0.1, "default", "kg m^2")))) == 1


def test_a_hinge_whose_dry_friction_does_not_hold_says_so(engine: str, tmp_path: Path) -> None:
    """In the terminal, in the record and in the report, or the friction is there."""
    words = ("experiment=hinge", f"engine={engine}", "experiment.mode=hold", "timings=0", "duration=1.1")
    done = run(tmp_path, *words, "experiment.friction=0.2", "experiment.torque=0.1")
    assert done.returncode == 0, done.stdout + done.stderr
    (record,) = records(tmp_path / "results")
    if record.status == "unsupported":
        assert record.reason
        return
    said = [note for note in record.notes if note.startswith("the friction of 0.2 N m") and "joint hinge" in note]
    (section,) = summarise(tmp_path / "results").sections
    if record.metrics["final_speed"] < 0.01:
        assert not said
    else:
        assert len(said) == 1 and said[0] in done.stdout
        assert said[0] in [finding.text for finding in section.findings]
