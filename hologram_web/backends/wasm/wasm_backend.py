"""WasmBackend: programs compiled to WebAssembly and run by wasmtime. The fast CPU path."""

from __future__ import annotations

import time
import weakref
from dataclasses import dataclass
from functools import partial
from struct import Struct, pack_into, unpack_from
from typing import Any

import numpy as np
import wasmtime
from numpy.typing import NDArray

from ...compiler.driver import identity_of, lane_function
from ...compiler.passes import optimize
from ...errors import ExecutionError
from ...extras import tools
from ...isa.launch import LaunchConfig
from ...isa.operands import BufferHandle
from ...isa.program import Program
from ...isa.verify import Analysis
from ...store.cache import ProgramCache
from ...store.disk import recall
from ...store.store import compiled_store, key_of, module_store
from ...targets.wasm import ARGUMENTS, FIRST_TICKS, WasmKernel, WasmOptions, compile_kernel
from ..compiled import CompiledDevice, Job, Words
from ..device import CLASS_MEMORY_BYTES
from ..protocol import Limits
from ..threads import Threads, check_threads
from .arena import Arena, ArenaBlock, FastCall, shared
from .cache import WASM_KERNEL, ModuleCache, fits
from .crew import Crew, processors, store_of
from .poll import TIME_IS_UP, Poll
from .prepared import PreparedCall, RecordedCall

__all__ = ["WasmBackend", "WasmStats"]

_SCRATCH = 4 * 32 * 8  # accumulators of a canonical reduction: 4 levels of 32
# Seconds of a launch that threads share: a crew takes 3 us more than a call (measured, 2026-11-23), to wake a worker 6
# if it has just gone to sleep, and 20 if it sleeps, so that two threads need as long for half of it.
_LONG = 50e-6
_TRIAL = 0.02, 0.5  # seconds of a launch that is tried on one thread, without and with atomics
_TRIED = 32  # launches after which what was slower has another turn, at most


@dataclass
class WasmStats:
    """Counters: kernels compiled to WebAssembly, kernels that an earlier process compiled, modules compiled by
    wasmtime, modules found, launches."""

    kernels: int = 0
    stored: int = 0
    modules: int = 0
    cache_hits: int = 0
    launches: int = 0


class _Loaded:
    """A kernel ready to be called, with its argument block at `arguments`. It keeps the analysis, whose id is part of
    its key.

    `answer` is where the kernel finds what `poll` says, `status` its status words. `head` is what the block begins
    with, up to the scalars: the same for launches that `made_for` is equal of. The block `holds` the head that was
    `made_for` this, and no status; None if nobody knows. The memory of one that is `gone` is others'.
    """

    def __init__(
        self,
        kernel: WasmKernel,
        module: wasmtime.Module,
        function: wasmtime.Func,
        call: FastCall,
        arena: Arena,
        analysis: Analysis,
    ) -> None:
        self.kernel, self.module, self.function, self.call, self.analysis = kernel, module, function, call, analysis
        self.arguments = arena.allocate(kernel.arguments_size)
        self.block = arena.block(self.arguments, kernel.arguments_size).bytes
        self.status = self.block[: ARGUMENTS["values"]].cast("I")
        self.answer = self.block[ARGUMENTS["cancel"] :][:4].cast("i")
        self.scalars = [(name, ty.argument_bytes if ty.is_wide else 0) for name, ty in kernel.scalars]
        slots = "".join(f"{size}s" if size else "Q" for _, size in self.scalars)
        self.layout = Struct(f"<{slots}{2 * len(kernel.bases)}I")
        self.head = b""
        self.made_for: tuple[Any, ...] = ()
        self.holds: tuple[Any, ...] | None = None
        self.gone = False
        self.number = 0  # in the tables of its crew
        self.crew: Crew | None = None
        # Seconds a block took in the last launches, of one thread and of several; 0 where nobody knows.
        self.alone = self.together = 0.0
        self.blocks = self.turns = 0
        self.short = 0  # so many blocks are known to be

    def begin(self, blocks: int) -> None:
        """Writes the head, and has the calls that come run so many blocks."""
        self.block[: ARGUMENTS["values"]] = self.head
        self.call.pass_on(self.arguments, 0, blocks)
        self.blocks, self.holds = blocks, self.made_for

    def is_better_alone(self) -> bool:
        """Whether one thread is to run it: as it is short, or as more of them were slower. They are where atomics meet
        on few words (a histogram, 8 times), and where others have the processors: who launches waits for a worker that
        has blocks and no processor. What is not too long is tried alone once. What was slower has another turn soon, as
        its workers may have been late, and then ever later."""
        pace, together = self.alone or self.together, self.together
        if self.blocks * pace < _LONG:
            return pace > 0
        if not self.alone:
            return 0 < together * self.blocks < _TRIAL[self.kernel.atomic]
        better = self.alone < together
        self.turns = turn = self.turns + 1 if better or self.kernel.atomic else 0
        again = turn > 1 and (turn % _TRIED == 0 or turn & (turn - 1) == 0)
        return better != again

    def took(self, seconds: float, together: bool) -> None:
        """Keeps how long it took: what else the machine does makes it longer, so that less is believed at once."""
        pace, known = seconds / self.blocks, self.together if together else self.alone
        if 0 < known < pace:
            pace = (known + pace) / 2
        if together:
            self.together = pace
        else:
            self.alone = pace


class WasmBackend(CompiledDevice[ArenaBlock]):
    """Runs programs as WebAssembly, four lanes side by side where they can.

    Buffers lie in one WebAssembly memory of at most 4 GiB, in reach of NumPy without copies (`view`).
    """

    name = "wasm"
    _prepared = PreparedCall
    _crew_of, _long = Crew, _LONG
    optimize = staticmethod(optimize)  # measurements leave passes out
    splats = True  # and make what pages have

    def __init__(
        self,
        *,
        limits: Limits | None = None,
        cache: bool = True,
        math: str = "exact",
        packets: int | None = None,
        threads: int | None = None,
    ) -> None:
        """`cache` keeps what is compiled on disk (store/store.py). `packets` are the lanes that go side by side, where
        they can, 1 for none and None for what seems best. `threads` is how many share a launch at most: by default as
        many as there are processors. Raises BackendUnavailable without wasmtime, LaunchError for no number of
        threads."""
        super().__init__(limits, math)
        self.packets = packets
        self.stats = WasmStats()
        config = wasmtime.Config()
        config.parallel_compilation = (
            False  # in the child of a fork its threads are missing, and compiling waits for them
        )
        self._wide_arithmetic = hasattr(wasmtime.Config, "wasm_wide_arithmetic")
        if self._wide_arithmetic:
            config.wasm_wide_arithmetic = True
        self._relaxed = hasattr(wasmtime.Config, "wasm_relaxed_simd")
        if self._relaxed:
            config.wasm_relaxed_simd = True
        config.shared_memory = True
        self._engine = wasmtime.Engine(config)
        self._store = store_of(self._engine)
        self._arena = Arena(self._engine)
        self._threads = _threads(threads)
        self._crew: Crew | None = None
        self._poll = Poll(self._store, self._stopped)
        self._store_of_kernels = compiled_store() if cache else None
        self._modules = ModuleCache(self._engine, module_store() if cache else None)
        self._kernels: ProgramCache[Any, _Loaded] = ProgramCache(evicted=lambda _, loaded: self._unload(loaded))
        self._scratch = self._arena.allocate(_SCRATCH)
        self._work: tuple[int, int] = (0, 0)  # spill and shared memory: address and size

    @property
    def threads(self) -> Threads:
        """How many threads share a launch that is long enough, and the reason."""
        return self._threads

    def after_fork(self) -> None:
        """The threads do not exist in the child, and may have left what wakes them in any state."""
        super().after_fork()
        self._crew, self._threads = None, Threads(1, "the process was forked")

    def close(self) -> None:
        try:
            super().close()
        finally:
            with self._lock:
                if self._crew is not None:
                    self._crew.free()
                    self._crew = None

    @property
    def native(self) -> wasmtime.Store:
        """The wasmtime store."""
        return self._store

    def compile_to_wasm(self, program: Program, block: tuple[int, int, int] = (256, 1, 1)) -> bytes:
        """The WebAssembly module of a program without collectives, for blocks of that shape."""
        return self.kernel_of(program, block).code

    def kernel_of(self, program: Program, block: tuple[int, int, int]) -> WasmKernel:
        """What launches of a program without collectives run in blocks of that shape."""
        return self._compile(self._analysis(program, program), block, None, {}, self._fuses(self.math))

    def compile_to_wat(self, program: Program, block: tuple[int, int, int] = (256, 1, 1)) -> str:
        """The module in text form, for people."""
        text: str = tools("disassemble").disassemble(self.compile_to_wasm(program, block))
        return text

    # Memory

    def view(self, handle: Any) -> NDArray[np.uint8]:
        """The bytes of a buffer, to read and write without a copy; valid until the buffer is freed."""
        return np.frombuffer(self._buffer(handle).bytes, np.uint8)

    def class_memory(self, class_id: int) -> NDArray[np.uint8]:
        """The 12,288 bytes of a class: a view that reads and writes."""
        return np.frombuffer(self._class(class_id).bytes, np.uint8)

    def _reserve(self, size: int) -> ArenaBlock:
        return self._arena.block(self._arena.allocate(size), size)

    def allocate_unwritten(self, size: int) -> BufferHandle:
        if self._recording is not None:  # which zeroes it in each replay
            return self.allocate_buffer(size)
        with self._lock:
            return self._kept(self._arena.block(self._arena.allocate(size, zeroed=False), size))

    def _release(self, memory: ArenaBlock) -> None:
        self._arena.free(memory.address)

    def _size(self, memory: ArenaBlock) -> int:
        return memory.size

    def _read(self, memory: ArenaBlock, offset: int, out: memoryview) -> None:
        out[:] = memory.bytes[offset : offset + out.nbytes]

    def _write(self, memory: ArenaBlock, offset: int, raw: memoryview) -> None:
        memory.bytes[offset : offset + raw.nbytes] = raw

    def _class_part(self, start: int, size: int) -> ArenaBlock:
        return self._arena.block(self._classes().address + start, size)

    def _work_memory(self, size: int) -> int:
        """Memory for spills and shared memory, kept between launches."""
        address, had = self._work
        if had < size:
            if had:
                self._arena.free(address)
            self._work = (self._arena.allocate(size), size)
        return self._work[0]

    # Launches

    def _whole(self, memory: ArenaBlock) -> tuple[ArenaBlock, int]:
        whole = self._class_memory  # only this is handed out in parts
        start = -1 if whole is None else memory.address - whole.address
        return (whole, start) if whole is not None and 0 <= start < CLASS_MEMORY_BYTES else (memory, 0)

    def _copy(self, source: ArenaBlock, target: ArenaBlock) -> None:
        target.bytes[:] = source.bytes

    def _run(self, job: Job[ArenaBlock]) -> None:
        self.stats.launches += 1
        loaded = self._loaded(job)
        try:
            self.fill(loaded, job)
            self.start(loaded, job.config, job.deadline)
        except ExecutionError as error:
            if job.explain is None:
                raise
            raise job.explain(error) from None

    def _loaded(self, job: Job[ArenaBlock]) -> _Loaded:
        key = _key(job.analysis, job.config, job.point, job.uniform, self._fuses(job.math))
        return self._kernels.get_or_create(key, lambda: self._load(job))

    def _again(self, job: Job[ArenaBlock]) -> Any:
        return RecordedCall(self, job, self._loaded(job))

    @property
    def fuses(self) -> bool:
        """Whether lane code is made for relaxed SIMD."""
        return self._fuses(self.math)

    def _fuses(self, math: str) -> bool:
        """Whether products and sums may be rounded once, which relaxed SIMD does on processors that do."""
        return self._relaxed and math == self.math == "fast"  # collectives fuse on devices that are asked to

    def _compile(
        self, analysis: Analysis, block: Any, point: int | None, uniform: dict[Any, str], fuses: bool
    ) -> WasmKernel:
        options = WasmOptions(self._wide_arithmetic, self.packets, fuses, self.splats)

        def make() -> WasmKernel:
            function = lane_function(analysis, block, point, uniform, self.optimize)
            return compile_kernel(function, *options)

        kernel, fresh = recall(
            self._store_of_kernels if self.optimize is optimize else None,
            "wasm",
            lambda: key_of(identity_of(analysis, block, point, uniform), "wasm", options),
            make,
            WASM_KERNEL,
            lambda kept: fits(kept, analysis, block, uniform),
        )
        self.stats.kernels += fresh
        self.stats.stored += not fresh
        return kernel

    def loaded(self, analysis: Analysis, config: LaunchConfig) -> _Loaded | None:
        """The kernel of a program without collectives for launches of that shape, if there was one."""
        return self._kernels.get(_key(analysis, config, analysis.graph.entry, {}, self._fuses(self.math)))

    def _unload(self, loaded: _Loaded) -> None:
        loaded.gone = True
        self._arena.free(loaded.arguments)

    def _load(self, job: Job[ArenaBlock]) -> _Loaded:
        fuses = self._fuses(job.math)
        kernel = self._compile(job.analysis, tuple(job.config.block), job.point, job.uniform, fuses)
        module, fresh = self._modules.get(shared((self._relaxed and kernel.relaxed) or kernel.code))
        self.stats.modules += fresh
        self.stats.cache_hits += not fresh
        given: dict[str | None, Any] = {"memory": self._arena.memory, "poll": self._poll.function}
        instance = wasmtime.Instance(self._store, module, [given[each.name] for each in module.imports])
        function = instance.exports(self._store)["kernel"]
        assert isinstance(function, wasmtime.Func)
        return _Loaded(kernel, module, function, FastCall(self._store, function, 3), self._arena, job.analysis)

    def fill(self, loaded: _Loaded, job: Job[ArenaBlock]) -> None:
        """Writes the argument block of a kernel."""
        config, scalars, memory, kernel = job.config, job.scalars, job.memory, loaded.kernel
        shared = job.analysis.program.shared_memory + config.shared_memory
        # Both hold what is aligned, the spills in slots of 8 bytes.
        spill = -(-kernel.spill * config.block_lanes // 16) * 16
        work = self._work_memory(spill + shared) if spill + shared else 0
        made_for = config, self.limits, work
        if loaded.made_for != made_for:
            loaded.head, loaded.made_for = self._head(config, shared, work, spill), made_for
        values: list[Any] = []
        for name, size in loaded.scalars:
            bits = scalars[name][1]
            values.append(bits.to_bytes(size, "little") if size else bits)
        for base in kernel.bases:
            values += memory[base][:2]
        loaded.begin(config.blocks)
        loaded.layout.pack_into(loaded.block, ARGUMENTS["values"], *values)

    def start(self, loaded: _Loaded, config: LaunchConfig, deadline: float | None) -> None:
        """Runs a kernel whose argument block is written. Raises its fault, and what a signal's handler raised."""
        poll, loaded.holds = self._poll, None  # until it is known that there is no status
        if loaded.blocks > loaded.short and self._is_shared(loaded):
            begun, helped = self._lead(loaded, deadline)
        else:
            begun, helped = poll.start(loaded.answer, deadline, FIRST_TICKS), False
            loaded.call.again()
        seconds = time.monotonic() - begun
        if loaded.blocks > loaded.short or seconds >= self._long:
            loaded.took(seconds, helped)
            loaded.short = 0 if helped or seconds >= self._long else loaded.blocks
        if poll.error is not None:
            raise poll.error
        if loaded.status[0]:
            raise self._fault(loaded, config)
        loaded.holds = loaded.made_for

    def _is_shared(self, loaded: _Loaded) -> bool:
        """Whether several threads are to run it, if it is long."""
        return loaded.blocks > 1 and self._threads.number > 1 and not loaded.is_better_alone()

    def _lead(self, loaded: _Loaded, deadline: float | None) -> tuple[float, bool]:
        """Runs a kernel with the crew. Gives the time when it began, and whether others were woken."""
        if self._crew is None:
            count = self._threads.number - 1
            self._crew = self._crew_of(self._engine, self._store, self._arena, self._poll.function, count)
            weakref.finalize(self, self._crew.close)
        crew, pace = self._crew, max(loaded.alone, loaded.together)
        if loaded.crew is not crew:
            loaded.number, loaded.crew = crew.enter(loaded.module, loaded.function), crew
        known = pace > 0
        begun = self._poll.start(
            loaded.answer, deadline, FIRST_TICKS, None if known else partial(crew.help, loaded.number)
        )
        helped = crew.lead(loaded.number, loaded.block, loaded.arguments, self._work, loaded.blocks, pace, known)
        return begun, helped

    def _head(self, config: LaunchConfig, shared: int, work: int, spill: int) -> bytes:
        """What an argument block begins with, before the scalars: no status, and what the launch is."""
        found = bytearray(ARGUMENTS["values"])
        pack_into("<3I", found, ARGUMENTS["grid"], *config.grid)
        pack_into("<3I", found, ARGUMENTS["lanes"], *config.lanes_on)
        pack_into("<q", found, ARGUMENTS["budget"], min(self.limits.steps + 1, (1 << 63) - 1))
        for name, number in (
            ("alone", 1),
            ("shared_size", shared),
            ("shared", work + spill),
            ("spill", work),
            ("scratch", self._scratch),
        ):
            pack_into("<I", found, ARGUMENTS[name], number)
        return bytes(found)

    def _fault(self, loaded: _Loaded, config: LaunchConfig) -> ExecutionError:
        """The error that the status words of a kernel tell of."""
        block, kernel, analysis = loaded.block, loaded.kernel, loaded.analysis

        def word(name: str) -> int:
            return int(unpack_from("<i", block, ARGUMENTS[name])[0])

        def long(name: str) -> int:
            return int(unpack_from("<q", block, ARGUMENTS[name])[0])

        pairs = unpack_from(f"<{2 * len(kernel.bases)}I", block, kernel.memories_at)
        memories = [(str(base), size) for base, size in zip(kernel.bases, pairs[1::2], strict=True)]
        kind, at, base, lane = map(word, ("kind", "at", "base", "lane"))
        found = Words(kind, at, base, lane, long("offset"), long("need"), word("other"))
        lanes = config.blocks * kernel.block_lanes
        status = found.status(memories, word("shared_size"), lanes, word("cancel") == TIME_IS_UP)
        return status.error(analysis, self.limits, kernel.block_lanes)


def _threads(asked: int | None) -> Threads:
    check_threads(asked)
    if asked is None:
        count = processors()
        return Threads(
            count,
            f"this process may use {count} processors, at most 8 are taken"
            if count > 1
            else "this process may use 1 processor",
        )
    return Threads(asked, "it was asked for")


def _key(analysis: Analysis, config: LaunchConfig, point: int | None, uniform: dict[Any, str], fuses: bool) -> Any:
    return id(analysis), config.block, point, tuple(sorted(uniform.values())), fuses
