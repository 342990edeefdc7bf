"""The graph of the 96 classes, the class of a byte, and where a class lies in the class memory.

A class id is 48 e1 + 24 e2 + 12 e3 + 6 e6 + 3 e7 + (d45 + 1). Two classes are neighbours when one of e1, e2, e3, e6 is
flipped, or d45 goes one step; the mirror flips e7, which no edge does.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = [
    "BYTES_PER_PAGE",
    "CLASSES",
    "CLASS_BYTES",
    "NEIGHBORS",
    "PAGES",
    "UNITY",
    "Label",
    "are_adjacent",
    "bound_map",
    "bound_split",
    "canonical_byte",
    "class_of",
    "component",
    "degree",
    "distance",
    "label_of",
    "mirror",
    "mirror_pairs",
    "neighbors",
    "phi_decode",
    "phi_encode",
    "r96",
    "sign_class",
]

CLASSES = 96
PAGES = 48
BYTES_PER_PAGE = 256
CLASS_BYTES = PAGES * BYTES_PER_PAGE
UNITY = (1, 4)


class Label(NamedTuple):
    """The label of a class: d45 is -1, 0 or 1, the others are bits."""

    e1: int
    e2: int
    e3: int
    d45: int
    e6: int
    e7: int


def _checked(value: int, limit: int, what: str) -> int:
    """Raises ValueError for a number that is not below the limit."""
    if not isinstance(value, int) or not 0 <= value < limit:
        raise ValueError(f"{what} {value!r} does not exist: it is an integer from 0 to {limit - 1}")
    return value


def label_of(class_id: int) -> Label:
    """The label of a class. Raises ValueError for a class that does not exist, as all functions here do."""
    bits, d = divmod(_checked(class_id, CLASSES, "class"), 3)
    e1, e2, e3, e6, e7 = (bits >> place & 1 for place in (4, 3, 2, 1, 0))
    return Label(e1, e2, e3, d - 1, e6, e7)


def class_of(label: Label) -> int:
    """The class with a label. Raises ValueError for what is no label."""
    e1, e2, e3, d45, e6, e7 = label
    if any(bit not in (0, 1) for bit in (e1, e2, e3, e6, e7)) or d45 not in (-1, 0, 1):
        raise ValueError(f"{label!r} is no label: d45 is -1, 0 or 1, the others are 0 or 1")
    return 48 * e1 + 24 * e2 + 12 * e3 + 6 * e6 + 3 * e7 + d45 + 1


def _neighbors(class_id: int) -> tuple[int, ...]:
    bits, d = divmod(class_id, 3)
    flips = [3 * (bits ^ 1 << place) + d for place in (4, 3, 2, 1)]
    steps = [class_id + step for step in (-1, 1) if 0 <= d + step <= 2]
    return tuple(sorted(flips + steps))


NEIGHBORS: tuple[tuple[int, ...], ...] = tuple(map(_neighbors, range(CLASSES)))


def neighbors(class_id: int) -> tuple[int, ...]:
    """The 5 or 6 neighbours of a class, ascending."""
    return NEIGHBORS[_checked(class_id, CLASSES, "class")]


def degree(class_id: int) -> int:
    """How many neighbours a class has: 6 where d45 is 0, else 5."""
    return len(neighbors(class_id))


def are_adjacent(a: int, b: int) -> bool:
    return _checked(b, CLASSES, "class") in neighbors(a)


def mirror(class_id: int) -> int:
    """The class with e7 flipped. It is its own inverse and never a neighbour."""
    _checked(class_id, CLASSES, "class")
    return class_id + 3 if class_id // 3 % 2 == 0 else class_id - 3


def mirror_pairs() -> tuple[tuple[int, int], ...]:
    """The 48 pairs of a class and its mirror, the lower first."""
    return tuple((c, mirror(c)) for c in range(CLASSES) if c < mirror(c))


def component(class_id: int) -> int:
    """Which of the two connected parts of the graph a class is in: its e7."""
    return label_of(class_id).e7


def distance(a: int, b: int) -> int | None:
    """Edges on a shortest way; None where there is no way, between the two components."""
    one, other = label_of(a), label_of(b)
    return None if one.e7 != other.e7 else sum(abs(x - y) for x, y in zip(one, other, strict=True))


def sign_class(class_id: int) -> int:
    """Which of 8 groups of 12 classes: 4 e1 + 2 e2 + e3."""
    return _checked(class_id, CLASSES, "class") // 12


def r96(byte: int) -> int:
    """The class of a byte. Bit 7 is ignored, and bits 5 and 6 both set count as none."""
    _checked(byte, 256, "byte")
    e1, e2, e3, e6, e7 = (byte >> place & 1 for place in range(5))
    return class_of(Label(e1, e2, e3, (byte >> 5 & 3) % 3 - 1, e6, e7))


def canonical_byte(class_id: int) -> int:
    """The least byte of a class, below 96."""
    e1, e2, e3, d45, e6, e7 = label_of(class_id)
    return e1 + 2 * e2 + 4 * e3 + 8 * e6 + 16 * e7 + 32 * (d45 + 1)


def phi_encode(page: int, byte: int) -> int:
    """A page and a byte as one U32: byte * 65536 + page."""
    return _checked(byte, BYTES_PER_PAGE, "byte") << 16 | _checked(page, PAGES, "page")


def phi_decode(word: int) -> tuple[int, int]:
    """Page and byte of a word that `phi_encode` made. Raises ValueError for any other."""
    return _checked(word & 0xFFFF, PAGES, "page"), _checked(word >> 16, BYTES_PER_PAGE, "byte")


def bound_map(class_id: int, page: int, byte: int) -> int:
    """The byte offset in the class memory: 12288 * class + 256 * page + byte."""
    place = 256 * _checked(page, PAGES, "page") + _checked(byte, BYTES_PER_PAGE, "byte")
    return CLASS_BYTES * _checked(class_id, CLASSES, "class") + place


def bound_split(offset: int) -> tuple[int, int, int]:
    """Class, page and byte of an offset in the class memory."""
    class_id, rest = divmod(_checked(offset, CLASSES * CLASS_BYTES, "offset"), CLASS_BYTES)
    return class_id, *divmod(rest, BYTES_PER_PAGE)
