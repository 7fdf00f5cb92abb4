"""Soft bodies in Drake: finite elements, touched by rigid-hydroelastic shapes; all of it in one SAP problem."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from pydrake.geometry import AddContactMaterial, GeometryInstance, ProximityProperties
from pydrake.geometry import Mesh as DrakeMesh
from pydrake.multibody.fem import DeformableBodyConfig
from pydrake.multibody.plant import CalcContactFrictionFromSurfaceProperties, CoulombFriction

from ...harness.engine import Resolved, Value
from ...harness.errors import SimparityError
from ...harness.resolution import Row, absent, read, robot_friction
from ...harness.robot_model import model_of
from ...harness.scene import Array, Box, HalfSpace, Pose, Scene, Shape, SoftBody
from ...harness.soft_mesh import lumped_masses, placed
from ...harness.soft_state import SoftPart
from . import mapping
from .shapes import transform

SLAB = (2.0, 2.0, 0.2)  # [m] that stands for a half-space, which Drake's soft bodies do not touch


def with_slabs(scene: Scene) -> Scene:
    """`scene` with a thick slab in the place of every half-space, the upper faces alike."""

    def solid(shape: Shape) -> Shape:
        if not isinstance(shape, HalfSpace):
            return shape
        x, y, z = shape.pose.p
        return Box(SLAB, Pose((x, y, z - SLAB[2] / 2), shape.pose.q_wxyz))

    bodies = tuple(replace(body, shapes=tuple(solid(shape) for shape in body.shapes)) for body in scene.bodies)
    return replace(scene, bodies=bodies)


def add_soft(plant: Any, body: SoftBody, options: Mapping[str, Value]) -> Any:
    """Register `body` with the plant, which is not finalized yet; returns Drake's deformable body."""
    config = DeformableBodyConfig()
    config.set_youngs_modulus(body.young)
    config.set_poissons_ratio(body.poisson)
    config.set_mass_density(body.density)
    if body.damping is not None:
        config.set_stiffness_damping_coefficient(body.damping)
    mapping.check(f"soft body {body.name!r}", body.material, options)
    surface, mu = ProximityProperties(), body.material.friction
    AddContactMaterial(properties=surface, friction=None if mu is None else CoulombFriction(mu, mu))
    instance = GeometryInstance(transform(body.pose), DrakeMesh(str(Path(body.mesh).resolve())), body.name)
    instance.set_proximity_properties(surface)
    model = plant.mutable_deformable_model()
    return model.GetBody(model.RegisterDeformableBody(instance, config, 1.0))  # a mesh has its own resolution


class SoftAccess:
    """State of the soft bodies in a live plant, and their force on the robot's links."""

    def __init__(self, model: Any, scene: Scene) -> None:
        self.state, self.bodies = model.state, model.soft
        self.port = model.plant.get_contact_results_output_port()
        inspector = model.graph.model_inspector()
        parts = []
        for body, native in zip(scene.soft_bodies, model.soft, strict=True):
            ours, theirs = placed(body), inspector.GetReferenceMesh(native.geometry_id())
            elements = np.array(
                [[int(t.vertex(k)) for k in range(4)] for t in theirs.tetrahedra()],
                np.int64,
            )
            rest = native.GetPositions(model.state).T.copy()
            if not (np.allclose(rest, ours.vertices, atol=1e-9) and len(elements) == len(ours.elements)):
                raise SimparityError(f"Drake has other vertices or elements than the mesh of soft body {body.name!r}")
            mass = lumped_masses(ours, float(native.config().mass_density()))
            parts.append(SoftPart(name=body.name, rest=rest, elements=elements, mass=mass))
        self.parts = tuple(parts)
        links = [link.name for robot in scene.robots for link in model_of(robot).links]
        self.link_of = {
            made: links.index(solid.name.split("/")[-1])
            for solid in model.solids[len(scene.bodies) :]
            for made in solid.everything
        }
        self.links = len(links)

    def sample(self, into: Sequence[Array], f_links: Array, stepped: bool) -> None:
        """Vertices of the present instant, and the forces on links over the step that ended."""
        for out, native in zip(into, self.bodies, strict=True):
            both = native.GetPositionsAndVelocities(self.state)
            n = both.shape[1] // 2
            out[0], out[1] = both[:, :n].T, both[:, n:].T
        f_links[:] = 0.0
        if not stepped:
            return
        results = self.port.Eval(self.state)
        for k in range(results.num_deformable_contacts()):
            info = results.deformable_contact_info(k)
            link = self.link_of.get(info.id_B())
            if link is not None:
                f_links[link] -= info.F_Ac_W().translational()


def soft_rows(model: Any, scene: Scene, asked: Mapping[str, Value]) -> Iterator[Row]:
    """The resolved rows of every soft body and of its contact with the robot."""
    inspector = model.inspector
    for body, native in zip(scene.soft_bodies, model.soft, strict=True):
        config, name = native.config(), f"soft.{body.name}."
        yield name + "young", read(float(config.youngs_modulus()), "Pa", "config.youngs_modulus", scene=body.young)
        yield name + "poisson", read(float(config.poissons_ratio()), "1", "config.poissons_ratio", scene=body.poisson)
        density = float(config.mass_density())
        yield name + "density", read(density, "kg/m^3", "config.mass_density", scene=body.density)
        damping = float(config.stiffness_damping_coefficient())
        yield name + "damping", read(damping, "s", "config.stiffness_damping_coefficient", scene=body.damping)
        yield (
            name + "mass_damping",
            read(float(config.mass_damping_coefficient()), "1/s", "config.mass_damping_coefficient"),
        )
        yield name + "model", read(config.material_model().name[1:], "", "config.material_model")
        mine = inspector.GetProximityProperties(native.geometry_id()).GetProperty("material", "coulomb_friction")
        mu = float(mine.dynamic_friction())
        yield name + "friction", read(mu, "1", "material/coulomb_friction", scene=body.material.friction)
        yield name + "coupling.iterations", absent("1", "SAP iterates until its tolerance of 1e-6, at most 100 times")
        yield (
            name + "coupling.stiffness",
            absent("N/m", "a pressure per depth: see coupling.modulus", body.material.stiffness),
        )
        yield name + "coupling.modulus", _modulus(model, asked)
        yield name + "coupling.damping", absent("N s/m", "see dissipation and relaxation_time", body.material.damping)
        for robot in scene.touching_robots:
            mixed = set()
            for solid in model.solids[len(scene.bodies) :]:
                for made in solid.shapes:
                    other = inspector.GetProximityProperties(made).GetProperty("material", "coulomb_friction")
                    mixed.add(float(CalcContactFrictionFromSurfaceProperties(mine, other).dynamic_friction()))
            native = "CalcContactFrictionFromSurfaceProperties of both: 2 a b / (a + b)"
            yield f"pair.{body.name}+{robot.name}.friction", robot_friction(mixed, native, body.material.friction)


def _modulus(model: Any, asked: Mapping[str, Value]) -> Resolved:
    """What makes contact with a soft body stiff [Pa]: a property of the rigid shapes, of the ground as of the links."""
    found = {
        float(model.inspector.GetProximityProperties(made).GetProperty("hydroelastic", "hydroelastic_modulus"))
        for solid in model.solids
        for made in solid.shapes
    }
    if len(found) != 1:
        return absent("Pa", f"shapes that touch it have {sorted(found)}")
    wanted = asked.get("soft_modulus", asked.get("hydroelastic_modulus"))
    return read(found.pop(), "Pa", "hydroelastic/hydroelastic_modulus of the shapes that touch it", settings=wanted)
