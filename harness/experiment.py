"""What an experiment is: a scene with parameters, events in time, metrics, and checks against closed forms."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from .contacts import ContactTrace
from .engine import Resolution, Simulation
from .errors import UsageError
from .rollout import Controller, Event
from .scene import Array, Scene
from .schedule import Schedule
from .soft_state import SoftTrace
from .trace import Trace

OUTCOME = "outcome"  # the metric that holds the index of one of an experiment's OUTCOMES


@dataclass(frozen=True, slots=True)
class Context:
    """What a metric may know of a run besides its trace."""

    schedule: Schedule
    resolution: Resolution
    controller: Controller | None = None
    scene: Scene = field(default_factory=lambda: Scene(name="nothing"))
    contacts: ContactTrace | None = None  # of every step; None where the experiment or the engine gives none
    soft: tuple[SoftTrace, ...] = ()  # of every step, one for each soft body of the scene

    @property
    def precision(self) -> int:
        """Floating-point precision of the engine's state [bit]."""
        value = self.resolution.table["precision"].value
        return int(value) if isinstance(value, (int, float)) else 32


def unit_scale(duration: float) -> float:
    """The size of a metric that declares none: 1 of its unit."""
    return 1.0


@dataclass(frozen=True, slots=True)
class Metric:
    """A number with a unit; `measure` returns NaN where the run does not show it.

    Attributes:
        text: what it is, in one line, with its formula.
        converges: whether it is an error that vanishes with the step, so that an order of convergence can be fitted.
        scale: duration of the run [s] -> size of the numbers that such an error is the difference of [its unit], whose
            rounding limits it; without one a fit of the order takes 1, and `simparity diff` the metric's own size.
        absent: what it means where it is not a number, for a metric that not every good run has.
    """

    name: str
    unit: str
    text: str
    measure: Callable[[Trace, Context], float]
    converges: bool = False
    scale: Callable[[float], float] = unit_scale
    absent: str = ""

    @property
    def scaled(self) -> bool:
        """Whether the experiment declares `scale`."""
        return self.scale is not unit_scale


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """A quantity over the stored samples of a run that follows from its trace, for diagrams.

    Attributes:
        name: of the quantity, as the axis of a diagram has it.
        values: at each sample [unit], NaN where there is none; shape (T,).
        text: what it is, in one line.
    """

    name: str
    unit: str
    values: Array
    text: str


@dataclass(frozen=True, slots=True)
class NotApplicable:
    """Why a check has no expectation for this run."""

    reason: str


@dataclass(frozen=True, slots=True)
class Check:
    """An expectation for a metric.

    Attributes:
        expected: the closed form for this run, or why there is none.
        tolerance: largest |measured - expected| that passes, in the metric's unit, given the expected value.
        source: where the closed form comes from and why the tolerance is what it is.
    """

    metric: str
    expected: Callable[[Trace, Context], float | NotApplicable]
    tolerance: Callable[[Context, float], float]
    source: str


class Experiment(Protocol):
    """A dataclass of physical parameters; its fields are the parameters that users set.

    Experiments inherit from this class, which gives them what most do not need: no events and no controller.
    """

    NAME: ClassVar[str]
    TEXT: ClassVar[str]  # one sentence: what is simulated
    DT: ClassVar[float]  # default step [s]
    DURATION: ClassVar[float]  # default simulated time [s]
    AGAINST: ClassVar[str] = "the reference"  # what an experiment that does not step holds its metrics against
    CONTACTS: ClassVar[bool] = False  # whether contacts are logged one by one, with the metrics of their quality
    ENSEMBLE: ClassVar[str] = ""  # parameter whose values are the members of one ensemble: a chaotic experiment has one
    SWEPT: ClassVar[str] = ""  # parameter that the experiment is about: the diagrams of metrics against it come first
    SWEPT_UNIT: ClassVar[str] = ""
    OUTCOMES: ClassVar[tuple[str, ...]] = ()  # words for the metric `outcome`, which holds the index of one of them
    DECIDE: ClassVar[tuple[str, ...]] = ()  # metrics that say why a run ends as it does, whatever SWEPT is
    # metrics that stand for the experiment, the most telling first: an ensemble is compared in them, diagrams show them
    MAIN_METRICS: ClassVar[tuple[str, ...]] = ()
    # bodies or ROBOT/LINK whose contact force is drawn over time; the pairs with the largest impulse if none
    FORCES_ON: ClassVar[tuple[str, ...]] = ()
    # two runs agree when they are nearer than this: [m], [rad], [N s]
    TOLERANCE: ClassVar[tuple[float, float, float]]
    # a short, coarse variant that tests run on every engine: parameters by name, and "duration" and "dt" [s]; what it
    # leaves out keeps its default
    SMOKE: ClassVar[Mapping[str, Any]] = {}

    def scene(self, dt: float) -> Scene:
        """The scene; `dt` matters only to parameters that are given in steps."""
        ...

    def events(self, dt: float) -> Sequence[Event]:
        """Commands and velocity changes in time."""
        return ()

    def controller(self, schedule: Schedule) -> Controller | None:
        """The torque law of a robot; None where nothing is controlled."""
        return None

    def inputs(self) -> Sequence[str]:
        """Paths of the files that the scene is read from."""
        return ()

    def evaluate(self, simulation: Simulation, context: Context) -> Mapping[str, float] | None:
        """The metrics of an experiment that does not step; None where the metrics are measured on a trace."""
        return None

    def series(self, trace: Trace, context: Context) -> Sequence[Series]:
        """Quantities over time that are worth a diagram, from the stored samples; `context` has no controller."""
        return ()

    def metrics(self) -> Sequence[Metric]:
        """The metrics that these parameters ask for."""
        ...

    def checks(self) -> Sequence[Check]:
        """The checks that these parameters ask for."""
        ...


def by_precision(r64: float, r32: float) -> Callable[[Context, float], float]:
    """A tolerance relative to the expected value that follows the engine's declared precision."""
    return lambda context, expected: abs(expected) * (r64 if context.precision == 64 else r32)


def require(name: str, value: float, *, least: float, below: float = math.inf, above: bool = False) -> None:
    """Raise UsageError unless `value` is a number from `least` (or `above` it) to less than `below`."""
    low = value > least if above else value >= least
    if not (low and value < below):
        limits = f"{'above' if above else 'from'} {least:g}" + (f" to below {below:g}" if math.isfinite(below) else "")
        raise UsageError(f"experiment.{name} is {value}; give a number {limits}")


def outcome_word(words: Sequence[str], value: float) -> str:
    """The word for a value of the metric `outcome`; a value that is no index of `words` stays a number."""
    if not math.isfinite(value):
        return "–"
    return words[int(value)] if value == int(value) and 0 <= value < len(words) else f"{value:g}"
