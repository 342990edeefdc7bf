"""ProgramBuilder: programs by calls. `add_*` methods come from the table, one for each instruction."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..errors import IsaError
from .instruction import Instruction
from .operands import Access, Label, Register
from .program import MAX_PARAMETERS, Param, Program, ProgramMetadata
from .table import BY_NAME, ROWS
from .types import Type

__all__ = ["LoopScope", "ProgramBuilder"]


class LoopScope:
    """What `ProgramBuilder.loop` yields: the loop's counter and its end."""

    def __init__(self, builder: ProgramBuilder, counter: Register, end: Label) -> None:
        self._builder = builder
        self.counter = counter
        self.end = end

    def break_(self, pred: Any = None) -> None:
        """Leaves the loop, if `pred` (or `~pred`) holds."""
        self._builder.add(Instruction.BRA(self.end, pred))


class ProgramBuilder:
    """Builds a Program step by step.

    >>> b = ProgramBuilder("double")
    >>> x = b.param_buffer("x", Type.I32)
    >>> b.add_ldg(Type.I32, Register(2), Address.Register("x", Register(255), scale=4))
    """

    def __init__(self, name: str = "") -> None:
        self._program = Program(metadata=ProgramMetadata(name))
        self._counter = 0

    def add(self, instruction: Instruction) -> ProgramBuilder:
        """Appends an instruction; calls can be chained."""
        self._program.add(instruction)
        return self

    def __getattr__(self, name: str) -> Callable[..., ProgramBuilder]:
        row = _BUILDERS.get(name)
        if row is None:
            raise AttributeError(f"ProgramBuilder has no {name!r}")

        def add(*args: Any, **fields: Any) -> ProgramBuilder:
            return self.add(Instruction.make(row, *args, **fields))

        add.__name__ = name
        add.__doc__ = row.doc
        return add

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *_BUILDERS]

    def label(self, name: str | None = None) -> Label:
        """A label, not placed yet; a fresh name if none is given."""
        if name is None:
            while f"L{self._counter}" in self._program.labels:
                self._counter += 1
            name = f"L{self._counter}"
            self._counter += 1
        return Label(name)

    def place(self, label: Label | str) -> ProgramBuilder:
        """Lets a label mark the next instruction. Raises IsaError if it is placed already."""
        name = Label(label).name if isinstance(label, str) else label.name
        if name in self._program.labels:
            raise IsaError(
                f"label {name!r} is placed twice: at {self._program.labels[name]} and at {len(self._program)}"
            )
        self._program.labels[name] = len(self._program)
        return self

    @contextmanager
    def loop(self, counter: Register, iterations: int) -> Iterator[LoopScope]:
        """Runs the body `iterations` times; `counter` (U32) counts down to 0. Raises IsaError for a negative count."""
        if not isinstance(iterations, int) or not 0 <= iterations < 1 << 32:
            raise IsaError(f"a loop runs 0 to 2**32 - 1 times, not {iterations!r}")
        body, end = self.label(), self.label()
        if iterations == 0:
            self.add(Instruction.BRA(end))
        self.add(Instruction.MOV_IMM(Type.U32, counter, max(iterations - 1, 0)))
        self.place(body)
        yield LoopScope(self, counter, end)
        self.add(Instruction.LOOP(counter, body))
        self.place(end)

    def param_buffer(self, name: str, ty: Type = Type.F32, access: Access | str = Access.READ_WRITE) -> Register:
        """Declares the next parameter as a buffer and returns its register."""
        return self._param(Param(name, "buffer", ty, Access.named(access) if isinstance(access, str) else access))

    def param_scalar(self, name: str, ty: Type = Type.F32) -> Register:
        """Declares the next parameter as a scalar and returns its register."""
        return self._param(Param(name, "scalar", ty))

    def param_pool(self, name: str) -> Register:
        """Declares the next parameter as a pool and returns its register."""
        return self._param(Param(name, "pool"))

    def _param(self, param: Param) -> Register:
        if len(self._program.params) >= MAX_PARAMETERS:
            raise IsaError(f"a program has at most {MAX_PARAMETERS} parameters")
        self._program.params.append(param)
        return Register(len(self._program.params))

    def shared(self, size: int) -> ProgramBuilder:
        """Sets the size of the block's shared memory in bytes."""
        self._program.shared_memory = size
        return self

    def local(self, size: int) -> ProgramBuilder:
        """Sets the size of the memory that each lane has for itself, in bytes."""
        self._program.local_memory = size
        return self

    def entry(self, label: Label) -> ProgramBuilder:
        """Sets where lanes start."""
        self._program.entry = label.name
        return self

    def build(self) -> Program:
        """The program. It is not validated: call `.validate()`, as every device does."""
        return self._program


_BUILDERS = {row.builder: row for row in ROWS}
assert len(_BUILDERS) == len(BY_NAME), "two rows share a mnemonic"
