"""Collectives, scalars and kept values of wide integers against Python's, on devices and from stored code."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hologram_web as hg
from hologram_web.isa import Program, Type
from hologram_web.isa.types import WIDE
from tests.artifact.holo_device import HoloDevice

DEVICES: dict[str, Callable[[], Any]] = {
    "cpu": hg.backends.CpuBackend,
    "wasm": hg.backends.WasmBackend,
    "stored": HoloDevice,
}
BINARY: dict[str, Callable[[int, int], int]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "min": min, "max": max,
    "and": operator.and_, "or": operator.or_, "xor": operator.xor,
}  # fmt: skip
UNARY: dict[str, Callable[[int], int]] = {"neg": operator.neg, "not": operator.invert}
REDUCTIONS: dict[str, Callable[[list[int]], int]] = {"add": sum, "mul": math.prod, "min": min, "max": max}


@cache
def device(name: str) -> Any:
    found = DEVICES[name]()
    found.limits = hg.backends.CpuBackend().limits
    return found


@st.composite
def integers(draw: st.DrawFn, ty: Type) -> int:
    """Of all lengths, and next to the ends."""
    bits = draw(st.integers(0, ty.bits))
    number = draw(st.one_of(st.integers(0, (1 << bits) - 1), st.sampled_from([0, 1, (1 << bits) - 1, 1 << bits])))
    return int(ty.decode(ty.encode(draw(st.sampled_from([1, -1])) * number)))


@st.composite
def launches(draw: st.DrawFn) -> tuple[Type, list[tuple[str, int, int]], list[str], list[int], list[int], int]:
    """A type, what is made of scalars (an operation of two values before), operations of collectives, numbers."""
    ty = draw(st.sampled_from(sorted(WIDE, key=lambda ty: ty.id)))
    names = st.sampled_from([*BINARY, *UNARY])
    count = draw(st.integers(1, 6))
    made = [(draw(names), draw(st.integers(0, k + 1)), draw(st.integers(0, k + 1))) for k in range(count)]
    chosen = [draw(st.sampled_from(sorted(table))) for table in (BINARY, UNARY, REDUCTIONS)]
    number = integers(ty)
    n = draw(st.integers(1, 20))
    x = draw(st.lists(number, min_size=n, max_size=n))
    return ty, made, chosen, x, draw(st.lists(number, min_size=2, max_size=2)), draw(st.integers(0, 3)) * 16


def program(ty: Type, made: list[tuple[str, int, int]], chosen: list[str], skew: int) -> Program:
    """y = unary(binary(x, x)); z = reduction(y) + the last value, w = GEMM of x and y with a scalar factor."""
    size, binary, unary, reduction = ty.size_bytes, *chosen
    registers = ["r1", "r2", *(f"r{20 + k}" for k in range(len(made)))]
    lines = [
        f"{name}.{ty} {registers[k + 2]}, {registers[a]}" + (f", {registers[b]}" if name in BINARY else "")
        for k, (name, a, b) in enumerate(made)
    ]
    return Program.from_text(
        f".param p: {ty}\n.param q: {ty}\n.param n: u32\n.param x: buffer {ty} read\n.param y: buffer {ty} read_write\n"
        f".param z: buffer {ty} write\n.param w: buffer {ty} write\n" + "\n".join(lines) + "\n"
        f"parallel_map_binary.{binary}.{ty} [y + {skew}], [x + {skew}], [x], n\n"
        f"parallel_map.{unary}.{ty} [y + {skew}], [y + {skew}], r3\n"
        f"parallel_reduce.{reduction}.{ty} r10, [y + {skew}], n\n"
        f"gemm.{ty} [w + {skew}], [x], [y + {skew}], 1, 1, n, alpha=q\n"
        f"add.{ty} r10, r10, {registers[-1]}\nstg.{ty} [z + r255*{size}], r10\n"
    )


def shown(ty: Type, values: list[int]) -> bytes:
    return ty.pack([ty.decode(ty.encode(value)) for value in values])


@pytest.mark.parametrize("name", DEVICES)
@given(launches())
def test_collectives_of_wide_integers(name: str, launch: Any) -> None:
    ty, made, chosen, x, scalars, skew = launch
    here, n, wrap = device(name), len(x), lambda value: int(ty.decode(ty.encode(value)))
    # Operands begin `skew` bytes behind each other: numbers are read across the borders of elements.
    data = ty.pack(x) + bytes(skew + ty.size_bytes)
    skewed = [int(v) for v in ty.unpack(data[skew : skew + n * ty.size_bytes])]
    known = list(scalars)
    for operation, a, b in made:
        known.append(wrap(BINARY[operation](known[a], known[b]) if operation in BINARY else UNARY[operation](known[a])))
    binary, unary, reduction = chosen
    y = [wrap(UNARY[unary](wrap(BINARY[binary](a, b)))) for a, b in zip(skewed, x, strict=True)]
    z = wrap(wrap(REDUCTIONS[reduction](y)) + known[-1])
    wanted = {
        "y": bytes(skew) + ty.pack(y) + bytes(ty.size_bytes),
        "z": ty.pack([z] * 3),
        "w": bytes(skew) + shown(ty, [scalars[1] * sum(a * b for a, b in zip(x, y, strict=True))]),
    }
    handles = {key: here.allocate_buffer(len(value)) for key, value in {"x": data, **wanted}.items()}
    here.copy_to_buffer(handles["x"], data)
    args = {"p": scalars[0], "q": scalars[1], "n": n, **handles}
    code = program(ty, made, chosen, skew)
    here.execute_program_with_params(code, hg.ExecutionParams(hg.LaunchConfig.linear(3), args))
    found = {key: here.copy_from_buffer(handles[key]) for key in wanted}
    for handle in handles.values():
        here.free_buffer(handle)
    assert found == wanted
