"""The verifier of the IR. It is for tests: every pass must keep what is listed here.

1. The first block has no predecessors and no phis.
2. A block's ways are blocks of the function, and know it as a predecessor; predecessors know it as a way. No block is
   twice among the ways of another.
3. A terminator has as many ways as its kind: a jump and a barrier one, a branch two, and a predicate besides; exits
   and collectives none. Only a terminator with ways takes steps, and only going back does.
4. A node stands in one place of one block, phis before all others. A phi has an operand for each predecessor.
5. A value is computed before it is used, on every way: where it is defined dominates where it is used; what a phi
   merges is there at the end of the predecessor it comes from.
6. Operations are rows of OPERATIONS. Operands, results and attributes have the types that the row says.
7. What is there from the start stands in the first block.
8. An effect reaches memory whose base the function names. Behind its operands it has an index and a length, of one
   type, for each axis that it checks. What it loads or stores has the type of the element, or is held in a word or
   a pair; of an access in a word they are words.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import FaultKind
from ..isa.types import Type
from .accesses import axes_of
from .dominance import Dominators
from .ir import PRED, Block, Function, MemoryAccess, Node, ValueType
from .library import routine_of
from .operations import LEAVES, OPERATIONS
from .traits import forms_of

__all__ = ["IrError", "check"]

_WAYS = {"jump": 1, "branch": 2, "barrier": 1, "exit": 0, "collective": 0}


class IrError(AssertionError):
    """A function breaks a rule: a mistake of the compiler."""


def check(function: Function) -> None:
    """Raises IrError with all that is wrong."""
    function.renumber()
    problems = [*_blocks(function), *_nodes(function)]
    if not problems:
        problems = list(_order(function))
    if problems:
        raise IrError("\n".join([*problems[:20], str(function)]))


def _blocks(function: Function) -> Iterator[str]:
    blocks = set(function.blocks)
    if len(blocks) < len(function.blocks):
        yield "a block stands twice"
    first = function.blocks[0]
    if first.predecessors or first.phis:
        yield "the first block has predecessors or phis"
    for block in function.blocks:
        end, name = block.end, f"b{block.number}"
        if end.kind not in _WAYS:
            yield f"{name} ends in {end.kind}, which is no kind"
        elif len(end.ways) != _WAYS[end.kind]:
            yield f"{name}: {end.kind} has {len(end.ways)} ways"
        if len(set(end.ways)) < len(end.ways):
            yield f"{name} goes the same way twice"
        if (end.kind == "branch") != (end.value is not None) and end.kind != "exit":
            yield f"{name}: {end.kind} has {'no' if end.value is None else 'a'} value"
        if end.kind == "branch" and end.value is not None and end.value.ty != PRED:
            yield f"{name} branches on {end.value.ty}"
        if end.steps and not end.ways:
            yield f"{name} takes a step and goes nowhere"
        for way in end.ways:
            if way not in blocks:
                yield f"{name} goes to a block that is not there"
            elif way.predecessors.count(block) != 1:
                yield f"b{way.number} does not know {name} as its predecessor"
        for before in block.predecessors:
            if before not in blocks or block not in before.end.ways:
                yield f"{name} has a predecessor that does not go there"


def _nodes(function: Function) -> Iterator[str]:
    seen: set[Node] = set()
    for block in function.blocks:
        for place, nodes in (("phis", block.phis), ("nodes", block.nodes)):
            for node in nodes:
                where = f"b{block.number}, {node}"
                if node in seen:
                    yield f"{where}: it stands in two places"
                seen.add(node)
                if node.op not in OPERATIONS:
                    yield f"{where}: there is no such operation"
                    continue
                if (node.op == "phi") != (place == "phis"):
                    yield f"{where}: it is among the {place}"
                if node.op in LEAVES and block is not function.blocks[0]:
                    yield f"{where}: it does not stand in the first block"
                if node.op == "phi" and len(node.args) != len(block.predecessors):
                    yield f"{where}: {len(node.args)} operands for {len(block.predecessors)} predecessors"
                yield from (f"{where}: {problem}" for problem in _typed(function, node))


def _typed(function: Function, node: Node) -> Iterator[str]:
    row = OPERATIONS[node.op]
    if not _of_kind(row.gives, node.ty, node):
        yield f"it gives {node.ty}"
    yield from _attribute(function, node)
    axes = axes_of(node)
    for _, index, length in axes:
        if index.ty is not length.ty or index.ty not in (Type.I32, Type.U32, Type.I64):
            yield f"an axis has an index of {index.ty} and a length of {length.ty}"
    args = node.args[: len(node.args) - 2 * len(axes)]
    letters = "nuu" if node.op == "store" and node.attr.in_word else row.takes.removesuffix("...")
    if row.takes.endswith("..."):
        letters += letters[-1] * (len(args) - len(letters)) if len(args) >= len(letters) else ""
        letters = letters[: max(len(args), len(letters) - 1)]
    if len(letters) != len(args):
        yield f"it has {len(args)} operands"
    for letter, arg in zip(letters, args, strict=False):
        if not _of_kind(letter, arg.ty, node):
            yield f"an operand is {arg.ty}"


def _of_kind(letter: str, ty: ValueType, node: Node) -> bool:
    match letter:
        case "":
            return ty is None
        case "p":
            return ty == PRED
        case "t":
            return ty == node.ty and ty is not None
        case "i" | "n":
            return isinstance(ty, Type) and ty.is_integer
        case "f":
            return isinstance(ty, Type) and ty.is_float
        case "u":
            return ty is Type.U32
        case "l":
            return ty is Type.I64
        case "a":
            return ty is node.attr
        case "e":
            return isinstance(node.attr, MemoryAccess) and ty in forms_of(node.attr.element)
    return isinstance(ty, Type)


def _attribute(function: Function, node: Node) -> Iterator[str]:
    attr = node.attr
    match OPERATIONS[node.op].attr:
        case "bits":
            size = node.ty.bits if isinstance(node.ty, Type) else 1
            if not isinstance(attr, int) or not 0 <= attr < 1 << size:
                yield f"{attr!r} are no bits of {node.ty}"
        case "type" if not isinstance(attr, Type):
            yield f"{attr!r} is no type"
        case "routine":
            found = routine_of(attr)
            operands = tuple(arg.ty for arg in (node.args if node.op == "call" else node.args[2:]))
            if (found.operands, found.result) != (operands, node.ty):
                yield f"{attr} takes and gives other types"
        case "access" | "operation":
            access = attr if OPERATIONS[node.op].attr == "access" else attr[1]
            if not isinstance(access, MemoryAccess):
                yield f"{attr!r} is no access"
            elif access.base not in function.bases:
                yield f"the function has no {access.base}"
            elif node.op == "load" and node.ty not in ((Type.U32,) if access.in_word else forms_of(access.element)):
                yield f"it loads {access.element} as {node.ty}"
        case "fault" if not isinstance(attr[0], FaultKind):
            yield f"{attr!r} is no fault"


def _order(function: Function) -> Iterator[str]:
    tree = Dominators(function.blocks[0], lambda block: block.end.ways)
    home: dict[Node, tuple[Block, int]] = {}
    for block in function.blocks:
        for place, node in enumerate((*block.phis, *block.nodes)):
            home[node] = block, -1 if node.op == "phi" else place

    def there(node: Node, block: Block, place: int) -> bool:
        """Whether a value is computed before that place of a block."""
        defined, at = home.get(node, (None, 0))
        if defined is None:
            return False
        return at < place if defined is block else tree.dominates(defined, block)

    reached = set(tree.order)
    for block in (block for block in function.blocks if block in reached):
        last = len(block.phis) + len(block.nodes)
        for phi in block.phis:
            for arg, before in zip(phi.args, block.predecessors, strict=True):
                if before in reached and not there(arg, before, len(before.phis) + len(before.nodes)):
                    yield f"b{block.number}, {phi}: %{arg.number} is not there at the end of b{before.number}"
        for place, node in enumerate(block.nodes, len(block.phis)):
            for arg in node.args:
                if not there(arg, block, place):
                    yield f"b{block.number}, {node}: %{arg.number} is not there yet"
        if block.end.value is not None and not there(block.end.value, block, last):
            yield f"b{block.number}: what it branches on is not there"
