"""Whether a kernel is made of packets of lanes, and of how many: what packets cannot do, and what does not pay."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...compiler.accesses import access_of
from ...compiler.dominance import Dominators, loop_body
from ...compiler.fission import Fission, fission, reachable
from ...compiler.ir import Function, Node
from ...compiler.operations import EFFECTS, WRITES
from ...compiler.out_of_ssa import Do, Lowered, Variable, lower
from ...compiler.packet_forms import Forms
from ...compiler.passes.costs import total
from ...compiler.ranges import Ranges
from ...compiler.reducible import reducible
from ...compiler.shapes import ANY
from ...compiler.structure import If, Labelled, Straight, StructuredLoop, Tree, structure
from ...isa.address import Space
from ...isa.types import Type
from .code import is_one_row
from .narrow import WORDS, Widths
from .wide import is_wide

__all__ = ["Choice", "chosen"]

# What the elements' bits are enough for, whatever is made of them.
_CHOOSE = frozenset(
    {"load", "eq", "lt", "le", "pand", "por", "pnot", "select", "and", "or", "xor", "min", "max", "cvt"}
)
# Pieces of loops with several entries where packets pay: lanes part at each of them (of 73 packets of 4 took ten times
# as long as lane after lane).
_TANGLED = 40
_ROWS = (Space.BUFFER, Space.POOL)  # where chains load and store
_WORK = 8  # what the code between barriers computes for each of its accesses, in additions, where packets pay
# What lanes that may stop at different barriers compute for each of these, where packets pay: all that they keep is
# loaded and stored whole (with 20 additions for each packets took 1.4 times as long, with 280 0.56).
_APART = 128
_CHAIN = 60  # values of a kernel without loops, where packets of 8 pay
_CARRIED = 5  # values that loops take from round to round, where packets of 8 pay: they fit into registers twice
# Values of a kernel in packets of 4. Each takes up to 250 bytes, so that no module has more than 250 KB (the kernels of
# the standard library have at most 77, and those of the fuzzer, whose lanes end everywhere, at most 284).
_LONGEST = 1000


@dataclass(frozen=True)
class Choice:
    """`width` lanes go together, 1 for `reason`."""

    width: int
    reason: str = ""
    forms: Forms | None = None


def chosen(function: Function, packets: int | None = None) -> Choice:
    """The choice for a function; `packets` is a wish."""
    if packets == 1:
        return Choice(1, "asked for")
    width = _width(function) if packets is None else packets
    lowered = lower(function)
    plan = fission(lowered) if _waits(function) else None
    entries = lowered.resumes if plan is None else [run.entry for run in plan.runs]
    mixed = [entry for entry in entries if reducible(entry) is not entry]
    apart = {v for piece in lowered.resumes[1:] for v in lowered.live(piece)} if plan is None else set[Variable]()
    forms = Forms(lowered, plan.uniform if plan is not None else (), bool(mixed), apart)
    for run in [] if plan is None else plan.runs:
        forms.escaping.update(run.stores)  # lanes keep them where they stop, while others go on to the same place
    if forms.wrong:
        return Choice(1, "what blocks know differs between lanes")
    if packets is None:
        if any(len(reachable([reducible(entry)], lambda piece: piece.successors)) > _TANGLED for entry in mixed):
            return Choice(1, "lanes part in many places of loops with several entries")
        loss = _loss(function, lowered, plan, forms, width)
        if loss:
            return Choice(1, loss)
    return Choice(width, "", forms)


def _width(function: Function) -> int:
    """As many lanes as fill a vector with the elements that most accesses are of, if these are short: what is done to
    them takes that many fewer instructions. Of bytes 16, where these are enough for all that is computed (a search took
    0.08 ms, 0.20 in packets of 8): elsewhere twice the code gains nothing (blur took 0.58 ms either way); and 16 for
    chains of operations on 16 bits (0.74 to 0.89 of their time in packets of 8). And 8
    where loops do nothing but compute: each round waits for the one before (Mandelbrot took 0.71 of its time in packets
    of 4, Collatz 0.77; in packets of 16 0.66 and 0.60, but there more of the lanes wait for the last). Between barriers
    the same holds of loops that call functions: a softmax of 16 lanes took 0.81 of its time in packets of 4, in
    Chromium, and 0.86 where products and sums are fused (0.78 in packets of 16); and of loops that load short elements
    (a histogram of bytes took 0.87 of its time in packets of 8, and in Chromium 0.80); 16 where loops
    only read memory, as sums do (of 1,024 x 1,024 a layer norm took 0.77 of its time in packets of 8, in Chromium a
    softmax 0.73 to 0.83). And 8 for chains of operations
    on rows: the loop over packets has half of its rounds then (nine operations on an array took 0.84 of their time); 16
    for those that only move (a pool's copy of a megabyte took 0.87 of its time in packets of 8, of 4 1.24); and 8 for
    what does little else than atomics (a histogram in memory of the launch took 0.80 of its time in packets of 4)."""
    sizes = [access.element.bits for node in function.nodes() if (access := access_of(node)) is not None]
    lanes = 16 if function.spans == 1 and is_one_row(function) else function.block_shape[0]
    if lanes < 8:
        return 4
    if _waits(function):
        wanted = max(_loops_read(function), 8 * _loops_call(function), _loops_load_short(function), 4)
        return min(wanted, 16 if lanes >= 16 else 8)
    if 2 * sum(bits <= 16 for bits in sizes) <= len(sizes):
        if lanes == 16 and max(sizes, default=64) == 32 and _is_chain(function):
            return 16 if _moves(function) else 8
        return 8 if _loops_compute(function) or _is_of_atomics(function) else 4
    bits = 8 if 2 * sum(bits == 8 for bits in sizes) > len(sizes) else 16 if _is_chain(function) else 0
    return 16 if lanes >= 16 and bits and _is_short(function, bits) else 8


def _is_chain(function: Function) -> bool:
    """Whether lanes go one way, and compute short numbers of a few that they load and store."""
    if _goes_back(function):
        return False
    nodes = [*function.nodes()]
    accesses = [None if node.op == "atomic" else access_of(node) for node in nodes if node.op in EFFECTS]
    return len(nodes) <= _CHAIN and all(access and access.base.space in _ROWS for access in accesses)


def _goes_back(function: Function) -> bool:
    number = Dominators(function.blocks[0], lambda block: block.end.ways).number
    return any(number[way] <= number[block] for block in number for way in block.end.ways)


def _moves(function: Function) -> bool:
    """Whether a chain stores all that it loads as it is."""
    nodes = [*function.nodes()]
    stored = [node.args[1].op for node in nodes if node.op in WRITES]
    return all(op == "load" for op in stored) and len(stored) == sum(node.op == "load" for node in nodes)


def _loops_of(function: Function, most: int | None = None) -> Iterator[list[Node]]:
    """What is in each loop, or in those that carry at most so many values from round to round."""
    tree = Dominators(function.blocks[0], lambda block: block.end.ways)
    for latch in tree.order:
        for header in latch.end.ways:
            if tree.dominates(header, latch) and (most is None or len(header.phis) <= most):
                blocks = {header} | loop_body(header, [latch])
                yield [node for block in blocks for node in (*block.phis, *block.nodes)]


def _is_of_wide(nodes: list[Node]) -> bool:
    """Whether more than two fifths of what is computed is integers of more than 64 bits, or made of them: lanes do
    that one after the other (powers of U256 took 1.18 times as long in packets, sums 0.94, differences that
    are compared 1.01, and a sum of U128 among functions 0.44)."""
    types = [(node.ty, node.attr) for node in nodes if not node.is_const]
    return 5 * sum(any(map(is_wide, both)) for both in types) > 2 * len(types)


def _is_long(node: Node) -> bool:
    return isinstance(node.ty, Type) and node.ty.bits > 32


def _loops_compute(function: Function) -> bool:
    """Whether a loop has no effects, and values of at most 32 bits."""
    return any(
        not any(node.op in EFFECTS or _is_long(node) for node in nodes) for nodes in _loops_of(function, _CARRIED)
    )


def _loops_call(function: Function) -> bool:
    """Whether a loop has functions such as EXP, of at most 32 bits, and the code is short enough to be there twice."""
    if sum(1 for _ in function.nodes()) > _LONGEST // 2:
        return False
    return any(
        any(node.op == "call" and not _is_long(node) for node in nodes) for nodes in _loops_of(function, _CARRIED)
    )


def _loops_read(function: Function) -> int:
    """16 where a loop has no effects but loads of elements from memory that all blocks see: rounds of its sums wait for
    one another in each packet, those of several do not. 8 where one has 64 bits (ArgMax of F64 took 0.74 of its time in
    packets of 4), 8 or none where the code is too long to be there so often."""
    long = sum(1 for _ in function.nodes()) / _LONGEST
    for nodes in _loops_of(function, _CARRIED):
        effects = [node for node in nodes if node.op in EFFECTS]
        loads = [node.attr for node in effects if node.op == "load"]
        rows = [access.element.bits for access in loads if access.base.space in _ROWS]
        if rows and len(rows) == len(effects) and long <= 1 / 2:
            return 16 if long <= 1 / 4 and max(rows) <= 32 else 8
    return 0


def _loops_load_short(function: Function) -> int:
    """The lanes that fill a vector with the elements of at most 16 bits that half of the accesses of a loop load."""
    for nodes in _loops_of(function, _CARRIED):
        accesses = [node for node in nodes if access_of(node) is not None]
        short: list[int] = [
            node.attr.element.bits for node in accesses if node.op == "load" and node.attr.element.bits <= 16
        ]
        if short and 2 * len(short) >= len(accesses):
            return 128 // max(short)
    return 0


def _is_short(function: Function, bits: int) -> bool:
    """Whether nothing but comparisons and choices is made of the elements that a kernel loads, and what is computed in
    so many bits."""
    loaded: set[Node] = set()
    named = {node for node, uses in function.uses().items() if uses > 1}
    widths = Widths(Ranges(function), lambda node: ANY if node in loaded else 0, named, 16)
    for node in function.nodes():
        if node.op == "load" or (not loaded.isdisjoint(node.args) and node.op != "store"):
            loaded.add(node)
            if node.op not in _CHOOSE and (node.ty not in WORDS or widths.lowest(node) > bits):
                return False
    return True


def _loss(function: Function, lowered: Lowered, plan: Fission | None, forms: Forms, width: int) -> str:
    """Why lane after lane is faster, if it is; measured with bench.packets."""
    if sum(1 for _ in function.nodes()) * width > 4 * _LONGEST:
        return "the code is long"
    if any(map(_is_of_wide, (function.nodes(), *_loops_of(function)))):
        return "lanes do little else than compute integers of more than 64 bits"
    used = [arg for node in function.nodes() if node.op in EFFECTS for arg in node.args]
    used += [block.end.value for block in function.blocks if block.end.value is not None]
    if all(forms.of(node) == 0 for node in used):
        return "nothing differs between lanes"
    if plan is not None:
        # Rows and what lies in steps are moved as vectors (a row read back took 0.8 of the time, backwards, too; a tree
        # 0.95 to 1.05), all else lane by lane: with two gathers among six accesses packets took 1.1 times as long.
        pieces = [piece for run in plan.runs for piece in reachable([run.entry], lambda piece: piece.ways)]
        loops = any(_loops(structure(run.entry)) for run in plan.runs)
        nodes = [s.node for piece in pieces for s in piece.statements if isinstance(s, Do)]
        apart = sum(access_of(node) is not None and lowered.lanes.kind(node) == "any" for node in nodes)
        if not loops and 3 * apart >= len(nodes) and total(function.nodes()) < _WORK * len(nodes):
            return "between barriers lanes do no more than move what they share"
        return ""
    barriers = sum(piece.kind == "barrier" for piece in lowered.pieces)
    if total(function.nodes()) < _APART * barriers:
        return "lanes may stop at different barriers, and do little between them"
    if _by_one(structure(lowered.resumes[0]), forms):
        return "one lane does everything"
    # Atomics are done lane after lane, and vectors taken apart for them: in packets of 4 a histogram took 1.2 times as
    # long in V8 (in those of 8 0.95, and 0.68 in wasmtime).
    return "lanes do little else than atomics" if width < 8 and _is_of_atomics(function) else ""


def _is_of_atomics(function: Function) -> bool:
    """Whether lanes do little else than atomics, without loops."""
    accesses = [node for node in function.nodes() if access_of(node) is not None]
    atomics = sum(node.op == "atomic" for node in accesses)
    if not atomics or 2 * atomics < len(accesses) or _goes_back(function):
        return False
    return total(node for node in function.nodes() if node.op != "atomic") < _WORK * len(accesses)


def _loops(trees: list[Tree]) -> bool:
    for tree in trees:
        match tree:
            case StructuredLoop():
                return True
            case Labelled(_, body) if _loops(body):
                return True
            case If(_, then, otherwise) if _loops(then) or _loops(otherwise):
                return True
    return False


def _by_one(trees: list[Tree], forms: Forms) -> bool:
    """Whether only one lane has effects."""
    found = False
    for tree in trees:
        match tree:
            case If(condition, then, otherwise):
                ways = [(way, truth) for way, truth in ((then, True), (otherwise, False)) if _acts(way)]
                if any(not _is_of_one(condition, truth, forms) and not _by_one(way, forms) for way, truth in ways):
                    return False
                found |= bool(ways)
            case _ if _acts([tree]):
                return False
    return found


def _acts(trees: list[Tree]) -> bool:
    """Whether code has effects."""
    for tree in trees:
        match tree:
            case Straight(piece) if any(isinstance(statement, Do) for statement in piece.statements):
                return True
            case Labelled(_, body) | StructuredLoop(_, body) if _acts(body):
                return True
            case If(_, then, otherwise) if _acts(then) or _acts(otherwise):
                return True
    return False


def _is_of_one(node: Node, truth: bool, forms: Forms) -> bool:
    """Whether a predicate holds of one lane at most: the place of a lane is some number, or below 1."""
    while node.op == "pnot":
        node, truth = node.args[0], not truth
    if node.op == ("pand" if truth else "por"):
        return any(_is_of_one(arg, truth, forms) for arg in node.args)
    if node.op == "eq" and truth:
        return sorted(forms.of(arg) == 0 for arg in node.args) == [False, True] and ANY not in map(forms.of, node.args)
    left, right = node.args[:2] if node.op in ("lt", "le") and not node.attr.is_float else (None, None)
    if left is None or right is None:
        return False
    if truth:  # lane < 1, lane <= 0
        return right.is_const and right.attr == (node.op == "lt") and forms.of(left) not in (0, ANY)
    return left.is_const and left.attr == (node.op == "le") and forms.of(right) not in (0, ANY)


def _waits(function: Function) -> bool:
    return any(block.end.kind == "barrier" for block in function.blocks)
