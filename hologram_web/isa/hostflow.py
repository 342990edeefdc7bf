"""Where collectives and program-local pools may stand (isa.md sections 5 and 6).

A program with collectives is a sequence of lane regions and collectives, which the host runs one after another. So
the host has to know, without asking a lane, which way it goes and how large things are. A value is *host-computable*
if it comes from immediates and scalar parameters through pure instructions outside code that depends on lanes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from .cfg import END, FlowGraph
from .instruction import Instruction
from .operands import PRELOADED, PoolHandle, Predicate, Register
from .row import Effect, Operand

if TYPE_CHECKING:
    from .verify import Analysis

__all__ = ["Breach", "HostKnown", "breaches", "check_collectives", "check_pools", "host_branches", "host_known"]

_PREDICATE = 256
# What is known of a register or predicate; what is missing differs from lane to lane.
_HOST = "host"  # the host can compute it
_KEPT = "kept"  # a preloaded register not written yet: survives collectives
_RESULT = "result"  # the result of a ParallelReduce: survives collectives
_EITHER = "either"  # one of the two, by the way that was taken
_LOST = "lost"  # a lane's value of before a collective
_State = dict[int, str]


def _key(value: Register | Predicate) -> int:
    return value.index if isinstance(value, Register) else _PREDICATE + value.index


def _transfer(instruction: Instruction, state: _State, uniform: bool) -> None:
    row = instruction.row
    reads = [state.get(_key(value)) for _, value in instruction.reads()]
    pure = row.effect is Effect.PURE or row.name in ("LOOP", "LEA")
    known = uniform and pure and all(status == _HOST for status in reads)
    if row.collective:
        for key in set(range(_PREDICATE + 16)) - state.keys():
            state[key] = _LOST
    for _, value in instruction.writes():
        if row.collective:
            state[_key(value)] = _RESULT
        elif known:
            state[_key(value)] = _HOST
        else:
            state.pop(_key(value), None)


def _merge(into: _State, other: _State) -> bool:
    changed = False
    for key in into.keys() | other.keys():
        mine, theirs = into.get(key), other.get(key)
        if mine in (theirs, _LOST):
            continue
        if theirs == _LOST:
            into[key] = _LOST
        elif {mine, theirs} <= {_KEPT, _RESULT, _EITHER}:
            if mine == _EITHER:
                continue
            into[key] = _EITHER
        elif key in into:
            del into[key]
        else:
            continue
        changed = True
    return changed


def _flow(graph: FlowGraph, lane_blocks: set[int]) -> dict[int, _State]:
    """What is known at the start of each block, if the blocks in `lane_blocks` depend on lanes."""
    if graph.entry == END:
        return {}
    first = graph.block_of[graph.entry]
    entry: _State = dict.fromkeys(PRELOADED, _KEPT)
    entry.update(dict.fromkeys(graph.program.register_params(), _HOST))
    states = {first: entry}
    work = [first]
    while work:
        block = work.pop()
        state = dict(states[block])
        for point in graph.blocks[block]:
            _transfer(graph.instruction(point), state, block not in lane_blocks)
        for way in graph.block_successors[block]:
            if way == END:
                continue
            if way not in states:
                states[way] = dict(state)
                work.append(way)
            elif _merge(states[way], state):
                work.append(way)
    return states


def host_branches(graph: FlowGraph) -> tuple[dict[int, _State], dict[int, int]]:
    """What is known at the start of each block, and for each block that depends on lanes one branch that decides."""
    deciders: dict[int, int] = {}
    while True:
        states = _flow(graph, set(deciders))
        found: dict[int, int] = {}
        for number, block in enumerate(graph.blocks):
            if number not in states or len(graph.block_successors[number]) < 2:
                continue
            state, last = dict(states[number]), block[-1]
            for point in block[:-1]:
                _transfer(graph.instruction(point), state, number not in deciders)
            if all(state.get(_key(value)) == _HOST for _, value in graph.instruction(last).reads()):
                continue
            for other in graph.influence(number):
                found.setdefault(other, last)
        if found.keys() <= deciders.keys():
            return states, deciders
        deciders = {**found, **deciders}


class HostKnown(NamedTuple):
    """What is known before a point: bit sets of register numbers and 256 + those of predicates. `host` are those that
    the host can compute, `results` those that hold the result of a collective, `either` those that hold one or what
    lanes find there at their start, `lost` those that held what lanes had before a collective."""

    host: int
    results: int = 0
    either: int = 0
    lost: int = 0


def host_known(graph: FlowGraph) -> dict[int, HostKnown]:
    """By point, what is known before it."""
    known: dict[int, HostKnown] = {}
    states, deciders = host_branches(graph)
    for number, start in states.items():
        state = dict(start)
        for point in graph.blocks[number]:
            sets = dict.fromkeys((_HOST, _RESULT, _EITHER, _LOST), 0)
            for key, status in state.items():
                if status in sets:
                    sets[status] |= 1 << key
            known[point] = HostKnown(*sets.values())
            _transfer(graph.instruction(point), state, number not in deciders)
    return known


class Breach(NamedTuple):
    """Where a program breaks rule 9 of the verifier: the instruction, the operand and the register or predicate that it
    reads, if that is what is wrong, else the branch that decides whether it runs."""

    at: int
    reason: str
    operand: Operand | None = None
    value: Register | Predicate | None = None
    branch: int = -1


def breaches(graph: FlowGraph) -> Iterator[Breach]:
    """What is wrong with where collectives stand, what they take, and what is read behind them."""
    states, deciders = host_branches(graph)
    for number, block in enumerate(graph.blocks):
        state = dict(states.get(number, {}))
        for point in block:
            instruction, index = graph.instruction(point), graph.code[point]
            if instruction.row.collective and number in deciders:
                branch = graph.code[deciders[number]]
                reason = f"whether it runs depends on the lane, by instruction {branch} "
                reason += f"({graph.program.instructions[branch]}): put collectives where every lane of the grid comes"
                yield Breach(index, reason, branch=branch)
            for operand, value in instruction.reads():
                status = state.get(_key(value))
                name = str(value).lstrip("!")
                if status == _LOST:
                    reason = f"{name} is not kept across a collective: only what the host can compute from scalar "
                    reason += "parameters is; store it in a buffer before and load it after"
                    yield Breach(index, reason, operand, value)
                elif instruction.row.collective and status != _HOST:
                    reason = f"{operand.name} uses {name}, which the host cannot compute: collectives take immediates "
                    reason += "and what comes from scalar parameters outside code that depends on lanes"
                    yield Breach(index, reason, operand, value)
            _transfer(instruction, state, number not in deciders)


def check_collectives(analysis: Analysis) -> None:
    """Rule 9 of the verifier."""
    for found in breaches(analysis.graph):
        analysis.report(found.at, found.reason)


def check_pools(analysis: Analysis) -> None:
    """Rule 8 of the verifier.

    Every lane comes exactly once to where a pool is allocated and freed, so that each other point lies before, between
    or behind, whatever way a lane takes.
    """
    graph = analysis.graph
    ends = {"PoolAlloc", "PoolFree"}
    rows = {i.row.name: i.row for i in graph.program.instructions}
    if not any(operand.kind == "pool" for row in rows.values() for operand in row.operands):
        return
    once = _once(graph)
    first: dict[PoolHandle | str, int] = {}
    last: dict[PoolHandle | str, int] = {}
    users: list[tuple[int, PoolHandle | str]] = []
    for point in range(len(graph.code)):
        instruction, index = graph.instruction(point), graph.code[point]
        for operand, value in zip(instruction.row.operands, instruction.values, strict=True):
            if operand.kind != "pool":
                continue
            name = instruction.row.name
            if name in ends and point not in once:
                analysis.report(
                    index, f"{name} stands where not every lane comes exactly once: move it out of branches"
                )
            if name in ends and not _is_local(value):
                analysis.report(index, f"{name} works on a pool of the program, #number, not on a parameter")
            elif name == "PoolAlloc" and value in first:
                analysis.report(index, f"pool {_shown(value)} is allocated twice: give the second another number")
            elif name == "PoolAlloc":
                first[value] = point
            elif _is_local(value):
                users.append((point, value))
                if name == "PoolFree":
                    last.setdefault(value, point)
    for point, value in users:
        if value not in first or not _comes_after(graph, first[value], point):
            analysis.report(graph.code[point], f"pool {_shown(value)} is used before it is allocated")
        elif value in last and point != last[value] and _comes_after(graph, last[value], point):
            analysis.report(graph.code[point], f"pool {_shown(value)} is used after it was freed")


def _is_local(value: object) -> bool:
    """Whether a pool is the program's own: by handle, or lifted."""
    return isinstance(value, PoolHandle) or (isinstance(value, str) and value.startswith("$l"))


def _shown(value: object) -> str:
    return f"#{value.id}" if isinstance(value, PoolHandle) else str(value)


def _comes_after(graph: FlowGraph, early: int, point: int) -> bool:
    """Whether a lane that was at a point it comes to once can come to another."""
    block = next(block for block in graph.blocks if early in block)
    if point in block:
        return block.index(point) > block.index(early)
    return any(point in graph.blocks[other] for other in _reached(graph, graph.block_of[block[0]]))


def _reached(graph: FlowGraph, block: int) -> set[int]:
    """The blocks that a lane can come to from a block."""
    seen: set[int] = set()
    work = [way for way in graph.block_successors[block] if way != END]
    while work:
        if (number := work.pop()) not in seen:
            seen.add(number)
            work += [way for way in graph.block_successors[number] if way != END]
    return seen


def _once(graph: FlowGraph) -> set[int]:
    """Points that every lane runs exactly once: on every way to the end, and in no loop."""
    if graph.entry == END:
        return set()
    first = graph.block_of[graph.entry]
    every = graph.always(first)
    return {point for number in every if not graph.in_cycle(number) for point in graph.blocks[number]}
