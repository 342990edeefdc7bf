"""Sums of products and of convolutions run over k in increasing order: the same bits on each device that runs kernels,
whatever schedule sizes choose, and on any number of threads. In Chromium, where files have other tiles, on one thread,
on two and by shaders: `python -m tests.test_product_order chromium-wasm chromium-threads chromium-webgpu`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import hologram_web as hg
from hologram_web import array_api as xp
from hologram_web.backends.webgpu.gpu import Gpu

from .fuzz.devices import PATIENT, open_devices

Array = np.ndarray[Any, np.dtype[np.float32]]
RNG = np.random.default_rng(11)
DEVICES = {"wasm": {"threads": 1}, "wasm on two threads": {"threads": 2}, "webgpu": {}}
# Which text each of them is: panels, rows, plain ones and tiles.
PRODUCTS = [(96, 80, 300), (4, 512, 70), (64, 64, 64), (1, 200, 33), (150, 10, 40), (33, 47, 1)]
# Channels, output channels, side, kernel, stride, padding, groups: tiles, few channels of a group, and products.
CONVOLUTIONS = [(8, 16, 20, 3, 1, 1, 1), (6, 6, 19, 3, 1, 1, 6), (5, 7, 14, 2, 2, 0, 1), (12, 16, 18, 1, 1, 0, 1)]


@pytest.fixture(scope="module", params=DEVICES)
def ex(request: pytest.FixtureRequest) -> Iterator[hg.Executor]:
    options: dict[str, Any] = DEVICES[request.param]
    name = request.param.partition(" ")[0]
    if name == "webgpu" and Gpu.shared().real:
        options = {"math": "strict"}  # its compiler may round a product and a sum once
    with hg.Executor(name, **options) as found:
        yield found


def _product(m: int, n: int, k: int) -> tuple[Array, Array, Array]:
    """Two matrices, and their product in order."""
    a, b = RNG.standard_normal((m, k), np.float32), RNG.standard_normal((k, n), np.float32)
    wanted = np.zeros((m, n), np.float32)
    for p in range(k):
        wanted += a[:, p, None] * b[p]
    return a, b, wanted


def _convolution(
    channels: int, outs: int, side: int, kernel: int, stride: int, padding: int, groups: int
) -> tuple[Array, Array, Array]:
    """Images, weights, and what a convolution makes of them in order."""
    x = RNG.standard_normal((2, channels, side, side), np.float32)
    w = RNG.standard_normal((outs, channels // groups, kernel, kernel), np.float32)
    padded = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    count = (side + 2 * padding - kernel) // stride + 1
    wanted = np.zeros((2, outs, count, count), np.float32)
    last = (count - 1) * stride + 1
    for out in range(outs):
        first = out // (outs // groups) * (channels // groups)
        for c in range(channels // groups):
            for row in range(kernel):
                for column in range(kernel):
                    seen = padded[:, first + c, row : row + last : stride, column : column + last : stride]
                    wanted[:, out] += seen * w[out, c, row, column]
    return x, w, wanted


@pytest.mark.parametrize(("m", "n", "k"), PRODUCTS)
def test_products(ex: hg.Executor, m: int, n: int, k: int) -> None:
    a, b, wanted = _product(m, n, k)
    assert (ex.array(a) @ ex.array(b)).numpy().tobytes() == wanted.tobytes()


@pytest.mark.parametrize(("channels", "outs", "side", "kernel", "stride", "padding", "groups"), CONVOLUTIONS)
def test_convolutions(
    ex: hg.Executor, channels: int, outs: int, side: int, kernel: int, stride: int, padding: int, groups: int
) -> None:
    x, w, wanted = _convolution(channels, outs, side, kernel, stride, padding, groups)
    found = hg.ops.conv2d(ex.array(x), ex.array(w), stride=stride, padding=padding, groups=groups)
    assert found.numpy().tobytes() == wanted.tobytes()


@pytest.mark.parametrize("n", [1, 10, 32, 33])
@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_sums_of_short_rows_are_those_of_long_ones(name: str, n: int) -> None:
    """A lane that adds up a row by itself does it in the order of the lanes that share one."""
    x = (np.random.default_rng(n).standard_normal((70, n)) * 4).astype("f4")
    found = []
    for device in ("wasm", "webgpu"):
        strict = device == "webgpu" and Gpu.shared().real
        with hg.Executor(device, math="strict" if strict else "exact") as ex:
            found.append(getattr(xp, name)(xp.asarray(x, device=ex), axis=-1).numpy())
    assert found[0].tobytes() == found[1].tobytes()


def _instructions() -> Iterator[tuple[str, dict[str, Array], Array]]:
    for m, n, k in PRODUCTS:
        a, b, wanted = _product(m, n, k)
        yield f"gemm.f32 [y], [a], [b], {m}, {n}, {k}", {"a": a, "b": b}, wanted
    for channels, outs, side, kernel, stride, padding, groups in CONVOLUTIONS:
        x, w, wanted = _convolution(channels, outs, side, kernel, stride, padding, groups)
        sizes = f"2, {channels}, {outs}, {side}, {side}, {kernel}, {kernel}"
        window = f"stride=({stride}, {stride}), padding=({', '.join([str(padding)] * 4)})"
        yield f"conv2d.f32 [y], [a], [b], {sizes}, {window}, groups={groups}", {"a": x, "b": w}, wanted


def main(names: list[str]) -> int:
    bad = 0
    for name, opened in zip(names, open_devices(names, PATIENT), strict=True):
        for text, arrays, wanted in _instructions():
            device, given = opened.device, {"y": np.zeros_like(wanted), **arrays}
            params = "".join(f".param {each}: buffer f32\n" for each in given)
            handles = {each: device.allocate_buffer(array.nbytes) for each, array in given.items()}
            for each, array in given.items():
                device.copy_to_buffer(handles[each], array.tobytes())
            program = hg.Program.from_text(f"{params}    {text}\n")
            device.execute_program_with_params(program, hg.ExecutionParams(hg.LaunchConfig.linear(1), handles))
            same = device.copy_from_buffer(handles["y"]) == wanted.tobytes()
            bad += not same
            print(f"{name}: {'the same bits' if same else 'OTHER BITS'}: {text}", flush=True)
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
