"""What arrays refuse: shapes that there are not, operands that do not fit, values that are not known."""

# mypy: disable-error-code="arg-type, union-attr"
# Buffers and NumPy's arrays are given where Arrays are expected.

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hologram_web as hg
from hologram_web import array_api as xp
from hologram_web import nn
from hologram_web.errors import LaunchError, TranslateError

Make = Callable[[hg.Executor], Any]


def _ones(ex: hg.Executor, *shape: int) -> hg.Buffer:
    return ex.array(np.ones(shape, "f4"))


def _assigned(ex: hg.Executor, key: Any, *shape: int) -> None:
    x = xp.ones((2, 3), device=ex) + 0
    x[key] = xp.zeros(shape, device=ex)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda ex: _assigned(ex, slice(None), 3, 3),
         "value of shape (3, 3) cannot be broadcast to (2, 3): axis -2 has 3 elements; 2 or 1 is expected"),
        (lambda ex: _assigned(ex, 0, 2),
         "value of shape (2,) cannot be broadcast to (3,): axis -1 has 2 elements; 3 or 1 is expected"),
        (lambda ex: _assigned(ex, xp.ones((2, 3), device=ex) > 0, 4),
         "value of shape (4,) cannot be broadcast to (6,): axis -1 has 4 elements; 6 or 1 is expected"),
        (lambda ex: xp.zeros((-1, 2), device=ex), "an array cannot have the shape (-1, 2)"),
        (lambda ex: xp.full(-1, 2.0, device=ex), "an array cannot have the shape (-1,)"),
        (lambda ex: xp.broadcast_to(xp.ones(3, device=ex), (-1, 3)), "an array cannot have the shape (-1, 3)"),
        (lambda ex: xp.linspace(0, 1, -1, device=ex), "an array cannot have -1 elements"),
        (lambda ex: xp.eye(-1, device=ex), "an array cannot have -1 elements"),
    ],
)  # fmt: skip
def test_shapes_that_there_are_not(wasm: hg.Executor, make: Make, text: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(text)}$"):
        make(wasm)


def test_axes_of_one_element_in_front_are_assigned(wasm: hg.Executor) -> None:
    for value in (xp.zeros((1, 1, 3), device=wasm), xp.asarray(np.zeros((1, 3), "f4"), device=wasm)):
        x = xp.ones((2, 3), device=wasm) + 0
        x[0] = value
        assert x.tolist() == [[0.0] * 3, [1.0] * 3]
        x[xp.asarray([1], device=wasm)[0]] = value
        assert x.tolist() == [[0.0] * 3] * 2


def test_complex_numbers_that_are_computed_are_assigned(wasm: hg.Executor) -> None:
    """The first one was assigned everywhere: complex numbers whose parts are computed were taken for one number."""
    given = np.array([[1 + 2j, 3, 5j], [4, 5 - 1j, 6]], "c8")
    y = xp.asarray(given, device=wasm)
    for value, wanted in ((y.sum(axis=0), given.sum(axis=0)), (y[:, :2] @ y, given[:, :2] @ given)):
        x = xp.zeros((4, 3), dtype=y.dtype, device=wasm) + 1
        x[1:3] = value
        np.testing.assert_allclose(x.numpy()[1:3], np.broadcast_to(wanted, (2, 3)), rtol=1e-6)
        np.testing.assert_array_equal(x.numpy()[::3], np.ones((2, 3)))


@pytest.mark.parametrize("shape", [2.0, (2.0,), "a", (2, None)])
def test_lengths_that_are_no_integers(wasm: hg.Executor, shape: Any) -> None:
    with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
        xp.zeros(shape, device=wasm)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda ex: xp.sum(np.ones(3)), "sum takes an Array, not <class 'numpy.ndarray'>: make one, ex.array(...)"),
        (lambda ex: xp.add(1, 2), "add takes an array at least: numbers alone are Python's"),
        (lambda ex: hg.ops.conv2d(_ones(ex, 1, 1, 5, 5), xp.ones((2, 1, 3, 3), dtype=xp.int32, device=ex)),
         "Conv2D: kernel is of i32, and f32 is needed: convert it with astype"),
        (lambda ex: hg.ops.attention(*[_ones(ex, 1, 1, 2, 2)] * 3, mask=xp.ones((2, 2), dtype=hg.f16, device=ex)),
         "Attention: mask is of f16, and f32 is needed: convert it with astype"),
        (lambda ex: np.einsum(xp.asarray(_ones(ex, 2)), [0]),
         "einsum takes a text first, such as 'ij,jk->ik', not <class 'hologram_web.array.array.Array'>"),
        (lambda ex: hg.ops.einsum("...i->i", _ones(ex, 2, 3)), "'...i->i': the result has the axes of ..., too"),
        (lambda ex: hg.ops.einsum("...ij->...", _ones(ex, 2)),
         "einsum: operand 0 has shape (2,); 2 axes are expected, 'ij'"),
        (lambda ex: hg.ops.einsum("...i,...i,i->...", *[_ones(ex, 2, 3)] * 2),
         "'...i,...i,i->...' does not name the axes of 2 arrays by letters"),
        (lambda ex: hg.ops.einsum("...i...->i", _ones(ex, *[2] * 7)),
         "'...i...->i' does not name the axes of 1 arrays by letters"),
        (lambda ex: nn.LayerNorm(2)(nn.LayerNorm(4).init(0, device=ex), _ones(ex, 1, 2)),
         "LayerNorm: gamma has 4 elements, and 2 are needed"),
        (lambda ex: nn.Sequential(xp.tanh)({}, _ones(ex, 2)), "Sequential(tanh) takes a list of 1 parameters, not 0"),
        (lambda ex: nn.Dropout(1.0), "Dropout(rate=1.0): the rate is at least 0 and below 1"),
        (lambda ex: hg.grad(lambda x: x.sum(), has_aux=True)(_ones(ex, 1)),
         "with has_aux=True the function gives a pair, not <Array () f32 on wasm, not computed yet>"),
        (lambda ex: hg.grad(hg.custom_gradient(len))(_ones(ex, 1)),
         "len gives a pair, its result and a function of its cotangent, not 1"),
    ],
)  # fmt: skip
def test_operands_that_do_not_fit(wasm: hg.Executor, make: Make, text: str) -> None:
    with pytest.raises(LaunchError) as caught:
        make(wasm)
    assert str(caught.value) == text


@pytest.mark.parametrize("read", [lambda x: x.numpy(), np.asarray, lambda x: x.tolist(), lambda x: x.buffer])
def test_an_argument_that_is_traced_is_not_read(wasm: hg.Executor, read: Callable[[Any], Any]) -> None:
    with pytest.raises(TranslateError, match=r"test_array_refusals.py:\d+: a value is read here that is not known"):
        hg.function(lambda x: read(x))(_ones(wasm, 3))


def test_lengths_that_are_not_known_may_be_any(wasm: hg.Executor) -> None:
    made = hg.function(device=wasm)(lambda x: xp.ones(x.shape[0] - 2) * x[0])
    assert wasm.run(made.compile(hg.Array[hg.f32, "n"]), x=np.ones(5, "f4")).tolist() == [1.0] * 3


def test_products_with_arrays_of_numpy(wasm: hg.Executor) -> None:
    a, b = np.arange(6, dtype="f4").reshape(2, 3), np.arange(12, dtype="f4").reshape(3, 4)
    x, y = wasm.array(a), xp.asarray(b, device=wasm)
    products = (a @ y, np.matmul(a, y), xp.matmul(a, y), x @ b, xp.matmul(x, b))
    sums = (np.einsum("ij,jk", a, y), np.einsum("ij,jk", y.T, a.T).T, np.tensordot(a, y, 1), xp.tensordot(x, b, axes=1))
    for found in (*products, *sums):
        np.testing.assert_array_equal(found.numpy(), a @ b)


@pytest.mark.parametrize(
    ("text", "shapes"),
    [
        ("...ij,...jk->...ik", ((2, 3, 4), (2, 4, 5))),
        ("...i,i->...", ((2, 3, 4), (4,))),
        ("i...,i...", ((3, 2), (3, 2))),
        ("...", ((2, 3),)),
        ("...ii->...i", ((2, 3, 3),)),
        ("b...,...c->c...b", ((2, 4, 3), (4, 3, 5))),
        ("...,...->...", ((), (2, 3))),
        ("...,...->...", ((), ())),
        (",i", ((), (3,))),
        (",", ((), ())),
    ],
)
def test_einsum_with_axes_without_letters(wasm: hg.Executor, text: str, shapes: tuple[tuple[int, ...], ...]) -> None:
    given = [np.random.default_rng(7).random(shape).astype("f4") for shape in shapes]
    found = hg.ops.einsum(text, *(xp.asarray(each, device=wasm) for each in given))
    wanted = np.einsum(text, *given)
    assert found.shape == wanted.shape
    np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-5)


@pytest.mark.parametrize("name", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"])
def test_shifts_by_all_bits_and_more(ex: hg.Executor, name: str) -> None:
    limits = np.iinfo(name)
    negative = -1 if limits.min else 0
    counts = np.array([0, 1, negative, limits.bits - 1, limits.bits, limits.bits + 3, limits.max, 100], name)
    a = np.array([[1], [limits.min], [limits.max], [5]], name)
    x, by = xp.asarray(a, device=ex), xp.asarray(counts, device=ex)
    np.testing.assert_array_equal((x << by).numpy(), np.left_shift(a, counts))
    np.testing.assert_array_equal((x >> by).numpy(), np.right_shift(a, counts))
    np.testing.assert_array_equal((x >> 100).numpy(), np.right_shift(a, counts[-1]))
    by_number = hg.function(lambda x: x << 100)
    np.testing.assert_array_equal(by_number(x).numpy(), np.left_shift(a, counts[-1]))


def test_buffers_are_targets_of_losses_and_decay_may_be_zero(wasm: hg.Executor) -> None:
    loss = nn.cross_entropy(_ones(wasm, 2, 4), wasm.array(np.array([0, 3], "i4")))
    np.testing.assert_allclose(loss.item(), np.log(4), rtol=1e-6)
    adam, params = nn.Adam(0.5, betas=(0.0, 0.0)), {"w": _ones(wasm, 1)}
    np.testing.assert_allclose(adam.update(params, params, adam.init(params))[0]["w"].tolist(), [0.5], rtol=1e-6)
