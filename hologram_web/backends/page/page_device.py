"""WasmBackend and WebGpuBackend of a page: batches of commands for the TypeScript runtime, one crossing for each.

Allocations, transfers and launches wait in Python until something is read or `sync` is asked, or there is much of them.
A kernel is compiled here, for the one target, and goes over as an artifact; the launch's numbers are its arguments.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import js  # type: ignore[import-not-found]
from pyodide.ffi import JsException, can_run_sync, run_sync  # type: ignore[import-not-found]

from ...errors import AllocationFailed, ExecutionError, FaultKind, InvalidBuffer
from ...extras import tools
from ...isa.launch import ExecutionParams, LaunchConfig
from ...isa.lift import RESONANCE_BYTES
from ...isa.operands import BufferHandle
from ...isa.program import Program
from ...isa.verify import Analysis
from ...page.session import error_of, open_session, wait
from ...store.cache import ProgramCache
from ...store.store import compiled_store, key_of
from ..device import CLASS_MEMORY_BYTES, Device
from ..protocol import Explain, Limits
from ..recording import Recording
from ..state import AtlasState
from ..threads import Threads, check_threads
from .prepared import PreparedCrossing

__all__ = ["WasmBackend", "WebGpuBackend"]

_STEPS, _SECONDS = 1 << 26, 10  # isa.md section 4
_WAITING = 4096  # commands of a batch
_WAITING_BYTES = 1 << 24
_LARGE = 1 << 20  # bytes that are allocated at once, so that AllocationFailed is raised at once
_CLASSES = 0  # the number of the class memory


class PageMemory(NamedTuple):
    """`size` bytes from `start` of the runtime's buffer `number`."""

    number: int
    size: int
    start: int = 0


class Stats:
    """Counters: kernels compiled to artifacts, those that an earlier visit compiled, those found again, launches,
    crossings to the runtime."""

    def __init__(self) -> None:
        self.kernels = self.stored = self.cache_hits = self.launches = self.crossings = 0


class _Sent(NamedTuple):
    """A batch on its way: the promise of its answer, what a fault in it means, and the recordings by their numbers."""

    answer: Any
    explain: Explain
    recordings: dict[int, PageRecording]


class PageRecording(Recording[PageMemory]):
    """A list of commands, which the runtime has: one crossing a replay. On WebGPU it is laid out there."""

    device: PageDevice

    def clear(self, memory: PageMemory) -> None:
        self.add(("clear", memory.number))

    def copy(self, source: PageMemory, target: PageMemory) -> None:
        self.add(("copy", target.number, source.number))

    def finish(self) -> None:
        super().finish()
        device, limits = self.device, self.device.limits
        self._number = next(device._numbers)
        self._stages = [stage for stage, _ in self._does]
        pieces = [command for _, command in self._does]
        device._command("record", self._number, limits.steps, limits.seconds, pieces)

    def _go(self) -> None:
        device = self.device
        device._replays[self._number] = self
        device.stats.launches += len(self)
        device._command("replay", self._number)
        device._submit()

    def told(self, piece: int, fault: ExecutionError) -> ExecutionError:
        """A fault of one of the commands."""
        return self._stages[piece].told(fault)

    def free(self) -> None:
        if not self._open:
            self.device._command("forget", self._number)
        super().free()


class PageDevice(Device[PageMemory]):
    """A device of the TypeScript runtime. Faults are raised by the next read or `sync`."""

    _recorded = PageRecording

    def __init__(
        self, *, limits: Limits | None = None, session: Any = None, cache: bool = True, math: str = "exact"
    ) -> None:
        """`cache` keeps what is compiled from visit to visit (store/store.py). Raises BackendUnavailable."""
        super().__init__(limits or Limits(_STEPS, _SECONDS), math)
        self.stats = Stats()
        self._cache = cache
        self._session = open_session(self.name) if session is None else session
        self._commands: list[Any] = []
        self._data = bytearray()
        self._interrupted = False  # the last batches, by Ctrl-C in Pyodide's interrupt buffer
        self._runs: list[Explain] = []  # of the launches that wait
        self._replays: dict[int, PageRecording] = {}  # that wait
        self._failed: Explain | None = None  # of the first launch with a fault since the last batch
        self.launched: tuple[int, dict[str, str]] = (0, {})  # program and bits of scalars, last
        self._sent: list[_Sent] = []
        self._numbers = itertools.count(1)
        self._programs: ProgramCache[Any, int] = ProgramCache(evicted=lambda _, number: self._command("drop", number))

    @property
    def native(self) -> Any:
        """The runtime's session."""
        return self._session

    # Batches

    def _submit(self) -> None:
        """Sends what waits; does not wait for it."""
        if not self._commands and self._failed is None:
            return
        explain = self._failed or (self._runs[0] if len(self._runs) == 1 else _one_of_many)
        self._runs, self._failed = [], None
        batch = self._batch()
        self._commands, self._data = [], bytearray()
        replays, self._replays = self._replays, {}
        self._sent.append(_Sent(self._session.submit(*batch), explain, replays))

    def _batch(self) -> tuple[str, Any]:
        data = js.Uint8Array.new(len(self._data))
        data.assign(self._data)
        self.stats.crossings += 1
        return json.dumps(self._commands, separators=(",", ":")), data

    def flushed(self) -> bool:
        """Whether nothing waits in Python: what does is done within this call, if no launch is among it."""
        if self._commands:
            if self._runs or self._replays or not self._session.now(*self._batch()):
                return False
            self._commands, self._data = [], bytearray()
        return True

    def failed(self, explain: Explain) -> None:
        """A launch that was done within its call had a fault, which the runtime tells with the next batch."""
        self._failed = self._failed or explain

    async def _answers(self) -> tuple[list[Any], Exception | None]:
        """What the last batch that was sent read, when all are done, and the first error of them."""
        sent, self._sent = self._sent, []
        self._interrupted = False
        problem: Exception | None = None
        reads: list[Any] = []
        for answer, explain, recordings in sent:
            try:
                found = await answer
            except JsException as error:
                problem = problem or error_of(error)
                continue
            reads = found.reads
            self._interrupted |= found.interrupted
            if found.error is not None and problem is None:
                problem = error_of(found.error.to_py())
                if isinstance(problem, ExecutionError):
                    problem = self._timed(problem)
                    if found.at is not None:
                        recording, launch = found.at
                        problem = recordings[recording].told(launch, problem)
                    else:
                        problem = explain(problem)
        return reads, problem

    @staticmethod
    def _timed(error: ExecutionError) -> ExecutionError:
        """What the runtime says of its own options, said of those here."""
        if error.kind is not FaultKind.STEP_LIMIT:
            return error
        return error.retold(error.detail.replace("run(args, { seconds })", "Limits(seconds=...)"), error.buffer)

    def _wait(self, instead: str) -> list[Any]:
        if not can_run_sync():
            wait(None, instead)
        reads, problem = run_sync(self._answers())
        if self._interrupted:
            raise KeyboardInterrupt from problem
        return _raised((reads, problem))

    def sync(self) -> None:
        self.collect({})

    def collect(self, reads: Mapping[BufferHandle, Any]) -> None:
        self._ask(reads)
        if self._sent:
            self._take(reads, self._wait("await device.collect_async({}), or await buffer.read()"))

    async def collect_async(self, reads: Mapping[BufferHandle, Any]) -> None:
        self._ask(reads)
        self._take(reads, _raised(await self._answers()))

    async def execute_async(self, program: Program, params: ExecutionParams | LaunchConfig) -> None:
        if isinstance(params, LaunchConfig):
            params = ExecutionParams(params)
        known = self._known(program)
        if known.adds_resonance:
            await self.collect_async({})  # so that a fault below is this launch's
        cells = self._start(known, params)
        if cells is None:
            await self.collect_async({})
            return
        found = bytearray(RESONANCE_BYTES)
        try:
            await self.collect_async({cells: found})
        except BaseException:
            self.free_buffer(cells)
            raise
        self._commit(cells, params, lambda handle: bytes(found))

    async def read_async(self, handle: BufferHandle, out: Any = None) -> bytes | None:
        found = bytearray(self.buffer_size(handle)) if out is None else out
        await self.collect_async({handle: found})
        return bytes(found) if out is None else None

    def _ask(self, reads: Mapping[BufferHandle, Any]) -> None:
        """Sends what waits, and the reads with it."""
        for handle, out in reads.items():
            memory, count = self._buffer(handle), memoryview(out).nbytes
            self._fits(memory, 0, count, InvalidBuffer, "buffer")
            self._commands.append(("read", memory.number, 0, count))
        self._submit()

    def _take(self, reads: Mapping[BufferHandle, Any], found: list[Any]) -> None:
        for out, data in zip(reads.values(), found, strict=True):
            if data.length:
                data.assign_to(memoryview(out).cast("B"))

    def cancel(self) -> None:
        super().cancel()
        self._session.cancel()

    def close(self) -> None:
        """Frees all memory, after a last `sync` where Python can wait."""
        try:
            if can_run_sync():
                self.sync()
        finally:
            self._sent = []
            for memory in (*self._buffers.values(), *self._pools.values()):
                self._release(memory)
            self._buffers, self._pools, self._returned = {}, {}, []
            self.atlas = AtlasState()
            self._submit()

    # Memory

    def _reserve(self, size: int) -> PageMemory:
        memory = PageMemory(next(self._numbers), size)
        if size >= _LARGE and self._session.info is not None:
            try:
                self._session.allocate(memory.number, size)
            except JsException as error:
                raise error_of(error) from None
        elif size > 1 << 48:
            raise AllocationFailed(f"{size} bytes are more than any device has")
        else:
            self._command("allocate", memory.number, size)
        return memory

    def _command(self, *command: Any) -> None:
        self._commands.append(command)
        if len(self._commands) >= _WAITING or len(self._data) >= _WAITING_BYTES:
            self._submit()

    def _release(self, memory: PageMemory) -> None:
        if memory.number != _CLASSES:
            self._command("free", memory.number)

    def _size(self, memory: PageMemory) -> int:
        return memory.size

    def _read(self, memory: PageMemory, offset: int, out: memoryview) -> None:
        self._commands.append(("read", memory.number, memory.start + offset, out.nbytes))
        self._submit()
        (found,) = self._wait("await buffer.read(), or await device.read_async(handle)")
        if out.nbytes:
            found.assign_to(out)

    def _write(self, memory: PageMemory, offset: int, raw: memoryview) -> None:
        if raw.nbytes:
            start = len(self._data)
            self._data += raw
            self._command("write", memory.number, memory.start + offset, start, raw.nbytes)

    def _classes(self) -> PageMemory:
        return PageMemory(_CLASSES, CLASS_MEMORY_BYTES)

    def _class_part(self, start: int, size: int) -> PageMemory:
        return PageMemory(_CLASSES, size, start)

    def class_memory(self, class_id: int) -> ClassMemory:
        """The 12,288 bytes of a class: indexing reads from the device and writes to it."""
        return ClassMemory(self, self._class(class_id))

    # Launches

    def _launch(self, analysis: Analysis, config: LaunchConfig, values: Mapping[str, Any]) -> None:
        command = self._run(analysis, config, values)
        self.stats.launches += 1
        lifted = any(name.startswith("$") for name in values)
        if lifted:  # its faults are told in other words: it has a batch of its own
            self._submit()
        self._runs.append(self._as_written)
        self.launched = command[1], command[2]
        self._command(*command)
        if lifted:
            self._submit()

    def _record(self, analysis: Analysis, config: LaunchConfig, values: Mapping[str, Any]) -> None:
        assert self._recording is not None
        self._recording.add(self._run(analysis, config, values))

    def _run(self, analysis: Analysis, config: LaunchConfig, values: Mapping[str, Any]) -> tuple[Any, ...]:
        """The command of a launch."""
        owners: dict[int, str] = {}
        aliases: dict[str, str] = {}
        scalars: dict[str, str] = {}
        for param in analysis.program.params:
            value = values[param.name]
            if param.kind == "scalar":
                scalars[param.name] = f"{value:x}"
            else:
                memory = self._pool(value) if param.kind == "pool" else self._buffer(value)
                aliases[param.name] = owners.setdefault(memory.number, param.name)
        lanes = config.lanes
        # Exact lanes are arguments, other grids are written into the artifact.
        config = replace(config, promises=None)  # they were checked, and are no part of the code
        exact = lanes is not None and config == LaunchConfig._exact(lanes, config.block, config.shared_memory)
        shape: Any = tuple(count == 1 for count in lanes) if exact and lanes else config
        if exact and lanes:
            scalars |= {name: f"{count:x}" for name, count in zip(("$x", "$y", "$z"), lanes, strict=True) if count != 1}
        number = self._program(analysis, config, shape, aliases)
        buffers = {name: number for number, name in owners.items()}
        return "run", number, scalars, buffers, self.limits.steps, self.limits.seconds

    def _program(self, analysis: Analysis, config: LaunchConfig, shape: Any, aliases: dict[str, str]) -> int:
        """The number of the program that runs such launches; it is compiled when there is none."""
        key = analysis.source, tuple(config.block), config.shared_memory, shape, tuple(aliases.items()), self._options
        found = self._programs.get(key)
        if found is not None:
            self.stats.cache_hits += 1
            return found
        raw = self._compiled(key[:-1], analysis, config, shape, aliases)
        number = next(self._numbers)
        start = len(self._data)
        self._data += raw
        self._command("load", number, start, len(raw))
        self._programs.insert(key, number)
        return number

    @property
    def _options(self) -> tuple[str, ...]:
        """What shapes the code besides the launch."""
        return (self._math,)

    def _compiled(self, key: Any, analysis: Analysis, config: LaunchConfig, shape: Any, aliases: Any) -> bytes:
        """The artifact, of this visit or an earlier one."""
        store = compiled_store() if self._cache else None
        place = b"" if store is None else key_of(key, self.name, self._options)
        kept = None if store is None else store.get("holo", place)
        if kept is not None:
            self.stats.stored += 1
            return kept
        from .launch_artifact import artifact_of  # the compiler

        raw = artifact_of(analysis, config, shape, aliases, self.name, self._math)
        self.stats.kernels += 1
        if store is not None:
            store.put("holo", place, raw)
        return raw


def _one_of_many(error: ExecutionError) -> ExecutionError:
    """A fault in a batch of several launches: of which it is, nobody knows."""
    error.program = ""
    return error


def _raised(answers: tuple[list[Any], Exception | None]) -> list[Any]:
    """What was read. Raises the error."""
    reads, problem = answers
    if problem is not None:
        raise problem
    return reads


class WasmBackend(PageDevice):
    """Runs programs as WebAssembly of the browser. It is opened with the first batch."""

    name = "wasm"
    _prepared = PreparedCrossing

    def __init__(self, *, threads: int | None = None, session: Any = None, **options: Any) -> None:
        """`threads` is how many share a launch at most: by default as many as there are processors, in isolated pages
        and in Node; elsewhere there is one. Raises LaunchError for no number of threads."""
        check_threads(threads)
        super().__init__(session=open_session(self.name, threads) if session is None else session, **options)

    @property
    def threads(self) -> Threads:
        """How many threads share a launch that is long enough, and the reason."""
        found = self._session.threads
        return Threads(found.number, found.reason)

    def compile_to_wasm(self, program: Program, block: tuple[int, int, int] = (256, 1, 1)) -> bytes:
        """The WebAssembly module of a program without collectives, for blocks of that shape."""
        from .launch_artifact import module_of

        return module_of(self._analysis(program, program), block)

    def compile_to_wat(self, program: Program, block: tuple[int, int, int] = (256, 1, 1)) -> str:
        """The module in text form, for people."""
        text: str = tools("disassemble").disassemble(self.compile_to_wasm(program, block))
        return text


class WebGpuBackend(PageDevice):
    """Runs programs on the browser's WebGPU."""

    name = "webgpu"

    @property
    def adapter(self) -> dict[str, Any]:
        """What the adapter says of itself, and `real`: whether it is a GPU."""
        found: dict[str, Any] = self._session.info.adapter.to_py()
        return found

    def clocked(self, launch: Callable[[], None]) -> float | None:
        before = self._session.clock
        super().clocked(launch)
        return None if before is None else (self._session.clock - before) / 1000


class ClassMemory:
    """Bytes of class memory. Slices read; assigning writes."""

    def __init__(self, device: PageDevice, memory: PageMemory) -> None:
        self._device, self._memory = device, memory

    def __len__(self) -> int:
        return self._memory.size

    def __bytes__(self) -> bytes:
        return bytes(self._device._bytes(self._memory))

    def __getitem__(self, key: Any) -> Any:
        return memoryview(self._device._bytes(self._memory))[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        whole = bytearray(self._device._bytes(self._memory))
        memoryview(whole)[key] = value
        self._device._write(self._memory, 0, memoryview(whole))
