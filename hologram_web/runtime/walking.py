"""Running a compiled program: the walk of its plan, whose calls are launches of programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..backends.protocol import Backend
from ..errors import LaunchError
from ..isa.arguments import scalar_bits
from ..isa.launch import ExecutionParams, LaunchConfig
from ..isa.operands import BufferHandle, Immediate, PoolHandle
from ..isa.program import Param, Program
from ..plan.plan import Argument, ProgramCall
from ..plan.walk import Budget, Walk

if TYPE_CHECKING:
    from .compiled import CompiledProgram

__all__ = ["LaunchWalk", "target_of"]


def target_of(backend: Backend) -> str:
    """The target whose steps a device runs."""
    return "webgpu" if backend.name == "webgpu" else "wasm"


class LaunchWalk(Walk):
    """Walks the steps of a plan; its calls are launches of programs."""

    def __init__(
        self,
        compiled: CompiledProgram,
        backend: Backend,
        handles: Mapping[str, BufferHandle | PoolHandle],
        scalars: Mapping[str, int],
        variables: Mapping[str, int],
    ) -> None:
        super().__init__(scalars, variables, Budget(backend.limits.seconds))
        self.compiled, self.backend, self.handles = compiled, backend, handles
        self.target = target_of(backend)

    def configured(self, step: ProgramCall) -> tuple[Program, LaunchConfig]:
        """What a call launches, and how."""
        grid, lanes = (tuple(map(self.evaluate, three)) for three in (step.grid, step.lanes))
        config = LaunchConfig(grid, step.block, step.shared, lanes)  # type: ignore[arg-type]
        return self.compiled.programs[step.program], config

    def number(self, param: Param, arg: Argument) -> Immediate:
        """The argument for a scalar parameter."""
        assert param.ty is not None
        formula = arg.kind == "formula"
        bits = scalar_bits(param.name, param.ty, self.evaluate(arg.value)) if formula else self.bits_of(param.ty, arg)
        return Immediate(param.ty, bits)

    def call(self, step: ProgramCall) -> None:
        program, config = self.configured(step)
        given: dict[Any, Any] = {
            param.name: self.handles[arg.value] if arg.kind == "buffer" else self.number(param, arg)
            for param, arg in zip(program.params, step.args, strict=True)
        }
        self.backend.execute_program_with_params(program, ExecutionParams(config, given, self.compiled.math))
        if config.total_threads():
            self.budget.launched()

    def read(self, buffer: str, offset: int, size: int) -> bytes:
        handle = self.handles[buffer]
        if isinstance(handle, PoolHandle):
            whole, found = self.backend.pool_size(handle), bytearray(size)
        else:
            whole, found = self.backend.buffer_size(handle), bytearray(self.backend.buffer_size(handle))
        if not 0 <= offset <= whole - size:
            raise LaunchError(f"a value of {size} bytes at offset {offset} of {buffer} is wanted, which has {whole}")
        if isinstance(handle, PoolHandle):
            self.backend.copy_from_pool(handle, offset, found)
            return bytes(found)
        self.backend.copy_from_buffer(handle, found)
        return bytes(found[offset:][:size])
