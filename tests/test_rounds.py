"""The proof that no lane uses up its budget, against lanes that do (compiler/rounds.py)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import hologram_web as hg
from hologram_web.backends import CpuBackend
from hologram_web.backends.protocol import Limits
from hologram_web.compiler.bounds import Bounds
from hologram_web.compiler.build import build
from hologram_web.compiler.conditions import EXACT
from hologram_web.compiler.ir import Node
from hologram_web.compiler.passes import optimize
from hologram_web.compiler.rounds import within_budget
from hologram_web.isa import Type
from hologram_web.isa.verify import analyze

from .nodes import holds

LOOPS = {
    "counter": """
    mov_imm.u32 r10, 0
    mov_imm.u32 r11, 3
again:
    add.u32 r10, r10, r11
    set.lt.u32 p0, r10, r1
    bra again, p0
""",
    "signed counter from a parameter": """
    cvt.i32.u32 r10, r1
    mov_imm.i32 r12, 40
    mov_imm.i32 r11, 1
again:
    add.i32 r10, r10, r11
    set.le.i32 p0, r10, r12
    bra again, p0
""",
    "nested": """
    mov_imm.u32 r10, 0
    mov_imm.u32 r12, 1
outer:
    mov_imm.u32 r11, 0
inner:
    add.u32 r11, r11, r12
    set.lt.u32 p0, r11, r10
    bra inner, p0
    add.u32 r10, r10, r12
    set.lt.u32 p0, r10, r1
    bra outer, p0
""",
    "counted by LOOP, around a counter": """
    mov r20, r1
    mov_imm.u32 r12, 1
outer:
    mov_imm.u32 r11, 0
inner:
    add.u32 r11, r11, r12
    set.lt.u32 p0, r11, r1
    bra inner, p0
    loop r20, outer
""",
    "halved": """
    mov r10, r1
    mov_imm.u32 r11, 1
    mov_imm.u32 r12, 0
again:
    shr.u32 r10, r10, r11
    set.gt.u32 p0, r10, r12
    bra again, p0
""",
    "two ways back": """
    mov_imm.u32 r10, 0
    mov_imm.u32 r11, 1
    mov_imm.u32 r13, 5
again:
    add.u32 r10, r10, r11
    set.ge.u32 p0, r10, r1
    bra done, p0
    set.lt.u32 p1, r10, r13
    bra again, p1
    bra again
done:
""",
}
UNKNOWN = {
    "a value from memory decides": """
again:
    ldg.u32 r10, [y]
    set.lt.u32 p0, r10, r1
    bra again, p0
""",
    "the counter may stand still": """
    mov_imm.u32 r10, 0
again:
    add.u32 r10, r10, r1
    set.lt.u32 p0, r10, r1
    bra again, p0
""",
    "a shift that may reach zero": """
    mov r10, r1
    mov_imm.u32 r11, 1
    mov_imm.u32 r12, 7
again:
    shr.u32 r10, r10, r11
    set.lt.u32 p0, r10, r12
    bra again, p0
""",
    "two ways in": """
    mov_imm.u32 r10, 0
    mov_imm.u32 r11, 1
    set.lt.u32 p0, r252, r1
    bra second, p0
first:
    add.u32 r10, r10, r11
second:
    set.lt.u32 p0, r10, r1
    bra first, p0
    set.gt.u32 p1, r10, r1
    bra second, p1
""",
}


def _program(body: str) -> hg.Program:
    return hg.Program.from_text(f".param n: u32\n.param y: buffer u32 read_write\n{body}    stg.u32 [y], r1\n")


def _conditions(body: str) -> list[Node] | None:
    function = optimize(build(analyze(_program(body)), (1, 1, 1)))
    return within_budget(Bounds(function, launch=True))


def _ends(program: hg.Program, n: int, steps: int) -> bool:
    device = CpuBackend(limits=Limits(steps=steps))
    y = device.allocate_buffer(4)
    kinds: list[str] = []
    try:
        device.execute_program_with_params(program, hg.ExecutionParams(hg.LaunchConfig.linear(1), {"n": n, "y": y}))
    except hg.ExecutionError as error:
        kinds.append(error.kind)
    assert kinds in ([], ["StepLimit"])
    return not kinds


@pytest.mark.parametrize("name", LOOPS)
def test_what_is_proven_ends(name: str) -> None:
    """Where the conditions hold the reference finds no lane over its budget; and they do hold for some budget."""
    conditions, program = _conditions(LOOPS[name]), _program(LOOPS[name])
    assert conditions
    for n in (0, 1, 2, 7, 30):
        proven = []
        for steps in (1, 2, 3, 6, 7, 8, 20, 33, 200, 900, 5000):

            def leaf(node: Node, n: int = n, steps: int = steps) -> int:
                return {"n": n, "STEPS": steps, "ROUNDS": 1 << 40}[node.attr]

            proven.append(all(holds(condition, leaf) for condition in conditions))
            assert not proven[-1] or _ends(program, n, steps), (n, steps)
        assert proven[-1]
        assert n < (4 if name == "counter" else 2) or not proven[0]  # that one goes by threes


def test_a_sum_that_wraps_is_not_proven() -> None:
    conditions = _conditions(LOOPS["counter"])
    assert conditions
    values = {"n": 0xFFFFFFFF, "STEPS": 1 << 40, "ROUNDS": 1 << 40}
    assert not all(holds(condition, lambda node: values[node.attr]) for condition in conditions)


# Loops of kernels: the text, the rounds of a lane, and what each of them costs.
RANGES: dict[str, tuple[str, Callable[[int], int], int]] = {
    "range(n)": ("for i in range(n):\n        s = s * 3 + i", lambda n: n, 1),
    "range(2, n + 5)": ("for i in range(2, n + 5):\n        s = s * 3 + i", lambda n: n + 3, 1),
    "nested": (
        "for i in range(n):\n        for k in range(n):\n            s = s * 3 + k",
        lambda n: n * n + n,
        1,
    ),
    "constant, around one of n": (
        "for i in range(1000):\n        for k in range(n):\n            s = s * 3 + k",
        lambda n: 1000 * n + 1000,
        1,
    ),
    "dear": ("for i in range(n):\n        s = s * 3 // i + s % (i + 3)", lambda n: n, 16),
}


@pytest.mark.parametrize("name", RANGES)
def test_rounds_of_counted_loops(name: str) -> None:
    """A launch proves that its lanes take few rounds if they do, or about; and never if they do not."""
    body, rounds, least = RANGES[name]
    text = f"def k(y: hg.Array[hg.i32], n: hg.i32):\n    s = n\n    {body}\n    y[0] = s\n"
    function = optimize(build(analyze(hg.kernel_from_source(text).program), (1, 1, 1)))
    conditions = within_budget(Bounds(function, launch=True))
    assert conditions

    def proven(n: int, limit: int) -> bool:
        values = {"n": n, "STEPS": 0, "ROUNDS": limit}
        return all(holds(condition, lambda node: values[node.attr]) for condition in conditions)

    for n in (1, 2, 30, 100_000):
        assert proven(n, 200 * least * rounds(n))
        assert not proven(n, least * rounds(n) - 1)


SHARED = """
def k(y: hg.Array[hg.i32], n: hg.i32):
    s = n
    for i in range(hg.global_id(0), n, hg.grid_dim(0) * hg.block_dim(0)):
        s = s * 3 + y[i]
    y[hg.global_id(0)] = s
"""


@pytest.mark.parametrize("lanes", [1, 48, 64, 256])
def test_steps_as_long_as_a_launch(lanes: int) -> None:
    """Its lanes share what there is. Of blocks of 256 lanes the step may be 2**31: then nothing is proven."""
    function = optimize(build(analyze(hg.kernel_from_source(SHARED).program), (lanes, 1, 1)))
    bounds = Bounds(function, launch=True)
    conditions = within_budget(bounds)
    within, proven = bounds.prove(function.nodes())
    assert conditions
    assert len(proven) == 2  # the load and the store

    def holds_all(blocks: int, n: int, limit: int) -> bool:
        last = {"LAST_ID_X": blocks * lanes - 1, "LAST_BLOCK_IDX_X": blocks - 1, "LAST_LANE_IDX_X": lanes - 1}
        values = {"n": n, "GRID_DIM_X": blocks, "STEPS": 1, "ROUNDS": limit, **last}

        def leaf(node: Node) -> int:
            return values[node.attr] if isinstance(node.attr, str) else 4 * n - 3  # else the end of `y`

        return all(holds(condition, leaf) for condition in (*conditions, *within))

    for blocks in (1, 3, 7):
        for n in (lanes * blocks, lanes * blocks + 1, 1000 * lanes * blocks):
            rounds = -(-n // (lanes * blocks))
            assert holds_all(blocks, n, 20 * rounds)
            assert not holds_all(blocks, n, rounds - 1)
        assert holds_all(blocks, (1 << 31) - 1, 1 << 40) == (blocks * lanes == 1)  # else the last step wraps
    assert not holds_all((1 << 31) // lanes, 1 << 29, 1 << 40)


TWO = """
def k(y: hg.Array[hg.u32], m: hg.i32, n: hg.i32):
    s = hg.u32(n)
    for i in range(m):
        s = s * 3 + hg.u32(i)
    for i in range(n):
        s = s * 5 + hg.u32(i)
    y[0] = s
"""
NESTED = """
def k(y: hg.Array[hg.u32], m: hg.i32, n: hg.i32):
    s = hg.u32(n)
    for i in range(n):
        s = s ^ 5 + hg.u32(i)
        for k in range(m):
            s = s * 3 + hg.u32(k)
    y[0] = s
"""


@pytest.mark.parametrize("text", [TWO, NESTED], ids=["one behind the other", "nested"])
def test_a_loop_that_nobody_enters_takes_nothing_from_others(text: str) -> None:
    """Its limit lies far below where it begins."""
    function = optimize(build(analyze(hg.kernel_from_source(text).program), (1, 1, 1)))
    conditions = within_budget(Bounds(function, launch=True))
    assert conditions

    def proven(m: int, n: int, limit: int) -> bool:
        values = {"m": m, "n": n, "STEPS": 0, "ROUNDS": limit}
        return all(holds(condition, lambda node: values[node.attr]) for condition in conditions)

    for m in (-1_000_000, -1, 0):
        assert not proven(m, 100_000, 99_999)
        assert proven(m, 100_000, 10_000_000)


def test_products_of_visits_that_64_bits_do_not_hold_prove_nothing() -> None:
    """Where code computes them: 2_500_000**3 is less than 0 there."""
    text = """
def k(y: hg.Array[hg.u32], n: hg.i32):
    s = hg.u32(n)
    for i in range(n):
        for k in range(n):
            j = 0
            while j < n:
                s = s * 3 + hg.u32(j + i + k)
                j = j + 1
    y[0] = s
"""
    function = optimize(build(analyze(hg.kernel_from_source(text).program), (1, 1, 1)))
    conditions = within_budget(Bounds(function, launch=True), rounds=False)
    assert conditions

    def of(node: Node, n: int) -> int:
        if node.is_const:
            return int(node.ty.decode(node.attr) if isinstance(node.ty, Type) else node.attr)
        if not node.args:
            return {"n": n, "STEPS": 1 << 26}[node.attr]
        found = EXACT[node.op](*(of(arg, n) for arg in node.args))
        return (found + (1 << 63)) % (1 << 64) - (1 << 63)

    assert all(of(condition, 300) for condition in conditions)
    assert not all(of(condition, 2_500_000) for condition in conditions)


def test_a_counter_from_memory_is_not_short() -> None:
    conditions = _conditions("    ldg.u32 r10, [y]\nagain:\n    add.u32 r11, r1, r1\n    loop r10, again\n")
    assert conditions is None or not all(
        holds(c, lambda node: {"n": 3, "STEPS": 1 << 30, "ROUNDS": (1 << 32) - 1}[node.attr]) for c in conditions
    )


@pytest.mark.parametrize("name", UNKNOWN)
def test_unknown(name: str) -> None:
    assert _conditions(UNKNOWN[name]) is None
