"""The state of the Atlas, pools of programs and streams, without NumPy."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

import hologram_web as hg

ADD = hg.Program.from_text("""
.param x: buffer f32 read
    cls_get r10
    ldg.f32 r11, [x + r255*4]
    res_accum.f32 r10, r11
""")
STATE = hg.Program.from_text("""
.param n: u32
.param y: buffer u32 write
    phase_get r10
    stg.u32 [y + r255*12], r10
    mov_imm.u32 r20, 1
    mov_imm.u32 r21, 0
    check_unity p0
    sel.u32 r10, p0, r20, r21
    stg.u32 [y + r255*12 + 4], r10
    pool_alloc #2, n
    pool_store.u32 #2, 4, r20
    pool_load.u32 r10, #2, 4
    pool_free #2
    stg.u32 [y + r255*12 + 8], r10
""")
INVERT = hg.Program.from_text("""
.param p: pool
    mov_imm.u64 r10, 4
    mul.u64 r10, r255, r10
    pool_load.u32 r11, p, r10
    not.u32 r11, r11
    pool_store.u32 p, r10, r11
""")


def test_resonance(ex: hg.Executor, wait: Callable[[Any], Any]) -> None:
    x = ex.array(array("f", [1e30, 0.25, -1e30]))
    ex.run(ADD, hg.LaunchConfig.linear(3, 4), x=x)
    assert ex.resonance() == (Fraction(1, 4), *[0] * 95)
    wait(ex.device.execute_async(ADD, hg.ExecutionParams(hg.LaunchConfig.linear(3, 1), {"x": x.handle})))
    assert ex.resonance()[1] == Fraction(1, 4)
    with pytest.raises(hg.ExecutionError):
        ex.run(ADD, hg.LaunchConfig.linear(4, 4), x=x)
    with pytest.raises(hg.ExecutionError):
        wait(ex.device.execute_async(ADD, hg.ExecutionParams(hg.LaunchConfig.linear(4, 1), {"x": x.handle})))
    assert ex.resonance()[1] == Fraction(1, 4)
    with pytest.raises(hg.LaunchError, match="adds up to 1/4: it stays added"):
        ex.run(ADD, hg.LaunchConfig.linear(3, 4).with_rules(unity_neutral=True), x=x)


def test_what_launches_get(ex: hg.Executor) -> None:
    y = ex.zeros(6, hg.u32)
    ex.advance_phase(767)
    ex.run(STATE, hg.LaunchConfig.linear(2, 1), n=8, y=y)
    assert y.numpy().tolist() == [767, 1, 1, 0, 1, 1]
    ex.run(ADD, hg.LaunchConfig.linear(1), x=ex.array(array("f", [2])))
    ex.run(STATE, hg.LaunchConfig.linear(1), n=8, y=y)
    assert y.numpy().tolist()[:3] == [767, 0, 1]

    def late() -> None:
        ex.run(STATE, hg.LaunchConfig.linear(1), n=4, y=y)
        ex.sync()

    with pytest.raises(hg.ExecutionError) as caught:
        late()
    assert (caught.value.kind, caught.value.buffer, caught.value.offset) == ("OutOfBounds", "pool #2", 4)
    assert caught.value.detail.startswith(
        "4 bytes at offset 4 (index 1) are outside pool #2, which has 4 bytes (1 element): check the index"
    )


def test_a_stream(ex: hg.Executor) -> None:
    data, out = bytes(range(256)) * 20, bytearray()
    report = hg.stream(
        INVERT, (data[at : at + 100] for at in range(0, len(data), 100)), 2048, executor=ex, sink=out.extend
    )
    assert out == bytes(255 - byte for byte in data)
    assert (report.bytes, report.launches) == (5120, 5)
