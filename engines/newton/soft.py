"""Soft bodies in Newton: a robot in MuJoCo Warp and tetrahedra in VBD, coupled by proxies of the robot's links.

VBD sees each touching link as a body with its mass and velocity and gives back the force it met; the rigid solver
applies that force in the next step. Two steps, there and back between two states, are recorded once and replayed.
"""

from __future__ import annotations

from typing import Any

import newton
import numpy as np
import warp as wp
from newton.solvers import SolverMuJoCo, SolverVBD

from ...harness.channels import Sample
from ...harness.engine import Resolution, RobotDynamics, Settings
from ...harness.errors import Unsupported
from ...harness.scene import Array, Body, HalfSpace, Pose, Scene, SoftBody
from ...harness.soft_mesh import lame, placed
from ...harness.soft_state import SoftPart
from . import mapping
from .dynamics import Evaluation
from .model import LOWERED, RENAMED, SOLVER_OPTIONS
from .robots import RobotAccess, attach, one_robot

RADIUS = 1e-4  # [m] of a vertex as a ball; Newton's own default is 0.1 m
REACH = 5e-3  # [m] within which a vertex is looked for beside a shape; no effect on forces
RIGID, SOFT = "rigid", "soft"


def add_soft(builder: Any, body: SoftBody) -> slice:
    """Add `body` to `builder`; returns the range of its particles."""
    mesh, first = placed(body), builder.particle_count
    mu, lam = lame(body.young, body.poisson)
    builder.add_soft_mesh(
        pos=wp.vec3(0.0, 0.0, 0.0),
        rot=wp.quat_identity(),
        scale=1.0,
        vel=wp.vec3(0.0, 0.0, 0.0),
        vertices=[wp.vec3(*vertex) for vertex in mesh.vertices],
        indices=mesh.elements.ravel().tolist(),
        density=body.density,
        k_mu=mu,
        k_lambda=lam,
        k_damp=None if body.damping is None else mapping.shear_viscosity(body.damping, mu),
        particle_radius=RADIUS,
    )
    return slice(first, builder.particle_count)


def add_ground(builder: Any, body: Body) -> None:
    """Add a fixed half-space at its pose."""
    flat = len(body.shapes) == 1 and isinstance(body.shapes[0], HalfSpace) and body.shapes[0].pose == Pose()
    if not (flat and body.pose.q_wxyz == Pose().q_wxyz):
        raise Unsupported(f"beside soft bodies this adapter of Newton takes level half-spaces only, not {body.name!r}")
    config = newton.ModelBuilder.ShapeConfig(density=0.0)
    if body.material.friction is not None:
        config.mu = body.material.friction
    builder.add_shape_plane(plane=(0.0, 0.0, 1.0, -float(body.pose.p[2])), cfg=config, label=f"{body.name}/0")


class SoftSimulation:
    """A Newton model with a robot and soft bodies, two states between which it steps, and the coupled solver."""

    def __init__(self, scene: Scene, dt: float, settings: Settings, device: str) -> None:
        self.scene, self.settings, self.dt = scene, settings, dt
        robot = one_robot(scene)
        if robot is None:
            raise Unsupported("this adapter of Newton couples soft bodies with a robot, and the scene has none")
        builder = newton.ModelBuilder(gravity=scene.gravity)
        for body in scene.bodies:
            add_ground(builder, body)
        self.robot: RobotAccess = attach(builder, robot, settings, {})
        self.link_names = self.robot.link_names
        for name, values in (("pad_stiffness", builder.shape_material_ke), ("pad_damping", builder.shape_material_kd)):
            if name in settings.options:
                values[:] = [settings.options[name]] * len(values)
        self.places = [add_soft(builder, body) for body in scene.soft_bodies]
        builder.color()  # VBD moves the vertices of one colour at a time
        self.model = builder.finalize(device=device)
        self._soft_contact()
        self.touching = self._touching(builder)
        self.solver = self._solver()
        self.states = [self.model.state(), self.model.state()]
        self.control = self.model.control()
        newton.eval_fk(self.model, self.model.joint_q, self.model.joint_qd, self.states[0])
        self.start = {name: wp.clone(getattr(self.states[0], name)) for name in _MOVING}
        self.now = 0
        self._step(0)  # compiles; recording needs it
        self.graphs = []
        for source in (0, 1):
            with wp.ScopedCapture(device=self.model.device) as capture:
                self._step(source)
            self.graphs.append(capture.graph)
        self.joint_f = self.control.joint_f.numpy()
        self.evaluation: Evaluation | None = None
        self.reset()
        elements = self.model.tet_indices.numpy().astype(np.int64)
        rest, mass = self._positions(), self.model.particle_mass.numpy().astype(float)
        self.soft_parts = tuple(
            SoftPart(
                name=body.name,
                rest=rest[at],
                elements=elements[(elements[:, 0] >= at.start) & (elements[:, 0] < at.stop)] - at.start,
                mass=mass[at],
            )
            for body, at in zip(scene.soft_bodies, self.places, strict=True)
        )

    def _soft_contact(self) -> None:
        """The soft side of every contact: one friction, stiffness and damping for the whole model."""
        frictions = {body.material.friction for body in self.scene.soft_bodies} - {None}
        if len(frictions) > 1:
            raise Unsupported("Newton has one friction for all soft bodies, Model.soft_contact_mu")
        if frictions:
            self.model.soft_contact_mu = frictions.pop()
        for name, native in (("soft_stiffness", "soft_contact_ke"), ("soft_damping", "soft_contact_kd")):
            if name in self.settings.options:
                setattr(self.model, native, self.settings.options[name])

    def _touching(self, builder: Any) -> list[int]:
        """Bodies of the robot with shapes that may touch."""
        collides = int(newton.ShapeFlags.COLLIDE_SHAPES)
        pairs = zip(builder.shape_body, builder.shape_flags, strict=True)
        return sorted({int(body) for body, flags in pairs if body >= 0 and flags & collides})

    def _solver(self) -> Any:
        from newton.solvers.experimental.coupled import SolverCoupledProxy

        options, model = self.settings.options, self.model
        rigid = {
            RENAMED.get(name, name): str(options[name]).lower() if name in LOWERED else options[name]
            for name in SOLVER_OPTIONS
            if name in options
        }
        soft = {
            native: options[name]
            for name, native in (("soft_iterations", "iterations"), ("soft_friction_epsilon", "friction_epsilon"))
            if name in options
        }
        proxy = SolverCoupledProxy.Proxy(
            source=RIGID,
            destination=SOFT,
            bodies=self.touching,
            collision_pipeline=lambda view: newton.CollisionPipeline(view, broad_phase="nxn", soft_contact_gap=REACH),
            collide_interval=1,
        )
        return SolverCoupledProxy(
            model=model,
            entries=[
                SolverCoupledProxy.Entry(
                    name=RIGID,
                    solver=lambda view: SolverMuJoCo(model=view, disable_contacts=True, **rigid),
                    bodies=list(range(model.body_count)),
                    joints=list(range(model.joint_count)),
                ),
                SolverCoupledProxy.Entry(
                    name=SOFT,
                    solver=lambda view: SolverVBD(model=view, **soft),
                    particles=list(range(model.particle_count)),
                ),
            ],
            coupling=SolverCoupledProxy.Config(proxies=[proxy], iterations=options.get("soft_passes", 1)),
        )

    @property
    def entry(self) -> dict[str, Any]:
        """The live solvers of the two sides, by name."""
        return {name: self.solver._entries[name].solver for name in (RIGID, SOFT)}

    def _step(self, source: int) -> None:
        before, after = self.states[source], self.states[1 - source]
        before.clear_forces()
        self.solver.step(before, after, self.control, None, self.dt)

    def _positions(self) -> Array:
        return np.asarray(self.states[self.now].particle_q.numpy(), float)

    def reset(self) -> None:
        self.now = 0
        for state in self.states:
            for name, values in self.start.items():
                wp.copy(getattr(state, name), values)
        self.solver.reset(self.states[0])
        for name, values in self.start.items():  # a reset may take what the model says instead
            wp.copy(getattr(self.states[0], name), values)
        for proxy in self.solver._proxy_mappings:
            proxy.coupling_forces.zero_()
        self.joint_f[:] = 0.0

    def command(self, tau: Array | None, wrench: Array | None) -> None:
        if tau is not None and len(tau):
            self.joint_f[self.robot.v] = tau

    def set_velocity(self, V_WB: Array) -> None:
        """There is no moving body beside soft ones."""

    def advance(self, steps: int) -> None:
        for _ in range(steps):
            wp.capture_launch(self.graphs[self.now])
            self.now = 1 - self.now

    def sample(self, into: Sample) -> None:
        state = self.states[self.now]
        into.q[:] = state.joint_q.numpy()[self.robot.q]
        into.v[:] = state.joint_qd.numpy()[self.robot.v]
        positions, velocities = state.particle_q.numpy(), state.particle_qd.numpy()
        for out, at in zip(into.soft, self.places, strict=True):
            out[0], out[1] = positions[at], velocities[at]
        into.f_links[:] = self.solver._proxy_mappings[0].coupling_forces.numpy()[self.robot.bodies, :3]

    def dynamics(self, q: Array, v: Array, flange: str) -> RobotDynamics:
        if self.evaluation is None:
            self.evaluation = Evaluation(self.entry[RIGID], self.robot)
        return self.evaluation.at(q, v, flange)

    def resolved(self) -> Resolution:
        from .soft_readback import soft_resolution

        return soft_resolution(self)

    def close(self) -> None:
        del self.graphs, self.solver, self.states, self.control, self.model


_MOVING = ("joint_q", "joint_qd", "body_q", "body_qd", "particle_q", "particle_qd")
