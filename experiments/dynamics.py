"""What each engine computes for a robot without stepping, against Pinocchio on the source model."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from time import perf_counter
from typing import Any, ClassVar

import numpy as np

from ..harness.description import files_of
from ..harness.engine import Dynamics, RobotDynamics, Simulation
from ..harness.errors import Unsupported
from ..harness.experiment import Check, Context, Experiment, Metric, NotApplicable, require
from ..harness.geometry import without_geometry
from ..harness.payload import Load, loaded
from ..harness.reference import Reference
from ..harness.robot_model import RobotModel, model_of
from ..harness.scene import Array, Robot, Scene
from ..harness.trace import Trace
from .arm import GRAVITY, description_of

SEED = 20240229
SPEED = 1.0  # [rad/s | m/s]: largest joint speed of the random states


@dataclass(slots=True, kw_only=True)
class DynamicsCheck(Experiment):
    """Parameters of the dynamics comparison.

    Attributes:
        robot: name of one of our robots, or path of an MJCF (.xml) or URDF (.urdf) file.
        flange: name of the link whose Jacobian is compared; empty takes the last link.
        samples: number of random configurations, within the joint limits.
        load: mass on the flange [kg], a solid ball of 0.05 m radius 0.05 m along its z.
    """

    NAME: ClassVar[str] = "dynamics"
    TEXT: ClassVar[str] = "kinematics and dynamics of a robot at random states, against Pinocchio"
    DT: ClassVar[float] = 1e-3
    DURATION: ClassVar[float] = 1e-3
    AGAINST: ClassVar[str] = "Pinocchio"
    TOLERANCE: ClassVar[tuple[float, float, float]] = (1e-6, 1e-6, 1e-6)
    SMOKE: ClassVar[Mapping[str, Any]] = {"samples": 4}

    robot: str = "fr3"
    flange: str = ""
    samples: int = 128
    load: float = 0.0

    def __post_init__(self) -> None:
        require("samples", self.samples, least=1)
        require("load", self.load, least=0)

    def inputs(self) -> Sequence[str]:
        return files_of(description_of(self.robot))

    def _robot(self, load: float) -> Robot:
        bare = without_geometry(Robot(name="robot", description=description_of(self.robot)))
        moment = 0.4 * load * 0.05**2
        ball = Load(mass=load, com=(0.0, 0.0, 0.05), inertia=(moment, moment, moment, 0.0, 0.0, 0.0))
        return loaded(bare, self._flange(model_of(bare)), ball)

    def _flange(self, model: RobotModel) -> str:
        return model.link(self.flange).name if self.flange else model.links[-1].name

    def scene(self, dt: float) -> Scene:
        return Scene(name=self.NAME, robots=(self._robot(self.load),), gravity=GRAVITY)

    def states(self, model: RobotModel) -> tuple[Array, Array]:
        """Random positions within the limits (+-pi, +-1 m without) and velocities, shape (samples, nv)."""
        random = np.random.default_rng(SEED)
        free = np.array([math.pi if joint.kind == "hinge" else 1.0 for joint in model.joints])
        lower = np.maximum([joint.lower for joint in model.joints], -free)
        upper = np.minimum([joint.upper for joint in model.joints], free)
        q = random.uniform(lower, upper, (self.samples, len(free)))
        return q, random.uniform(-SPEED, SPEED, q.shape)

    def evaluate(self, simulation: Simulation, context: Context) -> Mapping[str, float]:
        """Largest deviation of each quantity over all states."""
        if not isinstance(simulation, Dynamics):
            raise Unsupported("this engine's adapter gives no dynamics at a given state")
        model = model_of(self._robot(self.load))
        reference, flange = Reference(model, GRAVITY), self._flange(model)
        order = [simulation.link_names.index(name) for name in reference.link_names]
        worst: dict[str, list[float]] = {}
        walls = []
        states = list(zip(*self.states(model), strict=True))
        simulation.dynamics(*states[0], flange)  # what is built or compiled on the first call is not its cost
        for q, v in states:
            start = perf_counter()
            found = simulation.dynamics(q, v, flange)
            walls.append(perf_counter() - start)
            still = simulation.dynamics(q, 0 * v, flange)
            for name, error in _errors(reference, flange, q, v, found, still, order).items():
                worst.setdefault(name, []).append(error)
        result = {name: float(np.max(errors)) for name, errors in worst.items()}
        heaviest = result.pop("heaviest") or 1.0
        for name in ("gravity", "coriolis"):
            result[f"{name}_relative_error"] = result[f"{name}_error"] / heaviest
        rounding = self.rounding(reference, context.precision)
        return result | {
            "fk_error_over_rounding": result["fk_error"] / rounding,
            "evaluation_cost": median(walls),
            "impossible_inertias": float(len(model.impossible)),
        }

    def rounding(self, reference: Reference, precision: int) -> float:
        """What rounding can move a link by [m]: eps times the reach times the joints of the longest chain.

        At each joint half a unit of the last place of an angle up to pi, which is at most eps, turns what lies beyond.
        """
        q, _ = self.states(reference.robot)
        eps = float(np.finfo(np.float64 if precision == 64 else np.float32).eps)
        centres = [float(np.linalg.norm(link.com)) for link in reference.robot.links]  # a link is no point
        reach = max(float((np.linalg.norm(reference.link_poses(row)[:, :3], axis=1) + centres).max()) for row in q)
        reach = max(reach, float(np.finfo(np.float32).tiny))  # where nothing is away from the base, nothing may move
        return eps * reach * _longest_chain(reference.robot)

    def metrics(self) -> Sequence[Metric]:
        texts = {
            "fk_error": ("m", "largest distance of a link's origin from the reference"),
            "fk_error_over_rounding": (
                "1",
                "fk_error over eps * reach * joints of the longest chain, eps of the engine's precision",
            ),
            "fk_angle_error": ("rad", "largest angle between a link's orientation and the reference"),
            "jacobian_error": ("1", "largest entry of J - J_ref, flange, in W"),
            "mass_matrix_error": ("1", "largest entry of M - M_ref - diag(armature) over the largest of M_ref"),
            "mass_matrix_bare_error": (
                "1",
                "the same without armature: what an engine that keeps it elsewhere should meet",
            ),
            "mass_matrix_asymmetry": (
                "1",
                "largest |M - M^T| over the largest of M; exactly 0 where an engine fills one half from the other",
            ),
            "mass_matrix_least_eigenvalue": (
                "kg m^2",
                "smallest eigenvalue of M over all states; positive for a real robot",
            ),
            "gravity_error": ("N m", "largest |g - g_ref|, the bias at rest"),
            "gravity_relative_error": (
                "1",
                "gravity_error over the largest gravity torque of all states, 1 N m where there is none",
            ),
            "coriolis_relative_error": ("1", "coriolis_error over the largest gravity torque of all states"),
            "coriolis_error": ("N m", "largest difference of bias(q, v) - bias(q, 0) from the reference"),
            "evaluation_cost": ("s", "wall time of one evaluation of all five quantities, the median"),
            "impossible_inertias": ("1", "links whose inertia, as the description states it, no real body can have"),
        }
        return tuple(Metric(name, unit, text, lambda trace, context: math.nan) for name, (unit, text) in texts.items())

    def checks(self) -> Sequence[Check]:
        source = "Pinocchio on the source model; rounding of the engine's precision over a chain of links"
        reference = Reference(model_of(self._robot(self.load)), GRAVITY)
        joints, in_32_bit = _longest_chain(reference.robot), self.rounding(reference, 32)
        asked = (
            "Pinocchio on the source model; 1e-6 m is what is asked of any engine in 32 bit, whatever its robot. "
            f"Rounding alone can come to {2 * in_32_bit:.1e} m over {joints} joints (2 eps * reach * joints): see "
            "fk_error_over_rounding for whether a miss is more than that"
        )
        rounded = (
            "2: at each joint the rounding of an angle up to pi (at most eps) and that of a position and a rotation "
            "(half an eps each) act on no more than the reach; more is another model, not rounding"
        )
        return (
            Check("fk_error", partial(_zero, "link_poses"), partial(_rounding, 1e-6), asked),
            Check("fk_error_over_rounding", partial(_zero, "link_poses"), lambda context, _: 2.0, rounded),
            *self._against_pinocchio(source),
        )

    def _against_pinocchio(self, source: str) -> Sequence[Check]:
        return tuple(
            Check(name, partial(_zero, quantity), partial(_rounding, in_32_bit), source)
            for name, quantity, in_32_bit in (
                ("fk_angle_error", "link_poses", 1e-5),
                ("jacobian_error", "jacobian", 1e-5),
                ("mass_matrix_error", "mass_matrix", 1e-5),
                ("mass_matrix_asymmetry", "mass_matrix", 1e-6),
                ("gravity_relative_error", "bias", 1e-5),
                ("coriolis_relative_error", "bias", 1e-5),
            )
        )


def _longest_chain(model: RobotModel) -> int:
    """The most joints between the base and any link."""
    depth: list[int] = []
    for link in model.links:
        depth.append((depth[link.parent] if link.parent >= 0 else 0) + (link.joint is not None))
    return max(depth)


def _zero(quantity: str, trace: Trace, context: Context) -> float | NotApplicable:
    """No error, unless the engine does not have the quantity as the reference does, which it then says."""
    note = context.resolution.channel_notes.get(quantity)
    return NotApplicable(note.reason) if note is not None else 0.0


def _rounding(in_32_bit: float, context: Context, expected: float) -> float:
    """1e-10 in 64 bit; in 32 bit what a chain of some ten links leaves of 1e-7."""
    return 1e-10 if context.precision == 64 else in_32_bit


def _errors(
    reference: Reference, flange: str, q: Array, v: Array, found: RobotDynamics, still: RobotDynamics, order: list[int]
) -> dict[str, float]:
    poses, M_ref = reference.link_poses(q), reference.mass_matrix(q)
    X = found.X_WL[order]
    turn = np.minimum(np.linalg.norm(X[:, 3:] - poses[:, 3:], axis=1), np.linalg.norm(X[:, 3:] + poses[:, 3:], axis=1))
    gravity = reference.gravity_torque(q)
    M, scale = found.mass_matrix, np.abs(M_ref + np.diag(reference.armature)).max()
    whole = not np.isnan(M).any()
    gravity_error = float(np.abs(still.bias - gravity).max())
    coriolis_error = float(np.abs((found.bias - still.bias) - (reference.bias(q, v) - gravity)).max())
    return {
        "fk_error": float(np.linalg.norm(X[:, :3] - poses[:, :3], axis=1).max()),
        "fk_angle_error": float(2 * turn.max()),
        "jacobian_error": float(np.abs(found.jacobian - reference.jacobian(q, flange)).max()),
        "mass_matrix_error": float(np.abs(M - M_ref - np.diag(reference.armature)).max() / scale),
        "mass_matrix_bare_error": float(np.abs(M - M_ref).max() / np.abs(M_ref).max()),
        "mass_matrix_asymmetry": float(np.abs(M - M.T).max() / scale),
        "mass_matrix_least_eigenvalue": float(np.linalg.eigvalsh((M + M.T) / 2)[0]) if whole else math.nan,
        "gravity_error": gravity_error,
        "coriolis_error": coriolis_error,
        "heaviest": float(np.abs(gravity).max()),
    }
