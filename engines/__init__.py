"""The engines. A new one is one folder with adapter, mapping, importer and NOTES.md, and one line here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What can be said of an engine without importing it.

    Attributes:
        distribution: name of its package on the index, None for the closed form that is part of simparity.
        extra: extra of simparity that installs it.
        devices: devices that the adapter can run on.
        precisions: floating-point precisions of its state [bit], best first.
        compiles: whether it compiles its kernels at first use, which takes minutes.
        licence: SPDX identifier.
        numerics: other packages that make its numbers; their versions are part of a run's identity.
        library: name and version of the physics library inside the package, where it has another version.
        colour: number of its colour in every report, --c0 to --c7 of the stylesheet; each engine has its own.
    """

    distribution: str | None
    extra: str
    devices: tuple[str, ...]
    precisions: tuple[int, ...]
    compiles: bool
    licence: str
    numerics: tuple[str, ...] = ()
    library: str = ""
    colour: int


def _entry(
    distribution: str | None,
    extra: str,
    devices: str,
    precisions: tuple[int, ...],
    licence: str,
    *,
    colour: int,
    compiles: bool = False,
    numerics: str = "",
    library: str = "",
) -> Entry:
    return Entry(
        distribution=distribution,
        extra=extra,
        devices=tuple(devices.split()),
        precisions=precisions,
        compiles=compiles,
        licence=licence,
        numerics=("numpy", *numerics.split()),
        library=library,
        colour=colour,
    )


_WARP, _QUADS = "warp-lang mujoco mujoco-warp", "quadrants torch mujoco"

ENGINES: Mapping[str, Entry] = {
    "freefall": _entry(None, "", "cpu", (64,), "Apache-2.0", colour=6),
    "mujoco": _entry("mujoco", "mujoco", "cpu", (64,), "Apache-2.0", colour=0),
    "newton": _entry("newton", "newton", "cpu cuda", (32,), "Apache-2.0", colour=1, compiles=True, numerics=_WARP),
    "genesis": _entry(
        "genesis-world", "genesis", "cpu cuda", (64, 32), "Apache-2.0", colour=2, compiles=True, numerics=_QUADS
    ),
    "physx": _entry(
        "sapien", "physx", "cpu", (32,), "MIT (SAPIEN), BSD-3-Clause (PhysX)", colour=3, library="PhysX 5.3.1"
    ),
    "drake": _entry("drake", "drake", "cpu", (64,), "BSD-3-Clause", colour=4),
}
