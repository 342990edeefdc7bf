"""Parameters that are known while translating."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import hologram_web as hg

# mypy: ignore-errors

X = np.array([1, -2, 3, -4, 5], np.float32)


def squared(v):
    return v * v


@hg.kernel
def window(
    x: hg.Array[hg.f32],
    y: hg.Array[hg.f32],
    WIDTH: hg.Constant[int] = 4,
    MODE: hg.Constant[str] = "sum",
    TYPE: hg.Constant[type] = hg.f32,
    OF: hg.Constant[Callable] = abs,
    scale: hg.f32 = 1.0,
):
    i = hg.global_id()
    total = TYPE(0)
    for k in hg.static_range(WIDTH):
        total += TYPE(OF(x[(i + k) % len(x)]))
    if MODE == "mean":
        total = total / WIDTH
    elif MODE != "sum":
        hg.static_assert(False, "MODE is sum or mean")
    y[i] = hg.f32(total) * scale


def expected(width=4, mode="sum", of=np.abs, scale=1.0):
    total = sum(of(np.roll(X, -k)) for k in range(width))
    return total * scale / (width if mode == "mean" else 1)


@pytest.mark.parametrize(
    ("args", "named", "wanted"),
    [
        ((), {}, {}),
        ((2,), {}, {"width": 2}),
        ((2, "mean"), {"scale": 10.0}, {"width": 2, "mode": "mean", "scale": 10.0}),
        ((), {"MODE": "mean", "WIDTH": 5}, {"width": 5, "mode": "mean"}),
        ((3,), {"OF": hg.floor, "TYPE": hg.f64}, {"width": 3, "of": np.floor}),
        ((np.int64(3),), {"OF": squared}, {"width": 3, "of": np.square}),
        ((1, "sum", hg.f32, abs, 3.0), {}, {"width": 1, "scale": 3.0}),
    ],
)
def test_given_at_a_launch(device, args, named, wanted):
    y = np.zeros(5, np.float32)
    for _ in range(2):
        window.on(device)[5](X, y, *args, **named)
        np.testing.assert_allclose(y, expected(**wanted))


def test_every_way_to_launch():
    for launch in (window, window.over(X), window.check, window.check[5], window[5], window[hg.LaunchConfig.linear(5)]):
        y = np.zeros(5, np.float32)
        launch(X, y, WIDTH=2)
        np.testing.assert_allclose(y, expected(2))
    with hg.Executor("wasm") as ex:
        x, y = ex.array(X), ex.zeros(5)
        for width in (1, 2, 1):
            window[5](x, y, width)
            np.testing.assert_allclose(y.numpy(), expected(width))
        ex.run(window, 5, x=x, y=y, WIDTH=3)
        np.testing.assert_allclose(y.numpy(), expected(3))


def test_specialize():
    three = window.specialize(WIDTH=3)
    assert three is window.specialize(WIDTH=3, MODE="sum")
    assert three.name == "window[WIDTH=3, MODE=sum, TYPE=f32, OF=abs]"
    assert list(three.params) == ["x", "y", "scale"]
    y = np.zeros(5, np.float32)
    three[5](X, y, 2.0)
    np.testing.assert_allclose(y, expected(3, scale=2.0))
    assert hg.compile(window).name == window.specialize().name
    assert hg.compile(window, WIDTH=3).name == three.name
    with pytest.raises(TypeError, match=r"compile.. got an unexpected keyword argument 'WIDTH'"):
        hg.compile(three.program, WIDTH=3)
    compiled = hg.compile(three, shapes={"x": ("n",), "y": ("n",)})
    np.testing.assert_allclose(compiled.run(hg.backends.WasmBackend(), x=X, scale=1.0), expected(3))
    assert len(window.program) > len(window.specialize(WIDTH=1).program)


def test_a_choice_is_made_once_and_kinds_are_told_apart():
    kernel = hg.kernel_from_source(
        "def k(x: hg.Array[hg.f32], N: hg.Constant[float], T: hg.Constant[tuple] = (1, 2)):\n"
        "    x[hg.global_id()] = N * T[1] + len(T)\n"
    )
    x = np.zeros(2, np.float32)
    for value, tuple_, wanted in ((0.0, (1, 2), 2), (-1, (1, 2), 0), (2.5, (0, True, 3), 5.5)):
        kernel[2](x, value, tuple_)
        assert x.tolist() == [wanted] * 2
    assert kernel.specialize(N=0.0) is not kernel.specialize(N=-0.0)
    assert kernel.specialize(N=1) is kernel.specialize(N=1.0)
    assert kernel.specialize(N=1, T=(1, 0)) is not kernel.specialize(N=1, T=(True, False))


def test_sizes_types_and_annotations():
    kernel = hg.kernel_from_source(
        "def k(x: hg.Array[T, 2], T: hg.Constant[type] = hg.i32, B: hg.Constant[int] = 8):\n"
        "    tile = hg.shared(T, (B, B))\n"
        "    i, j = hg.local_id(1), hg.local_id(0)\n"
        "    tile[i, j] = x[i, j]\n"
        "    hg.barrier()\n"
        "    x[i, j] = tile[j, i]\n"
    )
    for dtype, ty, size in (("i4", hg.i32, 8), ("f8", hg.f64, 4)):
        x = np.arange(size * size, dtype=dtype).reshape(size, size)
        wanted = x.T.copy()
        kernel[(size, size), (size, size)](x, B=size, T=ty)
        np.testing.assert_array_equal(x, wanted)


def test_with_type_variables():
    kernel = hg.kernel_from_source(
        "from typing import TypeVar\nT = TypeVar('T')\n"
        "def k(x: hg.Array[T], N: hg.Constant[int] = 2):\n    x[hg.global_id()] += N\n"
    )
    for dtype in ("f4", "i2"):
        x = np.zeros(3, dtype)
        kernel[3](x)
        kernel[3](x, N=5)
        assert x.tolist() == [7] * 3
    assert kernel.specialize(N=1, T=hg.f64).name == "k[N=1][T=f64]"


WRONG = [
    (lambda: window[5](X, X.copy(), 2.5), "the constant WIDTH of window is Constant[int], not 2.5"),
    (lambda: window[5](X, X.copy(), True), "the constant WIDTH of window is Constant[int], not True"),
    (lambda: window[5](X, X.copy(), TYPE=int), "the constant TYPE of window is Constant[type], not <class 'int'>"),
    (lambda: window[5](X, X.copy(), 2, WIDTH=3), "constant 'WIDTH' is given twice"),
    (lambda: window[5](X, X.copy(), MODE="max"), "MODE is sum or mean: hg.static_assert"),
    (lambda: window[5](X, X.copy(), 2, "sum", hg.f32, abs, 1.0, 7), "4 arguments are given; 3 are expected"),
    (
        lambda: window[5](X, X.copy(), width=2),
        "there is no parameter 'width': did you mean WIDTH? the kernel takes (x: ",
    ),
    (lambda: window[5](X, X.copy(), heights=2), "there is no parameter 'heights': the kernel takes (x: Array[f32], "),
    (lambda: window.specialize(WIDE=3), "window has no constant 'WIDE': it has WIDTH, MODE, TYPE, OF"),
    (lambda: hg.Constant[list], "constants are int, float, bool, str, bytes, tuple, type or collections.abc.Callable"),
    (lambda: needs[5](X.copy()), "constant 'N' is missing: needs takes N: Constant[int]"),
    (lambda: needs.program, "needs has constants without a value: take needs.specialize(N=...)"),
    (lambda: needs.specialize(), "needs has constants without a value: N"),
    (
        lambda: hg.kernel_from_source("def k(x: hg.Array[hg.f32], N: hg.Constant[int] = 2.5):\n    x[0] = N\n"),
        "the constant N of k is Constant[int], not 2.5",
    ),
    (
        lambda: hg.kernel_from_source("def k(x: hg.Array[hg.f32], N: hg.f32 = 'a'):\n    x[0] = N\n"),
        "N has a default value, and only numbers have one here",
    ),
]


@hg.kernel
def needs(x: hg.Array[hg.f32], N: hg.Constant[int]):
    x[hg.global_id()] = N


@pytest.mark.parametrize(("call", "message"), WRONG)
def test_what_is_wrong_is_said(call, message):
    with pytest.raises(hg.HologramError) as caught:
        call()
    assert message in str(caught.value)
