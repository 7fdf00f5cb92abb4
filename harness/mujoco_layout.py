"""A `Reading` of a model in MuJoCo's layout: its own `MjModel`, or any object whose arrays mean the same."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .engine import Resolved, Value
from .imported import Key, Reading, unordered
from .resolution import floats
from .scene import Array, rotation

JOINTS = ("free", "ball", "slide", "hinge")  # mjtJoint
GEOMS = ("plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf")  # mjtGeom
SIZES = {
    "plane": 0,
    "hfield": 0,
    "sphere": 1,
    "capsule": 2,
    "ellipsoid": 3,
    "cylinder": 2,
    "box": 3,
    "mesh": 0,
    "sdf": 0,
}
CONSTRAINTS = ("connect", "weld", "joint", "tendon", "flex", "flexvert", "flexstrain")  # mjtEq
EQUALITY_NUMBERS = {"connect": 6, "weld": 11, "joint": 5, "tendon": 5}
TRANSMISSIONS = ("joint", "jointinparent", "slidercrank", "tendon", "site", "body")  # mjtTrn
UNITS = {"hinge": ("rad", "N m"), "slide": ("m", "N"), "ball": ("rad", "N m"), "free": ("m", "N")}


@dataclass(frozen=True, slots=True)
class Names:
    """Names of elements by their number; the world is body 0."""

    bodies: tuple[str, ...]
    joints: tuple[str, ...]
    actuators: tuple[str, ...] = ()
    tendons: tuple[str, ...] = ()
    sites: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()


Fields = Callable[[str], Any]  # name of an array -> the array


class Layout:
    """Access to the arrays, and the rows that they give."""

    def __init__(self, fields: Fields, names: Names, native: str = "", solid: Sequence[bool] | None = None) -> None:
        """`solid`: which geoms can collide, where contype and conaffinity do not say it."""
        self.of, self.names, self.native, self.solid = fields, names, native, solid
        self.n_bodies, self.n_joints = len(names.bodies), len(names.joints)
        self.geoms = self._named_geoms()

    def row(self, value: Value, unit: str, field: str) -> Resolved:
        """A value with where it was read."""
        return Resolved(value=value, unit=unit, origin="file", native=self.native + field)

    def links(self) -> Iterator[tuple[Key, Resolved]]:
        """Rows of every link."""
        for i in range(1, self.n_bodies):
            name = self.names.bodies[i]
            R = rotation(_unit(self.of("body_iquat")[i]))
            inertia = R @ np.diag(np.asarray(self.of("body_inertia")[i], float)) @ R.T
            rows: dict[str, tuple[Value, str, str]] = {
                "mass": (float(self.of("body_mass")[i]), "kg", "body_mass"),
                "com": (floats(self.of("body_ipos")[i]), "m", "body_ipos"),
                "inertia": (floats(inertia.ravel()), "kg m^2", "body_inertia turned by body_iquat"),
                "position": (floats(self.of("body_pos")[i]), "m", "body_pos"),
                "orientation": (_unit(self.of("body_quat")[i]), "1", "body_quat"),
                "gravity_compensation": (float(self.of("body_gravcomp")[i]), "1", "body_gravcomp"),
            }
            for quantity, (value, unit, field) in rows.items():
                yield Key("link", name, quantity), self.row(value, unit, field)

    def joints(self, limited: Array) -> Iterator[tuple[Key, Resolved]]:
        """Rows of every joint; `limited`: whether its range is enforced."""
        for j in range(self.n_joints):
            kind = JOINTS[int(self.of("jnt_type")[j])]
            dof, q = int(self.of("jnt_dofadr")[j]), int(self.of("jnt_qposadr")[j])
            place, force = UNITS[kind]
            rows: dict[str, tuple[Value, str, str]] = {
                "type": (kind, "", "jnt_type"),
                "armature": (float(self.of("dof_armature")[dof]), "kg m^2 | kg", "dof_armature"),
                "damping": (float(self.of("dof_damping")[dof]), f"{force} s/{place}", "dof_damping"),
                "friction": (float(self.of("dof_frictionloss")[dof]), force, "dof_frictionloss"),
                "stiffness": (float(np.ravel(self.of("jnt_stiffness")[j])[0]), f"{force}/{place}", "jnt_stiffness"),
            }
            if kind != "free":
                rows["anchor"] = (floats(self.of("jnt_pos")[j]), "m", "jnt_pos")
            if kind in ("hinge", "slide"):
                lower, upper = floats(self.of("jnt_range")[j]) if limited[j] else (-math.inf, math.inf)
                forced = bool(self.of("jnt_actfrclimited")[j])
                least, most = floats(self.of("jnt_actfrcrange")[j]) if forced else (-math.inf, math.inf)
                rows |= {
                    "axis": (floats(self.of("jnt_axis")[j]), "1", "jnt_axis"),
                    "lower": (lower, place, "jnt_range[0]"),
                    "upper": (upper, place, "jnt_range[1]"),
                    "effort_lower": (least, force, "jnt_actfrcrange[0]"),
                    "effort_upper": (most, force, "jnt_actfrcrange[1]"),
                    "rest": (float(self.of("qpos_spring")[q]), place, "qpos_spring"),
                    "home": (float(self.of("qpos0")[q]), place, "qpos0"),
                    "limit_solref": (floats(self.of("jnt_solref")[j]), "s, 1", "jnt_solref"),
                    "limit_solimp": (floats(self.of("jnt_solimp")[j]), "1", "jnt_solimp"),
                    "friction_solref": (floats(self.of("dof_solref")[dof]), "s, 1", "dof_solref"),
                    "limit_margin": (float(self.of("jnt_margin")[j]), place, "jnt_margin"),
                }
            elif kind == "ball":
                rows["upper"] = (float(self.of("jnt_range")[j][1]) if limited[j] else math.inf, "rad", "jnt_range[1]")
            for quantity, (value, unit, field) in rows.items():
                yield Key("joint", self.names.joints[j], quantity), self.row(value, unit, field)

    def actuators(self) -> Iterator[tuple[Key, Resolved]]:
        """Rows of every actuator."""
        for a, name in enumerate(self.names.actuators):
            kind = int(self.of("actuator_trntype")[a])
            known = 0 <= kind < len(TRANSMISSIONS)
            rows: dict[str, tuple[Value, str, str]] = {
                "transmission": (TRANSMISSIONS[kind] if known else "none", "", "actuator_trntype"),
                "gear": (floats(self.of("actuator_gear")[a]), "1", "actuator_gear"),
                "gain": (floats(self.of("actuator_gainprm")[a][:3]), "", "actuator_gainprm[:3]"),
                "bias": (floats(self.of("actuator_biasprm")[a][:3]), "", "actuator_biasprm[:3]"),
            }
            for what in ("ctrl", "force"):
                on = bool(self.of(f"actuator_{what}limited")[a])
                lower, upper = floats(self.of(f"actuator_{what}range")[a]) if on else (-math.inf, math.inf)
                rows[f"{what}_lower"] = (lower, "", f"actuator_{what}range[0]")
                rows[f"{what}_upper"] = (upper, "", f"actuator_{what}range[1]")
            for quantity, (value, unit, field) in rows.items():
                yield Key("actuator", name, quantity), self.row(value, unit, field)

    def constraints(self) -> Iterator[tuple[Key, Resolved]]:
        """Rows of every equality constraint, named by what it ties together: kind A~B."""
        seen: Counter[str] = Counter()
        for e in range(len(self.of("eq_type"))):
            kind = CONSTRAINTS[int(self.of("eq_type")[e])]
            if kind not in EQUALITY_NUMBERS:
                continue
            name = f"{kind} {self._object(kind, e, 'eq_obj1id')}~{self._object(kind, e, 'eq_obj2id')}"
            seen[name] += 1
            name += f" #{seen[name]}" if seen[name] > 1 else ""
            data = floats(self.of("eq_data")[e][: EQUALITY_NUMBERS[kind]])
            yield Key("constraint", name, "data"), self.row(data, "", "eq_data")
            yield Key("constraint", name, "active"), self.row(bool(self.of("eq_active0")[e]), "", "eq_active0")

    def _object(self, kind: str, e: int, field: str) -> str:
        number = int(self.of(field)[e])
        if kind in ("connect", "weld"):
            names = self.names.sites if int(self.of("eq_objtype")[e]) == 6 else self.names.bodies  # mjOBJ_SITE
        else:
            names = self.names.joints if kind == "joint" else self.names.tendons
        return names[number] if 0 <= number < len(names) else ""

    def tendons(self) -> Iterator[tuple[Key, Resolved]]:
        """Rows of every tendon."""
        for t, name in enumerate(self.names.tendons):
            limits = floats(self.of("tendon_range")[t]) if self.of("tendon_limited")[t] else (-math.inf, math.inf)
            rows: dict[str, tuple[Value, str, str]] = {
                "wraps": (int(self.of("tendon_num")[t]), "1", "tendon_num"),
                "lower": (limits[0], "m | rad", "tendon_range[0]"),
                "upper": (limits[1], "m | rad", "tendon_range[1]"),
                "stiffness": (float(np.ravel(self.of("tendon_stiffness")[t])[0]), "N/m", "tendon_stiffness"),
                "damping": (float(np.ravel(self.of("tendon_damping")[t])[0]), "N s/m", "tendon_damping"),
                "friction": (float(self.of("tendon_frictionloss")[t]), "N", "tendon_frictionloss"),
            }
            for quantity, (value, unit, field) in rows.items():
                yield Key("tendon", name, quantity), self.row(value, unit, field)

    def collides(self, g: int) -> bool:
        """Whether a geom can take part in any contact."""
        if self.solid is not None:
            return bool(self.solid[g])
        listed = set(np.ravel(self.of("pair_geom1"))) | set(np.ravel(self.of("pair_geom2")))
        return bool(self.of("geom_contype")[g] or self.of("geom_conaffinity")[g] or g in listed)

    def _named_geoms(self) -> Mapping[int, str]:
        counts: Counter[int] = Counter()
        named = {}
        for g in range(len(self.of("geom_bodyid"))):
            if self.collides(g):
                body = int(self.of("geom_bodyid")[g])
                named[g] = f"{self.names.bodies[body]}/{counts[body]}"
                counts[body] += 1
        return named

    def geom_rows(self) -> Iterator[tuple[Key, Resolved]]:
        """Rows of every geom that can collide."""
        for g, name in self.geoms.items():
            kind = GEOMS[int(self.of("geom_type")[g])]
            rows: dict[str, tuple[Value, str, str]] = {
                "type": (kind, "", "geom_type"),
                "friction": (float(self.of("geom_friction")[g][0]), "1", "geom_friction[0]"),
                "torsional_friction": (floats(self.of("geom_friction")[g][1:3]), "m", "geom_friction[1:]"),
                "contact_dimensions": (int(self.of("geom_condim")[g]), "1", "geom_condim"),
                "solref": (floats(self.of("geom_solref")[g]), "s, 1", "geom_solref"),
                "solimp": (floats(self.of("geom_solimp")[g]), "1", "geom_solimp"),
                "margin": (float(self.of("geom_margin")[g]), "m", "geom_margin"),
                "gap": (float(self.of("geom_gap")[g]), "m", "geom_gap"),
                "priority": (int(self.of("geom_priority")[g]), "1", "geom_priority"),
                "solmix": (float(self.of("geom_solmix")[g]), "1", "geom_solmix"),
            }
            if self.solid is None:
                rows |= {n: (int(self.of(f"geom_{n}")[g]), "", f"geom_{n}") for n in ("contype", "conaffinity")}
            if kind != "mesh":  # a mesh's frame is moved to its principal axes
                rows["position"] = (floats(self.of("geom_pos")[g]), "m", "geom_pos")
                rows["orientation"] = (_unit(self.of("geom_quat")[g]), "1", "geom_quat")
            if SIZES[kind]:
                rows["size"] = (floats(self.of("geom_size")[g][: SIZES[kind]]), "m", "geom_size")
            if kind == "mesh":
                rows["vertices"] = (int(self.of("mesh_vertnum")[int(self.of("geom_dataid")[g])]), "1", "mesh_vertnum")
            for quantity, (value, unit, field) in rows.items():
                yield Key("geom", name, quantity), self.row(value, unit, field)

    def pairs(self, parent_filter: bool = True) -> Mapping[tuple[str, str], int]:
        """Pairs of links -> number of pairs of geoms that may touch, by MuJoCo's rules."""
        weld, parent, body = (np.asarray(self.of(f"{n}")) for n in ("body_weldid", "body_parentid", "geom_bodyid"))
        contype, affinity = (np.asarray(self.of(f"geom_{n}")).astype(int) for n in ("contype", "conaffinity"))
        excluded = {int(s) for s in np.ravel(self.of("exclude_signature"))}
        listed = {
            frozenset((int(a), int(b)))
            for a, b in zip(np.ravel(self.of("pair_geom1")), np.ravel(self.of("pair_geom2")), strict=True)
        }
        found: Counter[tuple[str, str]] = Counter()
        geoms = list(self.geoms)
        for n, g in enumerate(geoms):
            for h in geoms[n + 1 :]:
                a, b = int(body[g]), int(body[h])
                if frozenset((g, h)) not in listed:
                    if not (contype[g] & affinity[h] or contype[h] & affinity[g]) or weld[a] == weld[b]:
                        continue
                    related = weld[parent[weld[a]]] == weld[b] or weld[parent[weld[b]]] == weld[a]
                    if parent_filter and related and weld[a] and weld[b]:
                        continue
                    if (min(a, b) << 16) + max(a, b) in excluded or (max(a, b) << 16) + min(a, b) in excluded:
                        continue
                found[unordered(self.names.bodies[a], self.names.bodies[b])] += 1
        return dict(found)

    def reading(self, limited: Array, extra: Mapping[Key, Resolved], *, parent_filter: bool = True) -> Reading:
        """All of it, with `extra` rows."""
        of, names = self.of, self.names
        table: dict[Key, Resolved] = {**dict(self.links()), **dict(self.joints(limited)), **dict(self.actuators())}
        table |= {**dict(self.constraints()), **dict(self.tendons()), **dict(self.geom_rows()), **extra}
        for k, key in enumerate(names.keys):
            table[Key("keyframe", key, "qpos")] = self.row(floats(of("key_qpos")[k]), "rad | m", "key_qpos")
        driven = {
            name: names.joints[int(of("actuator_trnid")[a][0])]
            for a, name in enumerate(names.actuators)
            if int(of("actuator_trntype")[a]) in (0, 1)
        }
        bodies = names.bodies
        return Reading(
            links=bodies[1:],
            parents={bodies[i]: bodies[int(of("body_parentid")[i])] for i in range(1, self.n_bodies)},
            joints=names.joints,
            moved={name: bodies[int(of("jnt_bodyid")[j])] for j, name in enumerate(names.joints)},
            kinds={name: JOINTS[int(of("jnt_type")[j])] for j, name in enumerate(names.joints)},
            table=table,
            actuators=names.actuators,
            driven=driven,
            geoms=tuple(self.geoms.values()),
            pairs=self.pairs(parent_filter),
        )


def _unit(q: Any) -> tuple[float, float, float, float]:
    w, x, y, z = (float(c) for c in np.asarray(q, float) / np.linalg.norm(np.asarray(q, float)))
    return (w, x, y, z)
