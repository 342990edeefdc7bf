"""Prints of kernels in plans: a run reads the logs of its launches, which are temporaries, and prints them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..backends.protocol import Backend
from ..errors import ArtifactError, ExecutionError, LaunchError
from ..isa.logs import show, unpacked

if TYPE_CHECKING:
    from .compiled import CompiledProgram

__all__ = ["printing"]


@contextmanager
def printing(compiled: CompiledProgram, backend: Backend, handles: Mapping[str, Any]) -> Iterator[None]:
    """Prints what the launches inside do, one launch after the other; where one faults, too. Raises ArtifactError."""
    try:
        logs = [(handles[name], prints) for name, prints in unpacked(compiled.metadata["prints"])]
    except (ValueError, KeyError) as error:
        raise ArtifactError(f"damaged artifact: its prints: {error}") from None
    if getattr(backend, "records", False):
        raise LaunchError(f"a recording prints nothing: run {compiled.name or 'the plan'} by itself")
    found = [(handle, memoryview(bytearray(backend.buffer_size(handle))), prints) for handle, prints in logs]

    def read() -> None:
        for handle, log, _ in found:
            backend.copy_from_buffer(handle, log)

    try:
        yield
        read()
    except ExecutionError:
        read()
        raise
    finally:
        for _, log, prints in found:
            show(log, prints)
