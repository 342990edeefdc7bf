"""Typed buffers and the generic executor of the source documents, over any device."""

from __future__ import annotations

from typing import Any

from ..backends.protocol import Backend
from ..errors import InvalidBuffer, LaunchError
from ..isa.address import Address
from ..isa.elements import stored_as
from ..isa.instruction import Instruction
from ..isa.launch import ExecutionParams, LaunchConfig
from ..isa.operands import Access, BinaryMapOperation, BufferHandle, MapOperation, ReduceOperation, Register
from ..isa.program import Param, Program
from ..isa.types import Type
from .arrays import array, empty, raw, to_type

__all__ = ["GenericExecutor", "TypedBuffer", "TypedBufferHandle"]


class TypedBuffer:
    """`count` elements of one type in a buffer of a device."""

    def __init__(self, backend: Backend, handle: BufferHandle, ty: Type, count: int) -> None:
        self._backend, self._handle, self._type, self._count = backend, handle, ty, count

    @classmethod
    def allocate(cls, backend: Backend, ty: Type, count: int) -> TypedBuffer:
        """A zeroed buffer. Raises AllocationFailed."""
        ty = stored_as(to_type(ty))
        return cls(backend, backend.allocate_buffer(count * ty.size_bytes), ty, count)

    def copy_to(self, data: Any) -> None:
        """Writes all elements. Raises InvalidBuffer if `data` has another number of them."""
        found = raw(array(data, self._type))
        if found.nbytes != self._count * self._type.size_bytes:
            count = found.nbytes // self._type.size_bytes
            raise InvalidBuffer(f"{count} elements do not fit a buffer of {self._count}")
        self._backend.copy_to_buffer(self._handle, found)

    def copy_from(self) -> Any:
        """All elements as a 1-D array: NumPy's, or a memoryview in a page without NumPy."""
        found = empty((self._count,), self._type)
        self._backend.copy_from_buffer(self._handle, raw(found))
        return found

    async def read(self) -> Any:
        """`copy_from`, without blocking the event loop."""
        found = empty((self._count,), self._type)
        await self._backend.read_async(self._handle, raw(found))
        return found

    def free(self) -> None:
        """Frees the buffer."""
        self._backend.free_buffer(self._handle)

    def count(self) -> int:
        return self._count

    def raw(self) -> BufferHandle:
        return self._handle

    def type(self) -> Type:
        return self._type


TypedBufferHandle = TypedBuffer  # as the source documents call one, too


class GenericExecutor:
    """Runs one map or reduction over typed buffers."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def execute_unary(self, operation: MapOperation, src: TypedBuffer, output: TypedBuffer) -> None:
        """output[i] = operation(src[i]) for each element of the output."""
        self._run("ParallelMap", operation, output, {"dst_array": output, "src_array": src}, output.count())

    def execute_binary(
        self, operation: BinaryMapOperation, lhs: TypedBuffer, rhs: TypedBuffer, output: TypedBuffer
    ) -> None:
        """output[i] = operation(lhs[i], rhs[i]) for each element of the output."""
        operands = {"dst_array": output, "src_a": lhs, "src_b": rhs}
        self._run("ParallelMapBinary", operation, output, operands, output.count())

    def execute_reduce(self, operation: ReduceOperation, src: TypedBuffer, output: TypedBuffer) -> None:
        """output[0] = the reduction of src, in canonical order."""
        self._run("ParallelReduce", operation, output, {"dst": output, "src_array": src}, src.count())

    def _run(self, name: str, operation: Any, output: TypedBuffer, buffers: dict[str, TypedBuffer], count: int) -> None:
        for field, buffer in buffers.items():
            if buffer.type() is not output.type():
                raise LaunchError(f"{field} is of {buffer.type()}, and the output of {output.type()}: give one type")
        params = [
            Param(field, "buffer", output.type(), Access.WRITE if field.startswith("dst") else Access.READ)
            for field in buffers
        ]
        addresses = {field: Address.Buffer(field) for field in buffers}
        make = getattr(Instruction, name)
        program = Program(
            [make(operation=operation, count="count", ty=output.type(), **addresses)],
            params=[*params, Param("count", "scalar", Type.U64)],
        )
        args: dict[str | Register, Any] = {field: buffer.raw() for field, buffer in buffers.items()}
        args["count"] = count
        self._backend.execute_program_with_params(program, ExecutionParams(LaunchConfig(), args))
