"""Rounds that all lanes of a block do, in packets of all widths, where begins wrap, lanes part, end and fault; and
labels that all lanes of a packet come to and leave."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hologram_web as hg
from hologram_web.backends.wasm import WasmBackend
from hologram_web.compiler.build import build
from hologram_web.compiler.passes import optimize
from hologram_web.compiler.whole_rounds import with_whole_rounds
from hologram_web.isa.verify import analyze
from tests.fuzz.devices import LIMITS, reference

BEFORE = "def lanes(y: hg.Array[hg.u32], x: hg.Array[hg.u32], begin: hg.{ty}, end: hg.{ty}):\n    {body}\n"
AFTER = "y[hg.global_id(0)] = s"
# The type, and what a lane does before it stores `s`.
TEXTS = {
    "steps apart that wrap": (
        "i32",
        "s = hg.u32(1)\n    for i in range(begin + hg.i32(hg.local_id(0)) * 0x30000000, end, 0x10000000):\n"
        "        s = s * 3 + hg.u32(i)",
    ),
    "the same without a sign": (
        "u32",
        "s = hg.u32(1)\n    for i in range(begin + hg.u32(hg.local_id(0)) * 0x30000000, end, 0x10000000):\n"
        "        s = s * 3 + i",
    ),
    "far apart, step by step": (
        "i32",
        "s = hg.u32(1)\n    for i in range(begin + 5 * hg.i32(hg.local_id(0)), end):\n        s = s * 3 + hg.u32(i)",
    ),
    "64 bits": (
        "i64",
        "s = hg.u32(1)\n    for i in range(begin + hg.i64(hg.local_id(0)), end, 8):\n        s = s * 3 + hg.u32(i)",
    ),
    "in rounds of another loop, which lanes leave": (
        "i32",
        "s = hg.u32(1)\n    for k in range(hg.i32(hg.local_id(0)) % 3):\n"
        "        for i in range(begin + k + hg.i32(hg.local_id(0)), end, 8):\n            s = s * 3 + hg.u32(i)\n"
        "        s = s + hg.u32(k)",
    ),
    "of some lanes, others return": (
        "i32",
        "s = hg.u32(1)\n    lane = hg.i32(hg.local_id(0))\n    if lane == 2 or lane == 7:\n        return\n"
        "    if lane % 2 == 0:\n        for i in range(begin + lane, end, 8):\n            s = s * 3 + hg.u32(i)\n"
        "    else:\n        for i in range(begin + 2 * lane, end, 16):\n            s = s * 5 + hg.u32(i)",
    ),
    "one behind the other, the second from where the first ends": (
        "i32",
        "s = hg.u32(1)\n    last = hg.i32(hg.local_id(0))\n    for i in range(begin + last, end, 8):\n"
        "        s = s * 3 + hg.u32(i)\n        last = i\n"
        "    for i in range(begin + hg.i32(hg.local_id(0)), end + 9, 8):\n        s = s * 5 + hg.u32(i + last)",
    ),
    "a label, from whose loop lanes break": (
        "i32",
        "s = hg.u32(hg.local_id(0))\n    k = begin\n    while k < end:\n        s = s * 3 + hg.u32(k)\n"
        "        if s % 7 == 3:\n            break\n        if s % 5 == 1:\n            k = k + 2\n"
        "            continue\n        k = k + 1\n    s = s * 11 + hg.u32(k)",
    ),
    "a label in a label, and lanes that return from it": (
        "i32",
        "s = hg.u32(hg.local_id(0))\n    k = begin\n    while k < end:\n        j = hg.i32(0)\n"
        "        while j < 9:\n            s = s * 3 + hg.u32(j)\n            if s % 11 == 3:\n                break\n"
        "            if s % 97 == 5:\n                return\n            j = j + 1\n        k = k + 1 + j % 2\n"
        "    s = s * 11 + hg.u32(k)",
    ),
}  # fmt: skip
FAULTS = {
    "a read in a whole round": (
        "i32",
        "s = hg.u32(1)\n    for i in range(begin + hg.i32(hg.local_id(0)), end, 8):\n        s = s * 3 + x[i]",
    ),
    "a division in a label": (
        "i32",
        "s = hg.u32(hg.local_id(0))\n    k = begin\n    while k < end:\n"
        "        s = s * 3 + 100 // hg.u32(15 - k + begin)\n"
        "        if s % 7 == 3 and hg.local_id(0) < 7:\n            break\n        k = k + 1\n"
        "    s = s * 11 + hg.u32(k)",
    ),
}  # fmt: skip
NEAR = [(0, n) for n in (0, 1, 7, 8, 9, 15, 16, 17, 40, 63, 64)] + [(-5, 30), (-1, 16), (5, 13), (5, 12), (40, 0)]


def _program(ty: str, body: str) -> hg.Program:
    return hg.kernel_from_source(BEFORE.format(ty=ty, body=f"{body}\n    {AFTER}")).program


def _left(device: Any, program: hg.Program, begin: int, end: int, length: int = 64) -> list[object]:
    """What 12 lanes in blocks of 8 leave, or the fault."""
    y, x = (device.allocate_buffer(4 * size) for size in (16, length))
    device.copy_to_buffer(x, np.arange(length, dtype=np.uint32))
    values = {"y": y, "x": x, "y.shape0": 16, "x.shape0": length, "begin": begin, "end": end}
    values = {param.name: values[param.name] for param in program.params}
    found: list[object] = []
    try:
        params = hg.ExecutionParams(hg.LaunchConfig.linear(12, 8), values)
        device.execute_program_with_params(program, params)
    except hg.ExecutionError as error:
        found += [error.kind, error.lane, error.instruction]
    else:
        out = np.empty(16, np.uint32)
        device.copy_from_buffer(y, out)
        found += out.tolist()
    for buffer in (y, x):
        device.free_buffer(buffer)
    return found


@pytest.mark.parametrize("name", TEXTS)
def test_lanes_do_what_they_do_on_the_reference_device(name: str) -> None:
    ty, body = TEXTS[name]
    far = 1 << 28
    ends = NEAR if "wrap" not in name and "sign" not in name else []
    ends = ends or [(b * far, e * far + plus) for b in (0, 1, 2) for e in (3, 5, 6, 7) for plus in (-1, 0)]
    program, first = _program(ty, body), reference()
    devices = [WasmBackend(limits=LIMITS, packets=packets, cache=False) for packets in (1, 4, 8, 16)]
    for begin, end in ends:
        wanted = _left(first, program, begin, end)
        for device in devices:
            assert _left(device, program, begin, end) == wanted, (begin, end)


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_told_as_on_the_reference_device(name: str) -> None:
    """Of one lane, in a round that all do, or the last; lanes before it have other rounds, or leave."""
    program, first = _program(*FAULTS[name]), reference()
    devices = [WasmBackend(limits=LIMITS, packets=packets, cache=False) for packets in (1, 4, 8, 16)]
    for end, length in ((16, 15), (24, 23), (30, 29), (17, 16)):
        wanted = _left(first, program, 0, end, length)
        assert len(wanted) == 3
        for device in devices:
            assert _left(device, program, 0, end, length) == wanted, end


FLOATS = """
.param y: buffer f32 read_write
    mov_imm.u32 r13, 99
    mov_imm.f32 r12, inf
    ldg.f32 r10, [y + r255*4]
    mov_imm.f32 r11, 4
    set.ge.f32 p0, r10, r11
    bra done, p0
again:
    add.f32 r10, r10, r12
    loop r13, again
done:
    stg.f32 [y + r255*4], r10
"""


def test_a_number_that_grows_without_end_is_no_place() -> None:
    function = optimize(build(analyze(hg.Program.from_text(FLOATS)), (8, 1, 1)))
    assert with_whole_rounds(function) is function
