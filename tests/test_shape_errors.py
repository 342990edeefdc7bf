"""Shapes that do not fit: errors name the operand by its parameter, its shape, the axis, and what is expected."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hologram_web as hg
from hologram_web import array_api as xp
from hologram_web import ops
from hologram_web.errors import LaunchError

Make = Callable[[Callable[..., Any]], Any]
Case = tuple[Make, str]

TOGETHER: list[Case] = [
    (lambda a: a(2, 3, 4) * a(2, 1, 5),
     "x1 of shape (2, 3, 4) and x2 of shape (2, 1, 5) do not fit one another: axis -1 has 4 and 5 elements; as "
     "many are "
     "expected, or 1"),
    (lambda a: xp.where(a(2, 3) > 0, a(2, 4), a(1)),
     "condition of shape (2, 3) and x1 of shape (2, 4) and x2 of shape (1,) do not fit one another: axis -1 "
     "has 3 and 4 "
     "elements; as many are expected, or 1"),
    (lambda a: xp.clip(a(2, 3), a(4), None),
     "x of shape (2, 3) and min of shape (4,) do not fit one another: axis -1 has 3 and 4 elements; as many "
     "are expected, "
     "or 1"),
    (lambda a: xp.broadcast_arrays(a(2), a(3)),
     "array 0 of shape (2,) and array 1 of shape (3,) do not fit one another: axis -1 has 2 and 3 elements; as "
     "many are "
     "expected, or 1"),
    (lambda a: xp.broadcast_to(a(2, 3), (4, 3)),
     "x of shape (2, 3) cannot be broadcast to (4, 3): axis -2 has 2 elements; 4 or 1 is expected"),
    (lambda a: xp.broadcast_to(a(2, 3), (3,)),
     "x of shape (2, 3) cannot be broadcast to (3,): it has 2 axes; 1 are expected at most"),
]  # fmt: skip
PRODUCTS: list[Case] = [
    (lambda a: a(2, 3, 4) @ a(3, 4, 5),
     "matmul: axis -3 of x2, whose shape is (3, 4, 5), has 3 elements; 2, as in x1 (2, 3, 4), or 1 is expected"),
    (lambda a: a(2, 3, 4) @ a(2, 5, 5),
     "matmul: axis -2 of x2, whose shape is (2, 5, 5), has 5 elements; 4, as axis -1 of x1 (2, 3, 4), is expected"),
    (lambda a: a(3, 4) @ a(5),
     "matmul: axis -1 of x2, whose shape is (5,), has 5 elements; 4, as axis -1 of x1 (3, 4), is expected"),
    (lambda a: xp.matmul(a(), a(3)),
     "matmul: x1 has shape (); an axis at least is expected: multiply by numbers with *"),
    (lambda a: xp.vecdot(a(2, 3), a(2, 4)),
     "vecdot: axis -1 of x2, whose shape is (2, 4), has 4 elements; 3, as in x1 (2, 3), is expected"),
    (lambda a: xp.vecdot(a(2, 3), a(2, 4), axis=0),
     "axis 0 of x1 of shape (2, 3) and x2 of shape (2, 4): -2 to -1 is expected"),
    (lambda a: xp.tensordot(a(2, 3), a(3, 2), axes=([0, 1], [0, 1])),
     "tensordot: axis 0 of x2, whose shape is (3, 2), has 3 elements; 2, as axis 0 of x1 (2, 3), is expected"),
    (lambda a: xp.tensordot(a(2, 3), a(3, 2), axes=([0], [0, 1])),
     "tensordot: axes names 1 of x1 and 2 of x2; as many are expected"),
    (lambda a: xp.tensordot(a(2, 3), a(3, 2), axes=([1], [2])), "axis 2 of x2, of shape (3, 2): -2 to 1 is expected"),
    (lambda a: ops.einsum("ij,jk->ik", a(2, 3), a(4, 5)),
     "einsum: axis 0 of operand 1, whose shape is (4, 5), has 4 elements; 3 is expected, as of 'j' before"),
    (lambda a: ops.einsum("ijk,jk->ik", a(2, 3), a(4, 5)),
     "einsum: operand 0 has shape (2, 3); 3 axes are expected, 'ijk'"),
    (lambda a: ops.sparse_matmul(a(3), a(2, t="i4"), a(3, t="i4"), a(4, 2)),
     "sparse_matmul: indices has shape (2,); 3 elements, as in values, are expected"),
    (lambda a: ops.quantized_matmul(a(2, 3, t="i1"), a(4, 5, t="i1"), 1.0, 1.0),
     "quantized_matmul: axis 0 of b, whose shape is (4, 5), has 4 elements; 3, as axis 1 of a (2, 3), is expected"),
    (lambda a: ops.quantized_matmul(a(3, t="i1"), a(4, 5, t="i1"), 1.0, 1.0),
     "quantized_matmul: a has shape (3,); the axes (rows, columns) are expected"),
    (lambda a: ops.quantized_matmul(a(2, 3, t="i1"), a(3, 5, t="i1"), 1.0, a(4)),
     "quantized_matmul: b_scale has shape (4,); 1 element, or 5, one of each column, is expected"),
    (lambda a: ops.matvec(a(2, 3), a(2, 3)), "matvec: vector has shape (2, 3); the axes (columns) are expected"),
    (lambda a: xp.linalg.solve(a(2, 3, 3), a(4, 3, 2)),
     "solve: axis -3 of x2, whose shape is (4, 3, 2), has 4 elements; 2, as in x1 (2, 3, 3), or 1 is expected"),
    (lambda a: xp.linalg.solve(a(3, 3), a(4, 2)),
     "solve: axis -2 of x2, whose shape is (4, 2), has 4 elements; 3, as axis -1 of x1 (3, 3), is expected"),
    (lambda a: xp.linalg.inv(a(2, 3)), "square matrices are expected: x has shape (2, 3)"),
    (lambda a: xp.linalg.outer(a(2), a(2, 3)), "outer: x2 has shape (2, 3); one axis is expected"),
    (lambda a: xp.linalg.diagonal(a(3)), "diagonal: x has shape (3,); two axes or more are expected"),
]  # fmt: skip
IMAGES: list[Case] = [
    (lambda a: ops.conv2d(a(1, 3, 5, 5), a(4, 2, 3, 3)),
     "conv2d: axis 1 of x, whose shape is (1, 3, 5, 5), has 3 elements; 2, axis 1 of kernel (4, 2, 3, 3) times "
     "groups, 1, "
     "is expected"),
    (lambda a: ops.conv2d(a(3, 5, 5), a(4, 2, 3, 3)),
     "conv2d: x has shape (3, 5, 5); the axes (batch, channels, height, width) are expected"),
    (lambda a: ops.conv2d(a(1, 2, 5, 5), a(4, 2, 3)),
     "conv2d: kernel has shape (4, 2, 3); the axes (channels, channels, height, width) are expected"),
    (lambda a: ops.conv2d(a(1, 2, 5, 5), a(4, 2, 3, 3), bias=a(3)),
     "conv2d: bias has shape (3,); 4 elements, one of each channel made, are expected"),
    (lambda a: ops.conv2d(a(1, 4, 5, 5), a(3, 2, 3, 3), groups=2),
     "conv2d: axis 0 of kernel, whose shape is (3, 2, 3, 3), has 3 elements; a multiple of groups, 2, is expected"),
    (lambda a: ops.conv2d(a(1, 2, 2, 2), a(3, 2, 7, 7), padding=1),
     "conv2d: axis 2 of x, whose shape is (1, 2, 2, 2), has 2 elements; 5 at least, for a window of 7, is expected"),
    (lambda a: ops.conv_transpose2d(a(1, 3, 5, 5), a(4, 2, 3, 3)),
     "conv_transpose2d: axis 1 of x, whose shape is (1, 3, 5, 5), has 3 elements; 4, axis 0 of kernel (4, 2, 3, 3), is "
     "expected"),
    (lambda a: ops.max_pool2d(a(1, 5, 5), 2),
     "max_pool2d: x has shape (1, 5, 5); the axes (batch, channels, height, width) are expected"),
    (lambda a: ops.avg_pool2d(a(1, 1, 9, 5), 9, stride=1),
     "avg_pool2d: axis 3 of x, whose shape is (1, 1, 9, 5), has 5 elements; 9 at least, for a window of 9, is "
     "expected"),
    (lambda a: ops.upsample2d(a(5, 5), (2, 2)),
     "upsample2d: x has shape (5, 5); the axes (batch, channels, height, width) are expected"),
]  # fmt: skip
NORMS: list[Case] = [
    (lambda a: ops.layer_norm(a(2, 3), a(7), a(3)),
     "layer_norm: gamma has shape (7,); 3 elements, as axis -1 of x (2, 3), are expected"),
    (lambda a: ops.rms_norm(a(), a(1)), "rms_norm: x has shape (); an axis at least is expected"),
    (lambda a: ops.batch_norm(a(2, 3, 4), a(3), a(3), a(3), a(2)),
     "batch_norm: variance has shape (2,); 3 elements, as axis 1 of x (2, 3, 4), are expected"),
    (lambda a: ops.group_norm(a(2, 3, 4), a(3), a(3), 2),
     "group_norm: axis 1 of x, whose shape is (2, 3, 4), has 3 elements; a multiple of groups, 2, is expected"),
    (lambda a: ops.instance_norm(a(2), a(3), a(4)),
     "instance_norm: x has shape (2,); the axes (batch, channels, ...) are expected"),
    (lambda a: ops.softmax(a(2, 3), axis=2), "axis 2 of x, of shape (2, 3): -2 to 1 is expected"),
    (lambda a: ops.log_softmax(a(2, 3), axis=-3), "axis -3 of x, of shape (2, 3): -2 to 1 is expected"),
]  # fmt: skip
ATTENTION: list[Case] = [
    (lambda a: ops.attention(a(1, 2, 4, 8), a(1, 2, 4, 6), a(1, 2, 4, 6)),
     "attention: axis 3 of key, whose shape is (1, 2, 4, 6), has 6 elements; 8, as in query (1, 2, 4, 8), is expected"),
    (lambda a: ops.attention(a(1, 2, 4, 8), a(1, 2, 5, 8), a(1, 2, 4, 8)),
     "attention: axis 2 of value, whose shape is (1, 2, 4, 8), has 4 elements; 5, as in key (1, 2, 5, 8), is expected"),
    (lambda a: ops.flash_attention(*[a(2, 4, 8)] * 3),
     "flash_attention: query has shape (2, 4, 8); the axes (batch, heads, positions, size) are expected"),
    (lambda a: ops.attention(*[a(1, 2, 3, 4)] * 3, mask=a(5, 5)),
     "attention: mask has shape (5, 5); (3, 3), axis 2 of query and of key, is expected"),
    (lambda a: ops.rope(a(1, 4, 2, 8), a(4, 8)),
     "rope: freqs has shape (4, 8); (4, 4), an angle for each pair of x (1, 4, 2, 8), is expected"),
    (lambda a: ops.kv_cache_update(a(1, 2, 8, 4), a(1, 2, 3), 0),
     "kv_cache_update: axis 2 of new, whose shape is (1, 2, 3), has 3 elements; 4, as axis 3 of cache (1, 2, 8, 4), is "
     "expected"),
    (lambda a: ops.kv_cache_update(a(1, 2, 8, 4), a(1, 2, 3, 4), 6),
     "kv_cache_update: axis 2 of cache, whose shape is (1, 2, 8, 4), has 8 elements; positions 6 to 8 are asked for"),
]  # fmt: skip
ARRANGED: list[Case] = [
    (lambda a: xp.concat([a(7, 33), a(7, 3)]),
     "concat: axis 1 of array 1, whose shape is (7, 3), has 3 elements; 33, as in array 0 (7, 33), is expected"),
    (lambda a: xp.concat([a(7, 33), a(7)]),
     "concat: array 1 has shape (7,); 2 axes, as in array 0 (7, 33), is expected"),
    (lambda a: xp.concat([a(7, 33)], axis=2), "axis 2 of array 0, of shape (7, 33): -2 to 1 is expected"),
    (lambda a: xp.stack([a(2, 3), a(2, 4)]),
     "stack: axis 1 of array 1, whose shape is (2, 4), has 4 elements; 3, as in array 0 (2, 3), is expected"),
    (lambda a: xp.stack([]), "stack takes an array at least"),
    (lambda a: xp.stack([a(2, 3)], axis=5), "axis 5 of x, which gets 3 axes: -3 to 2, each once"),
    (lambda a: ops.pad(a(2, 3), [(1, 1)]),
     "pad: x has shape (2, 3); as many axes as widths has pairs, 1, are expected"),
    (lambda a: ops.pad(a(2, 3), [(1, 1), (-1, 0)]),
     "pad: axis 1 of x, whose shape is (2, 3), has 3 elements; 0 or more before and behind are expected, not (-1, 0)"),
    (lambda a: np.pad(a(2, 3), [(1, 1)] * 3),
     "pad: x has shape (2, 3); as many axes as pad_width has pairs, 3, are expected"),
    (lambda a: a(2, 3).transpose(0, 0), "axes of x, whose shape is (2, 3), are (0, 1), each once, not (0, 0)"),
    (lambda a: xp.moveaxis(a(2, 3), 0, 2), "axis 2 of x, of shape (2, 3): -2 to 1 is expected"),
    (lambda a: xp.moveaxis(a(2, 3), (0, 1), (0,)),
     "moveaxis: source has 2 axes, and destination 1; as many are expected"),
    (lambda a: xp.reshape(a(7, 33), (5, -1)), "x of shape (7, 33), 231 elements, cannot have the shape (5, -1)"),
    (lambda a: xp.squeeze(a(2, 3), axis=1), "axis 1 of x, whose shape is (2, 3): one of one element is expected"),
    (lambda a: xp.flip(a(2), axis=1), "axis 1 of x, of shape (2,): -1 to 0 is expected"),
    (lambda a: xp.roll(a(2, 3), (1, 2), axis=(1,)), "roll: shift has 2 numbers for 1 axes; as many are expected"),
    (lambda a: xp.repeat(a(2, 3), a(5, t="i4"), axis=0),
     "repeat: repeats has shape (5,); a number for each of axis 0 of x (2, 3) is expected"),
    (lambda a: ops.split(a(2, 3), 2, axis=1),
     "split: axis 1 of x, whose shape is (2, 3), has 3 elements; a multiple of 2 is expected"),
    (lambda a: np.split(a(2, 3), 2, axis=1),
     "split: axis 1 of x, whose shape is (2, 3), has 3 elements; a multiple of 2 is expected"),
    (lambda a: ops.slice(a(2, 3), (0,), (1, 2)),
     "slice: x has shape (2, 3); starts, stops and steps of its first axes are expected, not ((0,), (1, 2), (1,))"),
    (lambda a: xp.tril(a(3)), "tril: x has shape (3,); two axes or more are expected"),
]  # fmt: skip
CHOSEN: list[Case] = [
    (lambda a: xp.take(a(2, 3), a(2, t="i4"), axis=2), "axis 2 of x, of shape (2, 3): -2 to 1 is expected"),
    (lambda a: xp.take(a(2, 3), a(2, t="i4")), "say along which axis: x has shape (2, 3)"),
    (lambda a: a(2, 3)[a(2, t="i4"), a(3, t="i4")],
     "index 0 of shape (2,) and index 1 of shape (3,) do not fit one another: axis -1 has 2 and 3 elements; as "
     "many are "
     "expected, or 1"),
    (lambda a: a(2, 3)[a(3) > 0], "bools of shape (3,) choose nothing of x of shape (2, 3): as many are expected"),
    (lambda a: xp.take_along_axis(a(2, 3), a(4, 3, t="i4"), axis=1),
     "take_along_axis: axis 0 of indices, whose shape is (4, 3), has 4 elements; 2, as in x (2, 3), or 1 is expected"),
    (lambda a: xp.take_along_axis(a(2, 3), a(4, t="i4"), axis=1),
     "take_along_axis: indices has shape (4,); as many axes as x of shape (2, 3) are expected"),
    (lambda a: ops.scatter(a(4, 3), a(2, t="i4"), a(2, 5)),
     "scatter: values has shape (2, 5); (2, 3), rows of x (4, 3) at indices (2,), is expected"),
    (lambda a: a(4, 3).__setitem__(slice(0, 2), a(3, 3)),
     "value of shape (3, 3) cannot be broadcast to (2, 3): axis -2 has 3 elements; 2 or 1 is expected"),
    (lambda a: xp.sort(a(2, 3), axis=2), "axis 2 of x, of shape (2, 3): -2 to 1 is expected"),
    (lambda a: ops.topk(a(2, 3), 9),
     "topk: axis -1 of x, whose shape is (2, 3), has 3 elements; k is 9: 0 to that many are expected"),
    (lambda a: xp.argmax(a(2, 0), axis=1), "ArgMax of no elements: axis 1 of x, whose shape is (2, 0)"),
    (lambda a: xp.max(a(2, 0), axis=1), "max of no elements: axis 1 of x, whose shape is (2, 0)"),
    (lambda a: xp.sum(a(2, 3), axis=(0, 0)), "an axis of x, whose shape is (2, 3), is named twice: (0, 0)"),
    (lambda a: xp.cumulative_sum(a(2, 3)), "say along which axis: x has shape (2, 3)"),
    (lambda a: xp.searchsorted(a(2, 3), a(2)), "searchsorted: x1 has shape (2, 3); one axis is expected"),
    (lambda a: xp.nonzero(a()), "nonzero: x has shape (); an axis at least is expected"),
    (lambda a: xp.fft.fft(a(2, 3), axis=2), "axis 2 of x, of shape (2, 3): -2 to 1 is expected"),
    (lambda a: xp.fft.irfft(a(2, 1)), "a transform of 0 elements, axis -1 of x, whose shape is (2, 1): 1 is the least"),
    (lambda a: xp.fft.fftn(a(2, 3), s=(2,), axes=(0, 1)), "s has 1 lengths for 2 axes of x, whose shape is (2, 3)"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("make", "text"),
    [*TOGETHER, *PRODUCTS, *IMAGES, *NORMS, *ATTENTION, *ARRANGED, *CHOSEN],
    ids=lambda each: each[:40] if isinstance(each, str) else "",
)
def test_shapes_that_do_not_fit(wasm: hg.Executor, make: Make, text: str) -> None:
    def ones(*shape: int, t: str = "f4") -> Any:
        return xp.asarray(np.ones(shape, t), device=wasm)

    with pytest.raises(LaunchError) as caught:
        make(ones)
    assert str(caught.value) == text


def test_values_with_axes_of_one_in_front_are_scattered(wasm: hg.Executor) -> None:
    """What `scatter` looks at is not more than what assignment takes."""
    x, at = xp.zeros((4, 3), device=wasm), xp.asarray([2, 0], device=wasm)
    for shape in ((1, 1, 2, 3), (2, 1), (3,), ()):
        assert ops.scatter(x, at, xp.ones(shape, device=wasm)).sum(axis=1).tolist() == [3.0, 0.0, 3.0, 0.0]


def test_windows_that_fit_nowhere_give_no_elements(wasm: hg.Executor) -> None:
    assert ops.avg_pool2d(xp.ones((1, 1, 5, 5), device=wasm), 9).numpy().shape == (1, 1, 0, 0)
