"""Collectives whose sizes are symbols: many lanes on WebGPU, as for constant sizes, and the same bits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import product
from math import prod

import numpy as np
import pytest

import hologram_web as hg
from hologram_web.plan.formula import MAX_TOKENS
from hologram_web.plan.plan import BoundsCheck, Copy, Launch, Let, ProgramCall, Repeat, Step, Target, every
from hologram_web.plan.walk import Budget, Walk

from .holo_gpu import GpuRunner, device

SUM = """
    .program total
    .param x: buffer f32 read
    .param y: buffer f32 write
    .param n: u32
    parallel_reduce.add.f32 [y], [x], n
"""
GEMM = """
    .program product
    .param a: buffer f32 read
    .param b: buffer f32 read
    .param c: buffer f32 read_write
    .param m: u32
    .param n: u32
    .param k: u32
    .param beta: f32
    gemm.f32 [c], [a], [b], m, n, k, beta=beta
"""


def _total() -> hg.CompiledProgram:
    return hg.compile(hg.Program.from_text(SUM), shapes={"x": ("n",), "y": (1,)})


def _product() -> hg.CompiledProgram:
    return hg.compile(hg.Program.from_text(GEMM), shapes={"a": ("m", "k"), "b": ("k", "n"), "c": ("m", "n")})


@pytest.fixture(scope="module")
def gpu():
    return device()


@pytest.mark.parametrize("grid", [1, "m"])
def test_what_no_plan_can_hold_is_an_error_that_says_so(grid):
    """Not a slower form in silence."""
    program = hg.Program.from_text(GEMM.replace(" m, n, k, beta", f" {1 << 30}, n, {1 << 30}, beta"))
    told = f"instruction 0: a plan cannot hold it: {4 << 60} has more than 53 bits, in gemm.f32 [c], [a], [b], "
    with pytest.raises(hg.CompileError, match=re.escape(told)):
        hg.compile(program, grid=grid).to_bytes()


def launches(steps: Sequence[Step], target: str, values: dict[str, int]) -> Iterator[int]:
    """The lanes of each launch that a target comes to."""
    for step in steps:
        match step:
            case ProgramCall():
                yield from launches(step.code, target, values)
            case Repeat():
                for _ in range(step.count.evaluate(values)):
                    yield from launches(step.body, target, values)
            case Target() if step.name == target:
                yield from launches(step.body, target, values)
            case Launch():
                yield prod(formula.evaluate(values) for formula in step.lanes)


# A lane has 2,048 elements, and a block 32 lanes.
_LANES = {0: [32], 1: [32], 2048: [32], 2049: [32, 32], 100_000: [64, 32], 5_000_000: [2464, 32, 32]}


@pytest.mark.parametrize(("n", "lanes"), _LANES.items())
def test_a_symbolic_reduction_is_as_wide_as_a_constant_one(n, lanes):
    plan = _total().artifact.plan
    assert list(launches(plan.steps, "webgpu", {"n": n})) == lanes
    constant = hg.compile(
        hg.Program.from_text(SUM.replace("[x], n", f"[x], {n}")), shapes={"x": (max(n, 1),), "y": (1,)}
    )
    assert list(launches(constant.artifact.plan.steps, "webgpu", {"n": n})) == lanes


_PRODUCT_LANES = {
    (100, 300): 13 * 40,  # 8 x 8 elements each
    (8, 300): 4 * 152,  # 2 x 2
    (100, 5): 25 * 4,  # 4 x 2, or x 8
    (63, 5): 32 * 8,
    (1, 300): 3 * 32,  # 1 x 4
    (100, 1): 25,  # 4 x 1
}


@pytest.mark.parametrize(("sizes", "lanes"), _PRODUCT_LANES.items())
def test_a_symbolic_product_has_the_tiles_of_a_constant_one(sizes, lanes):
    m, n = sizes
    values = {"m": m, "n": n, "k": 7}
    steps = _product().artifact.plan.steps
    assert list(launches(steps, "webgpu", values)) == [lanes]
    numbers = hg.Program.from_text(GEMM.replace(" m, n, k, beta", f" {m}, {n}, 7, beta"))
    constant = hg.compile(numbers, shapes={"a": (m, 7), "b": (7, n), "c": (m, n)})
    assert list(launches(constant.artifact.plan.steps, "webgpu", values)) == [lanes]


@pytest.mark.parametrize("n", [0, 1, 31, 2047, 2048, 2049, 65_537, 4_194_305])
def test_the_sum_has_the_bits_of_the_reference(gpu, n):
    x = np.random.default_rng(n).standard_normal(n).astype(np.float32)
    y = np.zeros(1, np.float32)
    expected = _total().run(hg.backends.WasmBackend(), x=x, y=y, n=n)
    found = GpuRunner(_total().to_bytes(), gpu).run({"n": n}, {"x": (x.tobytes(), (n,)), "y": (bytes(4), (1,))})
    assert found["y"][0] == np.asarray(expected).tobytes()


@pytest.mark.parametrize(
    ("m", "n", "k", "beta"),
    [
        (5, 3, 2, 0.0),
        (65, 130, 17, 0.5),
        (0, 4, 4, 1.0),
        (64, 64, 0, 2.0),
        (3, 129, 33, 0.5),
        (40, 2, 9, 0.0),
        (1, 7, 5, 1.0),
    ],
)
def test_the_product_is_one(gpu, m, n, k, beta):
    random = np.random.default_rng(m)
    a, b, c = (random.random(shape).astype(np.float32) for shape in ((m, k), (k, n), (m, n)))
    if beta == 0:
        c[:] = np.nan  # it is not read
    scalars = {"m": m, "n": n, "k": k, "beta": hg.f32.encode(beta)}
    arrays = {"a": (a.tobytes(), (m, k)), "b": (b.tobytes(), (k, n)), "c": (c.tobytes(), (m, n))}
    found = GpuRunner(_product().to_bytes(), gpu).run(scalars, arrays)
    expected = a.astype(np.float64) @ b + (beta * c if beta else 0)
    np.testing.assert_allclose(np.frombuffer(found["c"][0], np.float32).reshape(m, n), expected, rtol=1e-5)
    native = _product().run(hg.backends.WasmBackend(), a=a, b=b, c=c.copy(), beta=beta, m=m, n=n, k=k)
    np.testing.assert_allclose(native, expected, rtol=1e-5)


def test_few_rows_and_few_columns_have_schedules_of_their_own():
    """A kernel for each number of rows up to four, and one for few columns; panels for matrices as they lie, or not."""
    compiled, device, k = _product(), hg.backends.WasmBackend(), 33
    kernels = [kernel.name for kernel in compiled.artifact.kernels if not isinstance(kernel.wasm, str)]
    texts = ("thin_f32_f32_f32", "rows_f32_f32_f32", "fresh_f32_f32_f32_f32")
    assert [kernels.count(f"gemm_{text}") for text in texts] == [1, 4, 2]
    random = np.random.default_rng(k)
    for m, n in product((1, 2, 3, 4, 5, 33), (1, 3, 7, 8, 16, 17, 256, 257)):
        a, b, c = (random.integers(-8, 8, shape).astype(np.float32) for shape in ((m, k), (k, n), (m, n)))
        found = compiled.run(device, a=a, b=b, c=c.copy(), beta=2.0, m=m, n=n, k=k)
        np.testing.assert_array_equal(found, a @ b + 2 * c)


SIZES = {"b": 1, "c": 2, "f": 3, "h": 7, "w": 6, "k": 3}
CONVOLUTION = (
    "".join(f".param {name}: u32\n" for name in [*SIZES, "at", "to"])
    + """
    .param x: buffer f32 read_write
    conv2d.f32 [x + r8*4], [x], [x + r7*4], b, c, f, h, w, k, k, stride=(2, 2), padding=(1, 1, 1, 1)
"""
)


class _Copies(Walk):
    """Walks steps, and counts those that copy."""

    target, count = "wasm", 0

    def launch(self, step: Launch) -> None:
        pass

    def bounds(self, step: BoundsCheck) -> None:
        pass

    def copy(self, step: Copy) -> None:
        self.count += 1


@pytest.mark.parametrize(("to", "copies"), [(138, 0), (137, 2), (0, 2), (500, 0)])
def test_what_does_not_overlap_is_not_copied_however_long_its_formula_is(to, copies):
    """The image has 84 elements, and the filters 54 behind it; 36 are made, after which the buffer is read."""
    compiled = hg.compile(hg.Program.from_text(CONVOLUTION), shapes={"x": ("n",)})
    steps = compiled.artifact.plan.steps
    assert any(isinstance(step, Let) and step.args[0].kind == "formula" for step in every(steps))
    assert max(len(step.count.code) for step in every(steps) if isinstance(step, Repeat)) <= MAX_TOKENS - 2
    numbers = {**SIZES, "at": 84, "to": to}
    walk = _Copies(numbers, {**numbers, "n": 600}, Budget())
    walk.run(steps)
    assert walk.count == copies
    x = np.random.default_rng(5).standard_normal(600).astype(np.float32)
    image, filters = x[:84].reshape(2, 7, 6), x[84:138].reshape(3, 2, 3, 3)
    padded = np.pad(image.astype(np.float64), ((0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (1, 2))[:, ::2, ::2]
    expected = x.copy()
    expected[to : to + 36] = np.einsum("chwkl,fckl->fhw", windows, filters).ravel()
    found = compiled.run(hg.backends.WasmBackend(), x=x, **numbers)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
