"""Winograd's way through convolutions of three by three, which `math="fast"` takes on wasm where it pays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import hologram_web as hg
from hologram_web.isa.types import Type
from hologram_web.tensor import winograd
from hologram_web.tensor.operation import Operands
from hologram_web.tensor.schedules import traits_for

# Batch, channels, output channels, height, width, padding.
SHAPES = [
    (1, 64, 64, 20, 20, (1, 1, 1, 1)),
    (2, 49, 53, 13, 9, (1, 1, 1, 1)),
    (1, 50, 47, 6, 31, (0, 0, 0, 0)),
    (3, 48, 60, 7, 7, (2, 0, 1, 3)),
    (1, 130, 31, 9, 8, (0, 2, 2, 0)),
    (1, 30, 122, 5, 17, (1, 1, 1, 1)),
    (17, 64, 64, 3, 4, (0, 0, 0, 0)),
]
DIGITS = {"f32": 24, "f16": 11, "bf16": 8}


@pytest.fixture(scope="module")
def ex() -> Iterator[hg.Executor]:
    with hg.Executor("wasm", math="fast") as found:
        yield found


def _operands(**given: Any) -> Operands:
    values = {"ty": Type.F32, "batch": 1, "in_channels": 64, "out_channels": 64, "height": 56, "width": 56}
    values |= {"kernel_h": 3, "kernel_w": 3, "stride": (1, 1), "padding": (1, 1, 1, 1), "dilation": (1, 1), "groups": 1}
    late = given.pop("late", False)
    return Operands(values | given, {}, late=late)


def _bound(x: Any, w: Any, padding: tuple[int, ...]) -> tuple[Any, Any]:
    """What is wanted, and how far from it isa.md allows: by the norms of the window and of the kernel."""
    top, left, bottom, right = padding
    padded = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (top, bottom), (left, right)))
    seen, kernel = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3)), w.astype(np.float64)
    wanted = np.einsum("bchwyx,ocyx->bohw", seen, kernel, optimize=True)
    norms = np.sqrt(np.einsum("bchwyx,bchwyx->bhw", seen, seen))[:, None]
    of_kernel = np.sqrt((kernel**2).sum((1, 2, 3)))[None, :, None, None]
    return wanted, np.sqrt(9 * x.shape[1]) * 2.0**-22 * norms * of_kernel


@pytest.mark.parametrize("ty", DIGITS)
@pytest.mark.parametrize(("batch", "channels", "outs", "height", "width", "padding"), SHAPES)
def test_results(
    ex: hg.Executor, ty: str, batch: int, channels: int, outs: int, height: int, width: int, padding: tuple[int, ...]
) -> None:
    chance, dtype = np.random.default_rng(height), getattr(hg, ty)
    x = ex.array(chance.standard_normal((batch, channels, height, width), np.float32)).astype(dtype)
    w = ex.array(chance.standard_normal((outs, channels, 3, 3), np.float32)).astype(dtype)
    bias = ex.array(chance.standard_normal(outs, np.float32)).astype(dtype)
    exact = [each.astype(hg.f32).numpy() for each in (x, w, bias)]
    found = hg.ops.conv2d(x, w, padding=padding, bias=bias)
    assert "winograd_squares" in found.explain()
    wanted, allowed = _bound(exact[0], exact[1], padding)
    wanted = wanted + exact[2][:, None, None]
    away = np.abs(found.astype(hg.f32).numpy().astype(np.float64) - wanted)
    assert (away <= allowed + 2.0 ** -DIGITS[ty] * np.abs(wanted)).all()


def test_random_shapes(ex: hg.Executor) -> None:
    chance = np.random.default_rng(3)
    for _ in range(25):
        batch, channels, outs = (int(chance.integers(least, most)) for least, most in ((1, 4), (32, 90), (97, 130)))
        height, width = (int(n) for n in chance.integers(3, 24, 2))
        padding = tuple(int(n) for n in chance.integers(0, 4, 4))
        x = chance.standard_normal((batch, channels, height, width), np.float32)
        w = chance.standard_normal((outs, channels, 3, 3), np.float32)
        wanted, allowed = _bound(x, w, padding)
        found = hg.ops.conv2d(ex.array(x), ex.array(w), padding=padding).numpy()
        assert (np.abs(found - wanted) <= allowed + 2.0**-24 * np.abs(wanted)).all(), (x.shape, w.shape, padding)


def test_neighbours_of_a_window_do_not_matter(ex: hg.Executor) -> None:
    """A pixel that a window does not see changes no bit of its result, whatever it is."""
    chance = np.random.default_rng(1)
    x = chance.standard_normal((1, 64, 12, 12), np.float32)
    w = ex.array(chance.standard_normal((64, 64, 3, 3), np.float32))
    before = hg.ops.conv2d(ex.array(x), w).numpy()
    for row, column, value in ((5, 6, 1e30), (4, 4, np.inf), (11, 0, np.nan)):
        changed = x.copy()
        changed[0, 7, row, column] = value
        after, seen = hg.ops.conv2d(ex.array(changed), w).numpy(), np.zeros((10, 10), bool)
        seen[max(row - 2, 0) : row + 1, max(column - 2, 0) : column + 1] = True
        assert after[..., ~seen].tobytes() == before[..., ~seen].tobytes()
        assert (after[..., seen] != before[..., seen]).all()


def test_sizes_that_the_host_learns(ex: hg.Executor) -> None:
    """One program for each number of channels: sizes say which launches there are."""
    program = hg.Program.from_text(
        ".param y: buffer f32 write\n.param x: buffer f32 read\n.param w: buffer f32 read\n"
        ".param batch: u32\n.param height: u32\n.param width: u32\n.param k: u32\n"
        "    conv2d.f32 [y], [x], [w], batch, 48, 50, height, width, k, k, padding=(1, 1, 1, 1), activation=relu\n"
    )
    chance = np.random.default_rng(2)
    for batch, height, width, k in ((2, 9, 11, 3), (1, 5, 5, 3), (2, 9, 11, 1), (1, 6, 30, 3), (1, 8, 8, 5)):
        x = chance.standard_normal((batch, 48, height, width), np.float32)
        w = chance.standard_normal((50, 48, k, k), np.float32)
        wanted = np.maximum(hg.ops.conv2d(ex.array(x), ex.array(w), padding=1).numpy(), 0)
        y = ex.zeros(wanted.size)
        given = {"batch": batch, "height": height, "width": width, "k": k}
        ex.run(program, 1, y=y, x=ex.array(x.ravel()), w=ex.array(w.ravel()), **given)
        assert np.allclose(y.numpy().reshape(wanted.shape), wanted, atol=1e-4)


def test_gradients_agree(ex: hg.Executor) -> None:
    chance = np.random.default_rng(4)
    x = chance.standard_normal((1, 64, 10, 10), np.float32)
    w = chance.standard_normal((64, 64, 3, 3), np.float32)

    def loss(x: Any, w: Any) -> Any:
        return (hg.ops.conv2d(x, w, padding=1) ** 2).sum()

    with hg.Executor("wasm") as exact:
        wanted = [each.numpy() for each in hg.grad(loss, (0, 1))(exact.array(x), exact.array(w))]
    found = [each.numpy() for each in hg.grad(loss, (0, 1))(ex.array(x), ex.array(w))]
    for one, other in zip(found, wanted, strict=True):
        assert np.abs(one - other).max() <= 1e-4 * np.abs(other).max()


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"late": True}, "sizes are not known when memory is made"),
        ({"ty": Type.F64}, "products are not of F32"),
        ({"stride": (2, 2)}, "elements are not side by side, or of groups"),
        ({"dilation": (1, 2)}, "elements are not side by side, or of groups"),
        ({"groups": 2}, "elements are not side by side, or of groups"),
        ({"in_channels": 16}, "too few channels for what squares cost"),
        ({"kernel_w": 5}, "16 products in place of 36, where kernels are three by three and pixels not few"),
        ({"height": 4, "width": 4}, "16 products in place of 36, where kernels are three by three and pixels not few"),
    ],
)
def test_where_it_is_not_taken(given: dict[str, Any], why: str) -> None:
    assert winograd.choose(_operands(**given), traits_for("wasm", "fast")) == (0, why)


def test_where_it_is_taken() -> None:
    for here in ("", "processor"):
        assert winograd.choose(_operands(), traits_for("wasm", "fast", here))[0] == 1
    for target in ("wasm", "webgpu"):
        assert winograd.choose(_operands(), traits_for(target))[0] == 0
    assert winograd.choose(_operands(), traits_for("webgpu", "fast"))[0] == 0
