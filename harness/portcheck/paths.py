"""How paths are told: from the working folder, or from the robot file's."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

FARTHEST = 3  # folders up that a relative path may go


@dataclass(frozen=True, slots=True)
class Paths:
    """Paths from `folder`; one that is far away keeps its folder and name only where `cut`, else it is told whole."""

    folder: Path
    cut: bool = False

    def near(self, file: str) -> str:
        """One path; a link is told where it is, not where it leads."""
        whole = Path(file).absolute().parent.resolve() / Path(file).name
        seen = Path(os.path.relpath(whole, self.folder.resolve()))
        if seen.parts.count("..") < FARTHEST:
            return str(seen)
        return str(Path("...", *Path(file).parts[-2:])) if self.cut else str(whole)

    def brief(self, words: str) -> str:
        """Words in which the folder is left out of every path."""
        for folder in {self.folder.resolve(), self.folder.absolute()} - {Path("/")}:
            words = re.sub(rf"(?<![\w/.-]){re.escape(f'{folder}{os.sep}')}", "", words)
        return words


def from_here() -> Paths:
    """From the working folder: paths that a terminal or an editor can open."""
    return Paths(Path.cwd())


def from_robot(robot: str) -> Paths:
    """From the robot file's folder, for a page that is read elsewhere."""
    return Paths(Path(robot).absolute().parent, cut=True)
