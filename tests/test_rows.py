"""Sums over rows, of Softmax and norms, have one order: the bits are the same on each device that runs kernels."""

from __future__ import annotations

import numpy as np
import pytest

import hologram_web as hg


@pytest.mark.parametrize("length", [1, 31, 100, 1000])
def test_rows_have_the_same_bits_on_wasm_and_webgpu(length: int) -> None:
    x = np.random.default_rng(length).standard_normal((5, length)).astype(np.float32)
    found = []
    for device in ("wasm", "webgpu"):
        with hg.Executor(device) as ex:
            a, gamma, beta = (ex.array(each) for each in (x, x[0], x[1]))
            found.append([hg.ops.softmax(a).numpy(), hg.ops.layer_norm(a, gamma, beta).numpy()])
    for one, other in zip(*found, strict=True):
        assert one.tobytes() == other.tobytes()
