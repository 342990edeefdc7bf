"""Wide integers: a slice of `tests.wide`, both device libraries for WebAssembly, and values as bytes and text."""

# mypy: ignore-errors

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import wasmtime

import hologram_web as hg
from hologram_web.backends import CpuBackend, WasmBackend, WebGpuBackend
from hologram_web.backends.webgpu import recorder
from hologram_web.targets.wasm.wide import INLINE

from .wide import OPERATIONS, TYPES, check

PORTABLE = WasmBackend(cache=False)
PORTABLE._wide_arithmetic = False


@pytest.mark.parametrize("ty", TYPES, ids=str)
@pytest.mark.parametrize("device", [CpuBackend(), WasmBackend(), PORTABLE], ids=["cpu", "wasm", "portable"])
def test_every_operation_against_python(device, ty):
    for name in OPERATIONS:
        check(device, ty, name, 60)


@pytest.mark.parametrize("ty", [hg.u128, hg.i256], ids=str)
def test_shaders_against_python(ty):
    device = WebGpuBackend()
    for name in ("add", "mul", "shr", "max"):
        check(device, ty, name, 200)


@pytest.mark.parametrize("ty", [hg.i512, hg.u4096], ids=str)
def test_blocks_take_turns_with_scratch_memory(ty, monkeypatch):
    monkeypatch.setattr(recorder, "_MOST_SCRATCH", 1)  # a block at a time
    device = WebGpuBackend()
    launch, parts = device._recorder.launch, []

    def recorded(work, number):
        parts.append(len(list(work.dispatches(0))))
        launch(work, number)

    monkeypatch.setattr(device._recorder, "launch", recorded)
    check(device, ty, "div", 600)
    assert parts == [3]


@pytest.mark.parametrize("name", ["wide", "wide128"])
def test_the_sources_are_modules(name):
    config = wasmtime.Config()
    config.wasm_wide_arithmetic = True
    code = wasmtime.wat2wasm((Path(__file__).parents[1] / "wasm" / f"{name}.wat").read_text(encoding="utf-8"))
    wasmtime.Module.validate(wasmtime.Engine(config), code)


def test_what_moves_inline_and_by_a_call():
    assert {ty.size_bytes <= INLINE for ty in TYPES} == {True, False}


def test_bytes_and_text():
    values = [0, 1, -1, hg.i256.min_value, hg.i256.max_value]
    raw = hg.i256.pack(values)
    assert len(raw) == 160
    assert raw == b"".join(value.to_bytes(32, "little", signed=True) for value in values)
    assert hg.i256.unpack(raw) == values
    assert hg.u128.pack(["0xff", "12345678901234567890123", 7]) == hg.u128.pack([255, 12345678901234567890123, 7])
    assert hg.f32.unpack(hg.f32.pack([1.5, "-2"])) == [1.5, -2.0]
    for values, text in (
        ([1 << 256], "does not fit u256: it holds 256 bits"),
        ([-1], "-1 does not fit u256: it holds 256 bits"),
        (["12x"], "'12x' is no u256: give a number, or its digits"),
        ([1.5], "1.5 is no u256: give a number, or its digits"),
    ):
        with pytest.raises(hg.IsaError, match=text):
            hg.u256.pack(values)
    with pytest.raises(hg.IsaError, match="33 bytes are no whole number of u256: a value has 32"):
        hg.u256.unpack(bytes(33))


@pytest.mark.parametrize("name", ["cpu", "wasm"])
def test_typed_buffers_take_numbers_text_and_bytes(name):
    device = hg.backends.DEVICES[name]()
    buffer = hg.TypedBuffer.allocate(device, hg.u256, 3)
    for data in ([1, 1 << 255, 3], ["1", hex(1 << 255), 3], hg.u256.pack([1, 1 << 255, 3])):
        buffer.copy_to(data)
        assert hg.u256.unpack(buffer.copy_from().tobytes()) == [1, 1 << 255, 3]
    buffer.copy_to(np.arange(3))
    assert hg.u256.unpack(buffer.copy_from().tobytes()) == [0, 1, 2]
    with pytest.raises(hg.InvalidBuffer, match="2 elements do not fit a buffer of 3"):
        buffer.copy_to([1, 2])
