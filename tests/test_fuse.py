"""Functions of elements in operations of the tensor library: the same bits as one after another, on every device."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pytest

import hologram_web as hg
from hologram_web.errors import CompileError, LaunchError
from hologram_web.frontends.python.source import Source
from hologram_web.isa.operands import ReduceOperation
from hologram_web.plan.builder import PlanBuilder
from hologram_web.plan.plan import Target
from hologram_web.plan.tensor_steps import add_operation
from hologram_web.runtime.compiled import CompiledProgram
from hologram_web.tensor.families import operation
from hologram_web.tensor.fuse import Computed, Fusion, fuse
from hologram_web.tensor.fuse import fused as fused_kernel

from . import texts_to_fuse

F32 = hg.f32
DEVICES = ("cpu", "wasm", "webgpu")


@pytest.fixture(scope="module", params=DEVICES)
def ex(request: pytest.FixtureRequest) -> Iterator[hg.Executor]:
    with hg.Executor(request.param) as found:
        yield found


def product(i, x, y):
    return x[i] * y[i]


def biased_relu(value, i, columns, n):
    return max(value + columns[i % n], 0.0)


def halved(i, x):
    return x[i] * 0.5


def and_its_root(value, i, roots):
    roots[i] = hg.sqrt(value)
    return value


def whole(value, i):
    return hg.i32(value * 100.0)


def compiled(fused: Any, shapes: Mapping[str, tuple[Any, tuple[int, ...]]], values: dict[str, Any]) -> CompiledProgram:
    plan = PlanBuilder("fused")
    for name, (ty, shape) in shapes.items():
        plan.array(name, ty, shape)
    add_operation(plan, fused, values, {name: name for name in shapes})
    return CompiledProgram.from_builder(plan)


def filled(rng: Any, *shape: int) -> Any:
    return rng.random(shape, dtype="f4") - np.float32(0.3)


GEMM = {"ty": F32, "alpha": 1.0, "beta": 0.0, "trans_b": False, "bias": None, "activation": None}


@pytest.mark.parametrize("turned", [False, True])
def test_a_product_of_products_with_its_epilogue_is_the_same_bits(ex: hg.Executor, turned: bool) -> None:
    m, n, k = 37, 29, 50
    row = operation("GEMM")
    fused = fuse(
        row,
        read={"a": Computed(product, {"x": F32, "y": F32})},
        written={"c": Computed(biased_relu, {"columns": F32}, {"n": hg.i32})},
    )
    shapes = {
        "x": (F32, (m * k,)),
        "y": (F32, (m * k,)),
        "b": (F32, (k, n)),
        "columns": (F32, (n,)),
        "c": (F32, (m, n)),
    }
    values = {**GEMM, "m": m, "n": n, "k": k, "trans_a": turned}
    rng = np.random.default_rng(1)
    x, y, b, columns = filled(rng, m * k), filled(rng, m * k), filled(rng, k, n), filled(rng, n)
    found = compiled(fused, shapes, values).run(ex, x=x, y=y, b=b, columns=columns)
    plain = {"a": (F32, (m * k,)), "b": (F32, (k, n)), "c": (F32, (m, n))}
    expected = compiled(row, plain, values).run(ex, a=x * y, b=b)
    np.testing.assert_array_equal(found, np.maximum(expected + columns, 0))
    a = (x * y).reshape(k, m).T if turned else (x * y).reshape(m, k)
    np.testing.assert_allclose(expected, a @ b, atol=1e-5)


@pytest.mark.parametrize("count", [0, 1, 2048, 70_001])
def test_a_reduction_takes_a_map_in_front(ex: hg.Executor, count: int) -> None:
    row = operation("ParallelReduce")
    fused = fuse(row, read={"src_array": Computed(product, {"x": F32, "y": F32})})
    values = {"ty": F32, "operation": ReduceOperation("add"), "count": count}
    rng = np.random.default_rng(2)
    x, y = filled(rng, count), filled(rng, count)
    shapes = {"x": (F32, (count,)), "y": (F32, (count,)), "dst": (F32, (1,))}
    found = compiled(fused, shapes, values).run(ex, x=x, y=y)
    expected = compiled(row, {"src_array": (F32, (count,)), "dst": (F32, (1,))}, values).run(ex, src_array=x * y)
    assert found.tobytes() == expected.tobytes()  # the canonical order, however it is made


@pytest.mark.parametrize("inner", [1, 3])
def test_what_is_written_may_be_more_and_of_another_type(ex: hg.Executor, inner: int) -> None:
    outer, n = 5, 70
    row, values = operation("Softmax"), {"ty": F32, "outer": outer, "n": n, "inner": inner}
    size = outer * n * inner
    x = filled(np.random.default_rng(3), size)
    plain = compiled(row, {"input": (F32, (size,)), "output": (F32, (size,))}, values)
    expected = plain.run(ex, input=x * np.float32(0.5))
    read = {"input": Computed(halved, {"x": F32})}
    fused = fuse(row, read, {"output": Computed(and_its_root, {"roots": F32})})
    shapes = {"x": (F32, (size,)), "roots": (F32, (size,)), "output": (F32, (size,))}
    found = compiled(fused, shapes, values).run(ex, x=x)
    assert found["output"].tobytes() == expected.tobytes()
    np.testing.assert_array_equal(found["roots"], np.sqrt(expected))
    numbers = fuse(row, read, {"output": Computed(whole, ty=hg.i32)})
    found = compiled(numbers, {"x": (F32, (size,)), "output": (hg.i32, (size,))}, values).run(ex, x=x)
    np.testing.assert_array_equal(found, (expected * np.float32(100)).astype("i4"))


def test_the_file_has_steps_for_both_kinds_of_devices() -> None:
    fused = fuse(operation("GEMM"), written={"c": Computed(whole, ty=hg.i32)})
    values = {**GEMM, "m": 20, "n": 20, "k": 20, "trans_a": False}
    shapes = {"a": (F32, (20, 20)), "b": (F32, (20, 20)), "c": (hg.i32, (20, 20))}
    made = compiled(fused, shapes, values)
    assert [step.name for step in made.plan.steps if isinstance(step, Target)] == ["wasm", "webgpu"]
    again = hg.load(made.to_bytes())
    a = filled(np.random.default_rng(4), 20, 20)
    for name in DEVICES:
        with hg.Executor(name) as device:
            found = again.run(device, a=a, b=a)
            assert found.tobytes() == made.run(device, a=a, b=a).tobytes()
            np.testing.assert_allclose(found, a @ a * 100, atol=1)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: fuse(operation("GEMM"), read={"d": Computed(halved)}), "GEMM has no operand 'd': c, a, b, bias"),
        (
            lambda: fuse(operation("GEMM"), read={"c": Computed(halved, {"x": F32})}),
            r"c of GEMM is written: give its function as written=\{\.\.\.\}",
        ),
        (
            lambda: fuse(operation("GEMM"), written={"a": Computed(halved, {"x": F32})}),
            r"a of GEMM is read: give its function as read=\{\.\.\.\}",
        ),
        (lambda: fuse(operation("Sort"), written={"indices": Computed(whole)}), "Sort writes no 'indices' here"),
    ],
)
def test_what_cannot_be_computed_is_told(make: Callable[[], Any], text: str) -> None:
    values = {**GEMM, "m": 2, "n": 2, "k": 2, "trans_a": False, "c": True}
    shapes = {name: (F32, (4,)) for name in ("a", "b", "x", "c")}
    with pytest.raises(CompileError, match=text):
        compiled(make(), shapes, {**values, "outer": 2, "indices": None})
    with pytest.raises(LaunchError, match="GEMM has an operand 'a': name a buffer for it"):
        compiled(operation("GEMM"), {"c": (F32, (4,))}, {**values, "a": True, "b": True})


@pytest.mark.parametrize(
    ("kernel", "text"),
    [
        (texts_to_fuse.passes_on, "element_of_others takes the memory of x, which is computed"),
        (texts_to_fuse.lets_write, r"emptied writes x\[i\], which is computed where it is read"),
        (texts_to_fuse.by_name, "by_name takes the memory of input, which is computed"),
        (texts_to_fuse.writes_two, "writes_two writes output, which is computed on, beside others"),
        (texts_to_fuse.adds, "adds writes output, which is computed on, beside others"),
    ],
)
def test_texts_that_cannot_be_fused_are_told(kernel: Any, text: str) -> None:
    fusion = Fusion({"input": Computed(halved, {"x": F32})}, {"output": Computed(whole)})
    with pytest.raises(CompileError, match=text):
        fused_kernel(Source.of(kernel), fusion)
