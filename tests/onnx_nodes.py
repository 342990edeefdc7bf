"""ONNX's own tests of nodes (`onnx.backend.test.case.node`) on our devices: `python -m tests.onnx_nodes wasm cpu`.

A row of ROWS says which collectives a node becomes: text in which `[name]` is an array. What an operator can be and
our instructions are not (more dimensions, other types, broadcasts) is `NotCovered`, and counted. Of nodes with several
results those that a row makes are compared, with the tolerance of the case.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

import hologram_web as hg
from hologram_web.errors import UnsupportedInstruction, UnsupportedType

from .fuzz.devices import open_devices

__all__ = ["ROWS", "NotCovered", "cases", "counts", "verdict"]

Array = NDArray[Any]
TYPES = {np.dtype(name): short for name, short in (
    ("float16", "f16"), ("float32", "f32"), ("float64", "f64"), ("int8", "i8"), ("int16", "i16"), ("int32", "i32"),
    ("int64", "i64"), ("uint8", "u8"), ("uint16", "u16"), ("uint32", "u32"), ("uint64", "u64"),
)}  # fmt: skip


class NotCovered(Exception):
    """What a node is that no instruction of ours is."""


@dataclass
class Node:
    """A node: its inputs, None where one is left out; its attributes; how many results are asked for."""

    name: str
    inputs: list[Array | None]
    attributes: dict[str, Any]
    wanted: list[Array]
    made: dict[str, Array] = field(default_factory=dict)  # arrays of the program beside its inputs and results

    def __getitem__(self, number: int) -> Array:
        given = self.get(number)
        if given is None:
            raise NotCovered("an input is left out")
        return given

    def get(self, number: int) -> Array | None:
        return self.inputs[number] if number < len(self.inputs) else None

    def attribute(self, name: str, otherwise: Any = None) -> Any:
        found = self.attributes.get(name, otherwise)
        return found.decode() if isinstance(found, bytes) else found

    @property
    def ty(self) -> str:
        return self.of(self.wanted[0])

    @staticmethod
    def of(array: Array) -> str:
        if array.dtype not in TYPES:
            raise NotCovered(f"elements are {array.dtype}")
        return TYPES[array.dtype]

    def along(self, otherwise: int) -> str:
        """The same as text."""
        outer, length, inner = self.axis(otherwise)
        return f"{outer}, {length}, inner={inner}"

    def axis(self, otherwise: int, shape: tuple[int, ...] | None = None) -> tuple[int, int, int]:
        """What lies outside the axis, its length, and what lies inside."""
        shape = self[0].shape if shape is None else shape
        number = self.attribute("axis", otherwise) % max(len(shape), 1)
        return prod(shape[:number]), shape[number], prod(shape[number + 1 :])


def _need(condition: Any, reason: str) -> None:
    if not condition:
        raise NotCovered(reason)


def _map(operation: str) -> Callable[[Node], str]:
    return lambda n: f"parallel_map.{operation}.{n.ty} [y0], [x0], {n[0].size}"


def _binary(operation: str) -> Callable[[Node], str]:
    def row(n: Node) -> str:
        _need(len(n.inputs) == 2 and n[0].shape == n[1].shape, "operands of two shapes")
        return f"parallel_map_binary.{operation}.{n.ty} [y0], [x0], [x1], {n[0].size}"

    return row


def _reduce(operation: str) -> Callable[[Node], str]:
    def row(n: Node) -> str:
        axes = n.get(1) if n.get(1) is not None else n.attribute("axes")
        axes = [] if axes is None else [int(axis) % n[0].ndim for axis in axes]
        _need(axes or not n.attribute("noop_with_empty_axes", 0), "nothing is reduced")
        _need(not axes or len(axes) == n[0].ndim, "axes are left")
        return f"parallel_reduce.{operation}.{n.ty} [y0], [x0], {n[0].size}"

    return row


def _gelu(n: Node) -> str:
    _need(n.attribute("approximate", "none") == "none", "by tanh")
    return _map("gelu")(n)


def _softmax(mnemonic: str) -> Callable[[Node], str]:
    return lambda n: f"{mnemonic}.{n.ty} [y0], [x0], {n.along(-1)}"


def _arg(mnemonic: str) -> Callable[[Node], str]:
    def row(n: Node) -> str:
        _need(not n.attribute("select_last_index", 0), "the last of equals")
        n.wanted[0] = n.wanted[0].astype(np.int32)  # ONNX has I64 here, ours is I32
        return f"{mnemonic}.{n.of(n[0])} [y0], [x0], {n.along(0)}"

    return row


def _layer(n: Node) -> str:
    axis = n.attribute("axis", -1) % n[0].ndim
    rows, length = prod(n[0].shape[:axis]), prod(n[0].shape[axis:])
    _need(n[1].size == length and (n.get(2) is None or n[2].size == length), "factors of another shape")
    zeros = n.made.setdefault("b", np.zeros(length, n[0].dtype)) if n.get(2) is None else None
    return (
        f"layer_norm.{n.ty} [y0], [x0], [x1], [{'x2' if zeros is None else 'b'}], {rows}, {length}, "
        f"eps={n.attribute('epsilon', 1e-5)}"
    )


def _rms(n: Node) -> str:
    axis = n.attribute("axis", -1) % n[0].ndim
    rows, length = prod(n[0].shape[:axis]), prod(n[0].shape[axis:])
    _need(n[1].size == length, "factors of another shape")
    return f"rms_norm.{n.ty} [y0], [x0], [x1], {rows}, {length}, eps={n.attribute('epsilon', 1e-5)}"


def _channels(n: Node, mnemonic: str, arrays: str, groups: str = "") -> str:
    batch, channels = n[0].shape[:2]
    eps = n.attribute("epsilon", 1e-5)
    return f"{mnemonic}.{n.ty} [y0], [x0], {arrays}, {batch}, {channels}{groups}, {prod(n[0].shape[2:])}, eps={eps}"


def _batch(n: Node) -> str:
    _need(not n.attribute("training_mode", 0), "training")
    return _channels(n, "batch_norm", "[x1], [x2], [x3], [x4]")


def _group(n: Node) -> str:
    _need(n[1].size == n[0].shape[1], "factors of groups")
    return _channels(n, "group_norm", "[x1], [x2]", f", {n.attribute('num_groups')}")


def _gemm(n: Node) -> str:
    flags = [n.attribute("transA", 0), n.attribute("transB", 0)]
    (m, k), columns = (n[0].T if flags[0] else n[0]).shape, n.wanted[0].shape[1]
    alpha, beta = n.attribute("alpha", 1.0), n.attribute("beta", 1.0)
    if (c := n.get(2)) is not None:
        n.made["y0"] = np.broadcast_to(c, (m, columns)).copy()
    else:
        beta = 0.0
    a, b = (str(bool(flag)).lower() for flag in flags)
    more = f"alpha={alpha}, beta={beta}, trans_a={a}, trans_b={b}"
    return f"gemm.{n.ty} [y0], [x0], [x1], {m}, {columns}, {k}, {more}"


def _matmul(n: Node) -> str:
    _need(n[0].ndim == 2 and n[1].ndim == 2, "more than two dimensions")
    return f"gemm.{n.ty} [y0], [x0], [x1], {n[0].shape[0]}, {n[1].shape[1]}, {n[0].shape[1]}"


def _window(n: Node, kernel: list[int]) -> tuple[str, list[int]]:
    """Stride, dilation and padding, which ONNX may leave to be found."""
    _need(n[0].ndim == 4, f"{n[0].ndim - 2} spatial dimensions")
    stride, dilation = n.attribute("strides", [1, 1]), n.attribute("dilations", [1, 1])
    pads, auto = n.attribute("pads", [0] * 4), n.attribute("auto_pad", "NOTSET")
    if auto.startswith("SAME"):
        around = []
        for axis, length in enumerate(n[0].shape[2:]):
            reach = (kernel[axis] - 1) * dilation[axis] + 1
            around.append(max((-(-length // stride[axis]) - 1) * stride[axis] + reach - length, 0))
        less = [a // 2 if auto == "SAME_UPPER" else a - a // 2 for a in around]
        pads = [*less, *(a - b for a, b in zip(around, less, strict=True))]
    return f"stride={_list(stride)}, padding={_list(pads)}", dilation


def _list(numbers: Any) -> str:
    numbers = [int(number) for number in numbers]
    return f"({', '.join(map(str, numbers))})"


def _conv(n: Node) -> str:
    window, dilation = _window(n, list(n[1].shape[2:]))
    sizes = (n[0].shape[0], n[0].shape[1], n[1].shape[0], *n[0].shape[2:], *n[1].shape[2:])
    more = f"dilation={_list(dilation)}, groups={n.attribute('group', 1)}"
    bias = ", bias=[x2]" if n.get(2) is not None else ""
    return f"conv2d.{n.ty} [y0], [x0], [x1], {_list(sizes)[1:-1]}, {window}, {more}{bias}"


def _conv_transpose(n: Node) -> str:
    groups, kernel = n.attribute("group", 1), n[1].shape[2:]
    _need(n.attribute("auto_pad", "NOTSET") == "NOTSET" and n.attribute("output_shape") is None, "padding to be found")
    window, dilation = _window(n, list(kernel))
    sizes = (n[0].shape[0], n[0].shape[1], n[1].shape[1] * groups, *n[0].shape[2:], *kernel)
    more = f"output_padding={_list(n.attribute('output_padding', [0, 0]))}, dilation={_list(dilation)}, groups={groups}"
    bias = ", bias=[x2]" if n.get(2) is not None else ""
    return f"conv_transpose2d.{n.ty} [y0], [x0], [x1], {_list(sizes)[1:-1]}, {window}, {more}{bias}"


def _pool(n: Node, mean: bool) -> str:
    kernel = n.attribute("kernel_shape")
    window, dilation = _window(n, kernel)
    ceil = str(bool(n.attribute("ceil_mode", 0))).lower()
    if mean:
        _need(list(dilation) == [1, 1], "dilation")
        more = f"count_include_pad={str(bool(n.attribute('count_include_pad', 0))).lower()}"
    else:
        _need(not n.attribute("storage_order", 0) and len(n.wanted) == 1, "places of the greatest")
        more = f"dilation={_list(dilation)}"
    name = "avg_pool2d" if mean else "max_pool2d"
    return f"{name}.{n.ty} [y0], [x0], {_list((*n[0].shape, *kernel))[1:-1]}, {window}, {more}, ceil_mode={ceil}"


def _global(n: Node, name: str) -> str:
    _need(n[0].ndim == 4, f"{n[0].ndim - 2} spatial dimensions")
    return f"{name}.{n.ty} [y0], [x0], {_list((*n[0].shape, *n[0].shape[2:]))[1:-1]}"


def _resize(n: Node) -> str:
    mode, how = n.attribute("mode", "nearest"), n.attribute("coordinate_transformation_mode", "half_pixel")
    _need(n[0].ndim == 4 and mode in ("nearest", "linear"), "no images, or cubic")
    _need(how in ("half_pixel", "align_corners") and not n.attribute("antialias", 0), "other places of pixels")
    _need(
        mode == "linear" or n.attribute("nearest_mode", "round_prefer_floor") == "round_prefer_floor", "other rounding"
    )
    (batch, channels, height, width), (*outer, out_height, out_width) = n[0].shape, n.wanted[0].shape
    _need(outer == [batch, channels], "images are added")
    if (scales := n.get(2)) is not None and scales.size:
        whole = [float(s) * length for s, length in zip(scales[-2:], (height, width), strict=True)]
        _need(whole == [out_height, out_width], "scales that are no quotients of lengths")
    flags = f"linear={str(mode == 'linear').lower()}, align_corners={str(how == 'align_corners').lower()}"
    return f"resize2d.{n.ty} [y0], [x0], {batch}, {channels}, {height}, {width}, {out_height}, {out_width}, {flags}"


def _gather(n: Node) -> str:
    outer, length, inner = n.axis(0)
    n.inputs[1] = n[1].astype(np.int32)
    return f"gather.{n.ty} [y0], [x0], [x1], {outer}, {length}, {inner}, {n[1].size}"


def _gather_elements(n: Node) -> str:
    outer, length, inner = n.axis(0)
    axis, n.inputs[1] = n.attribute("axis", 0) % n[0].ndim, n[1].astype(np.int32)
    both = ((*each.shape[:axis], *each.shape[axis + 1 :]) for each in (n[0], n[1]))
    _need(len({*both}) == 1, "indices for a part of the other axes")
    return f"gather_elements.{n.ty} [y0], [x0], [x1], {outer}, {length}, {inner}, {n[1].shape[axis]}"


def _cum_sum(n: Node) -> str:
    n.attributes["axis"] = int(n[1].ravel()[0])
    flags = (f"{name}={str(bool(n.attribute(name, 0))).lower()}" for name in ("exclusive", "reverse"))
    return f"cum_sum.{n.ty} [y0], [x0], {n.along(0)}, {', '.join(flags)}"


def _top_k(n: Node) -> str:
    outer, length, inner = n.axis(-1)
    _need(inner == 1, "an axis before the last")
    n.wanted[1] = n.wanted[1].astype(np.int32)
    largest = str(bool(n.attribute("largest", 1))).lower()
    return f"top_k.{n.ty} [y0], [y1], [x0], {outer}, {length}, {int(n[1].ravel()[0])}, largest={largest}"


def _transpose(n: Node) -> str:
    order = n.attribute("perm", list(range(n[0].ndim))[::-1])
    return f"transpose.{n.ty} [y0], [x0], {_list(n[0].shape)}, {_list(order)}"


def _concat(n: Node) -> str:
    _need(len(n.inputs) == 2, "not two operands")
    (outer, left, inner), (_, right, _) = n.axis(0), n.axis(0, n[1].shape)
    return f"concat.{n.ty} [y0], [x0], [x1], {outer}, {left}, {right}, {inner}"


def _slice(n: Node) -> str:
    rank = n[0].ndim
    axes = range(rank) if n.get(3) is None else [int(axis) % rank for axis in n[3]]
    steps = [1] * len(n[1]) if n.get(4) is None else list(map(int, n[4]))
    parts = [range(length) for length in n[0].shape]
    for axis, start, stop, step in zip(axes, n[1], n[2], steps, strict=False):
        parts[axis] = range(*slice(int(start), int(stop), step).indices(n[0].shape[axis]))
    # A stop before the first element is said as one that far from the end.
    stops = [part.stop if part.stop >= 0 else -length - 1 for part, length in zip(parts, n[0].shape, strict=True)]
    lists = ([part.start for part in parts], stops, [part.step for part in parts])
    return f"slice.{n.ty} [y0], [x0], {_list(n[0].shape)}, {', '.join(map(_list, lists))}"


def _pad(n: Node) -> str:
    _need(n.attribute("mode", "constant") == "constant" and n.get(3) is None, "no constant, or some axes")
    before, after = np.split(n[1], 2)
    _need(n[1].min(initial=0) >= 0, "negative pads")
    value = 0 if n.get(2) is None else n[2].item()
    return f"pad.{n.ty} [y0], [x0], {_list(n[0].shape)}, {_list(before)}, {_list(after)}, value={value}"


def _scatter(n: Node) -> str:
    raise NotCovered("places for each element, and not for rows of them")


ROWS: dict[str, Callable[[Node], str]] = {
    **{name: _map(name.lower()) for name in ("Abs", "Neg", "Exp", "Log", "Sqrt", "Sigmoid", "Tanh", "Sin", "Cos", "Tan",
                                              "Erf", "Floor", "Ceil", "Round", "Sign", "Relu")},
    "Reciprocal": _map("rcp"),
    "Gelu": _gelu,
    **{name: _binary(name.lower()) for name in ("Add", "Sub", "Mul", "Div", "Min", "Max")},
    "ReduceSum": _reduce("add"), "ReduceMin": _reduce("min"), "ReduceMax": _reduce("max"), "ReduceProd": _reduce("mul"),
    "Softmax": _softmax("softmax"), "LogSoftmax": _softmax("log_softmax"),
    "LayerNormalization": _layer, "RMSNormalization": _rms, "BatchNormalization": _batch, "GroupNormalization": _group,
    "InstanceNormalization": lambda n: _channels(n, "instance_norm", "[x1], [x2]"),
    "Gemm": _gemm, "MatMul": _matmul,
    "Conv": _conv, "ConvTranspose": _conv_transpose,
    "MaxPool": lambda n: _pool(n, False), "AveragePool": lambda n: _pool(n, True),
    "GlobalMaxPool": lambda n: _global(n, "max_pool2d"), "GlobalAveragePool": lambda n: _global(n, "avg_pool2d"),
    "Resize": _resize,
    "Gather": _gather, "GatherElements": _gather_elements,
    "ScatterElements": _scatter, "ScatterND": _scatter, "CumSum": _cum_sum, "TopK": _top_k,
    "ArgMin": _arg("arg_min"), "ArgMax": _arg("arg_max"),
    "Transpose": _transpose, "Concat": _concat, "Slice": _slice, "Pad": _pad,
    "Identity": lambda n: f"copy.{n.ty} [y0], [x0], {n[0].size}",
}  # fmt: skip


@cache
def cases() -> list[Any]:
    """The cases of operators that have a row, of one node each."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from onnx.backend.test.case.node import collect_testcases

        found: list[Any] = collect_testcases(None)
    return [case for case in found if len(case.model.graph.node) == 1 and case.model.graph.node[0].op_type in ROWS]


def _node(case: Any) -> Node:
    from onnx.helper import get_attribute_value

    given, wanted = case.data_sets[0]
    proto = case.model.graph.node[0]
    named = dict(zip((value.name for value in case.model.graph.input), given, strict=True))
    _need(all(isinstance(value, (np.ndarray, np.generic)) for value in (*given, *wanted)), "no arrays")
    inputs = [np.asarray(named[name]) if name else None for name in proto.input]
    attributes = {attribute.name: get_attribute_value(attribute) for attribute in proto.attribute}
    return Node(proto.op_type, inputs, attributes, [np.asarray(value) for value in wanted])


def verdict(case: Any, device: Any) -> str:
    """Empty where a case passes; why it is not covered, after a colon; or what is wrong."""
    try:
        node = _node(case)
        text = ROWS[node.name](node)
        arrays = {f"y{i}": np.zeros(value.shape, value.dtype) for i, value in enumerate(node.wanted)}
        arrays |= {f"x{i}": value for i, value in enumerate(node.inputs) if value is not None} | node.made
        arrays = {name: value for name, value in arrays.items() if f"[{name}]" in text}
        params = "".join(f".param {name}: buffer {Node.of(value)}\n" for name, value in arrays.items())
        program = hg.Program.from_text(f"{params}    {text}\n")
        program.validate()
    except NotCovered as error:
        return f": {error}"
    except hg.IsaError as error:
        if "does not work on" not in str(error):
            raise
        return f": {str(error).splitlines()[-1]}"
    buffers = {}
    for name, value in arrays.items():
        buffers[name] = hg.TypedBuffer.allocate(device, hg.Type[Node.of(value).upper()], value.size)
        if value.size:
            buffers[name].copy_to(np.ascontiguousarray(value).ravel())
    held = {name: buffer.raw() for name, buffer in buffers.items()}
    try:
        device.execute_program_with_params(program, hg.ExecutionParams(hg.LaunchConfig.linear(1), held))
    except (UnsupportedInstruction, UnsupportedType) as error:
        return f": {error}"
    for number, wanted in enumerate(node.wanted):
        if f"y{number}" in buffers:
            found = np.asarray(buffers[f"y{number}"].copy_from()).reshape(wanted.shape)
            try:
                np.testing.assert_allclose(found, wanted, rtol=case.rtol, atol=case.atol)
            except AssertionError as error:
                return f"{case.name}: {' '.join(str(error).split())[:300]}"
    return ""


def counts(device: Any, wanted: Callable[[str], bool] = lambda name: True) -> Iterator[tuple[str, str, str]]:
    """The operator, the name and the verdict of each case whose operator is wanted."""
    for case in cases():
        operator = case.model.graph.node[0].op_type
        if wanted(operator):
            yield operator, case.name, verdict(case, device)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.onnx_nodes", description=__doc__)
    parser.add_argument("devices", nargs="*", default=["cpu", "wasm"])
    parser.add_argument("--only", default="", help="operators whose names begin with this")
    given = parser.parse_args()
    table: dict[str, dict[str, Counter[str]]] = {}
    for name, device in zip(given.devices, open_devices(given.devices), strict=True):
        for operator, case, found in counts(device.device, lambda each: each.startswith(given.only)):
            kind = "not covered" if found.startswith(":") else "failed" if found else "passed"
            table.setdefault(operator, {}).setdefault(name, Counter())[kind] += 1
            if found:
                print(f"{name}: {case}{found if found.startswith(':') else ' FAILED ' + found}", file=sys.stderr)
    print("| operator |", " | ".join(f"{name}: passed | failed" for name in given.devices), "| not covered |")
    print("|---" * (2 * len(given.devices) + 2) + "|")
    for operator, kinds in sorted(table.items()):
        cells = [str(kinds[name][kind]) for name in given.devices for kind in ("passed", "failed")]
        print(f"| {operator} |", " | ".join(cells), f"| {kinds[given.devices[0]]['not covered']} |")
    return int(any(each["failed"] for kinds in table.values() for each in kinds.values()))


if __name__ == "__main__":
    sys.exit(main())
