"""The optimizer of programs: where each pass fires and where it must not; that it is done in one go; what it keeps."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest

import hologram_web as hg
from hologram_web import stdlib
from hologram_web.backends import DEVICES
from hologram_web.isa import Program
from hologram_web_tools.optimizer import PASSES

from .filetest import FileTestError
from .filetest_run import check
from .fuzz.devices import open_devices
from .fuzz.optimized import OptimizedBackend
from .fuzz.runner import run_seeds
from .test_filetests import PATHS, _load

_PARAMS = """
.param x: buffer u32 read_write
.param f: buffer f32 read_write
.param n: u32
.shared 64
"""


def _text(body: str) -> str:
    return Program.from_text(_PARAMS + dedent(body)).to_text()


def _run(passes: str, body: str) -> tuple[str, dict[str, int]]:
    optimizer = hg.ProgramOptimizer(passes.split())
    program = Program.from_text(_PARAMS + dedent(body))
    better, counters = optimizer.optimize(program), optimizer.counters
    assert optimizer.optimize(better).to_bytes() == better.to_bytes()
    return better.to_text(), counters


# What the passes do: the name, a program, and what becomes of it.
FIRES = {
    "what is computed from constants": (
        "constant-propagation",
        "mov_imm.u32 r4, 3\n mul.u32 r5, r4, r4\n cvt.f32.u32 r6, r5\n stg.f32 [f], r6",
        "mov_imm.u32 r4, 3\n mov_imm.u32 r5, 9\n mov_imm.f32 r6, 9.0\n stg.f32 [f], r6",
    ),
    "over branches that do not matter": (
        "constant-propagation",
        """
            set.lt.u32 p0, r3, r252
            mov_imm.u32 r4, 8
            bra other, p0
            mov_imm.u32 r5, 16
            bra both
        other:
            mov_imm.u32 r5, 16
        both:
            mul.u32 r6, r4, r5
            stg.u32 [x], r6
        """,
        """
            set.lt.u32 p0, r3, r252
            mov_imm.u32 r4, 8
            bra other, p0
            mov_imm.u32 r5, 16
            bra both
        other:
            mov_imm.u32 r5, 16
        both:
            mov_imm.u32 r6, 128
            stg.u32 [x], r6
        """,
    ),
    "branches that constants decide, and what only they reach": (
        "constant-propagation dead-code",
        """
            mov_imm.u32 r4, 1
            mov_imm.u32 r5, 2
            set.lt.u32 p0, r5, r4
            bra never, p0
            set.lt.u32 p0, r4, r5
            bra always, p0
            stg.u32 [x], r4
        never:
            stg.u32 [x + 4], r4
        always:
            stg.u32 [x + 8], r4
        """,
        "mov_imm.u32 r4, 1\n bra always\n always:\n stg.u32 [x + 8], r4",
    ),
    "registers in addresses and counts": (
        "constant-propagation",
        "mov_imm.u32 r4, 3\n ldg.u32 r5, [x + r4*4 + 8]\n reduce_add.u32 r5, [x], r4\n stg.u32 [phi r4, 1, r4], r5",
        "mov_imm.u32 r4, 3\n ldg.u32 r5, [x + 20]\n reduce_add.u32 r5, [x], 3\n stg.u32 [phi 3, 1, 3], r5",
    ),
    "a loop that does not go round": (
        "constant-propagation",
        "mov_imm.u32 r4, 0\n again:\n stg.u32 [x], r3\n loop r4, again",
        "mov_imm.u32 r4, 0\n again:\n stg.u32 [x], r3",
    ),
    "a copy is read where it came from": (
        "copy-propagation",
        "mov r4, r3\n mov r5, r4\n add.u32 r6, r5, r4\n mov r7, r1\n stg.u32 [r7 + r5*4], r6",
        "mov r4, r3\n mov r5, r3\n add.u32 r6, r3, r3\n mov r7, r1\n stg.u32 [r1 + r3*4], r6",
    ),
    "equal constants are one": (
        "copy-propagation",
        "mov_imm.u32 r4, 7\n mov_imm.u32 r5, 7\n stg.u32 [x + r5], r5",
        "mov_imm.u32 r4, 7\n mov_imm.u32 r5, 7\n stg.u32 [x + r4], r4",
    ),
    "neutral elements": (
        "peephole dead-code",
        "mov_imm.u32 r4, 0\n add.u32 r5, r3, r4\n or.u32 r6, r4, r5\n stg.u32 [x], r6",
        "mov r6, r3\n stg.u32 [x], r6",
    ),
    "x ^ x, and a MOV to itself": (
        "peephole",
        "xor.u32 r4, r3, r3\n mov r4, r4\n stg.u32 [x], r4",
        "mov_imm.u32 r4, 0\n stg.u32 [x], r4",
    ),
    "a conversion there and back": (
        "peephole dead-code",
        "cvt.u64.u32 r4, r3\n cvt.u32.u64 r5, r4\n stg.u32 [x], r5",
        "mov r5, r3\n stg.u32 [x], r5",
    ),
    "a negation decides": (
        "peephole dead-code",
        "ldg.f32 r4, [f]\n set.lt.f32 p0, r4, r4\n pnot p1, p0\n sel.u32 r5, p1, r3, r252\n bra end, p1\n"
        " stg.u32 [x], r5\n end:",
        "ldg.f32 r4, [f]\n set.lt.f32 p0, r4, r4\n sel.u32 r5, p0, r252, r3\n bra end, !p0\n stg.u32 [x], r5\n end:",
    ),
    "a negated comparison of integers": (
        "peephole dead-code",
        "set.lt.u32 p0, r3, r252\n pnot p1, p0\n bra end, p1\n stg.u32 [x], r3\n end:",
        "set.le.u32 p1, r252, r3\n bra end, p1\n stg.u32 [x], r3\n end:",
    ),
    "a selection of equals": (
        "peephole dead-code",
        "set.lt.u32 p0, r3, r252\n sel.u32 r4, p0, r3, r3\n stg.u32 [x], r4",
        "mov r4, r3\n stg.u32 [x], r4",
    ),
    "the same again, operands either way": (
        "common-subexpressions",
        "add.u32 r4, r3, r252\n add.u32 r5, r252, r3\n stg.u32 [x + r4], r5",
        "add.u32 r4, r3, r252\n mov r5, r4\n stg.u32 [x + r4], r5",
    ),
    "a load again": (
        "common-subexpressions",
        "ldg.u32 r4, [x + r3*4]\n ldg.u32 r5, [x + r3*4]\n add.u32 r5, r4, r5\n stg.u32 [x], r5",
        "ldg.u32 r4, [x + r3*4]\n mov r5, r4\n add.u32 r5, r4, r5\n stg.u32 [x], r5",
    ),
    "MUL and ADD": (
        "fusion dead-code",
        "mul.u32 r4, r3, r252\n add.u32 r5, r253, r4\n stg.u32 [x], r5",
        "mad.u32 r5, r3, r252, r253\n stg.u32 [x], r5",
    ),
    "the lesser and the greater": (
        "fusion dead-code",
        "set.lt.u32 p0, r3, r252\n sel.u32 r4, p0, r3, r252\n set.le.u32 p0, r3, r253\n sel.u32 r5, p0, r253, r3\n"
        " stg.u32 [x + r4*4], r5",
        "min.u32 r4, r3, r252\n max.u32 r5, r3, r253\n stg.u32 [x + r4*4], r5",
    ),
    "MAX and MIN, of floats too": (
        "fusion dead-code",
        "ldg.f32 r4, [f]\n ldg.f32 r5, [f + 4]\n ldg.f32 r6, [f + 8]\n max.f32 r7, r4, r5\n min.f32 r7, r7, r6\n"
        " stg.f32 [f], r7",
        "ldg.f32 r4, [f]\n ldg.f32 r5, [f + 4]\n ldg.f32 r6, [f + 8]\n clamp.f32 r7, r4, r5, r6\n stg.f32 [f], r7",
    ),
    "indices that cannot wrap": (
        "fusion dead-code",
        "mov_imm.u64 r4, 2\n add.u64 r5, r255, r4\n mul.u64 r6, r255, r4\n cvt.i64.u32 r7, r3\n"
        " ldg.u32 r8, [x + r5*4]\n ldg.u32 r9, [x + r6*4 + 4]\n add.u32 r8, r8, r9\n stg.u32 [x + r7*4], r8",
        "ldg.u32 r8, [x + r255*4 + 8]\n ldg.u32 r9, [x + r255*8 + 4]\n add.u32 r8, r8, r9\n stg.u32 [x + r3*4], r8",
    ),
    "pointers": (
        "fusion dead-code",
        "lea r4, [x + r3*4 + 8]\n ldg.u32 r5, [*r4]\n stg.u32 [*r4], r5",
        "ldg.u32 r5, [x + r3*4 + 8]\n stg.u32 [x + r3*4 + 8], r5",
    ),
    "what is only copied": (
        "copy-coalescing",
        "add.u32 r4, r3, r3\n mul.u32 r5, r4, r4\n mov r6, r4\n stg.u32 [x + r5*4], r6",
        "add.u32 r6, r3, r3\n mul.u32 r5, r6, r6\n stg.u32 [x + r5*4], r6",
    ),
    "jumps to the next instruction, to jumps, around jumps": (
        "jumps dead-code",
        """
            set.lt.u32 p0, r3, r252
            bra next, p0
        next:
            stg.u32 [x], r3
            bra near, p0
            bra far
        near:
            stg.u32 [x + 4], r3
            bra far, p0
            stg.u32 [x + 8], r3
            exit
        far:
            bra end
        again:
            stg.u32 [x + 12], r3
        end:
            stg.u32 [x + 16], r3
            bra again, p0
            exit
        """,
        """
            set.lt.u32 p0, r3, r252
            stg.u32 [x], r3
            bra end, !p0
            stg.u32 [x + 4], r3
            bra end, p0
            stg.u32 [x + 8], r3
            exit
        again:
            stg.u32 [x + 12], r3
        end:
            stg.u32 [x + 16], r3
            bra again, p0
        """,
    ),
    "what nothing needs": (
        "dead-code",
        """
            mov_imm.u32 r4, 3
            add.u32 r5, r4, r4
            div.u32 r6, r5, r4
            lds.u32 r7, [shared + 60]
            lea r8, [x]
            stg.u32 [x], r3
            exit
        unused:
            stg.u32 [x + 4], r3
        """,
        "stg.u32 [x], r3\n exit",
    ),
    "a counter that only counts itself": (
        "dead-code",
        "mov_imm.u32 r4, 0\n mov_imm.u32 r5, 9\n again:\n stg.u32 [x], r3\n add.u32 r4, r4, r3\n loop r5, again",
        "mov_imm.u32 r5, 9\n again:\n stg.u32 [x], r3\n loop r5, again",
    ),
}


@pytest.mark.parametrize("name", FIRES)
def test_a_pass_fires(name):
    passes, before, after = FIRES[name]
    found, counters = _run(passes, before)
    assert found == _text(after)
    assert counters[passes.split()[0]] > 0


ALL = " ".join(PASSES)
# What must stay as it is, under one pass or under all of them.
STAYS = {
    "a load that may fault": (ALL, "ldg.u32 r4, [x + r3*4]\n lds.u32 r5, [shared + 64]\n lds.u32 r6, [shared + 2]"),
    "a division that may fault": (ALL, "div.u32 r4, r252, r3\n rem.u32 r5, r252, r3"),
    "a division by a known zero": (ALL, "mov_imm.u32 r4, 0\n div.u32 r5, r252, r4"),
    "operands that are checked": (ALL, "cvt.u8.u32 r4, r3\n mirror r5, r4\n lea r6, [phi r3, 1, 2]"),
    "a register that is read on another path": (
        ALL,
        """
            set.lt.u32 p0, r3, r252
            mov_imm.u32 r4, 1
            bra end, p0
            mov_imm.u32 r4, 2
        end:
            stg.u32 [x], r4
        """,
    ),
    "a copy whose source changes": (
        "copy-propagation",
        "mov r4, r3\n mov_imm.u32 r3, 1\n add.u32 r5, r4, r3\n stg.u32 [x], r5",
    ),
    "a copy on one way only": (
        "copy-propagation",
        """
            set.lt.u32 p0, r3, r252
            mov r4, r252
            bra end, p0
            mov r4, r3
        end:
            stg.u32 [x], r4
        """,
    ),
    "a copy that goes on being read": (
        "copy-coalescing",
        "add.u32 r4, r3, r3\n mov r5, r4\n stg.u32 [x + r4*4], r5",
    ),
    "a copy whose destination is read before": (
        "copy-coalescing",
        "mov_imm.u32 r5, 1\n add.u32 r4, r3, r3\n stg.u32 [x], r5\n mov r5, r4\n stg.u32 [x + 4], r5",
    ),
    "x + 0 of floats: -0 becomes +0": (
        ALL,
        "ldg.f32 r4, [f]\n mov_imm.f32 r5, 0.0\n add.f32 r6, r4, r5\n stg.f32 [f], r6",
    ),
    "x * 0 and x - x of floats, which may be NaN": (
        ALL,
        "ldg.f32 r4, [f]\n sub.f32 r5, r4, r4\n stg.f32 [f], r5\n mov_imm.f32 r5, 0.0\n mul.f32 r4, r4, r5\n"
        " stg.f32 [f + 4], r4",
    ),
    "a negated comparison of floats": (
        ALL,
        "ldg.f32 r4, [f]\n ldg.f32 r5, [f + 4]\n set.lt.f32 p0, r4, r5\n bra end, !p0\n stg.f32 [f], r4\n end:",
    ),
    "MUL and ADD of floats": (
        ALL,
        "ldg.f32 r4, [f]\n ldg.f32 r5, [f + 4]\n mul.f32 r6, r4, r5\n add.f32 r6, r6, r4\n stg.f32 [f], r6",
    ),
    "the lesser of floats, which may be NaN": (
        ALL,
        "ldg.f32 r4, [f]\n ldg.f32 r5, [f + 4]\n set.lt.f32 p0, r4, r5\n sel.f32 r6, p0, r4, r5\n stg.f32 [f], r6",
    ),
    "a product that is needed itself": (
        ALL,
        "mul.u32 r4, r3, r252\n add.u32 r5, r4, r253\n stg.u32 [x + r4*4], r5",
    ),
    "an index that may wrap": (
        ALL,
        "mov_imm.u32 r4, 1\n add.u32 r5, r3, r4\n stg.u32 [x + r5*4], r3",
    ),
    "a narrowing conversion": (ALL, "cvt.u8.u32 r4, r3\n cvt.u32.u8 r5, r4\n stg.u32 [x], r5"),
    "a load after a store, and after a barrier": (
        ALL,
        "lds.u32 r4, [shared]\n sts.u32 [shared + 4], r3\n lds.u32 r5, [shared]\n add.u32 r4, r4, r5\n bar_sync 0\n"
        " lds.u32 r5, [shared]\n add.u32 r4, r4, r5\n stg.u32 [x], r4",
    ),
    "a LOOP and its counter": (
        ALL,
        "mov_imm.u32 r4, 3\n mov r5, r3\n again:\n stg.u32 [x + r4*4], r5\n add.u32 r5, r5, r5\n loop r4, again",
    ),
    "a LOOP to the next instruction": (ALL, "mov r4, r3\n loop r4, next\n next:\n stg.u32 [x], r4"),
    "a jump to itself": (ALL, "stg.u32 [x], r3\n forever:\n bra forever"),
    "a loop that never ends, behind a collective": (
        "constant-propagation",
        "mov r4, r3\n again:\n stg.u32 [x], r252\n loop r4, again\n fill.u32 [x], 4, 1.0\n mov_imm.u32 r5, 1\n"
        " set.eq.u32 p0, r5, r5\n forever:\n stg.u32 [x], r5\n bra forever, p0",
    ),
    "the target of a CALL": (
        ALL,
        "call f\n call f\n exit\n f:\n atom.add.u32 r4, [x], r3\n ret",
    ),
    "what differs from call to call": (
        ALL,
        "mov_imm.u32 r4, 1\n call f\n mov_imm.u32 r4, 2\n call f\n exit\n f:\n add.u32 r5, r4, r3\n"
        " stg.u32 [x + r4*4], r5\n ret",
    ),
    "phases, resonance, fences, pools": (
        ALL,
        "phase_adv 5\n mem_fence.block\n phase_get r4\n pool_alloc #1, 16\n pool_store.u32 #1, 0, r4\n pool_free #1\n"
        " phase_write r4, 3",
    ),
    "a value on both sides of a collective": (
        "common-subexpressions",
        "cvt.u32.u64 r4, r255\n stg.u32 [x + r4*4], r3\n fill.u32 [x], 4, 1.0\n cvt.u32.u64 r4, r255\n"
        " stg.u32 [x + r4*4], r3",
    ),
    # What lanes computed in code that depends on them is lost in a collective, what the host can compute is not.
    "a value of the host that a loop of lanes has, too": (
        "common-subexpressions",
        "mov_imm.u32 r4, 63\n mov_imm.u32 r6, 0\n again:\n and.u32 r5, r3, r4\n add.u32 r6, r6, r5\n"
        " set.lt.u32 p0, r6, r252\n bra again, p0\n and.u32 r7, r3, r4\n fill.u32 [x], 4, 1.0\n stg.u32 [x + 4], r7",
    ),
    "a constant of the host that a loop of lanes has, too": (
        "copy-propagation",
        "mov_imm.u32 r6, 0\n again:\n mov_imm.u32 r4, 63\n add.u32 r6, r6, r4\n set.lt.u32 p0, r6, r252\n"
        " bra again, p0\n mov_imm.u32 r5, 63\n and.u32 r7, r3, r5\n fill.u32 [x], 4, 1.0\n stg.u32 [x + 4], r7",
    ),
}


@pytest.mark.parametrize("name", STAYS)
def test_a_pass_does_not_fire(name):
    passes, body = STAYS[name]
    assert _run(passes, body)[0] == _text(body)


# Every program there is


def test_floats_fuse_where_they_may():
    """math="fast" allows MAD to round once, so MUL and ADD may become one."""
    program = Program.from_text(_PARAMS + dedent(STAYS["MUL and ADD of floats"][1]))
    assert "mad.f32 r6, r4, r5, r4" in hg.ProgramOptimizer(math="fast").optimize(program).to_text()
    assert hg.ProgramOptimizer(math="strict").optimize(program).to_bytes() == program.to_bytes()


@pytest.mark.parametrize("name", [name for name in stdlib.NAMES if name not in stdlib.CALLS])
def test_the_standard_library_is_done_in_one_go(name):
    program = stdlib.kernel(name).program
    before = program.to_bytes()
    better = program.optimize()
    assert better.problems() == []
    assert better.optimize().to_bytes() == better.to_bytes()
    assert len(better) < len(program)
    assert program.to_bytes() == before
    assert better.params == program.params
    assert better.metadata == program.metadata
    assert better.shared_memory == program.shared_memory


@pytest.mark.parametrize("folder", sorted({path.parent.name for path in PATHS}))
def test_filetests_say_the_same(folder):
    """For one of the types of each. Faults, too: of the same kind, and of the instruction that had them before."""
    device = OptimizedBackend()
    for number, path in enumerate(path for path in PATHS if path.parent.name == folder):
        test, cases = _load(path)
        if isinstance(test, FileTestError) or not test.runs_on("cpu"):
            continue
        types = list(dict.fromkeys((case.ty, case.source) for case in cases))
        for case in cases:
            if case.run and (case.ty, case.source) == types[number % len(types)]:
                check(case.launch("cpu"), device)


@pytest.mark.parametrize(("profile", "count"), [("exact", 10), ("faults", 10), ("wide", 4), ("atlas", 4)])
def test_random_programs_keep_their_bits(profile, count):
    assert run_seeds([(profile, seed) for seed in range(count)], open_devices(["optimized"])) == ([], {})


@pytest.mark.parametrize("name", DEVICES)
def test_an_optimized_kernel_gives_the_same_bits(name):
    try:
        device = DEVICES[name]()
    except hg.BackendUnavailable as error:
        pytest.skip(str(error))
    program = stdlib.kernel("matmul").program
    rng = np.random.default_rng(7)
    sizes = {"M": 5, "N": 7, "K": 3}
    a, b = rng.standard_normal((5, 3), "f4"), rng.standard_normal((3, 7), "f4")
    found = []
    for each in (program, program.optimize()):
        handles = {}
        for key, array in (("A", a), ("B", b), ("Y", np.zeros(35, "f4"))):
            handles[key] = device.allocate_buffer(array.nbytes)
            device.copy_to_buffer(handles[key], array.tobytes())
        launch = hg.ExecutionParams(hg.LaunchConfig.linear(35), {**handles, **sizes})
        device.execute_program_with_params(each, launch)
        found.append(bytes(device.copy_from_buffer(handles["Y"])))
    device.close()
    assert found[0] == found[1]
    assert np.allclose(np.frombuffer(found[0], "f4"), (a @ b).reshape(-1), atol=1e-5)


def test_nothing_may_be_left():
    program = Program.from_text("mov_imm.u32 r1, 1\nexit")
    better = program.optimize()
    assert len(better) == 0
    device = hg.backends.CpuBackend()
    device.execute_program(better, hg.LaunchConfig.linear(3))


# The class


def test_counters_and_origins():
    kernel = stdlib.kernel("averagepool")
    optimizer = hg.ProgramOptimizer(["dead-code", "peephole", "copy-propagation"])
    better = optimizer.optimize(kernel.program)
    assert list(optimizer.counters) == ["copy-propagation", "peephole", "dead-code"]
    assert all(optimizer.counters.values())
    assert len(optimizer.origins) == len(better)
    assert list(optimizer.origins) == sorted(set(optimizer.origins))
    for instruction, origin in zip(better.instructions, optimizer.origins, strict=True):
        if instruction.name in ("LDG", "STG", "DIV"):
            assert kernel.program.instructions[origin].name == instruction.name
            assert kernel.line(origin)
    optimizer.optimize(better)
    assert set(optimizer.counters.values()) == {0}
    assert list(optimizer.origins) == list(range(len(better)))


def test_wrong_names():
    with pytest.raises(hg.CompileError, match="there is no pass 'inline': use constant-propagation, copy-"):
        hg.ProgramOptimizer(["peephole", "inline"])
    with pytest.raises(hg.CompileError, match="math is 'exact', 'fast' or 'strict', not 'loose'"):
        hg.ProgramOptimizer(math="loose")
    with pytest.raises(hg.IsaError, match="r3 is read but not written"):
        Program.from_text(".param x: buffer u32 write\nstg.u32 [x], r3").optimize()


def test_the_page_has_the_table():
    page = (Path(__file__).resolve().parents[1] / "docs" / "optimizer.md").read_text(encoding="utf-8")
    rows = "".join(f"| `{name}` | {found.doc} |\n" for name, found in PASSES.items())
    assert f"|---|---|\n{rows}\n" in page


def test_no_pass_changes_nothing():
    program = stdlib.kernel("averagepool").program
    better = hg.ProgramOptimizer([]).optimize(program)
    assert better == program
    assert better is not program
    assert hg.ProgramOptimizer("dead-code").passes == ("dead-code",)


def test_it_is_loaded_when_it_is_asked_for():
    code = (
        "import sys, hologram_web as hg; hg.Program.from_text('exit').validate(); "
        "print('hologram_web_tools.optimizer' in sys.modules); hg.Program().optimize(); "
        "print('hologram_web_tools.optimizer' in sys.modules, 'numpy' in sys.modules)"
    )
    root = Path(__file__).resolve().parents[1]
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    assert found.stdout.split() == ["False", "True", "False"]
