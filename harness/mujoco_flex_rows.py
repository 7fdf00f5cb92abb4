"""The resolved rows of MuJoCo's flex, from the arrays of an `MjModel` or of any object whose arrays mean the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .engine import Resolved, Value
from .mujoco_flex import FlexPlace
from .mujoco_layout import Fields
from .resolution import Row, absent, floats, read
from .robot_model import model_of
from .scene import Scene
from .soft_mesh import placed, volumes


def flex_rows(
    of: Fields,
    scene: Scene,
    places: Sequence[FlexPlace],
    measured: Sequence[tuple[float, float]],
    iterations: int,
    options: Mapping[str, Value],
    *,
    how: str,
    prefix: str = "",
) -> Iterator[Row]:
    """Rows of every soft body.

    `measured` are Young's modulus [Pa] and Poisson's ratio [1] in use, `how` they were found; `iterations` those of the
    solver; `prefix` stands before the name of every array in the rows.
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
        yield name + "model", read("Saint Venant-Kirchhoff, edge-based", "", "mujoco.elasticity.solid")
        mu = float(of("flex_friction")[flex][0])
        yield name + "friction", read(mu, "1", prefix + "flex_friction[0]", scene=body.material.friction)
        yield name + "radius", read(float(of("flex_radius")[flex]), "m", prefix + "flex_radius")
        solref, asked = floats(of("flex_solref")[flex]), options.get("solref")
        yield (
            name + "coupling.time_constant",
            read(solref[0], "s", prefix + "flex_solref[0]", settings=asked[0] if isinstance(asked, tuple) else None),
        )
        yield name + "coupling.iterations", read(iterations, "1", prefix + "opt.iterations")
        # one vertex alone: k = m / ((1 - d) tc^2 zeta^2) with d at the surface
        d = float(of("flex_solimp")[flex][0])
        stiffness = float(masses.min()) / ((1 - d) * solref[0] ** 2 * solref[1] ** 2)
        yield (
            name + "coupling.stiffness",
            Resolved(
                value=stiffness,
                unit="N/m",
                origin="derived",
                native="vertex mass / ((1 - d_min) (tc zeta)^2): an acceleration law, of a vertex alone",
                authored=body.material.stiffness,
            ),
        )
        yield name + "coupling.damping", absent("N s/m", "solref is an acceleration law", body.material.damping)


def flex_pairs(of: Fields, model: Any, scene: Scene, places: Sequence[FlexPlace], prefix: str = "") -> Iterator[Row]:
    """Friction of every soft body against every robot; `model` is the `MjModel`, which has the names."""
    for body, place in zip(scene.soft_bodies, places, strict=True):
        mu = float(of("flex_friction")[place.number][0])
        for robot in scene.touching_robots:
            links = {model.body(link.name).id for link in model_of(robot).links}
            shapes = [g for g in range(model.ngeom) if model.geom_bodyid[g] in links and of("geom_contype")[g]]
            mus = {max(mu, float(of("geom_friction")[g][0])) for g in shapes}
            yield (
                f"pair.{body.name}+{robot.name}.friction",
                Resolved(
                    value=max(mus) if mus else None,
                    unit="1",
                    origin="derived" if mus else "absent",
                    native=f"max of {prefix}flex_friction and geom_friction",
                    authored=body.material.friction,
                ),
            )
