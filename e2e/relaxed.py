"""Files made with math="fast", whose products and sums are rounded once where an engine has relaxed SIMD."""

from __future__ import annotations

from typing import Any

import numpy as np

import hologram_web as hg

from .samples import BUILD

__all__ = ["PROGRAM", "is_right", "write"]

PROGRAM = hg.Program.from_text("""
    .program squares                        ; x * x - 1
    .param x: buffer f32 read
    .param z: buffer f32 write
        ldg.f32 r10, [x + r255*4]
        mov_imm.f32 r11, -1.0
        mul.f32 r12, r10, r10
        add.f32 r12, r12, r11
        stg.f32 [z + r255*4], r12
""")


def compiled(math: str) -> hg.CompiledProgram:
    return hg.compile(PROGRAM, grid=64, shapes={"x": (64,), "z": (64,)}, math=math)


def write() -> None:
    BUILD.mkdir(parents=True, exist_ok=True)
    for math in ("fast", "exact"):
        compiled(math).save(BUILD / f"relaxed.{math}.holo")


def is_right(found: dict[str, Any], relaxed: bool) -> None:
    """The products need 26 bits: what is rounded once is their exact sum, where the processor can do that."""
    x = np.float32(1) + np.arange(1, 65, dtype=np.float32) / np.float32(4096)
    twice, once = (x * x - np.float32(1)).tolist(), (x.astype(np.float64) ** 2 - 1).astype(np.float32).tolist()
    assert twice != once
    for name in ("exact, as it is", "fast, absent"):
        assert found[name] == {"fused": False, "z": twice}, name
    assert found["fast, as it is"]["fused"] is relaxed
    assert found["fast, as it is"]["z"] in ((once, twice) if relaxed else (twice,))
