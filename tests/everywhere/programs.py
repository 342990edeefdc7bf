"""A kernel and a program that several files of tests run."""

# mypy: ignore-errors

from __future__ import annotations

import hologram_web as hg
from hologram_web.runtime import arrays

__all__ = ["SCALE", "complexes", "saxpy"]

SCALE = hg.Program.from_text("""
.program scale
.param k: f32
.param x: buffer f32 read_write
    ldg.f32 r10, [x + r255*4]
    mul.f32 r10, r10, r1
    stg.f32 [x + r255*4], r10
""")


@hg.kernel
def saxpy(a: hg.f32, x: hg.Array[hg.f32], y: hg.Array[hg.f32]):
    """a * x + y"""
    i = hg.global_id()
    if i < len(y):
        y[i] = a * x[i] + y[i]


def complexes(numbers):
    """Pairs of f32 as complex numbers: of NumPy where it is here, else the pairs themselves, along a last axis."""
    np = arrays.numpy()
    return numbers if np is None else np.asarray(numbers).view("c8")[..., 0]
