"""Transcendental functions: bounds, special values, and the same bits everywhere."""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
from base64 import b64encode
from pathlib import Path

import numpy as np
import pytest

from hologram_web.backends import WasmBackend, WebGpuBackend
from hologram_web.compiler.build import build
from hologram_web.compiler.passes import optimize
from hologram_web.isa import Type
from hologram_web.isa.mathematics import FUNCTIONS, routine, tables
from hologram_web.isa.ops import SCALAR_OPS
from hologram_web.isa.verify import analyze
from hologram_web.targets import wasm
from hologram_web_tools.cpu.vector_ops import VECTOR_OPS

from . import coefficients
from .device import program_of, run
from .measure import BINARY, BOUNDS, NAMES, exact_f64, reference_f32, ulps, ulps_f64
from .samples import samples

pytest.importorskip("scipy")
BOTH = [Type.F32, Type.F64]


@pytest.fixture(scope="module")
def wasmtime():
    return WasmBackend()


@pytest.fixture(scope="module")
def webgpu():
    return WebGpuBackend()


def bits(ty, array):
    """Patterns, every NaN as one."""
    return np.where(np.isnan(array), np.array([np.nan], ty.numpy), array).view(f"<u{ty.size_bytes}")


def defined(name, ty, operands):
    with np.errstate(all="ignore"):
        return routine(f"{name}_{ty}").body(VECTOR_OPS, *operands)


def test_every_function_is_measured():
    assert set(NAMES) == set(FUNCTIONS)


@pytest.mark.parametrize("name", NAMES)
def test_f32_is_within_its_bound(name):
    operands = samples(name, Type.F32, 60_000)
    distance = ulps(defined(name, Type.F32, operands), reference_f32(name, *operands))
    worst = int(np.argmax(distance))
    assert distance[worst] < BOUNDS[name][0], [operand[worst] for operand in operands]


@pytest.mark.parametrize("name", NAMES)
def test_f64_is_within_its_bound(name):
    operands = samples(name, Type.F64, 40_000)
    found = defined(name, Type.F64, operands)
    rough = reference_f32(name, *operands)  # F64, too: a few units, but for large arguments of gelu
    assert (np.isnan(found) == np.isnan(rough)).all()
    finite = np.isfinite(rough) & (np.abs(rough) > 0) & np.isfinite(operands[0]) & np.isfinite(operands[-1])
    where = np.flatnonzero(finite & (operands[0] != 0) & (operands[-1] != 0))
    for place in np.random.default_rng(5).choice(where, 400, replace=False).tolist():
        numbers = [float(operand[place]) for operand in operands]
        if name == "pow" and numbers[0] < 0:
            continue
        assert ulps_f64(float(found[place]), exact_f64(name, *numbers)) < BOUNDS[name][1], numbers


@pytest.mark.parametrize("ty", BOTH, ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_wasmtime_gives_the_same_bits(name, ty, wasmtime):
    operands = samples(name, ty, 40_000)
    assert (bits(ty, run(wasmtime, name, ty, *operands)) == bits(ty, defined(name, ty, operands))).all()


@pytest.mark.parametrize("ty", BOTH, ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_numbers_give_the_same_bits(name, ty):
    operands = tuple(operand[:: operand.size // 40] for operand in samples(name, ty, 1000))
    patterns = zip(*(operand.view(f"<u{ty.size_bytes}").tolist() for operand in operands), strict=True)
    found = [SCALAR_OPS.call(f"{name}_{ty}", *group) for group in patterns]
    found = np.array(found, f"<u{ty.size_bytes}").view(ty.numpy)
    assert (bits(ty, found) == bits(ty, defined(name, ty, operands))).all()


@pytest.mark.parametrize("name", NAMES)
def test_webgpu_is_within_its_bound(name, webgpu):
    """Two units more than elsewhere, where neither operands nor result are subnormal."""
    operands = samples(name, Type.F32, 20_000)
    wanted = reference_f32(name, *operands)
    least = float(np.finfo(np.float32).tiny)
    normal = ~((np.abs(wanted) < least) & (wanted != 0))
    for operand in operands:
        normal &= ~((np.abs(operand) < least) & (operand != 0))
    distance = np.where(normal, ulps(run(webgpu, name, Type.F32, *operands), wanted), 0.0)
    worst = int(np.argmax(distance))
    assert distance[worst] < BOUNDS[name][0] + 2, [operand[worst] for operand in operands]


def test_v8_gives_the_same_bits():
    jobs, wanted = [], []
    for name in NAMES:
        for ty in BOTH:
            operands = samples(name, ty, 4000)
            kernel = wasm.compile_kernel(optimize(build(analyze(program_of(name, ty)), (256, 1, 1))))
            arrays = [b64encode(operand.tobytes()).decode() for operand in operands]
            jobs.append({"code": b64encode(kernel.code).decode(), "arrays": arrays, "size": ty.size_bytes})
            wanted.append(bits(ty, defined(name, ty, operands)))
    script = Path(__file__).with_name("v8.mjs")
    ran = subprocess.run(
        ["node", str(script)], input=json.dumps(jobs), capture_output=True, text=True, timeout=100, check=True
    )
    for name_ty, text, expected in zip(
        [(n, t) for n in NAMES for t in BOTH], json.loads(ran.stdout), wanted, strict=True
    ):
        found = np.frombuffer(bytes.fromhex(text), name_ty[1].numpy)
        assert (bits(name_ty[1], found) == expected).all(), name_ty


def test_tables_are_those_that_are_computed():
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        coefficients.main()
    assert text.getvalue() == Path(tables.__file__).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [name for name in NAMES if name not in BINARY])
def test_odd_and_even_functions(name):
    (x,) = samples(name, Type.F32, 2000)
    there, back = bits(Type.F32, defined(name, Type.F32, (x,))), bits(Type.F32, defined(name, Type.F32, (-x,)))
    if name in ("sin", "tan", "tanh", "erf"):
        number = there & 0x7FFFFFFF <= 0x7F800000
        assert (np.where(number, there ^ 0x80000000, there) == back).all()
    elif name == "cos":
        assert (there == back).all()
