"""Matrix products: which schedule is chosen."""

from __future__ import annotations

import pytest

from hologram_web.isa.types import Type
from hologram_web.plan.formula import Formula
from hologram_web.plan.symbols import Symbol
from hologram_web.tensor.matmul import choose
from hologram_web.tensor.operation import TRAITS

# mypy: ignore-errors


def _chosen(m, n, ty, device):
    return {kernel.__name__: times for kernel, _, times in choose(m, n, ty, TRAITS[device])}


@pytest.mark.parametrize(
    ("m", "n", "ty", "device", "kernel"),
    [
        (512, 512, "f32", "webgpu", "_gemm_tiles"),
        (16, 32, "i32", "webgpu", "_gemm_tiles"),
        (1, 4096, "f32", "webgpu", "_gemm_plain"),  # one row: most of each tile would be beyond it
        (4096, 31, "f32", "webgpu", "_gemm_plain"),
        (512, 512, "f64", "webgpu", "_gemm_plain"),
        (512, 512, "f32", "wasm", "_gemm_panels"),
        (512, 512, "i64", "wasm", "_gemm_plain"),
    ],
)
def test_the_schedule_is_chosen_by_shape_type_and_device(m, n, ty, device, kernel):
    assert _chosen(m, n, Type[ty.upper()], device) == {kernel: 1}


def test_sizes_that_are_not_known_choose_while_it_runs():
    m = Symbol(Formula(("m",)))
    found = _chosen(m, 512, Type.F32, "webgpu")
    assert list(found) == ["_gemm_tiles", "_gemm_plain"]
    for rows, wanted in ((15, (0, 1)), (16, (1, 0))):
        assert tuple(times.formula.evaluate({"m": rows}) for times in found.values()) == wanted
