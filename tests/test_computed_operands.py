"""Every operand of every operation of the tensor library, computed by a function where it is read or written.

What is found has the bits of the operation alone, of elements that were computed before, or on which was computed
behind; and it is what NumPy says.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hologram_web as hg
from hologram_web.errors import CompileError
from hologram_web.isa.collectives import COLLECTIVE_ROWS
from hologram_web.isa.operands import BinaryMapOperation, MapOperation, ReduceOperation
from hologram_web.isa.table import BY_NAME
from hologram_web.isa.types import Type
from hologram_web.plan.builder import PlanBuilder
from hologram_web.plan.tensor_steps import add_operation
from hologram_web.runtime.compiled import CompiledProgram
from hologram_web.tensor.families import operation
from hologram_web.tensor.fuse import Computed, fuse
from hologram_web.tensor.operation import Operands, extents

_IMAGE = {"batch": 2, "height": 7, "width": 6, "kernel_h": 3, "kernel_w": 3, "stride": (1, 2), "padding": (1, 0, 1, 1)}
_CONV = {"in_channels": 4, "out_channels": 6, "dilation": (1, 1), "groups": 1}
_HEADS = {"batch": 2, "heads": 2, "seq_len": 5, "kv_len": 9, "head_dim": 6}
_ALONG = {"outer": 2, "n": 37, "inner": 3}
_TAKEN = {"outer": 2, "axis_len": 5, "inner": 3, "count": 4}
_CHANNELS = {"batch": 2, "channels": 6, "spatial": 9}
_MNK = {"m": 9, "n": 21, "k": 13}
# The numbers of an operation, and which of the operands it can do without are there; some in several ways.
CASES: dict[str, tuple[str, dict[str, Any], tuple[str, ...]]] = {
    "map": ("ParallelMap", {"operation": MapOperation("sqrt"), "count": 70}, ()),
    "map of two": ("ParallelMapBinary", {"operation": BinaryMapOperation("sub"), "count": 70}, ()),
    "sum": ("ParallelReduce", {"operation": ReduceOperation("add"), "count": 5000}, ()),
    "product": ("GEMM", _MNK, ("bias",)),
    "product of few": ("GEMM", {"m": 2, "n": 40, "k": 70, "trans_b": True, "activation": MapOperation("relu")}, ()),
    "product added to": ("GEMM", _MNK | {"alpha": 2.0, "beta": 1.0, "trans_a": True}, ()),
    "products": ("BatchedGEMM", _MNK | {"batch": 3, "strides": (0, 300, 189)}, ("bias",)),
    "product of halves": ("MixedPrecisionGEMM", _MNK | {"ty": Type.F16}, ("bias",)),
    "product of bytes": ("QuantizedGEMM", _MNK | {"ty": Type.I8, "per_channel": True}, ("a_zero", "b_zero", "bias")),
    "product of half bytes": ("QuantizedGEMM", _MNK | {"ty": Type.U8, "bits": 4}, ()),
    "sparse": ("SparseGEMM", {"m": 4, "n": 17, "k": 5}, ()),
    "contraction": (
        "TensorContract",
        {"shape_a": (3, 4, 5), "shape_b": (5, 6, 3), "contract_dims": ((2, 0),), "batch_dims": ((0, 2),)},
        (),
    ),
    "contraction of axes apart": (
        "TensorContract",
        {"shape_a": (4, 3, 2, 5), "shape_b": (5, 4, 7), "contract_dims": ((0, 1), (3, 0))},
        (),
    ),
    "convolution": ("Conv2D", _IMAGE | _CONV, ("bias",)),
    "convolution of few": ("Conv2D", _IMAGE | _CONV | {"out_channels": 3, "stride": (1, 1)}, ()),
    "convolution of each": ("Conv2D", _IMAGE | _CONV | {"out_channels": 4, "groups": 4}, ("bias",)),
    "convolution of one": (
        "Conv2D",
        _IMAGE | _CONV | {"kernel_h": 1, "kernel_w": 1, "stride": (1, 1), "padding": (0, 0, 0, 0)},
        (),
    ),
    "transposed": ("ConvTranspose2D", _IMAGE | _CONV, ("bias",)),
    "greatest": ("MaxPool2D", _IMAGE | {"channels": 3}, ()),
    "mean": ("AvgPool2D", _IMAGE | {"channels": 3, "count_include_pad": True}, ()),
    "mean of large windows": (
        "AvgPool2D",
        {"batch": 1, "channels": 2, "height": 70, "width": 70, "kernel_h": 3, "kernel_w": 68},
        (),
    ),
    "resized": ("Resize2D", {"batch": 2, "channels": 3, "height": 4, "width": 5, "out_height": 7, "out_width": 3}, ()),
    "layer norm": ("LayerNorm", {"rows": 4, "n": 37}, ()),
    "norm of long rows": ("LayerNorm", {"rows": 2, "n": 2100}, ()),
    "norm of halves": ("LayerNorm", {"rows": 2, "n": 200, "ty": Type.F16}, ()),
    "root mean square": ("RMSNorm", {"rows": 4, "n": 37}, ()),
    "batch norm": ("BatchNorm", _CHANNELS, ()),
    "group norm": ("GroupNorm", _CHANNELS | {"groups": 2}, ()),
    "instance norm": ("InstanceNorm", _CHANNELS, ()),
    "softmax": ("Softmax", _ALONG | {"inner": 1}, ()),
    "softmax of halves": ("Softmax", _ALONG | {"inner": 1, "ty": Type.F16}, ()),
    "softmax of columns": ("Softmax", _ALONG, ()),
    "logarithm of softmax": ("LogSoftmax", _ALONG | {"inner": 1}, ()),
    "scaled": ("LayerScale", {"rows": 4, "n": 37}, ()),
    "attention": ("Attention", _HEADS, ("mask",)),
    "attention by products": ("Attention", _HEADS | {"seq_len": 33, "kv_len": 34, "head_dim": 33}, ()),
    "flash attention": ("FlashAttention", _HEADS | {"causal": True}, ()),
    "pairs": ("RoPE", {"batch": 2, "seq_len": 3, "heads": 2, "head_dim": 7}, ()),
    "pairs of neighbours": ("RoPE", {"batch": 2, "seq_len": 3, "heads": 2, "head_dim": 7, "interleaved": True}, ()),
    "cache": ("KVCacheUpdate", {"position": 2, "batch": 2, "heads": 2, "head_dim": 5, "max_len": 4}, ()),
    "transform": ("FFT", {"n": 60, "batch": 2}, ()),
    "transform of four passes": ("FFT", {"n": 256}, ()),
    "transform of real": ("FFT", {"n": 60, "real": True}, ()),
    "transform back to real": ("FFT", {"n": 60, "real": True, "inverse": True}, ()),
    "transform of a prime": ("FFT", {"n": 17, "batch": 2}, ()),
    "random": ("Random", {"count": 70, "seed": 5}, ()),
    "gather": ("Gather", _TAKEN, ()),
    "gather of elements": ("GatherElements", _TAKEN, ()),
    "scatter": ("Scatter", _TAKEN | {"accumulate": True}, ()),
    "running sums": ("CumSum", _ALONG, ()),
    "sort": ("Sort", {"outer": 2, "n": 70}, ("indices",)),
    "greatest few": ("TopK", {"outer": 2, "n": 70, "k": 5}, ()),
    "least": ("ArgMin", _ALONG, ()),
    "greatest of rows": ("ArgMax", {"outer": 4, "n": 70}, ()),
    "copy": ("Copy", {"count": 70}, ()),
    "fill": ("Fill", {"count": 70, "value": 1.5}, ()),
    "transpose": ("Transpose", {"shape": (3, 4, 5), "permutation": (2, 0, 1)}, ()),
    "concat": ("Concat", {"outer": 2, "a_len": 3, "b_len": 4, "inner": 5}, ()),
    "slice": ("Slice", {"shape": (7, 8), "start": (6, 1), "stop": (0, 8), "step": (-2, 3)}, ()),
    "pad": ("Pad", {"shape": (3, 4), "before": (1, 2), "after": (0, 3), "value": 2.5}, ()),
    "reduced over devices": ("AllReduce", {"operation": ReduceOperation("add"), "n": 7}, ()),
    "joined of devices": ("AllGather", {"n": 7}, ()),
}
ONLY = {"attention by products": ("key",)}  # shaders of it take a minute to compile
# Of what these write nothing is computed, and why.
REFUSED = {
    "Scatter": "it writes some elements, and those more than once",
    "KVCacheUpdate": "it writes some elements",
    "AllReduce": "on one device it writes nothing",
}


class Given:
    """A case: the numbers, and of each operand its type and its elements. All are multiples of 1/8 or integers, and so
    is what functions make them of."""

    def __init__(self, case: str) -> None:
        name, numbers, there = CASES[case]
        self.row, self.operation = BY_NAME[name], operation(name)
        defaults = {each.name: each.default for each in self.row.operands if each.kind != "type"}
        self.values: dict[str, Any] = {**defaults, "ty": Type.F32, **numbers}
        operands = {each.name: each for each in self.row.operands if each.is_address or each.kind == "result"}
        optional = {each for each in operands if operands[each].default is None}
        self.values |= {each: each not in optional or each in there or None for each in operands}
        sizes = extents(self.operation, Operands(self.values, {}))
        rng = np.random.default_rng(sum(map(ord, case)))
        self.types: dict[str, Type] = {}
        self.arrays: dict[str, Any] = {}
        self.written = [each for each in operands if operands[each].kind != "load" and each in sizes]
        for each, size in sizes.items():
            named = operands[each].type
            self.types[each] = ty = self.values["ty"] if named in ("", "ty", "b_ty") else Type.named(named)
            size = 7 if size is None else size
            if each == "a_ptr":
                made = np.array([0, 2, 2, 5, 7])
            elif each.endswith("indices"):
                made = rng.integers(0, 5, size)
            elif ty.is_integer:
                made = rng.integers(1, 100, size)
            else:
                made = rng.integers(1, 25, size) / 8
            self.arrays[each] = made.astype(ty.numpy)
        self.read = [each for each in sizes if each not in self.written]

    def run(self, ex: Any, fused: Any, change: dict[str, tuple[str, Type, Any]]) -> dict[str, Any]:
        """Its results where some operands have others in their place: by name which, of which type and elements."""
        plan, buffers, given, results = PlanBuilder("computed"), {}, {}, []
        for each, array in self.arrays.items():
            if each in change and each in self.read:
                continue
            ty = change[each][1] if each in change else self.types[each]
            plan.array(each, ty, (array.size,))
            buffers[each] = each
            given[each] = array.astype(ty.numpy)
            results += [each] * (each in self.written)
        for name, ty, array in change.values():
            if array is not None:
                plan.array(name, ty, (array.size,))
                buffers[name], given[name] = name, array
        values = {name: value for name, value in self.values.items() if name not in self.types}
        add_operation(plan, fused, values | dict.fromkeys(self.optional()), buffers)
        read = {name for name in given if name not in results or self.is_read(name)}
        found = CompiledProgram.from_builder(plan).run(ex, **{name: given[name] for name in read})
        found = found if isinstance(found, dict) else {results[0]: found}
        return {name: np.asarray(found[name]).ravel() for name in results}

    def optional(self) -> list[str]:
        return [name for name, value in self.values.items() if value is None]

    def is_read(self, name: str) -> bool:
        return name in self.operation.updated or (name == "c" and self.values.get("beta") not in (None, 0))


@pytest.fixture(scope="module", params=["cpu", "wasm", "webgpu"])
def ex(request: pytest.FixtureRequest) -> Iterator[hg.Executor]:
    with hg.Executor(request.param) as found:
        yield found


def shifted(i, more):
    return more[i] - 1


def taken_off(value, i, off):
    return value - off[i]


def whole(value, i):
    return hg.i32(value * 8)


def test_every_operation_is_here() -> None:
    assert {name for name, _, _ in CASES.values()} == {row.name for row in COLLECTIVE_ROWS}


def test_the_documentation_lists_them() -> None:
    text = (Path(__file__).parents[1] / "docs" / "architecture.md").read_text()
    lines = text.partition("| operations | read | written |")[2].partition("\n\n")[0].splitlines()[2:]
    told: dict[str, Any] = {}
    for line in lines:
        names, *parts = line.split("|")[1:4]
        operands = [re.findall("`([a-z_]+)`", part) for part in parts]
        told |= {name.strip(): operands for name in names.split(",")}
    for row in COLLECTIVE_ROWS:
        read = [each.name for each in row.operands if each.kind == "load"]
        written = [each.name for each in row.operands if each.kind in ("store", "rmw", "result")]
        assert told.pop(row.name) == [read, [] if row.name in REFUSED else written]
        assert operation(row.name).whole == (row.name not in REFUSED)
    assert told == {}


@pytest.mark.parametrize("case", CASES)
def test_what_is_read(ex: hg.Executor, case: str) -> None:
    of = Given(case)
    plain = of.run(ex, of.operation, {}) if of.read else {}
    for each in ONLY.get(case, of.read):
        ty = of.types[each]
        fused = fuse(of.operation, read={each: Computed(shifted, {"more": ty})})
        before = of.arrays[each] + of.arrays[each].dtype.type(1)
        found = of.run(ex, fused, {each: ("more", ty, before)})
        _same(case, each, found, plain)


@pytest.mark.parametrize("case", CASES)
def test_what_is_written(ex: hg.Executor, case: str) -> None:
    of = Given(case)
    name = of.operation.name
    if name in REFUSED:
        with pytest.raises(CompileError, match=f"nothing is computed of what {name} writes: {REFUSED[name]}"):
            fuse(of.operation, written={each: Computed(whole, ty=hg.i32) for each in of.written})
        return
    plain = of.run(ex, of.operation, {})
    for each in of.written:
        ty = of.types[each]
        off = (np.arange(plain[each].size) % 7).astype(ty.numpy)
        fused = fuse(of.operation, written={each: Computed(taken_off, {"off": ty})})
        found = of.run(ex, fused, {each: ("off", ty, off)})
        _same(case, each, found, {**plain, each: plain[each] - off})


def _same(case: str, each: str, found: dict[str, Any], wanted: dict[str, Any]) -> None:
    assert found.keys() == wanted.keys()
    for name, array in wanted.items():
        if case == "attention by products":  # which it is not with functions: sums are in another order
            np.testing.assert_allclose(found[name], array, atol=1e-5, err_msg=each)
        else:
            np.testing.assert_array_equal(found[name], array, err_msg=each)
