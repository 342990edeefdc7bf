"""Complex numbers and records where a page has no NumPy: numbers in lists, bytes, and memoryviews."""

# mypy: ignore-errors

from __future__ import annotations

import struct
import sys
from typing import NamedTuple

import pytest

import hologram_web as hg
from hologram_web.frontends.python import records
from hologram_web.runtime import arrays


class Mass(NamedTuple):
    at: hg.vec2[hg.f32]
    weight: hg.f32
    hits: hg.i32


@hg.kernel
def doubled(z: hg.Array[hg.complex64, 2], m: hg.Array[Mass]):
    i = hg.global_id()
    z[0, i] *= 2j
    m[i].hits += 1
    m[i].at.x = m[i].weight


@pytest.fixture(params=["cpu", "wasm"])
def ex(request, monkeypatch):
    monkeypatch.setattr(arrays, "numpy", lambda: None)
    monkeypatch.setattr(records, "_has_numpy", lambda: False)
    with hg.Executor(request.param) as found:
        yield found


def test_complex_numbers_and_records_without_numpy(ex):
    """`ex.array([1 + 2j], hg.complex64)` was a TypeError there, and `hg.dtype_of` an import of NumPy."""
    z = ex.array([[1 + 2j, 3, 0.5]], hg.complex64)
    assert (z.shape, z.dtype) == ((1, 3), hg.complex64)
    assert z.tolist() == [[1 + 2j, 3, 0.5]]
    data = struct.pack("<3fi3fi", 1, 2, 3, 4, 5, 6, 7, 8)
    dtype = hg.dtype_of(Mass)
    m = ex.array(data, dtype)
    assert m.shape == (2,)
    doubled[2](z, m)
    assert z.tolist() == [[-4 + 2j, 6j, 0.5]]
    assert m.tolist() == [((3, 2), 3, 5), ((7, 6), 7, 9)]
    assert bytes(arrays.raw(m.numpy())) == struct.pack("<3fi3fi", 3, 2, 3, 5, 7, 6, 7, 9)
    other = ex.zeros(2, dtype)
    doubled[2](z, other)
    assert other.tolist() == [((0, 0), 0, 1)] * 2
    other.copy_from(m)
    assert other.tolist() == m.tolist()


def test_what_no_lists_are_made_of_without_numpy(ex):
    with pytest.raises(TypeError, match="is made of bytes"):
        ex.array([1, 2], hg.dtype_of(Mass))
    with pytest.raises(TypeError, match="an array is made of numbers"):
        ex.array([1j], hg.f32)
    with pytest.raises(TypeError, match="an array is made of numbers"):
        ex.array([1j])


def test_dtypes_are_those_of_numpy_where_it_is():
    assert hg.dtype_of(Mass).itemsize == 16
    assert sys.platform == "emscripten" or records._has_numpy()
