"""The verifier of the IR: what the compiler makes keeps its rules after every pass, and what breaks one is found."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hologram_web.compiler.build import build
from hologram_web.compiler.check import IrError, check
from hologram_web.compiler.ir import PRED, Block, Function, Node, Terminator
from hologram_web.compiler.library import LIBRARY, function_of
from hologram_web.compiler.operations import OPERATIONS
from hologram_web.compiler.passes import PASSES, Pass, optimize
from hologram_web.isa import Program, Type
from hologram_web.isa.ops import SCALAR_OPS
from hologram_web.isa.verify import analyze

from .test_optimizer import _programs

U32, F32 = Type.U32, Type.F32
LOOP = """
.param x: buffer f32 read
.param y: buffer f32 write
.param n: u32
    mov_imm.u32 r10, 0
    mov_imm.f32 r11, 0.0
again:
    set.ge.u32 p0, r10, r3
    bra done, p0
    ldg.f32 r12, [x + r10*4]
    add.f32 r11, r11, r12
    mov_imm.u32 r13, 1
    add.u32 r10, r10, r13
    bra again
done:
    stg.f32 [y + r255*4], r11
"""


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Lets every pass that fires be followed by the verifier; the names of those that did."""
    names: list[str] = []

    def watched(name: str, run: Callable[[Function], int]) -> Callable[[Function], int]:
        def wrapper(function: Function) -> int:
            count = run(function)
            if count:
                check(function)
                names.append(name)
            return count

        return wrapper

    for name, found in list(PASSES.items()):
        monkeypatch.setitem(PASSES, name, Pass(watched(name, found.run), found.line))
    return names


def test_every_pass_keeps_the_rules(checked: list[str]) -> None:
    for _, program, block in _programs():
        if not any(instruction.row.collective for instruction in program.instructions):
            function = build(analyze(program), block)
            check(function)
            optimize(function)
    assert set(checked) == set(PASSES)


def test_functions_of_the_library_keep_the_rules() -> None:
    for name in LIBRARY:
        check(function_of(name))


def test_every_operation_is_a_primitive_or_done_by_the_compiler() -> None:
    pure = {name: row.primitive or name for name, row in OPERATIONS.items() if row.kind == "pure"}
    # Which legalise.py and packets.py make, when the meaning of instructions was run already.
    legal = ["extend", "opaque", "dot", "cvt_odd", "mask", "any"]
    assert [name for name, primitive in pure.items() if not hasattr(SCALAR_OPS, primitive)] == legal


def _function() -> Function:
    return build(analyze(Program.from_text(LOOP)), (256, 1, 1))


def _find(function: Function, op: str) -> tuple[Block, Node]:
    return next((block, node) for block in function.blocks for node in (*block.phis, *block.nodes) if node.op == op)


def _operand_of_another_type(function: Function) -> None:
    _, node = next((b, n) for b in function.blocks for n in b.nodes if n.op == "add" and n.ty is U32)
    node.args = (node.args[0], Node("const", F32, (), 0))
    function.blocks[0].nodes.append(node.args[1])


def _no_operation(function: Function) -> None:
    _find(function, "load")[1].op = "peek"


def _wrong_result(function: Function) -> None:
    next(node for node in function.nodes() if node.ty == PRED and node.op != "phi").ty = U32


def _used_before(function: Function) -> None:
    block, node = _find(function, "load")
    block.nodes.remove(node)
    block.nodes.append(node)


def _twice(function: Function) -> None:
    block, node = _find(function, "load")
    block.nodes.insert(0, node)


def _phi_of_too_few(function: Function) -> None:
    _, phi = _find(function, "phi")
    phi.args = phi.args[:1]


def _unknown_predecessor(function: Function) -> None:
    block = next(block for block in function.blocks if len(block.predecessors) > 1)
    block.predecessors.pop()
    for phi in block.phis:
        phi.args = phi.args[:-1]


def _one_way(function: Function) -> None:
    block = next(block for block in function.blocks if block.end.kind == "branch")
    block.end.ways.pop()


def _branch_on_a_number(function: Function) -> None:
    block = next(block for block in function.blocks if block.end.kind == "branch")
    block.end.value = _find(function, "const")[1]


def _leaf_elsewhere(function: Function) -> None:
    node = Node("special", U32, (), "LANE_IDX_X")
    function.blocks[-1].nodes.append(node)


def _memory_of_nobody(function: Function) -> None:
    function.bases.clear()


def _way_out(function: Function) -> None:
    block = next(block for block in function.blocks if block.end.kind == "jump")
    block.end = Terminator("jump", [Block(99)])


def _no_bits(function: Function) -> None:
    function.blocks[0].nodes.append(Node("const", PRED, (), 2))


BROKEN: dict[Callable[[Function], None], str] = {
    _operand_of_another_type: "an operand is f32",
    _no_operation: "there is no such operation",
    _wrong_result: "it gives u32",
    _used_before: "is not there yet",
    _twice: "it stands in two places",
    _phi_of_too_few: "1 operands for 2 predecessors",
    _unknown_predecessor: "as its predecessor",
    _one_way: "branch has 1 ways",
    _branch_on_a_number: "branches on",
    _leaf_elsewhere: "it does not stand in the first block",
    _memory_of_nobody: "the function has no",
    _way_out: "goes to a block that is not there",
    _no_bits: "are no bits of pred",
}


@pytest.mark.parametrize("damage", BROKEN, ids=lambda damage: damage.__name__.strip("_"))
def test_what_breaks_a_rule_is_found(damage: Callable[[Function], None]) -> None:
    function = _function()
    check(function)
    damage(function)
    with pytest.raises(IrError, match=BROKEN[damage]):
        check(function)
