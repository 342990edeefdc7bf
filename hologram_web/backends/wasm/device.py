"""WasmBackend: programs compiled to WebAssembly and run by wasmtime. The fast CPU path."""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct, pack_into
from typing import Any

import numpy as np
import wasmtime
from numpy.typing import NDArray

from ...compiler.build import build
from ...compiler.passes import optimize
from ...errors import ExecutionError
from ...isa.launch import LaunchConfig
from ...isa.program import Program
from ...isa.verify import Analysis
from ...store.cache import ProgramCache
from ...store.disk import recall
from ...store.store import compiled_store, key_of, module_store
from ...targets.wasm import ARGUMENTS, FIRST_TICKS, WasmKernel, compile_kernel
from ..compiled import CompiledDevice, Job, Words
from ..host_device import Bytes, HostDevice
from ..protocol import Limits
from .arena import Arena, FastCall
from .cache import WASM_KERNEL, ModuleCache, fits
from .poll import TIME_IS_UP, Poll

__all__ = ["WasmBackend", "WasmStats"]

_SCRATCH = 4 * 32 * 8  # accumulators of a canonical reduction: 4 levels of 32


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
    with, up to the scalars: the same for launches that `made_for` is equal of.
    """

    def __init__(self, kernel: WasmKernel, call: FastCall, arena: Arena, analysis: Analysis) -> None:
        self.kernel, self.call, self.analysis = kernel, call, analysis
        self.arguments = arena.allocate(kernel.arguments_size)
        whole = arena.view(self.arguments, kernel.arguments_size)
        self.block = whole.data
        self.status = self.block[: ARGUMENTS["values"]].cast("I")
        self.answer = whole[ARGUMENTS["cancel"] :][:4].view(np.int32)
        self.scalars = [(name, ty.argument_bytes if ty.is_wide else 0) for name, ty in kernel.scalars]
        slots = "".join(f"{size}s" if size else "Q" for _, size in self.scalars)
        self.layout = Struct(f"<{ARGUMENTS['values']}s{slots}{2 * len(kernel.bases)}I")
        self.head = b""
        self.made_for: tuple[Any, ...] = ()


class WasmBackend(HostDevice, CompiledDevice[Bytes]):
    """Runs programs as WebAssembly, one lane after another.

    Buffers lie in one WebAssembly memory of at most 4 GiB, in reach of NumPy without copies (`view`).
    """

    name = "wasm"
    optimize = staticmethod(optimize)  # measurements leave passes out

    def __init__(self, *, limits: Limits | None = None, cache: bool = True, math: str = "exact") -> None:
        """`cache` keeps what is compiled on disk (store/store.py). Raises BackendUnavailable without wasmtime."""
        super().__init__(limits, math)
        self.stats = WasmStats()
        config = wasmtime.Config()
        config.parallel_compilation = (
            False  # in the child of a fork its threads are missing, and compiling waits for them
        )
        self._wide_arithmetic = hasattr(wasmtime.Config, "wasm_wide_arithmetic")
        if self._wide_arithmetic:
            config.wasm_wide_arithmetic = True
        self._engine = wasmtime.Engine(config)
        self._store = wasmtime.Store(self._engine)
        self._arena = Arena(self._store)
        self._poll = Poll(self._store, self._stopped)
        self._addresses: dict[int, int] = {}  # of views, by their id
        self._store_of_kernels = compiled_store() if cache else None
        self._modules = ModuleCache(self._engine, module_store() if cache else None)
        self._kernels: ProgramCache[Any, _Loaded] = ProgramCache(
            evicted=lambda _, loaded: self._arena.free(loaded.arguments)
        )
        self._scratch = self._arena.allocate(_SCRATCH)
        self._work: tuple[int, int] = (0, 0)  # spill and shared memory: address and size

    @property
    def native(self) -> wasmtime.Store:
        """The wasmtime store."""
        return self._store

    def compile_to_wasm(self, program: Program, block: tuple[int, int, int] = (256, 1, 1)) -> bytes:
        """The WebAssembly module of a program without collectives, for blocks of that shape."""
        return self._compile(self._analysis(program, program), block, None, {}).code

    def compile_to_wat(self, program: Program, block: tuple[int, int, int] = (256, 1, 1)) -> str:
        """The module in text form, for people."""
        from ...targets.wasm.disassemble import disassemble

        return disassemble(self.compile_to_wasm(program, block))

    # Memory

    def _reserve(self, size: int) -> Bytes:
        address = self._arena.allocate(size)
        memory = self._arena.view(address, size)
        self._addresses[id(memory)] = address
        return memory

    def _release(self, memory: Bytes) -> None:
        self._arena.free(self._addresses.pop(id(memory)))

    def _work_memory(self, size: int) -> int:
        """Memory for spills and shared memory, kept between launches."""
        address, had = self._work
        if had < size:
            if had:
                self._arena.free(address)
            self._work = (self._arena.allocate(size), size)
        return self._work[0]

    # Launches

    def _whole(self, memory: Bytes) -> tuple[Bytes, int]:
        if id(memory) in self._addresses:
            return memory, 0
        whole = self._classes()  # only the class memory is handed out in parts
        return whole, memory.ctypes.data - whole.ctypes.data

    def _copied(self, memory: Bytes, offset: int, size: int) -> Bytes:
        copy = self._reserve(size)
        copy[:] = memory[offset : offset + size]
        return copy

    def _run(self, job: Job[Bytes]) -> None:
        self.stats.launches += 1
        key = id(job.analysis), job.config.block, job.point, tuple(sorted(job.uniform.values()))
        loaded = self._kernels.get_or_create(key, lambda: self._load(job))
        try:
            self._call(loaded, job)
        except ExecutionError as error:
            if job.explain is None:
                raise
            raise job.explain(error) from None

    def _compile(self, analysis: Analysis, block: Any, point: int | None, uniform: dict[Any, str]) -> WasmKernel:
        def key() -> bytes:
            named = sorted((name, repr(register)) for register, name in uniform.items())
            return key_of(analysis.source, block, point, named, self._wide_arithmetic)

        def make() -> WasmKernel:
            return compile_kernel(self.optimize(build(analysis, block, point, uniform)), self._wide_arithmetic)

        kernel, fresh = recall(
            self._store_of_kernels,
            "wasm",
            key,
            make,
            WASM_KERNEL,
            lambda kept: fits(kept, analysis, block, uniform),
        )
        self.stats.kernels += fresh
        self.stats.stored += not fresh
        return kernel

    def _load(self, job: Job[Bytes]) -> _Loaded:
        kernel = self._compile(job.analysis, tuple(job.config.block), job.point, job.uniform)
        module, fresh = self._modules.get(kernel.code)
        self.stats.modules += fresh
        self.stats.cache_hits += not fresh
        given: dict[str | None, wasmtime.Memory | wasmtime.Func] = {
            "memory": self._arena.memory,
            "poll": self._poll.function,
        }
        instance = wasmtime.Instance(self._store, module, [given[each.name] for each in module.imports])
        function = instance.exports(self._store)["kernel"]
        assert isinstance(function, wasmtime.Func)
        return _Loaded(kernel, FastCall(self._store, function, 3), self._arena, job.analysis)

    def _call(self, loaded: _Loaded, job: Job[Bytes]) -> None:
        config, scalars, memory, kernel = job.config, job.scalars, job.memory, loaded.kernel
        shared = job.analysis.program.shared_memory + config.shared_memory
        # Both hold what is aligned, the spills in slots of 8 bytes.
        spill = -(-kernel.spill * config.block_lanes // 16) * 16
        work = self._work_memory(spill + shared) if spill + shared else 0
        made_for = config, self.limits, work
        if loaded.made_for != made_for:
            loaded.head, loaded.made_for = self._head(config, shared, work, spill), made_for
        values: list[Any] = [loaded.head]
        for name, size in loaded.scalars:
            bits = scalars[name][1]
            values.append(bits.to_bytes(size, "little") if size else bits)
        for base in kernel.bases:
            data = memory[base]
            values += self._addresses_of(data), data.size
        loaded.layout.pack_into(loaded.block, 0, *values)
        self._poll.start(loaded.answer, job.deadline, FIRST_TICKS)
        loaded.call(loaded.arguments, 0, config.blocks)
        if self._poll.error is not None:
            raise self._poll.error
        if loaded.status[0]:
            raise self._fault(job.analysis, kernel, config, loaded.arguments)

    def _head(self, config: LaunchConfig, shared: int, work: int, spill: int) -> bytes:
        """What an argument block begins with, before the scalars: no status, and what the launch is."""
        found = bytearray(ARGUMENTS["values"])
        pack_into("<3I", found, ARGUMENTS["grid"], *config.grid)
        pack_into("<3I", found, ARGUMENTS["lanes"], *config.lanes_on)
        pack_into("<q", found, ARGUMENTS["budget"], min(self.limits.steps + 1, (1 << 63) - 1))
        for name, number in (
            ("shared_size", shared),
            ("shared", work + spill),
            ("spill", work),
            ("scratch", self._scratch),
        ):
            pack_into("<I", found, ARGUMENTS[name], number)
        return bytes(found)

    def _addresses_of(self, data: Bytes) -> int:
        found = self._addresses.get(id(data))
        if found is None:  # a part of the class memory
            found = data.ctypes.data - self._arena.bytes.ctypes.data
        return found

    def _word(self, address: int, count: int) -> NDArray[np.int32]:
        return self._arena.view(address, 4 * count).view(np.int32)

    def _fault(self, analysis: Analysis, kernel: WasmKernel, config: LaunchConfig, address: int) -> ExecutionError:
        """The error that the status words of a kernel tell of."""
        words = self._word(address, ARGUMENTS["values"] // 4)

        def word(name: str) -> int:
            return int(words[ARGUMENTS[name] // 4])

        def long(name: str) -> int:
            return int(words[ARGUMENTS[name] // 4 :][:2].view(np.int64)[0])

        pairs = self._word(address + kernel.memories_at, 2 * len(kernel.bases)).view(np.uint32)
        memories = [(str(base), int(size)) for base, size in zip(kernel.bases, pairs[1::2], strict=True)]
        kind, at, base, lane = map(word, ("kind", "at", "base", "lane"))
        found = Words(kind, at, base, lane, long("offset"), long("need"), word("other"))
        lanes = config.blocks * kernel.block_lanes
        status = found.status(memories, word("shared_size"), lanes, word("cancel") == TIME_IS_UP)
        return status.error(analysis, self.limits, kernel.block_lanes)
