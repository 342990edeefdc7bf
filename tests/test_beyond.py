"""NumPy's functions of Arrays that the standard has not, random numbers as NumPy's Generator gives them, and copies."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hologram_web as hg
from hologram_web import array_api as xp
from hologram_web.errors import LaunchError

RNG = np.random.default_rng(21)
X = (RNG.random((4, 6)) * 4 - 2).astype("f4")
V = (RNG.random(6) * 4 - 2).astype("f4")
N = RNG.integers(0, 5, 17).astype("i4")
GAPS = X.copy()
GAPS[1, 2], GAPS[3, 0], GAPS[0, 5] = np.nan, np.inf, -np.inf
EDGES = np.array([-1.5, -0.5, 0.0, 0.25, 1.5], "f4")

CASES: dict[str, Callable[[Any, Any, Any, Any], Any]] = {
    "split": lambda x, v, n, gaps: np.split(x, 3, axis=1),
    "array_split": lambda x, v, n, gaps: np.array_split(n, 4),
    "split at": lambda x, v, n, gaps: np.split(x, [1, 4], axis=1),
    "hsplit, vsplit": lambda x, v, n, gaps: [*np.hsplit(x, 2), *np.vsplit(x, 2)],
    "swapaxes": lambda x, v, n, gaps: np.swapaxes(x, 0, -1),
    "rot90": lambda x, v, n, gaps: [np.rot90(x, k) for k in range(-1, 4)],
    "flips": lambda x, v, n, gaps: np.flipud(x) + np.fliplr(x),
    "atleast": lambda x, v, n, gaps: [np.atleast_1d(v), np.atleast_2d(v), np.atleast_3d(v), np.atleast_3d(x)],
    "pad": lambda x, v, n, gaps: np.pad(x, ((1, 2), (0, 3)), constant_values=7.0),
    "pad alike": lambda x, v, n, gaps: np.pad(x, 2),
    "stacks": lambda x, v, n, gaps: np.vstack([x, v]) + np.hstack([x, x])[:1, :6],
    "hstack of vectors": lambda x, v, n, gaps: np.hstack([v, v]),
    "kron": lambda x, v, n, gaps: np.kron(x[:2], x[1:, 2:5]),
    "kron of ranks": lambda x, v, n, gaps: np.kron(v, x),
    "inner": lambda x, v, n, gaps: [np.inner(x, x), np.inner(x, v)],
    "vdot": lambda x, v, n, gaps: np.vdot(x, x),
    "outer": lambda x, v, n, gaps: np.outer(x, v),
    "convolve": lambda x, v, n, gaps: [np.convolve(v, v[:3], mode) for mode in ("full", "same", "valid")],
    "convolve longer": lambda x, v, n, gaps: np.convolve(v[:2], v),
    "norms": lambda x, v, n, gaps: [np.linalg.norm(x), np.linalg.norm(v, 1), np.linalg.norm(x, axis=1)],
    "norms of matrices": lambda x, v, n, gaps: [np.linalg.norm(x, "fro"), np.linalg.norm(x, 1, axis=(0, 1))],
    "ptp": lambda x, v, n, gaps: np.ptp(x, axis=1),
    "average": lambda x, v, n, gaps: [np.average(x), np.average(x, axis=1, weights=abs(v)), np.average(x, axis=0)],
    "sums without NaN": lambda x, v, n, gaps: np.nansum(gaps[1:3], axis=1),
    "means without NaN": lambda x, v, n, gaps: np.nanmean(gaps[1:3]),
    "extremes without NaN": lambda x, v, n, gaps: np.nanmax(gaps, axis=1) - np.nanmin(gaps[1:], axis=0)[1],
    "nan_to_num": lambda x, v, n, gaps: [np.nan_to_num(gaps), np.nan_to_num(gaps, nan=1.0, posinf=2.0, neginf=3.0)],
    "isclose": lambda x, v, n, gaps: [np.isclose(gaps, gaps), np.isclose(gaps, gaps, equal_nan=True)],
    "isclose to": lambda x, v, n, gaps: np.isclose(x, x + 1e-4, atol=2e-4),
    "cov": lambda x, v, n, gaps: [np.cov(x), np.cov(x, rowvar=False), np.cov(x, ddof=0), np.cov(v), np.cov(x, v)],
    "corrcoef": lambda x, v, n, gaps: np.corrcoef(x),
    "bincount": lambda x, v, n, gaps: np.bincount(n),
    "bincount of weights": lambda x, v, n, gaps: np.bincount(n[:6] * 1, weights=v, minlength=9),
    "digitize": lambda x, v, n, gaps: [np.digitize(x, EDGES), np.digitize(v, EDGES, right=True)],
    "interp": lambda x, v, n, gaps: [np.interp(x, EDGES, EDGES * 2), np.interp(v, EDGES, EDGES, left=-9.0, right=9.0)],
    "histogram": lambda x, v, n, gaps: [*np.histogram(x), *np.histogram(x, bins=4, range=(-1, 1))],
    "gradient": lambda x, v, n, gaps: [np.gradient(v), *np.gradient(x, 0.5), np.gradient(x, axis=1)],
    "trapezoid": lambda x, v, n, gaps: [np.trapezoid(x), np.trapezoid(x, dx=0.5, axis=0), np.trapezoid(x[0], v)],
    "flatnonzero": lambda x, v, n, gaps: np.flatnonzero(x > 0),
    "linspace": lambda x, v, n, gaps: np.linspace(x, 2.0, 5),
}


def _listed(found: Any) -> list[Any]:
    return list(found) if isinstance(found, (list, tuple)) else [found]


@pytest.mark.parametrize("name", CASES)
def test_it_is_what_numpy_says(wasm: hg.Executor, name: str) -> None:
    given = X, V, N, GAPS
    found = _listed(CASES[name](*(xp.asarray(each, device=wasm) for each in given)))
    expected = _listed(CASES[name](*given))
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.shape == np.shape(theirs)
        np.testing.assert_allclose(ours.numpy(), theirs, rtol=2e-5, atol=2e-5)


def test_what_is_not_there_is_told(wasm: hg.Executor) -> None:
    x = xp.asarray(X, device=wasm)
    with pytest.raises(LaunchError, match="has 4 elements; a multiple of 3 is expected"):
        np.split(x, 3)
    with pytest.raises(LaunchError, match="pad has the mode 'constant', not 'edge'"):
        np.pad(x, 1, mode="edge")
    with pytest.raises(TypeError, match=r"no implementation found for 'numpy\.apply_along_axis'"):
        np.apply_along_axis(np.sum, 0, x)


def test_copies_have_memory_of_their_own(ex: hg.Executor) -> None:
    buffer = ex.array(X)
    shared, copy, typed = xp.asarray(buffer), xp.asarray(buffer, copy=True), xp.astype(xp.asarray(buffer), xp.float32)
    given_back = hg.function(lambda x: xp.asarray(x, copy=True))(buffer)
    buffer.fill(5.0)
    assert (shared.numpy() == 5).all()
    for each in (copy, typed, given_back):
        np.testing.assert_array_equal(each.numpy(), X)


def test_arrays_of_names_that_numpy_has(wasm: hg.Executor) -> None:
    assert hg.arange(4, device=wasm).tolist() == [0, 1, 2, 3]
    made = hg.zeros((2, 2), device=wasm) + hg.full(2, 3.0, device=wasm) * hg.eye(2, device=wasm)
    assert made.tolist() == [[3.0, 0.0], [0.0, 3.0]]
    assert hg.ops.unique(wasm.array(np.array([3, 1, 3], "i4"))).tolist() == [1, 3]


def test_a_generator_goes_on_and_gives_the_same_numbers_everywhere(ex: hg.Executor, wasm: hg.Executor) -> None:
    def some(device: hg.Executor) -> list[Any]:
        rng = hg.ops.default_rng(7, device)
        return [
            rng.random(5), rng.random((2, 3)), rng.uniform(-2, 2, 4), rng.integers(-3, 4, 50), rng.permutation(9),
            rng.choice(5, 6), rng.choice(6, 4, replace=False), rng.choice(3, 8, p=np.array([0.2, 0.0, 0.8], "f4")),
            rng.integers(2**31 - 2, 2**31 - 1, 3, endpoint=True),
        ]  # fmt: skip

    there = [each.numpy() for each in some(ex)]
    for found, same in zip(there, some(wasm), strict=True):
        np.testing.assert_array_equal(found, same.numpy())
    assert set(there[3].tolist()) == set(range(-3, 4))
    assert sorted(there[4].tolist()) == list(range(9))
    assert len(set(there[6].tolist())) == 4
    assert 1 not in there[7]
    assert set(there[8].tolist()) <= {2**31 - 2, 2**31 - 1}
    with pytest.raises(LaunchError, match="from 3 to 3 there are 0 numbers"):
        hg.ops.default_rng(1, ex).integers(3, 3)


def test_numbers_of_a_generator_are_distributed_as_they_should(wasm: hg.Executor) -> None:
    rng = hg.ops.default_rng(3, wasm)
    normal, exponential = rng.normal(2.0, 3.0, 40_000).numpy(), rng.exponential(2.0, 40_000).numpy()
    assert abs(normal.mean() - 2) < 0.06
    assert abs(normal.std() - 3) < 0.05
    assert abs(exponential.mean() - 2) < 0.05
    counts = np.bincount(rng.integers(7, size=70_000).numpy())
    assert len(counts) == 7
    assert abs(counts - 10_000).max() < 500
