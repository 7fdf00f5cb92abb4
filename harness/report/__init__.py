"""From records to one HTML page and a Markdown summary: summarise, then plot, then render."""

from __future__ import annotations

from .write import write_report

__all__ = ["write_report"]
