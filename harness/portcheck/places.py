"""XML with the file and line of every element, includes followed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element
from xml.parsers import expat

from ..errors import UsageError

DEPTH = 20  # includes inside includes


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class Located:
    """An XML tree whose elements know where they stand; `<include file>` is replaced by what the file holds."""

    def __init__(self, path: Path, text: str | None = None) -> None:
        self.path = path
        self._places: dict[int, Place] = {}
        self.files: list[Path] = [path]
        self.root = self._read(path, text)
        self._include(self.root, path.parent, 0)

    def place(self, element: Element | None) -> Place | None:
        """Where an element of the tree stands."""
        return None if element is None else self._places.get(id(element))

    def _read(self, path: Path, text: str | None) -> Element:
        parser = expat.ParserCreate()
        stack: list[Element] = []
        roots: list[Element] = []

        def start(tag: str, attributes: dict[str, str]) -> None:
            element = Element(tag, attributes)
            self._places[id(element)] = Place(str(path), parser.CurrentLineNumber)
            (stack[-1] if stack else roots).append(element)
            stack.append(element)

        def data(words: str) -> None:
            if stack and words.strip():
                stack[-1].text = (stack[-1].text or "") + words

        parser.StartElementHandler = start
        parser.EndElementHandler = lambda tag: stack.pop()
        parser.CharacterDataHandler = data
        try:
            parser.Parse(path.read_bytes() if text is None else text.encode(), True)
        except OSError as error:
            raise UsageError(f"robot file {path} cannot be read: {error}") from error
        except expat.ExpatError as error:
            raise UsageError(f"robot file {path} is not well-formed XML: {error}") from error
        return roots[0]

    def _include(self, parent: Element, folder: Path, depth: int) -> None:
        """Put what an included file holds, which MuJoCo looks for beside the main file, in the place of its include."""
        for index, child in reversed(list(enumerate(list(parent)))):
            if child.tag != "include":
                self._include(child, folder, depth)
                continue
            path = folder / child.get("file", "")
            if depth >= DEPTH or not path.is_file():
                raise UsageError(f"{self.place(child)}: the included file {path} does not exist; put it there")
            self.files.append(path)
            inside = self._read(path, None)
            self._include(inside, folder, depth + 1)
            parent.remove(child)
            for offset, element in enumerate(inside):
                parent.insert(index + offset, element)
