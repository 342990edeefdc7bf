"""Executor and Buffer: arrays on a device, programs and kernels run on them (sdk.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from math import prod
from operator import index
from time import perf_counter
from typing import TYPE_CHECKING, Any, Self
from weakref import WeakKeyDictionary, ref

from ..backends import IN_PAGE
from ..errors import BackendUnavailable, InvalidBuffer, LaunchError, outermost
from ..extras import page_of
from ..isa.elements import Element, ElementType, stored_as
from ..isa.launch import ExecutionParams, LaunchConfig, linear
from ..isa.operands import Access, BufferHandle, PoolHandle
from ..isa.program import Program
from ..isa.types import Type
from . import arrays
from .operators import Operators

if TYPE_CHECKING:
    from fractions import Fraction

    from ..backends.recording import Recording
    from ..backends.selection import Selection
    from .timeline import Timeline

__all__ = ["Buffer", "Executor"]

Lengths = int | Sequence[int]


class Buffer(Operators):
    """An array on a device: row-major, of one type. `Executor.array`, `empty`, `zeros` and `full` make it.

    It is freed with `free`, at the end of a `with`, or when the executor is closed. Every use of a freed one raises
    InvalidBuffer.
    """

    def __init__(self, executor: Executor, handle: BufferHandle, shape: tuple[int, ...], dtype: ElementType) -> None:
        self.executor, self.handle, self.shape, self.dtype = executor, handle, shape, dtype
        self._node: Any = None  # of graphs of arrays

    def changes(self) -> None:
        """Whoever writes its elements says so before: Arrays that read it are computed from those of now."""
        node = None if self._node is None else self._node()
        if node is not None and node.readers and not getattr(self.executor.device, "records", False):
            node.changes()

    @property
    def size(self) -> int:
        """Elements."""
        return prod(self.shape)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.size_bytes

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a buffer without axes has no length")
        return self.shape[0]

    @outermost
    def from_numpy(self, data: Any) -> Self:
        """Writes all elements: an array of the same shape, converted to the buffer's type as NumPy does.

        In a page without NumPy it is what `runtime.arrays` takes. Raises InvalidBuffer for another shape.
        """
        found = arrays.array(data, self.dtype)
        shape = arrays.lengths(found, self.dtype)
        if shape != self.shape and (found.nbytes or self.size):  # a memoryview without elements has lost its shape
            raise InvalidBuffer(f"an array of shape {shape} does not fit a buffer of shape {self.shape}")
        self.changes()
        self.executor.device.copy_to_buffer(self.handle, arrays.raw(found))
        return self

    @outermost
    def numpy(self) -> Any:
        """A copy as a NumPy array, or as a memoryview in a page without NumPy; waits for what was launched, and raises
        its faults."""
        out = arrays.empty(self.shape, self.dtype)
        self.executor.device.copy_from_buffer(self.handle, arrays.raw(out))
        return out

    to_numpy = numpy

    @outermost
    def tolist(self) -> Any:
        """The elements as numbers, in lists of lists."""
        found = self.numpy()
        if isinstance(found, memoryview) and isinstance(self.dtype, Element) and self.dtype.parts:
            values = arrays.listed(found, self.dtype)
            return values if self.shape else values[0]
        if self.dtype is not Type.BF16 and not self.dtype.is_wide:
            return found.tolist()
        assert isinstance(self.dtype, Type)
        numbers: list[Any] = self.dtype.unpack(bytes(arrays.raw(found)))
        for length in reversed(self.shape[1:]):
            numbers = [numbers[k : k + length] for k in range(0, len(numbers), length or 1)]
        return numbers if self.shape else numbers[0]

    async def read(self) -> Any:
        """`numpy`, without blocking the event loop."""
        out = arrays.empty(self.shape, self.dtype)
        await self.executor.device.read_async(self.handle, arrays.raw(out))
        return out

    def view(self) -> Any:
        """The elements themselves, without a copy, until the buffer is freed. Raises InvalidBuffer where the device's
        memory is out of NumPy's reach."""
        if not hasattr(self.executor.device, "view"):
            others = "" if IN_PAGE else ", or use wasm or cpu"
            raise InvalidBuffer(
                f"the memory of {self.executor.backend.selected} is out of reach: numpy() copies it{others}"
            )
        self.changes()
        found = self.executor.device.view(self.handle)
        return found.view(self.dtype.numpy).reshape(self.shape)

    @outermost
    def fill(self, value: int | float) -> Self:
        """Sets every element."""
        return self.from_numpy(arrays.full(self.shape, value, self.dtype))

    @outermost
    def copy_from(self, other: Buffer) -> Self:
        """Copies another buffer's elements; shapes and types have to agree."""
        if (other.shape, other.dtype) != (self.shape, self.dtype):
            raise InvalidBuffer(f"{other!r} is not like {self!r}: shape and type have to agree")
        return self.from_numpy(other.numpy())

    @property
    def gpu_buffer(self) -> Any:
        """The wgpu buffer that holds it, which may be longer; launches before are submitted. Raises InvalidBuffer on
        other devices than webgpu."""
        if not hasattr(self.executor.device, "native_buffer"):
            raise InvalidBuffer(f"the memory of {self.executor.backend.selected} is no buffer of wgpu")
        self.changes()
        return self.executor.device.native_buffer(self.handle)

    def free(self) -> None:
        """Gives the memory back."""
        self.executor._forget(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.free()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        if copy is False:
            raise ValueError("the elements are on a device: they have to be copied")
        found = self.numpy()
        return found if dtype is None else found.astype(dtype)

    def __dlpack__(self, **options: Any) -> Any:
        return self.numpy().__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0  # a copy, in host memory

    def _repr_html_(self) -> str | None:
        return page_of(self)

    def __repr__(self) -> str:
        return f"<Buffer {self.shape} {self.dtype} on {self.executor.backend.selected}>"


class _Result(ref[Buffer]):
    """A buffer that nobody has to free; `weakref.finalize` takes five times as long to make."""

    __slots__ = ("handle",)
    handle: BufferHandle


def _letting_go(results: dict[BufferHandle, _Result], gone: list[BufferHandle]) -> Callable[[_Result], None]:
    """What is called when nobody has a result any more; it does not keep the executor."""

    def let_go(result: _Result) -> None:
        results.pop(result.handle, None)
        gone.append(result.handle)

    return let_go


class Executor:
    """A device with the buffers made on it.

    `backend` is "auto" (a real GPU, else wasm, else cpu) or a device's name, which then runs or raises
    BackendUnavailable; `options` are the device's own. `ex.backend` is the record of what was chosen and why.
    """

    @outermost
    def __init__(self, backend: str = "auto", **options: Any) -> None:
        from ..backends.selection import open_backend

        self.device: Any
        self.backend: Selection
        self.device, self.backend = open_backend(backend, **options)
        self._buffers: dict[BufferHandle, Buffer] = {}
        self._results: dict[BufferHandle, _Result] = {}  # of arrays
        self._gone: list[BufferHandle] = []  # of results that nobody has any more
        self._let_go = _letting_go(self._results, self._gone)
        self._pools: list[PoolHandle] = []
        self._here: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()  # kernels that were run, on this device
        self._last_launch: float | None = None
        self.asked: list[Any] = []  # lines that asked for what was launched and may fault: see array/lines.py
        self.donations = {"donated": 0, "reused": 0}  # arrays that functions took; of them those that results lie in

    @classmethod
    async def open(cls, backend: str = "auto", **options: Any) -> Self:
        """An executor; in a page it does not block while an adapter is looked for."""
        if IN_PAGE:
            from ..backends.threads import check_threads
            from ..page.session import prepare

            check_threads(options.get("threads"))
            await prepare(backend, options.get("threads"))
        return cls(backend, **options)

    # Buffers

    @outermost
    def array(self, data: Any, dtype: ElementType | None = None) -> Buffer:
        """A buffer with a copy of anything NumPy or DLPack takes for an array; its type is the array's, or `dtype`.

        Raises UnsupportedType for a dtype that is no type of the ISA.
        """
        if isinstance(data, Buffer):
            data, dtype = data.numpy(), dtype or data.dtype
        found = arrays.array(data, None if dtype is None else arrays.to_type(dtype))
        dtype = arrays.to_type(dtype) if dtype is not None else arrays.type_of(found)
        return self.empty(arrays.lengths(found, dtype), dtype).from_numpy(found)

    @outermost
    def zeros(self, shape: Lengths, dtype: ElementType = Type.F32) -> Buffer:
        """A buffer of zeros."""
        dtype, lengths, count = self._measured(shape, dtype)
        handle = self.device.allocate_buffer(count * dtype.size_bytes)
        buffer = self._buffers[handle] = Buffer(self, handle, lengths, dtype)
        return buffer

    @staticmethod
    def _measured(shape: Lengths, dtype: ElementType) -> tuple[ElementType, tuple[int, ...], int]:
        dtype = arrays.to_type(dtype)
        try:
            lengths = tuple(map(index, shape)) if isinstance(shape, Iterable) else (index(shape),)
        except TypeError:
            raise InvalidBuffer(f"a shape is an integer or a tuple of integers, not {shape!r}") from None
        if any(length < 0 for length in lengths):
            raise InvalidBuffer(f"a shape has lengths from 0 on, not {lengths}")
        return dtype, lengths, prod(lengths)

    empty = zeros  # memory of every device is zeroed: nobody sees what others left

    @outermost
    def full(self, shape: Lengths, value: int | float, dtype: ElementType = Type.F32) -> Buffer:
        """A buffer with one value in every element."""
        return self.zeros(shape, dtype).fill(value)

    @outermost
    def allocate(self, size: int, dtype: ElementType = Type.F32) -> Buffer:
        """A buffer of `size` elements along one axis, zeroed."""
        return self.zeros(size, dtype)

    def allocate_pool(self, size: int) -> PoolHandle:
        """A pool of `size` bytes, freed with the executor."""
        handle: PoolHandle = self.device.allocate_pool(size)
        self._pools.append(handle)
        return handle

    def _forget(self, buffer: Buffer) -> None:
        handle = self.take(buffer)
        self.device.free_buffer(handle)
        self.device.atlas.forget(handle)

    def take(self, buffer: Buffer) -> BufferHandle:
        """The memory of a buffer, which is the caller's then."""
        self._buffers.pop(buffer.handle, None)
        self._results.pop(buffer.handle, None)
        return buffer.handle

    def result(
        self, shape: tuple[int, ...], dtype: ElementType, zeroed: bool = True, handle: BufferHandle | None = None
    ) -> Buffer:
        """A buffer that is freed when nobody has it any more: with the next one that is asked for, as devices may be at
        work where Python finds that out. One that is not zeroed is written whole by who asks."""
        while self._gone:
            self.device.free_buffer(self._gone.pop())
        allocate = self.device.allocate_buffer if zeroed else self.device.allocate_unwritten
        if handle is None:
            handle = allocate(prod(shape) * dtype.size_bytes)
        buffer = Buffer(self, handle, shape, dtype)
        result = self._results[handle] = _Result(buffer, self._let_go)
        result.handle = handle
        return buffer

    def adopt(self, gpu_buffer: Any, shape: Lengths, dtype: ElementType = Type.F32) -> Buffer:
        """A wgpu buffer of the caller's, of the device that this executor runs on, as a Buffer. It is read and written
        in place and stays the caller's; its usages have to be STORAGE, COPY_SRC and COPY_DST. Raises InvalidBuffer."""
        if not hasattr(self.device, "adopt_buffer"):
            raise InvalidBuffer(f"{self.backend.selected} has no buffers of wgpu: make an executor on its device")
        dtype, lengths, count = self._measured(shape, dtype)
        handle = self.device.adopt_buffer(gpu_buffer, count * dtype.size_bytes)
        buffer = self._buffers[handle] = Buffer(self, handle, lengths, dtype)
        return buffer

    # Running

    def encode(self, encoder: Any) -> Any:
        """`with ex.encode(encoder) as encoded:` records what is launched in it into a wgpu encoder of the caller's, of
        the device that this executor runs on. The caller submits it; `encoded.done()` waits and raises the first fault.

        All that was launched before is submitted first. Memory that is used serves nobody else until `done`. Raises
        BackendUnavailable on another device than webgpu, LaunchError for what has to wait in between.
        """
        if not hasattr(self.device, "encode"):
            raise BackendUnavailable("webgpu", f"the executor runs on {self.backend.selected}, which has no encoders")
        return self.device.encode(encoder)

    def record(self) -> AbstractContextManager[Recording[Any]]:
        """`with ex.record() as recording:` records what is launched in it on Buffers of this executor, checked as ever.
        `recording.replay()` does all of it with one call, as often as one likes, on the elements of then.

        On webgpu a replay is one submit, of up to 1,024 launches. Raises LaunchError for what would have to wait for a
        launch: reading, arrays instead of Buffers, programs whose host goes by what lanes wrote.
        """
        return self._recorded()

    @contextmanager
    def _recorded(self) -> Iterator[Recording[Any]]:
        with self.device.record() as recording:
            recording.before = self._changes
            yield recording

    def _changes(self) -> None:
        """Before a recording writes to some of the buffers."""
        for buffer in list(self._buffers.values()):
            if buffer._node is not None:
                buffer.changes()

    @outermost
    def run(self, program: Any, config: LaunchConfig | int | None = None, /, **params: Any) -> Any:
        """Runs a Program or a kernel (`config`: a LaunchConfig or a number of lanes), or a compiled one (no config).

        Arguments are Buffers, pools and numbers. Kernels and compiled programs take NumPy arrays, too; a compiled
        program gives what it wrote: a Buffer that it was given, else an array.
        """
        start = perf_counter()
        try:
            return self._ran(program, config, params)
        finally:
            self._last_launch = 1e3 * (perf_counter() - start)

    def _ran(self, program: Any, config: LaunchConfig | int | None, params: Mapping[str, Any]) -> Any:
        launch = linear(config) if isinstance(config, int) else config or LaunchConfig()
        if isinstance(program, Program):
            values = {name: _handle(program, name, value) for name, value in params.items()}
            self.device.execute_program_with_params(program, ExecutionParams(launch, values))
            return None
        if hasattr(program, "launch_async"):  # a kernel
            if program not in self._here:
                self._here[program] = program.on(self.device)
            return self._here[program][config if type(config) is int else launch](**params)
        if not hasattr(program, "run"):
            raise TypeError(f"a Program, a kernel or a compiled program can run, not {program!r}")
        if config is not None:
            from reprlib import repr as short  # of arguments in a dict, too

            raise LaunchError(f"a compiled program knows how many lanes it has: leave out {short(config)}")
        return program.run(self.device, **params)

    @outermost
    def submit(self, calls: Sequence[tuple[Program, LaunchConfig | int | None, Mapping[str, Any]]]) -> None:
        """Runs programs one after another; a GPU gets them in as few submits as possible."""
        for program, config, params in calls:
            self.run(program, config, **params)

    @outermost
    def sync(self) -> None:
        """Waits until all is done, and raises the fault of a launch that was not raised yet."""
        self.device.sync()

    # The Atlas

    def class_memory(self, class_id: int) -> Any:
        """The 12,288 bytes of a class."""
        return self.device.class_memory(class_id)

    def reset_class_memory(self) -> None:
        """Zeroes the memory of all classes."""
        self.device.reset_class_memory()

    def bind_class(self, class_id: int, buffer: Buffer | None) -> None:
        """Lets addresses of a class, written `[class 5]`, mean a buffer; None: its class memory again.

        Phi, NBRLoad and NBRStore reach class memory all the same. Raises LaunchError for a class that does not exist.
        """
        if buffer is not None and not isinstance(buffer, Buffer):
            raise LaunchError(f"a class means a Buffer, or None for its own memory, not {type(buffer).__name__}")
        self.device.atlas.bind(class_id, None if buffer is None else buffer.handle)

    def buffer_for_class(self, class_id: int) -> Buffer | None:
        """The buffer bound to a class, if there is one."""
        return self._buffers.get(self.device.atlas.bound.get(class_id))

    def get_buffer_handle(self, class_id: int) -> BufferHandle | None:
        """The handle of the buffer bound to a class, if there is one."""
        found: BufferHandle | None = self.device.atlas.bound.get(class_id)
        return found

    def allocate_boundary(self, class_id: int, width: int, height: int, dtype: ElementType = Type.F32) -> Buffer:
        """A buffer of `height` rows of `width` elements, bound to a class."""
        buffer = self.zeros((height, width), dtype)
        self.bind_class(class_id, buffer)
        return buffer

    @staticmethod
    def default_launch_config(n: int) -> LaunchConfig:
        """Exactly `n` lanes in blocks of 256."""
        return LaunchConfig.linear(n)

    def resonance(self) -> tuple[Fraction, ...]:
        """The resonance of the 96 classes, exactly."""
        return tuple(self.device.atlas.resonance)

    def reset_resonance(self) -> None:
        """Makes the resonance of every class 0."""
        self.device.atlas.forget_resonance()

    @property
    def phase(self) -> int:
        """The phase at which launches start, 0 to 767."""
        found: int = self.device.atlas.phase
        return found

    def advance_phase(self, delta: int) -> int:
        """Goes on by `delta` phases, modulo 768; the phase then."""
        found: int = self.device.atlas.advance(delta)
        return found

    @contextmanager
    def trace(self) -> Iterator[Timeline]:
        """`with ex.trace() as timeline:` tells what is launched in it, and how long each launch took, which is waited
        for; `timeline.save("trace.json")` is for chrome://tracing."""
        from .timeline import Timeline

        before, self.device.timeline = self.device.timeline, Timeline(self.backend.adapter)
        try:
            yield self.device.timeline
            self.device.sync()
        finally:
            self.device.timeline = before

    def stats(self) -> dict[str, Any]:
        """Live buffers and bytes, donated arrays and those that results took, the device's own counters, and the
        milliseconds that the last `run` took until it returned (`last_launch_ms`; None before the first)."""
        counters = getattr(self.device, "stats", None)
        results = [buffer for each in list(self._results.values()) if (buffer := each()) is not None]
        return {
            "last_launch_ms": self._last_launch,
            "buffers": len(self._buffers) + len(results),
            "live_bytes": sum(buffer.nbytes for buffer in (*self._buffers.values(), *results)),
            **self.donations,
            **({} if counters is None else vars(counters)),
        }

    def close(self) -> None:
        """Frees every buffer and pool, after a last `sync`."""
        self._buffers.clear()
        self._gone.clear()
        self._pools.clear()
        self.device.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Executor on {self.backend}>"


def _handle(program: Program, name: str, value: Any) -> Any:
    """What the device takes for an argument. Raises LaunchError for a Buffer of another type than the parameter's."""
    if not isinstance(value, Buffer):
        return value
    param = program.param(name)
    if param is not None and param.kind == "buffer" and param.ty is not stored_as(value.dtype):
        raise LaunchError(f"parameter {name!r} is a buffer of {param.ty}, not of {value.dtype}: convert it")
    if param is None or param.access is not Access.READ:
        value.changes()
    return value.handle
