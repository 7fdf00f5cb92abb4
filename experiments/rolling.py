"""Balls lie on a plate that is pushed over the ground: friction below slides, friction above must make them roll."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ..harness.experiment import Check, Context, Experiment, Metric, NotApplicable, require
from ..harness.rollout import Event
from ..harness.scene import Array, Body, Box, Material, Pose, Scene, Sphere
from ..harness.solids import box_inertia
from ..harness.trace import Trace
from .cube import GRAVITY, ground

PLATE = "plate"
SETTLING = 0.1  # [s] before the push
STARTING = 0.1  # [s] of the push in which slip may still grow; accelerations are measured after it
THICKNESS = 0.1  # of the plate, over its edge
SPACING = 4.0  # of the balls, in radii
ROLLS = 2 / 7  # acceleration of a solid ball over that of the plate below it


@dataclass(slots=True, kw_only=True)
class Rolling(Experiment):
    """Parameters of the rolling balls.

    A solid ball (I = 2/5 m r^2) on a plate with acceleration A is moved by the friction f at its lowest point alone:
    m a = f and I alpha = f r. Without slip the lowest point moves as the plate does, a + r alpha = A, so that
    a (1 + 5/2) = A and a = 2/7 A, with f = 2/7 m A at most mu_b m g; beyond, a = mu_b g. The plate slides under the
    force F, the ground's friction mu_g (M + n m) g, and n f:

        A = (F - mu_g (M + n m) g) / (M + 2/7 n m), or (F - mu_g (M + n m) g - n mu_b m g) / M when the balls slip.

    Engines combine the friction of two bodies in different ways. Ground and plate have the same, which every rule
    leaves as it is; that of plate and ball is read back from the run.

    Attributes:
        rows: balls in each of as many rows, so that there are rows^2 of them.
        plate_mass: M [kg].
        plate_size: edge of the square plate [m].
        ball_mass: m of each [kg].
        ball_radius: r [m].
        force: F on the plate's centre [N], from 0.1 s on.
        direction: of the force, from x to y [degree].
        ground_friction: mu_g, of ground and plate [1].
        ball_friction: of the balls [1].
        restitution: coefficient of all bodies [1]; None leaves it to the engine.
    """

    NAME: ClassVar[str] = "rolling"
    TEXT: ClassVar[str] = "nine balls roll on a plate that is pushed over the ground"
    DT: ClassVar[float] = 1e-3
    DURATION: ClassVar[float] = 0.5
    TOLERANCE: ClassVar[tuple[float, float, float]] = (1e-5, 1e-3, 1e-4)
    SMOKE: ClassVar[Mapping[str, Any]] = {"duration": 0.3, "dt": 2e-3, "rows": 1}

    rows: int = 3
    plate_mass: float = 10.0
    plate_size: float = 1.0
    ball_mass: float = 0.5
    ball_radius: float = 0.05
    force: float = 100.0
    direction: float = 0.0
    ground_friction: float = 0.4
    ball_friction: float = 0.8
    restitution: float | None = None

    def __post_init__(self) -> None:
        require("rows", self.rows, least=1)
        for name in ("plate_mass", "plate_size", "ball_mass", "ball_radius"):
            require(name, getattr(self, name), least=0, above=True)
        for name in ("force", "direction", "ground_friction", "ball_friction"):
            require(name, getattr(self, name), least=0)
        require("ball_radius", (self.rows - 1) * SPACING * self.ball_radius, least=0, below=self.plate_size)

    @property
    def names(self) -> tuple[str, ...]:
        """The balls."""
        return tuple(f"ball_{k}" for k in range(1, self.rows**2 + 1))

    def scene(self, dt: float) -> Scene:
        below = Material(friction=self.ground_friction, restitution=self.restitution)
        above = Material(friction=self.ball_friction, restitution=self.restitution)
        thickness = THICKNESS * self.plate_size
        edges = (self.plate_size, self.plate_size, thickness)
        plate = Body(
            name=PLATE,
            shapes=(Box(edges),),
            mass=self.plate_mass,
            inertia=box_inertia(self.plate_mass, edges),
            pose=Pose((0.0, 0.0, thickness / 2)),
            material=below,
        )
        moment = 0.4 * self.ball_mass * self.ball_radius**2
        balls = [
            Body(
                name=name,
                shapes=(Sphere(self.ball_radius),),
                mass=self.ball_mass,
                inertia=(moment, moment, moment),
                pose=Pose((x, y, thickness + self.ball_radius)),
                material=above,
            )
            for name, (x, y) in zip(self.names, self._places(), strict=True)
        ]
        return Scene(name=self.NAME, bodies=(ground(below), plate, *balls), gravity=(0.0, 0.0, -GRAVITY))

    def _places(self) -> list[tuple[float, float]]:
        line = (np.arange(self.rows) - (self.rows - 1) / 2) * SPACING * self.ball_radius
        return [(float(x), float(y)) for x in line for y in line]

    @property
    def along(self) -> Array:
        """Unit vector of the force in W."""
        angle = math.radians(self.direction)
        return np.array([math.cos(angle), math.sin(angle), 0.0])

    def events(self, dt: float) -> Sequence[Event]:
        wrench = np.zeros((1 + len(self.names), 6))
        wrench[0, :3] = self.force * self.along
        return (Event(time=SETTLING, wrench=wrench),)

    def metrics(self) -> Sequence[Metric]:
        return (
            Metric("plate_acceleration", "m/s^2", "of the plate along the force, fitted from 0.2 s on", self._plate),
            Metric("ball_acceleration", "m/s^2", "of the balls along the force, their mean, likewise", self._balls),
            Metric("plate_error", "1", "plate_acceleration over its closed form, less 1", self._plate_error),
            Metric("rolling_ratio", "1", "ball_acceleration over plate_acceleration; 2/7 without slip", self._ratio),
            Metric("slip_speed", "m/s", "largest speed of a ball's lowest point over the plate at the end", self._slip),
            Metric("airborne", "1", "part of the steps from 0.2 s on that end without force on a ball", self._airborne),
            Metric("plate_lift", "m", "highest rise of the plate's centre over where the push began", self._lift),
            Metric("swerve", "m/s", "speed of the plate across the force at the end", self._swerve),
        )

    def checks(self) -> Sequence[Check]:
        return (
            Check(
                "plate_acceleration",
                lambda trace, context: self._expected(trace, context, 0),
                lambda context, expected: 0.03 * expected,
                "(F - mu_g (M + n m) g) / (M + 2/7 n m); see the parameters; 3 % is what hops on soft ground make",
            ),
            Check(
                "ball_acceleration",
                lambda trace, context: self._expected(trace, context, 1),
                lambda context, expected: 0.03 * expected,
                "2/7 of the plate's without slip, else mu_b g; 3 % is what hops on soft ground make",
            ),
        )

    def closed_form(self, mu_g: float, mu_b: float) -> tuple[float, float]:
        """Accelerations of plate and balls [m/s^2] for the friction of ground and plate and of plate and ball [1]."""
        n, m, M = len(self.names), self.ball_mass, self.plate_mass
        rest = self.force - mu_g * (M + n * m) * GRAVITY
        A = rest / (M + ROLLS * n * m)
        if mu_b * GRAVITY < ROLLS * A:
            return (rest - n * mu_b * m * GRAVITY) / M, mu_b * GRAVITY
        return A, ROLLS * A

    def _resolved(self, context: Context) -> tuple[float, float]:
        """The closed form for the friction that the engine uses; NaN where it does not say."""
        table = context.resolution.table
        rows = [table.get(f"pair.ground+{PLATE}.friction"), table.get(f"pair.{PLATE}+{self.names[0]}.friction")]
        mu_g, mu_b = (float(row.value) if row and isinstance(row.value, (int, float)) else math.nan for row in rows)
        return self.closed_form(mu_g, mu_b)

    def _expected(self, trace: Trace, context: Context, which: int) -> float | NotApplicable:
        expected = self._resolved(context)[which]
        if math.isnan(expected):
            return NotApplicable("the engine does not say what friction it uses between two bodies")
        if expected <= 0:
            return NotApplicable("friction holds the plate; ask for a larger force")
        off = max(float(np.abs(self._on_plate(trace, name)[-1, :2]).max()) for name in self.names)
        if off > self.plate_size / 2:
            return NotApplicable("a ball has left the plate; ask for a shorter duration or a smaller force")
        cone = context.resolution.table["cone"]
        if self.direction % 90 and cone.value != "elliptic":
            return NotApplicable(
                "a pyramid's edges bound the sum of both components of friction, so that it depends on the direction"
                if cone.value == "pyramidal"
                else f"the engine does not show its friction cone: {cone.native}"
            )
        return expected

    def _on_plate(self, trace: Trace, name: str) -> Array:
        return np.asarray(trace.of("p_WB", name) - trace.of("p_WB", PLATE))

    def _window(self, trace: Trace) -> npt.NDArray[np.bool_]:
        """The samples over which accelerations are measured, as a mask (T,)."""
        return np.asarray(trace.time > SETTLING + STARTING - trace.sample_interval / 2)

    def _slope(self, trace: Trace, name: str) -> float:
        """Acceleration along the force [m/s^2], by least squares over the window."""
        window = self._window(trace)
        if np.count_nonzero(window) < 2:
            return math.nan
        return float(np.polyfit(trace.time[window], trace.of("v_WB", name)[window] @ self.along, 1)[0])

    def _plate(self, trace: Trace, context: Context) -> float:
        return self._slope(trace, PLATE)

    def _balls(self, trace: Trace, context: Context) -> float:
        return float(np.mean([self._slope(trace, name) for name in self.names]))

    def _plate_error(self, trace: Trace, context: Context) -> float:
        expected = self._resolved(context)[0]
        return self._plate(trace, context) / expected - 1 if expected > 0 else math.nan

    def _ratio(self, trace: Trace, context: Context) -> float:
        plate = self._plate(trace, context)
        return self._balls(trace, context) / plate if plate else math.nan

    def _slip(self, trace: Trace, context: Context) -> float:
        arm, plate = np.array([0.0, 0.0, -self.ball_radius]), trace.of("v_WB", PLATE)[-1]
        slips = [trace.of("v_WB", name)[-1] + np.cross(trace.of("w_WB", name)[-1], arm) - plate for name in self.names]
        return float(np.linalg.norm(np.array(slips)[:, :2], axis=1).max())

    def _airborne(self, trace: Trace, context: Context) -> float:
        window = self._window(trace)
        forces = np.array([trace.of("f_normal_B_W", name)[window, 2] for name in self.names])
        return float(np.mean(forces <= 0)) if forces.size else math.nan

    def _lift(self, trace: Trace, context: Context) -> float:
        z = trace.of("p_WB", PLATE)[:, 2]
        start = round(SETTLING / trace.sample_interval)
        return float(z[start:].max() - z[start]) if start < len(z) else math.nan

    def _swerve(self, trace: Trace, context: Context) -> float:
        x, y, _ = self.along
        return float(abs(trace.of("v_WB", PLATE)[-1] @ np.array([-y, x, 0.0])))
