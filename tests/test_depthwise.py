"""Convolutions of each channel alone: images come between zeros just before they are used on wasm, and are read as they
lie on GPUs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import hologram_web as hg
from hologram_web.isa.types import Type
from hologram_web.tensor import depthwise
from hologram_web.tensor.operation import Operands
from hologram_web.tensor.schedules import traits_for

# Images, channels, times as many output channels, height, width, padding, stride, dilation: the last rows and columns
# shifted, also behind the first strips and tiles; parts of what is smaller; columns that may not be shifted; even ones.
SHAPES = [
    (1, 5, 1, 130, 7, 1, 1, 1),
    (2, 3, 2, 5, 133, 1, 1, 1),
    (1, 9, 1, 126, 14, 1, 2, 1),
    (1, 2, 1, 61, 63, 1, 1, 1),
    (3, 1, 4, 3, 2, 1, 1, 1),
    (1, 2, 1, 1, 1, 4, 3, 1),
    (1, 2, 1, 62, 65, 0, 1, 29),
    (1, 3, 1, 8, 12, 1, 1, 1),
]


@pytest.fixture(scope="module", params=["wasm", "webgpu"])
def ex(request: pytest.FixtureRequest) -> Iterator[hg.Executor]:
    with hg.Executor(request.param, **({"threads": 1} if request.param == "wasm" else {})) as found:
        yield found


def _operands(**given: Any) -> Operands:
    values = {
        "ty": Type.F32,
        "batch": 1,
        "in_channels": 64,
        "out_channels": 64,
        "height": 56,
        "width": 56,
        "groups": 64,
    }
    values |= {"kernel_h": 3, "kernel_w": 3, "stride": (1, 1), "padding": (1, 1, 1, 1), "dilation": (1, 1)}
    return Operands(values | given, {})


@pytest.mark.parametrize(("images", "channels", "more", "height", "width", "padding", "stride", "dilation"), SHAPES)
def test_sums_in_order(
    ex: hg.Executor,
    images: int,
    channels: int,
    more: int,
    height: int,
    width: int,
    padding: int,
    stride: int,
    dilation: int,
) -> None:
    chance = np.random.default_rng(width)
    x = chance.standard_normal((images, channels, height, width), np.float32)
    w = chance.standard_normal((channels * more, 1, 3, 3), np.float32)
    padded = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    reach = 2 * dilation + 1
    seen = np.lib.stride_tricks.sliding_window_view(padded, (reach, reach), (2, 3))
    seen = seen[:, :, ::stride, ::stride, ::dilation, ::dilation]
    wanted = np.zeros((images, channels, more, *seen.shape[2:4]), np.float32)
    for ky in range(3):
        for kx in range(3):
            wanted += seen[:, :, None, ..., ky, kx] * w[:, 0, ky, kx].reshape(1, channels, more, 1, 1)
    given = {"padding": padding, "stride": stride, "dilation": dilation, "groups": channels}
    found = hg.ops.conv2d(ex.array(x), ex.array(w), **given).numpy()
    assert np.array_equal(found, wanted.reshape(found.shape))


def test_what_is_beyond_an_image_is_zero(ex: hg.Executor) -> None:
    """Times an infinite weight it is NaN, and not what lies elsewhere in the image."""
    x, w = np.ones((1, 2, 4, 4), np.float32), np.ones((2, 1, 5, 3), np.float32)
    w[1, 0, 0, 0] = np.inf
    found = hg.ops.conv2d(ex.array(x), ex.array(w), groups=2, padding=(2, 1, 0, 3)).numpy()
    assert np.array_equal(found[0, 0, :, 0], [6, 8])
    assert np.array_equal(np.isnan(found[0, 1]), [[True] * 6, [True] * 6])


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"groups": 32}, ""),
        ({"kernel_h": 4}, "registers have no room for kernels of more than 9 elements"),
        ({"padding": (1, 5, 1, 1)}, "there is more padding than 4"),
        ({"dilation": (1, 40)}, "elements of a window are too far apart"),
    ],
)
def test_what_is_not_taken(given: dict[str, Any], why: str) -> None:
    assert depthwise.choose(_operands(**given), traits_for("wasm")) == (None, why)


def test_sizes_that_the_host_learns(ex: hg.Executor) -> None:
    """They choose between results whose last rows and columns are shifted, and those of which parts are stored."""
    program = hg.Program.from_text(
        ".param y: buffer f32 write\n.param x: buffer f32 read\n.param w: buffer f32 read\n.param n: u32\n"
        "    conv2d.f32 [y], [x], [w], 1, 3, 3, n, n, 3, 3, groups=3\n"
    )
    chance = np.random.default_rng(4)
    for n in (4, 5, 9, 70):
        x = chance.standard_normal((1, 3, n, n), np.float32)
        w = chance.standard_normal((3, 1, 3, 3), np.float32)
        wanted = hg.ops.conv2d(ex.array(x), ex.array(w), groups=3).numpy()
        y = ex.zeros(wanted.size)
        ex.run(program, 1, y=y, x=ex.array(x.ravel()), w=ex.array(w.ravel()), n=n)
        assert np.array_equal(y.numpy().reshape(wanted.shape), wanted)


def test_two_schedules() -> None:
    traits = traits_for("wasm")
    assert depthwise.choose(_operands(), traits) == ({"TALL": 60, "BROAD": 60}, "")
    assert depthwise.choose(_operands(stride=(2, 2)), traits) == ({"TALL": 28, "BROAD": 28}, "")
    traits = traits_for("webgpu")
    assert depthwise.choose(_operands(), traits) == ({"TALL": 8}, "")
    assert depthwise.choose(_operands(stride=(4, 4)), traits) == ({"TALL": 6}, "")
    assert depthwise.choose(_operands(out_channels=128), traits) == (None, "")
    why = "registers have no room for kernels of more than 25 elements"
    assert depthwise.choose(_operands(kernel_h=9), traits) == (None, why)
    assert depthwise.choose(_operands(dilation=(12, 1)), traits) == (None, "rows of a window are too far apart")


def test_arrays_say_it(ex: hg.Executor) -> None:
    x, w = ex.array(np.ones((1, 4, 20, 20), "f4")), ex.array(np.ones((4, 1, 7, 7), "f4"))
    way, most = ("as it lies", 25) if ex.device.name == "webgpu" else ("between zeros", 9)
    assert way in hg.ops.conv2d(x, w[:, :, :3, :3], groups=4).explain()
    assert f"kernels of more than {most} elements" in hg.ops.conv2d(x, w, groups=4).explain()
