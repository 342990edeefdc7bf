"""Streaming: data of any length through a pool of fixed size."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from ..backends import IN_PAGE
from ..errors import LaunchError
from ..isa.launch import LaunchConfig
from ..isa.program import Program
from .executor import Buffer, Executor

__all__ = ["StreamReport", "stream"]

_LAUNCHES_AHEAD = 256  # of a device that runs them later
_LONG = 1e-3  # seconds: handing a piece from thread to thread takes 0.2 to 0.4 ms


@dataclass(frozen=True)
class StreamReport:
    """What a stream did: bytes that went through, seconds from first to last, launches, bytes of the pool."""

    bytes: int
    seconds: float
    launches: int
    pool_bytes: int
    cancelled: bool

    @property
    def gb_per_s(self) -> float:
        """10**9 bytes a second; 0 where nothing was streamed."""
        return self.bytes / self.seconds / 1e9 if self.bytes else 0.0


def stream(
    program: Program,
    chunks: Iterable[Any],
    pool_bytes: int = 36_864,
    *,
    executor: Executor | None = None,
    item_bytes: int = 4,
    args: Mapping[str, Any] | None = None,
    sink: Callable[[bytes], None] | None = None,
    progress: Callable[[StreamReport], None] | None = None,
    cancel: threading.Event | None = None,
) -> StreamReport:
    """Runs a program over data of any length, piece by piece, in memory that does not grow.

    The program has one pool parameter. Its pool is one half of `pool_bytes` and holds a piece; while it is worked on,
    the next piece is fetched for the other half, by a thread if that takes long. `chunks` are objects with the buffer
    protocol, of any lengths; a piece is as long as fits and a whole number of items of `item_bytes`, of which each is a
    lane; only the last may be shorter. A scalar parameter `size` gets the bytes of the piece, `offset` those before it;
    `args` are the others, such as buffers that collect results. `sink` gets each piece back from the pool, as the
    program left it.

    `progress` is called after each launch with the report so far, `cancel` ends the stream before the next one. Raises
    LaunchError for a program without one pool or a pool too small, and what chunks, sink and device raise.
    """
    pools = [param.name for param in program.params if param.kind == "pool"]
    if len(pools) != 1:
        raise LaunchError(f"a stream takes a program with one pool parameter, and it has {len(pools)}")
    half = pool_bytes // 2 // item_bytes * item_bytes
    if half <= 0:
        raise LaunchError(
            f"a pool of {pool_bytes} bytes has no two halves of items of {item_bytes} bytes: make it larger"
        )
    values = dict(args or {})
    for name, value in values.items():
        if isinstance(value, Buffer):
            value.changes()
            values[name] = value.handle
    own = Executor() if executor is None else executor
    device = own.device
    halves = [device.allocate_pool(half) for _ in range(2)]
    start, done, launches, cancelled = time.perf_counter(), 0, 0, False

    def report() -> StreamReport:
        return StreamReport(done, time.perf_counter() - start, launches, pool_bytes, cancelled)

    try:
        for piece in _ahead(_pieces(chunks, half)):
            if cancelled := cancel is not None and cancel.is_set():
                break
            pool = halves[launches % 2]
            device.copy_to_pool(pool, 0, piece)
            known = {pools[0]: pool, "size": len(piece), "offset": done, **values}
            given = {param.name: known[param.name] for param in program.params if param.name in known}
            own.run(program, LaunchConfig.linear(-(-len(piece) // item_bytes)), **given)
            if sink is not None:
                sink(device.copy_from_pool(pool, 0, len(piece)))
            launches, done = launches + 1, done + len(piece)
            if launches % _LAUNCHES_AHEAD == 0:
                own.sync()
            if progress is not None:
                progress(report())
        own.sync()
        return report()
    finally:
        for pool in halves:
            device.free_pool(pool)
        if executor is None:
            own.close()


def _pieces(chunks: Iterable[Any], size: int) -> Iterator[memoryview]:
    """The bytes of chunks in pieces of a size, the last one shorter. A piece is overwritten by the next but one."""
    rooms = (bytearray(size), bytearray(size))
    number = used = 0
    for chunk in chunks:
        view = memoryview(chunk).cast("B")
        while view.nbytes:
            take = min(size - used, view.nbytes)
            rooms[number][used : used + take] = view[:take]
            used, view = used + take, view[take:]
            if used == size:
                yield memoryview(rooms[number])
                number, used = 1 - number, 0
    if used:
        yield memoryview(rooms[number])[:used]


def _ahead(pieces: Iterator[memoryview]) -> Iterator[memoryview]:
    """The same; once fetching takes long, each is fetched by a thread while the one before is worked on."""
    start = time.perf_counter()
    for piece in pieces:
        if time.perf_counter() - start > _LONG and not IN_PAGE:  # a page has no threads
            yield from _by_thread(piece, pieces)
            return
        yield piece
        start = time.perf_counter()


def _by_thread(piece: memoryview | None, pieces: Iterator[memoryview]) -> Iterator[memoryview]:
    with ThreadPoolExecutor(1, "stream") as worker:
        while piece is not None:
            following: Future[memoryview | None] = worker.submit(next, pieces, None)
            yield piece
            piece = following.result()
