"""What a device keeps of a program from launch to launch: all that does not depend on the launch's arguments.

Writing the bytes of a program again to look its analysis up took 60 us of a launch of 130 (a kernel of nine
instructions); comparing it with what it was takes less than one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from operator import is_
from typing import Any

from ..errors import ExecutionError
from ..isa.arguments import Binder
from ..isa.lift import lift
from ..isa.operands import BufferHandle, PoolHandle, Register
from ..isa.program import Program
from ..isa.verify import Analysis
from .prepared import Prepared

__all__ = ["Known", "as_written"]


class Known:
    """A program, as it was when it was launched first. A Program can be changed: then it is another one (`holds`).

    `lifted`, the arguments `extra` that it has beyond the program's, and its `analysis` are there after `verify`;
    `binder` binds the arguments of launches to its parameters. `stores` are the neighbours that it stores to.
    """

    lifted: Program
    extra: dict[str | Register, Any]
    analysis: Analysis
    binder: Binder
    as_written: Callable[[ExecutionError], ExecutionError]

    def __init__(self, program: Program) -> None:
        self.program = program
        self._instructions: Any = tuple(program.instructions)  # of tuples the same; what is in it is immutable
        self._params, self._labels = list(program.params), dict(program.labels)
        self._entries, self._rest = dict(program.metadata.entries), _rest(program)
        self._bound: dict[int, BufferHandle] | None = None
        self.prepared: dict[Any, Prepared] = {}  # launches, by what they have in common
        rows = [instruction.row for instruction in program.instructions]
        self.adds_resonance = any(row.state == "resonance" for row in rows)
        self.stores = [i.offset for i in program.instructions if i.row.state == "classes" and i.row.name == "NBRStore"]

    def holds(self, program: Program) -> bool:
        """Whether the program is still the same: the very instructions, as equal ones may differ in their bits."""
        now, kept = program.instructions, self._instructions
        return (
            (now is kept or (len(now) == len(kept) and all(map(is_, now, kept))))
            and program.params == self._params
            and program.labels == self._labels
            and program.metadata.entries == self._entries
            and _rest(program) == self._rest
        )

    def is_verified(self, bound: Mapping[int, BufferHandle]) -> bool:
        """Whether it was, with these buffers bound to classes."""
        return self._bound == bound

    def verify(self, bound: Mapping[int, BufferHandle], analysis: Callable[[Program, Program], Analysis]) -> None:
        """Lifts the program and has `analysis` find out about it. Raises what that raises."""
        self._bound = None
        self.lifted, self.extra = lift(self.program, bound)
        self.analysis = analysis(self.program, self.lifted)
        self.binder = Binder(self.lifted)
        self.as_written = partial(as_written, self.program, self.lifted, {})
        self._bound = dict(bound)


def _rest(program: Program) -> tuple[Any, ...]:
    """What a program is beside its lists and dictionaries."""
    return program.entry, program.shared_memory, program.local_memory, program.metadata.name


def as_written(program: Program, lifted: Program, extra: Mapping[Any, Any], error: ExecutionError) -> ExecutionError:
    """A fault of the lifted program, told of the program itself, with the line it was written as. One that was told
    stays: a GPU may come to that of an earlier launch."""
    index = error.instruction
    if error.program is not None:
        return error
    error.program = program.metadata.name
    written = program.source_map
    if written is not None:
        for place, lane in error.places:
            error.add_note(f"lane {lane}: {written(place)}")
        element = written.element(error.buffer, error.offset)
        if element is not None:
            told = error.detail.replace(f"byte {error.offset} of {error.buffer}", element, 1)
            error = error.retold(told.replace(str(error.buffer), element, 1), error.buffer)
    if index is None or not 0 <= index < len(program):
        return error
    if written is not None and not error.places:
        error.add_note(written(index))
    if not extra:
        return error
    detail = error.detail.replace(str(lifted.instructions[index]), str(program.instructions[index]))
    buffer = error.buffer
    for name, value in extra.items():
        if isinstance(value, (BufferHandle, PoolHandle)):
            kind = "buffer" if isinstance(value, BufferHandle) else "pool"
            detail = detail.replace(f"{kind} {name}", f"{kind} #{value.id}")
            buffer = f"{kind} #{value.id}" if buffer == f"{kind} {name}" else buffer
    return error.retold(detail, buffer)
