"""Numbers of 8 and 16 bits in packets: computed in lanes of as many bits, to the bits that they have lane by lane."""

from __future__ import annotations

import random
import warnings
from collections import Counter
from typing import Any
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

_Element = type[np.signedinteger[Any]] | type[np.unsignedinteger[Any]]
TYPES: dict[str, _Element] = {"i8": np.int8, "u8": np.uint8, "i16": np.int16, "u16": np.uint16}
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


def _numbers(ty: _Element, seed: int, count: int) -> npt.NDArray[np.generic]:
    """All pairs of what is special, then whatever comes: those of every third are near the ends and zero."""
    info = np.iinfo(ty)
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


@pytest.mark.parametrize(("ty", "copies"), [("u8", 0x0101_0101), ("u16", 0x1_0001)])
def test_products_that_look_like_copies_of_a_short_number(ty: str, copies: int) -> None:
    """A sum of two has a bit more, which comes in below where its copies are rotated: not so in lanes as short."""
    bits = int(ty[1:])
    most = np.iinfo(TYPES[ty]).max
    source = _source(ty, f"hg.rotl((hg.u32(x[i]) + hg.u32(y[i])) * hg.u32({copies}), hg.u32({bits}))")
    given: dict[str, npt.NDArray[np.generic]] = {name: np.full(_LANES, most - 40, TYPES[ty]) for name in "xyw"}
    given["z"] = np.zeros(_LANES, TYPES[ty])
    turned = (2 * (most - 40) * copies % 2**32) >> (32 - bits)
    for packets in (1, 4, 8, 16):
        assert set(np.frombuffer(_left(source, packets, given, _LANES)["z"], TYPES[ty])) == {turned}, packets


# Kernels from seeds

_MIXED = {"xa": "i8", "xb": "u8", "xc": "i16", "xd": "u16", "xe": "i32"}
_ALL: dict[str, _Element] = {**TYPES, "i32": np.int32}


def _expression(chance: random.Random, ty: str, depth: int) -> str:
    """A value of a type, of elements of all."""

    def one(of: str = ty) -> str:
        return _expression(chance, of, depth - 1)

    own = [f"{name}[i]" for name, each in _MIXED.items() if each == ty]
    if depth == 0 or chance.random() < 0.1:
        literal = f"hg.{ty}({chance.choice([0, 1, 2, 3, 7, 100, 127, 128, 255, 32767, 40000, -1, -5])})"
        return chance.choice([*own, *own, "a" if ty == "i16" else own[0], literal])
    other, bits = chance.choice([*_ALL]), int(ty[1:])
    info = np.iinfo(_ALL[chance.choice([*TYPES])])
    match chance.randrange(17):
        case 0 | 1 | 2 | 3:
            return f"({one()} {chance.choice('+-*&|^')} {one()})"
        case 4 | 5:
            return f"{chance.choice(['min', 'max'])}({one()}, {one()})"
        case 6:
            return f"({one()} {chance.choice(['<<', '>>'])} {chance.randrange(bits + 3)})"
        case 7:
            return f"({one()} {chance.choice(['<<', '>>'])} hg.u32(n))"
        case 8:
            return f"({chance.choice('-~')}{one()})"
        case 9:
            return f"abs({one()})"
        case 10 | 11:
            compared = f"{one(other)} {chance.choice(['<', '<=', '==', '!='])} {one(other)}"
            return f"({one()} if {compared} else {one()})"
        case 12 | 13:
            return f"hg.{ty}({one(other)})"
        case 14:
            return f"hg.{ty}(hg.f32({one(other)}) * {chance.choice([0.5, 3.75, -1.25, 70000.0])})"
        case 15:
            divisor = chance.choice([f"hg.{ty}({chance.choice([2, 3, 10])})", f"max({one()}, hg.{ty}(1))"])
            return f"({one()} {chance.choice(['//', '%'])} {divisor})"
        case _:
            low, high = (f"hg.i32({end})" for end in (info.min, info.max))
            summed = f"hg.i32({one(other)}) {chance.choice('+-')} hg.i32({one(other)})"
            return f"hg.{ty}(min(max({summed}, {low}), {high}))"


def mixed_source(seed: int) -> tuple[str, str]:
    """A kernel, and the type of what it stores."""
    chance = random.Random(seed)
    ty, depth = chance.choice([*_ALL]), chance.choice([2, 3, 4])
    arrays = ", ".join(f"{name}: hg.Array[hg.{each}]" for name, each in {**_MIXED, "z": ty}.items())
    lines = [f"def kernel({arrays}, n: hg.i32):", "    i = hg.global_id()", "    a = xc[i]"]
    if chance.random() < 0.5:
        rounds = chance.choice(["hg.i32(xb[i] & 7)", "n", "3"])
        lines += [f"    for k in range({rounds}):", f"        a = hg.i16({_expression(chance, 'i16', 2)})"]
    if chance.random() < 0.3:
        lines += [f"    if {_expression(chance, 'u8', 2)} < {_expression(chance, 'u8', 1)}:"]
        lines += [f"        a = hg.i16({_expression(chance, 'i16', 2)})"]
    lines += [f"    z[i] = hg.{ty}({_expression(chance, ty, depth)})"]
    return "\n".join(lines) + "\n", ty


def mixed_differences(seed: int) -> list[int]:
    """The widths of packets that leave something else than lanes one by one."""
    source, ty = mixed_source(seed)
    count = _LANES
    given = {name: _numbers(_ALL[each], seed + place, count) for place, (name, each) in enumerate(_MIXED.items())}
    given["z"] = np.zeros(count, _ALL[ty])
    alone = _left(source, 1, given, count - 5)
    return [packets for packets in (4, 8, 16) if _left(source, packets, given, count - 5) != alone]


@pytest.mark.parametrize("seed", range(40))
def test_kernels_of_short_numbers_leave_the_same(seed: int) -> None:
    assert mixed_differences(seed) == [], mixed_source(seed)
