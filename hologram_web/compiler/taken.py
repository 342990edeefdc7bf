"""What lanes have alike in a loop and take out of it in different rounds gets a value of its own behind the loop.

A loop's counter is one number for all lanes that are still in it, and behind it each has that of its last round. If one
variable is both, it is a vector in the loop, too, and what the counter is an index of is gathered lane by lane: a
search for bytes in packets of 16 lanes, whose steps were counted besides, took four times as long.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ..isa.types import Type
from .ir import Block, Function, Node
from .lanes import LaneAnalysis
from .operations import DIVISIONS, LEAVES, PURE
from .packet_forms import Forms
from .turned import copied

__all__ = ["taken"]

_COMPUTED = PURE - DIVISIONS


class _Use(NamedTuple):
    """Who uses a value, and where: of a phi that is at the end of the block before."""

    user: Node | Block
    place: Block


class _Taken(NamedTuple):
    """A value that is taken out of a loop: first `value`, of which then each of the chain is made; `last` is used."""

    value: Node
    chain: list[Node]
    exit: Block
    uses: list[_Use]


def taken(forms: Forms) -> Function:
    """The function with phis where such values are taken out of loops; or itself. It stays as it is."""
    lanes, function = forms.lowered.lanes, forms.lowered.function
    bodies = [] if forms.mixed or forms.lowered.waits else lanes.left_late()
    found = _found(function, lanes, bodies) if bodies else []
    if not found:
        return function
    made = copied(function)
    nodes = dict(zip(function.nodes(), made.nodes(), strict=True))
    blocks = dict(zip(function.blocks, made.blocks, strict=True))
    for each in found:
        _take(each, nodes, blocks)
    made.renumber()
    return made


def _found(function: Function, lanes: LaneAnalysis, bodies: list[set[Block]]) -> list[_Taken]:
    uses: dict[Node, list[_Use]] = {}
    for block in function.blocks:
        for phi in block.phis:
            for arg, before in zip(phi.args, block.predecessors, strict=True):
                uses.setdefault(arg, []).append(_Use(phi, before))
        for node in block.nodes:
            for arg in dict.fromkeys(node.args):
                uses.setdefault(arg, []).append(_Use(node, block))
        if block.end.value is not None:
            uses.setdefault(block.end.value, []).append(_Use(block, block))
    found: dict[Node, _Taken] = {}
    for body in bodies:
        exits = {way for block in body for way in block.end.ways if way not in body}
        closed = [way for way in exits if body.issuperset(way.predecessors)]
        for block in function.blocks if closed else ():
            for node in (*block.phis, *block.nodes) if block in body else ():
                if isinstance(lanes.of(node).steps[0], int) and node not in found:
                    _see(node, uses, body, closed, lanes, found)
    return list(found.values())


def _see(
    node: Node,
    uses: dict[Node, list[_Use]],
    body: set[Block],
    exits: Iterable[Block],
    lanes: LaneAnalysis,
    found: dict[Node, _Taken],
) -> None:
    """Finds out whether all of a value's uses behind a loop are of what lanes take out of it by one way."""
    behind = [use for use in uses.get(node, ()) if use.place not in body]
    if all(lanes.at(node, use.place).steps[0] == lanes.of(node).steps[0] for use in behind):
        return
    way = next((way for way in exits if all(lanes.dominates(way, use.place) for use in behind)), None)
    if way is None:
        return
    last, chain = node, list[Node]()
    best = _bits(node), chain, behind
    while len(behind) == 1 and isinstance(user := behind[0].user, Node) and user.op in _COMPUTED:
        others = [arg for arg in user.args if arg is not last]
        if any(lanes.of(arg).axes or not _is_before(arg, body, lanes) for arg in others) or lanes.of(node).axes:
            break
        last, chain, behind = user, [*chain, user], uses.get(user, [])
        if _bits(user) < best[0]:
            best = _bits(user), chain, behind
    found[node] = _Taken(node, best[1], way, best[2])


def _bits(node: Node) -> int:
    return node.ty.bits if isinstance(node.ty, Type) else 1


def _is_before(node: Node, body: set[Block], lanes: LaneAnalysis) -> bool:
    """Whether a value is there before a loop."""
    home = lanes.homes.get(node)
    return node.op in LEAVES or (
        home is not None and home not in body and all(lanes.dominates(home, block) for block in body)
    )


def _take(taken: _Taken, nodes: dict[Node, Node], blocks: dict[Block, Block]) -> None:
    """Writes the phi, and what it merges, computed where lanes leave the loop."""
    way = blocks[taken.exit]
    value, chain = nodes[taken.value], [nodes[node] for node in taken.chain]
    last = chain[-1] if chain else value
    args = []
    for before in way.predecessors:
        known = value
        for number, node in enumerate(chain):
            old = chain[number - 1] if number else value
            known = Node(node.op, node.ty, tuple(known if arg is old else arg for arg in node.args), node.attr)
            before.nodes.append(known)
        args.append(known)
    phi = Node("phi", last.ty, tuple(args))
    way.phis.append(phi)
    for use in taken.uses:
        if isinstance(use.user, Block):
            blocks[use.user].end.value = phi
            continue
        user, place = nodes[use.user], blocks[use.place]
        if user.op != "phi":
            user.args = tuple(phi if arg is last else arg for arg in user.args)
        else:
            home = next(block for block in place.end.ways if user in block.phis)
            number = home.predecessors.index(place)
            user.args = (*user.args[:number], phi, *user.args[number + 1 :])
    for block in blocks.values() if chain else ():
        block.nodes = [node for node in block.nodes if node not in chain]
