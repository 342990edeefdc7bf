"""One linear memory for everything a device holds: a first-fit allocator with 64-byte alignment.

The memory grows in place: wasmtime reserves 4 GiB of addresses for it, so that views stay valid (measured: the base
did not move while growing from one page to 1.2 GiB).
"""

from __future__ import annotations

import bisect
import ctypes
from typing import Any

import numpy as np
import wasmtime
from numpy.typing import NDArray

from ...errors import AllocationFailed

__all__ = ["Arena"]

_PAGE = 65536
_ALIGN = 64
_MAX_PAGES = 65536


class Arena:
    """Allocates stretches of a WebAssembly memory and hands them out as NumPy views."""

    def __init__(self, store: wasmtime.Store) -> None:
        self.store = store
        limits = wasmtime.Limits(16, _MAX_PAGES)
        self.memory = wasmtime.Memory(store, wasmtime.MemoryType(limits))
        self._map()
        self._free: list[tuple[int, int]] = [(_ALIGN, 16 * _PAGE - _ALIGN)]  # address 0 stays unused
        self._sizes: dict[int, int] = {}

    def _map(self) -> None:
        size = self.memory.data_len(self.store)
        pointer = ctypes.cast(self.memory.data_ptr(self.store), ctypes.c_void_p).value
        raw = (ctypes.c_uint8 * size).from_address(pointer or 0)
        self.bytes: NDArray[np.uint8] = np.frombuffer(memoryview(raw), np.uint8)

    @property
    def live_bytes(self) -> int:
        """Bytes handed out and not given back."""
        return sum(self._sizes.values())

    def allocate(self, size: int) -> int:
        """The address of `size` zeroed bytes. Raises AllocationFailed."""
        need = max(-(-size // _ALIGN) * _ALIGN, _ALIGN)
        for number, (address, length) in enumerate(self._free):
            if length >= need:
                if length == need:
                    del self._free[number]
                else:
                    self._free[number] = (address + need, length - need)
                self._sizes[address] = need
                self.bytes[address : address + need] = 0
                return address
        self._grow(need)
        return self.allocate(size)

    def _grow(self, need: int) -> None:
        old = len(self.bytes)
        last = self._free[-1] if self._free and sum(self._free[-1]) == old else (old, 0)
        pages = -(-(need - last[1]) // _PAGE)
        # Growing by a quarter at least keeps the number of growths small.
        wanted = min(max(pages, old // _PAGE // 4), max(_MAX_PAGES - old // _PAGE, 0))
        try:
            if wanted < pages:
                raise wasmtime.WasmtimeError("a WebAssembly memory has at most 4 GiB")
            self.memory.grow(self.store, wanted)
        except wasmtime.WasmtimeError as error:
            raise AllocationFailed(
                f"{need} bytes cannot be had ({error}): free other buffers or work in parts"
            ) from None
        self._map()
        self._give_back(old, wanted * _PAGE)

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

    def view(self, address: int, size: int) -> NDArray[np.uint8]:
        """The bytes at an address, to read and write."""
        return self.bytes[address : address + size]


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
        self._context = ctypes.cast(store._context(), ctypes.c_void_p).value
        self._function = ctypes.addressof(function._func)
        # A slot of 16 bytes for each argument.
        self._slots = (ctypes.c_int64 * (2 * max(count, 1)))()
        self._trap = ctypes.c_void_p(0)

    def __call__(self, *arguments: int) -> None:
        """Raises wasmtime.Trap or wasmtime.WasmtimeError."""
        for number, value in enumerate(arguments):
            self._slots[2 * number] = value
        slots, trap = ctypes.addressof(self._slots), ctypes.addressof(self._trap)
        error = self._call(self._context, self._function, slots, len(self._slots) // 2, trap)
        if self._trap.value:
            pointer = ctypes.cast(self._trap.value, ctypes.POINTER(self._ffi.wasm_trap_t))
            self._trap.value = 0
            raise wasmtime.Trap._from_ptr(pointer)
        if error:
            raise wasmtime.WasmtimeError._from_ptr(ctypes.cast(error, ctypes.POINTER(self._ffi.wasmtime_error_t)))
