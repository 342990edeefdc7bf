"""Kernels people write, against NumPy and SciPy, on every device; their shaders and modules go to Tint and V8."""

# mypy: ignore-errors

from __future__ import annotations

import base64
import math

import numpy as np
import pytest

import hologram_web as hg
from examples.edges import float_kernels, reference
from examples.edges import kernels as edges
from examples.edges.pictures import photograph
from hologram_web import DeviceArray, f32, get_global_id

from ..test_targets import _node

TILE = 16
RANDOM = np.random.default_rng(11)


@hg.kernel
def classic(a: DeviceArray[f32], b: DeviceArray[f32], c: DeviceArray[f32], n: hg.u32):
    i = hg.u32(get_global_id())
    if i < n:
        c[i] = a[i] + b[i]


@hg.kernel
def transpose(x: hg.Array[hg.f32, 2], y: hg.Array[hg.f32, 2]):
    tile = hg.shared(hg.f32, (TILE, TILE + 1))
    i, j = hg.local_id(1), hg.local_id(0)
    row, column = hg.global_id(1), hg.global_id(0)
    height, width = x.shape
    if row < height and column < width:
        tile[i, j] = x[row, column]
    hg.barrier()
    row = hg.block_id(0) * TILE + i
    column = hg.block_id(1) * TILE + j
    if row < width and column < height:
        y[row, column] = tile[j, i]


@hg.kernel
def tree_sum(x: hg.Array[hg.i32], sums: hg.Array[hg.i32]):
    part = hg.shared(hg.i32, 64)
    lane, i = hg.local_id(), hg.global_id()
    part[lane] = x[i] if i < len(x) else 0
    hg.barrier()
    half = hg.block_dim() // 2
    while half > 0:
        if lane < half:
            part[lane] += part[lane + half]
        hg.barrier()
        half //= 2
    if lane == 0:
        sums[hg.block_id()] = part[0]


def test_classic(device):
    a, b = RANDOM.normal(size=(2, 1000)).astype("f4")
    c = np.zeros_like(a)
    classic.on(device)[1024](a, b, c, 1000)
    np.testing.assert_array_equal(c, a + b)


@pytest.mark.parametrize("shape", [(1, 1), (16, 16), (33, 47), (5, 70)])
def test_transpose(device, shape):
    x = RANDOM.normal(size=shape).astype("f4")
    y = np.zeros(shape[::-1], "f4")
    lanes = tuple(-(-size // TILE) * TILE for size in shape[::-1])
    transpose.on(device)[lanes, (TILE, TILE)](x, y)
    np.testing.assert_array_equal(y, x.T)


def test_mandelbrot(device):
    width, height, most, step = 40, 30, 60, 0.07
    rounds = np.zeros((height, width), "u2")
    edges.mandelbrot.on(device)[(width, height), (8, 8)](rounds, -2.1, -1.05, step, most)
    np.testing.assert_array_equal(rounds, reference.mandelbrot(width, height, -2.1, -1.05, step, most))
    assert len(set(rounds.flat)) > 10


@pytest.mark.parametrize("shape", [(0, 5), (1, 1), (15, 17), (100, 101)])
def test_histogram(device, shape):
    luma = RANDOM.integers(0, 1 << 16, shape, dtype="u2")
    counts = np.zeros(256, "u4")
    edges.histogram.on(device)[(32, 32), (16, 16)](luma, counts)
    np.testing.assert_array_equal(counts, np.bincount((luma >> 8).ravel(), minlength=256))


@pytest.mark.parametrize("count", [1, 64, 1000])
def test_tree_sum(device, count):
    x = RANDOM.integers(-(2**31), 2**31, count, dtype="i4")
    blocks = math.ceil(count / 64)
    sums = np.zeros(blocks, "i4")
    tree_sum.on(device)[64 * blocks, 64](x, sums)
    padded = np.zeros(64 * blocks, "i4")
    padded[:count] = x
    np.testing.assert_array_equal(sums, padded.reshape(blocks, 64).sum(1, dtype="i4"))


# The stages of examples/edges


def _photo(width, height):
    return RANDOM.integers(0, 256, (height, width, 3), dtype=np.uint8)


PHOTOS = {
    "one pixel": _photo(1, 1),
    "one row": _photo(17, 1),
    "one column": _photo(1, 17),
    "a block": _photo(16, 16),
    "odd": _photo(33, 47),
    "white": np.full((20, 21, 3), 255, np.uint8),
    "photograph": np.ascontiguousarray(photograph()[100:163, 170:245]),
}
LOW, HIGH = 6 * 256, 12 * 256


def _canny(run, photo):
    """All planes by name, made by a function that runs a kernel."""
    height, width = photo.shape[:2]
    planes = {"rgb": photo}

    def stage(kernel, *scalars, **made):
        planes.update({name: np.full((height, width), 0x5A, dtype) for name, dtype in made.items()})
        run(kernel)[(width, height), (edges.TILE, edges.TILE)](
            *(planes[name] for name in kernel.params if name in planes), *scalars, partial=True
        )

    stage(edges.luminance, luma="u2")
    stage(edges.gaussian_rows, blur_rows="u2")
    stage(edges.gaussian_cols, smooth="u2")
    stage(edges.sobel, gx="i2", gy="i2", magnitude="u2", direction="u1")
    stage(edges.suppress, thin="u2")
    stage(edges.double_threshold, LOW, HIGH, marks="u1")
    for step in range(1, 1000):
        changed = np.zeros(1, "u4")
        stage(edges.hysteresis_step, changed, step, grown="u1")
        planes["marks"] = planes.pop("grown")
        if not changed[0]:
            break
        assert changed[0] == step
    stage(edges.strong_edges, edges="u1")
    return planes


@pytest.mark.parametrize("photo", PHOTOS.values(), ids=PHOTOS)
def test_edges(device, photo):
    planes = _canny(lambda kernel: kernel.on(device), photo)
    expected = reference.integer_planes(photo, LOW, HIGH, 0)
    expected["edges"] = reference.connected(expected.pop("marks"))
    for name in expected.keys() - {"changed", "grown"}:
        np.testing.assert_array_equal(planes[name], expected[name], err_msg=name)


def test_no_data_race():
    checked = hg.backends.CpuBackend(check_races=True)
    planes = _canny(lambda kernel: kernel.on(checked), _photo(37, 21))
    assert set(planes["edges"].flat) <= {0, 255}
    x, y = _photo(37, 21)[..., 0].astype("f4"), np.zeros((37, 21), "f4")
    transpose.on(checked)[(48, 32), (TILE, TILE)](x, y)
    tree_sum.on(checked)[128, 64](np.arange(100, dtype="i4"), np.zeros(2, "i4"))


ALL = [
    *(value for value in globals().values() if isinstance(value, hg.Kernel)),
    *(getattr(module, name) for module in (edges, float_kernels) for name in module.__all__ if name != "TILE"),
]


def test_tint_takes_the_shaders_and_v8_the_modules():
    assert len(ALL) == 19
    blocks = [(16, 16, 1) if kernel.name not in ("tree_sum", "classic") else (64, 1, 1) for kernel in ALL]
    shaders = {kernel.name: kernel.wgsl(block) for kernel, block in zip(ALL, blocks, strict=True)}
    assert _node("tint.mjs", shaders) == {}
    device = hg.backends.WasmBackend()
    modules = {
        kernel.name: base64.b64encode(device.compile_to_wasm(kernel.program, block)).decode()
        for kernel, block in zip(ALL, blocks, strict=True)
    }
    assert _node("v8.mjs", modules) == {}
