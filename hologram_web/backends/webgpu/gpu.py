"""The GPU of this process: one wgpu device for all backends, its buffers and pipelines; and devices of callers.

wgpu aborts the process on errors inside `queue.submit` (a destroyed or mapped buffer, a lost device), so lifetimes are
kept here: buffers are recycled and never destroyed, and a command buffer is finished, which finds a lost device,
right before it is submitted.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any, ClassVar
from weakref import WeakValueDictionary

import wgpu

from ...errors import AllocationFailed, BackendUnavailable, CompileError
from ...targets.wgsl import WgslKernel
from ..selection import is_software

__all__ = ["SLOT", "BindGroup", "Flight", "Forked", "Gpu", "GpuMemory", "Pipeline", "adapter_info"]

SLOT = 256  # bytes of a status or of a small argument block: the offset alignment every adapter has
_KEPT_GROUPS, _KEPT_PIPELINES = 1024, 512
_LIMITS = (
    "max-buffer-size",
    "max-compute-invocations-per-workgroup",
    "max-compute-workgroup-size-x",
    "max-compute-workgroup-size-y",
    "max-compute-workgroup-size-z",
    "max-compute-workgroup-storage-size",
    "max-storage-buffer-binding-size",
    "max-storage-buffers-per-shader-stage",
)
_FEATURES = ("timestamp-query", "shader-f16")
_LOOK = 0.05  # seconds after which who waits looks whether to go on
FORKED = (
    "this process was forked from one that used WebGPU, and its driver's threads are not here: start processes with "
    "multiprocessing's 'spawn', or use WebGPU first in the child"
)
GIVEN_LOST = "the device that was given was lost, and what its memory held: make an executor on another one"
LOST = "the device was lost, and what its memory held: allocate buffers again, the next call opens a new device"


@dataclass(eq=False)
class GpuMemory:
    """`size` bytes of a GPU buffer from `start` on. The buffer itself is a little longer, and the caller's if it is not
    `ours`."""

    buffer: Any
    size: int
    generation: int
    start: int = 0
    ours: bool = True

    @property
    def _whole(self) -> int:
        return -(-self.size // 4) * 4

    def cleared(self) -> tuple[str, tuple[Any, ...]]:
        """The command of an encoder that fills it with zeros."""
        return "clear_buffer", (self.buffer, self.start, self._whole)

    def copied_to(self, target: GpuMemory) -> tuple[str, tuple[Any, ...]]:
        """The command that copies it to memory of its size."""
        return "copy_buffer_to_buffer", (self.buffer, self.start, target.buffer, target.start, self._whole)


@dataclass(eq=False)
class Pipeline:
    """A shader ready to run, with the layout of what it binds."""

    kernel: WgslKernel[Any]
    pipeline: Any
    layout: Any


@dataclass(eq=False)
class BindGroup:
    """A bind group. It keeps the layout and the buffers by whose ids it is found; `buffers` are the ids of those that
    launches read and write."""

    group: Any
    layout: Any
    bound: tuple[tuple[Any, int, int], ...]
    buffers: frozenset[int]


@dataclass(eq=False)
class _Lent:
    """A buffer that is used by what a caller submits; its usage if it was given back meanwhile."""

    buffer: Any
    times: int = 0
    usage: int = 0


class _Landed:
    """In the place of a promise's Event, whose locks Ctrl-C would leave taken in the middle of its methods."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.lock.acquire()

    def set(self) -> None:
        self.lock.release()


class Flight:
    """Bytes on their way from the GPU: they are there when all is done that was submitted up to them."""

    def __init__(self, gpu: Gpu, size: int) -> None:
        self.gpu, self.size = gpu, size
        self.staging, _ = gpu.take(size, gpu.STAGING)
        self._promise: Any = None
        self._landed = _Landed()

    def wait(self, stop: Callable[[], None]) -> None:
        """Until they are there. `stop` is called now and then and may raise; signals come through, too."""
        gpu = self.gpu
        with gpu.guard():
            if self._promise is None:
                if self.staging.map_state != "unmapped":
                    return  # Ctrl-C came while it was asked for: nobody reads it, and it is not used again
                # Without the empty submit that wgpu puts before: on llvmpipe it blocks until the GPU is done.
                self._promise = self.staging.map_async("READ_NOSYNC", 0, self.size)
                self._promise._thread_event = self._landed
            while self._promise._state == "pending":
                if not self._landed.lock.acquire(timeout=_LOOK):
                    stop()
            try:
                self._promise.sync_wait()
            except RuntimeError as error:
                gpu.lost = True
                raise BackendUnavailable("webgpu", LOST) from error

    def land(self) -> None:
        """Gives the buffer back of which nobody wants to know any more, when what it waited for is done."""
        if self._promise is not None:
            with self.bytes():
                pass

    @contextlib.contextmanager
    def bytes(self) -> Iterator[Any]:
        """What came; behind it the buffer is given back."""
        with self.gpu.guard():
            try:
                yield self.staging.read_mapped(0, self.size, copy=False)
            finally:
                self.staging.unmap()
        self.gpu.give(self.staging, self.gpu.STAGING)


class Gpu:
    """A wgpu device with what is kept on it: one that is opened, and again after a loss, or the caller's, `given`. Each
    has another `generation`."""

    _shared: Gpu | None = None
    _of: ClassVar[WeakValueDictionary[int, Gpu]] = WeakValueDictionary()  # by id of the device, which it holds
    _shared_lock = threading.Lock()
    _generations = count()

    def __init__(self, given: Any = None) -> None:
        self.lock = threading.RLock()
        self.given = given
        self._open()

    @classmethod
    def shared(cls) -> Gpu:
        """The one of this process. Raises BackendUnavailable."""
        _check_fork()
        with cls._shared_lock:
            if cls._shared is None:
                cls._shared = cls()
            return cls._shared

    @classmethod
    def of(cls, device: Any) -> Gpu:
        """That of a wgpu device of the caller's. Raises BackendUnavailable for what is none."""
        global _used
        _check_fork()
        _used = True
        if not isinstance(device, wgpu.GPUDevice):
            raise BackendUnavailable("webgpu", f"a device is a wgpu.GPUDevice, not {type(device).__name__}")
        with cls._shared_lock:
            found = cls._of.get(id(device))
            if found is None:
                found = cls._of[id(device)] = cls(device)
            return found

    # Opening and losing

    def _open(self) -> None:
        self.generation = next(self._generations)
        self.live_bytes = 0
        self.device = self._opened() if self.given is None else self.given
        self.limits: dict[str, int] = {name: self.device.limits[name] for name in _LIMITS}
        self.features = [name for name in _FEATURES if name in self.device.features]
        self.info: dict[str, Any] = dict(self.device.adapter.info)
        self.lost = False
        self._free: dict[tuple[int, int], list[Any]] = {}
        self._lent: dict[int, _Lent] = {}
        self.kept_bytes = 0
        self._pipelines: OrderedDict[tuple[str, tuple[bool, ...]], Pipeline] = OrderedDict()
        self._layouts: dict[tuple[bool, ...], tuple[Any, Any]] = {}
        self._groups: OrderedDict[Any, BindGroup] = OrderedDict()
        self.flights: list[Flight] = []  # that nobody waits for: at most one more is submitted before they land
        self.ahead = 0.0  # rounds of the shortest loop that were submitted since somebody waited, as far as one knows

    @staticmethod
    def _opened() -> Any:
        adapter = _adapter()
        limits = {name: adapter.limits[name] for name in _LIMITS}
        features = [name for name in _FEATURES if name in adapter.features]
        try:
            return _aside(lambda: adapter.request_device_sync(required_limits=limits, required_features=features))
        except Exception as error:
            raise BackendUnavailable("webgpu", f"the adapter gives no device: {_first_line(error)}") from error

    def settle(self, stop: Callable[[], None]) -> None:
        """Waits until the GPU is done with what it was given before. Submitting to one that works may block."""
        while self.flights:
            self.flights[0].wait(stop)
            self.flights.pop(0).land()
        self.ahead = 0.0

    @property
    def real(self) -> bool:
        """Whether the adapter is a GPU, not a processor that plays one."""
        return _is_real(self.info)

    @property
    def pace(self) -> int:
        """How many times the rounds of llvmpipe on two processors, 1e10 short ones a second, it does in ten times the
        time at least. Of instructions, of which a round has five, an integrated GPU of 192 lanes does 2e11 a second,
        and a GTX 1050 9e11. An H200 took 0.5 ms for the 2 ** 32 rounds of 128 Mi exponentials, 2.2 ms in parts."""
        if not self.real:
            return 1
        return 128 if self.info.get("adapter_type") == "DiscreteGPU" else 32

    def revive(self) -> None:
        """Opens a new device if the old one was lost."""
        with self.lock:
            if self.lost:
                if self.given is not None:
                    raise BackendUnavailable("webgpu", GIVEN_LOST)
                self._open()

    @contextlib.contextmanager
    def guard(self) -> Iterator[None]:
        """Turns wgpu's errors into ours: AllocationFailed, BackendUnavailable for a lost device."""
        try:
            yield
        except wgpu.GPUError as error:
            if "lost" in str(error).lower():
                self.lost = True
                raise BackendUnavailable("webgpu", LOST) from None
            if isinstance(error, wgpu.GPUOutOfMemoryError) or "Not enough memory" in str(error):
                raise AllocationFailed("the GPU is out of memory: free other buffers or work in parts") from None
            raise

    # Buffers

    STORAGE = wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.COPY_SRC | wgpu.BufferUsage.COPY_DST
    STAGING = wgpu.BufferUsage.MAP_READ | wgpu.BufferUsage.COPY_DST
    UNIFORM = wgpu.BufferUsage.UNIFORM | wgpu.BufferUsage.COPY_DST
    TIMES = wgpu.BufferUsage.QUERY_RESOLVE | wgpu.BufferUsage.COPY_SRC

    def take(self, size: int, usage: int) -> tuple[Any, bool]:
        """A buffer of at least `size` bytes, and whether it was used before (then it holds anything)."""
        capacity = self._capacity(size)
        if capacity > self.limits["max-buffer-size"]:
            raise AllocationFailed(f"{size} bytes cannot be had: free other buffers or work in parts")
        free = self._free.get((capacity, usage))
        if free:
            self.kept_bytes -= capacity
            self.live_bytes += capacity
            return free.pop(), True
        if self.live_bytes + self.kept_bytes + capacity > self._budget():
            self.trim()
            if self.live_bytes + capacity > self._budget():
                raise AllocationFailed(f"{size} bytes cannot be had: free other buffers or work in parts")
        with self.guard():
            buffer = self.device.create_buffer(size=capacity, usage=usage)
        self.live_bytes += capacity
        return buffer, False

    def lend(self, buffer: Any) -> None:
        """Keeps a buffer from being used again until `unlend` is called as often: a caller submits what uses it."""
        self._lent.setdefault(id(buffer), _Lent(buffer)).times += 1

    def unlend(self, buffer: Any) -> None:
        lent = self._lent.get(id(buffer))
        if lent is None:
            return  # it went with a lost device
        lent.times -= 1
        if not lent.times:
            del self._lent[id(buffer)]
            if lent.usage and not self.lost:
                self.give(buffer, lent.usage)

    def give(self, buffer: Any, usage: int) -> None:
        """Takes a buffer back. It may still be in use by the GPU: whoever gets it next comes later in the queue."""
        lent = self._lent.get(id(buffer))
        if lent is not None:
            lent.usage = usage
            return
        self.live_bytes -= buffer.size
        self.kept_bytes += buffer.size
        self._free.setdefault((buffer.size, usage), []).append(buffer)
        if self.kept_bytes > max(self.live_bytes, 1 << 28):
            self.trim()

    def trim(self) -> None:
        """Lets go of recycled buffers. wgpu frees them when the GPU is done."""
        self._groups.clear()
        self._free.clear()
        self.kept_bytes = 0

    def _capacity(self, size: int) -> int:
        """Sizes come in steps of a quarter of a power of two, so that buffers fit more than one use."""
        step = max(1 << max(size.bit_length() - 3, 0), SLOT)
        capacity = -(-max(size, 1) // step) * step
        # A binding may not be longer than the adapter allows: large buffers are as long as they have to be.
        return capacity if capacity <= self.limits["max-storage-buffer-binding-size"] else -(-size // 4) * 4

    def _budget(self) -> int:
        """Bytes there may be in all. A processor that plays a GPU takes memory lazily, and dies of it later."""
        if self.real or not hasattr(os, "sysconf"):
            return 1 << 62
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2

    # Pipelines

    def pipeline(self, kernel: WgslKernel[Any], code: str) -> tuple[Pipeline, bool]:
        """The pipeline of a kernel's shader (`code` or `fast`), and whether it had to be made. Raises CompileError."""
        key = code, tuple(kernel.written)
        found = self._pipelines.get(key)
        if found is not None:
            self._pipelines.move_to_end(key)
            return found, False
        with self.guard():
            layout, whole = self._layout(key[1])
            try:
                module = self.device.create_shader_module(code=code)
                made = self.device.create_compute_pipeline(
                    layout=whole, compute={"module": module, "entry_point": "main"}
                )
            except wgpu.GPUValidationError as error:
                if "lost" in str(error).lower():
                    raise
                raise CompileError(None, f"the adapter refuses the shader: {error}") from error
        self._pipelines[key] = Pipeline(kernel, made, layout)
        if len(self._pipelines) > _KEPT_PIPELINES:
            self._pipelines.popitem(last=False)
        return self._pipelines[key], True

    def _layout(self, written: tuple[bool, ...]) -> tuple[Any, Any]:
        """Layouts of the bind group and of the pipeline. Status and arguments are at offsets given with each launch."""
        if written not in self._layouts:
            kinds = [("storage", True, SLOT), ("uniform", True, 0)]
            kinds += [("storage" if writes else "read-only-storage", False, 0) for writes in written]
            entries = [
                {
                    "binding": number,
                    "visibility": wgpu.ShaderStage.COMPUTE,
                    "buffer": {"type": kind, "has_dynamic_offset": dynamic},
                }
                for number, (kind, dynamic, _) in enumerate(kinds)
            ]
            group = self.device.create_bind_group_layout(entries=entries)
            self._layouts[written] = group, self.device.create_pipeline_layout(bind_group_layouts=[group])
        return self._layouts[written]

    def layout(self, kernel: WgslKernel[Any]) -> Any:
        """That of what a kernel binds."""
        with self.guard():
            return self._layout(tuple(kernel.written))[0]

    def group(self, layout: Any, bound: tuple[tuple[Any, int, int], ...]) -> BindGroup:
        """The bind group of buffers, with offset and size of what is bound. It is the GPU's, as the buffers are."""
        key = (id(layout), *((id(buffer), offset, size) for buffer, offset, size in bound))
        found = self._groups.get(key)
        if found is not None:
            self._groups.move_to_end(key)
            return found
        entries = [
            {"binding": number, "resource": {"buffer": buffer, "offset": offset, "size": size}}
            for number, (buffer, offset, size) in enumerate(bound)
        ]
        with self.guard():
            group = self.device.create_bind_group(layout=layout, entries=entries)
        made = self._groups[key] = BindGroup(group, layout, bound, frozenset(id(buffer) for buffer, _, _ in bound[2:]))
        if len(self._groups) > _KEPT_GROUPS:
            self._groups.popitem(last=False)
        return made


def _is_real(info: dict[str, Any]) -> bool:
    names = " ".join(str(info.get(key, "")) for key in ("vendor", "device", "description"))
    return info.get("adapter_type") != "CPU" and not is_software(names)


_used = False  # whether this process, or one that it was forked from, asked for an adapter
_forked = False


class Forked:
    """In the place of a backend's lock in a forked process."""

    def __enter__(self) -> None:
        raise BackendUnavailable("webgpu", FORKED)

    def __exit__(self, *_: object) -> None: ...


def _after_fork() -> None:
    global _forked
    _forked = _used
    Gpu._shared_lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _check_fork() -> None:
    if _forked:
        raise BackendUnavailable("webgpu", FORKED)


def adapter_info() -> tuple[dict[str, Any], bool]:
    """What the adapter says of itself, and whether it is a GPU. Opens no device. Raises BackendUnavailable."""
    info = dict(_adapter().info)
    return info, _is_real(info)


def _adapter() -> Any:
    """The adapter. Without a runtime folder for desktops the driver complains on stderr."""
    global _used
    _check_fork()
    _used = True
    name = "XDG_RUNTIME_DIR"
    missing = name not in os.environ and os.name == "posix"
    if missing:
        os.environ[name] = tempfile.gettempdir()
    try:
        return _aside(lambda: wgpu.gpu.request_adapter_sync(power_preference="high-performance"))
    except Exception as error:
        reason = f"no adapter was found ({_first_line(error)}): install a Vulkan driver, such as mesa-vulkan-drivers"
        raise BackendUnavailable("webgpu", reason) from error
    finally:
        if missing:
            del os.environ[name]


def _aside(call: Callable[[], Any]) -> Any:
    """What a call gives that is made in another thread: in the callbacks of wgpu Ctrl-C would be lost, and with it what
    they were to bring."""
    found: list[Any] = []
    errors: list[Exception] = []

    def work() -> None:
        try:
            found.append(call())
        except Exception as error:
            errors.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return found[0]


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
