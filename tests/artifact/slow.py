"""Files of which a reader could make much work: a few hundred thousand bytes that name long lists again and again."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import hologram_web as hg
from hologram_web.plan.builder import PlanBuilder
from hologram_web.runtime.compiled import CompiledProgram

from .samples import SAXPY as PROGRAM
from .samples import saxpy
from .seal import files_sections, joined

__all__ = ["IDLE", "SLOW"]


def leb(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def unleb(data: bytes, at: int) -> tuple[int, int]:
    """A number, and where it ends. Raises IndexError."""
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift, at = shift + 7, at + 1
        if data[at - 1] < 128:
            return value, at


def text(words: str) -> bytes:
    return leb(len(words)) + words.encode()


def items(parts: Sequence[bytes]) -> bytes:
    return leb(len(parts)) + b"".join(parts)


ONE = b"\1\2\0"  # the formula that is the variable 0
LONG = leb(255) + b"\2\1" + b"\2\1\3" * 127  # the variable 1, 128 times
U32, F32 = 16, 2
SCALAR, READ, READ_WRITE = 0, 1, 3


def scalar(name: str, ty: int = U32) -> bytes:
    return text(name) + bytes([ty, SCALAR])


def array(name: str, access: int, *shape: int) -> bytes:
    return text(name) + bytes([F32, access]) + items([leb(formula) for formula in shape])


def call(code: Sequence[bytes], formula: int) -> bytes:
    """A call of saxpy over a(formula) blocks, with the ports 0 (a), x and y."""
    return b"\2\0" + leb(256) + b"\1\1\0" + bytes([formula] * 6) + items([b"\1\0", b"\4\0", b"\4\1"]) + items(code)


def launch(formula: int) -> bytes:
    return b"\3\0\1\0" + bytes([formula] * 6) + b"\1\0" + b"\0\1"


def file(variables: Sequence[str], formulas: Sequence[bytes], ports: Sequence[bytes], steps: Sequence[bytes]) -> bytes:
    sections = files_sections(saxpy().to_bytes())
    plan = items([text(name) for name in variables]) + items(formulas) + items(ports) + b"\0\0" + items(steps)
    return joined({**sections, "META": b'{"name":"slow"}', "PLAN": plan})


SAXPY = [scalar("a", F32), scalar("m"), array("x", READ, 0), array("y", READ_WRITE, 0)]


def repeats() -> bytes:
    """65,000 repeats beside 4,095 scalars: each has to be told from all."""
    return file(["p0", "r"], [ONE], [scalar(f"p{k}") for k in range(4095)], [b"\1\0\1\0"] * 65_000)


def long_counts() -> bytes:
    """60,000 repeats in a repeat, each with a formula of 255 parts that needs its variable."""
    inner = items([b"\1\1\2\0"] * 60_000)
    return file(["p0", "r", "q"], [ONE, LONG], [scalar("p0")], [b"\1\0\1" + inner])


def launches() -> bytes:
    """60,000 launches of six formulas of 255 parts."""
    return file(["n", "m"], [ONE, LONG], SAXPY, [call([launch(1)] * 60_000, 1)])


def shapes() -> bytes:
    """4,094 ports of eight dimensions of 255 parts."""
    long = leb(255) + b"\2\0" + b"\2\0\3" * 127
    ports = [array(f"p{k}", READ, *[0] * 8) for k in range(4094)]
    return file(["v" * 128], [long], [scalar("v" * 128), *ports], [])


def shaders() -> bytes:
    """3,000,000 shaders of nothing, a byte each."""
    sections = files_sections(saxpy().to_bytes())
    code = sections["WGSL"]
    pieces, at = unleb(code, 0)
    for _ in range(pieces):
        size, at = unleb(code, at)
        at += size
    return joined({**sections, "WGSL": code[:at] + leb(3_000_000) + bytes(3_000_000)})


SLOW: dict[str, Callable[[], bytes]] = {
    each.__name__: each for each in (repeats, long_counts, launches, shapes, shaders)
}


# Plans that launch nothing, for as long as the limit of steps lets them

ROUNDS = leb(1) + b"\0" + leb(1 << 19)
NONE = leb(255) + b"\2\2" + b"\2\2\3" * 127  # the variable 2, 128 times: with 0 there are no lanes


def idle_launches() -> bytes:
    """2**19 rounds of a launch of no lanes, whose six formulas have 255 parts."""
    steps = [call([b"\1\1\1" + items([launch(2)])], 0)]
    return file(["n", "r", "m"], [ONE, ROUNDS, NONE], SAXPY, steps)


def idle_calls() -> bytes:
    """2**19 rounds of a call of no lanes."""
    return file(["n", "r", "m"], [ONE, ROUNDS, NONE], SAXPY, [b"\1\1\1" + items([call([], 2)])])


def idle_repeats() -> bytes:
    """2**53 rounds of nothing, of which the limit of steps lets 2**20 go."""
    return file(["n", "r"], [ONE, leb(1) + b"\0" + leb((1 << 53) - 1)], SAXPY, [b"\1\1\1\0"])


def idle_reads() -> bytes:
    """2**18 times a number is taken out of 16 MB."""
    plan = PlanBuilder(shapes={"x": ("n",), "y": ("n",)})
    plan.scalar("m", hg.u32)
    plan.temporary("t", 1 << 22, hg.u32)
    with plan.repeat(1 << 18):
        plan.read("t", hg.u32)
    plan.launch(PROGRAM)
    return CompiledProgram.from_builder(plan).to_bytes()


IDLE: dict[str, Callable[[], bytes]] = {
    each.__name__: each for each in (idle_launches, idle_calls, idle_repeats, idle_reads)
}
