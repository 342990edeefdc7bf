"""The memory of the device wasm: where buffers lie, and what is said when none is left (backends/wasm/arena.py)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import wasmtime

from hologram_web import AllocationFailed
from hologram_web.backends.wasm.arena import Arena

_MB = 1 << 20
_BETWEEN = 128 << 10  # large ones


class _Unwritten(Arena):
    """Hands out addresses without clearing what is there: gigabytes take long."""

    def _map(self) -> None:
        super()._map()
        self.bytes = _Length(len(self.bytes))  # type: ignore[assignment]


class _Length:
    def __init__(self, length: int) -> None:
        self._length = length

    def __len__(self) -> int:
        return self._length

    def __setitem__(self, place: slice, value: int) -> None:
        assert 0 < place.start < place.stop <= self._length


def _arena() -> Arena:
    config = wasmtime.Config()
    config.shared_memory = True
    return _Unwritten(wasmtime.Engine(config))


def test_small_buffers_do_not_part_what_large_ones_leave() -> None:
    arena = _arena()
    large = arena.allocate(2000 * _MB)
    small = [arena.allocate(100) for _ in range(3)]
    arena.free(large)
    assert arena.allocate(2500 * _MB) > max(small)
    assert arena.live_bytes == 2500 * _MB + _BETWEEN + 3 * 128


def test_large_buffers_are_packed_at_the_end() -> None:
    arena = _arena()
    first, second = arena.allocate(1000 * _MB), arena.allocate(1000 * _MB)
    assert (first, second) == (3096 * _MB - _BETWEEN, 2096 * _MB - 2 * _BETWEEN)
    arena.free(first)
    assert arena.allocate(500 * _MB) == 3596 * _MB - _BETWEEN
    assert arena.allocate(499 * _MB) == 3097 * _MB - 2 * _BETWEEN
    assert arena.allocate(64) == 64


def test_it_says_what_is_free_and_how_it_lies() -> None:
    arena = _arena()
    first, second = arena.allocate(1000 * _MB), arena.allocate(1000 * _MB)
    arena.free(first)
    with pytest.raises(AllocationFailed) as error:
        arena.allocate(2500 * _MB)
    assert str(error.value) == (
        "2621440000 bytes cannot be had (a WebAssembly memory has at most 4 GiB; 3246260160 are free, at most "
        "2197553088 of them in one stretch): free other buffers or work in parts"
    )
    arena.free(second)
    assert arena.allocate(4000 * _MB)


@pytest.mark.skipif(not Path("/sys/kernel/mm/transparent_hugepage").exists(), reason="there are none to ask for")
def test_large_pages_are_asked_for() -> None:
    config = wasmtime.Config()
    config.shared_memory = True
    arena = Arena(wasmtime.Engine(config))
    place = arena.bytes.ctypes.data + arena.allocate(20 * _MB)
    found = re.findall(r"^(\w+)-(\w+) (?s:.*?)^VmFlags:(.*)$", Path("/proc/self/smaps").read_text(), re.M)
    (flags,) = (flags for begin, end, flags in found if int(begin, 16) <= place < int(end, 16))
    assert "hg" in flags.split()
