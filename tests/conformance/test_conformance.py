"""The semantics that every engine must share; see the numbered list in the README's section on the contract."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from simparity.engines import ENGINES
from simparity.harness.channels import COLUMNS, STATE_WIDTH, Sample
from simparity.harness.engine import Simulation, Unknown
from simparity.harness.errors import Unsupported, UsageError
from simparity.harness.registry import engine_adapter, engine_mapping
from simparity.harness.required import REQUIRED_OPTIONS, REQUIRED_PER_BODY, REQUIRED_PER_PAIR, REQUIRED_PER_SHAPE
from simparity.harness.scene import Array, Body, Box, Material, Pose, Scene
from simparity.harness.settings import settle
from simparity.harness.solids import box_inertia

from .scenes import AWAY, COM, MASS, SIZE, boxes, size_of

Simulate = Callable[..., Simulation]
DT = 1e-3
NAMES = tuple(MASS)
WEIGHTS = np.array([[MASS[name] * 9.81] for name in NAMES])
FLOATING = {"gravity": (0.0, 0.0, 0.0)}
HALF_TURN = (np.cos(0.25), 0.0, 0.0, np.sin(0.25))


def log(simulation: Simulation, steps: int) -> Array:
    """All channels at the start and after every step, shape (steps + 1, 3, WIDTH)."""
    sample = Sample(NAMES)
    rows = []
    simulation.sample(sample)
    rows.append(sample.data.copy())
    for _ in range(steps):
        simulation.advance(1)
        simulation.sample(sample)
        rows.append(sample.data.copy())
    return np.array(rows)


def rotation(q: Array) -> Array:
    """R_WB of unit quaternions (..., 4), scalar first."""
    w, x, y, z = np.moveaxis(q, -1, 0)
    return np.stack(
        [
            np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], -1),
            np.stack([2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], -1),
            np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], -1),
        ],
        -2,
    )


def test_coasting_belongs_to_one_instant(simulate: Simulate, eps: float) -> None:
    """p_k = p_0 + k dt v_0 without gravity, and the velocity is the one that moved it."""
    velocity = {"base": (0.3, -0.2, 0.1, 0, 0, 0), "top": (0, 0.5, 0, 0, 0, 0), "stone": (-0.4, 0, 0, 0, 0, 0)}
    rows = log(simulate(boxes(AWAY, velocities=velocity, **FLOATING)), 200)
    time = np.arange(201)[:, None, None] * DT
    start = np.array([AWAY[name] for name in NAMES])
    v = np.array([velocity[name][:3] for name in NAMES])
    np.testing.assert_allclose(rows[:, :, COLUMNS["p_WB"]], start + time * v, atol=10 * eps)
    np.testing.assert_allclose(rows[:, :, COLUMNS["v_WB"]], np.broadcast_to(v, (201, 3, 3)), atol=10 * eps)


def test_velocity_is_that_of_the_origin(simulate: Simulate, eps: float) -> None:
    """A spinning body whose centre of mass is off its origin: the centre coasts, the origin circles about it."""
    spin = (0.1, 0.2, 0.0, 0.0, 0.0, 3.0)
    rows = log(simulate(boxes(AWAY, velocities={"stone": spin}, **FLOATING)), 200)[:, NAMES.index("stone")]
    p, v, w = (rows[:, COLUMNS[name]] for name in ("p_WB", "v_WB", "w_WB"))
    np.testing.assert_allclose(v[0], spin[:3], atol=10 * eps)
    arm = rotation(rows[:, COLUMNS["q_WB"]]) @ np.array(COM)
    v_com = v + np.cross(w, arm)
    coast = v_com[0] * (np.arange(201) * DT)[:, None]
    # an engine that integrates the origin turns its centripetal acceleration w^2 r into an error of first order in dt
    first_order = float(w[0] @ w[0]) * float(np.linalg.norm(COM)) * DT
    np.testing.assert_allclose(v_com, np.broadcast_to(v_com[0], v_com.shape), atol=first_order)
    np.testing.assert_allclose(p + arm, (p + arm)[0] + coast, atol=first_order * 200 * DT)
    swing = np.linalg.norm(p - p[0] - coast, axis=1).max()
    assert swing > 0.1 * np.linalg.norm(COM), "the origin did not circle about the centre"


def test_quaternions_are_scalar_first(simulate: Simulate, eps: float) -> None:
    rows = log(simulate(boxes(AWAY, turned={"top": HALF_TURN}, **FLOATING)), 1)
    np.testing.assert_allclose(rows[1, NAMES.index("top"), COLUMNS["q_WB"]], HALF_TURN, atol=eps)
    np.testing.assert_allclose(rows[1, NAMES.index("base"), COLUMNS["q_WB"]], (1, 0, 0, 0), atol=eps)


STACK = {"base": (0.0, 0.0, 0.05), "top": (0.0, 0.0, 0.15), "stone": (1.0, 0.0, 0.04)}


def test_net_force_at_rest_is_the_weight(simulate: Simulate) -> None:
    """Every body, the lower one of a stack included: the mean over the last 0.1 s, since iterative solvers chatter."""
    rows = log(simulate(boxes(STACK)), 600)[-100:].mean(axis=0)
    f = rows[:, COLUMNS["f_B_W"]]
    np.testing.assert_allclose(f[:, 2:], WEIGHTS, rtol=2e-3)
    np.testing.assert_allclose(f[:, :2], 0, atol=2e-3)
    np.testing.assert_allclose(rows[:, COLUMNS["f_normal_B_W"]][:, 2:], WEIGHTS, rtol=2e-3)


def test_force_is_that_of_the_step_that_ended(simulate: Simulate, eps: float) -> None:
    """m (v_k - v_(k-1)) / dt = f_k + m g at every step of a landing, so the force is in phase with the motion."""
    simulation = simulate(boxes(STACK | {"base": (0.0, 0.0, 0.06), "top": (0.5, 0.0, 0.05)}))
    rows = log(simulation, 100)[:, 0]
    v, f = rows[:, COLUMNS["v_WB"]], rows[:, COLUMNS["f_B_W"]]
    balance = MASS["base"] * np.diff(v[:, 2]) / DT + MASS["base"] * 9.81
    residual = simulation.resolved().residual * balance.max()  # where a solver stops before the state's precision
    np.testing.assert_allclose(f[1:, 2], balance, atol=max(1e-7, 100 * eps, residual))
    normal = rows[:, COLUMNS["f_normal_B_W"]][1:, 2]  # measured even where the net force is derived from this balance
    np.testing.assert_allclose(normal, balance, atol=max(1e-7, 1e-3 * balance.max() if eps > 1e-6 else residual))
    assert f[1:, 2].max() > 2 * MASS["base"] * 9.81, "the cube did not land"
    assert not f[0].any(), "no step has ended at the start"


def test_action_equals_reaction(simulate: Simulate, eps: float) -> None:
    """Two boxes meet in free space: the net forces cancel at every step."""
    places = {"base": (0.0, 0.0, 2.0), "top": (0.11, 0.0, 2.0), "stone": (5.0, 0.0, 2.0)}
    scene = boxes(places, velocities={"base": (0.5, 0, 0, 0, 0, 0), "top": (-0.5, 0, 0, 0, 0, 0)}, **FLOATING)
    f = log(simulate(scene), 60)[:, :2, COLUMNS["f_B_W"]]
    assert np.abs(f).max() > 1.0, "the boxes did not meet"
    np.testing.assert_allclose(f.sum(axis=1), 0, atol=max(1e-9, 10 * eps) * np.abs(f).max())


def test_advance_adds_up(simulate: Simulate) -> None:
    simulation, sample = simulate(boxes(STACK)), Sample(NAMES)
    seen = []
    for steps in ((7,), (3, 4), (1,) * 7):
        simulation.reset()
        for n in steps:
            simulation.advance(n)
        simulation.sample(sample)
        seen.append(sample.data.copy())
    assert np.array_equal(seen[0], seen[1])
    assert np.array_equal(seen[0], seen[2])


def test_reset_replays_bit_for_bit(simulate: Simulate) -> None:
    simulation = simulate(boxes(STACK | {"top": (0.02, 0.01, 0.17)}))
    first = log(simulation, 100)
    simulation.reset()
    assert np.array_equal(log(simulation, 100), first)


def test_commands_are_held(simulate: Simulate, eps: float) -> None:
    """A force and a torque about the centre of mass act until the next command."""
    simulation = simulate(boxes(AWAY, **FLOATING))
    wrench = np.zeros((3, 6))
    wrench[0, :3] = (0.4, 0.0, -0.2)
    wrench[2] = (0.0, 0.3, 0.0, 0.0, 0.0, 1e-4)
    simulation.command(None, wrench)
    rows = log(simulation, 100)
    T = 100 * DT
    np.testing.assert_allclose(rows[-1, 0, COLUMNS["v_WB"]], wrench[0, :3] / MASS["base"] * T, atol=10 * eps)
    turning = 1e-4 / box_inertia(MASS["stone"], size_of("stone"))[2] * T
    np.testing.assert_allclose(rows[-1, 2, COLUMNS["w_WB"]], (0, 0, turning), atol=10 * eps)
    arm = rotation(rows[-1, 2, COLUMNS["q_WB"]]) @ np.array(COM)
    v_com = rows[-1, 2, COLUMNS["v_WB"]] + np.cross(rows[-1, 2, COLUMNS["w_WB"]], arm)
    first_order = turning**2 * float(np.linalg.norm(COM)) * DT
    np.testing.assert_allclose(v_com, (0, 0.3 / MASS["stone"] * T, 0), atol=first_order + 10 * eps)
    assert not rows[-1, 1, COLUMNS["v_WB"]].any(), "the body that nobody pushed moves"
    assert not np.abs(rows[:, :, COLUMNS["f_B_W"]]).max() > 100 * eps, "a command is no contact force"
    simulation.command(None, np.zeros((3, 6)))
    after = log(simulation, 50)[:, 0, COLUMNS["v_WB"]]
    np.testing.assert_allclose(after, np.broadcast_to(after[0], after.shape), atol=10 * eps)


GENERAL = (0.5, 0.1, -0.7, 0.5)  # a quaternion with no axis of its own


def test_frames_hold_in_a_general_pose(simulate: Simulate, eps: float) -> None:
    """Angular velocity, torque and inertia of a body that is no cube, in an orientation that is no special case."""
    turned = {"stone": GENERAL}
    spin = np.array([0.4, -0.3, 0.6])
    simulation = simulate(boxes(AWAY, turned=turned, velocities={"stone": (0, 0, 0, *spin)}, **FLOATING))
    sample = Sample(NAMES)
    simulation.sample(sample)
    np.testing.assert_allclose(sample.q_WB[2], GENERAL, atol=eps)
    np.testing.assert_allclose(sample.w_WB[2], spin, atol=10 * eps)
    torque = np.array([2e-4, 3e-4, -1e-4])
    wrench = np.zeros((3, 6))
    wrench[2, 3:] = torque
    simulation.command(None, wrench)
    simulation.advance(10)
    simulation.sample(sample)
    R = rotation(np.array(GENERAL))
    inertia = R @ np.diag(box_inertia(MASS["stone"], size_of("stone"))) @ R.T
    faster = np.linalg.solve(inertia, torque - np.cross(spin, inertia @ spin)) * 10 * DT
    np.testing.assert_allclose(sample.w_WB[2] - spin, faster, atol=0.03 * np.linalg.norm(faster))
    moved = rotation(sample.q_WB[2]) @ R.T  # over 10 steps the body turned by about spin t
    angle = np.array([moved[2, 1] - moved[1, 2], moved[0, 2] - moved[2, 0], moved[1, 0] - moved[0, 1]]) / 2
    np.testing.assert_allclose(angle, (spin + faster / 2) * 10 * DT, atol=0.05 * np.linalg.norm(spin) * 10 * DT)


def test_friction_opposes_sliding_within_the_cone(simulate: Simulate) -> None:
    """A box that slides on the ground: f_normal is normal, the rest is friction of mu f_normal against the motion."""
    simulation = simulate(boxes(STACK | {"top": (0.5, 0.0, 0.05)}))
    simulation.advance(100)
    simulation.set_velocity(np.array([[0.6, 0.8, 0, 0, 0, 0], [0.0] * 6, [0.0] * 6]))
    rows = log(simulation, 60)[1:, 0]
    normal, friction = rows[:, COLUMNS["f_normal_B_W"]], rows[:, COLUMNS["f_B_W"]] - rows[:, COLUMNS["f_normal_B_W"]]
    np.testing.assert_allclose(normal[:, :2], 0, atol=1e-3)
    total, slid = normal.sum(axis=0)[2], friction.sum(axis=0)
    assert total == pytest.approx(60 * MASS["base"] * 9.81, rel=0.2)
    np.testing.assert_allclose(slid[:2], -0.5 * total * np.array([0.6, 0.8]), atol=0.01 * total)
    np.testing.assert_allclose(slid[2], 0, atol=2e-3 * total)


def test_set_velocity_keeps_poses(simulate: Simulate, eps: float) -> None:
    simulation = simulate(boxes(AWAY, turned={"top": HALF_TURN}, **FLOATING))
    before = log(simulation, 5)[-1]
    V = np.array([[1.0, 0, 0, 0, 0, 2.0], [0, -1.0, 0, 0, 0, 1.0], [0, 0, 0.5, 0, 0, 0.7]])
    simulation.set_velocity(V)
    sample = Sample(NAMES)
    simulation.sample(sample)
    np.testing.assert_allclose(sample.data[:, : COLUMNS["v_WB"].start], before[:, : COLUMNS["v_WB"].start], atol=eps)
    np.testing.assert_allclose(sample.data[:, COLUMNS["v_WB"].start : STATE_WIDTH], V, atol=10 * eps)


def test_samples_are_finite_or_said_unsupported(simulate: Simulate) -> None:
    simulation = simulate(boxes(STACK))
    rows = log(simulation, 20)
    notes = simulation.resolved().channel_notes
    for name, columns in COLUMNS.items():
        if name not in notes or notes[name].kind != "unsupported":
            assert np.isfinite(rows[:, :, columns]).all(), f"{name} is not finite and not noted as unsupported"


def test_resolution_is_complete(simulate: Simulate) -> None:
    scene = boxes(STACK)
    resolution = simulate(scene, profile="default").resolved()
    required = list(REQUIRED_OPTIONS)
    required += [f"body.{body.name}.{name}" for body in scene.moving for name in REQUIRED_PER_BODY]
    required += [f"shape.{body.name}.0.{name}" for body in scene.bodies for name in REQUIRED_PER_SHAPE]
    required += [f"pair.{a}+{b}.{name}" for a, b in scene.colliding_pairs() for name in REQUIRED_PER_PAIR]
    assert not [name for name in required if name not in resolution.table]
    for name, row in resolution.table.items():
        assert row.native, f"{name} does not say where it was read"
        assert (row.value is None) == (row.origin in ("unreadable", "absent")), f"{name} has no value and no reason"
    assert not isinstance(resolution.contact_law, Unknown), resolution.contact_law


def test_resolution_is_read_back(simulate: Simulate, eps: float) -> None:
    """What was asked for in the scene is what the engine holds, and the table says so from its own side."""
    table = simulate(boxes(STACK), profile="matched").resolved().table
    for name, mass in MASS.items():
        np.testing.assert_allclose(table[f"body.{name}.mass"].value, mass, rtol=eps)
        np.testing.assert_allclose(table[f"body.{name}.inertia"].value, box_inertia(mass, size_of(name)), rtol=eps)  # type: ignore[arg-type]
    np.testing.assert_allclose(table["body.stone.com"].value, COM, atol=eps)  # type: ignore[arg-type]
    np.testing.assert_allclose(table["gravity"].value, (0, 0, -9.81), rtol=eps)  # type: ignore[arg-type]
    np.testing.assert_allclose(table["dt"].value, DT, rtol=eps)  # type: ignore[arg-type]
    np.testing.assert_allclose(table["pair.base+top.friction"].value, 0.5, rtol=eps)  # type: ignore[arg-type]


def test_what_cannot_be_represented_is_unsupported(engine: str) -> None:
    """A contact stiffness in N/m and restitution are either built and read back, or refused with a reason."""
    mapping, build = engine_mapping(engine), engine_adapter(engine).build
    settings = settle(engine, mapping, "default", {})
    precision = ENGINES[engine].precisions[0]
    for material in (Material(stiffness=1e4, damping=10.0), Material(restitution=0.5)):
        body = Body(
            name="base", shapes=(Box(SIZE),), mass=1.0, inertia=(1.0, 1.0, 1.0), pose=Pose((0, 0, 1)), material=material
        )
        scene = Scene(name="hard", bodies=(body,))
        try:
            simulation = build(scene, DT, settings, "cpu", precision)
        except Unsupported as error:
            assert len(str(error)) > 20
        else:
            row = simulation.resolved().table["shape.base.0.restitution"]
            assert material.restitution is not None
            np.testing.assert_allclose(row.value, material.restitution, rtol=1e-6)  # type: ignore[arg-type]
            simulation.close()


def test_cuda_without_a_gpu_is_one_sentence(engine: str) -> None:
    from simparity.harness.device import cuda_device_count

    if cuda_device_count():
        pytest.skip("this machine has a GPU")
    settings = settle(engine, engine_mapping(engine), "default", {})
    precision = ENGINES[engine].precisions[0]
    with pytest.raises((Unsupported, UsageError), match=r"CUDA|CPU"):
        engine_adapter(engine).build(boxes(STACK), DT, settings, "cuda", precision)
