"""Operands that rows got when there were files with them: bytes of programs without one are as they always were."""

from __future__ import annotations

import pytest

import hologram_web as hg

PARAMS = ".param c: buffer f32 write\n.param q: buffer i8 read\n.param u: buffer u8 read\n.param s: buffer f32 read\n"
# What to_bytes gave at 46067bec, before QuantizedGEMM had b_ty.
OLD = (
    "484750520100000004000163020100017104000001750e00000173020000000001930200020163000100000201710001"
    "000002017100010003040304030400020173000100000201730001000000100000000428f6ca83"
)


def test_older_bytes_are_read_and_made() -> None:
    program = hg.Program.from_text(PARAMS + "    quantized_gemm.i8 [c], [q], [q], 4, 4, 4, [s], [s]")
    assert program.to_bytes().hex() == OLD
    assert hg.Program.from_bytes(bytes.fromhex(OLD)) == program


def test_what_was_added_is_told_by_the_flag() -> None:
    program = hg.Program.from_text(PARAMS + "    quantized_gemm.u8 [c], [u], [q], 4, 4, 4, [s], [s], b_ty=i8")
    raw = program.to_bytes()
    assert raw[5] == 1
    assert hg.Program.from_bytes(raw) == program
    other = hg.Program.from_text(PARAMS + "    quantized_gemm.u8 [c], [u], [u], 4, 4, 4, [s], [s]")
    assert other.to_bytes()[5] == 0


def test_the_flag_is_refused_where_nothing_was_added() -> None:
    raw = bytearray(hg.Program.from_text("    exit").to_bytes())
    raw[5] = 1
    with pytest.raises(hg.IsaError, match="damaged program bytes"):
        hg.Program.from_bytes(bytes(raw))
