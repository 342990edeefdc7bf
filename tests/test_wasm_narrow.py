"""Numbers of 8 and 16 bits in packets: computed in lanes of as many bits, to the bits that they have lane by lane."""

from __future__ import annotations

import warnings
from collections import Counter
from unittest.mock import patch

import numpy as np
import numpy.typing as npt
import pytest

import hologram_web as hg
from hologram_web.backends.wasm import WasmBackend
from hologram_web.compiler.build import build
from hologram_web.compiler.passes import optimize
from hologram_web.isa.verify import analyze
from hologram_web.targets.wasm import compile_kernel
from hologram_web.targets.wasm.encoder import Module

TYPES = {"i8": np.int8, "u8": np.uint8, "i16": np.int16, "u16": np.uint16}
_LANES = 320
# What is computed, and the instruction that does it, in the type's lanes and with its sign.
_OPERATIONS = {
    "sum": ("x[i] + y[i]", "SHAPE.add"),
    "difference": ("x[i] - y[i]", "SHAPE.sub"),
    "product": ("x[i] * y[i]", "i16x8.mul"),
    "negative": ("-x[i]", "SHAPE.neg"),
    "lesser": ("min(x[i], y[i])", "SHAPE.min_SIGN"),
    "greater": ("max(x[i], y[i])", "SHAPE.max_SIGN"),
    "clamp": ("min(max(x[i], y[i]), w[i])", "SHAPE.max_SIGN"),
    "choice by order": ("x[i] if x[i] < y[i] else w[i]", "SHAPE.lt_SIGN"),
    "choice by equality": ("x[i] if x[i] == y[i] else w[i]", "SHAPE.eq"),
    "shift to the left": ("x[i] << 3", "SHAPE.shl"),
    "shift to the right": ("x[i] >> 3", "SHAPE.shr_SIGN"),
    "shift by a number": ("(x[i] + y[i]) >> hg.u32(n)", "SHAPE.shr_SIGN"),
    "either bit": ("(x[i] | y[i]) + w[i]", "SHAPE.add"),
    "all other bits": ("max(~x[i], y[i])", "SHAPE.max_SIGN"),
    "absolute value": ("abs(x[i])", "SHAPE.abs"),
    "saturated sum": ("min(max(hg.i32(x[i]) + hg.i32(y[i]), LOW), HIGH)", "SHAPE.add_sat_SIGN"),
    "saturated difference": ("min(max(hg.i32(x[i]) - hg.i32(y[i]), LOW), HIGH)", "SHAPE.sub_sat_SIGN"),
    "average": ("(hg.i32(x[i]) + hg.i32(y[i]) + 1) >> 1", "SHAPE.avgr_u"),
    "of floats": ("hg.TYPE(hg.f32(x[i]) * 2.5)", "i16x8.narrow_i32x4_"),
    "quotient": ("x[i] // hg.TYPE(7)", "f32x4.div"),
    "quotient of two": ("x[i] // max(y[i], hg.TYPE(1))", "f32x4.div"),
    "product of more bits": ("(hg.i32(x[i]) * hg.i32(y[i])) >> 3", ""),
    "chain": ("(x[i] + y[i]) * w[i] - (x[i] >> 2)", "i16x8.mul"),
}  # fmt: skip
_LONG = {f"i32x4.{op}" for op in ("add", "sub", "mul", "neg", "abs", "min_s", "max_s", "shl", "shr_s", "shr_u", "lt_s")}


def _source(ty: str, text: str) -> str:
    info = np.iinfo(TYPES[ty])
    for name, value in {"LOW": info.min, "HIGH": info.max, "TYPE": ty}.items():
        text = text.replace(name, str(value))
    arrays = ", ".join(f"{name}: hg.Array[hg.{ty}]" for name in "xywz")
    return f"""
def kernel({arrays}, n: hg.i32):
    i = hg.global_id()
    z[i] = hg.{ty}({text})
"""


def _kernel(source: str) -> hg.Kernel:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", hg.WrapWarning)
        return hg.kernel_from_source(source)


def _instructions(source: str) -> Counter[str]:
    """How often instructions are in the module of a kernel."""
    found = Counter[str]()
    whole = Module.encode

    def encode(module: Module) -> bytes:
        found.update(instr[0] for function in module.functions for instr in function.code)
        return whole(module)

    function = optimize(build(analyze(_kernel(source).program), (256, 1, 1)))
    with patch.object(Module, "encode", encode):
        compile_kernel(function)
    return found


def _left(source: str, packets: int, given: dict[str, npt.NDArray[np.generic]], lanes: int) -> dict[str, bytes]:
    """What buffers hold that the kernel may write."""
    kernel = _kernel(source)
    device = WasmBackend(packets=packets, cache=False, threads=1)
    arguments: dict[str, int | hg.BufferHandle] = {"n": 5}
    handles = {}
    for name, numbers in given.items():
        handles[name] = arguments[name] = device.allocate_buffer(numbers.nbytes)
        device.view(handles[name])[:] = numbers.view(np.uint8)
        arguments[f"{name}.shape0"] = len(numbers)
    chosen = {param.name: arguments[param.name] for param in kernel.program.params}
    config = hg.LaunchConfig.linear(lanes, 64)
    device.execute_program_with_params(kernel.program, hg.ExecutionParams(config, chosen))
    return {name: bytes(device.view(handle)) for name, handle in handles.items() if name.startswith("z")}


def _numbers(ty: type[np.generic], seed: int, count: int) -> npt.NDArray[np.generic]:
    """All pairs of what is special, then whatever comes: those of every third are near the ends and zero."""
    info = np.iinfo(ty)  # type: ignore[arg-type]
    generator = np.random.default_rng(seed)
    found = generator.integers(info.min, info.max, count, endpoint=True)
    ends = np.array([info.min, info.min + 1, -1, 0, 1, 7, info.max // 2, info.max - 1, info.max])
    found[::3] = generator.choice(np.clip(ends, info.min, info.max), len(found[::3]))
    return found.astype(ty)


@pytest.mark.parametrize("ty", TYPES)
@pytest.mark.parametrize("name", _OPERATIONS)
def test_short_numbers_fill_vectors(name: str, ty: str) -> None:
    """Nothing is done in lanes of 32 bits that need not be."""
    text, instruction = _OPERATIONS[name]
    bits, sign = int(ty[1:]), "s" if ty[0] == "i" else "u"
    wanted = instruction.replace("SHAPE", f"i{bits}x{128 // bits}").replace("SIGN", sign)
    signless = {("absolute value", "u"): "", ("average", "s"): ""}
    found = _instructions(_source(ty, text))
    assert signless.get((name, sign), wanted) in " ".join(found), found
    if (name, ty) not in {("average", "i16"), *(("product of more bits", each) for each in ("i16", "u16"))}:
        assert _LONG.isdisjoint(found), found


@pytest.mark.parametrize("ty", TYPES)
@pytest.mark.parametrize("name", _OPERATIONS)
def test_short_numbers_have_their_bits(name: str, ty: str) -> None:
    source, count = _source(ty, _OPERATIONS[name][0]), 3 * _LANES
    given = {each: _numbers(TYPES[ty], seed, count) for seed, each in enumerate("xyw")} | {
        "z": np.zeros(count, TYPES[ty])
    }
    for lanes in (count, count - 13):
        alone = _left(source, 1, given, lanes)
        assert any(alone["z"])
        for packets in (4, 8, 16):
            assert _left(source, packets, given, lanes) == alone, packets
