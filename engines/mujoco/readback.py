"""What MuJoCo made of a scene, read from the live `MjModel`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import mujoco
import numpy as np

from ...harness.channels import ChannelNote
from ...harness.engine import ContactLaw, Resolution, Resolved, Settings, Value
from ...harness.mujoco_scene import options_of
from ...harness.resolution import Row, absent, floats, no_law, read, robot_friction, values
from ...harness.robot_model import model_of
from ...harness.scene import Material, Robot, Scene
from ...harness.soft_contact import Surface, contact_law, floored_time_constant, mixed
from . import mapping

_CONES = {mujoco.mjtCone.mjCONE_PYRAMIDAL: "pyramidal", mujoco.mjtCone.mjCONE_ELLIPTIC: "elliptic"}
_SOLVERS = {mujoco.mjtSolver.mjSOL_PGS: "PGS", mujoco.mjtSolver.mjSOL_CG: "CG", mujoco.mjtSolver.mjSOL_NEWTON: "Newton"}
_INTEGRATORS = {
    mujoco.mjtIntegrator.mjINT_EULER: "Euler",
    mujoco.mjtIntegrator.mjINT_RK4: "RK4",
    mujoco.mjtIntegrator.mjINT_IMPLICIT: "implicit",
    mujoco.mjtIntegrator.mjINT_IMPLICITFAST: "implicitfast",
}
if hasattr(mujoco.mjtIntegrator, "mjINT_DISCRETE"):  # not in 3.11
    _INTEGRATORS[mujoco.mjtIntegrator.mjINT_DISCRETE] = "discrete"


def resolution(model: Any, scene: Scene, settings: Settings, dt: float) -> Resolution:
    """Everything that `model` lets one read, under canonical names."""
    table = dict(_options(model, scene, settings, dt))
    for body in scene.moving:
        table.update(_body(model, scene, body.name))
    for body in scene.bodies:
        for index in range(len(body.shapes)):
            table.update(_shape(model, settings, body.name, index, body.material))
    met: list[Surface] = []
    for a, b in scene.colliding_pairs():
        i, j = model.geom(f"{a}/0").id, model.geom(f"{b}/0").id
        contact = mixed(_surface(model, i), _surface(model, j))
        table[f"pair.{a}+{b}.friction"] = Resolved(
            value=contact.friction,
            unit="1",
            origin="derived",
            native="the geom of higher priority, else max of geom_friction",
        )
        met.append(contact)
    for body, robot in product(scene.bodies, scene.touching_robots):
        if body.shapes:
            contacts = _robot_contacts(model, body.name, robot)
            table[f"pair.{body.name}+{robot.name}.friction"] = robot_friction(
                (contact.friction for contact in contacts), "max of geom_friction over the robot's shapes"
            )
            met += contacts if body.mass is not None else []
    rk4 = model.opt.integrator == mujoco.mjtIntegrator.mjINT_RK4
    why = "RK4 solves for contact four times a step; this is the force of the first of them, not of the whole step"
    notes = {name: ChannelNote("derived", why) for name in ("f_B_W", "f_normal_B_W", "f_links")} if rk4 else {}
    return Resolution(table=table, contact_law=_common_law(model, scene, met), channel_notes=notes)


def _common_law(model: Any, scene: Scene, met: list[Surface]) -> ContactLaw:
    """The law of all contacts that a body can have, if it is one."""
    refsafe = not model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_REFSAFE
    cone = _CONES[mujoco.mjtCone(model.opt.cone)]
    laws = [contact_law(contact, model.opt.timestep, cone, model.opt.impratio, refsafe) for contact in met]
    return laws[0] if laws and all(law == laws[0] for law in laws) else no_law(scene, bool(laws))


def _robot_contacts(model: Any, body: str, robot: Robot) -> list[Surface]:
    """What `body` meets on each of the robot's shapes."""
    mine = _surface(model, model.geom(f"{body}/0").id)
    links = {model.body(link.name).id for link in model_of(robot).links}
    shapes = [g for g in range(model.ngeom) if model.geom_bodyid[g] in links and model.geom_contype[g]]
    return [mixed(mine, _surface(model, g)) for g in shapes]


def _options(model: Any, scene: Scene, settings: Settings, dt: float) -> Iterator[Row]:
    opt, asked = model.opt, settings.options
    enabled, disabled = opt.enableflags, opt.disableflags
    option = values(options_of(scene, asked))
    yield "dt", read(opt.timestep, "s", "opt.timestep", scene=dt)
    yield "substeps", absent("1", "mj_step integrates once per dt")
    yield "gravity", read(floats(opt.gravity), "m/s^2", "opt.gravity", scene=scene.gravity)
    yield option("integrator", _INTEGRATORS[mujoco.mjtIntegrator(opt.integrator)], "", "opt.integrator")
    yield option("solver", _SOLVERS[mujoco.mjtSolver(opt.solver)], "", "opt.solver")
    for name in ("iterations", "ls_iterations", "noslip_iterations"):
        yield option(name, int(getattr(opt, name)), "1", f"opt.{name}")
    yield option("tolerance", float(opt.tolerance), "1", "opt.tolerance")
    yield option("cone", _CONES[mujoco.mjtCone(opt.cone)], "", "opt.cone")
    yield option("impratio", float(opt.impratio), "1", "opt.impratio")
    yield "contact_resolution", absent("", "one law: convex optimisation over the contact forces")
    multiccd = not disabled & mujoco.mjtDisableBit.mjDSBL_MULTICCD
    yield option("multi_contact", multiccd, "", "opt.disableflags & mjDSBL_MULTICCD (meshes only)")
    rule = "max, unless geom_priority differs"
    yield "friction_combine", read(rule, "", "geom_priority, geom_friction")
    yield "restitution_combine", absent("", "MuJoCo has no restitution coefficient")
    sleeps = bool(enabled & mujoco.mjtEnableBit.mjENBL_SLEEP)
    off = absent("m/s", "mjENBL_SLEEP is off in opt.enableflags")
    yield "sleep_threshold", read(float(opt.sleep_tolerance), "m/s", "opt.sleep_tolerance") if sleeps else off
    yield "bounce_threshold", absent("m/s", "MuJoCo has no restitution coefficient")
    yield "max_depenetration_velocity", absent("m/s", "MuJoCo's reference acceleration has no cap")
    refsafe = not disabled & mujoco.mjtDisableBit.mjDSBL_REFSAFE
    yield "refsafe", read(refsafe, "", "opt.disableflags & mjDSBL_REFSAFE")
    yield "precision", read(model.qpos0.itemsize * 8, "bit", "dtype of qpos0")
    yield "device", read("cpu", "", "mujoco is a CPU library")
    yield "threads", read(1, "1", "mj_step without a thread pool")


def _body(model: Any, scene: Scene, name: str) -> Iterator[Row]:
    body, authored = model.body(name), scene.body(name)

    def row(quantity: str, value: Value, unit: str, native: str, asked: Value = None) -> Row:
        return f"body.{name}.{quantity}", read(value, unit, native, scene=asked)

    dofs = slice(int(body.dofadr[0]), int(body.dofadr[0] + body.dofnum[0]))
    yield row("mass", float(body.mass[0]), "kg", "body_mass", authored.mass)
    yield row("inertia", floats(body.inertia), "kg m^2", "body_inertia", authored.inertia)
    yield row("com", floats(body.ipos), "m", "body_ipos", authored.com)
    yield row("armature", float(np.max(model.dof_armature[dofs])), "kg m^2", "max of dof_armature")
    yield row("linear_damping", float(np.max(model.dof_damping[dofs][:3])), "N s/m", "max of dof_damping[:3]")
    yield row("angular_damping", float(np.max(model.dof_damping[dofs][3:])), "N m s", "max of dof_damping[3:]")


def _shape(model: Any, settings: Settings, body: str, index: int, material: Material) -> Iterator[Row]:
    geom = model.geom(f"{body}/{index}")
    prefix, asked = f"shape.{body}.{index}.", settings.options

    def row(quantity: str, value: Value, unit: str, native: str, wanted: Value = None) -> Row:
        return prefix + quantity, read(value, unit, native, settings=wanted)

    yield prefix + "friction", read(float(geom.friction[0]), "1", "geom_friction[0]", scene=mapping.friction(material))
    yield prefix + "restitution", absent("1", "MuJoCo has no restitution coefficient", material.restitution)
    solref, wanted = floats(geom.solref), asked.get("solref")
    pair = wanted if isinstance(wanted, tuple) else (None, None)
    if solref[0] > 0:
        floored = floored_time_constant(solref[0], model.opt.timestep)
        yield row("time_constant", floored, "s", "geom_solref[0], raised to 2 dt (refsafe)", pair[0])
        yield row("damping_ratio", solref[1], "1", "geom_solref[1]", pair[1])
    else:
        yield prefix + "time_constant", absent("s", f"geom_solref is negative: {solref}")
        yield prefix + "damping_ratio", absent("1", f"geom_solref is negative: {solref}")
    yield row("impedance", floats(geom.solimp), "1", "geom_solimp", asked.get("solimp"))
    yield row("margin", float(geom.margin[0]), "m", "geom_margin")
    yield row("gap", float(geom.gap[0]), "m", "geom_gap")
    yield prefix + "contact_offset", absent("m", "see margin")
    yield prefix + "rest_offset", absent("m", "see margin")
    yield row("contact_dimensions", int(geom.condim[0]), "1", "geom_condim", asked.get("condim"))


def _surface(model: Any, geom: int) -> Surface:
    first, second = floats(model.geom_solref[geom])
    return Surface(
        solref=(first, second),
        solimp=floats(model.geom_solimp[geom]),
        friction=float(model.geom_friction[geom, 0]),
        priority=int(model.geom_priority[geom]),
        solmix=float(model.geom_solmix[geom]),
    )
