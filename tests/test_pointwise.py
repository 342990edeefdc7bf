"""Convolutions of 1 x 1 that pack columns of an image just before they are used: files and pages have that text."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import hologram_web as hg
from hologram_web.array.run import _plans
from hologram_web.isa.types import Type
from hologram_web.tensor import pointwise
from hologram_web.tensor.operation import Operands
from hologram_web.tensor.schedules import traits_for

# Images, channels, output channels, height, width: kernels as they lie; halves with columns and channels at the edge;
# strips for several images; strips that are taken in two parts.
CASES = [
    (1, 12, 20, 4, 8, "f32", False, "exact"),
    (3, 9, 17, 3, 5, "f16", True, "exact"),
    (2, 13, 23, 17, 19, "f32", True, "exact"),
    (2, 260, 299, 3, 3, "f32", False, "fast"),
]


def _as_pages(patch: pytest.MonkeyPatch) -> None:
    """What runs here takes what pages take."""
    choose = pointwise.choose
    patch.setattr(pointwise, "choose", lambda o, traits, acc: choose(o, replace(traits, native=False), acc))


def _operands(**given: Any) -> Operands:
    values = {"ty": Type.F32, "batch": 1, "in_channels": 64, "out_channels": 64, "height": 56, "width": 56}
    values |= {"kernel_h": 1, "kernel_w": 1, "stride": (1, 1), "padding": (0, 0, 0, 0), "dilation": (1, 1), "groups": 1}
    values |= {"bias": None}
    late = given.pop("late", False)
    return Operands(values | given, {}, late=late)


@pytest.mark.parametrize(("images", "channels", "outs", "height", "width", "ty", "with_bias", "math"), CASES)
def test_bits_are_those_of_the_other_text(
    monkeypatch: pytest.MonkeyPatch,
    images: int,
    channels: int,
    outs: int,
    height: int,
    width: int,
    ty: str,
    with_bias: bool,
    math: str,
) -> None:
    chance, dtype, found = np.random.default_rng(outs), getattr(hg, ty), []
    arrays = [(images, channels, height, width), (outs, channels, 1, 1), (outs,)]
    numbers = [chance.standard_normal(shape, np.float32) for shape in arrays]
    for way in ("products", "pointwise"):
        with hg.Executor("wasm", threads=2, math=math) as ex:
            x, w, bias = (ex.array(each).astype(dtype) for each in numbers)
            y = hg.ops.conv2d(x, w, bias=bias if with_bias else None)
            assert ("gemm_fresh" in y.explain()) == (way == "pointwise")
            found.append(y.numpy().tobytes())
        _as_pages(monkeypatch)
        _plans.clear()
    monkeypatch.undo()
    _plans.clear()
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "given",
    [
        {"late": True},
        {"ty": Type.I128},
        {"stride": (1, 2)},
        {"padding": (0, 0, 0, 1)},
        {"kernel_w": 3},
        {"groups": 2},
        {"out_channels": 4},  # rows of the image as it lies
        {"out_channels": 16, "height": 8, "width": 8},  # which stays in the first cache
        {"height": 1, "width": 7},
    ],
)
def test_where_it_is_not_taken(given: dict[str, Any]) -> None:
    assert pointwise.choose(_operands(**given), traits_for("wasm"), given.get("ty", Type.F32)) is None


def test_schedules() -> None:
    even = {"TALL": 5, "STEPS": 4, "PACKED": True}
    assert pointwise.choose(_operands(), traits_for("wasm"), Type.F32) == even
    small = {"height": 7, "width": 7, "in_channels": 66, "bias": True}
    assert pointwise.choose(_operands(**small), traits_for("wasm", "fast"), Type.F32) == {
        "TALL": 6, "STEPS": 4, "PACKED": False,
    }  # fmt: skip
    for traits in (traits_for("wasm", here="processor"), traits_for("webgpu")):
        assert pointwise.choose(_operands(), traits, Type.F32) is None
