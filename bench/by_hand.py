"""The same work written by hand: WAT run by wasmtime, and WGSL on a GPU adapter; and our shaders in the same harness.

A hand-written file is in `hand/`. A function of a .wat file takes the arguments of the case in their order, addresses
for arrays, then the number of lanes, and the bytes of an array if it is `guarded`. A .wgsl file has the scalars and the
number of lanes in a uniform struct at binding 0, and the arrays after it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import wasmtime
import wgpu
from numpy.typing import NDArray

from hologram_web.backends.webgpu.ready import Ready
from hologram_web.compiler.build import build
from hologram_web.compiler.passes import optimize
from hologram_web.errors import BackendUnavailable
from hologram_web.isa.address import ON_CHIP
from hologram_web.isa.verify import analyze
from hologram_web.plan.conditions import with_formulas
from hologram_web.targets import wgsl

from .cases import Case

__all__ = ["Gpu", "Peer", "hand_shader", "hand_wat", "our_shader", "variants"]

_HAND = Path(__file__).with_name("hand")
_PAGE = 65536
_STEPS = 1 << 26  # of a lane, as on devices
Run = Callable[[], float]  # does the work once, and says how many milliseconds it took
Peer = tuple[Run, Callable[[], NDArray[Any]]]  # and what reads the result


def variants(case: Case) -> list[str]:
    """The functions that the hand-written files of a case have; none if there are no files."""
    path = _HAND / f"{case.name}.wgsl"
    return re.findall(r"fn (run|guarded)\(", path.read_text(encoding="utf-8")) if path.is_file() else []


def hand_wat(case: Case, function: str) -> Peer:
    """A function of the case's .wat file, with the inputs in its memory."""
    engine = wasmtime.Engine()
    store = wasmtime.Store(engine)
    memory = wasmtime.Memory(store, wasmtime.MemoryType(wasmtime.Limits(1, 65536)))
    code = (_HAND / f"{case.name}.wat").read_text(encoding="utf-8")
    instance = wasmtime.Instance(store, wasmtime.Module(engine, code), [memory])
    arguments: list[Any] = []
    top = _PAGE  # the first page is the module's own
    for value in case.arguments.values():
        if isinstance(value, np.ndarray):
            memory.grow(store, max(-(-(top + value.nbytes) // _PAGE) - memory.size(store), 0))
            memory.write(store, value.tobytes(), top)
            arguments.append(top)
            top += -(-value.nbytes // _PAGE) * _PAGE
        else:
            arguments.append(value.item() if isinstance(value, np.generic) else value)
    arguments.append(case.lanes)
    result = case.arguments["z"]
    if function == "guarded":
        arguments.append(result.nbytes)
    call, place = instance.exports(store)[function], arguments[list(case.arguments).index("z")]
    assert isinstance(call, wasmtime.Func)

    def run() -> float:
        start = time.perf_counter()
        call(store, *arguments)
        return 1000 * (time.perf_counter() - start)

    return run, lambda: np.frombuffer(bytes(memory.read(store, place, place + result.nbytes)), result.dtype)


class Gpu:
    """A GPU adapter. Times are those of the GPU's clock if the adapter has one (`timed`), else of the wall."""

    def __init__(self) -> None:
        try:
            adapter = wgpu.gpu.request_adapter_sync(power_preference="high-performance")
        except RuntimeError as error:
            raise BackendUnavailable("webgpu", str(error)) from None
        self.timed = "timestamp-query" in adapter.features
        limits = ("max-storage-buffer-binding-size", "max-buffer-size")
        self.device = adapter.request_device_sync(
            required_features=["timestamp-query"] if self.timed else [],
            required_limits={name: adapter.limits[name] for name in limits},
        )
        self.name = adapter.info["device"]
        if self.timed:
            self.queries = self.device.create_query_set(type="timestamp", count=2)
            usage = wgpu.BufferUsage.QUERY_RESOLVE | wgpu.BufferUsage.COPY_SRC
            self.stamps = self.device.create_buffer(size=16, usage=usage)

    def upload(self, data: NDArray[Any], uniform: bool = False) -> Any:
        """A buffer with the data, and zeros up to whole words."""
        raw = data.tobytes()
        kind = wgpu.BufferUsage.UNIFORM if uniform else wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.COPY_SRC
        return self.device.create_buffer_with_data(data=raw + bytes(-len(raw) % (16 if uniform else 4)), usage=kind)

    def read(self, buffer: Any, like: NDArray[Any]) -> NDArray[Any]:
        return np.frombuffer(self.device.queue.read_buffer(buffer), np.uint8)[: like.nbytes].view(like.dtype)

    def kernel(self, code: str, entry: str, buffers: Sequence[Any], groups: tuple[int, int]) -> Run:
        """What dispatches a shader once and waits. `buffers` are those of the bindings from 0 on."""
        kinds = {"storage, read_write": "storage", "storage, read": "read-only-storage", "uniform": "uniform"}
        found = dict(re.findall(r"@binding\((\d+)\) var<([\w, ]+)>", code))
        visibility = wgpu.ShaderStage.COMPUTE
        layout = self.device.create_bind_group_layout(
            entries=[
                {"binding": n, "visibility": visibility, "buffer": {"type": kinds[found[str(n)]]}}
                for n in range(len(buffers))
            ]
        )
        entries = [
            {"binding": n, "resource": {"buffer": b, "offset": 0, "size": b.size}} for n, b in enumerate(buffers)
        ]
        bound = self.device.create_bind_group(layout=layout, entries=entries)
        pipeline = self.device.create_compute_pipeline(
            layout=self.device.create_pipeline_layout(bind_group_layouts=[layout]),
            compute={"module": self.device.create_shader_module(code=code), "entry_point": entry},
        )

        def run() -> float:
            start = time.perf_counter()
            encoder = self.device.create_command_encoder()
            stamps = {"timestamp_writes": self._stamp_writes()} if self.timed else {}
            compute = encoder.begin_compute_pass(**stamps)
            compute.set_pipeline(pipeline)
            compute.set_bind_group(0, bound)
            compute.dispatch_workgroups(*groups)
            compute.end()
            if self.timed:
                encoder.resolve_query_set(self.queries, 0, 2, self.stamps, 0)
            self.device.queue.submit([encoder.finish()])
            if self.timed:
                begin, end = np.frombuffer(self.device.queue.read_buffer(self.stamps), np.uint64)
                return float(end - begin) / 1e6  # nanoseconds, says WebGPU
            self.device.queue.read_buffer(buffers[-1], 0, 4)
            return 1000 * (time.perf_counter() - start)

        return run

    def _stamp_writes(self) -> dict[str, Any]:
        return {"query_set": self.queries, "beginning_of_pass_write_index": 0, "end_of_pass_write_index": 1}


def hand_shader(gpu: Gpu, case: Case, function: str) -> Peer:
    """An entry point of the case's .wgsl file."""
    scalars = [value for value in case.arguments.values() if not isinstance(value, np.ndarray)] + [case.lanes]
    words = [np.float32(v).view(np.uint32) if isinstance(v, (float, np.floating)) else np.uint32(v) for v in scalars]
    arrays = {name: gpu.upload(value) for name, value in case.arguments.items() if isinstance(value, np.ndarray)}
    code = (_HAND / f"{case.name}.wgsl").read_text(encoding="utf-8")
    buffers = [gpu.upload(np.array(words, np.uint32), uniform=True), *arrays.values()]
    run = gpu.kernel(code, function, buffers, _rows(-(-case.lanes // 256)))
    return run, lambda: gpu.read(arrays["z"], case.arguments["z"])


def our_shader(gpu: Gpu, case: Case, math: str = "exact") -> Peer:
    """Our shader for the case's program, in this harness: the time of the kernel alone, as that of the one by hand.

    It is the one that a device runs: without the checks that the launch proves to find nothing.
    """
    analysis = analyze(case.program)
    config, block = case.config, tuple(case.config.block)
    function = optimize(build(analysis, block))  # type: ignore[arg-type]  # three numbers
    bases = [base for base in function.bases if base.space not in ON_CHIP]
    kernel = wgsl.compile_kernel(function, [[base] for base in bases], case.program.shared_memory, math=math)
    words = np.zeros(16 + kernel.words, np.uint32)
    words[:3] = config.grid
    words[4:7] = config.lanes or [g * b for g, b in zip(config.grid, block, strict=True)]
    words[8:12] = config.blocks, 0xFFFFFFFF, 0, case.program.shared_memory
    for number, (name, _) in enumerate(kernel.scalars):
        value = case.arguments[name]
        words[16 + 2 * number] = np.float32(value).view(np.uint32) if isinstance(value, np.floating) else value
    arrays = {str(base.name): case.arguments[str(base.name)] for base in bases}
    for number, array in enumerate(arrays.values()):
        words[16 + 2 * len(kernel.scalars) + number] = array.nbytes
    buffers = {name: gpu.upload(array) for name, array in arrays.items()}
    status = gpu.upload(np.zeros(8, np.uint32))
    bound = [status, gpu.upload(words, uniform=True), *buffers.values()]
    scalars = {name: (ty, int(words[16 + 2 * number])) for number, (name, ty) in enumerate(kernel.scalars)}
    sizes = {base: arrays[str(base.name)].nbytes for base in bases}
    shared = case.program.shared_memory
    kept = with_formulas(kernel, list(scalars), kernel.bases, shared)
    proven = Ready(analysis, kept, sizes, shared).proven(config, scalars, _STEPS, 1 << 40)
    code, share = (kernel.code, 1) if proven is None else (proven.code, proven.blocks)
    run = gpu.kernel(code, "main", bound, _rows(-(-config.blocks // share)))
    return run, lambda: gpu.read(buffers["z"], case.arguments["z"])


def _rows(blocks: int) -> tuple[int, int]:
    """Workgroups along two axes: at most 65,535 along one."""
    return min(blocks, 65535), -(-blocks // 65535)
