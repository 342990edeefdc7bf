"""Which collective a node of ONNX becomes: text in which `[name]` is an array. What an operator can be and our
instructions are not (more dimensions, other types, broadcasts) is `NotCovered`."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import numpy as np

from .onnx_more import MORE
from .onnx_node import Node, listed, need

__all__ = ["ROWS"]


def _map(operation: str) -> Callable[[Node], str]:
    return lambda n: f"parallel_map.{operation}.{n.ty} [y0], [x0], {n[0].size}"


def _product(n: Node) -> str:
    axes = n.get(1)
    need(axes is None or not axes.size or axes.size == n[0].ndim, "axes are left")
    return f"parallel_reduce.mul.{n.ty} [y0], [x0], {n[0].size}"


def _gelu(n: Node) -> str:
    need(n.attribute("approximate", "none") == "none", "by tanh")
    return _map("gelu")(n)


def _softmax(mnemonic: str) -> Callable[[Node], str]:
    return lambda n: f"{mnemonic}.{n.ty} [y0], [x0], {n.along(-1)}"


def _layer(n: Node) -> str:
    axis = n.attribute("axis", -1) % n[0].ndim
    rows, length = prod(n[0].shape[:axis]), prod(n[0].shape[axis:])
    need(n[1].size == length and (n.get(2) is None or n[2].size == length), "factors of another shape")
    zeros = n.made.setdefault("b", np.zeros(length, n[0].dtype)) if n.get(2) is None else None
    return (
        f"layer_norm.{n.ty} [y0], [x0], [x1], [{'x2' if zeros is None else 'b'}], {rows}, {length}, "
        f"eps={n.attribute('epsilon', 1e-5)}"
    )


def _rms(n: Node) -> str:
    axis = n.attribute("axis", -1) % n[0].ndim
    rows, length = prod(n[0].shape[:axis]), prod(n[0].shape[axis:])
    need(n[1].size == length, "factors of another shape")
    return f"rms_norm.{n.ty} [y0], [x0], [x1], {rows}, {length}, eps={n.attribute('epsilon', 1e-5)}"


def _channels(n: Node, mnemonic: str, arrays: str, groups: str = "") -> str:
    batch, channels = n[0].shape[:2]
    eps = n.attribute("epsilon", 1e-5)
    return f"{mnemonic}.{n.ty} [y0], [x0], {arrays}, {batch}, {channels}{groups}, {prod(n[0].shape[2:])}, eps={eps}"


def _batch(n: Node) -> str:
    need(not n.attribute("training_mode", 0), "training")
    return _channels(n, "batch_norm", "[x1], [x2], [x3], [x4]")


def _group(n: Node) -> str:
    need(n[1].size == n[0].shape[1], "factors of groups")
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


def _flat(n: Node) -> None:
    """Rows as images of one line."""
    if n[0].ndim == 3:
        n.inputs = [None if x is None else x[:, :, None] if x.ndim == 3 else x for x in n.inputs]
        for name, before in (("kernel_shape", [1]), ("strides", [1]), ("dilations", [1]), ("output_padding", [0])):
            if name in n.attributes:
                n.attributes[name] = [*before, *n.attributes[name]]
        if "pads" in n.attributes:
            first, last = n.attributes["pads"]
            n.attributes["pads"] = [0, first, 0, last]


def _window(n: Node, kernel: list[int]) -> tuple[str, list[int]]:
    """Stride, dilation and padding, which ONNX may leave to be found."""
    need(n[0].ndim == 4, f"{n[0].ndim - 2} spatial dimensions")
    stride, dilation = n.attribute("strides", [1, 1]), n.attribute("dilations", [1, 1])
    pads, auto = n.attribute("pads", [0] * 4), n.attribute("auto_pad", "NOTSET")
    if auto.startswith("SAME"):
        around = []
        for axis, length in enumerate(n[0].shape[2:]):
            reach = (kernel[axis] - 1) * dilation[axis] + 1
            around.append(max((-(-length // stride[axis]) - 1) * stride[axis] + reach - length, 0))
        less = [a // 2 if auto == "SAME_UPPER" else a - a // 2 for a in around]
        pads = [*less, *(a - b for a, b in zip(around, less, strict=True))]
    return f"stride={listed(stride)}, padding={listed(pads)}", dilation


def _conv(n: Node) -> str:
    window, dilation = _window(n, list(n[1].shape[2:]))
    sizes = (n[0].shape[0], n[0].shape[1], n[1].shape[0], *n[0].shape[2:], *n[1].shape[2:])
    more = f"dilation={listed(dilation)}, groups={n.attribute('group', 1)}"
    bias = ", bias=[x2]" if n.get(2) is not None else ""
    return f"conv2d.{n.ty} [y0], [x0], [x1], {listed(sizes)[1:-1]}, {window}, {more}{bias}"


def _conv_transpose(n: Node) -> str:
    _flat(n)
    groups, kernel = n.attribute("group", 1), n[1].shape[2:]
    auto, out = n.attributes.pop("auto_pad", b"NOTSET").decode(), n.attributes.pop("output_shape", None)
    if out is None and auto.startswith("SAME"):
        out = [length * stride for length, stride in zip(n[0].shape[2:], n.attribute("strides", [1, 1]), strict=True)]
    if out is not None:  # what is too much at the ends is cut off, what lacks is added
        pads: list[list[int]] = [[], []]
        more = list(n.attribute("output_padding", [0, 0]))
        for axis, length in enumerate(n[0].shape[2:]):
            reach = (kernel[axis] - 1) * n.attribute("dilations", [1, 1])[axis] + 1
            over = (length - 1) * n.attribute("strides", [1, 1])[axis] + more[axis] + reach - out[axis]
            more[axis] += max(-over, 0)
            less = max(over, 0) // 2
            pads[auto != "SAME_UPPER"].append(less)
            pads[auto == "SAME_UPPER"].append(max(over, 0) - less)
        n.attributes |= {"pads": [*pads[0], *pads[1]], "output_padding": more}
    window, dilation = _window(n, list(kernel))
    sizes = (n[0].shape[0], n[0].shape[1], n[1].shape[1] * groups, *n[0].shape[2:], *kernel)
    flags = f"output_padding={listed(n.attribute('output_padding', [0, 0]))}, dilation={listed(dilation)}"
    bias = ", bias=[x2]" if n.get(2) is not None else ""
    return f"conv_transpose2d.{n.ty} [y0], [x0], [x1], {listed(sizes)[1:-1]}, {window}, {flags}, groups={groups}{bias}"


def _pool(n: Node, mean: bool) -> str:
    _flat(n)
    kernel = n.attribute("kernel_shape")
    window, dilation = _window(n, kernel)
    ceil = str(bool(n.attribute("ceil_mode", 0))).lower()
    if mean:
        need(list(dilation) == [1, 1], "dilation")
        more = f"count_include_pad={str(bool(n.attribute('count_include_pad', 0))).lower()}"
    else:
        need(not n.attribute("storage_order", 0) and len(n.wanted) == 1, "places of the greatest")
        more = f"dilation={listed(dilation)}"
    name = "avg_pool2d" if mean else "max_pool2d"
    return f"{name}.{n.ty} [y0], [x0], {listed((*n[0].shape, *kernel))[1:-1]}, {window}, {more}, ceil_mode={ceil}"


def _global(n: Node, name: str) -> str:
    need(n[0].ndim == 4, f"{n[0].ndim - 2} spatial dimensions")
    return f"{name}.{n.ty} [y0], [x0], {listed((*n[0].shape, *n[0].shape[2:]))[1:-1]}"


def _resize(n: Node) -> str:
    mode, how = n.attribute("mode", "nearest"), n.attribute("coordinate_transformation_mode", "half_pixel")
    need(n[0].ndim == 4 and mode in ("nearest", "linear"), "no images, or cubic")
    need(how in ("half_pixel", "align_corners") and not n.attribute("antialias", 0), "other places of pixels")
    need(
        mode == "linear" or n.attribute("nearest_mode", "round_prefer_floor") == "round_prefer_floor", "other rounding"
    )
    (batch, channels, height, width), (*outer, out_height, out_width) = n[0].shape, n.wanted[0].shape
    need(outer == [batch, channels], "images are added")
    if (scales := n.get(2)) is not None and scales.size:
        whole = [float(s) * length for s, length in zip(scales[-2:], (height, width), strict=True)]
        need(whole == [out_height, out_width], "scales that are no quotients of lengths")
    flags = f"linear={str(mode == 'linear').lower()}, align_corners={str(how == 'align_corners').lower()}"
    return f"resize2d.{n.ty} [y0], [x0], {batch}, {channels}, {height}, {width}, {out_height}, {out_width}, {flags}"


def _gather(n: Node) -> str:
    outer, length, inner = n.axis(0)
    n.inputs[1] = n[1].astype(np.int32)
    return f"gather.{n.ty} [y0], [x0], [x1], {outer}, {length}, {inner}, {n[1].size}"


def _cum_sum(n: Node) -> str:
    n.attributes["axis"] = int(n[1].ravel()[0])
    flags = (f"{name}={str(bool(n.attribute(name, 0))).lower()}" for name in ("exclusive", "reverse"))
    return f"cum_sum.{n.ty} [y0], [x0], {n.along(0)}, {', '.join(flags)}"


def _top_k(n: Node) -> str:
    outer, length, inner = n.axis(-1)
    need(inner == 1, "an axis before the last")
    n.wanted[1] = n.wanted[1].astype(np.int32)
    largest = str(bool(n.attribute("largest", 1))).lower()
    return f"top_k.{n.ty} [y0], [y1], [x0], {outer}, {length}, {int(n[1].ravel()[0])}, largest={largest}"


def _transpose(n: Node) -> str:
    order = n.attribute("perm", list(range(n[0].ndim))[::-1])
    return f"transpose.{n.ty} [y0], [x0], {listed(n[0].shape)}, {listed(order)}"


def _concat(n: Node) -> str:
    need(len(n.inputs) == 2, "not two operands")
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
    return f"slice.{n.ty} [y0], [x0], {listed(n[0].shape)}, {', '.join(map(listed, lists))}"


ROWS: dict[str, Callable[[Node], str]] = {
    **{name: _map(name.lower()) for name in ("Abs", "Neg", "Exp", "Log", "Sqrt", "Sigmoid", "Tanh", "Sin", "Cos", "Tan",
                                              "Erf", "Floor", "Ceil", "Round", "Sign", "Relu")},
    "Reciprocal": _map("rcp"),
    "Gelu": _gelu,
    "ReduceProd": _product,
    "Softmax": _softmax("softmax"), "LogSoftmax": _softmax("log_softmax"),
    "LayerNormalization": _layer, "RMSNormalization": _rms, "BatchNormalization": _batch, "GroupNormalization": _group,
    "InstanceNormalization": lambda n: _channels(n, "instance_norm", "[x1], [x2]"),
    "Gemm": _gemm,
    "Conv": _conv, "ConvTranspose": _conv_transpose,
    "MaxPool": lambda n: _pool(n, False), "AveragePool": lambda n: _pool(n, True),
    "GlobalMaxPool": lambda n: _global(n, "max_pool2d"), "GlobalAveragePool": lambda n: _global(n, "avg_pool2d"),
    "Resize": _resize,
    "Gather": _gather, "CumSum": _cum_sum, "TopK": _top_k,
    "Transpose": _transpose, "Concat": _concat, "Slice": _slice,
    "Identity": lambda n: f"copy.{n.ty} [y0], [x0], {n[0].size}",
    **MORE,
}  # fmt: skip
