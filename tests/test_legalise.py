"""Legalisation: what targets have not becomes what they have, with the same results, and by the rules of the IR."""

from __future__ import annotations

import pytest

from hologram_web.compiler.build import build
from hologram_web.compiler.check import check
from hologram_web.compiler.ir import Function
from hologram_web.compiler.legalise import legalise, legalised
from hologram_web.compiler.passes import optimize
from hologram_web.compiler.traits import PAIRS, Traits
from hologram_web.isa import Program, Type
from hologram_web.isa.verify import analyze
from hologram_web.targets.wasm.values import TRAITS
from hologram_web.targets.wgsl.language import traits_of

from .filetest import FOLDER, load
from .filetest_run import check as run
from .filetest_run import without_places
from .fuzz.devices import LIMITS, open_devices
from .fuzz.runner import run_seeds
from .fuzz.traced import LegalBackend, PairsBackend

FOLDERS = ("arithmetic", "data", "logic")
SMALL = {"i8", "u16", "f16", "bf16"}
LONG = {"i64", "u64", "f64"}
PATHS = [path for folder in FOLDERS for path in sorted((FOLDER / folder).glob("*.atlas"))]


def _cases(types=SMALL):
    """A run line of every small type, or of others, alone and with another type."""
    for path in PATHS:
        test = load(path)
        found = {(case.ty, case.source): case for case in test.cases() if case.run is not None}
        for (ty, source), case in found.items():
            if {ty, source} & types and test.runs_on("cpu"):
                yield pytest.param(case, id=case.id)


def compiled(text: str) -> Function:
    return optimize(build(analyze(Program.from_text(text)), (256, 1, 1)))


@pytest.mark.parametrize("case", list(_cases()))
def test_filetests_give_the_same_when_legal(case):
    run(without_places(case.launch("cpu")), LegalBackend(limits=LIMITS))


@pytest.mark.parametrize("case", list(_cases(SMALL | LONG)))
def test_filetests_give_the_same_in_pairs_of_words(case):
    run(without_places(case.launch("cpu")), PairsBackend(limits=LIMITS))


@pytest.mark.parametrize("device", ["legal", "pairs"])
@pytest.mark.parametrize(("profile", "count"), [("exact", 30), ("wide", 5)])
def test_random_programs_give_the_same_when_legal(profile, count, device):
    assert run_seeds([(profile, seed) for seed in range(count)], open_devices([device])) == ([], {})


LONG_TEXT = """
    .param n: i64
    .param x: buffer i64 read
    .param y: buffer f64 write
    ldg.i64 r2, [x + r255*8]
    add.i64 r2, r2, r1
    cvt.f64.i64 r3, r2
    stg.f64 [y + r255*8], r3
"""


def test_pairs_are_words_that_are_chosen_copied_and_called_with():
    legal = legalise(compiled(LONG_TEXT), traits_of("exact"))
    check(legal)
    pure = {node.op for node in legal.nodes() if node.ty in PAIRS and node.op not in ("load", "param")}
    assert pure <= {"const", "bitcast", "cvt", "call", "select", "phi", "and", "or", "xor", "not"}
    assert [node.attr for node in legal.nodes() if node.op == "call"] == ["u64_add", "f64_from_i64"]
    assert {node.args[0].ty for node in legal.nodes() if node.op in ("load", "store")} == {Type.U32}


TEXT = """
    .param n: u8
    .param x: buffer i8 read
    .param h: buffer f16 read
    .param y: buffer i8 write
    ldg.i8 r2, [x + r255]
    ldg.f16 r3, [h + r255*2]
    cvt.i8.u8 r4, r1
    add.i8 r2, r2, r4
    cvt.i8.f16 r5, r3
    mul.i8 r2, r2, r5
    stg.i8 [y + r255], r2
"""


def test_small_types_are_left_in_memory_and_scalars_only():
    function = compiled(TEXT)
    before = str(function)
    legal = legalise(function, TRAITS)
    check(legal)
    assert str(function) == before
    small = {node.op for node in legal.nodes() if isinstance(node.ty, Type) and node.ty.bits < 32}
    assert small == {"param"}
    assert {node.attr.element for node in legal.nodes() if node.op in ("load", "store")} == {Type.I8, Type.F16}
    assert [node.attr for node in legal.nodes() if node.op == "call"] == ["f16_to_f32"]


def test_where_memory_has_words_only_shorter_elements_are_parts_of_them():
    """The shift and the mask are values: who writes code accesses words."""
    function = compiled(TEXT)
    legal = legalise(function, traits_of("exact"))
    check(legal)
    accesses = [node for node in legal.nodes() if node.op in ("load", "store")]
    assert all(node.attr.in_word and node.ty in (Type.U32, None) for node in accesses)
    bits, mask = accesses[-1].args[1:]
    assert (bits.op, mask.op, mask.args[0].attr) == ("shl", "shl", 0xFF)
    assert bits.args[1] is mask.args[1]
    broken = compiled(TEXT.replace("r255]", "r255*4 + 1]"))
    found = [node for node in legalise(broken, traits_of("exact")).nodes() if node.op == "store"]
    assert [(node.args[1].args[1].attr, node.args[2].attr) for node in found] == [(8, 0xFF00)]  # known where it lies


def test_what_a_target_has_stays():
    function = compiled(TEXT)
    assert legalise(function, Traits(frozenset(Type))) is function
    shorts = Traits(TRAITS.native | {Type.I8, Type.U8})
    assert any(node.op == "add" and node.ty is Type.I8 for node in legalise(function, shorts).nodes())
    plain = compiled(".param y: buffer f32 write\n mov_imm.f32 r2, 1.5\n stg.f32 [y + r255*4], r2")
    assert legalise(plain, TRAITS) is plain


FLOATS_TEXT = """
    .param x: buffer f32 read
    .param y: buffer f32 write
    ldg.f32 r2, [x + r255*4]
    ldg.f32 r3, [x + r255*4 + 4]
    add.f32 r4, r2, r3
    sub.f32 r5, r4, r3
    mul.f32 r6, r5, r3
    stg.f32 [y + r255*4], r6
"""


def test_fences_stand_where_compilers_could_make_another_computation():
    """Around a sum that something is subtracted from, and around that; not around what is stored or multiplied."""
    function = compiled(FLOATS_TEXT)

    def fenced(same_memory: bool) -> list[tuple[str, str | None]]:
        legal = legalised(function, traits_of("exact"), lambda base: 0 if same_memory else base).function
        check(legal)
        return [(node.args[0].op, node.attr) for node in legal.nodes() if node.op == "opaque"]

    # With other memory than what is read nothing is behind the product; its factor, a difference, needs no fence.
    assert fenced(False) == [("add", None), ("load", "other")]
    assert fenced(True) == [("add", None), ("load", "other"), ("mul", None)]
    whole = legalise(function, traits_of("exact"))  # of a function nobody knows what is behind it
    assert sum(node.op == "opaque" and node.attr is None for node in whole.nodes()) == 3
    assert not any(node.op == "opaque" for node in legalise(function, traits_of("fast")).nodes())


WIDE_TEXT = """
    .param x: buffer i256 read
    .param i: buffer i16 read
    .param f: buffer f32 read
    .param y: buffer i256 write
    ldg.i256 r10, [x + r255*32]
    ldg.i16 r11, [i + r255*2]
    cvt.i256.i16 r12, r11
    min.i256 r13, r10, r12
    max.i256 r13, r13, r10
    set.le.i256 p0, r13, r12
    ldg.f32 r14, [f + r255*4]
    cvt.i256.f32 r15, r14
    sel.i256 r13, p0, r13, r15
    stg.i256 [y + r255*32], r13
"""


@pytest.mark.parametrize(("traits", "of"), [(TRAITS, {Type.I64, Type.F64}), (traits_of("exact"), {Type.I64, Type.F32})])
def test_of_wide_integers_targets_have_what_cannot_be_said_by_others(traits, of):
    legal = legalise(compiled(WIDE_TEXT), traits)
    check(legal)
    wide = [node for node in legal.nodes() if any(ty is Type.I256 for ty in (node.ty, node.attr))]
    assert {node.op for node in wide} == {"load", "lt", "select", "cvt"}
    assert {node.attr for node in wide if node.op == "cvt"} == of


DOT = """.param a: buffer i32 read
.param y: buffer i32 write
    ldg.i32 r10, [a + r255*4]
    ldg.i32 r11, [a + r255*4 + 4]
    mov_imm.u32 r20, {by}
    shl.i32 r12, r10, r20
    shr.i32 r12, r12, r20
    shl.i32 r13, r11, r20
    shr.i32 r13, r13, r20
    mul.i32 r12, r13, r12
    shr.i32 r13, {high}, r20
    shr.i32 r14, r11, r20
    mul.i32 r13, r13, r14
    add.i32 r12, {sum}
    stg.i32 [y + r255*4], r12
"""


@pytest.mark.parametrize("order", ["r12, r13", "r13, r12"])
def test_products_of_halves_are_one_instruction_where_a_target_has_it(order):
    function = compiled(DOT.format(by=16, high="r10", sum=order))
    found = legalise(function, TRAITS)
    (dot,) = (node for node in found.nodes() if node.op == "dot")
    assert {arg.op for arg in dot.args} == {"load"}
    assert not any(node.op == "dot" for node in legalise(function, traits_of("exact")).nodes())


@pytest.mark.parametrize(("by", "high"), [(15, "r10"), (17, "r10"), (16, "r11")])
def test_other_sums_of_products_stay(by, high):
    function = compiled(DOT.format(by=by, high=high, sum="r12, r13"))
    assert not any(node.op == "dot" for node in legalise(function, TRAITS).nodes())
