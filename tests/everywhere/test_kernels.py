"""Kernels typed in, on arrays without NumPy: array.array, memoryviews, bytes, and in a page typed arrays."""

# mypy: ignore-errors

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable
from typing import Any, TypeVar

import pytest

import hologram_web as hg
from hologram_web.backends import DEVICES, IN_PAGE

from .programs import saxpy


@hg.kernel
def transpose(x: hg.Array[hg.i32, 2], y: hg.Array[hg.i32, 2]):
    row, column = hg.global_id(1), hg.global_id(0)
    if row < x.shape[0] and column < x.shape[1]:
        y[column, row] = x[row, column]


@hg.kernel
def block_sums(x: hg.Array[hg.u32], sums: hg.Array[hg.u32]):
    tile = hg.shared(hg.u32, 64)
    lane = hg.local_id()
    tile[lane] = x[hg.global_id()] if hg.global_id() < len(x) else 0
    width = 32
    while width > 0:
        hg.barrier()
        if lane < width:
            tile[lane] += tile[lane + width]
        width //= 2
    if lane == 0:
        sums[hg.block_id()] = tile[0]


@hg.kernel
def histogram(x: hg.Array[hg.u8], bins: hg.Array[hg.u32]):
    i = hg.global_id()
    if i < len(x):
        hg.atomic_add(bins, hg.i32(x[i]), 1)


@hg.kernel
def rows(x: hg.Array[hg.i32, 2], odd: hg.Array[bool]):
    i = hg.global_id()
    total = 0
    for v in x[i, :]:
        total += v
    odd[i] = total % 2 == 1 and not odd[i]


def ordered(a, b):
    if a > b:
        return b, a
    return a, b


@hg.kernel
def parts(x: hg.Array[hg.f32], y: hg.Array[hg.f32]):
    """Tuples, vectors and registers."""
    i = hg.global_id() * 3
    v = x.load(i, 3)
    low, high = ordered(v.x, v.z)
    pair = (low, high) if low < 5 else (high, low)
    kept = hg.registers(3, hg.f32)
    for k in hg.static_range(3):
        kept[k] += v.zyx[k] * hg.dot(v.xy, hg.vec2(2, 1))
    kept[0] = pair[0] * 100 + pair[1]
    y.store(i, hg.vec3(kept[0], kept[1], kept[2]))


@hg.kernel
def shown(x: hg.Array[hg.f32], PATTERN: hg.Constant[bytes] = b"ab"):
    i = hg.global_id()
    print(f"lane {i}:", x[i], x[i] > 1, sum(c * i for c in PATTERN))


@hg.kernel
def collatz(x: hg.Array[hg.i64], steps: hg.Array[hg.i32]):
    i = hg.global_id()
    n = x[i]
    count = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        count += 1
    steps[i] = count


@hg.kernel
def quotients(x: hg.Array[hg.f32], y: hg.Array[hg.f32]):
    i = hg.global_id()
    if i < len(x):
        y[i] = x[i] / y[i]


@hg.kernel
def harmonic(sums: hg.Array[hg.f64]):
    i = hg.global_id()
    total = hg.f64(0)
    for k in range(i + 1):
        total += 1 / hg.f64(k + 1)
    sums[i] = total


T = TypeVar("T", hg.f32, hg.i32, hg.u8, hg.f64)


@hg.kernel
def halve(x: hg.Array[T], y: hg.Array[T], more: T):
    i = hg.global_id()
    if T.is_float:
        y[i] = x[i] / 2 + more
        return
    y[i] = (x[i] >> 1) + more


@pytest.fixture(params=["wasm", "webgpu"])
def device(request: pytest.FixtureRequest) -> Any:
    try:
        return DEVICES[request.param]()
    except hg.BackendUnavailable as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("count", [0, 1, 31, 32, 33, 255, 256, 257, 2049])
def test_saxpy(device: Any, count: int) -> None:
    x, y = array("f", range(count)), array("f", [1.0] * count)
    saxpy.on(device)[count](2.0, x, y)
    assert y.tolist() == [2.0 * k + 1 for k in range(count)]
    assert x.tolist() == list(range(count))


def test_two_axes(device: Any) -> None:
    x = memoryview(array("i", range(15))).cast("B").cast("i", (3, 5))
    y = memoryview(bytearray(60)).cast("i", (5, 3))
    transpose.on(device)[(5, 3), (16, 16)](x, y)
    assert y.tolist() == [[column + 5 * row for row in range(3)] for column in range(5)]


def test_shared_memory_and_barriers(device: Any) -> None:
    x, sums = array("I", range(1000)), array("I", [0] * 16)
    block_sums.on(device)[1024, 64](x, sums)
    assert sums.tolist() == [sum(range(start, min(start + 64, 1000))) for start in range(0, 1024, 64)]


def test_values_with_parts(device: Any) -> None:
    x, y = array("f", [3, 1, 2, 9, 5, 7]), array("f", [0] * 6)
    parts.on(device)[2](x, y)
    assert y.tolist() == [203, 7, 21, 907, 115, 207]


def test_atomics(device: Any) -> None:
    data = bytes((7 * k * k) % 256 for k in range(5000))
    bins = array("I", [0] * 256)
    histogram.on(device)[len(data)](data, bins)
    assert bins.tolist() == [data.count(value) for value in range(256)]


def test_print(device: Any, capsys: pytest.CaptureFixture[str]) -> None:
    shown.on(device)[3](array("f", [0.1, 1, 2.5]))
    assert capsys.readouterr().out == "lane 0: 0.1 False 0\nlane 1: 1.0 False 195\nlane 2: 2.5 True 390\n"
    shown.on(device)[1](array("f", [1]), b"xyz")
    assert capsys.readouterr().out == "lane 0: 1.0 False 0\n"


def test_rows_and_bools(device: Any) -> None:
    x = memoryview(array("i", range(15))).cast("B").cast("i", (3, 5))
    odd = memoryview(bytearray(3)).cast("?")
    rows.on(device)[3](x, odd)
    assert odd.tolist() == [False, True, False]


def test_loops_and_64_bits(device: Any) -> None:
    x, steps = array("q", range(1, 30)), array("i", [0] * 29)
    collatz.on(device)[29](x, steps)
    assert steps.tolist()[26] == 111
    assert steps.tolist()[:7] == [0, 1, 7, 2, 5, 8, 16]


def test_doubles(device: Any) -> None:
    sums = array("d", [0.0] * 20)
    harmonic.on(device)[20](sums)
    found, total = [], 0.0
    for k in range(20):
        total += 1 / (k + 1)
        found.append(total)
    assert sums.tolist() == found


def test_strict_math_keeps_subnormals(device: Any) -> None:
    least = 2.0**-149
    strict = type(device)(math="strict")
    y = array("f", [2.0, -3.0, 4.0, 1.5])
    quotients.on(strict)[4](array("f", [3 * least, 2.0**-126, 2 * least, 6 * least]), y)
    assert y.tolist() == [2 * least, -2796203 * least, 0.0, 4 * least]


def test_one_array_for_two_parameters(device: Any) -> None:
    y = array("f", [1.0, 2.0, 3.0])
    saxpy.on(device)[3](2.0, y, y)
    assert y.tolist() == [3.0, 6.0, 9.0]
    both = memoryview(array("f", range(6)))
    with pytest.raises(hg.LaunchError) as caught:
        saxpy.on(device)[4](2.0, both[:4], both[2:])
    assert str(caught.value) == "'y', which is written, and 'x' share memory in part: give a copy of one"
    saxpy.on(device)[3](1.0, both[:3], both[3:])
    assert both.tolist() == [0, 1, 2, 3, 5, 7]


def test_awaiting_a_launch(device: Any, wait: Callable[[Any], Any]) -> None:
    x, y = array("f", range(100)), array("f", [0.0] * 100)

    async def twice() -> None:
        await saxpy.on(device).launch_async(100, 1.0, x, y)
        await saxpy.on(device).launch_async(100, 1.0, x, y)

    wait(twice())
    assert y.tolist() == [2.0 * k for k in range(100)]


def test_the_kernel_shows_itself() -> None:
    assert "@compute @workgroup_size(32, 1, 1)" in saxpy.wgsl()
    assert '(func $kernel (export "kernel")' in saxpy.wat()
    assert "y[i] = a * x[i] + y[i]" in saxpy.explain()
    assert saxpy.__doc__ == "a * x + y"


def test_a_kernel_from_a_text(device: Any) -> None:
    text = "def double(x: hg.Array[hg.u16]):\n    x[hg.global_id()] *= 2\n"
    x = array("H", [1, 2, 3])
    hg.kernel_from_source(text).on(device)[3](x)
    assert x.tolist() == [2, 4, 6]


@pytest.mark.parametrize("code", "fiBd")
def test_a_kernel_for_any_type(device: Any, code: str) -> None:
    x, y = array(code, [1, 2, 3, 10]), array(code, [0] * 4)
    halve.on(device)[4](x, y, 1)
    assert y.tolist() == ([1.5, 2, 2.5, 6] if code in "fd" else [1, 2, 2, 6])


def test_which_types_a_kernel_has() -> None:
    assert halve.specialize(T=hg.u8) is halve.specialize(T=hg.u8)
    assert halve.specialize(T=hg.u8).name == "halve[T=u8]"
    one, long = array("f", [1]), array("q", [1])
    wrong: list[tuple[Any, str]] = [
        (lambda: halve[1](one, array("i", [1]), 1), "T of halve is f32 by 'x' and i32 by 'y': give both one type"),
        (lambda: halve[1](long, long, 1), "T of halve is one of f32, i32, u8, f64, and 'x' is i64"),
        (lambda: halve.program, "halve has type variables: take halve.specialize(T=hg.f32), which has a program"),
        (lambda: halve.specialize(T=hg.i8), "T of halve is one of f32, i32, u8, f64, not i8"),
        (lambda: halve.specialize(U=hg.i8), "halve has no type variable 'U': it has T"),
    ]  # fmt: skip
    for call, told in wrong:
        with pytest.raises(hg.HologramError) as caught:
            call()
        assert str(caught.value) == told


def test_type_parameters(device: Any) -> None:
    text = "def k[T](x: hg.Array[T]):\n    x[hg.global_id()] *= T(2)\n"
    if sys.version_info < (3, 12):  # their syntax is newer
        with pytest.raises(hg.TranslateError, match="this is no Python"):
            hg.kernel_from_source(text)
        return
    x = array("H", [1, 2, 3])
    hg.kernel_from_source(text).on(device)[3](x)
    assert x.tolist() == [2, 4, 6]


def test_a_function_without_text_cannot_be_a_kernel() -> None:
    made: dict[str, Any] = {}
    exec("def lost(x):\n    x[0] = 1\n", made)
    with pytest.raises(hg.TranslateError) as caught:
        hg.kernel(made["lost"])
    how = "give runPythonAsync a { filename: 'cell.py' }" if IN_PAGE else "write it in a file"
    told = f"<string>:1: the text of lost cannot be found: {how}, or use hg.kernel_from_source(text)"
    assert str(caught.value) == told


@pytest.mark.page  # typed arrays are JavaScript's
def test_typed_arrays(device: Any) -> None:
    import js  # type: ignore[import-not-found]

    x, y = js.Float32Array.of(1, 2, 3), js.Float32Array.of(10, 20, 30)
    saxpy.on(device)[3](2.0, x, y)
    assert list(y) == [12, 24, 36]
    with pytest.raises(hg.LaunchError) as caught:
        saxpy.on(device)[3](2.0, js.Float64Array.new(3), y)
    assert str(caught.value) == "x has dtype f64; f32 is expected"


@pytest.mark.page  # batches cross from Python to JavaScript
def test_one_crossing_for_many_launches(device: Any) -> None:
    x = device.allocate_buffer(400)
    device.copy_to_buffer(x, array("f", range(100)))
    y = device.allocate_buffer(400)
    for _ in range(50):
        args = {"a": 1.0, "x": x, "y": y, **dict.fromkeys(saxpy.hidden, 100)}
        device.execute_program_with_params(saxpy.program, hg.ExecutionParams(hg.LaunchConfig.linear(100), args))
    assert device.stats.crossings == 0
    assert memoryview(device.copy_from_buffer(y)).cast("f").tolist() == [50.0 * k for k in range(100)]
    assert (device.stats.crossings, device.stats.launches, device.stats.kernels) == (1, 50, 1)


@hg.kernel
def scored(
    x: hg.Array[hg.f32, 2], w: hg.Array[hg.i32], y: hg.Array[hg.f32, 2], order: hg.Array[hg.i32], rounds: hg.i32
):
    row, column = hg.global_id(1), hg.global_id(0)
    if row < len(x) and column < x.shape[1]:
        y[row, column] = x[row, column] + hg.f32(w[column])
    for step in range(rounds):
        hg.tensor.softmax(y[step], y[step], len(y) - step, y.shape[1])
        hg.tensor.sort(w, w, 1, len(w), descending=True, indices=order)
    total = hg.tensor.parallel_reduce("sum", src_array=y, count=len(y) * y.shape[1])
    if hg.global_id(0) + hg.global_id(1) == 0:
        y[0, 0] = total


def test_what_the_whole_launch_does(ex: hg.Executor) -> None:
    """Collectives between the work of lanes, in a loop of the host, of floats and integers, at offsets."""
    x, y = ex.zeros((3, 4), hg.f32), ex.zeros((3, 4), hg.f32)
    w, order = ex.array(array("i", [2, 9, 4, 3])), ex.zeros(4, hg.i32)
    scored.on(ex)[(4, 3), (8, 8)](x, w, y, order, 2)
    assert w.numpy().tolist() == [9, 4, 3, 2]
    assert order.numpy().tolist() == [0, 1, 2, 3]
    found = y.numpy().tolist()
    assert found[0][0] == pytest.approx(3, rel=1e-5)
    assert sum(found[0][1:]) == pytest.approx(1 - 0.0009, abs=2e-4)
    assert max(found[1]) < 0.5 < max(found[0][1:])


def test_who_says_where_collectives_stand() -> None:
    text = "def k(x: hg.Array[hg.f32], n: hg.u32):\n    if x[0] > 0:\n        hg.tensor.fill(x, n, 1)\n"
    with pytest.raises(hg.TranslateError, match=r"whether hg\.tensor\.fill runs depends on the lane, by line 2, `if x"):
        hg.kernel_from_source(text)
    assert len(dir(hg.tensor)) == 44
    with pytest.raises(hg.TranslateError, match=r"hg\.tensor\.softmax belongs into a kernel"):
        hg.tensor.softmax(1, 2, 3, 4)
