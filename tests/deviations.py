"""Known deviations from the contract: (engine, test) -> reason, with the note that shows it."""

from __future__ import annotations

DEVIATIONS: dict[tuple[str | None, str], str] = {}
