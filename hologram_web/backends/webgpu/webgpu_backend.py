"""WebGpuBackend: programs compiled to WGSL and run by wgpu."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import wgpu
from numpy.typing import NDArray

from ...compiler.driver import has_type, identity_of, lane_function
from ...compiler.ir import Node
from ...compiler.passes import optimize
from ...errors import InvalidBuffer, LaunchError
from ...isa.launch import LaunchConfig
from ...isa.operands import BufferHandle
from ...isa.program import Program
from ...isa.types import Type
from ...isa.verify import Analysis, Base
from ...plan.conditions import with_formulas
from ...plan.formula import LARGEST, Formula
from ...store.cache import ProgramCache
from ...store.disk import recall
from ...store.store import compiled_store, key_of
from ...targets.wgsl import WgslKernel, WgslOptions, apart, compile_kernel, memories_of
from ..compiled import CompiledDevice, Job
from ..host_device import array_of
from ..protocol import Limits
from ..recording import Recording
from .cache import WGSL_KERNEL, fits
from .encoded import Encoded
from .gpu import SLOT, BindGroup, Forked, Gpu, GpuMemory
from .prepared import PreparedWork
from .probe import AdapterTraits, probe, probe_halves, probe_speed
from .ready import Chosen, Ready, Teller, head_of
from .recorder import Recorder
from .recording import WebGpuRecording
from .work import LIGHT, Work

__all__ = ["WebGpuBackend", "WebGpuStats"]

_STEPS = 1 << 26  # isa.md section 4
_CHOSEN = 64  # for how many values of scalars a kernel keeps which shader runs
_SHARE = 2  # a lane's patience is this part of the seconds of a launch: what rounds cost is known within about as much


@dataclass
class WebGpuStats:
    """Counters: kernels compiled to WGSL, kernels that an earlier process compiled, pipelines made and found, launches,
    submits."""

    kernels: int = 0
    stored: int = 0
    pipelines: int = 0
    cache_hits: int = 0
    launches: int = 0
    submits: int = 0


class WebGpuBackend(CompiledDevice[GpuMemory]):
    """Runs programs on a GPU. All of a process share one wgpu device.

    Launches are recorded and submitted together; what went wrong in one is raised by the next read, `sync` or `close`,
    or at once with `check="sync"`. `math` says how F32 is computed: `Device`. `timed` measures every launch (`times`),
    where the adapter can.
    """

    name = "webgpu"
    parallel = True
    _prepared = PreparedWork
    _recorded = WebGpuRecording
    optimize = staticmethod(optimize)  # measurements leave passes out
    _traits: ClassVar[dict[int, AdapterTraits]] = {}  # by generation of the shared GPU
    _halves: ClassVar[dict[int, bool]] = {}  # likewise
    _speeds: ClassVar[dict[int, float]] = {}  # likewise: rounds of the shortest loop a second, on one lane
    _kernels: ClassVar[ProgramCache[Any, WgslKernel[Formula]]] = ProgramCache()
    _readies: ClassVar[ProgramCache[Any, Ready]] = ProgramCache()

    def __init__(
        self,
        *,
        check: str = "deferred",
        timed: bool = False,
        limits: Limits | None = None,
        cache: bool = True,
        math: str = "exact",
        device: Any = None,
    ) -> None:
        """`cache` keeps what is compiled on disk (`store/store.py`). `device` is a wgpu device of the caller's.

        Raises BackendUnavailable where there is no adapter, ValueError for another `check`."""
        if check not in ("deferred", "sync"):
            raise ValueError(f"check is 'deferred' or 'sync', not {check!r}")
        super().__init__(limits or Limits(steps=_STEPS), math)
        self.check = check
        self.stats = WebGpuStats()
        self._gpu = Gpu.shared() if device is None else Gpu.of(device)
        self._gpu.revive()
        self._lock = self._gpu.lock
        self._recorder = Recorder(self._gpu, timed, self)
        self._store_of_kernels = compiled_store() if cache else None

    def after_fork(self) -> None:
        """The driver's threads are missing in the child, and nothing would ever come back from it."""
        self._lock = Forked()

    @classmethod
    def forget_kernels(cls) -> None:
        """Lets programs be compiled again."""
        cls._kernels.clear()
        cls._readies.clear()

    @property
    def native(self) -> Any:
        """The wgpu device."""
        return self._gpu.device

    @property
    def here(self) -> str:  # type: ignore[override]
        return "gpu" if self._gpu.real else "processor"

    @property
    def adapter(self) -> dict[str, Any]:
        """What the adapter says of itself, and `real`: whether it is a GPU."""
        return {**self._gpu.info, "real": self._gpu.real}

    @property
    def traits(self) -> AdapterTraits:
        """What was found out about the adapter."""
        with self._lock:
            generation = self._gpu.generation
            if generation not in self._traits:
                # The launches of the probe itself come here, too.
                self._traits[generation] = AdapterTraits(exact=True, ends_loops=False)
                try:
                    other = WebGpuBackend(device=self._gpu.given)
                    self._traits[generation] = probe(other)
                    other.close()
                except BaseException:
                    del self._traits[generation]
                    raise
            return self._traits[generation]

    @property
    def converts_halves(self) -> bool:
        """Whether the adapter has `shader-f16` and converts F16 rightly: found out when the first program needs it."""
        with self._lock:
            generation = self._gpu.generation
            if generation not in self._halves:
                self._halves[generation] = "shader-f16" in self._gpu.features
                try:
                    if self._halves[generation]:
                        other = WebGpuBackend(device=self._gpu.given)
                        self._halves[generation] = probe_halves(other)
                        other.close()
                except BaseException:
                    del self._halves[generation]
                    raise
            return self._halves[generation]

    def _patience(self) -> int:
        """Rounds of the shortest loop that a lane may take, so that it ends with its launch; 0 if there is no limit.

        The adapter is timed when the first launch comes whose loops are not known to be short.
        """
        seconds, generation = self.limits.seconds, self._gpu.generation
        if seconds is None:
            return 0
        if generation not in self._speeds:
            other = WebGpuBackend(device=self._gpu.given)
            self._speeds[generation] = probe_speed(other)
            other.close()
        return int(min(max(seconds * self._speeds[generation] / _SHARE, 1), 0xFFFFFFFF))

    @property
    def times(self) -> list[tuple[str, float]]:
        """Program and seconds on the GPU of each launch up to the last read or `sync`; empty if not `timed`."""
        return self._recorder.times

    def clocked(self, launch: Callable[[], None]) -> float | None:
        with self._lock:
            self._here()
            found = self._recorder.clocked(launch)
            self._recorder.raise_fault()
            return found

    def compile_to_wgsl(self, program: Program, block: tuple[int, int, int] = (256, 1, 1)) -> str:
        """The shader of a program without collectives, for blocks of that shape and memories that differ."""
        return self.kernel_of(program, block).code

    def kernel_of(self, program: Program, block: tuple[int, int, int]) -> WgslKernel[Node]:
        """What launches of a program without collectives run in blocks of that shape, on memories that differ and are
        bound whole."""
        analysis = self._analysis(program, program)
        groups = apart(memories_of(analysis))
        options = self._options(analysis, groups, program.shared_memory, self.math, [1] * len(groups))
        return self._compile(analysis, block, None, {}, options)

    def sync(self) -> None:
        with self._lock:
            self._may_wait()
            self._here()
            self._recorder.collect()
            self._recorder.raise_fault()

    def close(self) -> None:
        with self._lock:
            try:
                super().close()
                self._recorder.raise_fault(every=True)
            finally:
                self._recorder.close()
                self._recorder = Recorder(self._gpu, self._recorder.timed, self)

    def class_memory(self, class_id: int) -> ClassMemory:
        """The 12,288 bytes of a class: indexing reads from the GPU and writes to it."""
        with self._lock:
            return ClassMemory(self, self._class(class_id))

    @contextlib.contextmanager
    def encode(self, encoder: Any) -> Iterator[Encoded]:
        """Launches of this backend in the `with` are recorded into a wgpu encoder of the caller's, of the same device.
        The caller submits it, and asks `done` of what this gives. All that was launched before is submitted first.

        Raises LaunchError for what has to wait for the GPU: reading, NumPy arrays that are written. Nothing is recorded
        if the `with` ends with an error.
        """
        with self._lock:
            self._may_wait()
            self._here()
            self._recorder.submit()
            before, encoded = self._recorder, Encoded(self._gpu, encoder, self)
            self._recorder = encoded
            try:
                yield encoded
                encoded.finish()
            except BaseException:
                encoded.close()
                raise
            finally:
                self._recorder = before

    @contextlib.contextmanager
    def record(self) -> Iterator[Recording[GpuMemory]]:
        with self._lock:
            if isinstance(self._recorder, Encoded):
                raise LaunchError("a recording is made by itself, not in an encoder")
            with super().record() as made:
                yield made

    def adopt_buffer(self, buffer: Any, size: int) -> BufferHandle:
        """A handle for the first `size` bytes of a wgpu buffer of the caller's, on the same device. It stays theirs;
        freeing the handle forgets it. Raises InvalidBuffer for one that is too short, or not made for this."""
        whole = -(-size // 4) * 4
        if not isinstance(buffer, wgpu.GPUBuffer) or buffer.size < whole or buffer.usage & Gpu.STORAGE != Gpu.STORAGE:
            raise InvalidBuffer(
                f"a wgpu buffer of {whole} bytes with the usages STORAGE, COPY_SRC and COPY_DST is needed"
            )
        with self._lock:
            self._here()
            return self._kept(GpuMemory(buffer, size, self._gpu.generation, ours=False))

    def native_buffer(self, handle: BufferHandle) -> Any:
        """The wgpu buffer that holds a buffer from its beginning; it may be longer. Submits what was launched."""
        with self._lock:
            memory = self._alive(self._buffer(handle))
            self._recorder.submit()
            return memory.buffer

    # Memory

    def _here(self) -> None:
        """Opens a new device if the old one was lost."""
        self._gpu.revive()
        if self._recorder.generation != self._gpu.generation:
            self._class_memory = None
            self._recorder.renew()

    def _alive(self, memory: GpuMemory) -> GpuMemory:
        self._here()
        return self._check_generation(memory)

    def _check_generation(self, memory: GpuMemory) -> GpuMemory:
        if memory.generation != self._gpu.generation:
            raise InvalidBuffer("what this memory held went with a lost device: allocate it again")
        return memory

    def _is_alive(self, memory: GpuMemory) -> bool:
        self._here()
        return memory.generation == self._gpu.generation

    def _reserve(self, size: int) -> GpuMemory:
        self._here()
        buffer, used = self._gpu.take(size, self._gpu.STORAGE)
        memory = GpuMemory(buffer, size, self._gpu.generation)
        if used and size:
            self._recorder.add(memory.cleared())
        return memory

    def _release(self, memory: GpuMemory) -> None:
        if memory.ours and memory.generation == self._gpu.generation and not self._gpu.lost:
            self._gpu.give(memory.buffer, self._gpu.STORAGE)

    def _size(self, memory: GpuMemory) -> int:
        return memory.size

    def _read(self, memory: GpuMemory, offset: int, out: memoryview) -> None:
        self._alive(memory)
        self._recorder.read(memory.buffer, memory.start + offset, array_of(out))
        self._recorder.raise_fault()

    def _write(self, memory: GpuMemory, offset: int, data: memoryview) -> None:
        self._alive(memory)
        raw = array_of(data)
        if not raw.size:
            return
        start = memory.start + offset
        end = start + raw.size
        if start % 4 or (end % 4 and offset + raw.size != memory.size):
            # Words that other bytes share come back first: WebGPU writes whole ones.
            first, last = start // 4 * 4, -(-end // 4) * 4
            whole = np.empty(last - first, np.uint8)
            self._recorder.read(memory.buffer, first, whole)
            whole[start - first : end - first] = raw
            self._recorder.write(memory.buffer, first, whole)
        else:
            padded = raw if end % 4 == 0 else np.concatenate([raw, np.zeros(-end % 4, np.uint8)])
            self._recorder.write(memory.buffer, start, padded)

    def _class_part(self, start: int, size: int) -> GpuMemory:
        self._here()
        whole = self._classes()
        return GpuMemory(whole.buffer, size, whole.generation, start)

    def _whole(self, memory: GpuMemory) -> tuple[GpuMemory, int]:
        if self._class_memory is not None and memory.buffer is self._class_memory.buffer:
            return self._class_memory, memory.start
        return memory, 0

    def _copy(self, source: GpuMemory, target: GpuMemory) -> None:
        self._recorder.add(source.copied_to(target))

    # Launches

    def _run(self, job: Job[GpuMemory]) -> None:
        self.launch(self._again(job))

    def _again(self, job: Job[GpuMemory]) -> Work:
        self._here()
        for memory in job.memory.values():
            self._check_generation(memory)
        ready = self._ready(job)
        group, at_once = self._grouped(job, ready.kernel)
        teller = Teller(ready, job.config, self.limits, job.explain, self._as_written, self.tells_of)
        chosen = self.chosen(ready, job.config, job.scalars)
        scalars = [job.scalars[each][1].to_bytes(ty.argument_bytes, "little") for each, ty in ready.kernel.scalars]
        return self.work(teller, chosen, group, b"".join([chosen.head, *scalars, ready.tail]), at_once)

    @property
    def tells_of(self) -> str:
        """What faults say that a launch was one of; "" if they are told at once."""
        if self._recording is not None:
            return "a recording"
        return "this backend" if self.check == "deferred" else ""

    def _grouped(self, job: Job[GpuMemory], kernel: WgslKernel[Any]) -> tuple[BindGroup, int]:
        """What a launch binds; of a kernel with scratch memory, for how many blocks at a time."""
        bound = [*self._recorder.bound(kernel)]
        bound += [self._bound(job, group, 0) for group in kernel.groups]
        bound += [self._bound(job, kernel.groups[number], part) for number, part in kernel.further]
        at_once = 0
        if kernel.scratch:
            self._check_scratch(kernel)
            host: Any = self._recorder if self._recording is None else self._recording
            scratch, at_once = host.scratch(kernel.scratch, job.config.blocks)
            bound.append(scratch)
        return self._gpu.group(self._gpu.layout(kernel), tuple(bound)), at_once

    def work(self, teller: Teller, chosen: Chosen, group: BindGroup, arguments: bytes, at_once: int = 0) -> Work:
        """What a launch does."""
        config, stats = teller.config, self.stats
        pipeline, fresh = self._gpu.pipeline(teller.ready.kernel, chosen.code)
        stats.pipelines += fresh
        stats.cache_hits += not fresh
        lanes = config.blocks * config.block_lanes
        how = chosen.rounds, at_once, chosen.group, LIGHT * self._gpu.pace
        return Work(teller, pipeline, group, arguments, config.blocks, lanes, *how)

    def launch(self, work: Work) -> None:
        """Launches work."""
        stats = self.stats
        stats.launches += 1
        self._recorder.launch(work, stats.launches)
        stats.submits = self._recorder.submits
        if self.check == "sync":
            self.sync()

    def _ready(self, job: Job[GpuMemory]) -> Ready:
        """What does not depend on which buffers a launch has, nor on its scalars."""
        analysis, config = job.analysis, job.config
        first: dict[int, int] = {}
        shapes = tuple(
            [(first.setdefault(id(m.buffer), len(first)), m.size, self._whole(m)[0].size) for m in job.memory.values()]
        )
        names = tuple(sorted(job.uniform.values()))
        place = self._gpu.generation, self._window
        key = id(analysis), config, job.point, names, tuple(job.memory), shapes, job.math, place
        return self._readies.get_or_create(key, lambda: self._make_ready(job))

    def _make_ready(self, job: Job[GpuMemory]) -> Ready:
        analysis, config = job.analysis, job.config
        by_buffer: dict[int, list[Base]] = {}
        for base in memories_of(analysis):
            if base in job.memory:
                by_buffer.setdefault(id(job.memory[base].buffer), []).append(base)
        groups = list(by_buffer.values())
        shared = analysis.program.shared_memory + config.shared_memory
        parts = [-(-self._whole(job.memory[group[0]])[0].size // self._window) or 1 for group in groups]
        self._check_limits(job, parts, shared)
        block = tuple(config.block)
        what = identity_of(analysis, block, job.point, job.uniform)
        options = self._options(analysis, groups, shared, job.math, parts)

        def made() -> WgslKernel[Formula]:
            found = self._compile(analysis, block, job.point, job.uniform, options)
            return with_formulas(found, [name for name, _ in found.scalars], found.bases, shared)

        def recalled() -> WgslKernel[Formula]:
            kernel, fresh = recall(
                self._store_of_kernels if self.optimize is optimize else None,
                "wgsl",
                lambda: key_of(what, "wgsl", options),
                made,
                WGSL_KERNEL,
                lambda kept: fits(kept, job, groups),
            )
            self.stats.kernels += fresh
            self.stats.stored += not fresh
            return kernel

        kernel = self._kernels.get_or_create((what, options, self.optimize), recalled)
        return Ready(analysis, kernel, {base: job.memory[base].size for base in kernel.bases}, shared)

    def chosen(self, ready: Ready, config: LaunchConfig, scalars: Mapping[str, tuple[Type, int]]) -> Chosen:
        """Where all accesses are proven to be in bounds the shader without checks runs: another pipeline, made once.
        `scalars` are those that kernels ask for, at least."""
        kernel, limits = ready.kernel, self.limits
        key = limits, *[scalars[name][1] for name in ready.asked]
        found = ready.chosen.get(key)
        if found is not None:
            return found
        lanes, patience = config.blocks * config.block_lanes, 0
        fast = ready.proven(config, scalars, limits.steps, max(LIGHT * self._gpu.pace // lanes, 1))
        known = not (fast or kernel).counts
        if not known:
            patience = self._patience()
            fast = ready.proven(config, scalars, limits.steps, patience or LARGEST)
        # As long as a launch at most is that is known to be short; and what nobody knows, None.
        rounds = lanes * kernel.cost if known else None
        steps = min(limits.steps + 1, 0xFFFFFFFF)
        if len(ready.chosen) >= _CHOSEN:
            ready.chosen.clear()
        head, blocks = head_of(config, steps, ready.shared, patience), fast.blocks if fast else 1
        ready.chosen[key] = Chosen((fast or kernel).code, blocks, head, rounds)
        return ready.chosen[key]

    @property
    def _window(self) -> int:
        """Bytes of a memory that one binding holds at most; longer ones are bound in parts."""
        return self._gpu.limits["max-storage-buffer-binding-size"] // SLOT * SLOT

    def _bound(self, job: Job[GpuMemory], group: list[Base], part: int) -> tuple[Any, int, int]:
        """Buffer, offset and size of a binding."""
        memory, _ = self._whole(job.memory[group[0]])
        start = part * self._window
        return memory.buffer, start, max(min(-(-(memory.size - start) // 4) * 4, self._window), 4)

    def _options(
        self, analysis: Analysis, groups: Iterable[Iterable[Base]], shared: int, math: str, parts: Iterable[int]
    ) -> WgslOptions:
        """What this adapter's shaders are compiled with. What else it is makes no difference to them."""
        exact, ends_loops = self.traits.exact, self.traits.ends_loops
        return WgslOptions(
            tuple(map(tuple, groups)),
            shared,
            "strict" if math == "exact" and not exact else math,
            ends_loops,
            has_type(analysis, Type.F16) and self.converts_halves,
            tuple(parts),
            self._window,
        )

    def _compile(
        self, analysis: Analysis, block: Any, point: int | None, uniform: Any, options: WgslOptions
    ) -> WgslKernel[Node]:
        function = lane_function(analysis, block, point, uniform, self.optimize)
        return compile_kernel(function, **options._asdict())

    def _check_limits(self, job: Job[GpuMemory], parts: list[int], shared: int) -> None:
        """Raises LaunchError for what the adapter cannot do."""
        limits, block = self._gpu.limits, job.config.block
        most = limits["max-compute-invocations-per-workgroup"]
        if job.config.block_lanes > most:
            raise LaunchError(
                f"a block of {tuple(block)} has {job.config.block_lanes} lanes: this adapter runs at most {most}"
            )
        for axis, size in zip("xyz", block, strict=True):
            most = limits[f"max-compute-workgroup-size-{axis}"]
            if size > most:
                raise LaunchError(
                    f"a block of {tuple(block)} is too long: this adapter has at most {most} along {axis}"
                )
        most = limits["max-compute-workgroup-storage-size"]
        if shared > most:
            raise LaunchError(f"{shared} bytes of shared memory: this adapter has {most}; use less, or another device")
        most = limits["max-storage-buffers-per-shader-stage"] - 1
        if sum(parts) > most:
            long = f", those of more than {self._window} bytes in parts" if max(parts) > 1 else ""
            raise LaunchError(
                f"the program uses {len(parts)} buffers{long}: this adapter binds at most {most}; put some together"
            )

    def _check_scratch(self, kernel: WgslKernel[Any]) -> None:
        """Raises LaunchError where wide integers and local memory are more than the adapter has."""
        most = self._window
        if kernel.scratch > most:
            raise LaunchError(
                f"wide integers and local memory of a block need {kernel.scratch} bytes: this adapter has {most}; "
                "use smaller blocks"
            )
        most = self._gpu.limits["max-storage-buffers-per-shader-stage"] - 1
        if len(kernel.written) > most:
            raise LaunchError(
                f"the program uses {len(kernel.written) - 1} buffers and one for wide integers: "
                f"this adapter binds at most {most}; put some together"
            )


class ClassMemory:
    """Bytes of class memory on the GPU. Slices read; assigning writes; `numpy.asarray` copies."""

    def __init__(self, backend: WebGpuBackend, memory: GpuMemory) -> None:
        self._backend, self._memory = backend, memory

    def __len__(self) -> int:
        return self._memory.size

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        found = np.frombuffer(self._backend._bytes(self._memory), np.uint8)
        return found.copy() if dtype is None else found.astype(dtype)

    def __bytes__(self) -> bytes:
        return np.asarray(self).tobytes()

    def __getitem__(self, key: Any) -> Any:
        return np.asarray(self)[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        whole = np.asarray(self)
        whole[key] = value
        self._backend._write(self._memory, 0, whole.data)
