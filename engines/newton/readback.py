"""What Newton made of a scene, read from the solver's live `mjw_model` and from the Newton model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import mujoco_warp
import numpy as np

from ...harness.channels import ChannelNote
from ...harness.engine import ContactLaw, Resolution, Resolved, Settings, Value
from ...harness.resolution import Row, absent, floats, no_law, read, values
from ...harness.scene import Array, Material, Scene
from ...harness.soft_contact import Surface, contact_law, floored_time_constant, mixed
from . import mapping

_CONES = {"PYRAMIDAL": "pyramidal", "ELLIPTIC": "elliptic"}
_SOLVERS = {"PGS": "PGS", "CG": "CG", "NEWTON": "Newton"}
_INTEGRATORS = {
    "EULER": "Euler",
    "RK4": "RK4",
    "IMPLICIT": "implicit",
    "IMPLICITFAST": "implicitfast",
    "DISCRETE": "discrete",
}


class Live:
    """The parts of a live solver that the table is read from; arrays are those of its one world."""

    def __init__(self, solver: Any, shapes: Mapping[tuple[str, int], int]) -> None:
        self.solver, self.model, self.opt = solver, solver.mjw_model, solver.mjw_model.opt
        self.geom_of = {int(shape): geom for geom, shape in enumerate(solver.mjc_geom_to_newton_shape.numpy()[0])}
        self.geoms = {key: self.geom_of[shape] for key, shape in shapes.items()}
        self.bodies = {int(body): mjc for mjc, body in enumerate(solver.mjc_body_to_newton.numpy()[0]) if body >= 0}
        self.cone = _CONES[mujoco_warp.ConeType(self.opt.cone).name]
        self.solver_name = _SOLVERS[mujoco_warp.SolverType(self.opt.solver).name]
        self.integrator = _INTEGRATORS[mujoco_warp.IntegratorType(self.opt.integrator).name]
        self.dt = float(self.option("timestep"))
        self.impratio = float(self.option("impratio_invsqrt")) ** -2

    def option(self, name: str) -> Any:
        """An option of the one world."""
        return getattr(self.opt, name).numpy()[0]

    def array(self, name: str) -> Any:
        """A field of the model for the one world."""
        values = getattr(self.model, name).numpy()
        return values[0] if getattr(self.model, name).ndim > 1 else values

    def enabled(self, flag: str) -> bool:
        """Whether a feature that can be disabled is on."""
        return not self.opt.disableflags & int(mujoco_warp.DisableBit[flag])


def resolution(
    solver: Any,
    model: Any,
    shapes: Mapping[tuple[str, int], int],
    scene: Scene,
    settings: Settings,
    dt: float,
    robot_shapes: Iterable[int] = (),
) -> Resolution:
    """Everything that the solver lets one read, under canonical names; `robot_shapes` may touch the bodies."""
    live = Live(solver, shapes)
    table = dict(_options(live, model, scene, settings, dt))
    for index, body in enumerate(scene.moving):
        table.update(_body(live, scene, body.name, live.bodies[index]))
    for (name, number), geom in live.geoms.items():
        table.update(_shape(live, settings, f"shape.{name}.{number}.", geom, scene.body(name).material))
    met = [
        mixed(surface(live, live.geoms[body.name, 0]), surface(live, live.geom_of[shape]))
        for body in scene.moving
        for shape in (robot_shapes if body.shapes else ())
    ]
    for a, b in scene.colliding_pairs():
        contact = mixed(surface(live, live.geoms[a, 0]), surface(live, live.geoms[b, 0]))
        native = "the geom of higher priority, else max of geom_friction"
        table[f"pair.{a}+{b}.friction"] = Resolved(value=contact.friction, unit="1", origin="derived", native=native)
        met.append(contact)
    refsafe = live.enabled("REFSAFE")
    laws: list[ContactLaw] = [contact_law(contact, live.dt, live.cone, live.impratio, refsafe) for contact in met]
    law = laws[0] if laws and all(x == laws[0] for x in laws) else no_law(scene, bool(laws))
    return Resolution(table=table, contact_law=law, channel_notes=_notes(live))


def _notes(live: Live) -> dict[str, ChannelNote]:
    if live.integrator != "RK4":
        return {}
    note = ChannelNote(kind="derived", reason="RK4 evaluates the contacts four times a step; this is the last time")
    return dict.fromkeys(("contact_count", "f_B_W", "f_normal_B_W", "f_links"), note)


def _options(live: Live, model: Any, scene: Scene, settings: Settings, dt: float) -> Iterator[Row]:
    opt, data, option = live.opt, live.solver.mjw_data, values(settings.options)
    yield "dt", read(live.dt, "s", "mjw_model.opt.timestep", scene=dt)
    yield "substeps", absent("1", "SolverMuJoCo.step integrates once per dt")
    yield "gravity", read(floats(live.option("gravity")), "m/s^2", "mjw_model.opt.gravity", scene=scene.gravity)
    yield option("integrator", live.integrator, "", "mjw_model.opt.integrator")
    yield option("solver", live.solver_name, "", "mjw_model.opt.solver")
    for name in ("iterations", "ls_iterations", "noslip_iterations", "ccd_iterations"):
        if hasattr(opt, name):
            yield option(name, int(getattr(opt, name)), "1", f"mjw_model.opt.{name}")
        else:
            yield name, absent("1", "this version of MuJoCo Warp has no such option", settings.options.get(name))
    yield option(
        "tolerance", float(live.option("tolerance")), "1", "mjw_model.opt.tolerance; put_model raises it to 1e-6"
    )
    yield option("ls_tolerance", float(live.option("ls_tolerance")), "1", "mjw_model.opt.ls_tolerance")
    yield option("cone", live.cone, "", "mjw_model.opt.cone")
    yield option("impratio", live.impratio, "1", "mjw_model.opt.impratio_invsqrt, to the power -2")
    yield "contact_resolution", absent("", "one law: convex optimisation over the contact forces")
    yield option(
        "multi_contact", live.enabled("MULTICCD"), "", "mjw_model.opt.disableflags & MULTICCD (not box on box)"
    )
    yield "friction_combine", read("max, unless geom_priority differs", "", "mjw_model.geom_priority, geom_friction")
    yield "restitution_combine", absent("", "SolverMuJoCo does not read shape_material_restitution")
    sleeps = bool(live.solver.enable_sleeping)
    off = absent("m/s", "SolverMuJoCo.enable_sleeping is False")
    tolerance = float(live.option("sleep_tolerance"))
    yield "sleep_threshold", read(tolerance, "m/s", "mjw_model.opt.sleep_tolerance") if sleeps else off
    yield "bounce_threshold", absent("m/s", "SolverMuJoCo has no restitution coefficient")
    yield "max_depenetration_velocity", absent("m/s", "MuJoCo's reference acceleration has no cap")
    yield "refsafe", read(live.enabled("REFSAFE"), "", "mjw_model.opt.disableflags & REFSAFE")
    collides = bool(opt.run_collision_detection)
    yield "collision", read("MuJoCo Warp" if collides else "Newton", "", "mjw_model.opt.run_collision_detection")
    yield "contacts", read(live.enabled("CONTACT"), "", "mjw_model.opt.disableflags & CONTACT")
    yield option("nconmax", int(data.naconmax), "1", "mjw_data.naconmax")
    yield option("njmax", int(data.njmax), "1", "mjw_data.njmax")
    yield "precision", read(data.qpos.numpy().itemsize * 8, "bit", "dtype of mjw_data.qpos")
    gpu = bool(model.device.is_cuda)
    yield "device", read("cuda" if gpu else "cpu", "", f"model.device, {model.device.name}")
    yield "threads", absent("1", "a GPU") if gpu else read(1, "1", "Warp runs CPU kernels on the calling thread")


def _body(live: Live, scene: Scene, name: str, mjc: int) -> Iterator[Row]:
    authored = scene.body(name)

    def row(quantity: str, value: Value, unit: str, native: str, asked: Value = None) -> Row:
        return f"body.{name}.{quantity}", read(value, unit, f"mjw_model.{native}", scene=asked)

    start, count = int(live.array("body_dofadr")[mjc]), int(live.array("body_dofnum")[mjc])
    damping, armature = (live.array(field)[start : start + count] for field in ("dof_damping", "dof_armature"))
    yield row("mass", float(live.array("body_mass")[mjc]), "kg", "body_mass", authored.mass)
    inertia = _diagonal(live.array("body_inertia")[mjc], live.array("body_iquat")[mjc])
    yield row("inertia", inertia, "kg m^2", "body_inertia, turned by body_iquat; diagonal", authored.inertia)
    yield row("com", floats(live.array("body_ipos")[mjc]), "m", "body_ipos", authored.com)
    yield row("armature", float(np.max(armature)), "kg m^2", "dof_armature, largest")
    yield row("linear_damping", float(np.max(damping[:3])), "N s/m", "dof_damping[:3], largest")
    yield row("angular_damping", float(np.max(damping[3:])), "N m s", "dof_damping[3:], largest")


def _diagonal(principal: Any, q_wxyz: Any) -> tuple[float, ...]:
    """Diagonal of the inertia in the axes of B, from principal moments and the orientation of their axes in B."""
    return floats(axes_matrix(q_wxyz) ** 2 @ principal.astype(float))


def axes_matrix(q_wxyz: Any) -> Array:
    """Rotation matrix of a quaternion, scalar first."""
    w, x, y, z = (float(c) for c in q_wxyz)
    return np.array(
        (
            (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
            (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
            (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
        )
    )


def _shape(live: Live, settings: Settings, prefix: str, geom: int, material: Material) -> Iterator[Row]:
    asked = settings.options

    def row(quantity: str, value: Value, unit: str, native: str, wanted: Value = None) -> Row:
        return prefix + quantity, read(value, unit, f"mjw_model.{native}", settings=wanted)

    mu = float(live.array("geom_friction")[geom][0])
    yield prefix + "friction", read(mu, "1", "mjw_model.geom_friction[0]", scene=mapping.friction(material))
    yield prefix + "restitution", absent("1", "SolverMuJoCo does not read shape_material_restitution")
    solref, wanted = floats(live.array("geom_solref")[geom]), asked.get("solref")
    pair = wanted if isinstance(wanted, tuple) else (None, None)
    if solref[0] > 0:
        tc = floored_time_constant(solref[0], live.dt) if live.enabled("REFSAFE") else solref[0]
        yield row("time_constant", tc, "s", "geom_solref[0], raised to 2 dt (refsafe)", pair[0])
        yield row("damping_ratio", solref[1], "1", "geom_solref[1]", pair[1])
    else:
        yield prefix + "time_constant", absent("s", f"geom_solref is negative: {solref}")
        yield prefix + "damping_ratio", absent("1", f"geom_solref is negative: {solref}")
    yield row("impedance", floats(live.array("geom_solimp")[geom]), "1", "geom_solimp", asked.get("solimp"))
    yield row("margin", float(live.array("geom_margin")[geom]), "m", "geom_margin")
    yield row("gap", float(live.array("geom_gap")[geom]), "m", "geom_gap", asked.get("gap"))
    yield prefix + "contact_offset", absent("m", "see margin and gap")
    yield prefix + "rest_offset", absent("m", "see margin")
    yield row("contact_dimensions", int(live.array("geom_condim")[geom]), "1", "geom_condim", asked.get("condim"))


def surface(live: Live, geom: int) -> Surface:
    """What a geom brings into its contacts."""
    first, second = floats(live.array("geom_solref")[geom])
    return Surface(
        solref=(first, second),
        solimp=floats(live.array("geom_solimp")[geom]),
        friction=float(live.array("geom_friction")[geom, 0]),
        priority=int(live.array("geom_priority")[geom]),
        solmix=float(live.array("geom_solmix")[geom]),
    )
