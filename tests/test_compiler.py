"""The compiler's parts by themselves: library functions, passes, structuring."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest

from hologram_web.compiler.accesses import access_of, repeated
from hologram_web.compiler.bounds import Bounds
from hologram_web.compiler.build import build
from hologram_web.compiler.fission import fission
from hologram_web.compiler.library import LIBRARY
from hologram_web.compiler.out_of_ssa import lower
from hologram_web.compiler.passes import optimize
from hologram_web.compiler.structure import If, Labelled, Straight, StructuredBranch, StructuredLoop, structure
from hologram_web.isa import Program, Type
from hologram_web.isa.ops import SCALAR_OPS
from hologram_web.isa.verify import analyze
from hologram_web.targets import wasm, wgsl
from hologram_web_tools.cpu.vector_ops import VECTOR_OPS

F16, BF16, F32, F64, I64, U64 = Type.F16, Type.BF16, Type.F32, Type.F64, Type.I64, Type.U64
COUNT = 4000


def patterns(ty: Type, rng: random.Random) -> list[int]:
    """Bit patterns: special ones, any, and numbers near each other, so that sums cancel and round."""
    special = [0, 1, 2, 3, 1 << (ty.bits - 1), (1 << ty.bits) - 1, (1 << (ty.bits - 1)) - 1, (1 << (ty.bits - 1)) | 1]
    if ty.is_float:
        special += [ty.encode(x) for x in (1.0, -1.0, 0.5, 1.5, 2.0, 3.0, float("inf"), -float("inf"), float("nan"))]
        special += [1 << ty.mantissa, (1 << ty.mantissa) - 1, (1 << ty.mantissa) + 1]
    found = []
    for _ in range(COUNT):
        kind = rng.random()
        if kind < 0.2:
            found.append(rng.choice(special))
        elif kind < 0.5:
            found.append(rng.getrandbits(ty.bits))
        elif ty.is_float:
            exponent = rng.randint(-1000 if ty is F64 else -140, 1000 if ty is F64 else 120) if kind < 0.8 else 0
            digits = float(rng.getrandbits(rng.randint(1, 53)) or 1)
            found.append(ty.encode(rng.choice([1, -1]) * digits * 2.0 ** (exponent - 52)))
        else:
            found.append(ty.encode(rng.randint(-3, 3) << rng.randint(0, ty.bits - 4)))
    return found


def run(names: list[str], sources: tuple[Type, ...], columns: list[list[int]]) -> list[int]:
    """Library routines one after another on bit patterns."""
    values = [np.array(column, f"<u{ty.size_bytes}") for ty, column in zip(sources, columns, strict=True)]
    for name in names:
        routine = LIBRARY[name]
        arguments = [
            value.astype("<u4") if ty is Type.U32 and value.itemsize == 2 else value.view(ty.numpy)
            for ty, value in zip(routine.operands, values, strict=True)
        ]
        with np.errstate(all="ignore"):
            values = [np.ascontiguousarray(routine.body(VECTOR_OPS, *arguments))]
    return values[0].view(f"<u{values[0].itemsize}").tolist()


CASES: list[tuple[list[str], tuple[Type, ...], Type, Callable[..., int]]] = [
    (["f16_to_f32"], (F16,), F32, lambda x: SCALAR_OPS.cvt(F32, F16, x)),
    (["f32_to_f16"], (F32,), F16, lambda x: SCALAR_OPS.cvt(F16, F32, x)),
    (["bf16_to_f32"], (BF16,), F32, lambda x: SCALAR_OPS.cvt(F32, BF16, x)),
    (["f32_to_bf16"], (F32,), BF16, lambda x: SCALAR_OPS.cvt(BF16, F32, x)),
    (["fma_f32"], (F32,) * 3, F32, lambda *x: SCALAR_OPS.fma(F32, *x)),
    (["fma_f64"], (F64,) * 3, F64, lambda *x: SCALAR_OPS.fma(F64, *x)),
]
for _half, _last in ((F16, "f32_to_f16"), (BF16, "f32_to_bf16")):
    for _source, _first in ((F64, []), (I64, ["i64_to_f64_odd"]), (U64, ["u64_to_f64_odd"])):
        CASES.append(
            (
                [*_first, "f64_to_f32_odd", _last],
                (_source,),
                _half,
                lambda x, half=_half, source=_source: SCALAR_OPS.cvt(half, source, x),
            )
        )


@pytest.mark.parametrize(
    ("names", "sources", "result", "expected"), CASES, ids=[f"{case[2]} {case[1][0]} {case[0][0]}" for case in CASES]
)
def test_library_is_exact(names, sources, result, expected):
    rng = random.Random(str(names))
    columns = [patterns(ty, rng) for ty in sources]
    wrong = [
        (list(map(hex, operands)), hex(got), hex(expected(*operands)))
        for operands, got in zip(zip(*columns, strict=True), run(names, sources, columns), strict=True)
        if got != expected(*operands) and not (result.is_nan(got) and result.is_nan(expected(*operands)))
    ]
    assert wrong == []


def function(text: str):
    program = Program.from_text(text)
    program.validate()
    return build(analyze(program), (64, 1, 1))


def test_passes_are_shown_before_and_after():
    shown = []
    optimize(
        function(".param y: buffer u32\n mov_imm.u32 r2, 3\n add.u32 r3, r2, r2\n stg.u32 [y], r3"),
        lambda name, text: shown.append((name, text)),
    )
    assert [name for name, _ in shown][:2] == ["start", "fold"]
    assert "add" in shown[0][1]
    assert "add" not in shown[-1][1]
    assert "const {6}" in shown[-1][1]


@pytest.mark.parametrize(
    ("code", "kept"),
    [
        ("xor.u32 r5, r2, r2", "const {0}"),
        ("sub.i32 r3, r3, r3\n bitcast.u32.i32 r5, r3", "const {0}"),
        ("mov_imm.u32 r6, 0\n or.u32 r5, r2, r6", "param {n}"),
        ("mov_imm.u32 r6, 1\n mul.u32 r5, r2, r6", "param {n}"),
        ("bitcast.f32.u32 r6, r2\n bitcast.u32.f32 r5, r6", "param {n}"),
        ("cvt.u64.u32 r6, r2\n cvt.u32.u64 r5, r6", "param {n}"),
    ],
)
def test_simplifications(code, kept):
    text = f".param y: buffer u32\n.param n: u32\n.param m: i32\n {code}\n stg.u32 [y], r5"
    result = str(optimize(function(text)))
    assert kept in result
    assert not any(f" = {op} " in result or f" = {op}{{" in result for op in ("xor", "sub", "or", "mul", "bitcast"))


def test_a_branch_on_a_constant_goes():
    text = """
        .param y: buffer u32
        mov_imm.u32 r2, 1
        set.eq.u32 p0, r2, r2
        bra end, p0
        stg.u32 [y], r2
    end:
    """
    result = str(optimize(function(text)))
    assert "store" not in result
    assert "branch" not in result


def test_division_by_a_constant_needs_no_guard():
    text = ".param y: buffer u32\n.param n: u32\n mov_imm.u32 r3, 7\n div.u32 r4, r2, r3\n stg.u32 [y], r4"
    assert "guard" in str(function(text))
    assert "guard" not in str(optimize(function(text)))


def shapes(trees):
    """Names of the constructs, nested."""
    found: list[object] = []
    for tree in trees:
        match tree:
            case Labelled(_, body) | StructuredLoop(_, body):
                found.append((type(tree).__name__, shapes(body)))
            case If(_, then, otherwise):
                found.append(("If", shapes(then), shapes(otherwise)))
            case Straight() | StructuredBranch():
                found.append(type(tree).__name__)
            case _:
                found.append("Stop")
    return found


def pieces(trees):
    """The pieces that a structured program holds, with repetitions."""
    for tree in trees:
        match tree:
            case Straight(piece):
                yield piece.number
            case Labelled(_, body) | StructuredLoop(_, body):
                yield from pieces(body)
            case If(_, then, otherwise):
                yield from pieces(then)
                yield from pieces(otherwise)


REDUCIBLE = """
    .param n: u32
    .param y: buffer u32
    mov r3, r1
outer:
    mov r4, r1
inner:
    stg.u32 [y + r4*4], r3
    loop r4, inner
    set.lt.u32 p0, r3, r1
    bra next, p0
    stg.u32 [y], r3
next:
    loop r3, outer
    stg.u32 [y + 4], r3
"""

IRREDUCIBLE = """
    .param n: u32
    .param y: buffer u32
    mov r3, r1
    mov_imm.u32 r5, 5
    set.lt.u32 p0, r1, r5
    bra second, p0
first:
    stg.u32 [y], r3
second:
    stg.u32 [y + 4], r3
    loop r3, first
"""


def test_reducible_code_is_not_copied():
    trees = structure(lower(optimize(function(REDUCIBLE))).resumes[0])
    found = list(pieces(trees))
    assert len(found) == len(set(found))
    assert "StructuredLoop" in str(shapes(trees))


def test_irreducible_code_is_split():
    lowered = lower(optimize(function(IRREDUCIBLE)))
    found = list(pieces(structure(lowered.resumes[0])))
    assert len(found) > len(set(found))  # what the second entry reaches was copied
    assert len(found) < 3 * len(set(found))


HEAD = ".param n: u32\n.param y: buffer u32\n.shared 256\n"


def division(code: str):
    return fission(lower(optimize(function(HEAD + code))))


def test_runs_end_where_the_block_goes_on():
    plan = division("""
        mov r3, r1
    next:
        sts.u32 [shared + r252*4], r3
        bar_sync 0
        lds.u32 r4, [shared]
        loop r3, next
        stg.u32 [y + r252*4], r4
    """)
    assert plan is not None
    assert not plan.endless
    assert str(structure(plan.entry)).count("StructuredLoop(") == 1  # the block loops, not its lanes
    assert len(plan.uniform) >= 1
    assert [run.leaves for run in plan.runs].count(True) == 0


@pytest.mark.parametrize(
    ("code", "divided", "endless"),
    [
        ("set.lt.u32 p0, r252, r1\n bra on, p0\n exit\non:\n bar_sync 0\n stg.u32 [y], r1", True, False),
        ("mov r5, r252\nl:\n bar_sync 0\n loop r5, l", True, True),
        ("set.lt.u32 p0, r252, r1\n bra on, p0\n bar_sync 0\non:\n bar_sync 1", False, False),
        ("set.lt.u32 p0, r253, r1\n bra on, p0\n bar_sync 0\non:\n bar_sync 1", True, False),
        ("ldg.u32 r5, [y]\n set.lt.u32 p0, r5, r1\n bra on, p0\n bar_sync 0\non:\n bar_sync 1", False, False),
        # A division may fault: the block does not compute its result before the guard.
        ("div.u32 r5, r253, r1\n set.lt.u32 p0, r5, r1\n bra on, p0\n bar_sync 0\non:\n bar_sync 1", False, False),
    ],
)
def test_which_functions_are_divided(code, divided, endless):
    plan = division(code)
    assert (plan is not None) == divided
    assert plan is None or plan.endless == endless


def proven(text: str) -> tuple[int, int]:
    """How many accesses a block can prove to be in bounds, and how many there are."""
    built = optimize(function(text))
    effects = [node for node in built.nodes() if access_of(node) is not None]
    return len(Bounds(built).prove(effects)[1]), len(effects)


COUNTED = "mov r11, r252\nmov_imm.u32 r12, 3\nl:\n stg.u32 [y + r11*4], r1\n add.u32 r11, r11, r12\n loop r10, l"
BUFFERS = ".param n: u32\n.param m: u64\n.param x: buffer u32\n.param y: buffer u32\n.shared 256\n"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("ldg.u32 r10, [x + r255*4]\n stg.u32 [y + r255*4 + 8], r10", (2, 2)),
        ("mad.u32 r10, r249, r1, r252\n stg.u32 [y + r10*4], r1", (1, 1)),
        ("stg.u32 [y + r2*4], r1", (1, 1)),
        ("ldg.u32 r10, [x]\n stg.u32 [y + r10*4], r1", (1, 2)),  # what is loaded may be anything
        ("ldg.u32 r10, [x]\n set.lt.u32 p0, r10, r1\n bra on, !p0\n stg.u32 [y + r10*4], r1\non:", (2, 2)),
        ("ldg.u32 r10, [x]\n set.lt.u32 p0, r10, r1\n bra on, p0\n stg.u32 [y + r10*4], r1\non:", (1, 2)),
        ("ldg.u32 r10, [x]\n min.u32 r10, r10, r1\n stg.u32 [y + r10*4], r1", (2, 2)),
        ("rem.u32 r10, r252, r1\n stg.u32 [y + r10*4], r1", (1, 1)),
        ("mov r10, r1\nl:\n stg.u32 [y + r10*4], r1\n loop r10, l", (1, 1)),
        ("mov_imm.u32 r10, 99\n" + COUNTED, (1, 1)),  # as many rounds as are known
        ("mov r10, r1\n" + COUNTED, (0, 1)),
        ("xor.u32 r10, r252, r1\n stg.u32 [y + r10*4], r1", (0, 1)),
        ("sts.u32 [shared + r252*4], r1", (1, 1)),
    ],
)
def test_bounds_proofs(code, expected):
    assert proven(BUFFERS + code) == expected


def test_a_second_access_to_the_same_place_needs_no_check():
    built = optimize(function(BUFFERS + "ldg.u32 r10, [x]\n ldg.u32 r11, [y + r10*4]\n stg.u32 [y + r10*4], r10"))
    assert [node.op for node in built.nodes() if node in repeated(built)] == ["store"]
    other = optimize(function(BUFFERS + "ldg.u32 r10, [x]\n ldg.u8 r11, [y + r10*4]\n stg.u32 [y + r10*4], r10"))
    assert not repeated(other)  # the first is of one byte


LOOP = """
    .param n: u32
    .param m: u32
    .param y: buffer u32
    mov_imm.u32 r10, 0
    mov_imm.u32 r11, 1
    mov r12, r10
next:
    {}
    add.u32 r12, r12, r20
    add.u32 r10, r10, r11
    set.lt.u32 p0, r10, r1
    bra next, p0
    stg.u32 [y], r12
"""


def moved(code: str) -> bool:
    """Whether the first operation of that name was moved out of the loop."""
    built = optimize(function(LOOP.format(code)))
    looping = {block for block in built.blocks if any(way.number <= block.number for way in block.end.ways)}
    op = code.split(".")[0]
    assert any(node.op == op for node in built.nodes())
    return not any(node.op == op for block in looping for node in block.nodes)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("mul.u32 r20, r1, r2", True),
        ("xor.u32 r20, r1, r10", False),
        ("mul.u32 r20, r10, r2", False),  # another in each round
        ("div.u32 r20, r1, r2", False),  # its guard stays, and so does it
    ],
)
def test_invariant_code_moves_out_of_loops(code, expected):
    assert moved(code) == expected


@pytest.mark.parametrize("code", ["bar_sync 0\n mul.u32 r20, r1, r2", "ldg.u32 r20, [y]"])
def test_loads_and_loops_with_barriers_stay(code):
    stages: list[str] = []
    optimize(function(LOOP.format(code)), lambda name, _: stages.append(name))
    assert "licm" not in stages


def test_long_sums_are_cut():
    """Targets walk expressions recursively."""
    lines = ["mov r2, r252", *("mov_imm.u32 r3, 3\n mul.u32 r2, r2, r3\n xor.u32 r2, r2, r252" for _ in range(2000))]
    built = optimize(function(HEAD + "\n".join(lines) + "\n stg.u32 [y], r2"))
    assert len(wasm.compile_kernel(built).code) > 2000
    assert "v9" in wgsl.compile_kernel(built, [[base] for base in built.bases], 0).code
