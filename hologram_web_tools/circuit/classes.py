"""Classes as circuits number them, 24 h + 8 d + l: bytes, orbits and belt addresses. `atlas.r96` is another map.

What does not exist is a ValueError that says so.
"""

from __future__ import annotations

__all__ = ["belt_address", "canonical_byte", "class_index", "decode_belt_address", "triality_orbit"]

CLASSES, PAGES = 96, 48


def _below(value: int, limit: int, what: str) -> int:
    if type(value) is not int or not 0 <= value < limit:
        raise ValueError(f"{what} {value!r} does not exist: it is from 0 to {limit - 1}")
    return value


def canonical_byte(class_index: int) -> int:
    """The byte of a class, 64 h + 16 d + 2 l."""
    c = _below(class_index, CLASSES, "class")
    return 64 * (c // 24) + 16 * (c % 24 // 8) + 2 * (c % 8)


def class_index(byte: int) -> int:
    """The class of a byte: bits 7 and 6 are h, bits 5 and 4 d (3 counts as 0), bits 3 to 1 l, bit 0 says nothing."""
    b = _below(byte, 256, "byte")
    return 24 * (b >> 6) + 8 * ((b >> 4 & 3) % 3) + (b >> 1 & 7)


def triality_orbit(class_index: int) -> tuple[int, int, int]:
    """The three classes with the same h and l."""
    c = _below(class_index, CLASSES, "class")
    first = 24 * (c // 24) + c % 8
    return first, first + 8, first + 16


def belt_address(page: int, byte: int) -> int:
    """256 page + byte, from 0 to 12287."""
    return 256 * _below(page, PAGES, "page") + _below(byte, 256, "byte")


def decode_belt_address(address: int) -> tuple[int, int]:
    """The page and the byte of a belt address."""
    return divmod(_below(address, PAGES * 256, "belt address"), 256)
