"""What Genesis made of a scene, read from the live solver."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any

import genesis as gs
import numpy as np

from ...harness.engine import ContactLaw, Resolution, Resolved, Settings, Value
from ...harness.resolution import Row, absent, floats, no_law, read, values
from ...harness.scene import Body, Scene
from . import mapping, process
from .model import Places

_NO_RESTITUTION = "Genesis's rigid contact has no restitution coefficient"
_MARGIN = "Genesis's rigid contact begins at touch; it imports neither margin nor gap"


def resolution(
    world: Any, place: Places, scene: Scene, settings: Settings, dt: float, robot_geoms: Iterable[int] = ()
) -> Resolution:
    """Everything that the built `world` lets one read, under canonical names; `robot_geoms` may touch the bodies."""
    solver = world.rigid_solver
    table = dict(_options(world, solver, scene, settings, dt))
    for index, body in enumerate(scene.moving):
        table.update(_body(solver, place, body, index))
    sol_params, frictions = numbers(solver.get_sol_params()), numbers(solver.get_geoms_friction())
    for body in scene.bodies:
        for index in range(len(body.shapes)):
            geom = place.geoms[body.name, index]
            native = solver.geoms[geom]
            table.update(
                _shape(solver, native, settings, body, index, floats(sol_params[geom]), float(frictions[geom]))
            )
    laws: list[ContactLaw] = []
    substep, impratio = _number(solver.rigid_info.substep_dt), _number(solver.rigid_info.impratio)

    def law_of(i: int, j: int, mu: float) -> ContactLaw:
        mean = mapping.mixed(floats(sol_params[i]), floats(sol_params[j]))
        return mapping.contact_law(mean, substep, _cone(solver), mu, impratio)

    for body, other in product(scene.moving, robot_geoms):
        for i in (place.geoms[body.name, index] for index in range(len(body.shapes))):
            laws.append(law_of(i, other, mapping.pair_friction(float(frictions[i]), float(frictions[other]))))
    for a, b in scene.colliding_pairs():
        mus = set()
        for i in (place.geoms[a, index] for index in range(len(scene.body(a).shapes))):
            for j in (place.geoms[b, index] for index in range(len(scene.body(b).shapes))):
                mu = mapping.pair_friction(float(frictions[i]), float(frictions[j]))
                laws.append(law_of(i, j, mu))
                mus.add(mu)
        table[f"pair.{a}+{b}.friction"] = Resolved(
            value=max(mus), unit="1", origin="derived", native="max of get_geoms_friction(), at least 0.01"
        )
    law = laws[0] if laws and all(x == laws[0] for x in laws) else no_law(scene, bool(laws))
    refined_by = ("soft_iterations",) if scene.soft_bodies else ()
    return Resolution(table=table, contact_law=law, refined_by=refined_by)


def numbers(tensor: Any) -> np.ndarray:
    """A device tensor as a float64 array on the host."""
    return np.asarray(tensor.detach().cpu().numpy(), dtype=np.float64)


def in_link_axes(solver: Any, link: int) -> np.ndarray:
    """Inertia of a link about its centre of mass, in the axes of its own frame (3, 3) [kg m^2]."""
    w, x, y, z = solver.dyn_info.links.inertial_quat.to_numpy()[link].astype(np.float64)
    R = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    return np.asarray(R @ numbers(solver.get_links_inertia())[link] @ R.T)


def _number(field: Any) -> float:
    """The one number of a field without dimensions."""
    return float(np.asarray(field.to_numpy()).reshape(-1)[0])


def _cone(solver: Any) -> str:
    return "elliptic" if solver.rigid_config.enable_elliptic_friction else "pyramidal"


def _options(world: Any, solver: Any, scene: Scene, settings: Settings, dt: float) -> Iterator[Row]:
    info, config, collider = solver.rigid_info, solver.rigid_config, solver.collider.collider_info
    asked = settings.options
    option = values(asked)
    substeps = int(world.sim.substeps)
    yield "dt", read(_number(info.substep_dt) * substeps, "s", "rigid_info.substep_dt * sim.substeps", scene=dt)
    yield "substeps", read(substeps, "1", "sim.substeps")
    gravity = floats(info.gravity.to_numpy()[0])
    yield "gravity", read(gravity, "m/s^2", "rigid_info.gravity", scene=scene.gravity)
    yield option("integrator", gs.integrator(config.integrator).name, "", "rigid_config.integrator")
    yield option("solver", gs.constraint_solver(config.solver_type).name, "", "rigid_config.solver_type")
    for name in ("iterations", "ls_iterations", "noslip_iterations"):
        yield option(name, int(_number(getattr(info, name))), "1", f"rigid_info.{name}")
    for name in ("tolerance", "ls_tolerance", "impratio"):
        yield option(name, _number(getattr(info, name)), "1", f"rigid_info.{name}")
    yield option("cone", _cone(solver), "", "rigid_config.enable_elliptic_friction")
    resolved_by = "signorini" if config.enable_signorini_contact else "convex"
    yield option("contact_resolution", resolved_by, "", "rigid_config.enable_signorini_contact")
    yield option("multi_contact", bool(config.enable_multi_contact), "", "rigid_config.enable_multi_contact")
    pruning = _number(collider.contact_pruning_tolerance)
    yield option("contact_pruning_tolerance", pruning, "1", "collider_info.contact_pruning_tolerance")
    pairs = int(_number(collider.max_collision_pairs))
    yield option("max_collision_pairs", pairs, "1", "collider_info.max_collision_pairs, at most the pairs there are")
    for name in ("max_candidate_contacts", "max_contacts"):
        yield option(name, int(_number(getattr(collider, name))), "1", f"collider_info.{name}")
    detection = solver.collider.collider_config.ccd_algorithm
    yield option("collision_detection", str(getattr(detection, "name", detection)), "", "collider_config.ccd_algorithm")
    broadphase = gs.broadphase_traversal(config.broadphase_traversal).name
    yield option("broadphase", broadphase, "", "rigid_config.broadphase_traversal")
    yield option("sparse_solve", bool(config.sparse_solve), "", "rigid_config.sparse_solve")
    yield "collision", read(bool(config.enable_collision), "", "rigid_config.enable_collision")
    timeconst = solver._sol_default_timeconst
    yield option(
        "constraint_timeconst", float(timeconst), "s", "RigidSolver._sol_default_timeconst, at least 2 substeps"
    )
    compatible = bool(config.enable_mujoco_compatibility)
    yield option("mujoco_compatibility", compatible, "", "rigid_config.enable_mujoco_compatibility")
    yield "friction_combine", read("max, at least 0.01", "", "func_set_contact in collider/contact.py")
    yield "solref_combine", read("mean, then at least 2 substeps", "", "func_set_contact in collider/contact.py")
    yield "restitution_combine", absent("", _NO_RESTITUTION)
    sleeps = bool(config.use_hibernation)
    threshold = read(_number(info.hibernation_thresh_vel), "m/s", "rigid_info.hibernation_thresh_vel")
    yield "sleep_threshold", threshold if sleeps else absent("m/s", "hibernation is off: rigid_config.use_hibernation")
    yield "bounce_threshold", absent("m/s", _NO_RESTITUTION)
    yield "max_depenetration_velocity", absent("m/s", "Genesis's reference acceleration has no cap")
    yield "precision", read(process.precision(), "bit", "dtype of gs.np_float")
    yield "device", read(process.device(), "", "gs.backend")
    yield "threads", read(process.threads(), "1", "cpu_max_num_threads of Quadrants' compile configuration")


def _body(solver: Any, place: Places, body: Body, index: int) -> Iterator[Row]:
    link, dofs = place.links[body.name], slice(6 * index, 6 * index + 6)

    def row(quantity: str, value: Value, unit: str, native: str, asked: Value = None) -> Row:
        return f"body.{body.name}.{quantity}", read(value, unit, native, scene=asked)

    yield row("mass", float(numbers(solver.get_links_mass())[link]), "kg", "get_links_mass()", body.mass)
    native = "diagonal of get_links_inertia(), turned into the axes of the body"
    yield row("inertia", floats(np.diag(in_link_axes(solver, link))), "kg m^2", native, body.inertia)
    yield row("com", floats(numbers(solver.get_links_COM())[link]), "m", "get_links_COM()", body.com)
    native = "get_links_invweight(), which scales the contact's regularisation"
    yield row("inverse_weight", floats(numbers(solver.get_links_invweight())[link]), "1/kg, 1/(kg m^2)", native)
    armature, damping = numbers(solver.get_dofs_armature())[dofs], numbers(solver.get_dofs_damping())[dofs]
    yield row("armature", float(armature.max()), "kg m^2", "max of get_dofs_armature()")
    yield row("linear_damping", float(damping[:3].max()), "N s/m", "max of get_dofs_damping()[:3]")
    yield row("angular_damping", float(damping[3:].max()), "N m s", "max of get_dofs_damping()[3:]")


def _shape(
    solver: Any, geom: Any, settings: Settings, body: Body, index: int, sol_params: tuple[float, ...], mu: float
) -> Iterator[Row]:
    prefix, asked = f"shape.{body.name}.{index}.", settings.options

    def row(quantity: str, value: Value, unit: str, native: str, wanted: Value = None) -> Row:
        return prefix + quantity, read(value, unit, native, settings=wanted)

    yield prefix + "friction", read(mu, "1", "get_geoms_friction()", scene=mapping.friction(body.material))
    yield prefix + "restitution", absent("1", _NO_RESTITUTION)
    wanted = asked.get("solref")
    time_constant, damping_ratio = wanted if isinstance(wanted, tuple) else (None, None)
    floored = mapping.floored_time_constant(sol_params[0], _number(solver.rigid_info.substep_dt))
    native = f"get_sol_params()[0] = {sol_params[0]!r}, raised to 2 substeps when a contact is made"
    yield row("time_constant", floored, "s", native, time_constant)
    yield row("damping_ratio", sol_params[1], "1", "get_sol_params()[1]", damping_ratio)
    yield row("impedance", sol_params[2:], "1", "get_sol_params()[2:]", asked.get("solimp"))
    for quantity in ("margin", "gap", "contact_offset", "rest_offset"):
        yield prefix + quantity, absent("m", _MARGIN)
    yield row("geometry", gs.GEOM_TYPE(geom.type).name.lower(), "", "geom.type")
    yield row("vertices", int(geom.n_verts), "1", "geom.n_verts")
