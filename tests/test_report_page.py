from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest

from simparity.harness.checks import Verdict
from simparity.harness.errors import UsageError
from simparity.harness.report.write import write_report

from .bench_report import IMPULSE, made_run

VOID = {"meta", "path", "circle", "use", "br", "rect", "wbr"}


class Page(HTMLParser):
    """All elements with their attributes and text, and whether every tag is closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[tuple[str, dict[str, str], list[str]]] = []
        self.elements: list[tuple[str, dict[str, str], str]] = []
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag in VOID:
            self.elements.append((tag, given, ""))
        else:
            self.open.append((tag, given, []))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}, ""))

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        opened, attributes, text = self.open.pop()
        assert opened == tag
        self.elements.append((tag, attributes, " ".join("".join(text).split())))

    def handle_data(self, data: str) -> None:
        for _, _, text in self.open:
            text.append(data)

    def having(self, attribute: str) -> list[tuple[str, str]]:
        return [(given[attribute], text) for _, given, text in self.elements if attribute in given]


@pytest.fixture
def results(tmp_path: Path) -> Path:
    results = tmp_path / "results"
    check = Verdict(
        metric="max_overlap", outcome="fail", measured=8e-3, expected=7e-3, error=1e-3, tolerance=1e-6, reason="the law"
    )
    for repeat, dt in ((0, 1e-3), (1, 1e-3), (0, 5e-4)):
        made_run(results, "alpha", dt=dt, repeat=repeat)
        made_run(results, "beta", dt=dt, repeat=repeat, height=0.042, law=IMPULSE, checks=(check,))
    for k in range(1, 8):
        made_run(results, "beta", params={"phase": k / 8}, metrics={"max_overlap": 1e-3 * k})
    made_run(results, "gamma", status="unsupported", reason="no cubes here")
    return results


@pytest.fixture
def page_of(tmp_path: Path) -> Callable[[Path], tuple[str, Page]]:
    def make(results: Path) -> tuple[str, Page]:
        html = write_report(results, tmp_path / "out" / "report")[0].read_text()
        return html, Page(html)

    return make


def test_the_page_has_every_part(results: Path, page_of: Callable[[Path], tuple[str, Page]]) -> None:
    _, page = page_of(results)
    assert page.having("data-test-answer") == [
        (
            "drop",
            "Left to their defaults, engines end up to 8 mm apart: beta differs from alpha by 8 mm "
            "(impulsive contact instead of soft); gamma does not support this. Checks that fail: max_overlap (beta).",
        )
    ]
    assert sorted(page.having("data-test-verdict")) == [
        ("differ", "differ8 mm"),
        ("unsupported", "unsupported"),
        ("unsupported", "unsupported"),
    ]
    for part in (
        "matrix",
        "matrix-notes",
        "numbers",
        "panel",
        "metrics",
        "convergence",
        "phases",
        "defaults",
        "speed",
        "split",
        "runs",
    ):
        assert page.having(f"data-test-{part}"), part
    assert [title for title, _ in page.having("data-test-chart")] == [
        "Height",
        "Normal force",
        "Height, around the largest force",
        "Normal force, around the largest force",
        "Distance from alpha",
    ]
    assert [text for outcome, text in page.having("data-test-outcome") if outcome == "fail"] == [
        "8 mmerror +1 mmfails, allowed 1 µm"
    ]
    assert page.having("data-test-finding")[0][0] == "beta"


def test_the_page_is_self_contained(results: Path, page_of: Callable[[Path], tuple[str, Page]]) -> None:
    html, page = page_of(results)
    assert "<script" not in html and "@import" not in html
    links = [given[a] for _, given, _ in page.elements for a in ("href", "src", "xlink:href") if a in given]
    assert links and all(link.startswith("#") for link in links)
    assert not re.search(r"url\((?!#)", html)


def test_every_id_is_unique_and_every_link_has_its_target(
    results: Path, page_of: Callable[[Path], tuple[str, Page]]
) -> None:
    html, page = page_of(results)
    ids = [given["id"] for _, given, _ in page.elements if "id" in given]
    assert len(ids) == len(set(ids))
    targets = {given[a][1:] for _, given, _ in page.elements for a in ("href", "xlink:href") if a in given}
    assert targets | set(re.findall(r"url\(#([^)]+)\)", html)) <= set(ids)


def test_charts_are_described_and_take_their_colours_from_the_page(
    results: Path, page_of: Callable[[Path], tuple[str, Page]]
) -> None:
    html, page = page_of(results)
    charts = [given for tag, given, _ in page.elements if tag == "svg" and given.get("role") == "img"]
    assert charts and all(given["aria-label"] for given in charts)
    assert re.search(r"stroke: var\(--c\d\)", html) and "currentColor" in html and "#0102" not in html


def test_wide_tables_scroll_in_their_own_box(results: Path, page_of: Callable[[Path], tuple[str, Page]]) -> None:
    html, _ = page_of(results)
    assert html.count("<table") == html.count('<div class="scroll">\n<table')
    assert ".scroll { overflow-x: auto;" in html and "prefers-color-scheme: dark" in html


def test_equal_inputs_give_equal_bytes(results: Path, tmp_path: Path) -> None:
    first = [path.read_bytes() for path in write_report(results, tmp_path / "a")]
    second = [path.read_bytes() for path in write_report(results, tmp_path / "b")]
    assert first == second


def test_names_are_escaped(results: Path, page_of: Callable[[Path], tuple[str, Page]]) -> None:
    evil = '<script>alert("x")</script>&'
    made_run(results, "delta", overrides={"mesh": evil})
    made_run(results, "epsilon", status="failed", reason=evil)
    made_run(results, "alpha", settings=evil)
    (results / 'a<img src="x">.txt').write_text("")
    html, page = page_of(results)
    assert "<script" not in html and "<img" not in html
    assert any(evil in text for _, text in page.having("data-test-finding"))
    text = (results.parent / "out" / "report.md").read_text()
    assert "<script" not in text and "<img" not in text


def test_damaged_files_are_counted_at_the_top_and_named_at_the_end(
    results: Path, page_of: Callable[[Path], tuple[str, Page]]
) -> None:
    (made_run(results, "delta") / "run.json").write_text("{")
    _, page = page_of(results)
    assert page.having("data-test-damage-count") == [("1", "1 file could not be read.")]
    ((path, text),) = page.having("data-test-damage")
    assert path.startswith("made-up-2/drop/delta/") and "run.json is not JSON" in text
    summary = (results.parent / "out" / "report.md").read_text()
    assert "1 file could not be read; the end of this page names them." in summary
    assert f"- `{path}`: run.json is not JSON" in summary


def test_a_report_of_one_engine_has_no_matrix(tmp_path: Path, page_of: Callable[[Path], tuple[str, Page]]) -> None:
    made_run(tmp_path / "one", "alpha")
    _, page = page_of(tmp_path / "one")
    assert page.having("data-test-alone") and not page.having("data-test-matrix")


def test_a_report_of_broken_runs_only_still_tells(tmp_path: Path, page_of: Callable[[Path], tuple[str, Page]]) -> None:
    made_run(tmp_path / "broken", "alpha", status="timeout", reason="900 s")
    made_run(tmp_path / "broken", "beta", status="failed", reason="killed")
    _, page = page_of(tmp_path / "broken")
    ((_, answer),) = page.having("data-test-answer")
    assert answer == ("Left to their defaults, no run ended well; alpha ran out of time; beta failed.")
    assert page.having("data-test-verdict") == [("failed", "failed")]


@pytest.mark.parametrize("name", ["report", "report.html", "report.md", "deep/er/report", "v1.2"])
def test_output_paths(results: Path, tmp_path: Path, name: str) -> None:
    stem = name.removesuffix(".html").removesuffix(".md")
    assert write_report(results, tmp_path / name) == (tmp_path / f"{stem}.html", tmp_path / f"{stem}.md")
    assert (tmp_path / f"{stem}.html").is_file() and (tmp_path / f"{stem}.md").is_file()


def test_an_output_that_cannot_be_written_is_one_sentence(results: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match=r"cannot be written .*; choose another with -o PATH"):
        write_report(results, tmp_path / "file" / "report")


def test_the_markdown_has_answers_verdicts_and_metrics(results: Path, tmp_path: Path) -> None:
    text = write_report(results, tmp_path / "report")[1].read_text()
    assert "- **drop**\n  - Left to their defaults, engines end up to 8\xa0mm apart: beta differs" in text
    assert "| drop default 1\xa0ms | differ 8\xa0mm | unsupported | unsupported |" in text
    assert re.search(r"\| max_overlap \| .* ✗ fails \|", text)
    assert "no cubes here" in text
