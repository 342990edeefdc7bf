"""Convolutions that pack what pixels see: rows shorter than a panel, panels across rows and images, groups, chunks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hologram_web as hg
from hologram_web import array_api as xp
from hologram_web.compiler.bounds import Bounds
from hologram_web.targets.wasm.lanes import MAX_CONDITIONS
from hologram_web.tensor import patches


@pytest.mark.parametrize(
    ("batch", "channels", "outs", "height", "width", "kernel", "stride", "padding", "groups"),
    [
        (1, 2, 5, 6, 17, (3, 3), (1, 1), 1, 1),  # whole panels in rows, and what is left of them
        (3, 2, 9, 3, 5, (3, 2), (1, 1), 1, 1),  # panels of pixels of two images
        (2, 4, 10, 7, 19, (2, 5), (1, 2), 2, 2),  # every other column
        (1, 3, 4, 1, 1, (3, 3), (1, 1), 1, 1),  # fewer pixels than a panel has
        (2, 4, 8, 9, 20, (1, 1), (2, 1), 0, 2),  # one element for each channel
        (1, 2, 4, 5, 13, (2, 11), (1, 1), 3, 1),  # rows of a kernel that are not written out
    ],
)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("few", [False, True])
def test_sums_are_in_order(
    monkeypatch: pytest.MonkeyPatch, batch: int, channels: int, outs: int, height: int, width: int,
    kernel: tuple[int, int], stride: tuple[int, int], padding: int, groups: int, threads: int, few: bool,
) -> None:  # fmt: skip
    if few:  # a chunk of strips is one of them
        monkeypatch.setattr(patches, "CACHED", 1)
    chance = np.random.default_rng(3)
    x = chance.standard_normal((batch, channels, height, width)).astype(np.float32)
    w = chance.standard_normal((outs, channels // groups, *kernel)).astype(np.float32)
    padded = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    seen = np.lib.stride_tricks.sliding_window_view(padded, kernel, (2, 3))[:, :, :: stride[0], :: stride[1]]
    each = channels // groups
    wanted = np.zeros((batch, outs, *seen.shape[2:4]), np.float32)
    for out in range(outs):
        begin = out // (outs // groups) * each
        for c in range(each):
            for i in range(kernel[0]):
                for j in range(kernel[1]):
                    wanted[:, out] += seen[:, begin + c, :, :, i, j] * w[out, c, i, j]
    with hg.Executor("wasm", threads=threads) as ex:
        y = hg.ops.conv2d(ex.array(x), ex.array(w), stride=stride, padding=padding, groups=groups)
        assert "patches_f32" in y.explain()
        np.testing.assert_array_equal(y.numpy(), wanted)


def test_what_is_computed_of_it_leaves_room_for_proofs(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a bias, and two images: of more conditions than a block asks nothing would be proven, in thrice the time."""
    prove, asked = Bounds.prove, []

    def counted(self: Any, *given: Any) -> Any:
        found = prove(self, *given)
        asked.append(len(found[0]))
        return found

    monkeypatch.setattr(Bounds, "prove", counted)
    chance = np.random.default_rng(4)
    with hg.Executor("wasm", threads=1) as ex:
        image, first, second = (ex.array(chance.random((2, 8, 9, 11), np.float32)) for _ in range(3))
        kernel, bias = ex.array(chance.random((8, 8, 3, 3), np.float32)), ex.array(chance.random(8, np.float32))
        y = hg.ops.conv2d(image, kernel, padding=1, bias=bias)
        made = xp.maximum(y, 0) * first + second
        assert "patches_f32" in made.explain()
        found = made.numpy()  # before y has memory of its own
        np.testing.assert_array_equal(found, np.maximum(y.numpy(), 0) * first.numpy() + second.numpy())
    assert 128 < max(asked) <= MAX_CONDITIONS
