"""Programs with long chains of blocks, and blocks that lie deep in each other, on every target."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from heapq import heappop

import pytest

from hologram_web.backends import CpuBackend, ExecutionParams, LaunchConfig, WasmBackend
from hologram_web.compiler.build import build
from hologram_web.compiler.fission import fission
from hologram_web.compiler.ir import Function
from hologram_web.compiler.out_of_ssa import lower
from hologram_web.compiler.passes import optimize
from hologram_web.errors import CompileError
from hologram_web.isa import Program, verify
from hologram_web.isa.verify import analyze
from hologram_web.targets import wasm, wgsl

_HEAD = ".param n: u32\n.param y: buffer u32\n mov_imm.u32 r11, 0\n mov_imm.u32 r12, 1\n"
_LAST = "end:\n stg.u32 [y], r11"


def _ifs(count: int) -> str:
    """One if after the other."""
    one = " mov_imm.u32 r13, {0}\n set.eq.u32 p0, r1, r13\n bra c{0}, p0\n"
    one += " mul.u32 r11, r11, r13\n stg.u32 [y + 4], r11\n"
    return "".join((one + "c{0}:\n add.u32 r11, r11, r12\n").format(k) for k in range(count))


def _elifs(count: int) -> str:
    """An if with as many elifs."""
    one = " mov_imm.u32 r13, {0}\n set.ne.u32 p0, r1, r13\n bra c{0}, p0\n"
    one += " add.u32 r11, r11, r13\n stg.u32 [y + 4], r11\n"
    return "".join((one + " bra end\nc{0}:\n").format(k) for k in range(count))


def _loops(count: int) -> str:
    """Loops in each other."""
    heads = "".join(f"c{k}:\n add.u32 r11, r11, r12\n" for k in range(count))
    back = " mov_imm.u32 r13, {1}\n set.lt.u32 p0, r11, r13\n bra c{0}, p0\n"
    return heads + "".join(back.format(k, count + 3) for k in reversed(range(count)))


def _function(text: str) -> Function:
    return optimize(build(analyze(Program.from_text(text)), (64, 1, 1)))


@pytest.mark.parametrize("make", [_ifs, _elifs])
def test_chains_of_branches(make: Callable[[int], str]) -> None:
    """400 of them: Python's frames ended at 300 elifs, and shaders may nest 127 constructs."""
    text = _HEAD + make(400) + _LAST
    results = []
    for device in (CpuBackend(), WasmBackend(cache=False)):
        y = device.allocate_buffer(8)
        launch = ExecutionParams(LaunchConfig.linear(1), {"n": 300, "y": y})
        device.execute_program_with_params(Program.from_text(text), launch)
        results.append(bytes(device.copy_from_buffer(y)))
    assert results[0] == results[1]
    function = _function(text)
    bases = [[base] for base in wasm.compile_kernel(function).bases]
    assert len(wgsl.compile_kernel(function, bases, 0, fast=False).code) < 1_300 * 400


def test_loops_deep_in_each_other() -> None:
    function = _function(_HEAD + _loops(200) + _LAST)
    kernel = wasm.compile_kernel(function)
    assert kernel.code
    with pytest.raises(CompileError) as error:
        wgsl.compile_kernel(function, [[base] for base in kernel.bases], 0)
    assert str(error.value) == (
        "instruction 204: loops and branches lie in each other more than 127 deep, the most of a shader"
    )


def test_code_behind_many_barriers() -> None:
    """Behind each of 200 barriers in a loop lanes may come to all of its code."""
    tests = "".join(f" mov_imm.u32 r13, {k}\n set.eq.u32 p0, r10, r13\n bra c{k}, p0\n" for k in range(200))
    meet = "".join(f"c{k}:\n add.u32 r11, r11, r12\n bar_sync 0\n bra again\n" for k in range(200))
    function = _function(f".shared 4\n{_HEAD}again:\n ldg.u32 r10, [y + r11*4]\n{tests} bra end\n{meet}{_LAST}")
    with pytest.raises(CompileError) as error:
        fission(lower(function))
    assert str(error.value) == (
        "instruction 605: behind each of 200 barriers lanes may go on to much of the code, which would be written for "
        "each of them, more than 24,816 blocks in all: let fewer barriers lie in loops and branches"
    )


def test_what_follows_a_loop_is_verified_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The body of a loop comes before what follows it, which knows by then all that the loop writes."""
    visits: list[int] = []

    def popped(work: list[tuple[int, int]]) -> tuple[int, int]:
        found = heappop(work)
        visits.append(found[1])
        return found

    monkeypatch.setattr(verify, "heappop", popped)
    loop = "head:\n set.ge.u32 p1, r11, r1\n bra out, p1\n add.u32 r11, r11, r12\n cvt.u64.u32 r20, r11\n bra head\n"
    analysis = analyze(Program.from_text(_HEAD + loop + "out:\n" + _ifs(50) + _LAST))
    assert not analysis.found
    assert sorted(Counter(visits).values()) == [1] * (len(analysis.graph.blocks) - 2) + [2, 2]
