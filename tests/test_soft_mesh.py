"""Soft bodies without an engine: the mesh and its file, elastic energy, what is logged, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from simparity.experiments.ball_mesh import FILE, RADIUS, ball_mesh
from simparity.experiments.soft_ball import soft_ball, stable_step, strain_energy
from simparity.harness.channels import Sample
from simparity.harness.detectors import inversions
from simparity.harness.errors import SimparityError, UsageError
from simparity.harness.scene import Array, Scene, SoftBody
from simparity.harness.soft_mesh import TetMesh, lame, lumped_masses, read, surface, volumes, write
from simparity.harness.soft_state import SoftLog, SoftPart, SoftTrace, load, save

YOUNG, POISSON = 2e4, 0.3


def test_the_committed_mesh_is_the_constructed_one() -> None:
    ours, stored = ball_mesh(), read(str(FILE))
    assert len(ours.vertices) == 125 and len(ours.elements) == 384
    np.testing.assert_array_equal(stored.elements, ours.elements)
    np.testing.assert_allclose(stored.vertices, ours.vertices, atol=1e-13)


def test_the_ball_is_round_symmetric_and_closed() -> None:
    mesh = ball_mesh()
    triangles = surface(mesh.elements)
    outer = np.unique(triangles)
    np.testing.assert_allclose(np.linalg.norm(mesh.vertices[outer], axis=1), RADIUS, atol=1e-15)
    every = {tuple(v) for v in mesh.vertices.round(12).tolist()}
    for axis in range(3):
        mirror = np.ones(3)
        mirror[axis] = -1
        assert {tuple(v) for v in (mesh.vertices * mirror + 0.0).round(12).tolist()} == every
    # the divergence theorem: a closed surface, outward everywhere, holds the volume of the elements
    a, b, c = (mesh.vertices[triangles[:, k]] for k in range(3))
    enclosed = np.einsum("ij,ij->", a, np.cross(b, c)) / 6
    assert enclosed == pytest.approx(volumes(mesh.vertices, mesh.elements).sum(), rel=1e-12)


def test_the_density_gives_the_mass() -> None:
    ball = soft_ball(mass=0.105, young=YOUNG, poisson=POISSON, damping=None, friction=0.5, height=0.03)
    assert lumped_masses(ball_mesh(), ball.density).sum() == pytest.approx(0.105, rel=1e-9)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "cannot be read"),
        ("a\nb\nPOINTS 3 double 0 0 0", "cannot be read"),
        ("a\nb\nPOINTS 1 double 0 0 0\nCELLS 1 2 1 0\nCELL_TYPES 1 1", "cannot be read"),
        ("a\nb\nPOINTS 1 double 0 0 0\nCELLS 1 5 4 0 0 0 0\nCELL_TYPES 1 12", "no tetrahedra"),
        ("a\nb\nPOINTS 1 double 0 0 0\nCELLS 1 5 4 0 0 0 0\nCELL_TYPES 1 10", "without positive volume"),
    ],
)
def test_what_is_no_mesh_is_refused(tmp_path: Path, text: str, named: str) -> None:
    path = tmp_path / "bad.vtk"
    path.write_text(text)
    with pytest.raises(UsageError, match=named):
        read(str(path))


def test_a_mesh_survives_its_file(tmp_path: Path) -> None:
    mesh = TetMesh(np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1 / 3]]), np.array([[0, 1, 2, 3]]))
    write(mesh, tmp_path / "one.vtk", "one element")
    np.testing.assert_allclose(read(str(tmp_path / "one.vtk")).vertices, mesh.vertices, atol=1e-12)


def test_strain_energy_of_uniform_strain() -> None:
    """e = diag(s, 0, 0): V (mu + lambda/2) s^2; a rotation costs nothing."""
    mesh = ball_mesh()
    mu, lam = lame(YOUNG, POISSON)
    volume, s = volumes(mesh.vertices, mesh.elements).sum(), 0.1
    stretched = mesh.vertices * [1 + s, 1, 1]
    turn = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    for shape in (stretched, stretched @ turn.T):
        energy = strain_energy(mesh.vertices, shape, mesh.elements, YOUNG, POISSON)
        assert energy == pytest.approx(volume * (mu + lam / 2) * s**2, rel=1e-9)
    turned = strain_energy(mesh.vertices, mesh.vertices @ turn.T, mesh.elements, YOUNG, POISSON)
    assert turned == pytest.approx(0, abs=1e-15)


def test_stable_step_scales_as_the_speed_of_sound() -> None:
    """2/w goes with the size, with sqrt(density) and with 1/sqrt(Young's modulus)."""
    mesh = ball_mesh()
    mass = lumped_masses(mesh, 1000.0)
    step = stable_step(mesh.vertices, mesh.elements, mass, YOUNG, POISSON)
    assert stable_step(mesh.vertices, mesh.elements, mass, 4 * YOUNG, POISSON) == pytest.approx(step / 2, rel=1e-9)
    assert stable_step(mesh.vertices, mesh.elements, 4 * mass, YOUNG, POISSON) == pytest.approx(step * 2, rel=1e-9)
    twice = lumped_masses(TetMesh(2 * mesh.vertices, mesh.elements), 1000.0)
    assert stable_step(2 * mesh.vertices, mesh.elements, twice, YOUNG, POISSON) == pytest.approx(2 * step, rel=1e-9)
    # no wave crosses the shortest edge in less
    speed = np.sqrt((lame(YOUNG, POISSON)[1] + 2 * lame(YOUNG, POISSON)[0]) / 1000.0)
    corners = mesh.vertices[mesh.elements]
    edges = np.linalg.norm(corners[:, [0, 0, 0, 1, 1, 2]] - corners[:, [1, 2, 3, 2, 3, 3]], axis=2)
    assert 0.3 * edges.min() < step * speed < edges.max()


def logged(steps: int, invert_at: int | None = None) -> SoftTrace:
    """One tetrahedron that moves at 1 m/s along x, and is turned inside out from a step on."""
    mesh = TetMesh(np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]), np.array([[0, 1, 2, 3]]))
    part = SoftPart(name="bit", rest=mesh.vertices, elements=mesh.elements, mass=np.ones(4))
    log, sample = SoftLog(part, 0, ("pad",), steps), Sample((), (), (4,), 1)
    for k in range(steps + 1):
        shape = mesh.vertices.copy()
        if invert_at is not None and k >= invert_at:
            shape[3, 2] = -0.5
        sample.soft[0][0], sample.soft[0][1] = shape + np.array([0.1 * k, 0, 0]), [1.0, 0, 0]
        sample.f_links[:] = k
        log.keep(k, sample)
    return log.trace(np.arange(steps + 1) * 0.1)


def test_a_log_reduces_and_an_inverted_element_ends_what_is_valid() -> None:
    trace = logged(10, invert_at=4)
    np.testing.assert_allclose(trace.com[:4, 0], 0.25 + 0.1 * np.arange(4))
    np.testing.assert_allclose(trace.momentum, np.tile([4.0, 0, 0], (11, 1)))
    np.testing.assert_allclose(trace.kinetic, 2.0)
    assert trace.volume[0] == pytest.approx(1 / 6) and trace.least[4] == pytest.approx(-0.5)
    assert trace.valid_until == pytest.approx(0.4)
    (found,) = inversions([trace])
    assert found.kind == "inverted" and found.onset == pytest.approx(0.4)
    assert not list(inversions([logged(10)])) and logged(10).valid_until == pytest.approx(1.0)


def test_a_stride_keeps_the_worst(tmp_path: Path) -> None:
    trace = logged(10, invert_at=9)
    thin = trace.thinned(5)
    assert list(thin.time) == pytest.approx([0, 0.5, 1.0]) and list(thin.inverted) == [0, 0, 1]
    assert list(thin.f_links[:, 0, 0]) == [0, 5, 10]
    assert trace.thinned(1) is trace
    save(thin, tmp_path / "soft.npz")
    again = load(tmp_path / "soft.npz")
    np.testing.assert_array_equal(again.com, thin.com)
    np.testing.assert_allclose(again.shapes, thin.shapes, atol=1e-6)
    assert (again.name, again.links) == ("bit", ("pad",))
    (tmp_path / "soft.npz").write_bytes(b"no archive")
    with pytest.raises(SimparityError, match="holds no soft body"):
        load(tmp_path / "soft.npz")


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"young": 0.0}, "young 0"),
        ({"poisson": 0.5}, "poisson 0.5"),
        ({"density": float("nan")}, "density nan"),
        ({"damping": -1.0}, "damping -1"),
    ],
)
def test_materials_that_cannot_be(change: dict[str, float], named: str) -> None:
    whole = {"young": YOUNG, "poisson": POISSON, "density": 1e3, "damping": 0.0} | change
    with pytest.raises(UsageError, match=named):
        SoftBody(name="ball", mesh=str(FILE), **whole)  # type: ignore[arg-type]


def test_two_bodies_of_one_name_are_refused() -> None:
    ball = soft_ball(mass=0.105, young=YOUNG, poisson=POISSON, damping=None, friction=0.5, height=0.03)
    with pytest.raises(UsageError, match="two bodies named 'ball'"):
        Scene(name="two", soft_bodies=(ball, ball))


def test_volumes_are_signed() -> None:
    corner: Array = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    assert volumes(corner, np.array([[0, 1, 2, 3]])) == pytest.approx([1 / 6])
    assert volumes(corner, np.array([[0, 2, 1, 3]])) == pytest.approx([-1 / 6])
