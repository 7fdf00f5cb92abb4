"""One robot file in one engine: imported, read back, compared. Runs in the engine's process."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from time import perf_counter
from typing import Any

from ..errors import SimparityError, Unsupported
from ..imported import ImportedModel, Key
from ..mujoco_warnings import warnings_to_stderr
from ..registry import engine_version
from .collide import compare_collisions, solid_links, touching
from .compare import compare
from .defaults import compare_options, option_values
from .differ import rounding
from .finder import Finder
from .finding import Case, Examined
from .items import ITEMS, Item
from .match import match
from .motion import compare_motion
from .source import Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Tolerances:
    """Relative differences that are no finding: `rtol` for all quantities, `quantities` for single ones ("mass").

    None takes what roundings of the engine's own precision can make.
    """

    rtol: float | None = None
    quantities: Mapping[str, float] = field(default_factory=dict)


def importer(engine: str) -> Any:
    """The engine's `importer` module; importing it imports the engine.

    Raises:
        Unsupported: the engine has none.
    """
    try:
        module = import_module(f"simparity.engines.{engine}.importer")
    except ModuleNotFoundError as error:
        if error.name == f"simparity.engines.{engine}.importer":
            raise Unsupported(f"engine {engine!r} reads no robot files") from error
        raise
    if "mujoco" in sys.modules:  # several engines import through it
        warnings_to_stderr()
    return module


def examine(engine: str, source: Source, items: tuple[Item, ...], tolerances: Tolerances) -> Examined:
    """Import the source's file and compare; a refusal of the importer is a finding."""
    start = perf_counter()
    finder = Finder(engine, source, {})
    static = tuple(item for item in items if not item.dynamic)
    version = engine_version(engine) or ""
    model: ImportedModel | None = None
    try:
        module = importer(engine)
        finder.causes = module.CAUSES
        model = module.load(str(source.prepared.path))
    except Unsupported as error:
        cases = tuple(Case(item=i.id, engine=engine, status="skipped", reason=str(error)) for i in static)
        return Examined(engine=engine, version=version, cases=cases, seconds=perf_counter() - start)
    except Exception as error:
        return _refused(finder, static, version, error, perf_counter() - start)
    try:
        return compared(model, finder, static, tolerances, version, start)
    finally:
        model.close()


def _refused(finder: Finder, items: tuple[Item, ...], version: str, error: Exception, seconds: float) -> Examined:
    if not isinstance(error, SimparityError):
        traceback.print_exc()
    reason = finder.source.prepared.told(" ".join(str(error).split())) or type(error).__name__
    finder.add(
        "RB-IMPORT", Key("model", "", "import"), "error", f"{finder.engine}'s importer refuses the file: {reason}"
    )
    cases = [
        Case(item=i.id, engine=finder.engine, status="skipped", reason=f"the importer refuses the file: {reason}")
        for i in items
        if i.id != "RB-IMPORT"
    ]
    cases.insert(0, Case(item="RB-IMPORT", engine=finder.engine, status="fail", checked=1))
    return Examined(
        engine=finder.engine, version=version, cases=tuple(cases), findings=tuple(finder.findings), seconds=seconds
    )


def compared(
    model: ImportedModel,
    finder: Finder,
    items: tuple[Item, ...],
    tolerances: Tolerances,
    version: str = "",
    start: float = 0.0,
) -> Examined:
    """Compare a model that is already in its engine with the source of `finder`: every static item of `items`."""
    source, reading = finder.source, model.reading()
    rtol = rounding(reading.precision) if tolerances.rtol is None else tolerances.rtol
    finder.checked["RB-IMPORT"] += 1
    finder.skipped |= {"RB-IMPORT": reading.translated} if reading.translated else {}
    matched = match(source, reading)
    folded = compare(source, reading, matched, finder, rtol)
    compare_options(source, reading, finder, rtol)
    compare_collisions(folded, source, reading, matched, finder, rtol)
    if any(item.id in ("RB-FK", "RB-MATRIX", "RB-GRAVITY") for item in items):
        summed = max(rtol, rounding(32)) if source.meshed else rtol  # its masses are known to 32 bit only
        compare_motion(folded, model, reading, matched, finder, rtol, summed)
    wanted = {item.id for item in items if item.id in ITEMS}
    finder.findings = [
        f
        for f in finder.findings
        if f.item in wanted
        and not (f.relative is not None and f.relative <= tolerances.quantities.get(f.quantity, 0.0))
    ]
    return Examined(
        engine=finder.engine,
        version=version,
        cases=finder.cases(items),
        findings=tuple(finder.findings),
        options=option_values(reading),
        links=solid_links(reading, matched),
        pairs=touching(reading, matched),
        notes=reading.notes,
        imported=True,
        seconds=perf_counter() - start if start else 0.0,
    )
