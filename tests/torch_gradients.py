"""`python -m tests.torch_gradients`: gradients of operations beside those of PyTorch, where that is installed.

Operations of the tensor library as in test_gradients.py and at shapes that `--seeds N` seeds draw, then functions of
arrays (maps that PyTorch has, reductions, products, what arranges, linalg) at shapes of these seeds.
"""

from __future__ import annotations

import argparse

import numpy as np
import torch
from torch.nn import functional

import hologram_web as hg
from hologram_web import array_api as xp
from hologram_web.array.applied import apply, gradients, result_of
from hologram_web.array.array import mapped
from hologram_web.array.derivatives import DERIVATIVES
from hologram_web.tensor.gradients import RULES

from .gradient_shapes import drawn
from .test_grad import DOMAINS
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
    found = functional.conv_transpose2d(input, kernel, **options)
    more = o.get("output_padding", (0, 0))
    found = functional.pad(found, (0, more[1], 0, more[0])) + (0 if bias is None else bias.reshape(-1, 1, 1))
    return found[..., top : found.shape[2] - bottom, left : found.shape[3] - right]


def _running(input, reverse):
    return torch.cumsum(input.flip(1), 1).flip(1) if reverse else torch.cumsum(input, 1)


def _product(o, a, b):
    return (a.mT if o.get("trans_a") else a) @ (b.mT if o.get("trans_b") else b)


def _batch_norm(o, input, gamma, beta, mean, variance):
    """Written out: PyTorch's takes no gradients by the mean and the variance that it is given."""
    gamma, beta, mean, variance = (each.reshape(-1, *[1] * (input.dim() - 2)) for each in (gamma, beta, mean, variance))
    return (input - mean) * torch.rsqrt(variance + 1e-5) * gamma + beta


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


def _avg_pool(o, input):
    """Of windows that lie over the edges the mean of what is padded, or that of the image alone."""
    image = torch.ones_like(input)
    padded, seen = (functional.pad(each, _sides(o.get("padding", (0, 0, 0, 0)))) for each in (input, image))
    mean, share = (
        functional.avg_pool2d(each, (o["kernel_h"], o["kernel_w"]), o["stride"], ceil_mode=o.get("ceil_mode", False))
        for each in (padded, seen)
    )
    return mean if o.get("count_include_pad") else mean / share


def _gather_elements(o, input, indices):
    return torch.gather(input, 1, (indices % o["axis_len"]).reshape(o["outer"], o["count"], o["inner"]))


def _scatter(o, input, indices, output=None):
    """One after the other, as PyTorch's index_copy does not say which of equal places has the gradient."""
    shape = o["outer"], o["axis_len"], o["inner"]
    found = torch.zeros(shape, dtype=input.dtype) if output is None else output.clone()
    if o.get("accumulate"):
        return found.index_add(1, indices, input)
    for number, index in enumerate(indices.tolist()):
        found[:, index] = input[:, number]
    return found


def _pad(o, input):
    sides = [side for both in reversed([*zip(o["before"], o["after"], strict=True)]) for side in both]
    return functional.pad(input, sides, value=o["value"])


def _slice(o, input):
    """By the numbers of rows, as PyTorch takes no steps backwards."""
    for axis, (length, *ends) in enumerate(zip(o["shape"], o["start"], o["stop"], o["step"], strict=True)):
        input = input.index_select(axis, torch.tensor(range(length)[slice(*ends)]))
    return input


def _sparse(o, a_values, a_indices, a_ptr, b):
    """A matrix of all elements, where those of equal places are added."""
    rows = torch.repeat_interleave(torch.arange(o["m"]), a_ptr.diff())
    places, values = (rows, a_indices[: len(rows)]), a_values[: len(rows)]
    whole = torch.zeros(o["m"], o["k"], dtype=b.dtype).index_put(places, values, accumulate=True)
    return o["alpha"] * (whole @ b)


def _rope(o, input, freqs):
    half = freqs.shape[1]
    numbers = torch.arange(2 * half)
    one, other = (numbers[::2], numbers[1::2]) if o.get("interleaved") else (numbers[:half], numbers[half:])
    x, y, angles = input[..., one], input[..., other], freqs.detach()[:, None]
    turned = torch.cat([x * angles.cos() - y * angles.sin(), x * angles.sin() + y * angles.cos()], 3)
    return input.index_copy(3, torch.cat([one, other]), turned)


def _fft(o, input):
    if not o.get("real"):
        transform = torch.fft.ifft if o.get("inverse") else torch.fft.fft
        return torch.view_as_real(transform(torch.view_as_complex(input)))
    if o.get("inverse"):
        return torch.fft.irfft(torch.view_as_complex(input), o["n"])
    return torch.view_as_real(torch.fft.rfft(input))


FUNCTIONS = {
    "Softmax": lambda o, input: torch.softmax(input, 1),
    "LogSoftmax": lambda o, input: torch.log_softmax(input, 1),
    "LayerNorm": lambda o, input, gamma, beta: functional.layer_norm(input, gamma.shape, gamma, beta),
    "RMSNorm": lambda o, input, gamma: functional.rms_norm(input, gamma.shape, gamma, 1e-5),
    "GroupNorm": lambda o, input, gamma, beta: functional.group_norm(input, o["groups"], gamma, beta),
    "InstanceNorm": lambda o, input, gamma, beta: functional.instance_norm(input, weight=gamma, bias=beta),
    "CumSum": lambda o, input: _running(input, o.get("reverse")) - (input if o.get("exclusive") else 0),
    "LayerScale": lambda o, input, scale: input * scale,
    "BatchNorm": _batch_norm,
    "Gather": lambda o, input, indices: input.index_select(1, indices % o["axis_len"]),
    "GatherElements": _gather_elements,
    "Scatter": _scatter,
    "Copy": lambda o, input: input.clone(),
    "AllGather": lambda o, input: torch.cat([input]),  # of one device
    "Pad": _pad,
    "Slice": _slice,
    "KVCacheUpdate": lambda o, cache, new_kv: cache.index_copy(2, torch.tensor([o["position"]]), new_kv[:, :, None]),
    "Transpose": lambda o, input: input.permute(o["permutation"]),
    "Concat": lambda o, a, b: torch.cat([a, b], 1),
    "GEMM": lambda o, a, b, bias=None: o.get("alpha", 1) * _product(o, a, b) + (0 if bias is None else bias),
    "BatchedGEMM": lambda o, a, b: _product(o, a, b),
    "MixedPrecisionGEMM": lambda o, a, b, bias: o["alpha"] * _product(o, a.float(), b.float()) + bias,
    "SparseGEMM": _sparse,
    "TensorContract": lambda o, a, b: torch.einsum("pqrs,spqt->prt", a, b),
    "Sort": lambda o, input: torch.sort(input, 1)[0],
    "TopK": lambda o, input: torch.topk(input, o["k"], 1)[0],
    "Conv2D": _conv,
    "ConvTranspose2D": _transposed,
    "MaxPool2D": _max_pool,
    "AvgPool2D": _avg_pool,
    "Resize2D": _resize,
    "Attention": _attention,
    "FlashAttention": _attention,
    "RoPE": _rope,
    "FFT": _fft,
}


# Functions of two matrices and a stack of square ones with a large diagonal: ours, and the same said with PyTorch.
GRAPHS = {
    "sums": (lambda a, b, s: a.sum(axis=0) * b.sum(axis=0), lambda a, b, s: a.sum(0) * b.sum(0)),
    "means": (lambda a, b, s: a.mean(axis=1) * b.mean(), lambda a, b, s: a.mean(1) * b.mean()),
    "products": (lambda a, b, s: a.prod(axis=1), lambda a, b, s: a.prod(1)),
    "extremes": (lambda a, b, s: a.max(axis=1) * b.min(axis=1), lambda a, b, s: a.amax(1) * b.amin(1)),
    "spread": (lambda a, b, s: (a * 2.0).std(axis=0), lambda a, b, s: (a * 2.0).std(0, correction=0)),
    "matmul": (lambda a, b, s: a @ b.T @ a, lambda a, b, s: a @ b.T @ a),
    "stacks": (lambda a, b, s: s @ s.mT, lambda a, b, s: s @ s.mT),
    "softmax": (lambda a, b, s: xp.softmax(a, axis=1) * b, lambda a, b, s: torch.softmax(a, 1) * b),
    "where": (lambda a, b, s: xp.where(a > b, a * b, -a), lambda a, b, s: torch.where(a > b, a * b, -a)),
    "views": (lambda a, b, s: a[::-1, ::2] * 2.0 + b.T[0, 0], lambda a, b, s: a.flip(0)[:, ::2] * 2.0 + b.T[0, 0]),
    "joined": (lambda a, b, s: xp.concat([a, b * 2.0]) ** 2.0, lambda a, b, s: torch.cat([a, b * 2.0]) ** 2.0),
    "sorted": (lambda a, b, s: xp.sort(a, axis=1) * b, lambda a, b, s: a.sort(1)[0] * b),
    "running": (lambda a, b, s: xp.cumulative_sum(a, axis=1) * b, lambda a, b, s: a.cumsum(1) * b),
    "taken": (
        lambda a, b, s: a.take(xp.asarray([0, -1, 0], device=a.executor), axis=1),
        lambda a, b, s: a.index_select(1, torch.tensor([0, a.shape[1] - 1, 0])),
    ),
    "triangles": (lambda a, b, s: xp.tril(a) * xp.triu(b), lambda a, b, s: a.tril() * b.triu()),
    "solve": (lambda a, b, s: xp.linalg.solve(s, s.mT), lambda a, b, s: torch.linalg.solve(s, s.mT)),
    "inv": (lambda a, b, s: xp.linalg.inv(s), lambda a, b, s: torch.linalg.inv(s)),
    "det": (lambda a, b, s: xp.linalg.det(s), lambda a, b, s: torch.linalg.det(s)),
    "slogdet": (lambda a, b, s: xp.linalg.slogdet(s)[1], lambda a, b, s: torch.linalg.slogdet(s)[1]),
    "cholesky": (lambda a, b, s: xp.linalg.cholesky(s @ s.mT), lambda a, b, s: torch.linalg.cholesky(s @ s.mT)),
    "eigvalsh": (lambda a, b, s: xp.linalg.eigvalsh(s + s.mT), lambda a, b, s: torch.linalg.eigvalsh(s + s.mT)),
    "svdvals": (lambda a, b, s: xp.linalg.svdvals(s), lambda a, b, s: torch.linalg.svdvals(s)),
}


def operations(ex, cases):
    """How many gradients of operations of the tensor library were compared, and of which operations."""
    compared, names = 0, set()
    for name, numbers, arrays in cases:
        tensors = {each: torch.from_numpy(x.copy()) for each, x in arrays.items()}
        for each in tensors.values():
            each.requires_grad_(each.is_floating_point())
        result = FUNCTIONS[name](numbers, **tensors) if name in FUNCTIONS else None
        if result is None:
            continue
        weights = (np.random.default_rng(1).random(result.numel()) - 0.5).astype(result.detach().numpy().dtype)
        result.backward(torch.from_numpy(weights.reshape(result.shape)))
        node = apply(name, result_of(name), **numbers, **_arrays(ex, name, arrays)).node
        for operand, gradient in zip(node.attrs[2], gradients(node, _array(ex, weights)), strict=True):
            wanted = tensors[operand].grad
            assert (gradient is None) == (wanted is None), f"{name} {operand}"
            if gradient is not None:
                near = {"rtol": 1e-9, "atol": 1e-11} if result.dtype == torch.float64 else {"rtol": 1e-3, "atol": 1e-6}
                found = gradient.numpy()
                np.testing.assert_allclose(found, wanted.numpy(), **near, err_msg=f"{name} {numbers} {operand}")
                compared += 1
        names.add(name)
    return compared, names


def _compared(ex, name, ours, theirs, values):
    """How many gradients of a function of arrays agree."""
    tensors = [torch.from_numpy(x).requires_grad_() for x in values]
    result = theirs(*tensors)
    weights = np.random.default_rng(2).random(tuple(result.shape)) - 0.5
    (result * torch.from_numpy(np.asarray(weights))).sum().backward()
    given, by = [xp.asarray(x, device=ex) for x in values], xp.asarray(weights, device=ex)
    found = hg.grad(lambda *args: (ours(*args) * by).sum(), tuple(range(len(values))))(*given)
    for number, (each, tensor) in enumerate(zip(found, tensors, strict=True)):
        wanted = np.zeros(each.shape) if tensor.grad is None else tensor.grad.numpy()
        np.testing.assert_allclose(each.numpy(), wanted, rtol=1e-8, atol=1e-10, err_msg=f"{name}, {number}")
    return len(found)


def functions(ex, seed):
    """The same of maps and of functions of arrays, at shapes of a seed."""
    rng = np.random.default_rng(seed)
    compared, names = 0, set()
    for name, row in DERIVATIVES.items():
        theirs = getattr(torch, {"power": "pow"}.get(name, name), None) or getattr(functional, name, None)
        if theirs is None or name in ("where", "cast"):  # of cbrt PyTorch has none
            continue
        low, high = DOMAINS.get(name, (-2, 2))
        shape = rng.integers(1, 8, 3)
        values = [rng.uniform(low, high, shape[axis:]) for axis in range(len(row))]
        compared += _compared(ex, name, lambda *args, name=name: mapped(name, *args), theirs, values)
        names.add(name)
    rows, columns, stack, side = (int(n) for n in rng.integers(2, 9, 4))
    values = [rng.uniform(-1, 1, (rows, columns)) for _ in "ab"]
    values.append(rng.uniform(-1, 1, (stack, side, side)) + 2 * side * np.eye(side))
    for name, (ours, theirs) in GRAPHS.items():
        compared += _compared(ex, name, ours, theirs, values)
    return compared, names


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5, help="how many seeds draw shapes")
    seeds = range(parser.parse_args().seeds)
    with hg.Executor("wasm") as ex:
        compared, names = operations(ex, [*CASES, *(case for seed in seeds for case in drawn(seed))])
        print(f"PyTorch {torch.__version__}: {compared} gradients of {len(names)} of {len(RULES)} operations agree")
        found = [functions(ex, seed) for seed in seeds]
        of = f"{len(found[0][1])} maps and {len(GRAPHS)} functions of arrays" if found else "nothing"
        print(f"and {sum(count for count, _ in found)} of {of}, at the shapes of {len(seeds)} seeds")


if __name__ == "__main__":
    main()
