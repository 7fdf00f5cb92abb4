"""Why an engine is known to deviate from a robot file, and in which files and values that is the reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from .engine import Value
from .imported import Key, Reading
from .inertia import is_real

# the source, the value that deviates, and what the engine has there -> whether the cause can be the reason
When: TypeAlias = Callable[[Reading, Key, Value], bool]


def always(source: Reading, key: Key, found: Value) -> bool:
    """Whatever deviates."""
    return True


@dataclass(frozen=True, slots=True)
class Cause:
    """`text` says why; it is told of files of `format` only, of any where empty, and where `when` holds."""

    text: str
    format: Literal["", "mjcf", "urdf"] = ""
    when: When = always


Causes: TypeAlias = Mapping[str, "str | Cause"]  # "ITEM:quantity" or "ITEM" of the checklist -> what is known


def known(causes: Causes, item: str, source: Reading, format: str, key: Key, found: Value) -> str:
    """What is known of a value that deviates; of its quantity before what is known of the whole item."""
    for name in (f"{item}:{key.quantity}", item):
        cause = causes.get(name, "")
        if isinstance(cause, str):
            cause = Cause(cause)
        if cause.text and cause.format in ("", format) and cause.when(source, key, found):
            return cause.text
    return ""


def massless(source: Reading, key: Key, found: Value) -> bool:
    """A link without mass; of the whole robot, any link."""
    return any(source.table[one].value == 0.0 for one in _masses(source, key, below=False))


def massless_shape(source: Reading, key: Key, found: Value) -> bool:
    """A link with shapes and without mass, or one with such a link fixed to it."""
    shaped = {geom.rpartition("/")[0] for geom in source.geoms}
    return any(source.table[one].value == 0.0 and one.name in shaped for one in _masses(source, key, below=True))


def gone(source: Reading, key: Key, found: Value) -> bool:
    """The engine has nothing there."""
    return found is None or found == 0.0


def unset(source: Reading, key: Key, found: Value) -> bool:
    """The source has nothing there."""
    row = source.table.get(key)
    return row is None or row.value in (None, 0.0)


def free_root(source: Reading, key: Key, found: Value) -> bool:
    """A link with a free joint, or one that hangs on it."""
    free = {source.moved[joint] for joint in source.joints if source.kinds[joint] == "free"}
    return key.name in free or source.parents.get(key.name) in free


def extra(source: Reading, key: Key, found: Value) -> bool:
    """A link that the source does not have."""
    return key.name not in source.links


def unreal(source: Reading, key: Key, found: Value) -> bool:
    """A link whose inertia no rigid body can have."""
    row = source.table.get(key._replace(quantity="inertia"))
    return row is not None and not is_real(np.array(row.value, dtype=float).reshape(3, 3))


def _masses(source: Reading, key: Key, *, below: bool) -> list[Key]:
    links = {key.name} if key.kind == "link" else set(source.links)
    moved, grown = set(source.moved.values()), below
    while grown:
        more = {x for x in source.links if x not in links and x not in moved and source.parents.get(x) in links}
        grown, links = bool(more), links | more
    keys = [Key("link", link, "mass") for link in source.links if link in links]
    return [one for one in keys if one in source.table]
