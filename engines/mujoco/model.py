"""A scene written as MJCF. Geoms are named "BODY/INDEX"; a sensor block per moving body lets C gather its channels."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, tostring

from ...harness.engine import Settings
from ...harness.mjcf import numbers, write_body, write_shape
from ...harness.robot_model import model_of
from ...harness.scene import Body, Scene
from . import mapping
from .soft import write_soft

POINTS_PER_PAIR = 8  # most contact points that one pair of convex shapes can have (box on box)
BODIES, ROBOTS = 1, 2  # collision groups: bodies meet bodies and robots, robots meet bodies only
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
SOFT_NAMES = ("solver", "impratio", "integrator")  # options that are others in a scene with soft bodies
GEOM_NAMES = ("solref", "solimp", "condim")


def contact_slots(scene: Scene, body: Body) -> int:
    """Contact points that `body` can have at most."""
    partners = [b for b in scene.bodies if b is not body and scene.may_collide(b.name, body.name)]
    shapes = sum(len(partner.shapes) for partner in partners)
    for robot in scene.touching_robots:
        shapes += sum(len(link.shapes) + link.meshes for link in model_of(robot).links)
    return POINTS_PER_PAIR * len(body.shapes) * shapes


def most_contact_slots(scene: Scene) -> int:
    """Contact slots of each moving body's sensor block: the most that any of them needs."""
    return max((contact_slots(scene, body) for body in scene.moving), default=0)


def mjcf(scene: Scene, dt: float, settings: Settings) -> str:
    """The MJCF of `scene` with the options of `settings`.

    Raises:
        Unsupported: a material that MuJoCo's contact cannot express.
    """
    options = settings.options
    root = Element("mujoco", model=scene.name)
    SubElement(root, "compiler", angle="radian", autolimits="true")
    option = SubElement(root, "option", timestep=numbers(dt), gravity=numbers(scene.gravity))
    for name in OPTION_NAMES:
        if name in options:
            option.set(name, str(options[name]))
    if scene.soft_bodies:
        mapping.check_soft_integrator(options)
    for name in SOFT_NAMES if scene.soft_bodies else ():
        if f"soft_{name}" in options:
            option.set(name, str(options[f"soft_{name}"]))
    SubElement(option, "flag", autoreset="disable")  # a diverged state must stay visible
    asset, world, contact = (SubElement(root, tag) for tag in ("asset", "worldbody", "contact"))
    for body in scene.bodies:
        mapping.check(body.name, body.material)
        parent = write_body(world, body)
        for index, shape in enumerate(body.shapes):
            geom = SubElement(parent, "geom", name=f"{body.name}/{index}", conaffinity=str(BODIES | ROBOTS))
            write_shape(geom, shape, asset)
            mu = mapping.friction(body.material)
            if mu is not None:
                geom.set("friction", numbers(mu))
            for name in GEOM_NAMES:
                if name in options:
                    value = options[name]
                    geom.set(name, numbers(value) if isinstance(value, tuple) else str(value))
    for soft in scene.soft_bodies:
        write_soft(world, soft, settings)
    for a, b in scene.collision_pairs_off:
        SubElement(contact, "exclude", body1=a, body2=b)
    _sensors(SubElement(root, "sensor"), scene)
    return tostring(root, encoding="unicode")


def _sensors(sensor: Element, scene: Scene) -> None:
    """For each moving body the first columns of a sample in order, then the same number of contact slots for all."""
    for body in scene.moving:
        for tag in ("framepos", "framequat", "framelinvel", "frameangvel"):
            SubElement(sensor, tag, objtype="xbody", objname=body.name)
        SubElement(sensor, "contact", body2=body.name, data="found force", reduce="netforce")
    slots = most_contact_slots(scene)
    for body in scene.moving if slots else ():
        SubElement(sensor, "contact", body2=body.name, data="force normal", reduce="none", num=str(slots))
