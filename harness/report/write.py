"""Write the report: read the results, summarise them, and leave a page and a Markdown summary."""

from __future__ import annotations

from pathlib import Path

from ..errors import UsageError


def write_report(results: Path, output: Path, only: frozenset[str] | None = None) -> tuple[Path, ...]:
    """Write `output`.html and `output`.md about the runs below `results`.

    Args:
        results: folder that `simparity run` filled.
        output: path without suffix; .html or .md at its end is taken off.
        only: ids of the runs to cover; None covers all.

    Raises:
        UsageError: there is nothing to report, or the output cannot be written.
    """
    # matplotlib and jinja2 take a while to import, and `simparity.load` needs neither
    from .markdown import markdown
    from .render import page
    from .summarise import summarise

    summary = summarise(results, only)
    stem = output.with_suffix("") if output.suffix in (".html", ".md") else output
    written = []
    for suffix, text in ((".html", page(summary)), (".md", markdown(summary))):
        path = stem.with_name(stem.name + suffix)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            reason = error.strerror or str(error)
            raise UsageError(f"report {path} cannot be written ({reason}); choose another with -o PATH") from error
        written.append(path)
    return tuple(written)
