"""FFT of lengths that the host learns when it runs: the transform, and that it is no sum of n squared products."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hologram_web as hg
from hologram_web.isa import Type
from hologram_web.plan.formula import Formula
from hologram_web.plan.symbols import number_of
from hologram_web.tensor.families import operation
from hologram_web.tensor.fourier import _schedule
from hologram_web.tensor.operation import Operands
from hologram_web.tensor.schedules import traits_for

RNG = np.random.default_rng(15)
KINDS = [("", False, False), (", inverse=true", False, True), (", real=true", True, False)]
KINDS.append((", real=true, inverse=true", True, True))
# Where the power of 4 changes (2 n - 1 of 64, 256, 1,024), small ones, and one of many passes.
LENGTHS = (1, 2, 3, 32, 33, 128, 129, 512, 513, 5000)


def program(kind: str, ty: str = "f32", batch: str = "2", length: str = "n") -> hg.Program:
    """A transform whose length is a scalar, a register that holds three times the scalar, or a number."""
    made = "mov_imm.u32 r9, 3\n mul.u32 r10, r3, r9\n" * (length == "r10")  # r3 holds n
    return hg.Program.from_text(f"""
        .param y: buffer {ty} write
        .param x: buffer {ty} read
        .param n: u32
        .param rows: u32
        {made}
        fft.{ty} [y], [x], {length}, batch={batch}{kind}
    """)


def wanted(x: np.ndarray[Any, Any], n: int, rows: int, real: bool, inverse: bool) -> np.ndarray[Any, Any]:
    if real and not inverse:
        return np.fft.rfft(x.reshape(rows, n), axis=1).view(float).ravel()
    z = x.view(complex).reshape(rows, -1)
    if real:
        return np.fft.irfft(z, n, axis=1).ravel()
    return np.ascontiguousarray((np.fft.ifft if inverse else np.fft.fft)(z, axis=1)).view(float).ravel()


def check(device: str, found: hg.Program, n: int, rows: int, real: bool, inverse: bool, given: int = 0) -> None:
    sizes = (n, 2 * (n // 2 + 1)) if real else (2 * n, 2 * n)
    read, written = sizes[::-1] if inverse else sizes
    dtype = {"f16": np.float16, "f32": np.float32, "f64": np.float64}[found.params[0].ty.name.lower()]  # type: ignore[union-attr]
    x = RNG.standard_normal(rows * read).astype(dtype)
    with hg.Executor(device) as ex:
        given_x, y = ex.array(x), ex.array(np.zeros(rows * written, dtype))
        ex.run(found, 1, x=given_x, y=y, n=given or n, rows=rows)
        told = y.numpy().astype(float)
    expected = wanted(x.astype(float), n, rows, real, inverse)
    off = np.abs(told - expected).max() / max(np.abs(expected).max(), 1e-30)
    assert off < {np.float16: 2e-3, np.float32: 2e-6, np.float64: 1e-14}[dtype], (n, off)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind[0][2:] or "plain")
@pytest.mark.parametrize("device", ["wasm", "webgpu"])
def test_lengths_of_a_scalar(device: str, kind: tuple[str, bool, bool]) -> None:
    found = program(kind[0])
    for n in LENGTHS:
        check(device, found, n, 2, *kind[1:])


@pytest.mark.parametrize(("n", "rows"), [(1 << 14, 2), (1 << 15, 1), (28 << 10, 1), (8209, 1), (48, 400)])
def test_long_ones(n: int, rows: int) -> None:
    """Passes of 16 and 8 whose kernels know all sizes: of powers of two, with a factor between them, as a convolution,
    and of many rows, by themselves and on webgpu the passes of 4 that it has for them."""
    for kind, real, inverse in KINDS:
        check("wasm", program(kind, batch=str(rows), length=str(n)), n, rows, real, inverse)
    check("webgpu", program("", batch=str(rows), length=str(n)), n, rows, False, False)


def test_schedules() -> None:
    """Passes of 16 where lanes run one after another and are many."""
    wasm, webgpu = traits_for("wasm", "exact"), traits_for("webgpu", "exact")
    assert _schedule(wasm, 1 << 16, 1) == ([16, 16, 16, 16], True)
    assert _schedule(wasm, 7 << 15, 1) == ([16, 16, 7, 16, 8], True)
    assert _schedule(wasm, 1 << 6, 1 << 8) == ([16, 4], True)
    assert _schedule(wasm, 1 << 6, 1) == ([4, 4, 4], False)
    assert _schedule(webgpu, 1 << 16, 1) == ([4] * 8, False)
    assert _schedule(wasm, 17, 1)[0] is None


@pytest.mark.parametrize("ty", ["f16", "f64"])
def test_types(ty: str) -> None:
    for kind in KINDS:
        check("wasm", program(kind[0], ty), 37, 2, *kind[1:])


@pytest.mark.parametrize("batch", ["2", "rows"])
@pytest.mark.parametrize("device", ["wasm", "webgpu"])
def test_lengths_that_the_host_computes(device: str, batch: str) -> None:
    """Memory for such a length has to be there before it is known."""
    for kind in KINDS:
        check(device, program(kind[0], batch=batch, length="r10"), 66, 2, *kind[1:], given=22)


def test_no_elements() -> None:
    for kind in KINDS:
        with hg.Executor("wasm") as ex:
            y = ex.zeros(4)
            ex.run(program(kind[0], batch="rows"), 1, x=ex.zeros(4), y=y, n=0, rows=1000)
            assert not y.numpy().any()


def test_no_lane_goes_around_a_loop() -> None:
    """A sum of n products for each of n elements would be a loop; passes are as many as the length has digits."""
    numbers = {"n": number_of(Formula(("n",))), "batch": 1, "real": False, "inverse": False}
    operands = Operands({"ty": Type.F32, "input": True, "output": True, **numbers}, {})
    launches = operation("FFT").launches(operands, traits_for("wasm", "exact"))
    assert len(launches) < 60
    for launch in launches:
        assert "LOOP" not in {instruction.name for instruction in launch.program.instructions}
