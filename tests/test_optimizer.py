"""The optimizer as a whole: its tables and their page, that it comes to rest, and passes left out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from examples.bignum import kernels as bignum
from examples.edges import float_kernels, kernels
from hologram_web import Kernel, stdlib
from hologram_web.compiler.build import build
from hologram_web.compiler.passes import PASSES, fired, optimize
from hologram_web.compiler.passes.fold import RULES
from hologram_web.isa import Program
from hologram_web.isa.verify import analyze

from .fuzz.generator import generate

PAGE = Path(__file__).parents[1] / "docs" / "optimizer.md"
EXAMPLES = [k for module in (bignum, kernels, float_kernels) for k in vars(module).values() if isinstance(k, Kernel)]
FUZZED = {"exact": 60, "wide": 20, "atlas": 20}


def _programs():
    for kernel in (*map(stdlib.kernel, stdlib.NAMES), *EXAMPLES):
        yield kernel.name, kernel.program, (256, 1, 1)
    for profile, count in FUZZED.items():
        for seed in range(count):
            case = generate(seed, profile)
            yield f"{profile} {seed}", case.program, tuple(case.config.block)


def function(program, block=(256, 1, 1)):
    return build(analyze(program), block)


def test_the_page_has_the_tables():
    rows = dict(re.findall(r"^\| `([a-z-]+)` \|(.*) \|$", PAGE.read_text(encoding="utf-8"), re.M))
    wanted = {name: f" {found.line}" for name, found in PASSES.items()}
    for name, (ops, rule) in RULES.items():
        listed = " ".join(f"`{op}`" for op in ops.split())
        line = (rule.__doc__ or "").splitlines()[0].replace("|", "\\|")
        wanted[name] = f" {listed} | {line}"
    assert {name: row for name, row in rows.items() if name in wanted} == wanted
    assert not PASSES.keys() & RULES.keys()


def test_the_passes_come_to_rest():
    """Nothing fires in a function that was optimized, and so no pass works against another."""
    restless = {}
    for name, program, block in _programs():
        if any(instruction.row.collective for instruction in program.instructions):
            continue
        optimized = optimize(function(program, block))
        before, text = optimized.fired.copy(), str(optimized)
        optimize(optimized)
        if optimized.fired != before or str(optimized) != text:
            restless[name] = optimized.fired - before
    assert restless == {}


def test_passes_are_counted_and_left_out():
    text = ".param y: buffer u32\n mov_imm.u32 r2, 3\n add.u32 r3, r2, r2\n mul.u32 r4, r3, r1\n stg.u32 [y], r3"
    program = Program.from_text(text.replace("r1\n", "r252\n"))
    whole = optimize(function(program))
    assert fired(whole) == "fold 2 (constant 1, constant-address 1), branches 2, dce 3"
    other = optimize(function(program), without={"fold", "dce"})
    assert fired(other) == "branches 2"
    assert fired(function(program)) == "none fired"


@pytest.mark.parametrize("name", PASSES)
def test_without_a_pass_the_code_is_another(name):
    programs = [kernel.program for kernel in EXAMPLES] + [generate(seed).program for seed in range(3)]
    functions = [(function(p), function(p)) for p in programs if not any(i.row.collective for i in p.instructions)]
    assert any(str(optimize(one)) != str(optimize(other, without={name})) for one, other in functions)
