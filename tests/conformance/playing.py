"""Plays an experiment in the engine under test, for tests that look at its numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from simparity.engines import ENGINES
from simparity.harness.channels import Sample
from simparity.harness.checks import Verdict, judge, measure
from simparity.harness.contacts import ContactLog, contact_parties
from simparity.harness.detectors import detect
from simparity.harness.engine import Contacts
from simparity.harness.experiment import Context, Experiment
from simparity.harness.record import Detection
from simparity.harness.registry import engine_adapter, engine_mapping, engine_version
from simparity.harness.robot_model import model_of
from simparity.harness.rollout import Timing, rollout
from simparity.harness.schedule import Schedule
from simparity.harness.settings import settle
from simparity.harness.trace import Trace


@dataclass(frozen=True, slots=True)
class Played:
    """What a run in this process gives."""

    trace: Trace
    context: Context
    metrics: dict[str, float]
    verdicts: dict[str, Verdict]
    detections: list[Detection]


def play(
    engine: str, experiment: Experiment, *, profile: str = "matched", dt: float, duration: float, **options: Any
) -> Played:
    """Run `experiment` once, and judge it as a worker would."""
    assert engine_version(engine), f"engine {engine!r} is not installed; narrow the run with --engines"
    scene, schedule = experiment.scene(dt), Schedule(dt=dt, duration=duration)
    settings = settle(engine, engine_mapping(engine), profile, options)
    simulation = engine_adapter(engine).build(scene, dt, settings, "cpu", ENGINES[engine].precisions[0])
    controller = experiment.controller(schedule)
    joints = tuple(name for robot in scene.robots for name in model_of(robot).joint_names)
    sample = Sample(tuple(body.name for body in scene.moving), joints)
    log = ContactLog(contact_parties(scene))
    events = experiment.events(dt)
    context = Context(schedule, simulation.resolved(), controller, scene)
    trace, diverged = rollout(simulation, sample, schedule, events, Timing(), controller, log)
    assert diverged is None, diverged
    if isinstance(simulation, Contacts):
        context = replace(context, contacts=log.trace(len(trace.time)))
    simulation.close()
    metrics = measure(experiment, trace, context)
    verdicts = {verdict.metric: verdict for verdict in judge(experiment, trace, context, metrics)}
    return Played(trace, context, metrics, verdicts, detect(scene, trace, events))
