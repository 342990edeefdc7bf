"""Packets that load what lies some elements apart: whole vectors and shuffles, or lane by lane."""

from __future__ import annotations

import numpy as np
import pytest

import hologram_web as hg
from hologram_web.backends.wasm import WasmBackend

from .widths import WIDTHS, cases, differences

SHUFFLE = b"\xfd\x0d"
_LANES = 48
_TYPES = {"u8": np.uint8, "i8": np.int8, "u16": np.uint16, "i16": np.int16, "u32": np.uint32, "f32": np.float32}


def _kernel(ty: str) -> hg.Kernel:
    return hg.kernel_from_source(f"""
def apart(x: hg.Array[hg.{ty}], y: hg.Array[hg.{ty}], z: hg.Array[hg.i32]):
    i = hg.global_id()
    y[i] = x[4 * i + 3]
    z[i] = hg.i32(x[2 * i]) + hg.i32(x[3 * i + 1]) * 300 - hg.i32(x[5 * i]) * 70000 + hg.i32(x[7 * i + 2]) * 11
""")


@pytest.mark.parametrize("ty", _TYPES)
@pytest.mark.parametrize("packets", [1, 4, 8, 16])
def test_what_lies_apart_is_loaded_right(packets: int, ty: str) -> None:
    """The last of its elements is the last of the buffer: what goes beyond is a fault."""
    kernel, element = _kernel(ty), np.dtype(_TYPES[ty])
    x = np.random.default_rng(7).integers(-(1 << 15), 1 << 15, 7 * (_LANES - 1) + 3).astype(element)
    for lanes in (_LANES, _LANES - 5):
        numbers = x[: 7 * (lanes - 1) + 3]
        device = WasmBackend(packets=packets, cache=False, threads=1)
        sizes = {"x": numbers.nbytes, "y": lanes * element.itemsize, "z": 4 * lanes}
        given = {name: device.allocate_buffer(size) for name, size in sizes.items()}
        device.view(given["x"])[:] = numbers.view(np.uint8)
        shapes = {"x.shape0": len(numbers), "y.shape0": lanes, "z.shape0": lanes}
        arguments = {param.name: (given | shapes)[param.name] for param in kernel.program.params}
        config = hg.LaunchConfig.linear(lanes, 16)
        device.execute_program_with_params(kernel.program, hg.ExecutionParams(config, arguments))
        at, wide = np.arange(lanes), numbers.astype(np.int64)
        assert np.array_equal(device.view(given["y"]).view(element), numbers[4 * at + 3])
        wanted = wide[2 * at] + wide[3 * at + 1] * 300 - wide[5 * at] * 70000 + wide[7 * at + 2] * 11
        assert np.array_equal(device.view(given["z"]).view(np.int32), wanted.astype(np.int32))
        code = device.kernel_of(kernel.program, (16, 1, 1)).code
        assert (SHUFFLE in code) == (packets > 1)


def test_filetests_in_packets_of_all_widths() -> None:
    """`python -m tests.widths` takes all of them."""
    count, found = differences(WIDTHS, cases("memory/strides"))
    assert count == 5
    assert found == []
