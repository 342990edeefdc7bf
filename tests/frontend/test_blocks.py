"""What the lanes of a block do together, beside NumPy in the order that docs/blocks.md says: the same bits."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import hologram_web as hg

RANDOM = np.random.default_rng(17)
# Lanes and blocks: full, filled in part, no power of two, one lane, several axes, sides of no power of two.
LAUNCHES = [
    ((600,), (256,)), ((190,), (77,)), ((5,), (64,)), ((3,), (1,)),
    ((21, 10), (16, 8)), ((30, 13), (12, 5)), ((9, 5, 3), (4, 4, 4)),
]  # fmt: skip
NAMED = {f"{kind[0]}{bits}": f"{kind}{bits}" for kind in ("int", "uint", "float") for bits in (8, 16, 32, 64)}
OPERATIONS: dict[str, Callable[..., Any]] = {
    "sum": operator.add,
    "prod": operator.mul,
    "min": np.minimum,
    "max": np.maximum,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
}


def identity(name, dtype):
    if name in ("min", "max"):
        info = (np.finfo if dtype.kind == "f" else np.iinfo)(dtype)
        infinite = dtype.type(np.inf if name == "min" else -np.inf) if dtype.kind == "f" else None
        return infinite if infinite is not None else (info.max if name == "min" else info.min)
    return {"prod": 1, "and": ~dtype.type(0)}.get(name, 0) if dtype.kind != "f" else {"prod": 1}.get(name, 0)


def blocks_of(lanes, block):
    """For each block the numbers of its lanes, and where their values are in an array with an axis for each of x, y,
    z, reversed."""
    sides, lanes = (*block, 1, 1)[:3], (*lanes, 1, 1)[:3]
    for corner in np.ndindex(*(-(-lanes[a] // sides[a]) for a in (2, 1, 0))):
        found = []
        for z, y, x in np.ndindex(*sides[::-1]):
            at = corner[0] * sides[2] + z, corner[1] * sides[1] + y, corner[2] * sides[0] + x
            if all(at[2 - axis] < lanes[axis] for axis in range(3)):
                found.append((x + sides[0] * (y + sides[1] * z), at[2] + lanes[0] * (at[1] + lanes[1] * at[0])))
        yield found


def reduced(name, values, lanes, size):
    """A tree: lane i takes in lane i + stride."""
    slots = np.full(1024, identity(name, values.dtype), values.dtype)
    slots[lanes] = values
    for stride in (512, 256, 128, 64, 32, 16, 8, 4, 2, 1):
        if stride < size or stride == 1:
            slots[:stride] = OPERATIONS[name](slots[:stride], slots[stride : 2 * stride])
    return slots[0]


def scanned(combine, values, lanes):
    """W. Hillis and G. Steele's steps: each lane takes in what the one by a stride before it has, if there is one."""
    slots = dict(zip(lanes, values, strict=True))
    for stride in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512):
        before, slots = slots, {}
        for lane in range(max(lanes) + 1):
            parts = [before[at] for at in (lane - stride, lane) if at in before]
            if parts:
                slots[lane] = combine(*parts) if len(parts) == 2 else parts[0]
    return [slots[lane] for lane in lanes]


def launch(text, ty, lanes, block, x, device, result=None):
    """What each lane makes of its value v."""
    place = {
        1: "hg.global_id()",
        2: "hg.global_id() + width * hg.global_id(1)",
        3: "hg.global_id() + width * (hg.global_id(1) + height * hg.global_id(2))",
    }[len(lanes)]
    kernel = hg.kernel_from_source(
        f"def other(a, b):\n    return a * 3 + b\n\n"
        f"def k(x: hg.Array[hg.{ty}], y: hg.Array[hg.{result or ty}], width: hg.i32, height: hg.i32):\n"
        f"    i = {place}\n    v = x[i]\n    y[i] = {text}\n",
        name="k",
    )
    y = np.zeros(x.shape, NAMED[result or ty])
    with warnings.catch_warnings():
        warnings.simplefilter("error", hg.LaunchWarning)  # blocks need not be filled
        kernel.on(device)[lanes if len(lanes) > 1 else lanes[0], block](x, y, *(*lanes, 1)[:2])
    return y


def numbers(ty, count):
    if ty[0] == "f":
        return RANDOM.normal(size=count).astype(NAMED[ty])
    info = np.iinfo(NAMED[ty])
    return RANDOM.integers(info.min, info.max, count, dtype=info.dtype, endpoint=True)


def same(found, exact):
    np.testing.assert_array_equal(found.view(f"u{found.itemsize}"), exact.view(f"u{exact.itemsize}"))


@pytest.mark.parametrize(("lanes", "block"), LAUNCHES, ids=str)
@pytest.mark.parametrize(("name", "ty"), [("sum", "f32"), ("min", "f32"), ("and", "u32")])
def test_reductions_of_all_blocks(device, name, ty, lanes, block):
    x = numbers(ty, np.prod(lanes))
    exact = np.zeros_like(x)
    for found in blocks_of(lanes, block):
        at, places = map(list, zip(*found, strict=True))
        with np.errstate(over="ignore"):
            exact[places] = reduced(name, x[places], at, np.prod(block))
    same(launch(f"hg.block_{name}(v)", ty, lanes, block, x, device), exact)


@pytest.mark.parametrize("ty", ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f32", "f64"])
def test_reductions_of_all_types(device, ty):
    names = [name for name in OPERATIONS if ty[0] != "f" or name not in ("and", "or", "xor")]
    stores = "".join(f"    y[{row}, i] = hg.block_{name}(x[i])\n" for row, name in enumerate(names))
    kernel = hg.kernel_from_source(
        f"def k(x: hg.Array[hg.{ty}], y: hg.Array[hg.{ty}, 2]):\n    i = hg.global_id()\n{stores}"
    )
    x = numbers(ty, 50)
    found = np.zeros((len(names), 50), x.dtype)
    kernel.on(device)[50, 40](x, found)
    exact = np.zeros_like(found)
    for row, name in enumerate(names):
        for start in range(0, 50, 40):
            part = x[start : start + 40]
            with np.errstate(over="ignore"):
                exact[row, start : start + 40] = reduced(name, part, range(len(part)), 40)
    same(found, exact)


@pytest.mark.parametrize("ty", ["f16", "bf16"])
def test_halves_are_added_as_f32(device, ty):
    half = np.dtype(np.float16 if ty == "f16" else ml_dtypes.bfloat16)
    x = RANDOM.normal(size=64).astype(half)
    y = np.zeros_like(x)
    kernel = hg.kernel_from_source(
        f"def k(x: hg.Array[hg.{ty}], y: hg.Array[hg.{ty}]):\n"
        "    i = hg.global_id()\n    y[i] = hg.block_sum(x[i]) + hg.block_max(x[i])\n"
    )
    kernel.on(device)[64, 64](x, y)
    total = reduced("sum", x.astype("f4"), range(64), 64).astype(half).astype("f4")
    assert (y == (total + x.astype("f4").max()).astype(half)).all()


def test_wide_integers(device):
    kernel = hg.kernel_from_source(
        "def k(x: hg.Array[hg.u64], y: hg.Array[hg.u64]):\n"
        "    i = hg.global_id()\n"
        "    wide = hg.u128(x[i]) << 60\n"
        "    y[i] = hg.u64((hg.block_sum(wide) + hg.block_min(wide)) >> 60)\n"
    )
    x = RANDOM.integers(0, 2**63, 20, dtype=np.uint64)
    y = np.zeros_like(x)
    kernel.on(device)[20, 32](x, y)
    total = (sum(int(v) << 60 for v in x) + (int(x.min()) << 60)) % 2**128
    assert set(y.tolist()) == {(total >> 60) % 2**64}


def test_zeros_and_nan(device):
    x = np.full(64, -0.0, np.float32)
    same(launch("hg.block_sum(v)", "f32", (64,), (64,), x, device), x)
    same(launch("hg.block_sum(v)", "f32", (40,), (64,), x[:40], device), np.zeros(40, np.float32))
    x[7], x[9] = 0.0, np.nan
    assert np.isnan(launch("hg.block_min(v)", "f32", (64,), (64,), x, device)).all()
    assert (launch("hg.block_argmin(v)", "f32", (64,), (64,), x, device, "i32") == 9).all()
    x[9] = 1
    same(launch("hg.block_max(v - 1)", "f32", (64,), (64,), x, device), np.zeros(64, np.float32))
    assert (launch("hg.block_argmin(v)", "f32", (64,), (64,), x, device, "i32") == 0).all()  # zeros are equal


@pytest.mark.parametrize(("lanes", "block"), LAUNCHES, ids=str)
def test_places_of_extremes(device, lanes, block):
    x = RANDOM.integers(-4, 4, np.prod(lanes)).astype(np.int8)
    least, most = np.zeros((2, len(x)), np.int32)
    for found in blocks_of(lanes, block):
        at, places = (np.array(part) for part in zip(*found, strict=True))
        least[places], most[places] = at[np.argmin(x[places])], at[np.argmax(x[places])]
    assert (launch("hg.block_argmin(v)", "i8", lanes, block, x, device, "i32") == least).all()
    assert (launch("hg.block_argmax(v)", "i8", lanes, block, x, device, "i32") == most).all()


def test_any_and_all(device):
    x = np.zeros(96, np.int32)
    x[40], x[64:] = 3, 1
    y = launch("hg.block_any(v > 2) + 2 * hg.block_all(v == 0) + 4 * hg.block_all(v) + 8 * hg.block_sum(v > 0)",
               "i32", (96,), (32,), x, device)  # fmt: skip
    assert [set(part.tolist()) for part in y.reshape(3, 32)] == [{2}, {1 + 8}, {4 + 8 * 32}]


@pytest.mark.parametrize(("lanes", "block"), LAUNCHES, ids=str)
@pytest.mark.parametrize(
    ("name", "ty", "exclusive"),
    [("'sum'", "f32", False), ("other", "i32", True), ("other", "i32", False), ("'max'", "u8", True)],
)
def test_scans(device, name, ty, exclusive, lanes, block):
    x = numbers(ty, np.prod(lanes))
    exact = np.zeros_like(x)
    first = {"'sum'": 0, "other": 7, "'max'": 0}[name]
    combine = OPERATIONS.get(name.strip("'"), lambda a, b: a * np.int32(3) + b)
    with np.errstate(over="ignore"):
        for found in blocks_of(lanes, block):
            at, places = map(list, zip(*found, strict=True))
            made = scanned(combine, x[places], at)
            exact[places] = [first, *made[:-1]] if exclusive else made
    more = (", exclusive=True" if exclusive else "") + (", identity=7" if exclusive and name == "other" else "")
    same(launch(f"hg.block_scan(v, {name}{more})", ty, lanes, block, x, device), exact)


@pytest.mark.filterwarnings("ignore::hologram_web.WrapWarning")
def test_scans_of_small_types_by_a_function(device):
    x = np.arange(40, dtype=np.uint8) * 50
    with np.errstate(over="ignore"):
        exact = np.array(scanned(lambda a, b: (a >> np.uint8(1)) + b, x, range(40)), np.uint8)
    same(launch("hg.block_scan(v, lambda a, b: (a >> 1) + b)", "u8", (40,), (64,), x, device), exact)


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("hg.shuffle(v, hg.block_lane() * 7 + 40)", lambda i: i - i % 32 + (i * 7 + 40) % 32),
        ("hg.shuffle_xor(v, 5)", lambda i: i ^ 5),
        ("hg.shuffle_xor(v, 32)", lambda i: i),
        ("hg.shuffle_up(v, 3)", lambda i: i - 3 if i % 32 >= 3 else i),
        ("hg.shuffle_down(v, 3)", lambda i: i + 3 if i % 32 <= 28 else i),
        ("hg.shuffle_down(v, -1)", lambda i: i),
        ("hg.shuffle_up(v, 1000)", lambda i: i),
        ("hg.block_broadcast(v, 33)", lambda i: 33),
        ("hg.block_broadcast(v, 95 - hg.block_lane())", lambda i: 95 - i),
    ],
)
def test_values_of_other_lanes(device, text, source):
    ty = ("f32", "u8", "i64")[len(text) % 3]
    x = numbers(ty, 160)  # the second block has 64 lanes of 96
    places = [start + source(i) for start in (0, 96) for i in range(96)][:160]
    exact = np.array([x[at] if at < 160 else x[i] for i, at in enumerate(places)])
    same(launch(text, ty, (160,), (96,), x, device), exact)


@pytest.mark.parametrize("call", ["shuffle", "block_broadcast"])
def test_what_is_taken_is_computed_before_where_from(device, call):
    """As Python does; a fuzzed program showed it, whose arguments were atomics on the same element."""
    kernel = hg.kernel_from_source(
        f"def k(count: hg.Array[hg.i32], found: hg.Array[hg.i32]):\n"
        f"    found[0] = hg.{call}(hg.atomic_add(count, 0, -5), hg.atomic_max(count, 0, 1))\n",
        name="k",
    )
    count, found = np.array([5], np.int32), np.zeros(1, np.int32)
    kernel.on(device)[1](count, found)
    assert (count[0], found[0]) == (1, 5)


def test_broadcast_of_no_lane(device):
    with pytest.raises(hg.ExecutionError, match="index 64 of axis 0 of lanes_of_the_block") as caught:
        launch("hg.block_broadcast(v, 64)", "i32", (64,), (64,), np.zeros(64, np.int32), device)
    assert caught.value.kind == "OutOfBounds"


def test_one_behind_the_other_and_in_loops(device):
    kernel = hg.kernel_from_source("""
def k(x: hg.Array[hg.i32], y: hg.Array[hg.i32], rounds: hg.i32):
    i = hg.global_id()
    own = hg.shared(hg.i32, 64)
    v = x[i]
    for _ in range(rounds):
        v = v * 3 + hg.block_max(v & 1023) - hg.block_min(v & 255)
        own[hg.local_id()] = v
        v += hg.shuffle_xor(hg.block_scan(v, exclusive=True), 1) + own[hg.local_id()]
    while hg.block_any(v > 0):
        v = (v >> 1) - hg.block_broadcast(1, 3)
    y[i] = v + hg.i32(hg.block_sum(hg.i64(v)) & 255)
""")
    x = RANDOM.integers(-1000, 1000, 150).astype(np.int32)
    y = np.zeros_like(x)
    kernel.on(device)[150, 64](x, y, 3, partial=True)
    exact = x.copy()
    with np.errstate(over="ignore"):
        for start in (0, 64, 128):
            v = x[start : start + 64]
            places = np.arange(len(v)) ^ 1
            for _ in range(3):
                v = v * 3 + (v & 1023).max() - (v & 255).min()
                v = v + np.concatenate([[0], np.cumsum(v, dtype=np.int32)[:-1]]).astype(np.int32)[places] + v
            while (v > 0).any():
                v = (v >> 1) - 1
            exact[start : start + 64] = v + np.int32(v.astype(np.int64).sum() & 255)
    same(y, exact)


# Who comes

UNEVEN = [
    (
        "    if i < 20:\n        x[i] = hg.block_sum(x[i])\n",
        "all lanes of a block come to hg.block_sum, and around it they are told apart by their numbers: compute the "
        "value under the condition, and call it behind",
    ),
    (
        "    if i >= len(x):\n        return\n    x[i] = hg.block_max(x[i])\n",
        "all lanes of a block come to hg.block_max, and some have returned before, by their numbers: put what they "
        "skip under an if, and give them a value that changes nothing",
    ),
    (
        "    for j in range(i):\n        x[i] += hg.shuffle(x[i], 0)\n",
        "all lanes of a block come to hg.shuffle, and around it they are told apart by their numbers: compute the "
        "value under the condition, and call it behind",
    ),
    (
        "    x[i] = hg.block_scan(x[i], 'mean')\n",
        "block_scan does one of 'sum', 'prod', 'min', 'max', 'and', 'or', 'xor'",
    ),
    ("    x[i] = hg.i32(hg.block_or(0.5))\n", "or is of integers, not f32: use hg.bitcast(hg.u32, x)"),
    ("    x[i] = hg.block_scan(x[i], max, exclusive=True)\n", "the first lane has nothing before it: say what it gets"),
    ("    x[i] = hg.block_scan(x[i], exclusive=x[i] > 0)\n", "exclusive is True or False, known while translating"),
    ("    x[i] = hg.shuffle(x[i], 0.5)\n", "a lane's number is an integer, not float literal: convert with hg.i32(x)"),
    ("    x[i] = hg.block_sum()\n", "hg.block_sum is given 0 arguments; 1 is expected: write hg.block_sum(value)"),
    ("    x[i] = hg.block_sum(x)\n", "x is an array: read an element of it, x[i]"),
]


@pytest.mark.parametrize(("body", "says"), UNEVEN)
def test_what_is_refused(body, says):
    with pytest.raises(hg.TranslateError) as caught:
        hg.kernel_from_source(f"def k(x: hg.Array[hg.i32]):\n    i = hg.global_id()\n{body}")
    assert says in str(caught.value)


@pytest.mark.parametrize(
    "body",
    [
        "    if x[i] > 0:\n        x[i] = hg.block_sum(x[i])\n",
        "    if x[i] == 0:\n        return\n    x[i] = hg.block_sum(x[i])\n",
        "    for j in range(x[i]):\n        x[i] = hg.block_sum(j)\n",
        "    if x[i] > 0:\n        x[i] = hg.block_sum(x[i])\n    else:\n        x[i] = hg.block_max(x[i])\n",
    ],
)
def test_lanes_that_do_not_come(device, body):
    kernel = hg.kernel_from_source(f"def k(x: hg.Array[hg.i32]):\n    i = hg.global_id()\n{body}")
    x = np.arange(64, dtype=np.int32) % 2
    with pytest.raises(hg.ExecutionError) as caught:
        kernel.on(device)[64, 32](x)
    assert caught.value.kind == "DivergentBarrier"


def test_all_lanes_or_none(device):
    kernel = hg.kernel_from_source("""
def k(x: hg.Array[hg.i32], n: hg.i32):
    i = hg.global_id()
    if hg.block_id() == 1:
        return
    if n > 3:
        x[i] = hg.block_sum(x[i])
    if hg.local_id() > 4:
        return
    x[i] += 1
""")
    for n in (3, 4):
        x = np.ones(64, np.int32)
        kernel.on(device)[64, 32](x, n)
        sums = np.where(np.arange(64) < 32, 32 if n > 3 else 1, 1)
        assert (x == sums + (np.arange(64) < 5)).all()


def test_check_finds_nothing_wrong():
    kernel = hg.kernel_from_source("""
def k(x: hg.Array[hg.i32]):
    i = hg.global_id()
    x[i] = hg.block_sum(x[i]) + hg.block_scan(x[i]) + hg.block_min(x[i]) + hg.shuffle_up(x[i], 1)
""")
    x = np.arange(100, dtype=np.int32)
    y = x.copy()
    kernel.check[100, 64](x)
    kernel[100, 64](y)
    assert (x == y).all()


def test_float_sums_by_atomics_and_by_blocks(device):
    """Atomics add in the device's own order; blocks in one that is written down."""
    kernel = hg.kernel_from_source("""
def k(x: hg.Array[hg.f32], sums: hg.Array[hg.f32], atomic: hg.Array[hg.f32]):
    i = hg.global_id()
    total = hg.block_sum(x[i])
    if hg.local_id() == 0:
        sums[hg.block_id()] = total
    hg.atomic_add(atomic, 0, x[i])
""")
    x = (RANDOM.normal(size=4096) * np.exp2(RANDOM.integers(0, 20, 4096))).astype(np.float32)
    sums, atomic = np.zeros(16, np.float32), np.zeros(1, np.float32)
    kernel.on(device)[4096](x, sums, atomic)
    same(sums, np.array([reduced("sum", part, range(256), 256) for part in x.reshape(16, 256)]))
    # All that an atomic sum promises: the bound of n additions in any order.
    assert abs(float(atomic[0]) - x.astype("f8").sum()) <= len(x) * 2.0**-24 * np.abs(x.astype("f8")).sum()


def test_what_lanes_share_is_as_large_as_their_block(device):
    """It was for 1,024 lanes whatever the block: 20 KiB here, more than WebGPU adapters have."""
    kernel = hg.kernel_from_source("""
def k(x: hg.Array[hg.i64]):
    i = hg.global_id()
    x[i] = hg.block_sum(x[i]) + hg.block_scan(x[i]) + hg.shuffle_xor(x[i], 1)
""")
    sizes = [kernel.in_blocks(block).program.shared_memory for block in ((1024,), (256,), (16, 9), (33,), (2, 1, 1))]
    assert sizes == [16 + 20 * lanes for lanes in (1024, 256, 256, 64, 32)]
    assert kernel.program.shared_memory == sizes[0]
    x = np.arange(300, dtype=np.int64)
    kernel.on(device)[300, 100](x)
    parts = np.arange(300).reshape(3, 100)
    expected = parts.sum(1, keepdims=True) + parts.cumsum(1)
    for part, start in zip(expected, (0, 100, 200), strict=True):
        part += [start + (k ^ 1) for k in range(100)]
    assert (x == expected.ravel()).all()


def test_plans_and_files_take_the_size_of_their_block():
    kernel = hg.kernel_from_source("""
def k(x: hg.Array[hg.i32]):
    i = hg.global_id()
    x[i] = hg.block_scan(x[i])
""")
    for block, lanes in ((None, 256), (64, 64), ((8, 4, 1), 32)):
        builder = hg.PlanBuilder()
        builder.array("x", hg.i32, (64,))
        builder.launch(kernel, grid=64, block=block)
        assert [program.shared_memory for program in builder.programs] == [8 * lanes]
