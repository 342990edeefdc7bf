"""Shrinking of what a program is given: memory, scalars, parameters; and tidying up at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from hologram_web.isa import Access, Immediate, Instruction, Label, Param, Register, Type
from hologram_web.isa.operands import PRELOADED

from .case import Case, Memory, View

__all__ = ["data_candidates", "finish", "renamed"]


def data_candidates(case: Case) -> Iterator[Case]:
    """Less memory, zeros in it, simpler scalars, fewer parameters."""
    yield from _fewer_parameters(case)
    if case.config.shared_memory:
        yield replace(case, config=replace(case.config, shared_memory=0))
    size = case.program.shared_memory
    for smaller in (0, size // 2, size - 1):
        if 0 <= smaller < size:
            yield replace(case, program=replace(case.program, shared_memory=smaller))
    size = case.program.local_memory
    for smaller in (0, size // 2, size - 1):
        if 0 <= smaller < size:
            yield replace(case, program=replace(case.program, local_memory=smaller))
    if case.classes:
        yield replace(case, classes=())
    for memory in {id(m): m for m in case.arguments.values() if isinstance(m, Memory)}.values():
        length = len(memory.data)
        for shorter in (4, 8, length // 2, length // 2 // 8 * 8, length - 8, length - 1):
            if 0 < shorter < length:
                yield _memory(case, memory, memory.data[:shorter])
        if any(memory.data):
            yield _memory(case, memory, bytes(length))
    for name, value in case.arguments.items():
        if isinstance(value, Immediate):
            for number in (0, 1):
                simpler = Immediate.of(value.ty, number)
                if value.bits > simpler.bits:
                    yield replace(case, arguments={**case.arguments, name: simpler})


def _memory(case: Case, old: Memory, data: bytes) -> Case:
    """With other contents of a memory."""
    views = [v for v in old.views if v.offset + v.length * v.ty.size_bytes <= len(data)]
    cut = [View(v.offset, v.ty, (len(data) - v.offset) // v.ty.size_bytes) for v in old.views if v not in views]
    new = replace(old, data=data, views=[*views, *(v for v in cut if v.length > 0)])
    arguments = {name: new if value is old else value for name, value in case.arguments.items()}
    return replace(case, arguments=arguments)


def _fewer_parameters(case: Case) -> Iterator[Case]:
    """Without a parameter that nothing names; those after it move to the registers before theirs."""
    program = case.program
    named = {a.base for i in program.instructions for _, a in i.addresses() if isinstance(a.base, str)}
    named |= {v for i in program.instructions for v in i.values if isinstance(v, str)}
    for number, param in enumerate(program.params, 1):
        if param.name in named:
            continue
        last = min(PRELOADED) - 1
        shift = {Register(n): Register(n - 1) for n in range(number + 1, last + 1)}
        shift[Register(number)] = Register(last)
        instructions = [renamed(i, shift) for i in program.instructions]
        params = [p for p in program.params if p is not param]
        arguments = {name: value for name, value in case.arguments.items() if name != param.name}
        yield replace(case, program=replace(program, instructions=instructions, params=params), arguments=arguments)


def renamed(instruction: Instruction, names: Mapping[Register, Register]) -> Instruction:
    """The instruction with other registers, those in addresses included."""
    return instruction.renamed(lambda register: names.get(register, register))


# Tidying up


def finish(case: Case, good: Callable[[Case], bool]) -> Case:
    """With registers in order of use, labels L0, L1, ..., and parameters of the types that are used."""
    for change in (_registers, _labels, _types, _accesses):
        candidate = change(case)
        if good(candidate):
            case = candidate
    return case


def _registers(case: Case) -> Case:
    """Locals from r10 on, or right after the parameters."""
    program = case.program
    first = max(10, len(program.params) + 1)
    fixed = {*range(1, len(program.params) + 1), *PRELOADED}
    order: dict[Register, Register] = {}
    for register in program.registers():
        if register.index not in fixed and register not in order:
            order[register] = Register(first + len(order))
    spare = iter(n for n in range(256) if n not in fixed and Register(n) not in order.values())
    for number in range(256):  # the others move out of the way: a renaming has to be one to one
        register = Register(number)
        if number not in fixed and register not in order:
            order[register] = Register(next(spare))
    instructions = [renamed(i, order) for i in program.instructions]
    return replace(case, program=replace(program, instructions=instructions))


def _labels(case: Case) -> Case:
    program = case.program
    names = {name: f"L{number}" for number, name in enumerate(sorted(program.labels, key=program.labels.__getitem__))}
    instructions = [
        i.replace(target=Label(names[i.target.name])) if "target" in i.row.positions else i
        for i in program.instructions
    ]
    labels = {names[name]: at for name, at in program.labels.items()}
    entry = names[program.entry] if program.entry is not None else None
    return replace(case, program=replace(program, instructions=instructions, labels=labels, entry=entry))


def _used_types(case: Case) -> dict[str, set[Type]]:
    """The types in which each buffer is accessed, as far as addresses name it."""
    found: dict[str, set[Type]] = {}
    for instruction in case.program.instructions:
        for operand, address in instruction.addresses():
            if isinstance(address.base, str):
                ty = Type.U8 if operand.kind == "place" else instruction.type_of(operand)
                found.setdefault(address.base, set()).add(ty or Type.U8)
    return found


def _types(case: Case) -> Case:
    """Buffers of the type that they are accessed in; those of several types of bytes."""
    used = _used_types(case)

    def typed(param: Param) -> Param:
        if param.kind != "buffer":
            return param
        types = used.get(param.name, set())
        return replace(param, ty=next(iter(types)) if len(types) == 1 else Type.U8)

    return replace(case, program=replace(case.program, params=[typed(p) for p in case.program.params]))


def _accesses(case: Case) -> Case:
    """Buffers that are read only or written only declared so."""
    reads: set[str] = set()
    writes: set[str] = set()
    for instruction in case.program.instructions:
        for operand, address in instruction.addresses():
            if isinstance(address.base, str):
                reads |= {address.base} if operand.kind in ("load", "rmw", "place") else set()
                writes |= {address.base} if operand.kind in ("store", "rmw", "place", "result") else set()

    def declared(param: Param) -> Param:
        if param.kind != "buffer":
            return param
        name = param.name
        both = name in reads and name in writes
        return replace(param, access=Access.READ_WRITE if both else Access.WRITE if name in writes else Access.READ)

    return replace(case, program=replace(case.program, params=[declared(p) for p in case.program.params]))
