"""WasmBackend: programs compiled to WebAssembly and run by wasmtime. The fast CPU path."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import wasmtime
from numpy.typing import NDArray

from ...compiler.build import build
from ...compiler.collectives import Launch, Operands, check_factors, extents, lower_collective
from ...compiler.host import HostState
from ...compiler.ir import PRED
from ...compiler.passes import optimize
from ...errors import ExecutionError, FaultKind
from ...isa.address import Address
from ...isa.operands import Register
from ...isa.program import Program
from ...isa.types import Type
from ...isa.verify import Analysis, Base
from ...targets.wasm import ARGUMENTS, FAULT_KINDS, WasmKernel, compile_kernel
from .. import fault_text
from ..host_device import HostDevice, too_many_collectives
from ..launch import LaunchConfig
from ..protocol import Limits
from .arena import Arena, FastCall
from .cache import ModuleCache

Bytes = NDArray[np.uint8]

__all__ = ["WasmBackend", "WasmStats"]

_KEPT_KERNELS = 1024
_TIME_IS_UP = 2  # what the timer writes into the cancel flag; `cancel` writes 1
_SCRATCH = 4 * 32 * 8  # accumulators of a canonical reduction: 4 levels of 32


@dataclass
class WasmStats:
    """Counters: kernels compiled to WebAssembly, modules compiled by wasmtime, modules from the disk, launches."""

    kernels: int = 0
    modules: int = 0
    cache_hits: int = 0
    launches: int = 0


class Region(NamedTuple):
    """Memory of an operand of a collective, and the byte offset in it."""

    name: str
    memory: Bytes
    offset: int


@dataclass
class _Loaded:
    """A kernel ready to be called, with its argument block. It keeps the analysis, whose id is part of its key."""

    kernel: WasmKernel
    call: FastCall
    arguments: int
    analysis: Analysis


class WasmBackend(HostDevice):
    """Runs programs as WebAssembly, one lane after another.

    Buffers lie in one WebAssembly memory of at most 4 GiB, in reach of NumPy without copies (`view`).
    """

    name = "wasm"

    def __init__(self, *, limits: Limits | None = None, cache: bool = True) -> None:
        """`cache` keeps compiled modules on disk. Raises BackendUnavailable where wasmtime cannot be had."""
        super().__init__(limits)
        self.stats = WasmStats()
        self._engine = wasmtime.Engine(wasmtime.Config())
        self._store = wasmtime.Store(self._engine)
        self._arena = Arena(self._store)
        self._addresses: dict[int, int] = {}  # of views, by their id
        self._modules = ModuleCache(self._engine, enabled=cache)
        self._kernels: OrderedDict[Any, _Loaded] = OrderedDict()
        self._scratch = self._arena.allocate(_SCRATCH)
        self._work: tuple[int, int] = (0, 0)  # spill and shared memory: address and size
        self._running: int | None = None  # the argument block of the running kernel

    @property
    def native(self) -> wasmtime.Store:
        """The wasmtime store."""
        return self._store

    def compile_to_wasm(self, program: Program, block: tuple[int, int, int] = (256, 1, 1)) -> bytes:
        """The WebAssembly module of a program without collectives, for blocks of that shape."""
        return self._compile(self._analysis(program, program), block, None, {}).code

    def compile_to_wat(self, program: Program, block: tuple[int, int, int] = (256, 1, 1)) -> str:
        """The module in text form, for people."""
        return self._compile(self._analysis(program, program), block, None, {}).module.to_wat()

    def view(self, handle: Any) -> Bytes:
        """The bytes of a buffer, to read and write without a copy; valid until the buffer is freed."""
        return self._buffer(handle)

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

    def cancel(self) -> None:
        super().cancel()
        if self._running is not None:
            self._word(self._running + ARGUMENTS["cancel"])[0] = 1

    def _launch(self, analysis: Analysis, config: LaunchConfig, values: Mapping[str, Any]) -> None:
        self.stats.launches += 1
        scalars = {p.name: (p.ty, values[p.name]) for p in analysis.program.params if p.kind == "scalar" and p.ty}
        memory = self._memory_of(analysis, values)
        deadline = None if self.limits.seconds is None else time.monotonic() + self.limits.seconds
        host = HostState(analysis, scalars)
        rounds = 0
        while True:
            self._run_lanes(analysis, config, memory, host, deadline)
            point = host.to_collective()
            if point is None:
                return
            rounds += 1
            if rounds > self.limits.steps:
                raise too_many_collectives(analysis, point, self.limits.steps)
            host.after_collective(self._run_collective(analysis, memory, host, deadline))
            if host.point is None or host.point < 0:
                return

    def _run_lanes(
        self,
        analysis: Analysis,
        config: LaunchConfig,
        memory: dict[Base, Bytes],
        host: HostState,
        deadline: float | None,
    ) -> None:
        if host.point is None or host.point < 0:
            return
        uniform: dict[Any, str] = {}
        scalars = dict(host.scalars)
        if host.point != analysis.graph.entry:
            for (number, ty), bits in host.known.items():
                name = f"$r{number}.{ty}"
                uniform[(number - 256, PRED) if ty == PRED else (number, ty)] = name
                scalars[name] = (ty if isinstance(ty, Type) else Type.U32, bits)
        key = id(analysis), tuple(config.block), host.point, tuple(sorted(uniform.values()))
        loaded = self._kernels.get(key)
        if loaded is None:
            loaded = self._load(analysis, self._compile(analysis, tuple(config.block), host.point, uniform))
            loaded.arguments = self._arena.allocate(loaded.kernel.arguments_size)
            self._kernels[key] = loaded
            if len(self._kernels) > _KEPT_KERNELS:
                self._arena.free(self._kernels.popitem(last=False)[1].arguments)
        else:
            self._kernels.move_to_end(key)
        self._call(loaded, analysis, config, memory, scalars, deadline)

    def _compile(self, analysis: Analysis, block: Any, point: int | None, uniform: dict[Any, str]) -> WasmKernel:
        self.stats.kernels += 1
        function = build(analysis, block, point, uniform)
        optimize(function)
        return compile_kernel(function)

    def _load(self, analysis: Analysis, kernel: WasmKernel) -> _Loaded:
        module, fresh = self._modules.get(kernel.code)
        self.stats.modules += fresh
        self.stats.cache_hits += not fresh
        instance = wasmtime.Instance(self._store, module, [self._arena.memory])
        function = instance.exports(self._store)["kernel"]
        assert isinstance(function, wasmtime.Func)
        return _Loaded(kernel, FastCall(self._store, function, 3), 0, analysis)

    def _word(self, address: int, count: int = 1) -> NDArray[np.int32]:
        return self._arena.view(address, 4 * count).view(np.int32)

    def _call(
        self,
        loaded: _Loaded,
        analysis: Analysis,
        config: LaunchConfig,
        memory: dict[Base, Bytes],
        scalars: Mapping[str, tuple[Type, int]],
        deadline: float | None,
    ) -> None:
        kernel, address = loaded.kernel, loaded.arguments
        shared = analysis.program.shared_memory + config.shared_memory
        spill = kernel.spill * config.block_lanes
        work = self._work_memory(spill + shared) if spill + shared else 0
        block = self._arena.view(address, kernel.arguments_size)
        words = block[: ARGUMENTS["values"]].view(np.uint32)
        lanes = config.lanes or tuple(g * b for g, b in zip(config.grid, config.block, strict=True))
        words[:] = 0
        words[ARGUMENTS["grid"] // 4 :][:3] = config.grid
        words[ARGUMENTS["lanes"] // 4 :][:3] = lanes
        # Spilled 64-bit variables and shared memory are aligned: the spill comes first, in slots of 8 bytes.
        for name, number in (
            ("shared_size", shared),
            ("shared", work + -(-spill // 16) * 16),
            ("spill", work),
            ("scratch", self._scratch),
        ):
            words[ARGUMENTS[name] // 4] = number
        budget = min(self.limits.steps + 1, (1 << 63) - 1)
        block[ARGUMENTS["budget"] :][:8].view(np.int64)[0] = budget
        rest = block[ARGUMENTS["values"] :].view(np.uint64)
        for position, (name, _) in enumerate(kernel.scalars):
            rest[position] = scalars[name][1]
        pairs = rest[len(kernel.scalars) :].view(np.uint32)
        for position, base in enumerate(kernel.bases):
            data = memory[base]
            pairs[2 * position : 2 * position + 2] = self._addresses_of(data), data.size
        timer = self._start_timer(address, deadline)
        self._running = address
        if self._cancelled.is_set():
            self._word(address + ARGUMENTS["cancel"])[0] = 1
        try:
            loaded.call(address, 0, config.blocks)
        finally:
            self._running = None
            if timer is not None:
                timer.cancel()
        if words[0]:
            raise self._fault(analysis, kernel, address)

    def _addresses_of(self, data: Bytes) -> int:
        found = self._addresses.get(id(data))
        if found is None:  # a part of the class memory
            found = data.ctypes.data - self._arena.bytes.ctypes.data
        return found

    def _start_timer(self, address: int, deadline: float | None) -> threading.Timer | None:
        """A thread that sets the cancel flag when the time is up."""
        if deadline is None:
            return None
        flag = self._word(address + ARGUMENTS["cancel"])

        def ring() -> None:
            flag[0] = _TIME_IS_UP

        timer = threading.Timer(max(deadline - time.monotonic(), 0), ring)
        timer.daemon = True
        timer.start()
        return timer

    def _fault(self, analysis: Analysis, kernel: WasmKernel, address: int) -> ExecutionError:
        """The error that the status words of a kernel tell of."""
        words = self._word(address, ARGUMENTS["values"] // 4)

        def word(name: str) -> int:
            return int(words[ARGUMENTS[name] // 4])

        def long(name: str) -> int:
            return int(words[ARGUMENTS[name] // 4 :][:2].view(np.int64)[0])

        kind, lane, offset = FAULT_KINDS[word("kind") - 1], word("lane"), long("offset")
        index = word("at") if word("at") >= 0 else None
        text = "" if index is None else f", in {analysis.program.instructions[index]}"
        buffer, size = None, word("shared_size")
        if word("base") == len(kernel.bases):
            buffer = "shared memory"
        elif word("base") >= 0:
            base = kernel.bases[word("base")]
            start = ARGUMENTS["values"] + 8 * (len(kernel.scalars) + word("base"))
            buffer, size = str(base), int(self._word(address + start + 4).view(np.uint32)[0])
        match kind:
            case FaultKind.CANCELLED:
                if word("cancel") != _TIME_IS_UP:
                    return ExecutionError(kind, index, f"the launch was cancelled{text}")
                return ExecutionError(FaultKind.STEP_LIMIT, index, fault_text.clock(self.limits.seconds) + text)
            case FaultKind.DIVERGENT_BARRIER:
                (at, lane), (other, other_lane) = sorted([(word("at"), lane), (word("other"), offset)])
                block = lane // kernel.block_lanes
                detail = fault_text.divergent(block, (lane, at), (other_lane, other))
                text = f", in {analysis.program.instructions[at]}"
                return ExecutionError(kind, at, detail + text, lane=lane)
            case FaultKind.DIVISION_BY_ZERO:
                detail = fault_text.DIVISOR
            case FaultKind.STEP_LIMIT:
                detail = fault_text.steps(self.limits.steps)
            case FaultKind.MISALIGNED_ACCESS:
                assert index is not None
                detail = fault_text.misaligned(analysis.program.instructions[index].ty, offset, str(buffer))
            case _ if long("need"):
                detail = fault_text.outside(long("need"), offset, str(buffer), size)
            case _:
                detail = fault_text.no_coordinate(word("other"), offset)
        return ExecutionError(
            kind, index, detail + text, lane=lane, buffer=buffer, offset=None if buffer is None else offset
        )

    # Collectives

    def _run_collective(
        self,
        analysis: Analysis,
        memory: dict[Base, Bytes],
        host: HostState,
        deadline: float | None,
    ) -> int | None:
        """Runs the collective the host stands before; the bits of its register, if it has one."""
        assert host.point is not None
        point, instruction = host.point, analysis.graph.instruction(host.point)
        ty: Type = instruction.ty
        operands = Operands({}, {})
        regions: dict[str, Region] = {}
        borrowed: list[Bytes] = []
        try:
            for position, (operand, value) in enumerate(zip(instruction.row.operands, instruction.values, strict=True)):
                if isinstance(value, Address):
                    base = analysis.bases[point, position]
                    regions[operand.name] = Region(str(base), memory[base], host.offset(value))
                elif operand.kind == "result":
                    borrowed.append(self._reserve(ty.size_bytes))
                    regions[operand.name] = Region("result", borrowed[0], 0)
                elif operand.kind in ("size", "scalar") and value is not None:
                    value = host.number(value)
                if operand.kind == "size":
                    value = max(value, 0)
                operands.values[operand.name] = value
            check_factors(instruction, operands.values)
            counts = extents(instruction.name, operands)
            self._check_collective(analysis, point, ty, regions, counts)
            self._separate(ty, regions, counts, borrowed, instruction.row.name == "GEMM")
            operands.first.update({name: region.offset // ty.size_bytes for name, region in regions.items()})
            for launch in lower_collective(instruction.name, operands):
                if 0 not in launch.lanes:
                    self._run_part(launch, regions, analysis, point, deadline)
            result = regions["dst"].memory if isinstance(operands.values.get("dst"), Register) else None
            return None if result is None else int.from_bytes(result.tobytes(), "little")
        finally:
            for taken in borrowed:
                self._release(taken)

    @staticmethod
    def _check_collective(
        analysis: Analysis, point: int, ty: Type, regions: dict[str, Region], counts: dict[str, int]
    ) -> None:
        """Raises the fault of an operand that does not lie in its memory."""
        index = analysis.graph.code[point]
        text = f", in {analysis.program.instructions[index]}"
        for name, count in counts.items():
            region, need = regions[name], count * ty.size_bytes
            if need and not 0 <= region.offset <= region.memory.size - need:
                kind, detail = (
                    FaultKind.OUT_OF_BOUNDS,
                    fault_text.outside(need, region.offset, region.name, region.memory.size),
                )
            elif need and region.offset % ty.alignment:
                kind, detail = FaultKind.MISALIGNED_ACCESS, fault_text.misaligned(ty, region.offset, region.name)
            else:
                continue
            raise ExecutionError(kind, index, detail + text, buffer=region.name, offset=region.offset)

    def _separate(
        self, ty: Type, regions: dict[str, Region], counts: dict[str, int], borrowed: list[Bytes], always: bool
    ) -> None:
        """Copies sources that the result overlaps: a collective reads all it needs before it writes.

        A map may work in place; `always` is for collectives where an element depends on several.
        """
        *sources, result = counts
        target, target_bytes = regions[result], counts[result] * ty.size_bytes
        for name in sources:
            source, size = regions[name], counts[name] * ty.size_bytes
            # By address: views of the class memory are different objects.
            here, there = (region.memory.ctypes.data + region.offset for region in (source, target))
            apart = here + size <= there or there + target_bytes <= here
            in_place = here == there and not always
            if size and target_bytes and not apart and not in_place:
                copy = self._reserve(size)
                borrowed.append(copy)
                copy[:] = source.memory[source.offset : source.offset + size]
                regions[name] = Region(source.name, copy, 0)

    def _run_part(
        self, launch: Launch, regions: dict[str, Region], analysis: Analysis, point: int, deadline: float | None
    ) -> None:
        part = self._analysis(launch.program, launch.program)
        config = LaunchConfig.grid_2d(launch.lanes[0], launch.lanes[1], block=launch.block)
        scalars: dict[str, tuple[Type, int]] = {}
        for param in launch.program.params:
            if param.kind == "scalar" and param.ty is not None:
                number = launch.scalars[param.name]
                scalars[param.name] = param.ty, param.ty.encode(int(number) if param.ty.is_integer else number)
        memory = {base: regions[launch.buffers[str(base.name)]].memory for base in set(part.bases.values())}
        try:
            self._run_lanes(part, config, memory, HostState(part, scalars), deadline)
        except ExecutionError as error:
            # Bounds were checked: what is left is a division by zero, and a launch that was cancelled or too slow.
            index = analysis.graph.code[point]
            text = f", in {analysis.program.instructions[index]}"
            if error.kind is not FaultKind.DIVISION_BY_ZERO:
                detail = fault_text.clock(self.limits.seconds) if error.kind is FaultKind.STEP_LIMIT else error.detail
                raise ExecutionError(error.kind, index, detail.partition(", in ")[0] + text) from None
            detail = fault_text.element_divisor(error.lane or 0) + text
            raise ExecutionError(error.kind, index, detail, lane=error.lane) from None
