"""Genesis's importers for the import wall: a world of the description alone, built with Genesis's defaults."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import genesis as gs
import numpy as np

from ...harness.engine import Value
from ...harness.errors import Unsupported
from ...harness.wall.row import Imported, Missing
from . import process
from .readback import in_link_axes, numbers

_ON_GEOMS = {"margin": "margin", "gap": "gap", "solmix": "mixing weight"}

DT = 1e-3  # [s]: with Genesis's own 0.01 it would raise every contact's time constant to 0.02 s


class _World:
    """A built world with one entity."""

    def __init__(self, world: Any, entity: Any) -> None:
        self.world, self.entity, self.solver = world, entity, world.rigid_solver

    def close(self) -> None:
        self.world.destroy()
        del self.entity, self.solver, self.world

    def read(self, quantity: str) -> Value:
        group, _, rest = quantity.partition(".")
        name, _, what = rest.rpartition(".")
        value: Value = getattr(self, f"_{group}")(name, what)
        return value

    def _named(self, kind: str, name: str) -> Any:
        found = [one for one in getattr(self.entity, f"{kind}s") if one.name == name]
        if not found:
            raise Missing(f"no {kind} {name!r}")
        return found[0]

    def _option(self, _: str, what: str) -> Value:
        info, config = self.solver.rigid_info, self.solver.rigid_config
        if what == "timestep":
            return float(self.world.sim.dt)
        if what == "gravity":
            return tuple(float(x) for x in np.ravel(info.gravity.to_numpy())[:3])
        if what == "gravity_on":
            return bool(np.any(info.gravity.to_numpy()))
        if what == "integrator":
            return str(gs.integrator(config.integrator).name).lower()
        if what == "cone":
            return "elliptic" if config.enable_elliptic_friction else "pyramidal"
        return bool(config.enable_collision)  # contact

    def _model(self, _: str, what: str) -> Value:
        if what == "dofs":
            return int(self.entity.n_dofs)
        mass = numbers(self.solver.get_links_mass())
        return sum(float(mass[link.idx]) for link in self.entity.links if not link.is_fixed)

    def _body(self, name: str, what: str) -> Value:
        i = int(self._named("link", name).idx)
        if what == "mass":
            return float(numbers(self.solver.get_links_mass())[i])
        if what == "com":
            return tuple(float(x) for x in numbers(self.solver.get_links_COM())[i])
        if what == "inertia":
            return tuple(float(x) for x in np.ravel(in_link_axes(self.solver, i)))
        if what == "position":
            return tuple(float(x) for x in numbers(self.solver.get_links_pos())[i])
        if what == "rotation":
            return _matrix(numbers(self.solver.get_links_quat())[i])
        raise Missing("gravity compensation is not read from a file")

    def _joint(self, name: str, what: str) -> Value:
        joint = self._named("joint", name)
        dof = int(joint.dof_start)
        if what in ("lower", "upper"):
            if joint.n_dofs != 1:
                raise Unsupported("Genesis limits joints with one degree of freedom only")
            return float(numbers(self.solver.get_dofs_limit()[what == "upper"])[dof])
        if what == "effort":
            return float(numbers(self.solver.get_dofs_force_range()[1])[dof])
        if what == "ref":
            return float(numbers(self.entity.get_qpos())[int(joint.q_start)])
        if what == "rest":
            raise Missing("every spring rests at the given pose")
        return float(numbers(getattr(self.solver, f"get_dofs_{what}")())[dof])

    def _actuator(self, _: str, what: str) -> Value:
        dof = int(self._named("joint", "hinge").dof_start)
        if what == "force_limit":
            return float(numbers(self.solver.get_dofs_force_range()[1])[dof])
        if what == "velocity_gain":
            return -float(numbers(self.solver.get_dofs_act_bias()[2])[dof])
        if what == "gear":
            return float(numbers(self.solver.get_dofs_act_gain())[dof])
        raise Unsupported("an actuator of Genesis is a gain and a bias; none is times the velocity and the control")

    def _geom(self, name: str, what: str) -> Value:
        if what in _ON_GEOMS:
            raise Unsupported(f"a geom of Genesis has no {_ON_GEOMS[what]}")
        geom = self._geom_of(name.removesuffix("ball"))
        if what == "friction":
            return float(numbers(self.solver.get_geoms_friction())[geom])
        return float(numbers(self.solver.get_sol_params(geoms_idx=geom)).ravel()[0])

    def _geom_of(self, body: str) -> int:
        found = [int(geom.idx) for geom in self._named("link", body).geoms]
        if len(found) != 1:
            raise Missing(f"body {body!r} has {len(found)} geoms")
        return found[0]

    def _pair(self, names: str, what: str) -> Value:
        a, b = (self._geom_of(name) for name in names.split("+"))
        collider = self.solver.collider
        table = collider._collision_pair_idx if collider is not None else np.full((b + 1, b + 1), -1)
        may = bool(max(table[a, b], table[b, a]) >= 0)
        if what == "collide":
            return may
        if not may:
            raise Missing(f"{names} cannot touch")
        mu = numbers(self.solver.get_geoms_friction())
        return float(max(mu[a], mu[b]))  # Genesis's rule, in `func_add_contact`

    def _key(self, _: str, what: str) -> Value:
        raise Missing("keyframes are not read")

    def _mimic(self, name: str, what: str) -> Value:
        for equality in self.entity.equalities:
            if int(equality.type) == int(gs.EQUALITY_TYPE.JOINT):
                data = np.ravel(equality.eq_data)
                return (float(data[1]), float(data[0]))
        raise Missing("no equality of joints")


def _matrix(q_wxyz: Any) -> Value:
    w, x, y, z = (float(c) for c in q_wxyz)
    return (
        *(1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        *(2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        *(2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )


def load(text: str, kind: str) -> Imported:
    """See `Load`."""
    process.start("cpu", 64)
    world = gs.Scene(
        sim_options=gs.options.SimOptions(dt=DT),
        profiling_options=gs.options.ProfilingOptions(show_FPS=False),
        show_viewer=False,
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ("model.xml" if kind == "mjcf" else "model.urdf")
        path.write_text(text)
        if kind == "mjcf":
            entity = world.add_entity(gs.morphs.MJCF(file=str(path)))
        else:
            entity = world.add_entity(gs.morphs.URDF(file=str(path), fixed=True))
        world.build()
    return _World(world, entity)
