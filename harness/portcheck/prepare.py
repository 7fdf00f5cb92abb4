"""A robot file made ready for every engine: xacro expanded, `package://` resolved, shapes left out if asked for."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from ..errors import UsageError
from .places import Located
from .strip import scaled, strip_mjcf, strip_urdf

SHOWN = 8  # links in one sentence
GEOMETRY = "--without-geometry checks masses, joints and dynamics without any shape"


@dataclass(frozen=True, slots=True)
class Prepared:
    """A robot file as the engines get it.

    Attributes:
        given: the path as it was given; `path`: the file that the engines read, the same one where nothing was changed.
        tree: its XML, with the lines of the file that was given.
        geometry: whether shapes are still in it.
        notes: what was changed.
        unknown: links whose mass cannot be known, because it comes from a mesh that was left out.
    """

    given: Path
    path: Path
    format: Literal["mjcf", "urdf"]
    tree: Located
    geometry: bool = True
    notes: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()

    def told(self, words: str) -> str:
        """Words of an engine in which the file has the name that it was given."""
        return words.replace(str(self.path), str(self.given))

    @property
    def massless(self) -> str:
        """Why masses cannot be compared; empty where they can."""
        if not self.unknown:
            return ""
        named = ", ".join(self.unknown[:SHOWN]) + (" ..." if len(self.unknown) > SHOWN else "")
        return f"masses that come from meshes, which were left out, cannot be known (links: {named})"


def prepare(
    given: Path, package_path: Sequence[str] = (), *, without_geometry: bool = False, folder: Path | None = None
) -> Prepared:
    """Read `given`; a changed copy is written into `folder`, a new temporary one without it.

    Raises:
        UsageError: not there, not readable, a mesh is missing, or neither MJCF nor URDF.
    """
    if not given.is_file():
        raise UsageError(f"robot file {given} does not exist; give an MJCF (.xml), URDF (.urdf) or xacro file")
    notes: list[str] = []
    tree = Located(given, _expanded(given, notes))
    kind = _format(given, tree.root)
    unknown: tuple[str, ...] = ()
    changed = bool(notes)
    if without_geometry:
        unknown = _stripped(tree.root, kind, notes)
        changed = True
    elif kind == "urdf":
        changed |= _resolve_meshes(tree, package_path, notes)
    else:
        _check_meshes(tree)
    if not changed:
        return Prepared(given, given, kind, tree)
    folder = folder or Path(tempfile.mkdtemp(prefix="simparity-"))
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{given.name.split('.')[0]}.{'urdf' if kind == 'urdf' else 'xml'}"
    path.write_text(ElementTree.tostring(tree.root, encoding="unicode"))
    return Prepared(given, path, kind, tree, not without_geometry, tuple(notes), unknown)


def _stripped(root: Element, kind: str, notes: list[str]) -> tuple[str, ...]:
    """Leave the shapes out; returns the links whose masses go with them."""
    notes.append("shapes left out (--without-geometry)")
    if kind == "urdf":
        strip_urdf(root)
        return ()
    done = strip_mjcf(root)
    if done.along:
        named = ", ".join(done.along[:SHOWN]) + (" ..." if len(done.along) > SHOWN else "")
        notes.append(f"left out with the shapes, because they need them or a file: {named}")
    if done.unknown:
        notes.append(
            "masses of links with meshes and without an inertial element cannot be known without the meshes: put them "
            "there to have masses, mass matrix, gravity torque and the simulated items compared"
        )
        notes += ["settotalmass makes every mass depend on them: none is known"] if scaled(root) else []
    return tuple(done.unknown)


def _expanded(given: Path, notes: list[str]) -> str | None:
    """The text of a xacro file after expansion; None for other files."""
    if given.suffix != ".xacro" and b"ros.org/wiki/xacro" not in given.read_bytes():
        return None
    try:
        xacro = import_module("xacro")
    except ImportError as error:
        raise UsageError(
            f"{given} is a xacro file; expand it with: xacro {given} > robot.urdf, or pip install xacro"
        ) from error
    try:
        text = str(xacro.process_file(str(given)).toprettyxml(indent="  "))
    except Exception as error:
        raise UsageError(f"xacro cannot expand {given}: {error}") from error
    notes.append("expanded by xacro; line numbers are those of the expanded text")
    return text


def _format(given: Path, root: Element) -> Literal["mjcf", "urdf"]:
    if root.tag == "mujoco":
        return "mjcf"
    if root.tag == "robot":
        return "urdf"
    if root.tag == "mujocoinclude":
        raise UsageError(f"{given} is a part that another MJCF includes; give the file that includes it")
    raise UsageError(f"{given} starts with <{root.tag}>; an MJCF starts with <mujoco>, a URDF with <robot>")


def _resolve_meshes(tree: Located, package_path: Sequence[str], notes: list[str]) -> bool:
    """Write the absolute path of every mesh of a URDF that is not already relative to it; True if any changed."""
    roots = [Path(p) for p in (*package_path, *os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep)) if p]
    changed = False
    for element in tree.root.iter("mesh"):
        name = element.get("filename", "")
        path = _mesh(tree.path.parent, name, roots)
        if path is None:
            how = "give --package-path FOLDER, or " if name.startswith("package://") else "put it there, or "
            raise UsageError(f"{tree.place(element)}: the mesh {name} is not there; {how}leave shapes out: {GEOMETRY}")
        if name != str(path):
            element.set("filename", str(path))
            changed = True
    if changed:
        notes.append("paths of meshes written out in full")
        if tree.root.find("mujoco") is None:
            extension = ElementTree.SubElement(tree.root, "mujoco")
            ElementTree.SubElement(extension, "compiler", strippath="false")
    return changed


def _mesh(folder: Path, name: str, roots: Sequence[Path]) -> Path | None:
    plain = name.removeprefix("file://")
    if not name.startswith("package://"):
        return (folder / plain).resolve() if (folder / plain).is_file() else None
    package, _, rest = name.removeprefix("package://").partition("/")
    around = [folder, *folder.resolve().parents][:6]
    for root in (*roots, *around):
        for candidate in (root / package / rest, root / rest if root.name == package else None):
            if candidate is not None and candidate.is_file():
                return candidate.resolve()
    return None


def _check_meshes(tree: Located) -> None:
    """Say which file of an MJCF is missing, before an importer does it in its own words."""
    for element, path in mesh_files(tree):
        if not path.is_file():
            raise UsageError(f"{tree.place(element)}: the mesh {path} is not there; put it there, or: {GEOMETRY}")


def mesh_files(tree: Located) -> Iterator[tuple[Element, Path]]:
    """Each mesh of the file with its path, of a URDF once it is prepared; where it is missing, the first possible one.

    Files that an MJCF includes may have compilers of their own: any folder that any of them names may hold the mesh.
    """
    if tree.root.tag == "robot":
        yield from ((element, Path(element.get("filename", ""))) for element in tree.root.iter("mesh"))
        return
    compilers = list(tree.root.iter("compiler"))
    named = [c.get(attribute, "") for c in compilers for attribute in ("meshdir", "assetdir")]
    strip = any(c.get("strippath") == "true" for c in compilers)
    for asset in tree.root.iter("asset"):
        for element in asset.findall("mesh"):
            name = element.get("file")
            if not name:
                continue
            place = tree.place(element)
            roots = dict.fromkeys([tree.path.parent, *([Path(place.file).parent] if place else [])])
            wanted = [
                root / folder / (Path(name).name if strip else name)
                for root in roots
                for folder in dict.fromkeys([*filter(None, named), ""])
            ]
            yield element, next((path for path in wanted if path.is_file()), wanted[0])
