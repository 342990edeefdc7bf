"""`python -m tests.torch_gradients`: gradients of operations beside those of PyTorch, where that is installed."""

from __future__ import annotations

import numpy as np
import torch
from torch.nn import functional

import hologram_web as hg
from hologram_web.array.applied import apply, gradients, result_of

from .test_gradients import CASES, _array, _arrays

# mypy: ignore-errors


def _sides(padding):
    """Top, left, bottom and right, as `pad` takes them."""
    top, left, bottom, right = padding
    return left, right, top, bottom


def _conv(o, input, kernel, bias=None):
    padded = functional.pad(input, _sides(o.get("padding", (0, 0, 0, 0))))
    options = {"stride": o.get("stride", 1), "dilation": o.get("dilation", 1), "groups": o.get("groups", 1)}
    return functional.conv2d(padded, kernel, bias, **options)


def _transposed(o, input, kernel, bias=None):
    top, left, bottom, right = o.get("padding", (0, 0, 0, 0))
    options = {"stride": o.get("stride", 1), "dilation": o.get("dilation", 1), "groups": o.get("groups", 1)}
    found = functional.conv_transpose2d(input, kernel, bias, **options)
    more = o.get("output_padding", (0, 0))
    found = functional.pad(found, (0, more[1], 0, more[0]))
    return found[..., top : found.shape[2] - bottom, left : found.shape[3] - right]


def _max_pool(o, input):
    padded = functional.pad(input, _sides(o.get("padding", (0, 0, 0, 0))), value=-float("inf"))
    size = o["kernel_h"], o["kernel_w"]
    return functional.max_pool2d(
        padded, size, o["stride"], dilation=o.get("dilation", 1), ceil_mode=o.get("ceil_mode", False)
    )


def _resize(o, input):
    size = o["out_height"], o["out_width"]
    if not o["linear"]:
        return None  # which of two is the nearest differs
    return functional.interpolate(input, size, mode="bilinear", align_corners=o["align_corners"])


def _attention(o, query, key, value, mask=None):
    if o.get("causal"):
        seen = torch.tril(torch.ones(o["seq_len"], o["kv_len"], dtype=torch.bool))
        mask = (0 if mask is None else mask) + torch.zeros(seen.shape).double().masked_fill(~seen, -float("inf"))
    return functional.scaled_dot_product_attention(query, key, value, mask, scale=o.get("scale"))


FUNCTIONS = {
    "Softmax": lambda o, input: torch.softmax(input, 1),
    "LogSoftmax": lambda o, input: torch.log_softmax(input, 1),
    "LayerNorm": lambda o, input, gamma, beta: functional.layer_norm(input, gamma.shape, gamma, beta),
    "RMSNorm": lambda o, input, gamma: functional.rms_norm(input, gamma.shape, gamma, 1e-5),
    "GroupNorm": lambda o, input, gamma, beta: functional.group_norm(input, o["groups"], gamma, beta),
    "InstanceNorm": lambda o, input, gamma, beta: functional.instance_norm(input, weight=gamma, bias=beta),
    "CumSum": lambda o, input: None if o.get("exclusive") else torch.cumsum(input, 1),
    "Sort": lambda o, input: torch.sort(input, 1)[0],
    "TopK": lambda o, input: torch.topk(input, o["k"], 1)[0],
    "Conv2D": _conv,
    "ConvTranspose2D": _transposed,
    "MaxPool2D": _max_pool,
    "Resize2D": _resize,
    "Attention": _attention,
    "FlashAttention": _attention,
    "FFT": lambda o, input: (
        None if o.get("real") or o.get("inverse") else torch.view_as_real(torch.fft.fft(torch.view_as_complex(input)))
    ),
}


def main() -> None:
    compared = 0
    with hg.Executor("wasm") as ex:
        for name, numbers, arrays in CASES:
            floats = {each: x for each, x in arrays.items() if x.dtype.kind == "f"}
            tensors = {each: torch.from_numpy(x.copy()).requires_grad_() for each, x in floats.items()}
            result = FUNCTIONS[name](numbers, **tensors) if name in FUNCTIONS else None
            if result is None:
                continue
            weights = np.random.default_rng(1).random(result.numel()) - 0.5
            result.backward(torch.from_numpy(weights.reshape(result.shape)))
            node = apply(name, result_of(name), **numbers, **_arrays(ex, name, arrays)).node
            for operand, gradient in zip(node.attrs[2], gradients(node, _array(ex, weights)), strict=True):
                wanted = tensors[operand].grad.numpy()
                np.testing.assert_allclose(gradient.numpy(), wanted, rtol=1e-9, atol=1e-11, err_msg=f"{name} {operand}")
                compared += 1
    print(f"PyTorch {torch.__version__}: {compared} gradients of {len(FUNCTIONS)} operations agree")


if __name__ == "__main__":
    main()
