"""If-conversion and unrolling: counters of any kind, ways out of loops, and random programs full of small branches."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

import hologram_web as hg
from hologram_web.backends.wasm import WasmBackend
from hologram_web.compiler.bounds import Bounds
from hologram_web.compiler.build import build
from hologram_web.compiler.conditions import shown
from hologram_web.compiler.passes import optimize
from hologram_web.isa import Program, Type
from hologram_web.isa.verify import analyze
from hologram_web_tools.cpu import CpuBackend

LANES = 32
PROGRAMS = 40
_VALUES = [f"r{20 + k}" for k in range(5)]


def function(text: str, free: bool = False):
    """`free` takes the steps from its loops, so that counters other than LOOP's may be unrolled."""
    found = build(analyze(Program.from_text(text)), (64, 1, 1))
    for block in found.blocks:
        block.end.steps = block.end.steps and not free
    return found


COUNTERS = {  # type, start, step, condition to go on with, end; rounds
    "up": ("u32", 0, 3, "lt", 10, 4),
    "down": ("i32", 5, -2, "gt", -4, 5),
    "wraps": ("u8", 250, 2, "ne", 4, 5),
    "signed wraps": ("i8", 120, 5, "gt", 0, 2),
    "once": ("i64", 7, 1, "lt", 0, 1),
    "64 bits": ("i64", -(1 << 40), 1 << 39, "le", 1 << 39, 4),
    "unsigned 64 bits": ("u64", (1 << 64) - 3, 1, "ne", 2, 5),
    "wide": ("u128", 0, 1, "lt", 3, None),
    "endless": ("u32", 0, 2, "ne", 7, None),
    "many": ("u32", 0, 1, "lt", 65, None),
}


@pytest.mark.parametrize("name", COUNTERS)
def test_counters(name):
    ty, start, step, condition, end, rounds = COUNTERS[name]
    text = f"""
        .param y: buffer u32 write
        mov_imm.{ty} r10, {start}
        mov_imm.{ty} r11, {step}
        mov_imm.{ty} r12, {end}
        mov_imm.u32 r13, 0
        mov_imm.u32 r14, 1
    again:
        add.u32 r13, r13, r14
        add.{ty} r10, r10, r11
        set.{condition}.{ty} p0, r10, r12
        bra again, p0
        stg.u32 [y], r13
    """
    found = optimize(function(text, free=True))
    assert found.fired["unroll"] == (rounds is not None)
    assert (len(found.blocks) == 1) == (rounds is not None)
    if rounds is not None:
        (store,) = (node for node in found.nodes() if node.op == "store")
        assert store.args[1].attr == rounds
    assert optimize(function(text)).fired["unroll"] == 0  # it takes steps


def test_a_loop_that_is_not_entered():
    text = """
        .param y: buffer u32 write
        mov_imm.u32 r10, 9
        mov_imm.u32 r11, 4
    again:
        set.lt.u32 p0, r10, r11
        bra end, !p0
        add.u32 r10, r10, r11
        bra again
    end:
        stg.u32 [y], r10
    """
    found = optimize(function(text, free=True))
    assert found.fired["unroll"] == 1
    assert [node.args[1].attr for node in found.nodes() if node.op == "store"] == [9]


def test_a_value_that_leaves_a_loop_by_two_ways():
    text = """
        .param x: buffer u32 read
        .param y: buffer u32 write
        ldg.u32 r10, [x]
        mov_imm.u32 r11, 3
        mov_imm.u32 r12, 0
        mov_imm.u32 r13, 4
    again:
        add.u32 r12, r12, r11
        set.lt.u32 p0, r10, r12
        bra other, p0
        loop r13, again
        {first}
    other:
        stg.u32 [y + 4], r11
    join:
        stg.u32 [y], r12
    """
    one, two = (optimize(function(text.format(first=first))) for first in ("", "bra join"))
    assert one.fired["unroll"] == 1  # a phi where both ways meet takes the value out
    assert two.fired["unroll"] == 0  # behind two places it would take more than one


def test_conditions_that_others_imply_are_left_out():
    text = """
        .param n: u32
        .param x: buffer u32 read
        .param y: buffer u32 write
        mov_imm.u32 r10, 7
        mov_imm.u32 r13, 1
        mov r11, r252
        mov_imm.u32 r12, 0
    again:
        ldg.u32 r14, [x + r11*4]
        add.u32 r12, r12, r14
        add.u32 r11, r11, r13
        loop r10, again
        stg.u32 [y], r12
    """
    found = optimize(function(text))
    conditions, proven = Bounds(found).prove(found.nodes())
    assert len(proven) == 9
    assert list(map(shown, conditions)) == [
        "(last_lane_idx_x + 7) * 4 < bytes of buffer x - 3",
        "0 < bytes of buffer y - 3",
    ]


# Random programs


class _Writer:
    """Programs of one type that are nothing but arithmetic, small branches, and short loops that lanes may leave."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.ty = self.random.choice(["u32", "i32", "u8", "i16", "f32", "i64"])
        self.lines: list[str] = []
        self.labels = 0
        self.counters = 40

    def program(self) -> str:
        head = [f".param x: buffer {self.ty} read", f".param y: buffer {self.ty} write"]
        size = Type[self.ty.upper()].size_bytes
        for k, register in enumerate(_VALUES):
            self.lines.append(f"    ldg.{self.ty} {register}, [x + r255*{len(_VALUES) * size} + {k * size}]")
        self.lines += [f"    set.lt.{self.ty} p{k}, r{20 + k}, r{21 + k}" for k in range(3)]
        self.body(3, [])
        self.body(2, [])
        for k, register in enumerate(_VALUES):
            self.lines.append(f"    stg.{self.ty} [y + r255*{len(_VALUES) * size} + {k * size}], {register}")
        return "\n".join([*head, "", *self.lines]) + "\n"

    def label(self) -> str:
        self.labels += 1
        return f"l{self.labels}"

    def body(self, depth: int, ends: list[str]) -> None:
        for _ in range(self.random.randint(1, 3)):
            kind = self.random.random()
            if depth and kind < 0.45:
                self.branch(depth - 1, ends)
            elif depth and kind < 0.6:
                self.loop(depth - 1)
            elif ends and kind < 0.7:
                self.lines.append(f"    bra {self.random.choice(ends)}, {self.predicate()}")
            else:
                self.operation()

    def predicate(self) -> str:
        return self.random.choice(["", "!"]) + self.random.choice(["p0", "p1", "p2"])

    def operation(self) -> None:
        a, b, c = (self.random.choice(_VALUES) for _ in range(3))
        kind = self.random.random()
        if kind < 0.3:
            comparison = self.random.choice(["lt", "le", "eq", "ne", "ge"])
            self.lines.append(f"    set.{comparison}.{self.ty} {self.predicate()[-2:]}, {a}, {b}")
        elif kind < 0.5:
            self.lines.append(f"    mov {a}, {b}")
        elif kind < 0.6:
            self.lines.append(f"    mov_imm.{self.ty} {a}, {self.random.randint(0, 9)}")
        else:
            self.lines.append(f"    {self.random.choice(['add', 'sub', 'min', 'max'])}.{self.ty} {a}, {b}, {c}")

    def branch(self, depth: int, ends: list[str]) -> None:
        other, end = self.label(), self.label()
        self.lines.append(f"    bra {other}, {self.predicate()}")
        self.body(depth, ends)
        if self.random.random() < 0.5:
            self.lines += [f"    bra {end}", f"{other}:"]
            self.body(depth, ends)
            self.lines.append(f"{end}:")
        else:
            self.lines.append(f"{other}:")

    def loop(self, depth: int) -> None:
        again, more, end = self.label(), self.label(), self.label()
        self.counters += 1
        counter = f"r{self.counters}"
        self.lines += [f"    mov_imm.u32 {counter}, {self.random.randint(0, 4)}", f"{again}:"]
        self.body(depth, [more, end])
        self.lines += [f"{more}:", f"    loop {counter}, {again}", f"{end}:"]


def run(device: hg.Backend, program: Program, inputs: np.ndarray) -> bytes:
    x, y = device.allocate_buffer(inputs.nbytes), device.allocate_buffer(inputs.nbytes)
    device.copy_to_buffer(x, inputs)
    arguments = {"x": x, "y": y}
    device.execute_program_with_params(program, hg.ExecutionParams(hg.LaunchConfig.linear(LANES), arguments))
    return bytes(device.copy_from_buffer(y) or b"")


def check(seeds: range, device: hg.Backend, cpu: hg.Backend) -> Counter[str]:
    """How often passes fired in random programs, all of whose results are the reference's."""
    fired: Counter[str] = Counter()
    for seed in seeds:
        writer = _Writer(seed)
        program = Program.from_text(writer.program())
        fired += optimize(build(analyze(program), (LANES, 1, 1))).fired
        values = np.random.default_rng(seed).integers(0, 6, LANES * len(_VALUES))
        inputs = values.astype(Type[writer.ty.upper()].numpy)
        assert run(device, program, inputs) == run(cpu, program, inputs), (seed, writer.program())
    return fired


def test_random_branches_and_loops():
    fired = check(range(PROGRAMS), WasmBackend(), CpuBackend())
    assert fired["ifconvert"] > PROGRAMS
    assert fired["unroll"] > PROGRAMS // 2
