"""What every device offers (sdk.md, "the lower layer"), and what all of them share."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, runtime_checkable

from ..errors import ExecutionError, LaunchError
from ..isa.launch import ExecutionParams, LaunchConfig
from ..isa.operands import BufferHandle, PoolHandle
from ..isa.program import Program

__all__ = ["AsyncTwins", "Backend", "Explain", "Limits", "caller", "stop_of_call"]

T = TypeVar("T")
Explain = Callable[[ExecutionError], ExecutionError]  # what a fault means to the program it came from


@dataclass(frozen=True)
class Limits:
    """What stops a launch that does not end.

    `steps` back edges of loops not proven counted, per lane; `seconds` of wall time, or None for no such limit. Either
    gives an ExecutionError: StepLimit. A launch that has to take longer gets a device with other limits:
    `WasmBackend(limits=Limits(seconds=3600))`, or `device.limits = ...` before it.
    """

    steps: int = 1 << 32
    seconds: float | None = 60

    def __post_init__(self) -> None:
        """Raises LaunchError for what is no limit."""
        if not isinstance(self.steps, int) or self.steps < 0:
            raise LaunchError(f"Limits: steps is an integer from 0 on, not {self.steps!r}")
        if self.seconds is not None and not (isinstance(self.seconds, (int, float)) and self.seconds >= 0):
            raise LaunchError(f"Limits: seconds is a number from 0 on, or None, not {self.seconds!r}")


@runtime_checkable
class Backend(Protocol):
    """A device. Sizes and offsets are bytes; data is any object with the buffer protocol.

    Errors: InvalidBuffer and InvalidPool for handles that are not (or no longer) alive and for transfers that do not
    fit; AllocationFailed; IsaError for an invalid program; CompileError for one this device does not run; LaunchError
    for a bad configuration or argument; ExecutionError for a fault. After any of them the next call works.
    """

    name: str
    limits: Limits

    @property
    def native(self) -> Any:
        """What the device is made of: arrays, the wasmtime store, the wgpu device."""

    def execute_program(self, program: Program, config: LaunchConfig) -> None:
        """Runs a program whose only arguments are handles and counts written into it."""

    def execute_program_with_params(self, program: Program, params: ExecutionParams) -> None:
        """Runs a program with arguments."""

    def sync(self) -> None:
        """Waits until every launch has ended. Raises the fault of one, if the device did not raise it at once."""

    def close(self) -> None:
        """Frees all memory, after a last `sync`."""

    def allocate_buffer(self, size: int) -> BufferHandle:
        """A zeroed buffer of `size` bytes."""

    def free_buffer(self, handle: BufferHandle) -> None: ...

    def borrow_buffer(self, size: int) -> BufferHandle:
        """A buffer of `size` bytes that hold anything, one of those returned if it can be, until `return_buffer`."""

    def return_buffer(self, handle: BufferHandle) -> None:
        """Takes a borrowed buffer back. A few small ones are kept for the next who borrow, up to `close`."""

    def copy_to_buffer(self, handle: BufferHandle, data: Any) -> None:
        """Copies `data` to the start of the buffer."""

    def copy_from_buffer(self, handle: BufferHandle, out: Any = None) -> bytes | None:
        """The buffer's bytes, or its first ones into the writable object `out`."""

    def buffer_size(self, handle: BufferHandle) -> int: ...

    def allocate_pool(self, size: int) -> PoolHandle:
        """A zeroed pool of `size` bytes."""

    def free_pool(self, handle: PoolHandle) -> None: ...

    def copy_to_pool(self, handle: PoolHandle, offset: int, data: Any) -> None: ...

    def copy_from_pool(self, handle: PoolHandle, offset: int, out: Any) -> bytes | None:
        """Into the writable object `out`; or, if `out` is a number of bytes, those bytes."""

    def pool_size(self, handle: PoolHandle) -> int: ...

    def together(self) -> AbstractContextManager[None]:
        """Makes all launches of this thread in the block one to `cancel` and to the limit of seconds."""

    async def execute_async(self, program: Program, params: ExecutionParams | LaunchConfig) -> None: ...

    async def read_async(self, handle: BufferHandle, out: Any = None) -> bytes | None: ...

    def collect(self, reads: Mapping[BufferHandle, Any]) -> None:
        """`sync`, then the first bytes of each buffer into its writable object, which a fault leaves as it was."""

    async def collect_async(self, reads: Mapping[BufferHandle, Any]) -> None: ...

    def cancel(self) -> None:
        """Ends the running launch, if there is one, with ExecutionError: Cancelled. May be called from any thread."""


_stop: ContextVar[threading.Event | None] = ContextVar("stop", default=None)


_task: ContextVar[asyncio.Task[Any] | None] = ContextVar("task", default=None)


def caller() -> asyncio.Task[Any] | threading.Thread:
    """Whose call of a device it is: that of the running task, also in the thread that works for it, else the thread."""
    loop = asyncio._get_running_loop()  # None where current_task raises, which takes five times as long
    task = None if loop is None else asyncio.current_task(loop)
    return task or _task.get() or threading.current_thread()


def stop_of_call() -> threading.Event | None:
    """What is set when nobody waits any more for the call of a device that this thread is in; None if somebody does."""
    return _stop.get()


async def _in_thread(work: Callable[..., T], *args: Any) -> T:
    """Does work in a thread. If its task is cancelled, launches in it end, so that the thread does."""
    stop = threading.Event()
    before = _stop.set(stop)
    _task.set(asyncio.current_task())
    try:
        return await asyncio.to_thread(work, *args)
    except asyncio.CancelledError:
        stop.set()
        raise
    finally:
        _stop.reset(before)


class AsyncTwins:
    """The asynchronous calls of devices that block: the work runs in a thread, the event loop goes on."""

    async def execute_async(self: Any, program: Program, params: ExecutionParams | LaunchConfig) -> None:
        whole = isinstance(params, LaunchConfig)
        await _in_thread(self.execute_program if whole else self.execute_program_with_params, program, params)

    async def read_async(self: Any, handle: BufferHandle, out: Any = None) -> bytes | None:
        data: bytes | None = await _in_thread(self.copy_from_buffer, handle, out)
        return data

    async def collect_async(self: Any, reads: Mapping[BufferHandle, Any]) -> None:
        await _in_thread(self.collect, reads)
