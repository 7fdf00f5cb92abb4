"""freefall has nothing to set."""

from __future__ import annotations

from collections.abc import Mapping

from ...harness.engine import Value
from ...harness.settings import Option

OPTIONS: Mapping[str, Option] = {}
PROFILES: Mapping[str, Mapping[str, Value]] = {"default": {}, "published": {}, "matched": {}}
