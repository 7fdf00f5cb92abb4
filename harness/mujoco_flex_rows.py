"""The resolved rows of MuJoCo's flex, from the arrays of an `MjModel` or of any object whose arrays mean the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .engine import Resolved, Value
from .mujoco_flex import FlexPlace
from .mujoco_layout import Fields
from .resolution import Row, absent, floats, read, robot_friction
from .robot_model import model_of
from .scene import Scene, SoftBody
from .soft_contact import floored_time_constant
from .soft_mesh import placed, volumes


def flex_rows(
    of: Fields,
    scene: Scene,
    places: Sequence[FlexPlace],
    measured: Sequence[tuple[float, float]],
    iterations: int,
    options: Mapping[str, Value],
    *,
    floor: float | None,
    how: str,
    prefix: str = "",
) -> Iterator[Row]:
    """Rows of every soft body.

    `measured` are Young's modulus [Pa] and Poisson's ratio [1] in use, `how` they were found; `iterations` those of the
    solver; `floor` is the step dt [s] that time constants are held above (refsafe), None if they are not; `prefix`
    stands before the name of every array in the rows.
    """
    for body, place, (young, poisson) in zip(scene.soft_bodies, places, measured, strict=True):
        name, flex = f"soft.{body.name}.", place.number
        masses = of("body_mass")[place.bodies]
        mesh = placed(body)
        density = float(masses.sum()) / float(volumes(mesh.vertices, mesh.elements).sum())
        yield name + "young", read(young, "Pa", how, scene=body.young)
        yield name + "poisson", read(poisson, "1", how, scene=body.poisson)
        native = f"sum of {prefix}body_mass over the mesh's volume"
        yield name + "density", read(density, "kg/m^3", native, scene=body.density)
        native = f"{prefix}body_mass: all vertices alike"
        yield name + "vertex_mass", read(floats((masses.min(), masses.max())), "kg", native)
        damping = float(of("flex_damping")[flex])
        yield name + "damping", read(damping, "s", prefix + "flex_damping", scene=body.damping)
        law = "plugin mujoco.elasticity.solid, which the MJCF asked for; nothing reads it back"
        yield name + "model", read("Saint Venant-Kirchhoff, edge-based", "", law)
        mu = float(of("flex_friction")[flex][0])
        yield name + "friction", read(mu, "1", prefix + "flex_friction[0]", scene=body.material.friction)
        yield name + "radius", read(float(of("flex_radius")[flex]), "m", prefix + "flex_radius")
        asked = options.get("iterations")
        yield name + "coupling.iterations", read(iterations, "1", prefix + "opt.iterations", settings=asked)
        solref, d = floats(of("flex_solref")[flex]), float(of("flex_solimp")[flex][0])
        yield from _law(name + "coupling.", solref, d, float(masses.min()), body, options.get("solref"), floor, prefix)


def _law(
    name: str,
    solref: Sequence[float],
    d_min: float,
    mass: float,
    body: SoftBody,
    asked: Value,
    floor: float | None,
    prefix: str,
) -> Iterator[Row]:
    """What `solref` is to one vertex of `mass` [kg] alone, at the surface (impedance `d_min`)."""
    yield name + "damping", absent("N s/m", "solref is an acceleration law", body.material.damping)
    if solref[0] <= 0:
        why = f"flex_solref is negative: {tuple(solref)}"
        yield name + "time_constant", absent("s", why)
        yield name + "stiffness", absent("N/m", why, body.material.stiffness)
        return
    time_constant = solref[0] if floor is None else floored_time_constant(solref[0], floor)
    wanted = asked[0] if isinstance(asked, tuple) else None
    native = prefix + "flex_solref[0], raised to 2 dt (refsafe)"
    yield name + "time_constant", read(time_constant, "s", native, settings=wanted)
    yield (
        name + "stiffness",
        Resolved(
            value=mass / ((1 - d_min) * time_constant**2 * solref[1] ** 2),
            unit="N/m",
            origin="derived",
            native="vertex mass / ((1 - d_min) (tc zeta)^2): an acceleration law, of a vertex alone",
            authored=body.material.stiffness,
        ),
    )


def flex_pairs(of: Fields, model: Any, scene: Scene, places: Sequence[FlexPlace], prefix: str = "") -> Iterator[Row]:
    """Friction of every soft body against every robot; `model` is the `MjModel`, which has the names."""
    for body, place in zip(scene.soft_bodies, places, strict=True):
        mu = float(of("flex_friction")[place.number][0])
        for robot in scene.touching_robots:
            links = {model.body(link.name).id for link in model_of(robot).links}
            shapes = [g for g in range(model.ngeom) if model.geom_bodyid[g] in links and of("geom_contype")[g]]
            mus = (max(mu, float(of("geom_friction")[g][0])) for g in shapes)
            native = f"max of {prefix}flex_friction and geom_friction"
            yield f"pair.{body.name}+{robot.name}.friction", robot_friction(mus, native, body.material.friction)
