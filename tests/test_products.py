"""Matrix products: which schedule is chosen."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import hologram_web as hg
from hologram_web import array_api as xp
from hologram_web.isa.types import Type
from hologram_web.plan.formula import Formula
from hologram_web.plan.plan import Launch, every
from hologram_web.plan.symbols import Symbol
from hologram_web.tensor.matmul import FEW, MANY, SLIM, SLIM_HERE, choose
from hologram_web.tensor.norms import wide
from hologram_web.tensor.schedules import TRAITS, traits_for

# mypy: ignore-errors


def _chosen(m, n, ty, device, k=512):
    return {kernel.__name__: times for kernel, _, times in choose(m, n, k, ty, TRAITS[device])}


@pytest.mark.parametrize(
    ("m", "n", "ty", "device", "kernel"),
    [
        (512, 512, "f32", "webgpu", "_gemm_tiles"),
        (16, 32, "i32", "webgpu", "_gemm_tiles"),
        (1, 4096, "f32", "webgpu", "_gemm_tiles"),  # of one row: most of others would be beyond it
        (4096, 31, "f32", "webgpu", "_gemm_tiles"),  # of two rows and columns
        (512, 512, "f64", "webgpu", "_gemm_plain"),
        (512, 512, "f32", "wasm", "_gemm_panels"),
        (4, 512, "f32", "wasm", "_gemm_rows"),  # packing b would take longer than the product
        (512, 32, "f32", "wasm", "_gemm_panels"),
        (16, 16, "f32", "wasm", "_gemm_rows"),  # b is small, and costs less as it lies than launches
        (96, 16, "f32", "wasm", "_gemm_panels"),
        (5, 512, "f32", "wasm", "_gemm_panels"),
        (1024, 15, "f32", "wasm", "_gemm_panels"),  # narrower than a tile of rows
        (512, 512, "i64", "wasm", "_gemm_panels"),
        (512, 512, "f64", "wasm", "_gemm_panels"),
        (4, 512, "f64", "wasm", "_gemm_rows"),
        (512, 512, "i128", "wasm", "_gemm_plain"),
    ],
)
def test_the_schedule_is_chosen_by_shape_type_and_device(m, n, ty, device, kernel):
    assert _chosen(m, n, Type[ty.upper()], device) == {kernel: 1}


@pytest.mark.parametrize(
    ("ty", "within"), [("f16", "f32"), ("i8", "i32"), ("u16", "i32"), ("i64", "i64"), ("f64", "f64"), ("i128", "i128")]
)
def test_short_types_are_computed_in_words(ty, within):
    assert wide(Type[ty.upper()]) is Type[within.upper()]


def test_of_one_row_or_column_a_lane_makes_four_elements():
    """And one on a GPU, which has lanes enough. More steps of k are a round."""
    for m, n, wanted in ((1, 4096, (1, 4, 32, 4)), (4096, 1, (4, 1, 1, 4)), (1, 1, (1, 4, 32, 4))):
        ((_, found, _),) = choose(m, n, 512, Type.F32, traits_for("webgpu"))
        assert tuple(found[name] for name in ("ROWS", "COLUMNS", "ACROSS", "STEPS")) == wanted
        ((_, found, _),) = choose(m, n, 512, Type.F32, traits_for("webgpu", here="gpu"))
        assert (found["ROWS"], found["COLUMNS"], found["STEPS"]) == (1, 1, 8)


@pytest.mark.parametrize(
    ("m", "n", "tile"),
    [
        (64, 31, (4, 8, 4)),
        (1024, 10, (4, 3, 4)),
        (64, 2, (4, 1, 4)),
        (63, 31, (2, 2, 8)),
    ],
)
def test_of_rows_with_few_columns_four_lanes_make_all(m, n, tile):
    ((_, constants, _),) = choose(m, n, 100, Type.F32, TRAITS["webgpu"])
    assert tuple(constants.values()) == tile


@pytest.mark.parametrize(
    ("m", "n", "k", "batch"), [(64, 2, 1, 1), (67, 9, 33, 1), (130, 31, 8, 3), (64, 16, 0, 1), (259, 5, 257, 1)]
)
def test_narrow_products_are_those_of_numpy(m, n, k, batch):
    rng = np.random.default_rng(m + n)
    a, b = (rng.integers(-8, 8, (batch, *shape)).astype("f4") for shape in ((m, k), (k, n)))
    with hg.Executor("webgpu") as ex:
        x, y = xp.asarray(a, device=ex), xp.asarray(b, device=ex)
        np.testing.assert_array_equal((x @ y).numpy(), a @ b)
        turned = xp.asarray(a.mT.copy(), device=ex).mT @ xp.asarray(b.mT.copy(), device=ex).mT
        np.testing.assert_array_equal(turned.numpy(), a @ b)


@pytest.mark.parametrize("target", ["wasm", "webgpu"])
@pytest.mark.parametrize("known", ["", "m", "n"])
def test_sizes_that_are_not_known_choose_while_it_runs(known, target):
    """The same as sizes that are: one of the schedules, once."""
    for m, n in product((0, 1, 2, 3, 4, 15, 16, 100), (0, 1, 2, 16, 17, 31, 32, 100, 256, 257)):
        sizes = {"m": m, "n": n}
        symbols = [size if name == known else Symbol(Formula((name,))) for name, size in sizes.items()]
        found = []
        for kernel, constants, times in choose(*symbols, 513, Type.F32, TRAITS[target]):
            count = times if isinstance(times, int) else times.formula.evaluate(sizes)
            found += [(kernel, constants)] * count
        wanted = [each[:2] for each in choose(m, n, 513, Type.F32, TRAITS[target])]
        if target == "webgpu" and known != "n" and m >= MANY and 1 < n < 32:  # four lanes make up to 16 columns or 32
            wanted = [(kernel, {**constants, "COLUMNS": 4 if n <= 16 else 8}) for kernel, constants in wanted]
        if known != "n":  # rows of what is transposed are as many as that form is for
            most = SLIM_HERE if TRAITS[target].native else SLIM
            most = {"ROWS": min(most, FEW)}
            wanted = [(text, {**each, **most} if each.get("SWAPPED") else each) for text, each in wanted]
        assert found == wanted, (m, n)


@pytest.mark.parametrize(
    ("m", "k", "n", "launches"),
    [
        (16, 64, 64, ["gemm_rows_f32_f32_f32[32 x 4]"]),
        (64, 64, 32, ["panels_f32_f32[32]", "gemm_panels_f32_f32_f32[16]"]),
        (1, 300, 500, ["gemm_thin_f32_f32_f32[4]"]),
        (500, 300, 1, ["gemm_rows_f32_f32_f32[252]"]),
        (64, 300, 200, ["panels_f32_f32[152]", "strips_f32_f32[300 x 8]", "gemm_panels_f32_f32_f32[100]"]),
    ],
)
def test_explain_tells_the_schedule(m, k, n, launches):
    with hg.Executor("wasm") as ex:
        a, b = (xp.ones(shape, device=ex) + 1.0 for shape in ((m, k), (k, n)))
        told = (a.realize() @ b.realize()).explain()
        _, _, steps = told.partition("\n\n")  # behind the graph
        assert [line.partition("(")[0] for line in steps.splitlines()] == launches


@pytest.mark.parametrize(("math", "strips"), [("exact", 13), ("fast", 11)])
def test_where_products_are_not_fused_fewer_rows_go_together(math, strips):
    """In files 64 rows are in strips of five, or of six; here Cranelift takes eight, also for arrays and functions."""
    step = "[300 x 8]"
    with hg.Executor("wasm", math=math) as ex:
        a, b = (xp.ones(shape, device=ex) for shape in ((64, 300), (300, 520)))
        assert step in (a.realize() @ b.realize()).explain()

        @hg.function
        def product(x, y):
            return x @ y

        assert step in product.explain(a, b)
    text = "".join(f".param {name}: buffer f32 {use}\n" for name, use in (("a", "read"), ("b", "read"), ("c", "write")))
    program = hg.Program.from_text(f"{text}    gemm.f32 [c], [a], [b], 64, 520, 300\n")
    steps = hg.compile(program, grid=1, math=math).artifact.plan.steps
    found = [step.lanes for step in every(steps) if isinstance(step, Launch)]
    assert (Formula((300,)), Formula((strips,)), Formula((1,))) in found


@pytest.mark.parametrize(("m", "n", "k"), [(2, 37, 19), (3, 64, 40), (21, 47, 33), (40, 40, 34)])
def test_products_of_f64_are_summed_up_in_order(m, n, k):
    rng = np.random.default_rng(m * n)
    a, b, wanted = rng.random((m, k)), rng.random((k, n)), np.zeros((m, n))
    for p in range(k):
        wanted += a[:, p, None] * b[p]
    with hg.Executor("wasm") as ex:
        assert ((xp.asarray(a, device=ex) @ xp.asarray(b, device=ex)).numpy() == wanted).all()


@pytest.mark.parametrize("trans_b", [False, True])
@pytest.mark.parametrize(
    ("m", "n", "k"),
    [
        (1, 77, 33), (4, 16, 40), (3, 15, 7), (7, 37, 19), (2, 1, 5), (33, 47, 0),
        (41, 24, 33), (40, 31, 32), (40, 40, 34), (21, 47, 33),
    ],
)  # fmt: skip
def test_products_of_few_rows_and_small_ones_are_summed_up_in_order(m, n, k, trans_b):
    rng = np.random.default_rng(m * n)
    a, b = rng.random((2, m, k), "f4"), rng.random((2, n, k) if trans_b else (2, k, n), "f4")
    wanted = np.zeros((2, m, n), "f4")
    for p in range(k):
        wanted += a[:, :, p, None] * (b[:, :, p] if trans_b else b[:, p])[:, None]
    with hg.Executor("wasm") as ex:
        left, right = (xp.asarray(x, device=ex) for x in (a, b))
        found = (left @ (right.mT if trans_b else right)).numpy()
        assert (found == wanted).all()
        turned = xp.asarray(a.mT.copy(), device=ex).mT @ (right.mT if trans_b else right)
        assert (turned.numpy() == wanted).all()
        assert ((left[0] @ (right[0].mT if trans_b else right[0])).numpy() == wanted[0]).all()
