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


def check_numbers(description: str) -> None:
    """Refuse masses and inertias that are no numbers or negative, naming the element: compilers let some pass."""
    name = name_of(description)
    root = ElementTree.fromstring(xml_text(description))
    for parent in root.iter():
        for element in parent:
            owner = element.get("name") or parent.get("name") or parent.tag
            for attribute in ("mass", "value", "diaginertia", "fullinertia", "ixx", "iyy", "izz", "density"):
                if attribute == "value" and element.tag != "mass":
                    continue
                for word in (element.get(attribute) or "").split():
                    _check_number(name, element.tag, owner, attribute, word)


def _check_number(name: str, tag: str, owner: str, attribute: str, word: str) -> None:
    try:
        number = float(word)
    except ValueError as error:
        raise UsageError(f"{name}: <{tag}> of {owner!r} has {attribute}={word!r}, which is not a number") from error
    if not math.isfinite(number) or (number < 0 and attribute != "fullinertia"):
        raise UsageError(f"{name}: <{tag}> of {owner!r} has {attribute}={word}; give a finite number, not below 0")
