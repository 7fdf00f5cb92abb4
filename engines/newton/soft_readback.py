"""What Newton made of a scene with soft bodies, read from the model and the two live solvers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...harness.channels import ChannelNote
from ...harness.engine import Resolution, Resolved, Unknown
from ...harness.required import REQUIRED_PER_SHAPE
from ...harness.resolution import Row, absent, floats, read, robot_friction
from ...harness.soft_mesh import placed, volumes
from .readback import Live, resolution
from .robot_readback import robot_rows

if TYPE_CHECKING:
    from .soft import SoftSimulation


def soft_resolution(live: SoftSimulation) -> Resolution:
    """Everything that the two solvers let one read, under canonical names."""
    scene, settings = live.scene, live.settings
    rigid, vbd = live.entry["rigid"], live.entry["soft"]
    found = resolution(rigid, live.model, {}, replace(scene, bodies=()), settings, live.dt)
    table = {**found.table, **dict(robot_rows(Live(rigid, {}), settings, live.robot))}
    table.update(_ground(live))
    table.update(_soft(live, vbd))
    asked = settings.options.get("soft_method")
    table["soft_method"] = read("vbd", "", "SolverVBD behind SolverCoupledProxy", settings=asked)
    law = Unknown(reason="VBD's contact is a penalty of N/m that is not a rigid contact law")
    why = "the force that VBD met in this step; the rigid solver applies it in the next"
    return Resolution(
        table=table,
        contact_law=law,
        channel_notes={**found.channel_notes, "f_links": ChannelNote("derived", why)},
        refined_by=("soft_iterations",),
    )


def _ground(live: SoftSimulation) -> Iterator[Row]:
    mus = live.model.shape_material_mu.numpy()
    for index, body in enumerate(live.scene.bodies):
        for quantity, unit in REQUIRED_PER_SHAPE.items():
            name = f"shape.{body.name}.0.{quantity}"
            if quantity == "friction":
                yield name, read(float(mus[index]), unit, "shape_material_mu", scene=body.material.friction)
            else:
                yield name, absent(unit, "VBD's contact with a shape has a stiffness and a damping only")


def _soft(live: SoftSimulation, vbd: Any) -> Iterator[Row]:
    model, asked = live.model, live.settings.options
    materials = model.tet_materials.numpy().astype(float)
    ke, kd, mu = (float(getattr(model, f"soft_contact_{name}")) for name in ("ke", "kd", "mu"))
    shapes = [s for s, body in enumerate(model.shape_body.numpy()) if int(body) in live.touching]
    of_shapes = {name: getattr(model, f"shape_material_{name}").numpy()[shapes] for name in ("ke", "kd", "mu")}
    robot = live.scene.touching_robots[0] if live.scene.touching_robots else None
    for body, part, at in zip(live.scene.soft_bodies, live.soft_parts, live.places, strict=True):
        name = f"soft.{body.name}."
        first = int(np.flatnonzero(model.tet_indices.numpy()[:, 0] >= at.start)[0])
        k_mu, k_lambda, k_damp = materials[first]
        young, poisson = k_mu * (3 * k_lambda + 2 * k_mu) / (k_lambda + k_mu), k_lambda / (2 * (k_lambda + k_mu))
        native = "from tet_materials: neo-Hookean, Hooke's law for small strain"
        yield name + "young", read(young, "Pa", native, scene=body.young)
        yield name + "poisson", read(poisson, "1", native, scene=body.poisson)
        mesh = placed(body)
        density = float(part.mass.sum()) / float(volumes(mesh.vertices, mesh.elements).sum())
        yield name + "density", read(density, "kg/m^3", "particle_mass over the mesh's volume", scene=body.density)
        yield (
            name + "damping",
            read(k_damp / k_mu, "s", "tet_materials k_damp over k_mu: of shear alone", scene=body.damping),
        )
        yield name + "model", read("neo-Hookean", "", "SolverVBD evaluates nothing else for tetrahedra")
        yield name + "friction", read(mu, "1", "soft_contact_mu", scene=body.material.friction)
        radius = float(model.particle_radius.numpy()[at.start])
        yield name + "radius", read(radius, "m", "particle_radius")
        iterations = int(vbd.iterations)
        yield (
            name + "coupling.iterations",
            read(iterations, "1", "SolverVBD.iterations", settings=asked.get("soft_iterations")),
        )
        passes = int(live.solver._coupling.iterations)
        yield (
            name + "coupling.passes",
            read(passes, "1", "SolverCoupledProxy.Config.iterations", settings=asked.get("soft_passes")),
        )
        epsilon = float(vbd.friction_epsilon)
        yield (
            name + "coupling.friction_epsilon",
            read(epsilon, "m/s", "SolverVBD.friction_epsilon", settings=asked.get("soft_friction_epsilon")),
        )
        for quantity, unit, own, theirs, option in (
            ("stiffness", "N/m", ke, of_shapes["ke"], "pad_stiffness"),
            ("damping", "N s/m", kd, of_shapes["kd"], "pad_damping"),
        ):
            pads = floats(sorted(set(theirs.tolist())))
            pad = pads[0] if len(pads) == 1 else pads
            native = f"shape_material_k{'e' if quantity == 'stiffness' else 'd'} of the robot's shapes"
            yield name + f"coupling.pad_{quantity}", read(pad, unit, native, settings=asked.get(option))
            yield (
                name + f"coupling.{quantity}",
                Resolved(
                    value=(own + float(np.mean(theirs))) / 2 if len(theirs) else own,
                    unit=unit,
                    origin="derived",
                    native="mean of the pad's and of Model.soft_contact_k*, per vertex",
                    authored=getattr(body.material, quantity),
                ),
            )
        if robot is not None:
            mus = (math.sqrt(mu * float(m)) for m in of_shapes["mu"])
            native = "sqrt(soft_contact_mu * shape_material_mu)"
            yield f"pair.{body.name}+{robot.name}.friction", robot_friction(mus, native, body.material.friction)
