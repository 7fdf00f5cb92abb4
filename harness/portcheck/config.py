"""The project's own settings of the check: `simparity.toml`, or `[tool.simparity]` in pyproject.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import UsageError
from .accept import Accepted
from .items import chosen

KEYS = ("engines", "reference", "fail-on", "package-path", "rtol", "tolerances", "bandwidth", "accept")


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """What a project writes down once.

    `tolerances`: quantity -> relative difference that is no finding; `bandwidth`: of the torque law of CT [rad/s].
    """

    engines: tuple[str, ...] = ()
    reference: str = ""
    fail_on: str = ""
    package_path: tuple[str, ...] = ()
    rtol: float | None = None
    tolerances: Mapping[str, float] = field(default_factory=dict)
    bandwidth: float | None = None
    accepted: tuple[Accepted, ...] = ()


def read_config(folder: Path) -> Config:
    """The configuration in `folder`; an empty one where there is none.

    Raises:
        UsageError: not readable, or a key that does not exist.
    """
    for name, table in (("simparity.toml", ()), ("pyproject.toml", ("tool", "simparity"))):
        path = folder / name
        if not path.is_file():
            continue
        try:
            found: Any = tomllib.loads(path.read_text())
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise UsageError(f"{path} is not readable TOML: {error}") from error
        for key in table:
            found = found.get(key, {})
        if found:
            return _config(name, found)
    return Config()


def _config(name: str, found: Mapping[str, Any]) -> Config:
    for key in found:
        if key not in KEYS:
            raise UsageError(f"{name} has no setting {key!r}; its settings: {', '.join(KEYS)}")
    accepted = []
    for entry in found.get("accept", ()):
        extra = set(entry) - {"item", "engine", "element", "reason"}
        if extra or not entry.get("item") or not entry.get("reason"):
            raise UsageError(
                f"{name}: an accepted deviation is {dict(entry)}; give item and reason, and perhaps engine and element"
            )
        if not set(entry["item"]) & set("*?"):
            chosen([entry["item"]])
        accepted.append(Accepted(**entry))
    tolerances = found.get("tolerances", {})
    for quantity, value in tolerances.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)) or value < 0:
            raise UsageError(
                f"{name}: the tolerance of {quantity!r} is {value!r}; give a relative difference, not below 0"
            )
    return Config(
        engines=tuple(found.get("engines", ())),
        reference=found.get("reference", ""),
        fail_on=found.get("fail-on", ""),
        package_path=tuple(found.get("package-path", ())),
        rtol=found.get("rtol"),
        tolerances=dict(tolerances),
        bandwidth=found.get("bandwidth"),
        accepted=tuple(accepted),
    )
