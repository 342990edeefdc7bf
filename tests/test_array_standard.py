"""What the array API standard asks for beyond maps, reductions and products, against NumPy, on every device."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hologram_web as hg
from hologram_web import array_api as xp
from hologram_web.errors import LaunchError

from .array_api.__main__ import of_file, table, together
from .array_api.exclusions import EXCLUSIONS
from .array_api.suite import found_in
from .namespace import NamespaceOn

RNG = np.random.default_rng(19)
X = (RNG.random((5, 7)) * 4 - 2).astype("f4")
Z = (X + 1j * (RNG.random((5, 7)) * 4 - 2)).astype("c8")
W = (Z[::-1] * (0.5 - 1j)).astype("c8")
N = RNG.integers(0, 9, (5, 7)).astype("i4")


def _close(found: Any, expected: Any, tolerance: float = 2e-5) -> None:
    assert found.shape == expected.shape
    np.testing.assert_allclose(found.numpy(), expected, rtol=tolerance, atol=tolerance)


COMPLEX: dict[str, Callable[..., Any]] = {
    "arithmetic": lambda p, z, w, x: (z + w) * z - w / z + -z * 2.0 + 1j,
    "beside real ones": lambda p, z, w, x: z * x + x,
    "parts": lambda p, z, w, x: p.real(z) * p.imag(w) + p.real(p.conj(z)),
    "sizes": lambda p, z, w, x: p.abs(z) + p.real(p.sign(w)),
    "views": lambda p, z, w, x: z[1:, ::-2].T * w[0, 0],
    "chosen": lambda p, z, w, x: p.where(x > 0, z, w),
    "equal": lambda p, z, w, x: (z == z) & (z != w),
    "sums": lambda p, z, w, x: p.sum(z * w, axis=1) + p.mean(z, axis=1),
    "products": lambda p, z, w, x: p.prod(z, axis=0),
    "matrices": lambda p, z, w, x: z @ w.T,
    "powers": lambda p, z, w, x: p.pow(z, 3.0) + p.pow(z, w),
    "joined": lambda p, z, w, x: p.concat([z, w], axis=1)[:, 3:9],
    "gathered": lambda p, z, w, x: p.take(z, p.asarray([3, 0, -1]), axis=0),
    "running": lambda p, z, w, x: p.cumulative_sum(z, axis=1) - p.cumulative_prod(w, axis=0),
}
FUNCTIONS = "exp expm1 log log1p log2 log10 sqrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh"
COMPLEX |= {name: (lambda p, z, w, x, name=name: getattr(p, name)(z)) for name in FUNCTIONS.split(" ")}


@pytest.mark.parametrize("name", COMPLEX)
def test_complex_numbers(ex: hg.Executor, name: str) -> None:
    with np.errstate(all="ignore"):
        expected = COMPLEX[name](np, Z, W, X)
    found = COMPLEX[name](NamespaceOn(ex), *(xp.asarray(each, device=ex) for each in (Z, W, X)))
    assert str(found.dtype) == {"bool": "bool", "float32": "f32"}.get(str(expected.dtype), "complex64")
    _close(found, expected, 2e-4)


@pytest.mark.parametrize(
    ("name", "z", "expected"),
    [
        ("sqrt", complex(-np.inf, 1.0), complex(0.0, np.inf)),
        ("sqrt", complex(-4.0, -0.0), complex(0.0, -2.0)),
        ("sqrt", complex(3e38, 3e38), np.sqrt(complex(3e38, 3e38))),
        ("log", complex(-0.0, 0.0), complex(-np.inf, np.pi)),
        ("log", complex(1.0, 1e-4), np.log(complex(1.0, 1e-4))),
        ("exp", complex(-np.inf, np.nan), complex(0.0, 0.0)),
        ("tanh", complex(np.inf, 1.0), complex(1.0, 0.0)),
        ("atanh", complex(1.0, 0.0), complex(np.inf, 0.0)),
        ("acos", complex(np.inf, -np.inf), complex(np.pi / 4, np.inf)),
        ("asinh", complex(np.nan, 0.0), complex(np.nan, 0.0)),
    ],
)
def test_complex_functions_at_the_ends(wasm: hg.Executor, name: str, z: complex, expected: complex) -> None:
    found = complex(getattr(xp, name)(xp.asarray(z, dtype=hg.complex64, device=wasm)))
    np.testing.assert_allclose([found.real, found.imag], [expected.real, expected.imag], rtol=1e-6)


ASSIGNMENTS: dict[str, tuple[Any, Any]] = {
    "all": (..., 3.0),
    "a row": (1, 5.0),
    "a column": ((slice(None), -2), np.arange(5, dtype="f4")),
    "an element": ((4, 0), -1.0),
    "strides": ((slice(1, None, 2), slice(None, None, -3)), np.arange(6, dtype="f4").reshape(2, 3)),
    "broadcast": ((slice(0, 3), slice(2, 4)), np.array([[1], [2], [3]], "f4")),
    "nothing": ((slice(3, 3), slice(None)), 9.0),
    "rows chosen": (np.array([0, -1, 0]), np.arange(21, dtype="f4").reshape(3, 7)),
    "elements chosen": ((np.array([0, 2]), np.array([1, 1])), np.array([8, 9], "f4")),
    "where it is true": (X > 0.5, 0.0),
    "rows that are true": (np.array([True, False, True, False, False]), 7.0),
    "values where it is true": (X > 1.5, np.arange(int((X > 1.5).sum()), dtype="f4")),
}


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_assignment(ex: hg.Executor, name: str) -> None:
    key, value = ASSIGNMENTS[name]
    expected = X.copy()
    expected[key] = value
    x = xp.asarray(X, device=ex)
    before, row = x + 0.0, x[1]

    def here(each: Any) -> Any:
        return xp.asarray(each, device=ex) if isinstance(each, np.ndarray) else each

    x[tuple(map(here, key)) if isinstance(key, tuple) else here(key)] = here(value)
    np.testing.assert_array_equal(x.numpy(), expected)
    np.testing.assert_array_equal(before.numpy(), X)  # what was made of it before
    np.testing.assert_array_equal(row.numpy(), X[1])


def test_in_place_operators_change_the_array(wasm: hg.Executor) -> None:
    x = xp.asarray(X, device=wasm)
    same = x
    x += 1.0
    x *= X
    assert same is x
    np.testing.assert_array_equal(x.numpy(), (X + np.float32(1)) * X)
    n = xp.asarray(N, device=wasm)
    with pytest.raises(LaunchError, match="add in place: an array of"):
        n += 0.5


KEYS: dict[str, Any] = {
    "rows": np.array([[0, -1], [2, 2]]),
    "pairs": (np.array([0, 1, 4]), np.array([6, 0, -7])),
    "a column of rows": (np.array([0, 1]), 3),
    "between": (slice(1, 4), np.array([0, 2])),
    "in front": (np.array([0, 2]), slice(None), None),
    "a grid": (np.array([[0], [3]]), np.array([1, 2])),
    "bools": X > 0,
    "rows by bools": np.array([True, False, True, True, False]),
    "columns by bools": (slice(None), X[0] > 0),
    "none": np.zeros((5, 7), bool),
}


@pytest.mark.parametrize("name", KEYS)
def test_keys(ex: hg.Executor, name: str) -> None:
    key = KEYS[name]
    here = tuple(xp.asarray(each, device=ex) if isinstance(each, np.ndarray) else each for each in
                 (key if isinstance(key, tuple) else (key,)))  # fmt: skip
    _close(xp.asarray(X, device=ex)[here], X[key], 0)


def test_keys_that_an_array_does_not_have(wasm: hg.Executor) -> None:
    x = xp.asarray(X, device=wasm)
    for key in (xp.asarray([5], device=wasm), (xp.asarray([0], device=wasm), xp.asarray([7], device=wasm))):
        with pytest.raises(hg.ExecutionError, match="OutOfBounds"):
            x[key].numpy()
    for wrong in (5, (0, 0, 0), xp.asarray([True], device=wasm), 0.5):
        with pytest.raises(IndexError):
            x[wrong]


OTHERS: dict[str, Callable[..., Any]] = {
    "nonzero": lambda p, x, n: p.nonzero(n)[0] * 10 + p.nonzero(n)[1],
    "searchsorted": lambda p, x, n: p.searchsorted(p.sort(x[0]), x[1]),
    "searchsorted behind": lambda p, x, n: p.searchsorted(p.sort(n[0]), n[1], side="right"),
    "different": lambda p, x, n: p.sort(p.unique_values(n)),  # NumPy's are in no order
    "counted": lambda p, x, n: p.unique_counts(n).counts,
    "inverse": lambda p, x, n: p.unique_inverse(n).inverse_indices,
    "first": lambda p, x, n: p.unique_all(n).indices,
    "is in": lambda p, x, n: p.isin(n, p.asarray([1, 5])),
    "along": lambda p, x, n: p.take_along_axis(x, p.argsort(x, axis=1), axis=1),
    "running products": lambda p, x, n: p.cumulative_prod(x, axis=1),
    "repeated": lambda p, x, n: p.repeat(x, p.asarray([2, 0, 1, 3, 0]), axis=0),
    "next": lambda p, x, n: p.nextafter(x, x * 0),
    "signs": lambda p, x, n: p.signbit(x * 0),
    "differences": lambda p, x, n: p.diff(x, axis=1, prepend=x[:, :1]),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_functions(ex: hg.Executor, name: str) -> None:
    expected = OTHERS[name](np, X, N)
    _close(OTHERS[name](NamespaceOn(ex), xp.asarray(X, device=ex), xp.asarray(N, device=ex)), expected, 1e-6)


def _matrices(ty: str, n: int) -> tuple[Any, Any]:
    """Two matrices, and two that are Hermitian and positive definite."""
    rng = np.random.default_rng(n)
    a = rng.standard_normal((2, n, n)) + (1j * rng.standard_normal((2, n, n)) if ty[0] == "c" else 0)
    return a.astype(ty), (a @ a.conj().transpose(0, 2, 1) + n * np.eye(n)).astype(ty)


SIZES = [("wasm", "f4", 1), ("wasm", "f4", 6), ("wasm", "f4", 17), ("wasm", "c8", 5), ("wasm", "f8", 13),
         ("webgpu", "f4", 14), ("webgpu", "c8", 2), ("cpu", "f4", 2)]  # fmt: skip


@pytest.mark.parametrize(("device", "ty", "n"), SIZES)
def test_matrices(device: str, ty: str, n: int) -> None:
    with hg.Executor(device) as ex:
        _check_matrices(ex, ty, n)
        _check_factors(ex, ty, n)


def _check_matrices(ex: hg.Executor, ty: str, n: int) -> None:
    a, h = _matrices(ty, n)
    x, y = (xp.asarray(each, device=ex) for each in (a, h))
    near = 1e-9 if ty == "f8" else 1e-3
    la = xp.linalg
    _close(la.solve(y, x), np.linalg.solve(h, a), near)
    _close(la.inv(y) @ y, np.broadcast_to(np.eye(n), h.shape), near)
    sign, size = np.linalg.slogdet(a)
    found = la.slogdet(x)
    _close(found.sign, sign, near)
    _close(found.logabsdet, size, near)
    _close(la.det(x), np.linalg.det(a), near * max(1.0, float(np.exp(size.max()))))
    _close(la.cholesky(y), np.linalg.cholesky(h), near * n)
    _close(xp.conj(la.cholesky(y, upper=True).mT), np.linalg.cholesky(h), near * n)


@pytest.mark.parametrize("dtype", ["f4", "c8"])
def test_determinants_beyond_the_type_and_on_the_way_to_it(ex: hg.Executor, dtype: str) -> None:
    sizes = ([1e30, 1e30, 1e-30, 1e-30], [1e-30, 1e-30, 1e30, 1e30], [1e30, 1e30, 2, 3], [1e30, 0, 1e30, 1e30])
    a = np.stack([np.diag(np.array(each, dtype)) for each in sizes])
    if dtype == "c8":
        a = a * np.array(1j, dtype)
    with np.errstate(all="ignore"):
        wanted = np.linalg.det(a)
    np.testing.assert_allclose(xp.linalg.det(xp.asarray(a, device=ex)).numpy(), wanted, rtol=1e-4)


def _check_factors(ex: hg.Executor, ty: str, n: int) -> None:
    a, h = _matrices(ty, n)
    near = 1e-9 if ty == "f8" else 2e-4 * n
    la = xp.linalg
    for given in (a[:, : n // 2 + 1], a[:, :, : n // 2 + 1]):
        x = xp.asarray(given, device=ex)
        m, k = given.shape[1], min(given.shape[1:])
        q, r = la.qr(x)
        _close(q @ r, given, near)
        _close(xp.conj(q.mT) @ q, np.broadcast_to(np.eye(k), (2, k, k)), near)
        _close(r, np.triu(r.numpy()), 0)
        u, s, vh = la.svd(x)
        _close(s, np.linalg.svd(given)[1], near)
        _close((u[..., :k] * xp.expand_dims(s.astype(u.dtype), axis=-2)) @ vh[..., :k, :], given, near)
        _close(xp.conj(u.mT) @ u, np.broadcast_to(np.eye(m), (2, m, m)), near)
    values, vectors = la.eigh(xp.asarray(h, device=ex))
    _close(values, np.linalg.eigvalsh(h), near * n)
    _close((vectors * xp.expand_dims(values.astype(vectors.dtype), axis=-2)) @ xp.conj(vectors.mT), h, near * n)


def test_matrices_without_full_rank(wasm: hg.Executor) -> None:
    a = np.outer(np.arange(1, 5), np.arange(2, 5)).astype("f4")
    a = np.stack([a, a * 0, np.eye(4, 3, dtype="f4")])
    x = xp.asarray(a, device=wasm)
    assert xp.linalg.matrix_rank(x).tolist() == [1, 0, 3]
    _close(xp.linalg.pinv(x), np.linalg.pinv(a, rtol=1e-5), 1e-6)
    u = xp.linalg.svd(x).U
    _close(u.mT @ u, np.broadcast_to(np.eye(4), (3, 4, 4)), 1e-5)


@pytest.mark.parametrize("n", [1, 8, 15, 37])
def test_transforms(ex: hg.Executor, n: int) -> None:
    z = (RNG.standard_normal((3, n)) + 1j * RNG.standard_normal((3, n))).astype("c8")
    x, y = xp.asarray(z, device=ex), xp.asarray(z.real.copy(), device=ex)
    for norm in ("backward", "ortho", "forward"):
        _close(xp.fft.fft(x, norm=norm), np.fft.fft(z, norm=norm), 1e-4)
        _close(xp.fft.ifft(x, n=n + 2, norm=norm), np.fft.ifft(z, n + 2, norm=norm), 1e-4)
        _close(xp.fft.rfft(y, axis=0, norm=norm), np.fft.rfft(z.real, axis=0, norm=norm), 1e-4)
        _close(xp.fft.irfft(x, n=n, norm=norm), np.fft.irfft(z, n, norm=norm), 1e-4)
        _close(xp.fft.hfft(x, n=n, norm=norm), np.fft.hfft(z, n, norm=norm), 2e-4)
        _close(xp.fft.ihfft(y, norm=norm), np.fft.ihfft(z.real, norm=norm), 1e-4)
    _close(xp.fft.fftn(x), np.fft.fftn(z), 1e-4)
    _close(xp.fft.irfftn(xp.fft.rfftn(y), s=(3, n)), z.real, 1e-4)
    _close(xp.fft.fftshift(x), np.fft.fftshift(z), 0)
    _close(xp.fft.ifftshift(xp.fft.fftfreq(n, d=0.5, device=ex)), np.fft.ifftshift(np.fft.fftfreq(n, 0.5)), 1e-6)
    _close(xp.fft.rfftfreq(n, device=ex), np.fft.rfftfreq(n), 1e-6)


NUMPY: dict[str, Callable[..., Any]] = {
    "a ufunc": lambda a: np.arctan2(np.exp(a), a),
    "an operator of theirs": lambda a: X + a * np.float32(2),
    "a reduction": lambda a: np.sum(a, 0) + np.mean(a, axis=0),
    "a reduction by a ufunc": lambda a: np.add.reduce(a) + np.maximum.reduce(a, axis=0),
    "joined": lambda a: np.concatenate([a, a * 2], axis=1),
    "where": lambda a: np.where(a > 0, a, -1.0),
    "clipped": lambda a: np.clip(a, -1, 0.5),
    "shapes": lambda a: np.transpose(np.expand_dims(np.reshape(a, (7, 5)), 0), (2, 0, 1)),
    "linalg": lambda a: np.linalg.inv(a[:, :5] + np.eye(5, dtype="f4") * 4),
    "fft": lambda a: np.fft.rfft(a, axis=0),
    "median": lambda a: np.median(a),
    "median along": lambda a: np.median(a, axis=1, keepdims=True) + np.median(a[:, :4], axis=-1, keepdims=True),
    "percentiles": lambda a: np.percentile(a, [0, 12.5, 99, 100], axis=0),
    "quantile of two axes": lambda a: np.quantile(np.stack([a, a * 2]), 0.3, axis=(0, 2)),
    "quantile by methods": lambda a: np.stack(
        [np.quantile(a, 0.41, axis=1, method=method) for method in ("lower", "higher", "midpoint", "linear")]
    ),
}


@pytest.mark.parametrize("name", NUMPY)
def test_functions_of_numpy(wasm: hg.Executor, name: str) -> None:
    found = NUMPY[name](xp.asarray(X, device=wasm))
    assert type(found).__name__ == "Array"
    _close(found, NUMPY[name](X), 1e-4)


def test_quantiles_at_the_ends(wasm: hg.Executor) -> None:
    given = np.array([[1, np.nan, 2], [np.inf, 3, np.inf], [-np.inf, 5, 5]], "f4")
    x = xp.asarray(given, device=wasm)
    np.testing.assert_array_equal(np.asarray(np.median(x, axis=1)), np.median(given, axis=1))
    np.testing.assert_array_equal(np.asarray(np.quantile(x, [0, 1], axis=1)), np.quantile(given, [0, 1], axis=1))
    assert np.median(xp.asarray(np.array([5, 1, 2, 9], "i4"), device=wasm)).tolist() == 3.5
    with pytest.raises(LaunchError, match=r"quantiles are from 0 to 1, and 1\.5 is asked for"):
        np.quantile(x, 1.5)
    with pytest.raises(LaunchError, match="no method 'weibull'; there are linear, lower, higher, midpoint"):
        np.quantile(x, 0.5, method="weibull")
    with pytest.raises(LaunchError, match="no elements have no quantiles"):
        np.median(x[:, :0], axis=1)


def test_what_numpy_has_and_we_have_not(wasm: hg.Executor) -> None:
    x = xp.asarray(X, device=wasm)
    for call in (lambda: np.partition(x, 1), lambda: np.spacing(x), lambda: np.sum(x, where=X > 0)):
        with pytest.raises(TypeError):
            call()


def test_memory_is_lent_to_numpy_where_it_is_in_reach(ex: hg.Executor) -> None:
    x = xp.asarray(X, device=ex) + 0.0
    if ex.backend.selected == "webgpu":
        with pytest.raises(BufferError, match="out of reach"):
            x.__dlpack__(copy=False)
    else:
        lent, again = np.from_dlpack(x), np.from_dlpack(x)
        assert np.shares_memory(lent, again)
        del x
        np.testing.assert_array_equal(lent, X)  # NumPy's arrays keep the Buffer
    x = xp.asarray(X, device=ex)
    copy = np.from_dlpack(x, copy=True)
    np.testing.assert_array_equal(copy, X)


def test_what_dlpack_brings_is_copied_or_refused(ex: hg.Executor) -> None:
    buffer = ex.array(X)
    same, copied = xp.from_dlpack(buffer, copy=False), xp.from_dlpack(buffer, copy=True).realize()
    assert same.buffer is buffer
    assert copied.buffer is not buffer
    buffer.fill(7)
    assert (copied.numpy() == X).all()
    assert (same.numpy() == 7).all()
    np.testing.assert_array_equal(xp.from_dlpack(X, device=ex).numpy(), X)
    with hg.Executor("wasm") as other:
        np.testing.assert_array_equal(xp.from_dlpack(copied, device=other).numpy(), X)
        for foreign in (X, copied):
            with pytest.raises(BufferError, match="have to be copied to the device: copy=False is not possible"):
                xp.from_dlpack(foreign, device=other, copy=False)


SCIPY: dict[str, Callable[..., Any]] = {
    "logsumexp": lambda s, a: s.special.logsumexp(a, axis=1),
    "softmax": lambda s, a: s.special.softmax(a, axis=0),
    "zscore": lambda s, a: s.stats.zscore(a),
    "pearsonr": lambda s, a: s.stats.pearsonr(a[:, 0], a[:, 1]).statistic,
    "skew": lambda s, a: s.stats.skew(a),
    "rfft": lambda s, a: s.fft.rfft(a),
    "whiten": lambda s, a: s.cluster.vq.whiten(a),
    "detrend": lambda s, a: s.signal.detrend(a, axis=0),
    "trapezoid": lambda s, a: s.integrate.trapezoid(a),
}


def test_functions_of_scipy() -> None:
    """In a process of its own: SciPy reads whether it takes arrays of others when it is imported."""
    code = (
        "import numpy as np, scipy.special, scipy.stats, scipy.fft, scipy.cluster, scipy.signal, scipy.integrate\n"
        "import scipy\n"
        "from hologram_web import array_api as xp\n"
        "from tests.test_array_standard import SCIPY, X\n"
        "x = xp.asarray(X.astype('f8'))\n"
        "for name, call in SCIPY.items():\n"
        "    found = call(scipy, x)\n"
        "    assert type(found).__name__ == 'Array', name\n"
        "    np.testing.assert_allclose(found.numpy(), call(scipy, X.astype('f8')), rtol=1e-9, atol=1e-12)\n"
    )
    environment = {**os.environ, "SCIPY_ARRAY_API": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_floor_division_of_floats_is_the_standards(ex: hg.Executor) -> None:
    """floor(a / b) where one is infinite; Python and NumPy give NaN and -1 there."""
    ends = [np.inf, -np.inf, np.nan, 0.0, -0.0, 2.5, -2.5, 7.0, -7.0]
    a, b = (side.ravel() for side in np.meshgrid(*[np.array(ends, "f4")] * 2))
    for ty in (hg.f16, hg.bf16, hg.f32, hg.f64):
        x, y = (xp.asarray(each, device=ex).astype(ty) for each in (a, b))
        found = (x // y).astype(hg.f32).numpy()
        with np.errstate(all="ignore"):
            expected = np.floor(a / b)
        np.testing.assert_array_equal(found, expected)
        np.testing.assert_array_equal(np.signbit(found[found == 0]), np.signbit(expected[expected == 0]))


def test_what_the_suite_excludes_has_a_reason_and_only_shrinks() -> None:
    assert {device: len(excluded) for device, excluded in EXCLUSIONS.items()} == {"webgpu": 1}
    for device, excluded in EXCLUSIONS.items():
        assert device in ("wasm", "webgpu", "cpu")
        for name, reason in excluded.items():
            assert name.startswith("array_api_tests/test_")
            assert len(reason) > 20


def test_reports_of_the_suite_are_counted() -> None:
    report = (
        '<testsuites><testsuite><testcase classname="a" name="b"/>'
        '<testcase classname="a" name="c"><failure/></testcase>'
        '<testcase classname="a" name="d"><skipped type="pytest.xfail"/></testcase>'
        '<testcase classname="a" name="e"><skipped type="pytest.skip"/></testcase></testsuite></testsuites>'
    )
    found = dict(found_in(report))
    assert found == {"a::b": "passed", "a::c": "failed", "a::d": "excluded", "a::e": "of later versions"}
    assert table({"test_a.py": found})[-1] == "| **all** | **1** | **1** | **1** | **1** |"


def test_a_page_takes_tests_of_several_files() -> None:
    shards = {"a#0": ["t"] * 9, "b#0": ["t"] * 41, "c#0": ["t"] * 50, "c#1": ["t"] * 4, "d#0": ["t"]}
    assert together(list(shards), shards) == [["a#0", "b#0"], ["c#0"], ["c#1", "d#0"]]
    assert together([], shards) == []
    found = {"tests.test_a::b": "passed", "tests.test_a.Inner::c": "failed", "tests.test_a_b::d": "passed"}
    assert of_file("test_a.py#1", found) == {"tests.test_a::b": "passed", "tests.test_a.Inner::c": "failed"}
    assert of_file("test_a_b.py#0", found) == {"tests.test_a_b::d": "passed"}


@pytest.mark.parametrize("lazy", [False, True])
def test_functions_of_numpy_take_buffers_and_arrays(lazy: bool) -> None:
    data = np.arange(12, dtype=np.float32).reshape(3, 4)
    with hg.Executor("wasm") as ex:
        x = ex.array(data) + 0 if lazy else ex.array(data)
        for name in ("sum", "prod", "min", "max", "mean", "std", "var", "any", "all"):
            assert np.allclose(getattr(np, name)(x).tolist(), getattr(np, name)(data)), name
        assert np.allclose(x, data)
        assert np.array_equal(x, data)
        assert np.shape(x) == (3, 4)
        assert np.tile(x, 2).shape == (3, 8)
        assert np.cumsum(x).tolist() == np.cumsum(data).tolist()
        assert np.einsum("ij,ij->i", x, x).tolist() == np.einsum("ij,ij->i", data, data).tolist()
        assert np.std(x, ddof=1).tolist() == pytest.approx(np.std(data, ddof=1))
        assert np.trace(x[:, :3]).tolist() == 15


def test_what_has_no_rule_is_named() -> None:
    with hg.Executor("wasm") as ex:
        x = ex.array(np.eye(3, dtype=np.float32))
        with pytest.raises(hg.LaunchError, match=r"has no derivative: give one by hg\.custom_gradient"):
            hg.grad(lambda a: xp.linalg.svd(a).U.sum())(x)
        rows = np.sort(np.random.default_rng(3).random((4, 5), np.float32))
        found = hg.vmap(lambda row: xp.searchsorted(row, row))(ex.array(rows))  # one after another
        assert found.tolist() == [np.searchsorted(row, row).tolist() for row in rows]
        with pytest.raises(hg.LaunchError, match=r"hg\.vmap has no rule for search_left, which is done 300 times then"):
            hg.vmap(lambda row: xp.searchsorted(row, row))(ex.zeros((300, 2)))
