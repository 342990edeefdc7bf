"""Lazy arrays against NumPy, on every device."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hologram_web as hg
from hologram_web import array_api as xp
from hologram_web.array.array import Array
from hologram_web.array.node import in_order
from hologram_web.array.run import _plans
from hologram_web.array.writing import _programs
from hologram_web.errors import LaunchError, UnsupportedType

from .namespace import NamespaceOn

RNG = np.random.default_rng(18)
A = RNG.random((7, 33), "f4") - np.float32(0.5)
B = RNG.random((33,), "f4") + np.float32(0.5)
C = RNG.random((4, 5, 6), "f4")
N = RNG.integers(-50, 50, (7, 33), "i4")


def blocks(p: Any, c: Any) -> Any:
    """Channels as rows and columns of a larger image: no strides say where its elements are."""
    return p.reshape(p.permute_dims(p.reshape(c, (2, 2, 2, 3, 5)), (0, 3, 1, 4, 2)), (2, 6, 10))


CASES: dict[str, Callable[..., Any]] = {
    "chain": lambda p, a, b, c, n: (a + b) * 2.0 - b / a,
    "one by it": lambda p, a, b, c, n: 1.0 / (a * a + 1.0),
    "where": lambda p, a, b, c, n: p.where(a > 0.1, a, -b),
    "functions": lambda p, a, b, c, n: p.exp(a) + p.sqrt(b) * p.tanh(a) - p.log1p(b),
    "bools": lambda p, a, b, c, n: ((a > 0) & (a < 0.3)) | ~(b > 1),
    "of integers": lambda p, a, b, c, n: p.floor(n) + p.round(n * 2),
    "of bools": lambda p, a, b, c, n: p.where(~(a > 0), True, b > 1),
    "integers": lambda p, a, b, c, n: (n * 3 - 7) // 4 % 5 + (n & 12) ^ (n << 2),
    "mixed": lambda p, a, b, c, n: a * p.astype(n, p.float32),
    "turned": lambda p, a, b, c, n: a.T + 1.0,
    "strided": lambda p, a, b, c, n: a[1:6:2, ::-1] * b,
    "several joined": lambda p, a, b, c, n: p.concat([a, a[:0], a[2:], a[:1], a[:3], a[:1]], axis=0),
    "split, turned and joined again": lambda p, a, b, c, n: (
        p.reshape(p.permute_dims(p.reshape(c, (2, 2, 5, 2, 3)), (0, 2, 1, 4, 3)), (2, 10, 6))[:, 1:8, 1:5] * 2.0
    ),
    "reversed": lambda p, a, b, c, n: p.flip(a, axis=0) - a[::-1],
    "rows": lambda p, a, b, c, n: a[2] + a[-1, ...],
    "new axes": lambda p, a, b, c, n: b[None, :, None] + b[:, None][None],
    "reshaped": lambda p, a, b, c, n: p.reshape(p.reshape(a, (33, 7)).T, (3, 77)) + 1.0,
    "permuted": lambda p, a, b, c, n: p.permute_dims(c, (2, 0, 1)) * 2.0,
    "permuted and flat": lambda p, a, b, c, n: p.reshape(p.permute_dims(c, (1, 2, 0)), (-1,)) + 1.0,
    "four axes": lambda p, a, b, c, n: p.permute_dims(p.reshape(c, (2, 2, 5, 6)), (3, 1, 0, 2)) + 1.0,
    "sum": lambda p, a, b, c, n: p.sum(a),
    "sum of rows": lambda p, a, b, c, n: p.sum(a * b, axis=1),
    "sum of columns": lambda p, a, b, c, n: p.sum(a, axis=0),
    "sum of outer axes": lambda p, a, b, c, n: p.sum(p.permute_dims(c, (2, 0, 1)), axis=(0, 2)),
    "sum in the middle": lambda p, a, b, c, n: p.sum(c, axis=1, keepdims=True) / 5.0,
    "least and greatest": lambda p, a, b, c, n: p.max(c, axis=2) - p.min(c, axis=2),
    "product": lambda p, a, b, c, n: p.prod(c, axis=0),
    "mean and variance": lambda p, a, b, c, n: (a - p.mean(a, axis=1, keepdims=True)) / p.std(a, axis=1, keepdims=True),
    "any and all": lambda p, a, b, c, n: p.any(a > 0.4, axis=1) & ~p.all(a > -0.4, axis=1),
    "argmax": lambda p, a, b, c, n: p.argmax(a, axis=1) + p.argmin(c[0].T, axis=0)[0],
    "softmax by hand": lambda p, a, b, c, n: (
        p.exp(a - p.max(a, axis=1, keepdims=True))
        / p.sum(p.exp(a - p.max(a, axis=1, keepdims=True)), axis=1, keepdims=True)
    ),
    "matrices": lambda p, a, b, c, n: a @ a.T,
    "matrix and vector": lambda p, a, b, c, n: a @ b,
    "vector and matrix": lambda p, a, b, c, n: b @ a.T,
    "stacks": lambda p, a, b, c, n: c @ p.permute_dims(c, (0, 2, 1)),
    "stacks of turned ones": lambda p, a, b, c, n: p.matrix_transpose(c) @ c,
    "stacks on": lambda p, a, b, c, n: p.maximum(c @ p.matrix_transpose(c) * 0.5 - b[:5], 0.0),
    "one turned for all": lambda p, a, b, c, n: c[0].T @ c,
    "stacks that fit": lambda p, a, b, c, n: c[:, None] @ p.matrix_transpose(c[:2]),
    "one for all": lambda p, a, b, c, n: c @ c[0].T,
    "epilogue": lambda p, a, b, c, n: p.maximum((a @ a.T) * 0.5 + a[:, 0], 0.0),
    "rows and columns of blocks": lambda p, a, b, c, n: blocks(p, c)[:, :5, 1:4] + 1.0,
    "backwards through blocks": lambda p, a, b, c, n: blocks(p, c)[:, 4:0:-2, ::-1] * 2.0,
    "blocks, a row of all": lambda p, a, b, c, n: p.reshape(blocks(p, c), (120,))[3:117:7] - 1.0,
    "layer": lambda p, a, b, c, n: p.sum(p.tanh(a @ p.reshape(c[:3, :, :], (90,))[:66].reshape((33, 2)) + 1.0), axis=0),
    "gathered": lambda p, a, b, c, n: p.take(a, p.asarray([3, 0, 3, 6]), axis=0) * b,
    "joined": lambda p, a, b, c, n: p.concat([a, a[:2] * 2.0], axis=0),
    "stacked": lambda p, a, b, c, n: p.stack([b, b + 1.0, b * 2.0], axis=1),
    "sorted": lambda p, a, b, c, n: p.sort(a, axis=1) + p.take(b, p.argsort(b)),
    "running": lambda p, a, b, c, n: p.cumulative_sum(n, axis=1),
    "lower": lambda p, a, b, c, n: p.tril(a) + p.triu(a, k=2),
    "repeated": lambda p, a, b, c, n: p.tile(b[:3], (2, 2)) + p.repeat(b[:6], 1),
    "rolled": lambda p, a, b, c, n: p.roll(a, 3, axis=1) - p.roll(a, -2, axis=0),
    "differences": lambda p, a, b, c, n: p.diff(a, axis=1, n=2),
}


@pytest.mark.parametrize("name", CASES)
def test_it_is_what_numpy_says(ex: hg.Executor, name: str) -> None:
    given = (A, B, C, N)
    expected = CASES[name](np, *given)
    arrays = [xp.asarray(each, device=ex) for each in given]
    found = CASES[name](NamespaceOn(ex), *arrays)
    assert isinstance(found, Array)
    assert found.shape == expected.shape
    values = found.numpy()
    if values.dtype.kind == "f":
        np.testing.assert_allclose(values, expected, rtol=2e-5, atol=2e-5)
    else:
        np.testing.assert_array_equal(values, expected)


@pytest.mark.parametrize("seed", range(12))
def test_views_of_views_are_those_of_numpy(ex: hg.Executor, seed: int) -> None:
    rng = np.random.default_rng(seed)
    wanted = np.arange(720, dtype="i4").reshape(2, 3, 4, 5, 6)
    found = ex.array(wanted) + 0
    for _ in range(5):
        lengths = list(wanted.shape)
        match rng.integers(4):
            case 0 if len(lengths) > 1:  # two axes as one
                axis = int(rng.integers(len(lengths) - 1))
                lengths[axis : axis + 2] = [lengths[axis] * lengths[axis + 1]]
                wanted, found = wanted.reshape(lengths), found.reshape(tuple(lengths))
            case 1:  # one as two
                axis = int(rng.integers(len(lengths)))
                by = next((n for n in (2, 3, 5) if lengths[axis] % n == 0), 1)
                lengths[axis : axis + 1] = [lengths[axis] // by, by]
                wanted, found = wanted.reshape(lengths), found.reshape(tuple(lengths))
            case 2:
                order = tuple(map(int, rng.permutation(len(lengths))))
                wanted, found = wanted.transpose(order), found.transpose(*order)
            case _:
                key = tuple(
                    slice(*[(None, None, None), (0, n - n // 4, 1), (None, None, -1)][rng.integers(3)]) for n in lengths
                )
                wanted, found = wanted[key], found[key]
    assert np.array_equal((found + 1).numpy(), wanted + 1)


@pytest.mark.parametrize(
    "sizes", [[5], [0, 0, 0], [3, 0, 0, 9, 1], [200, 3, 4, 5], [1] * 57, [1, 2, 4, 8, 16], [16, 4, 1, 0]]
)
@pytest.mark.parametrize("axis", [0, 1])
def test_several_arrays_one_after_another(ex: hg.Executor, sizes: list[int], axis: int) -> None:
    parts = [RNG.random((size, 3) if axis == 0 else (3, size), "f4") for size in sizes]
    found = xp.concat([xp.asarray(part, device=ex) for part in parts], axis=axis)
    assert np.array_equal(found.numpy(), np.concatenate(parts, axis=axis))


def test_a_large_array_is_copied_once_where_others_are_joined_to_it(wasm: hg.Executor) -> None:
    parts = [xp.zeros(size, device=wasm) for size in (1000, 2, 3, 4)]
    assert xp.concat(parts).explain().count("Concat") == 3
    assert "f32[9] = Concat" in xp.concat(parts).explain()


@pytest.mark.parametrize("count", [0, 1, 31, 2048, 2049, 70_001])
def test_sums_have_the_canonical_order_on_every_device(ex: hg.Executor, wasm: hg.Executor, count: int) -> None:
    x = (np.arange(count) % 977 * 0.1).astype("f4")
    found = (xp.asarray(x, device=ex) * 3.0).sum().numpy()
    assert found.tobytes() == (xp.asarray(x, device=wasm) * 3.0).sum().numpy().tobytes()
    np.testing.assert_allclose(found, (x * np.float32(3)).sum(dtype="f8"), rtol=1e-5)
    rows = np.stack([x, x + 1])
    np.testing.assert_allclose(xp.asarray(rows, device=ex).sum(axis=1).numpy(), rows.sum(axis=1, dtype="f8"), rtol=1e-5)


TYPES = ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8")


@pytest.mark.parametrize("ty", TYPES)
def test_every_type_of_numbers(ex: hg.Executor, ty: str) -> None:
    values = np.arange(1, 70).astype(ty)
    x = xp.asarray(values, device=ex)
    np.testing.assert_array_equal((x * 2 + x // 3).numpy(), values * np.array(2, ty) + values // np.array(3, ty))
    assert (x * 2).dtype is x.dtype
    np.testing.assert_array_equal((x > 7).numpy(), values > 7)
    np.testing.assert_array_equal(xp.max(x).numpy(), values.max())
    if ty != "f2":
        assert int(x.sum()) == int(values.astype("f8").sum())
    assert xp.astype(x, xp.float32).dtype is hg.f32


def test_wide_integers(ex: hg.Executor) -> None:
    check_wide(ex, hg.u128)


def test_wider_integers(wasm: hg.Executor) -> None:
    check_wide(wasm, hg.i256)


def check_wide(ex: hg.Executor, ty: hg.Type) -> None:
    numbers = [3**70, 5, 2**100 + 1, 7, 0, 2**127 - 1]
    x = xp.asarray(numbers, dtype=ty, device=ex)
    small = xp.asarray([1, 2, 3, 4, 5, 6], dtype=hg.u32, device=ex)
    assert (x * x + 1).tolist() == [ty.unpack(ty.pack([(n * n + 1) % (1 << ty.bits)]))[0] for n in numbers]
    assert (x // 3 % 1000 + small).dtype is ty
    assert (x // 3 % 1000 + small).tolist() == [n // 3 % 1000 + k for k, n in enumerate(numbers, 1)]
    assert (x > 5)[::-2].tolist() == [n > 5 for n in numbers][::-2]
    assert (x.min().item(), x.max().item(), x[:4].sum().item()) == (0, 2**127 - 1, sum(numbers[:4]))
    assert xp.sort(x).tolist() == sorted(numbers)
    assert x.astype(hg.u64).tolist() == [n % (1 << 64) for n in numbers]
    assert x.astype(hg.f64).tolist() == [float(n) for n in numbers]
    wider = hg.i512 if ty.is_signed else hg.u512
    assert x.astype(wider).dtype is (x + xp.asarray([1], dtype=wider, device=ex)).dtype is wider


def test_nothing_is_computed_before_it_is_asked_for(wasm: hg.Executor) -> None:
    x = xp.asarray(A, device=wasm)
    y = xp.exp(x) * 2.0 + x
    assert "not computed yet" in repr(y)
    assert y.explain().count("def ") == 1  # one kernel
    before = len(_plans)
    y.realize()
    assert "not computed yet" not in repr(y)
    (xp.exp(xp.asarray(A + 1, device=wasm)) * 3.0 + xp.asarray(A, device=wasm)).realize()
    again = len(_plans)
    z = xp.asarray(A * 2, device=wasm)
    (xp.exp(z) * 5.0 + z).realize()  # the same graph with other numbers
    assert (before, len(_plans)) == (before, again)
    kernels = len(_programs)
    other = xp.asarray(np.ones((5, 11, 3), "f4"), device=wasm)
    (xp.exp(other) * 5.0 + other).realize()  # of another shape: another plan, the same kernel
    assert len(_programs) == kernels


FUSED = {
    "a product with what is done to it": (lambda x, b: xp.maximum(x @ x.T + b[:7], 0.0), 1),
    "a stack of products with what is done to it": (
        lambda x, b: xp.maximum(xp.reshape(x, (7, 3, 11)) @ xp.reshape(x, (7, 11, 3)) + b[:3], 0.0),
        1,
    ),
    "a reduction of a map, and a map of it": (lambda x, b: xp.sqrt(xp.sum(x * x, axis=1) + 1.0), 1),
    "softmax": (lambda x, b: xp.exp(x) / xp.sum(xp.exp(x), axis=1, keepdims=True), 2),
}


@pytest.mark.parametrize("name", FUSED)
def test_what_is_one_kernel(wasm: hg.Executor, name: str) -> None:
    make, count = FUSED[name]
    found = make(xp.asarray(A, device=wasm), xp.asarray(B, device=wasm))
    text = found.explain()
    launches = [line for line in text.splitlines() if "[" in line and not line.startswith(("%", "def", " "))]
    products = [line for line in launches if line.startswith("gemm_")]  # before it operands are copied
    assert len(products or launches) == count, text
    assert "webgpu" not in text  # a plan has the schedules of its device alone


def test_what_is_done_to_a_product_is_part_of_it_where_its_elements_lie_in_a_row(ex: hg.Executor) -> None:
    """Updates of weights that were joined to one array were kernels of their own."""
    x, b = xp.asarray(A, device=ex), xp.asarray(B, device=ex)
    made = xp.reshape(xp.maximum(x @ x.T * 0.5 + b[:7], 0.0), (49,))
    assert "map[" not in made.explain()
    np.testing.assert_allclose(made.numpy(), np.maximum(A @ A.T * 0.5 + B[:7], 0).reshape(49), rtol=1e-4, atol=1e-5)
    turned = xp.reshape(xp.permute_dims(x @ x.T + b[:7], (1, 0)), (49,))
    np.testing.assert_allclose(turned.numpy(), (A @ A.T + B[:7]).T.reshape(49), rtol=1e-4, atol=1e-5)
    half = xp.reshape(x @ x.T + b[:7], (49,))[10:30]
    np.testing.assert_allclose(half.numpy(), (A @ A.T + B[:7]).reshape(49)[10:30], rtol=1e-4, atol=1e-5)
    joined = xp.concat([xp.reshape(b[:7] - x @ x.T, (-1,)), b])
    np.testing.assert_allclose(joined.numpy(), np.concatenate([(B[:7] - A @ A.T).ravel(), B]), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("stack", "m", "n"),
    # Rows, panels whole and with an edge, lanes for each element; tiles on the other device.
    [((), 3, 32), ((), 40, 64), ((), 33, 30), ((), 20, 1), ((), 1, 5), ((2, 3), 5, 16), ((1,), 4, 6)],
)
def test_what_is_the_same_in_a_row_or_a_column_is_read_without_a_division(
    ex: hg.Executor, stack: tuple[int, ...], m: int, n: int
) -> None:
    """128 x 784 by 784 x 256 and times a column took 2.52 ms, 1.43 without it: `i // n` found each element's row."""
    rng = np.random.default_rng(5)
    shapes = ((*stack, m, 9), (9, n) if not stack else (*stack, 9, n), (n,), (m, 1), (*stack, m, n))
    x, w, b, r, z = (xp.asarray(rng.random(shape).astype("f4"), device=ex) for shape in shapes)
    made = (x @ w) * r + b - z
    text = made.explain()
    lines = text[text.index("def epilogue") :].partition("return")[0]
    assert ("//" in lines, "%" in lines) == ((True, True) if len(stack) == 2 else (False, False)), lines
    only = (x @ w + b).explain()
    lines = only[only.index("def epilogue") :].partition("return")[0]
    assert not any(sign in lines for sign in ("//", "%")), lines
    assert "map[" not in text + only
    product = (x @ w).realize()
    np.testing.assert_array_equal(made.numpy(), (product * r + b - z).numpy())
    np.testing.assert_array_equal((x @ w + b).numpy(), product.numpy() + b.numpy())


@pytest.mark.parametrize("rows", [7, 700])
def test_functions_of_few_elements_are_computed_once_for_many(ex: hg.Executor, rows: int) -> None:
    """Each element of a weight had computed the powers of Adam's corrections."""
    a = np.tile(A, (rows // 7, 1))
    x, t = xp.asarray(a, device=ex), xp.asarray(np.float32(3), device=ex)
    divided = x / (1.0 - xp.exp(t * -0.5))
    assert divided.explain().count("map[") == (1 if rows == 7 else 2)
    np.testing.assert_allclose(divided.numpy(), a / (1 - np.exp(np.float32(-1.5))), rtol=1e-6)
    # Of rows it is a part of the reduction.
    sizes = x / xp.sqrt(xp.sum(x * x, axis=1, keepdims=True) + 1.0)
    text = sizes.explain()
    assert (text.count("map["), text.count("reduce[")) == (1, 1)
    assert (
        "sqrt" in text[text.index("def map" if rows == 7 else "def reduce") :].partition("def")[2].partition("def")[0]
    )
    np.testing.assert_allclose(sizes.numpy(), a / np.sqrt((a * a).sum(axis=1, keepdims=True) + 1), rtol=1e-5)
    assert (x * xp.asarray([2.0], device=ex) + t).explain().count("map[") == 1


def test_operands_in_another_shape_are_read_as_they_lie(wasm: hg.Executor) -> None:
    """What is only reshaped before an operation is no copy, and updates behind a product are part of it."""
    x = np.arange(24, dtype="f4").reshape(4, 6) / 8
    w = np.arange(16, dtype="f4").reshape(2, 8) / 4

    @hg.function
    def step(x: hg.Array, w: hg.Array) -> Any:
        h = xp.exp(x)
        square = h[:4, :4] + 1.0
        updated = w - 0.5 * (xp.reshape(h, (2, 12)) @ xp.reshape(h, (12, 2)) @ w)
        return h, xp.concat([xp.reshape(updated, (-1,)), xp.reshape(square, (16,))]), square - square @ square

    h, joined, less = step(xp.asarray(x, device=wasm), xp.asarray(w, device=wasm))
    powers = np.exp(x.astype("f8"))
    square = powers[:4, :4] + 1.0
    updated = w - 0.5 * (powers.reshape(2, 12) @ powers.reshape(12, 2) @ w)
    np.testing.assert_allclose(h.numpy(), powers, rtol=1e-6)
    np.testing.assert_allclose(joined.numpy(), np.concatenate([updated.ravel(), square.ravel()]), rtol=1e-5)
    np.testing.assert_allclose(less.numpy(), square - square @ square, rtol=1e-5)
    lines = step.explain(xp.asarray(x, device=wasm), xp.asarray(w, device=wasm)).splitlines()
    # exp, square, and its copy behind the other part, which the product writes there.
    assert sum(line.startswith("map[") or line.startswith("map ") for line in lines) == 3, lines


def test_long_chains_compile_and_run(wasm: hg.Executor) -> None:
    x = xp.asarray(np.ones(5, "f4"), device=wasm)
    y = x
    for _ in range(10_000):
        y = y + x
    np.testing.assert_array_equal(y.numpy(), np.full(5, 10_001, "f4"))


def test_a_loop_that_reads_nothing_computes_when_much_waits(wasm: hg.Executor, monkeypatch: pytest.MonkeyPatch) -> None:
    """It held every operation until something was read."""
    monkeypatch.setattr("hologram_web.array.array.DEEPEST", 64)
    x = y = xp.asarray(np.ones(5, "f4"), device=wasm)
    for _ in range(200):
        y = y + x
        assert y.node.depth <= 64
    assert len(in_order([y.node])) < 67
    np.testing.assert_array_equal(y.numpy(), np.full(5, 201, "f4"))

    def grown(x: Any) -> Any:  # traced: all of it is one plan
        for _ in range(200):
            x = x * 1.01
        return x

    made = hg.function(grown)
    assert made.explain(x).count("= multiply(") == 200
    np.testing.assert_allclose(made(x).numpy(), np.full(5, 1.01**200), rtol=1e-4)
    found = hg.grad(lambda x: grown(x).sum())(x)
    np.testing.assert_allclose(found.numpy(), np.full(5, 1.01**200), rtol=1e-4)


@pytest.mark.parametrize("turned", [False, True])
def test_graphs_of_more_numbers_than_a_plan_has_ports(wasm: hg.Executor, turned: bool) -> None:
    """It was an ArtifactError."""
    y = xp.asarray(np.zeros(5, "f4"), device=wasm)
    for number in range(5000):
        y = number % 3 + y if turned else y + number % 3
    np.testing.assert_array_equal(y.numpy(), np.full(5, sum(number % 3 for number in range(5000)), "f4"))


def test_memory_of_arrays_that_are_gone_is_free(ex: hg.Executor) -> None:
    size, count = 8 if ex.backend.selected == "cpu" else 1000, 10_000
    x = xp.asarray(np.ones(size, "f4"), device=ex)
    gc.collect()
    (x + 1.0).realize()
    before = ex.stats()["live_bytes"]
    for number in range(count):
        y = (x + float(number) + np.zeros(size, "f4")).realize()
    assert float(y[3]) == count
    del y
    gc.collect()
    assert ex.stats()["live_bytes"] == before
    assert len(ex._gone) < 4  # the next result takes their place


def test_buffers_have_operators(ex: hg.Executor) -> None:
    x, y = ex.array(A), ex.array(B)
    found = (x + y) * 2.0 - x[0]
    assert isinstance(found, Array)
    np.testing.assert_allclose(found.numpy(), (A + B) * 2 - A[0], rtol=1e-6)
    np.testing.assert_allclose((-x @ y).numpy(), -A @ B, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose((1.0 - y).buffer.numpy(), 1 - B, rtol=1e-6)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (
            lambda x: x + x[:, :5],
            "x1 of shape (7, 33) and x2 of shape (7, 5) do not fit one another: axis -1 has "
            "33 and 5 elements; as many are expected, or 1",
        ),
        (lambda x: x.reshape(5, -1), "x of shape (7, 33), 231 elements, cannot have the shape (5, -1)"),
        (lambda x: x[7], "index 7 is beyond axis 0, which has 7 elements"),
        (lambda x: x[1, 2, 3], "an array of shape (7, 33) has 2 axes, and x[1, 2, 3] has 3"),
        (
            lambda x: x @ x,
            "matmul: axis -2 of x2, whose shape is (7, 33), has 7 elements; 33, as axis -1 of x1 (7, 33), is expected",
        ),
        (lambda x: x.sum(axis=2), "axis 2 of x, of shape (7, 33): -2 to 1 is expected"),
        (lambda x: x[:, :0].max(axis=1), "max of no elements: axis 1 of x, whose shape is (7, 0)"),
        (
            lambda x: x.astype(hg.u8) + 300,
            "300 is beyond u8, the type of the array beside it: convert that with astype",
        ),
        (lambda x: x & 3, "bitwise_and takes no arrays of f32"),
    ],
)
def test_what_does_not_fit_is_told(wasm: hg.Executor, make: Callable[[Any], Any], text: str) -> None:
    with pytest.raises(LaunchError) as caught:
        make(xp.asarray(A, device=wasm))
    assert str(caught.value) == text


def test_kernels_take_arrays(ex: hg.Executor) -> None:
    """They were refused: `x is an Array; Array[f32] is expected`."""
    doubled = hg.kernel_from_source(
        "def doubled(x: hg.Array[hg.f32], y: hg.Array[hg.f32]):\n    i = hg.global_id()\n    y[i] = x[i] * 2\n"
    )
    x, y = ex.array(np.arange(4, dtype=np.float32)), ex.zeros(4)
    doubled[4](x + 1, y)
    assert y.tolist() == [2, 4, 6, 8]
    doubled(x - 1, y=y)
    assert y.tolist() == [-2, 0, 2, 4]
    doubled[4](x.reshape((2, 2)).T.reshape((4,)), y)
    assert y.tolist() == [0, 4, 2, 6]
    doubled.over(x * 2)(x * 2, y)
    assert y.tolist() == [0, 4, 8, 12]
    ex.run(doubled, 4, x=-x, y=y)
    out = np.zeros(4, np.float32)
    doubled[4](x / 2, out)
    assert out.tolist() == [0, 1, 2, 3]
    with pytest.raises(hg.LaunchError, match=r"y is an Array, which does not change, .* give y.buffer"):
        doubled[4](y, x + 1)
    made = x + 1
    doubled[4](x, made.buffer)
    assert made.tolist() == [0, 2, 4, 6]
    with hg.Executor("cpu") as other, pytest.raises(hg.LaunchError, match=r"different executors|run elsewhere"):
        doubled[4](other.zeros(4) + 1, y)


@pytest.mark.parametrize("ty", [hg.f32, hg.i32, hg.f16])
def test_results_do_not_show_what_was_in_memory(ex: hg.Executor, ty: Any) -> None:
    def dirty() -> None:
        xp.asarray(np.full(2000, 7, "f4"), device=ex).realize()

    def zeros(*shape: int) -> Array:
        return xp.zeros(shape, dtype=ty, device=ex)

    for make in (
        lambda: zeros(40, 0) @ zeros(0, 50), lambda: zeros(2000), lambda: zeros(30, 60).sum(axis=1),
        lambda: hg.function(lambda x: x @ x.T, device=ex)(zeros(40, 0)), lambda: xp.sort(zeros(2000)),
        lambda: zeros(0, 2000).sum(axis=0),
    ):  # fmt: skip
        dirty()
        assert not make().numpy().any()


def test_arrays_of_two_executors_do_not_meet(wasm: hg.Executor) -> None:
    with hg.Executor("wasm") as other, pytest.raises(LaunchError, match="arrays of one executor go together"):
        xp.asarray(A, device=wasm) + xp.asarray(A, device=other)
    with pytest.raises(UnsupportedType):
        xp.asarray(A, device=wasm).astype("datetime64[s]")
