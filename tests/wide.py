"""Integers of 128 to 4096 bits against Python's: every operation and type, random and edge operands.

.venv/bin/python -m tests.wide --count 10000 --devices cpu,wasm
"""

from __future__ import annotations

import argparse
import operator
import random
import sys
import time
from collections.abc import Callable
from itertools import product
from typing import Any

from hologram_web.backends import DEVICES, ExecutionParams, LaunchConfig
from hologram_web.isa import Program, Type
from hologram_web.isa.types import WIDE

TYPES = sorted(WIDE, key=lambda ty: ty.id)


def _quotient(x: int, y: int) -> int:
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


# By mnemonic, of operands a, b and the divisor d, which is not 0.
BINARY: dict[str, Callable[[int, int], int]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul,
    "min": min, "max": max, "and": operator.and_, "or": operator.or_, "xor": operator.xor,
}  # fmt: skip
DIVISION: dict[str, Callable[[int, int], int]] = {"div": _quotient, "rem": lambda x, y: x - y * _quotient(x, y)}
UNARY: dict[str, Callable[[int], int]] = {
    "neg": operator.neg, "abs": abs, "not": operator.invert, "sign": lambda x: (x > 0) - (x < 0),
}  # fmt: skip
SHIFTS: dict[str, Callable[[int, int], int]] = {"shl": operator.lshift, "shr": operator.rshift}
CONDITIONS: dict[str, Callable[[int, int], bool]] = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
}  # fmt: skip
OPERATIONS = (*BINARY, *DIVISION, *UNARY, *SHIFTS, *CONDITIONS)


def program(ty: Type, name: str) -> Program:
    """y[i] = an operation on a[i] and b[i], or a[i] and the u32 n[i]; a condition gives 0 or 1."""
    size = ty.size_bytes
    if name in CONDITIONS:
        operation = (
            f"set.{name}.{ty} p0, r10, r11\n mov_imm.{ty} r12, 0\n mov_imm.{ty} r13, 1\n sel.{ty} r14, p0, r13, r12"
        )
    else:
        operation = f"{name}.{ty} r14, r10" + ("" if name in UNARY else ", r12" if name in SHIFTS else ", r11")
    return Program.from_text(
        f".param a: buffer {ty} read\n.param b: buffer {ty} read\n.param n: buffer u32 read\n"
        f".param y: buffer {ty} write\n ldg.{ty} r10, [a + r255*{size}]\n ldg.{ty} r11, [b + r255*{size}]\n"
        f" ldg.u32 r12, [n + r255*4]\n {operation}\n stg.{ty} [y + r255*{size}], r14\n"
    )


def operands(ty: Type, count: int, seed: int) -> tuple[list[int], list[int], list[int]]:
    """Pairs of edges first; then numbers of all lengths, with runs of ones and zeros; and amounts of shifts."""
    source = random.Random(f"{ty} {seed}")
    edges = [0, 1, 2, -1, ty.min_value, ty.max_value, 1 << 32, (1 << 32) - 1, 1 << 64, (1 << 64) - 1]
    edges += [1 << (ty.bits // 2), (1 << (ty.bits // 2)) - 1, (1 << ty.bits) - (1 << (ty.bits - 32))]
    pairs = list(product(edges, edges))[: count // 2]

    def one() -> int:
        bits = source.getrandbits(source.randrange(1, ty.bits + 1))
        if source.random() < 0.4:  # digits of ones and zeros: where carries and quotient digits go wrong
            for _ in range(4):
                mask = ((1 << source.randrange(1, ty.bits)) - 1) << source.randrange(ty.bits)
                bits = bits | mask if source.random() < 0.5 else bits & ~mask
        return bits if source.random() < 0.8 else -bits

    pairs += [(one(), one()) for _ in range(count - len(pairs))]
    a, b = ([int(ty.decode(ty.encode(pair[k]))) for pair in pairs] for k in (0, 1))
    return a, b, [source.randrange(1 << 32) if k % 3 else source.randrange(2 * ty.bits) for k in range(count)]


def expected(ty: Type, name: str, a: list[int], b: list[int], n: list[int]) -> list[int]:
    function: Any = {**BINARY, **DIVISION, **UNARY, **SHIFTS, **CONDITIONS}[name]
    if name in UNARY:
        found: Any = map(function, a)
    elif name in SHIFTS:
        found = (function(x, amount % ty.bits) for x, amount in zip(a, n, strict=True))
    else:
        found = map(function, a, b)
    return [int(value) % (1 << ty.bits) for value in found]


def check(device: Any, ty: Type, name: str, count: int, seed: int = 0) -> None:
    """Runs an operation on that many operands. Raises AssertionError where it differs from Python."""
    a, b, n = operands(ty, count, seed)
    if name in DIVISION:
        b = [y or 1 for y in b]
    data = {"a": ty.pack(a), "b": ty.pack(b), "n": Type.U32.pack(n), "y": bytes(count * ty.size_bytes)}
    handles = {key: device.allocate_buffer(len(raw)) for key, raw in data.items()}
    try:
        for key, raw in data.items():
            device.copy_to_buffer(handles[key], raw)
        device.execute_program_with_params(program(ty, name), ExecutionParams(LaunchConfig.linear(count), handles))
        found = ty.unsigned.unpack(device.copy_from_buffer(handles["y"]))
    finally:
        for handle in handles.values():
            device.free_buffer(handle)
    for k, (got, wanted) in enumerate(zip(found, expected(ty, name, a, b, n), strict=True)):
        assert got == wanted, f"{name}.{ty} of {a[k]:#x}, {b[k]:#x}, {n[k]} is {got:#x}, not {wanted:#x}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--devices", default="cpu,wasm")
    parser.add_argument("--types", default=",".join(map(str, TYPES)))
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    for device_name in options.devices.split(","):
        device = DEVICES[device_name]()
        for ty in map(Type.named, options.types.split(",")):
            start = time.perf_counter()
            for name in OPERATIONS:
                check(device, ty, name, options.count, options.seed)
            seconds = time.perf_counter() - start
            print(
                f"{device_name} {ty}: {len(OPERATIONS)} operations on {options.count} operands, {seconds:.1f} s",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
