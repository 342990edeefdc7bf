"""Branch folding: branches on constants become jumps, phis of one value go, chains of blocks are joined."""

from __future__ import annotations

from ..ir import Block, Function, Replaced, Terminator
from .dce import remove_unreachable

__all__ = ["absorb_next", "fold_branches"]


def fold_branches(function: Function) -> int:
    """How many branches, blocks and phis went."""
    changed = 0
    for block in function.blocks:
        if block.end.kind == "branch" and block.end.value is not None and block.end.value.is_const:
            holds = bool(block.end.value.attr)
            taken, other = block.end.ways if holds else block.end.ways[::-1]
            block.end = Terminator("jump", [taken], at=block.end.at, steps=block.end.steps and holds)
            _drop_edge(block, other)
            changed += 1
    changed += remove_unreachable(function)
    changed += _single_phis(function)
    changed += _join_chains(function)
    if changed:
        function.renumber()
    return changed


def _drop_edge(source: Block, target: Block) -> None:
    position = target.predecessors.index(source)
    del target.predecessors[position]
    for phi in target.phis:
        phi.args = phi.args[:position] + phi.args[position + 1 :]


def _single_phis(function: Function) -> int:
    """Replaces phis that merge one value only."""
    replaced = Replaced()
    again = True
    while again:
        again = False
        for block in function.blocks:
            for phi in list(block.phis):
                others = {replaced.final(arg) for arg in phi.args} - {phi}
                if len(others) == 1:
                    replaced[phi] = others.pop()
                    block.phis.remove(phi)
                    again = True
    if not replaced:
        return 0
    replaced.put_into(function.blocks)
    return len(replaced)


def _join_chains(function: Function) -> int:
    """Joins a block with the one it jumps to, if nothing else goes there."""
    changed = 0
    for block in function.blocks:
        if block not in function.blocks:
            continue
        while (target := absorb_next(block, function.blocks[0])) is not None:
            function.blocks = [other for other in function.blocks if other is not target]
            changed += 1
    return changed


def absorb_next(block: Block, entry: Block) -> Block | None:
    """Joins a block with the one it jumps to, if nothing else goes there; gives that, which is no block any more."""
    if block.end.kind != "jump" or block.end.steps:
        return None
    (target,) = block.end.ways
    if target in (block, entry) or target.predecessors != [block] or target.phis:
        return None
    block.nodes += target.nodes
    block.end = target.end
    for way in target.end.ways:
        way.predecessors = [block if before is target else before for before in way.predecessors]
    target.predecessors = []
    target.end = Terminator("exit")
    return target
