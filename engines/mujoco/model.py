"""A scene written as MJCF. Geoms are named "BODY/INDEX"; a sensor block per moving body lets C gather its channels."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, tostring

from ...harness.engine import Settings
from ...harness.mujoco_scene import scene_mjcf
from ...harness.robot_model import model_of
from ...harness.scene import Body, Scene
from . import mapping

POINTS_PER_PAIR = 8  # most contact points that one pair of convex shapes can have (box on box)


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
    if scene.soft_bodies:
        mapping.check_soft_integrator(settings.options)
    root = scene_mjcf(scene, dt, settings.options, mapping.check)
    for option in root.iter("option"):
        SubElement(option, "flag", autoreset="disable")  # a diverged state must stay visible
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
