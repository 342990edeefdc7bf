"""What version 2025.12 of the array API standard adds, on every device."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

import hologram_web as hg
from hologram_web import array_api as xp
from hologram_web.array_api import of_version
from hologram_web.errors import LaunchError

RNG = np.random.default_rng(2025)


def test_a_namespace_for_each_version(wasm: hg.Executor) -> None:
    x = xp.asarray([1.0, 2.0], device=wasm)
    old, new = x.__array_namespace__(api_version="2024.12"), x.__array_namespace__(api_version="2025.12")
    assert old is xp is x.__array_namespace__()
    assert new is of_version("2025.12")
    assert (old.__array_api_version__, new.__array_api_version__) == ("2024.12", "2025.12")
    assert new.__name__ == xp.__name__
    assert new.__all__ == xp.__all__
    for given, kind in ((old, list), (new, tuple)):
        assert [type(found) for found in (given.broadcast_arrays(x, x), given.meshgrid(x, x))] == [kind, kind]
        assert type(given.__array_namespace_info__().devices()) is kind
    assert [each.tolist() for each in new.meshgrid(x, x, indexing="ij")] == [[[1, 1], [2, 2]], [[1, 2], [1, 2]]]
    with pytest.raises(ValueError, match=r"^the versions of the standard are 2021.12 to 2025.12, not 2026.12$"):
        x.__array_namespace__(api_version="2026.12")


def test_shapes_together() -> None:
    assert xp.broadcast_shapes() == ()
    assert xp.broadcast_shapes((3, 1), (1, 4), (4,), ()) == np.broadcast_shapes((3, 1), (1, 4), (4,), ())
    with pytest.raises(ValueError, match="do not fit one another"):
        xp.broadcast_shapes((3,), (4,))


@pytest.mark.parametrize("axis", [0, -1, (0, 1), (0, -1), (-1, 1), (3, 0), ()])
def test_further_axes(wasm: hg.Executor, axis: Any) -> None:
    a = RNG.random((2, 3)).astype("f4")
    found = xp.expand_dims(xp.asarray(a, device=wasm), axis=axis)
    assert found.shape == np.expand_dims(a, axis).shape
    np.testing.assert_array_equal(found.numpy(), np.expand_dims(a, axis))


@pytest.mark.parametrize("axis", [3, -4, (0, 0), (0, -4), (0, 4)])
def test_further_axes_that_there_are_not(wasm: hg.Executor, axis: Any) -> None:
    for kind in (IndexError, ValueError, LaunchError):
        with pytest.raises(kind, match="of x, which gets"):
            xp.expand_dims(xp.zeros((2, 3), device=wasm), axis=axis)


def test_numbers_beside_arrays(ex: hg.Executor) -> None:
    a = np.array([[3, 1, 4], [1, 5, 9]], "i4")
    x = xp.asarray(a, device=ex)
    for invert in (False, True):
        assert xp.isin(x, 1, invert=invert).tolist() == np.isin(a, 1, invert=invert).tolist()
        assert xp.isin(4, x, invert=invert).item() is bool(np.isin(4, a, invert=invert))
    ordered = xp.asarray([1.0, 2.0, 4.0], device=ex)
    assert xp.searchsorted(ordered, 2).item() == 1
    assert xp.searchsorted(ordered, 2.0, side="right").item() == 2


def _matched(found: Any, wanted: Any) -> float:
    """How far eigenvalues are from those wanted, each of which is taken once."""
    left, far = list(wanted), 0.0
    for each in found:
        nearest = min(range(len(left)), key=lambda k: abs(left[k] - each))
        far = max(far, abs(left.pop(nearest) - each))
    return far


# F64 is software on GPUs, and a shader of so many statements of it takes its compiler minutes: that is the command.
TYPES = [(device, ty) for device in ("cpu", "wasm", "webgpu") for ty in ("f4", "f8", "c8", "c16")]
TYPES = [(device, ty) for device, ty in TYPES if device != "webgpu" or ty in ("f4", "c8")]


@pytest.mark.parametrize(("device", "ty"), TYPES)
def test_eigenvalues_of_matrices(device: str, ty: str) -> None:
    with hg.Executor(device) as ex:
        for n in (1, 2, 3, 6):
            _check_eigenvalues(ex, ty, n)


def _check_eigenvalues(ex: hg.Executor, ty: str, n: int) -> None:
    a = RNG.standard_normal((2, n, n))
    a = (a + 1j * RNG.standard_normal((2, n, n)) if ty[0] == "c" else a).astype(ty)
    values, vectors = xp.linalg.eig(xp.asarray(a, device=ex))
    w, v = values.numpy(), vectors.numpy()
    near = 1e-4 if ty in ("f4", "c8") else 1e-11
    assert w.dtype == v.dtype == np.dtype("c8" if ty in ("f4", "c8") else "c16")
    np.testing.assert_allclose(a @ v, v * w[..., None, :], rtol=near, atol=near)
    np.testing.assert_allclose(np.linalg.norm(v, axis=-2), 1, rtol=near)
    assert all(_matched(*pair) < near for pair in zip(w, np.linalg.eigvals(a), strict=True))
    np.testing.assert_array_equal(xp.linalg.eigvals(xp.asarray(a, device=ex)).numpy(), w)


JORDAN = np.diag([2.0] * 6) + np.diag([1.0] * 5, 1)
HARD = {
    "nothing": np.zeros((4, 4)),
    "a diagonal": np.diag([3.0, -1.0, 0.0, 3.0]),
    "a circle": np.roll(np.eye(6), 1, axis=0),
    "a turn": np.array([[0.0, -1.0], [1.0, 0.0]]),
    "one vector alone": JORDAN,
    "one row below": np.tril(np.ones((5, 5))),
    "small numbers": JORDAN * 1e-30,
    "large numbers": np.random.default_rng(1).random((6, 6)) * 1e30,
    "rows of all sizes": np.random.default_rng(2).random((6, 6)) * np.logspace(0, -12, 6)[:, None],
    "many rows": np.random.default_rng(3).standard_normal((40, 40)),
}


@pytest.mark.parametrize("name", HARD)
@pytest.mark.parametrize("ty", ["f4", "f8"])
def test_eigenvalues_of_matrices_that_are_hard(wasm: hg.Executor, name: str, ty: str) -> None:
    a = HARD[name].astype(ty)
    w, v = (each.numpy() for each in xp.linalg.eig(xp.asarray(a, device=wasm)))
    near = (2e-5 if ty == "f4" else 1e-13) * np.abs(a).max()
    assert np.isfinite(v).all()
    assert np.abs(a @ v - v * w).max() <= near


def test_eigenvalues_that_there_are_not(wasm: hg.Executor) -> None:
    a = np.array([[np.nan, 1.0], [0.0, 1.0]], "f4")
    assert np.isnan(xp.linalg.eigvals(xp.asarray(a, device=wasm)).numpy()).any()
    assert xp.linalg.eig(xp.zeros((0, 3, 3), device=wasm)).eigenvectors.shape == (0, 3, 3)
    with pytest.raises(LaunchError, match="square matrices are expected"):
        xp.linalg.eig(xp.zeros((2, 3), device=wasm))


def main() -> None:
    """Eigenvalues in F64 on `webgpu`, where a first one is compiled for minutes."""
    with hg.Executor("webgpu", math="strict", limits=hg.Limits(seconds=3600)) as ex:
        for n, ty in ((1, "f8"), (1, "c16"), (2, "f8"), (3, "c16"), (3, "f8")):
            begun = time.monotonic()
            _check_eigenvalues(ex, ty, n)
            print(f"eig of 2 matrices of {ty}, {n} x {n}: right, {time.monotonic() - begun:.1f} s", flush=True)


if __name__ == "__main__":
    main()
