"""Robot files in folders: MJCF with a world and a joint, and URDF, each content once."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

ENDINGS = (".xml", ".urdf")
JOINTS = ("joint", "freejoint")


@dataclass(frozen=True, slots=True)
class RobotFile:
    """A robot file: `package` is the name of the folder that was given, `name` its path in there."""

    package: str
    name: str
    path: Path
    format: str
    size: int


def robot_files(folders: Sequence[Path]) -> list[RobotFile]:
    """Robot files below the folders, the smallest first; a file with the bytes of an earlier one is left out."""
    found: dict[str, RobotFile] = {}
    for folder in folders:
        for path in sorted(p for p in folder.rglob("*") if p.suffix.lower() in ENDINGS and p.is_file()):
            kind = robot_format(path)
            if kind:
                content = path.read_bytes()
                digest = hashlib.sha256(content).hexdigest()
                name = path.relative_to(folder).as_posix()
                found.setdefault(digest, RobotFile(folder.name, name, path, kind, len(content)))
    return sorted(found.values(), key=lambda file: (file.size, file.package, file.name))


def robot_format(path: Path) -> str:
    """mjcf, urdf, or nothing where the file is no robot with a joint."""
    root = _root(path)
    if root is None:
        return ""
    if root.tag == "robot":
        return "urdf" if root.find("joint") is not None and root.find("link") is not None else ""
    if root.tag != "mujoco":
        return ""
    elements = list(_included(path, root, frozenset()))
    worlds = [e for e in elements if e.tag == "worldbody"]
    jointed = any(e.tag in JOINTS for body in elements if body.tag == "body" for e in body)
    return "mjcf" if worlds and jointed else ""


def _root(path: Path) -> Element | None:
    try:
        return ElementTree.parse(path).getroot()
    except (ElementTree.ParseError, OSError, UnicodeError):
        return None


def _included(path: Path, root: Element, seen: frozenset[Path]) -> Iterator[Element]:
    """Every element of a file and of the files that it includes."""
    for element in root.iter():
        yield element
        if element.tag == "include" and element.get("file"):
            inner = (path.parent / element.get("file", "")).resolve()
            part = None if inner in seen else _root(inner)
            if part is not None:
                yield from _included(path, part, seen | {inner})
