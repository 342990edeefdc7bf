"""Gradients of operations: each rule against differences of the operation's own definition in F64."""

from __future__ import annotations

import numpy as np
import pytest

import hologram_web as hg
from hologram_web import array_api as xp
from hologram_web.array.applied import apply, gradients, result_of
from hologram_web.array.node import in_order
from hologram_web.isa.table import BY_NAME
from hologram_web.tensor.families import FAMILIES, operation
from hologram_web.tensor.gradients import RULES
from hologram_web.tensor.operation import Operands

from .gradient_shapes import drawn

# mypy: ignore-errors

RNG = np.random.default_rng(18)
IMAGE = {"batch": 2, "in_channels": 4, "out_channels": 6, "height": 7, "width": 5, "kernel_h": 3, "kernel_w": 2}
POOL = {"batch": 2, "channels": 3, "height": 7, "width": 6, "kernel_h": 3, "kernel_w": 2}
HEADS = {"batch": 2, "heads": 2, "seq_len": 4, "kv_len": 5, "head_dim": 3}
MATRICES = {"m": 3, "n": 4, "k": 5}


def floats(*shape):
    return RNG.permutation(np.prod(shape)).reshape(shape) / np.prod(shape) - 0.4  # no two alike: maxima are sure


def positive(*shape):
    return np.abs(floats(*shape)) + 0.5


CASES = [
    ("Softmax", {"outer": 3, "n": 5, "inner": 2}, {"input": floats(3, 5, 2)}),
    ("LogSoftmax", {"outer": 3, "n": 5, "inner": 1}, {"input": floats(3, 5)}),
    ("LayerNorm", {"rows": 3, "n": 5}, {"input": floats(3, 5), "gamma": floats(5), "beta": floats(5)}),
    ("RMSNorm", {"rows": 3, "n": 5}, {"input": floats(3, 5), "gamma": floats(5)}),
    ("GroupNorm", {"batch": 2, "channels": 6, "groups": 3, "spatial": 4},
     {"input": floats(2, 6, 2, 2), "gamma": floats(6), "beta": floats(6)}),
    ("InstanceNorm", {"batch": 2, "channels": 3, "spatial": 4},
     {"input": floats(2, 3, 4), "gamma": floats(3), "beta": floats(3)}),
    ("BatchNorm", {"batch": 2, "channels": 3, "spatial": 4},
     {"input": floats(2, 3, 4), "gamma": floats(3), "beta": floats(3), "mean": floats(3), "variance": positive(3)}),
    ("LayerScale", {"rows": 3, "n": 4}, {"input": floats(3, 4), "scale": floats(4)}),
    ("CumSum", {"outer": 2, "n": 4, "inner": 3}, {"input": floats(2, 4, 3)}),
    ("CumSum", {"outer": 2, "n": 4, "inner": 1, "exclusive": True, "reverse": True}, {"input": floats(2, 4)}),
    ("Gather", {"outer": 2, "axis_len": 4, "inner": 3, "count": 3},
     {"input": floats(2, 4, 3), "indices": np.array([1, -1, 1])}),
    ("GatherElements", {"outer": 2, "axis_len": 4, "inner": 3, "count": 2},
     {"input": floats(2, 4, 3), "indices": np.array([[[1, -1, 0], [1, 2, 0]], [[3, 3, -4], [0, -1, 1]]])}),
    ("Scatter", {"outer": 2, "axis_len": 4, "inner": 3, "count": 3},
     {"input": floats(2, 3, 3), "indices": np.array([1, 3, 1])}),
    ("Scatter", {"outer": 2, "axis_len": 4, "inner": 3, "count": 3, "accumulate": True},
     {"output": floats(2, 4, 3), "input": floats(2, 3, 3), "indices": np.array([1, 3, 1])}),
    ("Scatter", {"outer": 2, "axis_len": 4, "inner": 3, "count": 3},
     {"output": floats(2, 4, 3), "input": floats(2, 3, 3), "indices": np.array([1, 3, 1])}),
    ("Sort", {"outer": 2, "n": 7}, {"input": floats(2, 7)}),
    ("TopK", {"outer": 2, "n": 7, "k": 3}, {"input": floats(2, 7)}),
    ("Copy", {"count": 6}, {"input": floats(2, 3)}),
    ("AllGather", {"n": 6}, {"input": floats(2, 3)}),
    ("Transpose", {"shape": (2, 3, 4), "permutation": (2, 0, 1)}, {"input": floats(2, 3, 4)}),
    ("Concat", {"outer": 2, "a_len": 3, "b_len": 4, "inner": 2}, {"a": floats(2, 3, 2), "b": floats(2, 4, 2)}),
    ("Pad", {"shape": (3, 4), "before": (1, 0), "after": (2, 3), "value": 5.0}, {"input": floats(3, 4)}),
    ("Slice", {"shape": (5, 6), "start": (4, 1), "stop": (-9, 6), "step": (-2, 2)}, {"input": floats(5, 6)}),
    ("KVCacheUpdate", {"position": 2, "batch": 2, "heads": 2, "head_dim": 3, "max_len": 4},
     {"cache": floats(2, 2, 4, 3), "new_kv": floats(2, 2, 3)}),
    ("Conv2D", IMAGE, {"input": floats(2, 4, 7, 5), "kernel": floats(6, 4, 3, 2), "bias": floats(6)}),
    ("Conv2D", IMAGE | {"stride": (2, 3), "padding": (1, 0, 2, 3), "dilation": (2, 1), "groups": 2},
     {"input": floats(2, 4, 7, 5), "kernel": floats(6, 2, 3, 2)}),
    ("Conv2D", IMAGE | {"out_channels": 8, "groups": 4, "stride": (3, 2)},
     {"input": floats(2, 4, 7, 5), "kernel": floats(8, 1, 3, 2)}),
    ("ConvTranspose2D", IMAGE, {"input": floats(2, 4, 7, 5), "kernel": floats(4, 6, 3, 2), "bias": floats(6)}),
    ("ConvTranspose2D",
     IMAGE | {"stride": (2, 3), "padding": (1, 0, 2, 1), "dilation": (2, 1), "groups": 2, "output_padding": (1, 2)},
     {"input": floats(2, 4, 7, 5), "kernel": floats(4, 3, 3, 2)}),
    ("MaxPool2D", POOL | {"stride": (2, 2), "padding": (1, 0, 1, 1)}, {"input": floats(2, 3, 7, 6)}),
    ("MaxPool2D", POOL | {"stride": (2, 3), "ceil_mode": True, "dilation": (2, 1)}, {"input": floats(2, 3, 7, 6)}),
    ("AvgPool2D", POOL | {"stride": (2, 2), "padding": (1, 0, 1, 1)}, {"input": floats(2, 3, 7, 6)}),
    ("AvgPool2D", POOL | {"stride": (3, 2), "padding": (1, 1, 1, 1), "ceil_mode": True, "count_include_pad": True},
     {"input": floats(2, 3, 7, 6)}),
    *(("Resize2D", {"batch": 1, "channels": 2, "height": 4, "width": 5, "out_height": 7, "out_width": 3,
                    "linear": linear, "align_corners": corners}, {"input": floats(1, 2, 4, 5)})
      for linear in (True, False) for corners in (True, False)),
    ("GEMM", MATRICES | {"alpha": 1.5}, {"a": floats(3, 5), "b": floats(5, 4), "bias": floats(4)}),
    ("GEMM", MATRICES | {"trans_a": True, "trans_b": True}, {"a": floats(5, 3), "b": floats(4, 5)}),
    ("MixedPrecisionGEMM", MATRICES | {"alpha": 0.5, "trans_b": True},
     {"a": floats(3, 5).astype("f2"), "b": floats(4, 5).astype("f2"), "bias": floats(4).astype("f4")}),
    ("BatchedGEMM", MATRICES | {"batch": 2, "trans_b": True}, {"a": floats(2, 3, 5), "b": floats(2, 4, 5)}),
    ("TensorContract",
     {"shape_a": (2, 3, 4, 5), "shape_b": (5, 2, 3, 6), "contract_dims": ((1, 2), (3, 0)), "batch_dims": ((0, 1),)},
     {"a": floats(2, 3, 4, 5), "b": floats(5, 2, 3, 6)}),
    ("SparseGEMM", MATRICES | {"alpha": 1.5},
     {"a_values": floats(6), "a_indices": np.array([1, 4, 0, 1, 1, 2]), "a_ptr": np.array([0, 2, 2, 5]),
      "b": floats(5, 4)}),
    ("Attention", HEADS, {"query": floats(2, 2, 4, 3), "key": floats(2, 2, 5, 3), "value": floats(2, 2, 5, 3)}),
    ("FlashAttention", HEADS | {"causal": True, "scale": 0.7},
     {"query": floats(2, 2, 4, 3), "key": floats(2, 2, 5, 3), "value": floats(2, 2, 5, 3), "mask": floats(4, 5)}),
    ("RoPE", {"batch": 2, "seq_len": 3, "heads": 2, "head_dim": 5},
     {"input": floats(2, 3, 2, 5), "freqs": floats(3, 2)}),
    ("FFT", {"n": 6, "batch": 2}, {"input": floats(2, 6, 2)}),
    ("FFT", {"n": 5, "batch": 2, "inverse": True}, {"input": floats(2, 5, 2)}),
    *(("FFT", {"n": n, "batch": 2, "real": True}, {"input": floats(2, n)}) for n in (1, 2, 5, 6)),
    *(("FFT", {"n": n, "batch": 2, "real": True, "inverse": True}, {"input": floats(2, n // 2 + 1, 2)})
      for n in (1, 5, 6)),
]  # fmt: skip
DRAWN = [case for seed in (19, 20) for case in drawn(seed)]
NO_GRADIENT = {
    "ParallelMap", "ParallelMapBinary", "ParallelReduce",  # arrays have them as maps and reductions of their own
    "ArgMin", "ArgMax", "QuantizedGEMM", "Fill", "Random", "AllReduce",
}  # fmt: skip


@pytest.fixture(scope="module")
def ex():
    with hg.Executor("wasm") as found:
        yield found


def _defined(name, numbers, arrays):
    """The operation by its definition, as a function of its arrays."""
    row, found = BY_NAME[name], operation(name)
    values = {each.name: each.default for each in row.operands} | {"ty": hg.Type.F64} | numbers
    o = Operands(values | dict.fromkeys(arrays, True) | {result_of(name): True}, {})

    def run(given):
        flat = {each: np.ravel(array) for each, array in given.items()}
        for each in found.updated:
            flat.setdefault(each, np.zeros(found.extents(o)[each]))
        if found.reference is None:  # GEMM, which the device cpu has itself
            return np.ravel(operation("BatchedGEMM").reference(np, o, c=np.zeros(o.m * o.n), **flat))
        result = found.reference(np, o, **flat)
        return np.ravel(result[result_of(name)] if isinstance(result, dict) else result)

    return run


def _array(ex, x):
    return xp.asarray(x.astype("i4") if x.dtype == np.int64 else x, device=ex)


def _arrays(ex, name, arrays):
    """Arrays of the types that the operation takes."""
    types = {each.name: each.type for each in BY_NAME[name].operands}
    return {each: _array(ex, x).astype(hg.u32) if types[each] == "u32" else _array(ex, x) for each, x in arrays.items()}


@pytest.mark.parametrize(("name", "numbers", "arrays"), CASES + DRAWN)
def test_gradients_are_what_differences_say(ex, name, numbers, arrays):
    defined = _defined(name, numbers, arrays)
    result = apply(name, result_of(name), **numbers, **_arrays(ex, name, arrays))
    weights = RNG.integers(-128, 128, result.size) / 256  # the same in F32
    found = gradients(result.node, _array(ex, weights).astype(result.dtype))
    exact = {each: x.astype("f8") if x.dtype.kind == "f" else x for each, x in arrays.items()}
    for operand, gradient in zip(result.node.attrs[2], found, strict=True):
        x = exact[operand]
        if gradient is None:
            assert x.dtype == np.int64 or operand == "freqs"
            continue
        wanted, step = np.zeros(x.size), 1e-4
        for i in range(x.size):
            sides = []
            for sign in (1, -1):
                moved = x.copy().ravel()
                moved[i] += sign * step
                sides.append(np.dot(defined(exact | {operand: moved.reshape(x.shape)}), weights))
            wanted[i] = (sides[0] - sides[1]) / (2 * step)
        assert gradient.shape == x.shape
        near = max(1e-5, np.finfo(arrays[operand].dtype).eps)  # F16 rounds
        np.testing.assert_allclose(gradient.numpy().ravel(), wanted, rtol=near, atol=near / 100, err_msg=operand)


def test_every_operation_has_a_rule_or_none_for_a_reason():
    every = {name for names in FAMILIES.values() for name in names}
    assert set(RULES) <= every
    assert every - set(RULES) == NO_GRADIENT
    for cases in (CASES, DRAWN):
        assert {name for name, *_ in cases} == set(RULES)


def test_a_gradient_is_lazy(ex):
    node = apply("Softmax", input=_array(ex, floats(2, 3)), outer=2, n=3).node
    (found,) = gradients(node, xp.ones(6, dtype=hg.f64, device=ex))
    assert found.node.op != "source"
    assert len(in_order([found.node])) > 4
