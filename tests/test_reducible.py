"""Loops of several entries: split where that adds little, else by dispatchers (compiler/reducible.py)."""

from __future__ import annotations

import pytest

from hologram_web.backends import CpuBackend, ExecutionParams, LaunchConfig, WasmBackend, WebGpuBackend
from hologram_web.compiler.build import build
from hologram_web.compiler.ir import Function
from hologram_web.compiler.out_of_ssa import Go, Piece, lower
from hologram_web.compiler.passes import optimize
from hologram_web.compiler.reducible import reducible, together
from hologram_web.compiler.structure import structure
from hologram_web.isa import Program
from hologram_web.isa.verify import analyze
from hologram_web.targets import wasm, wgsl


def _tangle(count: int) -> str:
    """Blocks that go to the next one, or to another, by the bits of n + lane, and end when there are none left."""
    blocks = [
        f"b{k}:\n mov_imm.u32 r13, {2 * k + 3}\n mul.u32 r11, r11, r13\n add.u32 r11, r11, r12\n"
        f"set.eq.u32 p0, r10, r15\n bra end, p0\n and.u32 r14, r10, r12\n shr.u32 r10, r10, r12\n"
        f"set.ne.u32 p1, r14, r15\n bra b{(k + 1) % count}, p1\n bra b{(5 * k + 3) % count}\n"
        for k in range(count)
    ]
    start = ".param n: u32\n.param y: buffer u32\n"
    start += "mov_imm.u32 r11, 0\n mov_imm.u32 r12, 1\n mov_imm.u32 r15, 0\n add.u32 r10, r1, r252\n"
    return start + "".join(blocks) + "end:\n stg.u32 [y + r252*4], r11"


def _function(text: str) -> Function:
    return optimize(build(analyze(Program.from_text(text)), (64, 1, 1)), without={"unroll"})


def _pieces(function: Function) -> list[Piece]:
    """All that lanes may come to, with loops of one entry only."""
    found: dict[Piece, None] = {}
    work = [reducible(lower(function).resumes[0])]
    while work:
        piece = work.pop()
        if piece not in found:
            found[piece] = None
            work += piece.successors
    return list(found)


def _ways(pieces: list[Piece]) -> int:
    """How many ways go by a dispatcher."""
    return sum(isinstance(statement, Go) for piece in pieces for statement in piece.statements)


@pytest.mark.parametrize("count", [16, 18, 40, 100])
def test_tangled_blocks_have_code_as_long_as_they_are(count: int) -> None:
    """16 of them became 29 MB of WGSL when they were copied, and 18 were refused."""
    function = _function(_tangle(count))
    pieces = _pieces(function)
    assert _ways(pieces) > count
    assert len(pieces) < 8 * count
    kernel = wasm.compile_kernel(function)
    assert len(kernel.code) < 500 * count
    assert len(wgsl.compile_kernel(function, [[base] for base in kernel.bases], 0, fast=False).code) < 2_000 * count
    results = []
    for device in (CpuBackend(), WasmBackend(cache=False)):
        y = device.allocate_buffer(4 * 64)
        launch = ExecutionParams(LaunchConfig.linear(64, 64), {"n": 0x9E3779B9, "y": y})
        device.execute_program_with_params(Program.from_text(_tangle(count)), launch)
        results.append(bytes(device.copy_from_buffer(y)))
    assert results[0] == results[1]


def test_few_blocks_are_copied() -> None:
    assert not _ways(_pieces(_function(_tangle(3))))


def test_loops_of_one_entry_stay_as_they_are() -> None:
    """One within the tangle, entered from several blocks, and one behind it go around without the dispatcher."""
    loop = "\nadd.u32 r11, r11, r12\n loop r16, {0}\n"
    text = _tangle(16).replace("b7:\n", "b7:\n mov_imm.u32 r16, 5\nseven:" + loop.format("seven"))
    text = text.replace("end:\n", "end:\n mov r16, r1\nlast:" + loop.format("last"))
    with_loops, without = (str(structure(lower(_function(t)).resumes[0])) for t in (text, _tangle(16)))
    assert with_loops.count("Loop(") == without.count("Loop(") + 2


def _with_barriers(count: int, every: int) -> str:
    """The same with barriers, which all lanes come to together, though nothing proves it: memory is added to n."""
    text = _tangle(count).replace("add.u32 r10, r1, r252", "ldg.u32 r10, [y + r252*4]\n add.u32 r10, r10, r1")
    for k in range(0, count, every):
        text = text.replace(f"b{k}:\n", f"b{k}:\n bar_sync 0\n")
    return text


@pytest.mark.parametrize(("count", "every"), [(28, 4), (41, 4), (100, 4)])
def test_tangles_with_barriers_are_in_the_shader_once(count: int, every: int) -> None:
    """41 blocks with 11 barriers were 1.3 MB, because each segment had what it reaches."""
    function = _function(_with_barriers(count, every))
    bases = wasm.compile_kernel(function).bases
    assert len(wgsl.compile_kernel(function, [[base] for base in bases], 0, fast=False).code) < 4_000 * count


def test_lanes_go_on_behind_barriers_in_tangles() -> None:
    text = _with_barriers(28, 4)
    results = []
    for device in (CpuBackend(), WasmBackend(cache=False), WebGpuBackend()):
        y = device.allocate_buffer(4 * 64)
        device.copy_to_buffer(y, bytes(4 * 64))
        launch = ExecutionParams(LaunchConfig.linear(64, 64), {"n": 0x9E3779B9, "y": y})
        device.execute_program_with_params(Program.from_text(text), launch)
        results.append(bytes(device.copy_from_buffer(y)))
    assert results[0] == results[1] == results[2]
    assert any(results[0])


def test_few_segments_are_functions_of_their_own() -> None:
    assert together(lower(_function(_with_barriers(10, 4))).resumes) is None
