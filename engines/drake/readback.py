"""What Drake made of a scene, read from the live plant and scene graph.

Properties of surfaces come from the inspector of the live context, in which Drake has filled in its defaults.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np
from pydrake.multibody.plant import CalcContactFrictionFromSurfaceProperties, CoulombFriction

from ...harness.channels import ChannelNote
from ...harness.engine import Resolution, Resolved, Settings, Value
from ...harness.resolution import Row, absent, floats, no_law, read, robot_friction, unreadable, values
from ...harness.scene import Scene
from . import mapping
from .model import Model, Solid
from .robot_readback import robot_rows

POINTS = "points only"
_PATCHES = ChannelNote(
    "derived",
    "Drake shows the whole force of a hydroelastic patch; the normal part is along the patch's mean normal, of which "
    "each cell counts with its pressure: exact where the patch lies in a plane",
)


def resolution(model: Model, scene: Scene, settings: Settings, dt: float) -> Resolution:
    """Everything that `model` lets one read, under canonical names."""
    asked, inspector = settings.options, model.inspector
    table = dict(_options(model, scene, asked, dt))
    for body in scene.moving:
        table.update(_body(model, scene, body.name))
    for body in scene.bodies:
        for index in range(len(body.shapes)):
            table.update(_shape(model, scene, asked, inspector, body.name, index))
    met: list[tuple[Solid, Solid]] = []
    for a, b in scene.colliding_pairs():
        one, other = model.solid(a), model.solid(b)
        table[f"pair.{a}+{b}.friction"] = _friction(inspector, [(one, other)])
        met.append((one, other))
    links = [solid for solid in model.solids[len(scene.bodies) :] if solid.shapes]
    for body, robot in product(scene.bodies, scene.touching_robots):
        if body.shapes:
            contacts = [(model.solid(body.name), link) for link in links]
            table[f"pair.{body.name}+{robot.name}.friction"] = _friction(inspector, contacts)
            met += contacts if body.mass is not None else []
    pairs, curved = [], False
    for one, other in met:
        patches = _by_patches(inspector, one, other)
        pairs.append(None if patches else _point_law(inspector, one, other))
        curved = curved or (patches and not (one.planes or other.planes))
    plant = model.plant
    approximation = plant.get_discrete_contact_approximation().name[1:].lower()
    near_rigid = float(plant.get_sap_near_rigid_threshold())
    law = mapping.contact_law(pairs, approximation, near_rigid) if pairs else no_law(scene, differing=False)
    if model.robot is not None:
        table.update(robot_rows(model.robot, asked))
    notes = {"f_normal_B_W": _PATCHES} if curved else {}
    residual = mapping.SAP_RESIDUAL if model.plant.get_discrete_contact_solver().name == "kSap" else 0.0
    return Resolution(table=table, contact_law=law, channel_notes=notes, residual=residual)


class _Surface:
    """Properties of one geometry as the live context holds them; None where Drake has none."""

    def __init__(self, found: Any) -> None:
        def value(group: str, name: str) -> Any:
            return found.GetPropertyOrDefault(group, name, None)

        self.friction: Any = value("material", "coulomb_friction") or CoulombFriction(0.0, 0.0)
        self.stiffness: float | None = value("material", "point_contact_stiffness")
        self.dissipation: float | None = value("material", "hunt_crossley_dissipation")
        self.relaxation_time: float | None = value("material", "relaxation_time")
        self.modulus: float | None = value("hydroelastic", "hydroelastic_modulus")
        self.resolution: float | None = value("hydroelastic", "resolution_hint")
        self.margin: float | None = value("hydroelastic", "margin")


def _surface(inspector: Any, geometry: Any) -> _Surface:
    return _Surface(inspector.GetProximityProperties(geometry))


def _friction(inspector: Any, contacts: list[tuple[Solid, Solid]]) -> Resolved:
    """Friction of two bodies, or of a body against a robot's shapes: one number, or all that occur."""
    frictions = [[_surface(inspector, solid.shapes[0]).friction for solid in pair] for pair in contacts]
    mixed = {float(CalcContactFrictionFromSurfaceProperties(*pair).dynamic_friction()) for pair in frictions}
    return robot_friction(mixed, "CalcContactFrictionFromSurfaceProperties of both: 2 a b / (a + b)")


def _by_patches(inspector: Any, one: Solid, other: Solid) -> bool:
    """Whether two solids meet by hydroelastic patches, at least in part."""
    return any(
        not inspector.CollisionFiltered(a, b)
        and _representation(inspector, one, a) != POINTS
        and _representation(inspector, other, b) != POINTS
        for a in one.shapes
        for b in other.shapes
    )


def _representation(inspector: Any, solid: Solid, geometry: Any) -> str:
    """How a shape takes part in contact; a half-space has no mesh, and only what we gave it says that it is rigid."""
    if geometry in solid.planes:
        return POINTS if geometry not in solid.pressing else "rigid half-space"
    mesh = inspector.maybe_get_hydroelastic_mesh(geometry)
    return {"VolumeMesh": "compliant", "TriangleSurfaceMesh": "rigid"}.get(type(mesh).__name__, POINTS)


def _point_law(inspector: Any, first: Solid, second: Solid) -> tuple[float, float, float] | None:
    one, other = (_surface(inspector, solid.shapes[0]) for solid in (first, second))
    parts = (one.stiffness, other.stiffness, one.dissipation, other.dissipation)
    if any(part is None for part in parts):
        return None
    k, d = mapping.combined(*parts)  # type: ignore[arg-type]
    return k, d, (one.relaxation_time or 0.0) + (other.relaxation_time or 0.0)


def _options(model: Model, scene: Scene, asked: Mapping[str, Value], dt: float) -> Iterator[Row]:
    plant = model.plant
    option = values(asked)
    approximation = plant.get_discrete_contact_approximation().name[1:].lower()
    gravity = floats(plant.gravity_field().gravity_vector())
    yield "dt", read(float(plant.time_step()), "s", "MultibodyPlant.time_step()", scene=dt)
    yield "substeps", absent("1", "one discrete update per dt")
    yield "gravity", read(gravity, "m/s^2", "gravity_field().gravity_vector()", scene=scene.gravity)
    discrete = "semi-implicit Euler" if plant.time_step() > 0 else "continuous"
    yield "integrator", read(discrete, "", "time_step() > 0: velocities by the contact solver, then positions")
    yield "solver", read(plant.get_discrete_contact_solver().name[1:].upper(), "", "get_discrete_contact_solver()")
    yield "iterations", unreadable("1", "the plant shows no iteration limit of its solver")
    yield "tolerance", unreadable("1", "the plant shows no tolerance of its solver")
    yield "cone", unreadable("", "no accessor; Drake's contact has the circular friction cone")
    yield "impratio", absent("1", "no such ratio; friction is regularised by stiction_tolerance")
    native = "get_discrete_contact_approximation()"
    yield "contact_resolution", read(approximation, "", native, settings=asked.get("discrete_contact_approximation"))
    yield option("discrete_contact_approximation", approximation, "", native)
    contact_model = {"kPoint": "point", "kHydroelastic": "hydroelastic"}.get(
        plant.get_contact_model().name, "hydroelastic_with_fallback"
    )
    yield option("contact_model", contact_model, "", "get_contact_model()")
    surface = plant.get_contact_surface_representation().name[1:].lower()
    yield option("contact_surface_representation", surface, "", "get_contact_surface_representation()")
    inspector = model.inspector
    meshes = [inspector.maybe_get_hydroelastic_mesh(g) for solid in model.solids for g in solid.shapes]
    several = any(solid.points for solid in model.solids) or any(mesh is not None for mesh in meshes)
    where = "corners that touch half-spaces, or shapes with a hydroelastic mesh, in the scene graph"
    yield "multi_contact", Resolved(value=several, unit="", origin="derived", native=where)
    threshold = float(plant.get_sap_near_rigid_threshold())
    yield option("sap_near_rigid_threshold", threshold, "1", "get_sap_near_rigid_threshold()")
    for name, unit in (("stiction_tolerance", "m/s"), ("penetration_allowance", "m")):
        yield name, unreadable(unit, "the plant takes it and shows it no more", asked.get(name))
    rule = CalcContactFrictionFromSurfaceProperties(CoulombFriction(0.2, 0.2), CoulombFriction(0.8, 0.8))
    harmonic = abs(rule.dynamic_friction() - 0.32) < 1e-12
    rule_words = "2 a b / (a + b)" if harmonic else f"{rule.dynamic_friction():g} for 0.2 on 0.8"
    yield "friction_combine", read(rule_words, "", "CalcContactFrictionFromSurfaceProperties")
    yield "restitution_combine", absent("", mapping.NO_RESTITUTION)
    yield "sleep_threshold", absent("", "Drake puts no body to sleep")
    yield "bounce_threshold", absent("m/s", mapping.NO_RESTITUTION)
    yield "max_depenetration_velocity", absent("m/s", "no cap but 1/dissipation, see the shapes")
    bits = plant.GetPositionsAndVelocities(model.state).dtype.itemsize * 8
    yield "precision", read(bits, "bit", "dtype of GetPositionsAndVelocities()")
    yield "device", read("cpu", "", "drake is a CPU library")
    yield "threads", unreadable("1", "a plant's update runs in the calling thread and shows no number")


def _body(model: Model, scene: Scene, name: str) -> Iterator[Row]:
    native, authored = model.solid(name).native, scene.body(name)
    joint = next(
        joint
        for joint in map(model.plant.get_joint, model.plant.GetJointIndices())
        if joint.child_body().index() == native.index()
    )
    com = np.array(native.default_com())
    inertia = native.default_spatial_inertia().CalcRotationalInertia().ShiftToCenterOfMass(native.default_mass(), com)
    central = inertia.CopyToFullMatrix3()
    prefix = f"body.{name}."
    yield prefix + "mass", read(float(native.default_mass()), "kg", "default_mass()", scene=authored.mass)
    place = "default_spatial_inertia(), about the centre of mass"
    yield prefix + "inertia", read(floats(np.diag(central)), "kg m^2", place, scene=authored.inertia)
    yield prefix + "com", read(floats(com), "m", "default_com()", scene=authored.com)
    yield prefix + "armature", absent("kg m^2", "a free body has none in Drake")
    for quantity, unit, value in (
        ("linear_damping", "N s/m", joint.default_translational_damping()),
        ("angular_damping", "N m s", joint.default_angular_damping()),
    ):
        yield prefix + quantity, read(float(value), unit, f"{joint.type_name()}: default_damping_vector()")


def _shape(
    model: Model, scene: Scene, asked: Mapping[str, Value], inspector: Any, name: str, index: int
) -> Iterator[Row]:
    solid, body = model.solid(name), scene.body(name)
    geometry, material = solid.shapes[index], body.material
    surface, prefix = _surface(inspector, geometry), f"shape.{name}.{index}."
    mu = mapping.friction(material)

    def row(quantity: str, value: Value, unit: str, native: str, scene: Value = None, settings: Value = None) -> Row:
        if value is None:
            return prefix + quantity, unreadable(unit, f"{native} is not set; the plant fills in an estimate", settings)
        return prefix + quantity, read(value, unit, native, scene=scene, settings=settings)

    yield row("friction", float(surface.friction.dynamic_friction()), "1", "material/coulomb_friction, dynamic", mu)
    yield row(
        "static_friction", float(surface.friction.static_friction()), "1", "material/coulomb_friction, static", mu
    )
    yield prefix + "restitution", absent("1", mapping.NO_RESTITUTION, material.restitution)
    for quantity, unit in (("time_constant", "s"), ("damping_ratio", "1"), ("impedance", "1")):
        yield prefix + quantity, absent(unit, "contact is a spring on forces: see stiffness and dissipation")
    margin = surface.margin
    yield prefix + "margin", absent("m", "none is set") if margin is None else read(margin, "m", "hydroelastic/margin")
    for quantity in ("gap", "contact_offset", "rest_offset"):
        yield prefix + quantity, absent("m", "contact begins where shapes overlap")
    twice = mapping.point_stiffness(material)
    yield row(
        "point_stiffness",
        surface.stiffness,
        "N/m",
        "material/point_contact_stiffness",
        twice,
        None if twice is not None else asked.get("point_stiffness"),
    )
    yield row(
        "dissipation", surface.dissipation, "s/m", "material/hunt_crossley_dissipation", None, asked.get("dissipation")
    )
    tau = mapping.relaxation_time(material, asked)
    by_settings = None if tau is not None else asked.get("relaxation_time")
    yield row("relaxation_time", surface.relaxation_time, "s", "material/relaxation_time", tau, by_settings)
    kind = _representation(inspector, solid, geometry)
    yield row("representation", kind, "", "type of SceneGraphInspector.maybe_get_hydroelastic_mesh()")
    yield row("geometry", type(inspector.GetShape(geometry)).__name__, "", "SceneGraphInspector.GetShape")
    if geometry in solid.hulls:
        yield row(
            "corners", len(solid.points), "1", "balls in the scene graph that touch half-spaces instead of the shape"
        )
    if kind == "compliant":
        modulus = asked.get("hydroelastic_modulus")
        yield row("hydroelastic_modulus", surface.modulus, "Pa", "hydroelastic/hydroelastic_modulus", None, modulus)
        yield row("resolution_hint", surface.resolution, "m", "hydroelastic/resolution_hint")
