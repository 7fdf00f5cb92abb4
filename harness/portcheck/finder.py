"""Collects the findings of one engine, each with its place, cause and advice."""

from __future__ import annotations

import math
from collections import Counter

from ..cause import Causes, known
from ..engine import Resolved, Value
from ..imported import Key
from .differ import Apart
from .finding import Case, Finding, Severity
from .items import ITEMS, Item
from .source import Source

NOTHING = "the source has nothing of the kind"


class Finder:
    """Findings of `engine` against `source`; `causes`: "ITEM:quantity" or "ITEM" -> what is known of the engine."""

    def __init__(self, engine: str, source: Source, causes: Causes) -> None:
        self.engine, self.source, self.causes = engine, source, causes
        self.findings: list[Finding] = []
        self.checked: Counter[str] = Counter()
        self.skipped: dict[str, str] = {}

    def add(
        self,
        item: str,
        key: Key,
        severity: Severity,
        message: str,
        *,
        source: Value = None,
        found: Value = None,
        unit: str = "",
        apart: Apart | None = None,
        cause: str = "",
    ) -> None:
        """A finding about the element and quantity of `key`."""
        place = self.source.place(key)
        element = f"{key.kind} {key.name}".strip()
        self.findings.append(
            Finding(
                item=item,
                severity=severity,
                engine=self.engine,
                element=element,
                quantity=key.quantity,
                file=place.file if place else str(self.source.prepared.given),
                line=place.line if place else 0,
                source=source,
                found=found,
                unit=self.source.reading.unit(key, unit),
                difference=_finite(apart.absolute) if apart else None,
                relative=_finite(apart.relative) if apart else None,
                message=message,
                cause=cause or self.cause(item, key, found),
                advice=ITEMS[item].advice,
            )
        )

    def cause(self, item: str, key: Key, found: Value = None) -> str:
        """What is known of the engine about that, where it is the reason."""
        return known(self.causes, item, self.source.reading, self.source.prepared.format, key, found)

    def differs(self, item: str, key: Key, ours: Resolved, theirs: Resolved, apart: Apart) -> None:
        """A finding that two values differ."""
        severity: Severity = "note" if apart.stand_in else "error" if apart.grave else "warning"
        severity = "warning" if item == "CF-MESH" and severity == "error" else severity
        message = f"{key.quantity} is {show(theirs.value)} where the source has {show(ours.value)}{self._computed(key)}"
        if apart.stand_in:
            message = f"{key.quantity}: no limit in the source, the stand-in {show(theirs.value)} in the engine"
        elif math.isfinite(apart.relative) and apart.relative:
            message += f" (off by {share(apart.relative)})"
        cause = self.cause(item, key._replace(quantity="stand-in"), theirs.value) if apart.stand_in else ""
        given = {"source": ours.value, "found": theirs.value, "unit": ours.unit}
        self.add(item, key, severity, message, apart=apart, cause=cause, **given)  # type: ignore[arg-type]

    def lost(self, item: str, key: Key, ours: Resolved, why: str) -> None:
        """A finding that a value is not carried over."""
        message = f"{key.quantity} {show(ours.value)}{self._computed(key)} is not carried over by {self.engine}"
        message += f": {why}" if why else ""
        self.add(item, key, "warning", message, source=ours.value, unit=ours.unit, cause=why)

    def _computed(self, key: Key) -> str:
        """The words that a value is computed from: a reader looks for the number in the file in vain."""
        words = self.source.computed_from(key)
        return f" from {words} of the file" if words else ""

    def cases(self, items: tuple[Item, ...]) -> tuple[Case, ...]:
        """One case per item: failed with any warning or error, skipped where nothing was there to compare."""
        cases = []
        for item in items:
            mine = [f for f in self.findings if f.item == item.id]
            reason = self.skipped.get(item.id, "")
            if mine:
                status = "fail" if any(f.severity != "note" for f in mine) else "pass"
            else:
                status = "skipped" if reason or not self.checked[item.id] else "pass"
                reason = reason or ("" if status == "pass" else NOTHING)
            cases.append(
                Case(
                    item=item.id,
                    engine=self.engine,
                    status=status,  # type: ignore[arg-type]
                    reason=reason,
                    checked=self.checked[item.id],
                )
            )
        return tuple(cases)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def share(relative: float) -> str:
    """A relative difference in a sentence."""
    return f"{100 * relative:.3g} %" if relative >= 1e-4 else f"a part of {relative:.2g}"


def show(value: Value) -> str:
    """A value in a sentence."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return str(value)
    if isinstance(value, tuple):
        return "(" + " ".join(f"{x:.6g}" for x in value) + ")"
    return f"{value:.8g}"
