"""Arrays that are joined (array/joining.py): what computes a part writes it into the whole."""

# mypy: disable-error-code="name-defined"
# ruff: noqa: UP037  # names of sizes in annotations

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hologram_web as hg
from hologram_web import array_api as xp


def _parts(x: Any, w: Any) -> list[Any]:
    """Maps, sums along rows and columns, a product, a view, what others read, too, and a part that is there twice."""
    y = x * 2.0 + 1.0
    return [
        xp.exp(x[1:, ::2]).reshape((-1,)),
        y.sum(axis=0) * 0.5,
        y.sum(axis=1),
        (x @ w - 3.0).reshape((-1,)),
        x.T.reshape((-1,)),
        xp.concat([xp.concat([w[0] * 3.0, w[1] - 1.0]), w[2], y[0]]),
        w[1] - 1.0,
        y[0],
    ]


@pytest.mark.parametrize("device", ["cpu", "wasm", "webgpu"])
def test_parts_are_where_they_belong(device: str) -> None:
    rng = np.random.default_rng(3)
    x, w = rng.random((5, 7), np.float32), rng.random((7, 3), np.float32)
    wanted = [np.asarray(each) for each in _parts_by_numpy(x, w)]
    with hg.Executor(device) as ex:
        a, b = ex.array(x), ex.array(w)
        parts = _parts(a, b)
        assert np.allclose(np.asarray(xp.concat(parts)), np.concatenate(wanted), rtol=1e-5)
        twice = xp.concat([parts[1] + 1.0, parts[1] + 1.0, parts[2]])  # a part alone, also as a result
        function = hg.function(lambda x, w: (xp.concat(_parts(x, w)), _parts(x, w)[3], xp.concat([x[0], w[0]]) * 2.0))
        whole, product, doubled = function(a, b)
        assert np.allclose(np.asarray(whole), np.concatenate(wanted), rtol=1e-5)
        assert np.allclose(np.asarray(product), wanted[3], rtol=1e-5)
        assert np.allclose(np.asarray(doubled), 2 * np.concatenate([x[0], w[0]]))
        assert np.allclose(np.asarray(twice), np.concatenate([wanted[1] + 1, wanted[1] + 1, wanted[2]]), rtol=1e-5)


def _parts_by_numpy(x: Any, w: Any) -> list[Any]:
    y = x * 2 + 1
    last = np.concatenate([w[0] * 3, w[1] - 1, w[2], y[0]])
    made = [np.exp(x[1:, ::2]).ravel(), y.sum(0) / 2, y.sum(1), (x @ w - 3).ravel(), x.T.ravel(), last]
    return [*made, w[1] - 1, y[0]]


@pytest.mark.parametrize("dtype", ["uint8", "float16", "float64", "complex64", "int64", "bool"])
@pytest.mark.parametrize("device", ["wasm", "webgpu"])
def test_parts_begin_anywhere(device: str, dtype: str) -> None:
    """Elements that share a word with those of another part are left as they are."""
    x = (np.arange(7) % 3).astype(dtype)
    with hg.Executor(device) as ex:
        a = xp.asarray(x, device=ex)
        found = xp.concat([a[:3], xp.flip(a), a[2:]])
        assert np.array_equal(np.asarray(found), np.concatenate([x[:3], x[::-1], x[2:]]))


def test_what_is_joined_is_not_copied(wasm: hg.Executor) -> None:
    x = wasm.array(np.ones((4, 8), np.float32))
    steps = xp.concat([xp.exp(x).reshape((-1,)), x.sum(axis=0) * 2.0, x.sum(axis=1)]).explain().splitlines()
    launches = [line for line in steps if "](" in line and "= " not in line and "[" in line and not line[0].isspace()]
    assert len(launches) == 3, launches
    assert all("](y0, x0)" in line for line in launches), launches


def test_lengths_that_are_not_known(wasm: hg.Executor) -> None:
    @hg.function
    def joined(x: hg.Array[hg.f32, "n"], y: hg.Array[hg.f32, "m"]) -> Any:
        return xp.concat([x * 2.0, y + 1.0, x])

    for n, m in ((3, 5), (1, 1), (70, 300)):
        x, y = np.arange(n, dtype=np.float32), np.arange(m, dtype=np.float32)
        found = joined(wasm.array(x), wasm.array(y))
        assert np.array_equal(np.asarray(found), np.concatenate([x * 2, y + 1, x]))


def test_a_whole_may_lie_in_a_donated_array(wasm: hg.Executor) -> None:
    """What is read after a part has been written is not written over."""

    @hg.function(donate="x")
    def joined(x: Any) -> Any:
        return xp.concat([xp.flip(x)[:4] * 2.0, x[:4] + 1.0])

    x = np.arange(8, dtype=np.float32)
    found = joined(wasm.array(x))
    assert np.array_equal(np.asarray(found), np.concatenate([x[::-1][:4] * 2, x[:4] + 1]))


@pytest.mark.parametrize("device", ["cpu", "wasm", "webgpu"])
def test_operations_write_behind_an_odd_number_of_elements(device: str) -> None:
    """Of halves two lie in a word: what is there already stays."""
    rng = np.random.default_rng(5)
    image, w = rng.random((2, 3, 9, 9)).astype("f2"), rng.random((4, 3, 3, 3)).astype("f2")

    def parts(image: Any, w: Any) -> list[Any]:
        found = [hg.ops.conv2d(image, w), xp.log_softmax(w[0, 0], axis=-1), w[0, 0] @ w[1, 1]]
        return [each.reshape((-1,)) for each in found]

    with hg.Executor(device) as ex:
        a, b = xp.asarray(image, device=ex), xp.asarray(w, device=ex)
        first, second, third = map(np.asarray, hg.function(parts)(a, b))

        def joined(image: Any, w: Any) -> Any:
            conv, soft, product = parts(image, w)
            return xp.concat([w[0, 0, 0] * 2.0, conv, w[0, 0, 1], soft, product, w[0, 0, 2]])

        found = np.asarray(hg.function(joined)(a, b))
    wanted = [w[0, 0, 0] * np.float16(2), first, w[0, 0, 1], second, third, w[0, 0, 2]]
    assert np.array_equal(found, np.concatenate(wanted))
