"""Soft bodies in Genesis: its implicit finite elements, coupled with the rigid solver by SAP; 64 bit only."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import genesis as gs
import numpy as np

from ...harness.engine import Resolved, Settings, Value
from ...harness.errors import SimparityError, Unsupported
from ...harness.required import REQUIRED_PER_SHAPE
from ...harness.resolution import Row, absent, read
from ...harness.scene import Array, Body, HalfSpace, Pose, Robot, Scene, SoftBody
from ...harness.soft_mesh import TetMesh, placed, surface, volumes
from ...harness.soft_state import SoftPart
from . import mapping

MODEL = "linear_corotated"  # the default, "linear", takes a turned body for a strained one


def scene_options(scene: Scene, settings: Settings) -> dict[str, Any]:
    """Keywords of `gs.Scene` that a scene with soft bodies needs."""
    options = settings.options
    sap: dict[str, Any] = {
        "enable_fem_self_tet_contact": False,  # a scene says nothing of a body that touches itself
        "rigid_rigid_contact_type": "none",  # a robot never touches itself
        "rigid_floor_contact_type": "none",
        "fem_floor_contact_type": "tet" if scene.bodies else "none",
    }
    sap |= {native: options[name] for name, native in mapping.SAP_OPTIONS.items() if name in options}
    fem: dict[str, Any] = {"use_implicit_solver": True}  # SAP couples nothing else
    fem |= {native: options[name] for name, native in mapping.FEM_OPTIONS.items() if name in options}
    dampings = {body.damping for body in scene.soft_bodies if body.damping is not None}
    if len(dampings) > 1:
        raise Unsupported("Genesis has one Rayleigh damping for all soft bodies, FEMOptions.damping_beta")
    if dampings:
        fem["damping_beta"] = dampings.pop()
    return {"coupler_options": gs.options.SAPCouplerOptions(**sap), "fem_options": gs.options.FEMOptions(**fem)}


def check_scene(scene: Scene, precision: int) -> None:
    """Raise Unsupported for what SAP does not couple."""
    if precision != 64:
        raise Unsupported("Genesis's SAP coupler runs in 64 bit only; ask for precision=64")
    for body in scene.bodies:
        flat = len(body.shapes) == 1 and isinstance(body.shapes[0], HalfSpace) and body.shapes[0].pose == Pose()
        if not (flat and body.pose == Pose()):
            raise Unsupported(
                f"beside soft bodies Genesis's only fixed body is its floor at z = 0, and {body.name!r} is another"
            )


def robot_material(robot: Robot, settings: Settings) -> Any:
    """Material of the robot's shapes: its friction, and the one that the coupler uses, which is another number."""
    keywords: dict[str, Any] = {}
    if robot.material.friction is not None:
        keywords["friction"] = robot.material.friction
        if settings.options.get("soft_same_friction") is True:
            keywords["coup_friction"] = robot.material.friction
    return gs.materials.Rigid(**keywords)


@contextmanager
def _our_elements(body: SoftBody) -> Iterator[None]:
    """Hand Genesis our vertices and elements where it would cut its own tetrahedra."""
    import genesis.engine.entities.fem_entity as module

    mesh, original = placed(body), module.eu.mesh_to_elements
    module.eu.mesh_to_elements = lambda *_, **__: (mesh.vertices.copy(), mesh.elements.copy())
    try:
        yield
    finally:
        module.eu.mesh_to_elements = original


def add_soft(world: Any, body: SoftBody) -> Any:
    """Add `body` to `world`; returns its entity.

    Raises:
        SimparityError: Genesis made other vertices or elements of the mesh.
    """
    mesh = placed(body)
    keywords: dict[str, Any] = {"E": body.young, "nu": body.poisson, "rho": body.density, "model": MODEL}
    if body.material.friction is not None:
        keywords["friction_mu"] = body.material.friction
    with _our_elements(body), TemporaryDirectory() as folder:
        skin = Path(folder) / "skin.obj"  # Genesis wants a surface to draw; its vertices are not simulated
        _write_surface(mesh, skin)
        entity = world.add_entity(
            morph=gs.morphs.Mesh(file=str(skin), file_meshes_are_zup=True),
            material=gs.materials.FEM.Elastic(**keywords),
        )
    if entity.n_vertices != len(mesh.vertices) or entity.n_elements != len(mesh.elements):
        raise SimparityError(
            f"Genesis made {entity.n_vertices} vertices and {entity.n_elements} elements of soft body {body.name!r}, "
            f"whose mesh has {len(mesh.vertices)} and {len(mesh.elements)}"
        )
    return entity


def _write_surface(mesh: TetMesh, path: Path) -> None:
    triangles = surface(mesh.elements)
    used = np.unique(triangles)
    lines = ["v " + " ".join(f"{x:.9g}" for x in mesh.vertices[k]) for k in used]
    lines += ["f " + " ".join(str(k + 1) for k in triangle) for triangle in np.searchsorted(used, triangles)]
    path.write_text("\n".join(lines) + "\n")


class SoftAccess:
    """Vertices of the soft bodies in a built world, and the coupling force on the robot's links."""

    def __init__(self, world: Any, scene: Scene, entities: Sequence[Any], links: Sequence[Any]) -> None:
        self.fem, self.coupler = world.sim.fem_solver, world.sim.coupler
        self.dt = float(world.sim.dt)
        self.places = [slice(e.v_start, e.v_start + e.n_vertices) for e in entities]
        positions = self._field("pos")
        for body, at in zip(scene.soft_bodies, self.places, strict=True):
            if not np.allclose(positions[at], placed(body).vertices, atol=1e-9):
                raise SimparityError(f"Genesis put the vertices of soft body {body.name!r} elsewhere than they are")
        masses = self.fem.elements_v_info.mass.to_numpy().astype(float)
        elements = self.fem.elements_i.el2v.to_numpy().astype(np.int64)
        self.parts = tuple(
            SoftPart(
                name=body.name,
                rest=positions[at],
                elements=elements[entity.el_start : entity.el_start + entity.n_elements] - entity.v_start,
                mass=masses[at],
            )
            for body, entity, at in zip(scene.soft_bodies, entities, self.places, strict=True)
        )
        self.links = {int(link.idx): index for index, link in enumerate(links) if link is not None}
        self.forces: Array = np.zeros((len(links), 3))

    def _field(self, name: str) -> Array:
        return np.array(getattr(self.fem.elements_v, name).to_numpy()[0, :, 0], float)

    def sample(self, into: Sequence[Array]) -> None:
        """Positions and velocities of all vertices."""
        for row, name in enumerate(("pos", "vel")):
            values = self._field(name)
            for out, at in zip(into, self.places, strict=True):
                out[row] = values[at]

    def add_forces(self) -> None:
        """Sum SAP's contact impulses of the step that ended on the links, over dt."""
        self.forces[:] = 0.0
        handler = self.coupler.rigid_fem_contact
        count = int(handler.n_contact_pairs.to_numpy()) if self.coupler.has_contact else 0
        if not count:
            return
        pairs = handler.contact_pairs
        gamma, link = pairs.sap_info.gamma.to_numpy()[:count], pairs.link_idx.to_numpy()[:count]
        frame = [getattr(pairs, name).to_numpy()[:count] for name in ("tangent0", "tangent1", "normal")]
        on_soft = sum(gamma[:, k : k + 1] * axis for k, axis in enumerate(frame)) / self.dt
        for native, index in self.links.items():
            self.forces[index] = -on_soft[link == native].sum(axis=0)


def soft_rows(world: Any, scene: Scene, settings: Settings, entities: Sequence[Any], robot: Any) -> Iterator[Row]:
    """The resolved rows of every soft body and of its coupling with the robot."""
    fem, coupler, asked = world.sim.fem_solver, world.sim.coupler, settings.options
    mus = fem.elements_i.mu.to_numpy().astype(float)
    lams = fem.elements_i.lam.to_numpy().astype(float)
    frictions = fem.elements_i.friction_mu.to_numpy().astype(float)
    masses = fem.elements_v_info.mass.to_numpy().astype(float)
    for body, entity in zip(scene.soft_bodies, entities, strict=True):
        name, el = f"soft.{body.name}.", entity.el_start
        mu, lam = mus[el], lams[el]
        native = "from elements_i.mu and lam"
        yield name + "young", read(mu * (3 * lam + 2 * mu) / (lam + mu), "Pa", native, scene=body.young)
        yield name + "poisson", read(lam / (2 * (lam + mu)), "1", native, scene=body.poisson)
        mass = masses[entity.v_start : entity.v_start + entity.n_vertices]
        density = float(mass.sum()) / _volume(body)
        yield (
            name + "density",
            read(density, "kg/m^3", "elements_v_info.mass over the mesh's volume", scene=body.density),
        )
        yield name + "damping", read(float(fem._damping_beta), "s", "FEMOptions.damping_beta", scene=body.damping)
        mass_damping = read(
            float(fem._damping_alpha), "1/s", "FEMOptions.damping_alpha", settings=asked.get("soft_mass_damping")
        )
        yield name + "mass_damping", mass_damping
        yield name + "model", read(str(entity.material.model), "", "materials.FEM.Elastic.model")
        mine = float(frictions[el])
        yield name + "friction", read(mine, "1", "elements_i.friction_mu", scene=body.material.friction)
        yield from _solver_rows(name, coupler, fem, asked)
        yield (
            name + "coupling.stiffness",
            read(
                float(entity.material.hydroelastic_modulus),
                "Pa",
                "material.hydroelastic_modulus: pressure at the centre",
            ),
        )
        yield name + "coupling.damping", read(float(coupler._sap_taud), "s", "coupler._sap_taud: dissipation time")
        for touching in scene.touching_robots:
            geoms = [geom for link in robot.links for geom in link.geoms]
            theirs = {float(geom.coup_friction) for geom in geoms}
            authored = touching.material.friction
            yield (
                name + "coupling.friction",
                read(max(theirs), "1", "geom.coup_friction of the robot, not its friction", scene=authored),
            )
            yield (
                f"pair.{body.name}+{touching.name}.friction",
                Resolved(
                    value=math.sqrt(mine * max(theirs)),
                    unit="1",
                    origin="derived",
                    native="sqrt(friction_mu * coup_friction)",
                    authored=authored,
                ),
            )


def _solver_rows(name: str, coupler: Any, fem: Any, asked: Mapping[str, Value]) -> Iterator[Row]:
    """When the iterations of the coupler, and of the free motion before it, end."""
    for quantity, unit, option, kind in (
        ("iterations", "1", "soft_iterations", int),
        ("pcg_iterations", "1", "soft_pcg_iterations", int),
        ("tolerance", "1", "soft_tolerance", float),
        ("absolute_tolerance", "J", "soft_absolute_tolerance", float),
        ("pcg_threshold", "N^2 s^2", "soft_pcg_threshold", float),
    ):
        native = f"_{mapping.SAP_OPTIONS[option]}"
        value = kind(getattr(coupler, native))
        yield f"{name}coupling.{quantity}", read(value, unit, f"coupler.{native}", settings=asked.get(option))
    yield (
        f"{name}pcg_threshold",
        read(
            float(fem._pcg_threshold),
            "N^2",
            "fem_solver._pcg_threshold",
            settings=asked.get("soft_fem_pcg_threshold"),
        ),
    )


def floor_rows(bodies: Sequence[Body]) -> Iterator[Row]:
    """Rows of a fixed half-space, which is Genesis's floor here and has no surface of its own."""
    why = "SAP's floor at z = 0 has no material; friction against it is the soft body's own"
    for body in bodies:
        for quantity, unit in REQUIRED_PER_SHAPE.items():
            asked = body.material.friction if quantity == "friction" else None
            yield f"shape.{body.name}.0.{quantity}", absent(unit, why, asked)


def _volume(body: SoftBody) -> float:
    mesh = placed(body)
    return float(volumes(mesh.vertices, mesh.elements).sum())
