"""Poses, mass matrix and gravity torque of the source at given joint coordinates, by Pinocchio."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..imported import WORLD, Key, Motion, Reading
from ..scene import Array, rotation


class PinocchioReference:
    """Pinocchio's model built from a `Reading`, joint by joint; armature left out.

    Only joints whose coordinates are asked for are in the model, the others stand at home: Pinocchio's data grow with
    the cube of the degrees of freedom (four tensors of second derivatives), 7 GB for 100 free bodies.
    """

    def __init__(self, reading: Reading, gravity: tuple[float, float, float]) -> None:
        import pinocchio as pin

        self.pin, self.reading, self.gravity = pin, reading, gravity
        self.home = {j: _number(reading, Key("joint", j, "home")) for j in reading.scalar_joints}
        self.links = reading.links

    def _model(self, joints: Sequence[str]) -> Any:
        pin, reading, model = self.pin, self.reading, self.pin.Model()
        model.gravity.linear = np.array(self.gravity)
        of_link: dict[str, list[str]] = {}
        for joint, link in reading.moved.items():
            if joint in joints:
                of_link.setdefault(link, []).append(joint)
        carriers: dict[str, tuple[int, Any]] = {WORLD: (0, pin.SE3.Identity())}
        for link in parents_first(reading):
            carrier, placement = carriers[reading.parents[link]]
            placement = placement * pin.SE3(
                rotation(_vector(reading, Key("link", link, "orientation"))),
                _vector(reading, Key("link", link, "position")),
            )
            for joint in of_link.get(link, ()):
                anchor = reading.table.get(Key("joint", joint, "anchor"))
                at = np.zeros(3) if anchor is None else np.array(anchor.value, float)
                carrier = model.addJoint(carrier, self._kind(joint), placement * pin.SE3(np.eye(3), at), joint)
                placement = pin.SE3(np.eye(3), -at)
            mass = _number(reading, Key("link", link, "mass"))
            if mass > 0:
                inertia = _vector(reading, Key("link", link, "inertia")).reshape(3, 3)
                body = pin.Inertia(mass, _vector(reading, Key("link", link, "com")), inertia)
                model.appendBodyToJoint(carrier, body, placement)
            model.addFrame(pin.Frame(link, carrier, 0, placement, pin.FrameType.BODY))
            carriers[link] = (carrier, placement)
        return model

    def _kind(self, joint: str) -> Any:
        kind, pin = self.reading.kinds[joint], self.pin
        axis = _vector(self.reading, Key("joint", joint, "axis"))
        return (pin.JointModelRevoluteUnaligned if kind == "hinge" else pin.JointModelPrismaticUnaligned)(axis)

    def motion(self, joints: Sequence[str], q: Array) -> Motion:
        """See `Motion`."""
        displaced = np.array(q, float) - np.array([self.home.get(j, 0.0) for j in joints])
        return pinocchio_motion(self.pin, self._model(joints), self.links, joints, displaced)


def pinocchio_motion(pin: Any, model: Any, links: Sequence[str], joints: Sequence[str], q: Array) -> Motion:
    """`Motion` of any Pinocchio model; coordinates not named are neutral."""
    data, n = model.createData(), len(q)
    ids = [model.getJointId(joint) for joint in joints]
    frames = {link: model.getFrameId(link, pin.FrameType.BODY) for link in links}
    v = np.array([model.joints[i].idx_v for i in ids], int)
    poses = {link: np.full((n, 7), np.nan) for link in links}
    M, gravity = np.zeros((n, len(ids), len(ids))), np.zeros((n, len(ids)))
    for k in range(n):
        full = pin.neutral(model)
        for i, value in zip(ids, q[k], strict=True):
            joint = model.joints[i]
            full[joint.idx_q : joint.idx_q + joint.nq] = value if joint.nq == 1 else (np.cos(value), np.sin(value))
        pin.framesForwardKinematics(model, data, full)
        for link, frame in frames.items():
            X = data.oMf[frame]
            x, y, z, w = pin.Quaternion(X.rotation).coeffs()
            poses[link][k] = (*X.translation, w, x, y, z)
        whole = np.array(pin.crba(model, data, full))
        whole = np.triu(whole) + np.triu(whole, 1).T
        M[k] = whole[np.ix_(v, v)]
        gravity[k] = np.array(pin.computeGeneralizedGravity(model, data, full))[v]
    return Motion(X_WL=poses, mass_matrix=M, gravity_torque=gravity, armature=False)


def parents_first(reading: Reading) -> list[str]:
    """Links depth first, so that every subtree is in one piece, as Pinocchio's algorithms want it."""
    children: dict[str, list[str]] = {}
    for link in reading.links:
        children.setdefault(reading.parents[link], []).append(link)
    ordered: list[str] = []
    waiting = list(reversed(children.get(WORLD, [])))
    while waiting:
        link = waiting.pop()
        ordered.append(link)
        waiting += reversed(children.get(link, []))
    return ordered


def _number(reading: Reading, key: Key) -> float:
    value = reading.table[key].value
    return float(value) if isinstance(value, (int, float)) else 0.0


def _vector(reading: Reading, key: Key) -> Array:
    return np.array(reading.table[key].value, float)
