"""Runs a reader on damaged or hostile input: it gives a Program or an IsaError, soon and in little memory."""

from __future__ import annotations

import time
import tracemalloc
import zlib
from collections.abc import Callable
from typing import Any

from hologram_web.errors import IsaError
from hologram_web.isa import Program

from ..clock import within

__all__ = ["SECONDS", "attempt", "attempt_in_memory", "with_checksum"]

SECONDS = 3.0  # of which a read takes a few thousandths, and the largest inputs here a third: machines differ


def attempt(reader: Callable[[Any], Program], data: Any) -> Program | IsaError:
    """What `reader` makes of `data`. A Program it gives is whole: all its forms read back exactly."""
    start = time.process_time()
    result = _read(reader, data)
    seconds = time.process_time() - start
    assert within(seconds, SECONDS), f"{seconds:.2f} s for {data!r:.200}"
    if isinstance(result, IsaError):
        assert str(result)
        return result
    assert isinstance(result, Program)
    assert Program.from_text(result.to_text()) == result
    assert Program.from_json(result.to_json()) == result
    written = _read(lambda program: Program.from_bytes(program.to_bytes()), result)
    assert written == result or "is used but not placed" in str(written)
    return result


def _read(reader: Callable[[Any], Program], data: Any) -> Program | IsaError:
    try:
        return reader(data)
    except IsaError as error:
        return error


def attempt_in_memory(reader: Callable[[Any], Program], data: Any, limit: int) -> Program | IsaError:
    """`attempt`, which may not allocate more than `limit` bytes at any time."""
    tracemalloc.start()
    try:
        result = _read(reader, data)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < limit, f"{peak} bytes for {data!r:.200}"
    return result


def with_checksum(body: bytes | bytearray) -> bytes:
    """The bytes of a program without its checksum, with the right one."""
    return bytes(body) + zlib.crc32(body).to_bytes(4, "little")
