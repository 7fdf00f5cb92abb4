"""Soft bodies while they move: what an adapter gives, and what is logged of it.

Positions and velocities of all vertices are read at every step and reduced to a few numbers; the shape itself is kept
at a stride of its own, so that files stay small.
"""

from __future__ import annotations

import zipfile
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np

from .channels import Sample
from .errors import SimparityError, Unsupported
from .scene import Array, Scene
from .soft_mesh import Elements, volumes

SHAPES = 150  # shapes that are kept of a run, about


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftPart:
    """A soft body as the engine has it.

    Attributes:
        rest: vertices at time zero in W (n, 3) [m]; `elements` (m, 4), of positive volume there.
        mass: of every vertex (n,) [kg]; where the engine has a full mass matrix, its row sums.
    """

    name: str
    rest: Array
    elements: Elements
    mass: Array


@runtime_checkable
class Deformable(Protocol):
    """Capability of a simulation whose scene has soft bodies.

    Its `sample` also fills `into.soft`, and `into.f_links` with the coupling force on each link of the robot [N] over
    the step that ended, as the engine itself counts it: NaN where it does not say.
    """

    soft_parts: tuple[SoftPart, ...]  # in scene order


def check_mixture(engine: str, scene: Scene) -> None:
    """Raise Unsupported for moving bodies beside soft ones, whose contact force would leave the soft contact out."""
    if scene.soft_bodies and scene.moving:
        raise Unsupported(
            f"the adapter of {engine} couples soft bodies with robots and fixed bodies; this scene also has the moving "
            f"body {scene.moving[0].name!r}, whose contact force it could not give"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftTrace:
    """One soft body over time: numbers of every step, shapes at a stride.

    Attributes:
        name: of the body; `links`: of the robot, in the order of `f_links`.
        time: of every step [s], (T,).
        com: centre of mass in W [m], (T, 3); `momentum` in W [kg m/s], (T, 3).
        volume: of all elements [m^3], (T,).
        least: smallest signed volume of an element over the one it has at rest [1], (T,).
        inverted: elements whose signed volume is not positive [1], (T,).
        kinetic: kinetic energy [J], (T,).
        speed: largest speed of a vertex [m/s], (T,).
        f_links: coupling force on each link over the step that ended, as the engine counts it [N], (T, n_links, 3).
        shape_time: instants at which the shape is kept [s], (S,); `shapes`: vertices in W [m], (S, n, 3).
        rest: vertices at rest [m], (n, 3); `elements` (m, 4); `mass` of every vertex [kg], (n,).
    """

    name: str
    links: tuple[str, ...]
    time: Array
    com: Array
    momentum: Array
    volume: Array
    least: Array
    inverted: Array
    kinetic: Array
    speed: Array
    f_links: Array
    shape_time: Array
    shapes: Array
    rest: Array
    elements: Elements
    mass: Array

    def thinned(self, stride: int) -> SoftTrace:
        """Every `stride`-th step; the worst of the steps in between is kept in `least`, `inverted` and `speed`."""
        if stride == 1:
            return self
        columns = {name: getattr(self, name)[::stride] for name in (*_STEPWISE, "time", "f_links")}
        for name, worst in (("least", np.min), ("inverted", np.max), ("speed", np.max)):
            whole = (len(self.time) - 1) // stride * stride
            blocks = getattr(self, name)[1 : 1 + whole].reshape(-1, stride)
            columns[name] = np.concatenate([getattr(self, name)[:1], worst(blocks, axis=1)])
        return replace(self, **columns)

    @property
    def impulse(self) -> Array:
        """Cumulative impulse of the coupling on each link [N s], (T, n_links, 3), from the samples that are kept."""
        steps = np.diff(self.time)[:, None, None] * self.f_links[1:]
        return np.concatenate([np.zeros_like(self.f_links[:1]), np.cumsum(steps, axis=0)])

    @property
    def valid_until(self) -> float:
        """When the first element was inverted [s]; the end of the run where none was."""
        bad = np.flatnonzero(self.inverted > 0)
        return float(self.time[bad[0]] if len(bad) else self.time[-1])


_STEPWISE = ("com", "momentum", "volume", "least", "inverted", "kinetic", "speed")


class SoftLog:
    """Collects one soft body over a rollout of `steps` steps."""

    def __init__(self, part: SoftPart, index: int, links: tuple[str, ...], steps: int) -> None:
        self.part, self.index, self.links = part, index, links
        self.every = max(1, steps // SHAPES)
        self.numbers: Array = np.zeros((steps + 1, 11))  # com 3, momentum 3, volume, least, inverted, kinetic, speed
        self.forces: Array = np.full((steps + 1, len(links), 3), np.nan)
        self.shapes: list[tuple[int, Array]] = []
        self._rest = volumes(part.rest, part.elements)
        self._total = float(part.mass.sum())

    def keep(self, row: int, sample: Sample) -> None:
        """Reduce the present sample into `row`."""
        p, v = sample.soft[self.index]
        mass, out = self.part.mass, self.numbers[row]
        now = volumes(p, self.part.elements)
        squares = np.einsum("ij,ij->i", v, v)
        out[0:3] = mass @ p / self._total
        out[3:6] = mass @ v
        out[6:] = (
            now.sum(),
            (now / self._rest).min(),
            np.count_nonzero(~(now > 0)),
            0.5 * mass @ squares,
            np.sqrt(squares.max()),
        )
        self.forces[row] = sample.f_links
        if not row % self.every:
            self.shapes.append((row, p.copy()))

    def com(self, rows: slice) -> Array:
        """Centre of mass at those rows [m], (T, 3)."""
        return self.numbers[rows, 0:3]

    def speed(self, rows: slice) -> Array:
        """Largest speed of a vertex at those rows [m/s], (T,)."""
        return self.numbers[rows, 10]

    def trace(self, time: Array) -> SoftTrace:
        """What was kept of the first `len(time)` samples."""
        rows = self.numbers[: len(time)]
        kept = [(row, shape) for row, shape in self.shapes if row < len(time)]
        return SoftTrace(
            name=self.part.name,
            links=self.links,
            time=time,
            com=rows[:, 0:3],
            momentum=rows[:, 3:6],
            volume=rows[:, 6],
            least=rows[:, 7],
            inverted=rows[:, 8],
            kinetic=rows[:, 9],
            speed=rows[:, 10],
            f_links=self.forces[: len(time)],
            shape_time=time[[row for row, _ in kept]],
            shapes=np.array([shape for _, shape in kept]),
            rest=self.part.rest,
            elements=self.part.elements,
            mass=self.part.mass,
        )


_NUMERIC = tuple(field.name for field in fields(SoftTrace) if field.name not in ("name", "links"))


def save(soft: SoftTrace, path: Path) -> None:
    """Write `soft` as a numpy archive without pickles."""
    arrays: dict[str, Any] = {name: getattr(soft, name) for name in _NUMERIC}
    arrays["shapes"] = soft.shapes.astype(np.float32)
    text: dict[str, Any] = {"name": np.array(soft.name), "links": np.array(soft.links, dtype=np.str_)}
    np.savez_compressed(path, **text, **arrays)


def load(path: Path) -> SoftTrace:
    """Read what `save` wrote.

    Raises:
        SimparityError: the file is missing, damaged or no such archive.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in _NUMERIC}
            return SoftTrace(name=str(file["name"]), links=tuple(str(x) for x in file["links"]), **arrays)
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise SimparityError(f"{path} holds no soft body ({error}); delete its folder and run again") from error
