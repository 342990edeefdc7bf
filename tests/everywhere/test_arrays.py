"""Lazy arrays, natively and in the page: tests/test_array.py compares them with NumPy."""

from __future__ import annotations

import gc
import sys
from array import array
from collections.abc import Callable
from typing import Any

import pytest

import hologram_web as hg


@pytest.mark.parametrize("name", ["wasm", "webgpu"])
def test_expressions_of_buffers_fuse_and_run(name: str, wait: Callable[[Any], Any]) -> None:
    from hologram_web import array_api as xp

    with hg.Executor(name) as ex:
        x = ex.array([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]], hg.f32)
        w = ex.array([0.5, 1.0, 2.0], hg.f32)
        y = xp.maximum(x * w + 1.0, 0.0)
        assert wait(y.read()).tolist() == [[1.5, 0.0, 7.0], [3.0, 6.0, 0.0]]
        assert (x @ x.T).tolist() == [[14.0, -24.0], [-24.0, 77.0]]
        assert xp.sum(x, axis=0).tolist() == [5.0, 3.0, -3.0]  # type: ignore[arg-type]
        assert xp.sum(x > 0.0, axis=1).tolist() == [2, 2]
        assert xp.argsort(w[:], descending=True).tolist() == [2, 1, 0]
        assert y.explain().startswith("def map(out: Array[f32], x0: Array[f32]") or "in memory" in y.explain()


def test_complex_numbers_in_lists_are_arrays() -> None:
    from hologram_web import array_api as xp

    with hg.Executor("wasm") as ex:
        x = xp.asarray([[1j, 2.0], [3.0, 4 - 1j]], dtype=hg.complex64, device=ex)
        assert x.shape == (2, 2)
        assert (x * 1j).tolist() == [[-1 + 0j, 2j], [3j, 1 + 4j]]
        assert (x[0, 0] * 1.0).tolist() == 1j


@pytest.mark.parametrize("name", ["wasm", "webgpu"])
def test_not_a_number_is_a_scalar_again_and_again(name: str) -> None:
    from hologram_web import array_api as xp

    with hg.Executor(name) as ex:
        given = [1.0, float("nan"), 2.0, float("nan")]
        made = [xp.isnan(xp.asarray(each, dtype=ty, device=ex)).tolist() for each in given for ty in (hg.f16, hg.f32)]
    assert made == [False, False, True, True, False, False, True, True]


def test_arrays_deep_in_lists_are_stacked() -> None:
    from hologram_web import array_api as xp

    with hg.Executor("wasm") as ex:
        x = ex.array([1.5, 2.5], hg.f32)[:]
        made = xp.asarray([[[x[0]], [x[1]]], [[x[1] + 1.0], [7.0]]])
        assert (made.executor, made.shape, made.tolist()) == (ex, (2, 2, 1), [[[1.5], [2.5]], [[3.5], [7.0]]])


@pytest.mark.parametrize("name", ["wasm", "webgpu"])
def test_weights_in_a_file_of_their_own(name: str, wait: Callable[[Any], Any], tmp_path: Any) -> None:
    with hg.Executor(name) as ex:
        table = ex.array([[0.5, 1.0], [2.0, -1.0]], hg.f32)

        @hg.function(device=ex)
        def doubled(x: Any) -> Any:
            return x @ table

        compiled = doubled.compile(hg.Array[hg.f32, 1, 2])
        compiled.save(tmp_path / "f.holo", weights="f.safetensors", least=1)
        raw, weights = (tmp_path / "f.holo").read_bytes(), (tmp_path / "f.safetensors").read_bytes()
        for loaded in (hg.load(tmp_path / "f.holo"), hg.load(raw, weights=weights)):
            y = ex.zeros((1, 2), hg.f32)
            loaded.run(ex, x=ex.array([[1.0, 2.0]], hg.f32), result=y)
            assert wait(y.read()).tolist() == [[4.5, -1.0]]
        with pytest.raises(hg.ArtifactError, match=r"constant table in 'f.safetensors' is damaged"):
            hg.load(raw, weights=bytes(len(weights))).run(ex, x=[[1.0, 2.0]])


@pytest.mark.parametrize("name", ["wasm", "webgpu"])
def test_donated_arrays_are_written_into_and_gone(name: str, wait: Callable[[Any], Any]) -> None:
    with hg.Executor(name) as ex:
        moved = hg.function(lambda x, y: (x * 0.5 + y, x), donate="x", name="moved")
        exchanged = hg.function(lambda x, y: (y + 1.0, x * 2.0), donate=("x", "y"))
        x, y = ex.array([1.0, 2.0, 3.0], hg.f32), ex.array([4.0, 5.0, 6.0], hg.f32)
        z, old = moved(x, y)
        assert wait(z.read()).tolist() == [4.5, 6.0, 7.5]
        assert wait(old.read()).tolist() == [1.0, 2.0, 3.0]
        with pytest.raises(hg.InvalidBuffer, match=r"an array of shape \(3,\) and f32 was donated to moved as x at .*"):
            x.tolist()
        live = ex.stats()["live_bytes"]
        for _ in range(3):
            z, y = exchanged(z, y)
        assert wait(z.read()).tolist() == [11.0, 13.0, 15.0]
        assert wait(y.read()).tolist() == [20.0, 26.0, 32.0]
        assert ex.stats()["live_bytes"] == live
        assert ex.stats()["reused"] == 7


@pytest.mark.parametrize("name", ["wasm", "webgpu"])
def test_ten_thousand_arrays_leave_no_bytes(name: str, wait: Callable[[Any], Any]) -> None:
    """Made, computed and freed, one after the other."""
    from hologram_web import array_api as xp

    with hg.Executor(name) as ex:
        x = ex.full(16, 1, hg.f32)[:]
        wait((x + 1.0).read())
        gc.collect()
        before = ex.stats()["live_bytes"]
        for number in range(10_000):
            y = (x + float(number) + xp.zeros(16, dtype=hg.f32, device=ex)).realize()
        assert wait(y.read()).tolist() == [10_000.0] * 16
        del y
        gc.collect()
        assert ex.stats()["live_bytes"] == before


def test_arrays_have_the_buffer_protocol() -> None:
    """Which Python asks classes for since 3.12; the elements are a copy."""
    with hg.Executor("wasm") as ex:
        x = ex.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], hg.f32).T * 2.0
        view = memoryview(x) if sys.version_info >= (3, 12) else x.__buffer__(0)
        assert (view.format, view.shape) == ("f", (3, 2))
        elements: object = view.tolist()  # typeshed says that these are of one axis
        assert elements == [[2.0, 8.0], [4.0, 10.0], [6.0, 12.0]]


@pytest.mark.parametrize("name", ["wasm", "webgpu"])
def test_arrays_of_memoryviews(name: str, wait: Callable[[Any], Any]) -> None:
    from hologram_web import array_api as xp

    with hg.Executor(name) as ex:
        given = memoryview(array("f", [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])).cast("B").cast("f", (2, 3))
        x = xp.asarray(given, device=ex)
        assert (x.shape, x.dtype) == ((2, 3), hg.f32)
        made = hg.function(lambda x, y: x @ y)(x, memoryview(array("f", [1.0, 0.0, 2.0])))
        assert wait(made.read()).tolist() == [7.0, 16.0]
        x[0] = memoryview(array("f", [0.0, 0.0, 9.0]))
        assert (x + memoryview(array("f", [1.0, 2.0, 3.0]))).tolist() == [[1.0, 2.0, 12.0], [5.0, 7.0, 9.0]]


@pytest.mark.page  # typed arrays are JavaScript's
@pytest.mark.parametrize("name", ["wasm", "webgpu"])
def test_arrays_of_typed_arrays(name: str, wait: Callable[[Any], Any]) -> None:
    import js  # type: ignore[import-not-found]

    from hologram_web import array_api as xp

    with hg.Executor(name) as ex:
        x = xp.asarray(js.Float32Array.of(1, 2, 3, 4), device=ex)
        assert x.dtype is hg.f32
        assert wait((x.reshape((2, 2)) @ js.Float32Array.of(10, 1)).read()).tolist() == [12.0, 34.0]
        assert (x[1:] * js.Float32Array.of(2, 2, 2)).tolist() == [4.0, 6.0, 8.0]
        assert (xp.asarray(js.Uint8Array.of(250, 5), device=ex) + 10).tolist() == [4, 15]
        assert wait(hg.function(lambda x, y: x - y)(x, js.Float32Array.of(1, 1, 1, 1)).read()).tolist() == [0, 1, 2, 3]
