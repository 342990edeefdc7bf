"""Helpers for tests of programs and devices: the source documents' test macros as functions.

    from hologram_web.testing import assert_typed_buffer_eq, backend_fixture, run_program

    backend = backend_fixture()  # a pytest fixture: every device found here, or those named


    def test_negation(backend):
        x = hg.TypedBuffer.allocate(backend, hg.f32, 3)
        x.copy_to([1, 2, 3])
        here = hg.Address.Buffer(x.raw())
        run_program(backend, hg.Instruction.ParallelMap("neg", here, here, 3))
        assert_typed_buffer_eq(backend, x, [-1, -2, -3])

Buffers are compared as in the source documents: numbers that differ by less than 1e-5 are equal. `tolerance=0` asks
for equal numbers. NaN equals NaN here.
"""

from __future__ import annotations

from typing import Any

from .backends import DEVICES, Backend, LaunchConfig
from .errors import BackendUnavailable
from .isa.instruction import Instruction
from .isa.operands import BufferHandle
from .isa.program import Program
from .isa.types import Type
from .runtime.typed import TypedBuffer

__all__ = ["assert_buffer_eq", "assert_typed_buffer_eq", "backend_fixture", "run_program"]


def assert_buffer_eq(
    backend: Backend, buffer: BufferHandle, expected: Any, ty: Type = Type.F32, *, tolerance: float = 1e-5
) -> None:
    """Raises AssertionError unless the buffer begins with the `expected` numbers, as elements of `ty`."""
    _compare("Buffer", backend, buffer, _numbers(expected), ty, tolerance)


def assert_typed_buffer_eq(backend: Backend, buffer: TypedBuffer, expected: Any, *, tolerance: float = 1e-5) -> None:
    """Raises AssertionError unless the typed buffer holds the `expected` numbers, all of them."""
    numbers = _numbers(expected)
    if len(numbers) != buffer.count():
        raise AssertionError(f"the typed buffer has {buffer.count()} elements, {len(numbers)} are expected")
    _compare("Typed buffer", backend, buffer.raw(), numbers, buffer.type(), tolerance)


def run_program(backend: Backend, *instructions: Instruction, config: LaunchConfig | None = None) -> None:
    """Runs a program of these instructions, by default with 256 lanes. Raises what the device raises."""
    backend.execute_program(Program(list(instructions)), config or LaunchConfig.linear(256))
    backend.sync()


def backend_fixture(*names: str, scope: Any = "function", **options: Any) -> Any:
    """A pytest fixture that gives one device after the other: those named, by default all; skips what is not here.

    `options` go to the devices' constructors.
    """
    import pytest

    @pytest.fixture(params=names or tuple(DEVICES), scope=scope)
    def backend(request: pytest.FixtureRequest) -> Any:
        try:
            return DEVICES[request.param](**options)
        except BackendUnavailable as error:
            pytest.skip(str(error))

    return backend


def _numbers(values: Any) -> list[Any]:
    """Numbers of a sequence, an array of any shape, or one number."""
    if hasattr(values, "ravel"):
        values = values.ravel().tolist()
    return list(values) if hasattr(values, "__iter__") else [values]


def _compare(
    what: str, backend: Backend, buffer: BufferHandle, expected: list[Any], ty: Type, tolerance: float
) -> None:
    raw = backend.copy_from_buffer(buffer) or b""
    size = ty.size_bytes
    if len(raw) < len(expected) * size:
        raise AssertionError(f"the buffer has {len(raw) // size} elements of {ty}, {len(expected)} are expected")
    for index, wanted in enumerate(expected):
        found = ty.decode(int.from_bytes(raw[index * size : (index + 1) * size], "little"))
        same = found == wanted or (found != found and wanted != wanted)
        if not same and not abs(found - wanted) < tolerance:
            raise AssertionError(f"{what} mismatch at index {index}: expected {wanted}, got {found}")
