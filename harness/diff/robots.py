"""Two robot files: every value that `simparity check` reads of a source, by the same readers."""

from __future__ import annotations

import hashlib
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..engine import Resolved
from ..imported import Key, Reading
from ..portcheck.geoms import alike
from ..portcheck.prepare import Prepared, mesh_files, prepare
from ..portcheck.source import Source, read_source
from .moved import ROUNDING, Diff, PairDiff, tables_moved

UNREAD: Mapping[str, str] = {
    "mjcf": "what only draws, sites and sensors beyond their number, ways of tendons, activation of actuators, numbers "
    "of single contact pairs",
    "urdf": "visual shapes, velocity limits, transmissions and extensions such as <gazebo>",
}
NO_URDF = ("option", "actuator", "tendon", "keyframe", "count")  # kinds of elements that a URDF has no words for
MASSES = ("mass", "com", "inertia")


def diff_robots(
    a: Path, b: Path, rtol: float | None = None, *, package_path: Sequence[str] = (), without_geometry: bool = False
) -> Diff:
    """What moved between the sources of two MJCF, URDF or xacro files; `rtol` is rounding in 64 bit unless given.

    Raises:
        UsageError: one of them cannot be read.
    """
    with tempfile.TemporaryDirectory(prefix="simparity-") as folder:
        sources = [
            read_source(prepare(path, package_path, without_geometry=without_geometry, folder=Path(folder) / side))
            for path, side in ((a, "a"), (b, "b"))
        ]
        meshes = [dict(_meshes(source.prepared)) for source in sources]
    left, right = (source.reading for source in sources)
    mixed = sources[0].prepared.format != sources[1].prepared.format
    tables, apart = _comparable(sources, left.table, alike(left.table, right.table), mixed=mixed)
    named = [{_name(key): row for key, row in table.items()} for table in tables]
    values = [
        _structure(reading, other, mixed=mixed) | {name: _one_sign(name, row.value) for name, row in rows.items()} | own
        for reading, other, rows, own in zip((left, right), (right, left), named, meshes, strict=True)
    ]
    units = {
        _name(key): reading.unit(key, row.unit)
        for reading, table in zip((right, left), reversed(tables), strict=True)
        for key, row in table.items()
    }
    moved = tables_moved("value", values[0], values[1], units, ROUNDING[64] if rtol is None else rtol)
    pair = PairDiff(subject="", a=a.name, b=b.name, moved=tuple(moved))
    words = () if mixed else _words(*(source.prepared for source in sources))
    said = (*words, *apart, *_unread(sources))
    return Diff(a=str(a), b=str(b), compared=1, pairs=(pair,) if moved else (), context=said)


def _name(key: Key) -> str:
    return ".".join(filter(None, key))


def _structure(reading: Reading, other: Reading, *, mixed: bool) -> dict[str, Any]:
    """What hangs on what, which pairs of links may touch, and the order of joints and actuators of equal names."""
    found: dict[str, Any] = {f"link.{link}.parent": parent for link, parent in reading.parents.items()}
    found |= {f"joint.{joint}.link": link for joint, link in reading.moved.items()}
    found |= {f"actuator.{actuator}.joint": joint for actuator, joint in reading.driven.items() if not mixed}
    if other.pairs is not None:
        found |= {f"pairs of shapes.{a}+{b}": n for (a, b), n in (reading.pairs or {}).items()}
    for kind in ("links", "joints", "actuators"):
        mine, theirs = getattr(reading, kind), getattr(other, kind)
        if set(mine) == set(theirs):
            found[f"order of {kind}"] = mine
    return found


def _comparable(
    sources: Sequence[Source], *tables: Mapping[Key, Resolved], mixed: bool
) -> tuple[list[dict[Key, Resolved]], tuple[str, ...]]:
    """Both tables without what cannot be compared, and that in sentences."""
    said = []
    unknown = {link for source in sources for link in source.prepared.unknown}
    said += [source.prepared.massless for source in sources if source.prepared.unknown][:1]
    kept = [
        {k: row for k, row in table.items() if not (k.kind == "link" and k.name in unknown and k.quantity in MASSES)}
        for table in tables
    ]
    if mixed:
        held = [{(key.kind, key.quantity) for key in table} for table in kept]
        shared = [
            {k: row for k, row in table.items() if k.kind not in NO_URDF and _both(k, held[1 - n])}
            for n, table in enumerate(kept)
        ]
        gone = dict.fromkeys(
            k.kind if k.kind in NO_URDF else f"{k.kind} {k.quantity}"
            for one, table in zip(shared, kept, strict=True)
            for k in table
            if k not in one
        )
        said.append(f"an MJCF and a URDF: not compared is what one of them has no words for ({', '.join(gone)})")
        kept = shared
    return kept, tuple(said)


def _both(key: Key, held: set[tuple[str, str]]) -> bool:
    """Whether the other format has the quantity, as far as its elements of that kind show it."""
    return (key.kind, key.quantity) in held or key.kind not in {kind for kind, _ in held}


def _meshes(prepared: Prepared) -> Iterator[tuple[str, str]]:
    """Each mesh file by its name: the first digits of its SHA-256."""
    for _, path in mesh_files(prepared.tree):
        yield f"mesh file {path.name}", hashlib.sha256(path.read_bytes()).hexdigest()[:12]


def _words(a: Prepared, b: Prepared) -> Iterator[str]:
    """Which attributes the two files do not have alike, compared or not."""
    one, two = (
        Counter(
            (element.tag, name, value)
            for element in prepared.tree.root.iter()
            for name, value in (("", ""), *element.attrib.items())
            if (element.tag, name) not in (("mesh", "filename"), ("compiler", "strippath"))  # written out in full
        )
        for prepared in (a, b)
    )
    found = sorted({f"{tag} {name}".strip() for tag, name, _ in (one - two) + (two - one)})
    if found:
        yield f"not alike in the XML: {', '.join(found)}"


def _unread(sources: Sequence[Source]) -> Iterator[str]:
    for kind in dict.fromkeys(source.prepared.format for source in sources):
        yield f"not read of {'an MJCF' if kind == 'mjcf' else 'a URDF'}, and so not compared: {UNREAD[kind]}"
    if not all(source.prepared.geometry for source in sources):
        yield "left out by --without-geometry, and so not compared: meshes, and all shapes of a URDF"


def _one_sign(name: str, value: Any) -> Any:
    """Of the two quaternions of an orientation the one whose first number other than 0 is positive."""
    if not name.endswith(".orientation"):
        return value
    first = next((x for x in value if x), 1.0)
    return tuple(x if first > 0 else -x for x in value)
