"""The archives of traces and contact points: what is torn or no such archive is said in a sentence."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from simparity.harness import contacts, trace
from simparity.harness.contacts import ContactLog, ContactRows, ContactTrace
from simparity.harness.errors import SimparityError

from .bench_report import made_trace


def made_contacts() -> ContactTrace:
    log = ContactLog(("ground", "cube"))
    for sample in (1, 2, 3):
        log.keep(sample, ContactRows.of([0], [1], [[0, 0, 0]], [[0, 0, 1]], [-1e-4], [1.0], [[0, 0, 0]]))
    return log.trace(4)


def no_array(path: Path) -> None:
    path.with_suffix(".npy").unlink(missing_ok=True)
    np.save(path.with_suffix(".npy"), np.zeros(3))
    path.with_suffix(".npy").replace(path)


def torn_stream(path: Path) -> None:
    """Bytes of the first member's compressed data are overwritten."""
    with zipfile.ZipFile(path) as archive:
        first = archive.infolist()[0]
        start = first.header_offset + 30 + len(first.filename.encode()) + 20  # numpy writes a zip64 field of 20 bytes
    raw = bytearray(path.read_bytes())
    raw[start : start + 16] = b"\xff" * 16
    path.write_bytes(raw)


def other_compression(path: Path) -> None:
    """The directory names method 99, which Python does not know."""
    raw = bytearray(path.read_bytes())
    at = 0
    while (at := raw.find(b"PK\x01\x02", at)) >= 0:
        raw[at + 10 : at + 12] = (99).to_bytes(2, "little")
        at += 4
    path.write_bytes(raw)


def encrypted(path: Path) -> None:
    """The first member is flagged as encrypted, in its own header and in the directory."""
    raw = bytearray(path.read_bytes())
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = 0
        while (at := raw.find(signature, at)) >= 0:
            raw[at + offset] |= 1
            at += 4
    path.write_bytes(raw)


@pytest.mark.parametrize("spoil", [no_array, torn_stream, other_compression, encrypted])
def test_archives_that_cannot_be_read_are_said(tmp_path: Path, spoil: Callable[[Path], None]) -> None:
    trace.save(made_trace(1e-3, 0.1, 0.05, 0.0), tmp_path / "trace.npz")
    contacts.save(made_contacts(), tmp_path / "contacts.npz")
    for path, load in ((tmp_path / "trace.npz", trace.load), (tmp_path / "contacts.npz", contacts.load)):
        load(path)
        spoil(path)
        with pytest.raises(SimparityError, match="delete its folder and run again"):
            load(path)


def rewritten(path: Path, **columns: object) -> None:
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    np.savez_compressed(path, **arrays | columns)


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ({"gap": np.zeros(2)}, r"gap is of shape \(2,\) where there are 3 rows"),
        ({"point": np.zeros((3, 2))}, r"point is of shape \(3, 2\) where"),
        ({"f_normal": np.array(["1", "2", "3"])}, "f_normal is of type"),
        ({"a": np.zeros(3)}, "a is of type float64"),
        ({"b": np.array([1, 2, 1])}, "a row names party 2 of 2"),
        ({"a": np.array([0, -1, 0])}, "a row names party -1 of 2"),
        ({"sample": np.array([1, 3, 2])}, "not in order"),
        ({"sample": np.array([-1, 2, 3])}, "not in order"),
        ({"parties": np.array("ground")}, "iteration over a 0-d array"),
    ],
)
def test_contact_rows_that_do_not_fit_are_said(tmp_path: Path, columns: dict[str, object], reason: str) -> None:
    path = tmp_path / "contacts.npz"
    contacts.save(made_contacts(), path)
    rewritten(path, **columns)
    with pytest.raises(SimparityError, match=reason):
        contacts.load(path)


def test_contact_rows_end_with_the_trace(tmp_path: Path) -> None:
    path = tmp_path / "contacts.npz"
    contacts.save(made_contacts(), path)
    assert contacts.load(path, 4).sample.tolist() == [1, 2, 3]
    with pytest.raises(SimparityError, match="a row belongs to sample 3 of a trace of 3"):
        contacts.load(path, 3)
    contacts.save(ContactLog(("ground",)).trace(4), path)
    assert contacts.load(path, 0).sample.tolist() == []


@pytest.mark.parametrize(
    ("arrays", "reason"),
    [
        ({"time": np.array(0.0)}, "wrong shape"),
        ({"time": np.array(["a"] * 101)}, "no numbers"),
        ({"channel.p_WB": np.zeros((100, 1, 3))}, "wrong shape"),
    ],
)
def test_arrays_of_a_trace_that_do_not_fit_are_said(tmp_path: Path, arrays: dict[str, object], reason: str) -> None:
    path = tmp_path / "trace.npz"
    trace.save(made_trace(1e-3, 0.1, 0.05, 0.0), path)
    rewritten(path, **arrays)
    with pytest.raises(SimparityError, match=reason):
        trace.load(path)
