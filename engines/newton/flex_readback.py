"""What MuJoCo Warp made of a scene with flexes, read from its live `mjw_model`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mujoco_warp as mjw
import numpy as np
import warp as wp

from ...harness.engine import Resolution, Settings
from ...harness.mujoco_flex import FlexPlace, moduli, stretched
from ...harness.mujoco_flex_rows import flex_pairs, flex_rows
from ...harness.mujoco_scene import options_of
from ...harness.resolution import absent, read
from ...harness.scene import Array
from ...harness.soft_mesh import TetMesh, placed
from .readback import Live, resolution
from .robot_readback import robot_pairs, robot_rows

if TYPE_CHECKING:
    from .flex import FlexSimulation

STRAIN = 1e-3  # in 32 bit; the mean of pull and push leaves errors of its square
OF_VBD = {"pad_stiffness": "N/m", "pad_damping": "N s/m", "friction_epsilon": "m/s"}


def flex_resolution(live: FlexSimulation) -> Resolution:
    """Everything that MuJoCo Warp lets one read, under canonical names."""
    scene, solver = live.scene, live.solver
    settings = Settings(profile=live.settings.profile, options=options_of(scene, live.settings.options))
    shapes = {(b.name, k): solver.mj_model.geom(f"{b.name}/{k}").id for b in scene.bodies for k in range(len(b.shapes))}
    found = resolution(solver, solver.model, shapes, scene, settings, live.dt)
    table = dict(found.table)
    at = Live(solver, shapes)
    table.update(robot_rows(at, settings, live.robot))
    table.update(robot_pairs(at, scene, live.robot))
    measured = [_elasticity(live, p, placed(b)) for p, b in zip(live.places, scene.soft_bodies, strict=True)]
    iterations, prefix = int(solver.mjw_model.opt.iterations), "mjw_model."
    how = "stress that mjw_data.qfrc_passive makes of uniform strains of 1e-3 and -1e-3"
    floor, options = at.dt if at.enabled("REFSAFE") else None, settings.options
    table.update(
        flex_rows(at.array, scene, live.places, measured, iterations, options, floor=floor, how=how, prefix=prefix)
    )
    table.update(flex_pairs(at.array, solver.mj_model, scene, live.places, prefix))
    asked = settings.options.get("soft_method")
    table["soft_method"] = read("flex", "", "mujoco_warp.step, without Newton", settings=asked)
    for body in scene.soft_bodies:
        for quantity, unit in OF_VBD.items():
            row = absent(unit, "the flex's contact is a law on accelerations; see solref")
            table[f"soft.{body.name}.coupling.{quantity}"] = row
    return Resolution(table=table, contact_law=found.contact_law, channel_notes=found.channel_notes)


def _elasticity(live: FlexSimulation, at: FlexPlace, mesh: TetMesh) -> tuple[float, float]:
    """Young's modulus [Pa] and Poisson's ratio [1] from the forces that a small uniaxial strain makes."""
    pull, push = (_passive_force(live, at, stretched(mesh, strain)) for strain in (STRAIN, -STRAIN))
    return moduli((pull - push) / 2, mesh, STRAIN)


def _passive_force(live: FlexSimulation, at: FlexPlace, along_x: Array) -> Array:
    """Elastic force on every vertex [N] (n, 3) when it is displaced by `along_x` [m], in data of their own."""
    model: Any = live.solver.mjw_model
    with wp.ScopedDevice(live.solver.model.device):
        data = mjw.make_data(live.solver.mj_model)
        qpos = live.solver.mj_model.qpos0.astype(np.float32)[None].copy()
        qpos[0, at.q[:, 0]] += along_x
        data.qpos.assign(qpos)
        mjw.fwd_position(model, data)
        mjw.fwd_velocity(model, data)
    return np.asarray(data.qfrc_passive.numpy()[0, at.v], float)
