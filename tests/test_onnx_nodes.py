"""ONNX's own tests of nodes: what passes, pinned by operator; more in docs/onnx.md."""

from __future__ import annotations

from collections import Counter

import pytest

from .fuzz.devices import open_devices
from .onnx_nodes import ROWS, counts

# Of each operator how many cases pass, and how many are what our instructions are not.
PINNED = {
    "Abs": (1, 0), "Add": (7, 1), "ArgMax": (8, 8), "ArgMin": (8, 8), "AveragePool": (12, 8),
    "BatchNormalization": (2, 2), "Ceil": (2, 0), "Concat": (12, 0), "Conv": (6, 0), "ConvTranspose": (6, 5),
    "Cos": (2, 0), "CumSum": (9, 0), "Div": (9, 1), "Erf": (1, 0), "Exp": (2, 0), "Floor": (2, 0), "Gather": (4, 0),
    "GatherElements": (3, 0),
    "Gelu": (2, 2), "Gemm": (11, 0), "GlobalAveragePool": (2, 0), "GlobalMaxPool": (2, 0),
    "GroupNormalization": (2, 0), "Identity": (3, 2), "InstanceNormalization": (2, 0), "LayerNormalization": (19, 0),
    "Log": (2, 0), "LogSoftmax": (7, 0), "MatMul": (1, 6), "Max": (12, 2), "MaxPool": (11, 8), "Min": (12, 2),
    "Mul": (8, 1), "Neg": (2, 0), "Pad": (1, 5), "RMSNormalization": (19, 0), "Reciprocal": (2, 0),
    "ReduceMax": (2, 9), "ReduceMin": (2, 8), "ReduceProd": (2, 7), "ReduceSum": (2, 10), "Relu": (1, 0),
    "Resize": (12, 27), "Round": (1, 0), "ScatterElements": (0, 7), "ScatterND": (0, 7), "Sigmoid": (2, 0),
    "Sign": (1, 0), "Sin": (2, 0), "Slice": (8, 0), "Softmax": (7, 0), "Sqrt": (2, 0), "Sub": (8, 1), "Tan": (2, 0),
    "Tanh": (2, 0), "TopK": (7, 0), "Transpose": (7, 0),
}  # fmt: skip
SLICE = ("Conv", "MaxPool", "Resize", "Softmax", "CumSum")  # shaders are compiled for longer


@pytest.mark.parametrize("device", ["cpu", "wasm", "webgpu"])
def test_nodes_of_onnx(device: str) -> None:
    wanted = {name: PINNED[name] for name in (SLICE if device == "webgpu" else PINNED)}
    (opened,) = open_devices([device])
    found: dict[str, Counter[str]] = {name: Counter() for name in wanted}
    wrong = []
    for operator, _, verdict in counts(opened.device, lambda name: name in wanted):
        found[operator]["other" if verdict.startswith(":") else "passed"] += 1
        wrong += [verdict] if verdict and not verdict.startswith(":") else []
    assert not wrong
    assert {name: (kinds["passed"], kinds["other"]) for name, kinds in found.items()} == wanted


def test_every_row_is_pinned() -> None:
    assert set(PINNED) == set(ROWS)
