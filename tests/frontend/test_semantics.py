"""What operators and statements mean at the edges, against Python's integers and NumPy."""

# mypy: ignore-errors
# ruff: noqa: E501

from __future__ import annotations

import typing

import numpy as np
import pytest

import hologram_web as hg

T = typing.TypeVar("T")
INTEGERS = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")
FLOATS = ("f2", "f4", "f8")


@pytest.fixture(scope="module", params=["cpu", "wasm", "webgpu"])
def device(request):
    return hg.backends.DEVICES[request.param]()


@hg.kernel
def divide(x: hg.Array[T], d: hg.Array[T], y: hg.Array[T, 2]):
    """Floor division and remainder by what is known while running and before."""
    i = hg.global_id()
    y[i, 0], y[i, 1] = x[i] // d[i], x[i] % d[i]
    y[i, 2], y[i, 3] = x[i] // 3, x[i] % 3
    y[i, 4], y[i, 5] = x[i] // 8, x[i] % 8
    if T.is_signed:
        y[i, 6], y[i, 7] = x[i] // -7, x[i] % -7


@hg.kernel
def wrap(x: hg.Array[T], y: hg.Array[T, 2]):
    i = hg.global_id()
    y[i, 0], y[i, 1] = x[i] + x[i], x[i] * x[i]
    y[i, 2], y[i, 3] = -x[i], abs(x[i])
    y[i, 4], y[i, 5] = x[i] << (i + T.bits - 1), x[i] >> (i + T.bits)
    y[i, 6], y[i, 7] = ~x[i], x[i] ** 3
    y[i, 8] = T.max_value - x[i]
    y[i, 9] = T(T.min_value) + (x[i] > 1) - (x[i] < 1)


def _edges(dtype):
    info = np.iinfo(dtype)
    return [v for v in (info.min, info.min + 1, -7, -1, 0, 1, 2, 7, 100, info.max) if info.min <= v <= info.max]


def _wrapped(values, dtype):
    bits = 8 * np.dtype(dtype).itemsize
    unsigned = [[int(v) % (1 << bits) for v in row] for row in values]
    return np.array(unsigned, f"u{bits // 8}").view(dtype)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_division_of_integers(device, dtype):
    pairs = [(a, b) for a in _edges(dtype) for b in _edges(dtype) if b]
    x, d = (np.array(column, dtype) for column in zip(*pairs, strict=True))
    y = np.zeros((len(pairs), 8), dtype)
    divide.on(device)[len(pairs)](x, d, y)
    rows = []
    for a, b in pairs:
        known = (3, 8, -7) if dtype[0] == "i" else (3, 8)
        rows.append([part for by in (b, *known) for part in divmod(a, by)] + [0, 0] * (dtype[0] == "u"))
    np.testing.assert_array_equal(y, _wrapped(rows, dtype))


@pytest.mark.parametrize("dtype", FLOATS)
def test_division_of_floats(device, dtype):
    values = np.array([-7.5, -1, -0.0, 0.0, 0.3, 1, 2, 7.75, 100, np.inf, -np.inf, np.nan], dtype)
    x, d = (part.ravel() for part in np.meshgrid(values, values))
    y = np.zeros((len(x), 8), dtype)
    divide.on(device)[len(x)](x, d, y)
    with np.errstate(all="ignore"):
        columns = [f(x, np.asarray(by, dtype)) for by in (d, 3, 8, -7) for f in (np.floor_divide, np.mod)]
    finite = np.isfinite(x) & np.isfinite(d) & (d != 0)
    np.testing.assert_array_equal(y[finite], np.stack(columns, 1)[finite])


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_wrap(device, dtype):
    x = np.array(_edges(dtype), dtype)
    y = np.zeros((len(x), 10), dtype)
    wrap.on(device)[len(x)](x, y)
    bits, low, high = 8 * x.itemsize, int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    rows = []
    for i, v in enumerate(map(int, x)):
        left, right = (i + bits - 1) % bits, i % bits
        rows.append([2 * v, v * v, -v, abs(v), v << left, v >> right, ~v, v**3, high - v, low + (v > 1) - (v < 1)])
    np.testing.assert_array_equal(y, _wrapped(rows, dtype))


X = np.array([-8, -7, -3, -1, 0, 1, 2, 5, 7, 100], "i4")
F = np.array([-7.5, -0.0, 0.0, 1.5, np.inf, -np.inf, np.nan, 3], "f4")
LANES = np.arange(10)
CASES = [
    ("y[i] = (-2) ** 3 + -2 ** 2 - x[i] ** 2", X, -12 - X**2),
    ("y[i] = -7 // 2 + -7 % 3 + 7 // -2 * 10", X, X * 0 - 4 + 2 - 40),
    ("y[i] = hg.i32(-7) // 2 * 10 + hg.i32(-7) % 3", X, X * 0 - 38),
    ("y[i] = (x[i] > 0) + (x[i] > 1) * 2 - (x[i] < 0) // 1", X, (X > 0) + (X > 1) * 2 - (X < 0).astype("i4")),
    ("y[i] = hg.i32((x[i] > 0) ^ (x[i] > 3)) + ((x[i] > 0) << 3)", X, ((X > 0) ^ (X > 3)) + (X > 0) * 8),
    ("y[i] = 1 if (x[i] > 0) == (x[i] < 3) else 0", X, (X > 0) == (X < 3)),
    ("y[i] = 1 if -3 <= x[i] < 5 != x[i] + 1 else 0", X, (X >= -3) & (X < 5) & (X != 4)),
    ("y[i] = 1 if not (x[i] > 0 or x[i] < -5) else 2 if x[i] > 5 else 3", X, np.where((X <= 0) & (X >= -5), 1, np.where(X > 5, 2, 3))),
    ("a = hg.u8(200)\na <<= 1\ny[i] = a + x[i]", X, X + 144),
    ("a = hg.i8(-1)\ny[i] = hg.i32(hg.u32(a) >> 24) + hg.i32(hg.u32(3) - 5)", X, X * 0 + 253),
    ("y[i] = hg.i32((hg.i64(x[i]) * 1000000007) % 97)", X, (X.astype("i8") * 1000000007) % 97),
    ("y[i] = (1 << 40) >> 38", X, X * 0 + 4),
    ("y[i] = hg.i32(0xFFFFFFFF) + True", X, X * 0),
    ("a = 5\na -= a * 2\na **= 2\na //= -2\na %= 8\ny[i] = a", X, X * 0 + 3),
    ("y[i] = x[i]\ny[i] += y[i] * 2\ny[i] -= 1", X, X * 3 - 1),
    ("x[i], y[i] = y[i], x[i]", X, X),
    ("a = c = x[i]\na += 1\n[a, c] = c, a\ny[i] = a * 10 + c", X, X * 11 + 1),
    ("s = 0\nfor j in range(10, 0, -(i + 1)):\n    s = s * 3 + j\ny[i] = s", X, [sum(j * 3**k for k, j in enumerate(reversed(range(10, 0, -(i + 1))))) for i in range(10)]),
    ("s = 0\nfor j in range(hg.u8(250), hg.u8(255)):\n    s += j\ny[i] = s", X, X * 0 + sum(range(250, 255))),
    ("n = 3\ns = 0\nfor j in range(n):\n    n = 10\n    s += j\n    j = 100\ny[i] = s", X, X * 0 + 3),
    ("a = 0\nwhile not a >= i:\n    a += 1\n    if a == 7:\n        break\ny[i] = a", X, np.minimum(LANES, 7)),
    ("y[i] = 1\nreturn\ny[i] = 1.5", X, X * 0 + 1),
    ("if 0:\n    y[i] = 1.5\nelif True:\n    y[i] = 2\nelse:\n    y[i] = x", X, X * 0 + 2),
    ("y[i] = hg.popcount(x[i]) * 100 + hg.clz(x[i])", X, [bin(v & 0xFFFFFFFF).count("1") * 100 + 32 - (v & 0xFFFFFFFF).bit_length() for v in X.tolist()]),
    ("y[i] = x[(i + 3) % len(x)] - x[hg.u8(i)] * x[i > 2]", X, np.roll(X, -3) - X * np.where(LANES > 2, -7, -8)),
    ("y[i] = hg.i32(2.0 ** i) + hg.i32(1.5 if x[i] > 0 else 2)", X, 2**LANES + np.where(X > 0, 1, 2)),
    ("y[i] = x[i] % 2.0", F, np.mod(F[np.isfinite(F)], np.float32(2))),
    ("y[i] = 1 if x[i] != x[i] else 2 if not x[i] else 3 if 0 <= x[i] <= 2 else 4", F, [4, 2, 2, 3, 4, 4, 1, 4]),
    ("y[i] = (-x[i]) ** 3 + x[i] ** -1 + -x[i] ** 2.0", np.array([2, -4], "f4"), [-8 + 0.5 - 4, 64 - 0.25 - 16]),
    ("y[i] = round(x[i]) * 10 + max(x[i], 0.5)", np.array([0.5, 1.5, 2.5, -0.5], "f4"), [0.5, 21.5, 22.5, 0.5]),
    ("y[i] = math.inf if x[i] > 0 else -math.inf", np.array([1, -2], "f4"), [np.inf, -np.inf]),
    ("y[i] = hg.i32(x[i])", np.array([-1.9, 1.9, 1e20, -1e20, np.nan], "f4"), np.array([-1, 1, 2**31 - 1, -(2**31), 0], "i4")),
    ("y[i] = hg.u8(x[i])", np.array([-1.9, 300, 7.9], "f4"), np.array([0, 255, 7], "u1")),
    ("y[i] = x[i] + 0.0", np.array([16777217], "i4"), np.array([16777216], "f4")),
    ("y[i] = x[i] / 3", np.array([1, 1 << 60], "i8"), np.array([1 / 3, (1 << 60) / 3])),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore::hologram_web.WrapWarning")
@pytest.mark.parametrize(("body", "x", "expected"), CASES, ids=[body for body, _, _ in CASES])
def test_programs(body, x, expected):
    expected = np.asarray(expected)
    same = expected.dtype in (np.bool_, np.int64, np.float64) and x.dtype != np.int64  # computed by NumPy as it likes
    y = np.zeros(len(x), x.dtype if same else expected.dtype)
    if len(expected) < len(x):
        x, y = x[np.isfinite(x)], y[: len(expected)]
    types = [f"hg.Array[hg.{array.dtype.kind}{8 * array.itemsize}]" for array in (x, y)]
    head = f"def k(x: {types[0]}, y: {types[1]}):\n    i = hg.global_id()\n"
    kernel = hg.kernel_from_source(head + "".join(f"    {line}\n" for line in body.split("\n")))
    for device in ("cpu", "wasm"):
        kernel.on(device)[len(x)](x.copy(), y)
        np.testing.assert_array_equal(y, expected.astype(y.dtype), err_msg=device)
        y[:] = 0
