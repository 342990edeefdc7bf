"""One linear memory for everything a device holds: a first-fit allocator with 64-byte alignment.

Large buffers lie at the far end of the 4 GiB, all others at the near one, so that small ones that stay do not part what
large ones leave: 2.5 GB could not be had after 2 GB below a small buffer were freed.

The memory grows in place: wasmtime reserves 4 GiB of addresses for it, so that views stay valid (measured: the base
did not move while growing from one page to 1.2 GiB).
"""

from __future__ import annotations

import bisect
import contextlib
import ctypes
import mmap
from typing import Any, NamedTuple

import numpy as np
import wasmtime
from numpy.typing import NDArray

from ...errors import AllocationFailed

__all__ = ["Arena", "ArenaBlock", "FastCall", "advise", "shared"]

_PAGE = 65536
_ALIGN = 64
_MAX_PAGES = 65536
_LARGE = 64 << 20
# Between large ones: eight operations on two arrays of 64 MiB took 1.07 times as long where arrays begin so many bytes
# apart as with 64 KiB or more between them.
_BETWEEN = 128 << 10


class ArenaBlock(NamedTuple):
    """Memory of a device: a stretch of the arena, or a part of one."""

    address: int
    size: int
    bytes: memoryview


class ArenaMemory(wasmtime.SharedMemory):
    """Of wasmtime-py 50 and before, which wraps the pointer twice: it could not be imported."""

    def _as_extern(self) -> Any:
        from wasmtime import _ffi as ffi

        union = ffi.wasmtime_extern_union(sharedmemory=self.ptr())
        return ffi.wasmtime_extern_t(ffi.WASMTIME_EXTERN_SHAREDMEMORY, union)


_IMPORT = b"\x03env\x06memory\x02"


def shared(code: bytes) -> bytes:
    """A module whose memory is shared: threads may be at it (docs/artifact.md). Its code takes as long (measured)."""
    return code.replace(_IMPORT + b"\x01", _IMPORT + b"\x03", 1)


def advise(address: int, size: int) -> None:
    """Asks for large pages behind these addresses, as NumPy does for its arrays: with those of 4 KiB an addition of
    4 Mi elements took 1.28 times as long (2.14 and 1.67 ms; NumPy 1.62). A system that has none keeps its own."""
    advice = getattr(mmap, "MADV_HUGEPAGE", None)
    if advice is not None:
        start = -(-address // mmap.PAGESIZE) * mmap.PAGESIZE
        ctypes.CDLL(None).madvise(ctypes.c_void_p(start), ctypes.c_size_t(max(address + size - start, 0)), advice)


class Arena:
    """Allocates stretches of a WebAssembly memory."""

    def __init__(self, engine: wasmtime.Engine) -> None:
        limits = wasmtime.Limits(16, _MAX_PAGES)
        self.memory = ArenaMemory(engine, wasmtime.MemoryType(limits, shared=True))
        self._map()
        self._free: list[tuple[int, int]] = [(_ALIGN, 16 * _PAGE - _ALIGN)]  # address 0 stays unused
        self._sizes: dict[int, int] = {}

    def _map(self) -> None:
        size = self.memory.data_len()
        pointer = ctypes.cast(self.memory.data_ptr(), ctypes.c_void_p).value
        raw = (ctypes.c_uint8 * size).from_address(pointer or 0)
        advise(pointer or 0, size)
        self.bytes: NDArray[np.uint8] = np.frombuffer(memoryview(raw), np.uint8)

    @property
    def live_bytes(self) -> int:
        """Bytes handed out and not given back."""
        return sum(self._sizes.values())

    def allocate(self, size: int, zeroed: bool = True) -> int:
        """The address of `size` bytes, which are zero, or anything. Raises AllocationFailed."""
        need = max(-(-size // _ALIGN) * _ALIGN, _ALIGN)
        need += _BETWEEN if need >= _LARGE else 0
        if need >= _LARGE and len(self.bytes) < _MAX_PAGES * _PAGE:
            # All of it, which is addresses only until bytes are written; what an engine refuses is asked for in parts.
            with contextlib.suppress(wasmtime.WasmtimeError):
                self._grow(_MAX_PAGES - len(self.bytes) // _PAGE)
        found = self._fitting(need)
        if found is None:
            self._make_room(need)
            found = self._fitting(need)
            assert found is not None
        address, length = self._free.pop(found)
        rest = (address, length - need) if need >= _LARGE else (address + need, length - need)
        if rest[1]:
            self._free.insert(found, rest)
        if need >= _LARGE:
            address += length - need
        self._sizes[address] = need
        if zeroed:
            self.bytes[address : address + need] = 0
        return address

    def _fitting(self, need: int) -> int | None:
        """The number of the free stretch to take: the first, of large ones the last."""
        numbers = range(len(self._free))
        return next((k for k in (reversed(numbers) if need >= _LARGE else numbers) if self._free[k][1] >= need), None)

    def _make_room(self, need: int) -> None:
        """Grows until so many bytes are free in one stretch. Raises AllocationFailed."""
        old = len(self.bytes)
        last = self._free[-1][1] if self._free and sum(self._free[-1]) == old else 0
        pages, left = -(-(need - last) // _PAGE), _MAX_PAGES - old // _PAGE
        try:
            if pages > left:
                raise wasmtime.WasmtimeError("a WebAssembly memory has at most 4 GiB")
            # Growing by a quarter at least keeps the number of growths small.
            self._grow(min(max(pages, old // _PAGE // 4), left))
        except wasmtime.WasmtimeError as error:
            free = sum(length for _, length in self._free) + left * _PAGE
            longest = max([last + left * _PAGE, *(length for _, length in self._free)])
            asked = need - _BETWEEN if need >= _LARGE else need
            raise AllocationFailed(
                f"{asked} bytes cannot be had ({error}; {free} are free, at most {longest} of them in one stretch): "
                "free other buffers or work in parts"
            ) from None

    def _grow(self, pages: int) -> None:
        old = len(self.bytes)
        self.memory.grow(pages)
        self._map()
        self._give_back(old, pages * _PAGE)

    def free(self, address: int) -> None:
        """Takes a stretch back."""
        self._give_back(address, self._sizes.pop(address))

    def _give_back(self, address: int, length: int) -> None:
        number = bisect.bisect(self._free, (address, 0))
        if number < len(self._free) and self._free[number][0] == address + length:
            length += self._free.pop(number)[1]
        if number and sum(self._free[number - 1]) == address:
            number -= 1
            before = self._free.pop(number)
            address, length = before[0], before[1] + length
        self._free.insert(number, (address, length))

    def block(self, address: int, size: int) -> ArenaBlock:
        """The bytes at an address, to read and write."""
        return ArenaBlock(address, size, self.bytes[address : address + size].data)


class FastCall:
    """An export called past wasmtime-py's checks: 1 us instead of 12 to 85 (measured). All parameters are i32.

    The compiler owns the signature; nothing checks the arguments here.
    """

    def __init__(self, store: wasmtime.Store, function: wasmtime.Func, count: int) -> None:
        from wasmtime import _ffi as ffi

        self._keep = store, function
        self._ffi: Any = ffi
        address = ctypes.cast(ffi.dll.wasmtime_func_call_unchecked, ctypes.c_void_p).value
        pointers = (ctypes.c_void_p,) * 3
        self._call: Any = ctypes.CFUNCTYPE(ctypes.c_void_p, *pointers, ctypes.c_size_t, ctypes.c_void_p)(address or 0)
        context = ctypes.cast(store._context(), ctypes.c_void_p)
        # A slot of 16 bytes for each argument.
        self._slots = (ctypes.c_int64 * (2 * max(count, 1)))()
        self._places = range(0, 2 * count, 2)
        self._trap = ctypes.c_void_p(0)
        # As C has them: made once, they are half of what a call takes.
        self._passed = (
            context,
            ctypes.c_void_p(ctypes.addressof(function._func)),
            ctypes.c_void_p(ctypes.addressof(self._slots)),
            ctypes.c_size_t(len(self._slots) // 2),
            ctypes.c_void_p(ctypes.addressof(self._trap)),
        )

    def __call__(self, *arguments: int) -> None:
        """Raises wasmtime.Trap or wasmtime.WasmtimeError."""
        self.pass_on(*arguments)
        self.again()

    def pass_on(self, *arguments: int) -> None:
        """Sets the arguments of the calls that come."""
        slots = self._slots
        for place, value in zip(self._places, arguments, strict=True):
            slots[place] = value

    def again(self) -> None:
        """A call with the arguments that were set last: a function without results leaves their slots as they are."""
        error = self._call(*self._passed)
        if self._trap.value:
            pointer = ctypes.cast(self._trap.value, ctypes.POINTER(self._ffi.wasm_trap_t))
            self._trap.value = 0
            raise wasmtime.Trap._from_ptr(pointer)
        if error:
            raise wasmtime.WasmtimeError._from_ptr(ctypes.cast(error, ctypes.POINTER(self._ffi.wasmtime_error_t)))
