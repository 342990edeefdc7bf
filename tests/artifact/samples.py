"""Plans that the tests of artifacts share."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import hologram_web as hg
from hologram_web.plan.artifact import Artifact, Blob
from hologram_web.plan.formula import Formula
from hologram_web.plan.plan import (
    Argument,
    Binding,
    BoundsCheck,
    Branch,
    Copy,
    KernelCode,
    KernelMemory,
    Launch,
    Let,
    Loop,
    Nest,
    Plan,
    Port,
    ProgramCall,
    Read,
    Repeat,
    Target,
    Temporary,
    WasmCode,
    WgslCode,
    When,
)
from hologram_web.runtime.compiled import CompiledProgram

__all__ = [
    "EMPTY_KERNEL", "SAMPLES", "collectives", "counted", "field", "hosted", "long_plan", "powers", "saxpy", "tiny",
    "whole_plan",
]  # fmt: skip

# The least module that is a kernel's: one function, which does nothing.
EMPTY_KERNEL = (
    b"\0asm\1\0\0\0\1\7\1\x60\3\x7f\x7f\x7f\0\2\x12\1\3env\6memory\2\1\1\x80\x80\4"
    b"\3\2\1\0\7\x0a\1\6kernel\0\0\x0a\4\1\2\0\x0b"
)
SAXPY = hg.Program.from_text("""
.program saxpy
.param a: f32
.param x: buffer f32 read
.param y: buffer f32 read_write
    ldg.f32 r10, [x + r255*4]
    ldg.f32 r11, [y + r255*4]
    mul.f32 r10, r10, r1
    add.f32 r11, r11, r10
    stg.f32 [y + r255*4], r11
""")
# A sum that grows by n in each round, and a map between: two lane regions and two collectives in a loop.
COLLECTIVES = hg.Program.from_text("""
.program rounds
.param x: buffer i32 read_write
.param y: buffer i32 write
.param n: u32
.param rounds: u32
    mov r10, r4
    mov_imm.u32 r11, 0
again:
    parallel_map_binary.add.i32 [x], [x], [x], n
    parallel_reduce.add.i32 r12, [x], n
    ldg.i32 r13, [x + r255*4]
    cvt.i32.u32 r14, r11
    add.i32 r13, r13, r14
    sub.i32 r13, r13, r12
    stg.i32 [y + r255*4], r13
    mov_imm.u32 r15, 3
    add.u32 r11, r11, r15
    loop r10, again
""")
DOUBLE = hg.Program.from_text("""
.program weighted
.param x: buffer u32 read_write
.param w: buffer u32 read
.param k: u32
    ldg.u32 r10, [x + r255*4]
    ldg.u32 r11, [w + r255*4]
    mad.u32 r10, r10, r11, r3
    stg.u32 [x + r255*4], r10
""")


def saxpy() -> CompiledProgram:
    return hg.compile(SAXPY, shapes={"x": ("n",), "y": ("n",)})


def collectives() -> CompiledProgram:
    return hg.compile(COLLECTIVES, grid="n", shapes={"x": ("n",), "y": ("n",)})


def rounds_reference(x: np.ndarray, rounds: int) -> tuple[np.ndarray, np.ndarray]:
    y = x
    for round_ in range(rounds + 1):
        x = x + x
        y = x + 3 * round_ - x.sum(dtype=np.int32)
    return x, y


def powers() -> CompiledProgram:
    """x = x * w + k for k = 2, 3, ... over a temporary-free repeat, with constants, one of them twice."""
    builder = hg.PlanBuilder("powers", shapes={"x": (4,)})
    builder.scalar("count", hg.i32)
    builder.constant("w", np.array([1, 2, 3, 4], np.uint32))
    builder.constant("same", np.array([1, 2, 3, 4], np.uint32))
    builder.constant("other", b"constant of odd length")
    with builder.repeat("count - 1") as k:
        builder.launch(DOUBLE, 4, args={"k": k + 2})
    builder.launch(DOUBLE, 4, args={"k": 7, "w": "same"})
    return CompiledProgram.from_builder(builder, {"author": "Jörg \U0001f642"})


def powers_reference(x: np.ndarray, count: int) -> np.ndarray:
    w = np.array([1, 2, 3, 4], np.uint32)
    for k in range(max(count - 1, 0)):
        x = x * w + np.uint32(k + 2)
    return x * w + np.uint32(7)


HOSTED = hg.Program.from_text("""
.program hosted                             ; what the host computes in loops: strides that double, ways that turn
.param x: buffer i32 read_write
.param n: u32
.param scale: f32
.param key: u256
.param y: buffer u32 write
    mov_imm.u32 r20, 1
    mov_imm.u32 r21, 0
    mov_imm.u32 r22, 1
    mov_imm.u32 r30, 0
    mov r23, r4
    mov r26, r3
next:
    set.ge.u32 p0, r20, r2
    bra done, p0
    parallel_map_binary.add.i32 [x], [x], [x + r20*4], r20
    and.u32 r24, r21, r22
    set.eq.u32 p1, r24, r30
    bra even, p1
    parallel_map.neg.i32 [x], [x], r20
    exp.f32 r26, r26
even:
    mul.u256 r23, r23, r4
    add.u32 r21, r21, r22
    add.u32 r20, r20, r20
    bra next
done:
    parallel_reduce.add.i32 r27, [x], r20
    cvt.i32.f32 r28, r26
    add.i32 r28, r28, r27
    cvt.u256.i32 r29, r28
    add.u256 r29, r29, r23
    cvt.u32.u256 r29, r29
    stg.u32 [y], r29
""")


def hosted() -> CompiledProgram:
    """Counts, ways and kept values that no formula says."""
    return hg.compile(HOSTED, grid=1, shapes={"x": ("2 * n",), "y": (1,)})


LOWER = hg.Program.from_text("""
.program lower                              ; adds 3 to each element, and takes 1 from what is left
.param x: buffer u32 read_write
.param left: buffer u32 read_write
    mov_imm.u32 r10, 3
    ldg.u32 r11, [x + r255*4]
    add.u32 r11, r11, r10
    stg.u32 [x + r255*4], r11
    mov_imm.u64 r12, 0
    set.ne.u64 p0, r255, r12
    bra end, p0
    mov_imm.u32 r10, 1
    ldg.u32 r11, [left]
    sub.u32 r11, r11, r10
    stg.u32 [left], r11
end:
""")


def counted() -> CompiledProgram:
    """A count that an earlier launch found out, and a loop that lanes end."""
    builder = hg.PlanBuilder("counted", shapes={"x": ("n",), "left": (1,)})
    builder.array("left", hg.u32, (1,), hg.Access.READ_WRITE)
    with builder.while_("left", hg.u32):
        builder.launch(LOWER, "n", args={"left": "left"})
    count = builder.read("x", hg.u32)
    with builder.repeat(Formula.min(count, 5)):
        builder.launch(LOWER, count, args={"left": "other"})
    return CompiledProgram.from_builder(builder)


FIELD = hg.Program.from_text("""
.program field                              ; y = x * x * k + k * k, and behind it the sum of that times m
.param x: buffer u256 read
.param y: buffer u256 read_write
.param k: u256
.param m: i512
.param n: u32
    mul.u256 r10, r3, r3
    parallel_map_binary.mul.u256 [y], [x], [x], n
    ldg.u256 r11, [y + r255*32]
    mad.u256 r11, r11, r3, r10
    stg.u256 [y + r255*32], r11
    parallel_reduce.add.u256 r12, [y], n
    cvt.u256.i512 r13, r4
    mul.u256 r12, r12, r13
    cvt.u64.u32 r14, r5
    stg.u256 [y + r14*32], r12
""")


def field() -> CompiledProgram:
    """Scalars of wide integers: a port, a constant that 8 bytes do not hold, and formulas; the sum is a cell."""
    builder = hg.PlanBuilder("field", shapes={"x": ("n",)})
    builder.scalar("k", hg.u256)
    builder.array("y", hg.u256, ("n + 1",), hg.Access.WRITE)
    builder.launch(FIELD, "n", args={"m": -(3**200), "n": Formula.of("n")})
    builder.launch(FIELD, "n", args={"k": "n * 3 + 1", "m": 1, "n": Formula.of("n"), "x": "y"})
    return CompiledProgram.from_builder(builder)


def field_reference(x: list[int], k: int) -> list[int]:
    for factor in (k, 3 * len(x) + 1):
        x = [(v * v * factor + factor * factor) % 2**256 for v in x]
    return [*x, sum(x) % 2**256]


def whole_plan() -> Artifact:
    """Something of everything the format has, with code that is none: it is for readers, not for running."""
    one, n = Formula.of(1), Formula.of("n")
    grid, lanes = (Formula.of("ceildiv(n, 64)"), one, one), (n, one, one)
    part = Launch(
        1, 1, 1, grid, lanes, (Argument("cell", "t"), Argument("formula", Formula.of("i - 2"))), ("class memory", "t")
    )
    code = (
        Launch(
            0,
            1,
            0,
            grid,
            lanes,
            (Argument("port", "a"), Argument("bits", 1 << 63)),
            ("x", "y", *(2 * ["class memory"])),
        ),
        BoundsCheck(Formula.of("4 * n"), Formula.of(-4), Formula.of(1 << 40), hg.i64, 0, "buffer x"),
        Repeat(Formula.of("max(n // 2, 3)"), "i", (Copy("t", "x"), part)),
        Target("webgpu", (Copy("t", "class memory"),)),
    )
    program = hg.Program.from_text("""
        .program p
        .param x: buffer f32 read
        .param y: buffer f32 write
        .param a: f32
        .param b: u64
            parallel_map.neg.f32 [y], [x], 4
    """)
    call = ProgramCall(
        0, (64, 1, 1), 16, grid, lanes,
        (Argument("buffer", "x"), Argument("buffer", "y"), Argument("port", "a"), Argument("bits", 1 << 63)), code,
    )  # fmt: skip
    f32, u64 = hg.f32, hg.u64
    kernels = (
        KernelCode(
            "p", 0, (64, 1, 1), 16, (("a", f32), ("b", u64)),
            (
                KernelMemory("buffer", "x", False), KernelMemory("buffer", "y", True), KernelMemory("class", 95, True),
                KernelMemory("phi", None, False),
            ),
            True, WasmCode(0, 24, (1, 0), (0, 1, 2, 3)),
            (WgslCode(0, 96, (0,), (Binding(False, (0,)), Binding(True, (1,)), Binding(True, (2, 3)))),),
        ),
        KernelCode(
            "part", None, (256, 1, 1), 0, (("s", u64), ("n", hg.i32)),
            (KernelMemory("pool", "d", True), KernelMemory("buffer", "s0", False)),
            False, "no WebAssembly for this", (WgslCode(1, 96, (), (Binding(True, (0,)), Binding(False, (1,)))),),
        ),
    )  # fmt: skip
    plan = Plan(
        (Port("a", f32), Port("x", f32, hg.Access.READ, (n,)), Port("y", f32, hg.Access.WRITE, (n * 2, one))),
        (Temporary("t", n * 4),),
        (("c", 0), ("d", 1)),
        (call, Repeat(Formula.of(2), "j", ())),
    )
    blobs = (Blob.of(b"abc"), Blob(5, bytes(32), None, "weights.bin", 64))
    return Artifact(
        plan, (program,), ("parallel_map.neg.f32 [y], [x], 4",), kernels, (EMPTY_KERNEL,),
        ("fn a() {\n}\n", "fn main() {\n}\n", "ü"), ((0, 1), (1, 2)), blobs, {"name": "everything", "ö": '"\\\n'},
    )  # fmt: skip


def long_plan() -> Artifact:
    """The same with wide integers for scalars: as a port, a constant, a formula and a cell."""
    whole, wide = whole_plan(), hg.u256
    one, n, long = Formula.of(1), Formula.of("n"), Argument("bits", 3**150)
    grid = (one, one, one)
    kernel = KernelCode(
        "p", 0, (64, 1, 1), 16, (("w", wide), ("v", hg.i512), ("u", wide), ("s", hg.u64), ("t", wide)),
        (KernelMemory("buffer", "y", True),), True, WasmCode(0, 24, (1, 0, 4, 3, 2), (0,)),
        (WgslCode(0, 320, (4, 3, 2, 1, 0), (Binding(True, (0,)),), counts=False),),
    )  # fmt: skip
    scalars = (Argument("port", "w"), long, Argument("formula", n * 3), Argument("bits", 7), Argument("cell", "t"))
    launch = Launch(0, 1, 0, grid, grid, scalars, ("y",))
    computed = (
        Let("v", hg.u64, "add", hg.u64, (Argument("bits", 3), Argument("formula", n))),
        Let("p", "pred", "lt", hg.u64, (Argument("value", "v"), Argument("bits", 9))),
        Read("r", hg.u32, "t", n - n),
        Nest((Loop((When("p", (Branch(1),), (Branch(0),)),)), Repeat(Formula.of("r + v"), "i", (Branch(0),)))),
        launch._replace(scalars=(*scalars[:3], Argument("value", "v"), scalars[4])),
    )
    program = hg.Program.from_text("""
        .program p
        .param y: buffer f32 write
        .param w: u256
        .param v: i512
            parallel_map.neg.f32 [y], [y], 4
    """)
    args = Argument("buffer", "y"), Argument("port", "w"), long
    call = ProgramCall(0, (64, 1, 1), 16, grid, grid, args, (launch, *computed))
    plan = Plan(
        (Port("w", wide), Port("y", hg.f32, hg.Access.WRITE, (n,))), (Temporary("t", Formula.of(32)),), (), (call,)
    )
    return replace(
        whole,
        plan=plan,
        programs=(program,),
        kernels=(kernel,),
        blobs=(),
        shaders=whole.shaders[:1],
        texts=("parallel_map.neg.f32 [y], [y], 4",),
    )


def tiny() -> Artifact:
    """The artifact of the golden file. Nothing in it comes from the compiler."""
    return whole_plan()


SAMPLES = {
    "saxpy": saxpy, "collectives": collectives, "powers": powers, "field": field, "hosted": hosted, "counted": counted,
}  # fmt: skip
