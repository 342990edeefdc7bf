"""Sums of products and of convolutions run over k in increasing order: the same bits on each device, whatever schedule
sizes choose, and on any number of threads. In Chromium, where files have other tiles, on one thread, on two and by
shaders: `python -m tests.test_product_order chromium-wasm chromium-threads chromium-webgpu`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import hologram_web as hg
from hologram_web import array_api as xp
from hologram_web.backends.webgpu.gpu import Gpu

from .collective import UNIT, Case, run, types_of
from .fuzz.devices import PATIENT, open_devices, reference

Array = np.ndarray[Any, np.dtype[Any]]
RNG = np.random.default_rng(11)
DEVICES = {"wasm": {"threads": 1}, "wasm on two threads": {"threads": 2}, "webgpu": {}}
# Which text each of them is: panels, rows, plain ones and tiles.
PRODUCTS = [(96, 80, 300), (4, 512, 70), (64, 64, 64), (1, 200, 33), (150, 10, 40), (33, 47, 1)]
# Channels, output channels, side, kernel, stride, padding, groups: tiles, few channels of a group, and products.
# Of the others sizes of more than a tile, and how many elements they have. `cpu` says what is wanted.
_TURNED = "trans_a=true, trans_b=true, alpha=0.3, beta=-0.7, bias=[bias]"
KIN = {
    "gemm": (f"[c], [a], [b], 70, 50, 90, {_TURNED}", {"c": 3500, "a": 6300, "b": 4500, "bias": 50}),
    "gemm, four rows": ("[c], [a], [b], 4, 130, 90, alpha=-1.7", {"c": 520, "a": 360, "b": 11700}),
    "batched_gemm": (
        "[c], [a], [b], 3, 33, 20, 41, alpha=0.3, beta=0.6, trans_b=true, strides=(1353, 0, 700)",
        {"c": 2060, "a": 4059, "b": 820},
    ),
    "mixed_precision_gemm": (f"[c], [a], [b], 70, 50, 90, {_TURNED}", {"c": 3500, "a": 6300, "b": 4500, "bias": 50}),
    "sparse_gemm": (
        "[c], [a_values], [a_indices], [a_ptr], [b], 3, 40, 50, alpha=0.3, beta=0.7",
        {"c": 120, "a_values": 90, "a_indices": 90, "a_ptr": 4, "b": 2000},
    ),
    "tensor_contract": (
        "[output], [a], [b], (3, 40, 9, 5), (5, 30, 9, 3), (3:0, 2:2), batch_dims=(0:3)",
        {"output": 3600, "a": 5400, "b": 4050},
    ),
    "conv2d, groups and dilation": (
        "[output], [input], [kernel], 2, 12, 20, 17, 19, 3, 3, padding=(2, 2, 2, 2), dilation=(2, 2), groups=4,"
        " bias=[bias]",
        {"output": 12920, "input": 7752, "kernel": 540, "bias": 20},
    ),
    "conv2d, strides": (
        "[output], [input], [kernel], 1, 10, 18, 21, 23, 5, 3, padding=(1, 0, 1, 2), stride=(2, 2), activation=relu",
        {"output": 2160, "input": 4830, "kernel": 2700},
    ),
    "conv_transpose2d": (
        "[output], [input], [kernel], 2, 9, 8, 7, 11, 3, 4, stride=(2, 3), padding=(1, 1, 0, 1), bias=[bias]",
        {"output": 7168, "input": 1386, "kernel": 864, "bias": 8},
    ),
    "conv_transpose2d, groups and dilation": (
        "[output], [input], [kernel], 1, 12, 8, 9, 10, 3, 3, dilation=(2, 2), groups=4",
        {"output": 1456, "input": 1080, "kernel": 216},
    ),
}  # fmt: skip
CONVOLUTIONS = [(8, 16, 20, 3, 1, 1, 1), (6, 6, 19, 3, 1, 1, 6), (5, 7, 14, 2, 2, 0, 1), (12, 16, 18, 1, 1, 0, 1)]


@pytest.fixture(scope="module", params=DEVICES)
def ex(request: pytest.FixtureRequest) -> Iterator[hg.Executor]:
    options: dict[str, Any] = DEVICES[request.param]
    name = request.param.partition(" ")[0]
    if name == "webgpu" and Gpu.shared().real:
        options = {"math": "strict"}  # its compiler may round a product and a sum once
    with hg.Executor(name, **options) as found:
        yield found


def _product(m: int, n: int, k: int, ty: str = "f4") -> tuple[Array, Array, Array]:
    """Two matrices, and their product in order: of halves in F32."""
    a, b = RNG.standard_normal((m, k)).astype(ty), RNG.standard_normal((k, n)).astype(ty)
    wide = np.promote_types(ty, np.float32)
    wanted = np.zeros((m, n), wide)
    for p in range(k):
        wanted += a[:, p, None].astype(wide) * b[p].astype(wide)
    return a, b, wanted.astype(ty)


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
    for ty in ("f4", "f8") if ex.device.name == "webgpu" else ("f2", "f4", "f8"):
        a, b, wanted = _product(m, n, k, ty)
        assert (ex.array(a) @ ex.array(b)).numpy().tobytes() == wanted.tobytes()


@pytest.mark.parametrize(("channels", "outs", "side", "kernel", "stride", "padding", "groups"), CONVOLUTIONS)
def test_convolutions(
    ex: hg.Executor, channels: int, outs: int, side: int, kernel: int, stride: int, padding: int, groups: int
) -> None:
    x, w, wanted = _convolution(channels, outs, side, kernel, stride, padding, groups)
    found = hg.ops.conv2d(ex.array(x), ex.array(w), stride=stride, padding=padding, groups=groups)
    assert found.numpy().tobytes() == wanted.tobytes()


def _kin(title: str) -> tuple[str, Case]:
    """A mnemonic, and a case of it."""
    name, (text, sizes) = title.partition(",")[0], KIN[title]
    arrays: dict[str, Any] = {each: RNG.standard_normal(size) for each, size in sizes.items()}
    if name == "sparse_gemm":
        arrays |= {"a_indices": RNG.integers(0, 50, 90), "a_ptr": np.array([0, 50, 50, 90])}
    return name, Case(text, arrays)


def _of_kin(device: str) -> Iterator[tuple[str, str, str]]:
    """Devices, titles and types. llvmpipe may take a minute for the shader of a convolution, or of halves: on webgpu
    those above, products of four rows and random shapes (test_shapes.py) stand for them."""
    for title in KIN:
        for ty in sorted(UNIT):
            quick = not title.startswith("conv2d") and (ty in ("f32", "f64") or title == "gemm, four rows")
            if (quick or device != "webgpu") and ty in types_of(title.partition(",")[0]):
                yield device, title, ty


@pytest.mark.parametrize(
    ("ex", "title", "ty"), [each for device in DEVICES for each in _of_kin(device)], indirect=["ex"]
)
def test_their_kin(ex: hg.Executor, title: str, ty: str) -> None:
    name, case = _kin(title)
    wanted, found = (run(device, name, ty, case) for device in (reference(), ex.device))
    assert all(found[array].tobytes() == wanted[array].tobytes() for array in wanted)


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


def _instructions(types: dict[str, str]) -> Iterator[tuple[str, str, Case, Array]]:
    """Mnemonics, types and cases, and what is in order, by NumPy's types."""
    for ty, of_numpy in types.items():
        for m, n, k in PRODUCTS:
            a, b, wanted = _product(m, n, k, of_numpy)
            yield "gemm", ty, Case(f"[c], [a], [b], {m}, {n}, {k}", {"c": 0 * wanted, "a": a, "b": b}), wanted
    for channels, outs, side, kernel, stride, padding, groups in CONVOLUTIONS:
        x, w, wanted = _convolution(channels, outs, side, kernel, stride, padding, groups)
        sizes = f"2, {channels}, {outs}, {side}, {side}, {kernel}, {kernel}"
        window = f"stride=({stride}, {stride}), padding=({', '.join([str(padding)] * 4)})"
        text = f"[output], [input], [kernel], {sizes}, {window}, groups={groups}"
        yield "conv2d", "f32", Case(text, {"output": 0 * wanted, "input": x, "kernel": w}), wanted


def _same(device: Any, name: str, ty: str, case: Case, wanted: Array) -> bool:
    found = run(device, name, ty, case)[next(iter(case.arrays))][: wanted.size]
    return bool((found == wanted.ravel()).all())


def test_the_reference_is_in_order() -> None:
    found = list(_instructions({"f16": "f2", "f32": "f4", "f64": "f8"}))
    assert [case.text for name, ty, case, wanted in found if not _same(reference(), name, ty, case, wanted)] == []


def main(names: list[str]) -> int:
    bad = 0
    for name, opened in zip(names, open_devices(names, PATIENT), strict=True):
        for mnemonic, ty, case, wanted in _instructions({"f32": "f4"}):
            same = _same(opened.device, mnemonic, ty, case, wanted)
            bad += not same
            print(f"{name}: {'the same bits' if same else 'OTHER BITS'}: {mnemonic} {case.text}", flush=True)
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
