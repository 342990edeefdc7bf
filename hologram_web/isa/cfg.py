"""The flow graph of a program, with every call expanded.

A *point* is an instruction in a calling context: code reached by several calls has several points, so that no
analysis and no target needs a call stack. Points are numbered in the order the code would have with its calls
inlined. `END` is where lanes go that exit or run off the end.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from ..errors import IsaError
from .instruction import Instruction
from .operands import Register
from .program import MAX_INSTRUCTIONS, Program

__all__ = ["END", "FlowGraph", "expand"]

END = -1


@dataclass
class FlowGraph:
    """`code[p]` is the instruction index of point p.

    `next[p]` is where a lane goes that does not branch, `target[p]` where it goes if it branches (calls, returns
    and exits branch always): each a point, END, or None where there is no such way.
    """

    program: Program
    code: list[int] = field(default_factory=list)
    next: list[int | None] = field(default_factory=list)
    target: list[int | None] = field(default_factory=list)
    problems: list[tuple[int, str]] = field(default_factory=list)
    entry: int = END

    def instruction(self, point: int) -> Instruction:
        return self.program.instructions[self.code[point]]

    def successors(self, point: int) -> list[int]:
        """Points (or END) that may follow, each once."""
        onward, branch = self.next[point], self.target[point]
        return [way for way in ((onward,) if branch == onward else (onward, branch)) if way is not None]

    @cached_property
    def predecessors(self) -> list[list[int]]:
        found: list[list[int]] = [[] for _ in self.code]
        for point in range(len(self.code)):
            for way in self.successors(point):
                if way != END:
                    found[way].append(point)
        return found

    @cached_property
    def leaders(self) -> list[int]:
        """First points of the basic blocks, ascending."""
        found = {self.entry} if self.code else set()
        for point, (onward, branch) in enumerate(zip(self.next, self.target, strict=True)):
            if (branch is not None or onward != point + 1) and (ways := self.successors(point)) != [point + 1]:
                found.update(ways, (point + 1,))
        return sorted(found - {END, len(self.code)})

    @cached_property
    def blocks(self) -> list[range]:
        """The basic blocks as ranges of points, ascending."""
        if not self.leaders:  # no instruction is reached
            return []
        ends = [*self.leaders[1:], len(self.code)]
        return [range(start, end) for start, end in zip(self.leaders, ends, strict=True)]

    @cached_property
    def block_of(self) -> dict[int, int]:
        """Block number by first point."""
        return {block.start: number for number, block in enumerate(self.blocks)}

    @cached_property
    def block_successors(self) -> list[list[int]]:
        """Block numbers that may follow each block; END for the end."""
        return [
            [END if way == END else self.block_of[way] for way in self.successors(block[-1])] for block in self.blocks
        ]

    def influence(self, block: int) -> set[int]:
        """Blocks whose execution depends on which way `block` branches: those before its post-dominators."""
        common = self._post_dominators[block] & ~(1 << block)
        found: set[int] = set()
        work = [way for way in self.block_successors[block] if way != END]
        while work:
            other = work.pop()
            if other not in found and not common >> other & 1:
                found.add(other)
                work += [way for way in self.block_successors[other] if way != END]
        return found

    def meeting(self, point: int) -> int:
        """Where the ways of a branch meet again: a point, or END."""
        onward = self.next[point]
        if onward is not None and onward == self.target[point]:
            return onward  # both ways are one: the branch stands inside its block
        number = next(n for n, block in enumerate(self.blocks) if point in block)
        inside = self.influence(number)
        ways = {way for other in {number, *inside} for way in self.block_successors[other] if way not in inside}
        way = next(iter(ways - {number, END}), END)
        return END if way == END else self.blocks[way][0]

    def always(self, block: int) -> set[int]:
        """Blocks on every way from `block` to the end, itself included."""
        return {other for other in range(len(self.blocks)) if self._post_dominators[block] >> other & 1}

    def in_cycle(self, block: int) -> bool:
        """Whether control can come back to `block`."""
        seen: set[int] = set()
        work = [way for way in self.block_successors[block] if way != END]
        while work:
            other = work.pop()
            if other == block:
                return True
            if other not in seen:
                seen.add(other)
                work += [way for way in self.block_successors[other] if way != END]
        return False

    @cached_property
    def _post_dominators(self) -> list[int]:
        """For each block the bit set of blocks on every way from it to the end.

        Blocks that never reach the end are given a way to it, so that nothing post-dominates by vacuous truth.
        """
        count = len(self.blocks)
        ways = self.block_successors
        reach = {number for number in range(count) if END in ways[number]}
        before: list[list[int]] = [[] for _ in range(count)]
        for number, after in enumerate(ways):
            for way in after:
                if way != END:
                    before[way].append(number)
        work = list(reach)
        while work:
            for number in before[work.pop()]:
                if number not in reach:
                    reach.add(number)
                    work.append(number)
        everything = (1 << count) - 1
        found = [everything] * count
        changed = True
        while changed:
            changed = False
            for number in reversed(range(count)):
                common = everything
                for way in ways[number]:
                    common &= 0 if way == END else found[way]
                if number not in reach:
                    common = 0
                common |= 1 << number
                if common != found[number]:
                    found[number] = common
                    changed = True
        return found

    @cached_property
    def counted(self) -> frozenset[int]:
        """LOOP points that are proven to end: nothing else in their natural loop writes the counter."""
        return frozenset(
            point
            for point in range(len(self.code))
            if self.instruction(point).name == "LOOP" and self._is_counted(point)
        )

    def _is_counted(self, point: int) -> bool:
        header = self.target[point]
        if header is None or header == END:
            return True
        counter: Register = self.instruction(point).counter
        body, work = {header}, [point]
        while work:
            other = work.pop()
            if other in body:
                continue
            if other == self.entry:
                return False  # the loop can be entered past its header: it is irreducible
            body.add(other)
            work += self.predecessors[other]
        if header == self.entry and header == point:
            return True
        return all(other == point or not _writes(self.instruction(other), counter) for other in body)


def _writes(instruction: Instruction, register: Register) -> bool:
    return any(value == register for _, value in instruction.writes())


@dataclass
class _Context:
    """Code within a call: `call` is its index in the code of `outer`.

    `functions` are those that it is in, as the bits of their numbers: calling one of them is recursion. `inner` are the
    contexts of the calls in it, by their index. `places` are its instructions that are reached: whether a lane may go
    to the next one, and where else. `points` are their points.
    """

    outer: _Context | None
    call: int
    functions: int
    inner: dict[int, _Context] = field(default_factory=dict)
    places: dict[int, tuple[bool, _Place | int | None]] = field(default_factory=dict)
    points: dict[int, int] = field(default_factory=dict)


_Place = tuple[_Context, int]
_STRAIGHT = True, None
_TURNS = frozenset({"BRA", "LOOP", "CALL", "RET", "EXIT"})


def expand(program: Program) -> FlowGraph:
    """The flow graph of a program. What is wrong with labels, calls and returns is in its `problems`."""
    graph = FlowGraph(program)
    instructions, count = program.instructions, len(program)

    def target(index: int) -> int | None:
        try:
            return program.target(instructions[index].target)
        except IsaError as error:
            graph.problems.append((index, str(error)))
            return None

    try:
        start = program.start
    except IsaError as error:
        graph.problems.append((-1, str(error)))
        start = 0
    numbered: dict[int, int] = {start: 0}  # functions, by their first instruction
    outermost = _Context(None, -1, 1)
    reached = 0
    work: list[_Place] = [(outermost, start)]
    while work:
        context, index = work.pop()
        places = context.places
        while index < count and index not in places:
            if reached >= MAX_INSTRUCTIONS:
                graph.problems.append(
                    (index, f"with its calls expanded the program has more than {MAX_INSTRUCTIONS} instructions")
                )
                work.clear()
                break
            reached += 1
            name = instructions[index].row.name
            if name not in _TURNS:
                places[index] = _STRAIGHT
                index += 1
                continue
            onward = name == "LOOP" or (name == "BRA" and instructions[index].pred is not None)
            branch: _Place | int | None = None
            match name:
                case "BRA" | "LOOP":
                    goal = target(index)
                    branch = None if goal is None else (context, goal)
                case "CALL":
                    goal = target(index)
                    if goal is not None:
                        function = 1 << numbered.setdefault(goal, len(numbered))
                        if context.functions & function:
                            graph.problems.append((index, "recursion: this calls a function that it is in; use a loop"))
                        else:
                            inner = context.inner[index] = _Context(context, index, context.functions | function)
                            branch = (inner, goal)
                case "RET":
                    if context.outer is not None:
                        branch = (context.outer, context.call + 1)
                    else:
                        graph.problems.append((index, "RET outside a function: end the lane with EXIT"))
                case "EXIT":
                    branch = END
            places[index] = onward, branch
            if isinstance(branch, tuple):
                work.append(branch)
            if not onward:
                break
            index += 1
    order = _inlined(outermost)
    for point, (context, index) in enumerate(order):
        context.points[index] = point
    for context, index in order:
        goes_on, branch = context.places[index]
        graph.code.append(index)
        graph.next.append(context.points.get(index + 1, END) if goes_on else None)
        graph.target.append(branch[0].points.get(branch[1], END) if isinstance(branch, tuple) else branch)
    graph.entry = outermost.points.get(start, END)
    return graph


def _inlined(outermost: _Context) -> list[_Place]:
    """All instructions in the order that the code would have with its calls inlined."""
    found: list[_Place] = []
    work = [(outermost, iter(sorted(outermost.places)))]
    while work:
        context, indices = work[-1]
        for index in indices:
            found.append((context, index))
            inner = context.inner.get(index)
            if inner is not None:
                work.append((inner, iter(sorted(inner.places))))
                break
        else:
            work.pop()
    return found


def reverse_order(graph: FlowGraph, roots: Iterable[int]) -> list[int]:
    """Blocks reachable from `roots` in reverse postorder."""
    seen: set[int] = set()
    order: list[int] = []
    for root in roots:
        stack: list[tuple[int, int]] = [(root, 0)]
        seen.add(root)
        while stack:
            block, position = stack.pop()
            ways = graph.block_successors[block]
            if position < len(ways):
                stack.append((block, position + 1))
                way = ways[~position]  # backwards: so the body of a loop comes before what follows the loop
                if way != END and way not in seen:
                    seen.add(way)
                    stack.append((way, 0))
            else:
                order.append(block)
    return order[::-1]
