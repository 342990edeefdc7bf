"""Sums over rows, of Softmax and norms, have one order: the bits are the same on each device that runs kernels."""

from __future__ import annotations

import numpy as np
import pytest

import hologram_web as hg


@pytest.mark.parametrize("length", [1, 31, 100, 1000, 5000])
def test_rows_have_the_same_bits_on_wasm_and_webgpu(length: int) -> None:
    x = np.random.default_rng(length).standard_normal((5, length)).astype(np.float32)
    found = []
    for device in ("wasm", "webgpu"):
        with hg.Executor(device) as ex:
            a, gamma, beta = (ex.array(each) for each in (x, x[0], x[1]))
            found.append([hg.ops.softmax(a).numpy(), hg.ops.layer_norm(a, gamma, beta).numpy()])
    for one, other in zip(*found, strict=True):
        assert one.tobytes() == other.tobytes()


@pytest.mark.parametrize(("length", "inner"), [(900, 2), (50_000, 1), (20_000, 3)])
def test_softmax_of_long_axes_is_near_to_f64(length: int, inner: int) -> None:
    """Terms that are small beside the sum are not lost one by one."""
    x = (np.random.default_rng(length).standard_normal((2, length, inner)) * 5).astype(np.float32)
    with hg.Executor("wasm") as ex:
        found = hg.ops.softmax(ex.array(x), axis=1).numpy()
    terms = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    wanted = terms / terms.sum(axis=1, keepdims=True)
    units = np.spacing(wanted.max(axis=1, keepdims=True).astype(np.float32))
    assert (abs(found - wanted) / units).max() <= 8


@pytest.mark.parametrize("length", [4000, 1_000_000])
def test_norms_of_long_rows_are_near_to_f64(length: int) -> None:
    rng = np.random.default_rng(length)
    x = (rng.standard_normal((2, length)) * 3 + 3).astype(np.float32)
    with hg.Executor("wasm") as ex:
        a, gamma, beta = (ex.array(each) for each in (x, np.ones(length, "f4"), np.zeros(length, "f4")))
        found = hg.ops.layer_norm(a, gamma, beta).numpy()
    rows = x.astype(np.float64)
    wanted = (rows - rows.mean(axis=1, keepdims=True)) / np.sqrt(rows.var(axis=1, keepdims=True) + 1e-5)
    assert (abs(found - wanted) / np.spacing(np.float32(abs(wanted).max()))).max() <= 8
