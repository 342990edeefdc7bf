"""Makes a failing case small: while it fails in the same way, and still means one thing, whatever can go goes.

A candidate is kept if it verifies, if the reference runs it without a fault, a race or a look at the bits of a NaN, and
if it fails as before. So what is left is a program that other devices have to get right.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from hologram_web.backends import Limits
from hologram_web.isa import Address, Immediate, Instruction, Register
from hologram_web.isa.address import Space
from hologram_web.isa.launch import BlockDim, GridDim, LaunchConfig
from hologram_web.isa.lift import lift
from hologram_web.isa.row import Effect
from hologram_web.isa.verify import analyze

from .case import Case, execute
from .devices import HASTY, Failure, Opponent, against, prime, reference
from .guard import NanEscape, nan_guard
from .liveness import live_instructions
from .shrink_data import data_candidates, finish, renamed
from .shrink_values import constants_of

__all__ = ["Shrinker", "fails_like", "shrink", "sound"]

_OUTPUTS = (Effect.STORE, Effect.ATOMIC, Effect.COLLECTIVE)
_ROOTS = (*_OUTPUTS, Effect.BARRIER, Effect.FENCE, Effect.CONTROL)


def sound(case: Case, limits: Limits = HASTY) -> bool:
    """Whether the program means one thing: it verifies, and runs without a fault, a race or a look at a NaN's bits."""
    analysis = analyze(lift(case.program)[0])
    if analysis.found:
        return False
    device = reference(check_races=True, limits=limits)
    prime(device, analysis)
    try:
        with nan_guard():
            return execute(device, case).fault in (None, case.fault)
    except NanEscape:
        return False


def fails_like(failure: Failure, opponent: Opponent) -> Callable[[Case], bool]:
    """A test for cases: whether they verify, the reference runs them, and the opponent fails on them in that way."""
    first = reference(limits=HASTY)

    def fails(candidate: Case) -> bool:
        analysis = analyze(lift(candidate.program)[0])
        if analysis.found:
            return False
        prime(first, analysis)
        prime(opponent.device, analysis)
        expected = execute(first, candidate)
        if expected.fault not in (None, candidate.fault):
            return False
        limits, opponent.device.limits = opponent.device.limits, HASTY
        try:
            found = against(candidate, expected, opponent)
        finally:
            opponent.device.limits = limits
        return found is not None and found.signature == failure.signature

    return fails


def shrink(case: Case, fails: Callable[[Case], bool], seconds: float = 60.0) -> Case:
    """The smallest case found that is sound and of which `fails` is true, as it is of `case`."""
    return Shrinker(case, fails, seconds).run()


class Shrinker:
    """One search for a smaller case."""

    def __init__(self, case: Case, fails: Callable[[Case], bool], seconds: float) -> None:
        self.case, self.fails = case, fails
        self.until = time.monotonic() + seconds
        self.tried = 0
        self._seen: tuple[Case, dict[int, list[Immediate]]] | None = None

    def run(self) -> Case:
        size: tuple[int, ...] = (1 << 60,)
        while self._size() < size and not self._late():
            size = self._size()
            self._try_all(_configs)
            self._ranges(_OUTPUTS)
            self._ranges(_ROOTS)
            for change in (_gone, _simpler, self._constants):
                self._sweep(change)
            self._try_all(_forwarded)
            self._try_all(data_candidates)
        self.case = finish(self.case, self._good)
        return self.case

    def _late(self) -> bool:
        return time.monotonic() > self.until

    def _size(self) -> tuple[int, ...]:
        program = self.case.program
        bytes_left = sum(len(memory.data) for memory in self.case.memories)
        operands = sum(len(str(instruction)) for instruction in program.instructions)
        return len(program), self.case.lanes, len(program.params), bytes_left + program.shared_memory, operands

    def _good(self, candidate: Case) -> bool:
        self.tried += 1
        try:
            return self.fails(candidate) and sound(candidate)
        except Exception:  # a candidate that breaks the reference itself is no better one
            return False

    def _accepts(self, candidate: Case) -> bool:
        """Takes a candidate if it is good, without what is dead in it if that is good, too."""
        if not self._good(candidate):
            return False
        pruned = _pruned(candidate)
        shorter = len(pruned.program) < len(candidate.program)
        self.case = pruned if shorter and self._good(pruned) else candidate
        return True

    # Ways to go through candidates

    def _try_all(self, candidates: Callable[[Case], Iterator[Case]]) -> None:
        """Tries candidates; after a success those of the new case."""
        again = True
        while again:
            again = False
            for candidate in candidates(self.case):
                if self._late():
                    return
                if self._accepts(candidate):
                    again = True
                    break

    def _sweep(self, change: Callable[[Case, int], Iterator[Case]]) -> None:
        """Tries changes of one instruction after the other, the last one first."""
        index = len(self.case.program)
        while index > 0:
            index = min(index, len(self.case.program)) - 1
            for candidate in change(self.case, index) if index >= 0 else ():
                if self._late():
                    return
                if self._accepts(candidate):
                    break

    def _ranges(self, effects: tuple[Effect, ...]) -> None:
        """Drops runs of instructions that do something, with what is dead then: long runs first."""
        size = len(self.case.program)
        while size:
            start = 0
            while start < len(roots := _roots(self.case, effects)) and not self._late():
                candidate = _pruned(_without(self.case, set(roots[start : start + size])))
                if not self._accepts(candidate):
                    start += size
            size = min(size, len(_roots(self.case, effects)) + 1) // 2

    def _constants(self, case: Case, index: int) -> Iterator[Case]:
        """With a constant for the result of an instruction: one that it gave, or a small one."""
        instruction = case.program.instructions[index]
        written = [(o, v) for o, v in instruction.writes() if isinstance(v, Register)]
        if len(written) != 1 or instruction.row.effect not in (Effect.PURE, Effect.LOAD, Effect.ATOMIC):
            return
        ty = instruction.type_of(written[0][0])
        if ty is None:
            return
        found = [Immediate(ty, 0), Immediate.of(ty, 1)]
        if instruction.name == "MOV_IMM":
            if instruction.value in found:
                return
        else:
            if self._seen is None or self._seen[0] is not case:
                self._seen = case, constants_of(case)
            found = [*self._seen[1].get(index, []), *found]
        for value in found:
            yield _pruned(_with(case, index, Instruction.MOV_IMM(ty, written[0][1], value)))


# Changes


def _pruned(case: Case) -> Case:
    """Without instructions that are dead or never reached, as far as that is valid."""
    analysis = analyze(case.program)
    if analysis.found:
        return case
    live = live_instructions(analysis)
    live |= {i for i, one in enumerate(case.program.instructions) if one.name in ("CALL", "RET", "LOOP")}
    reached = set(analysis.graph.code)
    return _without(case, {i for i in range(len(case.program)) if i not in live or i not in reached})


def _without(case: Case, gone: set[int]) -> Case:
    program = case.program
    place, new = 0, []
    places = []
    for index, instruction in enumerate(program.instructions):
        places.append(place)
        if index not in gone:
            new.append(instruction)
            place += 1
    places.append(place)
    used = {i.target.name for i in new if "target" in i.row.positions} | {program.entry}
    labels = {name: places[at] for name, at in program.labels.items() if name in used}
    return replace(case, program=replace(program, instructions=new, labels=labels))


def _with(case: Case, index: int, *new: Instruction) -> Case:
    """With other instructions for one."""
    program = case.program
    shift = len(new) - 1
    instructions = [*program.instructions[:index], *new, *program.instructions[index + 1 :]]
    labels = {name: at + shift if at > index else at for name, at in program.labels.items()}
    return replace(case, program=replace(program, instructions=instructions, labels=labels))


def _configs(case: Case) -> Iterator[Case]:
    """Launches of fewer lanes."""
    config = case.config
    shapes = [LaunchConfig(), LaunchConfig.linear(2), _launch(1, 2), _launch(2, 1), _launch(1, 4)]
    shapes += [LaunchConfig(config.grid, config.block), LaunchConfig(GridDim(), config.block)]
    shapes += [LaunchConfig(config.grid, BlockDim())]
    shapes += [LaunchConfig(GridDim(), config.block, lanes=_within(config))] if config.lanes else []
    block = config.block_lanes
    shapes += [_launch(1, size) for size in (block, block // 2, block - 1) if size > 0]
    for shape in shapes:
        shape = replace(shape, shared_memory=config.shared_memory)
        if (shape.blocks * shape.block_lanes, shape.lanes is not None) < (case.lanes, config.lanes is not None):
            yield replace(case, config=shape)


def _launch(blocks: int, lanes: int) -> LaunchConfig:
    return LaunchConfig(GridDim(blocks), BlockDim(lanes))


def _within(config: LaunchConfig) -> tuple[int, int, int]:
    assert config.lanes is not None
    x, y, z = (min(asked, size) for asked, size in zip(config.lanes, config.block, strict=True))
    return x, y, z


def _roots(case: Case, effects: tuple[Effect, ...]) -> list[int]:
    return [index for index, one in enumerate(case.program.instructions) if one.row.effect in effects]


def _gone(case: Case, index: int) -> Iterator[Case]:
    """Without an instruction."""
    yield _pruned(_without(case, {index}))


def _simpler(case: Case, index: int) -> Iterator[Case]:
    """With a simpler instruction for one: no condition, a plain address, a copy of an operand."""
    one = case.program.instructions[index]
    if one.name == "BRA" and one.pred is not None:
        yield _pruned(_with(case, index, Instruction.BRA(one.target)))
    for operand, address in one.addresses():
        for plain in _plain(case, address):
            yield _pruned(_with(case, index, one.replace(**{operand.name: plain})))
    if one.row.effect is Effect.PURE and len(list(one.writes())) == 1 and one.name not in ("MOV", "CVT", "LEA"):
        yield from _copies(case, index, one)


def _plain(case: Case, address: Address) -> Iterator[Address]:
    """The start of the same memory."""
    if address.space is Space.POINTER:
        bases = [i.src for i in case.program.instructions if i.name == "LEA" and i.dst == address.base]
        yield from bases
    elif address.index is not None:
        yield replace(address, index=None, scale=1, offset=0)
        yield replace(address, index=None, scale=1)
    elif address.offset:
        yield replace(address, offset=0)
    if isinstance(address.base, Register):
        for param in case.program.params:
            if param.kind == address.space.name.lower():
                yield replace(address, base=param.name)


def _copies(case: Case, index: int, one: Instruction) -> Iterator[Case]:
    """A copy of an operand of the same type for the result."""
    operand, target = next(iter(one.writes()))
    if not isinstance(target, Register):
        return
    for read, value in one.reads():
        if isinstance(value, Register) and one.type_of(read) is one.type_of(operand):
            yield _pruned(_with(case, index, Instruction.MOV(target, value)))


def _forwarded(case: Case) -> Iterator[Case]:
    """Without a MOV, its source being read instead of its target; with one register for equal constants."""
    program = case.program
    pairs = [
        (index, one.dst, one.src)
        for index, one in enumerate(program.instructions)
        if one.name == "MOV" or (one.name == "CVT" and one.dst_ty is one.src_ty)
    ]
    constants: dict[Immediate, Register] = {}
    for index, one in enumerate(program.instructions):
        if one.name == "MOV_IMM" and constants.setdefault(one.value, one.dst) != one.dst:
            pairs.append((index, one.dst, constants[one.value]))
    for index, target, source in pairs:
        instructions = [renamed(one, {target: source}) for one in program.instructions]
        yield _pruned(_without(replace(case, program=replace(program, instructions=instructions)), {index}))
    if program.entry is not None and program.labels[program.entry] == 0:
        yield replace(case, program=replace(program, entry=None))
