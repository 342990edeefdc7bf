"""Every construct, on every device, against the same function run by Python lane by lane with NumPy scalars."""

# mypy: ignore-errors
# ruff: noqa: E501, RUF021, SIM201, SIM300
# Kernels are written here in every way that people may write them.

from __future__ import annotations

from collections import namedtuple
from enum import IntEnum

import numpy as np
import pytest

import hologram_web as hg

from . import plain

SCALE = 3
WEIGHTS = (1, -2, 4)
PAIRS = ((1, 2), (3, 4))
OFFSET = -7.5
DEBUG = False
CASES = []
RANDOM = np.random.default_rng(5)


def case(*args, lanes=(13,), block=(4,), helpers=()):
    """A function that is a kernel, with its arguments."""

    def add(fn):
        CASES.append(pytest.param(fn, args, lanes, block, helpers, id=fn.__name__))
        return fn

    return add


def ints(count=13, low=-50, high=50, dtype="i4"):
    return RANDOM.integers(low, high, count, dtype=dtype)


def floats(count=13, dtype="f4"):
    return (RANDOM.normal(size=count) * 10).astype(dtype)


def out(shape=13, dtype="i4"):
    return np.full(shape, 99, dtype)


@case(np.float32(1.5), floats(), floats())
def saxpy(a: hg.f32, x: hg.Array[hg.f32], y: hg.Array[hg.f32]):
    i = hg.global_id()
    if i < len(y):
        y[i] = a * x[i] + y[i]


@case(ints(), ints(), out())
def operators(a: hg.Array[hg.i32], b: hg.Array[hg.i32], y: hg.Array[hg.i32]):
    i = hg.global_id()
    p, q = a[i], b[i] | 1
    y[i] = (p + q) * (p - q) // q % 17 + (p << (q & 3)) - (p >> 2) + (p & q) - (p | 12) + (p ^ q) + ~p + -q + (+p)


@case(ints(), ints(), out((13, 8)))
def division(a: hg.Array[hg.i32], b: hg.Array[hg.i32], y: hg.Array[hg.i32, 2]):
    i = hg.global_id()
    d = b[i]
    if d == 0:
        d = hg.i32(-9)
    y[i, 0] = a[i] // d
    y[i, 1] = a[i] % d
    y[i, 2] = a[i] // 8
    y[i, 3] = a[i] % 8
    y[i, 4] = a[i] // 7
    y[i, 5] = a[i] % 7
    y[i, 6] = a[i] // -7
    y[i, 7] = a[i] % -8


@case(ints(dtype="u4", low=0, high=2**32), ints(dtype="u4", low=1, high=90), out((13, 3), "u4"))
def unsigned_division(a: hg.Array[hg.u32], b: hg.Array[hg.u32], y: hg.Array[hg.u32, 2]):
    i = hg.global_id()
    y[i, 0] = a[i] // b[i]
    y[i, 1] = a[i] % b[i]
    y[i, 2] = a[i] // 16 + a[i] % 32


@case(floats(), np.array([3.5, -3.5, 0.25, -1, 2, 7, -7, 1e3, 0, np.inf, -np.inf, 1, -2], "f4"), out((13, 4), "f4"))
def float_division(a: hg.Array[hg.f32], b: hg.Array[hg.f32], y: hg.Array[hg.f32, 2]):
    i = hg.global_id()
    y[i, 0] = a[i] // b[i]
    y[i, 1] = a[i] % b[i]
    for k in range(-1, 2):
        y[i, 2 + k] += 1 / (hg.f32(k) * 0.5 // b[i]) + 1 / (-hg.f32(k) * 2 % b[i])


@case(floats(dtype="f8"), floats(dtype="f8"), out((13, 3), "f8"))
def doubles(a: hg.Array[hg.f64], b: hg.Array[hg.f64], y: hg.Array[hg.f64, 2]):
    i = hg.global_id()
    y[i, 0] = a[i] / b[i] + 0.1
    y[i, 1] = a[i] % b[i]
    y[i, 2] = a[i] // b[i]


@case(floats(), out((13, 8), "f4"))
def powers(x: hg.Array[hg.f32], y: hg.Array[hg.f32, 2]):
    i = hg.global_id()
    y[i, 0] = x[i] ** 2
    y[i, 1] = x[i] ** 1 + x[i] ** 0
    y[i, 2] = abs(x[i]) ** 0.5
    y[i, 3] = hg.sqrt(abs(x[i]))
    y[i, 4] = hg.f32(1) / x[i]
    y[i, 5] = hg.rcp(x[i]) + hg.rsqrt(abs(x[i]))
    y[i, 6] = x[i] ** -1
    y[i, 7] = 2.0**3 - x[i]


@case(ints(low=-4, high=5), out((13, 3)))
def integer_powers(x: hg.Array[hg.i32], y: hg.Array[hg.i32, 2]):
    i = hg.global_id()
    y[i, 0] = x[i] ** 5
    y[i, 1] = x[i] ** 12
    y[i, 2] = x[i] ** 0 + x[i] ** 1


@case(floats(), floats(), out((13, 11), "f4"))
def math_functions(a: hg.Array[hg.f32], b: hg.Array[hg.f32], y: hg.Array[hg.f32, 2]):
    i = hg.global_id()
    y[i, 0] = abs(a[i])
    y[i, 1] = min(a[i], b[i]) + max(a[i], b[i], OFFSET)
    y[i, 2] = round(a[i])
    y[i, 3] = hg.floor(a[i]) + hg.ceil(b[i])
    y[i, 4] = hg.trunc(a[i])
    y[i, 5] = hg.select(a[i] < b[i], a[i], b[i])
    y[i, 6] = hg.fma(hg.trunc(a[i]), hg.trunc(b[i]), hg.f32(3))
    y[i, 7] = hg.sign(a[i])
    y[i, 8] = hg.clamp(a[i], hg.f32(-2), hg.f32(2))
    y[i, 9] = hg.relu(a[i])
    y[i, 10] = hg.lerp(a[i], b[i], hg.f32(0.25))


@case(ints(), ints(), out((13, 4)))
def integer_functions(a: hg.Array[hg.i32], b: hg.Array[hg.i32], y: hg.Array[hg.i32, 2]):
    i = hg.global_id()
    y[i, 0] = abs(a[i]) + min(a[i], 3) - max(b[i], -4, a[i])
    y[i, 1] = round(a[i])
    y[i, 2] = hg.select(a[i] > 0, 1, -1)
    y[i, 3] = max(i - 1, 0)


@case(ints(dtype="u4", low=0, high=2**32), ints(dtype="i8", low=-(2**62), high=2**62), ints(dtype="u1", low=0, high=256), out((13, 8), "u4"))  # fmt: skip
def bits(a: hg.Array[hg.u32], b: hg.Array[hg.i64], c: hg.Array[hg.u8], y: hg.Array[hg.u32, 2]):
    i = hg.global_id()
    y[i, 0] = hg.rotl(a[i], i & 31)
    y[i, 1] = hg.popcount(a[i]) + 100 * hg.clz(a[i])
    y[i, 2] = hg.popcount(b[i]) + 100 * hg.clz(b[i])
    y[i, 3] = hg.popcount(c[i]) + 100 * hg.clz(c[i])
    y[i, 4] = hg.bitcast(hg.u32, hg.bitcast(hg.f32, a[i]))
    y[i, 5] = hg.clz(a[i] & 0) + hg.popcount(a[i] | 0xFFFFFFFF) + 1000 * hg.ctz(b[i]) + 100000 * hg.ctz(c[i])
    y[i, 6] = hg.u32(hg.rotl(c[i], 3))
    y[i, 7] = a[i] << 31 | a[i] >> 1


@case(np.array([-1e20, -300.7, -1.5, -0.5, 0, 0.5, 1.5, 254.9, 256, 1e10, np.inf, -np.inf, np.nan], "f4"), ints(low=-1000, high=1000), out((13, 6), "i8"))  # fmt: skip
def casts(x: hg.Array[hg.f32], n: hg.Array[hg.i32], y: hg.Array[hg.i64, 2]):
    i = hg.global_id()
    y[i, 0] = hg.u8(x[i])
    y[i, 1] = hg.i64(x[i])
    y[i, 2] = hg.i8(n[i])
    y[i, 3] = hg.u16(n[i])
    y[i, 4] = hg.i32(n[i] > 0) + hg.u8(300)
    y[i, 5] = hg.i16(hg.f32(n[i]))


@case(ints(), ints(), out((13, 9)))
def conditions(a: hg.Array[hg.i32], b: hg.Array[hg.i32], y: hg.Array[hg.i32, 2]):
    i = hg.global_id()
    y[i, 0] = 1 if a[i] < b[i] else 2
    y[i, 1] = 1 if -10 < a[i] <= b[i] != 4 else 2
    y[i, 2] = 1 if a[i] > 0 and b[i] > 0 or not a[i] == b[i] else 2
    y[i, 3] = a[i] if i > 3 else -1
    y[i, 4] = a[i] // b[i] if b[i] != 0 else -5
    inside = 0 <= a[i] < 20
    both = inside and b[i] < 10
    y[i, 5] = (inside or both) + 2 * both
    y[i, 6] = 1 if (inside & (a[i] > 3)) | (b[i] > 40) else 0
    y[i, 7] = 7 if not (inside ^ both) else 8
    if a[i]:
        y[i, 8] = 1
    elif not b[i]:
        y[i, 8] = 2
    else:
        y[i, 8] = 3


@case(ints(), out(), np.int32(13))
def short_circuit(x: hg.Array[hg.i32], y: hg.Array[hg.i32], n: hg.i32):
    i = hg.global_id()
    y[i] = 0
    if i + 1 < n and x[i + 1] > x[i]:
        y[i] += 1
    if i == 0 or x[i - 1] > x[i]:
        y[i] += 2
    inside = 0 < i and x[i - 1] > 0
    if not (i + 3 >= n or not (x[i + 3] < 5 and inside)):
        y[i] += 4
    j = i
    while j + 5 < n and x[j + 5] != 3:
        y[i] += 8
        j += 1


@case(ints(), out())
def loops(x: hg.Array[hg.i32], y: hg.Array[hg.i32]):
    i = hg.global_id()
    total = 0
    for k in range(len(x)):
        if x[k] < -20:
            continue
        if x[k] > 40:
            break
        for j in range(k, 0, -3):
            total += x[j] * j
        for j in range(2, k):
            total -= j
        for _ in range(3, 3):
            total += 1000
    n = i
    while n > 0:
        n //= 2
        total += n
        if total == 17:
            break
    while True:
        total += 1
        if total % 5 == 0:
            break
    for step in range(i, -i, -2):
        total += step
    y[i] = total


@case(ints(), out((13, 3)), np.int32(3), np.int32(-2))
def strides(x: hg.Array[hg.i32], y: hg.Array[hg.i32, 2], up: hg.i32, down: hg.i32):
    i = hg.global_id()
    a, b, c = 0, 0, 0
    for k in range(i, len(x), up):
        a += x[k]
        k = 0
    for k in range(12, i, down):
        b += x[k]
    for k in range(hg.global_id(), len(x), hg.grid_dim() * hg.block_dim()):
        c = k
    y[i, 0] = a
    y[i, 1] = b
    y[i, 2] = c


@case(out((13, 3), "i8"), np.uint32(4000000000), np.int64(-(2**40)), np.uint8(200))
def wide_ranges(y: hg.Array[hg.i64, 2], u: hg.u32, w: hg.i64, b: hg.u8):
    i = hg.global_id()
    y[i, 0] = 0
    y[i, 1] = 0
    y[i, 2] = 0
    for k in range(u, u + 5):
        y[i, 0] += k
    for k in range(w, w + 7 * 2**36, 2**36):
        y[i, 1] += k
    for k in range(b):
        y[i, 2] += k


@case(ints(), out((13, 4)))
def constants(x: hg.Array[hg.i32], y: hg.Array[hg.i32, 2]):
    i = hg.global_id()
    total = 0
    for k in range(3):
        total += WEIGHTS[k] * x[min(i + k, len(x) - 1)]
    y[i, 0] = total
    for weight in WEIGHTS:
        if weight < 0:
            continue
        total += weight * SCALE
    for a, b in PAIRS:
        total -= a * b
        if total < -50:
            break
    y[i, 1] = total
    first, second = PAIRS[1]
    y[i, 2] = first * 10 + second + len(WEIGHTS) + WEIGHTS[1]
    if DEBUG:
        y[i, 3] = 1 // 1
    else:
        y[i, 3] = hg.i32(OFFSET * 2)


def square(v):
    return v * v


def norm(a, b):
    if a > b:
        return square(a) - b
    c = square(b)
    c -= a
    return c


def bump(array, i):
    array[i] += 1
    if array[i] > 10:
        return
    array[i] += 1


def clip(v: hg.f32, low, high) -> hg.f32:
    while v > high:
        v -= 1.0
    return max(v, low)


class Tap(IntEnum):
    LEFT = -2
    RIGHT = 3


class Sizes:
    TILE = 4
    WEIGHTS = (3, 1, -2)


Pair = namedtuple("Pair", "low high")
LIMITS = Pair(-5, 9)
Ints = hg.Array[hg.i32]


def ordered(a, b):
    if a > b:
        return b, a
    return a, b


def thirds(v) -> tuple[hg.i32, hg.f32]:
    return v // 3, v % 3


def both_ends(v):
    return ordered(v, -v)


def scaled(v, by=2, plus=Tap.RIGHT, weights=(1, 10)):
    return v * by + plus * weights[1]


def applied(f, v, times=2):
    for _ in range(times):
        v = f(v)
    return v


def converted(ty, v):
    return ty(v) + 1


@case(ints(), out((13, 8)), helpers=(ordered, thirds, both_ends))
def several_results(x: hg.Array[hg.i32], y: hg.Array[hg.i32, 2]):
    i = hg.global_id()
    y[i, 0], y[i, 1] = ordered(x[i], 3)
    a, b = ordered(x[i] + 1, i)
    a, b = ordered(b, a)
    y[i, 2], y[i, 3] = a, b
    third, rest = thirds(x[i])
    y[i, 4] = third
    y[i, 5] = hg.i32(rest * 2)
    y[i, 6], y[i, 7] = both_ends(a - b)


@case(ints(), out((13, 6)), helpers=(square, scaled, applied, converted))
def ways_to_call(x: Ints, y: hg.Array[hg.i32, 2], n: hg.i32 = 4):
    ...
    i = hg.global_id()
    y[i, 0] = scaled(x[i])
    y[i, 1] = scaled(x[i], plus=i, by=3)
    y[i, 2] = scaled(by=x[i], v=2, weights=(0, 1)) + n
    y[i, 3] = applied(square, i)
    y[i, 4] = applied(abs, x[i], times=1)
    y[i, 5] = converted(hg.i32, x[i])


@case(ints(low=-3, high=6), out((13, 6)))
def constants_elsewhere(x: hg.Array[hg.i32], y: hg.Array[hg.i32, 2]):
    i = hg.global_id()
    y[i, 0] = Sizes.TILE + Tap.LEFT * x[i] + LIMITS.high - LIMITS[0]
    y[i, 1] = Sizes.WEIGHTS[-1] * x.shape[-1] + y.shape[-2]
    y[i, 2] = 1 if x[i] in Sizes.WEIGHTS else 2
    y[i, 3] = 1 if x[i] not in (1, i, 2 * i) else 2
    y[i, 4] = hg.i32(3 in Sizes.WEIGHTS) * 2 + hg.i32(4 not in (4, x[i])) * 4
    y[i, 5] = 1 if -2 < x[i] and x[i] not in (4,) and x[i] not in (0, -1) else 0


@case(ints(low=-3, high=6), out((13, 3)))
def variable_of_a_loop_over_constants(x: hg.Array[hg.i32], y: hg.Array[hg.i32, 2]):
    i = hg.global_id()
    for w in WEIGHTS:
        if w == x[i]:
            break
    y[i, 0] = w
    for a, b in PAIRS:
        y[i, 1] = a * b + w
    for w in WEIGHTS:
        y[i, 2] += w
    y[i, 1] += b
    w += 1
    y[i, 2] += w


@case(ints(), out((13, 3)), helpers=(square, norm, bump))
def helpers(x: hg.Array[hg.i32], y: hg.Array[hg.i32, 2]):
    i = hg.global_id()
    y[i, 0] = norm(x[i], 3) + norm(square(2), x[i]) * 2
    y[i, 1] = square(square(x[i] & 7))
    y[i, 2] = x[i] & 15


@case(ints(), helpers=(bump,))
def changing_helper(x: hg.Array[hg.i32]):
    bump(x, hg.global_id())


@case(floats(), out(13, "f4"), helpers=(clip,))
def annotated_helper(x: hg.Array[hg.f32], y: hg.Array[hg.f32]):
    i = hg.global_id()
    y[i] = clip(x[i], -3.0, 5.0)


@case(ints(), floats(), out((13, 3)), out((13, 3), "f4"))
def variables(n: hg.Array[hg.i32], x: hg.Array[hg.f32], y: hg.Array[hg.i32, 2], z: hg.Array[hg.f32, 2]):
    """Assignments in all forms."""
    i = hg.global_id()
    a = b = n[i]
    a += 1
    a, b = b, a
    y[i, 0] = a * 100 + b
    total = 0
    for k in range(4):
        total = total + x[k]
    z[i, 0] = total
    exact: hg.f32 = 2
    exact /= 3
    z[i, 1] = exact
    later: hg.i32
    if i > 5:
        later = 4
    else:
        later = n[0]
    later -= 1
    y[i, 1] = y[i, 2] = later
    z[i, 2] = n[i] / hg.f32(4)
    pass


@case(ints(30).reshape(5, 6), out((5, 6)), out((6, 5)), lanes=(6, 5), block=(4, 2))
def two_axes(x: hg.Array[hg.i32, 2], y: hg.Array[hg.i32, 2], t: hg.Array[hg.i32, 2]):
    j, i = hg.global_id(0), hg.global_id(1)
    height, width = x.shape
    total = x[i, j]
    if i > 0 and j > 0:
        total += 10 * x[i - 1, j - 1]
    if i + 1 < height and j + 1 < x.shape[1]:
        total += 100 * x[i + 1, j + 1]
    y[i, j] = total + len(x) * 1000 + width
    t[j, i] = x[i, j]


@case(ints(60).reshape(3, 4, 5), out((3, 4, 5)), lanes=(5, 4, 3), block=(2, 3, 1))
def three_axes(x: hg.Array[hg.i32, 3], y: hg.Array[hg.i32, 3]):
    a, b, c = hg.global_id(2), hg.global_id(1), hg.global_id(0)
    y[a, b, c] = x[x.shape[0] - 1 - a, b, c] + hg.block_id(0) * 7 + hg.block_dim(1) + hg.grid_dim(2) + hg.local_id(1)


@case(ints(16), out(16), lanes=(16,), block=(8,))
def shared_memory(x: hg.Array[hg.i32], y: hg.Array[hg.i32]):
    tile = hg.shared(hg.i32, 8)
    grid = hg.shared(hg.i32, (2, 4))
    j, i = hg.local_id(), hg.global_id()
    tile[j] = x[i]
    grid[j // 4, j % 4] = x[i] * 2
    hg.barrier()
    if j == 0:
        y[i] = len(tile) + tile[7]
        return
    y[i] = tile[7 - j] + grid[1 - j // 4, 3 - j % 4]


def newest(mine, i):
    return mine[i % 5]


@case(ints(16), out(16), lanes=(16,), block=(8,), helpers=(newest,))
def local_memory(x: hg.Array[hg.i32], y: hg.Array[hg.i32]):
    mine = hg.local(hg.i32, 5)
    grid = hg.local(hg.u8, (2, 3))
    i = hg.global_id()
    for k in range(len(mine)):
        mine[(k + i) % 5] = x[(i + k) % 16] * (k + 1)
    grid[i % 2, i % 3] += 7
    grid[(i + 1) % 2, i % 3] = hg.u8(k)
    hg.barrier()
    mine[i % 5] += hg.i32(grid[0, i % 3]) * 10 + hg.i32(grid[1, i % 3])
    if i == 5:
        return
    y[i] = newest(mine, i) + 100 * mine[(i + 3) % 5]


@case(ints(16, 0, 8), np.zeros(8, "i4"), np.zeros(4, "u4"), np.full(16, 7, "i4"), lanes=(16,), block=(8,))
def atomics(x: hg.Array[hg.i32], bins: hg.Array[hg.i32], marks: hg.Array[hg.u32], y: hg.Array[hg.i32]):
    counts = hg.shared(hg.u32, 8)
    i, j = hg.global_id(), hg.local_id()
    hg.atomic_add(bins, x[i], 1)
    hg.atomic_add(counts, x[i], 1)
    hg.atomic_max(marks, 0, hg.u32(x[i]))
    hg.atomic_or(marks, 1, 1 << x[i])
    hg.atomic_xor(marks, 2, hg.u32(i))
    hg.atomic_min(y, i, x[i])
    hg.atomic_and(y, i, 5)
    old = hg.atomic_cas(y, i, 4, 40)
    older = hg.atomic_exch(marks, 3, 5)
    hg.barrier()
    y[i] = y[i] * 100 + old + 1000 * hg.i32(counts[j]) + hg.i32(older) * 0


@case(ints(dtype="i1", low=-128, high=128), ints(dtype="u1", low=0, high=256), ints(dtype="i2"), ints(dtype="u2", low=0, high=60000), ints(dtype="u8", low=0, high=2**60), out((13, 6), "i8"))  # fmt: skip
def small_types(a: hg.Array[hg.i8], b: hg.Array[hg.u8], c: hg.Array[hg.i16], d: hg.Array[hg.u16], e: hg.Array[hg.u64], y: hg.Array[hg.i64, 2]):  # fmt: skip
    i = hg.global_id()
    y[i, 0] = a[i] + a[i] * 2
    y[i, 1] = b[i] * 3 + 1
    y[i, 2] = c[i] * c[i] - b[i]
    y[i, 3] = d[i] << 2
    y[i, 4] = hg.i64(e[i] % 1000003)
    a[i] += 100
    b[i] -= 200
    d[i] = y[i, 2]
    y[i, 5] = -a[i] * hg.i64(3) + ~b[i]


@case(floats(dtype="f2"), out(13, "f2"))
def halves(x: hg.Array[hg.f16], y: hg.Array[hg.f16]):
    i = hg.global_id()
    y[i] = x[i] * 3 + 0.5


@case(ints(), out())
def early_return(x: hg.Array[hg.i32], y: hg.Array[hg.i32]):
    """Also a documentation string."""
    i = hg.global_id()
    if x[i] < 0:
        y[i] = -1
        return
    for k in range(10):
        if k > x[i]:
            return
        y[i] = k


@case(ints(), out((13, 2)))
def written_out(x: hg.Array[hg.i32], y: hg.Array[hg.i32, 2]):
    """A name that is the variable of a loop, and then of one that is written out."""
    i = hg.global_id()
    total = 0
    for k in range(i):
        total += k * x[k]
    k = -1
    for k in range(3):
        if x[i] == k:
            break
        total += WEIGHTS[k] * (k + 1)
    y[i, 0] = total
    y[i, 1] = k
    if DEBUG and x[i] > 0 or total < -1000:
        y[i, 1] = 0


def first_above(x, limit):
    for k in range(len(x)):
        if x[k] > limit:
            return k
        elif x[k] == limit:
            continue
        limit -= 1
    return -1


@case(ints(), out(13), helpers=(first_above,))
def return_from_a_loop(x: hg.Array[hg.i32], y: hg.Array[hg.i32]):
    i = hg.global_id()
    y[i] = first_above(x, x[i]) if i % 2 == 0 else first_above(x, 100) * 2
    flag = x[first_above(x, 0)] > 5 if i < 4 else i // 3 > 2
    other = i > 2
    other = not flag
    if flag or other:
        y[i] += 100
    while DEBUG if DEBUG else y[i] > 120:
        y[i] -= 1


@case(ints(), out(13))
def pow_is_an_operator(x: hg.Array[hg.i32], y: hg.Array[hg.i32]):
    i = hg.global_id()
    y[i] = pow(x[i], 2) + pow(2, 3)


FNS = {param.id: param.values[0] for param in CASES}


@pytest.mark.filterwarnings("ignore::hologram_web.WrapWarning")
@pytest.mark.parametrize(("fn", "args", "lanes", "block", "helpers"), CASES)
def test_kernel_is_what_python_computes(fn, args, lanes, block, helpers, device):
    expected = [np.copy(arg) for arg in args]
    plain.run(fn, lanes, block, *expected, helpers=helpers)
    kernel = hg.kernel(fn).on(device)
    kernel.program.validate()
    found = [np.copy(arg) for arg in args]
    size = (lanes[0], block[0]) if len(lanes) == 1 else (lanes, block)
    values = [value if value.ndim else value[()] for value in found]
    kernel[size](*values)
    for name, mine, theirs in zip(kernel.params, found, expected, strict=False):  # some have defaults
        np.testing.assert_array_equal(mine, theirs, err_msg=name)


@pytest.mark.filterwarnings("ignore::hologram_web.WrapWarning")
def test_every_kernel_goes_through_both_targets():
    for name, fn in FNS.items():
        kernel = hg.kernel(fn)
        assert "(func" in kernel.wat((4, 2, 1))
        if not any(ty in str(kernel.program) for ty in ("f64", ".param x: buffer f16")):
            assert "@compute" in kernel.wgsl((4, 2, 1)), name
