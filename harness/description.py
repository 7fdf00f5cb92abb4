"""A robot's description: the XML text or the path of an MJCF or URDF file, and what can be said before compiling it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree

from .errors import UsageError


def is_text(description: str) -> bool:
    """Whether a description is XML itself rather than a path."""
    return description.lstrip().startswith("<")


def name_of(description: str) -> str:
    """How a sentence calls the description."""
    return "the robot's XML" if is_text(description) else f"robot file {description}"


def xml_text(description: str) -> str:
    """The XML of a description.

    Raises:
        UsageError: the file does not exist or cannot be read.
    """
    if is_text(description):
        return description
    path = Path(description)
    if not path.is_file():
        raise UsageError(f"robot file {description} does not exist; give an MJCF (.xml) or URDF (.urdf) file")
    try:
        return path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"robot file {description} cannot be read: {error}") from error


def format_of(description: str) -> Literal["mjcf", "urdf"]:
    """Which of the two formats a description is in, from its root element.

    Raises:
        UsageError: not well-formed, or neither.
    """
    text = xml_text(description)
    name = name_of(description)
    try:
        tag = ElementTree.fromstring(text).tag
    except ElementTree.ParseError as error:
        raise UsageError(f"{name} is not well-formed XML: {error}") from error
    if tag == "mujoco":
        return "mjcf"
    if tag == "robot":
        return "urdf"
    raise UsageError(f"{name} starts with <{tag}>; an MJCF starts with <mujoco>, a URDF with <robot>")


WORDS = frozenset(
    {"name", "file", "filename", "class", "childclass", "mesh", "material", "texture", "joint", "body", "link"}
)
NOT_NEGATIVE = frozenset(
    {"mass", "diaginertia", "ixx", "iyy", "izz", "density", "damping", "armature", "frictionloss", "friction"}
)


def check_numbers(description: str) -> None:
    """Refuse numbers that are none, and negative masses, inertias and losses, naming the element."""
    name = name_of(description)
    _check_element(name, ElementTree.fromstring(xml_text(description)), "")


def _check_element(name: str, element: ElementTree.Element, owner: str) -> None:
    owner = element.get("name") or owner
    for attribute, text in element.attrib.items():
        if attribute in WORDS:
            continue
        mass = attribute == "value" and element.tag == "mass"
        for word in text.split():
            number = _number(word)
            if number is None and not (mass or attribute in NOT_NEGATIVE):
                continue
            if number is None:
                raise UsageError(
                    f"{name}: <{element.tag}> of {owner!r} has {attribute}={word!r}, which is not a number"
                )
            if not math.isfinite(number) or (number < 0 and (mass or attribute in NOT_NEGATIVE)):
                least = ", not below 0" if mass or attribute in NOT_NEGATIVE else ""
                raise UsageError(
                    f"{name}: <{element.tag}> of {owner!r} has {attribute}={word}; give a finite number{least}"
                )
    for child in element:
        _check_element(name, child, owner)


def _number(word: str) -> float | None:
    try:
        return float(word)
    except ValueError:
        return None


def files_of(description: str) -> tuple[str, ...]:
    """Every file that a description is read from and that exists: itself, its includes, and their meshes."""
    if is_text(description) or not Path(description).is_file():
        return ()
    return tuple(dict.fromkeys(_files(Path(description))))


def _files(path: Path) -> list[str]:
    found = [str(path)]
    try:
        root = ElementTree.fromstring(path.read_text())
    except (OSError, UnicodeDecodeError, ElementTree.ParseError):
        return found
    meshes = [path.parent / (compiler.get("meshdir") or "") for compiler in root.iter("compiler")] or [path.parent]
    for element in root.iter():
        name = element.get("file") or element.get("filename") or ""
        for folder in [path.parent] if element.tag == "include" else meshes:
            if name and (folder / name).is_file():
                found += _files(folder / name) if element.tag == "include" else [str(folder / name)]
    return found
