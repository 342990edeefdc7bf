"""Reductions of arrays (array/planning.py): rows and columns of all lengths, on their own and of what is computed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import hologram_web as hg

DEVICES = ("cpu", "wasm", "webgpu")
LENGTHS = (1, 2, 7, 10, 31, 32, 33, 64, 100, 127, 2047, 2048, 2049, 4100)


def numbers(shape: tuple[int, ...], dtype: str) -> NDArray[Any]:
    found = np.random.default_rng(sum(shape)).random(shape) * 8 - 4
    return found.astype(dtype) if dtype != "uint8" else (found + 4).astype(dtype)


def canonical(row: NDArray[np.float32]) -> np.float32:
    """The sum in the order of isa.md section 3, in F32."""
    blocks = [row[k : k + 2048] for k in range(0, len(row), 2048)]
    found = []
    for block in blocks:
        orbits = np.zeros(32, np.float32)
        for k in range(0, len(block), 32):
            part = block[k : k + 32]
            orbits[: len(part)] += part
        while len(orbits) > 1:
            orbits = orbits[: len(orbits) // 2] + orbits[len(orbits) // 2 :]
        found.append(orbits[0])
    return found[0] if len(found) == 1 else canonical(np.array(found, np.float32))


@pytest.mark.parametrize("device", DEVICES)
def test_sums_of_rows_have_the_canonical_order(device: str) -> None:
    with hg.Executor(device) as ex:
        for length in LENGTHS:
            for rows in (1, 3, 17):
                x = numbers((rows, length), "float32")
                found = np.asarray(np.sum(ex.array(x), axis=1))
                assert found.tobytes() == np.array([canonical(row) for row in x]).tobytes(), (rows, length)


@pytest.mark.parametrize(
    ("device", "dtype"),
    [("wasm", "float32"), ("wasm", "int32"), ("wasm", "uint8"), ("wasm", "float64"), ("webgpu", "float32")],
)
def test_reductions_along_an_axis(device: str, dtype: str) -> None:
    shapes: list[tuple[int, ...]] = [(5, 40), (3, 33, 2), (2, 70, 31)]
    if device == "wasm":
        shapes += [(40, 5), (1, 9, 36), (4, 3, 129), (300, 4), (2100, 33)]
    with hg.Executor(device) as ex:
        for shape in shapes:
            x = numbers(shape, dtype)
            array = ex.array(x)
            for axis in (*range(len(shape)), None):
                for kind in ("sum", "max", "min"):
                    found = np.asarray(getattr(np, kind)(array, axis=axis))
                    assert np.allclose(found, getattr(np, kind)(x, axis=axis), rtol=1e-4, atol=1e-3), (shape, axis)


@pytest.mark.parametrize("device", DEVICES)
def test_reductions_of_what_is_computed_and_what_is_made_of_them(device: str) -> None:
    """Longer expressions are there for fewer elements of a lane."""
    x, w = numbers((37, 45), "float32"), numbers((45,), "float32")
    with hg.Executor(device) as ex:
        a, b = (ex.array(each) for each in (x, w))
        for axis in (0, 1):
            short = np.sqrt(np.sum(a * a, axis=axis)) + 1.0
            assert np.allclose(np.asarray(short), np.sqrt(np.sum(x * x, axis=axis)) + 1.0, rtol=1e-5)
            value: Any = a
            wanted = x
            for _ in range(6):
                value, wanted = (value * b + a) * 0.25, (wanted * w + x) * np.float32(0.25)
            found = np.asarray(np.max(value, axis=axis))
            assert np.allclose(found, np.max(wanted, axis=axis), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("device", DEVICES)
def test_columns_of_rows_whose_length_is_not_known(device: str) -> None:
    def totals(x: Any, y: Any) -> Any:
        return np.sum(x, axis=0) + y

    totals.__annotations__ = {"x": hg.Array[hg.f32, 5, "n"], "y": hg.Array[hg.f32, "n"]}
    made: Any = hg.function(totals)

    with hg.Executor(device) as ex:
        for width in (1, 4, 5, 31, 32, 33, 63, 70):
            x, y = numbers((5, width), "float32"), numbers((width,), "float32")
            found = np.asarray(made(ex.array(x), ex.array(y)))
            assert np.allclose(found, x.sum(axis=0) + y, rtol=1e-5, atol=1e-5), width


@pytest.mark.parametrize("device", DEVICES)
def test_axes_that_are_no_neighbours_are_summed_one_after_the_other(device: str) -> None:
    x = numbers((5, 3, 7, 9), "float32")
    with hg.Executor(device) as ex:
        array: Any = ex.array(x)
        rows = np.array([[canonical(x[i, j].ravel()) for j in range(3)] for i in range(5)], np.float32)
        wanted = np.zeros(3, np.float32)
        for row in rows:
            wanted += row
        found = np.asarray(np.sum(array, axis=(0, 2, 3)))
        assert found.tobytes() == wanted.tobytes()
        assert np.sum(array, axis=(0, 2, 3), keepdims=True).shape == (1, 3, 1, 1)
        assert np.allclose(np.asarray(np.prod(array, axis=(1, 3))), x.prod(axis=(1, 3)), rtol=1e-4)
        assert np.array_equal(np.asarray(np.max(array, axis=(0, 2))), x.max(axis=(0, 2)))
        # An axis of one element between them does not part them, and halves are added in F32.
        one = ex.array(numbers((4, 1, 70), "float16"))
        whole = np.asarray(np.sum(one, axis=(0, 2)))
        assert whole.shape == (1,)
        assert whole.dtype == np.float16
        assert whole[0] == np.float16(canonical(np.asarray(one).astype(np.float32).ravel()))
