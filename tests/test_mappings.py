"""What holds for every engine's mapping, and needs none of the engines."""

from __future__ import annotations

import subprocess
import sys

import pytest

from simparity.engines import ENGINES
from simparity.harness.registry import engine_mapping
from simparity.harness.settings import PROFILES, settle

NATIVE = ("quadrants", "mujoco", "mujoco_warp", "newton", "warp", "genesis", "torch", "sapien", "pydrake")
every_engine = pytest.mark.parametrize("name", ENGINES)


@every_engine
def test_import_needs_no_engine(name: str) -> None:
    code = f"import sys, simparity.engines.{name}.mapping; sys.exit(any(m in sys.modules for m in {NATIVE}))"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@every_engine
def test_profiles_are_known_and_their_options_are_declared_and_valid(name: str) -> None:
    mapping = engine_mapping(name)
    assert set(mapping.PROFILES) == set(PROFILES)
    for profile, options in mapping.PROFILES.items():
        settled = settle(name, mapping, profile, options).options  # the same checks as for a user's overrides
        if hasattr(mapping, "check_options"):
            mapping.check_options(settled)
        assert dict(settled) == dict(options)


@every_engine
def test_default_profile_sets_nothing(name: str) -> None:
    assert engine_mapping(name).PROFILES["default"] == {}
