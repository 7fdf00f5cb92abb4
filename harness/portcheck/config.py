"""The project's own settings of the check: `simparity.toml`, or `[tool.simparity]` in pyproject.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import UnknownName, UsageError
from .accept import Accepted
from .differ import QUANTITIES
from .items import chosen

_LIST, _NUMBER = 'a list of words, as in ["mujoco"]', "a number"
KINDS: Mapping[str, tuple[Any, str]] = {
    "engines": (list, _LIST),
    "reference": (str, "pinocchio or mujoco"),
    "fail-on": (str, "error, warning or note"),
    "package-path": (list, _LIST),
    "rtol": ((int, float), _NUMBER),
    "tolerances": (dict, "a table of quantities, each with a relative difference"),
    "bandwidth": ((int, float), _NUMBER),
    "accept": (list, "tables, each under [[accept]]"),
}
ACCEPT = ("item", "engine", "element", "robot", "reason")
_OPTIONS = (
    "dt gravity integrator cone solver density viscosity wind iterations ls_iterations noslip_iterations tolerance"
)
QUANTITY_NAMES = {
    *(name.partition(".")[2] for name in QUANTITIES),
    *_OPTIONS.split(),
    "impratio",
    "anchor",
    "mass_matrix",
    "gravity_torque",
}


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
            found = found.get(key, {}) if isinstance(found, dict) else found
        if not isinstance(found, dict):
            raise UsageError(f"{path}: [tool.simparity] is {found!r}; give a table")
        if found:
            return _config(name, found)
    return Config()


def _config(name: str, found: Mapping[str, Any]) -> Config:
    for key in found:
        if key not in KINDS:
            raise UsageError(f"{name} has no setting {key!r}; its settings: {', '.join(KINDS)}")
        kind, says = KINDS[key]
        if not isinstance(found[key], kind) or isinstance(found[key], bool):
            raise UsageError(f"{name}: {key} is {found[key]!r}; give {says}")
    accepted = []
    for entry in found.get("accept", ()):
        words = isinstance(entry, dict) and all(isinstance(word, str) for word in entry.values())
        extra = set(entry) - set(ACCEPT) if words else {""}
        if extra or not entry.get("item") or not entry.get("reason"):
            raise UsageError(f"{name}: {_wrong(entry, words=words)}")
        if not set(entry["item"]) & set("*?"):
            try:
                chosen([entry["item"]])
            except UnknownName as error:
                raise UsageError(f"{name}, under [[accept]]: {error}") from error
        accepted.append(Accepted(**entry))
    tolerances = found.get("tolerances", {})
    for quantity, value in tolerances.items():
        if quantity not in QUANTITY_NAMES and not quantity.startswith("flag_"):
            raise UsageError(f"{name}, under [tolerances]: {UnknownName('quantity', quantity, QUANTITY_NAMES)}")
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


def _wrong(entry: Any, *, words: bool) -> str:
    """What is wrong with an accepted deviation."""
    if not words:
        return 'an accepted deviation is no table of words; under [[accept]] give item = "..." and reason = "..."'
    said = ", ".join(f'{key} = "{value}"' for key, value in entry.items()) or "nothing"
    missing = [key for key in ("item", "reason") if not entry.get(key)]
    more = [key for key in entry if key not in ACCEPT]
    what = f"has no {' and no '.join(missing)}" if missing else f"has a key {more[0]!r}"
    return f"the [[accept]] with {said} {what}; give item and reason, perhaps engine, element and robot"
