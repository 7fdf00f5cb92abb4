"""What PhysX made of a scene, read from SAPIEN's live objects.

A system's configuration is the copy that SAPIEN made when it created the PhysX scene; PhysX's own flags of a scene are
not exposed. Bodies, shapes and materials are read from PhysX itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from ...harness.channels import ChannelNote
from ...harness.engine import Resolution, Resolved, Settings, Value
from ...harness.resolution import Row, absent, floats, read, unreadable, values
from ...harness.scene import Scene
from . import mapping
from .dynamics import NOTES
from .model import Model
from .robot_readback import robot_rows
from .robots import ROOT, Articulated

_COMBINED = "average of both dynamic_friction: the combine mode is not readable, the rule was measured"
_CHANNEL_NOTES = {
    "f_B_W": ChannelNote(
        "derived",
        "SAPIEN reports no friction on the CPU; this is m (v_1 - v_0)/dt - m g - f_commanded of the step, with linear "
        "damping accounted for; a sleeping body's is what holds it in place",
    ),
    "f_friction_B_W": ChannelNote(
        "derived", "f_B_W by the momentum balance, minus the normal force that PhysX reports"
    ),
    "f_normal_B_W": ChannelNote(
        "derived", "sum of the contacts' impulses over dt; a sleeping body's keeps the value of its last step awake"
    ),
    "f_friction": ChannelNote(
        "unsupported", "SAPIEN's contact points have the normal part of the impulse only; friction is per body"
    ),
}


def resolution(model: Model, scene: Scene, settings: Settings, dt: float) -> Resolution:
    """Everything that `model` lets one read, under canonical names."""
    config, asked = model.system.config, settings.options
    table = dict(_options(model, scene, asked, dt))
    for body in scene.moving:
        table.update(_body(model, scene, asked, body.name))
    for body in scene.bodies:
        for index in range(len(body.shapes)):
            table.update(_shape(model, scene, asked, body.name, index))
    if model.robot is not None:
        table.update(robot_rows(model.robot, asked))
    bounces = []
    for a, b in scene.colliding_pairs():
        one, other = (model.components[name].collision_shapes[0].physical_material for name in (a, b))
        mu = mapping.combined(one.dynamic_friction, other.dynamic_friction)
        table[f"pair.{a}+{b}.friction"] = Resolved(value=mu, unit="1", origin="derived", native=_COMBINED)
        bounces.append(mapping.combined(one.restitution, other.restitution))
    for body, robot in product(scene.bodies, scene.touching_robots):
        if body.shapes and model.robot is not None:
            component = model.components[body.name]
            table[f"pair.{body.name}+{robot.name}.friction"] = _robot_pair(component, model.robot)
            if body.mass is not None and model.robot.shapes:
                mine, its = (s.physical_material for s in (component.collision_shapes[0], model.robot.shapes[0][1]))
                bounces.append(mapping.combined(mine.restitution, its.restitution))
    law = mapping.contact_law(bounces, float(config.bounce_threshold), bool(config.enable_tgs))
    notes = _CHANNEL_NOTES if model.robot is None else {**_CHANNEL_NOTES, **NOTES}
    substeps = "iterations" if model.robot is None else model.robot.iterations_option
    refined_by = ("iterations",) if substeps == "iterations" else ()  # robot_iterations adds rounding, see NOTES.md
    return Resolution(table=table, contact_law=law, channel_notes=notes, refined_by=refined_by)


def _robot_pair(component: Any, robot: Articulated) -> Resolved:
    """Friction of a body against the robot's shapes, which are all of one material."""
    if not robot.shapes:
        return absent("1", "no shape of the robot can touch")
    one, other = (shape.physical_material for shape in (component.collision_shapes[0], robot.shapes[0][1]))
    mu = mapping.combined(one.dynamic_friction, other.dynamic_friction)
    return Resolved(value=mu, unit="1", origin="derived", native=_COMBINED)


def _options(model: Model, scene: Scene, asked: Mapping[str, Value], dt: float) -> Iterator[Row]:
    system, config, moving = model.system, model.system.config, model.moving
    articulations = [model.robot.articulation] if model.robot is not None else []
    links = [link for articulation in articulations for link in articulation.links if not link.is_root]
    option = values(asked)

    def held_by(holders: Sequence[Any], name: str, unit: str, native: str) -> Row:
        """An option that every holder has for itself."""
        held = {getattr(holder, native) for holder in holders}
        if len(held) == 1:
            kinds = " and ".join(sorted({type(holder).__name__ for holder in holders}))
            return option(name, held.pop(), unit, f"{kinds}.{native}, the same for all")
        why = f"bodies and robot differ in {native}" if held else f"no moving body holds a {native}; links: see theirs"
        return name, unreadable(unit, why, asked.get(name))

    def of_solver(name: str, unit: str, native: str) -> Row:
        return held_by([*moving, *articulations], name, unit, native)

    def of_parts(name: str, unit: str, native: str) -> Row:
        return held_by([*moving, *links], name, unit, native)

    def of_bodies(name: str, unit: str, native: str) -> Row:
        return held_by(moving, name, unit, native)

    iterations = held_by(moving, "iterations", "1", "solver_position_iterations")[1]
    if model.robot is not None:
        count = int(model.robot.articulation.solver_position_iterations)
        native = "PhysxArticulation.solver_position_iterations"
        of_robot = read(count, "1", native, settings=asked.get(model.robot.iterations_option))
        yield "robot_iterations", of_robot
        root = next(link.name for link in model.robot.articulation.links if link.is_root)
        importer = "source" if root.endswith(ROOT) else "urdf_loader"
        yield option("importer", importer, "", f"the articulation's root is {root!r}")
        iterations = iterations if moving else of_robot
    yield "dt", read(float(system.timestep), "s", "PhysxCpuSystem.timestep, 32 bit", scene=dt)
    yield "iterations", iterations
    tgs = bool(config.enable_tgs)
    in_tgs = Resolved(value=iterations.value, unit="1", origin="derived", native="TGS: as many as position iterations")
    yield "substeps", in_tgs if tgs else absent("1", "PGS integrates once per dt")
    yield "gravity", read(floats(config.gravity), "m/s^2", "PhysxCpuSystem.config.gravity, 32 bit", scene=scene.gravity)
    yield "integrator", unreadable("", "no accessor; PhysX steps semi-implicitly: velocity, then position")
    yield option("solver", "TGS" if tgs else "PGS", "", "PhysxCpuSystem.config.enable_tgs")
    yield of_solver("velocity_iterations", "1", "solver_velocity_iterations")
    yield "tolerance", absent("1", "PhysX does a fixed number of iterations")
    yield "cone", unreadable("", "SAPIEN shows no friction type; PhysX's default is patch friction")
    yield "impratio", absent("1", "contacts are rigid in normal and tangential direction")
    yield "contact_resolution", absent("", "one law: Gauss-Seidel on impulses, non-penetration and Coulomb's bound")
    yield "multi_contact", absent("", "always several points per pair of flat shapes; see enable_pcm")
    for name in ("friction_combine", "restitution_combine"):
        yield name, unreadable("", "SAPIEN shows no combine mode; measured: average, PhysX's default")
    yield of_solver("sleep_threshold", "m^2/s^2", "sleep_threshold")
    yield option("bounce_threshold", float(config.bounce_threshold), "m/s", "PhysxCpuSystem.config.bounce_threshold")
    yield of_parts("max_depenetration_velocity", "m/s", "max_depenetration_velocity")
    yield of_bodies("max_angular_velocity", "rad/s", "max_angular_velocity")
    yield of_bodies("max_linear_velocity", "m/s", "max_linear_velocity")
    yield of_parts("max_contact_impulse", "N s", "max_contact_impulse")
    for name in mapping.SWITCHES:
        yield option(name, bool(getattr(config, name)), "", f"PhysxCpuSystem.config.{name}")
    yield "gyroscopic_forces", unreadable("", "SAPIEN shows no rigid-body flags; measured: on, see NOTES.md")
    states = {body.linear_velocity.dtype for body in moving} | {robot.qpos.dtype for robot in articulations}
    of_state = "dtype of linear_velocity and qpos"
    bits = max((state.itemsize * 8 for state in states), default=None)
    yield "precision", read(bits, "bit", of_state) if bits else unreadable("bit", "nothing that moves to read")
    yield "device", read("cpu", "", "PhysxCpuSystem")
    yield "threads", unreadable("1", "cpuWorkers of the configuration has no accessor; left at 0, the calling thread")


def _body(model: Model, scene: Scene, asked: Mapping[str, Value], name: str) -> Iterator[Row]:
    body, authored = model.components[name], scene.body(name)
    prefix = f"body.{name}."
    yield prefix + "mass", read(float(body.mass), "kg", "mass, 32 bit", scene=authored.mass)
    yield prefix + "inertia", read(floats(body.inertia), "kg m^2", "inertia, 32 bit", scene=authored.inertia)
    yield prefix + "com", read(floats(body.cmass_local_pose.p), "m", "cmass_local_pose.p, 32 bit", scene=authored.com)
    yield prefix + "armature", absent("kg m^2", "a free body has none in PhysX")
    for quantity in ("linear_damping", "angular_damping"):
        value = float(getattr(body, quantity))
        yield prefix + quantity, read(value, "1/s", quantity, settings=asked.get(quantity))


def _shape(model: Model, scene: Scene, asked: Mapping[str, Value], name: str, index: int) -> Iterator[Row]:
    shape: Any = model.components[name].collision_shapes[index]
    surface, material = shape.physical_material, scene.body(name).material
    prefix = f"shape.{name}.{index}."
    mu, e = mapping.friction(material), material.restitution
    yield (
        prefix + "friction",
        read(float(surface.dynamic_friction), "1", "physical_material.dynamic_friction", scene=mu),
    )
    yield prefix + "static_friction", read(float(surface.static_friction), "1", "physical_material", scene=mu)
    by_settings = asked.get("restitution") if e is None else None
    native = "physical_material.restitution"
    yield prefix + "restitution", read(float(surface.restitution), "1", native, scene=e, settings=by_settings)
    for quantity in ("time_constant", "damping_ratio", "impedance"):
        unit = "s" if quantity == "time_constant" else "1"
        yield prefix + quantity, absent(unit, "contacts are rigid: no spring, no damper")
    yield prefix + "margin", absent("m", "see contact_offset")
    yield prefix + "gap", absent("m", "see contact_offset and rest_offset")
    for quantity in mapping.IN_SHAPE_CONFIG:
        yield prefix + quantity, read(float(getattr(shape, quantity)), "m", quantity, settings=asked.get(quantity))
    for quantity in ("patch_radius", "min_patch_radius"):
        yield prefix + quantity, read(float(getattr(shape, quantity)), "m", f"{quantity}, of torsional friction")
    kind = type(shape).__name__.removeprefix("PhysxCollisionShape")
    yield prefix + "geometry", read(kind, "", "type of the collision shape; a cylinder is a convex mesh, see NOTES.md")
