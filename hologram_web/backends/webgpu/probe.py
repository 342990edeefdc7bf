"""What an adapter's numbers and loops do, found out by running shaders when the device is opened."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...errors import CompileError
from ...isa.launch import ExecutionParams, LaunchConfig
from ...isa.program import Program

if TYPE_CHECKING:
    from .webgpu_backend import WebGpuBackend

__all__ = ["AdapterTraits", "probe", "probe_halves", "probe_speed"]

_LANES = 4096

# Sums, differences and products, also such as compilers like to simplify: (a + b) - b, a * b - a.
_ARITHMETIC = """
.param a: buffer f32 read
.param b: buffer f32 read
.param y: buffer f32 write
    ldg.f32 r10, [a + r255*4]
    ldg.f32 r11, [b + r255*4]
    add.f32 r12, r10, r11
    sub.f32 r13, r12, r11
    mul.f32 r14, r10, r11
    sub.f32 r15, r14, r10
    mad.f32 r16, r10, r11, r12
    mov_imm.u64 r20, 5
    mul.u64 r20, r20, r255
    stg.f32 [y + r20*4], r12
    stg.f32 [y + r20*4 + 4], r13
    stg.f32 [y + r20*4 + 8], r14
    stg.f32 [y + r20*4 + 12], r15
    stg.f32 [y + r20*4 + 16], r16
"""
# Goes around more often than Mesa 22's llvmpipe lets any shader.
_LOOP = """
.param n: u32
.param y: buffer u32 write
    mov_imm.u32 r10, 0
    mov_imm.u32 r11, 1
    mov_imm.u32 r12, 2654435761
next:
    add.u32 r10, r10, r11
    xor.u32 r12, r12, r10
    set.lt.u32 p0, r10, r1
    bra next, p0
    add.u32 r10, r10, r12
    sub.u32 r10, r10, r12
    stg.u32 [y], r10
"""
_ROUNDS = 70_000
_SPANS = (1_000, 60_000)  # rounds that are timed: as many as llvmpipe allows
_TRIES = 4
# Every F16 to F32, and an F32 to F16.
_HALVES = """
.param a: buffer f16 read
.param x: buffer f32 read
.param b: buffer f32 write
.param y: buffer f16 write
    ldg.f16 r10, [a + r255*2]
    cvt.f32.f16 r11, r10
    stg.f32 [b + r255*4], r11
    ldg.f32 r12, [x + r255*4]
    cvt.f16.f32 r13, r12
    stg.f16 [y + r255*2], r13
"""


@dataclass(frozen=True)
class AdapterTraits:
    """`exact`: fenced native F32 + - * give the right bits of normal values. `ends_loops`: loops end early."""

    exact: bool
    ends_loops: bool


def probe(backend: WebGpuBackend) -> AdapterTraits:
    """Runs the shaders on a backend that assumes an adapter without faults."""
    generator = np.random.default_rng(2026)
    exponents = generator.integers(100, 150, (2, _LANES)).astype(np.uint32) << 23
    bits = exponents | generator.integers(0, 1 << 23, (2, _LANES), np.uint32)
    bits |= generator.integers(0, 2, (2, _LANES)).astype(np.uint32) << 31
    a, b = bits.view(np.float32)
    total, product = a + b, a * b
    wanted = np.stack([total, total - b, product, product - a, product + total], 1)
    found = np.empty_like(wanted)
    rounds = np.empty(1, np.uint32)
    handles = [backend.allocate_buffer(size) for size in (a.nbytes, b.nbytes, found.nbytes, 4)]
    try:
        backend.copy_to_buffer(handles[0], a)
        backend.copy_to_buffer(handles[1], b)
        names = dict(zip("aby", handles[:3], strict=True))
        numbers = Program.from_text(_ARITHMETIC)
        backend.execute_program_with_params(numbers, ExecutionParams(LaunchConfig.linear(_LANES), names))
        loop = ExecutionParams(LaunchConfig(), {"n": _ROUNDS, "y": handles[3]})
        backend.execute_program_with_params(Program.from_text(_LOOP), loop)
        backend.copy_from_buffer(handles[2], found)
        backend.copy_from_buffer(handles[3], rounds)
    finally:
        for handle in handles:
            backend.free_buffer(handle)
    exact = bool((found.view(np.uint32) == wanted.view(np.uint32)).all())
    return AdapterTraits(exact, int(rounds[0]) != _ROUNDS)


def probe_speed(backend: WebGpuBackend) -> float:
    """Rounds a second of the shortest loop on one lane: from two launches, the best of a few, the time between."""
    handle = backend.allocate_buffer(4)
    loop = Program.from_text(_LOOP)
    best = dict.fromkeys(_SPANS, math.inf)
    try:
        for _ in range(_TRIES):
            for rounds in best:
                began = time.perf_counter()
                backend.execute_program_with_params(loop, ExecutionParams(LaunchConfig(), {"n": rounds, "y": handle}))
                backend.sync()
                best[rounds] = min(best[rounds], time.perf_counter() - began)
    finally:
        backend.free_buffer(handle)
    short, long = _SPANS
    return (long - short) / max(best[long] - best[short], 1e-5)


def probe_halves(backend: WebGpuBackend) -> bool:
    """Whether the adapter's F16 conversions are the contract's: all F16, and F32 around all of them.

    The backend has to use `shader-f16` already.
    """
    halves = np.arange(1 << 16, dtype=np.uint16)
    generator = np.random.default_rng(2026)
    floats = halves.view(np.float16).astype(np.float32).view(np.uint32)
    # Next to an F16, halfway to the next or beside that, and any.
    floats = floats + generator.choice(np.array([0, 1, 0xFFF, 0x1000, 0x1001, 0x1FFF], np.uint32), floats.size)
    floats[::7] = generator.integers(0, 1 << 32, floats[::7].size, np.uint32)
    numbers = floats.view(np.float32)
    with np.errstate(all="ignore"):
        wanted = numbers.astype(np.float16).view(np.uint16)
    wide, narrow = np.empty(halves.size, np.uint32), np.empty(halves.size, np.uint16)
    handles = [backend.allocate_buffer(array.nbytes) for array in (halves, floats, wide, narrow)]
    try:
        backend.copy_to_buffer(handles[0], halves)
        backend.copy_to_buffer(handles[1], floats)
        names = dict(zip("axby", handles, strict=True))
        launch = ExecutionParams(LaunchConfig.linear(halves.size), names)
        backend.execute_program_with_params(Program.from_text(_HALVES), launch)
        backend.copy_from_buffer(handles[2], wide)
        backend.copy_from_buffer(handles[3], narrow)
    except CompileError:
        return False
    finally:
        for handle in handles:
            backend.free_buffer(handle)
    nan = np.isnan(halves.view(np.float16)), np.isnan(numbers)
    widened = halves.view(np.float16).astype(np.float32).view(np.uint32)
    return bool(((wide == widened) | nan[0]).all() and ((narrow == wanted) | nan[1]).all())
