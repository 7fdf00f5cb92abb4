"""The import wall: its rows hang together, and every engine gives what the committed table says."""

from __future__ import annotations

import json
import math
from itertools import takewhile
from pathlib import Path
from xml.etree import ElementTree

import pytest

import simparity
from simparity.harness.cli import main
from simparity.harness.errors import UsageError
from simparity.harness.wall import wall
from simparity.harness.wall.probe import plain_value, value_of
from simparity.harness.wall.row import Cell, Row, matches
from simparity.harness.wall.rows import ROWS

PAGE = Path(simparity.__file__).parent / "docs" / "wall.md"


def table_of(page: Path) -> list[list[str]]:
    """The cells of the table of traps in a page, its header first."""
    lines = page.read_text().splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith("| trap |"))
    found = list(takewhile(lambda line: line.startswith("|"), lines[start:]))
    return [[_unescaped(cell) for cell in line[2:-2].split(" | ")] for line in (found[0], *found[2:])]


def _unescaped(cell: str) -> str:
    return cell.replace("\\|", "|").replace("&lt;", "<")


def committed() -> tuple[list[str], dict[tuple[str, str], list[str]]]:
    """Labels of the columns, and by trap and quantity the cells of the page."""
    head, *body = table_of(PAGE)
    return head[3:], {(row[0], row[1]): row[3:] for row in body}


def test_rows_have_names_sources_and_models_of_their_own() -> None:
    assert len(ROWS) >= 30
    assert len({row.name for row in ROWS}) == len(ROWS)
    assert len({(row.trap, row.quantity) for row in ROWS}) == len(ROWS)
    for row in ROWS:
        tag = {"mjcf": "mujoco", "urdf": "robot"}[row.format]
        for text in filter(None, (row.model, row.plain)):
            assert ElementTree.fromstring(text).tag == tag, row.name
        assert row.model != row.plain, row.name
        assert row.source, row.name


def test_a_row_with_a_plain_twin_can_tell_dropped_from_right() -> None:
    """No expectation is what an importer gives that ignores the trap: the twin's format default is another value."""
    defaults = {
        "damping": 0.0,
        "armature": 0.0,
        "stiffness": 0.0,
        "frictionloss": 0.0,
        "rest": 0.0,
        "ref": 0.0,
        "gravcomp": 0.0,
        "margin": 0.0,
        "solmix": 1.0,
        "time_constant": 0.02,
        "gear": 1.0,
        "timestep": 0.002,
    }
    told = [row for row in ROWS if row.plain and row.quantity.rpartition(".")[2] in defaults]
    assert len(told) > 10
    for row in told:
        assert row.expected != defaults[row.quantity.rpartition(".")[2]], row.name


@pytest.mark.parametrize(
    ("value", "expected", "rtol", "alike"),
    [
        (1.0, 1.0, 0.0, True),
        (1.0 + 1e-7, 1.0, 1e-6, True),
        (1.0 + 1e-5, 1.0, 1e-6, False),
        (math.inf, math.inf, 1e-6, True),
        (1e30, math.inf, 1e-6, False),
        ((0.0, 1e-8, 1.0), (0.0, 0.0, 1.0), 1e-6, True),
        ((0.0, 1.0), (0.0, 1.0, 0.0), 1e-6, False),
        (1e-3, 0.0, 1e-6, False),
        (True, True, 0.0, True),
        (1, True, 0.0, True),
        ("Euler", "euler", 0.0, False),
        (None, 1.0, 0.0, False),
    ],
)
def test_what_counts_as_right(value: object, expected: object, rtol: float, alike: bool) -> None:
    assert matches(value, expected, rtol) is alike  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [1.5, math.inf, -math.inf, (1.0, math.inf), "Euler", True, 3, None])
def test_values_survive_the_way_between_the_processes(value: object) -> None:
    assert value_of(json.loads(json.dumps(plain_value(value)))) == value  # type: ignore[arg-type]


def test_outcomes_as_text() -> None:
    row: Row = ROWS[0]
    cells = [
        Cell(outcome="right", value=0.7),
        Cell(outcome="wrong", value=0.25),
        Cell(outcome="dropped", value=0.0, reason="as without it"),
        Cell(outcome="refused", reason="bad | worse"),
    ]
    columns = [wall.Column(str(k), {row.name: cell}) for k, cell in enumerate(cells)]
    _, line = wall.table(columns, [row])
    assert line[3:] == ("right", "**wrong**: 0.25", "**dropped**: 0", "refused: bad | worse")


def test_unknown_engines_are_one_sentence() -> None:
    for name in ("mujco", "freefall"):
        with pytest.raises(UsageError, match=name):
            wall.column(name)


def test_the_readme_shows_the_page() -> None:
    head, *body = table_of(PAGE)
    labels, *shown = table_of(PAGE.parents[1] / "README.md")
    assert len(shown) >= 10
    rows = {tuple(row[:1]): row for row in body}
    for line in shown:
        whole = rows[tuple(line[:1])]
        assert line == [whole[head.index(label)] for label in labels]


def test_the_page_has_every_row() -> None:
    _, cells = committed()
    assert list(cells) == [(row.trap, row.quantity) for row in ROWS]


def test_the_engine_gives_what_the_page_says(engine: str) -> None:
    """A changed cell fails and says which; `simparity wall --md` makes the page again."""
    labels, cells = committed()
    found = wall.column(engine)
    assert found.label in labels, f"docs/wall.md has no column {found.label!r}; make it again with simparity wall --md"
    place = labels.index(found.label)
    _, *lines = wall.table([found])
    changed = {
        row.name: (cells[row.trap, row.quantity][place], line[3])
        for row, line in zip(ROWS, lines, strict=True)
        if cells[row.trap, row.quantity][place] != line[3]
    }
    assert not changed, f"cells that are not what docs/wall.md says (page, now): {changed}"
    assert "failed" not in {cell.outcome for cell in found.cells.values()}


def test_the_command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    made = wall.Column("engine 1.0", {row.name: Cell(outcome="right", value=row.expected) for row in ROWS})
    monkeypatch.setattr(wall, "column", lambda engine: made)
    assert main(["wall", "--engines", "mujoco", "--md"]) == 0
    page = capsys.readouterr().out
    assert "`simparity wall --engines mujoco --md`" in page
    assert f"| engine 1.0 | {len(ROWS)} | 0 |" in page
    assert main(["wall", "--engines", "mujoco"]) == 0
    assert "engine 1.0" in capsys.readouterr().out


def test_a_long_reason_pads_no_other_row() -> None:
    lines = wall.aligned(
        [("trap", "engine", "last"), ("one", "right", "right"), ("two", "refused: " + "x" * 150, "right")]
    )
    assert lines[1] == "one   right" + " " * (wall.WIDEST - 5) + "  right"
    assert lines[2].endswith("x  right")


def test_no_log_is_left_in_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    row = next(row for row in ROWS if row.name == "settotalmass")  # MuJoCo warns of it
    assert wall.column("mujoco", [row]).cells[row.name].outcome == "right"
    assert not list(tmp_path.iterdir())
