"""BLAKE3 (the hash of every cache key): the `blake3` package where it is installed, in a page WebAssembly, else Python.

The Python form is for small inputs, such as programs, where nothing else can be had; it was written from the BLAKE3
paper (O'Connor, Aumasson, Neves, Wilcox-O'Hearn 2020), and a test compares them.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable
from functools import cache

__all__ = ["blake3", "blake3_python"]

_IV = (0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19)
_PERMUTATION = (2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8)
_COLUMNS_AND_DIAGONALS = (
    (0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15),
    (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14),
)  # fmt: skip
_CHUNK_START, _CHUNK_END, _PARENT, _ROOT = 1, 2, 4, 8
_CHUNK = 1024
_MASK = 0xFFFFFFFF


def blake3(data: bytes) -> bytes:
    """The 32-byte BLAKE3 hash of `data`."""
    return _implementation()(data)


@cache
def _implementation() -> Callable[[bytes], bytes]:
    if sys.platform == "emscripten":
        from ..page.session import hash_in_page

        return hash_in_page
    try:
        import blake3 as package
    except ImportError:
        return blake3_python
    return lambda data: bytes(package.blake3(data).digest())


def _rotate(x: int, count: int) -> int:
    return (x >> count | x << (32 - count)) & _MASK


def _compress(chain: tuple[int, ...], block: bytes, counter: int, length: int, flags: int) -> tuple[int, ...]:
    words = list(struct.unpack("<16I", block.ljust(64, b"\0")))
    v = [*chain, *_IV[:4], counter & _MASK, counter >> 32, length, flags]
    for _ in range(7):
        for step, (a, b, c, d) in enumerate(_COLUMNS_AND_DIAGONALS):
            v[a] = (v[a] + v[b] + words[2 * step]) & _MASK
            v[d] = _rotate(v[d] ^ v[a], 16)
            v[c] = (v[c] + v[d]) & _MASK
            v[b] = _rotate(v[b] ^ v[c], 12)
            v[a] = (v[a] + v[b] + words[2 * step + 1]) & _MASK
            v[d] = _rotate(v[d] ^ v[a], 8)
            v[c] = (v[c] + v[d]) & _MASK
            v[b] = _rotate(v[b] ^ v[c], 7)
        words = [words[position] for position in _PERMUTATION]
    return tuple(low ^ high for low, high in zip(v[:8], v[8:], strict=True))


def _chunk(data: bytes, counter: int, root: int) -> tuple[int, ...]:
    chain: tuple[int, ...] = _IV
    starts = range(0, max(len(data), 1), 64)
    for start in starts:
        block = data[start : start + 64]
        flags = (_CHUNK_START if start == 0 else 0) | (_CHUNK_END | root if start == starts[-1] else 0)
        chain = _compress(chain, block, counter, len(block), flags)
    return chain


def _tree(data: bytes, first: int, root: int) -> tuple[int, ...]:
    if len(data) <= _CHUNK:
        return _chunk(data, first, root)
    # The left subtree is the largest whole power of two of chunks that leaves something to the right.
    left = _CHUNK << (((len(data) - 1) // _CHUNK).bit_length() - 1)
    children = _tree(data[:left], first, 0) + _tree(data[left:], first + left // _CHUNK, 0)
    return _compress(_IV, struct.pack("<16I", *children), 0, 64, _PARENT | root)


def blake3_python(data: bytes) -> bytes:
    """BLAKE3 in Python: about 3 ms per kilobyte."""
    return struct.pack("<8I", *_tree(data, 0, _ROOT))
