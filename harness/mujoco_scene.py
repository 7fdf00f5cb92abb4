"""A scene written as MJCF, and its robot attached, for every engine that takes a model which MuJoCo compiled."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any
from xml.etree.ElementTree import Element, SubElement

from .description import is_text
from .engine import Value
from .errors import Unsupported
from .mjcf import numbers, write_body, write_shape
from .mujoco_flex import BODIES, CONTACT_OPTIONS, ROBOTS, write_flex
from .scene import Material, Robot, Scene

OPTION_NAMES = (
    "cone",
    "integrator",
    "solver",
    "iterations",
    "ls_iterations",
    "tolerance",
    "impratio",
    "noslip_iterations",
)
INSTEAD = {f"soft_{name}": name for name in ("solver", "impratio", "integrator")}  # in a scene with soft bodies

Refuse = Callable[[str, Material], None]  # raises Unsupported for what the engine's contact cannot say of a body


def options_of(scene: Scene, options: Mapping[str, Value]) -> dict[str, Value]:
    """Options of `scene`: where it has soft bodies, `soft_NAME` in the place of NAME."""
    soft = {name: options[own] for own, name in INSTEAD.items() if scene.soft_bodies and own in options}
    return {**options, **soft}


def scene_mjcf(scene: Scene, dt: float, options: Mapping[str, Value], refuse: Refuse) -> Element:
    """The MJCF of `scene` without its robots.

    Raises:
        Unsupported: by `refuse`, a material that the engine's contact cannot express.
    """
    root = Element("mujoco", model=scene.name)
    SubElement(root, "compiler", angle="radian", autolimits="true")
    option = SubElement(root, "option", timestep=numbers(dt), gravity=numbers(scene.gravity))
    for name, value in options_of(scene, options).items():
        if name in OPTION_NAMES:
            option.set(name, str(value))
    asset, world, contact = (SubElement(root, tag) for tag in ("asset", "worldbody", "contact"))
    for body in scene.bodies:
        refuse(body.name, body.material)
        parent = write_body(world, body)
        for index, shape in enumerate(body.shapes):
            geom = SubElement(parent, "geom", name=f"{body.name}/{index}", conaffinity=str(BODIES | ROBOTS))
            write_shape(geom, shape, asset)
            if body.material.friction is not None:  # MuJoCo's sliding coefficient is Coulomb's mu
                geom.set("friction", numbers(body.material.friction))
            for name in CONTACT_OPTIONS:
                if name in options:
                    value = options[name]
                    geom.set(name, numbers(value) if isinstance(value, tuple) else str(value))
    for soft in scene.soft_bodies:
        refuse(soft.name, soft.material)
        write_flex(world, soft, options)
    for a, b in scene.collision_pairs_off:
        SubElement(contact, "exclude", body1=a, body2=b)
    return root


def attach(spec: Any, robot: Robot, options: Mapping[str, Value], refuse: Refuse) -> None:
    """Attach the robot's description to `spec` at its pose.

    Actuators are taken out, since torques come from outside; contacts and dry friction only stay where asked for.
    """
    import mujoco

    text = is_text(robot.description)
    child = mujoco.MjSpec.from_string(robot.description) if text else mujoco.MjSpec.from_file(robot.description)
    child.compiler.fusestatic = False
    for actuator in list(child.actuators):
        child.delete(actuator)
    for element in [*child.sensors, *child.keys]:  # a keyframe holds controls of actuators that are gone
        child.delete(element)
    if robot.contacts:
        refuse(robot.name, robot.material)
    for geom in child.geoms:
        of_a_link = geom.parent.name != "world"  # the worldbody's own shapes belong to no link and touch nothing
        touches = robot.contacts and of_a_link and (geom.contype or geom.conaffinity)
        geom.contype, geom.conaffinity = (ROBOTS if touches else 0), 0
        if touches:
            _surface(geom, robot.material, options)
    for joint in child.joints if options.get("joint_friction") is False else ():
        joint.frictionloss = 0.0
    frame = spec.worldbody.add_frame(pos=list(robot.pose.p), quat=list(robot.pose.q_wxyz))
    spec.attach(child, prefix="", frame=frame)


def _surface(geom: Any, material: Material, options: Mapping[str, Value]) -> None:
    """What the scene and the settings say of a shape that may touch; the description decides the rest."""
    if material.friction is not None:
        geom.friction[0] = material.friction
    for name in CONTACT_OPTIONS:
        value = options.get(name)
        if isinstance(value, tuple):
            getattr(geom, name)[: len(value)] = value
        elif value is not None:
            setattr(geom, name, value)


def compiled(spec: Any) -> Any:
    """The `MjModel` of `spec`, without two warnings that mean nothing here.

    Raises:
        Unsupported: MuJoCo's compiler refuses it.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Attaching a spec with an empty prefix")  # we do not save it
        warnings.filterwarnings("ignore", message="flex .* is not rigid")  # continuum elasticity holds it
        try:
            return spec.compile()
        except ValueError as error:
            raise Unsupported(f"MuJoCo's compiler refuses this scene: {error}") from error
